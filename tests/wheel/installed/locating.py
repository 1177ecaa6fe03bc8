"""Ask the locator of a place, and read its refusal."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.wheel.installed.conftest import Place

LOCATE = """
import hydra_harness_runtime as h
try:
    print(h.bundled_runtime_path())
except h.RuntimeBundleError as error:
    print(error.code, error.path, error, sep="\\n")
    raise SystemExit(3)
"""


class Refusal(NamedTuple):
    code: str
    path: str
    message: str


def refusal(place: Place, cwd: Path, *, before: tuple[str, ...] = (), script: str = LOCATE) -> Refusal:
    """What a fresh process of the place says when it may not use the executables."""
    done = place.run("-c", script, cwd=cwd, before=before)
    assert done.returncode == 3, done.stdout + done.stderr
    return Refusal(*done.stdout.rstrip("\n").split("\n", 2))
