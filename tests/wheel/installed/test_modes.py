"""Places where executables lose their bits or may not run at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import FOUND, Place, found, mounting
from tests.wheel.installed.locating import LOCATE, refusal
from tests.wheel.mutate import RIPGREP, RUNTIME, Wheel

NAMES = ("hydra-harness-runtime", "hydra-harness-runtime-rg")
WARN_ONCE = 'import logging, sys; logging.basicConfig(format="%(levelname)s %(message)s")\n'


def bits(place: Place) -> list[bool]:
    return [os.access(place.bin / name, os.X_OK) for name in NAMES]


def test_unzipped_without_modes(host_wheel: Path, tmp_path: Path, tree: Path) -> None:
    """zipfile.extractall drops the executable bit (linkedin/shiv#100, pex-tool/pex#703): it is put back."""
    folder = tmp_path / "unzipped"
    with zipfile.ZipFile(host_wheel) as archive:
        archive.extractall(folder)
    place = Place(Path(sys.executable), folder, {"PYTHONPATH": str(folder)})
    assert bits(place) == [False, False]
    assert found(place.probe(tree)) == FOUND
    assert bits(place) == [True, True]


def test_wheel_whose_zip_modes_lack_the_type(
    pip: Callable[..., None], host_wheel: Path, tmp_path: Path, tree: Path
) -> None:
    """pip then installs 0644 (bazel-contrib/rules_python#1711); the checker refuses such a wheel, this mends one."""
    wheel = Wheel.load(host_wheel)
    for member in (RUNTIME, RIPGREP):
        wheel.info(member).external_attr = 0o755 << 16
    (tmp_path / "bad").mkdir()
    folder = tmp_path / "packages"
    pip("--target", str(folder), wheel=wheel.save(tmp_path / "bad"))
    place = Place(Path(sys.executable), folder, {"PYTHONPATH": str(folder)})
    assert bits(place) == [False, False]
    assert found(place.probe(tree)) == FOUND
    assert bits(place) == [True, True]


def test_one_warning_for_each_file_that_was_mended(copied: Place, tmp_path: Path) -> None:
    """superradcompany/microsandbox#1408"""
    for name in NAMES:
        (copied.bin / name).chmod(0o644)
    done = copied.run("-c", WARN_ONCE + LOCATE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        f"WARNING {copied.bin / name} had lost its executable bit: mode changed from 0644 to 0755" for name in NAMES
    ]
    assert copied.run("-c", WARN_ONCE + LOCATE, cwd=tmp_path).stderr == ""


def test_read_only_mount(copied: Place, tree: Path) -> None:
    place = copied.packages
    before = mounting(f"mount --bind '{place}' '{place}'\nmount -o remount,bind,ro '{place}'")
    assert found(copied.probe(tree, before=before)) == FOUND


def test_read_only_mount_without_the_bit(copied: Place, tmp_path: Path) -> None:
    """Nothing can be repaired there (nficano/python-lambda#33)."""
    (copied.bin / NAMES[1]).chmod(0o644)
    place = copied.packages
    before = mounting(f"mount --bind '{place}' '{place}'\nmount -o remount,bind,ro '{place}'")
    refused = refusal(copied, tmp_path, before=before)
    assert refused[:2] == ("mode", str(copied.bin / NAMES[1]))
    assert "Read-only file system" in refused.message
    assert "it cannot be mended" in refused.message
    assert "-m pip install --target DIR hydra-harness-runtime==" in refused.message


def test_noexec_tmpfs(copied: Place, tmp_path: Path) -> None:
    """A temporary folder of a hardened system; the bits are there, and count for nothing."""
    store = tmp_path / "store"
    copied.packages.rename(store)
    copied.packages.mkdir()
    place = copied.packages
    before = mounting(f"mount -t tmpfs -o noexec,size=64m tmpfs '{place}'\ncp -a '{store}/.' '{place}'")
    refused = refusal(copied, tmp_path, before=before)
    assert refused[:2] == ("noexec", str(copied.bin / NAMES[0]))
    assert "HYDRA_HARNESS_RUNTIME" in refused.message


@pytest.fixture
def open_place(target: Place, system_python: Path, tree: Path) -> Iterator[Place]:
    """The package where every user can reach it; the folders of tests are closed to others."""
    folder = Path(subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip())
    try:
        folder.chmod(0o755)
        shutil.copytree(target.packages, folder / "packages")
        shutil.copytree(tree, folder / "tree")
        shutil.copy(Path(__file__).with_name("probe.py"), folder / "probe.py")
        env = {"PYTHONPATH": str(folder / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        yield Place(system_python, folder / "packages", env)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def nobody(tree: Path) -> tuple[str, ...]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv to become another user")
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/nowhere")


def test_another_user(open_place: Place, nobody: tuple[str, ...]) -> None:
    """Installed by root, used by somebody else, who may only read and execute."""
    folder = open_place.packages.parent
    done = open_place.run(str(folder / "probe.py"), str(folder / "tree"), cwd=folder, before=nobody)
    assert done.returncode == 0, done.stderr
    assert '"sub/two.txt"' in done.stdout


def test_another_user_without_the_bit(open_place: Place, nobody: tuple[str, ...]) -> None:
    """Somebody else's file is not changed; the owner is told how (superradcompany/microsandbox#1408)."""
    runtime = open_place.bin / NAMES[0]
    runtime.chmod(0o644)
    refused = refusal(open_place, open_place.packages.parent, before=nobody)
    assert refused[:2] == ("mode", str(runtime))
    assert f"chmod +x {runtime}" in refused.message
    assert runtime.stat().st_mode & 0o777 == 0o644
