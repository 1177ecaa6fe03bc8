"""Ten thousand calls of every kind: memory and descriptors stay where they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.server.live import Installation, Server, linux, within
from tests.server.soak import CALLS, WARM, soak

MIB = 1 << 20


@linux
@within(400)
def test_soak(installed: Installation, tree: Path, config: Callable[..., str]) -> None:
    with Server(installed, tree, "--config", config()) as server:
        server.initialize()
        soaked = soak(server)
        seen = soaked.answers
        warm, memory = soaked.memory
        print(f"\n{CALLS} calls in {soaked.took:.1f} s, {CALLS / soaked.took:.0f} a second; answers {dict(seen)}")
        print(f"resident {warm / MIB:.1f} MiB after {WARM} calls, {memory / MIB:.1f} MiB at the end")
        print(f"descriptors {soaked.descriptors[0]} after {WARM} calls, {soaked.descriptors[1]} at the end")
        assert memory < warm + 16 * MIB
        assert soaked.descriptors[1] <= soaked.descriptors[0] + 2
        assert seen["SEARCH_INVALID_PATTERN"] == CALLS / 10
        assert set(seen) == {None, "SEARCH_INVALID_PATTERN"}
        assert seen[None] >= CALLS * 8 / 10
        server.close()
        server.ends()
