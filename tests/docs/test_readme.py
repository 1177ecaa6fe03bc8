"""Every code block of README.md and of the first pages is run, or its parts are known to be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, dialogue
from wheels.table import ROOT

README = ROOT / "README.md"
PAGES = {path: blocks(path) for path in (README, ROOT / "docs" / "index.md", ROOT / "docs" / "install.md")}
BIN = Path(sys.executable).parent


def of(language: str, *pages: Path) -> list[tuple[Path, Block]]:
    return [(page, block) for page in pages or PAGES for block in PAGES[page] if block.language == language]


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a reader's shell would run it, with the installed wheel's script at hand."""
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(["sh", "-c", command], check=False, cwd=folder, env=env, capture_output=True, text=True)


def test_nothing_is_left_out() -> None:
    languages = {block.language for page in PAGES.values() for block in page}
    assert languages == {"sh", "python", "text", "console"}
    assert len(of("python")) == len(of("text"))
    assert [page for page, _ in of("sh")] == [README, README]
    assert len(README.read_text("utf-8").splitlines()) <= 150, "it is read in five minutes"


@pytest.mark.parametrize(
    ("page", "block"), [pytest.param(*pair, id=f"{pair[0].name} line {pair[1].line}") for pair in of("python")]
)
def test_python_prints_what_is_shown(page: Path, block: Block, tmp_path: Path) -> None:
    shown = PAGES[page][PAGES[page].index(block) + 1]
    assert shown.language == "text"
    script = tmp_path / "example.py"
    script.write_text(block.text)
    done = subprocess.run(
        [sys.executable, "-I", str(script)], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shown.text


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*pair, id=pair[0]) for _, block in of("console") for pair in dialogue(block.text)],
)
def test_console_prints_what_is_shown(command: str, output: str) -> None:
    done = shell(command, ROOT)
    assert (done.stdout, done.stderr) == (output, "")


def test_quick_start_is_what_ci_runs() -> None:
    """Running it here would run these tests again; its steps are run by .ci/run and by session demo."""
    demo, tests = (block.text.strip() for _, block in of("sh"))
    *preparation, last = demo.split(" && ")
    assert last == f"{tests} -s demo"
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    steps = [*preparation, tests]
    assert script[-len(steps) :] == steps


def test_sessions_that_are_named_exist() -> None:
    """The demo is part of the plain test run, so its command is proven there."""
    noxfile = (ROOT / "noxfile.py").read_text("utf-8")
    defaults = noxfile.split("QUICK = [")[1].split("]")[0]
    assert "nox.options.sessions = [*QUICK," in noxfile
    assert '"demo"' in defaults
    for session in ("demo", "wheels"):
        assert f"def {session}(session" in noxfile


def test_version_of_ripgrep_is_the_pinned_one() -> None:
    lock = (ROOT / "tools" / "fetch-rg" / "rg.lock.json").read_text("utf-8")
    version = lock.split('"ripgrepVersion": "')[1].split('"')[0]
    assert f"ripgrep {version} with PCRE2" in (ROOT / "docs" / "install.md").read_text("utf-8")
