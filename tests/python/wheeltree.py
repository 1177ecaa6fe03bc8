"""An unpacked wheel made of nothing: right headers, right manifest, no program."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from hydra_harness_runtime._bundle.host import Host
from hydra_harness_runtime._bundle.locate import Bundle

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "1.2.3"
RUNTIME = "hydra-harness-runtime"
RIPGREP = "hydra-harness-runtime-rg"

HEADERS = {
    "linux-x86_64": b"\x7fELF\x02\x01".ljust(18, b"\0") + (62).to_bytes(2, "little"),
    "linux-aarch64": b"\x7fELF\x02\x01".ljust(18, b"\0") + (183).to_bytes(2, "little"),
    "macos-x86_64": b"\xcf\xfa\xed\xfe" + (0x01000007).to_bytes(4, "little"),
    "macos-arm64": b"\xcf\xfa\xed\xfe" + (0x0100000C).to_bytes(4, "little"),
}


class WheelTree:
    """One package directory with ``_bin``; change it, then ask the locator."""

    def __init__(self, package: Path, target: str = "linux-x86_64") -> None:
        self.package = package
        self.target = target
        self.bin = package / "_bin"
        self.bin.mkdir(parents=True)
        self.runtime = self.bin / RUNTIME
        self.ripgrep = self.bin / RIPGREP
        self.manifest = self.bin / "manifest.json"
        for path in (self.runtime, self.ripgrep):
            path.write_bytes(HEADERS[target] + path.name.encode())
            path.chmod(0o755)
        self.write_manifest()

    def write_manifest(self, **changes: Any) -> None:
        """Write a manifest that is true, except for *changes* at the top level."""
        value = {
            "version": VERSION,
            "target": self.target,
            "ripgrepVersion": "15.0.0",
            "files": [self.entry(self.runtime), self.entry(self.ripgrep)],
            **changes,
        }
        self.manifest.write_text(json.dumps({k: v for k, v in value.items() if v is not None}))

    def entry(self, path: Path, **changes: Any) -> dict[str, Any]:
        data = path.read_bytes()
        return {
            "name": path.name,
            "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "mode": "0755",
            **changes,
        }

    def bundle(self, host: str = "linux-x86_64") -> Bundle:
        system, _, machine = host.partition("-")
        return Bundle(str(self.package), version=VERSION, host=Host(system, machine))
