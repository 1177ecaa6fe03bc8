"""Clients that misbehave, sidecars that fail, and more at once than is sensible."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.live import END, INITIALIZE, Installation, Server, code, line, linux, until, within

MIB = 1 << 20


@linux
@within(120)
def test_500_calls_at_once(installed: Installation, tree: Path) -> None:
    """Each is answered once and rightly, whatever it asks; and only a few ripgreps run at a time."""
    most = 0
    over = threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.is_set():
            most = max(most, len(installed.sidecars()))

    with Server(installed, tree) as server:
        server.initialize()
        limit = server.call("hydra/info")["result"]["wire"]["maxSearches"]
        watcher = threading.Thread(target=watch)
        watcher.start()
        expected: dict[int, str] = {}
        for n in range(500):
            match n % 5:
                case 0:
                    expected[server.grep(f"needle {n % 20}$", owner=f"o{n % 7}")] = f"needle {n % 20}"
                case 1:
                    expected[server.send("hydra/search/glob", {"pattern": f"f{n % 20:02}.txt"})] = f"f{n % 20:02}.txt"
                case 2:
                    expected[server.grep("foo(")] = "SEARCH_INVALID_PATTERN"
                case 3:
                    expected[server.send("ping")] = "{}"
                case 4:
                    expected[server.send("hydra/shell/plan", {"command": f"cat file{n}"})] = f"file{n}"
        for _ in range(500):
            message = server.message()
            assert expected.pop(message["id"]) in str(message)
        over.set()
        watcher.join()
        assert not expected
        assert 1 <= most <= limit
        server.close()
        server.ends()


@linux
@within(120)
def test_a_client_that_does_not_read(installed: Installation, tree: Path) -> None:
    """It is not searched for any further, memory stays bounded, and nothing is lost when it reads at last."""
    (tree / "big.txt").write_text(("x" * 999 + "\n") * 3000)  # an answer of three megabytes
    with Server(installed, tree) as server:
        server.initialize()
        server.stop_reading()
        server.send("ping")  # the reader of the test takes this one from the pipe, and stops
        calls = {server.send("hydra/search/grep", {"pattern": "^x", "path": "big.txt"}) for _ in range(40)}
        idle = [False] * 40

        def paused() -> bool:
            idle.append(not installed.sidecars())
            return all(idle[-40:])

        until(paused, 60, "a pause of the searches")
        memory = server.memory()
        print(f"\n40 answers of 3 MB each, unread: {memory / MIB:.0f} MiB resident")
        assert memory < 250 * MIB
        server.go_on_reading()
        assert server.message()["result"] == {}
        for _ in range(len(calls)):
            message = server.message()
            assert len(message["result"]["matches"]) == 3000
            calls.remove(message["id"])
        assert not calls
        server.close()
        server.ends()


@linux
@pytest.mark.parametrize("how", ["end of the input", "TERM"])
@within(60)
def test_a_client_that_never_reads_can_still_end_it(how: str, installed: Installation, tree: Path) -> None:
    with Server(installed, tree) as server:
        server.initialize()
        server.stop_reading()
        assert server.process.stdin is not None
        os.set_blocking(server.process.stdin.fileno(), False)
        try:  # until both pipes are full: the runtime cannot even say that this is no message
            for _ in range(100_000):
                server.write(b"garbage\n")
        except BlockingIOError:
            pass
        if how == "TERM":
            server.process.terminate()
        else:
            try:
                server.close()
            except BlockingIOError:
                server.close()
        server.ends()


@linux
@within(60)
def test_garbage(installed: Installation, tree: Path) -> None:
    with Server(installed, tree) as server:
        server.initialize()
        garbage = [
            b"hello",
            b"{",
            b'{"jsonrpc":"2.0","id":1,"method":"ping"',
            b"\xff\xfe",
            b'{"jsonrpc":"2.0","method":"\xff","id":1}',
            b"\0" * 1000,
            b"[" * 100_000,
            b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
            b'"' + b"x" * 17 * MIB + b'"',
            b"x" * 40 * MIB,
        ]
        for text in garbage:
            server.write(text + b"\n")
            message = server.message()
            assert message["id"] in (None, 1), text[:40]  # its own, where it can be read
            assert message["error"]["code"] in {-32700, -32600}, text[:40]
            assert len(message["error"]["message"]) < 300
            assert server.call("ping")["result"] == {}
        for text in (b"\n", b"  \r\n", b"\n" * 1000):
            server.write(text)
        assert server.call("ping")["result"] == {}
        # A message of more than 16 MiB is refused; one of less, and a reasonable pattern after it, are not.
        assert (
            code(server.call("tools/call", {"name": "grep", "arguments": {"pattern": "x" * 15 * MIB}}))
            == "TOOL_ARGUMENT"
        )
        assert code(server.call("tools/call", {"name": "grep", "arguments": {"pattern": "needle 3"}})) is None
        server.write(b'{"jsonrpc":"2.0","id":99,"met')
        server.close()
        assert server.message()["error"]["code"] == -32700
        server.ends()


@linux
@within(60)
def test_requests_before_the_end_are_answered(installed: Installation, tree: Path) -> None:
    """As with ``printf ... | hydra-harness-runtime serve``."""
    with Server(installed, tree) as server:
        server.initialize()
        calls = {server.grep(f"needle {n}$") for n in range(2)}
        server.close()
        while (message := server.read()) is not None:
            calls.remove(message["id"])
            assert code(message) is None
        assert not calls
        server.ends()


FAULTS = {
    "dies": ("kill -9 $$", "SEARCH_FAILED", "ended by a signal"),
    "fails": ("echo broken >&2; exit 7", "SEARCH_FAILED", "exit status 7"),
    "lies": ("echo no json; exit 0", "SEARCH_FAILED", "could not be read"),
    "floods": ("yes 'not an event'", "SEARCH_FAILED", "could not be read"),
    "screams": ("yes error >&2", "SEARCH_ABORTED", "time limit"),
    "hangs": ("while :; do sleep 0.1; done", "SEARCH_ABORTED", "time limit"),
    "is deaf": ("trap '' TERM; while :; do sleep 0.1; done", "SEARCH_ABORTED", "time limit"),
}


@linux
@pytest.mark.parametrize("fault", FAULTS)
@within(60)
def test_a_sidecar_that_fails(
    fault: str, pair: tuple[Path, Path], installed: Installation, tree: Path, config: Callable[..., str]
) -> None:
    script, expected, words = FAULTS[fault]
    installed.replace_sidecar(script)
    with Server(installed, tree, "--config", config(graceMs=300)) as server:
        server.initialize()
        calls = {server.grep("needle", deadlineMs=1500) for _ in range(6)}
        for _ in range(len(calls)):
            message = server.message()
            calls.remove(message["id"])
            assert code(message) == expected, message
            if "did not begin" not in str(message):
                assert words in str(message), message
        until(lambda: not installed.sidecars(), 5, "the end of the sidecars")
        # The next call finds whatever is there then.
        installed.sidecar.unlink()
        assert code(server.call("tools/call", {"name": "grep", "arguments": {"pattern": "needle"}})) == "SEARCH_FAILED"
        installed.sidecar.symlink_to(pair[1])
        assert code(server.call("tools/call", {"name": "grep", "arguments": {"pattern": "needle"}})) is None
        server.close()
        server.ends()


@linux
@within(60)
def test_cancelled_calls_stop_their_sidecars(installed: Installation, tree: Path) -> None:
    installed.replace_sidecar("while :; do sleep 0.1; done")
    with Server(installed, tree) as server:
        server.initialize()
        for _ in range(10):
            calls = [server.grep("x") for _ in range(20)]
            until(installed.sidecars, what="the start of a sidecar")
            for call in calls:
                server.notify("notifications/cancelled", {"requestId": call})
            until(lambda: not installed.sidecars(), what="the end of the sidecars")
        assert server.call("ping")["result"] == {}, "what is read next is the next call's answer"
        server.close()
        server.ends()


@linux
@within(60)
def test_standard_error_that_nobody_reads_or_that_is_closed(
    installed: Installation, tree: Path, tmp_path: Path
) -> None:
    """Logs are lost then, not calls: each of these logs that its result could not be saved."""
    (tmp_path / "file").write_text("")
    config = tmp_path / "c.json"
    config.write_text(f'{{"sampleOverCapGlobResults": true, "globMaxResults": 1, "spillRoot": "{tmp_path}/file/x"}}')
    for closed, count in ((True, 20), (False, 500)):
        with Server(
            installed, tree, "--config", str(config), "--owner", "s", "--log-level", "trace", stderr=subprocess.PIPE
        ) as server:
            assert server.process.stderr is not None
            if closed:
                server.process.stderr.close()
            server.initialize()
            for _ in range(count):
                server.send("tools/call", {"name": "glob", "arguments": {"pattern": "*.txt"}})
            for _ in range(count):
                assert code(server.message()) is None
            server.close()
            server.ends()


@linux
@within(60)
def test_a_client_that_closes_the_output_alone(installed: Installation, tree: Path) -> None:
    installed.replace_sidecar("while :; do sleep 0.1; done")
    argv = [str(installed.runtime), "serve", "--sample", "--workdir", str(tree), "--log-level", "off"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}))
        process.stdout.readline()
        call = {"name": "grep", "arguments": {"pattern": "x"}}
        process.stdin.write(line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))
        until(installed.sidecars, what="the start of a sidecar")
        process.stdout.close()
        process.stdin.write(line({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        assert process.wait(END) == 0
        until(lambda: not installed.sidecars(), 2, "the end of the sidecars")


def refusals(installed: Installation, *flags: str) -> tuple[int, list[Any]]:
    done = subprocess.run(
        [str(installed.runtime), "serve", *flags],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, [json.loads(text) for text in done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "it is required and has no default"),
        (["--sample", "--no-sample"], "--sample and --no-sample exclude each other"),
        (["--sample", "--colour"], "unknown flag: --colour"),
        (["--sample", "extra"], "there is an argument too many"),
        (["--sample", "--parent-pid", "x"], "is not a whole number"),
        (["--sample", "--parent-pid", "-7"], "--parent-pid -7 cannot be watched"),
        (["--sample", "--log-level", "loud"], '--log-level "loud" is none'),
        (["--sample", "--tools", "find"], 'it takes a list of "glob", "grep", "read_result", not ["find"]'),
        (["--sample", "--workdir", "/", "--root", "/tmp"], "lies outside the roots"),
        (["--config", "/nowhere.json"], "cannot be read"),
    ],
)
@within(30)
def test_a_start_that_is_refused(flags: list[str], words: str, installed: Installation) -> None:
    status, lines = refusals(installed, *flags)
    assert status == 2
    assert len(lines) == 1
    assert lines[0]["code"] == "RUNTIME_CONFIG"
    assert words in lines[0]["message"]


@linux
@within(30)
def test_a_start_without_a_sidecar_or_an_environment(installed: Installation, tree: Path) -> None:
    """Neither keeps the runtime from starting; what is lacking is told by the calls that need it."""
    installed.sidecar.rename(installed.sidecar.with_name("aside"))
    with Server(installed, tree, env={}) as server:
        server.initialize()
        assert len(server.call("tools/list")["result"]["tools"]) == 2
        assert "problem" in server.call("hydra/info")["result"]["ripgrep"]
        call = {"name": "grep", "arguments": {"pattern": "TODO"}}
        assert code(server.call("tools/call", call)) == "SEARCH_FAILED"
        installed.sidecar.with_name("aside").rename(installed.sidecar)
        assert code(server.call("tools/call", call)) is None
        assert server.call("hydra/info")["result"]["ripgrep"]["version"]
        server.close()
        server.ends()


@linux
@within(30)
def test_standard_output_is_set_aside(installed: Installation, tree: Path) -> None:
    """Whatever prints to descriptor 1 reaches standard error, not the middle of a frame."""
    with Server(installed, tree) as server:
        server.initialize()
        links = Path(f"/proc/{server.process.pid}/fd")
        assert (links / "1").readlink() == (links / "2").readlink()
        pipes = [link.name for link in links.iterdir() if str(link.readlink()).startswith("pipe:")]
        assert len(pipes) == 2, "the input and the frames"
        assert "1" not in pipes
        server.close()
        server.ends()


@linux
@within(30)
def test_owners_take_turns(installed: Installation, tree: Path) -> None:
    """One owner's flood does not hold up another's call."""
    installed.replace_sidecar("sleep 0.05; exit 1")
    with Server(installed, tree) as server:
        server.initialize()
        flood = {server.grep("x", owner="flood") for _ in range(200)}
        calm = server.grep("x", owner="calm")
        before = 0
        while server.message()["id"] != calm:
            before += 1
        print(f"\nanswered before the call of another owner: {before} of {len(flood)}")
        assert before < 20
        server.process.send_signal(signal.SIGTERM)
        server.ends()


@linux
@within(30)
def test_busy(installed: Installation, tree: Path) -> None:
    installed.replace_sidecar("while :; do sleep 0.1; done")
    with Server(installed, tree) as server:
        server.initialize()
        info = server.call("hydra/info")["result"]
        wire = info["wire"]
        count = wire["maxSearches"] + wire["maxQueuedByOwner"] + 50
        batch = b"".join(
            line({"jsonrpc": "2.0", "id": f"b{n}", "method": "hydra/search/glob", "params": {"pattern": "*"}})
            for n in range(count)
        )
        server.write(batch)
        refused = Counter(code(server.message()) for _ in range(50))
        assert refused == {"RUNTIME_BUSY": 50}
        assert server.call("ping")["result"] == {}
        server.close()
        server.ends()
