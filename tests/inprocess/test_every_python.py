"""One library for every CPython: the installed one, loaded by each that this machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hydra_harness_inprocess
import hydra_harness_runtime
from hydra_harness_runtime import __version__

VERSIONS = ("3.10", "3.11", "3.12", "3.13")
HERE = "{}.{}".format(*sys.version_info)
HOME = os.environ.get("HOME", "/")
"""As it was before the clean environment of all tests replaced it: pyenv lies there."""

PROGRAM = """
import sys
from hydra_harness_runtime import Runtime, SearchConfig
search = SearchConfig(sample_over_cap_glob_results=True)
with Runtime(sys.argv[1], search=search, runtime_path=sys.argv[2] or None, transport="inprocess") as runtime:
    print("{}.{}".format(*sys.version_info), runtime.info().version, runtime.grep("TODO").paths)
    print(sys.modules["hydra_harness_inprocess"].__file__)
"""


def interpreter(version: str) -> str | None:
    """A CPython of this version: the one that runs the tests, pyenv's, or one on PATH."""
    if version == HERE:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path(HOME, ".pyenv"), "versions")
    found = sorted(str(path) for path in pyenv.glob(f"{version}.*/bin/python{version}"))
    on_path = shutil.which(f"python{version}")
    for candidate in [*found, *([on_path] if on_path else [])]:
        # What is on PATH may be pyenv's stand-in, for a Python that nobody chose.
        done = subprocess.run([candidate, "-c", "import ctypes"], check=False, capture_output=True)
        if done.returncode == 0:
            return candidate
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_loads_and_answers(version: str, tmp_path: Path, tree: Path, runtime_path: Path | None) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no CPython {version} on this machine")
    for package in (hydra_harness_runtime, hydra_harness_inprocess):
        folder = Path(str(package.__file__)).parent
        shutil.copytree(folder, tmp_path / "site" / folder.name)
    command = [python, "-W", "error", "-c", PROGRAM, str(tree), str(runtime_path or "")]
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    answer, where = done.stdout.splitlines()
    assert answer == f"{version} {__version__} ('README', 'src/a.py')"
    assert Path(where).is_relative_to(tmp_path / "site")
    print(f"{version}: {python}")
