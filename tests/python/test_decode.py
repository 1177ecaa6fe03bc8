"""From wire values to typed ones: what is known, what is unknown, what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from hydra_harness_runtime import (
    Incomplete,
    IndexUse,
    SavedResult,
    SearchNote,
    SearchStats,
    SearchWarning,
    SpillNotFoundError,
    SpillSweep,
    ToolArgumentError,
    _decode,
    _json,
)
from hydra_harness_runtime._json import Malformed


def test_a_full_report() -> None:
    assert _decode.report(
        {
            "warnings": [{"code": "UNREADABLE", "count": 2, "paths": ["a"], "message": "2 paths"}],
            "notes": [{"code": "LITERAL_PIPE", "message": "m", "new": 1}],
            "stats": {"files": 3, "bytes": 4, "ms": 5, "threads": 6, "new": 7},
            "incomplete": {"reason": "timeout", "message": "cut"},
            "nextCursor": "7",
        }
    ) == {
        "warnings": (SearchWarning("UNREADABLE", "2 paths", 2, ("a",)),),
        "notes": (SearchNote("LITERAL_PIPE", "m"),),
        "stats": SearchStats(3, 4, 5.0, 6),
        "incomplete": Incomplete("timeout", "cut"),
        "next_cursor": "7",
    }


def test_the_use_of_an_index() -> None:
    use = {"used": "barrier", "files": 40, "candidates": 2}
    assert _decode.report({"stats": {"files": 40, "ms": 1, "threads": 2, "index": use}})["stats"] == SearchStats(
        40, 0, 1.0, 2, IndexUse("barrier", files=40, candidates=2)
    )
    plain = {"stats": {"files": 1, "bytes": 2, "ms": 3, "threads": 4, "index": {"used": "no", "reason": "off"}}}
    assert _decode.report(plain)["stats"] == SearchStats(1, 2, 3.0, 4, IndexUse("no", "off"))


def test_an_empty_report() -> None:
    nothing: dict[str, Any] = {"warnings": None, "notes": None, "stats": None, "incomplete": None}
    assert (
        _decode.report(nothing)
        == _decode.report({})
        == {
            "warnings": (),
            "notes": (),
            "stats": None,
            "incomplete": None,
            "next_cursor": None,
        }
    )


@pytest.mark.parametrize(
    "reply",
    [
        {"warnings": {}},
        {"warnings": ["text"]},
        {"warnings": [{}]},
        {"warnings": [{"message": "m", "count": "2"}]},
        {"warnings": [{"message": "m", "paths": [1]}]},
        {"notes": [{"message": 3}]},
        {"stats": []},
        {"stats": {"ms": "1"}},
        {"stats": {"ms": True}},
        {"stats": {"files": 1.5}},
        {"incomplete": {"message": "no reason"}},
    ],
)
def test_a_malformed_report(reply: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        _decode.report(reply)


@pytest.mark.parametrize("data", [3, "!", "abc", None])
def test_bytes_that_are_not_base64(data: object) -> None:
    match = {"path": "a", "lineNumber": 1, "line": "", "pathBytes": data}
    if data is None:
        assert _decode.matches({"matches": [match]})[0].path_bytes is None
        return
    with pytest.raises(Malformed, match="base64"):
        _decode.matches({"matches": [match]})


def test_an_index_that_is_none() -> None:
    with pytest.raises(Malformed, match="not an index"):
        _decode.path_bytes({"pathBytes": {"x": "/w=="}}, 0)


def test_a_failed_tool_without_an_error_object_was_the_arguments_fault() -> None:
    reply = {"content": [{"type": "text", "text": "Error: no"}, {"type": "image"}], "isError": True}
    result = _decode.tool_result(reply)
    assert type(result.error) is ToolArgumentError
    assert str(result.error) == "no"


def test_a_failed_tool_with_an_error_object() -> None:
    meta = {"dev.hydra-harness/error": {"code": "SPILL_NOT_FOUND", "details": {}}}
    result = _decode.tool_result({"content": [], "isError": True, "_meta": meta})
    assert type(result.error) is SpillNotFoundError


@pytest.mark.parametrize("page", [{"locator": "/spill/x"}, {"spill": {"locator": "/spill/x"}}])
def test_where_the_locator_is(page: dict[str, Any]) -> None:
    assert _decode.tool_result({"content": [], "structuredContent": page}).locator == "/spill/x"


def test_spill_values() -> None:
    value = {"id": "o/a", "locator": "/l", "hint": "h", "bytes": 3, "lines": -1, "created": "2026-01-01T00:00:00Z"}
    saved = _decode.saved_result(value)
    assert saved == SavedResult("o/a", "/l", "h", 3, -1, "2026-01-01T00:00:00Z")
    assert saved.uri == "hydra-spill:///o/a"
    part = _decode.spill_text({"text": "é", "offset": 2, "size": 9})
    assert (part.text, part.data, part.next_offset) == ("é", b"\xc3\xa9", 4)
    part = _decode.spill_text({"text": "?", "textBytes": "/w==", "offset": 8, "size": 9})
    assert (part.text, part.data, part.next_offset) == ("\ufffd", b"\xff", None)
    assert _decode.swept({"removed": 1, "removedBytes": 2, "kept": 3, "keptBytes": 4}) == SpillSweep(1, 2, 3, 4)


def test_json_helpers_name_what_is_wrong() -> None:
    with pytest.raises(Malformed, match='"a" is missing or is not text'):
        _json.text({}, "a")
    with pytest.raises(Malformed, match='"a" is not true or false'):
        _json.flag({"a": 1}, "a")
    assert _json.flag({"a": False}, "a", default=True) is False
    assert _json.number({}, "a", 1.5) == 1.5
