"""The recorded searches and commands, answered over both transports."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import Runtime, bundled_runtime_path
from tests.inprocess.conftest import ROOT, TRANSPORTS
from tests.kernel_truth.layout import Places, lay_out

HOME = os.environ.get("HOME")
"""As it was before the clean environment of all tests replaced it: Go's caches lie there."""

SHELL = ROOT / "tests" / "conformance" / "shell"


@pytest.mark.parametrize("index", [(), ("--indexed",)], ids=["plain", "indexed"])
def test_searches(transport: str, runtime_path: Path | None, index: tuple[str, ...]) -> None:
    """``tests/conformance/search`` asks a driver; here it is a Python program with a client, forked for each."""
    if shutil.which("go") is None:
        pytest.skip("needs Go, in which the driver's other side is written")
    driver = Path(__file__).with_name("driver.py")
    runtime = runtime_path or bundled_runtime_path()
    command = [
        "go",
        "run",
        "./tests/conformance/search",
        "--resident",
        *index,
        "--driver",
        f"{sys.executable} {driver} {transport} {runtime}",
    ]
    env = {**os.environ, **({"HOME": HOME} if HOME else {})}
    done = subprocess.run(command, check=False, cwd=ROOT, env=env, capture_output=True, text=True)
    told = done.stdout + done.stderr
    summary = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", done.stdout, re.MULTILINE)
    assert summary is not None, told
    assert summary[2] == "0", told
    assert int(summary[1]) > 350, told
    print(f"searches, {transport} {' '.join(index)}: {summary[0]}")


def commands(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SHELL / name).read_text("utf-8").splitlines()]


@pytest.fixture
def both(tree: Path, settings: Callable[..., dict[str, Any]]) -> Any:
    """A client over each transport, side by side."""
    first, second = (Runtime(tree, transport=name, **settings()) for name in TRANSPORTS)
    with first, second:
        yield first, second


def test_plans(both: tuple[Runtime, Runtime]) -> None:
    """Every recorded command is read alike."""
    vectors = commands("shell.jsonl") + commands("shell-everyday.jsonl")
    assert len(vectors) > 600
    for vector in vectors:
        asked = {"shell": vector["shell"] if vector["shell"] in ("bash", "dash", "posix") else "bash", "cwd": "/w"}
        first, second = (runtime.plan(vector["command"], **asked) for runtime in both)
        assert first.raw == second.raw, vector["id"]


def test_gates(both: tuple[Runtime, Runtime], tmp_path: Path) -> None:
    """Every recorded command lands and is judged alike, by a look at the same tree; and an allow is confirmed."""
    trees = json.loads((SHELL / "shell-trees.json").read_text("utf-8"))
    vectors = commands("shell.jsonl") + commands("shell-everyday.jsonl")
    decisions: Counter[str] = Counter()
    for vector in vectors:
        name = vector.get("tree_ref") or vector["id"]
        at = Places(str(tmp_path / name))
        if not Path(at.base).exists():
            lay_out(trees[name] if "tree_ref" in vector else vector["tree"], at)
        roots = [at.fill(root) for root in vector["roots"]]
        asked = {
            "read_roots": roots,
            "write_roots": roots,
            "cwd": at.fill(vector["cwd"]),
            "shell": vector["shell"],
            "env": {"PATH": "/usr/bin:/bin", **vector["env"], "HOME": at.fill(vector["home"])},
        }
        first, second = (runtime.gate(at.fill(vector["command"]), **asked) for runtime in both)
        assert first == second, vector["id"]
        decisions[first.decision] += 1
        if first.decision == "allow":
            # Each confirms what the other has allowed.
            assert both[1].confirm(first) == both[0].confirm(second), vector["id"]
    print("gates, both:", dict(decisions))
    assert decisions.keys() >= {"allow", "ask"}
