"""A skip that nobody foresaw fails the run where everything can be installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "reason",
    [
        "no strace on this machine: it tells what is flushed, and when",
        "no dash on this machine: the pattern oracle needs it",
        "bash is not installed",
        "no git on this machine: it writes the indexes",
        "no oracle: strace is not installed",
        "its tree is made by [bsdtar], not installed here",
        "needs readelf (Debian: binutils)",
    ],
)
def test_an_oracle_that_is_missing_was_not_foreseen(reason: str) -> None:
    assert skips.unforeseen([("tests/x.py::test", reason)]) == [f"tests/x.py::test: {reason}"]


@pytest.mark.parametrize(
    "reason",
    [
        "modes do not bind root; TestReadOnlyRoot mounts instead",
        "pex is not installed: session `bundlers` has it",
        "needs qemu-aarch64 (Debian: qemu-user-static)",
        "cannot mount tmpfs here: operation not permitted",
    ],
)
def test_what_no_package_mends_was(reason: str) -> None:
    assert skips.unforeseen([("gocore/spill.TestX", reason)]) == []


def test_the_list_holds_expressions_and_comments() -> None:
    seen = [("a", "no tool"), ("b", "no\n  luck")]
    assert skips.unforeseen(seen, "# why\n\n^b: no luck$  # once\n") == ["a: no tool"]


def test_what_go_skips_is_read() -> None:
    def event(action: str, test: str = "", output: str = "") -> str:
        return json.dumps({"Action": action, "Package": "p", "Test": test, "Output": output}) + "\n"

    events = [
        event("run", "TestA"),
        event("output", "TestA", "=== RUN   TestA\n"),
        event("output", "TestA", "    a_test.go:3: no strace: none\n"),
        event("output", "TestA", "--- SKIP: TestA (0.00s)\n"),
        event("skip", "TestA"),
        event("output", "TestB", "    b_test.go:9: wrong\n"),
        event("fail", "TestB"),
        event("output", "", "FAIL\n"),
        event("fail"),
        "not JSON\n",
    ]
    found, shown = skips.go_skips(events)
    assert found == [("p.TestA", "no strace: none\n")]
    assert shown == "    b_test.go:9: wrong\nFAIL\nnot JSON\n"


@pytest.mark.parametrize(("strict", "code"), [("1", 1), ("0", 0)])
def test_pytest_is_failed(tmp_path: Path, strict: str, code: int) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_configure, pytest_sessionfinish\n")
    (tmp_path / "test_x.py").write_text("import pytest\ndef test_x():\n    pytest.skip('no strace here')\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", skips.STRICT: strict}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("no strace here" in done.stdout) == (strict == "1")
