"""The wheel inside of applications: in archives, unpacked by them, and frozen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import FOUND, PROBE, Place, found
from tests.wheel.installed.locating import refusal


def run(command: list[str], cwd: Path, **env: str) -> str:
    done = subprocess.run(
        command,
        check=False,
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(module: str) -> None:
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed: session `bundlers` has it")


def test_imported_from_the_wheel_itself(host_wheel: Path, tmp_path: Path) -> None:
    """The system cannot execute what is inside an archive; nothing is unpacked behind anyone's back."""
    place = Place(Path(sys.executable), host_wheel, {"PYTHONPATH": str(host_wheel)})
    refused = refusal(place, tmp_path)
    assert refused[:2] == ("zipped", str(host_wheel))
    assert "pip install --target" in refused.message


def test_pex(host_wheel: Path, tmp_path: Path, tree: Path) -> None:
    """pex-tool/pex#703: it once dropped the bit."""
    needs("pex")
    home = {"PEX_ROOT": str(tmp_path / "root"), "PEX_IGNORE_RCFILES": "1"}
    app = tmp_path / "app.pex"
    run([sys.executable, "-m", "pex", "--no-index", str(host_wheel), "--output-file", str(app)], tmp_path, **home)
    answer = json.loads(run([str(app), str(PROBE), str(tree)], tmp_path, **home))
    assert found(answer) == FOUND
    assert answer["runtime"].startswith(str(tmp_path / "root"))


def test_shiv(host_wheel: Path, tmp_path: Path, tree: Path) -> None:
    """linkedin/shiv#100: it once dropped the bit."""
    needs("shiv")
    app = tmp_path / "app.pyz"
    run([sys.executable, "-m", "shiv", "--no-index", "--output-file", str(app), str(host_wheel)], tmp_path)
    answer = json.loads(run([str(app), str(PROBE), str(tree)], tmp_path, SHIV_ROOT=str(tmp_path / "root")))
    assert found(answer) == FOUND
    assert answer["runtime"].startswith(str(tmp_path / "root"))


@pytest.fixture(scope="module")
def frozen(target: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A one-folder application; the package brings its own hook, so there is no option for it."""
    needs("PyInstaller")
    folder = tmp_path_factory.mktemp("frozen")
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--name", "app"]
    env = {**target.env, "PYINSTALLER_CONFIG_DIR": str(folder / "config")}
    run([*command, "--distpath", str(folder / "dist"), str(PROBE)], folder, **env)
    return folder / "dist" / "app"


def test_pyinstaller(frozen: Path, tree: Path) -> None:
    answer = json.loads(run([str(frozen / "app"), str(tree)], tree))
    assert found(answer) == FOUND
    assert answer["runtime"] == str(frozen / "_internal" / "hydra_harness_runtime" / "_bin" / "hydra-harness-runtime")


def test_pyinstaller_copy_that_lost_the_bits_and_was_signed_anew(frozen: Path, tree: Path, tmp_path: Path) -> None:
    """imageio/imageio-ffmpeg#121; other bytes are no fault in an application that a freezer packed."""
    copy = tmp_path / "moved"
    shutil.copytree(frozen, copy)
    folder = copy / "_internal" / "hydra_harness_runtime" / "_bin"
    for name in ("hydra-harness-runtime", "hydra-harness-runtime-rg"):
        with (folder / name).open("ab") as file:
            file.write(b"signature")
        (folder / name).chmod(0o644)
    done = subprocess.run([str(copy / "app"), str(tree)], check=False, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert found(json.loads(done.stdout)) == FOUND
    assert os.access(folder / "hydra-harness-runtime", os.X_OK)
