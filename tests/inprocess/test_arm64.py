"""The arm64 library, loaded by an arm64 Python under qemu, with every page size of arm64 kernels.

It needs ``HYDRA_HARNESS_ARM64_ROOT``: a folder with an arm64 system's Python in
it, such as Debian's packages python3.11-minimal, libpython3.11-minimal,
libpython3.11-stdlib, libc6, libexpat1, zlib1g, libssl3 and libffi8, downloaded by
apt-get with ``APT::Architecture "arm64"`` and unpacked by ``dpkg -x``. The wheels
are those that ``nox -s wheels`` puts into ``dist/``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from hydra_harness_runtime import __version__
from tests.inprocess.conftest import ROOT
from tests.wheel.test_arm64 import BINFMT, PAGES
from wheels.check.extension import LIBRARY

PROGRAM = """
import platform, sys, threading
from hydra_harness_runtime import InvalidPatternError, Runtime, SearchConfig
search = SearchConfig(sample_over_cap_glob_results=True)
with Runtime(sys.argv[1], search=search, transport="inprocess") as runtime:
    print(platform.machine(), runtime.info().version)
    print(runtime.grep("TODO").paths, runtime.glob("*.py", path="src").paths)
    print([runtime.gate(f"cat {path}", env={"HOME": "/h"}).decision for path in ("README", "../x")])
    try:
        runtime.grep("(")
    except InvalidPatternError as error:
        print(error.code)
    counts = []
    threads = [threading.Thread(target=lambda: counts.append(len(runtime.plan("ls").segments))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sum(counts))
"""


@pytest.fixture(scope="module")
def python() -> Path:
    root = os.environ.get("HYDRA_HARNESS_ARM64_ROOT")
    if root is None:
        pytest.skip("needs an arm64 Python: see HYDRA_HARNESS_ARM64_ROOT at the top of this file")
    [found] = [path for path in Path(root, "usr", "bin").glob("python3.*") if path.name[8:].isdigit()]
    return found


@pytest.fixture(scope="module")
def site(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for name in ("runtime", "inprocess"):
        wheels = list((ROOT / "dist").glob(f"hydra_harness_{name}-{__version__}-*manylinux_2_17_aarch64*.whl"))
        if not wheels:
            pytest.skip("needs the arm64 wheels in dist/ (nox -s wheels)")
        with zipfile.ZipFile(wheels[0]) as archive:
            archive.extractall(folder)
    for executable in (folder / "hydra_harness_runtime" / "_bin").glob("hydra-*"):
        executable.chmod(0o755)
    # Behind the end of a file a kernel fills up the page with zeros, as ELF has it;
    # qemu does so only as far as the pages of this machine go, which are smaller.
    library = folder / LIBRARY
    with library.open("r+b") as file:
        file.truncate(-(-library.stat().st_size // PAGES[-1]) * PAGES[-1])
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_it_answers(page: int, python: Path, site: Path, tree: Path) -> None:
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None or os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs qemu-aarch64, root and unshare, to have arm64 programs start arm64 programs")
    root = python.parents[2]
    env = {
        **os.environ,
        "NAME": f"hydra-test-{os.getpid()}",
        "QEMU": qemu,
        "QEMU_LD_PREFIX": str(root),
        "PYTHONHOME": str(root / "usr"),
        "PYTHONPATH": str(site),
    }
    run = ["unshare", "--mount", "sh", "-ec", BINFMT, "sh", qemu, "-p", str(page), str(python)]
    done = subprocess.run([*run, "-c", PROGRAM, str(tree)], check=False, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"aarch64 {__version__}",
        "('README', 'src/a.py') ('src/a.py', 'src/b.py')",
        "['allow', 'ask']",
        "SEARCH_INVALID_PATTERN",
        "20",
    ]
