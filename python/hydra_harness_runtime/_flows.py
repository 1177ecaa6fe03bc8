"""Every call of the API, written once for both clients and without any input or output.

A flow is a generator: it yields the requests to make, is sent their results,
and returns the typed value. The synchronous client drives it by waiting, the
asynchronous one by awaiting; neither knows what it says.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from . import _decode, _json, _shell_decode
from ._errors import ConfigError, RuntimeProtocolError, SearchFailedError, ToolArgumentError
from ._protocol import Request
from ._types import GlobResult, GrepResult, RuntimeInfo, ToolDefinition, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._shell_types import (
        Boundary,
        Confirmation,
        EstablishedPlan,
        GateDecision,
        Reestablishment,
        ShellPlan,
    )
    from ._spill_types import SpillArtifact, SpillSweep, SpillText

T = TypeVar("T")

Reply = dict[str, object]
Flow = Generator[Request, Reply, T]

AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Case = Literal["sensitive", "insensitive", "smart"]

_SEARCH_ATTEMPTS = 3
"""How often a search of several pages is begun on a tree that keeps changing."""

_MAX_PAGES = 100_000
"""A cursor that never ends is a fault of the runtime, not a large result."""


def glob(pattern: str, path: AnyPath | None, *, cursor: str | None) -> Flow[GlobResult]:
    params: dict[str, object] = {"pattern": _text("pattern", pattern), **_path("path", path)}
    pages = yield from _search("hydra/search/glob", params, cursor)
    paths, exact = list[str](), dict[int, bytes]()
    for page in pages:
        exact |= _decode.path_bytes(page, len(paths))
        paths += _json.texts(page, "paths")
    last = pages[-1]
    root, root_bytes = _json.text(last, "root"), _decode.exact_bytes(last, "rootBytes")
    return GlobResult(root, tuple(paths), exact, root_bytes, **_decode.report(last))


def grep(
    pattern: str,
    path: AnyPath | None,
    include: str | None,
    *,
    case: Case,
    literal: bool,
    multiline: bool,
    before: int,
    after: int,
    files_only: bool,
    count: bool,
    cursor: str | None,
) -> Flow[GrepResult]:
    params: dict[str, object] = {"pattern": _text("pattern", pattern), **_path("path", path)}
    if include is not None:
        params["include"] = _text("include", include)
    if case != "sensitive":
        params["case"] = _text("case", case)
    flags = {"literal": literal, "multiline": multiline, "filesOnly": files_only, "count": count}
    params |= {name: True for name, asked in flags.items() if asked}
    params |= {name: _count(name, lines) for name, lines in (("before", before), ("after", after)) if lines}
    pages = yield from _search("hydra/search/grep", params, cursor)
    matches = [match for page in pages for match in _decode.matches(page)]
    files = [file for page in pages for file in _decode.files(page)]
    return GrepResult(tuple(matches), tuple(files), **_decode.report(pages[-1]))


def call_tool(name: str, arguments: Mapping[str, object]) -> Flow[ToolResult]:
    reply = yield Request("tools/call", {"name": _text("name", name), "arguments": dict(arguments)})
    return _decode.tool_result(reply)


def tools() -> Flow[tuple[ToolDefinition, ...]]:
    found: list[ToolDefinition] = []
    for request in (pages := _Pages("tools/list", {})):
        reply = yield request
        pages.take(reply)
        found += [_decode.tool_definition(value) for value in _json.objects(reply, "tools")]
    return tuple(found)


def info() -> Flow[RuntimeInfo]:
    return _decode.info((yield Request("hydra/info")))


def guidance() -> Flow[str]:
    return _json.opt_text((yield Request("hydra/info")), "guidance")


# --- spill


def spill_read(
    artifact: str, *, offset: int | None, length: int | None, line: int | None, lines: int | None
) -> Flow[SpillText]:
    by_bytes, by_lines = offset is not None or length is not None, line is not None or lines is not None
    if by_bytes and by_lines:
        raise ToolArgumentError("spill.read takes a range of bytes or a range of lines, not both")
    params: dict[str, object] = {"id": _text("artifact", artifact)}
    asked = {"offset": offset, "length": length, "line": line, "lines": lines}
    for name, value in asked.items():
        if value is not None:
            params["limit" if name == "length" else name] = _count(name, value)
    if by_lines and line is None:
        params["line"] = 1
    reply = yield Request("hydra/spill/read", params)
    return _decode.spill_text(reply)


def spill_stat(artifact: str) -> Flow[SpillArtifact]:
    reply = yield Request("hydra/spill/stat", {"id": _text("artifact", artifact)})
    return _decode.artifact(_json.member(reply, "artifact") or reply)


def spill_list() -> Flow[tuple[SpillArtifact, ...]]:
    found: list[SpillArtifact] = []
    for request in (pages := _Pages("hydra/spill/list", {})):
        reply = yield request
        pages.take(reply)
        found += [_decode.artifact(value) for value in _json.objects(reply, "artifacts")]
    return tuple(found)


def spill_delete(artifact: str) -> Flow[None]:
    yield Request("hydra/spill/delete", {"id": _text("artifact", artifact)}, read_only=False)


def spill_sweep() -> Flow[SpillSweep]:
    return _decode.swept((yield Request("hydra/spill/sweep", read_only=False)))


# --- shell


def plan(command: str, *, shell: str, cwd: AnyPath | None, env: Mapping[str, str] | None) -> Flow[ShellPlan]:
    return _shell_decode.plan((yield Request("hydra/shell/plan", _command(command, shell, cwd, env))))


def establish(
    plan: ShellPlan | Mapping[str, object],
    boundary: Boundary,
    *,
    lexical: bool,
    capabilities: Mapping[str, object] | None,
) -> Flow[EstablishedPlan]:
    params: dict[str, object] = {"plan": _raw(plan), "boundary": boundary.to_wire()}
    if lexical:
        params["lexical"] = True
    if capabilities is not None:
        params["capabilities"] = dict(capabilities)
    return _shell_decode.established((yield Request("hydra/shell/establish", params)))


def reestablish(previous: EstablishedPlan | Mapping[str, object], boundary: Boundary | None) -> Flow[Reestablishment]:
    params: dict[str, object] = {"previous": _raw(previous)}
    if boundary is not None:
        params["boundary"] = boundary.to_wire()
    return _shell_decode.reestablishment((yield Request("hydra/shell/reestablish", params)))


def gate(
    command: str,
    boundary: Boundary,
    *,
    shell: str,
    env: Mapping[str, str] | None,
    policy: Mapping[str, object] | None,
) -> Flow[GateDecision]:
    params = {**_command(command, shell, None, env), "boundary": boundary.to_wire()}
    if policy is not None:
        params["policy"] = dict(policy)
    return _shell_decode.decision((yield Request("hydra/shell/gate", params)), command, params)


def confirm(decision: GateDecision) -> Flow[Confirmation]:
    params = {**decision.request, "establishment": decision.establishment, "digest": decision.digest}
    return _shell_decode.confirmation((yield Request("hydra/shell/confirm", params)))


# --- the pieces


def _search(method: str, params: Mapping[str, object], cursor: str | None) -> Flow[list[Reply]]:
    """All pages of a search; from the first again when the tree changed between two of them.

    With a *cursor*, the one page that it asks for.
    """
    if cursor is not None:
        return [(yield Request(method, {**params, "cursor": cursor} if _text("cursor", cursor) else params))]
    attempts = _SEARCH_ATTEMPTS
    while True:
        found: list[Reply] = []
        try:
            for request in (pages := _Pages(method, params)):
                reply = yield request
                pages.take(reply)
                found.append(reply)
        except SearchFailedError as error:
            attempts -= 1
            if error.details.get("reason") != "changed" or not attempts:
                raise
        else:
            return found


class _Pages:
    """The requests for one answer after the other, until there is no cursor."""

    def __init__(self, method: str, params: Mapping[str, object]) -> None:
        self._method = method
        self._params = dict(params)
        self._cursor: object = None
        self._count = 0

    def __iter__(self) -> _Pages:
        return self

    def __next__(self) -> Request:
        if self._count and not self._cursor:
            raise StopIteration
        self._count += 1
        if self._count > _MAX_PAGES:
            raise RuntimeProtocolError(f"{self._method}: more than {_MAX_PAGES} pages")
        return Request(self._method, {**self._params, "cursor": self._cursor} if self._cursor else self._params)

    def take(self, reply: Reply) -> None:
        """Note how *reply* goes on."""
        self._cursor = reply.get("nextCursor")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ToolArgumentError(f"{name} must be text, not {type(value).__name__}")
    return value


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ToolArgumentError(f"{name} must be a whole number from 0, not {value!r}")
    return value


def _path(name: str, path: object) -> dict[str, object]:
    """The member for a path: its text, or its bytes where they are not UTF-8."""
    if path is None:
        return {}
    try:
        exact = os.fsencode(cast("AnyPath", path))
    except TypeError:
        raise ToolArgumentError(f"{name} must be a path, not {type(path).__name__}") from None
    except UnicodeEncodeError:
        raise ToolArgumentError(f"{name} {path!r} holds a character that no file name or command can have") from None
    try:
        return {name: exact.decode()}
    except UnicodeDecodeError:
        return {f"{name}Bytes": base64.b64encode(exact).decode()}


def _command(command: str, shell: str, cwd: AnyPath | None, env: Mapping[str, str] | None) -> dict[str, object]:
    params: dict[str, object] = {**_path("command", _text("command", command)), "shell": _text("shell", shell)}
    params |= _path("cwd", cwd)
    if env is not None:
        params["env"] = dict(env)
    return params


def _raw(value: object) -> Mapping[str, object]:
    found = getattr(value, "raw", value)
    try:
        return _json.as_object(found, "the value")
    except _json.Malformed:
        raise ConfigError(f"a plan or an establishment is needed, not {type(value).__name__}") from None
