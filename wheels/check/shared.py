"""A Linux shared library that Python loads: for the right machine, any page size, and an old C library.

Layout by the System V ABI, chapter 5, and by "Linux Standard Base" for the
versions of symbols (``elf.h``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wheels.check.binary import c_string, slice_of, unpack
from wheels.check.elf import MACHINES, Segment, check_alignment, segments
from wheels.check.faults import Fault, Faults, Malformed
from wheels.check.names import GLIBC

__all__ = ["Dynamic", "check_shared", "read_dynamic"]

LIBRARIES = frozenset({"libc.so.6", "libpthread.so.0"})
"""What every Linux with glibc has. Not libpython: a Python that is linked
statically has none, and a second one would be another interpreter."""

_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_NEEDED, _STRTAB, _RPATH, _RUNPATH, _VERNEED = 1, 5, 15, 29, 0x6FFFFFFE
_ENTRY_SIZE = 16


@dataclass
class Dynamic:
    """What the loader is asked for."""

    needed: list[str] = field(default_factory=list)
    search_paths: list[str] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)
    """Versions of symbols, such as ``GLIBC_2.2.5``."""


def check_shared(member: str, data: bytes, goarch: str) -> Faults:
    """Faults of one library for ``linux/goarch``."""
    try:
        found = segments(data)
        machine = unpack("<H", data, 18, "the machine field")[0]
        if machine != MACHINES[goarch]:
            yield Fault("elf-machine", member, f"is for machine {machine}, not {MACHINES[goarch]} ({goarch})")
        if any(segment.type == _PT_INTERP for segment in found):
            yield Fault("elf-dynamic", member, "is a program, not a library")
        for segment in found:
            if segment.type == _PT_LOAD:
                yield from check_alignment(member, goarch, segment)
        dynamic = read_dynamic(data, found)
    except Malformed as error:
        yield Fault("elf-structure", member, str(error))
        return
    for name in sorted(set(dynamic.needed) - LIBRARIES):
        yield Fault("elf-needed", member, f"needs {name}; at most {sorted(LIBRARIES)} are allowed")
    for path in dynamic.search_paths:
        yield Fault("elf-path", member, f"looks for libraries in {path}")
    for version in sorted(dynamic.versions):
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
        if number is None or (int(number[1]), int(number[2])) > GLIBC:
            yield Fault("elf-glibc", member, f"needs {version}; the tag promises GLIBC_{GLIBC[0]}.{GLIBC[1]}")


def read_dynamic(data: bytes, found: list[Segment]) -> Dynamic:
    """The dynamic section; :class:`Malformed` without one."""
    entries: list[tuple[int, int]] = []
    for segment in found:
        if segment.type == _PT_DYNAMIC:
            content = slice_of(data, segment.offset, segment.file_size, "the dynamic section")
            for at in range(0, len(content) - _ENTRY_SIZE + 1, _ENTRY_SIZE):
                tag, value = unpack("<QQ", content, at, "a dynamic entry")
                if tag == 0:
                    break
                entries.append((tag, value))
    values = dict(entries)
    if _STRTAB not in values:
        raise Malformed("has no dynamic strings")
    strings = _offset(found, values[_STRTAB])
    dynamic = Dynamic()
    for tag, value in entries:
        if tag == _NEEDED:
            dynamic.needed.append(c_string(data, strings + value, "the name of a library"))
        elif tag in (_RPATH, _RUNPATH):
            dynamic.search_paths.append(c_string(data, strings + value, "a search path"))
    if _VERNEED in values:
        dynamic.versions = _versions(data, _offset(found, values[_VERNEED]), strings)
    return dynamic


def _versions(data: bytes, at: int, strings: int) -> set[str]:
    """The names in a chain of Verneed structures, each with a chain of Vernaux."""
    names: set[str] = set()
    while True:
        _, count, _, first, following = unpack("<HHIII", data, at, "needed versions")
        entry = at + first
        for _ in range(count):
            _, _, _, name, step = unpack("<IHHII", data, entry, "a needed version")
            names.add(c_string(data, strings + name, "the name of a version"))
            entry += step
        if not following:
            return names
        at += following


def _offset(found: list[Segment], address: int) -> int:
    for segment in found:
        if segment.type == _PT_LOAD and segment.address <= address < segment.address + segment.file_size:
            return address - segment.address + segment.offset
    raise Malformed(f"has nothing at address {address:#x}")
