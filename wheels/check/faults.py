"""What is wrong with a wheel, as values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Fault", "Malformed"]


class Fault(NamedTuple):
    """One thing that is wrong: a stable ``code``, the member, a sentence."""

    code: str
    member: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.member}: {self.message}"


class Malformed(ValueError):  # noqa: N818
    """Bytes that do not have the structure they claim; becomes a fault."""


Faults = Iterator[Fault]
