"""The program that the checkers read runs, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

AGENT = Path(__file__).resolve().parents[1] / "typed" / "agent.py"


def test_the_sample_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(AGENT)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    methods = done.stdout.split()
    assert methods.count("hydra/search/grep") == 5
    assert set(methods) >= {"hydra/search/glob", "tools/list", "tools/call", "hydra/shell/gate", "hydra/shell/confirm"}
