"""The official MCP clients, as their makers publish them, against the runtime.

They are installed through npm and pip into ``.cache/clients``, once for each
version; ``HYDRA_HARNESS_OFFLINE=1`` leaves them out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.live import Installation, linux, until, within

HERE = Path(__file__).parent / "clients"
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "clients"
INSTALLING = 300
"""Seconds that a client may take to install: the network is not ours."""

HANGS = "while :; do sleep 0.1; done"


def installed_once(name: str, pins: Path, install: Callable[[Path], None]) -> Path:
    """The folder in which *install* has put what *pins* asks for."""
    if os.environ.get("HYDRA_HARNESS_OFFLINE") == "1":
        pytest.skip("HYDRA_HARNESS_OFFLINE is set: clients are not installed")
    place = CACHE / f"{name}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}-{sys.version_info[1]}"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        install(place)
        (place / "complete").touch()
    return place


def quietly(argv: list[str], folder: Path) -> None:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=INSTALLING, check=False)
    if done.returncode != 0:
        pytest.fail(f"{argv[:3]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


@pytest.fixture(scope="session")
def node() -> Path:
    """A folder with the TypeScript SDK and the inspector."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on PATH")

    def install(place: Path) -> None:
        shutil.copy(HERE / "package.json", place)
        quietly(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"], place)

    place = installed_once("npm", HERE / "package.json", install)
    shutil.copy(HERE / "client.mjs", place)  # imports are looked for beside the module
    return place


def python(pins: str) -> Path:
    """The interpreter of an environment with a Python SDK."""

    def install(place: Path) -> None:
        quietly([sys.executable, "-m", "venv", "venv"], place)
        quietly(["venv/bin/python", "-m", "pip", "install", "--quiet", "-r", str(HERE / pins)], place)

    return installed_once("pip", HERE / pins, install) / "venv/bin/python"


@pytest.fixture(params=["typescript", "python 1", "python 2"])
def client(request: pytest.FixtureRequest) -> list[str]:
    """The command of a client, before what it is to do."""
    if request.param == "typescript":
        return ["node", str(request.getfixturevalue("node") / "client.mjs")]
    return [str(python(f"requirements-{request.param[-1]}.txt")), str(HERE / "client.py")]


@pytest.fixture
def serve(installed: Installation, tree: Path, config: Callable[..., str]) -> list[str]:
    """The command of the runtime, whose pages show two matches."""
    flags = ["--workdir", str(tree), "--config", config(grepMaxMatches=2), "--owner", "by flag", "--log-level", "off"]
    return [str(installed.runtime), "serve", *flags]


def code(result: dict[str, Any]) -> str:
    assert "structuredContent" not in result, "the client would hold it against the schema"
    assert result["isError"] is True
    return result["_meta"]["dev.hydra-harness/error"]["code"]


@within(INSTALLING)
def test_everything(client: list[str], serve: list[str]) -> None:
    done = subprocess.run([*client, "everything", *serve], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)

    assert [tool["name"] for tool in found["tools"]] == ["glob", "grep"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in found["tools"])
    assert found["glob"]["structuredContent"]["paths"] == ["a.py"]
    assert found["grep"]["structuredContent"]["matches"] == [{"path": "README", "lineNumber": 1, "line": "TODO: write"}]
    assert found["grep"]["content"][0]["text"] == "Found 1 match\n\nREADME\nLine 1: TODO: write"

    page = found["capped"]["structuredContent"]
    assert (page["shown"], page["total"], page["truncated"]) == (2, 3, True)
    assert page["locator"] in found["capped"]["content"][0]["text"]
    assert [template["uriTemplate"] for template in found["templates"]] == [
        "hydra-spill:///{owner}/{id}{?offset,limit}"
    ]
    complete = "Found 3 matches\n\nREADME\nLine 2: line 1\nLine 3: line 2\nLine 4: line 3"
    assert found["resource"]["contents"][0]["text"] == complete
    assert found["part"]["contents"][0]["text"] == complete[:5]
    assert "SPILL_NOT_FOUND" in json.dumps(found["stranger"])

    assert found["badPattern"]["content"][0]["text"].startswith('Error: ripgrep rejected the pattern "foo(": ')
    assert code(found["badPattern"]) == "SEARCH_INVALID_PATTERN"
    assert found["badArgument"]["content"][0]["text"] == "Error: pattern: it is a number; write a string"
    assert code(found["badArgument"]) == "TOOL_ARGUMENT"
    assert 'unknown tool "find"' in json.dumps(found["unknownTool"]).replace("\\", "")
    assert found["closedAfter"] < (1500 if "node" in client[0] else 1.5), "the runtime ended by itself, not by a signal"


@within(INSTALLING)
def test_the_newest_python_sdk_speaks_without_a_handshake(serve: list[str]) -> None:
    argv = [str(python("requirements-2.txt")), str(HERE / "client.py"), "everything", *serve]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout)["start"]["protocolVersion"] == "2026-07-28"


@linux
@within(INSTALLING)
def test_a_cancel_stops_the_search(client: list[str], serve: list[str], installed: Installation) -> None:
    installed.replace_sidecar(HANGS)
    argv = [*client, "cancel", *serve]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            until(installed.sidecars, what="the start of a sidecar")
            process.stdin.write("cancel\n")
            process.stdin.flush()
            assert process.stdout.readline() == "cancelled\n", process.stderr and process.stderr.read()
            until(lambda: not installed.sidecars(), 5, "the end of the sidecars")
            process.stdin.write("go on\n")
            process.stdin.flush()
            found = json.loads(process.stdout.readline())
        finally:
            process.kill()
    assert code(found["deadline"]) == "SEARCH_ABORTED", "the answer comes before the client gives up"
    if "node" in client[0]:
        assert "no longer needed" in found["cancelled"]["message"]
        assert found["timeout"]["code"] == -32001
        # Two resets of 1.5 s by progress would be enough; the fourth second is the client's own limit.
        assert found["told"] >= 2
        assert "Maximum total timeout exceeded" in found["progress"]["message"] or found["progress"]["code"] == -32001


@pytest.fixture
def inspect(node: Path, serve: list[str], tmp_path: Path) -> Callable[..., Any]:
    """Runs the inspector's command-line mode, which takes servers from a file as hosts do."""
    servers = tmp_path / "servers.json"
    servers.write_text(json.dumps({"mcpServers": {"hydra": {"command": serve[0], "args": serve[1:]}}}))
    inspector = str(node / "node_modules/.bin/mcp-inspector")
    argv = ["node", inspector, "--cli", "--config", str(servers), "--server", "hydra"]

    def run(*call: str) -> Any:
        done = subprocess.run([*argv, *call], cwd=node, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
        return json.loads(done.stdout)

    return run


@within(INSTALLING)
def test_the_inspector(inspect: Callable[..., Any]) -> None:
    assert [tool["name"] for tool in inspect("--method", "tools/list")["tools"]] == ["glob", "grep"]
    found = inspect("--method", "tools/call", "--tool-name", "grep", "--tool-arg", "pattern=TODO")
    assert found["content"][0]["text"] == "Found 1 match\n\nREADME\nLine 1: TODO: write"
