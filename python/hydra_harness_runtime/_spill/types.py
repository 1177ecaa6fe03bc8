"""What the spill store answers: texts that were too long for a page."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SavedResult", "SpillSweep", "SpillText"]


@dataclass(frozen=True, slots=True)
class SavedResult:
    """A saved result."""

    id: str
    """Its name for the runtime."""
    locator: str
    """Its name for a reader of files: the path."""
    hint: str
    """One sentence on how to read it."""
    bytes: int
    """Its size in bytes."""
    lines: int
    """Its lines; -1 when they were not counted."""
    created: str
    """When, by RFC 3339 in UTC."""
    name: str = ""
    """The name of the file."""
    tool: str = ""
    """Which tool made it."""
    label: str = ""
    """What it is, for people."""

    @property
    def uri(self) -> str:
        """Its address as an MCP resource."""
        return f"hydra-spill:///{self.id}"


@dataclass(frozen=True, slots=True)
class SpillText:
    """A part of a saved result."""

    data: bytes
    """The exact bytes."""
    offset: int
    """The offset of the first of them, in bytes."""
    size: int
    """The bytes of the whole."""
    line: int = 0
    """For a range of lines: the number of the first one, from 1."""
    lines: int = 0
    """For a range of lines: how many there are."""

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
    """What a sweep removed and kept."""

    removed: int
    """Results that went, their number."""
    removed_bytes: int
    """Their bytes."""
    kept: int
    """Results that stay, their number."""
    kept_bytes: int
    """Their bytes."""
