"""What a wheel carries besides Python: the runtime, its sidecar, the manifest.

The bytes depend on the sources, the Go release and the target alone: paths,
time, umask and the caller's Go settings are kept out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

from wheels.check.macho import read_image
from wheels.distributions import RIPGREP, RUNTIME
from wheels.table import Target, load_lock

__all__ = ["MANIFEST", "BuildError", "build", "check_minimum", "manifest", "write_json"]

MANIFEST = "manifest.json"
COMMAND = "./gocore/cmd/hydra-harness-runtime"
EXECUTABLE_MODE = 0o755

# A caller's settings that would change the executable's bytes or leave it
# unable to run on the oldest machine of its target.
_FIXED_GO = {
    "CGO_ENABLED": "0",
    "GOAMD64": "v1",
    "GOARM64": "v8.0",
    "GOEXPERIMENT": "",
    "GOFLAGS": "-mod=readonly",
    "GOWORK": "off",
}


class BuildError(RuntimeError):
    """The wheel cannot be built; the message says what to change."""


def build(root: Path, target: Target, version: str, folder: Path, modules: Path | None = None) -> list[str]:
    """Put the three files for ``target`` into ``folder``; returns their names.

    *modules* is the package whose files the manifest names, too; none for an
    editable install, where they change.
    """
    if shutil.which("go") is None:
        raise BuildError("building a wheel needs the Go toolchain (the release in go.mod or later) on PATH")
    _link(root, target, version, folder / RUNTIME)
    _fetch(root, target, folder)
    check_minimum(target, folder)
    for name in (RUNTIME, RIPGREP):
        (folder / name).chmod(EXECUTABLE_MODE)
    write_json(folder / MANIFEST, manifest(root, target, version, folder, modules))
    return [RUNTIME, RIPGREP, MANIFEST]


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON, readable by everybody whatever the umask."""
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")
    path.chmod(0o644)


def manifest(root: Path, target: Target, version: str, folder: Path, modules: Path | None = None) -> dict[str, object]:
    """The manifest of the two files in ``folder``, as README.md beside this file gives it."""
    return {
        "version": version,
        "target": target.name,
        "ripgrepVersion": load_lock(root)[target.npm_package].ripgrep_version,
        "files": [
            {
                "name": name,
                "size": (folder / name).stat().st_size,
                "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
                "mode": f"{EXECUTABLE_MODE:04o}",
            }
            for name in (RUNTIME, RIPGREP)
        ],
        "modules": [_module(path, modules) for path in sorted(modules.rglob("*.py"))] if modules else [],
    }


def _module(path: Path, package: Path) -> dict[str, object]:
    data = path.read_bytes()
    name = path.relative_to(package).as_posix()
    return {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _link(root: Path, target: Target, version: str, out: Path) -> None:
    """Cross-compile. Nothing may touch the file afterwards: on Apple silicon a
    changed byte breaks the signature that the linker made."""
    env = {**os.environ, **_FIXED_GO, "GOOS": target.goos, "GOARCH": target.goarch}
    flags = f"-s -w -buildid= -X main.version={version}"
    _go(root, env, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", str(out), COMMAND)


def _fetch(root: Path, target: Target, folder: Path) -> None:
    env = {key: value for key, value in {**os.environ, **_FIXED_GO}.items() if key not in ("GOOS", "GOARCH")}
    offline = ["--offline"] if os.environ.get("HYDRA_HARNESS_OFFLINE") else []
    arguments = ["--target", target.name, "--out", str(folder), "--name", RIPGREP, *offline]
    _go(root, env, "run", "./tools/fetch-rg", *arguments)


def _go(root: Path, env: dict[str, str], *arguments: str) -> None:
    command = ["go", *arguments]
    done = subprocess.run(
        command, check=False, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        raise BuildError(f"go {arguments[0]} failed with status {done.returncode}:\n{done.stderr or done.stdout}")


def check_minimum(target: Target, folder: Path) -> None:
    """A new Go release may raise the oldest macOS; the tag must follow it."""
    if target.macos_minimum is None:
        return
    found = max(read_image((folder / name).read_bytes()).minimum or (0, 0) for name in (RUNTIME, RIPGREP))
    needs = f"{found[0]}.{found[1]}"
    if needs != target.macos_minimum:
        raise BuildError(
            f"the executables for {target.name} need macOS {needs}, wheels/targets.json says "
            f"{target.macos_minimum}: change macosMinimum and the tag there"
        )
