"""How other MCP clients start the runtime, and that the command really serves."""

from __future__ import annotations

import json
import subprocess
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


def test_without_a_file_the_settings_are_an_argument(
    fake_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that a SIGKILL could leave behind, and any number of servers may be started from it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name, text = mcp_server_params(search=CUSTOM, runtime_path=fake_path)["args"][-2:]
    assert (name, json.loads(text)["globMaxResults"]) == ("--config", 7)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("search", "most"), [(SAMPLE, 100), (CUSTOM, 7)], ids=["default", "custom"])
def test_the_command_serves(real_path: Path | None, tmp_path: Path, search: SearchConfig, most: int) -> None:
    params = mcp_server_params(tmp_path, search=search, runtime_path=real_path)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "hydra/info", "params": {}},
    ]
    text = "".join(json.dumps(message) + "\n" for message in said)
    command = [params["command"], *params["args"]]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    _, answer = [json.loads(line) for line in done.stdout.splitlines()]
    assert answer["result"]["limits"]["globMaxResults"] == most


def test_a_broken_bundle_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(RuntimeBundleError):
        mcp_server_params(search=SAMPLE, runtime_path=tmp_path / "absent")
