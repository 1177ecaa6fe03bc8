"""``python -m hydra_harness_runtime.testing FOLDER``: what the installed fake executes."""

import sys
from pathlib import Path

from ._program import main

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
