"""Ten thousand calls of every kind: memory and descriptors stay where they were."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.server.live import Installation, Server, code, linux, within

MIB = 1 << 20
CALLS = 10_000
WARM = 2_000
AT_ONCE = 12


def ask(server: Server, n: int) -> int | None:
    """The n-th call; ``None`` for one that is cancelled, and therefore not answered."""
    match n % 10:
        case 0 | 1 | 2:
            return server.grep(f"needle {n % 20}$", owner=f"o{n % 5}")
        case 3 | 4:
            return server.send("tools/call", {"name": "glob", "arguments": {"pattern": f"f{n % 20:02}.txt"}})
        case 5:
            return server.send("hydra/search/grep", {"pattern": "needle", "count": True})
        case 6:
            return server.grep("foo(")
        case 7:
            return server.send(
                "hydra/shell/gate", {"command": f"cat f{n}", "boundary": {"readRoots": ["/"], "cwd": "/"}}
            )
        case 8:
            return server.send("hydra/spill/list", {"_meta": {"dev.hydra-harness/owner": "o1"}})
        case _:
            call = server.grep("needle")
            server.notify("notifications/cancelled", {"requestId": call})
            return None


@linux
@within(400)
def test_soak(installed: Installation, tree: Path, config: Callable[..., str]) -> None:
    with Server(installed, tree, "--config", config()) as server:
        server.initialize()
        began = time.monotonic()
        seen: Counter[str | None] = Counter()
        open_calls: set[int] = set()
        warm = (0, 0)

        def settle(most: int) -> None:
            while len(open_calls) > most:
                message = server.message()
                # A call that was cancelled too late has been answered.
                open_calls.discard(message["id"])
                seen[code(message)] += 1

        for n in range(CALLS):
            call = ask(server, n)
            if call is not None:
                open_calls.add(call)
            settle(AT_ONCE)
            if n == WARM:
                settle(0)
                warm = server.memory(), server.descriptors()
        settle(0)
        while server.send("ping") != server.message()["id"]:
            pass
        took = time.monotonic() - began
        memory, descriptors = server.memory(), server.descriptors()
        print(f"\n{CALLS} calls in {took:.1f} s, {CALLS / took:.0f} a second; answers {dict(seen)}")
        print(f"resident {warm[0] / MIB:.1f} MiB after {WARM} calls, {memory / MIB:.1f} MiB at the end")
        print(f"descriptors {warm[1]} after {WARM} calls, {descriptors} at the end")
        assert memory < warm[0] + 16 * MIB
        assert descriptors <= warm[1] + 2
        assert seen["SEARCH_INVALID_PATTERN"] == CALLS / 10
        assert set(seen) == {None, "SEARCH_INVALID_PATTERN"}
        assert seen[None] >= CALLS * 8 / 10
        server.close()
        server.ends()
