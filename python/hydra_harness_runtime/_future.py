"""A result that one thread brings and others wait for.

:class:`concurrent.futures.Future` will not do. Its lock is taken in Python code
(:class:`threading.Condition`), and an exception that a signal handler raises
between two statements of it, as Ctrl-C does, leaves the lock held: the thread
that has the answer would wait for that lock for ever, and every caller with it.

Nothing is ever held here. Each step is one operation that the interpreter makes
whole, so that no signal, no finalizer run by the garbage collector and no fork
finds anything half done.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cancelled", "Future"]

T = TypeVar("T")

_LOOK_SECONDS = 0.1
"""How long the main thread sleeps before it looks for signals; people do not notice a
tenth of a second. A signal that comes just before it falls asleep wakes nobody: Ctrl-C
would wait for an answer. And until the main thread heeds it, Python 3.11 under a
debugger or coverage lets no other thread get beyond the start of a generator, so that
the answer itself would not come."""


class Cancelled(Exception):  # noqa: N818 - as in concurrent.futures
    """The future was given up; nobody should be waiting for it."""


class Future(Generic[T]):
    """Ends once, in whichever way comes first; later endings are ignored."""

    __slots__ = ("_callbacks", "_end")

    def __init__(self) -> None:
        self._end: dict[None, tuple[T | None, Exception | None]] = {}  # empty, or how it ended
        self._callbacks: list[Callable[[Future[T]], object]] = []

    def done(self) -> bool:
        """Whether it ended."""
        return bool(self._end)

    def cancelled(self) -> bool:
        """Whether it ended by :meth:`cancel`."""
        return isinstance(self._end.get(None, _NOT_YET)[1], Cancelled)

    def set_result(self, value: T) -> None:
        """End with a value."""
        self._settle(value, None)

    def set_exception(self, error: Exception) -> None:
        """End with an exception, which :meth:`result` raises."""
        self._settle(None, error)

    def cancel(self) -> None:
        """End because nobody waits any more."""
        self._settle(None, Cancelled())

    def add_done_callback(self, callback: Callable[[Future[T]], object]) -> None:
        """Have *callback* called at the end, or now; in any thread, perhaps more than once.

        It must not raise.
        """
        self._callbacks.append(callback)
        if self._end:
            callback(self)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most *seconds*; whether it came."""
        if not self._end:
            barrier = threading.Lock()
            barrier.acquire()

            def lift(_: Future[T]) -> None:
                with contextlib.suppress(RuntimeError):  # it was lifted before
                    barrier.release()

            self.add_done_callback(lift)
            _acquire(barrier, threading.TIMEOUT_MAX if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        return self.done()

    def result(self, seconds: float | None = None) -> T:
        """The value, or its exception raised; :class:`TimeoutError` when there is neither in time."""
        error = self.exception(seconds)
        if error is None:
            return cast("T", self._end[None][0])
        try:
            raise error
        finally:
            del error  # its traceback refers to this frame, which would refer to it

    def exception(self, seconds: float | None = None) -> Exception | None:
        """The exception with which it ended, ``None`` for a value."""
        if not self.wait(seconds):
            raise TimeoutError
        return self._end[None][1]

    def _settle(self, value: T | None, error: Exception | None) -> None:
        self._end.setdefault(None, (value, error))
        # Also when it had ended: whoever was interrupted here has not called all of them.
        for callback in tuple(self._callbacks):
            callback(self)


def _acquire(barrier: threading.Lock, seconds: float) -> None:
    """Wait for *barrier*; the main thread stays open to signals that came too early to wake it."""
    if threading.get_ident() != threading.main_thread().ident:
        barrier.acquire(timeout=seconds)
        return
    ends = time.monotonic() + seconds
    while seconds > 0 and not barrier.acquire(timeout=min(seconds, _LOOK_SECONDS)):
        seconds = ends - time.monotonic()


_NOT_YET: tuple[None, None] = (None, None)
