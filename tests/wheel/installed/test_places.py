"""pip's ways to put a wheel somewhere: the executables are found beside the module."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import Place
from wheels.check import Expectation

FOUND = {
    "paths": ["one.txt", "sub/two.txt"],
    "matches": [["one.txt", 1, "needle"], ["sub/two.txt", 2, "needle"]],
}


def check(place: Place, tree: Path, expected: Expectation) -> None:
    answer = place.probe(tree)
    assert answer == {
        **FOUND,
        "package": str(place.packages / "hydra_harness_runtime" / "__init__.py"),
        "version": expected.version,
        "runtime": str(place.bin / "hydra-harness-runtime"),
        "ripgrep": str(place.bin / "hydra-harness-runtime-rg"),
    }


def test_venv(venv: Place, tree: Path, expected: Expectation) -> None:
    check(venv, tree, expected)


def test_console_script(venv: Place, tree: Path, expected: Expectation) -> None:
    script = venv.python.with_name("hydra-harness-runtime")
    done = subprocess.run([str(script), "grep", "needle"], check=False, cwd=tree, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Line 2: needle" in done.stdout
    said = subprocess.run([str(script), "version"], check=True, capture_output=True, text=True).stdout
    assert said.strip() == expected.version


def test_module_as_a_command(venv: Place, tree: Path) -> None:
    done = venv.run("-m", "hydra_harness_runtime", "glob", "two.txt", cwd=tree)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sub/two.txt" in done.stdout


def test_no_second_rg_on_path(venv: Place) -> None:
    """The sidecar is package data: installing the wheel must not change which `rg` a shell finds."""
    assert not (venv.python.with_name("rg")).exists()
    assert sorted(path.name for path in venv.python.parent.glob("hydra*")) == ["hydra-harness-runtime"]


def test_target_with_spaces_and_unicode(target: Place, tree: Path, expected: Expectation) -> None:
    """astral-sh/ruff#11246"""
    check(target, tree, expected)


def test_prefix(pip: Callable[..., None], tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """astral-sh/uv#10194"""
    prefix = tmp_path / "p"
    pip("--prefix", str(prefix))
    packages = Path(sysconfig.get_path("platlib", "posix_prefix", {"platbase": str(prefix), "base": str(prefix)}))
    check(Place(Path(sys.executable), packages, {"PYTHONPATH": str(packages)}), tree, expected)


def test_user(pip: Callable[..., None], tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """Into a home folder; a virtual environment would not look there, so the base interpreter does."""
    base = Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))
    user = {"PYTHONUSERBASE": str(tmp_path / "home")}
    pip("--user", "--break-system-packages", python=base, PIP_NO_WARN_SCRIPT_LOCATION="1", **user)
    (packages,) = (tmp_path / "home").glob("lib/python*/site-packages")
    check(Place(base, packages, user), tree, expected)


def test_links_to_every_single_file(target: Place, tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """As stores of Nix and Bazel do it: resolved, the files have no siblings (bazelbuild/bazel#22934)."""
    farm = tmp_path / "farm"
    files = [path for path in target.packages.rglob("*") if path.is_file()]
    for i, file in enumerate(files):
        store = tmp_path / "store" / str(i)
        store.mkdir(parents=True)
        shutil.copy2(file, store)
        link = farm / file.relative_to(target.packages)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(store / file.name)
    check(Place(target.python, farm, {"PYTHONPATH": str(farm)}), tree, expected)


def test_hard_links(target: Place, tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """As installers with a cache do it."""
    farm = tmp_path / "farm"
    shutil.copytree(target.packages, farm, copy_function=os.link)
    check(Place(target.python, farm, {"PYTHONPATH": str(farm)}), tree, expected)


@pytest.mark.parametrize("tag", ["manylinux_2_17", "manylinux2014", "musllinux_1_1"])
def test_pip_resolves(tag: str, host_wheel: Path, tmp_path: Path) -> None:
    """A wheel for glibc alone would leave Alpine with nothing (github/copilot-sdk#591)."""
    if sys.platform != "linux":
        pytest.skip(f"the wheel of this machine is for {sys.platform}")
    platform = f"{tag}_{os.uname().machine}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-index", "--only-binary=:all:"]
    command += [f"--find-links={host_wheel.parent}", "--platform", platform, "--dest", str(tmp_path)]
    subprocess.run([*command, "hydra-harness-runtime"], check=True)
    assert [path.name for path in tmp_path.iterdir()] == [host_wheel.name]


def test_uninstall_leaves_nothing(pip: Callable[..., None], tmp_path: Path) -> None:
    folder = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    before = {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
    pip(python=folder / "bin" / "python")
    command = [str(folder / "bin" / "python"), "-m", "pip", "uninstall", "--quiet", "--yes", "hydra-harness-runtime"]
    subprocess.run(command, check=True)
    assert {path for path in folder.rglob("*") if "__pycache__" not in path.parts} == before
