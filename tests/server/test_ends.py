"""However a runtime is ended, it is gone in time and takes every sidecar with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.live import END, INITIALIZE, Installation, Server, code, line, linux, runs, until, within

HANGS = "while :; do sleep 0.1; done"
DEAF = f"trap '' TERM; {HANGS}"

ENDS: dict[str, Callable[[Server], None]] = {
    "end of the input": lambda server: server.close(),
    "TERM": lambda server: server.process.terminate(),
    "INT": lambda server: server.process.send_signal(signal.SIGINT),
    "HUP": lambda server: server.process.send_signal(signal.SIGHUP),
}


@linux
@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("script", [HANGS, DEAF], ids=["hangs", "is deaf"])
@within(30)
def test_an_end_in_the_middle_of_searches(how: str, script: str, installed: Installation, tree: Path) -> None:
    installed.replace_sidecar(script)
    with Server(installed, tree) as server:
        server.initialize()
        calls = {server.grep("x") for _ in range(10)}
        until(installed.sidecars, what="the start of a sidecar")
        ENDS[how](server)
        server.ends()
        answered = {}
        while (message := server.read()) is not None:
            answered[message["id"]] = code(message)
        assert answered.keys() == calls
        assert set(answered.values()) == {"SEARCH_ABORTED", "RUNTIME_SHUTTING_DOWN"}


@linux
@pytest.mark.parametrize("how", ENDS)
@within(30)
def test_an_end_while_idle(how: str, installed: Installation, tree: Path) -> None:
    with Server(installed, tree) as server:
        server.initialize()
        ENDS[how](server)
        server.ends(seconds=0.5)
        assert server.read() is None


@linux
@pytest.mark.parametrize("sidecar", ["ripgrep", "hangs"])
@within(60)
def test_killed_in_the_middle_of_50_calls(sidecar: str, installed: Installation, tree: Path) -> None:
    if sidecar == "hangs":
        installed.replace_sidecar(HANGS)
    else:
        for n in range(200):
            (tree / f"large{n}.txt").write_text("some text that is searched\n" * 20_000)
    with Server(installed, tree) as server:
        server.initialize()
        for _ in range(50):
            server.grep("searched (and|not) found")
        until(installed.sidecars, what="the start of a sidecar")
        server.process.kill()
        server.ends(-signal.SIGKILL)
        while server.read() is not None:
            pass  # the client is told by the end of its input


PARENT = """
import os, subprocess, sys
argv, messages = sys.argv[1:-1], sys.argv[-1]
argv += ["--parent-pid", str(os.getpid())]
server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(messages.encode())
server.stdin.flush()
server.stdout.readline()
worker = os.fork()  # inherits both pipes, and keeps them
if worker == 0:
    import time
    time.sleep(60)
    os._exit(0)
print(worker, flush=True)
server.wait()
"""


@linux
@within(30)
def test_a_killed_parent_whose_worker_holds_the_pipe(installed: Installation, tree: Path) -> None:
    installed.replace_sidecar(HANGS)
    argv = [str(installed.runtime), "serve", "--sample", "--workdir", str(tree), "--log-level", "off"]
    call = {"name": "grep", "arguments": {"pattern": "x"}}
    messages = line({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    messages += line({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    argv = [sys.executable, "-c", PARENT, *argv, messages.decode()]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        try:
            until(installed.sidecars, what="the start of a sidecar")
            assert len(installed.runtimes()) == 1
            parent.kill()
            began = time.monotonic()
            until(lambda: not installed.runtimes(), what="the end of the runtime")
            assert time.monotonic() - began < END
            until(lambda: not installed.sidecars(), 2, "the end of the sidecars")
            os.kill(worker, 0)  # it still holds the pipe
        finally:
            os.kill(worker, signal.SIGKILL)


@linux
@within(30)
def test_a_parent_that_has_gone_already(installed: Installation, tree: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with Server(installed, tree, "--parent-pid", str(gone.pid)) as server:
        server.ends()


@linux
@within(30)
def test_stopped_for_two_seconds(installed: Installation, tree: Path) -> None:
    with Server(installed, tree) as server:
        server.initialize()
        calls = {server.grep("needle") for _ in range(20)}
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        server.process.send_signal(signal.SIGCONT)
        answered = {}
        for _ in calls:
            message = server.message()
            answered[message["id"]] = code(message)
        assert answered == dict.fromkeys(calls)
        assert not server.call("ping").get("error")
        server.close()
        server.ends()


@linux
@within(30)
def test_nothing_of_ours_is_left_behind(installed: Installation, tree: Path) -> None:
    """The helpers of the other tests see what they look for."""
    assert not installed.sidecars()
    installed.replace_sidecar(HANGS)
    with subprocess.Popen([str(installed.sidecar)]) as process:
        until(lambda: installed.sidecars() == [process.pid], what="a script in /proc")
        process.kill()
    with subprocess.Popen(
        [str(installed.runtime), "serve", "--sample"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: runs(process.pid, installed.runtime), what="an executable in /proc")
        process.kill()
