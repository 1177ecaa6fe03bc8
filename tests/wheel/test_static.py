"""Static means static: the executables in a root that holds nothing else.

No libc of any kind, no loader, no /proc, no /etc: what runs here runs on glibc,
on musl and in images made from nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel import executables
from tests.wheel.mutate import RIPGREP, RUNTIME
from wheels import table
from wheels.check import Expectation

TARGETS = table.load_targets()
ENV = {"PATH": "/nowhere", "HOME": "/home/somebody"}


@pytest.fixture(scope="module")
def root(wheel_of: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this machine, unpacked as a root, with a file to find and /dev/null."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("chroot") is None:
        pytest.skip("needs root and chroot of Linux")
    root = tmp_path_factory.mktemp("root")
    with zipfile.ZipFile(wheel_of(table.host_target(TARGETS).name)) as archive:
        archive.extractall(root)
    for member in (RUNTIME, RIPGREP):
        (root / member).chmod(0o755)
    (root / "tree").mkdir()
    (root / "tree" / "file.txt").write_text("hay\nneedle\n")
    return root


@pytest.fixture
def start(root: Path) -> list[str]:
    return [shutil.which("chroot") or "chroot", str(root), f"/{RUNTIME}"]


@pytest.fixture
def null(root: Path) -> Path:
    device = root / "dev" / "null"
    device.parent.mkdir(exist_ok=True)
    if not device.exists():
        try:
            os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
            device.open("rb").close()
        except OSError as error:
            pytest.skip(f"no device can be made here: {error}")
    return device


@pytest.mark.parametrize(("member", "argument"), [(RUNTIME, "version"), (RIPGREP, "-V")])
def test_starts_in_an_empty_root(member: str, argument: str, root: Path) -> None:
    """A loader that is absent would say "no such file" (openai/codex#6220, github/copilot-sdk#591)."""
    done = executables.call([shutil.which("chroot") or "chroot", str(root), f"/{member}", argument], ENV)
    assert (done.returncode, done.stderr) == (0, "")


def test_root_without_a_null_device(start: list[str], root: Path) -> None:
    """Named as what it is, not mistaken for a missing loader."""
    shutil.rmtree(root / "dev", ignore_errors=True)
    done = executables.search(start, "/tree", ENV)
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["details"]["reason"] == "no-null-device"
    assert error["message"].startswith("/dev/null cannot be opened")


def test_searches(start: list[str], null: Path) -> None:
    done = executables.search(start, "/tree", ENV)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["matches"] == executables.MATCHES


def test_gates(start: list[str]) -> None:
    assert executables.decisions(start, "/tree", ENV) == executables.DECISIONS


def test_serves(start: list[str], null: Path, expected: Expectation) -> None:
    assert executables.converse(start, "/tree", ENV) == (expected.version, executables.PAGE)


def test_kernel_says_the_same(root: Path) -> None:
    """What the checker reads from the headers, a tool of the system reads, too."""
    if shutil.which("file") is None:
        pytest.skip("needs file(1)")
    for member in (RUNTIME, RIPGREP):
        said = subprocess.run(["file", "-b", str(root / member)], check=True, capture_output=True, text=True).stdout
        assert "static" in said
        assert "dynamically linked" not in said
