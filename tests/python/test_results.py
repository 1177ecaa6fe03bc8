"""Results as values: lengths, items, their form in JSON, what they look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hydra_harness_runtime import GateSettings, GlobResult, GrepResult, Runtime, ShellGate, ToolArgumentError, _flows
from hydra_harness_runtime._calls import Done, advance

GLOB = {
    "root": "r\\xff",
    "rootBytes": "cv8=",
    "paths": ["a", "bad\\xff"],
    "pathBytes": {"1": "YmFk/w=="},
    "warnings": [{"code": "UNREADABLE", "message": "m", "count": 2, "paths": ["x"]}],
    "notes": [{"code": "N", "message": "n"}],
    "stats": {"files": 3, "bytes": 7, "ms": 1.5, "threads": 2},
    "incomplete": {"reason": "timeout", "message": "cut"},
    "nextCursor": "c",
}
GREP = {
    "matches": [
        {"path": "a", "lineNumber": 1, "line": "x"},
        {"path": "b", "lineNumber": 2, "line": "", "pathBytes": "/w==", "context": True, "lineBytes": 9},
    ]
}
FILES: dict[str, Any] = {"matches": [], "files": [{"path": "a", "count": 3}, {"path": "b"}]}


def answered(flow: Any, reply: Any) -> Any:
    advance(flow, None)
    done = advance(flow, reply)
    assert isinstance(done, Done)
    return done.value


def grepped(reply: Any) -> GrepResult:
    options: dict[str, Any] = dict.fromkeys(("literal", "multiline", "files_only", "count"), False)
    around = dict.fromkeys(("before", "after", "context"), 0)
    return answered(_flows.grep("x", None, None, case="sensitive", cursor="c", **options, **around), reply)


@pytest.mark.parametrize("value", [GLOB, {"root": ".", "paths": []}])
def test_a_glob_goes_back_to_json(value: dict[str, Any]) -> None:
    result: GlobResult = answered(_flows.glob("*", None, cursor="c"), value)
    assert json.loads(json.dumps(result.to_dict())) == value
    assert (len(result), list(result)) == (len(value["paths"]), value["paths"])


@pytest.mark.parametrize("value", [GREP, FILES, {"matches": []}])
def test_a_grep_goes_back_to_json(value: dict[str, Any]) -> None:
    result = grepped(value)
    assert json.loads(json.dumps(result.to_dict())) == value
    items = value["matches"] or value.get("files", [])
    assert (len(result), [item.path for item in result]) == (len(items), [item["path"] for item in items])
    assert [item.to_dict() for item in result] == items


@pytest.mark.parametrize("name", ["before", "after", "context"])
@pytest.mark.parametrize("value", [-1, True, 1.5, "2", None])
def test_lines_around_a_match_are_refused_by_their_own_name(
    started: Callable[..., Runtime], name: str, value: object
) -> None:
    with pytest.raises(ToolArgumentError, match=f"^{name} must be a whole number from 0, not "):
        started().grep("x", **{name: value})  # type: ignore[arg-type]


def test_what_things_look_like(started: Callable[..., Runtime]) -> None:
    runtime = started(owner="me")
    assert repr(runtime.spill) == "<Spill owner='me'>"
    shown = repr(ShellGate(runtime, GateSettings(write_roots=["/w"], env={"TOKEN": "secret"})))
    assert shown.startswith("<ShellGate on_error='deny' timeout=5.0 GateSettings(")
    assert "/w" in shown
    assert "secret" not in shown
