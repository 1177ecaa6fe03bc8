"""The distributions that a release consists of: their names, their tags, their targets.

The runtime goes to every platform of the table. The in-process extension goes
to Linux alone, and only where there is glibc: a Go library that Python loads
into itself does not work with musl's loader (golang/go#54805), so no tag of it
may promise that.

This is what the builder believes. ``wheels/check`` does not read it: the
checker works names and tags out from the table for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wheels.table import ROOT, Target

__all__ = [
    "EVERY",
    "EXECUTABLES",
    "GLIBC",
    "INPROCESS",
    "RIPGREP",
    "RUNTIME",
    "Build",
    "Distribution",
    "builds_for",
    "every_build",
]

RUNTIME = "hydra-harness-runtime"
"""The executable's name; fixed on every platform."""

RIPGREP = RUNTIME + "-rg"
"""The sidecar's name: the runtime's name and ``-rg``."""

GLIBC = (2, 17)
"""The oldest C library that the extension runs on: what manylinux2014 promises."""


@dataclass(frozen=True)
class Distribution:
    """What one ``pyproject.toml`` makes: a wheel for each of its targets."""

    name: str
    """What people install."""
    project: str
    """The folder of its ``pyproject.toml``, from the root of the repository."""
    interpreter: str
    """The first two parts of its tags."""
    loaded: bool
    """Whether a host process loads it, which ties it to glibc; else it is started."""

    @property
    def package(self) -> str:
        """What is imported, and what the names of its wheels begin with."""
        return self.name.replace("-", "_")

    def platforms(self, target: Target) -> list[str]:
        """The last part of its tags. Of glibc's both spellings, as pip compares them literally."""
        return [tag for tag in target.platform_tags if not self.loaded or tag.startswith("manylinux")]

    def tag(self, target: Target) -> str:
        """The tag part of a wheel's file name."""
        return f"{self.interpreter}-{'.'.join(self.platforms(target))}"

    def targets(self, table: Mapping[str, Target]) -> dict[str, Target]:
        """Where it goes, by name, in the order of the table."""
        return {name: target for name, target in table.items() if self.platforms(target)}


EXECUTABLES = Distribution("hydra-harness-runtime", ".", "py3-none", loaded=False)
INPROCESS = Distribution("hydra-harness-inprocess", "pybind", "cp310-abi3", loaded=True)
EVERY = (EXECUTABLES, INPROCESS)


class Build(NamedTuple):
    """One wheel: of which distribution, for which platform."""

    distribution: Distribution
    target: Target

    @property
    def name(self) -> str:
        """What it is called in messages and folders."""
        return f"{self.target.name} in-process" if self.in_process else self.target.name

    @property
    def in_process(self) -> bool:
        """Whether it is the extension."""
        return self.distribution is INPROCESS

    def folder(self, root: Path = ROOT) -> Path:
        """Where hatchling is run, in a tree of the sources."""
        return root / self.distribution.project

    def file_name(self, version: str) -> str:
        """What the wheel is called."""
        return f"{self.distribution.package}-{version}-{self.distribution.tag(self.target)}.whl"


def builds_for(target: Target) -> list[Build]:
    """The wheels that one platform has."""
    return [Build(each, target) for each in EVERY if each.platforms(target)]


def every_build(targets: Mapping[str, Target]) -> list[Build]:
    """All of them, distribution by distribution, in the order of the table."""
    return [Build(each, target) for each in EVERY for target in each.targets(targets).values()]
