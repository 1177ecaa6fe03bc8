"""A real runtime under test: its lines, its processes, and a limit on everything.

Sidecars are looked for by their path in ``/proc``: each installation is a copy
of its own, so that nothing else can be taken for one.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

RUNTIME = "hydra-harness-runtime"
SIDECAR = RUNTIME + "-rg"
END = 1.5
"""Seconds in which a runtime is gone, from the end of its input or a signal on."""

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc, which only Linux has")

F = TypeVar("F", bound=Callable[..., None])


def within(seconds: int) -> Callable[[F], F]:
    """Fails a test that takes longer: nothing here may hang."""

    def limit(test: F) -> F:
        @functools.wraps(test)
        def limited(*args: Any, **kwargs: Any) -> None:
            def expired(*_: object) -> None:
                pytest.fail(f"not over after {seconds} s")

            before = signal.signal(signal.SIGALRM, expired)
            signal.alarm(seconds)
            try:
                test(*args, **kwargs)
            finally:
                signal.alarm(0)
                signal.signal(signal.SIGALRM, before)

        return limited  # type: ignore[return-value]

    return limit


def until(condition: Callable[[], object], seconds: float = 10, what: str = "it") -> None:
    """Waits for something that nobody announces: other processes come and go."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            pytest.fail(f"{what} did not happen within {seconds} s")
        time.sleep(0.005)


class Installation:
    """A runtime and its sidecar in a folder of their own."""

    def __init__(self, folder: Path, runtime: Path, sidecar: Path) -> None:
        folder.mkdir(parents=True)
        self.runtime, self.sidecar = folder / RUNTIME, folder / SIDECAR
        copy(runtime, self.runtime)
        copy(sidecar, self.sidecar)

    def replace_sidecar(self, script: str) -> None:
        """A stand-in for ripgrep, a shell script."""
        self.sidecar.unlink()
        self.sidecar.write_text(f"#!/bin/sh\n{script}\n")
        self.sidecar.chmod(0o755)

    def sidecars(self) -> list[int]:
        """The processes that run the sidecar: by their executable, or as a script."""
        return [pid for pid in processes() if runs(pid, self.sidecar)]

    def runtimes(self) -> list[int]:
        return [pid for pid in processes() if runs(pid, self.runtime)]


def copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def processes() -> Iterable[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def runs(pid: int, path: Path) -> bool:
    try:
        if Path(f"/proc/{pid}/exe").readlink() == path:
            return True
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return os.fsencode(path) in words[:2]


class Server:
    """A running ``serve`` and its client, one line at a time."""

    def __init__(self, installed: Installation, workdir: Path, *flags: str, **popen: Any) -> None:
        self.installed = installed
        argv = [str(installed.runtime), "serve", "--workdir", str(workdir), *flags]
        if "--config" not in flags:
            argv.append("--sample")
        popen = {"stderr": subprocess.DEVNULL, **popen}
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen)
        self.last = 0
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reading = threading.Event()
        self._reading.set()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self._reading.set()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            self._reading.wait()
            try:
                line = self.process.stdout.readline()
            except ValueError:  # closed
                line = b""
            self._lines.put(line)
            if not line:
                return

    def stop_reading(self) -> None:
        """At most one line more is taken from the pipe."""
        self._reading.clear()

    def go_on_reading(self) -> None:
        self._reading.set()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Sends a request and returns its id."""
        self.last += 1
        self.write(line({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}}))
        return self.last

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.write(line({"jsonrpc": "2.0", "method": method, "params": params or {}}))

    def read(self, seconds: float = 30) -> dict[str, Any] | None:
        """The next message, ``None`` at the end."""
        text = self._lines.get(timeout=seconds)
        return json.loads(text) if text else None

    def message(self) -> dict[str, Any]:
        found = self.read()
        assert found is not None, "the runtime has ended"
        return found

    def call(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        asked = self.send(method, params)
        found = self.message()
        assert found["id"] == asked
        return found

    def grep(self, pattern: str, **meta: Any) -> int:
        params: dict[str, Any] = {"name": "grep", "arguments": {"pattern": pattern}}
        if meta:
            params["_meta"] = {f"dev.hydra-harness/{key}": value for key, value in meta.items()}
        return self.send("tools/call", params)

    def initialize(self) -> Server:
        self.call("initialize", INITIALIZE)
        self.notify("notifications/initialized")
        return self

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def ends(self, status: int = 0, seconds: float = END) -> None:
        """It is gone in time, with this status, and no sidecar is left."""
        began = time.monotonic()
        assert self.process.wait(timeout=10) == status
        assert time.monotonic() - began < seconds
        until(lambda: not self.installed.sidecars(), 2, "the end of the sidecars")

    def memory(self) -> int:
        """Resident bytes."""
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def code(message: dict[str, Any]) -> str | None:
    """The error code of an answer, ``None`` for none."""
    if "error" in message:
        return message["error"]["data"]["code"]
    failure = message["result"].get("_meta", {}).get("dev.hydra-harness/error")
    return failure and failure["code"]
