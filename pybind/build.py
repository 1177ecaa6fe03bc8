"""``python pybind/build.py``: make the Python extension from the Go package beside this file.

gopy writes bindings, this script takes out of them what a facade of text and
numbers does not use, pybindgen writes the C half, and ``go build`` links one
library for every CPython from 3.10 on (the limited API). gopy and pybindgen are
no promised interfaces: every step says what it expects of the step before, and
fails loudly when it finds something else.

The bytes depend on the sources and on the releases of Go, zig, gopy and
pybindgen; not on the Python that runs this, nor on paths, time or locale.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wheels.distributions import GLIBC, INPROCESS
from wheels.table import ROOT, load_targets

__all__ = ["EXTENSION", "BuildError", "build"]

PACKAGE = "github.com/hydraharness/harness-runtime/pybind"
NAME = "hydra_native"
EXTENSION = f"_{NAME}.abi3.so"

LIMITED_API = "0x030A0000"
"""CPython 3.10, the oldest that the project supports."""

EXPORTS = ("Call", "Cancel", "FreeToken", "NewToken", "Start", "Version", "Wait")
"""The functions of facade.go. Another one has to be added here, too."""

_LINES_OF_C = {
    # The limited API has no PyAsyncMethods.
    "typedef PyAsyncMethods* cmpfunc;": "typedef void* cmpfunc;",
    # These two come out otherwise in 3.13 than before. The one is for formats with
    # a #; the other sets a reference count, which PyModule_Create does as well.
    "#define PY_SSIZE_T_CLEAN": "",
    "    PyModuleDef_HEAD_INIT,": "    {0},",
}
"""Lines that pybindgen writes, and what is compiled in their place."""

# A caller's settings that would change the bytes, or leave them unable to run on
# the oldest machine of the target.
_FIXED_GO = {
    "CGO_ENABLED": "1",
    "GOAMD64": "v1",
    "GOARM64": "v8.0",
    "GOEXPERIMENT": "",
    "GOFLAGS": "-mod=readonly",
    "GOOS": "linux",
    "GOWORK": "off",
}


class BuildError(RuntimeError):
    """The extension cannot be built; the message says what to change."""


def build(target: str, version: str, out: Path) -> Path:
    """Put the extension for *target*, stamped with *version*, into the folder *out*."""
    targets = INPROCESS.targets(load_targets(ROOT))
    if target not in targets:
        raise BuildError(f"no in-process extension is built for {target}; there are {', '.join(targets)}")
    # The table names a Linux machine as the kernel does, and so does the compiler.
    goarch, machine = targets[target].goarch, target.partition("-")[2]
    # Below the module, or Go would not resolve the import; with an underscore, or `./...` would include it.
    # The name is fixed: it is in the bytes.
    folder = ROOT / "pybind" / "_gen"
    shutil.rmtree(folder, ignore_errors=True)
    env = {**os.environ, **_FIXED_GO, "GOARCH": goarch, "LC_ALL": "C"}
    generate(folder, {**env, "GOARCH": _run(["go", "env", "GOHOSTARCH"], ROOT, env).strip()})
    with tempfile.TemporaryDirectory(prefix="hydra-native-") as scratch:
        env |= compiler(machine, Path(scratch))
        write_c(folder, env, Path(scratch))
        library = out / EXTENSION
        flags = f"-s -w -buildid= -X {PACKAGE}.version={version}"
        command = ["go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", flags]
        _run([*command, "-o", str(Path(scratch, EXTENSION)), f"./{folder.relative_to(ROOT)}"], ROOT, env)
        out.mkdir(parents=True, exist_ok=True)
        shutil.move(Path(scratch, EXTENSION), library)
    library.chmod(0o755)
    return library


def generate(folder: Path, env: dict[str, str]) -> None:
    """gopy: the Go half of the bindings, and a script that makes the C half; both pruned."""
    options = ["-no-warn", "-no-make", "-dynamic-link=true", f"-vm={sys.executable}"]
    said = _run(["go", "tool", "gopy", "gen", *options, f"-output={folder}", f"-name={NAME}", PACKAGE], ROOT, env)
    for name, prune in ((f"{NAME}.go", pruned_go), ("build.py", pruned_python)):
        file = folder / name
        _expect(file.is_file(), f"gopy to write {name}; it said:\n{said}")
        file.write_text(prune(file.read_text("utf-8")), "utf-8")
    for name in ("__init__.py", "go.py", "pybind.py"):  # wrappers around handles
        (folder / name).unlink()
    _run(["go", "tool", "goimports", "-w", f"{NAME}.go"], folder, env)


def pruned_go(text: str) -> str:
    """The exported functions, sorted (gopy goes by a Go map), and the preamble that they need.

    Left out: helpers for handles and for other types, flags that bind to one
    Python, and the comment with the command line, which would show in the bytes.
    """
    preamble, separator, rest = text.partition('\nimport "C"\n')
    _expect(bool(separator), 'one import "C"')
    kept = ["#include <Python.h>", "typedef uint8_t bool;"]
    for line in kept:
        _expect(f"\n{line}\n" in preamble, f"the line {line}")
    imports = re.match(r"import \(\n.*?^\)\n", rest, re.MULTILINE | re.DOTALL)
    block = imports[0] if imports else ""
    _expect(f'"{PACKAGE}"' in block, "an import block with our package")
    exported = re.compile(r"^//export pybind_(\w+)\nfunc pybind_\1\(.*?^}\n", re.MULTILINE | re.DOTALL)
    functions = {found[1]: found[0] for found in exported.finditer(rest)}
    _expect(tuple(sorted(functions)) == EXPORTS, f"the functions {EXPORTS}, found {tuple(sorted(functions))}")
    for name, code in functions.items():
        used = set(re.findall(r"\bC\.(\w+)", code)) - {"CString", "GoString", "char", "longlong"}
        _expect(used == {"PyEval_SaveThread", "PyEval_RestoreThread"}, f"{name} to let Python's lock go, found {used}")
        _expect(
            f"pybind.{name}(" in code and "go " not in code.replace("//export", ""), f"{name} to call us and return"
        )
    parts = ["package main", "/*\n" + "\n".join(kept) + '\n*/\nimport "C"', block, "func main() {}"]
    return "\n\n".join(parts + [functions[name] for name in EXPORTS])


def pruned_python(text: str) -> str:
    """The script that describes the module to pybindgen: our functions, sorted, and nothing of gopy's own."""
    head, separator, rest = text.partition("mod.add_function('GoPyInit'")
    _expect(bool(separator) and f"mod = Module('_{NAME}')\nmod.add_include('\"{NAME}_go.h\"')\n" in head, "a module")
    calls = dict(re.findall(r"^(add_checked_(?:string_)?function\(mod, 'pybind_(\w+)', .*\))$", rest, re.MULTILINE))
    functions = {name: call for call, name in calls.items()}
    _expect(tuple(sorted(functions)) == EXPORTS, f"the functions {EXPORTS}, found {tuple(sorted(functions))}")
    _expect(f"\nmod.generate(open('{NAME}.c', 'w'))\n" in rest, "the last line")
    # Ours closes the file, so that Python has no warning to give.
    last = f"with open('{NAME}.c', 'w') as file:\n    mod.generate(file)\n"
    return re.sub(r"(?m)^# .*\n", "", head) + "\n".join(functions[name] for name in EXPORTS) + "\n" + last


def compiler(machine: str, scratch: Path) -> dict[str, str]:
    """Settings for cgo: zig's clang, whose headers and stubs of the C library are those of an old release."""
    zig = Path(_module("ziglang").__file__ or "").with_name("zig")
    include = sysconfig.get_path("include")
    if not Path(include, "Python.h").is_file():
        raise BuildError(f"the headers of this Python are not in {include}; install them (Debian: python3-dev)")
    # Copied, so that the compiler sees no other headers of this machine.
    shutil.copytree(include, scratch / "include")
    shutil.copy(_pyconfig(), scratch / "include" / "pyconfig.h")
    command = f"{zig} cc -target {machine}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    return {
        "CC": command,
        # pybindgen writes for C++ and for the whole API; the limited one is chosen here.
        "CGO_CFLAGS": f"-O2 -isystem {scratch}/include -ffile-prefix-map={scratch}=. -DPy_LIMITED_API={LIMITED_API}",
        "CGO_LDFLAGS": "-Wl,--as-needed",
    }


def _pyconfig() -> Path:
    """The header that differs between machines; Debian keeps it apart, and one that only includes it in its place.

    That of this machine also does for the others that we build for: all have
    the same sizes of types, and nothing else of it is used.
    """
    usual = Path(sysconfig.get_config_h_filename())
    machine = sysconfig.get_config_var("MULTIARCH") or "none"
    apart = usual.parent.parent / machine / usual.parent.name / usual.name
    return apart if apart.is_file() else usual


def write_c(folder: Path, env: dict[str, str], scratch: Path) -> None:
    """cgo: the header of our functions; pybindgen: the module that calls them."""
    header = f"{NAME}_go.h"
    export = ["go", "tool", "cgo", "-objdir", f"{scratch}/", "-exportheader", header, "--", *env["CGO_CFLAGS"].split()]
    _run([*export, f"{NAME}.go"], folder, env)
    _module("pybindgen")
    _run([sys.executable, "-W", "error", "build.py"], folder, {**env, "PYTHONHASHSEED": "0"})
    file = folder / f"{NAME}.c"
    text = file.read_text("utf-8")
    for line, instead in _LINES_OF_C.items():
        _expect(text.count(f"{line}\n") == 1, f"the line {line}")
        text = text.replace(line, instead)
    _expect("#" not in "".join(re.findall(r'"([^"\n]*)"', text.partition(header)[2])), "no format with a #")
    file.write_text(text, "utf-8")


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise BuildError(f"{name} is not installed: {sys.executable} -m pip install {name}") from None


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise BuildError(f"gopy or pybindgen writes something else than it did; it was expected: {what}")


def _run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command, check=False, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        raise BuildError(f"{' '.join(command[:3])} failed with status {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


def main() -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description="Build the in-process extension.")
    parser.add_argument("--target", default=f"linux-{os.uname().machine}", help="default: this machine's")
    parser.add_argument("--version", default="0.0.0")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "inprocess")
    options = parser.parse_args()
    try:
        print(build(options.target, options.version, options.out))
    except BuildError as error:
        print(f"pybind/build.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
