"""Bounds-checked reading of binary structures."""

from __future__ import annotations

import struct
from typing import Any

from wheels.check.faults import Malformed

__all__ = ["c_string", "slice_of", "unpack"]


def slice_of(data: bytes, offset: int, size: int, what: str) -> bytes:
    """``size`` bytes at ``offset``, or :class:`Malformed` when they are not all there."""
    if offset < 0 or size < 0 or offset + size > len(data):
        raise Malformed(f"{what} ({size} bytes at offset {offset}) lies outside the file of {len(data)} bytes")
    return data[offset : offset + size]


def unpack(form: str, data: bytes, offset: int, what: str) -> tuple[Any, ...]:
    """:func:`struct.unpack_from` with a bound and a name for the message."""
    return struct.unpack(form, slice_of(data, offset, struct.calcsize(form), what))


def c_string(data: bytes, offset: int, what: str) -> str:
    """The NUL-terminated text at ``offset``."""
    end = data.find(b"\0", offset)
    if offset < 0 or offset > len(data) or end < 0:
        raise Malformed(f"{what} has no end")
    return data[offset:end].decode("utf-8", "backslashreplace")
