"""The wire, without any input or output: MCP's JSON-RPC, one message a line.

Both clients and every transport share this module; it can be tested with
nothing but bytes. Numbers and names are those of the Model Context Protocol;
``hydra/*`` methods and ``dev.hydra-harness/*`` keys are this runtime's own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import _json
from ._errors import (
    BadPlanError,
    ConfigError,
    EstablishAbortedError,
    EstablishError,
    HarnessError,
    InvalidPatternError,
    RawOutputOverflowError,
    RuntimeBusyError,
    RuntimeClosedError,
    RuntimeInternalError,
    SearchAbortedError,
    SearchError,
    SearchFailedError,
    SearchTimeoutError,
    SpillError,
    SpillNotFoundError,
    SpillQuotaError,
    ToolArgumentError,
    UnsupportedMethodError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ._errors import Mender

__all__ = [
    "ERROR_META",
    "MAX_DEADLINE_MS",
    "MAX_FRAME_BYTES",
    "MAX_REQUEST_BYTES",
    "PROTOCOL_VERSION",
    "Failure",
    "Incoming",
    "Notification",
    "Request",
    "Splitter",
    "Success",
    "encode_notification",
    "encode_refusal",
    "encode_request",
    "encode_success",
    "error_from_object",
    "error_from_reply",
    "parse",
    "request_meta",
]

PROTOCOL_VERSION = "2025-06-18"
"""The revision that this client asks for; the server may answer with another."""

MAX_REQUEST_BYTES = 16 << 20
"""The runtime refuses longer lines; refusing them here gives a typed error instead."""

MAX_FRAME_BYTES = 32 << 20
"""The runtime's lines are at most half as long; what is longer is not an answer."""

MAX_DEADLINE_MS = 2147483647
"""The longest deadline that the runtime takes; a longer one is as good as this."""

_PREFIX = "dev.hydra-harness/"

ERROR_META = _PREFIX + "error"
"""Where a failed tool call carries the error object, in the result's ``_meta``."""

_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602


@dataclass(frozen=True, slots=True)
class Request:
    """One call: what is asked, and whether asking twice does no harm."""

    method: str
    params: Mapping[str, object] = field(default_factory=dict[str, object])
    read_only: bool = True

    def with_meta(self, meta: Mapping[str, object]) -> Request:
        """The same request with *meta* as its ``params._meta``."""
        return Request(self.method, {**self.params, "_meta": meta}, self.read_only) if meta else self


@dataclass(frozen=True, slots=True)
class Success:
    """The answer to the request with this id."""

    id: int
    result: dict[str, object]


@dataclass(frozen=True, slots=True)
class Failure:
    """The error that answers the request with this id."""

    id: int
    error: dict[str, object]


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request of the server to the client; ``id`` is given back as it came."""

    id: int | str
    method: str


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that wants no answer."""

    method: str
    params: dict[str, object]


Message = Success | Failure | Incoming | Notification


def request_meta(
    *, owner: str | None = None, workdir: str | None = None, deadline_ms: int | None = None, nested: bool = False
) -> dict[str, object]:
    """``params._meta`` of one call: nothing is kept per connection, so all of it travels."""
    meta: dict[str, object] = {}
    if owner is not None:
        meta[_PREFIX + "owner"] = owner
    if workdir is not None:
        meta[_PREFIX + "workdir"] = workdir
    if deadline_ms is not None:
        meta[_PREFIX + "deadlineMs"] = min(deadline_ms, MAX_DEADLINE_MS)
    if nested:
        meta[_PREFIX + "nested"] = True
    return meta


def encode_request(number: int, request: Request) -> bytes:
    """The line of a request.

    Raises :class:`ToolArgumentError` for text that has no UTF-8 form (lone
    surrogates), for values that JSON has no form for, and for a line over
    :data:`MAX_REQUEST_BYTES`.
    """
    message = {"jsonrpc": "2.0", "id": number, "method": request.method, "params": request.params}
    try:
        line = _line(message)
    except UnicodeEncodeError as error:
        piece = error.object[error.start : error.end]
        raise ToolArgumentError(
            f"{request.method}: {piece!r} is not text that UTF-8 can carry; give a path that is not UTF-8 as bytes"
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolArgumentError(f"{request.method}: the arguments have no JSON form ({error})") from None
    if len(line) > MAX_REQUEST_BYTES:
        raise ToolArgumentError(
            f"{request.method}: the request has {len(line)} bytes, the runtime takes {MAX_REQUEST_BYTES}; shorten it",
            details={"bytes": len(line), "maxBytes": MAX_REQUEST_BYTES},
        )
    return line


def encode_notification(method: str, params: Mapping[str, object] | None = None) -> bytes:
    """The line of a notification."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return _line(message)


def encode_success(number: int | str, result: Mapping[str, object]) -> bytes:
    """The line that answers a request of the server."""
    return _line({"jsonrpc": "2.0", "id": number, "result": result})


def encode_refusal(incoming: Incoming) -> bytes:
    """The line that says that this client has no such method."""
    error = {"code": _METHOD_NOT_FOUND, "message": f"no method {incoming.method}"}
    return _line({"jsonrpc": "2.0", "id": incoming.id, "error": error})


def _line(message: Mapping[str, object]) -> bytes:
    # Not ensure_ascii: the escape of a lone surrogate would arrive as U+FFFD,
    # that is, as another path; here it is an error instead.
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


class Splitter:
    """Cuts a stream of bytes into lines, whatever pieces it arrives in."""

    def __init__(self, limit: int = MAX_FRAME_BYTES) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._scanned = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that *data* completes, without their line ends or empty lines.

        Raises :class:`Malformed` when a line grows past the limit.
        """
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._scanned)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._scanned = 0
            if line.strip():
                yield line
        self._scanned = len(self._buffer)
        if self._scanned > self._limit:
            raise _json.Malformed(f"a line of more than {self._limit} bytes")


def parse(line: bytes) -> Message:
    """The message of one line; :class:`Malformed` when it is not one."""
    value = _json.as_object(_json.decode(line), "the message")
    number = value.get("id")
    if "method" in value:
        method = _json.text(value, "method")
        if number is None:
            return Notification(method, _json.member(value, "params"))
        if isinstance(number, bool) or not isinstance(number, int | str):
            raise _json.Malformed("the id of the message is neither a number nor text")
        return Incoming(number, method)
    if isinstance(number, bool) or not isinstance(number, int):
        raise _json.Malformed("the message answers no request of ours")
    if "error" in value:
        return Failure(number, _json.as_object(value["error"], '"error"'))
    return Success(number, _json.as_object(value.get("result"), '"result"'))


_CLASSES: dict[str, type[HarnessError]] = {
    cls.default_code: cls
    for cls in (
        BadPlanError,
        ConfigError,
        EstablishAbortedError,
        EstablishError,
        InvalidPatternError,
        RawOutputOverflowError,
        RuntimeBusyError,
        RuntimeInternalError,
        SearchAbortedError,
        SearchFailedError,
        SpillError,
        SpillNotFoundError,
        SpillQuotaError,
        ToolArgumentError,
    )
}
_CLASSES["RUNTIME_SHUTTING_DOWN"] = RuntimeClosedError

_FAMILIES: tuple[tuple[str, type[HarnessError]], ...] = (
    ("SEARCH_", SearchError),
    ("ESTABLISH_", EstablishError),
    ("SPILL_", SpillError),
)
"""For codes that a newer runtime may add: the base class of their family."""


def error_from_object(value: Mapping[str, object], message: str) -> HarnessError:
    """The exception for the runtime's error object ``{name, code, retryable, details}``."""
    code, details = _json.opt_text(value, "code"), _json.member(value, "details")
    family = next((cls for prefix, cls in _FAMILIES if code.startswith(prefix)), HarnessError)
    kind = _CLASSES.get(code, family)
    if kind is SearchAbortedError and details.get("reason") == "timeout":
        kind = SearchTimeoutError
    return kind(
        message, code=code or None, details=details, mender=_mender(kind, retryable=_json.flag(value, "retryable"))
    )


def _mender(kind: type[HarnessError], *, retryable: bool) -> Mender:
    """Who can mend it: by the code, unless the runtime says otherwise of this one.

    Where waiting does not help by itself, what helps is other arguments.
    """
    usual = kind.default_mender
    if retryable == (usual in ("caller", "time")):
        return usual
    return "caller" if retryable else "program"


def error_from_reply(error: Mapping[str, object], method: str) -> HarnessError:
    """The exception for the error of a JSON-RPC answer to *method*."""
    message = _json.opt_text(error, "message") or "no message"
    data = _json.member(error, "data")
    if "code" in data:
        return error_from_object(data, message)
    number = _json.integer(error, "code", 0)
    if number == _METHOD_NOT_FOUND:
        return UnsupportedMethodError(f"this runtime has no {method}: {message}")
    if number == _INVALID_PARAMS:
        return ToolArgumentError(f"{method}: {message}")
    return RuntimeInternalError(f"{method}: {message}", details={"number": number})
