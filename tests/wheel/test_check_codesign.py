"""Signatures as other tools make them: several directories, requirements, short last pages.

The executables at hand have one code directory and nothing else, so these are
written here by the published layout.
"""

from __future__ import annotations

import hashlib
import struct

import pytest

from wheels.check.codesign import check_signature

PAGE_BITS = 12
CODE = bytes(range(256)) * 40  # two and a half pages
REQUIREMENTS = struct.pack(">II", 0xFADE0C01, 12) + b"none"
SHA1, SHA256, SHA384 = 1, 2, 4
NAMES = {SHA1: "sha1", SHA256: "sha256", SHA384: "sha384"}


def directory(kind: int, blobs: dict[int, bytes]) -> bytes:
    """A code directory over CODE, with hashes of the other parts by slot."""

    def digest(data: bytes) -> bytes:
        return hashlib.new(NAMES[kind], data).digest()

    special = max(blobs, default=0)
    pages = [CODE[i : i + (1 << PAGE_BITS)] for i in range(0, len(CODE), 1 << PAGE_BITS)]
    width = len(digest(b""))
    before = b"".join(digest(blobs[slot]) if slot in blobs else bytes(width) for slot in range(special, 0, -1))
    hashes_at = 44 + len(before)
    body = before + b"".join(map(digest, pages))
    head = struct.pack(
        ">9I4BI", 0xFADE0C02, 44 + len(body), 0x20001, 2, hashes_at, 44, special, len(pages), len(CODE),
        width, kind, 0, PAGE_BITS, 0,
    )  # fmt: skip
    return head + body


def superblob(parts: dict[int, bytes]) -> bytes:
    at = 12 + 8 * len(parts)
    index = b""
    for slot, part in parts.items():
        index += struct.pack(">II", slot, at)
        at += len(part)
    return struct.pack(">III", 0xFADE0CC0, at, len(parts)) + index + b"".join(parts.values())


def faults(parts: dict[int, bytes], code: bytes = CODE) -> list[str]:
    signature = superblob(parts)
    return [fault.message for fault in check_signature("file", code + signature, len(code), len(signature))]


def test_directories_of_both_kinds() -> None:
    special = {2: REQUIREMENTS}
    assert faults({0: directory(SHA1, special), 2: REQUIREMENTS, 0x1000: directory(SHA256, special)}) == []


def test_last_page_may_be_short() -> None:
    assert len(CODE) % (1 << PAGE_BITS)
    assert faults({0: directory(SHA256, {})}) == []
    changed = CODE[:-1] + b"x"
    assert faults({0: directory(SHA256, {})}, changed) == [f"page 2 (bytes 8192 to {len(CODE)}) is not what was signed"]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({0: directory(SHA1, {})}, "SHA-256"),
        ({2: REQUIREMENTS}, "SHA-256"),
        ({0: directory(SHA384, {})}, "hash type 4"),
        ({0: directory(SHA256, {2: REQUIREMENTS}), 2: REQUIREMENTS[:-1] + b"!"}, "part 2 of the signature"),
        ({0: directory(SHA256, {}), 0x1000: directory(SHA256, {})[:-1] + b"!"}, "page 2"),
        ({0: b"\xfa\xde\x0c\x02\x7f\xff\xff\xff"}, "outside the file"),
        ({0: b"\xfa\xde\x0c\x02\0\0\0\x08"}, "outside the file"),
    ],
)
def test_what_macos_would_refuse(parts: dict[int, bytes], says: str) -> None:
    found = faults(parts)
    assert len(found) == 1
    assert says in found[0]
