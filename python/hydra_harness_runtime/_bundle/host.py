"""What this machine is, in the words of the platform table.

A wheel says which target it was built for; :func:`mismatch` says whether a
target can run here. Both take their facts as values, so that every branch can
be tested on any machine.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

__all__ = ["Host", "current_host", "mismatch"]

_SYSTEMS = {"linux": "linux", "darwin": "macos"}
"""``sys.platform`` to the system part of a target's name."""

_MACHINES = {
    "x86_64": "x86_64",
    "amd64": "x86_64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    # A 32-bit ARM userland on a 64-bit kernel: the executables are static
    # 64-bit programs and the kernel runs them.
    "armv8l": "aarch64",
    "armv8b": "aarch64",
    # The same on Intel, or `setarch i686`. On a kernel of 32 bits the launch says so.
    "i386": "x86_64",
    "i486": "x86_64",
    "i586": "x86_64",
    "i686": "x86_64",
}
"""``uname -m`` to one spelling; the table itself says arm64 for macOS."""


class Host(NamedTuple):
    """One machine: ``system`` and ``machine`` as in the platform table, or as found."""

    system: str
    machine: str

    def __str__(self) -> str:
        return f"{self.system}-{self.machine}"


def current_host() -> Host:
    """The machine that this interpreter runs on."""
    machine = os.uname().machine if hasattr(os, "uname") else "unknown"
    return Host(_SYSTEMS.get(sys.platform, sys.platform), _canonical_machine(machine))


def mismatch(target: str, host: Host) -> str | None:
    """The code of the reason why *target* cannot run on *host*, or ``None``.

    macOS runs both machines (Rosetta), so only the system is compared there
    and the launch itself has the last word.
    """
    system, _, machine = target.partition("-")
    if system != host.system:
        return "wrong-os"
    if system == "macos":
        return None
    return None if _canonical_machine(machine) == host.machine else "wrong-arch"


def _canonical_machine(machine: str) -> str:
    return _MACHINES.get(machine.lower(), machine)
