"""What the locator says of faults that come between two looks, and of modules that are gone."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hydra_harness_runtime._bundle import filechecks, locate, manifest
from hydra_harness_runtime._bundle.faults import Refused, launch_refusal, unseen
from hydra_harness_runtime._errors import RuntimeBundleError, RuntimeMissingError
from tests.python.wheeltree import WheelTree


@pytest.mark.parametrize(
    ("number", "code", "case"),
    [
        (errno.ENOENT, "missing", ""),
        (errno.ENOTDIR, "missing", ""),
        (errno.ESTALE, "missing", ""),
        (errno.EACCES, "denied", "unreadable"),
        (errno.EPERM, "denied", "unreadable"),
        (errno.EIO, "denied", "system"),
    ],
)
def test_a_look_that_fails(number: int, code: str, case: str) -> None:
    refused = unseen(OSError(number, os.strerror(number)), "/x")
    assert (refused.code, refused.case, refused.path, refused.errno) == (code, case, "/x", number)


def test_a_start_that_fails(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("")
    for number, path, code in (
        (errno.ENOENT, there, "loader"),
        (errno.ENOENT, tmp_path / "gone", "missing"),
        (errno.ENOTDIR, there, "missing"),
        (errno.EACCES, tmp_path / "gone", "missing"),
        (errno.ENOEXEC, there, "platform"),
        (errno.EACCES, there, "denied"),
    ):
        assert launch_refusal(OSError(number, os.strerror(number)), str(path)).code == code, (number, path)


def test_a_status_that_the_system_does_not_give(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = str(tmp_path / "file")

    def broken(_: str) -> os.stat_result:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(filechecks.os, "stat", broken)
    with pytest.raises(Refused) as caught:
        filechecks.check_kind(path)
    assert (caught.value.code, caught.value.errno) == ("denied", errno.EIO)


def test_a_chosen_file_that_vanishes_meanwhile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def vanished(path: str) -> os.stat_result:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), path)

    monkeypatch.setattr(locate, "check_kind", vanished)
    with pytest.raises(RuntimeMissingError) as caught:
        locate.locate(tmp_path / "mine")
    assert (caught.value.code, caught.value.path) == ("missing", str(tmp_path / "mine"))


def test_a_module_of_the_package_that_is_gone() -> None:
    error = locate.lost_module("hydra_harness_runtime._client")
    assert isinstance(error, RuntimeBundleError)
    assert (error.code, Path(str(error.path)).name) == ("missing", "_client.py")
    assert "this module is not there" in str(error)


def test_a_manifest_written_anew_has_the_modules_too(tmp_path: Path) -> None:
    wheel = WheelTree(tmp_path / "package")
    module = wheel.package / "_client.py"
    module.write_text("one = 1\n")
    entries = [
        {"name": "_client.py", "size": 1, "sha256": "0" * 64},
        {"name": "_gone.py", "size": 1, "sha256": "0" * 64},
    ]
    wheel.write_manifest(modules=entries)
    written = manifest.rewrite(str(wheel.bin))
    assert written.modules["_client.py"].size == len("one = 1\n")
    assert written.modules["_client.py"].sha256 == manifest.sha256(str(module))
    assert written.modules["_gone.py"].size == 1, "what is not there stays as it was"
