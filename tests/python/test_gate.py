"""The shell calls travel as they must, and the gate fails closed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    AsyncShellGate,
    BadPlanError,
    Boundary,
    ConfigError,
    GateDecision,
    GateSettings,
    HarnessError,
    Policy,
    Remedy,
    Runtime,
    RuntimeClosedError,
    RuntimeProtocolError,
    RuntimeTimeoutError,
    ShellGate,
)
from hydra_harness_runtime.testing import FakeRuntime

ALLOW = {"decision": "allow", "reasons": [], "establishment": {"resolutions": []}, "digest": "d1"}


def answering(**answers: dict[str, Any] | HarnessError) -> FakeRuntime:
    """A fake whose ``hydra/shell/<name>`` gives or raises what is said."""
    fake = FakeRuntime()

    def handler(value: dict[str, Any] | HarnessError) -> Callable[[dict[str, object]], dict[str, Any]]:
        def answer(params: dict[str, object]) -> dict[str, Any]:
            if isinstance(value, HarnessError):
                raise value
            return value

        return answer

    for name, value in answers.items():
        fake.respond(f"hydra/shell/{name}", handler(value))
    return fake


def test_gate_travels_with_absolute_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    fake = answering(gate=ALLOW, confirm={"decision": "allow"})
    with fake.client(str(tmp_path)) as runtime:
        decision = runtime.gate("cat ../x", read_roots=[".", "/etc"], write_roots=["out"], cwd="sub", env={"A": "b"})
        runtime.confirm(decision)
    gate, confirm = fake.calls
    assert gate.params == {
        "command": "cat ../x",
        "shell": "bash",
        "env": {"A": "b"},
        "boundary": {
            "readRoots": [str(tmp_path), "/etc"],
            "writeRoots": [str(tmp_path / "out")],
            "home": "/home/me",
            "cwd": str(tmp_path / "sub"),
        },
    }
    assert confirm.params == {**gate.params, "establishment": {"resolutions": []}, "digest": "d1"}
    assert decision.allowed


def test_an_environment_that_is_not_known_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = answering(gate=ALLOW)
    with fake.client() as runtime:
        runtime.gate("ls")
        runtime.gate("ls", env=None)
        monkeypatch.setenv("ODD", os.fsdecode(b"caf\xe9"))
        runtime.gate("ls")
        assert gate(fake).check("ls").allowed
    told = [call.params.get("env") for call in fake.calls]
    assert told[0] == {key: value for key, value in os.environ.items() if key != "ODD"}
    assert told[1:] == [None, None, None]


def test_by_default_reads_stay_in_the_workdir_and_writes_nowhere(tmp_path: Path) -> None:
    fake = answering(gate=ALLOW)
    with fake.client(str(tmp_path)) as runtime:
        runtime.gate("ls")
    boundary: Any = fake.calls[0].params["boundary"]
    assert (boundary["readRoots"], boundary["writeRoots"]) == ([str(tmp_path)], [])


def test_a_boundary_says_it_all() -> None:
    edge = Boundary(read_roots=["/r"], deny_paths=[], home_views=["/h"], roots_canonical=True, cwd="/r")
    fake = answering(gate=ALLOW)
    with fake.client() as runtime:
        runtime.gate("ls", boundary=edge, policy=Policy(opaque="deny", contained_traversal=False))
    assert fake.calls[0].params["policy"] == {"opaque": "deny", "containedTraversal": False}
    assert fake.calls[0].params["boundary"] == {
        "readRoots": ["/r"],
        "writeRoots": [],
        "denyPaths": [],
        "homeViews": ["/h"],
        "rootsCanonical": True,
        "cwd": "/r",
    }


def test_reasons_are_typed() -> None:
    reason = {"code": "OUTSIDE", "message": "m", "segment": 0, "word": "../x", "access": "read", "target": "/x"}
    fake = answering(gate={"decision": "deny", "reasons": [reason, {"code": "OPAQUE"}], "digest": "d"})
    with fake.client() as runtime:
        decision = runtime.gate("cat ../x")
    first, second = decision.reasons
    assert (first.code, first.segment, first.word, first.access, first.target) == ("OUTSIDE", 0, "../x", "read", "/x")
    assert (second.message, second.segment, second.word, second.access) == ("", None, None, None)
    assert (first.message, first.remedy, second.remedy) == ("m", None, None)


@pytest.mark.parametrize(
    ("wire", "remedy", "message"),
    [
        ({"kind": "readRoot", "root": "/x"}, Remedy("readRoot", root="/x"), "m; add '/x' to read_roots= to allow it"),
        (
            {"kind": "writeRoot", "root": "/x"},
            Remedy("writeRoot", root="/x"),
            "m; add '/x' to write_roots= to allow it",
        ),
        ({"kind": "deniedPath", "rule": "/h/.ssh"}, Remedy("deniedPath", rule="/h/.ssh"), "m"),
        ({"kind": "approve"}, Remedy("approve"), "m"),
        ({"kind": "readRoot"}, Remedy("readRoot"), "m"),
    ],
)
def test_a_remedy_is_told_in_the_words_of_this_package(wire: dict[str, Any], remedy: Remedy, message: str) -> None:
    fake = answering(
        gate={"decision": "ask", "reasons": [{"code": "C", "message": "m", "remedy": wire}], "digest": "d"}
    )
    with fake.client() as runtime:
        (told,) = runtime.gate("cat ../x").reasons
    assert (told.remedy, told.message) == (remedy, message)


@pytest.mark.parametrize("decision", ["", "Allow", None, 1, "yes"])
def test_an_unknown_decision_is_never_an_allow(decision: object) -> None:
    fake = answering(gate={**ALLOW, "decision": decision})
    with fake.client() as runtime, pytest.raises(RuntimeProtocolError):
        runtime.gate("ls")


def test_plan_establish_and_reestablish_hand_values_on() -> None:
    inner = {"segments": [{"command": "x", "opaque": [{"code": "program"}]}]}
    plan = {
        "segments": [
            {
                "command": "cat",
                "candidates": [{"text": "a", "access": "read", "kind": "word"}],
                "opaque": [{"code": "dynamic", "word": "$x", "detail": "it is not known"}],
            }
        ],
        "nested": [{"segment": 0, "plan": inner}],
        "opaque": [{"code": "syntax"}],
    }
    listing = {"path": "/w", "access": "read", "listed": True}
    read = {"candidate": 0, "state": "established", "landings": [listing, {"path": "/w/a"}, {"path": "/w/b"}]}
    unknown = {"candidate": 1, "state": "unestablishable", "reason": "capDirs"}
    established = {
        "segments": [{"resolutions": [read]}],
        "nested": [{"segments": [{}, {"resolutions": [unknown]}]}],
        "readRoots": [{"spelling": "/l", "path": "/w", "state": "established"}],
        "lexicalOnly": True,
    }
    moved = {"changed": [{"segment": 2, "nested": [1], "before": read, "now": unknown}], "changedRoots": ["/w"]}
    fake = answering(plan={"plan": plan}, establish={"established": established}, reestablish=moved)
    edge = Boundary(read_roots=["/w"])
    with fake.client() as runtime:
        first = runtime.plan("cat a; eval $x", shell="dash", cwd="/w")
        second = runtime.establish(first, edge, lexical=True, capabilities={"canReadLink": False})
        third = runtime.reestablish(second, edge)
        assert runtime.reestablish(second.raw, edge).changed[0].target is None
    assert (first.segments[0].command, first.segments[0].candidates[0].word) == ("cat", "a")
    assert first.opaque == ("syntax", "$x: it is not known", "program")
    assert (second.resolutions[0].target, second.roots, second.lexical_only) == ("/w/a", ("/w",), True)
    assert second.resolutions[0].members == ("/w/a", "/w/b")
    assert (second.resolutions[1].nested, second.resolutions[1].segment, second.resolutions[1].reason) == (
        (0,),
        1,
        "capDirs",
    )
    assert third.moved
    assert (third.changed[0].nested, third.changed[0].segment, third.changed[0].reason) == ((1,), 2, "capDirs")
    assert [call.params for call in fake.calls[:3]] == [
        {"command": "cat a; eval $x", "shell": "dash", "cwd": "/w", "env": dict(os.environ)},
        {"plan": plan, "boundary": edge.to_wire(), "lexical": True, "capabilities": {"canReadLink": False}},
        {"previous": established, "boundary": edge.to_wire()},
    ]


def test_something_else_than_a_plan_is_refused() -> None:
    with FakeRuntime().client() as runtime, pytest.raises(BadPlanError, match="not int"):
        runtime.establish(3, Boundary())  # type: ignore[arg-type]


# --- ShellGate


def gate(fake: FakeRuntime, **settings: Any) -> ShellGate:
    return ShellGate(fake.client("/w"), GateSettings(read_roots=["."], home=None), **settings)


def test_an_allow_that_stands() -> None:
    fake = answering(gate=ALLOW, confirm={"decision": "allow", "changed": []})
    checked = gate(fake).check("cat a", cwd="sub")
    assert checked.allowed
    assert gate(fake).confirm(checked).allowed
    assert fake.calls[0].params["boundary"] == {"readRoots": ["/w/."], "writeRoots": [], "cwd": "/w/sub"}


@pytest.mark.parametrize("cwd", ["sub", "/etc", None])
def test_roots_do_not_follow_the_directory_of_a_command(cwd: str | None) -> None:
    fake = answering(gate=ALLOW)
    with fake.client("/w") as runtime:
        ShellGate(runtime, GateSettings(home=None)).check("cat a", cwd)
        ShellGate(runtime, GateSettings(read_roots=["src", "/usr"], write_roots=["out"], home=None)).check("cat a", cwd)
    where = {"sub": "/w/sub", "/etc": "/etc", None: "/w"}[cwd]
    assert [call.params["boundary"] for call in fake.calls if call.method == "hydra/shell/gate"] == [
        {"readRoots": ["/w"], "writeRoots": [], "cwd": where},
        {"readRoots": ["/w/src", "/usr"], "writeRoots": ["/w/out"], "cwd": where},
    ]


@pytest.mark.parametrize(
    ("first", "second", "decision"),
    [
        ("allow", {"decision": "ask"}, "ask"),
        ("allow", {"decision": "deny"}, "deny"),
        ("ask", {"decision": "allow"}, "ask"),
        ("deny", {"decision": "allow"}, "deny"),
        ("allow", {"decision": "allow", "changed": [{"segment": 0, "now": {"landings": [{"path": "/x"}]}}]}, "ask"),
        ("allow", {"decision": "allow", "changedRoots": ["/w"]}, "ask"),
        ("allow", {"decision": "nonsense"}, "deny"),
        ("allow", {}, "deny"),
    ],
)
def test_the_second_look_is_never_milder(first: str, second: dict[str, Any], decision: str) -> None:
    shell = gate(answering(gate={**ALLOW, "decision": first}, confirm=second))
    assert shell.confirm(shell.check("cat a")).decision == decision


FAILURES = [
    RuntimeTimeoutError("late"),
    RuntimeClosedError("gone"),
    BadPlanError("bad"),
    HarnessError("anything"),
]


@pytest.mark.parametrize("on_error", ["deny", "ask"])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda error: type(error).__name__)
def test_a_failure_is_never_an_allow(failure: HarnessError, on_error: Any) -> None:
    shell = gate(answering(gate=failure, confirm=failure), on_error=on_error)
    checked = shell.check("cat a")
    assert checked.decision == on_error
    assert checked.reasons[0].code == failure.code
    allowed = gate(answering(gate=ALLOW)).check("cat a")
    assert shell.confirm(allowed).decision == on_error


def test_a_command_that_cannot_travel_is_denied() -> None:
    checked = gate(FakeRuntime(decide=lambda command: "allow")).check("cat \ud800")
    assert checked.decision == "deny"
    assert "cannot be judged" in checked.reasons[0].message


def test_an_allow_that_rests_on_nothing_falls() -> None:
    shell = gate(answering(gate={"decision": "allow"}))
    checked = shell.check("ls")
    assert checked.allowed
    assert shell.confirm(checked).decision == "deny"


@pytest.mark.parametrize("wrong", ["allow", "", None])
def test_a_gate_that_allows_when_it_breaks_cannot_be_made(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="allows nothing"):
        gate(FakeRuntime(), on_error=wrong)


def test_a_runtime_that_hangs_is_a_deny(started: Callable[..., Runtime]) -> None:
    runtime = started()
    runtime.grep("hello")
    with pytest.raises(RuntimeTimeoutError):
        runtime.grep("fake:deaf", timeout=0.1)
    assert ShellGate(runtime, timeout=0.2).check("ls").decision == "deny"


def test_the_asynchronous_gate_says_the_same() -> None:
    fake = answering(gate=ALLOW, confirm={"decision": "ask"})

    async def main(fake: FakeRuntime) -> tuple[GateDecision, GateDecision]:
        shell = AsyncShellGate(fake.async_client("/w"), GateSettings(read_roots=["."], home=None))
        checked = await shell.check("cat a")
        return checked, await shell.confirm(checked)

    checked, confirmed = asyncio.run(main(fake))
    assert (checked.decision, confirmed.decision) == ("allow", "ask")
    broken = answering(gate=RuntimeClosedError("gone"), confirm=RuntimeClosedError("gone"))
    assert asyncio.run(main(broken))[1].decision == "deny"
    weak = answering(gate=ALLOW, confirm=RuntimeClosedError("gone"))
    assert asyncio.run(main(weak))[1].decision == "deny"


def test_what_the_fake_decides() -> None:
    with FakeRuntime().client() as runtime:
        assert runtime.gate("ls").decision == "ask"
    with FakeRuntime(decide=lambda command: "allow" if command == "ls" else "deny").client() as runtime:
        assert [runtime.gate(command).decision for command in ("ls", "rm x")] == ["allow", "deny"]
