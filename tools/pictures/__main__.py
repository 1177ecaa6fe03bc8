"""Writes the pictures of the documentation: ``python -m tools.pictures FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.pictures import overview, terminal


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (("overview.svg", overview.draw), ("terminal.svg", terminal.draw)):
        (folder / name).write_text(draw(), "utf-8")
        print(f"wrote {folder / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
