"""The real runtime behind the clients: the installed wheel's, on a PATH without ``rg``."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    AsyncRuntime,
    BadPlanError,
    Boundary,
    ConfigError,
    GateSettings,
    GrepMatch,
    InvalidPatternError,
    RawOutputOverflowError,
    Runtime,
    SearchConfig,
    SearchFailedError,
    SearchTimeoutError,
    ShellGate,
    SpillNotFoundError,
    ToolArgumentError,
    __version__,
    bundled_ripgrep_path,
    bundled_runtime_path,
    mcp_server_params,
)

SEARCH = SearchConfig(sample_over_cap_glob_results=True)


@pytest.fixture
def search(tmp_path: Path) -> dict[str, Any]:
    """Settings with a spill folder of the test's own."""
    return {"sample_over_cap_glob_results": True, "spill_root": tmp_path / "spill"}


@pytest.fixture
def real(real_path: Path | None, tree: Path, search: dict[str, Any]) -> Iterator[Runtime]:
    with Runtime(tree, search=SearchConfig(**search), runtime_path=real_path) as runtime:
        yield runtime


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Enough text that a search of all of it takes longer than a hundredth of a second."""
    folder = tmp_path / "wide"
    folder.mkdir()
    text = "".join(f"line {n} of some text that is searched\n" for n in range(20_000))
    for n in range(6):
        (folder / f"f{n:03}.txt").write_text(text)
    return folder


def test_path_has_no_ripgrep() -> None:
    assert shutil.which("rg") is None


def test_grep(real: Runtime) -> None:
    result = real.grep("TODO")
    assert result.matches == (GrepMatch("README", 1, "TODO: write"), GrepMatch("src/a.py", 3, "TODO = 1"))
    assert result.stats is not None
    assert result.stats.files == 4
    assert result.incomplete is None


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        ({"case": "insensitive"}, ("README", "src/a.py", "src/b.py")),
        ({"case": "smart"}, ("README", "src/a.py", "src/b.py")),
        ({"case": "sensitive"}, ("src/b.py",)),
        ({"case": "insensitive", "include": "*.py"}, ("src/a.py", "src/b.py")),
        ({"case": "insensitive", "path": "src"}, ("src/a.py", "src/b.py")),
        ({"case": "insensitive", "path": Path("README")}, ("README",)),
    ],
)
def test_grep_options(real: Runtime, options: dict[str, Any], paths: tuple[str, ...]) -> None:
    assert real.grep("todo", **options).paths == paths


def test_literal_and_multiline(real: Runtime) -> None:
    assert real.grep("main():", literal=True).paths == ("src/b.py",)
    assert real.grep(r"os\n\nTODO", multiline=True).paths == ("src/a.py",)


def test_lines_around_files_and_counts(real: Runtime) -> None:
    assert [(m.line, m.context) for m in real.grep("TODO =", context=2).matches] == [
        ("import os", True),
        ("", True),
        ("TODO = 1", False),
    ]
    assert real.grep("todo", case="insensitive", files_only=True).paths == ("README", "src/a.py", "src/b.py")
    counted = real.grep("o", count=True, path="src").files
    assert [(file.path, file.count) for file in counted] == [("src/a.py", 1), ("src/b.py", 1), ("src/deep/c.txt", 1)]
    with pytest.raises(ToolArgumentError):
        real.grep("x", files_only=True, count=True)


def test_the_gate(real: Runtime, tree: Path) -> None:
    inside = real.gate("cat README")
    assert inside.allowed, inside.reasons
    assert real.confirm(inside).decision == "allow"
    outside = real.gate("cat ../secret")
    assert outside.decision != "allow"
    assert outside.reasons[0].word == "../secret"
    assert real.gate("cat ~/.ssh/id_rsa").decision == "deny"
    assert real.gate("echo x > new").decision != "allow"
    assert real.gate("echo x > new", write_roots=["."]).allowed
    assert real.gate("cat $(unknown)").decision == "ask"
    (tree / "README").unlink()
    (tree / "README").symlink_to("/etc/passwd")
    moved = real.confirm(inside)
    assert moved.decision != "allow"
    assert [read.target for read in moved.changed] == ["/etc/passwd"]


def test_plan_establish_reestablish(real: Runtime, tree: Path) -> None:
    edge = Boundary(read_roots=[str(tree)], cwd=str(tree))
    plan = real.plan("cat src/*.py", cwd=tree)
    established = real.establish(plan, edge)
    assert established.resolutions[0].members == (f"{tree}/src/a.py", f"{tree}/src/b.py")
    assert not real.reestablish(established).moved
    (tree / "src/c.py").symlink_to("/etc/passwd")
    assert real.reestablish(established, edge).moved
    with pytest.raises(BadPlanError):
        real.establish({"source": 7}, edge)


def test_a_shell_gate(real: Runtime) -> None:
    gate = ShellGate(real, GateSettings(write_roots=["."]))
    assert gate.confirm(gate.check("grep -rn TODO . | head > found.txt")).allowed
    assert not gate.check("python3 x.py").allowed


def test_commands_that_are_not_utf8(real: Runtime, tree: Path) -> None:
    (tree / os.fsdecode(b"caf\xe9")).write_text("x")
    decision = real.gate(os.fsdecode(b"cat caf\xe9"))
    assert decision.allowed, decision.reasons


def test_glob(real: Runtime) -> None:
    assert sorted(real.glob("*.py").paths) == [".hidden/d.py", "src/a.py", "src/b.py"]
    assert sorted(real.glob("*.py", path="src").paths) == ["src/a.py", "src/b.py"]
    assert real.glob("*.none").paths == ()
    assert real.glob("*").root == "."


def test_names_that_are_not_utf8(real: Runtime, tree: Path) -> None:
    folder = os.fsencode(tree) + b"/caf\xe9"
    os.mkdir(folder)  # noqa: PTH102 - bytes
    with open(folder + b"/\xff.txt", "w") as file:  # noqa: PTH123 - bytes
        file.write("needle\n")
    [match] = real.grep("needle").matches
    assert match.path == r"caf\xe9/\xff.txt"
    assert match.path_bytes == b"caf\xe9/\xff.txt"
    assert (tree / match.fs_path).read_text() == "needle\n"
    found = real.glob("*", path=b"caf\xe9")
    assert found.path_bytes == {0: b"caf\xe9/\xff.txt"}
    assert (tree / found.fs_paths[0]).exists()
    assert real.grep("needle", path=os.fsdecode(folder)).matches[0].path_bytes == b"caf\xe9/\xff.txt"


def test_search_errors(real: Runtime, tree: Path, real_path: Path | None, search: dict[str, Any]) -> None:
    with pytest.raises(InvalidPatternError) as caught:
        real.grep("foo(")
    assert caught.value.code == "SEARCH_INVALID_PATTERN"
    with pytest.raises(SearchFailedError, match="nowhere"):
        real.grep("x", path="nowhere")
    for pattern in ("", " ", "x" * 1_000_000, "a\0b"):
        with pytest.raises(ToolArgumentError):
            real.grep(pattern)
    with pytest.raises(ToolArgumentError):
        real.grep("x", include="*.py,*.js")
    with pytest.raises(ToolArgumentError, match="roots"):
        real.bind(workdir="/etc").glob("*")
    small = SearchConfig(**search, raw_output_max_bytes=10)
    with Runtime(tree, search=small, runtime_path=real_path) as runtime, pytest.raises(RawOutputOverflowError):
        runtime.grep("TODO")


def test_a_search_out_of_time(real_path: Path | None, wide: Path) -> None:
    config = SearchConfig(sample_over_cap_glob_results=True, timeout_ms=1)
    with Runtime(wide, search=config, runtime_path=real_path) as runtime:
        with pytest.raises(SearchTimeoutError) as caught:
            runtime.grep("text.*searched")
        assert caught.value.details["reason"] == "timeout"
        assert isinstance(caught.value, TimeoutError)


def test_a_workdir_that_vanished(real: Runtime, tree: Path) -> None:
    assert real.glob("README").paths
    shutil.rmtree(tree)
    with pytest.raises(SearchFailedError, match="tree"):
        real.glob("*")


def test_a_workdir_that_never_was(real_path: Path | None, tmp_path: Path) -> None:
    runtime = Runtime(tmp_path / "never", search=SEARCH, runtime_path=real_path)
    with runtime, pytest.raises((SearchFailedError, ConfigError), match="never"):
        runtime.glob("*")


def test_the_page_of_a_tool_and_what_it_saved(real_path: Path | None, tree: Path, search: dict[str, Any]) -> None:
    config = SearchConfig(**search, glob_max_results=2, grep_max_matches=1)
    with Runtime(tree, search=config, runtime_path=real_path) as runtime:
        page = runtime.call_tool("grep", {"pattern": "TODO"})
        assert not page.is_error
        assert "Line 1: TODO: write" in page.text
        assert page.locator is not None
        assert page.structured is not None
        assert page.structured["total"] == 2
        [saved] = runtime.spill.list()
        assert saved.locator == page.locator
        assert saved.tool == "grep"
        whole = runtime.spill.read(saved.id)
        assert whole.data == Path(page.locator).read_bytes()
        assert len(whole.data) == saved.bytes
        assert whole.next_offset is None
        part = runtime.spill.read(saved.id, offset=2, limit=5)
        assert (part.data, part.offset, part.next_offset) == (whole.data[2:7], 2, 7)
        first = runtime.spill.read(saved.id, line=1, lines=1)
        assert first.data == whole.data.splitlines(keepends=True)[0]
        assert (first.line, first.lines) == (1, 1)
        assert runtime.spill.stat(saved.locator).bytes == saved.bytes
        stranger = runtime.bind(owner="somebody else")
        assert stranger.spill.list() == ()
        with pytest.raises(SpillNotFoundError):
            stranger.spill.read(saved.id)
        assert runtime.spill.sweep().kept == 1
        runtime.spill.delete(saved.id)
        assert runtime.spill.list() == ()
        nested = runtime.bind(nested=True).call_tool("grep", {"pattern": "TODO"})
        assert nested.locator is None


def test_a_failed_tool(real: Runtime) -> None:
    failed = real.call_tool("grep", {"pattern": "("})
    assert failed.is_error
    assert failed.text.startswith("Error: ")
    with pytest.raises(InvalidPatternError):
        failed.raise_for_error()
    with pytest.raises(ToolArgumentError):
        real.call_tool("glob", {"pattern": ""}).raise_for_error()


def test_tools_guidance_and_info(real: Runtime, tree: Path) -> None:
    tools = {tool.name: tool for tool in real.tools()}
    assert sorted(tools) == ["glob", "grep"]
    assert tools["grep"].input_schema["required"] == ["pattern"]
    assert tools["glob"].annotations["readOnlyHint"] is True
    assert "Use the grep tool" in real.guidance()
    info = real.info()
    assert info.ripgrep.version == "15.0.0"
    assert list(info.roots) == [str(tree)]
    assert info.limits["globMaxResults"] == 100


def test_only_the_tools_that_are_offered(real_path: Path | None, tree: Path) -> None:
    config = SearchConfig(sample_over_cap_glob_results=True, tools=["grep"])
    with Runtime(tree, search=config, runtime_path=real_path) as runtime:
        assert [tool.name for tool in runtime.tools()] == ["grep"]


def test_a_model_without_a_shell_reads_on(real_path: Path | None, tree: Path, search: dict[str, Any]) -> None:
    search |= {"grep_max_matches": 1, "resource_links": True, "tools": ["grep", "read_result"]}
    with Runtime(tree, search=SearchConfig(**search), runtime_path=real_path, owner="me") as runtime:
        assert [tool.name for tool in runtime.tools()] == ["grep", "read_result"]
        assert "read_result" in runtime.guidance()
        page = runtime.call_tool("grep", {"pattern": "TODO"})
        assert page.locator is not None
        assert page.text.endswith(")")  # the link is no text
        part = runtime.call_tool("read_result", {"id": page.locator, "offset": 0, "limit": None})
        assert part.text == runtime.spill.read(page.locator).text
        assert part.structured is not None
        assert (part.structured["more"], part.structured["next"]) == (False, part.structured["size"])
        other = runtime.bind(owner="you").call_tool("read_result", {"id": page.locator})
        with pytest.raises(SpillNotFoundError):
            other.raise_for_error()
        with pytest.raises(ToolArgumentError, match="offset: it is a string"):
            runtime.call_tool("read_result", {"id": page.locator, "offset": "1"}).raise_for_error()


def test_the_gate_lets_an_owner_read_what_it_saved(real_path: Path | None, tree: Path, search: dict[str, Any]) -> None:
    search |= {"grep_max_matches": 1}
    with Runtime(tree, search=SearchConfig(**search), runtime_path=real_path, owner="me") as runtime:
        locator = runtime.call_tool("grep", {"pattern": "TODO"}).locator
        command = f"sed -n 1,50p {locator}"
        assert runtime.gate(command, read_roots=[tree]).decision == "allow"
        assert ShellGate(runtime, GateSettings(read_roots=[tree])).check(command).decision == "allow"
        assert runtime.bind(owner="you").gate(command, read_roots=[tree]).decision == "ask"


def test_what_only_the_runtime_can_refuse_is_a_config_error(real_path: Path | None, tree: Path) -> None:
    config = SearchConfig(sample_over_cap_glob_results=True, roots=[tree / "absent"])
    with Runtime(tree, search=config, runtime_path=real_path) as runtime, pytest.raises(ConfigError, match="roots"):
        runtime.tools()


def test_large_results_come_in_pages_and_whole(real_path: Path | None, wide: Path) -> None:
    config = SearchConfig(sample_over_cap_glob_results=True, raw_output_max_bytes=1_000_000_000, timeout_ms=60_000)
    with Runtime(wide, search=config, runtime_path=real_path) as runtime:
        matches = runtime.grep("searched").matches  # more than the 8 MiB of one frame
        assert page_by_page(runtime) == matches
    assert len(matches) == 6 * 20_000
    assert Counter(match.path for match in matches)["f005.txt"] == 20_000
    assert [m.line_number for m in matches[:20_000]] == list(range(1, 20_001))


def page_by_page(runtime: Runtime) -> tuple[GrepMatch, ...]:
    page = runtime.grep("searched", cursor="")
    assert page.next_cursor is not None
    found = page.matches
    while page.next_cursor is not None:
        page = runtime.grep("searched", cursor=page.next_cursor)
        assert page.matches
        found += page.matches
    with pytest.raises(ToolArgumentError, match="not a cursor"):
        runtime.grep("searched", cursor="7")
    return found


def test_five_hundred_at_once(real: Runtime, real_path: Path | None, tree: Path) -> None:
    async def gather() -> int:
        async with AsyncRuntime(tree, search=SEARCH, runtime_path=real_path) as runtime:
            results = await asyncio.gather(*(runtime.grep("TODO") for _ in range(60)))
            return sum(len(result.matches) for result in results)

    with ThreadPoolExecutor(11) as pool:
        sync = [pool.submit(real.grep, "TODO") for _ in range(320)]
        loops = [pool.submit(asyncio.run, gather()) for _ in range(3)]
        assert sum(len(call.result(120).matches) for call in sync) == 640
        assert [call.result(120) for call in loops] == [120, 120, 120]


def test_cancelling_stops_ripgrep(real_path: Path | None, tmp_path: Path) -> None:
    """A FIFO that nobody writes to would hold a search for ever; here a slow sidecar stands for it."""
    folder = tmp_path / "slow"
    folder.mkdir()
    shutil.copy(real_path or bundled_runtime_path(), folder / "runtime")
    sidecar = folder / "runtime-rg"
    sidecar.write_text(f"#!/bin/sh\necho $$ >> {folder}/pids\nexec sleep 600\n")
    sidecar.chmod(0o755)

    async def main() -> list[int]:
        async with AsyncRuntime(tmp_path, search=SEARCH, runtime_path=folder / "runtime") as runtime:
            await runtime.tools()
            task = asyncio.create_task(runtime.grep("x"))
            while not (folder / "pids").exists() or not (folder / "pids").read_text().endswith("\n"):
                await runtime.tools()
            pids = [int(pid) for pid in (folder / "pids").read_text().split()]
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while any(alive(pid) for pid in pids):
                await runtime.tools()
            return pids

    assert asyncio.run(asyncio.wait_for(main(), 30))


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_a_runtime_killed_in_the_middle_is_replaced(real: Runtime) -> None:
    assert real.grep("TODO").matches
    first = real.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert real.grep("TODO").matches
    assert real.pid != first


def test_it_ends_with_the_client(real_path: Path | None, tree: Path) -> None:
    runtime = Runtime(tree, search=SEARCH, runtime_path=real_path)
    runtime.glob("*")
    pid = runtime.pid
    assert pid is not None
    session = runtime._engine._session
    assert session is not None
    runtime.close()
    assert not alive(pid)
    assert session.stderr_tail().count("@message") >= 1


def test_a_killed_python_leaves_neither_runtime_nor_ripgrep(real_path: Path | None, tree: Path) -> None:
    code = (
        "import os, sys, signal\n"
        "from hydra_harness_runtime import *\n"
        "search = SearchConfig(sample_over_cap_glob_results=True)\n"
        "runtime = Runtime(sys.argv[1], search=search, runtime_path=sys.argv[2] or None)\n"
        "runtime.glob('*')\n"
        "print(runtime.pid, flush=True)\n"
        "if os.fork() == 0:\n"
        "    signal.pause()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    arguments = [sys.executable, "-W", "ignore", "-c", code, str(tree), str(real_path or "")]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    try:
        process.wait(10)
        for _ in range(200):
            if not alive(pid):
                break
            process.poll()
            signal.sigtimedwait([signal.SIGCHLD], 0.02)
        assert not alive(pid)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


def test_other_mcp_clients(real_path: Path | None, tree: Path) -> None:
    params = mcp_server_params(tree, search=SEARCH, runtime_path=real_path)
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "other", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "glob", "arguments": {"pattern": "README"}}},
    ]
    sent = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    command = [params["command"], *params["args"]]
    done = subprocess.run(
        command, input=sent, capture_output=True, text=True, timeout=20, env=params["env"], check=True
    )
    answers = {value["id"]: value for value in map(json.loads, done.stdout.splitlines()) if "id" in value}
    assert answers[2]["result"]["content"][0]["text"].splitlines()[-1] == "README"


# --- only with an installed wheel


@pytest.fixture
def installed(real_path: Path | None) -> None:
    if real_path is not None:
        pytest.skip("HYDRA_HARNESS_TEST_RUNTIME is set: the wheel is not what is tested")


@pytest.mark.usefixtures("installed")
def test_the_versions_agree(real: Runtime) -> None:
    said = subprocess.run([bundled_runtime_path(), "version"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == __version__ == version("hydra-harness-runtime") == real.info().version
    assert Path(real.info().ripgrep.path) == bundled_ripgrep_path()


@pytest.mark.usefixtures("installed")
def test_the_console_script_and_the_module(tree: Path) -> None:
    script = Path(sys.executable).with_name("hydra-harness-runtime")
    for command in ([str(script)], [sys.executable, "-m", "hydra_harness_runtime"]):
        done = subprocess.run(
            [*command, "grep", "--json", "TODO"], cwd=tree, capture_output=True, text=True, check=True
        )
        assert [match["path"] for match in json.loads(done.stdout)["matches"]] == ["README", "src/a.py"]
        assert subprocess.run([*command, "grep", "absent"], cwd=tree, capture_output=True, check=False).returncode == 1
