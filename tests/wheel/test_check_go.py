"""The build information of the runtime, with the Go toolchain as the oracle."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import RIPGREP, RUNTIME, Wheel
from wheels import table
from wheels.check.goinfo import check_go, read_build_info

TARGETS = table.load_targets()


@pytest.mark.parametrize("name", TARGETS)
def test_agrees_with_go_version(name: str, opened: Callable[[str], Wheel], tmp_path: Path) -> None:
    data = opened(name)[RUNTIME]
    file = tmp_path / "runtime"
    file.write_bytes(data)
    said = subprocess.run(["go", "version", "-m", str(file)], check=True, capture_output=True, text=True).stdout
    first, *rest = said.splitlines()
    info = read_build_info(data)
    assert first == f"{file}: {info.go}"
    lines = [f"path\t{info.main_package}"]
    lines += [f"dep\t{module.path}\t{module.version}\t{module.sum}" for module in info.modules]
    lines += [f"build\t{key}={value}" for key, value in info.settings.items()]
    assert [line for line in (text.strip() for text in rest) if not line.startswith("mod\t")] == lines
    assert list(check_go("file", data, TARGETS[name].goos, TARGETS[name].goarch)) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"CGO_ENABLED=0", b"CGO_ENABLED=1", "CGO_ENABLED=1, not 0"),
        (b"-trimpath=true", b"-trimpath=fals", "-trimpath=fals"),
        (b"GOOS=linux", b"GOOS=plan9", "GOOS=plan9, not linux"),
        (b"GOARCH=amd64", b"GOARCH=riscv", "GOARCH=riscv, not amd64"),
        (b"gocore/cmd/hydra-harness-runtime\n", b"gocore/cmd/hydra-harness-runtimf\n", "was built from"),
    ],
)
def test_other_builds(old: bytes, new: bytes, says: str, opened: Callable[[str], Wheel]) -> None:
    data = opened("linux-x86_64")[RUNTIME]
    assert old in data
    faults = list(check_go("file", data.replace(old, new), "linux", "amd64"))
    assert [fault.code for fault in faults] == ["go-build"]
    assert says in faults[0].message


def test_not_made_by_go(opened: Callable[[str], Wheel]) -> None:
    magic = b"\xff Go buildinf:"
    for data in (
        b"",
        opened("linux-x86_64")[RIPGREP],
        magic,
        bytes(3) + magic + bytes(64),
        magic + b"\x08\x02" + b"\xff" * 64,
    ):
        faults = list(check_go("file", data, "linux", "amd64"))
        assert [fault.code for fault in faults] == ["go-build"]
