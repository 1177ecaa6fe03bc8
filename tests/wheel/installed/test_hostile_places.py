"""Places where executables lose their bits, may not run, or are not ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import Place
from tests.wheel.installed.test_places import FOUND

LOCATE = """
import hydra_harness_runtime as h
try:
    print(h.bundled_runtime_path())
except h.RuntimeBundleError as error:
    print(error.code, error.path, error, sep="\\n")
    raise SystemExit(3)
"""


def locate(place: Place, cwd: Path, *, before: tuple[str, ...] = ()) -> tuple[str, str, str]:
    """Code, path and message of the refusal."""
    done = place.run("-c", LOCATE, cwd=cwd, before=before)
    assert done.returncode == 3, done.stdout + done.stderr
    code, path, message = done.stdout.split("\n", 2)
    return code, path, message


def mounting(script: str) -> tuple[str, ...]:
    """A command prefix that first mounts something, seen by nobody else."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs unshare of Linux")
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    return ("unshare", "--mount", "sh", "-ec", f'{script}\nexec "$@"', "sh")


def test_unzipped_without_modes(host_wheel: Path, tmp_path: Path, tree: Path) -> None:
    """zipfile.extractall drops the executable bit (linkedin/shiv#100, pex-tool/pex#703): it is put back."""
    folder = tmp_path / "unzipped"
    with zipfile.ZipFile(host_wheel) as archive:
        archive.extractall(folder)
    place = Place(Path(sys.executable), folder, {"PYTHONPATH": str(folder)})
    assert not os.access(place.bin / "hydra-harness-runtime", os.X_OK)
    answer = place.probe(tree)
    assert {key: answer[key] for key in FOUND} == FOUND
    assert os.access(place.bin / "hydra-harness-runtime-rg", os.X_OK)


def test_read_only_mount(copied: Place, tree: Path) -> None:
    place = copied.packages
    before = mounting(f"mount --bind '{place}' '{place}'\nmount -o remount,bind,ro '{place}'")
    answer = copied.probe(tree, before=before)
    assert {key: answer[key] for key in FOUND} == FOUND


def test_read_only_mount_without_the_bit(copied: Place, tmp_path: Path) -> None:
    """Nothing can be repaired there (nficano/python-lambda#33)."""
    (copied.bin / "hydra-harness-runtime-rg").chmod(0o644)
    place = copied.packages
    before = mounting(f"mount --bind '{place}' '{place}'\nmount -o remount,bind,ro '{place}'")
    code, path, message = locate(copied, tmp_path, before=before)
    assert (code, path) == ("mode", str(copied.bin / "hydra-harness-runtime-rg"))
    assert "Read-only file system" in message


def test_noexec_mount(copied: Place, tmp_path: Path) -> None:
    place = copied.packages
    before = mounting(f"mount --bind '{place}' '{place}'\nmount -o remount,bind,noexec '{place}'")
    code, path, _ = locate(copied, tmp_path, before=before)
    assert (code, path) == ("noexec", str(copied.bin / "hydra-harness-runtime"))


def test_another_user(target: Place, tree: Path) -> None:
    """Installed by root, used by somebody else, who may only read and execute."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv to become another user")
    python = Path("/usr/bin/python3")
    probe = "import sys; raise SystemExit(sys.version_info < (3, 10))"
    if not python.exists() or subprocess.run([str(python), "-c", probe], check=False).returncode:
        pytest.skip("/usr/bin/python3, which every user can reach, is absent or older than 3.10")
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", f"HOME={tree}")
    # The folders of tests are closed to others; a place under /tmp is not.
    folder = Path(subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip())
    try:
        folder.chmod(0o755)
        shutil.copytree(target.packages, folder / "packages")
        shutil.copytree(tree, folder / "tree")
        shutil.copy(Path(__file__).with_name("probe.py"), folder / "probe.py")
        env = {"PYTHONPATH": str(folder / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        place = Place(python, folder / "packages", env)
        done = place.run(str(folder / "probe.py"), str(folder / "tree"), cwd=folder, before=nobody)
        assert done.returncode == 0, done.stderr
        assert '"sub/two.txt"' in done.stdout
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("name", "arguments"), [("hydra-harness-runtime", ["version"]), ("hydra-harness-runtime-rg", ["-V"])]
)
def test_empty_chroot(name: str, arguments: list[str], copied: Place) -> None:
    """No loader, no libc, no /proc, no /etc: static means static (openai/codex#6220)."""
    if os.geteuid() != 0 or shutil.which("chroot") is None:
        pytest.skip("needs root and chroot")
    done = subprocess.run(
        ["chroot", str(copied.bin), f"/{name}", *arguments], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_sidecar_taken_away(copied: Place, tmp_path: Path) -> None:
    """Security software deletes files that it does not like (astral-sh/ruff#26362)."""
    sidecar = copied.bin / "hydra-harness-runtime-rg"
    sidecar.unlink()
    code, path, message = locate(copied, tmp_path)
    assert (code, path) == ("missing", str(sidecar))
    assert "pip install --force-reinstall" in message


def test_folder_of_the_same_name_in_the_working_directory(venv: Place, tmp_path: Path) -> None:
    """A copy of the package without executables shadows the installed one (wandb/wandb#9259)."""
    shutil.copytree(venv.bin.parent, tmp_path / "hydra_harness_runtime", ignore=shutil.ignore_patterns("_bin"))
    code, _, message = locate(venv, tmp_path)
    assert code in ("manifest", "missing")
    assert str(tmp_path / "hydra_harness_runtime") in message
    assert str(venv.packages) in message
