"""Ctrl-C may come between any two statements: nobody else may hang for it, and nothing may be torn."""

from __future__ import annotations

import logging
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from hydra_harness_runtime import Runtime
from hydra_harness_runtime._protocol import Request
from hydra_harness_runtime._session import Call, Session
from hydra_harness_runtime._transports import Receiver
from hydra_harness_runtime._transports.mock import MockTransport
from hydra_harness_runtime._transports.stdio import StdioTransport
from hydra_harness_runtime.testing import FakeRuntime

INTERRUPTS = 1_000
"""The lock of a ``concurrent.futures.Future`` fell to one in 2,000. They take a second, on a busy machine ten."""

ANSWERS = 100
"""How many the other thread gets meanwhile, at least."""

CEILING_SECONDS = 300.0
"""How long they may take at all: not a measure of speed, but the end of a test that hangs."""

BIG = {"pattern": "hello", "ignored": "x" * 500_000}
"""More than the socket takes at once: an interrupt can come with half of it out."""


class Alarm:
    """Raises KeyboardInterrupt in the main thread, once and only while armed."""

    def __init__(self) -> None:
        self._armed = False
        self._dice = random.Random(1)
        self._before = signal.signal(signal.SIGALRM, self._ring)

    def _ring(self, *_: object) -> None:
        if self._armed:
            raise KeyboardInterrupt

    def disturb(self, call: Callable[[], object]) -> str:
        try:
            try:
                self._armed = True
                signal.setitimer(signal.ITIMER_REAL, self._dice.uniform(0.00005, 0.002))
                call()
            finally:
                self._armed = False
        except KeyboardInterrupt:
            return "interrupted"
        return "found"

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    alarm = Alarm()
    yield alarm
    alarm.stop()
    # Locks of the standard library that are taken in Python code: none may be left held.
    thread = threading.Thread(target=logging.getLogger, args=("after an interrupt",), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


# An interrupt that arrives while Python itself takes an object out of a WeakSet is shown, and swallowed, by Python.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*WeakSet:pytest.PytestUnraisableExceptionWarning")
def test_at_any_moment_of_a_call(started: Callable[..., Runtime], alarm: Alarm) -> None:
    runtime = started()
    runtime.grep("hello")
    pid, stop, answers = runtime.pid, threading.Event(), Counter[str]()

    def bystander() -> None:
        while not stop.is_set():
            answers["bystander"] += len(runtime.grep("hello", timeout=CEILING_SECONDS).matches)

    thread = threading.Thread(target=bystander)
    thread.start()
    try:
        calls: list[Callable[[], object]] = [
            lambda: runtime.grep("hello"),
            lambda: runtime.call_tool("grep", BIG).raise_for_error(),
        ]
        ends = time.monotonic() + CEILING_SECONDS
        while (answers["interrupted"] < INTERRUPTS or answers["bystander"] < ANSWERS) and time.monotonic() < ends:
            answers[alarm.disturb(calls[answers.total() % 7 == 0])] += 1
    finally:
        stop.set()
        thread.join(CEILING_SECONDS)
    assert not thread.is_alive()
    assert answers["interrupted"] >= INTERRUPTS
    assert answers["bystander"] >= ANSWERS
    assert runtime.grep("hello").matches
    assert runtime.pid == pid, "no line was torn, and the runtime is the same"
    session = runtime._engine._session
    assert session is not None
    assert session._calls == {}


def test_at_any_moment_of_a_start(alarm: Alarm, started: Callable[..., Runtime]) -> None:
    """However far the start came, the next caller is served."""
    for _ in range(30):
        runtime = started()
        alarm.disturb(lambda: runtime.grep("hello", timeout=20))  # noqa: B023 - called at once
        assert runtime.grep("hello", timeout=20).matches
        runtime.close()


@pytest.mark.parametrize("before", [True, False])
def test_in_the_middle_of_a_start(
    started: Callable[..., Runtime], monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """Those who wait in a session that was never opened are told, and call again by themselves."""
    runtime = started()
    really, waiting, found = StdioTransport.open, threading.Event(), list[str]()

    def wait() -> None:
        found.extend(match.line for match in runtime.grep("hello", timeout=20).matches)

    def interrupted(transport: StdioTransport, receiver: Receiver) -> None:
        monkeypatch.setattr(StdioTransport, "open", really)
        if not before:
            really(transport, receiver)
        thread.start()
        session = runtime._engine._session
        assert session is not None
        while not session._calls:
            waiting.wait(0.001)
        raise KeyboardInterrupt

    thread = threading.Thread(target=wait)
    monkeypatch.setattr(StdioTransport, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runtime.grep("hello")
    thread.join(30)
    assert found == ["hello"]


def test_while_closing_everybody_hears_of_it() -> None:
    transport = MockTransport(FakeRuntime().answer)
    session = Session(transport, lambda *_, **__: None)
    session.open()
    transport._answer = None
    calls = [Call(Request("m")) for _ in range(5)]
    rung: list[bool] = []

    def ring(_: object) -> None:
        if not rung:
            rung.append(True)
            raise KeyboardInterrupt

    for call in calls:
        session.submit(call)
    calls[2].future.add_done_callback(ring)
    with pytest.raises(KeyboardInterrupt):
        session.close()
    assert [call.future.done() for call in calls] == [True] * 5
    assert transport.ended.done()
