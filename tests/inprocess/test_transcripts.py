"""What the wire is promised to say, said over both transports."""

from __future__ import annotations

import json
import queue
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import SearchConfig
from hydra_harness_runtime._launch import Launch
from hydra_harness_runtime._transports import Ending, Transport
from tests.inprocess.transcript import Transcript, Turn

CONVERSATIONS = ("read_on", "search", "shell", "spill", "tools")

OURS = ("hydra/", "tools/", "ping")
"""The methods that both answer. MCP's own handshake and resources are for MCP's clients."""


class Conversation:
    """Speaks lines; implements :class:`Receiver`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._lines: queue.Queue[bytes | Ending | None] = queue.Queue()
        transport.open(self)
        opened = self._lines.get(timeout=60)
        assert opened is None, opened
        self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._send(request)
        while True:
            line = self._lines.get(timeout=60)
            assert isinstance(line, bytes), line
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == request["id"]:
                return answer

    def end(self) -> None:
        self._transport.hang_up()
        self._transport.ended.result(60)

    def _send(self, message: dict[str, Any]) -> None:
        self._transport.send(json.dumps(message).encode() + b"\n")

    def on_open(self) -> None:
        self._lines.put(None)

    def on_line(self, line: bytes) -> None:
        self._lines.put(line)

    def on_end(self, ending: Ending) -> None:
        self._lines.put(ending)


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def config_of(transcript: Transcript, folder: Path) -> SearchConfig:
    """The configuration of a conversation: the keys in snake case."""
    snake = {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): v for k, v in transcript.config.items()}
    return SearchConfig(**snake, roots=[transcript.workdir], spill_root=folder / "spill")


def with_owner(request: dict[str, Any], owner: str | None) -> dict[str, Any]:
    """The conversation's server has the owner as a flag; here each request says it."""
    if owner is None or request["method"] == "ping":
        return request
    params = request.get("params", {})
    meta = {"dev.hydra-harness/owner": owner, **params.get("_meta", {})}
    return {**request, "params": {**params, "_meta": meta}}


def is_ours(turn: Turn) -> bool:
    meta = turn.request.get("params", {}).get("_meta", {}) if isinstance(turn.request.get("params"), dict) else {}
    foreign = any(key.startswith("io.modelcontextprotocol/") for key in meta) or "progressToken" in meta
    return str(turn.request.get("method", "")).startswith(OURS) and not foreign


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversation(name: str, transport: str, tmp_path: Path, runtime_path: Path | None) -> None:
    transcript = Transcript.load(name, tmp_path)
    turns = [turn for turn in transcript.turns if is_ours(turn)]
    launch = Launch(str(transcript.workdir), config_of(transcript, tmp_path), runtime_path)
    conversation = Conversation(launch.connect_inprocess() if transport == "inprocess" else launch.connect())
    try:
        for turn in turns:
            request = with_owner(transcript.fill(turn.request), transcript.owner)
            answer = conversation.ask(request)
            assert not transcript.wrong(turn.answer, answer), f"line {turn.line}: {json.dumps(answer)}"
    finally:
        conversation.end()
