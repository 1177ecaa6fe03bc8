"""What docs/inprocess.md shows is what happens, and every code that it lists is one that there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hydra_harness_runtime._transports import _extension
from tests.docs.blocks import Block, blocks
from tests.inprocess.conftest import ROOT

PAGE = ROOT / "docs" / "inprocess.md"
BLOCKS = blocks(PAGE)
PYTHON = [block for block in BLOCKS if block.language == "python"]


def test_each_example_shows_what_it_prints() -> None:
    for block in PYTHON:
        assert BLOCKS[BLOCKS.index(block) + 1].language == "text"
    assert {block.language for block in BLOCKS} == {"console", "python", "text"}


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: f"line {block.line}")
def test_python_prints_what_is_shown(block: Block, tmp_path: Path, runtime_path: Path | None) -> None:
    script = tmp_path / "example.py"
    script.write_text(block.text)
    env = {**os.environ, **({"HYDRA_HARNESS_RUNTIME": str(runtime_path)} if runtime_path else {})}
    command = [sys.executable, "-I", str(script)]
    done = subprocess.run(command, check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
    # Python 3.12 and later warn of a fork in a process that has threads, as one should.
    complaints = [line for line in done.stderr.splitlines() if "fork()" not in line and "os.fork" not in line]
    assert (done.returncode, complaints) == (0, [])
    assert done.stdout == BLOCKS[BLOCKS.index(block) + 1].text


def test_the_codes_are_all_there_and_no_others() -> None:
    codes = re.compile(r'"(extension-[a-z]+)"')
    raised = set(codes.findall(Path(_extension.__file__).read_text("utf-8")))
    listed = set(re.findall(r"^\| `(extension-[a-z]+)`", PAGE.read_text("utf-8"), re.MULTILINE))
    assert raised == listed
    assert len(raised) > 4


def test_the_figures_are_of_the_benchmark() -> None:
    text = PAGE.read_text("utf-8")
    table = text.split("<!-- written by tests/inprocess/bench.py -->")[1].split("<!-- end -->")[0]
    shown = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)
    source = Path(__file__).with_name("bench.py").read_text("utf-8")
    assert shown[1:] == re.findall(r'^            \("([^"]+)", ', source, re.MULTILINE)
