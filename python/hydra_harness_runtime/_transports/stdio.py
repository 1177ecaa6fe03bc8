"""A runtime in a process of its own, spoken to through its standard streams.

One daemon thread per process does everything that can wait: it starts the
process, reads both its outputs, writes the requests, ends it and reaps it.
Callers only ever append to a queue and ring. Since nobody else touches the
process, a signal can never hit a process id that was reused; and since nobody
holds a lock, a signal handler that interrupts a caller can make calls of its
own, which the thread serves as ever.

Requests go out through a socket pair, not a pipe: its end can be announced while
forked workers still hold copies, and writing to a dead process raises no
SIGPIPE, which some programs restore to its deadly default.

The process leads a session of its own: Ctrl-C at the terminal reaches Python,
which decides; and one ``killpg`` reaches whatever the runtime started.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from .. import _json
from .._errors import HarnessError
from .._future import Future
from .._logs import LOGGER, StderrLog, tell
from .._protocol import Splitter
from .._threads import begin
from . import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from . import Receiver

__all__ = ["Command", "StdioTransport"]

_READ_BYTES = 1 << 18
"""Asked of a pipe at a time. A pipe holds 64 KiB unless somebody enlarged it."""

_START_SECONDS = 10.0
"""The runtime promises its first answer within 50 ms of its start; a machine that
swaps may take a hundred times that. Beyond, it hangs."""

_LINGER_SECONDS = 0.5
"""How long a process may live on after it closed its output."""

_DRAIN_SECONDS = 0.2
"""How long stderr is read after the end, for the last words of a crash."""

_MSG_NOSIGNAL: int = getattr(socket, "MSG_NOSIGNAL", 0)
_SO_NOSIGPIPE = 0x1022 if sys.platform == "darwin" else None
"""Two systems' ways to get EPIPE without the signal; Python does not name the second."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. ``cleanup`` runs once the runtime has read its set-up, or ended."""

    argv: Sequence[str]
    env: Mapping[str, str] | None
    cleanup: Callable[[], None]
    refuse: Callable[[OSError], HarnessError]
    """Turns the system's refusal to start ``argv`` into the error that people read."""
    handed: Sequence[int] = ()
    """Descriptors that it inherits under the same numbers."""


class StdioTransport:
    """See :class:`Transport`. *prepare* is called in the thread: it may hash and write files."""

    def __init__(self, prepare: Callable[[], Command]) -> None:
        self.ended: Future[None] = Future()
        self._prepare = prepare
        self._log = StderrLog()
        self._splitter = Splitter()
        self._process: subprocess.Popen[bytes] | None = None
        self._runs: dict[None, object] = {}  # which thread it is: the first that came
        self._requests: socket.socket | None = None  # the thread's own, as what is to be written to it
        self._bell: _Bell | None = None
        self._queue: deque[bytes] = deque()
        self._rest = bytearray()
        self._hanging_up = False
        self._killing = False
        self._deadline: float | None = None
        self._polling_requests = False

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def open(self, receiver: Receiver) -> None:
        def refused(why: str) -> None:
            receiver.on_end(Ending(fault=f"no thread for it could be started: {why}"))
            self.ended.set_result(None)

        def work() -> None:
            # An open that a signal handler interrupts is perhaps made twice.
            me = object()
            if self._runs.setdefault(None, me) is me:
                self._run(receiver)

        begin(work, "hydra-harness-runtime", refused)

    def send(self, line: bytes) -> None:
        if self._bell is not None and not self._hanging_up:
            self._queue.append(line)
            self._ring()

    def expect_line(self, seconds: float) -> None:
        if self._deadline is None:
            self._deadline = time.monotonic() + seconds
            self._ring()

    def hang_up(self) -> None:
        self._hanging_up = True
        self._ring()

    def kill(self) -> None:
        self._killing = True
        self._ring()

    def forget(self) -> None:
        # The thread does not exist in this process, and what is open are copies.
        if self._bell is not None:
            self._bell.close()  # which a frame of that thread refers to for ever
        self._release()
        if self._process is not None:
            self._process.returncode = 0  # not our child: nothing to reap or to warn about

    def stderr_tail(self) -> str:
        return self._log.tail()

    def _ring(self) -> None:
        bell = self._bell
        if bell is not None:
            bell.ring()

    # --- everything below runs in the thread, except _release in a forked child

    def _run(self, receiver: Receiver) -> None:
        ending = Ending()
        cleanup: Callable[[], None] = _nothing
        try:
            command = self._prepare()
            cleanup = command.cleanup
            self._start(command)
            ending = self._converse(receiver, cleanup)
        except HarnessError as error:
            ending = Ending(error=error)
        except Exception as error:  # noqa: BLE001 - logged, and told to every caller
            tell(logging.getLogger(LOGGER), logging.ERROR, "the transport failed", exc_info=True)
            ending = Ending(fault=f"the transport failed: {error!r}", stderr_tail=self._log.tail())
        finally:
            self._reap(0)
            cleanup()
            self._log.finish()
            self._release()
            try:
                receiver.on_end(ending)
            finally:
                self.ended.set_result(None)

    def _start(self, command: Command) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(True)
        if _SO_NOSIGPIPE is not None:
            ours.setsockopt(socket.SOL_SOCKET, _SO_NOSIGPIPE, 1)
        try:
            process = subprocess.Popen(
                command.argv,
                env=command.env,
                bufsize=0,
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=command.handed,
            )
        except OSError as error:
            ours.close()
            raise command.refuse(error) from None
        finally:
            theirs.close()
        self._process, self._requests = process, ours
        self._deadline = time.monotonic() + _START_SECONDS
        self._bell = _Bell()  # from now on there is somebody to ring

    def _converse(self, receiver: Receiver, cleanup: Callable[[], None]) -> Ending:
        """Move lines both ways until one side ends it."""
        process = cast("subprocess.Popen[bytes]", self._process)
        stdout, stderr = _outputs(process)
        poll = select.poll()
        bell = cast("_Bell", self._bell)
        for source in (stdout.fileno(), stderr.fileno(), bell.fileno()):
            poll.register(source, select.POLLIN)
        receiver.on_open()
        garbage = False
        # Served before the first wait, too: much can have been asked before there was a process.
        while (fault := self._serve(bell)) is None:
            self._watch(poll)
            ready = dict(poll.poll(self._patience()))
            if stderr.fileno() in ready and not self._read_stderr(stderr):
                poll.unregister(stderr.fileno())
            if stdout.fileno() in ready:
                try:
                    fault = self._read_stdout(stdout, receiver, cleanup)
                except _json.Malformed as error:
                    fault, garbage = f"it printed something that is not the protocol: {error}", True
            if fault is not None:
                break
        exit_code = self._reap(0 if fault else _LINGER_SECONDS)
        self._drain(stderr)
        return Ending(exit_code, fault, garbage, stderr_tail=self._log.tail())

    def _read_stdout(self, stdout: IO[bytes], receiver: Receiver, cleanup: Callable[[], None]) -> str | None:
        """``None``: go on. Empty: it ended by itself."""
        data = os.read(stdout.fileno(), _READ_BYTES)
        for line in self._splitter.feed(data):
            self._deadline = None
            cleanup()
            receiver.on_line(line)
        return None if data else ""

    def _read_stderr(self, stderr: IO[bytes]) -> bool:
        data = os.read(stderr.fileno(), _READ_BYTES)
        self._log.feed(data)
        return bool(data)

    def _watch(self, poll: select.poll) -> None:
        """Tell *poll* whether there is something that the socket would not take yet."""
        # Registered for nothing, a socket that hung up would still report it, again and again.
        if self._requests is not None and self._polling_requests != bool(self._rest):
            self._polling_requests = bool(self._rest)
            if self._polling_requests:
                poll.register(self._requests.fileno(), select.POLLOUT)
            else:
                poll.unregister(self._requests.fileno())

    def _patience(self) -> float | None:
        """Milliseconds until the deadline, if there is one."""
        deadline = self._deadline
        return None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000

    def _serve(self, bell: _Bell) -> str | None:
        """Do what callers asked for meanwhile; the fault for which it is over, if any."""
        bell.silence()  # before looking: who rings from now on is seen next time
        if self._killing:
            return "it was stopped"
        deadline = self._deadline
        if deadline is not None and time.monotonic() >= deadline:
            return "it did not answer and was stopped"
        hanging_up = self._hanging_up  # before the queue: what came until then may still go out
        while self._queue:
            self._rest += self._queue.popleft()  # nobody else takes from it
        if self._requests is not None and self._rest:
            del self._rest[: _write(self._requests, self._rest)]
        if self._requests is not None and hanging_up:
            self._rest.clear()  # nobody waits for what the socket does not take at once
            with contextlib.suppress(OSError):  # it may be gone already
                self._requests.shutdown(socket.SHUT_WR)
        return None

    def _reap(self, seconds: float) -> int | None:
        """Let the process end within *seconds*, or end it; its exit status."""
        if self._process is None:
            return None
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()

    def _drain(self, stderr: IO[bytes]) -> None:
        """The last words: whatever is still in the pipe, unless somebody else keeps it open."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        poll = select.poll()
        poll.register(stderr.fileno(), select.POLLIN)
        while poll.poll(max(0.0, deadline - time.monotonic()) * 1000) and self._read_stderr(stderr):
            pass

    def _release(self) -> None:
        if self._process is not None:
            for output in _outputs(self._process):
                output.close()
        if self._requests is not None:
            self._requests.close()
        self._requests = self._bell = None


class _Bell:
    """Wakes the thread from its poll.

    Its ends are closed when nobody refers to it any more: whoever rings just
    now has it in hand, and can hit no file that has got the number since.
    """

    def __init__(self) -> None:
        self._ends: tuple[int, ...] = ()
        self._ends = os.pipe()
        for end in self._ends:
            os.set_blocking(end, False)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)

    def fileno(self) -> int:
        return self._ends[0]

    def ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # full: it is awake
            os.write(self._ends[1], b"!")

    def silence(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it was not the reason
            os.read(self._ends[0], _READ_BYTES)


def _write(requests: socket.socket, data: bytearray) -> int:
    """How much of *data* is dealt with: all of it when nobody reads any more."""
    try:
        return requests.send(data, _MSG_NOSIGNAL)
    except BlockingIOError:
        return 0
    except OSError:  # the end of the output will tell why
        return len(data)


def _outputs(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Both are pipes, because :meth:`StdioTransport._start` asked for pipes."""
    return cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr)


def _nothing() -> None:
    pass
