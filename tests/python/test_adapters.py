"""What the adapters share, without any framework: they are lazy, and their gate fails closed."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    AsyncRuntime,
    ConfigError,
    GateSettings,
    Runtime,
    RuntimeInternalError,
    SearchFailedError,
)
from hydra_harness_runtime._base import twin
from hydra_harness_runtime.adapters import _gatekeeper
from hydra_harness_runtime.adapters._gatekeeper import Gatekeeper, Ruling, ShellCalls, worst
from hydra_harness_runtime.adapters._shared import Search
from hydra_harness_runtime.testing import FakeRuntime

SOURCES = sorted(Path(_gatekeeper.__file__).parent.glob("[a-z]*.py"))
ADAPTERS = [path.stem for path in SOURCES]

# What an import of each adapter needs first, and what is then missing.
PACKAGES = {
    "claude_agent_sdk": "claude_agent_sdk",
    "deepagents": "deepagents",
    "google_adk": "google",
    "langchain": "langchain",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_every_adapter_is_known_here() -> None:
    assert sorted(PACKAGES) == ADAPTERS


def test_the_package_imports_no_framework() -> None:
    code = "import hydra_harness_runtime.adapters, sys; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in python(code).split()}
    assert not loaded & {*PACKAGES.values(), "langchain_core", "langgraph", "mcp", "pydantic"}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_missing_framework_is_one_line_that_says_what_to_install(adapter: str) -> None:
    code = (
        f"import sys; sys.modules[{PACKAGES[adapter]!r}] = None\n"
        f"try:\n    import hydra_harness_runtime.adapters.{adapter}\n"
        "except ImportError as error:\n    print(error)\n"
    )
    extra = adapter.replace("_", "-")
    [line] = python(code).splitlines()
    assert line.startswith(f"this adapter needs {extra} (")
    assert line.endswith(f"pip install 'hydra-harness-runtime[{extra}]'")


# --- one runtime, two clients


def test_a_twin_shares_the_runtime_and_closes_nothing() -> None:
    with FakeRuntime({"a": "x\n"}).client() as runtime:
        other = twin(runtime, AsyncRuntime)
        assert asyncio.run(other.glob("*")).paths == ("a",)
        assert (other.owner, other.workdir, twin(runtime, Runtime)) == (runtime.owner, runtime.workdir, runtime)
        asyncio.run(other.aclose())
        assert runtime.glob("*").paths == ("a",)
    assert other.closed


def test_a_bound_runtime_stays_bound() -> None:
    with FakeRuntime().client() as runtime:
        assert twin(runtime.bind(owner="kim"), AsyncRuntime).owner == "kim"


def test_a_twin_keeps_the_runtime_that_it_was_made_of() -> None:
    other = twin(FakeRuntime({"a": "x\n"}).client(), AsyncRuntime)  # nobody else holds the first
    gc.collect()
    assert asyncio.run(other.glob("*")).paths == ("a",)
    other._parent.close()  # type: ignore[union-attr]


@pytest.mark.parametrize("make", [Search, Gatekeeper])
def test_what_is_no_runtime_is_named(make: Any) -> None:
    with pytest.raises(ConfigError, match="runtime must be a Runtime or an AsyncRuntime, not FakeRuntime"):
        make(FakeRuntime())


def test_what_is_no_policy_is_named() -> None:
    with (
        FakeRuntime().client() as runtime,
        pytest.raises(ConfigError, match="settings must be a GateSettings, not dict"),
    ):
        Gatekeeper(runtime, {"read_roots": []})  # type: ignore[arg-type]


# --- searching


def both(search: Search, name: str, arguments: object) -> Any:
    answer = search.call(name, arguments)
    assert asyncio.run(search.acall(name, arguments)) == answer
    return answer


def test_a_page_and_what_a_model_can_mend() -> None:
    fake = FakeRuntime({"a": "x\n"})
    with fake.client() as runtime:
        search = Search(runtime)
        assert [tool.name for tool in search.tools] == ["glob", "grep"]
        assert search.guidance == runtime.guidance()
        page = both(search, "grep", {"pattern": "x"})
        assert (page.text, page.is_error, page.retryable) == ("a:\n  Line 1: x", False, False)
        assert both(search, "grep", {"pattern": "("}).retryable
        assert both(search, "grep", {}).retryable
        assert both(search, "nonsense", {}).retryable
        for arguments in (None, [], "x", 7):
            answer = both(search, "grep", arguments)
            assert (answer.is_error, answer.retryable) == (True, True)
            assert answer.text.startswith("Error: the arguments must be a JSON object, not ")


def test_what_a_model_cannot_mend_is_text_too() -> None:
    fake = FakeRuntime()

    def fail(_: Any) -> Any:
        raise SearchFailedError("the disk is gone")

    with fake.client() as runtime:
        search = Search(runtime)
        fake.respond("tools/call", fail)
        answer = both(search, "grep", {"pattern": "x"})
        assert (answer.text, answer.is_error, answer.retryable) == ("Error: the disk is gone", True, False)


# --- the gate


def rule(gate: Gatekeeper, *arguments: Any, **options: Any) -> Ruling:
    ruling = gate.rule(*arguments, **options)
    assert asyncio.run(gate.arule(*arguments, **options)) == ruling
    return ruling


@pytest.mark.parametrize("decision", ["allow", "ask", "deny"])
def test_the_decisions(decision: Any) -> None:
    with FakeRuntime(decide=lambda _: decision).client() as runtime:
        ruling = rule(Gatekeeper(runtime), "1", "ls")
        assert ruling.decision == decision
        assert ruling.refusal == "Error: the command was not run: the gate gave no reason"


def broken(_: Any) -> Any:
    raise RuntimeInternalError("it broke")


def hung(_: Any) -> Any:
    raise RecursionError("not an error of ours")


def first(**answer: object) -> Callable[[Any], Any]:
    return lambda _: {"reasons": [], "establishment": {}, **answer}


@pytest.mark.parametrize("approved", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        broken,
        first(),
        first(decision="sure", digest="d"),
        first(decision="ALLOW", digest="d"),
        first(decision="allow", digest=""),
        first(decision="allow"),
        first(decision=True, digest="d"),
    ],
)
def test_a_first_look_that_says_nothing_is_a_refusal(answer: Callable[..., Any], approved: bool) -> None:
    fake = FakeRuntime(decide=lambda _: "allow")
    fake.respond("hydra/shell/gate", answer)
    with fake.client() as runtime:
        gate = Gatekeeper(runtime)
        gate.remember("1", Ruling("ask", "why", ""))
        assert rule(gate, "1", "ls", approved=approved).decision == "deny"


@pytest.mark.parametrize("before", ["allow", "ask"])
@pytest.mark.parametrize(
    "answer",
    [
        broken,
        first(),
        first(decision="sure"),
        first(decision="deny"),
        first(decision="ask", changed=[], changedRoots=["/root"]),
        first(decision="ask", reasons=[{"code": "CHANGED", "message": "a link moved"}]),
    ],
)
def test_a_second_look_that_differs_is_a_refusal(answer: Callable[..., Any], before: Any) -> None:
    fake = FakeRuntime(decide=lambda _: before)
    with fake.client() as runtime:
        gate = Gatekeeper(runtime)
        gate.remember("1", Ruling("ask", "why", "fake"))
        assert rule(gate, "1", "ls", approved=True).decision == "allow"
        fake.respond("hydra/shell/confirm", answer)
        assert rule(gate, "1", "ls", approved=True).decision == "deny"


def test_an_exception_of_any_kind_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeRuntime(decide=lambda _: "allow").client() as runtime:
        gate = Gatekeeper(runtime)
        for kind in (_gatekeeper.ShellGate, _gatekeeper.AsyncShellGate):
            monkeypatch.setattr(kind, "check", hung)
        ruling = rule(gate, "1", "ls")
        assert ruling.decision == "deny"
        assert "the gate failed: " in ruling.reasons


@pytest.mark.parametrize("command", [None, "", " \n", 7, True, ["ls"], {"command": "ls"}, b"ls"])
def test_what_is_no_command_is_refused(command: object) -> None:
    with FakeRuntime(decide=lambda _: "allow").client() as runtime:
        ruling = rule(Gatekeeper(runtime), "1", command)
        assert ruling.decision == "deny"
        assert ruling.reasons == "the call has no command: write the whole command line as one string"


def test_a_directory_must_be_one() -> None:
    with FakeRuntime(decide=lambda _: "allow").client() as runtime:
        assert rule(Gatekeeper(runtime), "1", "ls", ["/"]).decision == "deny"


def test_roots_do_not_follow_the_directory_of_a_command() -> None:
    fake = FakeRuntime(decide=lambda _: "allow")
    with fake.client("/work") as runtime:
        rule(Gatekeeper(runtime), "1", "ls", "/etc")
        rule(Gatekeeper(runtime, GateSettings(read_roots=[".", "/usr"], write_roots=["out"])), "1", "ls", "sub")
    boundaries: Any = [call.params["boundary"] for call in fake.calls if call.method == "hydra/shell/gate"]
    assert [(b["cwd"], b["readRoots"], b["writeRoots"]) for b in boundaries[::2]] == [
        ("/etc", ["/work"], []),
        ("/work/sub", ["/work/.", "/usr"], ["/work/out"]),
    ]


def test_an_approval_is_for_what_was_shown() -> None:
    with FakeRuntime(decide=lambda _: "ask").client() as runtime:
        gate = Gatekeeper(runtime)
        assert rule(gate, "1", "ls", approved=True).reasons.startswith("this process asked for no approval; call")
        gate.remember("1", Ruling("ask", "why", "another"))
        assert rule(gate, "1", "ls", approved=True).reasons.startswith("what it reads or writes changed")
        gate.remember("1", rule(gate, "1", "ls"))
        assert rule(gate, "1", "ls", approved=True).decision == "allow"
        assert rule(gate, "2", "ls", approved=True).decision == "deny"
        assert rule(gate, "2", "ls", approved=True, digest="fake").decision == "allow"
        assert rule(gate, "2", "ls", digest="fake").decision == "ask"


def test_questions_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_gatekeeper, "_MOST_APPROVALS", 2)
    with FakeRuntime(decide=lambda _: "ask").client() as runtime:
        own, shared = Gatekeeper(runtime), dict[str, str]()
        other = Gatekeeper(runtime, approvals=shared)
        for gate in (own, other):
            for call in "123":
                gate.remember(call, gate.rule(call, "ls"))
        assert [rule(own, call, "ls", approved=True).decision for call in "123"] == ["deny", "allow", "allow"]
        assert sorted(shared) == ["1", "2", "3"]


def test_a_memory_that_fails_is_a_refusal() -> None:
    class Down(dict[str, str]):
        def get(self, *_: object) -> str:  # type: ignore[override]
            raise ConnectionError("the store is down")

    with FakeRuntime(decide=lambda _: "ask").client() as runtime:
        assert rule(Gatekeeper(runtime, approvals=Down()), "1", "ls", approved=True).decision == "deny"


def test_the_worst_ruling_counts() -> None:
    allow, ask, deny = Ruling("allow", "a", "d"), Ruling("ask", "b", "d"), Ruling("deny", "c")
    assert worst([allow, allow]) == Ruling("allow", "a")
    assert worst([allow, ask, ask]) == Ruling("ask", "b")
    assert worst([deny, ask, allow]) == Ruling("deny", "c")
    assert worst([ask, Ruling("ask", "e")]) == Ruling("ask", "b; e")


def test_which_arguments_are_the_command() -> None:
    calls = ShellCalls({"sh": "cmd", "run": ("line", "where")})
    assert calls.names == {"sh", "run"}
    assert calls.words({"cmd": "ls", "cwd": "/"}, "sh") == ("ls", None)
    assert calls.words({"line": "ls", "where": "/"}, "run") == ("ls", "/")
    assert calls.words({}, "run") == (None, None)
    assert calls.words("ls", "sh") == (None, None)
    for nothing in ({}, "sh"):
        with pytest.raises(ConfigError, match="name the tools that run a shell"):
            ShellCalls(nothing)  # type: ignore[arg-type]
