"""The whole judgement of one wheel: whose it is by its name, then everything about it."""

from __future__ import annotations

from pathlib import Path

from wheels.check.executables import executables_faults
from wheels.check.expectation import Expectation
from wheels.check.extension import extension_faults
from wheels.check.faults import Fault
from wheels.check.names import wheel_named

__all__ = ["check_wheel"]


def check_wheel(path: Path, expected: Expectation) -> list[Fault]:
    """Every fault of the wheel at ``path``; none for a good one.

    ``OSError`` when the file cannot be read at all.
    """
    wheel = wheel_named(path.name, expected.version, expected.targets)
    if wheel is None:
        what = f"is not the name of any wheel of version {expected.version} for the rows of targets.json"
        return [Fault("tag", path.name, what)]
    judge = extension_faults if wheel.kind.loaded else executables_faults
    return list(judge(path, wheel, expected))
