"""Wheels to judge: the one in ``dist/`` for this machine, the others built here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.wheel.inprocess import extension_wheel
from tests.wheel.mutate import Wheel
from wheels import table
from wheels.check import Expectation
from wheels.distributions import EXECUTABLES, Build
from wheels.release import build_wheel

HOME = os.environ.get("HOME")
"""As it was before the clean environment of all tests replaced it."""


@pytest.fixture(scope="session", autouse=True)
def builders_home(clean_environment: None) -> Iterator[None]:
    """Building needs the caches and the registry settings of Go and npm, which live at home."""
    with pytest.MonkeyPatch.context() as patch:
        if HOME is not None:
            patch.setenv("HOME", HOME)
        yield


@pytest.fixture(scope="session")
def expected() -> Expectation:
    return Expectation.of_repository()


@pytest.fixture(scope="session")
def host_wheel(expected: Expectation) -> Path:
    """The wheel that was built for this run; its absence is an error, not a skip."""
    named = os.environ.get("HYDRA_HARNESS_WHEEL")
    tag = EXECUTABLES.tag(table.host_target(table.load_targets()))
    path = Path(named) if named else table.ROOT / "dist" / f"hydra_harness_runtime-{expected.version}-{tag}.whl"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: run `nox -s wheel` or set HYDRA_HARNESS_WHEEL")
    return path


@pytest.fixture(scope="session")
def wheel_of(host_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The wheel of any target, built on first use."""
    built = {table.host_target(table.load_targets()).name: host_wheel}

    def get(target: str) -> Path:
        if target not in built:
            built[target] = build_wheel(target, tmp_path_factory.mktemp(target) / "out")
        return built[target]

    return get


@pytest.fixture(scope="session")
def wheel_for(
    wheel_of: Callable[[str], Path], expected: Expectation, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Build], Path]:
    """Any wheel of a release; those of the extension have a library without code."""

    def get(build: Build) -> Path:
        if not build.in_process:
            return wheel_of(build.target.name)
        return extension_wheel(build.target, expected).save(tmp_path_factory.mktemp("extension"))

    return get


@pytest.fixture
def opened(wheel_of: Callable[[str], Path]) -> Callable[[str], Wheel]:
    """A wheel of a target, opened for changing."""
    return lambda target: Wheel.load(wheel_of(target))
