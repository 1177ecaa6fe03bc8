"""The fake runtime as a program: for tests that need a process to go wrong.

It takes the runtime's arguments and ignores them. A pattern that begins with
``fake:`` makes it misbehave:

``fake:hang``      no answer, until the call is cancelled
``fake:deaf``      no answer to anything, from then on
``fake:crash``     a line on stderr, then the end with status 3
``fake:crash-once``  the same for the first program that is asked; the next one finds nothing
``fake:kill``      the end by SIGKILL
``fake:garbage``   a line that is not JSON
``fake:stderr``    a log line, then an answer
``fake:busy-N``    RUNTIME_BUSY to the first N calls
``fake:shutdown``  RUNTIME_SHUTTING_DOWN once, then the end
``fake:meta``      one match: the request's ``_meta`` as JSON

``FAKE_RUNTIME_START`` in its environment makes it misbehave before the first
answer: ``hang``, ``garbage``, ``exit-2``, ``crash``, or just talk: ``chatty``. In the folder of the
executable, ``log`` gets one line for each start, cancelled call and end.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from .. import _json
from .._errors import RuntimeBusyError, RuntimeClosedError
from ._fake import Answer, FakeRuntime, Params

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._errors import HarnessError
    from ._fake import Handler

__all__ = ["install", "main"]

_CRASHED = 3


def install(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Write an executable fake into *folder*, with what passes for its ripgrep.

    Give its path as ``runtime_path``. It answers from *files*.
    """
    runtime = folder / "fake-runtime"
    runtime.with_name("files.json").write_text(json.dumps(dict(files or {})))
    command = shlex.join([sys.executable, "-m", "hydra_harness_runtime.testing", str(folder)])
    runtime.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    sidecar = runtime.with_name("fake-runtime-rg")
    sidecar.write_text("#!/bin/sh\nexit 1\n")
    for path in (runtime, sidecar):
        path.chmod(0o755)
    return runtime


def main(folder: Path) -> int:
    """Serve on the standard streams until there is no more input."""
    program = _Program(folder)
    program.log(f"start {os.getpid()}")
    program.misbehave_at_start(os.environ.get("FAKE_RUNTIME_START", ""))
    for line in sys.stdin.buffer:
        program.take(_json.as_object(_json.decode(line)))
    program.log(f"end {os.getpid()}")
    return 0


class _Program:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fake = FakeRuntime(json.loads((folder / "files.json").read_text()))
        self._hanging: set[object] = set()
        self._deaf = False
        self._busy = 0

    def log(self, text: str) -> None:
        with (self._folder / "log").open("a") as file:
            file.write(text + "\n")

    def take(self, message: Params) -> None:
        params = _json.member(message, "params")
        if message.get("method") == "notifications/cancelled" and params.get("requestId") in self._hanging:
            self._hanging.discard(params["requestId"])
            self.log(f"cancelled {params['requestId']}")
        if self._deaf:
            return
        pattern = params.get("pattern")
        if isinstance(pattern, str) and pattern.startswith("fake:"):
            self._misbehave(pattern.removeprefix("fake:"), message, params)
        else:
            _print(*self._fake.answer(message))

    def misbehave_at_start(self, how: str) -> None:
        if how == "hang":
            signal.pause()
        elif how == "garbage":
            _write(sys.stdout, "this is not the protocol")
        elif how == "exit-2":
            _write(sys.stderr, json.dumps({"code": "RUNTIME_CONFIG", "message": "unknown key globMaxResult"}))
            sys.exit(2)
        elif how == "crash":
            self._crash()
        elif how == "chatty":
            _write(sys.stderr, "good morning")

    def _misbehave(self, how: str, message: Params, params: Params) -> None:
        if how == "hang":
            self._hanging.add(message["id"])
            self.log(f"hanging {message['id']}")
        elif how == "deaf":
            self._deaf = True
        elif how == "crash":
            self._crash()
        elif how == "crash-once":
            if not (self._folder / "crashed").exists():
                (self._folder / "crashed").touch()
                self._crash()
            self._match(message, "after the crash")
        elif how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "garbage":
            _write(sys.stdout, "this is not the protocol")
        elif how == "stderr":
            entry = {"@level": "warn", "@message": "something odd", "@module": "fake", "path": "a b"}
            _write(sys.stderr, json.dumps(entry))
            self._match(message, "logged")
        elif how.startswith("busy-"):
            self._be_busy(int(how[5:]), message)
        elif how == "shutdown":
            self._shut_down(message)
        elif how == "meta":
            self._match(message, json.dumps(params.get("_meta", {})))

    def _be_busy(self, times: int, message: Params) -> None:
        self._busy += 1
        if self._busy > times:
            self._match(message, f"attempt {self._busy}")
            return

        self._refuse(message, RuntimeBusyError("the queue is full"))

    def _shut_down(self, message: Params) -> None:
        if (self._folder / "crashed").exists():
            self._match(message, "after the shutdown")
            return
        (self._folder / "crashed").touch()

        self._refuse(message, RuntimeClosedError("shutting down", code="RUNTIME_SHUTTING_DOWN"))

    def _crash(self) -> None:
        _write(sys.stderr, "panic: the fake runtime was told to crash")
        os._exit(_CRASHED)

    def _match(self, message: Params, line: str) -> None:
        self._answer_by(message, lambda _: {"matches": [{"path": "fake", "lineNumber": 1, "line": line}]})

    def _refuse(self, message: Params, error: HarnessError) -> None:
        def refuse(_: Params) -> Answer:
            raise error

        self._answer_by(message, refuse)

    def _answer_by(self, message: Params, handler: Handler) -> None:
        fake = FakeRuntime()
        fake.respond(str(message["method"]), handler)
        _print(*fake.answer(message))


def _print(*messages: Answer) -> None:
    for message in messages:
        _write(sys.stdout, json.dumps(message))


def _write(stream: TextIO, line: str) -> None:
    stream.write(line + "\n")
    stream.flush()
