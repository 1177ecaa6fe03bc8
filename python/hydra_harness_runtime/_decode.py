"""From the values on the wire to the values of this package.

Unknown keys are let through, since a newer runtime may add some; a known key
of another type raises :class:`Malformed`.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from . import _json, _protocol
from ._spill.types import SavedResult, SpillSweep, SpillText
from ._types import (
    GrepFile,
    GrepMatch,
    Incomplete,
    IndexUse,
    RipgrepInfo,
    RuntimeInfo,
    SearchNote,
    SearchStats,
    SearchWarning,
    ToolDefinition,
    ToolResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    from ._errors import HarnessError

    class Report(TypedDict):
        """The part that both results share."""

        warnings: tuple[SearchWarning, ...]
        notes: tuple[SearchNote, ...]
        stats: SearchStats | None
        incomplete: Incomplete | None
        next_cursor: str | None


__all__ = [
    "exact_bytes",
    "files",
    "info",
    "matches",
    "path_bytes",
    "report",
    "saved_result",
    "spill_text",
    "swept",
    "tool_definition",
    "tool_result",
]


def matches(reply: Mapping[str, object]) -> list[GrepMatch]:
    """The matches of one page; written for speed, since there may be very many."""
    found: list[GrepMatch] = []
    for value in _json.objects(reply, "matches"):
        path, number, line = value.get("path"), value.get("lineNumber"), value.get("line")
        if not (isinstance(path, str) and isinstance(number, int) and isinstance(line, str)):
            raise _json.Malformed("a match lacks its path, line number or line")
        if len(value) == _PLAIN_MATCH:
            found.append(GrepMatch(path, number, line))
        else:
            exact, cut = exact_bytes(value, "pathBytes"), _opt_integer(value, "lineBytes")
            found.append(GrepMatch(path, number, line, exact, _json.flag(value, "context"), cut))
    return found


_PLAIN_MATCH = 3
"""A match with nothing but path, line number and line: nearly all are."""


def files(reply: Mapping[str, object]) -> list[GrepFile]:
    """The files of one page of a search for files or counts."""
    return [
        GrepFile(_json.text(value, "path"), _opt_integer(value, "count"), exact_bytes(value, "pathBytes"))
        for value in _json.objects(reply, "files")
    ]


def path_bytes(reply: Mapping[str, object], offset: int) -> dict[int, bytes]:
    """The exact bytes of a page's paths that are not UTF-8; *offset* paths came before."""
    try:
        return {int(index) + offset: _base64(data) for index, data in _json.member(reply, "pathBytes").items()}
    except ValueError:
        raise _json.Malformed('a key of "pathBytes" is not an index') from None


def exact_bytes(reply: Mapping[str, object], key: str) -> bytes | None:
    """The bytes of a member that is only there when its text is not exact."""
    found = reply.get(key)
    return None if found is None else _base64(found)


def report(reply: Mapping[str, object]) -> Report:
    """What a search says beside its results."""
    incomplete, stats = _json.member(reply, "incomplete"), _json.member(reply, "stats")
    return {
        "warnings": tuple(_warning(value) for value in _json.objects(reply, "warnings")),
        "notes": tuple(
            SearchNote(_json.opt_text(note, "code"), _json.text(note, "message"))
            for note in _json.objects(reply, "notes")
        ),
        "stats": _stats(stats) if stats else None,
        "incomplete": Incomplete(_json.text(incomplete, "reason"), _json.opt_text(incomplete, "message"))
        if incomplete
        else None,
        "next_cursor": _json.opt_text(reply, "nextCursor") or None,
    }


def tool_definition(value: Mapping[str, object]) -> ToolDefinition:
    """One entry of ``tools/list``."""
    return ToolDefinition(
        name=_json.text(value, "name"),
        description=_json.opt_text(value, "description"),
        input_schema=_json.member(value, "inputSchema"),
        output_schema=_json.member(value, "outputSchema") or None,
        annotations=_json.member(value, "annotations"),
        title=_json.opt_text(value, "title"),
    )


def tool_result(reply: Mapping[str, object]) -> ToolResult:
    """The answer of ``tools/call``."""
    content = _json.objects(reply, "content")
    text = "\n".join(_json.text(part, "text") for part in content if part.get("type") == "text")
    structured, meta = _json.member(reply, "structuredContent"), _json.member(reply, "_meta")
    failed = _json.flag(reply, "isError")
    return ToolResult(
        text=text,
        is_error=failed,
        structured=structured or None,
        locator=_locator(structured),
        error=_tool_error(meta, text) if failed else None,
        meta=meta,
    )


def info(reply: Mapping[str, object]) -> RuntimeInfo:
    """The answer of ``hydra/info``."""
    ripgrep = _json.member(reply, "ripgrep")
    return RuntimeInfo(
        version=_json.text(reply, "version"),
        api=str(reply.get("api", "")),
        pid=_json.integer(reply, "pid", 0),
        ripgrep=RipgrepInfo(
            version=_json.opt_text(ripgrep, "version"),
            sha256=_json.opt_text(ripgrep, "sha256"),
            path=_json.opt_text(ripgrep, "path"),
            problem=_json.opt_text(ripgrep, "problem"),
        ),
        roots=tuple(_json.texts(reply, "roots")),
        limits=_json.member(reply, "limits"),
        guidance=_json.opt_text(reply, "guidance"),
        raw=reply,
    )


def saved_result(value: Mapping[str, object]) -> SavedResult:
    """One saved result."""
    return SavedResult(
        id=_json.text(value, "id"),
        locator=_json.opt_text(value, "locator"),
        hint=_json.opt_text(value, "hint"),
        bytes=_json.integer(value, "bytes"),
        lines=_json.integer(value, "lines", -1),
        created=_json.opt_text(value, "created"),
        name=_json.opt_text(value, "name"),
        tool=_json.opt_text(value, "tool"),
        label=_json.opt_text(value, "label"),
    )


def spill_text(reply: Mapping[str, object]) -> SpillText:
    """The answer of ``hydra/spill/read``."""
    exact = reply.get("textBytes")
    return SpillText(
        data=_json.text(reply, "text").encode() if exact is None else _base64(exact),
        offset=_json.integer(reply, "offset", 0),
        size=_json.integer(reply, "size"),
        line=_json.integer(reply, "line", 0),
        lines=_json.integer(reply, "lines", 0),
    )


def swept(reply: Mapping[str, object]) -> SpillSweep:
    """The answer of ``hydra/spill/sweep``."""
    return SpillSweep(
        removed=_json.integer(reply, "removed", 0),
        removed_bytes=_json.integer(reply, "removedBytes", 0),
        kept=_json.integer(reply, "kept", 0),
        kept_bytes=_json.integer(reply, "keptBytes", 0),
    )


def _warning(value: Mapping[str, object]) -> SearchWarning:
    return SearchWarning(
        code=_json.opt_text(value, "code"),
        message=_json.text(value, "message"),
        count=_json.integer(value, "count", 1),
        paths=tuple(_json.texts(value, "paths")),
    )


def _stats(value: Mapping[str, object]) -> SearchStats:
    return SearchStats(
        files=_json.integer(value, "files", 0),
        bytes=_json.integer(value, "bytes", 0),
        ms=_json.number(value, "ms", 0.0),
        threads=_json.integer(value, "threads", 0),
        index=_index_use(use) if (use := _json.member(value, "index")) else None,
    )


def _index_use(value: Mapping[str, object]) -> IndexUse:
    return IndexUse(
        used=_json.text(value, "used"),
        reason=_json.opt_text(value, "reason"),
        files=_json.integer(value, "files", 0),
        candidates=_json.integer(value, "candidates", 0),
    )


def _locator(structured: Mapping[str, object]) -> str | None:
    """Where the complete result was saved: the page carries the saved result or its locator."""
    holder = _json.member(structured, "spill") or structured
    return _json.opt_text(holder, "locator") or None


def _tool_error(meta: Mapping[str, object], text: str) -> HarnessError:
    """The error of a failed tool call; without an error object it was the arguments' fault."""
    message = text.removeprefix("Error: ")
    value = _json.member(meta, _protocol.ERROR_META) or {"code": "TOOL_ARGUMENT"}
    return _protocol.error_from_object(value, message)


def _opt_integer(value: Mapping[str, object], key: str) -> int | None:
    return None if value.get(key) is None else _json.integer(value, key)


def _base64(data: object) -> bytes:
    try:
        return base64.b64decode(data if isinstance(data, str) else "!", validate=True)
    except (binascii.Error, ValueError):
        raise _json.Malformed("bytes are not in base64") from None
