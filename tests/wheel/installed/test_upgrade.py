"""pip changes the package under a program that is using it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import Place, new_venv
from tests.wheel.mutate import MANIFEST, RIPGREP, Wheel

NEWER = "99.0"

# Starts a runtime, says so, waits for a line, and says what it can still do.
PROGRAM = """
import sys
import hydra_harness_runtime as h

def attempt(call):
    try:
        return call()
    except h.HarnessError as error:
        return f"{error.code} {error.details.get('reason', '')} {error}"

search = h.SearchConfig(sample_over_cap_glob_results=True, glob_order="path")
with h.Runtime(sys.argv[1], search=search) as runtime:
    print(runtime.glob("*.txt").paths if sys.argv[2] == "used" else len(runtime.guidance()), flush=True)
    sys.stdin.readline()
    print(attempt(lambda: runtime.glob("*.txt").paths))
    print(attempt(lambda: runtime.gate("cat one.txt", env={}).decision))
    print(attempt(h.bundled_runtime_path))
"""


def newer(host_wheel: Path, folder: Path, *, other_sidecar: bool) -> Path:
    """The next release, with the same ripgrep or with another one."""
    wheel = Wheel.load(host_wheel)
    old = wheel.name.split("-")[1]
    if other_sidecar:
        wheel.put(RIPGREP, wheel[RIPGREP] + b"newer")
    wheel.name = wheel.name.replace(old, NEWER, 1)
    for info, _ in wheel.entries:
        info.filename = info.filename.replace(f"hydra_harness_runtime-{old}.", f"hydra_harness_runtime-{NEWER}.")
    metadata = wheel.ending("/METADATA")
    wheel[metadata] = wheel[metadata].replace(f"\nVersion: {old}\n".encode(), f"\nVersion: {NEWER}\n".encode())
    wheel["hydra_harness_runtime/_version.py"] = f'__version__ = "{NEWER}"\n'.encode()
    wheel[MANIFEST] = json.dumps({**json.loads(wheel[MANIFEST]), "version": NEWER}).encode()
    wheel.settle()
    return wheel.save(folder)


class Program:
    """One that runs in a place until it is told that the package changed."""

    def __init__(self, place: Place, tree: Path, use: str) -> None:
        command = [str(place.python), "-c", PROGRAM, str(tree), use]
        self.process = subprocess.Popen(
            command, cwd=tree.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip()

    def go_on(self) -> list[str]:
        said, _ = self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0
        return said.splitlines()


@pytest.fixture
def used(pip: Callable[..., None], tmp_path: Path) -> Place:
    place = new_venv(tmp_path / "env")
    pip(python=place.python)
    return place


def test_upgrade_with_the_same_ripgrep(
    used: Place, pip: Callable[..., None], host_wheel: Path, tmp_path: Path, tree: Path
) -> None:
    """The running runtime goes on; a new one needs a new process, because the modules are old."""
    program = Program(used, tree, "used")
    pip("--upgrade", python=used.python, wheel=newer(host_wheel, tmp_path, other_sidecar=False))
    search, gate, locate = program.go_on()
    assert (search, gate) == ("('one.txt', 'sub/two.txt')", "allow")
    assert locate.startswith("version-mix")
    assert f"the executables are {NEWER}, the Python package is " in locate


@pytest.mark.parametrize("use", ["used", "unused"])
def test_upgrade_with_another_ripgrep(
    use: str, used: Place, pip: Callable[..., None], host_wheel: Path, tmp_path: Path, tree: Path
) -> None:
    """Two releases never answer one call; what needs no sidecar goes on."""
    program = Program(used, tree, use)
    pip("--upgrade", python=used.python, wheel=newer(host_wheel, tmp_path, other_sidecar=True))
    search, gate, locate = program.go_on()
    assert search.startswith("SEARCH_FAILED replaced ")
    assert "start the runtime again" in search
    assert gate == "allow"
    assert locate.startswith("version-mix")


def test_reinstallation(used: Place, pip: Callable[..., None], host_wheel: Path, tree: Path) -> None:
    """The same bytes in other files are no reason to stop."""
    program = Program(used, tree, "used")
    before = (used.bin / "hydra-harness-runtime-rg").stat().st_mtime_ns
    pip("--force-reinstall", python=used.python)
    assert program.go_on() == [
        "('one.txt', 'sub/two.txt')",
        "allow",
        str(used.bin / "hydra-harness-runtime"),
    ]
    assert (used.bin / "hydra-harness-runtime-rg").stat().st_mtime_ns != before


def test_uninstalled_meanwhile(used: Place, tree: Path) -> None:
    """Like a deletion by somebody else: named, not mistaken for an empty result."""
    program = Program(used, tree, "used")
    for path in used.bin.iterdir():
        path.unlink()
    search, gate, locate = program.go_on()
    assert search.startswith("SEARCH_FAILED missing ")
    assert gate == "allow"
    assert locate.startswith("manifest ")


def test_the_newer_wheel_is_a_true_one(host_wheel: Path, tmp_path: Path) -> None:
    """The upgrade above must not be refused for a reason of its own."""
    wheel = Wheel.load(newer(host_wheel, tmp_path, other_sidecar=True))
    listed = {entry["name"]: entry["sha256"] for entry in json.loads(wheel[MANIFEST])["files"]}
    assert listed["hydra-harness-runtime-rg"] == hashlib.sha256(wheel[RIPGREP]).hexdigest()
