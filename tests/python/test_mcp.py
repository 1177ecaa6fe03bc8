"""How other MCP clients start the runtime, and that the command really serves."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from pathlib import Path

import pytest

from hydra_harness_runtime import RuntimeBundleError, SearchConfig, mcp_server_params

SAMPLE = SearchConfig(sample_over_cap_glob_results=True)
CUSTOM = SearchConfig(sample_over_cap_glob_results=False, glob_max_results=7)


def test_defaults_need_no_file(fake_path: Path, tmp_path: Path) -> None:
    params = mcp_server_params(tmp_path, search=SAMPLE, runtime_path=fake_path, env={"A": "b"})
    assert params == {
        "command": str(fake_path),
        "args": ["serve", "--workdir", str(tmp_path), "--ripgrep", f"{fake_path}-rg", "--sample"],
        "env": {"A": "b"},
    }
    head = SearchConfig(sample_over_cap_glob_results=False)
    assert mcp_server_params(tmp_path, search=head, runtime_path=fake_path)["args"][-1] == "--no-sample"


def test_an_owner_makes_the_server_save(fake_path: Path, tmp_path: Path) -> None:
    params = mcp_server_params(tmp_path, search=SAMPLE, owner="--agent", runtime_path=fake_path)
    assert params["args"][-2:] == ["--sample", "--owner=--agent"]
    assert not [word for word in mcp_server_params(search=SAMPLE, runtime_path=fake_path)["args"] if "owner" in word]


def test_other_settings_go_into_the_file_that_is_named(fake_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    params = mcp_server_params(search=CUSTOM, config_file=file, runtime_path=fake_path)
    assert params["args"][-2:] == ["--config", str(file)]
    assert json.loads(file.read_text())["globMaxResults"] == 7


def test_an_unnamed_file_is_written_and_removed_once(
    fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers: list[tuple[object, ...]] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(atexit, "register", lambda *call: handlers.append(call))
    path = Path(mcp_server_params(search=CUSTOM, runtime_path=fake_path)["args"][-1])
    assert json.loads(path.read_text())["globMaxResults"] == 7
    [(remove, *arguments)] = handlers
    assert callable(remove)
    remove(str(path), -1)  # in a forked child
    assert path.exists()
    remove(*arguments)
    remove(*arguments)
    assert not path.exists()


def test_an_unnamed_file_goes_with_the_process(fake_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from hydra_harness_runtime import SearchConfig, mcp_server_params\n"
        "search = SearchConfig(sample_over_cap_glob_results=False, glob_max_results=7)\n"
        f"path = mcp_server_params(search=search, runtime_path={str(fake_path)!r})['args'][-1]\n"
        "if os.fork() == 0: sys.exit()\n"
        "os.wait()\n"
        "print(path, oct(os.stat(path).st_mode & 0o777))\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    path, mode = done.stdout.split()
    assert mode == "0o600"
    assert not Path(path).exists()


def test_a_broken_bundle_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(RuntimeBundleError):
        mcp_server_params(search=SAMPLE, runtime_path=tmp_path / "absent")
