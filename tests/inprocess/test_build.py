"""The build says what it cannot do, and notices when the tools that write code write something else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pybind import build

GO_FUNCTION = """\
//export pybind_{name}
func pybind_{name}(token C.longlong) *C.char {{
	_saved_thread := C.PyEval_SaveThread()
	defer C.PyEval_RestoreThread(_saved_thread)
	return C.CString(pybind.{name}(int64(token)))
}}
"""
GO_FUNCTIONS = [GO_FUNCTION.format(name=name) for name in reversed(build.EXPORTS)]
GO = f"""\
/* a command line */
package main

/*
#include <Python.h>
typedef uint8_t bool;
#include "more.h"
*/
import "C"
import (
	"{build.PACKAGE}"
)

func main() {{}}

//export GoPyInit
func GoPyInit() {{}}

{"".join(GO_FUNCTIONS)}"""

PYTHON_CALLS = [
    f"add_checked_string_function(mod, 'pybind_{name}', retval('char*'), [param('int64_t', 'token')])\n"
    for name in reversed(build.EXPORTS)
]
PYTHON = f"""\
# a comment
from pybindgen import retval, param, Module
mod = Module('_{build.NAME}')
mod.add_include('"{build.NAME}_go.h"')
mod.add_function('GoPyInit', None, [])
{"".join(PYTHON_CALLS)}
mod.generate(open('{build.NAME}.c', 'w'))

"""


def order(text: str) -> list[str]:
    """The exported functions in the order in which they stand."""
    found = {name: text.find(f"pybind_{name}(") + text.find(f"'pybind_{name}'") for name in build.EXPORTS}
    assert min(found.values()) > 0
    return sorted(found, key=lambda name: found[name])


def test_what_is_kept_is_sorted() -> None:
    go, python = build.pruned_go(GO), build.pruned_python(PYTHON)
    assert order(go) == order(python) == sorted(build.EXPORTS)
    for left_out in ("a command line", "GoPyInit", "more.h", "a comment"):
        assert left_out in GO + PYTHON
        assert left_out not in go + python


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('import "C"', 'import "D"', 'one import "C"'),
        ("typedef uint8_t bool;", "", "the line typedef uint8_t bool;"),
        (f'"{build.PACKAGE}"', '"example.com/other"', "an import block with our package"),
        ("pybind_Wait", "pybind_Weight", "'Weight'"),
        (GO_FUNCTIONS[0], "", "the functions"),
        ("C.CString(", "C.PyErr_SetString(", "to let Python's lock go, found {"),
        ("C.PyEval_SaveThread()", "nil", "to let Python's lock go"),
        ("return C.CString(pybind.Call(", "go pybind.Call(); return C.CString((", "Call to call us and return"),
    ],
)
def test_another_gopy(old: str, new: str, expected: str) -> None:
    assert old in GO
    with pytest.raises(build.BuildError, match="gopy or pybindgen writes something else") as caught:
        build.pruned_go(GO.replace(old, new))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("GoPyInit", "Other", "a module"),
        ("Module('_hydra_native')", "Module('hydra')", "a module"),
        (PYTHON_CALLS[0], "", "the functions"),
        ("\nmod.generate(", "\nmod.write(", "the last line"),
    ],
)
def test_another_pybindgen(old: str, new: str, expected: str) -> None:
    assert old in PYTHON
    with pytest.raises(build.BuildError, match="gopy or pybindgen writes something else") as caught:
        build.pruned_python(PYTHON.replace(old, new))
    assert expected in str(caught.value)


def test_what_cannot_be_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(build.BuildError, match="there are linux-x86_64, linux-aarch64"):
        build.build("macos-arm64", "1", tmp_path)
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(build.BuildError, match="-m pip install ziglang"):
        build.compiler("x86_64", tmp_path)


def test_a_python_without_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", build)  # any module
    monkeypatch.setattr(build.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(build.BuildError, match="python3-dev"):
        build.compiler("x86_64", tmp_path / "scratch")


def test_headers_as_debian_keeps_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There one header is apart, by the name of the machine, and the usual place has one that includes it."""
    usual, apart = tmp_path / "python3.11", tmp_path / "x86_64-linux-gnu" / "python3.11"
    for folder, text in ((usual, "#include <x86_64-linux-gnu/python3.11/pyconfig.h>"), (apart, "#define A 1")):
        folder.mkdir(parents=True)
        (folder / "pyconfig.h").write_text(text)
    (usual / "Python.h").touch()
    monkeypatch.setitem(sys.modules, "ziglang", build)
    monkeypatch.setattr(build.sysconfig, "get_path", lambda name: str(usual))
    monkeypatch.setattr(build.sysconfig, "get_config_h_filename", lambda: str(usual / "pyconfig.h"))
    for machine, text in (("x86_64-linux-gnu", "#define A 1"), (None, (usual / "pyconfig.h").read_text())):
        monkeypatch.setattr(build.sysconfig, "get_config_var", lambda name, machine=machine: machine)
        scratch = tmp_path / f"scratch-{machine}"
        settings = build.compiler("x86_64", scratch)
        assert (scratch / "include" / "pyconfig.h").read_text() == text
        assert settings["CC"].endswith("zig cc -target x86_64-linux-gnu.2.17")
