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

from tests.wheel.installed.conftest import FOUND, Place, new_venv
from wheels.check import Expectation


def check(place: Place, tree: Path, expected: Expectation) -> None:
    (ripgrep,) = {pinned.ripgrep_version for pinned in expected.lock.values()}
    assert place.probe(tree) == {
        **FOUND,
        "package": str(place.packages / "hydra_harness_runtime" / "__init__.py"),
        "runtime": str(place.bin / "hydra-harness-runtime"),
        "ripgrep": str(place.bin / "hydra-harness-runtime-rg"),
        "versions": [expected.version, expected.version, ripgrep],
    }


def base_python() -> Path:
    """The interpreter that environments are made of."""
    return Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))


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
    user = {"PYTHONUSERBASE": str(tmp_path / "home")}
    pip("--user", "--break-system-packages", python=base_python(), PIP_NO_WARN_SCRIPT_LOCATION="1", **user)
    (packages,) = (tmp_path / "home").glob("lib/python*/site-packages")
    check(Place(base_python(), packages, user), tree, expected)


def test_venv_that_sees_the_system(pip: Callable[..., None], tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """Installed outside of the environment that uses it, so ``sys.prefix`` leads elsewhere (astral-sh/uv#10194)."""
    user = {"PYTHONUSERBASE": str(tmp_path / "home")}
    place = new_venv(tmp_path / "env", "--system-site-packages")
    pip("--user", "--break-system-packages", python=base_python(), PIP_NO_WARN_SCRIPT_LOCATION="1", **user)
    (packages,) = (tmp_path / "home").glob("lib/python*/site-packages")
    check(Place(place.python, packages, user), tree, expected)


def test_root_of_the_system_python(
    pip: Callable[..., None], system_python: Path, tmp_path: Path, tree: Path, expected: Expectation
) -> None:
    """As image builders do it; Debian's Python has folders of its own, called dist-packages."""
    pip("--root", str(tmp_path / "root"), "--break-system-packages", python=system_python)
    (package,) = (tmp_path / "root").rglob("hydra_harness_runtime")
    check(Place(system_python, package.parent, {"PYTHONPATH": str(package.parent)}), tree, expected)


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


@pytest.mark.parametrize("mode", ["clone", "copy", "hardlink", "symlink"])
def test_uv(mode: str, host_wheel: Path, tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """Its cache is outside of the environment; each file may be a link into it."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed: session `installed` has it")
    place = new_venv(tmp_path / "env")
    env = {**os.environ, "UV_CACHE_DIR": str(tmp_path / "cache"), "UV_NO_CONFIG": "1", "UV_OFFLINE": "1"}
    command = [uv, "pip", "install", "--quiet", "--no-index", f"--python={place.python}", f"--link-mode={mode}"]
    subprocess.run([*command, str(host_wheel)], check=True, env=env)
    assert (place.bin / "hydra-harness-runtime-rg").is_symlink() == (mode == "symlink")
    check(place, tree, expected)


def test_hard_links(target: Place, tmp_path: Path, tree: Path, expected: Expectation) -> None:
    """As installers with a cache do it."""
    farm = tmp_path / "farm"
    shutil.copytree(target.packages, farm, copy_function=os.link)
    check(Place(target.python, farm, {"PYTHONPATH": str(farm)}), tree, expected)


def test_uninstall_leaves_nothing(pip: Callable[..., None], tmp_path: Path, tree: Path) -> None:
    place = new_venv(tmp_path / "env")
    before = set((tmp_path / "env").rglob("*"))
    pip(python=place.python)
    assert place.probe(tree)["paths"] == FOUND["paths"]
    command = [sys.executable, "-m", "pip", "--python", str(place.python), "uninstall", "--quiet", "--yes"]
    subprocess.run([*command, "hydra-harness-runtime"], check=True)
    assert set((tmp_path / "env").rglob("*")) == before
