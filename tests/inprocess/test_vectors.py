"""The recorded searches and commands, answered over both transports."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import Runtime, bundled_runtime_path
from tests.inprocess.conftest import ROOT, TRANSPORTS

HOME = os.environ.get("HOME")
"""As it was before the clean environment of all tests replaced it: Go's caches lie there."""

SHELL = ROOT / "tests" / "conformance" / "shell"


def test_searches(transport: str, runtime_path: Path | None) -> None:
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
    print(f"searches, {transport}: {summary[0]}")


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
    """Everyday commands land and are judged alike, by a look at the same tree."""
    trees = json.loads((SHELL / "shell-trees.json").read_text("utf-8"))
    vectors = commands("shell-everyday.jsonl")
    verdicts = set()
    for vector in vectors:
        places = grown(trees, vector, tmp_path)

        roots = [filled(root, places) for root in vector["roots"]]
        asked = {
            "read_roots": roots,
            "write_roots": roots,
            "cwd": filled(vector["cwd"], places),
            "env": {"HOME": filled(vector["home"], places), "PATH": "/usr/bin:/bin"},
        }
        first, second = (runtime.gate(filled(vector["command"], places), **asked) for runtime in both)
        assert first == second, vector["id"]
        verdicts.add(first.decision)
    assert verdicts >= {"allow", "ask"}


def grown(trees: dict[str, Any], vector: dict[str, Any], folder: Path) -> dict[str, str]:
    """The tree of a vector, made on first use, and where its places are."""
    base = folder / vector["tree_ref"]
    places = {"{ROOT}": str(base / "root"), "{OUT}": str(base / "out"), "{BASE}": str(base)}
    if base.exists():
        return places
    for entry in trees[vector["tree_ref"]]:
        path = Path(filled(entry["path"], places))
        assert path.is_absolute(), entry
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry["type"] == "file":
            path.write_bytes(entry.get("content", "").encode("utf-8", "surrogateescape"))
        elif entry["type"] == "dir":
            path.mkdir(exist_ok=True)
        else:
            path.symlink_to(filled(entry["target"], places))
    return places


def filled(text: str, places: dict[str, str]) -> str:
    """*text* with the places put in."""
    for name, place in places.items():
        text = text.replace(name, place)
    return text
