"""Places where something was taken away, replaced or put in the way."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.wheel.installed.conftest import FOUND, Place, found
from tests.wheel.installed.locating import LOCATE, refusal
from wheels import table

SEARCH = """
import sys
import hydra_harness_runtime as h
try:
    with h.Runtime(".", search=h.SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        runtime.glob("*")
except h.RuntimeBundleError as error:
    print(error.code, error.path, error, sep="\\n")
    raise SystemExit(3)
"""

LOCATE_TWICE = "import hydra_harness_runtime as h, os; os.unlink(h.bundled_ripgrep_path())\n" + LOCATE


def test_sidecar_taken_away(copied: Place, tmp_path: Path) -> None:
    """Security software deletes files that it does not like (astral-sh/ruff#26362)."""
    sidecar = copied.bin / "hydra-harness-runtime-rg"
    sidecar.unlink()
    refused = refusal(copied, tmp_path)
    assert refused[:2] == ("missing", str(sidecar))
    assert "pip install --force-reinstall" in refused.message
    assert "security software" in refused.message


def test_sidecar_taken_away_after_it_was_found(copied: Place, tmp_path: Path) -> None:
    """Seconds after the installation, while a program runs (astral-sh/ruff#26362)."""
    refused = refusal(copied, tmp_path, script=LOCATE_TWICE)
    assert refused[:2] == ("missing", str(copied.bin / "hydra-harness-runtime-rg"))


def test_program_whose_loader_is_absent(copied: Place, tmp_path: Path) -> None:
    """The file is there and the system says "no such file" (openai/codex#6220)."""
    dynamic = copied.python.resolve().read_bytes()
    loader = b"/lib64/ld-linux-x86-64.so.2"
    if loader not in dynamic:
        pytest.skip("the interpreter that is to play a dynamic program has another loader")
    runtime = copied.bin / "hydra-harness-runtime"
    runtime.write_bytes(dynamic.replace(loader, b"/lib64/ld-nowhere-x86-6.so.2"[: len(loader)]))
    written = copied.run("-m", "hydra_harness_runtime", "remanifest", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    refused = refusal(copied, tmp_path, script=SEARCH)
    assert refused[:2] == ("loader", str(runtime))
    assert "it exists, but its loader does not" in refused.message
    command = copied.run("-m", "hydra_harness_runtime", "version", cwd=tmp_path)
    assert command.returncode == 2
    assert command.stderr.startswith("hydra-harness-runtime: [loader] ")


def test_folder_of_the_same_name_in_the_working_directory(venv: Place, tmp_path: Path) -> None:
    """A copy of the package without executables shadows the installed one (wandb/wandb#9259)."""
    shutil.copytree(venv.bin.parent, tmp_path / "hydra_harness_runtime", ignore=shutil.ignore_patterns("_bin"))
    refused = refusal(venv, tmp_path)
    assert refused.code == "missing"
    (information,) = venv.packages.glob("hydra_harness_runtime-*.dist-info")
    shadow = tmp_path / "hydra_harness_runtime"
    assert f"The imported package {shadow} shadows the installed copy recorded in {information}." in refused.message
    assert "comes first: rename" in refused.message
    assert f"rename {shadow}" in refused.message


def test_folder_without_modules_does_not_shadow(venv: Place, tree: Path) -> None:
    """A directory that merely has the name comes after every installed package (wandb/wandb#9259)."""
    (tree.parent / "hydra_harness_runtime").mkdir()
    assert found(venv.probe(tree)) == FOUND


def test_repository_does_not_shadow(venv: Place) -> None:
    """The package lies under python/, so a checkout as the working directory hides nothing (wandb/wandb#9259)."""
    done = venv.run("-c", "import hydra_harness_runtime as h; print(h.bundled_runtime_path())", cwd=table.ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(venv.bin / "hydra-harness-runtime")


def test_no_source_tree_in_sight(venv: Place, tree: Path) -> None:
    """What is tested is what was installed (DHI/mikeio1d#235)."""
    done = venv.run("-c", "import sys; print(*sys.path, sep='\\n')", cwd=tree)
    assert not [path for path in done.stdout.splitlines() if path.startswith(str(table.ROOT / "python"))]
    assert subprocess.run(["sh", "-c", "command -v rg"], check=False).returncode != 0
