"""Code signatures of macOS executables, as far as the kernel checks them.

One changed byte in a signed arm64 executable means "Killed: 9" without a word,
so every page's hash is computed anew. Who signed is not judged: the signatures
are ad hoc. Layout by ``cs_blobs.h`` of XNU; unlike Mach-O, it is big-endian.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from wheels.check.binary import slice_of, unpack
from wheels.check.faults import Fault, Faults, Malformed

__all__ = ["check_signature"]

_EMBEDDED_SIGNATURE = 0xFADE0CC0
_CODE_DIRECTORY = 0xFADE0C02
_SLOT_CODE_DIRECTORY = 0
_SLOT_ALTERNATES = range(0x1000, 0x1005)
_SHA1, _SHA256 = 1, 2
_HASHES = {_SHA1: "sha1", _SHA256: "sha256"}
_MAX_PAGE_BITS = 16
"""64K, the largest page of any arm64 system; macOS uses 4K or 16K."""


def check_signature(member: str, data: bytes, offset: int, size: int) -> Faults:
    """Faults of the signature at ``offset``; it must be the end of the file."""
    if offset + size != len(data):
        yield Fault(
            "macho-signature",
            member,
            f"its signature ends at {offset + size}, the file at {len(data)}; it was changed after signing",
        )
        return
    try:
        blobs = dict(_blobs(slice_of(data, offset, size, "the signature")))
        directories = [blob for slot, blob in blobs.items() if slot == _SLOT_CODE_DIRECTORY or slot in _SLOT_ALTERNATES]
        kinds = [_check_directory(data, offset, directory, blobs) for directory in directories]
        if _SHA256 not in kinds:
            raise Malformed("no code directory uses SHA-256, which macOS requires")
    except Malformed as error:
        yield Fault("macho-signature", member, str(error))


def _blobs(signature: bytes) -> Iterator[tuple[int, bytes]]:
    magic, length, count = unpack(">III", signature, 0, "the signature's header")
    if magic != _EMBEDDED_SIGNATURE or length > len(signature):
        raise Malformed("the signature has no valid header")
    for i in range(count):
        slot, at = unpack(">II", signature, 12 + 8 * i, "the signature's index")
        size = unpack(">I", signature, at + 4, "a part of the signature")[0]
        yield slot, slice_of(signature, at, size, "a part of the signature")


def _check_directory(data: bytes, signed: int, directory: bytes, blobs: dict[int, bytes]) -> int:
    """Compare all hashes of one code directory; returns its hash type."""
    magic, _, _, _, hashes, _, special, slots, limit = unpack(">9I", directory, 0, "the code directory")
    width, kind, _, page_bits = slice_of(directory, 36, 4, "the code directory")
    if magic != _CODE_DIRECTORY:
        raise Malformed("the code directory has no valid header")
    algorithm = _HASHES.get(kind)
    if algorithm is None or width != hashlib.new(algorithm).digest_size:
        raise Malformed(f"the code directory uses hash type {kind} with {width} bytes")
    if limit != signed:
        raise Malformed(f"the signature covers {limit} bytes, not the {signed} before it")
    if not 12 <= page_bits <= _MAX_PAGE_BITS:
        raise Malformed(f"the signature's pages are of 2**{page_bits} bytes")
    page = 1 << page_bits
    if slots != -(-limit // page):
        raise Malformed(f"the signature has {slots} page hashes for {-(-limit // page)} pages")
    for i in range(slots):
        content = data[i * page : min((i + 1) * page, limit)]
        if hashlib.new(algorithm, content).digest() != slice_of(directory, hashes + i * width, width, "a page hash"):
            raise Malformed(f"page {i} (bytes {i * page} to {i * page + len(content)}) is not what was signed")
    for slot in range(1, special + 1):
        if slot in blobs:
            want = slice_of(directory, hashes - slot * width, width, "a special hash")
            if hashlib.new(algorithm, blobs[slot]).digest() != want:
                raise Malformed(f"part {slot} of the signature is not what was signed")
    return kind
