"""ELF inspection, on real executables with one thing changed."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import RIPGREP, RUNTIME, Wheel, patched
from wheels.check import Expectation, check_wheel
from wheels.check.elf import check_elf, segments
from wheels.check.faults import Malformed

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, DT_NEEDED = 1, 2, 3, 0x6474E551, 1


def codes(data: bytes, goarch: str) -> set[str]:
    return {fault.code for fault in check_elf("file", data, goarch)}


def header_at(data: bytes, kind: int) -> int:
    """Where the program header of a type begins."""
    table = struct.unpack_from("<Q", data, 32)[0]
    return table + 56 * [segment.type for segment in segments(data)].index(kind)


@pytest.mark.skipif(sys.platform != "linux", reason="this interpreter is no ELF file")
def test_this_interpreter_is_dynamic() -> None:
    """A real dynamic executable: whatever runs these tests."""
    data = Path(sys.executable).resolve().read_bytes()
    goarch = "arm64" if struct.unpack_from("<H", data, 18)[0] == 183 else "amd64"
    faults = list(check_elf("python", data, goarch))
    assert {fault.code for fault in faults} >= {"elf-dynamic"}
    assert any("needs the loader /lib" in fault.message for fault in faults)


@pytest.mark.parametrize("member", [RUNTIME, RIPGREP])
@pytest.mark.parametrize(("target", "goarch"), [("linux-x86_64", "amd64"), ("linux-aarch64", "arm64")])
def test_ours_are_static(member: str, target: str, goarch: str, opened: Callable[[str], Wheel]) -> None:
    data = opened(target)[member]
    assert codes(data, goarch) == set()
    assert "elf-machine" in codes(data, {"amd64": "arm64", "arm64": "amd64"}[goarch])


def test_loader(opened: Callable[[str], Wheel], tmp_path: Path, expected: Expectation) -> None:
    """A file that asks for a loader fails with ENOENT where there is none (openai/codex#6220)."""
    wheel = opened("linux-x86_64")
    data = wheel[RUNTIME]
    wheel.put(RUNTIME, patched(data, header_at(data, PT_GNU_STACK), struct.pack("<I", PT_INTERP)))
    assert {fault.code for fault in check_wheel(wheel.save(tmp_path), expected)} == {"elf-dynamic"}


def test_library(opened: Callable[[str], Wheel]) -> None:
    """ripgrep for x86-64 is a static PIE: it has a dynamic section, which must need nothing."""
    data = opened("linux-x86_64")[RIPGREP]
    dynamic = next(segment for segment in segments(data) if segment.type == PT_DYNAMIC)
    assert codes(data, "amd64") == set()
    assert codes(patched(data, dynamic.offset, struct.pack("<Q", DT_NEEDED)), "amd64") == {"elf-dynamic"}


@pytest.mark.parametrize("alignment", [0, 0x1000, 0x4000, 0x18000])
def test_alignment_that_large_pages_refuse(alignment: int, opened: Callable[[str], Wheel]) -> None:
    data = opened("linux-aarch64")[RUNTIME]
    bad = patched(data, header_at(data, PT_LOAD) + 48, struct.pack("<Q", alignment))
    assert codes(bad, "arm64") == {"elf-alignment"}


def test_address_that_large_pages_refuse(opened: Callable[[str], Wheel]) -> None:
    data = opened("linux-aarch64")[RUNTIME]
    at = header_at(data, PT_LOAD) + 16
    address = struct.unpack_from("<Q", data, at)[0]
    assert codes(patched(data, at, struct.pack("<Q", address + 0x1000)), "arm64") == {"elf-alignment"}


@pytest.mark.parametrize(
    ("at", "new", "says"),
    [
        (0, b"\x7fELG", "not an ELF file"),
        (4, b"\x01", "not 64-bit"),
        (5, b"\x02", "not 64-bit little-endian"),
        (16, b"\x01\x00", "type 1, not an executable"),
        (32, b"\xff" * 8, "outside the file"),
        (54, b"\x20\x00", "program headers of 32 bytes"),
        (56, b"\x00\x00", "nothing to load"),
    ],
)
def test_broken_header(at: int, new: bytes, says: str, opened: Callable[[str], Wheel]) -> None:
    faults = list(check_elf("file", patched(opened("linux-x86_64")[RUNTIME], at, new), "amd64"))
    assert [fault.code for fault in faults] == ["elf-structure"]
    assert says in faults[0].message


@pytest.mark.parametrize("size", [0, 3, 20, 64, 200, 100_000])
def test_cut_file(size: int, opened: Callable[[str], Wheel]) -> None:
    assert codes(opened("linux-x86_64")[RUNTIME][:size], "amd64") == {"elf-structure"}


def test_segments_says_what_is_wrong() -> None:
    with pytest.raises(Malformed, match="not an ELF file"):
        segments(b"#!/bin/sh\n")
