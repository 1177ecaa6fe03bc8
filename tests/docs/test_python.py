"""docs/python.md: its blocks are one program and some files, and print what stands below them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hydra_harness_runtime as package
from hydra_harness_runtime import HarnessError
from tests.docs.blocks import Block, blocks, dialogue
from wheels.table import ROOT

PAGE = ROOT / "docs" / "python.md"
BLOCKS = blocks(PAGE)
ROW = re.compile(r"^\| (?:&nbsp;|[├└ ])*`(\w+)`(?:, also `(\w+)`)? \| (.*?) \|", re.MULTILINE)
FILE = re.compile(r"# (\w+\.py)\n")

RUN = """
import contextlib, io, json, sys
names = {"__name__": "__main__"}
printed = []
for line, text in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\\n" * (line - 1) + text, "docs/python.md", "exec"), names)
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


def python() -> list[tuple[Block, str]]:
    """The blocks of Python, each with what it is to print."""
    found = []
    for block, after in zip(BLOCKS, [*BLOCKS[1:], None], strict=True):
        if block.language == "python":
            found.append((block, after.text if after and after.language == "text" else ""))
    return found


PROGRAM = [(block, shown) for block, shown in python() if not FILE.match(block.text)]
FILES = {FILE.match(block.text)[1]: (block, shown) for block, shown in python() if FILE.match(block.text)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader tries it: a folder with the wheels, and an own home."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "dist").symlink_to(ROOT / "dist")
    return folder


@pytest.fixture(scope="module")
def printed(folder: Path) -> list[str]:
    program = json.dumps([(block.line, block.text) for block, _ in PROGRAM])
    return json.loads(interpret(folder, "-c", RUN, given=program))


def interpret(folder: Path, *arguments: str, given: str = "") -> str:
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_nothing_is_left_out() -> None:
    assert {block.language for block in BLOCKS} == {"python", "text", "console"}
    assert sum(block.language == "text" for block in BLOCKS) == sum(bool(shown) for _, shown in python())
    assert len(PROGRAM) > 10
    assert sorted(FILES) == ["app.py", "pool.py"]


@pytest.mark.parametrize("number", range(len(PROGRAM)), ids=lambda number: f"line {PROGRAM[number][0].line}")
def test_the_program_prints_what_is_shown(printed: list[str], number: int) -> None:
    assert printed[number] == PROGRAM[number][1]


@pytest.mark.usefixtures("printed")
def test_the_pool(folder: Path) -> None:
    block, shown = FILES["pool.py"]
    (folder / "pool.py").write_text(block.text)
    assert interpret(folder, "pool.py") == shown


@pytest.mark.usefixtures("printed")
def test_the_application_serves_in_forked_workers(folder: Path) -> None:
    """As gunicorn does with --preload: the master loads it, the workers are forked and asked."""
    block, _ = FILES["app.py"]
    (folder / "app.py").write_text(block.text)
    ask = """
import os
from app import app
for worker in range(2):
    if os.fork() == 0:
        os._exit(0 if app({"QUERY_STRING": "TODO"}, lambda *_: None) == [b"2 matches\\n"] else 1)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(2)])
"""
    assert interpret(folder, "-c", ask) == "[0, 0]\n"


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "console"], ids=lambda b: f"{b.line}")
def test_the_console_prints_what_is_shown(folder: Path, block: Block) -> None:
    if not list((ROOT / "dist").glob("hydra_harness_runtime-*.whl")):
        pytest.skip("dist holds no wheel to install (nox -s wheel builds it)")
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for command, output in dialogue(block.text):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
        )
        assert (done.stdout, done.stderr) == (output, ""), command


def test_the_table_has_every_error_with_its_code() -> None:
    rows = re.findall(
        r"^\| (?:&nbsp;|[├└ ])*`(\w+)`(?:, also `(\w+)`)? \| (.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE
    )
    told = {name: (also, codes) for name, also, codes in rows if name.endswith("Error")}
    errors = {
        name: kind
        for name in package.__all__
        if isinstance(kind := getattr(package, name), type) and issubclass(kind, HarnessError)
    }
    assert told.keys() | {"HarnessError"} == errors.keys()
    for name, (also, codes) in told.items():
        assert not codes or name == "SearchError" or f"`{errors[name].default_code}`" in codes, name
        foreign = [base.__name__ for base in errors[name].__mro__ if not base.__module__.startswith("hydra")]
        assert not also or also in foreign, name
    assert "| `SearchError` | | " in PAGE.read_text("utf-8"), "only its branches are raised"


def test_links_lead_somewhere() -> None:
    text = PAGE.read_text("utf-8")
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^## (.*)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert target[1:] in anchors if target.startswith("#") else (PAGE.parent / target).exists(), target
