"""What the program around the client does to it: its logging, its environment."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_harness_runtime import Runtime, _logs
from hydra_harness_runtime._arguments import environment
from hydra_harness_runtime._base import shell_environment
from hydra_harness_runtime._bundle import filechecks
from hydra_harness_runtime._calls import DEFAULT
from hydra_harness_runtime._transports.inprocess import _environ

RUNTIME = logging.getLogger("hydra_harness_runtime.runtime")
PACKAGE = logging.getLogger("hydra_harness_runtime")


class Broken(logging.Handler, logging.Filter):
    """Raises whenever it is asked anything."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.asked = 0

    def handle(self, record: logging.LogRecord) -> bool:
        self.asked += 1
        raise ZeroDivisionError(f"the handler of this program: {record.getMessage()}")

    def filter(self, record: logging.LogRecord) -> bool:
        return self.handle(record)


@pytest.fixture(params=["handler", "filter"])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broken]:
    monkeypatch.setattr(_logs, "_shown", False)
    broken = Broken()
    for logger in (RUNTIME, PACKAGE):
        (logger.addHandler if request.param == "handler" else logger.addFilter)(broken)
    yield broken
    for logger in (RUNTIME, PACKAGE):
        (logger.removeHandler if request.param == "handler" else logger.removeFilter)(broken)


def test_what_the_logging_of_the_program_raises_ends_no_runtime(
    started: Callable[..., Runtime], broken: Broken, capsys: pytest.CaptureFixture[str]
) -> None:
    runtime = started(env={**os.environ, "FAKE_RUNTIME_START": "chatty"})
    assert len(runtime.grep("hello", timeout=20)) == 1
    pid = runtime.pid
    for text in ("one", "two"):
        _logs.StderrLog().feed(f"{text}\n".encode())
    assert len(runtime.grep("hello", timeout=20)) == 1
    assert runtime.pid == pid
    assert broken.asked >= 3, "good morning, and two of our own"
    shown = capsys.readouterr().err
    assert shown.count("Traceback") == 1, "once is enough"
    assert "'hydra_harness_runtime.runtime'" in shown


def test_a_mode_is_mended_whatever_the_logging_does(broken: Broken, tmp_path: Path) -> None:
    file = tmp_path / "tool"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o644)
    filechecks.check_executable(str(file), file.stat(), repair=True)
    assert os.access(file, os.X_OK)
    assert broken.asked == 1


def test_the_environment_may_change_while_it_is_read() -> None:
    """`dict(os.environ)` and `os.environb.items()` raise KeyError for a variable that went meanwhile."""
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for i in range(50):
                os.environ[f"HYDRA_TEST_{i}"] = "x"
            for i in range(50):
                del os.environ[f"HYDRA_TEST_{i}"]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(2000):
            assert "PATH" in environment()
            assert "PATH" in (shell_environment(DEFAULT) or {})
            assert b"PATH=" in _environ(None)
    finally:
        stop.set()
        thread.join()
