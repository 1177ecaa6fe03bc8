"""The release command: all or nothing, and equal bytes or nothing."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import RUNTIME, Wheel
from wheels import release, table
from wheels.distributions import EXECUTABLES, INPROCESS, Build, every_build

TARGETS = table.load_targets()
EVERY = every_build(TARGETS)
HOST = table.host_target(TARGETS)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch, wheel_for: Callable[[Build], Path]) -> list[tuple[Build, Path]]:
    """Builds hand out the wheels at hand; says which were asked for, and from which tree."""
    asked: list[tuple[Build, Path]] = []

    def build(target: str, out: Path, root: Path = table.ROOT, **_: object) -> Path:
        distribution = INPROCESS if root.name == "pybind" else EXECUTABLES
        wanted = Build(distribution, TARGETS[target])
        asked.append((wanted, root.parent if wanted.in_process else root))
        out.mkdir(parents=True)
        return Path(shutil.copy(wheel_for(wanted), out))

    monkeypatch.setattr(release, "build_wheel", build)
    return asked


def test_two_distributions() -> None:
    """The runtime for every platform, the extension for Linux."""
    assert [(build.distribution.project, build.target.name) for build in EVERY] == [
        *((".", name) for name in TARGETS),
        ("pybind", "linux-x86_64"),
        ("pybind", "linux-aarch64"),
    ]


def test_complete_set(builds: list[tuple[Build, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "dist"
    out.mkdir()
    (out / "old-0-py3-none-any.whl").touch()
    assert release.main(["--out", str(out), "--twice"]) == 0

    names = sorted(path.name for path in out.glob("*.whl"))
    assert len(names) == len(EVERY)
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert sorted(sums) == names
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert [build for build, _ in builds] == [*EVERY, *EVERY]
    assert {root for _, root in builds[: len(EVERY)]} == {table.ROOT}
    assert {root.name for _, root in builds[len(EVERY) :]} == {"tree"}
    assert capsys.readouterr().out.count("equal bytes") == len(EVERY)


def test_one_distribution_is_no_release(builds: list[tuple[Build, Path]], tmp_path: Path) -> None:
    (tmp_path / "SHA256SUMS").touch()
    assert release.main(["--out", str(tmp_path), "--inprocess"]) == 0
    assert [build for build, _ in builds] == [build for build in EVERY if build.in_process]
    assert not (tmp_path / "SHA256SUMS").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no in-process wheel for this machine")
def test_extension_for_this_machine(builds: list[tuple[Build, Path]], tmp_path: Path) -> None:
    assert release.main(["--out", str(tmp_path), "--inprocess", "--host"]) == 0
    assert [build for build, _ in builds] == [Build(INPROCESS, HOST)]


def test_no_extension_for_macos(
    monkeypatch: pytest.MonkeyPatch,
    builds: list[tuple[Build, Path]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(release, "host_target", lambda targets: targets["macos-arm64"])
    assert release.main(["--out", str(tmp_path / "dist"), "--inprocess", "--host"]) == 1
    assert "there is no in-process wheel for macos-arm64: leave --inprocess out" in capsys.readouterr().err
    assert builds == []


def test_host_alone_takes_away_the_sums(builds: list[tuple[Build, Path]], tmp_path: Path) -> None:
    (tmp_path / "SHA256SUMS").touch()
    (tmp_path / "other.whl").touch()
    assert release.main(["--out", str(tmp_path), "--host"]) == 0
    assert [build for build, _ in builds] == [Build(EXECUTABLES, HOST)]
    assert not (tmp_path / "SHA256SUMS").exists()
    assert len(list(tmp_path.glob("*.whl"))) == 2


def test_one_bad_wheel_is_no_release(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[str], Wheel], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(target: str, out: Path, *_: object, **__: object) -> Path:
        out.mkdir(parents=True)
        wheel = opened(target)
        if target == "macos-arm64":
            wheel.info(RUNTIME).external_attr = 0o755 << 16
        return wheel.save(out)

    monkeypatch.setattr(release, "build_wheel", build)
    assert release.main(["--out", str(tmp_path / "dist")]) == 1
    assert "macosx_12_0_arm64.whl is not good:\nzip-type: " in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def test_other_bytes_elsewhere_are_no_release(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[str], Wheel], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(target: str, out: Path, root: Path = table.ROOT, **_: object) -> Path:
        out.mkdir(parents=True)
        wheel = opened(target)
        if root != table.ROOT:
            wheel.entries[0][0].date_time = (2021, 1, 1, 0, 0, 0)
        return wheel.save(out)

    monkeypatch.setattr(release, "build_wheel", build)
    assert release.main(["--out", str(tmp_path / "dist"), "--host", "--twice"]) == 1
    assert "has other bytes when it is built elsewhere" in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def test_really_built_twice(host_wheel: Path, tmp_path: Path) -> None:
    """From a copy of the tree in a folder with a space, another umask, another time zone."""
    assert release.main(["--out", str(tmp_path), "--host", "--twice"]) == 0
    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == host_wheel.read_bytes()
