"""What the system's refusals mean, and the ways out."""

from __future__ import annotations

import errno
import importlib.metadata
import importlib.util
import os
import sys
from typing import TYPE_CHECKING

import pytest

from hydra_harness_runtime._bundle import host, remedies
from hydra_harness_runtime._bundle.binaries import platform_of
from hydra_harness_runtime._bundle.faults import Refused, bundle_error, launch_refusal
from hydra_harness_runtime._bundle.host import Host, current_host

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("number", "exists", "code"),
    [
        (errno.ENOENT, True, "loader"),
        (errno.ENOENT, False, "missing"),
        (errno.ENOEXEC, True, "platform"),
        (errno.EACCES, True, "denied"),
        (errno.EPERM, True, "denied"),
        (errno.ETXTBSY, True, "denied"),
    ],
)
def test_a_refused_launch_is_named(tmp_path: Path, number: int, exists: bool, code: str) -> None:
    """A file that exists and is not found wants a loader: openai/codex#6220."""
    path = tmp_path / "runtime"
    if exists:
        path.touch()
    refused = launch_refusal(OSError(number, os.strerror(number)), str(path))
    error = bundle_error(refused, target="linux-x86_64", host="linux-x86_64", version="1")
    assert error.code == code
    assert error.errno == number
    assert isinstance(error, FileNotFoundError) == (code in ("loader", "missing"))
    assert isinstance(error, PermissionError) == (code == "denied")


def test_an_error_without_text_is_still_told(tmp_path: Path) -> None:
    assert "boom" in launch_refusal(OSError("boom"), str(tmp_path)).what


class FakeDistribution:
    """An installed copy in *site*, with or without a list of its files."""

    def __init__(self, site: Path, *, record: bool) -> None:
        self.site = site
        self.record = record

    def locate_file(self, name: str) -> Path:
        return self.site / name

    @property
    def files(self) -> list[importlib.metadata.PackagePath] | None:
        if not self.record:
            return None
        listed = importlib.metadata.PackagePath("hhr-1.dist-info/METADATA")
        listed.dist = self  # type: ignore[assignment]
        return [listed]


def note(monkeypatch: pytest.MonkeyPatch, installed: FakeDistribution | None, package: Path) -> str:
    def distribution(name: str) -> FakeDistribution:
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    refused = Refused("manifest", str(package / "_bin" / "manifest.json"), "gone")
    return bundle_error(refused, target="", host="h", version="1", package=str(package)).remedy


@pytest.mark.parametrize("record", [True, False])
def test_a_shadowing_checkout_is_called_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: bool) -> None:
    """A folder of the same name in the working directory: wandb/wandb#9259."""
    site = tmp_path / "site"
    (site / "hydra_harness_runtime").mkdir(parents=True)
    checkout = tmp_path / "checkout" / "hydra_harness_runtime"
    text = note(monkeypatch, FakeDistribution(site, record=record), checkout)
    assert f"The imported package {checkout} shadows the installed copy" in text
    assert f"rename {checkout}" in text
    assert "install --force" not in text, "that would mend nothing"
    where = site / "hhr-1.dist-info" if record else site / "hydra_harness_runtime"
    assert str(where) in text


def test_the_reason_why_a_copy_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, checkout = tmp_path / "site", tmp_path / "checkout" / "hydra_harness_runtime"
    (site / "hydra_harness_runtime").mkdir(parents=True)
    checkout.mkdir(parents=True)
    installed = FakeDistribution(site, record=True)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "program.py")])
    assert "comes earlier in sys.path" in note(monkeypatch, installed, checkout)
    monkeypatch.chdir(checkout.parent)
    assert "Start Python from another directory" in note(monkeypatch, installed, checkout)
    monkeypatch.setattr(sys, "argv", [str(checkout.parent / "program.py")])
    assert "The folder of the program comes first" in note(monkeypatch, installed, checkout)
    monkeypatch.setenv("PYTHONPATH", f"/opt{os.pathsep}{checkout.parent}")
    assert f"Take {checkout.parent} out of PYTHONPATH" in note(monkeypatch, installed, checkout)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setattr(sys, "argv", [""])
    assert "install" in note(monkeypatch, installed, checkout), "whatever is gone, there is a way out"


@pytest.mark.parametrize("case", ["not installed", "the installed one", "installed without files"])
def test_no_note_without_a_shadow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    package = tmp_path / "hydra_harness_runtime"
    if case == "the installed one":
        package.mkdir()
    installed = None if case == "not installed" else FakeDistribution(tmp_path, record=True)
    assert "shadows" not in note(monkeypatch, installed, package)


def test_every_code_has_a_remedy() -> None:
    for code in ("zipped", "platform", *sorted(remedies._REMEDIES)):
        error = bundle_error(Refused(code, "/p", "w"), target="", host="h", version="9")
        assert error.remedy
        assert "{" not in error.remedy


def remedy(code: str, path: str = "/p") -> str:
    return bundle_error(Refused(code, path, "w"), target="", host="h", version="9").remedy


@pytest.mark.parametrize("code", ["size", "platform", "manifest"])
def test_an_environment_without_pip(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """uv makes such; `python -m pip` would only say that there is no module of that name."""
    monkeypatch.setattr(sys, "executable", "/env/bin/python")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert "/env/bin/python -m pip install --force-reinstall hydra-harness-runtime==9" in remedy(code)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "uv pip install --no-cache --python /env/bin/python --force-reinstall hydra-harness-runtime==9" in remedy(
        code
    )


def test_a_frozen_application(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no interpreter, so that it cannot install anything."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert remedy("missing").startswith("Build the application again, from an installation of hydra-harness-runtime==9")
    assert "pip install" not in remedy("missing")


def test_commands_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/my env/bin/python")
    assert "'/my env/bin/python' -m pip install --force-reinstall" in remedy("version-mix")
    assert "'/my env/bin/python' -m hydra_harness_runtime remanifest" in remedy("digest")
    assert "chmod +x '/my env/it'\"'\"'s here' (" in remedy("mode", "/my env/it's here")
    monkeypatch.setattr(sys, "executable", None)
    assert "python -m pip install" in remedy("version-mix")


@pytest.mark.parametrize(
    ("header", "platform"),
    [
        (b"\x7fELF\x02\x01".ljust(18, b"\0") + b"\x3e\0", "linux-x86_64"),
        (b"\x7fELF\x02\x01".ljust(18, b"\0") + b"\xb7\0", "linux-aarch64"),
        (b"\x7fELF\x02\x01".ljust(18, b"\0") + b"\x28\0", None),
        (b"\x7fELF\x01\x01".ljust(18, b"\0") + b"\x03\0", None),
        (b"\x7fELF\x02\x01", None),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", "macos-x86_64"),
        (b"\xcf\xfa\xed\xfe\x0c\0\0\x01", "macos-arm64"),
        (b"\xcf\xfa\xed\xfe\x0c\0\0\x02", None),
        (b"\xcf\xfa\xed\xfe", None),
        (b"\xca\xfe\xba\xbe\0\0\0\x02", None),
        (b"", None),
    ],
)
def test_header_of_an_executable(header: bytes, platform: str | None) -> None:
    assert platform_of(header) == platform


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [
        ("linux", "x86_64", Host("linux", "x86_64")),
        ("linux", "aarch64", Host("linux", "aarch64")),
        ("linux", "i686", Host("linux", "x86_64")),  # `setarch i686`
        ("linux", "armv8l", Host("linux", "aarch64")),
        ("darwin", "arm64", Host("macos", "aarch64")),
        ("linux", "riscv64", Host("linux", "riscv64")),
        ("win32", None, Host("win32", "unknown")),
    ],
)
def test_host(monkeypatch: pytest.MonkeyPatch, system: str, machine: str | None, expected: Host) -> None:
    class System:
        platform = system

    class Kernel:
        if machine is not None:

            @staticmethod
            def uname() -> os.uname_result:
                return os.uname_result(("", "", "", "", machine or ""))

    monkeypatch.setattr(host, "sys", System)
    monkeypatch.setattr(host, "os", Kernel)
    assert current_host() == expected
