"""docs/trust.md: its rules are what the gate reads, and what stands below them is true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from wheels.table import ROOT

PAGE = ROOT / "docs" / "trust.md"
RULES = [json.loads(rule) for rule in re.findall(r"^\| `(\{.*?\})` \|", PAGE.read_text("utf-8"), re.MULTILINE)]
EXAMPLE = json.loads(blocks(PAGE)[0].text)


def gate(folder: Path, rules: list[object], command: str) -> int:
    """The exit status of the gate."""
    (folder / "trust.json").write_text(json.dumps(rules))
    (folder / "repo").mkdir(exist_ok=True)
    program = Path(sys.executable).parent / "hydra-harness-runtime"
    line = [program, "gate", "--trust", folder / "trust.json", "--write-root", ".", command]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(line, cwd=folder / "repo", env=env, capture_output=True, check=False).returncode


def test_every_rule_is_read(tmp_path: Path) -> None:
    assert len(RULES) >= 10
    assert gate(tmp_path, [*RULES, *EXAMPLE], "true") == 0


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("pytest -q", 0),
        ("timeout 60 pytest", 0),
        ("bash -c pytest", 0),
        ("pytest > /etc/x", 1),
        ("pytest; cat ~/.ssh/id", 2),
        ("LD_PRELOAD=./x.so pytest", 1),
        ("PATH=. pytest", 1),
        ("npm run lint", 0),
        ("npm run lint x", 1),
        ("git push", 2),
        ("git push origin main", 2),
    ],
)
def test_what_the_page_says_of_its_example(tmp_path: Path, command: str, status: int) -> None:
    rules = [{name: value for name, value in rule.items() if name != "directory"} for rule in EXAMPLE]
    assert gate(tmp_path, rules, command) == status
