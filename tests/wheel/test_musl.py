"""The client on musl, where there is a Python for it.

Distributions with glibc have none, so one has to be named: build CPython with
musl-gcc, say, and set HYDRA_HARNESS_MUSL_PYTHON to it. On Alpine the tests of
session ``installed`` are the ones to run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import FOUND, PROBE, found

NAME = "HYDRA_HARNESS_MUSL_PYTHON"

LIBC = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"

IN_PROCESS = """
import sys
import hydra_harness_runtime as h
search = h.SearchConfig(sample_over_cap_glob_results=True)
try:
    with h.Runtime(sys.argv[1], search=search, transport="inprocess") as runtime:
        runtime.glob("*")
except h.RuntimeBundleError as error:
    print(error.code, error.remedy, sep="\\n")
"""


@pytest.fixture(scope="module")
def run(host_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """The Python of musl, with the wheel and without anything of this one."""
    python = os.environ.get(NAME)
    if not python:
        pytest.skip(f"{NAME} names no Python that was built for musl")
    folder = tmp_path_factory.mktemp("packages")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", f"--target={folder}", str(host_wheel)]
    subprocess.run(pip, check=True)

    def run(*arguments: str) -> str:
        env = {"PYTHONPATH": str(folder), "PATH": "/nowhere", "HOME": "/nowhere"}
        command = [python, *arguments]
        return subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE, text=True).stdout

    assert "-linux-musl" in run("-c", LIBC)
    return run


@pytest.fixture
def tree(tmp_path: Path) -> str:
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.txt").write_text("needle\n")
    (tmp_path / "sub" / "two.txt").write_text("hay\nneedle\n")
    return str(tmp_path)


def test_search_gate_and_spill(run: Callable[..., str], tree: str) -> None:
    """github/copilot-sdk#591"""
    assert found(json.loads(run(str(PROBE), tree))) == FOUND


def test_module_as_a_command(run: Callable[..., str], tree: str) -> None:
    said = run("-m", "hydra_harness_runtime", "glob", "--workdir", tree, "two.txt")
    assert "sub/two.txt" in said


def test_in_process_is_refused_with_a_way_out(run: Callable[..., str], tree: str) -> None:
    """golang/go#54805, golang/go#13492"""
    code, remedy = run("-c", IN_PROCESS, tree).splitlines()
    assert code == "extension-platform"
    assert 'transport="subprocess"' in remedy
