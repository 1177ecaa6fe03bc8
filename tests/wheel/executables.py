"""The runtime without Python: one search, one gate, one conversation."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from wheels.distributions import RUNTIME

MATCHES = [{"path": "file.txt", "lineNumber": 2, "line": "needle"}]
"""What a search for "needle" finds in a folder where file.txt holds "hay" and "needle"."""

DECISIONS = {"cat file.txt": 0, "cat /etc/passwd": 1, "cat ~/.ssh/id_rsa": 2}
"""Commands, and the exit status of ``gate``: allow, ask, deny."""

_CONVERSATION = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "grep", "arguments": {"pattern": "needle"}}},
]


def call(command: Sequence[str], env: Mapping[str, str], given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, env=env, input=given, capture_output=True, text=True)


def search(start: Sequence[str], tree: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """*start* is what runs the runtime; *tree* is the folder as the runtime sees it."""
    return call([*start, "grep", "--json", "--workdir", tree, "needle"], env)


def decisions(start: Sequence[str], tree: str, env: Mapping[str, str]) -> dict[str, int]:
    options = ["--cwd", tree, "--root", tree, "--home", "/home/somebody"]
    return {command: call([*start, "gate", *options, command], env).returncode for command in DECISIONS}


def converse(start: Sequence[str], tree: str, env: Mapping[str, str]) -> tuple[str, str]:
    """One session of ``serve``: the version of the handshake, and what a model sees of a search.

    The answer is awaited before the input is closed, which ends the session.
    """
    command = [*start, "serve", "--workdir", tree, "--no-sample", "--log-level", "error"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=env, text=True, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers: dict[int, Any] = {}
        for message in _CONVERSATION:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        while 2 not in answers:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            answer = json.loads(line)
            answers[answer["id"]] = answer["result"]
        _, said = process.communicate()
    assert (process.returncode, said) == (0, "")
    server = answers[1]["serverInfo"]
    assert server["name"] == RUNTIME
    return server["version"], answers[2]["content"][0]["text"]


PAGE = "Found 1 match\n\nfile.txt\nLine 2: needle"
