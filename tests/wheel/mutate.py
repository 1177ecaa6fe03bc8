"""A wheel that can be changed, with or without keeping its records truthful."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

BIN = "hydra_harness_runtime/_bin/"
RUNTIME = BIN + "hydra-harness-runtime"
RIPGREP = RUNTIME + "-rg"
MANIFEST = BIN + "manifest.json"


@dataclass
class Wheel:
    name: str
    entries: list[tuple[zipfile.ZipInfo, bytes]]

    @classmethod
    def load(cls, path: Path) -> Wheel:
        with zipfile.ZipFile(path) as archive:
            return cls(path.name, [(copy.copy(info), archive.read(info)) for info in archive.infolist()])

    def save(self, folder: Path) -> Path:
        path = folder / self.name
        # Barely deflated: it stays under the limit of size, and tests are quicker.
        with zipfile.ZipFile(path, "w") as archive:
            for info, data in self.entries:
                archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=1)
        return path

    def info(self, member: str) -> zipfile.ZipInfo:
        return self.entries[self._index(member)][0]

    def __getitem__(self, member: str) -> bytes:
        return self.entries[self._index(member)][1]

    def __setitem__(self, member: str, data: bytes) -> None:
        """Change the bytes and leave everything that speaks of them as it is."""
        index = self._index(member)
        self.entries[index] = (self.entries[index][0], data)

    def add(self, member: str, data: bytes) -> None:
        info = zipfile.ZipInfo(member, (2020, 2, 2, 0, 0, 0))
        info.external_attr = 0o100644 << 16
        self.entries.append((info, data))
        self.settle()

    def remove(self, member: str) -> None:
        del self.entries[self._index(member)]
        self.settle()

    def put(self, member: str, data: bytes) -> None:
        """Change the bytes and make manifest, bill of materials and RECORD agree."""
        old, new = (hashlib.sha256(content).hexdigest() for content in (self[member], data))
        self[member] = data
        manifest = json.loads(self[MANIFEST])
        named = [(BIN + entry["name"], entry) for entry in manifest["files"]]
        named += [("hydra_harness_runtime/" + entry["name"], entry) for entry in manifest["modules"]]
        for name, entry in named:
            if name == member:
                entry.update(size=len(data), sha256=new)
        self[MANIFEST] = json.dumps(manifest).encode()
        bill = self.ending("cdx.json")
        self[bill] = self[bill].replace(old.encode(), new.encode())
        self.settle()

    def ending(self, suffix: str) -> str:
        """The one member whose name ends so."""
        (name,) = {info.filename for info, _ in self.entries if info.filename.endswith(suffix)}
        return name

    def settle(self) -> None:
        """Make RECORD tell the truth."""
        record = self.ending("/RECORD")
        lines = [f"{info.filename},{_digest(data)},{len(data)}" for info, data in self.entries]
        own = next(i for i, (info, _) in enumerate(self.entries) if info.filename == record)
        lines[own] = f"{record},,"
        self[record] = "\n".join([*lines, ""]).encode()

    def _index(self, member: str) -> int:
        return next(i for i, (info, _) in enumerate(self.entries) if info.filename == member)


def patched(data: bytes, at: int, new: bytes) -> bytes:
    """The same bytes with others at one place."""
    assert data[at : at + len(new)] != new, "the patch changes nothing"
    return data[:at] + new + data[at + len(new) :]


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
