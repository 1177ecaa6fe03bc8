"""Builds the reference of the Python package from its docstrings: ``python tools/reference.py FOLDER``.

It is what pdoc makes, which reads ``__all__``, annotations and docstrings as
they stand and needs no configuration of its own. A warning is a failure.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pdoc
import pdoc.render

import hydra_harness_runtime as package

MODULES = ("hydra_harness_runtime", "hydra_harness_runtime.testing")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    for name in package.__all__:
        getattr(package, name)  # the package loads a name at its first use; pdoc looks and does not ask
    pdoc.render.configure(docformat="restructuredtext", footer_text=f"version {package.__version__}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdoc.pdoc(*MODULES, output_directory=folder)
    print(f"wrote {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
