"""The packaged executables: where they are, whether they are whole, what mends them if not.

``locate`` asks the questions in order and remembers what passed. ``manifest``,
``binaries``, ``filechecks`` and ``host`` each answer one of them, ``faults``
turns a finding into the error that people read, and ``remedies`` says the way
out. Nothing here starts anything.
"""

from __future__ import annotations

__all__ = ["LOGGER"]

LOGGER = "hydra_harness_runtime"
"""Where what was done about the files is told: a mode that was mended, another runtime that was chosen."""
