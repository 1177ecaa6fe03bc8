"""One call of a client: how long it may take, whether it is tried again, how its flow goes on."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from . import _json
from ._errors import (
    ConfigError,
    ForkedProcessError,
    HarnessError,
    RuntimeBusyError,
    RuntimeClosedError,
    RuntimeProtocolError,
    RuntimeTimeoutError,
)
from ._logs import last_words
from ._protocol import MAX_DEADLINE_MS

if TYPE_CHECKING:
    from ._flows import Flow, Reply
    from ._protocol import Request
    from ._session import Call

__all__ = [
    "DEFAULT",
    "Attempts",
    "Deadline",
    "Default",
    "Done",
    "Timeout",
    "advance",
    "check_process",
    "late",
    "seconds",
]

T = TypeVar("T")

_FOREVER_SECONDS = 1e9
"""Thirty years, and as good as no limit; locks and timers take no longer ones."""

_BUSY_FIRST_SECONDS = 0.01
_BUSY_MOST_SECONDS = 0.25
"""Pauses between attempts while the runtime's queue is full: short searches end
within milliseconds, and four attempts a second cost nothing."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The end of a flow, and what it returned."""

    value: T


class Default:
    """The type of :data:`DEFAULT`."""

    def __repr__(self) -> str:
        return "DEFAULT"


Timeout = float | None | Default
"""Seconds, no limit, or what the budgets of the configuration imply."""

DEFAULT = Default()
"""The time-out that the budgets of the :class:`SearchConfig` imply."""


class Deadline:
    """When a call has to be answered; seconds, or never."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left, not below zero; ``None`` without a limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def milliseconds(self) -> int | None:
        """The same for the wire: whole milliseconds, at least one, and no more than the runtime takes."""
        left = self.remaining()
        return None if left is None else min(max(1, int(left * 1000)), MAX_DEADLINE_MS)


class Attempts:
    """Decides whether a request that failed is made once more, and after which pause."""

    def __init__(self, request: Request, deadline: Deadline) -> None:
        self._request = request
        self._deadline = deadline
        self._restarts = 0
        self._busy = _BUSY_FIRST_SECONDS

    def pause(self, error: HarnessError) -> float | None:
        """Seconds to wait before the next attempt; ``None``: raise *error*."""
        if isinstance(error, RuntimeBusyError):
            pause, left = self._busy * random.uniform(0.5, 1.0), self._deadline.remaining()  # noqa: S311 - no secret
            self._busy = min(2 * self._busy, _BUSY_MOST_SECONDS)
            return pause if left is None or pause < left else None
        if isinstance(error, RuntimeClosedError) and error.code in _GONE and self._request.read_only:
            self._restarts += 1
            return 0.0 if self._restarts == 1 else None
        return None


_GONE = ("RUNTIME_CRASHED", "RUNTIME_PROTOCOL", "RUNTIME_SHUTTING_DOWN")
"""The runtime is gone without our doing: a call that only reads is made again, once."""


def advance(flow: Flow[T], answer: Reply | HarnessError | None) -> Request | Done[T]:
    """The next request of *flow*, or its value; *answer* is what came of the last request.

    A flow may go on after an error, e.g. begin again; most let it through.
    What cannot be decoded is the runtime's fault.
    """
    try:
        if answer is None:
            return next(flow)
        return flow.throw(answer) if isinstance(answer, HarnessError) else flow.send(answer)
    except StopIteration as stop:
        return Done(cast("T", stop.value))
    except _json.Malformed as error:
        raise RuntimeProtocolError(f"the runtime's answer has an unknown form: {error}") from None


def late(call: Call, deadline: Deadline) -> RuntimeTimeoutError:
    """Give the call up and say so."""
    tail = call.stderr_tail()
    call.abandon("timeout", suspect=True)
    last = last_words(tail)
    told = f"; it last said: {last}" if last else ""
    return RuntimeTimeoutError(
        f"{call.request.method}: the runtime did not answer within {deadline.seconds:g} s{told}", stderr_tail=tail
    )


def check_process(call: Call) -> None:
    """Raise when *call* was made before a fork, by the parent."""
    if call.pid != os.getpid():
        raise ForkedProcessError(f"{call.request.method} was called by process {call.pid}, which forked this one")


def seconds(timeout: object, default: float | None) -> float | None:
    """A time-out that a caller gives; ``None``: no limit. Raises :class:`ConfigError`."""
    if isinstance(timeout, Default):
        return default
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise ConfigError(f"timeout must be a number of seconds above 0, or None, not {timeout!r}")
    return float(timeout) if timeout < _FOREVER_SECONDS else None
