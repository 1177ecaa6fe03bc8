"""The judgement of an in-process wheel: one library for every CPython from 3.10 on, and little else."""

from __future__ import annotations

import email.parser
import re
from collections.abc import Mapping
from pathlib import Path

from wheels import table
from wheels.check import container, metadata
from wheels.check.expectation import Expectation
from wheels.check.faults import Fault, Faults, Malformed
from wheels.check.goinfo import MAIN_MODULE, read_build_info
from wheels.check.names import EXTENSION, STARTED, Wheel
from wheels.check.shared import check_shared

__all__ = ["LIBRARY", "SIZE_LIMIT", "extension_faults"]

PACKAGE = EXTENSION.package
LIBRARY = f"{PACKAGE}/_hydra_native.abi3.so"
BUILT_FROM = f"{MAIN_MODULE}/pybind/_gen"

SIZE_LIMIT = 8_000_000
"""Bytes of a wheel. They are about 2.5 MB."""


def extension_faults(path: Path, wheel: Wheel, expected: Expectation) -> Faults:
    """Every fault of the wheel at ``path``."""
    target = wheel.target
    if path.stat().st_size >= SIZE_LIMIT:
        yield Fault("size", path.name, f"has {path.stat().st_size} bytes; the limit is {SIZE_LIMIT}")
    try:
        infos, contents = container.read_members(path)
    except Malformed as error:
        yield Fault("zip", path.name, str(error))
        return
    info = f"{PACKAGE}-{expected.version}.dist-info"
    licences = {f"{info}/licenses/{name}": data for name, data in expected.licences.items()}
    bill = f"{info}/sboms/{metadata.EXTENSION_BILL}"
    texts = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD")} | {bill}
    yield from container.check_names(infos, texts | licences.keys() | {f"{PACKAGE}/__init__.py", LIBRARY})
    yield from container.check_modes(infos, {LIBRARY})
    for name, data in licences.items():
        if contents.get(name, data) != data:
            yield Fault("source", name, "differs from the file in the source tree")
    yield from _check_texts(info, contents, expected.version, wheel)
    if bill in contents:
        yield from metadata.check_bill(bill, contents, {LIBRARY})
    if LIBRARY in contents:
        yield from check_shared(LIBRARY, contents[LIBRARY], target.goarch)
        yield from _check_build(contents[LIBRARY], target)


def _check_texts(info: str, contents: Mapping[str, bytes], version: str, wheel: Wheel) -> Faults:
    """The describing files; one that is absent is already a fault of its own."""

    def headers(name: str) -> email.message.Message:
        return email.parser.Parser().parsestr(contents[f"{info}/{name}"].decode("utf-8", "backslashreplace"))

    if f"{info}/RECORD" in contents:
        yield from container.check_record(f"{info}/RECORD", contents)
    if f"{info}/WHEEL" in contents:
        text = contents[f"{info}/WHEEL"].decode("utf-8", "backslashreplace")
        yield from metadata.check_wheel_file(f"{info}/WHEEL", text, wheel)
    if f"{info}/METADATA" in contents:
        said = headers("METADATA")
        wanted = {
            "Name": EXTENSION.name,
            "Version": version,
            "Requires-Python": ">=3.10",
            "Requires-Dist": f"{STARTED.name}=={version}",
        }
        for key, value in wanted.items():
            if said.get_all(key) != [value]:
                yield Fault("metadata", f"{info}/METADATA", f"has {key}: {said.get_all(key)} instead of {value}")
    own = contents.get(f"{PACKAGE}/__init__.py", b"").decode("utf-8", "backslashreplace")
    found = re.search(r'^__version__ = "([^"]+)"$', own, re.MULTILINE)
    if found is None or found[1] != version:
        yield Fault("metadata", f"{PACKAGE}/__init__.py", f"does not say that it is version {version}")


def _check_build(data: bytes, target: table.Target) -> Faults:
    try:
        built = read_build_info(data)
    except Malformed as error:
        yield Fault("go-build", LIBRARY, str(error))
        return
    wanted = {"-buildmode": "c-shared", "GOOS": target.goos, "GOARCH": target.goarch, "-trimpath": "true"}
    for key, value in wanted.items():
        if built.settings.get(key) != value:
            yield Fault("go-build", LIBRARY, f"was built with {key}={built.settings.get(key)}, not {value}")
    if built.main_package != BUILT_FROM:
        yield Fault("go-build", LIBRARY, f"was built from {built.main_package}, not {BUILT_FROM}")
