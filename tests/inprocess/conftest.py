"""The runtime behind both transports: whatever a test asserts here holds for either."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import AsyncRuntime, Runtime, RuntimeBundleError, SearchConfig, bundled_runtime_path

TRANSPORTS = ("subprocess", "inprocess")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def extension() -> None:
    """Without the extension nothing here says anything: ``HYDRA_HARNESS_REQUIRE_RUNTIME=1`` makes that a failure."""
    try:
        import hydra_harness_inprocess  # noqa: F401, PLC0415
    except ModuleNotFoundError:
        reason = "hydra-harness-inprocess is not installed (nox -s inprocess installs it)"
        if os.environ.get("HYDRA_HARNESS_REQUIRE_RUNTIME") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def runtime_path() -> Path | None:
    """The installed wheel's runtime (``None``), or the one that a developer names by ``HYDRA_HARNESS_TEST_RUNTIME``."""
    named = os.environ.get("HYDRA_HARNESS_TEST_RUNTIME")
    if named:
        return Path(named)
    try:
        bundled_runtime_path()
    except RuntimeBundleError as error:
        if os.environ.get("HYDRA_HARNESS_REQUIRE_RUNTIME") == "1":
            pytest.fail(f"no runtime is installed: {error}")
        pytest.skip(f"no runtime is installed: {error}")
    return None


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    """One transport after the other."""
    return str(request.param)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with a bit of everything."""
    files = {
        "README": "TODO: write\n",
        "src/a.py": "import os\n\nTODO = 1\n",
        "src/b.py": "def main():\n    return 'todo'\n",
        ".hidden/d.py": "TODO\n",
    }
    for name, text in files.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


@pytest.fixture
def settings(tmp_path: Path, runtime_path: Path | None) -> Callable[..., dict[str, Any]]:
    """What a client is made with: a spill folder of the test's own, and changes of the configuration."""

    def make(**changes: Any) -> dict[str, Any]:
        config = {"sample_over_cap_glob_results": True, "spill_root": tmp_path / "spill", **changes}
        return {"search": SearchConfig(**config), "runtime_path": runtime_path}

    return make


@pytest.fixture
def runtime(transport: str, tree: Path, settings: Callable[..., dict[str, Any]]) -> Iterator[Runtime]:
    """A client over each transport."""
    with Runtime(tree, transport=transport, **settings()) as client:
        yield client


@pytest.fixture
def async_runtime(transport: str, tree: Path, settings: Callable[..., dict[str, Any]]) -> Callable[[], AsyncRuntime]:
    """Makes asynchronous clients over each transport."""
    return lambda: AsyncRuntime(tree, transport=transport, **settings())


class Slow:
    """A sidecar that sleeps; it writes down its process id."""

    def __init__(self, folder: Path, runtime: Path) -> None:
        self.path = folder / "runtime"
        self._pids = folder / "pids"
        shutil.copy(runtime, self.path)
        sidecar = folder / "runtime-rg"
        sidecar.write_text(f"#!/bin/sh\necho $$ >> '{self._pids}'\nexec sleep 600\n")
        sidecar.chmod(0o755)

    def pids(self) -> list[int]:
        """The processes that have started."""
        text = self._pids.read_text() if self._pids.exists() else ""
        return [int(line) for line in text.splitlines()] if text.endswith("\n") else []

    def alive(self) -> list[int]:
        """Those of them that still run."""
        return [pid for pid in self.pids() if alive(pid)]


@pytest.fixture
def slow(tmp_path: Path, runtime_path: Path | None) -> Slow:
    """A runtime whose searches do not end by themselves."""
    folder = tmp_path / "slow"
    folder.mkdir()
    return Slow(folder, runtime_path or bundled_runtime_path())


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # the latter when it went between the opening and the reading
        return False


PREAMBLE = """
import os, signal, sys, threading, time
from hydra_harness_runtime import *
search = SearchConfig(sample_over_cap_glob_results=True)
def client(**more):
    return Runtime(sys.argv[1], search=search, runtime_path=sys.argv[2] or None, transport="inprocess", **more)
def written(path):
    return os.path.exists(path) and os.path.getsize(path) > 0
"""


@pytest.fixture
def script(tree: Path, runtime_path: Path | None) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in an interpreter of its own, in which ``client()`` is a client in-process."""

    def run(
        code: str, *, path: Path | None = None, options: tuple[str, ...] = (), **more: Any
    ) -> subprocess.CompletedProcess[str]:
        arguments = [str(tree), str(path or runtime_path or "")]
        command = [sys.executable, *options, "-c", PREAMBLE + textwrap.dedent(code), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, **more)

    return run
