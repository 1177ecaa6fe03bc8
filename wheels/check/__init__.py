"""Judges wheels of every platform from any machine that runs Python.

Nothing in a wheel is believed: names, tags, modes, RECORD and manifest are
compared with each other, with the platform table, with the pin of ripgrep and
with the bytes of the executables. Nothing is executed, so a macOS wheel can be
judged on Linux; what an executable *does* is for the tests of an installed
wheel.

:func:`check_wheel` returns the faults as values; an exception means that the
check itself could not be done.
"""

from __future__ import annotations

from wheels.check.expectation import Expectation
from wheels.check.faults import Fault
from wheels.check.judge import check_wheel

__all__ = ["Expectation", "Fault", "check_wheel"]
