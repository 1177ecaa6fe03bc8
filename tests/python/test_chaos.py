"""Many callers at once, and a runtime that is killed under them. Bounded in time."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hydra_harness_runtime import AsyncRuntime, HarnessError, Runtime, RuntimeClosedError, RuntimeTimeoutError

THREADS, LOOPS = 8, 3
PER_CALLER = 46  # (8 + 3) * 46 = 506 calls


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def everybody(work: Callable[[int], None], loop_work: Callable[[int], None]) -> None:
    """Run *work* in threads and *loop_work* in threads with event loops, all at once."""
    with ThreadPoolExecutor(THREADS + LOOPS) as pool:
        tasks = [pool.submit(work, n) for n in range(THREADS)]
        tasks += [pool.submit(loop_work, n) for n in range(LOOPS)]
        for task in tasks:
            task.result(60)


def test_five_hundred_calls_from_threads_and_loops(
    started: Callable[..., Runtime], async_runtime: Callable[..., AsyncRuntime]
) -> None:
    runtime, twin = started(), async_runtime()
    answers: Counter[str] = Counter()
    lock = threading.Lock()

    def count(kind: str, number: int) -> None:
        with lock:
            answers[kind] += number

    def work(n: int) -> None:
        for _ in range(PER_CALLER):
            count("sync", len(runtime.grep("hello").matches))

    async def gather() -> None:
        results = await asyncio.gather(*(twin.grep("hello") for _ in range(PER_CALLER)))
        count("async", sum(len(result.matches) for result in results))

    everybody(work, lambda n: asyncio.run(gather()))
    asyncio.run(twin.aclose())
    assert answers == {"sync": THREADS * PER_CALLER, "async": LOOPS * PER_CALLER}


def test_nobody_hangs_when_the_runtime_is_killed_again_and_again(
    started: Callable[..., Runtime], async_runtime: Callable[..., AsyncRuntime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hydra_harness_runtime._engine._MAX_CRASHES", 1000)
    runtime, twin = started(), async_runtime()
    runtime.grep("hello")
    outcomes: Counter[str] = Counter()
    lock = threading.Lock()

    def count(kind: str) -> None:
        with lock:
            outcomes[kind] += 1

    def work(n: int) -> None:
        dice = random.Random(n)
        for _ in range(20):
            try:
                if n == 0 and dice.random() < 0.3:
                    for pid in (runtime.pid, twin.pid):
                        if pid is not None:
                            os.kill(pid, signal.SIGKILL)
                assert runtime.grep("hello").matches
                count("found")
            except (RuntimeClosedError, ProcessLookupError):
                count("gone")

    async def mixed(n: int) -> None:
        dice = random.Random(100 + n)
        for _ in range(10):
            calls = [twin.grep("fake:hang" if dice.random() < 0.2 else "hello", timeout=0.5) for _ in range(4)]
            for result in await asyncio.gather(*calls, return_exceptions=True):
                if isinstance(result, (RuntimeClosedError, RuntimeTimeoutError)):
                    count("gone")
                elif isinstance(result, BaseException):
                    raise result
                else:
                    count("found")

    everybody(work, lambda n: asyncio.run(mixed(n)))
    asyncio.run(twin.aclose())
    assert sum(outcomes.values()) == THREADS * 20 + LOOPS * 40
    assert outcomes["found"] > THREADS * 10
    assert runtime.grep("hello").matches


def test_a_thousand_cancelled_calls_leave_nothing_behind(async_runtime: Callable[..., AsyncRuntime]) -> None:
    runtime = async_runtime()

    async def main() -> None:
        await runtime.grep("hello")
        before = open_descriptors()
        for _ in range(10):
            tasks = [asyncio.create_task(runtime.grep("fake:hang")) for _ in range(100)]
            await runtime.grep("hello")
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)
        assert (await runtime.grep("hello")).matches
        session = runtime._engine._session
        assert session is not None
        assert session._calls == {}
        assert open_descriptors() == before
        await runtime.aclose()

    asyncio.run(main())


def test_closing_while_everybody_calls(started: Callable[..., Runtime]) -> None:
    runtime = started()
    runtime.grep("hello")
    begun = threading.Barrier(THREADS + 1)
    codes: list[str] = []

    def work() -> None:
        begun.wait(10)
        try:
            while True:
                runtime.grep("hello")
        except HarnessError as error:
            codes.append(error.code)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    begun.wait(10)
    runtime.close()
    for thread in threads:
        thread.join(10)
    assert codes == ["RUNTIME_CLOSED"] * THREADS


def test_big_requests_and_answers_from_many_threads(started: Callable[..., Runtime]) -> None:
    """Requests of half a megabyte fill the socket's buffer: the queue behind it must keep them whole."""
    runtime = started()
    runtime.grep("hello")

    def call(n: int) -> bool:
        page = runtime.call_tool("grep", {"pattern": "hello", "ignored": f"{n}" + "x" * 500_000})
        return page.text == "a.txt:\n  Line 1: hello"

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(24)))
