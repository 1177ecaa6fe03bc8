"""The runtime that is tested: the installed wheel's, or one that a developer names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.live import SIDECAR, Installation


@pytest.fixture(scope="session")
def pair() -> tuple[Path, Path]:
    """The runtime and its sidecar. ``HYDRA_HARNESS_TEST_RUNTIME`` names one with its sidecar beside it.

    ``HYDRA_HARNESS_REQUIRE_RUNTIME=1`` makes their absence a failure.
    """
    named = os.environ.get("HYDRA_HARNESS_TEST_RUNTIME")
    if named:
        return Path(named), Path(named).with_name(SIDECAR)
    lacking = pytest.fail if os.environ.get("HYDRA_HARNESS_REQUIRE_RUNTIME") == "1" else pytest.skip
    try:
        import hydra_harness_runtime as package  # noqa: PLC0415 - without it, one that is named will do
    except ModuleNotFoundError:
        lacking("no wheel is installed")
    try:
        return Path(package.bundled_runtime_path()), Path(package.bundled_ripgrep_path())
    except package.RuntimeBundleError as error:
        lacking(f"no runtime is installed: {error}")


@pytest.fixture
def installed(pair: tuple[Path, Path], tmp_path: Path) -> Installation:
    """A copy of the runtime that this test has for itself."""
    return Installation(tmp_path.resolve() / "bin", *pair)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A working directory with a little of everything."""
    folder = tmp_path.resolve() / "tree"
    folder.mkdir()
    (folder / "README").write_text("TODO: write\nline 1\nline 2\nline 3\n")
    (folder / "a.py").write_text("import os\n")
    (folder / "src").mkdir()
    for n in range(20):
        (folder / "src" / f"f{n:02}.txt").write_text(f"needle {n}\n" * 5)
    return folder


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., str]:
    """Writes a configuration whose results are saved below the test's own folder; returns its path."""

    def write(**values: object) -> str:
        path = tmp_path / "config.json"
        path.write_text(json.dumps({"sampleOverCapGlobResults": True, "spillRoot": str(tmp_path / "spill"), **values}))
        return str(path)

    return write
