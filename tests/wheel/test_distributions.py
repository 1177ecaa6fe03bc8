"""Builder and checker, each with its own idea of names and tags; and which file of wheels/ knows which."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wheels import table
from wheels.check import Expectation, check_wheel
from wheels.check.names import check_tags, wheel_named
from wheels.distributions import EXECUTABLES, INPROCESS, Build, Distribution, every_build

TARGETS = table.load_targets()
LINUX, MAC = TARGETS["linux-x86_64"], TARGETS["macos-arm64"]


def test_they_agree_about_the_table() -> None:
    for build in every_build(TARGETS):
        wheel = wheel_named(build.file_name("1.0"), "1.0", TARGETS)
        assert wheel is not None, build.name
        assert (wheel.kind.name, wheel.target) == (build.distribution.name, build.target)
    assert [fault for target in TARGETS.values() for fault in check_tags(target)] == []


@pytest.mark.parametrize(
    "row",
    [
        replace(LINUX, platform_tags=("manylinux_2_28_x86_64",)),
        replace(LINUX, platform_tags=("manylinux_2_17_x86_64", "manylinux2014_x86_64")),
        replace(LINUX, platform_tags=("manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64")),
        replace(LINUX, platform_tags=("linux_x86_64",)),
        replace(LINUX, platform_tags=("any",)),
        replace(LINUX, goarch="riscv64"),
        replace(MAC, platform_tags=("macosx_11_0_arm64",)),
        replace(MAC, macos_minimum="13.0"),
        replace(MAC, macos_minimum=None),
        replace(MAC, goos="freebsd"),
    ],
    ids=lambda row: f"{row.goos}-{row.goarch}-{'.'.join(row.platform_tags)}-{row.macos_minimum}",
)
@pytest.mark.parametrize("distribution", [EXECUTABLES, INPROCESS], ids=lambda distribution: distribution.project)
def test_a_slip_in_the_table_is_the_builders_alone(
    row: table.Target, distribution: Distribution, tmp_path: Path, expected: Expectation
) -> None:
    """The builder believes the row; the checker says that no wheel is called that, or what the row should say."""
    named = Build(distribution, row).file_name(expected.version)
    wheel = tmp_path / named
    wheel.write_bytes(b"")
    with_row = replace(expected, targets={row.name: row})
    assert [fault.code for fault in check_tags(row)] == ["tag"]
    if named != Build(distribution, LINUX).file_name(expected.version) or row.goarch != LINUX.goarch:
        assert [fault.code for fault in check_wheel(wheel, with_row)] == ["tag"]
    else:  # the slip is about musl, whose tags the extension never has
        assert wheel_named(named, expected.version, with_row.targets) is not None


# --- the arrows between the files


def imports() -> dict[str, set[str]]:
    """Each module of wheels/ and which others it names, in annotations and functions, too."""
    modules = {module_name(path): path for path in sorted((table.ROOT / "wheels").rglob("*.py"))}
    return {name: set(_named(path, modules)) - {name} for name, path in modules.items()}


def module_name(path: Path) -> str:
    parts = path.relative_to(table.ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _named(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [name for name in inner if name in modules]
            yield from found
            if len(found) < len(inner) and node.module in modules:
                yield node.module


def test_no_circle_of_files() -> None:
    left = imports()
    while ready := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in ready}
    assert left == {}


def test_the_checker_knows_the_table_and_nothing_of_the_builder() -> None:
    outside = {
        other
        for name, others in imports().items()
        if name.startswith("wheels.check")
        for other in others
        if not other.startswith("wheels.check")
    }
    assert outside == {"wheels.table"}
