"""The console script and ``python -m hydra_harness_runtime``.

Nothing is imported here but what every Python has loaded by then: what follows
must not be taken from a file that happens to lie where the command is called.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the packaged runtime with this process's arguments; never returns."""
    _isolate()
    from ._command import run  # noqa: PLC0415 - only now

    run()


def _isolate() -> None:
    """What ``python -P`` does, which no entry point can ask for: no module from beside the caller.

    Gone are the folder of the program, the working directory and every relative
    entry. The package itself needs none of them: its modules import each other
    relative to itself.
    """
    folder = os.path.dirname(sys.argv[0])  # noqa: PTH120 - no pathlib yet
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        here = ""  # it was deleted: nothing lies there
    beside = {here, os.path.normpath(os.path.join(here, folder))}  # noqa: PTH118
    sys.path[:] = [entry for entry in sys.path if entry.startswith("/") and entry not in beside]


if __name__ == "__main__":
    main()
