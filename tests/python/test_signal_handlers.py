"""A signal handler runs between two statements of whatever it interrupts, and may make calls itself.

The tracer stands for the signal: at one statement after the other of a call, it
makes a call of its own and waits for the answer, on top of the interrupted one.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import hydra_harness_runtime
from hydra_harness_runtime import Runtime
from hydra_harness_runtime._protocol import Request

PACKAGE = str(Path(hydra_harness_runtime.__file__).parent)
SECONDS = 5.0
"""A nested call that hangs is found by this; one takes a millisecond."""


def interrupt_at(statement: int, call: Callable[[], object], handler: Callable[[], object]) -> bool:
    """Run *call* and, in the middle, *handler*: before the statement of that number. Whether there was one."""
    passed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal passed
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            passed += 1
            if passed == statement:
                sys.settrace(None)
                handler()
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return passed >= statement


def test_at_every_statement_of_a_call(started: Callable[..., Runtime]) -> None:
    runtime = started()
    runtime.grep("hello")
    found: list[int] = []

    def call() -> None:
        found.append(len(runtime.grep("hello", timeout=SECONDS)))

    statement = 1
    while interrupt_at(statement, call, call):
        statement += 1
    assert statement > 50, "so many statements has a call"
    assert found == [1] * (2 * statement - 1)


def test_at_the_statements_of_a_start(started: Callable[..., Runtime]) -> None:
    """Also where the handler finds a session that exists and was never opened."""
    for statement in range(1, 400, 23):
        runtime = started()
        found: list[int] = []

        def call() -> None:
            found.append(len(runtime.grep("hello", timeout=SECONDS)))  # noqa: B023 - called at once

        more = interrupt_at(statement, call, call)
        assert found == [1] * (2 if more else 1), statement
        runtime.close()
        if not more:
            break


def test_at_every_statement_of_giving_up(started: Callable[..., Runtime]) -> None:
    runtime = started()
    runtime.grep("hello")
    statement, interrupted = 1, True
    while interrupted:
        with_handler: list[int] = []

        def give_up() -> None:
            call = runtime._call(Request("hydra/info"), runtime._deadline(SECONDS))
            runtime._engine.submit(call)
            call.abandon("the caller gave up")

        def handler() -> None:
            with_handler.append(len(runtime.grep("hello", timeout=SECONDS)))  # noqa: B023 - called at once

        interrupted = interrupt_at(statement, give_up, handler)
        assert with_handler == [1] * interrupted
        statement += 1
    assert statement > 20


def test_a_real_signal(started: Callable[..., Runtime]) -> None:
    runtime = started()
    runtime.grep("hello")
    answers: list[int] = []

    def ring(*_: object) -> None:
        answers.append(len(runtime.grep("hello", timeout=SECONDS)))

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.005)
    try:
        while len(answers) < 100:
            assert len(runtime.grep("hello", timeout=SECONDS)) == 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(answers) == {1}
