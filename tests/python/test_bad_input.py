"""Whatever is handed in, what comes back is a result or a :class:`HarnessError` that names the mistake."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    AsyncRuntime,
    BadPlanError,
    Boundary,
    ConfigError,
    EstablishError,
    GateSettings,
    HarnessError,
    Policy,
    Runtime,
    SearchConfig,
    SearchFailedError,
    ShellGate,
    SpillNotFoundError,
    ToolArgumentError,
    mcp_server_params,
)

SEARCH = SearchConfig(sample_over_cap_glob_results=True)
LONE = "\ud800"
"""A lone surrogate: no file name has it, and UTF-8 has no form of it."""
BIG = "x" * 1_000_000
EDGE = Boundary(read_roots=["/"], cwd="/")

Call = Callable[[Any], object]


@pytest.fixture
def real(real_path: Path | None, tree: Path) -> Iterator[Runtime]:
    with Runtime(tree, search=SEARCH, runtime_path=real_path) as runtime:
        yield runtime


CALLS: list[tuple[Call, type[HarnessError], str]] = [
    # wrong types
    (lambda r: r.grep("x", timeout="3"), ConfigError, "timeout must be a number of seconds"),
    (lambda r: r.grep("x", timeout=float("nan")), ConfigError, "timeout must be a number of seconds"),
    (lambda r: r.grep("x", case=3), ToolArgumentError, "case must be text"),
    (lambda r: r.grep("x", case="loud"), ToolArgumentError, "write sensitive, insensitive or smart"),
    (lambda r: r.grep("x(", literal="no"), ToolArgumentError, "literal must be True or False, not 'no'"),
    (lambda r: r.grep("x", files_only="no"), ToolArgumentError, "filesOnly must be True or False"),
    (lambda r: r.grep("x", context=1.5), ToolArgumentError, "context must be a whole number"),
    (lambda r: r.grep("x", context=100_000), ToolArgumentError, "from 0 to 1000"),
    (lambda r: r.grep("x", path=["a"]), ToolArgumentError, "path must be a path, not list"),
    (lambda r: r.call_tool("grep", 3), ToolArgumentError, "arguments must be a mapping"),
    (lambda r: r.call_tool("grep", None), ToolArgumentError, "arguments must be a mapping"),
    (lambda r: r.call_tool("grep", {3: "x"}).raise_for_error(), ToolArgumentError, 'no argument "3"'),
    (lambda r: r.call_tool("nope", {}), ToolArgumentError, 'unknown tool "nope"'),
    (lambda r: r.bind(owner=3), ConfigError, "owner must be text or None"),
    (lambda r: r.bind(workdir=3), ToolArgumentError, "workdir must be a path, not int"),
    (lambda r: r.bind(workdir=b"src"), ToolArgumentError, "workdir must be a path, not bytes"),
    (lambda r: r.bind(nested="no"), ToolArgumentError, "nested must be True or False"),
    (lambda r: r.plan(b"ls"), ToolArgumentError, "command must be text, not bytes"),
    (lambda r: r.plan("ls", shell="fish"), ToolArgumentError, "write bash, dash or posix"),
    (lambda r: r.plan("ls", env=3), ToolArgumentError, "env must be a mapping of variables"),
    (lambda r: r.plan("ls", env=["A=b"]), ToolArgumentError, "env must be a mapping of variables"),
    (lambda r: r.plan("ls", env={"A": 1}), ToolArgumentError, "env must map texts to texts, not 'A' to 1"),
    (lambda r: r.plan("ls", env={"A=": "1"}), ToolArgumentError, "which no environment can"),
    (lambda r: r.plan("ls", cwd=3), ToolArgumentError, "cwd must be a path, not int"),
    (lambda r: r.plan("ls", cwd="x"), ToolArgumentError, "not an absolute path"),
    (lambda r: r.gate("ls", read_roots="/etc"), ToolArgumentError, "read_roots must be a list of paths"),
    (lambda r: r.gate("ls", read_roots=3), ToolArgumentError, "read_roots must be a list of paths"),
    (lambda r: r.gate("ls", read_roots=[3]), ToolArgumentError, r"read_roots\[0\] must be a path, not int"),
    (lambda r: r.gate("ls", write_roots="/etc"), ToolArgumentError, "write_roots must be a list of paths"),
    (lambda r: r.gate("ls", write_roots=[""]), ToolArgumentError, r"write_roots\[0\] is empty; give a path"),
    (lambda r: r.gate("ls", read_roots=["/etc", ""]), ToolArgumentError, r"read_roots\[1\] is empty; give a path"),
    (lambda r: r.gate("ls", cwd=3), ToolArgumentError, "cwd must be a path, not int"),
    (lambda r: r.gate("ls", boundary={"cwd": "/"}), ToolArgumentError, "boundary must be a Boundary, not dict"),
    (lambda r: r.gate("ls", boundary=Boundary(read_roots=["x"], cwd="/")), EstablishError, "not an absolute path"),
    (lambda r: r.gate("ls", policy=3), ToolArgumentError, "policy must be a Policy, not int"),
    (lambda r: r.gate("ls", policy={"opaque": "ask"}), ToolArgumentError, "policy must be a Policy, not dict"),
    (lambda _: Policy(opaque="allow"), ToolArgumentError, 'opaque must be "ask" or "deny"'),
    (lambda _: Policy(contained_traversal="yes"), ToolArgumentError, "contained_traversal must be a truth value"),
    (lambda r: r.confirm(3), ToolArgumentError, "decision must be a GateDecision, not int"),
    (lambda r: r.confirm(r.confirm(r.gate("ls"))), ToolArgumentError, "not Confirmation"),
    (lambda r: r.establish(3, EDGE), BadPlanError, "a plan or an establishment is needed, not int"),
    (lambda r: r.establish(r.gate("ls"), EDGE), BadPlanError, "plan.decision: there is no such member"),
    (lambda r: r.establish(r.plan("ls"), 3), ToolArgumentError, "boundary must be a Boundary, not int"),
    (lambda r: r.establish(r.plan("ls"), EDGE, capabilities=3), ToolArgumentError, "capabilities must be a mapping"),
    (lambda r: r.reestablish(r.plan("ls")), EstablishError, "previous.source: there is no such member"),
    (lambda r: r.spill.stat("../../etc/passwd"), SpillNotFoundError, "no saved result"),
    # a megabyte
    (lambda r: r.grep(BIG), ToolArgumentError, "at most 100000 are accepted; write a shorter one"),
    (lambda r: r.glob(BIG), ToolArgumentError, "at most 100000 are accepted; write a shorter one"),
    (lambda r: r.grep("x", include=BIG), ToolArgumentError, "at most 100000 are accepted"),
    (lambda r: r.grep("x", path=BIG), ToolArgumentError, "a path has at most 4095"),
    (lambda r: r.call_tool("grep", {"pattern": BIG}).raise_for_error(), ToolArgumentError, "write a shorter one"),
    (lambda r: r.bind(owner=BIG).spill.list(), ToolArgumentError, "at most 1024 are accepted"),
    # what no path and no text can be
    (lambda r: r.grep(LONE), ToolArgumentError, "UTF-8"),
    (lambda r: r.grep("x", path=LONE), ToolArgumentError, "no file name or command can have"),
    (lambda r: r.grep("x", include=LONE), ToolArgumentError, "UTF-8"),
    (lambda r: r.grep("x", path="a\0b"), ToolArgumentError, "NUL character"),
    (lambda r: r.call_tool("grep", {"pattern": LONE}), ToolArgumentError, "UTF-8"),
    (lambda r: r.plan(LONE), ToolArgumentError, "no file name or command can have"),
    (lambda r: r.plan("ls", env={"A": LONE}), ToolArgumentError, "UTF-8"),
    (lambda r: r.gate("ls", read_roots=[LONE]), ToolArgumentError, "no file name can have"),
    (lambda r: r.gate("ls", cwd="a\0b"), ToolArgumentError, "NUL character"),
    (lambda r: r.bind(workdir=LONE), ToolArgumentError, "no file name can have"),
    (lambda r: r.bind(owner=LONE).spill.list(), ToolArgumentError, "UTF-8"),
    (lambda r: r.spill.read(LONE), ToolArgumentError, "UTF-8"),
]


@pytest.mark.parametrize(("call", "kind", "says"), CALLS)
def test_a_call(real: Runtime, call: Call, kind: type[HarnessError], says: str) -> None:
    with pytest.raises(kind, match=says) as caught:
        call(real)
    assert isinstance(caught.value, HarnessError)
    assert real.glob("README").paths == ("README",)


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"workdir": 3}, "workdir must be a path, not int"),
    ({"workdir": b"src"}, "workdir must be a path, not bytes"),
    ({"workdir": LONE}, "workdir .* no file name can have"),
    ({"workdir": "a\0b"}, "workdir .* NUL character"),
    ({"runtime_path": 3}, "runtime_path must be a path, not int"),
    ({"verify": "none"}, 'verify must be "full" or "structure"'),
    ({"env": 3}, "env must be a mapping of variables"),
    ({"env": {"A": 1}}, "env must map texts to texts"),
    ({"env": {"A": "\0"}}, "which no environment can"),
    ({"env": {"A=": ""}}, "which no environment can"),
]


@pytest.mark.parametrize(("settings", "says"), SETTINGS)
def test_a_setting(settings: dict[str, Any], says: str) -> None:
    """Before anything is started."""
    with pytest.raises(ConfigError, match=says):
        Runtime(**{"search": SEARCH, **settings})
    if settings.keys() != {"verify"}:
        with pytest.raises(ConfigError, match=says):
            mcp_server_params(**{"search": SEARCH, **settings})


MADE: list[tuple[Callable[[], object], type[HarnessError], str]] = [
    (lambda: mcp_server_params(search=3), ConfigError, "search must be a SearchConfig"),  # type: ignore[arg-type]
    (lambda: mcp_server_params(search=SEARCH, owner=3), ConfigError, "owner must be text or None"),  # type: ignore[arg-type]
    (lambda: mcp_server_params(search=SEARCH, owner=""), ConfigError, "owner must not be empty"),
    (lambda: mcp_server_params(search=SEARCH, owner="a\0"), ConfigError, "owner 'a.x00' holds a NUL"),
    (lambda: GateSettings(read_roots="/etc"), ConfigError, "read_roots must be a list of paths"),
    (lambda: GateSettings(write_roots=[""]), ConfigError, r"write_roots\[0\] is empty; give a path"),
    (lambda: GateSettings(write_roots=[3]), ConfigError, r"write_roots\[0\] must be a path"),  # type: ignore[list-item]
    (lambda: Boundary(read_roots="/etc"), ToolArgumentError, "read_roots must be a list of paths"),
    (lambda: Boundary(write_roots=[""]), ToolArgumentError, r"write_roots\[0\] is empty; give a path"),
    (lambda: Boundary(cwd=3), ToolArgumentError, "cwd must be a path"),  # type: ignore[arg-type]
    (lambda: ShellGate(None), ConfigError, "runtime must be a Runtime, not NoneType"),  # type: ignore[arg-type]
    (lambda: ShellGate(AsyncRuntime(search=SEARCH)), ConfigError, "not AsyncRuntime"),  # type: ignore[arg-type]
    (lambda: ShellGate(Runtime(search=SEARCH), {}), ConfigError, "must be a GateSettings"),  # type: ignore[arg-type]
    (lambda: ShellGate(Runtime(search=SEARCH), timeout="1"), ConfigError, "seconds"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "kind", "says"), MADE)
def test_what_is_made(make: Callable[[], object], kind: type[HarnessError], says: str) -> None:
    with pytest.raises(kind, match=says):
        make()


def test_a_file_that_cannot_be_written(real_path: Path | None) -> None:
    with pytest.raises(ConfigError, match="config_file '/nowhere/file' cannot be written: No such file"):
        mcp_server_params(search=SEARCH, config_file="/nowhere/file", runtime_path=real_path)


@pytest.mark.parametrize(("command", "cwd"), [(3, None), ("ls", 3), (LONE, None), ("ls", "a\0b"), (BIG, None)])
def test_a_gate_answers_a_decision_to_everything(real: Runtime, command: Any, cwd: Any) -> None:
    decision = ShellGate(real).check(command, cwd)
    assert decision.decision != "allow"
    assert decision.reasons


def test_a_working_directory_that_vanished(real: Runtime, tree: Path) -> None:
    decision = real.gate("cat README")
    shutil.rmtree(tree)
    for call in (lambda: real.glob("*"), lambda: real.grep("x"), lambda: call_tool(real)):
        with pytest.raises(SearchFailedError, match="does not exist"):
            call()
    with pytest.raises(ToolArgumentError, match="give a directory that exists"):
        real.bind(workdir="src").glob("*")
    # There is nothing left to read, so that reading stays inside; what moved is told.
    assert real.gate("cat README").allowed
    assert not real.confirm(decision).reasons or real.confirm(decision).decision != "allow"


def call_tool(runtime: Runtime) -> object:
    return runtime.call_tool("glob", {"pattern": "*"}).raise_for_error()


def test_a_working_directory_that_is_not_utf8(real_path: Path | None, tmp_path: Path) -> None:
    """No mistake: it is searched and judged like any other."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    os.mkdir(folder)  # noqa: PTH102
    Path(folder, "a.txt").write_text("needle\n")
    with Runtime(folder, search=SEARCH, runtime_path=real_path) as runtime:
        assert runtime.grep("needle").paths == ("a.txt",)
        assert runtime.gate("cat a.txt").allowed
        assert runtime.gate("cat ../b.txt").decision == "ask"
        assert ShellGate(runtime, GateSettings(write_roots=["."])).check("cp a.txt b.txt").allowed
    with pytest.raises(ConfigError, match=r"roots must be UTF-8.*cannot carry it"):
        SearchConfig(sample_over_cap_glob_results=True, roots=[folder])
