"""What the spill store answers: texts that were too long for a page."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SpillArtifact", "SpillSweep", "SpillText"]


@dataclass(frozen=True, slots=True)
class SpillArtifact:
    """A saved text.

    ``id`` names it for the runtime, ``locator`` for a reader of files, ``hint``
    is one sentence on how to read it. ``bytes`` is its size; ``lines`` is -1
    when they were not counted. ``created`` is RFC 3339, in UTC.
    """

    id: str
    locator: str
    hint: str
    bytes: int
    lines: int
    created: str
    name: str = ""
    tool: str = ""
    label: str = ""

    @property
    def uri(self) -> str:
        """Its address as an MCP resource."""
        return f"hydra-spill:///{self.id}"


@dataclass(frozen=True, slots=True)
class SpillText:
    """A part of a saved text.

    ``offset`` is that of its first byte, ``data`` its exact bytes, ``size`` the
    bytes of the whole. For a range of lines, ``line`` is the number of the
    first one (from 1) and ``lines`` how many there are.
    """

    data: bytes
    offset: int
    size: int
    line: int = 0
    lines: int = 0

    @property
    def text(self) -> str:
        """The part as text; bytes that are not UTF-8 become U+FFFD."""
        return self.data.decode(errors="replace")

    @property
    def next_offset(self) -> int | None:
        """Where to go on reading, by bytes; ``None`` at the end."""
        end = self.offset + len(self.data)
        return end if end < self.size else None


@dataclass(frozen=True, slots=True)
class SpillSweep:
    """What a sweep removed and kept: counts of artifacts, and bytes."""

    removed: int
    removed_bytes: int
    kept: int
    kept_bytes: int
