"""The judgement of in-process wheels: a library that any glibc and any CPython can load, or no wheel."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wheel.inprocess import extension_wheel
from tests.wheel.library import DT_RPATH, DT_RUNPATH, Library
from tests.wheel.mutate import Wheel
from wheels import table
from wheels.check import Expectation, check_wheel
from wheels.check.elf import segments
from wheels.check.extension import LIBRARY, PACKAGE, SIZE_LIMIT
from wheels.check.shared import check_shared, read_dynamic
from wheels.distributions import EXECUTABLES, INPROCESS, Build, builds_for

TARGETS = {name: target for name, target in table.load_targets().items() if target.goos == "linux"}
X86_64 = TARGETS["linux-x86_64"]
OLD = {"libc.so.6": ["GLIBC_2.2.5", "GLIBC_2.17"]}


def faults(goarch: str = "amd64", **claims: Any) -> dict[str, str]:
    return {fault.code: fault.message for fault in check_shared("l.so", Library(goarch, **claims).image(), goarch)}


# --- the reader of dynamic sections, with readelf as the oracle


@pytest.fixture(scope="module")
def readelf() -> Callable[[Path], tuple[list[str], list[str], set[str]]]:
    """What binutils says a library needs: libraries, search paths, versions of symbols."""
    if shutil.which("readelf") is None:
        pytest.skip("needs readelf (Debian: binutils)")

    def read(path: Path) -> tuple[list[str], list[str], set[str]]:
        command = ["readelf", "--wide", "--dynamic", "--version-info", str(path)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return (
            re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", said),
            re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", said),
            set(re.findall(r"^  0x\w+:\s+Name: (\S+)\s+Flags:", said, re.MULTILINE)),
        )

    return read


def dynamic_of(path: Path) -> tuple[list[str], list[str], set[str]]:
    data = path.read_bytes()
    found = read_dynamic(data, segments(data))
    return found.needed, found.search_paths, found.versions


@pytest.mark.skipif(sys.platform != "linux", reason="libraries of this system are no ELF files")
def test_reads_real_libraries(readelf: Callable[[Path], tuple[list[str], list[str], set[str]]]) -> None:
    folders = [Path(sysconfig.get_path("platstdlib"), "lib-dynload"), *Path("/lib").glob("*-linux-*"), Path("/lib64")]
    libraries = [path.resolve() for folder in folders for path in sorted(folder.glob("*.so*"))]
    real = [path for path in dict.fromkeys(libraries) if path.read_bytes()[:5] == b"\x7fELF\x02"][:60]
    assert real, f"no library in {folders}"
    for path in real:
        assert dynamic_of(path) == readelf(path), path


@pytest.mark.parametrize("goarch", ["amd64", "arm64"])
def test_written_library_is_read_alike(
    goarch: str, readelf: Callable[[Path], tuple[list[str], list[str], set[str]]], tmp_path: Path
) -> None:
    """The library of these tests, which has no sections: both go by the program headers."""
    paths = {DT_RPATH: "/opt/lib", DT_RUNPATH: "$ORIGIN"}
    library = tmp_path / "l.so"
    library.write_bytes(Library(goarch, paths=paths, versions={**OLD, "libpthread.so.0": ["GLIBC_2.3.4"]}).image())
    needed, found_paths, versions = dynamic_of(library)
    assert needed == ["libc.so.6", "libpthread.so.0"]
    assert found_paths == ["/opt/lib", "$ORIGIN"]
    assert versions == {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.3.4"}
    assert readelf(library)[:2] == (needed, found_paths)


# --- libraries


@pytest.mark.parametrize("goarch", ["amd64", "arm64"])
@pytest.mark.parametrize("claims", [{}, {"needed": ["libc.so.6"]}, {"versions": {}}])
def test_good_library(goarch: str, claims: dict[str, Any]) -> None:
    assert faults(goarch, **claims) == {}


@pytest.mark.parametrize(
    ("claims", "code", "says"),
    [
        # go-python/gopy#376, #277, #336: what the machine of the builder happens to have.
        ({"needed": ["libc.so.6", "libpython3.11.so.1.0"]}, "elf-needed", "needs libpython3.11.so.1.0"),
        ({"needed": ["libc.so.6", "libgcc_s.so.1"]}, "elf-needed", "needs libgcc_s.so.1"),
        ({"paths": {DT_RUNPATH: "/home/builder/lib"}}, "elf-path", "looks for libraries in /home/builder/lib"),
        ({"paths": {DT_RPATH: "/usr/local/lib"}}, "elf-path", "looks for libraries in /usr/local/lib"),
        # Another libc: musl's is one file, and has another name.
        ({"needed": ["libc.musl-x86_64.so.1"]}, "elf-needed", "needs libc.musl-x86_64.so.1"),
        ({"versions": {"libc.so.6": ["GLIBC_2.18"]}}, "elf-glibc", "needs GLIBC_2.18; the tag promises GLIBC_2.17"),
        ({"versions": {"libc.so.6": ["GLIBC_3.0"]}}, "elf-glibc", "needs GLIBC_3.0"),
        ({"versions": {"libc.so.6": ["GLIBC_PRIVATE"]}}, "elf-glibc", "needs GLIBC_PRIVATE"),
        ({"versions": {**OLD, "libm.so.6": ["GLIBC_2.29"]}}, "elf-glibc", "needs GLIBC_2.29"),
        ({"loader": "/lib64/ld-linux-x86-64.so.2"}, "elf-dynamic", "is a program"),
    ],
)
def test_library_of_the_builders_machine(claims: dict[str, Any], code: str, says: str) -> None:
    found = faults(**claims)
    assert found.keys() == {code}
    assert says in found[code]


def test_library_of_another_machine() -> None:
    assert {fault.code for fault in check_shared("l.so", Library("arm64").image(), "amd64")} == {"elf-machine"}


@pytest.mark.parametrize(("goarch", "code"), [("amd64", set()), ("arm64", {"elf-alignment"})])
def test_library_for_small_pages(goarch: str, code: set[str]) -> None:
    """Only arm64 kernels come with pages of more than 4K."""
    assert faults(goarch, alignment=0x1000).keys() == code


@pytest.mark.parametrize("size", [0, 3, 20, 64, 100, 230, 300])
def test_cut_library(size: int) -> None:
    found = check_shared("l.so", Library().image()[:size], "amd64")
    assert {fault.code for fault in found} == {"elf-structure"}


# --- wheels


def codes(wheel: Wheel, folder: Path, expected: Expectation) -> set[str]:
    return {fault.code for fault in check_wheel(wheel.save(folder), expected)}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_good_wheel(target: table.Target, tmp_path: Path, expected: Expectation) -> None:
    assert check_wheel(extension_wheel(target, expected).save(tmp_path), expected) == []


@pytest.mark.parametrize("target", table.load_targets().values(), ids=lambda target: target.name)
def test_platforms(target: table.Target) -> None:
    """glibc alone: golang/go#54805, golang/go#13492."""
    made = [build.in_process for build in builds_for(target)]
    assert made == ([False, True] if target.goos == "linux" else [False])
    if target.goos == "linux":
        assert "musllinux" in EXECUTABLES.tag(target), "the executables do run there"
        assert "musllinux" not in Build(INPROCESS, target).file_name("1.0")
        assert INPROCESS.tag(target).startswith("cp310-abi3-manylinux_2_17_")


@pytest.mark.parametrize(
    "tag",
    [
        "cp310-abi3-musllinux_1_1_x86_64",
        "cp310-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        "cp310-abi3-linux_x86_64",
        "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64",
        "cp310-abi3-manylinux_2_28_x86_64",
        "cp310-abi3-macosx_12_0_arm64",
        "py3-none-any",
    ],
)
def test_tag_that_the_library_cannot_keep(tag: str, tmp_path: Path, expected: Expectation) -> None:
    wheel = extension_wheel(X86_64, expected)
    wheel.name = f"{PACKAGE}-{expected.version}-{tag}.whl"
    assert codes(wheel, tmp_path, expected) == {"tag"}


@pytest.mark.parametrize(
    ("claims", "wanted"),
    [
        ({"needed": ["libc.so.6", "libpython3.11.so.1.0"]}, {"elf-needed"}),
        ({"paths": {DT_RUNPATH: "/home/builder/lib"}}, {"elf-path"}),
        ({"built": {"-trimpath": "false"}}, {"go-build"}),
        ({"built": {"-buildmode": "exe"}}, {"go-build"}),
        ({"built": {"GOARCH": "arm64"}}, {"go-build"}),
        ({"built_from": "example.org/else"}, {"go-build"}),
    ],
)
def test_library_in_a_wheel(claims: dict[str, Any], wanted: set[str], tmp_path: Path, expected: Expectation) -> None:
    assert codes(extension_wheel(X86_64, expected, Library(**claims)), tmp_path, expected) == wanted


def without_library(wheel: Wheel) -> None:
    wheel.remove(LIBRARY)


def without_licence(wheel: Wheel) -> None:
    wheel.remove(wheel.ending("/THIRD_PARTY_NOTICES.md"))


def without_bill(wheel: Wheel) -> None:
    wheel.remove(wheel.ending("cdx.json"))


def bill_without_the_library(wheel: Wheel) -> None:
    wheel[wheel.ending("cdx.json")] = b'{"components": []}'
    wheel.settle()


def bill_with_a_part_that_has_no_licence(wheel: Wheel) -> None:
    name = wheel.ending("cdx.json")
    wheel[name] = wheel[name].replace(b'"licenses"', b'"licence"')
    wheel.settle()


def with_a_program(wheel: Wheel) -> None:
    wheel.add(f"{PACKAGE}/rg", b"")


def library_without_mode(wheel: Wheel) -> None:
    wheel.info(LIBRARY).external_attr = 0o100644 << 16


def other_licence(wheel: Wheel) -> None:
    wheel[wheel.ending("/LICENSE")] = b"all yours\n"
    wheel.settle()


def record_of_other_bytes(wheel: Wheel) -> None:
    wheel[LIBRARY] += b"\0"


def version_of_its_own(wheel: Wheel) -> None:
    wheel[f"{PACKAGE}/__init__.py"] = b'__version__ = "9.9"\n'
    wheel.settle()


def replaced(suffix: str, old: str, new: str) -> Callable[[Wheel], None]:
    def change(wheel: Wheel) -> None:
        name = wheel.ending(suffix)
        assert old.encode() in wheel[name]
        wheel[name] = wheel[name].replace(old.encode(), new.encode())
        wheel.settle()

    return change


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (without_library, {"missing-file"}),
        (without_licence, {"missing-file"}),
        (without_bill, {"missing-file"}),
        (bill_without_the_library, {"sbom"}),
        (bill_with_a_part_that_has_no_licence, {"sbom"}),
        (with_a_program, {"extra-file"}),
        (library_without_mode, {"zip-mode"}),
        (other_licence, {"source"}),
        (record_of_other_bytes, {"record", "sbom"}),
        (version_of_its_own, {"metadata"}),
        (replaced("/METADATA", "harness-runtime==", "harness-runtime>="), {"metadata"}),
        (replaced("/METADATA", "Requires-Python: >=3.10", "Requires-Python: >=3.9"), {"metadata"}),
        (replaced("/METADATA", "\nVersion: ", "\nVersion: 1"), {"metadata"}),
        (replaced("/WHEEL", "Tag: cp310-abi3-manylinux2014", "Tag: cp310-abi3-musllinux_1_1"), {"tag"}),
        (replaced("/WHEEL", "Root-Is-Purelib: false", "Root-Is-Purelib: true"), {"tag"}),
    ],
)
def test_one_thing_wrong(
    change: Callable[[Wheel], None], wanted: set[str], tmp_path: Path, expected: Expectation
) -> None:
    wheel = extension_wheel(X86_64, expected)
    change(wheel)
    assert codes(wheel, tmp_path, expected) == wanted


def test_size_limit(tmp_path: Path, expected: Expectation) -> None:
    wheel = extension_wheel(X86_64, expected)
    wheel.add(f"{PACKAGE}/big", random.Random(1).randbytes(SIZE_LIMIT))
    assert codes(wheel, tmp_path, expected) == {"size", "extra-file"}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_wheel_that_was_built(
    target: table.Target,
    readelf: Callable[[Path], tuple[list[str], list[str], set[str]]],
    tmp_path: Path,
    expected: Expectation,
) -> None:
    """The real library, as binutils reads it: no libpython, no search path (go-python/gopy#376, #277, #336)."""
    path = table.ROOT / "dist" / Build(INPROCESS, target).file_name(expected.version)
    if not path.is_file():
        pytest.skip(f"{path.name} is not in dist/: `nox -s release` builds it and runs this test")
    assert check_wheel(path, expected) == []
    library = tmp_path / "l.so"
    library.write_bytes(Wheel.load(path)[LIBRARY])
    needed, search_paths, versions = readelf(library)
    assert set(needed) == {"libc.so.6", "libpthread.so.0"}
    assert search_paths == []
    assert dynamic_of(library) == (needed, search_paths, versions)
    assert all(version.startswith("GLIBC_2.") for version in versions)
