"""The wheels that a release consists of: two distributions, each for its platforms.

The runtime goes to every platform of the table. The in-process extension goes
to Linux alone, and only where there is glibc: a Go library that Python loads
into itself does not work with musl's loader (golang/go#54805), so no tag of it
may promise that.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wheels.check import extension, metadata
from wheels.table import ROOT, Target

__all__ = ["Build", "builds_for", "every_build"]


class Build(NamedTuple):
    """One wheel: of which project, for which platform."""

    project: str
    """The folder of its ``pyproject.toml``, from the root of the repository."""
    target: Target

    @property
    def name(self) -> str:
        """What it is called in messages and folders."""
        return f"{self.target.name} in-process" if self.in_process else self.target.name

    @property
    def in_process(self) -> bool:
        """Whether it is the extension."""
        return self.project == "pybind"

    def folder(self, root: Path = ROOT) -> Path:
        """Where hatchling is run, in a tree of the sources."""
        return root / self.project

    def file_name(self, version: str) -> str:
        """What the wheel is called."""
        if self.in_process:
            return f"{extension.PACKAGE}-{version}-{extension.extension_tag(self.target)}.whl"
        return f"{metadata.DISTRIBUTION}-{version}-{self.target.wheel_tag}.whl"


def builds_for(target: Target) -> list[Build]:
    """The wheels that one platform has."""
    return [Build(".", target), *([Build("pybind", target)] if target.goos == "linux" else [])]


def every_build(targets: Mapping[str, Target]) -> list[Build]:
    """All of them, distribution by distribution, in the order of the table."""
    found = [build for target in targets.values() for build in builds_for(target)]
    return sorted(found, key=lambda build: build.in_process)
