"""A runtime in this very process: no pipe, no second program; the sidecar is still one.

The messages are those of the other transports, so that everything above this
file is the same: calls, errors, time-outs, restarts. Nobody waits inside Go for
longer than a millisecond: requests are handed over (``Start``), and one daemon
thread per runtime fetches the answers (``Wait``). So Ctrl-C and a cancelled task
are noticed at once, and a token ends the work behind them.
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import re
import signal
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _json, _protocol
from .._arguments import environment
from .._errors import HarnessError
from .._future import Future
from .._logs import LOGGER, StderrLog, tell
from .._threads import begin
from . import Ending
from ._extension import SUBPROCESS, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from . import Receiver
    from ._extension import Extension

__all__ = ["InprocessTransport", "Setup"]

_SEARCHES = frozenset({"tools/call", "hydra/search/glob", "hydra/search/grep", "hydra/info"})
"""The methods that start the sidecar: they need the environment, and SIGCHLD."""

_PATIENCE_US = 1000
"""How long any other call may be waited for in the caller's own thread, in
microseconds: most are answered in a tenth of that, and going on without a change
of thread makes them twice as fast. An interrupt, and an event loop, come that
much later."""

_ANSWER = re.compile(r'\{"jsonrpc":"2\.0","id":(\d+),')
"""How the line of an answer begins. Any other line is a log."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a runtime is opened with; ``env`` is ``None`` for that of this process, as it is at each call."""

    workdir: str
    ripgrep: str
    config: Mapping[str, object]
    env: Mapping[str, str] | None


class InprocessTransport:
    """See :class:`Transport`. *prepare* is called in the thread: it may hash files."""

    def __init__(self, prepare: Callable[[], Setup]) -> None:
        self.ended: Future[None] = Future()
        self.pid: int | None = None
        self._prepare = prepare
        self._log = StderrLog()
        self._fault = ""
        self._heard = 0  # lines
        self._tokens: dict[int, int] = {}  # by the number of the request
        self._runs: dict[None, object] = {}  # which thread it is: the first that came
        self._lock = threading.RLock()  # guards what follows; see Engine for the R
        self._room: _Room | None = None
        self._hanging_up = False

    def open(self, receiver: Receiver) -> None:
        self._receiver = receiver

        def refused(why: str) -> None:
            receiver.on_end(Ending(fault=f"no thread for it could be started: {why}"))
            self.ended.set_result(None)

        def work() -> None:
            # An open that a signal handler interrupts is perhaps made twice.
            me = object()
            if self._runs.setdefault(None, me) is me:
                self._run()

        begin(work, "hydra-harness-inprocess", refused)

    def send(self, line: bytes) -> None:
        room = self._room
        if room is None:
            return
        text = line.decode()
        message = _json.as_object(_json.decode(text))
        method = _json.text(message, "method")
        if method == "notifications/cancelled":
            room.cancel(self._tokens.get(_json.integer(_json.member(message, "params"), "requestId"), 0))
        elif "id" in message:
            number = _json.integer(message, "id")
            if method == "initialize":
                self._hear(_protocol.encode_success(number, room.greeting))
            else:
                self._start(room, number, method, text)

    def expect_line(self, seconds: float) -> None:
        heard = self._heard

        def check() -> None:
            if heard == self._heard and not self.ended.done():
                self._fault = "it did not answer and was given up"
                self.kill()

        timer = threading.Timer(seconds, check)
        timer.daemon = True
        timer.start()

    def hang_up(self) -> None:
        with self._lock:
            self._hanging_up = True
            room = self._room
        if room is not None:
            room.close()

    def kill(self) -> None:
        with self._lock:
            self._hanging_up = True
            room = self._room
        if room is not None:
            room.close(abandon=True)

    def forget(self) -> None:
        # Neither the thread nor the runtime is in this process.
        self._lock = threading.RLock()
        self._room = None

    def stderr_tail(self) -> str:
        return self._log.tail()

    def _start(self, room: _Room, number: int, method: str, text: str) -> None:
        patience = _PATIENCE_US
        if method in _SEARCHES:
            patience = 0
            if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
                self._hear(_refusal(number, _NO_SIGCHLD))
                return
            room.refresh_environment()
        token = room.extension.pybind_NewToken()
        self._tokens[number] = token
        try:
            answer = room.extension.pybind_Start(room.number, token, patience, text)
        except BaseException:  # nothing began that would give the token back
            self._tokens.pop(number, None)
            room.extension.pybind_FreeToken(token)
            raise
        if answer:
            self._take(answer)

    def _take(self, line: str) -> bool:
        """Pass an answer on; false for a line that is none."""
        answer = _ANSWER.match(line)
        if answer is None:
            return False
        self._tokens.pop(int(answer[1]), None)
        self._hear(line.encode())
        return True

    def _hear(self, line: bytes) -> None:
        self._receiver.on_line(line)

    # --- everything below runs in the thread

    def _run(self) -> None:
        ending = Ending()
        try:
            ending = self._converse(_Room(load(), self._prepare(), self._log))
        except HarnessError as error:
            ending = Ending(error=error)
        except _json.Malformed as error:
            fault = f"it answered something that is not the protocol: {error}"
            ending = Ending(fault=fault, garbage=True, stderr_tail=self._log.tail())
        except Exception as error:  # noqa: BLE001 - logged, and told to every caller
            tell(logging.getLogger(LOGGER), logging.ERROR, "the transport failed", exc_info=True)
            ending = Ending(fault=f"the transport failed: {error!r}", stderr_tail=self._log.tail())
        finally:
            self.kill()
            self._log.finish()
            try:
                self._receiver.on_end(ending)
            finally:
                self.ended.set_result(None)

    def _converse(self, room: _Room) -> Ending:
        with self._lock:
            self._room, hanging_up = room, self._hanging_up
        if hanging_up:
            room.close()
        self.pid = os.getpid()
        self._receiver.on_open()
        while answers := room.extension.pybind_Wait(room.number):
            for line in answers.split("\n"):
                self._heard += 1
                if not self._take(line):
                    room.note(line)
        return Ending(fault=self._fault, stderr_tail=self._log.tail())


class _Room:
    """One open runtime on the other side. Raises :class:`HarnessError` when it does not open."""

    def __init__(self, extension: Extension, setup: Setup, log: StderrLog) -> None:
        self.extension = extension
        self._log = log
        self._follows = setup.env is None
        self._lock = threading.RLock()
        self._environ = _environ(setup.env)
        params = {
            **_path("workdir", setup.workdir),
            **_path("ripgrep", setup.ripgrep),
            "config": setup.config,
            "environ": base64.b64encode(self._environ).decode(),
        }
        opened = self._call("runtime/open", params)
        self.number = _json.integer(opened, "runtime")
        self.greeting = {
            "protocolVersion": _protocol.PROTOCOL_VERSION,
            "capabilities": {},
            "serverInfo": {"name": "hydra-harness-inprocess", "version": _json.text(opened, "version")},
            "instructions": _json.opt_text(opened, "guidance"),
        }

    def refresh_environment(self) -> None:
        """Go has a copy of the environment as it was at the load: it is told of changes."""
        if not self._follows:
            return
        environ = _environ(None)
        with self._lock:
            if environ != self._environ:
                params = {"runtime": self.number, "environ": base64.b64encode(environ).decode()}
                self._call("runtime/environ", params)
                self._environ = environ

    def cancel(self, token: int) -> None:
        """End the work under a token; one that is answered is unknown, which is as well."""
        self.extension.pybind_Cancel(token)

    def close(self, *, abandon: bool = False) -> None:
        """End all work. ``abandon`` does not wait for what does not end."""
        with contextlib.suppress(HarnessError):  # it was closed before
            self._call("runtime/close", {"runtime": self.number, "abandon": abandon})

    def note(self, line: str) -> None:
        """Pass a line of the log on."""
        params = _json.member(_json.as_object(_json.decode(line)), "params")
        self._log.feed(_json.opt_text(params, "text").encode())

    def _call(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        token = self.extension.pybind_NewToken()
        try:
            answer = self.extension.pybind_Call(token, method, json.dumps(params))
        finally:
            self.extension.pybind_FreeToken(token)
        value = _json.as_object(_json.decode(answer))
        self._log.feed(_json.opt_text(value, "log").encode())
        if "error" in value:
            raise _protocol.error_from_reply(_json.member(value, "error"), method)
        return _json.member(value, "result")


_NO_SIGCHLD = (
    "this process ignores SIGCHLD, so that the end of ripgrep cannot be seen; restore it with "
    f"signal.signal(signal.SIGCHLD, signal.SIG_DFL), or {SUBPROCESS}"
)


def _refusal(number: int, message: str) -> bytes:
    data = {"name": "SearchError", "code": "SEARCH_FAILED", "retryable": False, "details": {"reason": "sigchld"}}
    error = {"code": 1102, "message": message, "data": data}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()


def _environ(env: Mapping[str, str] | None) -> bytes:
    """The environment as lines ``NAME=value``, a NUL between two."""
    items = (environment() if env is None else env).items()
    return b"\0".join(os.fsencode(name) + b"=" + os.fsencode(value) for name, value in items)


def _path(name: str, path: str) -> dict[str, str]:
    """The member for a path: its text, or its bytes where they are not UTF-8."""
    exact = os.fsencode(path)
    try:
        return {name: exact.decode()}
    except UnicodeDecodeError:
        return {f"{name}Bytes": base64.b64encode(exact).decode()}
