"""Every call of the API, written once for both clients and without any input or output.

A flow is a generator: it yields the requests to make, is sent their results,
and returns the typed value. The synchronous client drives it by waiting, the
asynchronous one by awaiting; neither knows what it says.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Literal, TypeVar

from . import _decode, _json
from ._arguments import encoded, flag, kind_of, mapping, text, variables, whole
from ._errors import BadPlanError, RuntimeProtocolError, SearchFailedError, ToolArgumentError
from ._protocol import Request
from ._shell import decode
from ._shell.confine import Confine
from ._shell.types import Boundary, GateDecision, Policy
from ._types import GlobResult, GrepResult, RuntimeInfo, ToolDefinition, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._shell.types import Confirmation, EstablishedPlan, Reestablishment, ShellPlan
    from ._spill.types import SavedResult, SpillSweep, SpillText

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
    params: dict[str, object] = {"pattern": text("pattern", pattern), **encoded("path", path)}
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
    context: int,
    files_only: bool,
    count: bool,
    cursor: str | None,
) -> Flow[GrepResult]:
    params: dict[str, object] = {"pattern": text("pattern", pattern), **encoded("path", path)}
    if include is not None:
        params["include"] = text("include", include)
    if case != "sensitive":
        params["case"] = text("case", case)
    flags = {"literal": literal, "multiline": multiline, "filesOnly": files_only, "count": count}
    params |= {name: True for name, asked in flags.items() if flag(name, asked)}
    around = {"before": whole("before", before), "after": whole("after", after)}
    both = whole("context", context)
    params |= {name: lines or both for name, lines in around.items() if lines or both}
    pages = yield from _search("hydra/search/grep", params, cursor)
    matches = [match for page in pages for match in _decode.matches(page)]
    files = [file for page in pages for file in _decode.files(page)]
    return GrepResult(tuple(matches), tuple(files), **_decode.report(pages[-1]))


def call_tool(name: str, arguments: Mapping[str, object]) -> Flow[ToolResult]:
    reply = yield Request("tools/call", {"name": text("name", name), "arguments": mapping("arguments", arguments)})
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
    saved: str, *, offset: int | None, limit: int | None, line: int | None, lines: int | None
) -> Flow[SpillText]:
    by_bytes, by_lines = offset is not None or limit is not None, line is not None or lines is not None
    if by_bytes and by_lines:
        raise ToolArgumentError("spill.read takes a range of bytes or a range of lines, not both")
    params: dict[str, object] = {"id": text("saved", saved)}
    asked = {"offset": offset, "limit": limit, "line": line, "lines": lines}
    for name, value in asked.items():
        if value is not None:
            params[name] = whole(name, value)
    if by_lines and line is None:
        params["line"] = 1
    reply = yield Request("hydra/spill/read", params)
    return _decode.spill_text(reply)


def spill_stat(saved: str) -> Flow[SavedResult]:
    reply = yield Request("hydra/spill/stat", {"id": text("saved", saved)})
    return _decode.saved_result(reply)


def spill_list() -> Flow[tuple[SavedResult, ...]]:
    found: list[SavedResult] = []
    for request in (pages := _Pages("hydra/spill/list", {})):
        reply = yield request
        pages.take(reply)
        found += [_decode.saved_result(value) for value in _json.objects(reply, "results")]
    return tuple(found)


def spill_delete(saved: str) -> Flow[None]:
    yield Request("hydra/spill/delete", {"id": text("saved", saved)}, read_only=False)


def spill_sweep() -> Flow[SpillSweep]:
    return _decode.swept((yield Request("hydra/spill/sweep", read_only=False)))


# --- shell


def plan(command: str, *, shell: str, cwd: AnyPath | None, env: Mapping[str, str] | None) -> Flow[ShellPlan]:
    return decode.plan((yield Request("hydra/shell/plan", _command(command, shell, cwd, env))))


def establish(
    plan: ShellPlan | Mapping[str, object],
    boundary: Boundary,
    *,
    lexical: bool,
    capabilities: Mapping[str, object] | None,
) -> Flow[EstablishedPlan]:
    params: dict[str, object] = {"plan": _raw(plan), "boundary": kind_of("boundary", boundary, Boundary).to_wire()}
    if flag("lexical", lexical):
        params["lexical"] = True
    if capabilities is not None:
        params["capabilities"] = mapping("capabilities", capabilities)
    return decode.established((yield Request("hydra/shell/establish", params)))


def reestablish(previous: EstablishedPlan | Mapping[str, object], boundary: Boundary | None) -> Flow[Reestablishment]:
    params: dict[str, object] = {"previous": _raw(previous)}
    if boundary is not None:
        params["boundary"] = kind_of("boundary", boundary, Boundary).to_wire()
    return decode.reestablishment((yield Request("hydra/shell/reestablish", params)))


def gate(
    command: str,
    boundary: Boundary,
    *,
    shell: str,
    env: Mapping[str, str] | None,
    policy: Policy | None,
    confine: Confine | None,
) -> Flow[GateDecision]:
    params = {**_command(command, shell, None, env), "boundary": kind_of("boundary", boundary, Boundary).to_wire()}
    if policy is not None:
        params["policy"] = kind_of("policy", policy, Policy).to_wire()
    if confine is not None:
        params["confine"] = kind_of("confine", confine, Confine).to_wire()
        params["policy"] = {**(policy.to_wire() if policy else {}), "confine": confine.mode}
    return decode.decision((yield Request("hydra/shell/gate", params)), command, params)


def confirm(decision: GateDecision) -> Flow[Confirmation]:
    decision = kind_of("decision", decision, GateDecision)
    params = {**decision.request, "establishment": decision.establishment, "digest": decision.digest}
    return decode.confirmation((yield Request("hydra/shell/confirm", params)))


# --- the pieces


def _search(method: str, params: Mapping[str, object], cursor: str | None) -> Flow[list[Reply]]:
    """All pages of a search; from the first again when the tree changed between two of them.

    With a *cursor*, the one page that it asks for.
    """
    if cursor is not None:
        return [(yield Request(method, {**params, "cursor": cursor} if text("cursor", cursor) else params))]
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


def _command(command: str, shell: str, cwd: AnyPath | None, env: Mapping[str, str] | None) -> dict[str, object]:
    params: dict[str, object] = {**encoded("command", text("command", command)), "shell": text("shell", shell)}
    params |= encoded("cwd", cwd)
    if env is not None:
        params["env"] = variables("env", env)
    return params


def _raw(value: object) -> Mapping[str, object]:
    found = getattr(value, "raw", value)
    try:
        return _json.as_object(found, "the value")
    except _json.Malformed:
        raise BadPlanError(f"a plan or an establishment is needed, not {type(value).__name__}") from None
