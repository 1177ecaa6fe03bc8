"""``python -m wheels.complete [FOLDER]``: is this folder a release, whole and true?

The last question before anything is uploaded. A release is every wheel of both
distributions in one version, all good, and the ``SHA256SUMS`` that lists
exactly these. Exit status 0 when it is, 1 when it is not, with every reason.
Nothing is built, changed or deleted.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from wheels.check import Expectation, check_wheel
from wheels.distributions import every_build
from wheels.release import SUMS
from wheels.table import ROOT

__all__ = ["flaws", "main"]

_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
"""A line of ``sha256sum``, in the form that ``sha256sum --check`` reads."""


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m wheels.complete", description="Judge a release.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist", help="what to judge (default: dist)")
    folder: Path = parser.parse_args(arguments).folder
    expected = Expectation.of_repository()
    found = list(flaws(folder, expected))
    for flaw in found:
        print(f"wheels.complete: {flaw}", file=sys.stderr)
    if not found:
        print(f"{folder}: version {expected.version}, {len(every_build(expected.targets))} wheels, complete")
    return 1 if found else 0


def flaws(folder: Path, expected: Expectation) -> Iterator[str]:
    """Every reason why the folder is no release, in words."""
    wanted = {build.file_name(expected.version) for build in every_build(expected.targets)}
    present = {path.name for path in folder.glob("*") if path.name != SUMS}
    for name in sorted(wanted - present):
        yield f"{name} is missing: run `nox -s release`"
    for name in sorted(present - wanted):
        yield f"{name} does not belong to version {expected.version}: remove it"
    for name in sorted(wanted & present):
        for fault in check_wheel(folder / name, expected):
            yield f"{name} is not good: {fault}"
    yield from _sums(folder, wanted)


def _sums(folder: Path, wanted: set[str]) -> Iterator[str]:
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except OSError as error:
        yield f"{SUMS} cannot be read ({error.strerror}): run `nox -s release`"
        return
    listed: dict[str, str] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None or match[2] in listed:
            yield f"{SUMS} has a line that does not belong there: {line!r}"
        else:
            listed[match[2]] = match[1]
    if listed.keys() != wanted:
        yield f"{SUMS} lists {len(listed)} files that are not exactly the wheels of this version"
    for name in sorted(listed.keys() & wanted):
        path = folder / name
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() != listed[name]:
            yield f"{SUMS} gives another digest of {name} than its bytes have"


if __name__ == "__main__":
    sys.exit(main())
