"""The console script: verify, then become the runtime; and ``remanifest``."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import __main__ as script
from hydra_harness_runtime import _command
from hydra_harness_runtime._bundle import locate
from tests.python.wheeltree import WheelTree


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelTree:
    tree = WheelTree(tmp_path / "hydra_harness_runtime")
    monkeypatch.setattr(locate, "_bundle", tree.bundle())
    return tree


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["/opt/bin/hydra-harness-runtime", *arguments])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit) as caught:
        script.main()
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_becomes_the_runtime_with_all_arguments(wheel: WheelTree, monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[Any] = []

    def execv(path: str, argv: list[str]) -> None:
        became.append((path, argv))
        raise SystemExit(0)

    monkeypatch.setattr(os, "execv", execv)
    assert run(monkeypatch, "grep", "--json", "a b", "") == 0
    runtime = str(wheel.runtime)
    assert became == [(runtime, [runtime, "grep", "--json", "a b", ""])]


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        (["grep", "x"], True),
        (["serve"], True),
        (["doctor"], True),
        (["--version"], True),
        ([], True),
        (["gate", "ls"], False),
        (["plan", "ls"], False),
        (["establish", "--plan", "-"], False),
        (["confine", "ls"], False),
        (["--log-level", "off", "gate", "ls"], False),
        (["novel"], False),
    ],
)
def test_the_gate_is_never_what_a_variable_names(
    wheel: WheelTree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    used: bool,
) -> None:
    other = tmp_path / "other"
    for path in (other, other.with_name("other-rg")):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("HYDRA_HARNESS_RUNTIME", str(other))
    became: list[str] = []

    def execv(path: str, argv: list[str]) -> None:
        became.append(path)
        raise SystemExit(0)

    monkeypatch.setattr(os, "execv", execv)
    assert run(monkeypatch, *arguments) == 0
    assert became == [str(other if used else wheel.runtime)]
    assert ("HYDRA_HARNESS_RUNTIME is set, and is not used" in capsys.readouterr().err) is not used


HOSTILE = ("hashlib", "json", "logging", "pathlib", "shlex", "shutil", "stat", "tempfile", "typing")


@pytest.mark.parametrize("how", ["-m", "script", "PYTHONPATH"])
def test_nothing_is_taken_from_beside_the_caller(tmp_path: Path, how: str) -> None:
    for name in HOSTILE:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the caller')\n")
    package = Path(script.__file__).parent.parent
    env = {**os.environ, "PYTHONPATH": f"{package}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-S", "-m", "hydra_harness_runtime", "remanifest", str(tmp_path)]
    if how == "script":
        (tmp_path / "hhr").write_text("from hydra_harness_runtime.__main__ import main\nmain()\n")
        command[2:4] = [str(tmp_path / "hhr")]
    elif how == "PYTHONPATH":
        env["PYTHONPATH"] = f".:{package}"
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.stderr == (
        f"hydra-harness-runtime: remanifest of {tmp_path}: [Errno 2] No such file or directory: "
        f"'{tmp_path}/manifest.json'\n"
    )
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["grep", "x"], 2),
        (["gate", "ls"], 3),
        (["plan", "ls"], 3),
        (["gate", "--dialect", "claude-code"], 2),
        (["gate", "--dialect=codex"], 2),
        (["gate", "--dialct", "codex"], 2),
        (["establish", "--plan", "-"], 3),
        ([], 2),
    ],
)
def test_a_fault_is_told_and_never_looks_like_an_answer(
    wheel: WheelTree,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
) -> None:
    wheel.ripgrep.unlink()
    assert run(monkeypatch, *arguments) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hydra-harness-runtime: [missing] there is no such file")


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [
        (errno.ENOENT, "loader", "it exists, but its loader does not (No such file or directory)"),
        (errno.EACCES, "denied", "the system would not start it (Permission denied)"),
        # mesonbuild/meson#14343: the mode is right, and a policy forbids it all the same.
        (errno.EPERM, "denied", "the system would not start it (Operation not permitted)"),
    ],
)
def test_a_refused_launch_is_told(
    wheel: WheelTree,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    code: str,
    says: str,
) -> None:
    def execv(path: str, argv: list[str]) -> None:
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(os, "execv", execv)
    assert run(monkeypatch, "version") == 2
    told = capsys.readouterr().err
    assert told.startswith(f"hydra-harness-runtime: [{code}] {says}: {wheel.runtime} ")
    assert ("execution policy that forbids it (noexec, fapolicyd, SELinux, AppArmor)" in told) == (code == "denied")


def test_remanifest_makes_a_changed_file_the_packed_one(
    wheel: WheelTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel.manifest.chmod(0o640)
    with wheel.ripgrep.open("ab") as file:
        file.write(b"signature")
    assert run(monkeypatch, "remanifest", str(wheel.bin)) == 0
    assert wheel.bundle().check("full")
    value = json.loads(wheel.manifest.read_text())
    assert value["files"][1]["size"] == wheel.ripgrep.stat().st_size
    assert value["files"][1]["mode"] == "0755"
    assert wheel.manifest.stat().st_mode & 0o777 == 0o640
    assert capsys.readouterr().out.count("\n") == 2
    assert sorted(p.name for p in wheel.bin.iterdir()) == [
        "hydra-harness-runtime",
        "hydra-harness-runtime-rg",
        "manifest.json",
    ]


def test_remanifest_leaves_the_old_one_when_it_cannot_write(
    wheel: WheelTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = wheel.manifest.read_bytes()

    def replace(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)
    assert run(monkeypatch, "remanifest", str(wheel.bin)) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert wheel.manifest.read_bytes() == before
    assert len(list(wheel.bin.iterdir())) == 3


@pytest.mark.parametrize("arguments", [["--help"], ["a", "b"]])
def test_remanifest_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(monkeypatch, "remanifest", *arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_remanifest_without_a_folder_means_the_installed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_command, "__file__", str(tmp_path / "_command.py"))
    assert run(monkeypatch, "remanifest") == 1
    assert str(tmp_path / "_bin") in capsys.readouterr().err
