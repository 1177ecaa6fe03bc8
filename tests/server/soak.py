"""Many calls of every kind, some of them cancelled, and what they leave behind in the runtime."""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from tests.server.live import Server, code

CALLS = 10_000
WARM = 2_000
"""Calls after which pools and caches have their size."""
AT_ONCE = 12


class Soaked(NamedTuple):
    """Seconds, answers by error code (``None``: none), resident bytes and descriptors when warm and at the end."""

    took: float
    answers: Counter[str | None]
    memory: tuple[int, int]
    descriptors: tuple[int, int]


def soak(server: Server, calls: int = CALLS, warm: int = WARM) -> Soaked:
    """Ask *calls* times, :data:`AT_ONCE` in flight; the folder holds ``src/f00.txt`` and on, lines of ``needle``."""
    answers: Counter[str | None] = Counter()
    open_calls: set[int] = set()
    before = (0, 0)

    def settle(most: int) -> None:
        while len(open_calls) > most:
            message = server.message()
            # A call that was cancelled too late has been answered.
            open_calls.discard(message["id"])
            answers[code(message)] += 1

    began = time.monotonic()
    for n in range(calls):
        call = ask(server, n)
        if call is not None:
            open_calls.add(call)
        settle(AT_ONCE)
        if n == warm:
            settle(0)
            before = server.memory(), server.descriptors()
    settle(0)
    while server.send("ping") != server.message()["id"]:
        pass
    took = time.monotonic() - began
    return Soaked(took, answers, (before[0], server.memory()), (before[1], server.descriptors()))


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
