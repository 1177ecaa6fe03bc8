"""The version is written in one place; everything that says one says the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.wheel import executables
from tests.wheel.mutate import MANIFEST, RIPGREP, RUNTIME, Wheel
from wheels import table
from wheels.check import Expectation

ENV = {"PATH": os.defpath, "HOME": "/nowhere"}


@pytest.fixture(scope="module")
def unpacked(host_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(host_wheel) as archive:
        archive.extractall(folder)
    for member in (RUNTIME, RIPGREP):
        (folder / member).chmod(0o755)
    return folder


def test_in_the_wheel(host_wheel: Path, expected: Expectation) -> None:
    wheel = Wheel.load(host_wheel)
    assert wheel.name.split("-")[1] == expected.version
    assert wheel.ending("/METADATA") == f"hydra_harness_runtime-{expected.version}.dist-info/METADATA"
    assert f"\nVersion: {expected.version}\n".encode() in wheel[wheel.ending("/METADATA")]
    assert json.loads(wheel[MANIFEST])["version"] == expected.version
    assert json.loads(wheel[wheel.ending("cdx.json")])["metadata"]["component"]["version"] == expected.version


def test_of_the_package(unpacked: Path, expected: Expectation) -> None:
    script = (
        "import importlib.metadata as m, hydra_harness_runtime as h; "
        "print(h.__version__, m.version('hydra-harness-runtime'))"
    )
    env = {**os.environ, "PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, check=True, cwd=unpacked, env=env, capture_output=True, text=True).stdout
    assert said.split() == [expected.version, expected.version]


def test_of_the_executable(unpacked: Path, expected: Expectation) -> None:
    assert executables.call([str(unpacked / RUNTIME), "version"], ENV).stdout.strip() == expected.version


def test_of_the_handshake(unpacked: Path, expected: Expectation, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("hay\nneedle\n")
    start = [str(unpacked / RUNTIME)]
    assert executables.converse(start, str(tmp_path), ENV) == (expected.version, executables.PAGE)


def test_of_ripgrep_is_that_of_the_lock(unpacked: Path) -> None:
    version = json.loads((unpacked / MANIFEST).read_text())["ripgrepVersion"]
    assert {pinned.ripgrep_version for pinned in table.load_lock().values()} == {version}
    said = executables.call([str(unpacked / RIPGREP), "--no-config", "--version"], ENV).stdout
    assert said.splitlines()[0].split()[:2] == ["ripgrep", version]


def test_is_one_that_indexes_accept(expected: Expectation) -> None:
    """PEP 440 without a local part, in its normal form."""
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", expected.version)


def test_of_both_distributions(expected: Expectation) -> None:
    """The extra names the extension in its very version; neither is of use with another one."""
    extra = re.findall(r'"hydra-harness-inprocess==(.+?)"', (table.ROOT / "pyproject.toml").read_text("utf-8"))
    own = (table.ROOT / "pybind" / "hydra_harness_inprocess" / "__init__.py").read_text("utf-8")
    assert extra == [expected.version]
    assert re.findall(r'^__version__ = "(.+)"$', own, re.MULTILINE) == [expected.version]


def test_changes_are_written_down(expected: Expectation) -> None:
    """Under the version, or still under what comes next."""
    headings = re.findall(r"^## \[(.+?)\]", (table.ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert len(headings) == len(set(headings))
    assert expected.version in headings or len(headings) == 1
