"""What a user's own program looks like to mypy and pyright, in their strict modes, from outside of the package.

Every call is made with the types it takes and held against the types it gives.
A line that ends in ``type: ignore`` is a mistake that both have to find: where
they do not, the comment is an error. ``tests/python/test_typed.py`` runs it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from hydra_harness_runtime import (
    AsyncRuntime,
    AsyncShellGate,
    Boundary,
    Confirmation,
    Decision,
    EstablishedPlan,
    GateDecision,
    GateSettings,
    GlobResult,
    GrepMatch,
    HarnessError,
    McpServerParams,
    Policy,
    Reestablishment,
    Runtime,
    RuntimeBundleError,
    RuntimeClosedError,
    RuntimeInfo,
    RuntimeTimeoutError,
    SavedResult,
    SearchConfig,
    ShellGate,
    ShellPlan,
    SpillText,
    ToolDefinition,
    ToolResult,
    bundled_ripgrep_path,
    bundled_runtime_path,
    mcp_server_params,
)
from hydra_harness_runtime.testing import FakeRuntime, RecordedCall

SEARCH = SearchConfig(
    sample_over_cap_glob_results=True, glob_order="path", roots=[Path(), "."], spill_root=Path("spill"), tools=None
)


def searches(runtime: Runtime) -> Sequence[str]:
    found: GlobResult = runtime.glob("*.py", Path("src"), timeout=None)
    names: tuple[str, ...] = found.fs_paths
    matches: tuple[GrepMatch, ...] = runtime.grep("x", b"src", "*.py", case="smart", literal=True, context=2).matches
    counts: list[int | None] = [file.count for file in runtime.grep("x", count=True, timeout=2).files]
    cursor: str | None = runtime.grep("x", cursor="").next_cursor
    where = [f"{match.fs_path}:{match.line_number}:{match.line.upper()}" for match in matches]
    return [*names, *where, str(counts), cursor or ""]


def tools(runtime: Runtime) -> Mapping[str, object]:
    offered: tuple[ToolDefinition, ...] = runtime.tools()
    page: ToolResult = runtime.call_tool("grep", {"pattern": "x"})
    text: str = page.raise_for_error().text
    info: RuntimeInfo = runtime.info()
    return {tool.name: tool.input_schema for tool in offered} | {"text": text, "pid": info.pid}


def shell(runtime: Runtime, command: str) -> bool:
    boundary = Boundary(read_roots=["/work"], cwd="/work")
    plan: ShellPlan = runtime.plan(command, shell="dash", cwd=Path("/work"), env={"HOME": "/root"})
    landed: EstablishedPlan = runtime.establish(plan, boundary)
    again: Reestablishment = runtime.reestablish(landed)
    targets: list[str | None] = [word.target for word in landed.resolutions]
    decision: GateDecision = runtime.gate(command, boundary=boundary, env=None, policy=Policy(opaque="deny"))
    second: Confirmation = runtime.confirm(decision)
    return second.decision == "allow" and not again.moved and bool(targets)


def gated(runtime: Runtime, command: str) -> Decision:
    gate = ShellGate(runtime, GateSettings(write_roots=[Path()]), on_error="ask", timeout=1)
    return gate.confirm(gate.check(command, cwd=Path())).decision


def saved(runtime: Runtime) -> Sequence[bytes]:
    saved: tuple[SavedResult, ...] = runtime.bind(owner="me", nested=False).spill.list()
    parts: list[SpillText] = [runtime.spill.read(saved.id, line=1, lines=10) for saved in saved]
    return [part.data for part in parts]


def failures(error: HarnessError) -> str:
    if isinstance(error, RuntimeClosedError):
        return f"{error.exit_code} {error.stderr_tail}"
    if isinstance(error, RuntimeTimeoutError):
        return error.stderr_tail
    if isinstance(error, RuntimeBundleError):
        return error.remedy
    return error.code if error.retryable else str(error.details.get("reason"))


async def awaited(runtime: AsyncRuntime) -> int:
    async with runtime as entered:
        results = await asyncio.gather(entered.grep("x"), entered.grep("y"))
        view: AsyncRuntime = entered.bind(workdir="src")
        found: GlobResult = await view.glob("*")
        decision: Decision = (await AsyncShellGate(entered).check("ls")).decision
        saved: tuple[SavedResult, ...] = await entered.spill.list()
        return sum(len(result.matches) for result in results) + len(found.paths) + len(decision) + len(saved)


def starts() -> list[str]:
    params: McpServerParams = mcp_server_params(search=SEARCH, env={"A": "b"})
    files: tuple[Path, Path] = (bundled_runtime_path(), bundled_ripgrep_path())
    return [params["command"], *params["args"], *map(str, files)]


def tested() -> list[str]:
    def decide(command: str) -> Decision:
        return "allow" if command == "ls" else "deny"

    fake = FakeRuntime({"src/a.py": "x\n"}, decide=decide)
    with fake.client() as runtime:
        searches(runtime)
        tools(runtime)
        gated(runtime, "ls")
        saved(runtime)
    asyncio.run(awaited(fake.async_client()))
    calls: list[RecordedCall] = fake.calls
    return [call.method for call in calls]


def mistakes(runtime: Runtime, decision: GateDecision) -> None:
    """Never called."""
    SearchConfig()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    runtime.grep("x", case="loud")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    runtime.grep(b"x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    decision.decision = "allow"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    ShellGate(runtime, on_error="allow")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    spelled: Decision = "alow"  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    print(spelled)
    runtime.close(3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


if __name__ == "__main__":
    print(*tested(), sep="\n")
