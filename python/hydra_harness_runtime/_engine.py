"""The life of the runtimes behind a client: start, restart, fork, exit.

One engine stands under any number of clients, threads and event loops. It has
at most one session at a time, begins it with the first call, and begins a new
one when a call finds the old one gone.
"""

from __future__ import annotations

import atexit
import copy
import os
import threading
import time
import weakref
from collections import deque
from typing import TYPE_CHECKING

from ._errors import RuntimeClosedError
from ._session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._errors import HarnessError
    from ._session import Call
    from ._transports import Transport

__all__ = ["HANG_UP_SECONDS", "KILL_SECONDS", "Engine"]

HANG_UP_SECONDS = 1.7
"""The runtime ends within 1.5 s of its end of input; the rest is for a busy machine."""

KILL_SECONDS = 0.3
"""Waited after a kill. Together with the above: nothing blocks an exit for more than 2 s."""

_MAX_CRASHES = 10
_CRASH_WINDOW_SECONDS = 60.0
"""So many crashes within the window are not bad luck: no new start until it has passed."""


class Engine:
    """Sessions on demand. *connect* makes the transport of the next one.

    Locks are re-entrant here and below: the garbage collector may close a
    forgotten client in the middle of any statement of any thread.
    """

    def __init__(self, connect: Callable[[], Transport], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._connect = connect
        self._clock = clock
        self._lock = threading.RLock()
        self._session: Session | None = None
        self._crashes: deque[float] = deque(maxlen=_MAX_CRASHES)
        self._last_crash: HarnessError | None = None
        self._closed = False
        _engines.add(self)

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    @property
    def pid(self) -> int | None:
        """The process of the runtime in use, if there is one."""
        session = self._session
        return None if session is None else session.pid

    def submit(self, call: Call) -> None:
        """Send the request of *call*, beginning a session if there is none; never blocks.

        Raises :class:`RuntimeClosedError` after :meth:`close`, and after too
        many crashes.
        """
        begun: Session | None = None
        try:
            with self._lock:
                if self._closed:
                    raise RuntimeClosedError("this Runtime is closed; make a new one")
                session = self._session
                if session is None:
                    self._check_budget()
                    session = begun = Session(self._connect(), self._on_end)
                    self._session = session
            session.open()  # whoever began it may have been interrupted just there
        except BaseException:  # above all KeyboardInterrupt
            if begun is not None:
                self._discard(begun)
            raise
        session.submit(call)

    def retire(self, call: Call) -> None:
        """The session of *call* is on its way out: the next call begins another."""
        with self._lock:
            if self._session is call.session:
                self._session = None
        if call.session is not None:
            call.session.close()

    def hang_up(self) -> Session | None:
        """Begin to close, without waiting; the session that is ending, if any."""
        with self._lock:
            self._closed = True
            session = self._session  # it stays there until it is gone, so that closing can be repeated
        if session is not None:
            session.close()
        return session

    def close(self) -> None:
        """Close and wait, at most two seconds; further calls do nothing."""
        session = self.hang_up()
        if session is not None and not session.wait(HANG_UP_SECONDS):
            session.kill()
            session.wait(KILL_SECONDS)

    def forget(self) -> None:
        """In a forked child: the session is the parent's; this process begins its own."""
        session, self._session = self._session, None
        self._lock = threading.RLock()
        self._crashes.clear()
        if session is not None:
            session.forget()

    def _discard(self, session: Session) -> None:
        """Others may wait in a session whose start was interrupted: they are told, and the next call begins anew."""
        with self._lock:
            if self._session is session:
                self._session = None
        session.discard()

    def _check_budget(self) -> None:
        if len(self._crashes) < _MAX_CRASHES:
            return
        wait = self._crashes[0] + _CRASH_WINDOW_SECONDS - self._clock()
        if wait <= 0:
            return
        error = copy.copy(self._last_crash) or RuntimeClosedError("the runtime is gone")
        error.message += (
            f" (it ended {_MAX_CRASHES} times within {_CRASH_WINDOW_SECONDS:.0f} s; no new start for {wait:.0f} s)"
        )
        raise error

    def _on_end(self, session: Session, failure: HarnessError, *, crashed: bool) -> None:
        with self._lock:
            if self._session is session:
                self._session = None
            if crashed:
                self._crashes.append(self._clock())
                self._last_crash = failure


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


def _in_use() -> list[Engine]:
    while True:
        try:
            return list(_engines)
        except RuntimeError:  # another thread made one meanwhile
            continue


def _forget_all() -> None:
    for engine in _in_use():
        engine.forget()


def _close_all() -> None:
    """At exit: tell every runtime at once, then wait for all of them together."""
    deadline = time.monotonic() + HANG_UP_SECONDS
    ending = [session for engine in _in_use() if (session := engine.hang_up()) is not None]
    late = [session for session in ending if not session.wait(max(0.0, deadline - time.monotonic()))]
    for session in late:
        session.kill()
    deadline = time.monotonic() + KILL_SECONDS
    for session in late:
        session.wait(max(0.0, deadline - time.monotonic()))


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
