"""Results, errors, time-outs and cancellation: the same over both transports."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    AsyncRuntime,
    BadPlanError,
    ConfigError,
    GrepMatch,
    InvalidPatternError,
    RawOutputOverflowError,
    Runtime,
    RuntimeClosedError,
    RuntimeTimeoutError,
    SearchConfig,
    SearchFailedError,
    SearchTimeoutError,
    SpillNotFoundError,
    ToolArgumentError,
    __version__,
)
from tests.inprocess.conftest import Slow

PLAIN = {"HOME": "/home/nobody-in-particular", "PATH": "/usr/bin:/bin"}

PATIENCE = 30.0
"""Seconds. Far above what a busy machine needs, far below what a slow sidecar sleeps."""


def until(holds: Callable[[], Any], what: str) -> None:
    """Wait for another process."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        threading.Event().wait(0.002)


def test_values(runtime: Runtime) -> None:
    assert runtime.grep("TODO").matches == (GrepMatch("README", 1, "TODO: write"), GrepMatch("src/a.py", 3, "TODO = 1"))
    assert sorted(runtime.glob("*.py").paths) == [".hidden/d.py", "src/a.py", "src/b.py"]
    assert runtime.grep("os\n\nTODO", multiline=True).paths == ("src/a.py",)
    page = runtime.call_tool("grep", {"pattern": "TODO"})
    assert "Line 1: TODO: write" in page.text
    assert page.structured is not None
    assert page.structured["total"] == 2
    assert [tool.name for tool in runtime.tools()] == ["glob", "grep"]
    assert "Use the grep tool" in runtime.guidance()


def test_the_tools_are_described_alike(tree: Path, settings: Callable[..., dict[str, Any]]) -> None:
    told = []
    for name in ("subprocess", "inprocess"):
        with Runtime(tree, transport=name, **settings()) as runtime:  # type: ignore[arg-type]
            info = dict(runtime.info().raw)
            for own in ("pid", "protocols"):
                info.pop(own, None)
            info["wire"] = {**info["wire"], "maxFrameBytes": 0}  # type: ignore[dict-item]
            told.append((runtime.tools(), runtime.guidance(), info))
    assert told[0] == told[1]


def test_the_process(runtime: Runtime, transport: str) -> None:
    assert runtime.pid is None
    info = runtime.info()
    assert (runtime.pid == os.getpid()) is (transport == "inprocess")
    assert runtime.pid == info.pid
    assert info.version == __version__


def test_names_that_are_not_utf8(runtime: Runtime, tree: Path) -> None:
    folder = os.fsencode(tree) + b"/caf\xe9"
    os.mkdir(folder)  # noqa: PTH102 - bytes
    with open(folder + b"/\xff.txt", "w") as file:  # noqa: PTH123 - bytes
        file.write("needle\n")
    [match] = runtime.grep("needle").matches
    assert match.path_bytes == b"caf\xe9/\xff.txt"
    assert runtime.glob("*", path=b"caf\xe9").path_bytes == {0: b"caf\xe9/\xff.txt"}


def test_a_workdir_that_is_not_utf8(transport: str, tmp_path: Path, settings: Callable[..., dict[str, Any]]) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)  # noqa: PTH102 - bytes
    with open(folder + b"/a.txt", "w") as file:  # noqa: PTH123 - bytes
        file.write("needle\n")
    with Runtime(os.fsdecode(folder), transport=transport, **settings()) as runtime:  # type: ignore[arg-type]
        assert runtime.grep("needle").paths == ("a.txt",)


@pytest.mark.parametrize(
    ("ask", "kind", "code"),
    [
        (lambda r: r.grep("("), InvalidPatternError, "SEARCH_INVALID_PATTERN"),
        (lambda r: r.grep("x", path="nowhere"), SearchFailedError, "SEARCH_FAILED"),
        (lambda r: r.grep(""), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.grep("a\0b"), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.grep("\ud800"), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.grep("x" * 9_000_000), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.glob("*", path="\udcff"), SearchFailedError, "SEARCH_FAILED"),
        (lambda r: r.bind(workdir="/etc").glob("*"), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.call_tool("none", {}), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.call_tool("grep", {"pattern": float("nan")}), ToolArgumentError, "TOOL_ARGUMENT"),
        (lambda r: r.spill.read("session-x/y"), SpillNotFoundError, "SPILL_NOT_FOUND"),
        (lambda r: r.establish({"segments": 7}, _boundary(r)), BadPlanError, "ESTABLISH_BAD_PLAN"),
        (lambda r: r.plan("ls", shell="fish"), ToolArgumentError, "TOOL_ARGUMENT"),
    ],
)
def test_errors(runtime: Runtime, ask: Callable[[Runtime], object], kind: type[Exception], code: str) -> None:
    with pytest.raises(kind) as caught:
        ask(runtime)
    assert caught.value.code == code  # type: ignore[attr-defined]
    assert runtime.glob("README").paths == ("README",), "and it goes on"


def _boundary(runtime: Runtime) -> Any:
    return runtime._boundary(None, None, (), None)


def test_errors_have_the_same_words(tree: Path, settings: Callable[..., dict[str, Any]]) -> None:
    said = []
    for name in ("subprocess", "inprocess"):
        with Runtime(tree, transport=name, **settings()) as runtime:  # type: ignore[arg-type]
            words = []
            for ask in (lambda r: r.grep("("), lambda r: r.glob("*", path="no"), lambda r: r.plan("ls", cwd="src")):
                with pytest.raises(Exception) as caught:  # noqa: PT011 - which one, the other test says
                    ask(runtime)
                words.append((type(caught.value), str(caught.value), caught.value.details))  # type: ignore[attr-defined]
            page = runtime.call_tool("grep", {"pattern": "("})
            words += [page.text, page.meta, str(page.error)]
            said.append(words)
    assert said[0] == said[1]


def test_bad_settings(transport: str, tree: Path, settings: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(ConfigError, match="nonsense"):
        settings(tools=["nonsense"])
    bad = settings(spill_root="/")
    with Runtime(tree, transport=transport, **bad) as runtime, pytest.raises(ConfigError, match="root directory"):  # type: ignore[arg-type]
        runtime.tools()
    small = settings(raw_output_max_bytes=10)
    with Runtime(tree, transport=transport, **small) as runtime, pytest.raises(RawOutputOverflowError):  # type: ignore[arg-type]
        runtime.grep("TODO")
    with pytest.raises(ConfigError, match="transport"):
        Runtime(tree, transport="telepathy", **settings())  # type: ignore[arg-type]


def test_the_gate(runtime: Runtime) -> None:
    allowed = runtime.gate("cat README | head", env=PLAIN)
    assert allowed.decision == "allow"
    assert runtime.gate("cat ../x", env=PLAIN).decision == "ask"
    assert runtime.gate("cat ~/.ssh/id_rsa", env=PLAIN).decision == "deny"
    assert runtime.confirm(allowed).decision == "allow"
    plan = runtime.plan("cat README", cwd=runtime.workdir)
    established = runtime.establish(plan, _boundary(runtime))
    assert runtime.reestablish(established, _boundary(runtime)).changed == ()


def test_spill(transport: str, tree: Path, settings: Callable[..., dict[str, Any]]) -> None:
    with Runtime(tree, transport=transport, **settings(grep_max_matches=1)) as runtime:  # type: ignore[arg-type]
        page = runtime.call_tool("grep", {"pattern": "TODO"})
        assert page.locator is not None
        [saved] = runtime.spill.list()
        assert runtime.spill.read(saved.id).data == Path(page.locator).read_bytes()
        assert runtime.bind(owner="somebody else").spill.list() == ()
        assert runtime.bind(nested=True).call_tool("grep", {"pattern": "TODO"}).locator is None
        runtime.spill.delete(saved.id)
        assert runtime.spill.list() == ()


def test_the_environment_of_a_client(transport: str, tree: Path, tmp_path: Path, runtime_path: Path | None) -> None:
    search = SearchConfig(sample_over_cap_glob_results=True, grep_max_matches=1)
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    with Runtime(tree, search=search, runtime_path=runtime_path, env=env, transport=transport) as runtime:  # type: ignore[arg-type]
        page = runtime.call_tool("grep", {"pattern": "TODO"})
    assert page.locator is not None
    assert Path(page.locator).is_relative_to(tmp_path / "cache"), "the spill folder follows the environment given"


def test_a_large_result(transport: str, tmp_path: Path, settings: Callable[..., dict[str, Any]]) -> None:
    text = "".join(f"line {n} of some text that is searched\n" for n in range(20_000))
    for n in range(6):
        (tmp_path / f"f{n}.txt").write_text(text)
    changes = settings(raw_output_max_bytes=1_000_000_000, timeout_ms=60_000)
    with Runtime(tmp_path, transport=transport, **changes) as runtime:  # type: ignore[arg-type]
        assert len(runtime.grep("searched").matches) == 120_000


def test_many_threads_and_two_event_loops(runtime: Runtime, async_runtime: Callable[[], AsyncRuntime]) -> None:
    async def gather() -> int:
        async with async_runtime() as own:
            return sum(len(result.matches) for result in await asyncio.gather(*(own.grep("TODO") for _ in range(20))))

    with ThreadPoolExecutor(10) as pool:
        calls = [pool.submit(runtime.grep, "TODO") for _ in range(80)]
        loops = [pool.submit(asyncio.run, gather()) for _ in range(2)]
        assert sum(len(call.result(120).matches) for call in calls) == 160
        assert [loop.result(120) for loop in loops] == [40, 40]


# --- the end of calls


@pytest.fixture
def held(transport: str, tree: Path, slow: Slow) -> Any:
    """A client whose searches do not end by themselves."""
    search = SearchConfig(sample_over_cap_glob_results=True)
    with Runtime(tree, search=search, runtime_path=slow.path, transport=transport) as runtime:  # type: ignore[arg-type]
        yield runtime


def test_cancelling_a_task_stops_ripgrep(transport: str, tree: Path, slow: Slow) -> None:
    search = SearchConfig(sample_over_cap_glob_results=True)

    async def main() -> None:
        async with AsyncRuntime(tree, search=search, runtime_path=slow.path, transport=transport) as runtime:  # type: ignore[arg-type]
            task = asyncio.create_task(runtime.grep("x"))
            while not slow.pids():
                await runtime.tools()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while slow.alive():
                await runtime.tools()

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    assert slow.pids()


def test_control_c_ends_a_call_and_its_ripgrep(held: Runtime, slow: Slow) -> None:
    def interrupt() -> None:
        until(slow.pids, "the sidecar did not start")
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        held.grep("x")
    thread.join()
    until(lambda: not slow.alive(), "ripgrep goes on")
    assert held.plan("ls").raw, "and the runtime, too"


def test_a_time_out_stops_ripgrep(held: Runtime, slow: Slow) -> None:
    with pytest.raises((SearchTimeoutError, RuntimeTimeoutError)):
        held.grep("x", timeout=0.5)
    until(lambda: not slow.alive(), "ripgrep goes on")


def test_closing_fails_calls_and_stops_ripgrep(held: Runtime, slow: Slow) -> None:
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(held.grep, "x")
        until(slow.pids, "the sidecar did not start")
        held.close()
        with pytest.raises(RuntimeClosedError):
            call.result(PATIENCE)
    until(lambda: not slow.alive(), "ripgrep goes on")
    with pytest.raises(RuntimeClosedError):
        held.glob("*")


def test_what_does_not_search_does_not_wait(held: Runtime, slow: Slow) -> None:
    with ThreadPoolExecutor(12) as pool:
        calls = [pool.submit(held.grep, "x", timeout=60) for _ in range(12)]
        until(slow.pids, "the sidecar did not start")
        assert held.gate("cat README", env=PLAIN).decision == "allow"
        assert held.plan("ls").raw
        held.close()
        for call in calls:
            with pytest.raises(RuntimeClosedError):
                call.result(PATIENCE)


def test_a_pickled_client(runtime: Runtime, transport: str) -> None:
    assert runtime.glob("README").paths
    with pickle.loads(pickle.dumps(runtime)) as copy:
        assert copy.glob("README").paths == ("README",)
        assert copy._transport == transport
