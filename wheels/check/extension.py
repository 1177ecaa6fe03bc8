"""The judgement of an in-process wheel: one library for every CPython from 3.10 on, and little else."""

from __future__ import annotations

import email.parser
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from wheels import table
from wheels.check import container
from wheels.check.faults import Fault, Faults, Malformed
from wheels.check.goinfo import MAIN_MODULE, read_build_info
from wheels.check.shared import check_shared

if TYPE_CHECKING:
    from wheels.check.wheel import Expectation

__all__ = ["DISTRIBUTION", "PACKAGE", "extension_faults", "extension_tag", "is_extension"]

DISTRIBUTION = "hydra-harness-inprocess"
PACKAGE = "hydra_harness_inprocess"
LIBRARY = f"{PACKAGE}/_hydra_native.abi3.so"
BUILT_FROM = f"{MAIN_MODULE}/pybind/_gen"

SIZE_LIMIT = 8_000_000
"""Bytes of a wheel. They are about 2.5 MB."""


def is_extension(name: str) -> bool:
    """Whether a wheel of this file name is one of these."""
    return name.startswith(f"{PACKAGE}-")


def extension_tag(target: table.Target) -> str:
    """The tag of the wheel for a target: the stable ABI, and glibc as old as the executables' wheels promise."""
    return "cp310-abi3-" + ".".join(_platforms(target))


def _platforms(target: table.Target) -> list[str]:
    """Both spellings of glibc's tag, as pip compares them literally. None of musl's: its loader refuses
    a Go library in a program that has started already (golang/go#54805)."""
    return [tag for tag in target.platform_tags if tag.startswith("manylinux")]


def extension_faults(path: Path, expected: Expectation) -> Faults:
    """Every fault of the wheel at ``path``."""
    linux = [target for target in expected.targets.values() if target.goos == "linux"]
    names = {f"{PACKAGE}-{expected.version}-{extension_tag(target)}.whl": target for target in linux}
    if path.name not in names:
        yield Fault("tag", path.name, f"is not the name of any in-process wheel of version {expected.version}")
        return
    target = names[path.name]
    if path.stat().st_size >= SIZE_LIMIT:
        yield Fault("size", path.name, f"has {path.stat().st_size} bytes; the limit is {SIZE_LIMIT}")
    try:
        infos, contents = container.read_members(path)
    except Malformed as error:
        yield Fault("zip", path.name, str(error))
        return
    info = f"{PACKAGE}-{expected.version}.dist-info"
    licences = {f"{info}/licenses/{name}": data for name, data in expected.licences.items()}
    texts = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD")}
    yield from container.check_names(infos, texts | licences.keys() | {f"{PACKAGE}/__init__.py", LIBRARY})
    yield from container.check_modes(infos, {LIBRARY})
    for name, data in licences.items():
        if contents.get(name, data) != data:
            yield Fault("source", name, "differs from the file in the source tree")
    yield from _check_texts(info, contents, expected.version, target)
    if LIBRARY in contents:
        yield from check_shared(LIBRARY, contents[LIBRARY], target.goarch)
        yield from _check_build(contents[LIBRARY], target)


def _check_texts(info: str, contents: Mapping[str, bytes], version: str, target: table.Target) -> Faults:
    """The describing files; one that is absent is already a fault of its own."""

    def headers(name: str) -> email.message.Message:
        return email.parser.Parser().parsestr(contents[f"{info}/{name}"].decode("utf-8", "backslashreplace"))

    if f"{info}/RECORD" in contents:
        yield from container.check_record(f"{info}/RECORD", contents)
    if f"{info}/WHEEL" in contents:
        wheel = headers("WHEEL")
        tags = sorted(f"cp310-abi3-{platform}" for platform in _platforms(target))
        if sorted(wheel.get_all("Tag") or []) != tags or wheel["Root-Is-Purelib"] != "false":
            yield Fault("tag", f"{info}/WHEEL", f"has the tags {wheel.get_all('Tag')}, or says that it is pure Python")
    if f"{info}/METADATA" in contents:
        said = headers("METADATA")
        wanted = {
            "Name": DISTRIBUTION,
            "Version": version,
            "Requires-Python": ">=3.10",
            "Requires-Dist": f"hydra-harness-runtime=={version}",
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
