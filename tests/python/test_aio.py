"""The asynchronous client: the same names, and what only it can do wrong."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from hydra_harness_runtime import (
    AsyncRuntime,
    AsyncShellGate,
    AsyncSpill,
    Boundary,
    Runtime,
    RuntimeClosedError,
    RuntimeTimeoutError,
    ShellGate,
    Spill,
)
from hydra_harness_runtime import _aio as aio
from hydra_harness_runtime._protocol import Request
from hydra_harness_runtime._session import Call
from hydra_harness_runtime.testing import FakeRuntime

Make = Callable[..., AsyncRuntime]


def public(cls: type) -> dict[str, object]:
    return {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "twin"), [(Runtime, AsyncRuntime), (Spill, AsyncSpill), (ShellGate, AsyncShellGate)])
def test_the_twins_have_the_same_names_and_arguments(sync: type, twin: type) -> None:
    ours, theirs = public(sync), public(twin)
    if sync is Runtime:
        ours["aclose"] = ours.pop("close")
    assert ours.keys() == theirs.keys()
    for name, member in ours.items():
        if not callable(member):
            continue
        other = theirs[name]
        assert callable(other)
        assert inspect.signature(member).parameters == inspect.signature(other).parameters, name
        if name != "bind":
            assert inspect.iscoroutinefunction(other), name


def test_answers_are_the_same() -> None:
    fake = FakeRuntime({"src/a.py": "import os\nTODO\n", "README": "TODO\n"})

    async def main() -> list[object]:
        async with fake.async_client() as runtime:
            return [
                await runtime.grep("TODO"),
                await runtime.glob("*.py"),
                await runtime.call_tool("grep", {"pattern": "TODO"}),
                await runtime.tools(),
                await runtime.guidance(),
                await runtime.info(),
                await runtime.spill.list(),
                await runtime.gate("ls"),
            ]

    with fake.client() as runtime:
        expected = [
            runtime.grep("TODO"),
            runtime.glob("*.py"),
            runtime.call_tool("grep", {"pattern": "TODO"}),
            runtime.tools(),
            runtime.guidance(),
            runtime.info(),
            runtime.spill.list(),
            runtime.gate("ls"),
        ]
    assert asyncio.run(main()) == expected


def test_the_remaining_calls_are_the_same_too() -> None:
    """Those that a fake has no answer of its own for."""
    saved = {"id": "o/a", "bytes": 1}
    answers: dict[str, dict[str, object]] = {
        "hydra/shell/plan": {"segments": []},
        "hydra/shell/establish": {"resolutions": []},
        "hydra/shell/reestablish": {"changed": []},
        "hydra/shell/confirm": {"decision": "ask"},
        "hydra/spill/read": {"text": "x", "size": 1},
        "hydra/spill/stat": saved,
        "hydra/spill/delete": {},
        "hydra/spill/sweep": {"removed": 1},
    }
    fakes = FakeRuntime(), FakeRuntime()
    for fake in fakes:
        for method, answer in answers.items():
            fake.respond(method, lambda _, answer=answer: answer)

    async def main() -> list[object]:
        async with fakes[0].async_client() as runtime:
            plan = await runtime.plan("ls")
            established = await runtime.establish(plan, Boundary())
            return [
                await runtime.reestablish(established, Boundary()),
                await runtime.confirm(await runtime.gate("ls", boundary=Boundary())),
                await runtime.spill.read("a", lines=1),
                await runtime.spill.stat("a"),
                await runtime.spill.delete("a"),
                await runtime.spill.sweep(),
            ]

    with fakes[1].client() as runtime:
        established = runtime.establish(runtime.plan("ls"), Boundary())
        expected = [
            runtime.reestablish(established, Boundary()),
            runtime.confirm(runtime.gate("ls", boundary=Boundary())),
            runtime.spill.read("a", lines=1),
            runtime.spill.stat("a"),
            runtime.spill.delete("a"),
            runtime.spill.sweep(),
        ]
    assert asyncio.run(main()) == expected
    assert [(c.method, c.params) for c in fakes[0].calls] == [(c.method, c.params) for c in fakes[1].calls]
    assert {c.method for c in fakes[0].calls} == {*answers, "hydra/shell/gate"}
    assert {"id": "a", "line": 1, "lines": 1} in [c.params for c in fakes[0].calls]


async def logged(runtime: AsyncRuntime, path: Path, word: str) -> str:
    """Wait until the fake has logged *word*; each look is a round trip that it answers."""
    while word not in (text := (path.parent / "log").read_text()):
        await runtime.grep("hello")
    return text


def test_cancelling_the_task_stops_the_work(async_runtime: Make, fake_path: Path) -> None:
    async def main() -> str:
        async with async_runtime() as runtime:
            await runtime.grep("hello")
            task = asyncio.create_task(runtime.grep("fake:hang"))
            await logged(runtime, fake_path, "hanging")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await logged(runtime, fake_path, "cancelled")

    lines = asyncio.run(main()).splitlines()
    number = next(line.split()[1] for line in lines if line.startswith("hanging"))
    assert f"cancelled {number}" in lines


def test_wait_for_stops_the_work(async_runtime: Make, fake_path: Path) -> None:
    async def main() -> str:
        async with async_runtime() as runtime:
            await runtime.grep("hello")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(runtime.grep("fake:hang"), 0.3)
            return await logged(runtime, fake_path, "cancelled")

    assert "hanging" in asyncio.run(main())


def test_our_own_time_out(async_runtime: Make) -> None:
    async def main() -> None:
        async with async_runtime() as runtime:
            with pytest.raises(RuntimeTimeoutError, match=r"within 0\.2 s"):
                await runtime.grep("fake:hang", timeout=0.2)
            assert (await runtime.grep("hello")).matches

    asyncio.run(main())


def test_a_crash_in_the_middle_is_survived(async_runtime: Make) -> None:
    async def main() -> str:
        async with async_runtime() as runtime:
            return (await runtime.grep("fake:crash-once")).matches[0].line

    assert asyncio.run(main()) == "after the crash"


def test_a_full_queue_is_waited_for(async_runtime: Make) -> None:
    async def main() -> str:
        async with async_runtime() as runtime:
            return (await runtime.grep("fake:busy-3")).matches[0].line

    assert asyncio.run(main()) == "attempt 4"


def test_closing_fails_the_tasks_that_wait(async_runtime: Make, fake_path: Path) -> None:
    async def main() -> None:
        runtime = async_runtime()
        await runtime.grep("hello")
        task = asyncio.create_task(runtime.grep("fake:hang"))
        await logged(runtime, fake_path, "hanging")
        await runtime.aclose()
        await runtime.aclose()
        with pytest.raises(RuntimeClosedError):
            await task
        with pytest.raises(RuntimeClosedError, match="make a new one"):
            await runtime.grep("hello")

    asyncio.run(main())


def test_closing_never_started_and_bound(async_runtime: Make) -> None:
    async def main() -> None:
        runtime = async_runtime()
        await runtime.bind(owner="x").aclose()
        assert not runtime.closed
        await runtime.aclose()
        assert runtime.closed

    asyncio.run(main())


def test_a_runtime_that_does_not_end_is_killed(
    async_runtime: Make, fake_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aio, "HANG_UP_SECONDS", 0.05)

    async def main() -> None:
        runtime = async_runtime()
        await runtime.grep("hello")
        session = runtime._engine._session
        assert session is not None
        monkeypatch.setattr(session._transport, "hang_up", lambda: None)
        await runtime.aclose()
        assert session.wait(5)

    asyncio.run(main())
    assert "end" not in (fake_path.parent / "log").read_text()


def test_one_object_serves_loop_after_loop(async_runtime: Make) -> None:
    runtime = async_runtime()

    async def main() -> int:
        return len((await runtime.grep("hello")).matches)

    assert [asyncio.run(main()) for _ in range(3)] == [1, 1, 1]
    asyncio.run(runtime.aclose())


def test_a_loop_that_closed_before_the_answer(async_runtime: Make, fake_path: Path) -> None:
    """The answer finds nobody; the next loop is served as if nothing had been."""
    runtime = async_runtime()

    async def main() -> None:
        await runtime.grep("hello")
        asyncio.ensure_future(runtime.grep("fake:hang"))  # noqa: RUF006 - left behind on purpose
        await logged(runtime, fake_path, "hanging")

    asyncio.run(main())

    async def again() -> str:
        assert (await runtime.grep("hello")).matches
        text = await logged(runtime, fake_path, "cancelled")
        await runtime.aclose()
        return text

    assert "cancelled" in asyncio.run(again())


def test_killed_before_there_is_a_process(async_runtime: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for during the start is done right after it."""
    monkeypatch.setenv("FAKE_RUNTIME_START", "hang")
    runtime = async_runtime()
    runtime._engine.submit(Call(Request("ping")))
    session = runtime._engine.hang_up()
    assert session is not None
    session.kill()
    assert session.wait(5)


def test_starting_does_not_hold_up_the_loop(async_runtime: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_RUNTIME_START", "hang")

    async def main() -> int:
        runtime, turns = async_runtime(), 0
        task = asyncio.create_task(runtime.grep("hello", timeout=0.3))
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        with pytest.raises(RuntimeTimeoutError):
            await task
        session = runtime._engine.hang_up()
        assert session is not None
        session.kill()
        assert session.wait(5)
        return turns

    assert asyncio.run(main()) > 100
