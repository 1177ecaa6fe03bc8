"""A shared library for Linux as small as can be, whose every claim a test can choose.

It holds what a loader and the checker read: program headers, a dynamic section
with its strings and needed versions, and what the Go linker writes about a
build. There is no code in it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wheels.check.elf import LARGEST_PAGE, MACHINES
from wheels.check.extension import BUILT_FROM

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_RPATH, DT_RUNPATH = 1, 5, 10, 15, 29
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF


def settings(goarch: str) -> dict[str, str]:
    return {"-buildmode": "c-shared", "GOOS": "linux", "GOARCH": goarch, "-trimpath": "true"}


@dataclass(frozen=True)
class Library:
    """As the in-process extension is built, unless said otherwise."""

    goarch: str = "amd64"
    needed: Sequence[str] = ("libc.so.6", "libpthread.so.0")
    paths: Mapping[int, str] = field(default_factory=dict)
    """Search paths by the tag of their dynamic entry."""
    versions: Mapping[str, Sequence[str]] = field(default_factory=lambda: {"libc.so.6": ["GLIBC_2.2.5", "GLIBC_2.17"]})
    """Versions of symbols by the library they are of."""
    loader: str = ""
    alignment: int = LARGEST_PAGE
    built: Mapping[str, str] = field(default_factory=dict)
    """Settings of the Go build that differ from a good one's."""
    built_from: str = BUILT_FROM

    def image(self) -> bytes:
        """The file. Addresses are offsets."""
        strings = b"\0"
        places: dict[str, int] = {}
        names = [*self.needed, *self.paths.values(), *self.versions, *(v for vs in self.versions.values() for v in vs)]
        for name in names:
            if name not in places:
                places[name] = len(strings)
                strings += name.encode() + b"\0"
        versions = self._versions(places)
        entries = [(DT_NEEDED, places[name]) for name in self.needed]
        entries += [(tag, places[path]) for tag, path in self.paths.items()]
        size = 16 * (len(entries) + (4 if versions else 2) + 1)
        headers = 64 + 56 * (3 if self.loader else 2)
        strings_at, versions_at = headers + size, headers + size + len(strings) + -len(strings) % 16
        entries += [(DT_STRTAB, strings_at), (DT_STRSZ, len(strings))]
        if versions:
            entries += [(DT_VERNEED, versions_at), (DT_VERNEEDNUM, len(self.versions))]
        dynamic = b"".join(struct.pack("<QQ", *entry) for entry in [*entries, (0, 0)])
        body = dynamic + strings.ljust(versions_at - strings_at, b"\0") + versions
        loader_at = headers + len(body)
        body += self.loader.encode() + b"\0"
        body += bytes(-(headers + len(body)) % 16) + self._build_info()
        end = headers + len(body)
        segments = [(PT_LOAD, 0, end, self.alignment), (PT_DYNAMIC, headers, size, 8)]
        if self.loader:
            segments.append((PT_INTERP, loader_at, len(self.loader) + 1, 1))
        return self._head(len(segments)) + b"".join(program_header(*segment) for segment in segments) + body

    def _head(self, segments: int) -> bytes:
        ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
        return ident + struct.pack(
            "<HHIQQQIHHHHHH", 3, MACHINES[self.goarch], 1, 0, 64, 0, 0, 64, 56, segments, 0, 0, 0
        )

    def _versions(self, places: Mapping[str, int]) -> bytes:
        """The chain of Verneed and Vernaux structures."""
        made = b""
        for i, (library, wanted) in enumerate(self.versions.items()):
            last = i == len(self.versions) - 1
            size = 16 * (1 + len(wanted))
            made += struct.pack("<HHIII", 1, len(wanted), places[library], 16, 0 if last else size)
            for j, version in enumerate(wanted):
                following = 0 if j == len(wanted) - 1 else 16
                made += struct.pack("<IHHII", 0, 0, 2 + j, places[version], following)
        return made

    def _build_info(self) -> bytes:
        lines = [f"path\t{self.built_from}"]
        lines += [f"build\t{key}={value}" for key, value in {**settings(self.goarch), **self.built}.items()]
        text = b"?" * 16 + "".join(f"{line}\n" for line in lines).encode() + b"?" * 16
        head = b"\xff Go buildinf:" + bytes([8, 2])
        return head.ljust(32, b"\0") + varint(len(b"go1.26")) + b"go1.26" + varint(len(text)) + text


def program_header(kind: int, at: int, size: int, alignment: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, 4, at, at, at, size, size, alignment)


def varint(number: int) -> bytes:
    made = b""
    while number > 0x7F:
        made += bytes([number & 0x7F | 0x80])
        number >>= 7
    return made + bytes([number])
