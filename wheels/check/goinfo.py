"""What the Go linker wrote into an executable about its build.

The form is that of ``debug/buildinfo`` since Go 1.18: the magic, flags, and at
offset 32 two strings with varint lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

from wheels.check.binary import slice_of
from wheels.check.faults import Fault, Faults, Malformed

__all__ = ["MAIN_MODULE", "BuildInfo", "Module", "check_go", "read_build_info"]

MAIN_MODULE = "github.com/hydraharness/harness-runtime"
MAIN_PACKAGE = MAIN_MODULE + "/gocore/cmd/hydra-harness-runtime"

_MAGIC = b"\xff Go buildinf:"
_ALIGNMENT = 16
_INLINE_STRINGS = 2
_STRINGS_AT = 32
_SENTINEL = 16
"""Bytes of marker before and after the module text."""


@dataclass(frozen=True)
class Module:
    """A module that was linked in, as ``go version -m`` names it."""

    path: str
    version: str
    sum: str


@dataclass(frozen=True)
class BuildInfo:
    """``go version -m`` of an executable."""

    go: str
    main_package: str
    modules: tuple[Module, ...]
    settings: dict[str, str]


def check_go(member: str, data: bytes, goos: str, goarch: str) -> Faults:
    """Faults of the runtime's build: who, for what, without C, without paths."""
    try:
        info = read_build_info(data)
    except Malformed as error:
        yield Fault("go-build", member, str(error))
        return
    wanted = {"CGO_ENABLED": "0", "GOOS": goos, "GOARCH": goarch, "-trimpath": "true"}
    for key, value in wanted.items():
        if info.settings.get(key) != value:
            yield Fault("go-build", member, f"was built with {key}={info.settings.get(key)}, not {value}")
    if info.main_package != MAIN_PACKAGE:
        yield Fault("go-build", member, f"was built from {info.main_package}, not {MAIN_PACKAGE}")


def read_build_info(data: bytes) -> BuildInfo:
    """Find and decode the build information; :class:`Malformed` without one."""
    at = data.find(_MAGIC)
    while at >= 0:
        # The magic may also occur in code that looks for it; only the real one
        # is aligned and followed by a version.
        if at % _ALIGNMENT == 0:
            try:
                return _decode(data, at)
            except Malformed:
                pass
        at = data.find(_MAGIC, at + 1)
    raise Malformed("is not an executable made by Go 1.18 or later")


def _decode(data: bytes, at: int) -> BuildInfo:
    if not slice_of(data, at + 15, 1, "the flags")[0] & _INLINE_STRINGS:
        raise Malformed("has build information of an old form")
    version, following = _string(data, at + _STRINGS_AT)
    text, _ = _string(data, following)
    if not version.startswith(b"go") or len(text) < 2 * _SENTINEL:
        raise Malformed("has build information without a version")
    main_package, modules, settings = "", [], {}
    for line in text[_SENTINEL:-_SENTINEL].decode("utf-8").splitlines():
        kind, _, rest = line.partition("\t")
        fields = rest.split("\t")
        if kind == "path":
            main_package = rest
        elif kind == "dep" and len(fields) >= 2:
            modules.append(Module(fields[0], fields[1], fields[2] if len(fields) > 2 else ""))
        elif kind == "build":
            key, _, value = rest.partition("=")
            settings[key] = value
    return BuildInfo(version.decode("ascii"), main_package, tuple(modules), settings)


def _string(data: bytes, at: int) -> tuple[bytes, int]:
    """A varint length and that many bytes; also where the next thing begins."""
    length = shift = 0
    while True:
        byte = slice_of(data, at, 1, "a length")[0]
        at += 1
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            return slice_of(data, at, length, "a text"), at + length
        shift += 7
        if shift > 28:
            raise Malformed("has an endless length")
