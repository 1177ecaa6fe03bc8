"""The wheel that is tested here, judged by the tools that know the platform and the stable ABI."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hydra_harness_inprocess
from hydra_harness_runtime import __version__
from tests.inprocess.conftest import ROOT
from wheels.check.extension import LIBRARY
from wheels.distributions import INPROCESS
from wheels.table import host_target, load_targets

WHEEL = ROOT / "dist" / f"hydra_harness_inprocess-{__version__}-{INPROCESS.tag(host_target(load_targets()))}.whl"


@pytest.fixture(scope="module", autouse=True)
def wheel() -> None:
    installed = Path(str(hydra_harness_inprocess.__file__)).with_name(Path(LIBRARY).name).read_bytes()
    if not WHEEL.exists():
        pytest.skip(f"{WHEEL.name} is not in dist/ (nox -s extension builds it)")
    with zipfile.ZipFile(WHEEL) as archive:
        if archive.read(LIBRARY) != installed:
            pytest.skip(f"{WHEEL.name} in dist/ is not what is installed (nox -s inprocess installs it)")


def told(*command: str) -> str:
    pytest.importorskip(command[0], reason=f"needs {command[0]} (nox -s inprocess installs it)")
    done = subprocess.run(
        [sys.executable, "-m", *command, str(WHEEL)], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def test_auditwheel() -> None:
    """An old platform, and no library from outside: not libpython, either."""
    said = told("auditwheel", "show")
    tag = re.search(r'consistent with the following platform tag: "manylinux_2_(\d+)_', said)
    assert tag is not None, said
    assert int(tag[1]) <= 17
    assert "requires no external shared libraries" in said
    assert "libpython" not in said


def test_abi3audit() -> None:
    """Nothing is used but what CPython 3.10 promises to all later ones."""
    said = told("abi3audit", "--strict", "--verbose")
    assert "1 extensions scanned; 0 ABI version mismatches and 0 ABI violations found" in said
