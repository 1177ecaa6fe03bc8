"""The platform table (``targets.json``) and the pin of ripgrep, as values."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Pinned", "Target", "host_target", "load_lock", "load_targets"]

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""

_SYSTEMS = {"linux": "linux", "darwin": "macos"}


@dataclass(frozen=True)
class Target:
    """One row of the table."""

    name: str
    goos: str
    goarch: str
    npm_package: str
    platform_tags: tuple[str, ...]
    macos_minimum: str | None


@dataclass(frozen=True)
class Pinned:
    """What the lock says about one platform's ripgrep; ``size`` is in bytes."""

    ripgrep_version: str
    package_version: str
    size: int
    sha256: str


def load_targets(root: Path = ROOT) -> dict[str, Target]:
    """The table by target name, in its own order."""
    rows = json.loads((root / "wheels" / "targets.json").read_text("utf-8"))["targets"]
    return {
        row["target"]: Target(
            name=row["target"],
            goos=row["goos"],
            goarch=row["goarch"],
            npm_package=row["npmPackage"],
            platform_tags=tuple(row["platformTags"]),
            macos_minimum=row["macosMinimum"],
        )
        for row in rows
    }


def load_lock(root: Path = ROOT) -> dict[str, Pinned]:
    """The pins by npm package name."""
    lock = json.loads((root / "tools" / "fetch-rg" / "rg.lock.json").read_text("utf-8"))
    return {
        name: Pinned(lock["ripgrepVersion"], lock["packageVersion"], pin["rg"]["size"], pin["rg"]["sha256"])
        for name, pin in lock["packages"].items()
    }


def host_target(targets: dict[str, Target]) -> Target:
    """The row for this machine; ``LookupError`` when there is none."""
    machine = os.uname().machine if hasattr(os, "uname") else "unknown"
    name = f"{_SYSTEMS.get(sys.platform, sys.platform)}-{machine}"
    if name not in targets:
        raise LookupError(f"there is no wheel for {name}; the table has {', '.join(targets)}")
    return targets[name]
