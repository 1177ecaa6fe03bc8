"""The arm64 wheel's executables, really run: under qemu, with every page size of arm64 kernels.

What the alignment in the ELF headers promises is proven here by a loader.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel import executables
from tests.wheel.mutate import RIPGREP, RUNTIME
from wheels.check import Expectation

PAGES = [4096, 16384, 65536]

# The kernel hands every arm64 program to qemu while this is registered, the
# sidecar that the runtime starts among them. F: qemu is opened now, so that its
# path does not matter later. The mount is seen by this process alone.
BINFMT = r"""
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
cd /proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":$NAME:M::$magic:$mask:$QEMU:F" > register
trap 'echo -1 > "/proc/sys/fs/binfmt_misc/$NAME"' EXIT
"$@"
"""


@pytest.fixture(scope="module")
def qemu() -> str:
    if os.uname().machine == "aarch64":
        pytest.skip("this machine is arm64; the other tests run these executables")
    found = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if found is None:
        pytest.skip("needs qemu-aarch64 (Debian: qemu-user-static)")
    return found


@pytest.fixture(scope="module")
def unpacked(qemu: str, wheel_of: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arm64")
    with zipfile.ZipFile(wheel_of("linux-aarch64")) as archive:
        archive.extractall(folder)
    for member in (RUNTIME, RIPGREP):
        (folder / member).chmod(0o755)
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_both_start(page: int, qemu: str, unpacked: Path, expected: Expectation) -> None:
    def run(member: str, *arguments: str) -> str:
        command = [qemu, "-p", str(page), str(unpacked / member), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert run(RUNTIME, "version").strip() == expected.version
    assert run(RIPGREP, "--no-config", "--version").startswith("ripgrep 15.")


@pytest.mark.parametrize("page", PAGES)
def test_ripgrep_searches(page: int, qemu: str, unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("hay\nneedle 12\n")
    command = [
        qemu,
        "-p",
        str(page),
        str(unpacked / RIPGREP),
        "--no-config",
        "-n",
        "-P",
        r"needle \d+(?!\d)",
        str(tmp_path),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == f"{tmp_path}/file.txt:2:needle 12"


@pytest.fixture(params=PAGES)
def start(request: pytest.FixtureRequest, qemu: str, unpacked: Path) -> list[str]:
    """Runs the runtime under qemu and lets the kernel run its children there, too."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare to have arm64 programs start arm64 programs")
    run = ["unshare", "--mount", "sh", "-ec", BINFMT, "sh"]
    probe = subprocess.run([*run, "true"], check=False, env=binfmt(qemu), capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"this kernel lets nobody register arm64 programs: {probe.stderr.strip()}")
    return [*run, qemu, "-p", str(request.param), str(unpacked / RUNTIME)]


@pytest.fixture
def tree(tmp_path: Path) -> str:
    (tmp_path / "file.txt").write_text("hay\nneedle\n")
    return str(tmp_path)


def binfmt(qemu: str) -> dict[str, str]:
    return {**os.environ, "NAME": f"hydra-test-{os.getpid()}", "QEMU": qemu}


def test_runtime_searches_with_its_sidecar(start: list[str], qemu: str, tree: str) -> None:
    done = executables.search(start, tree, binfmt(qemu))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["matches"] == executables.MATCHES


def test_runtime_gates(start: list[str], qemu: str, tree: str) -> None:
    assert executables.decisions(start, tree, binfmt(qemu)) == executables.DECISIONS


def test_runtime_serves(start: list[str], qemu: str, tree: str, expected: Expectation) -> None:
    assert executables.converse(start, tree, binfmt(qemu)) == (expected.version, executables.PAGE)
