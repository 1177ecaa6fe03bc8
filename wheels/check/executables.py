"""The judgement of a wheel with executables: the runtime, its sidecar and the Python package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wheels import table
from wheels.check import container, metadata
from wheels.check.elf import check_elf
from wheels.check.expectation import PACKAGE, Expectation
from wheels.check.faults import Fault, Faults, Malformed
from wheels.check.goinfo import check_go
from wheels.check.macho import check_macho, read_image
from wheels.check.names import RIPGREP, RUNTIME, Wheel, check_tags

__all__ = ["SIZE_LIMIT", "executables_faults"]

SIZE_LIMIT = 20_000_000
"""Bytes. The wheels are 6 to 9 MB; a package index has a quota for a project's
whole history, and a sudden doubling means that something slipped in."""

BIN = f"{PACKAGE}/_bin"
EXECUTABLES = {f"{BIN}/{RUNTIME}", f"{BIN}/{RIPGREP}"}


def executables_faults(path: Path, wheel: Wheel, expected: Expectation) -> Faults:
    """Every fault of the wheel at ``path``."""
    size = path.stat().st_size
    if size >= SIZE_LIMIT:
        yield Fault("size", path.name, f"has {size} bytes; the limit is {SIZE_LIMIT}")
    yield from check_tags(wheel.target)
    try:
        infos, contents = container.read_members(path)
    except Malformed as error:
        yield Fault("zip", path.name, str(error))
        return
    info = f"{wheel.kind.package}-{expected.version}.dist-info"
    texts = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", f"sboms/{metadata.BILL}")}
    licences = {f"{info}/licenses/{name}": data for name, data in expected.licences.items()}
    binaries = EXECUTABLES | {f"{BIN}/manifest.json"}
    yield from container.check_names(infos, texts | binaries | licences.keys() | expected.sources.keys())
    yield from container.check_modes(infos, EXECUTABLES)
    yield from _check_texts(info, contents, expected, wheel)
    for name, data in {**expected.sources, **licences}.items():
        if contents.get(name, data) != data:
            yield Fault("source", name, "differs from the file in the source tree")
    yield from _check_binaries(contents, wheel.target)


def _check_texts(info: str, contents: Mapping[str, bytes], expected: Expectation, wheel: Wheel) -> Faults:
    """The describing files; one that is absent is already a fault of its own."""

    def text(name: str) -> str:
        return contents[name].decode("utf-8", "backslashreplace")

    if f"{info}/RECORD" in contents:
        yield from container.check_record(f"{info}/RECORD", contents)
    if f"{info}/WHEEL" in contents:
        yield from metadata.check_wheel_file(f"{info}/WHEEL", text(f"{info}/WHEEL"), wheel)
    if {f"{info}/METADATA", f"{info}/entry_points.txt"} <= contents.keys():
        yield from metadata.check_metadata(
            f"{info}/METADATA", text(f"{info}/METADATA"), text(f"{info}/entry_points.txt"), expected.version
        )
    if f"{info}/sboms/{metadata.BILL}" in contents:
        yield from metadata.check_bill(f"{info}/sboms/{metadata.BILL}", contents, EXECUTABLES)
    if f"{BIN}/manifest.json" in contents:
        yield from metadata.check_manifest(
            f"{BIN}/manifest.json",
            contents,
            BIN,
            expected.version,
            wheel.target,
            expected.lock[wheel.target.npm_package],
        )


def _check_binaries(contents: Mapping[str, bytes], target: table.Target) -> Faults:
    present = {name: contents[name] for name in sorted(EXECUTABLES & contents.keys())}
    check = check_macho if target.goos == "darwin" else check_elf
    for name, data in present.items():
        yield from check(name, data, target.goarch)
    runtime = f"{BIN}/{RUNTIME}"
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
