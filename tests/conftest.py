"""A clean environment for every test: what the machine has must not show.

- no ``rg`` on PATH, so that only the packaged one can have answered
- ``RIPGREP_CONFIG_PATH`` names a file that would spoil every search
- one locale, an empty home, no override of the runtime
- a skip is a failure where everything can be installed: see ``skips.py``
- SIGINT works: a shell that starts these tests in the background has it ignored,
  and every program that a test starts would inherit that
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import skips

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE_RIPGREP_CONFIG = """\
--pre=/bin/false
--max-count=1
--glob=!*
--invert-match
"""

# Settings of the machine that change what git, ripgrep or Python do.
UNSET = ("HYDRA_HARNESS_RUNTIME", "XDG_CONFIG_HOME", "LANGUAGE", "GIT_DIR", "GREP_OPTIONS")


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Make the environment the same on every machine, for the whole session."""
    home = tmp_path_factory.mktemp("home")
    config = home / "ripgreprc"
    config.write_text(HOSTILE_RIPGREP_CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        for name in UNSET:
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home))
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("TZ", "UTC")
        patch.setenv("RIPGREP_CONFIG_PATH", str(config))
        patch.setenv("PATH", path_without("rg", os.environ.get("PATH", os.defpath)))
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)


def path_without(command: str, path: str) -> str:
    """*path* without the directories that hold *command*."""
    folders = [folder for folder in path.split(os.pathsep) if folder]
    return os.pathsep.join(f for f in folders if not (Path(f) / command).exists())


_SKIPPED = pytest.StashKey[list[tuple[str, str]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect what is skipped."""
    found = config.stash.setdefault(_SKIPPED, [])

    class Collector:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.skipped and not hasattr(report, "wasxfail"):
                found.append((report.nodeid, _reason(report)))

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.skipped:
                found.append((report.nodeid, _reason(report)))

    config.pluginmanager.register(Collector())


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    return str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skip that nobody foresaw fails the run, where that is asked for."""
    if skips.strict() and (bad := skips.unforeseen(session.config.stash[_SKIPPED])):
        print("\n" + skips.complaint(bad))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
