"""Which system and machine an executable was linked for, from its first bytes.

Only the two formats that wheels carry are known; everything else (scripts,
32-bit, fat, truncated) answers ``None``. The numbers are those of ``elf.h``
and ``mach/machine.h``.
"""

from __future__ import annotations

__all__ = ["HEADER_BYTES", "platform_of"]

HEADER_BYTES = 20
"""An ELF header up to and with ``e_machine``; Mach-O needs only eight."""

_ELF_64_LITTLE = b"\x7fELF\x02\x01"
_ELF_MACHINES = {62: "x86_64", 183: "aarch64"}

_MACHO_64_LITTLE = b"\xcf\xfa\xed\xfe"
_MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}


def platform_of(header: bytes) -> str | None:
    """The target's name, as in the platform table, that *header* belongs to."""
    if header.startswith(_ELF_64_LITTLE) and len(header) >= HEADER_BYTES:
        machine = _ELF_MACHINES.get(int.from_bytes(header[18:20], "little"))
        return machine and f"linux-{machine}"
    if header.startswith(_MACHO_64_LITTLE) and len(header) >= 8:
        machine = _MACHO_MACHINES.get(int.from_bytes(header[4:8], "little"))
        return machine and f"macos-{machine}"
    return None
