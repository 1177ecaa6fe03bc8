"""What an error says to do is done, to the letter, by a shell: afterwards all is well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import FOUND, Place, found, new_venv
from tests.wheel.installed.locating import refusal

SIDECAR = "hydra-harness-runtime-rg"


@pytest.fixture(scope="module", params=["pip", "uv"])
def mendable(
    request: pytest.FixtureRequest, pip: Callable[..., None], host_wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """An environment with a space in its name, as pip or as uv makes it; the index is a folder.

    Whoever harms it mends it.
    """
    folder = tmp_path_factory.mktemp("mendable")
    place = new_venv(folder / "my env")
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if request.param == "pip":
        subprocess.run([str(place.python), "-m", "ensurepip"], check=True, capture_output=True)
    elif shutil.which("uv", path=tools) is None:
        pytest.skip("uv is not installed: session `installed` has it")
    links = str(host_wheel.parent)
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": links, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    settings |= {"UV_NO_INDEX": "1", "UV_FIND_LINKS": links, "UV_NO_CONFIG": "1", "UV_CACHE_DIR": str(folder / "cache")}
    pip(python=place.python)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**settings, "PATH": tools}.items():
            patch.setenv(name, value)
        yield place


def remove_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def cut_the_sidecar(folder: Path) -> None:
    os.truncate(folder / SIDECAR, 1000)


def take_another_program(folder: Path) -> None:
    (folder / SIDECAR).unlink()
    shutil.copy2("/bin/sh", folder / SIDECAR)


def link_to_nowhere(folder: Path) -> None:
    (folder / SIDECAR).unlink()
    (folder / SIDECAR).symlink_to("nowhere")


def leave_the_manifest_of_another_version(folder: Path) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(re.sub(r'"version": ".+?"', '"version": "0.0.1"', manifest.read_text(), count=1))


def put_a_folder_there(folder: Path) -> None:
    (folder / SIDECAR).unlink()
    (folder / SIDECAR).mkdir()


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (remove_the_manifest, "manifest"),
        (cut_the_sidecar, "size"),
        (take_another_program, "size"),
        (link_to_nowhere, "dangling-link"),
        (leave_the_manifest_of_another_version, "version-mix"),
        (put_a_folder_there, "not-a-file"),
    ],
)
def test_reinstall_as_told(harm: Callable[[Path], None], code: str, mendable: Place, tree: Path) -> None:
    harm(mendable.bin)
    refused = refusal(mendable, tree)
    assert refused.code == code
    follow(r"[Rr]einstall it: (.+?==\S+)", refused.message, tree)
    assert found(mendable.probe(tree)) == FOUND


def test_what_was_changed_on_purpose(copied: Place, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody signed the file anew, say."""
    with (copied.bin / SIDECAR).open("ab") as file:
        file.write(b"signature")
    refused = refusal(copied, tree)
    assert refused.code == "size"
    monkeypatch.setenv("PYTHONPATH", str(copied.packages))
    follow(r"\(if you changed the file on purpose: (.+)\)", refused.message, tree)
    assert found(copied.probe(tree)) == FOUND


def test_lost_bit_in_a_store(copied: Place, tree: Path) -> None:
    """A link is followed for execution, never for changing what it leads to."""
    store = copied.packages.parent / "the store"
    store.mkdir()
    (copied.bin / SIDECAR).rename(store / SIDECAR)
    (copied.bin / SIDECAR).symlink_to(store / SIDECAR)
    (store / SIDECAR).chmod(0o644)
    refused = refusal(copied, tree)
    assert refused.code == "mode"
    follow(r"Make it executable: (.+?) \(who", refused.message, tree)
    assert found(copied.probe(tree)) == FOUND


def follow(pattern: str, message: str, cwd: Path) -> None:
    command = re.search(pattern, message)
    assert command is not None, message
    done = subprocess.run(["sh", "-c", command[1]], check=False, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[1]}\n{done.stdout}{done.stderr}"
