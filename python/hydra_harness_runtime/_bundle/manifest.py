"""``_bin/manifest.json``: what the wheel says about its two executables.

The form is the one that the wheel builder documents: version, target, version
of ripgrep, and for each file its name, size in bytes, sha256 and mode.
"""

# ruff: noqa: PLC0415, PTH101, PTH105, PTH108, PTH110, PTH116, PTH118, PTH119, PTH120, PTH123
# Locating must stay cheap: no pathlib, no json until needed.
from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from .. import _json

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LARGEST",
    "MANIFEST",
    "RIPGREP",
    "RUNTIME",
    "FileEntry",
    "Manifest",
    "ManifestError",
    "parse",
    "rewrite",
    "sha256",
]

MANIFEST = "manifest.json"
RUNTIME = "hydra-harness-runtime"
RIPGREP = RUNTIME + "-rg"

LARGEST = 64 << 10
"""Bytes of a manifest. Ours has about 500; what is much longer is something else."""

_HEX = frozenset("0123456789abcdef")

_CHUNK = 1 << 20
"""Bytes read at a time while hashing: large enough that Python adds nothing."""


class ManifestError(ValueError):
    """The text is not a manifest; the message says which part is wrong."""


class FileEntry(NamedTuple):
    """What the manifest promises of one file; ``size`` is in bytes."""

    size: int
    sha256: str


class Manifest(NamedTuple):
    """A manifest whose parts have been checked."""

    version: str
    target: str
    ripgrep_version: str
    files: Mapping[str, FileEntry]
    modules: Mapping[str, FileEntry]
    """By their path below the package; none in a source tree."""


def parse(text: bytes) -> Manifest:
    """Decode a manifest, refusing anything that is not one.

    Unknown keys are let through, so that a newer builder can add some.
    """
    if len(text) > LARGEST:
        raise ManifestError(f"it has more than {LARGEST} bytes")
    try:
        value = _json.as_object(_json.decode(_json.utf8(text)))
        entries = dict(_entry(item) for item in _json.as_list(value.get("files"), '"files"'))
        manifest = Manifest(
            version=_json.text(value, "version"),
            target=_json.text(value, "target"),
            ripgrep_version=_json.text(value, "ripgrepVersion"),
            files=entries,
            modules=dict(_module(item) for item in _json.objects(value, "modules")),
        )
    except _json.Malformed as error:
        raise ManifestError(str(error)) from None
    for name in (RUNTIME, RIPGREP):
        if name not in entries:
            raise ManifestError(f'"files" does not list {name}')
    for key in ("version", "target", "ripgrepVersion"):
        if not value[key]:
            raise ManifestError(f'"{key}" is empty')
    return manifest


def rewrite(folder: str) -> Manifest:
    """Write the manifest anew from the files that lie in *folder* now.

    For people who repackage: who re-sign, strip or replace an executable on
    purpose. Version and target stay as they are. The file is replaced whole or
    not at all.
    """
    import json
    import tempfile

    path = os.path.join(folder, MANIFEST)
    with open(path, "rb") as file:
        text = file.read()
    parse(text)
    value = _json.as_object(_json.decode(text))
    for item in _json.objects(value, "files"):
        member = os.path.join(folder, _json.text(item, "name"))
        item["size"] = os.stat(member).st_size
        item["sha256"] = sha256(member)
    for item in _json.objects(value, "modules"):
        module = os.path.join(os.path.dirname(folder), _json.text(item, "name"))
        if os.path.exists(module):
            item["size"] = os.stat(module).st_size
            item["sha256"] = sha256(module)
    handle, temporary = tempfile.mkstemp(prefix=".manifest-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2)
            file.write("\n")
        os.chmod(temporary, os.stat(path).st_mode & 0o777)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    with open(path, "rb") as file:
        return parse(file.read())


def sha256(path: str) -> str:
    """The digest of a file, in lower-case hex."""
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _entry(item: object) -> tuple[str, FileEntry]:
    value = _json.as_object(item, 'an item of "files"')
    name = _json.text(value, "name")
    if os.path.basename(name) != name or not name:
        raise ManifestError(f'{name!r} in "files" is not a plain name')
    return name, _facts(name, value)


def _module(value: Mapping[str, object]) -> tuple[str, FileEntry]:
    name = _json.text(value, "name")
    if name.startswith("/") or not all(part.strip(".") for part in name.split("/")):
        raise ManifestError(f'{name!r} in "modules" is not a path below the package')
    return name, _facts(name, value)


def _facts(name: str, value: Mapping[str, object]) -> FileEntry:
    size, digest = _json.integer(value, "size"), _json.text(value, "sha256")
    if size < 0:
        raise ManifestError(f'"size" of {name} is negative')
    if len(digest) != 64 or not _HEX.issuperset(digest):
        raise ManifestError(f'"sha256" of {name} is not 64 hex digits')
    return FileEntry(size, digest)
