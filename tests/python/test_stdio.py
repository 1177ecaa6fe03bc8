"""A process of its own: starting, hanging, printing nonsense, ending. On the fake executable."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hydra_harness_runtime import (
    ConfigError,
    HarnessError,
    Runtime,
    RuntimeBundleError,
    RuntimeClosedError,
    RuntimeMissingError,
    RuntimeProtocolError,
    RuntimeTimeoutError,
    SearchConfig,
    _launch,
)
from hydra_harness_runtime._transports import Ending, stdio
from hydra_harness_runtime._transports.stdio import Command, StdioTransport

SEARCH = SearchConfig(sample_over_cap_glob_results=True)

Started = Callable[..., Runtime]


class Ear:
    """A receiver that remembers."""

    def __init__(self) -> None:
        self.opened = 0
        self.lines: list[bytes] = []
        self.endings: list[Ending] = []

    def on_open(self) -> None:
        self.opened += 1

    def on_line(self, line: bytes) -> None:
        self.lines.append(line)

    def on_end(self, ending: Ending) -> None:
        self.endings.append(ending)


def run(argv: Sequence[str], *sends: bytes, hang_up: bool = True) -> tuple[Ear, StdioTransport, list[str]]:
    """Run a program to its end; what was heard, and what was cleaned up."""
    cleaned: list[str] = []

    def refuse(error: OSError) -> HarnessError:
        return ConfigError(f"refused: {error.strerror}")

    def prepare() -> Command:
        return Command(argv, None, lambda: cleaned.append("cleanup"), refuse)

    ear, transport = Ear(), StdioTransport(prepare)
    sent = iter(sends)

    class Talker(Ear):
        def on_open(self) -> None:
            ear.on_open()
            for line in sent:
                transport.send(line)
            if hang_up:
                transport.hang_up()

        on_line, on_end = ear.on_line, ear.on_end  # type: ignore[assignment]

    transport.open(Talker())
    transport.ended.result(20)
    return ear, transport, cleaned


def test_lines_go_out_and_come_in() -> None:
    ear, transport, cleaned = run(["cat"], b"one\n", b"two\n")
    # `hang_up` drops what is queued, and nothing was: the pipe had room.
    assert ear.lines == [b"one", b"two"]
    assert ear.endings == [Ending(exit_code=0, fault="")]
    assert cleaned
    assert transport.pid is not None


def test_more_than_a_pipe_holds_goes_through_whole() -> None:
    big = b"x" * 3_000_000 + b"\n"
    ear, *_ = run(["sh", "-c", "head -c 6000002 | wc -c"], big, big, hang_up=False)
    assert ear.lines == [b"6000002"]


def test_the_exit_status_and_the_last_words_are_told() -> None:
    ear, *_ = run(["sh", "-c", "echo oops >&2; exit 7"])
    assert ear.endings == [Ending(exit_code=7, fault="", stderr_tail="oops")]


def test_a_signal_is_a_negative_status() -> None:
    ear, *_ = run(["sh", "-c", "kill -TERM $$"])
    assert ear.endings[0].exit_code == -signal.SIGTERM


def test_writing_to_the_dead_is_silent_even_with_the_deadly_default() -> None:
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        ear, *_ = run(["true"], *[b"y" * 100_000 + b"\n"] * 30, hang_up=False)
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert ear.endings[0].exit_code == 0


def test_a_time_out_for_all_sockets_changes_nothing() -> None:
    socket.setdefaulttimeout(0.001)
    try:
        ear, *_ = run(["cat"], b"one\n")
    finally:
        socket.setdefaulttimeout(None)
    assert ear.lines == [b"one"]


def test_output_closed_but_alive_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_LINGER_SECONDS", 0.01)
    ear, *_ = run(["sh", "-c", "exec >&-; exec sleep 60"])
    assert ear.endings[0].exit_code == -signal.SIGKILL


def test_a_program_that_cannot_be_started_is_refused_in_words() -> None:
    ear, transport, cleaned = run(["/nowhere/at/all"])
    assert [str(ending.error) for ending in ear.endings] == ["refused: No such file or directory"]
    assert ear.opened == 0
    assert cleaned == ["cleanup"]
    assert transport.pid is None


def test_a_failing_preparation_is_told() -> None:
    def prepare() -> Command:
        raise ConfigError("no room for the configuration")

    ear, transport = Ear(), StdioTransport(prepare)
    transport.open(ear)
    transport.ended.result(20)
    assert str(ear.endings[0].error) == "no room for the configuration"


def test_a_system_that_gives_no_more_threads_is_told(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    runtime = started()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeClosedError, match="no thread for it could be started: can't start new thread"):
            runtime.grep("hello")
    assert runtime.grep("hello").matches


def test_a_fault_of_the_receiver_ends_the_process(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Ear):
        def on_line(self, line: bytes) -> None:
            raise ZeroDivisionError

    ear = Broken()
    transport = StdioTransport(
        lambda: Command(["sh", "-c", "echo x; exec sleep 60"], None, list, lambda e: ConfigError(""))
    )
    transport.open(ear)
    transport.ended.result(20)
    assert "ZeroDivisionError" in ear.endings[0].fault
    assert "the transport failed" in caplog.text


def test_nothing_stays_open() -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    run(["true"])
    before = count()
    for _ in range(5):
        run(["cat"], b"one\n")
        run(["/nowhere"])
    assert count() == before


# --- through the client


def log(path: Path) -> list[str]:
    return (path.parent / "log").read_text().splitlines()


def test_the_configuration_has_no_name_that_a_kill_could_leave(
    started: Started, fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen = tmp_path / "seen"
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(
        f'#!/bin/sh\nls {tmp_path} > {seen}; cat "$6" >> {seen}; echo "$@" >> {seen}; exec {fake_path} "$@"\n'
    )
    wrapper.chmod(0o755)
    (tmp_path / "wrapper-rg").symlink_to("wrapper")
    before = len(list(Path("/dev/fd").iterdir()))
    with Runtime(tmp_path, search=SEARCH, runtime_path=wrapper) as runtime:
        assert runtime.grep("hello").matches
    assert len(list(Path("/dev/fd").iterdir())) == before
    *there, open_brace, key, close_brace, arguments = seen.read_text().splitlines()
    assert sorted(there) == ["seen", "wrapper", "wrapper-rg"]
    assert json.loads(open_brace + key + close_brace) == {"sampleOverCapGlobResults": True}
    config, rest = r"/dev/fd/\d+", f"--ripgrep {wrapper}-rg --parent-pid {os.getpid()}"
    assert re.fullmatch(rf"serve --owner= --workdir {tmp_path} --config {config} {rest}", arguments)


def test_without_descriptors_as_files_there_is_a_private_one_until_the_handshake(
    started: Started, fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(_launch, "_DESCRIPTORS", str(tmp_path / "none"))
    seen = tmp_path / "seen"
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/sh\nls -l {tmp_path}/*.json > {seen}; echo "$@" >> {seen}; exec {fake_path} "$@"\n')
    wrapper.chmod(0o755)
    (tmp_path / "wrapper-rg").symlink_to("wrapper")
    with Runtime(tmp_path, search=SEARCH, runtime_path=wrapper) as runtime:
        assert runtime.grep("hello").matches
        assert list(tmp_path.glob("*.json")) == []
    mode, arguments = seen.read_text().splitlines()
    assert mode.startswith("-rw-------")
    assert arguments.startswith(f"serve --owner= --workdir {tmp_path} --config {tmp_path}/hydra-harness-runtime-")
    assert arguments.endswith(f".json --ripgrep {wrapper}-rg --parent-pid {os.getpid()}")


def test_the_environment_can_be_replaced(fake_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "FAKE_RUNTIME_START": "exit-2"}
    with (
        Runtime(search=SEARCH, runtime_path=fake_path, env=env) as runtime,
        pytest.raises(ConfigError, match="globMaxResult"),
    ):
        runtime.glob("*")


def test_a_start_that_hangs_is_given_up(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_RUNTIME_START", "hang")
    monkeypatch.setattr(stdio, "_START_SECONDS", 0.3)
    with pytest.raises(RuntimeClosedError, match="did not answer and was stopped"):
        started().glob("*")


def test_a_call_does_not_wait_for_a_start_longer_than_it_was_told(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_RUNTIME_START", "hang")
    with pytest.raises(RuntimeTimeoutError, match=r"within 0\.2 s"):
        started().glob("*", timeout=0.2)


def test_garbage_before_the_handshake(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_RUNTIME_START", "garbage")
    with pytest.raises(RuntimeProtocolError, match="not the protocol: it is not JSON"):
        started().glob("*")


def test_a_crash_before_the_handshake(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_RUNTIME_START", "crash")
    with pytest.raises(RuntimeClosedError, match="status 3; it last said: panic: the fake") as caught:
        started().glob("*")
    assert caught.value.exit_code == 3
    assert "panic" in caught.value.stderr_tail


def test_a_deaf_runtime_is_replaced(started: Started, fake_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hydra_harness_runtime._session._PROBE_SECONDS", 0.2)
    runtime = started()
    runtime.grep("hello")
    with pytest.raises(RuntimeTimeoutError):
        runtime.grep("fake:deaf", timeout=0.2)
    assert runtime.grep("hello").matches  # waits for the probe, then for another runtime
    assert sum(line.startswith("start") for line in log(fake_path)) == 2


def test_a_slow_runtime_is_not_replaced(started: Started, fake_path: Path) -> None:
    runtime = started()
    runtime.grep("hello")
    with pytest.raises(RuntimeTimeoutError):
        runtime.grep("fake:hang", timeout=0.2)
    assert runtime.grep("hello").matches
    assert sum(line.startswith("start") for line in log(fake_path)) == 1
    assert any(line.startswith("cancelled") for line in log(fake_path))


@pytest.mark.parametrize(
    ("fault", "code"), [("absent", "missing"), ("mode", "mode"), ("loader", "loader"), ("script", "loader")]
)
def test_an_unfit_executable_is_a_bundle_error(tmp_path: Path, fault: str, code: str) -> None:
    runtime = tmp_path / "runtime"
    runtime.write_text("#!/no/such/interpreter\n")
    if fault == "loader":
        # A dynamic executable whose loader is not there (openai/codex#6220).
        data = bytearray(Path("/bin/sh").read_bytes())
        for name in (b"/lib64/ld-linux-x86-64.so.2", b"/lib/ld-linux-aarch64.so.1"):
            data = data.replace(name, name[:-1] + b"9")
        runtime.write_bytes(data)
    for path in (runtime, tmp_path / "runtime-rg"):
        path.touch()
        path.chmod(0o755)
    if fault == "absent":
        runtime.unlink()
    if fault == "mode":
        runtime.chmod(stat.S_IRUSR)
    with Runtime(search=SEARCH, runtime_path=runtime) as client, pytest.raises(RuntimeBundleError) as caught:
        client.glob("*")
    assert caught.value.code == code
    assert caught.value.path == str(runtime)
    assert isinstance(caught.value, RuntimeMissingError) == (code in ("missing", "loader"))
