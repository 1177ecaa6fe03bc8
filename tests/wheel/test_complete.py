"""A folder is a release when all of it is there and true, and not before."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import RUNTIME, Wheel
from wheels import complete, table
from wheels.check import Expectation
from wheels.distributions import Build, every_build

EVERY = every_build(table.load_targets())


@pytest.fixture
def release(wheel_for: Callable[[Build], Path], tmp_path: Path) -> Path:
    """A good one: links to the wheels, and their sums."""
    folder = tmp_path / "release"
    folder.mkdir()
    for wheel in map(wheel_for, EVERY):
        (folder / wheel.name).symlink_to(wheel)
    write_sums(folder)
    return folder


def write_sums(folder: Path) -> None:
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.glob("*.whl"))]
    (folder / "SHA256SUMS").write_text("".join(lines))


def test_good(release: Path, expected: Expectation, capsys: pytest.CaptureFixture[str]) -> None:
    assert complete.main([str(release)]) == 0
    assert capsys.readouterr().out == f"{release}: version {expected.version}, {len(EVERY)} wheels, complete\n"


def missing(folder: Path) -> str:
    next(folder.glob("*macosx*x86_64.whl")).unlink()
    write_sums(folder)
    return "macosx_12_0_x86_64.whl is missing: run `nox -s release`"


def without_the_extension(folder: Path) -> str:
    next(folder.glob("hydra_harness_inprocess-*_aarch64.whl")).unlink()
    write_sums(folder)
    return "manylinux2014_aarch64.whl is missing: run `nox -s release`"


def bad_extension(folder: Path) -> str:
    path = next(folder.glob("hydra_harness_inprocess-*_x86_64.whl"))
    wheel = Wheel.load(path)
    path.unlink()
    wheel.remove(wheel.ending("/LICENSE"))
    wheel.save(folder)
    write_sums(folder)
    return "is not good: missing-file: "


def of_another_version(folder: Path) -> str:
    wheel = next(folder.glob("*macosx*x86_64.whl"))
    other = wheel.with_name(wheel.name.replace("runtime-0.", "runtime-9."))
    wheel.rename(other)
    write_sums(folder)
    return f"{other.name} does not belong to version"


def stray(folder: Path) -> str:
    (folder / "notes.txt").touch()
    return "notes.txt does not belong to version"


def bad(folder: Path) -> str:
    path = next(folder.glob("*musllinux*_x86_64.whl"))
    wheel = Wheel.load(path)
    path.unlink()
    wheel.info(RUNTIME).external_attr = 0o755 << 16
    wheel.save(folder)
    write_sums(folder)
    return "is not good: zip-type: "


def changed_after_the_sums(folder: Path) -> str:
    path = next(folder.glob("*arm64.whl"))
    shutil.copy(path, folder / "copy")
    path.unlink()
    (folder / "copy").rename(path)
    with path.open("ab") as file:
        file.write(b"!")
    return "gives another digest of"


def without_sums(folder: Path) -> str:
    (folder / "SHA256SUMS").unlink()
    return "SHA256SUMS cannot be read (No such file or directory)"


def sums_that_lack_one(folder: Path) -> str:
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(sums.read_text().splitlines(True)[1:]))
    return f"lists {len(EVERY) - 1} files that are not exactly the wheels"


def sums_of_another_form(folder: Path) -> str:
    with (folder / "SHA256SUMS").open("a") as file:
        file.write("SHA256 (a.whl) = 00\n")
    return "has a line that does not belong there: 'SHA256 (a.whl) = 00'"


@pytest.mark.parametrize(
    "spoil",
    [
        missing,
        without_the_extension,
        bad_extension,
        of_another_version,
        stray,
        bad,
        changed_after_the_sums,
        without_sums,
        sums_that_lack_one,
        sums_of_another_form,
    ],
)
def test_refused(spoil: Callable[[Path], str], release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reason = spoil(release)
    before = sorted(release.iterdir())
    assert complete.main([str(release)]) == 1
    assert reason in capsys.readouterr().err
    assert sorted(release.iterdir()) == before


def test_refused_when_there_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complete.main([str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().err.count("is missing") == len(EVERY)
