"""``python -m wheels.check [--keep] WHEEL...``: say what is wrong, delete bad wheels.

Exit status 0 when all are good, 1 when one is not, 2 when a check could not be
done. A wheel that fails is deleted, so that nobody uploads it; ``--keep``
leaves it for a look.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wheels.check import Expectation, check_wheel


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m wheels.check", description="Judge built wheels.")
    parser.add_argument("--keep", action="store_true", help="do not delete a wheel that fails")
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    options = parser.parse_args(arguments)
    status = 0
    try:
        expected = Expectation.of_repository()
        for path in options.wheels:
            faults = check_wheel(path, expected)
            for fault in faults:
                print(f"{path.name}: {fault}", file=sys.stderr)
            if not faults:
                print(f"{path.name}: good, {path.stat().st_size / 1e6:.1f} MB")
                continue
            status = 1
            if not options.keep:
                path.unlink()
                print(f"{path.name}: deleted", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f"wheels.check: cannot check: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
