"""The names and tags that wheels may have, worked out from the table's facts.

Nothing is asked of the builder, and the table's own ``platformTags`` are judged
like everything else: a system, a machine and an oldest macOS say what a wheel
may promise, and what :mod:`wheels.check.elf`, ``shared`` and ``macho`` then
prove from the bytes is exactly that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wheels.check.faults import Fault, Faults
from wheels.table import Target

__all__ = ["EXTENSION", "GLIBC", "RIPGREP", "RUNTIME", "STARTED", "Kind", "Wheel", "check_tags", "wheel_named"]

RUNTIME = "hydra-harness-runtime"
RIPGREP = "hydra-harness-runtime-rg"
"""The executables inside; the locator knows no other names."""

GLIBC = (2, 17)
"""The C library of CentOS 7, the oldest that a wheel may ask for: what the tag
of an extension promises, and what no symbol of it may exceed."""

_LEGACY = {(2, 17): "manylinux2014"}
"""PEP 600's older spelling of some tags; installers compare them literally."""

_MACHINES = {"linux": {"amd64": "x86_64", "arm64": "aarch64"}, "darwin": {"amd64": "x86_64", "arm64": "arm64"}}
"""What a tag calls a machine, by the compiler's names for system and machine."""


class Kind(NamedTuple):
    """One distribution, as package indexes and installers see it."""

    name: str
    package: str
    interpreter: str
    loaded: bool
    """A host process loads it, so that its C library counts; else it is a static program."""


STARTED = Kind("hydra-harness-runtime", "hydra_harness_runtime", "py3-none", loaded=False)
EXTENSION = Kind("hydra-harness-inprocess", "hydra_harness_inprocess", "cp310-abi3", loaded=True)


class Wheel(NamedTuple):
    """What a file name says: which distribution, for which platform."""

    kind: Kind
    target: Target

    @property
    def platforms(self) -> list[str]:
        """The platform tags that such a wheel may have."""
        return _platforms(self.target, loaded=self.kind.loaded)

    @property
    def tags(self) -> list[str]:
        """The whole tags, sorted, as WHEEL has to list them."""
        return sorted(f"{self.kind.interpreter}-{platform}" for platform in self.platforms)

    def file_name(self, version: str) -> str:
        """What the file has to be called."""
        return f"{self.kind.package}-{version}-{self.kind.interpreter}-{'.'.join(self.platforms)}.whl"


def wheel_named(file_name: str, version: str, targets: Mapping[str, Target]) -> Wheel | None:
    """The wheel that has exactly this file name."""
    for kind in (STARTED, EXTENSION):
        for target in targets.values():
            wheel = Wheel(kind, target)
            if wheel.platforms and wheel.file_name(version) == file_name:
                return wheel
    return None


def check_tags(target: Target) -> Faults:
    """The table's own tags: what the executables of its row can keep, no less and no more."""
    if list(target.platform_tags) != _platforms(target, loaded=False):
        wanted = _platforms(target, loaded=False) or "none: its goos or goarch is unknown to wheels/check/names.py"
        yield Fault("tag", target.name, f"has the tags {list(target.platform_tags)} in targets.json, not {wanted}")


def _platforms(target: Target, *, loaded: bool) -> list[str]:
    machine = _MACHINES.get(target.goos, {}).get(target.goarch)
    if machine is None:
        return []
    if target.goos == "darwin":
        oldest = (target.macos_minimum or "").replace(".", "_")
        return [] if loaded else [f"macosx_{oldest}_{machine}"]
    glibc = [f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}", f"{_LEGACY[GLIBC]}_{machine}"]
    # A static program runs beside any C library; what is loaded needs the one it was linked for.
    return glibc if loaded else [*glibc, f"musllinux_1_1_{machine}"]
