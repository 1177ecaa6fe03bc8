"""The wheel as a zip: member names, modes, RECORD.

The format is PyPA's "Binary distribution format"; what installers do with modes
was learnt from pip, which gives the executable bit only to members whose mode
says "regular file" and was written by a Unix system.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import stat
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from wheels.check.faults import Fault, Faults, Malformed

__all__ = ["check_modes", "check_names", "check_record", "read_members"]

_UNIX = 3
"""``create_system`` of a zip made on Unix; only then do modes count."""


def read_members(path: Path) -> tuple[list[zipfile.ZipInfo], dict[str, bytes]]:
    """Directory entries in order, and the contents by name.

    Reading also verifies every CRC. :class:`Malformed` for what is no zip.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            return infos, {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as error:
        raise Malformed(f"cannot be read as a zip: {error}") from error


def check_names(infos: list[zipfile.ZipInfo], expected: set[str]) -> Faults:
    """Exactly the expected members, each once."""
    counts = Counter(info.filename for info in infos)
    for name, count in sorted(counts.items()):
        if count > 1:
            yield Fault("duplicate", name, f"is in the wheel {count} times")
        if name not in expected:
            yield Fault("extra-file", name, "does not belong into the wheel")
    for name in sorted(expected - counts.keys()):
        yield Fault("missing-file", name, "is not in the wheel")


def check_modes(infos: list[zipfile.ZipInfo], executables: set[str]) -> Faults:
    """0755 for the executables, 0644 for all else, in a form that pip honours."""
    for info in infos:
        mode = info.external_attr >> 16
        wanted = 0o755 if info.filename in executables else 0o644
        if info.create_system != _UNIX:
            yield Fault("zip-system", info.filename, f"was written by system {info.create_system}; modes need {_UNIX}")
        if stat.S_IMODE(mode) != wanted:
            yield Fault("zip-mode", info.filename, f"has mode {stat.S_IMODE(mode):04o} instead of {wanted:04o}")
        # Metadata that hatchling writes has no type bits, which does no harm:
        # without them an installer merely leaves the executable bits away.
        untyped = stat.S_IFMT(mode) == 0 and info.filename not in executables
        if not stat.S_ISREG(mode) and not untyped:
            yield Fault("zip-type", info.filename, f"is not marked as a regular file (mode {mode:06o})")


def check_record(record: str, contents: Mapping[str, bytes]) -> Faults:
    """RECORD lists every member once with its sha256 and size, itself without."""
    seen: set[str] = set()
    for row in csv.reader(io.StringIO(contents[record].decode("utf-8", "backslashreplace"))):
        if len(row) != 3:
            yield Fault("record", record, f"has a line of {len(row)} fields")
            continue
        name, digest, size = row
        if name in seen:
            yield Fault("record", record, f"lists {name} twice")
        seen.add(name)
        if name not in contents:
            yield Fault("record", record, f"lists {name}, which is not in the wheel")
        elif name == record:
            if digest or size:
                yield Fault("record", record, "gives a digest or a size of itself")
        else:
            raw = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=").decode("ascii")
            if digest != f"sha256={raw}":
                yield Fault("record", record, f"gives another digest of {name} than its bytes have")
            if size != str(len(contents[name])):
                yield Fault("record", record, f"gives {size!r} as the size of {name}, it has {len(contents[name])}")
    for name in sorted(contents.keys() - seen):
        yield Fault("record", record, f"does not list {name}")
