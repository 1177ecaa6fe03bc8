"""The locator, fault by fault, on trees that look like an unpacked wheel."""

from __future__ import annotations

import errno
import importlib.metadata
import json
import logging
import os
import pickle
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime._bundle import filechecks, locate, manifest
from hydra_harness_runtime._bundle.locate import Bundle, Verify
from hydra_harness_runtime._errors import (
    RuntimeBundleError,
    RuntimeMissingError,
    RuntimePermissionError,
)
from tests.python.wheeltree import HEADERS, RIPGREP, RUNTIME, VERSION, WheelTree


@pytest.fixture
def wheel(tmp_path: Path) -> WheelTree:
    return WheelTree(tmp_path / "site" / "hydra_harness_runtime")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy that these tests run against would be one that the trees here shadow."""

    def distribution(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)


@pytest.fixture(params=[RUNTIME, RIPGREP])
def member(request: pytest.FixtureRequest, wheel: WheelTree) -> Path:
    """Each of the two executables in turn."""
    return wheel.bin / str(request.param)


def refusal(bundle: Bundle, verify: Verify = "full") -> RuntimeBundleError:
    with pytest.raises(RuntimeBundleError) as caught:
        bundle.check(verify)
    return caught.value


def other_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process look like a user that owns nothing here."""
    monkeypatch.setattr(filechecks.os, "geteuid", lambda: 54321)
    monkeypatch.setattr(filechecks.os, "getegid", lambda: 54321)
    monkeypatch.setattr(filechecks.os, "getgroups", list)


# --- what is accepted


@pytest.mark.parametrize("target", sorted(HEADERS))
def test_a_whole_wheel_is_accepted_on_its_host(tmp_path: Path, target: str) -> None:
    wheel = WheelTree(tmp_path / "p", target)
    located = wheel.bundle(target).check("full")
    assert located.runtime == str(wheel.runtime)
    assert located.ripgrep == str(wheel.ripgrep)


@pytest.mark.parametrize(
    ("target", "host", "code"),
    [
        ("linux-x86_64", "linux-aarch64", "wrong-arch"),
        ("linux-aarch64", "linux-x86_64", "wrong-arch"),
        ("linux-x86_64", "linux-i686", "wrong-arch"),
        ("linux-x86_64", "macos-x86_64", "wrong-os"),
        ("macos-arm64", "linux-aarch64", "wrong-os"),
        ("linux-x86_64", "win32-x86_64", "wrong-os"),
        ("macos-x86_64", "macos-aarch64", None),
        ("macos-arm64", "macos-x86_64", None),
        ("macos-arm64", "macos-aarch64", None),
    ],
)
def test_target_against_host(tmp_path: Path, target: str, host: str, code: str | None) -> None:
    bundle = WheelTree(tmp_path / "p", target).bundle(host)
    if code is None:
        assert bundle.check("full")
        return
    error = refusal(bundle)
    assert error.code == code
    assert (error.target, error.host) == (target, host)
    assert target in str(error)
    assert host in str(error)


def test_links_are_followed_for_content_but_not_for_the_sibling(tmp_path: Path) -> None:
    """A store that links file by file: bazelbuild/bazel#22934."""
    wheel = WheelTree(tmp_path / "farm")
    for number, path in enumerate((wheel.runtime, wheel.ripgrep, wheel.manifest)):
        store = tmp_path / f"store{number}" / "entry"
        store.parent.mkdir()
        path.rename(store)
        path.symlink_to(store)
    assert wheel.bundle().check("full").ripgrep == str(wheel.ripgrep)


# --- what is refused, in the order of the checks


def test_zipped(tmp_path: Path) -> None:
    archive = tmp_path / "app.pyz"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("hydra_harness_runtime/__init__.py", "")
    tree = Bundle(str(archive / "hydra_harness_runtime"), version=VERSION, host=locate.current_host())
    error = refusal(tree)
    assert error.code == "zipped"
    assert error.path == str(archive)


def test_package_directory_gone(tmp_path: Path) -> None:
    bundle = Bundle(str(tmp_path / "gone"), version=VERSION, host=locate.current_host())
    assert refusal(bundle).code == "missing"


def test_manifest_absent(wheel: WheelTree) -> None:
    wheel.manifest.unlink()
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert error.errno == errno.ENOENT
    assert isinstance(error, FileNotFoundError)
    assert error.path == str(wheel.manifest)
    assert "build and install its wheel" in error.remedy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "it is not JSON"),
        ("[]", "not a JSON object"),
        ('{"files": {}}', '"files" is not a list'),
        ('{"files": [1]}', "not a JSON object"),
        ('{"files": [{"name": "a/b"}]}', "plain"),
        ('{"files": [{"name": "a", "size": true, "sha256": ""}]}', "whole number"),
        ('{"files": [{"name": "a", "size": -1, "sha256": ""}]}', "negative"),
        ('{"files": [{"name": "a", "size": 1, "sha256": "abc"}]}', "64 hex"),
        ('{"files": [], "version": "1", "target": "t", "ripgrepVersion": "1"}', "does not list hydra-harness-runtime"),
        ("\ud800", "it is not UTF-8"),
        ("\ufeff{}", "byte order mark"),
    ],
)
def test_manifest_broken(wheel: WheelTree, text: str, says: str) -> None:
    wheel.manifest.write_bytes(text.encode("utf-8", "surrogatepass"))
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert says in str(error)


@pytest.mark.parametrize("key", ["version", "target", "ripgrepVersion"])
@pytest.mark.parametrize("value", [None, "", 3])
def test_manifest_without_its_texts(wheel: WheelTree, key: str, value: object) -> None:
    wheel.write_manifest(**{key: value})
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert f'"{key}"' in str(error)


def test_version_mix(wheel: WheelTree) -> None:
    wheel.write_manifest(version="1.2.2")
    error = refusal(wheel.bundle())
    assert error.code == "version-mix"
    assert "1.2.2" in str(error)
    assert f"hydra-harness-runtime=={VERSION}" in error.remedy


def test_missing(wheel: WheelTree, member: Path) -> None:
    member.unlink()
    error = refusal(wheel.bundle())
    assert error.code == "missing"
    assert isinstance(error, RuntimeMissingError)
    assert isinstance(error, FileNotFoundError)
    assert error.filename == str(member)
    assert "pip install --force-reinstall" in error.remedy
    assert "security software" in error.remedy


@pytest.mark.parametrize("link_to", ["nowhere", "itself"])
def test_dangling_link(wheel: WheelTree, member: Path, link_to: str) -> None:
    member.unlink()
    member.symlink_to(member if link_to == "itself" else "nowhere")
    error = refusal(wheel.bundle())
    assert error.code == "dangling-link"
    assert "leads nowhere" in str(error)


def test_not_a_file(wheel: WheelTree, member: Path) -> None:
    member.unlink()
    member.mkdir()
    assert refusal(wheel.bundle()).code == "not-a-file"


def test_directory_that_may_not_be_searched(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    def stat(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
        if path == str(member):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(filechecks.os, "stat", stat)
    error = refusal(wheel.bundle())
    assert error.code == "denied"
    assert error.errno == errno.EACCES


def test_size(wheel: WheelTree, member: Path) -> None:
    with member.open("ab") as file:
        file.write(b"!")
    error = refusal(wheel.bundle())
    assert error.code == "size"
    assert "remanifest" in error.remedy


@pytest.mark.parametrize("header", [HEADERS["linux-aarch64"], HEADERS["macos-arm64"], b"#!/bin/sh\nexit 0\n....", b""])
def test_platform(wheel: WheelTree, member: Path, header: bytes) -> None:
    member.write_bytes(header)
    wheel.write_manifest()
    assert refusal(wheel.bundle()).code == "platform"


def test_digest_and_structure(wheel: WheelTree, member: Path) -> None:
    data = bytearray(member.read_bytes())
    data[-1] ^= 1
    member.write_bytes(data)
    bundle = wheel.bundle()
    assert refusal(bundle).code == "digest"
    assert bundle.check("structure").runtime == str(wheel.runtime)
    assert refusal(bundle).code == "digest", "a check without digests vouches for no digest"


@pytest.mark.parametrize("verify", ["full", "structure"])
def test_signed_anew(wheel: WheelTree, member: Path, verify: Verify) -> None:
    """A signature of one's own changes bytes and size, and nothing else."""
    with member.open("ab") as file:
        file.write(b"signature")
    if verify == "structure":
        assert wheel.bundle().check(verify).ripgrep == str(wheel.ripgrep)
    else:
        assert refusal(wheel.bundle(), verify).code == "size"


def test_frozen(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """imageio/imageio-ffmpeg#121: a freezer copied the file without its bit; it may sign it, too."""
    member.write_bytes(member.read_bytes() + b"signature")
    member.chmod(0o644)
    monkeypatch.setattr(locate, "_bundle", wheel.bundle())
    assert refusal(wheel.bundle()).code == "size"
    monkeypatch.setattr(locate.sys, "frozen", True, raising=False)
    assert locate.locate() == (str(wheel.runtime), str(wheel.ripgrep))
    assert os.access(member, os.X_OK)


def test_unreadable_file(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> str:
        if path == str(member):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return str(next(e["sha256"] for e in entries if path.endswith(e["name"])))

    entries = json.loads(wheel.manifest.read_text())["files"]
    monkeypatch.setattr(manifest, "sha256", refuse)
    error = refusal(wheel.bundle())
    assert error.code == "denied"
    assert isinstance(error, RuntimePermissionError)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_manifest_that_is_no_file(wheel: WheelTree, make: Callable[[Path], None]) -> None:
    wheel.manifest.unlink()
    make(wheel.manifest)
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert "it is not a regular file" in str(error)


def test_manifest_without_end(wheel: WheelTree) -> None:
    with wheel.manifest.open("ab") as file:
        file.truncate(1 << 40)  # a hole: read whole, it would fill the memory
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert "it has more than 65536 bytes" in str(error)


def test_unreadable_manifest(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: bytes) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(manifest, "parse", refuse)
    error = refusal(wheel.bundle())
    assert error.code == "manifest"
    assert error.errno == errno.EACCES
    assert "it cannot be read (Permission denied)" in str(error)


# --- the executable bit


@pytest.mark.parametrize(("before", "after"), [(0o644, 0o755), (0o600, 0o700), (0o640, 0o750), (0o444, 0o555)])
def test_mode_is_repaired_on_our_own_file(
    wheel: WheelTree, member: Path, caplog: pytest.LogCaptureFixture, before: int, after: int
) -> None:
    """Packers lose it: bazel-contrib/rules_python#1711, linkedin/shiv#100."""
    member.chmod(before)
    bundle = wheel.bundle()
    with caplog.at_level(logging.WARNING, "hydra_harness_runtime"):
        bundle.check("full")
        bundle.check("full")
    assert member.stat().st_mode & 0o777 == after
    assert [r.getMessage() for r in caplog.records] == [
        f"{member} had lost its executable bit: mode changed from {before:04o} to {after:04o}"
    ]


def test_mode_of_somebody_elses_file(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    member.chmod(0o644)
    other_user(monkeypatch)
    error = refusal(wheel.bundle())
    assert error.code == "mode"
    assert isinstance(error, PermissionError)
    assert "0644" in str(error)
    assert f"chmod +x {member}" in error.remedy


def test_mode_is_not_repaired_through_a_link(wheel: WheelTree, member: Path) -> None:
    store = wheel.package.parent / "store"
    member.rename(store)
    member.symlink_to(store)
    store.chmod(0o644)
    assert refusal(wheel.bundle()).code == "mode"
    assert store.stat().st_mode & 0o777 == 0o644


def test_mode_on_a_read_only_mount(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nficano/python-lambda#33: the archive lost the bit, then the disk is read-only."""
    member.chmod(0o644)

    def read_only(handle: int, mode: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(filechecks.os, "fchmod", read_only)
    error = refusal(wheel.bundle())
    assert error.code == "mode"
    assert error.errno == errno.EROFS
    assert "Read-only file system" in str(error)
    assert "mounted read-only" in error.remedy
    assert "chmod" not in error.remedy, "which cannot be done there"


def test_mode_when_the_file_is_swapped_meanwhile(
    wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member.chmod(0o644)
    monkeypatch.setattr(filechecks.os.path, "samestat", lambda a, b: False)
    error = refusal(wheel.bundle())
    assert error.code == "mode"
    assert "replaced" in str(error)
    assert member.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("before", [0o755, 0o644])
def test_noexec(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    member.chmod(before)
    real = filechecks.may_execute
    monkeypatch.setattr(filechecks, "may_execute", lambda p: p != str(member) and real(p))
    monkeypatch.setattr(filechecks, "_ST_NOEXEC", 8)

    class Mount:
        f_flag = 8

    monkeypatch.setattr(filechecks.os.path, "ismount", lambda path: path == str(wheel.package))
    monkeypatch.setattr(filechecks.os, "statvfs", lambda path: Mount, raising=False)
    error = refusal(wheel.bundle())
    assert error.code == "noexec"
    assert f"mounted at {wheel.package}," in str(error)
    assert "HYDRA_HARNESS_RUNTIME" in error.remedy


def test_denied_although_the_bits_are_there(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mesonbuild/meson#14343: fapolicyd."""
    real = filechecks.may_execute
    monkeypatch.setattr(filechecks, "may_execute", lambda p: p != str(member) and real(p))
    monkeypatch.setattr(filechecks, "_ST_NOEXEC", 0)
    error = refusal(wheel.bundle())
    assert error.code == "denied"
    assert "fapolicyd" in error.remedy


@pytest.mark.parametrize(
    ("user", "group", "groups", "mode", "has"),
    [
        (0, 0, [], 0o001, True),
        (0, 0, [], 0o666, False),
        (1000, 1, [], 0o100, True),
        (1000, 1, [], 0o011, False),
        (5, 2000, [], 0o010, True),
        (5, 1, [2000], 0o010, True),
        (5, 1, [2000], 0o101, False),
        (5, 1, [], 0o001, True),
        (5, 1, [], 0o110, False),
    ],
)
def test_which_bit_counts(
    monkeypatch: pytest.MonkeyPatch, user: int, group: int, groups: list[int], mode: int, has: bool
) -> None:
    monkeypatch.setattr(filechecks.os, "geteuid", lambda: user)
    monkeypatch.setattr(filechecks.os, "getegid", lambda: group)
    monkeypatch.setattr(filechecks.os, "getgroups", lambda: groups)
    found = os.stat_result((0o100000 | mode, 1, 1, 1, 1000, 2000, 1, 0, 0, 0))
    assert filechecks._has_bit(found) is has


# --- the memo


def test_a_passed_check_is_remembered(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    real = manifest.sha256

    def counting(path: str) -> str:
        hashed.append(path)
        return real(path)

    monkeypatch.setattr(manifest, "sha256", counting)
    bundle = wheel.bundle()
    bundle.check("full")
    assert hashed == [str(wheel.runtime), str(wheel.ripgrep)]
    bundle.check("full")
    bundle.check("structure")
    assert len(hashed) == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("delete", "missing"),
        ("truncate", "size"),
        ("replace", "digest"),
        ("manifest", "manifest"),
    ],
)
def test_a_change_after_the_check_is_noticed(wheel: WheelTree, member: Path, change: str, code: str) -> None:
    """Security software deletes it seconds later: astral-sh/ruff#26362."""
    bundle = wheel.bundle()
    bundle.check("full")
    if change == "delete":
        member.unlink()
    elif change == "truncate":
        member.write_bytes(b"")
    elif change == "replace":
        twin = member.with_name("twin")
        twin.write_bytes(member.read_bytes()[:-1] + b"?")
        twin.chmod(0o755)
        twin.replace(member)
    else:
        wheel.manifest.write_text("{}")
    assert refusal(bundle).code == code


def test_a_lost_bit_after_the_check_is_noticed(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = wheel.bundle()
    bundle.check("full")
    member.chmod(0o644)
    other_user(monkeypatch)
    assert refusal(bundle).code == "mode"


# --- the public functions


def test_public_functions_look_beside_the_module(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "_bundle", wheel.bundle())
    assert locate.bundled_runtime_path() == wheel.runtime
    assert locate.bundled_ripgrep_path(verify="structure") == wheel.ripgrep


def test_the_bundle_of_this_installation_is_the_imported_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locate, "_bundle", None)
    bundle = locate.installed()
    assert bundle.package == str(Path(locate.__file__).parent.parent)
    assert locate.installed() is bundle


def test_verify_is_checked() -> None:
    with pytest.raises(ValueError, match='"full" or "structure"'):
        locate.locate(verify="none")  # type: ignore[arg-type]


@pytest.fixture
def chosen(tmp_path: Path) -> Path:
    for name in ("mine", "mine-rg"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path / "mine"


def test_override_is_used_and_logged(
    chosen: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", str(chosen))
    with caplog.at_level(logging.INFO, "hydra_harness_runtime"):
        assert locate.bundled_runtime_path(override=True) == chosen
        assert locate.bundled_ripgrep_path(override=True) == chosen.with_name("mine-rg")
    assert f"HYDRA_HARNESS_RUNTIME chooses the runtime {chosen}" in caplog.text


@pytest.mark.parametrize("function", [locate.bundled_runtime_path, locate.bundled_ripgrep_path])
def test_the_bundled_files_are_not_those_that_a_variable_names(
    function: Callable[[], Path], chosen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", str(chosen))
    with pytest.raises(RuntimeBundleError) as caught:
        function()
    assert (caught.value.code, caught.value.path) == ("overridden", str(chosen))
    assert "override=True" in caught.value.remedy


def test_a_variable_that_is_not_used_is_named_in_every_error(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel.runtime.unlink()
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", "/elsewhere")
    assert "HYDRA_HARNESS_RUNTIME is set, but not used here" in str(refusal(wheel.bundle()))


def test_a_choice_whose_directory_is_gone(
    chosen: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path_factory.mktemp("gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert locate.locate(chosen).runtime == str(chosen), "an absolute one needs no directory"
    with pytest.raises(RuntimeMissingError) as caught:
        locate.locate("mine")
    assert "working directory of this process is gone" in str(caught.value)
    assert caught.value.code == "missing"


def test_an_argument_wins_over_the_override(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", "/nowhere")
    assert locate.locate(chosen).runtime == str(chosen)


def test_a_relative_choice_is_made_absolute(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(chosen.parent)
    assert locate.locate("mine").runtime == str(chosen)


@pytest.mark.parametrize("lost", ["mine", "mine-rg"])
@pytest.mark.parametrize("fault", ["missing", "mode"])
def test_a_chosen_runtime_is_checked_and_never_changed(
    chosen: Path, monkeypatch: pytest.MonkeyPatch, lost: str, fault: str
) -> None:
    path = chosen.with_name(lost)
    path.unlink() if fault == "missing" else path.chmod(0o644)
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", str(chosen))
    with pytest.raises(RuntimeBundleError) as caught:
        locate.bundled_runtime_path(override=True)
    assert caught.value.code == fault
    assert caught.value.path == str(path)
    assert "HYDRA_HARNESS_RUNTIME" in str(caught.value)
    assert caught.value.remedy.startswith(f"Make it executable: chmod +x {path}" if fault == "mode" else "Point ")
    if fault == "mode":
        assert path.stat().st_mode & 0o777 == 0o644


def test_path_is_never_searched(chosen: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (RUNTIME, RIPGREP, "rg"):
        (chosen.parent / name).symlink_to(chosen)
    monkeypatch.setenv("PATH", str(chosen.parent))
    empty = Bundle(str(tmp_path / "gone"), version=VERSION, host=locate.current_host())
    assert refusal(empty).code == "missing"


# --- an upgrade under a running program, and whatever else changes meanwhile


def test_every_system_call_may_find_the_file_gone(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade removes a file between two steps; whichever they are, the error is one of the locator's."""
    met = set()
    for name in ("stat", "statvfs", "access", "readlink"):
        real = getattr(os, name)
        for fatal in range(12):
            calls = 0

            def vanished(*arguments: Any, **more: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls >= fatal:  # noqa: B023 - called at once
                    raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(wheel.runtime))
                return real(*arguments, **more)  # noqa: B023

            with monkeypatch.context() as patch:
                patch.setattr(os, name, vanished)
                try:
                    wheel.bundle().check("full")
                except RuntimeBundleError as error:
                    met.add(error.code)
    assert "missing" in met


def test_a_file_that_is_back_at_the_second_look_is_no_fault(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    real, gone = manifest.sha256, [True]

    def flickering(path: str) -> str:
        if gone and gone.pop():
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return real(path)

    monkeypatch.setattr(manifest, "sha256", flickering)
    assert wheel.bundle().check("full").runtime == str(wheel.runtime)


def test_an_upgrade_under_a_running_program(wheel: WheelTree) -> None:
    wheel.write_manifest(version="9.9.9")
    assert "Reinstall" in refusal(wheel.bundle()).remedy
    (wheel.package / "_version.py").write_text('__version__ = "9.9.9"\n')
    error = refusal(wheel.bundle())
    assert error.code == "version-mix"
    assert "start the program again" in error.remedy
    assert "einstall" not in error.remedy


def test_no_folder_of_executables(wheel: WheelTree) -> None:
    for path in (wheel.manifest, wheel.runtime, wheel.ripgrep):
        path.unlink()
    wheel.bin.rmdir()
    error = refusal(wheel.bundle())
    assert (error.code, error.path) == ("missing", str(wheel.bin))
    assert "build and install its wheel" in error.remedy


def test_a_file_that_this_user_may_not_read(wheel: WheelTree, member: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0600 of another user is no execution policy."""
    member.chmod(0o700)
    real = os.access
    monkeypatch.setattr(
        filechecks.os, "access", lambda p, m, **more: (str(p) != str(member) or m != os.R_OK) and real(p, m, **more)
    )
    error = refusal(wheel.bundle())
    assert error.code == "denied"
    assert f"belongs to user {os.getuid()} and its mode is 0700" in str(error)
    assert "chmod a+rX" in error.remedy
    assert "SELinux" not in error.remedy


# --- the modules


def add_modules(wheel: WheelTree) -> Path:
    module = wheel.package / "adapters" / "one.py"
    module.parent.mkdir()
    module.write_text("x = 1\n")
    wheel.write_manifest(modules=[{**wheel.entry(module), "name": "adapters/one.py"}])
    return module


def test_modules_are_looked_at(wheel: WheelTree) -> None:
    module = add_modules(wheel)
    bundle = wheel.bundle()
    bundle.check("full")
    assert bundle.verify_all() == 3
    module.write_text("x = 2\n")
    wheel.bundle().check("full")
    with pytest.raises(RuntimeBundleError) as caught:
        wheel.bundle().verify_all()
    assert (caught.value.code, caught.value.path) == ("digest", str(module))
    module.write_text("longer than it was\n")
    assert (refusal(wheel.bundle()).code, refusal(wheel.bundle()).path) == ("size", str(module))
    module.unlink()
    assert (refusal(wheel.bundle()).code, refusal(wheel.bundle()).path) == ("missing", str(module))
    module.with_name("one.pyc").touch()
    wheel.bundle().check("full")
    assert wheel.bundle().verify_all() == 3


def test_modules_of_a_frozen_application_are_elsewhere(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    add_modules(wheel).unlink()
    monkeypatch.setattr(locate.sys, "frozen", True, raising=False)
    wheel.bundle().check("structure")


@pytest.mark.parametrize("name", ["/etc/passwd", "../x.py", "a//b.py", "", "."])
def test_modules_lie_below_the_package(wheel: WheelTree, name: str) -> None:
    wheel.write_manifest(modules=[{**wheel.entry(wheel.runtime), "name": name}])
    assert "not a path below the package" in str(refusal(wheel.bundle()))


@pytest.mark.parametrize(("module", "name"), [("_client", "Runtime"), ("_aio", "AsyncRuntime"), ("_engine", "Runtime")])
def test_a_module_that_is_missing_is_a_fault_of_the_bundle(tmp_path: Path, module: str, name: str) -> None:
    copy = tmp_path / "hydra_harness_runtime"
    shutil.copytree(Path(locate.__file__).parent.parent, copy, ignore=shutil.ignore_patterns("_bin", "__pycache__"))
    (copy / f"{module}.py").unlink()
    code = (
        "import hydra_harness_runtime as h\n"
        f"try: h.{name}\n"
        "except h.RuntimeBundleError as error: print(error.code, error.path)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"missing {copy / module}.py\n", done.stderr


# --- the error itself


def test_the_error_survives_pickling(wheel: WheelTree) -> None:
    wheel.runtime.unlink()
    error = refusal(wheel.bundle())
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    for name in ("code", "path", "target", "host", "remedy", "errno", "filename", "details"):
        assert getattr(again, name) == getattr(error, name), name
    assert str(again) == str(error)
