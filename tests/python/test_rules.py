"""Rules of trust: what they hold, how a file of them grows, and what the runtime makes of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hydra_harness_runtime import (
    ConfigError,
    GateSettings,
    Policy,
    Runtime,
    SearchConfig,
    ShellGate,
    ToolArgumentError,
    TrustRule,
)

MAKE = TrustRule(program="make", args=["all"], directory="/repo", decision="allow")


def test_what_is_not_set_is_left_out() -> None:
    assert TrustRule(program="make").to_wire() == {"program": "make", "decision": "deny"}
    assert TrustRule(program="make", args=()).to_wire() == {"program": "make", "args": [], "decision": "deny"}
    assert MAKE.to_wire() == {"program": "make", "args": ["all"], "directory": "/repo", "decision": "allow"}
    assert Policy(trust=[MAKE]).to_wire() == {"trust": [MAKE.to_wire()]}
    assert Policy().to_wire() == {}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"program": 5}, "program must be text, not int"),
        ({"program": "x", "args": "a b"}, "args must be a list of patterns, not one text"),
        ({"program": "x", "args": [1]}, "args must be text, not int"),
        ({"program": "x", "directory": Path("/")}, "directory must be text, not PosixPath"),
        ({"program": "x", "decision": "yes"}, "decision must be allow, confine, ask or deny, not 'yes'"),
    ],
)
def test_what_is_no_rule(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ToolArgumentError, match=message):
        TrustRule(**fields)  # type: ignore[arg-type]


def test_a_policy_takes_rules_alone() -> None:
    with pytest.raises(ToolArgumentError, match="trust must be a TrustRule, not dict"):
        Policy(trust=[{"program": "make"}])  # type: ignore[list-item]


def test_a_file_of_rules_grows(tmp_path: Path) -> None:
    file = tmp_path / "trust.json"
    MAKE.add_to(file)
    assert file.read_text() == f"[\n  {json.dumps(MAKE.to_wire())}\n]\n"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    other = TrustRule(program="npm", decision="deny")
    other.add_to(file)
    MAKE.add_to(file)  # once is enough
    assert json.loads(file.read_text()) == [MAKE.to_wire(), other.to_wire()]
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["trust.json"]


def test_the_file_behind_a_link_grows(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.json").symlink_to("real/trust.json")
    MAKE.add_to(tmp_path / "link.json")
    assert json.loads((tmp_path / "real" / "trust.json").read_text()) == [MAKE.to_wire()]
    assert (tmp_path / "link.json").is_symlink()


@pytest.mark.parametrize("held", ["[ // mine\n]", "{}", "", "[1,"])
def test_what_is_no_plain_list_is_left_alone(tmp_path: Path, held: str) -> None:
    file = tmp_path / "trust.json"
    file.write_text(held)
    with pytest.raises(ConfigError, match=r'is no plain JSON list, so it was left alone; add \{"program": "make"'):
        MAKE.add_to(file)
    assert file.read_text() == held
    assert [entry.name for entry in tmp_path.iterdir()] == ["trust.json"]


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trust.json"
    MAKE.add_to(file)

    def broken(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="no space left"):
        TrustRule(program="npm").add_to(file)
    assert json.loads(file.read_text()) == [MAKE.to_wire()]
    assert [entry.name for entry in tmp_path.iterdir()] == ["trust.json"]


def test_rules_that_are_added_at_once_are_all_there(tmp_path: Path) -> None:
    file = tmp_path / "trust.json"
    names = [f"tool{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: TrustRule(program=name).add_to(file), names))
    assert sorted(rule["program"] for rule in json.loads(file.read_text())) == sorted(names)


def test_the_rule_that_a_reason_carries_allows_the_command(tmp_path: Path) -> None:
    """By the policy of a call, and by the file that the command line reads."""
    repo = tmp_path / "repo"
    repo.mkdir()
    with Runtime(repo, search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        settings = GateSettings(env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
        asked = ShellGate(runtime, settings).check("make all")
        assert asked.decision == "ask"
        remedy = asked.reasons[0].remedy
        assert remedy is not None
        assert remedy.kind == "trust"
        rule = TrustRule(program="make", args=["all"], directory=str(repo), decision="allow")
        assert remedy.trust == rule
        assert asked.reasons[0].message.endswith(
            f"or trust it, with {json.dumps(rule.to_wire())} among the rules of trust="
        )
        trusting = ShellGate(runtime, GateSettings(env=settings.env, policy=Policy(trust=[rule])))
        decision = trusting.check("make all")
        assert decision.allowed
        assert trusting.confirm(decision).allowed
        assert trusting.check("make clean").decision == "ask"
        bad = ShellGate(runtime, GateSettings(policy=Policy(trust=[TrustRule(program="a/b")]))).check("make all")
        assert bad.decision == "deny"
        assert "policy.trust[0].program" in bad.reasons[0].message
    rule.add_to(tmp_path / "trust.json")
    command = [
        Path(sys.executable).parent / "hydra-harness-runtime",
        "gate",
        "--trust",
        tmp_path / "trust.json",
        "make all",
    ]
    done = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False, env=dict(settings.env or {}))
    assert (done.returncode, done.stderr) == (0, "")
