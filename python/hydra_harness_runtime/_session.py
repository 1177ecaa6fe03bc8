"""One conversation with one runtime: the handshake, the calls in flight, the end.

A call may be submitted before the handshake is through; it is sent right after
it. So nobody ever waits for a start: everybody waits for an answer, with the
time-out of that call, from any thread or event loop.
"""

from __future__ import annotations

import copy
import itertools
import logging
import os
import signal
import threading
from typing import TYPE_CHECKING, Protocol

from . import _json, _protocol
from ._errors import ConfigError, HarnessError, RuntimeClosedError, RuntimeInternalError, RuntimeProtocolError
from ._future import Future
from ._logs import last_words, tell
from ._version import __version__

if TYPE_CHECKING:
    from ._protocol import Request
    from ._transports import Ending, Transport

__all__ = ["Call", "Session"]

_HANDSHAKE = 0
"""The id of ``initialize``; calls count from 1."""

_PROBE_SECONDS = 5.0
"""After a time-out the runtime is asked for a sign of life. A healthy one answers a
ping within milliseconds however busy its searches are."""

_USAGE_STATUS = 2
"""The runtime's exit status for a bad flag or a bad configuration."""

_logger = logging.getLogger(__package__)


class EndHandler(Protocol):
    """Hears that a session is over, and whether that was unasked for."""

    def __call__(self, session: Session, failure: HarnessError, *, crashed: bool) -> None: ...


class Call:
    """One request and its fate. Its future ends with the result or with a :class:`HarnessError`.

    Made before it is submitted, so that whoever is interrupted in the middle of
    submitting it still has it in hand, to abandon it.
    """

    __slots__ = ("future", "number", "pid", "request", "session")

    def __init__(self, request: Request) -> None:
        self.future: Future[dict[str, object]] = Future()
        self.request = request
        self.pid = os.getpid()
        self.number = 0
        self.session: Session | None = None

    def abandon(self, reason: str, *, suspect: bool = False) -> None:
        """Nobody waits any more: the runtime is to stop the work.

        *suspect* also asks it for a sign of life; a runtime that gives none is
        ended, so that the next call gets a new one. Without effect on a call
        that was answered, and on one of the process that forked this one.
        """
        self.future.cancel()
        if self.session is not None and self.pid == os.getpid():
            self.session.abandon(self, reason, suspect=suspect)

    def stderr_tail(self) -> str:
        """What the runtime last printed for people."""
        return "" if self.session is None else self.session.stderr_tail()


class Session:
    """Implements :class:`Receiver` over one transport; thread-safe."""

    def __init__(self, transport: Transport, on_end: EndHandler) -> None:
        self.instructions = ""
        self.server_version = ""
        self._transport = transport
        self._on_end = on_end
        self._numbers = itertools.count(_HANDSHAKE + 1)
        # No lock guards what follows: a signal handler may interrupt a caller at any
        # statement and wait for a call of its own, and whoever answers that must not have
        # to wait for the interrupted one. Each step is one operation of a dict.
        self._opening: dict[None, int] = {}
        self._opened = False
        self._calls: dict[int, Call] = {}
        self._backlog: dict[int, bytes] = {}  # lines that wait for the handshake
        self._ready = False
        self._failure: dict[None, HarnessError] = {}

    def open(self) -> None:
        """Begin, unless it has begun; returns at once."""
        # Once more by a handler that interrupted the very opening: the transport takes one of the two.
        me = threading.get_ident()
        if not self._opened and self._opening.setdefault(None, me) == me:
            self._transport.open(self)
            self._opened = True

    @property
    def pid(self) -> int | None:
        """The process of the runtime, once it is started."""
        return self._transport.pid

    def stderr_tail(self) -> str:
        """What the runtime last printed for people."""
        return self._transport.stderr_tail()

    # --- callers' side

    def submit(self, call: Call) -> None:
        """Send the request of *call*, or keep it until the handshake is through; never blocks.

        Raises :class:`ToolArgumentError` when it has no form on the wire.
        """
        number = next(self._numbers)
        line = _protocol.encode_request(number, call.request)
        call.session, call.number = self, number
        self._calls[number] = call
        if failure := self._failure.get(None):  # asked after the call is there, which _fail() would find else
            self._take(number)
            call.future.set_exception(copy.copy(failure))
        elif self._ready:
            try:
                self._transport.send(line)
            except Exception:  # it never left, and no answer will take it away
                self._take(number)
                raise
        else:
            self._backlog[number] = line
            if self._ready:  # meanwhile
                self._flush()

    def abandon(self, call: Call, reason: str, *, suspect: bool) -> None:
        """See :meth:`Call.abandon`."""
        in_flight = self._take(call.number) is not None
        waiting = self._backlog.pop(call.number, None) is not None
        if not in_flight or waiting or not self._ready:  # never sent, and a start has its own deadline
            return
        self._transport.send(
            _protocol.encode_notification("notifications/cancelled", {"requestId": call.number, "reason": reason})
        )
        if suspect:
            self._transport.send(_protocol.encode_request(next(self._numbers), _protocol.Request("ping")))
            self._transport.expect_line(_PROBE_SECONDS)

    def close(self) -> None:
        """No more calls; those in flight fail; the runtime is told to end by itself."""
        try:
            self._fail(RuntimeClosedError("the runtime was closed"))
        finally:  # also when Ctrl-C comes just now
            self._transport.hang_up()

    def kill(self) -> None:
        """End the runtime now."""
        self._transport.kill()

    def discard(self) -> None:
        """End a runtime whose start was interrupted: nobody knows how far it came."""
        try:
            message = "the start of the runtime was interrupted by another caller"
            self._fail(RuntimeClosedError(message, code="RUNTIME_CRASHED", mender="time"))
        finally:
            self._transport.kill()

    def forget(self) -> None:
        """In a forked child: the runtime belongs to the parent, and so do the calls."""
        self._calls = {}
        self._transport.forget()

    @property
    def ended(self) -> Future[None]:
        """Done once the process is gone."""
        return self._transport.ended

    def wait(self, seconds: float) -> bool:
        """Wait for the process to be gone; whether it is."""
        return self.ended.wait(seconds)

    # --- the transport's side

    def on_open(self) -> None:
        request = _protocol.Request(
            "initialize",
            {
                "protocolVersion": _protocol.PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "hydra-harness-runtime-python", "version": __version__},
            },
        )
        self._transport.send(_protocol.encode_request(_HANDSHAKE, request))

    def on_line(self, line: bytes) -> None:
        message = _protocol.parse(line)
        if isinstance(message, _protocol.Success):
            if message.id == _HANDSHAKE:
                self._greeted(message.result)
            elif (call := self._take(message.id)) is not None:
                call.future.set_result(message.result)
        elif isinstance(message, _protocol.Failure):
            if message.id == _HANDSHAKE:
                raise _json.Malformed(f"it refused the handshake: {message.error.get('message')}")
            if (call := self._take(message.id)) is not None:
                call.future.set_exception(_error(message.error, call.request.method))
        elif isinstance(message, _protocol.Incoming):
            answer = (
                _protocol.encode_success(message.id, {})
                if message.method == "ping"
                else _protocol.encode_refusal(message)
            )
            self._transport.send(answer)
        else:
            tell(_logger, logging.DEBUG, "notification %s: %s", message.method, message.params)

    def on_end(self, ending: Ending) -> None:
        failure = ending.error or _explain(ending, self.server_version)
        crashed = not self._failure
        # First the engine: a caller that hears of the end may try again at once,
        # and must not be given this session.
        try:
            self._on_end(self, failure, crashed=crashed)
        finally:
            self._fail(failure)

    def _greeted(self, result: dict[str, object]) -> None:
        self.instructions = _json.opt_text(result, "instructions")
        self.server_version = _json.opt_text(_json.member(result, "serverInfo"), "version")
        self._transport.send(_protocol.encode_notification("notifications/initialized"))
        self._ready = True
        self._flush()

    def _flush(self) -> None:
        """Send what waited. Who takes a line out of the backlog is the one who sends it, or drops it."""
        while self._backlog:
            for number in list(self._backlog):
                if line := self._backlog.pop(number, None):
                    self._transport.send(line)

    def _take(self, number: int) -> Call | None:
        """The call that an answer belongs to; ``None`` for one that nobody waits for."""
        return self._calls.pop(number, None)

    def _fail(self, failure: HarnessError) -> None:
        failure = self._failure.setdefault(None, failure)
        # Who adds a call from now on sees the failure and takes it away. Each goes after it has heard of
        # the end: if Ctrl-C comes in the middle, the transport's own end finds those that have not.
        for number, call in list(self._calls.items()):
            # One exception each: an exception object collects a traceback.
            call.future.set_exception(copy.copy(failure))
            self._calls.pop(number, None)


def _error(error: dict[str, object], method: str) -> HarnessError:
    try:
        return _protocol.error_from_reply(error, method)
    except _json.Malformed as malformed:
        return RuntimeInternalError(f"{method}: an error of unknown form: {malformed}", details=error)


def _explain(ending: Ending, version: str) -> HarnessError:
    """What it means for the callers that the connection is over."""
    tail = ending.stderr_tail
    # A Go panic ends with the same status; only the line tells them apart.
    if ending.exit_code == _USAGE_STATUS and (told := _told(tail)):
        return ConfigError(told)
    how = ending.fault or _status(ending.exit_code)
    last = last_words(tail)
    # Before the handshake nobody has said which one it is; this package asks for its own.
    program = f"hydra-harness-runtime {version or __version__}"
    message = f"the runtime is gone ({program}): {how}" + (f"; it last said: {last}" if last else "")
    kind = RuntimeProtocolError if ending.garbage else RuntimeClosedError
    code = None if ending.garbage else "RUNTIME_CRASHED"
    return kind(message, code=code, mender="time", exit_code=ending.exit_code, stderr_tail=tail)


def _told(tail: str) -> str:
    """The message of the one JSON line with which the runtime refuses its set-up."""
    for line in reversed(tail.splitlines()):
        try:
            value = _json.as_object(_json.decode(line))
            if value.get("code") == ConfigError.default_code:
                return _json.opt_text(value, "message")
        except _json.Malformed:
            continue
    return ""


def _status(code: int | None) -> str:
    if code is None:
        return "the connection ended"
    if code >= 0:
        return f"it exited with status {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
