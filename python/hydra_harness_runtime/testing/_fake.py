"""The fake runtime: a function from messages to messages, and clients connected to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _json, _protocol
from .._aio import AsyncRuntime
from .._client import Runtime
from .._errors import HarnessError, InvalidPatternError, RuntimeInternalError, SpillNotFoundError, ToolArgumentError
from .._search_config import SearchConfig
from .._transports.mock import MockTransport
from .._version import __version__
from ._search import find_files, find_lines, with_context

if TYPE_CHECKING:
    from .._shell.types import Decision

__all__ = ["FakeRuntime", "RecordedCall"]

Params = dict[str, object]
Answer = dict[str, object]
Handler = Callable[[Params], Mapping[str, object]]

GUIDANCE = "This is a fake runtime for tests."

_CUSTOM_ERROR = 1
"""Any number outside the range that JSON-RPC keeps for itself."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request as it arrived."""

    method: str
    """E.g. ``hydra/search/grep``."""
    params: Mapping[str, object]
    """Its parameters, ``_meta`` apart."""
    meta: Mapping[str, object]
    """Its ``_meta``: owner, working directory, deadline."""


class FakeRuntime:
    """Answers what a runtime would answer for *files*, names to texts.

    *decide* is the gate's decision for each command; without it every command
    is an ``ask``. ``calls`` records what was asked. :meth:`FakeRuntime.respond` replaces
    the answer of one method.
    """

    def __init__(
        self, files: Mapping[str, str] | None = None, *, decide: Callable[[str], Decision] | None = None
    ) -> None:
        self.files = dict(files or {})
        self.calls: list[RecordedCall] = []
        self._decide = decide
        self._handlers: dict[str, Handler] = {
            "initialize": self._initialize,
            "ping": _nothing,
            "tools/list": self._tools,
            "tools/call": self._call,
            "hydra/info": self._info,
            "hydra/search/glob": self._glob,
            "hydra/search/grep": self._grep,
            "hydra/spill/list": _no_results,
            "hydra/spill/read": self._no_result,
            "hydra/spill/stat": self._no_result,
            "hydra/spill/delete": self._no_result,
            "hydra/shell/gate": self._gate,
            "hydra/shell/confirm": self._gate,
        }

    def client(self, workdir: str = ".", *, search: SearchConfig | None = None, owner: str = "test") -> Runtime:
        """A synchronous client of this fake; nothing is started."""
        return Runtime(workdir, search=search or _SEARCH, owner=owner, transport=self._connect)

    def async_client(
        self, workdir: str = ".", *, search: SearchConfig | None = None, owner: str = "test"
    ) -> AsyncRuntime:
        """An asynchronous client of this fake; nothing is started."""
        return AsyncRuntime(workdir, search=search or _SEARCH, owner=owner, transport=self._connect)

    def respond(self, method: str, handler: Handler) -> None:
        """Answer *method* by *handler*, which gets the parameters and gives the
        result, or raises a :class:`HarnessError` that the caller is to see."""
        self._handlers[method] = handler

    def answer(self, message: Params) -> list[Answer]:
        """The messages with which a runtime answers *message*: none for a notification."""
        number, method = message.get("id"), message.get("method")
        if number is None or not isinstance(method, str):
            return []
        params = _json.member(message, "params")
        meta = _json.as_object(params.pop("_meta", {}))
        if method not in ("initialize", "ping"):
            self.calls.append(RecordedCall(method, dict(params), meta))
        handler = self._handlers.get(method)
        if handler is None:
            return [_failure(number, -32601, f"method not found: {method}")]
        try:
            return [{"jsonrpc": "2.0", "id": number, "result": dict(handler(params))}]
        except HarnessError as error:
            return [_failure(number, _CUSTOM_ERROR, error.message, _error_object(error))]
        except _json.Malformed as error:
            return [_failure(number, -32602, str(error))]

    def _connect(self) -> MockTransport:
        return MockTransport(self.answer)

    def _initialize(self, params: Params) -> Answer:
        return {
            "protocolVersion": params.get("protocolVersion", _protocol.PROTOCOL_VERSION),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hydra-harness-runtime-fake", "version": __version__},
            "instructions": GUIDANCE,
        }

    def _info(self, _: Params) -> Answer:
        return {
            "version": __version__,
            "api": 1,
            "pid": 0,
            "ripgrep": {"version": "", "sha256": "", "path": ""},
            "roots": [],
            "limits": {},
            "guidance": GUIDANCE,
        }

    def _glob(self, params: Params) -> Answer:
        path = _json.opt_text(params, "path")
        return {"root": path or ".", "paths": find_files(self.files, _pattern(params), path)}

    def _grep(self, params: Params) -> Answer:
        pattern, case = _pattern(params), params.get("case")
        ignore = case == "insensitive" or (case == "smart" and pattern == pattern.lower())
        try:
            source = re.escape(pattern) if params.get("literal") else pattern
            expression = re.compile(source, re.IGNORECASE if ignore else 0)
        except re.error as error:
            raise InvalidPatternError(f"the pattern {pattern!r} is not a regular expression: {error}") from None
        found = list(
            find_lines(self.files, expression, _json.opt_text(params, "path"), _json.opt_text(params, "include"))
        )
        if params.get("filesOnly") or params.get("count"):
            counts = Counter(path for path, _, _ in found)
            files = [
                {"path": path, "count": n} if params.get("count") else {"path": path} for path, n in counts.items()
            ]
            return {"matches": [], "files": files}
        around = _json.integer(params, "before", 0), _json.integer(params, "after", 0)
        return {"matches": list(with_context(self.files, found, *around))}

    def _tools(self, _: Params) -> Answer:
        def tool(name: str, *optional: str) -> Answer:
            properties = {key: {"type": "string"} for key in ("pattern", "path", *optional)}
            schema = {"type": "object", "properties": properties, "required": ["pattern"]}
            return {"name": name, "description": f"The fake {name} tool.", "inputSchema": schema}

        return {"tools": [tool("glob"), tool("grep", "include")]}

    def _call(self, params: Params) -> Answer:
        name, arguments = _json.text(params, "name"), _json.member(params, "arguments")
        try:
            if name == "glob":
                value = self._glob(arguments)
                text = "\n".join(_json.texts(value, "paths")) or "No files found"
            elif name == "grep":
                value = self._grep(arguments)
                text = _page(_json.objects(value, "matches")) or "No matches found"
            else:
                raise ToolArgumentError(f"there is no tool {name!r}")
        except HarnessError as error:
            text = f"Error: {error}"
            return {
                "content": [{"type": "text", "text": text}],
                "isError": True,
                "_meta": {_protocol.ERROR_META: _error_object(error)},
            }
        return {"content": [{"type": "text", "text": text}], "structuredContent": value}

    def _gate(self, params: Params) -> Answer:
        command = _json.text(params, "command")
        if self._decide is None:
            reasons = [{"code": "FAKE", "message": "the fake runtime does not judge commands"}]
            return {"decision": "ask", "reasons": reasons, "establishment": {}, "digest": "fake"}
        return {"decision": self._decide(command), "reasons": [], "establishment": {}, "digest": "fake"}

    def _no_result(self, params: Params) -> Answer:
        raise SpillNotFoundError(f"there is no saved result {params.get('id')!r}")


_SEARCH = SearchConfig(sample_over_cap_glob_results=False)


def _nothing(_: Params) -> Answer:
    return {}


def _no_results(_: Params) -> Answer:
    return {"results": []}


def _pattern(params: Params) -> str:
    pattern = params.get("pattern")
    if not isinstance(pattern, str) or not pattern.strip():
        raise ToolArgumentError("pattern is blank")
    return pattern


def _page(matches: list[Answer]) -> str:
    lines: list[str] = []
    last = None
    for match in matches:
        if match["path"] != last:
            last = match["path"]
            lines.append(f"{last}:")
        lines.append(f"  Line {match['lineNumber']}: {match['line']}")
    return "\n".join(lines)


def _failure(number: object, code: int, message: str, data: Mapping[str, object] | None = None) -> Answer:
    error: Answer = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _error_object(error: HarnessError) -> Answer:
    name = "RuntimeError" if isinstance(error, RuntimeInternalError) else type(error).__name__
    return {"name": name, "code": error.code, "retryable": error.retryable, "details": dict(error.details)}
