"""What the tests of the adapters share. Each runs in a session of its own, with its framework: `nox -s adapters`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_harness_runtime import Confine, GateSettings, Runtime, ShellGate
from tests.adapters.world import PEEK, PEEK_PROGRAM, SEARCH, Rooms, Slow, World, build


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A project, and a runtime in it."""
    folder = build(tmp_path)
    with Runtime(folder, search=SEARCH) as runtime:
        yield World(folder, runtime)


@pytest.fixture
def confined(world: World) -> World:
    """The same project, whose commands may run below a sandbox."""
    (world.folder / "peek.py").write_text(PEEK_PROGRAM)
    world.settings = GateSettings(confine=Confine())
    if why := ShellGate(world.runtime, world.settings).check(PEEK).unconfined:
        pytest.skip(f"this machine makes no namespaces for a sandbox: {why}")
    return world


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[Rooms]:
    """A runtime for two conversations."""
    rooms = Rooms(tmp_path)
    with rooms.runtime:
        yield rooms


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Slow]:
    """A runtime whose searches do not end."""
    slow = Slow(tmp_path / "slow")
    with slow.runtime:
        yield slow
