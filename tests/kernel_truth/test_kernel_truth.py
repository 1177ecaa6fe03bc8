"""The recorder reads strace rightly, and a record stands when it is run again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from . import run, strace
from .__main__ import load, main

VECTORS = Path(__file__).parent.parent / "conformance" / "shell" / "shell.jsonl"

needs_tools = pytest.mark.skipif(
    not all(shutil.which(t) for t in ("strace", "bash", "dash")), reason="needs strace, bash and dash"
)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("plain", "plain"),
        (r"a\nb", "a\nb"),
        (r"\"q\\", '"q\\'),
        (r"\303\251", "é"),
        (r"\377x", "\udcffx"),
        (r"\0012", "\x012"),
    ],
)
def test_unescape(text: str, want: str) -> None:
    assert strace.unescape(text) == want


def test_calls(tmp_path: Path) -> None:
    log = tmp_path / "t.1"
    log.write_text(
        'openat(AT_FDCWD</r>, "l\\n", O_RDONLY|O_CLOEXEC) = 3</out/s>\n'
        'rename("a", "b") = -1 ENOENT (No such file or directory)\n'
        "+++ exited with 0 +++\n"
    )
    first, second = strace.calls(str(log))
    assert (first.name, first.strings, first.descriptors, first.result, first.cwd) == (
        "openat",
        ["l\n"],
        ["/r"],
        "/out/s",
        "/r",
    )
    assert first.ok
    assert "O_RDONLY" in first.flags
    assert not second.ok
    assert second.errno == "ENOENT"
    assert second.strings == ["a", "b"]


def test_outside() -> None:
    assert run.outside(["/r", "/r/a", "/rx", "/o"], ["/r"]) == ["/o", "/rx"]


@needs_tools
@pytest.mark.parametrize(
    "name",
    [
        "symlink-002-out",
        "glob-028-through-link",
        "redirect-020-into-dir-link",
        "race-002-relink-dir",
        "dash-005-dot-star",
    ],
)
def test_recorded_cases_stand(name: str) -> None:
    case = next(c for c in load(str(VECTORS)) if c["id"] == name)
    assert run.differences(case) == {}


@needs_tools
def test_record() -> None:
    case = run.record(
        {
            "id": "new",
            "command": "cat link; echo x > made",
            "tree": [{"path": "{ROOT}/link", "type": "symlink", "target": "../out/s"}, {"path": "{OUT}/s"}],
        }
    )
    assert case["kernel_reads"] == ["{OUT}/s"]
    assert case["kernel_writes"] == ["{ROOT}/made"]
    assert case["escapes_read"] == ["{OUT}/s"]
    assert case["escapes_write"] == []
    assert case["escapes"] is True


def test_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "verify FILE" in capsys.readouterr().err
