"""How messages reach a runtime: the seam between the client and a process.

A transport moves whole lines and knows nothing of what they say. It never
blocks a caller: everything that waits happens in its own thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .._errors import HarnessError
    from .._future import Future

__all__ = ["Ending", "Receiver", "Transport"]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a connection is over.

    ``exit_code`` is that of the process, negative for a signal, ``None`` where
    there is no process. ``fault`` says why this side ended it, and ``garbage``
    that it was for bytes that are not the protocol. ``error`` is set when it
    never began.
    """

    exit_code: int | None = None
    fault: str = ""
    garbage: bool = False
    error: HarnessError | None = None
    stderr_tail: str = ""


class Receiver(Protocol):
    """What a transport tells; called from its thread, one call at a time.

    Answers that a transport has at once it may bring in the caller's thread.
    """

    def on_open(self) -> None:
        """The other side runs and can be spoken to."""

    def on_line(self, line: bytes) -> None:
        """One line arrived. Raising :class:`Malformed` ends the connection."""

    def on_end(self, ending: Ending) -> None:
        """Nothing more will come. Called exactly once, also without an ``on_open``."""


class Transport(Protocol):
    """One connection to one runtime."""

    ended: Future[None]
    """Done once the other side is gone and everything is released."""

    @property
    def pid(self) -> int | None:
        """The process on the other side, once there is one."""

    def open(self, receiver: Receiver) -> None:
        """Begin to connect and return at once; *receiver* hears how it went.

        A second call is that of a signal handler which interrupted the first,
        and changes nothing.
        """

    def send(self, line: bytes) -> None:
        """Queue one line. Lines to a side that is gone are dropped: ``on_end`` tells."""

    def expect_line(self, seconds: float) -> None:
        """End the connection if no line at all arrives within *seconds*."""

    def hang_up(self) -> None:
        """Tell the other side that nothing more will be asked; it is to end by itself."""

    def kill(self) -> None:
        """End the other side now."""

    def forget(self) -> None:
        """In a forked child: let go of everything without touching the other side."""

    def stderr_tail(self) -> str:
        """The last text that the other side printed for people."""
        ...
