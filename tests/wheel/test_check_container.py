"""The checker on a good wheel, and on the same wheel with one thing wrong in its zip."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import MANIFEST, RIPGREP, RUNTIME, Wheel
from wheels import table
from wheels.check import Expectation, check_wheel
from wheels.check.__main__ import main
from wheels.check.executables import SIZE_LIMIT

HOST = table.host_target(table.load_targets()).name
TARGETS = list(table.load_targets())


def codes(path: Path, expected: Expectation) -> set[str]:
    return {fault.code for fault in check_wheel(path, expected)}


@pytest.mark.parametrize("target", TARGETS)
def test_good_wheel(target: str, wheel_of: Callable[[str], Path], expected: Expectation) -> None:
    path = wheel_of(target)
    assert check_wheel(path, expected) == []
    assert path.stat().st_size < SIZE_LIMIT


def test_rewritten_wheel_is_still_good(tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation) -> None:
    wheel = opened(HOST)
    wheel.put(RUNTIME, wheel[RUNTIME])
    assert check_wheel(wheel.save(tmp_path), expected) == []


def no_type(wheel: Wheel) -> None:
    wheel.info(RUNTIME).external_attr = 0o755 << 16


def not_executable(wheel: Wheel) -> None:
    wheel.info(RIPGREP).external_attr = 0o100644 << 16


def too_executable(wheel: Wheel) -> None:
    wheel.info("hydra_harness_runtime/__init__.py").external_attr = 0o100755 << 16


def set_user_id(wheel: Wheel) -> None:
    wheel.info(RUNTIME).external_attr = 0o104755 << 16


def symbolic_link(wheel: Wheel) -> None:
    wheel.info(RUNTIME).external_attr = 0o120755 << 16


def made_on_dos(wheel: Wheel) -> None:
    wheel.info(RUNTIME).create_system = 0


def extra_file(wheel: Wheel) -> None:
    wheel.add("hydra_harness_runtime/_bin/rg", b"")


def path_outside(wheel: Wheel) -> None:
    wheel.add("../evil.py", b"")


def second_copy(wheel: Wheel) -> None:
    info, data = wheel.entries[0]
    wheel.entries.append((copy.copy(info), data))
    wheel.settle()


def missing_sidecar(wheel: Wheel) -> None:
    wheel.remove(RIPGREP)


def missing_licence(wheel: Wheel) -> None:
    wheel.remove(wheel.ending("/LICENSE"))


def missing_bill(wheel: Wheel) -> None:
    wheel.remove(wheel.ending("cdx.json"))


def edited_source(wheel: Wheel) -> None:
    wheel.put("hydra_harness_runtime/__init__.py", b"raise SystemExit\n")


def record_with_other_digest(wheel: Wheel) -> None:
    wheel["hydra_harness_runtime/py.typed"] = b"\n"


def record_without_a_line(wheel: Wheel) -> None:
    record = wheel.ending("/RECORD")
    wheel[record] = b"".join(line for line in wheel[record].splitlines(True) if b"py.typed" not in line)


def record_of_a_ghost(wheel: Wheel) -> None:
    record = wheel.ending("/RECORD")
    wheel[record] += b"hydra_harness_runtime/ghost.py,,0\n"


def record_of_itself(wheel: Wheel) -> None:
    record = wheel.ending("/RECORD")
    wheel[record] = wheel[record].replace(b"RECORD,,", b"RECORD,sha256=x,1")


def record_twice(wheel: Wheel) -> None:
    record = wheel.ending("/RECORD")
    wheel[record] += wheel[record].splitlines(True)[0]


def record_that_is_no_table(wheel: Wheel) -> None:
    wheel[wheel.ending("/RECORD")] += b"\n1,2\n"


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (no_type, {"zip-type"}),
        (not_executable, {"zip-mode"}),
        (too_executable, {"zip-mode"}),
        (set_user_id, {"zip-mode"}),
        (symbolic_link, {"zip-type"}),
        (made_on_dos, {"zip-system"}),
        (extra_file, {"extra-file"}),
        (path_outside, {"extra-file"}),
        pytest.param(second_copy, {"duplicate", "record"}, marks=pytest.mark.filterwarnings("ignore:Duplicate name")),
        (missing_sidecar, {"missing-file", "manifest", "ripgrep-pin"}),
        (missing_licence, {"missing-file"}),
        (missing_bill, {"missing-file"}),
        (edited_source, {"source"}),
        (record_with_other_digest, {"record", "source"}),
        (record_without_a_line, {"record"}),
        (record_of_a_ghost, {"record"}),
        (record_of_itself, {"record"}),
        (record_twice, {"record"}),
        (record_that_is_no_table, {"record"}),
    ],
)
def test_one_thing_wrong(
    change: Callable[[Wheel], None],
    wanted: set[str],
    tmp_path: Path,
    opened: Callable[[str], Wheel],
    expected: Expectation,
) -> None:
    wheel = opened(HOST)
    change(wheel)
    assert codes(wheel.save(tmp_path), expected) == wanted


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"version": "9.9.9"}, {"manifest"}),
        ({"target": "linux-riscv64"}, {"manifest"}),
        ({"ripgrepVersion": "14.0.0"}, {"manifest"}),
        ({"files": []}, {"manifest"}),
        ({"files": None}, {"manifest"}),
        ({"files": [{"size": 1}]}, {"manifest"}),
    ],
)
def test_lying_manifest(
    changes: dict[str, object], wanted: set[str], tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation
) -> None:
    wheel = opened(HOST)
    wheel[MANIFEST] = json.dumps({**json.loads(wheel[MANIFEST]), **changes}).encode()
    wheel.settle()
    assert codes(wheel.save(tmp_path), expected) == wanted


@pytest.mark.parametrize(
    ("member", "old", "new", "wanted"),
    [
        ("/WHEEL", b"Root-Is-Purelib: false", b"Root-Is-Purelib: true", {"tag"}),
        ("/WHEEL", b"manylinux_2_17", b"manylinux_2_5", {"tag"}),
        ("/METADATA", b"Version: 0", b"Version: 1", {"metadata"}),
        ("/METADATA", b"Requires-Python: >=3.10", b"Requires-Python: >=3.6\nRequires-Dist: six", {"metadata"}),
        ("/METADATA", b"harness-inprocess==0", b"harness-inprocess==1", {"metadata"}),
        ("/entry_points.txt", b"hydra-harness-runtime =", b"rg =", {"metadata"}),
        ("cdx.json", b'"hashes"', b'"hash"', {"sbom"}),
        ("cdx.json", b"{", b"", {"sbom"}),
    ],
)
def test_lying_metadata(
    member: str,
    old: bytes,
    new: bytes,
    wanted: set[str],
    tmp_path: Path,
    opened: Callable[[str], Wheel],
    expected: Expectation,
) -> None:
    wheel = opened(HOST)
    name = wheel.ending(member)
    assert old in wheel[name]
    wheel[name] = wheel[name].replace(old, new, 1 if old == b"{" else -1)
    wheel.settle()
    assert codes(wheel.save(tmp_path), expected) == wanted


@pytest.mark.parametrize("tag", ["py3-none-any", "py3-none-linux_x86_64", "cp311-cp311-manylinux_2_17_x86_64"])
def test_tag_that_no_target_has(
    tag: str, tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation
) -> None:
    wheel = opened(HOST)
    wheel.name = f"hydra_harness_runtime-{expected.version}-{tag}.whl"
    assert codes(wheel.save(tmp_path), expected) == {"tag"}


def test_tag_of_another_machine(tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation) -> None:
    """The aarch64 name on x86-64 bytes: every witness disagrees (sighingnow/libclang#59)."""
    wheel = opened("linux-x86_64")
    wheel.name = wheel.name.replace("x86_64", "aarch64")
    found = check_wheel(wheel.save(tmp_path), expected)
    assert {fault.code for fault in found} == {
        "tag",
        "manifest",
        "ripgrep-pin",
        "elf-machine",
        "elf-alignment",
        "go-build",
    }
    assert {fault.member for fault in found if fault.code == "elf-machine"} == {RUNTIME, RIPGREP}


def test_version_of_another_release(tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation) -> None:
    wheel = opened(HOST)
    wheel.name = wheel.name.replace(expected.version, "9.9.9")
    assert codes(wheel.save(tmp_path), expected) == {"tag"}


def test_size_limit(tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation) -> None:
    """An index's quota counts every release (pypi/support#9830)."""
    wheel = opened(HOST)
    wheel.add("hydra_harness_runtime/big", random.Random(1).randbytes(SIZE_LIMIT))
    assert codes(wheel.save(tmp_path), expected) == {"size", "extra-file"}


@pytest.mark.parametrize("cut", [0, 100, -100])
def test_broken_zip(cut: int, tmp_path: Path, host_wheel: Path, expected: Expectation) -> None:
    path = tmp_path / host_wheel.name
    path.write_bytes(host_wheel.read_bytes()[:cut])
    assert codes(path, expected) == {"zip"}


def test_damaged_member(tmp_path: Path, opened: Callable[[str], Wheel], expected: Expectation) -> None:
    path = opened(HOST).save(tmp_path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert codes(path, expected) == {"zip"}


def test_command_deletes_a_bad_wheel(
    tmp_path: Path, host_wheel: Path, capsys: pytest.CaptureFixture[str], opened: Callable[[str], Wheel]
) -> None:
    assert main([str(host_wheel)]) == 0
    assert capsys.readouterr().out.startswith(f"{host_wheel.name}: good, ")

    wheel = opened(HOST)
    extra_file(wheel)
    bad = wheel.save(tmp_path)
    assert main(["--keep", str(bad)]) == 1
    assert bad.exists()
    assert main([str(bad)]) == 1
    assert not bad.exists()
    errors = capsys.readouterr().err
    assert f"{bad.name}: extra-file: hydra_harness_runtime/_bin/rg: does not belong" in errors
    assert errors.endswith(f"{bad.name}: deleted\n")


def test_command_tells_no_wheel_from_a_bad_wheel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "no.whl")]) == 2
    assert os.strerror(2) in capsys.readouterr().err
