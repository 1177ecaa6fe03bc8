"""What a good wheel of this repository is made of, read from the source tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wheels import table

__all__ = ["PACKAGE", "Expectation"]

PACKAGE = "hydra_harness_runtime"
"""The Python package that the runtime's wheels carry."""


@dataclass(frozen=True)
class Expectation:
    """The facts that every wheel of one release is held against."""

    version: str
    targets: Mapping[str, table.Target]
    lock: Mapping[str, table.Pinned]
    sources: Mapping[str, bytes]
    """The Python package: name in the wheel to content."""
    licences: Mapping[str, bytes]
    """File name to content."""

    @classmethod
    def of_repository(cls, root: Path = table.ROOT) -> Expectation:
        """Read everything from the source tree."""
        package = root / "python" / PACKAGE
        sources = {
            f"{PACKAGE}/{path.relative_to(package).as_posix()}": path.read_bytes()
            for path in sorted(package.rglob("*"))
            if path.is_file() and not _is_by_product(path.relative_to(package))
        }
        return cls(
            version=_version(sources[f"{PACKAGE}/_version.py"]),
            targets=table.load_targets(root),
            lock=table.load_lock(root),
            sources=sources,
            licences={name: (root / name).read_bytes() for name in ("LICENSE", "THIRD_PARTY_NOTICES.md")},
        )


def _is_by_product(path: Path) -> bool:
    """Caches, and the executables that an editable install leaves behind."""
    return any(part.startswith(".") or part in ("__pycache__", "_bin") for part in path.parts)


def _version(source: bytes) -> str:
    found = re.search(rb'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise ValueError('_version.py has no line __version__ = "..."')
    return found.group(1).decode("ascii")
