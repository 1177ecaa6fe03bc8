"""Linux executables: static, for the right machine, loadable with any page size.

Layout by the System V ABI, chapters 4 and 5 (``elf.h``).
"""

from __future__ import annotations

from typing import NamedTuple

from wheels.check.binary import slice_of, unpack
from wheels.check.faults import Fault, Faults, Malformed

__all__ = ["LARGEST_PAGE", "Segment", "check_alignment", "check_elf", "segments"]

MACHINES = {"amd64": 62, "arm64": 183}
"""``e_machine`` (EM_X86_64, EM_AARCH64) by GOARCH."""

LARGEST_PAGE = 0x10000
"""arm64 kernels come with 4K, 16K and 64K pages; a segment that is aligned to
less than the kernel's page cannot be mapped."""

_ET_EXEC, _ET_DYN = 2, 3
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_DT_NULL, _DT_NEEDED = 0, 1
_PROGRAM_HEADER = "<IIQQQQQQ"
_PROGRAM_HEADER_SIZE = 56
_DYNAMIC_ENTRY_SIZE = 16


class Segment(NamedTuple):
    """One program header; offsets, addresses and sizes in bytes."""

    type: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    memory_size: int
    alignment: int


def check_elf(member: str, data: bytes, goarch: str) -> Faults:
    """Faults of one executable for ``linux/goarch``."""
    try:
        found = list(segments(data))
        machine = unpack("<H", data, 18, "the machine field")[0]
        if machine != MACHINES[goarch]:
            yield Fault("elf-machine", member, f"is for machine {machine}, not {MACHINES[goarch]} ({goarch})")
        for segment in found:
            yield from _check_segment(member, data, goarch, segment)
        if not any(segment.type == _PT_LOAD for segment in found):
            yield Fault("elf-structure", member, "has nothing to load")
    except Malformed as error:
        yield Fault("elf-structure", member, str(error))


def segments(data: bytes) -> list[Segment]:
    """The program headers of a 64-bit little-endian executable."""
    if data[:4] != b"\x7fELF":
        raise Malformed("is not an ELF file")
    if slice_of(data, 4, 2, "the class field") != b"\x02\x01":
        raise Malformed("is not 64-bit little-endian")
    kind = unpack("<H", data, 16, "the type field")[0]
    if kind not in (_ET_EXEC, _ET_DYN):
        raise Malformed(f"is of type {kind}, not an executable")
    table = unpack("<Q", data, 32, "the offset of the program headers")[0]
    size, count = unpack("<HH", data, 54, "the size of the program headers")
    if size != _PROGRAM_HEADER_SIZE:
        raise Malformed(f"has program headers of {size} bytes instead of {_PROGRAM_HEADER_SIZE}")
    return [Segment(*unpack(_PROGRAM_HEADER, data, table + i * size, f"program header {i}")) for i in range(count)]


def _check_segment(member: str, data: bytes, goarch: str, segment: Segment) -> Faults:
    content = slice_of(data, segment.offset, segment.file_size, f"a segment of type {segment.type}")
    if segment.type == _PT_INTERP:
        loader = content.rstrip(b"\0").decode("utf-8", "backslashreplace")
        yield Fault("elf-dynamic", member, f"needs the loader {loader}; only static executables run on any Linux")
    elif segment.type == _PT_DYNAMIC:
        needed = _needed(content)
        if needed:
            yield Fault("elf-dynamic", member, f"needs {needed} shared libraries")
    elif segment.type == _PT_LOAD:
        yield from check_alignment(member, goarch, segment)


def check_alignment(member: str, goarch: str, segment: Segment) -> Faults:
    """A fault when a segment that is to be loaded cannot be, with the largest pages of its machine."""
    if goarch != "arm64":
        return
    skewed = (segment.address - segment.offset) % LARGEST_PAGE
    if segment.alignment % LARGEST_PAGE or not segment.alignment or skewed:
        yield Fault(
            "elf-alignment",
            member,
            f"has a segment aligned to {segment.alignment:#x}; kernels with 64K pages need {LARGEST_PAGE:#x}",
        )


def _needed(dynamic: bytes) -> int:
    """How many DT_NEEDED entries a dynamic section holds."""
    count = 0
    for offset in range(0, len(dynamic) - _DYNAMIC_ENTRY_SIZE + 1, _DYNAMIC_ENTRY_SIZE):
        tag = unpack("<Q", dynamic, offset, "a dynamic entry")[0]
        if tag == _DT_NULL:
            break
        count += tag == _DT_NEEDED
    return count
