"""The whole judgement of one wheel, put together from the parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wheels import sbom, table
from wheels.check import container, metadata
from wheels.check.elf import check_elf
from wheels.check.extension import extension_faults, is_extension
from wheels.check.faults import Fault, Faults, Malformed
from wheels.check.goinfo import check_go
from wheels.check.macho import check_macho, read_image

__all__ = ["SIZE_LIMIT", "Expectation", "check_wheel"]

SIZE_LIMIT = 20_000_000
"""Bytes. The wheels are 6 to 9 MB; a package index has a quota for a project's
whole history, and a sudden doubling means that something slipped in."""

PACKAGE = "hydra_harness_runtime"
BIN = f"{PACKAGE}/_bin"
EXECUTABLES = {f"{BIN}/{table.RUNTIME}", f"{BIN}/{table.RIPGREP}"}


@dataclass(frozen=True)
class Expectation:
    """What a good wheel of this repository is made of."""

    version: str
    targets: Mapping[str, table.Target]
    lock: Mapping[str, table.Pinned]
    sources: Mapping[str, bytes]
    """The Python package: name in the wheel to content."""
    licences: Mapping[str, bytes]
    """File name to content."""

    @classmethod
    def of_repository(cls, root: Path = table.ROOT) -> Expectation:
        """Read everything from the source tree."""
        package = root / "python" / PACKAGE
        sources = {
            f"{PACKAGE}/{path.relative_to(package).as_posix()}": path.read_bytes()
            for path in sorted(package.rglob("*"))
            if path.is_file() and not _is_by_product(path.relative_to(package))
        }
        return cls(
            version=_version(sources[f"{PACKAGE}/_version.py"]),
            targets=table.load_targets(root),
            lock=table.load_lock(root),
            sources=sources,
            licences={name: (root / name).read_bytes() for name in ("LICENSE", "THIRD_PARTY_NOTICES.md")},
        )


def check_wheel(path: Path, expected: Expectation) -> list[Fault]:
    """Every fault of the wheel at ``path``; none for a good one.

    ``OSError`` when the file cannot be read at all.
    """
    return list((extension_faults if is_extension(path.name) else _faults)(path, expected))


def _faults(path: Path, expected: Expectation) -> Faults:
    size = path.stat().st_size
    if size >= SIZE_LIMIT:
        yield Fault("size", path.name, f"has {size} bytes; the limit is {SIZE_LIMIT}")
    target = metadata.target_of(path.name, expected.version, expected.targets)
    if target is None:
        yield Fault("tag", path.name, f"is not the name of any wheel of version {expected.version} in targets.json")
        return
    try:
        infos, contents = container.read_members(path)
    except Malformed as error:
        yield Fault("zip", path.name, str(error))
        return
    info = f"{metadata.DISTRIBUTION}-{expected.version}.dist-info"
    texts = {
        f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", f"sboms/{sbom.FILE_NAME}")
    }
    licences = {f"{info}/licenses/{name}": data for name, data in expected.licences.items()}
    binaries = EXECUTABLES | {f"{BIN}/manifest.json"}
    yield from container.check_names(infos, texts | binaries | licences.keys() | expected.sources.keys())
    yield from container.check_modes(infos, EXECUTABLES)
    yield from _check_texts(info, contents, expected, target)
    for name, data in {**expected.sources, **licences}.items():
        if contents.get(name, data) != data:
            yield Fault("source", name, "differs from the file in the source tree")
    yield from _check_binaries(contents, target)


def _check_texts(info: str, contents: Mapping[str, bytes], expected: Expectation, target: table.Target) -> Faults:
    """The describing files; one that is absent is already a fault of its own."""

    def text(name: str) -> str:
        return contents[name].decode("utf-8", "backslashreplace")

    if f"{info}/RECORD" in contents:
        yield from container.check_record(f"{info}/RECORD", contents)
    if f"{info}/WHEEL" in contents:
        yield from metadata.check_wheel_file(f"{info}/WHEEL", text(f"{info}/WHEEL"), target)
    if {f"{info}/METADATA", f"{info}/entry_points.txt"} <= contents.keys():
        yield from metadata.check_metadata(
            f"{info}/METADATA", text(f"{info}/METADATA"), text(f"{info}/entry_points.txt"), expected.version
        )
    if f"{info}/sboms/{sbom.FILE_NAME}" in contents:
        yield from metadata.check_bill(f"{info}/sboms/{sbom.FILE_NAME}", contents, EXECUTABLES)
    if f"{BIN}/manifest.json" in contents:
        yield from metadata.check_manifest(
            f"{BIN}/manifest.json", contents, BIN, expected.version, target, expected.lock[target.npm_package]
        )


def _check_binaries(contents: Mapping[str, bytes], target: table.Target) -> Faults:
    present = {name: contents[name] for name in sorted(EXECUTABLES & contents.keys())}
    check = check_macho if target.goos == "darwin" else check_elf
    for name, data in present.items():
        yield from check(name, data, target.goarch)
    runtime = f"{BIN}/{table.RUNTIME}"
    if runtime in present:
        yield from check_go(runtime, present[runtime], target.goos, target.goarch)
    if target.goos == "darwin":
        yield from _check_minimum(present, target)


def _check_minimum(present: Mapping[str, bytes], target: table.Target) -> Faults:
    """The tag promises an oldest macOS; it must be the highest that any file needs."""
    needs: list[tuple[int, int]] = []
    for data in present.values():
        try:
            needs.append(read_image(data).minimum or (0, 0))
        except Malformed:
            continue  # check_macho has said so
    major, minor = max(needs, default=(0, 0))
    if needs and f"{major}.{minor}" != target.macos_minimum:
        yield Fault("macho-minimum", BIN, f"needs macOS {major}.{minor}, the tag promises {target.macos_minimum}")
    for tag in target.platform_tags:
        promised = re.match(r"macosx_(\d+)_(\d+)_", tag)
        if promised is None or ".".join(promised.groups()) != target.macos_minimum:
            yield Fault("tag", tag, f"does not agree with macosMinimum {target.macos_minimum}")


def _is_by_product(path: Path) -> bool:
    """Caches, and the executables that an editable install leaves behind."""
    return any(part.startswith(".") or part in ("__pycache__", "_bin") for part in path.parts)


def _version(source: bytes) -> str:
    found = re.search(rb'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise ValueError('_version.py has no line __version__ = "..."')
    return found.group(1).decode("ascii")
