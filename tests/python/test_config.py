"""SearchConfig: defaults of the contract, names on the wire, refusals by name."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import ConfigError, SearchConfig

DEFAULTS = {
    "globMaxResults": 100,
    "grepMaxMatches": 250,
    "grepMaxLineBytes": 2000,
    "rawOutputMaxBytes": 20000000,
    "timeoutMs": 30000,
    "graceMs": 3000,
    "stderrMaxBytes": 65536,
    "inlineMaxBytes": 50000,
    "globOrder": "modified",
    "unreadable": "warn",
    "cutShort": "fail",
}
"""What the contract says."""

KEYS = SearchConfig.KEYS


def test_defaults_are_those_of_the_contract() -> None:
    defaults = {key.name: key.default for key in KEYS.values()}
    assert {name: defaults[name] for name in DEFAULTS} == DEFAULTS


def test_a_default_is_not_sent() -> None:
    """It lives in the runtime: another one, named by *runtime_path*, has its own."""
    assert SearchConfig(sample_over_cap_glob_results=True).to_dict() == {"sampleOverCapGlobResults": True}
    same = SearchConfig(sample_over_cap_glob_results=True, grace_ms=3000, tools=())
    assert json.loads(same.to_json()) == {"sampleOverCapGlobResults": True, "graceMs": 3000, "tools": []}


def test_every_field_is_a_key() -> None:
    assert [item.name for item in fields(SearchConfig)] == list(KEYS)


def test_everything_else_travels_when_it_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = SearchConfig(
        sample_over_cap_glob_results=False,
        spill_root="spill",
        spill_max_bytes=7,
        spill_max_age=60,
        roots=[tmp_path / "a", "b"],
        tools=("grep",),
    )
    assert config.to_dict() == {
        "sampleOverCapGlobResults": False,
        "spillRoot": str(tmp_path / "spill"),
        "spillMaxBytes": 7,
        "spillMaxAge": 60,
        "roots": [str(tmp_path / "a"), str(tmp_path / "b")],
        "tools": ["grep"],
    }


def test_the_sampling_choice_has_no_default() -> None:
    with pytest.raises(TypeError, match="sample_over_cap_glob_results"):
        SearchConfig()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "bad",
    [
        {"sample_over_cap_glob_results": 1},
        {"sample_over_cap_glob_results": None},
        {"glob_max_results": 0},
        {"glob_max_results": True},
        {"glob_max_results": 1.5},
        {"grep_max_matches": -1},
        {"grep_max_line_bytes": "2000"},
        {"raw_output_max_bytes": 1 << 53},
        {"timeout_ms": 2147483648},
        {"grace_ms": 0},
        {"grace_ms": 2147483648},
        {"inline_max_bytes": 0},
        {"glob_order": "newest"},
        {"unreadable": ""},
        {"cut_short": ["fail"]},
        {"spill_max_bytes": 0},
        {"spill_max_age": 0},
        {"spill_max_age": 2**40},
        {"spill_max_bytes": 2**53},
        {"roots": "/one"},
        {"roots": [1]},
        {"roots": [""]},
        {"roots": {"a": 1}},
        {"roots": ["\ud800"]},
        {"roots": ["a\0b"]},
        {"spill_root": 3},
        {"spill_root": ""},
        {"spill_root": "\udcff"},
        {"tools": "grep"},
        {"tools": 3},
        {"tools": [None]},
        {"tools": ("nope",)},
        {"tools": [["glob"]]},
    ],
    ids=str,
)
def test_a_bad_value_is_refused_by_name(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        SearchConfig(**{"sample_over_cap_glob_results": True, **bad})
    name = next(iter(bad))
    assert name in str(caught.value)
    assert caught.value.code == "RUNTIME_CONFIG"
    assert caught.value.details == {"field": name}


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if key.kind == "number"])
def test_limits_of_numbers(name: str) -> None:
    most = KEYS[name].most
    for value in (1, most):
        assert getattr(SearchConfig(sample_over_cap_glob_results=True, **{name: value}), name) == value
    with pytest.raises(ConfigError, match=f"{name} must be a whole number from 1 to {most}, not {most + 1}"):
        SearchConfig(sample_over_cap_glob_results=True, **{name: most + 1})


def test_the_largest_grace_is_accepted() -> None:
    assert SearchConfig(sample_over_cap_glob_results=True, grace_ms=2147483647).grace_ms == 2147483647


def test_budget_in_seconds() -> None:
    assert SearchConfig(sample_over_cap_glob_results=True).budget_seconds == 33.0
