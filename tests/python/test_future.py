"""A result that one thread brings and others wait for."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

import pytest

from hydra_harness_runtime._future import Cancelled, Future


def test_the_first_end_counts() -> None:
    future: Future[int] = Future()
    assert not future.done()
    future.set_result(1)
    future.set_result(2)
    future.set_exception(ValueError())
    future.cancel()
    assert (future.done(), future.cancelled(), future.result(0), future.exception(0)) == (True, False, 1, None)


def test_an_exception_is_raised() -> None:
    future: Future[int] = Future()
    error = ValueError("no")
    future.set_exception(error)
    assert future.exception() is error
    with pytest.raises(ValueError, match="no"):
        future.result()


def test_a_cancelled_one_has_no_result() -> None:
    future: Future[int] = Future()
    future.cancel()
    future.set_result(1)
    assert future.cancelled()
    with pytest.raises(Cancelled):
        future.result(0)


@pytest.mark.parametrize("seconds", [0, 0.001])
def test_nothing_in_time(seconds: float) -> None:
    future: Future[int] = Future()
    assert not future.wait(seconds)
    with pytest.raises(TimeoutError):
        future.result(seconds)


@pytest.mark.parametrize("seconds", [None, 20, 1e300])
def test_any_number_of_threads_wait(seconds: float | None) -> None:
    future: Future[str] = Future()
    begun, found = threading.Barrier(9), list[str]()

    def work() -> None:
        begun.wait(10)
        found.append(future.result(seconds))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun.wait(10)
    future.set_result("here")
    for thread in threads:
        thread.join(10)
    assert found == ["here"] * 8


def test_callbacks_before_and_after() -> None:
    future: Future[int] = Future()
    heard: list[int] = []
    future.add_done_callback(lambda f: heard.append(f.result(0)))
    assert heard == []
    future.set_result(3)
    future.add_done_callback(lambda f: heard.append(f.result(0) + 1))
    assert heard == [3, 4]


def test_who_was_interrupted_is_made_up_for() -> None:
    """Ctrl-C between two callbacks leaves one uncalled; the next to bring an end calls it."""
    future: Future[int] = Future()
    heard: list[str] = []

    def interrupt(_: Future[int]) -> None:
        if not heard:
            heard.append("interrupted")
            raise KeyboardInterrupt

    future.add_done_callback(interrupt)
    future.add_done_callback(lambda _: heard.append("called"))
    with pytest.raises(KeyboardInterrupt):
        future.set_result(1)
    assert heard == ["interrupted"]
    future.set_exception(ValueError())
    assert heard == ["interrupted", "called"]
    assert future.result(0) == 1


class Watched(Future[str]):
    """Tells when somebody is about to sleep until the end."""

    __slots__ = ("asleep",)

    def __init__(self) -> None:
        super().__init__()
        self.asleep = threading.Lock()
        self.asleep.acquire()

    def add_done_callback(self, callback: Callable[[Future[str]], object]) -> None:
        super().add_done_callback(callback)
        self.asleep.release()


@pytest.mark.parametrize("seconds", [None, 60])
def test_a_signal_that_wakes_nobody_is_heeded(seconds: float | None, request: pytest.FixtureRequest) -> None:
    """A signal that another thread gets is as one that comes just before the main thread falls asleep."""

    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    future, heeded, in_time = Watched(), threading.Event(), list[bool]()

    def other() -> None:
        future.asleep.acquire()
        signal.pthread_kill(threading.get_ident(), signal.SIGALRM)
        in_time.append(heeded.wait(20))
        future.set_result("late")

    request.addfinalizer(partial(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, ring)))
    thread = threading.Thread(target=other)
    thread.start()
    # Nobody takes the interpreter away from the main thread: the other gets it when that falls asleep.
    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(60)
    with pytest.raises(KeyboardInterrupt):
        future.wait(seconds)
    heeded.set()
    thread.join(20)
    assert in_time == [True]
