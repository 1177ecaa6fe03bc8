"""The fourth decision: what it takes, how it travels, and that what it says to run stays inside."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    ConfigError,
    Confine,
    GateSettings,
    Policy,
    Runtime,
    RuntimeProtocolError,
    SearchConfig,
    ShellGate,
    ToolArgumentError,
)
from hydra_harness_runtime.adapters._gatekeeper import Gatekeeper
from hydra_harness_runtime.testing import FakeRuntime

PREFIX = ["/opt/h", "confine", "--level", "ns", "--"]
CONFINED = {
    "decision": "confine",
    "reasons": [{"code": "OPAQUE", "message": "`make` is not wholly understood; the kernel keeps it inside"}],
    "confinement": {"level": "ns", "prefix": PREFIX, "command": "/opt/h confine --level ns -- bash -c make"},
    "establishment": {"resolutions": []},
    "digest": "d1",
}


def answering(gate: dict[str, Any], confirm: dict[str, Any] | None = None) -> FakeRuntime:
    fake = FakeRuntime()
    fake.respond("hydra/shell/gate", lambda _: gate)
    fake.respond("hydra/shell/confirm", lambda _: confirm or {"decision": gate["decision"], "reasons": gate["reasons"]})
    return fake


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "never"}, "mode must be opaque or all, not 'never'"),
        ({"net": "some"}, "net must be none or all, not 'some'"),
        ({"tmp": 5}, "tmp must be text, not int"),
        ({"keep_env": "TOKEN"}, "keep_env must be a list of names, not one text"),
        ({"keep_env": [5]}, "keep_env must be text, not int"),
    ],
)
def test_what_is_no_setting(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ToolArgumentError, match=message):
        Confine(**fields)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="confine must be a Confine, not bool"):
        GateSettings(confine=True)  # type: ignore[arg-type]


def test_what_travels(tmp_path: Path) -> None:
    fake = answering(CONFINED)
    with fake.client(str(tmp_path)) as runtime:
        runtime.gate("make", confine=Confine(mode="all", net="all", tmp="/t", cache="/c", keep_env=["TOKEN"]))
        runtime.gate("make", confine=Confine(), policy=Policy(opaque="ask"))
        runtime.gate("make")
    first, second, third = (call.params for call in fake.calls)
    assert (first["confine"], first["policy"]) == (
        {"net": "all", "tmp": "/t", "cache": "/c", "keepEnv": ["TOKEN"]},
        {"confine": "all"},
    )
    assert (second["confine"], second["policy"]) == ({"net": "none"}, {"opaque": "ask", "confine": "opaque"})
    assert not {"confine", "policy"} & third.keys()


def test_the_decision_says_what_to_run(tmp_path: Path) -> None:
    with answering(CONFINED).client(str(tmp_path)) as runtime:
        gate = ShellGate(runtime, GateSettings(confine=Confine()))
        decision = gate.check("make")
        assert (decision.decision, decision.allowed) == ("confine", False)
        assert decision.prefix == tuple(PREFIX)
        assert decision.command == "/opt/h confine --level ns -- bash -c make"
        assert gate.confirm(decision) == decision


def test_a_second_look_that_is_stricter_counts(tmp_path: Path) -> None:
    moved = {"decision": "ask", "reasons": [{"code": "CHANGED", "message": "a word moved"}]}
    with answering(CONFINED, moved).client(str(tmp_path)) as runtime:
        gate = ShellGate(runtime, GateSettings(confine=Confine()))
        assert gate.confirm(gate.check("make")).decision == "ask"


def test_a_decision_that_does_not_say_how_is_none(tmp_path: Path) -> None:
    without = {name: value for name, value in CONFINED.items() if name != "confinement"}
    with answering(without).client(str(tmp_path)) as runtime:
        with pytest.raises(RuntimeProtocolError, match="the decision is confine, and nothing says how"):
            runtime.gate("make", confine=Confine())
        assert ShellGate(runtime, GateSettings(confine=Confine())).check("make").decision == "deny"


def test_hooks_run_what_the_decision_says(tmp_path: Path) -> None:
    with answering(CONFINED).client(str(tmp_path)) as runtime:
        ruling = Gatekeeper(runtime, GateSettings(confine=Confine())).rule("1", "make")
        assert (ruling.decision, ruling.command) == ("allow", "/opt/h confine --level ns -- bash -c make")
    allow = {**CONFINED, "decision": "allow", "reasons": [], "confinement": None}
    with answering(allow).client(str(tmp_path)) as runtime:
        assert Gatekeeper(runtime).rule("1", "ls").command == ""


def test_what_runs_stays_inside(tmp_path: Path) -> None:
    """With the kernel as the judge: a program of the tree writes inside, and reads nothing outside."""
    repo = tmp_path / "repo"
    repo.mkdir()
    (tmp_path / "secret").write_text("s")
    (repo / "x.py").write_text(
        "open('made', 'w').close()\n"
        "try:\n    print(open('../secret').read())\n"
        "except PermissionError as error:\n    print(error.strerror)\n"
    )
    with Runtime(repo, search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        gate = ShellGate(runtime, GateSettings(write_roots=["."], confine=Confine(tmp=str(tmp_path / "t"))))
        decision = gate.check("python3 x.py")
        if decision.unconfined:
            assert decision.decision == "ask"
            pytest.skip(f"this machine makes no namespaces for a sandbox: {decision.unconfined}")
        assert decision.decision == "confine"
        assert gate.confirm(decision).decision == "confine"
        done = subprocess.run(["bash", "-c", decision.command], cwd=repo, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr, done.returncode) == ("Permission denied\n", "", 0)
        assert (repo / "made").exists()
        split = [*decision.prefix, "python3", "-c", "import os; print(os.environ['HYDRA_CONFINED'])"]
        done = subprocess.run(split, cwd=repo, capture_output=True, text=True, check=False)
        assert done.stdout in {"ns\n", "ll\n"}
        assert json.loads(json.dumps(decision.raw["confinement"]))["prefix"] == list(decision.prefix)
        every = ShellGate(runtime, GateSettings(confine=Confine(mode="all"))).check("cat x.py")
        assert (every.decision, bool(every.prefix)) == ("allow", True)
        assert ShellGate(runtime, GateSettings(confine=Confine())).check("cat x.py").prefix == ()
