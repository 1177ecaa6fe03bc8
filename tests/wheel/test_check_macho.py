"""Mach-O inspection and signatures, on real executables with one thing changed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import RIPGREP, RUNTIME, Wheel, patched
from wheels.check import Expectation, check_wheel
from wheels.check.macho import check_macho, read_image

INTEL, APPLE = "macos-x86_64", "macos-arm64"
GOARCH = {INTEL: "amd64", APPLE: "arm64"}
LC_DYLIB, LC_SEGMENT, LC_SIGNATURE, LC_VERSION_MIN, LC_BUILD_VERSION = 0x0C, 0x19, 0x1D, 0x24, 0x32


def codes(data: bytes, target: str) -> set[str]:
    return {fault.code for fault in check_macho("file", data, GOARCH[target])}


def command_at(data: bytes, kind: int, holding: bytes = b"") -> int:
    """Where the first load command of a kind begins (that holds some bytes)."""
    count = struct.unpack_from("<I", data, 16)[0]
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == kind and holding in data[at : at + size]:
            return at
        at += size
    raise LookupError(f"no load command {kind:#x}")


@pytest.mark.parametrize(
    ("target", "member", "minimum", "signed"),
    [
        (INTEL, RUNTIME, (12, 0), False),
        (INTEL, RIPGREP, (10, 12), False),
        (APPLE, RUNTIME, (12, 0), True),
        (APPLE, RIPGREP, (11, 0), True),
    ],
)
def test_ours(target: str, member: str, minimum: tuple[int, int], signed: bool, opened: Callable[[str], Wheel]) -> None:
    data = opened(target)[member]
    image = read_image(data)
    assert codes(data, target) == set()
    assert codes(data, APPLE if target == INTEL else INTEL) >= {"macho-cpu"}
    assert image.minimum == minimum
    assert (image.signature is not None) == signed
    assert image.libraries
    assert all(library.startswith(("/usr/lib/", "/System/Library/")) for library in image.libraries)


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("member", [RUNTIME, RIPGREP])
def test_one_byte_changed_after_signing(member: str, place: float, opened: Callable[[str], Wheel]) -> None:
    """On Apple silicon that is "Killed: 9" (cline/cline#14215, nicknisi/fleet#85)."""
    data = opened(APPLE)[member]
    signature = read_image(data).signature
    assert signature is not None
    at = int(signature[0] * place)
    faults = list(check_macho("file", patched(data, at, bytes([data[at] ^ 1])), "arm64"))
    assert [fault.code for fault in faults] == ["macho-signature"]
    assert f"page {at // 4096} " in faults[0].message


def test_one_byte_changed_in_a_wheel(opened: Callable[[str], Wheel], tmp_path: Path, expected: Expectation) -> None:
    wheel = opened(APPLE)
    data = wheel[RUNTIME]
    at = len(data) // 2
    wheel.put(RUNTIME, patched(data, at, bytes([data[at] ^ 1])))
    assert {fault.code for fault in check_wheel(wheel.save(tmp_path), expected)} == {"macho-signature"}


def test_signature_not_at_the_end(opened: Callable[[str], Wheel]) -> None:
    data = opened(APPLE)[RUNTIME]
    assert codes(data + b"\0", APPLE) == {"macho-signature"}
    assert codes(data[:-1], APPLE) == {"macho-structure"}  # __LINKEDIT is cut, too


def test_signature_removed(opened: Callable[[str], Wheel]) -> None:
    data = opened(APPLE)[RUNTIME]
    unsigned = patched(data, command_at(data, LC_SIGNATURE), struct.pack("<I", 0x7E))
    faults = list(check_macho("file", unsigned, "arm64"))
    assert [(fault.code, fault.message.split(";")[0]) for fault in faults] == [("macho-signature", "is not signed")]


@pytest.mark.parametrize(
    ("at", "new", "says"),
    [
        (0, b"\0\0\0\0", "no valid header"),  # superblob magic
        (8, b"\0\0\0\0", "SHA-256"),  # no blobs at all
        (16, b"\x7f\xff\xff\xff", "outside the file"),  # the first blob's place
    ],
)
def test_broken_superblob(at: int, new: bytes, says: str, opened: Callable[[str], Wheel]) -> None:
    data = opened(APPLE)[RUNTIME]
    signature = read_image(data).signature
    assert signature is not None
    faults = list(check_macho("file", patched(data, signature[0] + at, new), "arm64"))
    assert [fault.code for fault in faults] == ["macho-signature"]
    assert says in faults[0].message


@pytest.mark.parametrize(
    ("at", "new", "says"),
    [
        (0, b"\0\0\0\0", "no valid header"),
        (28, b"\0\0\0\0", "has 0 page hashes"),
        (32, b"\0\0\0\1", "covers 1 bytes"),
        (36, b"\x14", "hash type 2 with 20 bytes"),
        (37, b"\x09", "hash type 9"),
        (39, b"\x1f", "pages are of 2**31"),
        (16, b"\x7f\xff\xff\xff", "outside the file"),
    ],
)
def test_broken_code_directory(at: int, new: bytes, says: str, opened: Callable[[str], Wheel]) -> None:
    data = opened(APPLE)[RUNTIME]
    signature = read_image(data).signature
    assert signature is not None
    directory = signature[0] + struct.unpack_from(">I", data, signature[0] + 16)[0]
    faults = list(check_macho("file", patched(data, directory + at, new), "arm64"))
    assert [fault.code for fault in faults] == ["macho-signature"]
    assert says in faults[0].message


@pytest.mark.parametrize(("member", "kind", "offset"), [(RUNTIME, LC_BUILD_VERSION, 12), (RIPGREP, LC_VERSION_MIN, 8)])
def test_raised_minimum(
    member: str, kind: int, offset: int, opened: Callable[[str], Wheel], tmp_path: Path, expected: Expectation
) -> None:
    """Either command may hold the version; ripgrep for Intel has only the older one."""
    wheel = opened(INTEL)
    data = wheel[member]
    at = command_at(data, kind) + offset
    wheel.put(member, patched(data, at, struct.pack("<I", 13 << 16)))
    faults = {fault.code: fault.message for fault in check_wheel(wheel.save(tmp_path), expected)}
    assert faults.keys() - {"ripgrep-pin"} == {"macho-minimum"}
    assert faults["macho-minimum"] == "needs macOS 13.0, the tag promises 12.0"


def test_lowered_minimum(opened: Callable[[str], Wheel], tmp_path: Path, expected: Expectation) -> None:
    """The tag is derived from the bytes, so it may not promise too little either."""
    wheel = opened(INTEL)
    data = wheel[RUNTIME]
    wheel.put(RUNTIME, patched(data, command_at(data, LC_BUILD_VERSION) + 12, struct.pack("<I", 11 << 16)))
    assert {fault.code for fault in check_wheel(wheel.save(tmp_path), expected)} == {"macho-minimum"}


def test_no_minimum(opened: Callable[[str], Wheel]) -> None:
    data = opened(INTEL)[RUNTIME]
    assert codes(patched(data, command_at(data, LC_BUILD_VERSION), b"\x7e"), INTEL) == {"macho-minimum"}


def test_another_platform(opened: Callable[[str], Wheel]) -> None:
    data = opened(INTEL)[RUNTIME]
    at = command_at(data, LC_BUILD_VERSION) + 8
    assert codes(patched(data, at, struct.pack("<I", 2)), INTEL) == {"macho-platform"}


def test_library_of_somebody(opened: Callable[[str], Wheel]) -> None:
    data = opened(INTEL)[RIPGREP]
    name = b"/usr/lib/libiconv.2.dylib"
    at = data.index(name, command_at(data, LC_DYLIB, name))
    assert codes(patched(data, at, b"/opt/lib/"), INTEL) == {"macho-library"}


def test_search_path(opened: Callable[[str], Wheel]) -> None:
    data = opened(INTEL)[RIPGREP]
    at = command_at(data, LC_DYLIB)
    rpath = struct.pack("<I", 0x8000001C) + data[at + 4 : at + 8] + struct.pack("<I", 24)
    assert codes(patched(data, at, rpath), INTEL) == {"macho-library"}


def test_data_const_without_read_only(opened: Callable[[str], Wheel]) -> None:
    """The loader of macOS 26 refuses that (planetscale/cli#1292)."""
    data = opened(APPLE)[RIPGREP]
    at = command_at(data, LC_SEGMENT, b"__DATA_CONST\0") + 68
    assert struct.unpack_from("<I", data, at)[0] == 0x10
    assert codes(patched(data, at, b"\0"), APPLE) == {"macho-data-const", "macho-signature"}


@pytest.mark.parametrize(
    ("at", "new", "says"),
    [
        (0, b"\xca\xfe\xba\xbe", "not a thin 64-bit"),  # a universal file
        (12, b"\x06", "file type 6"),  # a library
        (16, b"\xff\xff", "leaves the table"),
        (20, b"\xff\xff\xff\x7f", "outside the file"),
        (36, b"\x00\x00\x00\x00", "leaves the table"),
    ],
)
def test_broken_header(at: int, new: bytes, says: str, opened: Callable[[str], Wheel]) -> None:
    faults = list(check_macho("file", patched(opened(INTEL)[RUNTIME], at, new), "amd64"))
    assert [fault.code for fault in faults] == ["macho-structure"]
    assert says in faults[0].message


@pytest.mark.parametrize("size", [0, 20, 100, 100_000])
def test_cut_file(size: int, opened: Callable[[str], Wheel]) -> None:
    assert codes(opened(INTEL)[RUNTIME][:size], INTEL) == {"macho-structure"}
