"""macOS executables: processor, oldest system, libraries, signature.

Layout by ``mach-o/loader.h``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wheels.check.binary import c_string, slice_of, unpack
from wheels.check.codesign import check_signature
from wheels.check.faults import Fault, Faults, Malformed

__all__ = ["Image", "check_macho", "read_image"]

CPU_TYPES = {"amd64": 0x01000007, "arm64": 0x0100000C}
"""``cputype`` (CPU_TYPE_X86_64, CPU_TYPE_ARM64) by GOARCH."""

SYSTEM_LIBRARIES = ("/usr/lib/", "/System/Library/")
"""Where a library may come from; anything else is absent on somebody's Mac."""

_MH_MAGIC_64 = 0xFEEDFACF
_MH_EXECUTE = 2
_HEADER_SIZE = 32
_LC_SEGMENT_64 = 0x19
_LC_CODE_SIGNATURE = 0x1D
_LC_VERSION_MIN_MACOSX = 0x24
_LC_BUILD_VERSION = 0x32
_LC_RPATH = 0x8000001C
# LOAD_DYLIB, LAZY_LOAD, LOAD_WEAK, REEXPORT, LOAD_UPWARD
_DYLIB_COMMANDS = frozenset({0x0C, 0x20, 0x80000018, 0x8000001F, 0x80000023})
_PLATFORM_MACOS = 1
_SG_READ_ONLY = 0x10


@dataclass
class Image:
    """What the load commands say."""

    cpu: int = 0
    minimum: tuple[int, int] | None = None
    libraries: list[str] = field(default_factory=list)
    segments: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Name to (file offset, size in the file, flags)."""
    search_paths: list[str] = field(default_factory=list)
    signature: tuple[int, int] | None = None
    """File offset and size of the code signature."""
    platforms: set[int] = field(default_factory=set)


def check_macho(member: str, data: bytes, goarch: str) -> Faults:
    """Faults of one executable for ``darwin/goarch``, without the minimum version.

    The minimum is a matter of the wheel: its tag must be the highest of both
    executables'.
    """
    try:
        image = read_image(data)
    except Malformed as error:
        yield Fault("macho-structure", member, str(error))
        return
    if image.cpu != CPU_TYPES[goarch]:
        yield Fault("macho-cpu", member, f"is for processor {image.cpu:#x}, not {CPU_TYPES[goarch]:#x} ({goarch})")
    if image.minimum is None:
        yield Fault("macho-minimum", member, "does not say which macOS it needs")
    if image.platforms - {_PLATFORM_MACOS}:
        yield Fault("macho-platform", member, f"is built for platforms {sorted(image.platforms)}, not for macOS")
    for library in image.libraries:
        if not library.startswith(SYSTEM_LIBRARIES):
            yield Fault("macho-library", member, f"loads {library}, which is not part of macOS")
    for path in image.search_paths:
        yield Fault("macho-library", member, f"has the library search path {path}")
    constant = image.segments.get("__DATA_CONST")
    if constant is not None and not constant[2] & _SG_READ_ONLY:
        yield Fault("macho-data-const", member, "__DATA_CONST lacks SG_READ_ONLY; the loader of macOS 26 refuses that")
    if image.signature is not None:
        yield from check_signature(member, data, *image.signature)
    elif goarch == "arm64":
        yield Fault("macho-signature", member, "is not signed; macOS on Apple silicon kills unsigned programs")


def read_image(data: bytes) -> Image:
    """Walk the load commands of a thin 64-bit executable."""
    magic, cpu, _, kind, count, total = unpack("<IIIIII", data, 0, "the header")
    if magic != _MH_MAGIC_64:
        raise Malformed("is not a thin 64-bit Mach-O file")
    if kind != _MH_EXECUTE:
        raise Malformed(f"is of file type {kind}, not an executable")
    image = Image(cpu=cpu)
    slice_of(data, _HEADER_SIZE, total, "the table of load commands")
    for command, body in _commands(data, count, total):
        _note(image, data, command, body)
    return image


def _commands(data: bytes, count: int, total: int) -> Iterator[tuple[int, bytes]]:
    offset, end = _HEADER_SIZE, _HEADER_SIZE + total
    for i in range(count):
        command, size = unpack("<II", data, offset, f"load command {i}")
        if size < 8 or offset + size > end:
            raise Malformed(f"load command {i} leaves the table")
        yield command, slice_of(data, offset, size, f"load command {i}")
        offset += size


def _note(image: Image, data: bytes, command: int, body: bytes) -> None:
    if command == _LC_SEGMENT_64:
        name = slice_of(body, 8, 16, "a segment's name").rstrip(b"\0").decode("ascii", "backslashreplace")
        offset, size = unpack("<QQ", body, 40, "a segment's place")
        flags = unpack("<I", body, 68, "a segment's flags")[0]
        slice_of(data, offset, size, f"segment {name}")
        image.segments[name] = (offset, size, flags)
    elif command == _LC_BUILD_VERSION:
        platform, version = unpack("<II", body, 8, "the build version")
        image.platforms.add(platform)
        _raise_minimum(image, version)
    elif command == _LC_VERSION_MIN_MACOSX:
        _raise_minimum(image, unpack("<I", body, 8, "the minimum version")[0])
    elif command in _DYLIB_COMMANDS:
        image.libraries.append(c_string(body, unpack("<I", body, 8, "a library")[0], "a library's name"))
    elif command == _LC_RPATH:
        image.search_paths.append(c_string(body, unpack("<I", body, 8, "a search path")[0], "a search path"))
    elif command == _LC_CODE_SIGNATURE:
        offset, size = unpack("<II", body, 8, "the place of the signature")
        image.signature = (offset, size)


def _raise_minimum(image: Image, packed: int) -> None:
    """Versions are packed as xxxx.yy.zz; the tag of a wheel has no patch level."""
    version = (packed >> 16, packed >> 8 & 0xFF)
    image.minimum = max(image.minimum or version, version)
