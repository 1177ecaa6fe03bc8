"""Threads that begin, or do not, whatever interrupts the caller."""

from __future__ import annotations

import _thread
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["begin"]


def begin(work: Callable[[], None], name: str, refused: Callable[[str], None]) -> None:
    """Do *work* in a daemon thread; *refused* hears why there is none, in another thread.

    :meth:`threading.Thread.start` waits for the thread in Python code, and
    Ctrl-C in the middle leaves a lock held that the thread needs. Here only a
    thread waits that no signal reaches: signals are for the main thread.

    Raises :class:`RuntimeError` when the interpreter is ending.
    """

    def start() -> None:
        try:
            threading.Thread(target=work, name=name, daemon=True).start()
        except RuntimeError as error:  # the system gives no more threads
            refused(str(error))

    _thread.start_new_thread(start, ())
