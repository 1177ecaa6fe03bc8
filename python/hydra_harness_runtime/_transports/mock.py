"""A transport without a process: a function answers, or a test says what arrives.

Everything happens in the caller's thread and at once, so that a test of what
comes first needs no waiting.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .._future import Future
from . import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from . import Receiver

__all__ = ["MockTransport"]

Message = dict[str, object]


class MockTransport:
    """See :class:`Transport`. *answer* gets each message and gives what comes back for it."""

    def __init__(self, answer: Callable[[Message], Iterable[Mapping[str, object]]] | None = None) -> None:
        self.ended: Future[None] = Future()
        self.sent: list[Message] = []
        self.expectations: list[float] = []
        self.pid: int | None = None
        self.killed = False
        self.forgotten = False
        self.stderr = ""
        self._answer = answer
        self._receiver: Receiver | None = None

    def open(self, receiver: Receiver) -> None:
        self._receiver = receiver
        receiver.on_open()

    def send(self, line: bytes) -> None:
        message: Message = json.loads(line)
        self.sent.append(message)
        if self._answer is not None:
            self.deliver(*self._answer(message))

    def deliver(self, *messages: Mapping[str, object]) -> None:
        """Let *messages* arrive."""
        for message in messages:
            if self._receiver is not None and not self.ended.done():
                self._receiver.on_line(json.dumps(message).encode())

    def end(self, ending: Ending | None = None) -> None:
        """Let the other side be gone."""
        if not self.ended.done():
            self.ended.set_result(None)
            if self._receiver is not None:
                self._receiver.on_end(ending or Ending(stderr_tail=self.stderr))

    def expect_line(self, seconds: float) -> None:
        self.expectations.append(seconds)

    def hang_up(self) -> None:
        self.end()

    def kill(self) -> None:
        self.killed = True
        self.end()

    def forget(self) -> None:
        self.forgotten = True

    def stderr_tail(self) -> str:
        return self.stderr
