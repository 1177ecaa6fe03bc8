"""The Messages API on this machine, answered from a script: enough of it for Claude Code to run."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any


class ScriptedApi:
    """Has the model make one call after the other, then say that it is done."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self._calls = list(calls)
        self._numbers = itertools.count()
        self.requests: list[dict[str, Any]] = []

    async def __aenter__(self) -> str:
        """Start it; the URL for ``ANTHROPIC_BASE_URL``."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def results(self) -> list[str]:
        """What the model was told of each of its calls."""
        blocks = [b for m in self.requests[-1]["messages"] if isinstance(m["content"], list) for b in m["content"]]
        contents = [block["content"] for block in blocks if block["type"] == "tool_result"]
        return [content if isinstance(content, str) else content[0]["text"] for content in contents]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = head.partition("content-length:")[2].partition("\r\n")[0].strip()
                body = await reader.readexactly(int(length or 0))
                kind, text = self._respond(head.split()[1], body)
                data = text.encode()
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n\r\n".encode())
                writer.write(data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _respond(self, path: str, body: bytes) -> tuple[str, str]:
        if path.partition("?")[0] != "/v1/messages":
            return "application/json", json.dumps({"input_tokens": 1})
        request = json.loads(body)
        message = self._message(request)
        if request.get("stream"):
            return "text/event-stream", "".join(
                f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events(message)
            )
        return "application/json", json.dumps(message)

    def _message(self, request: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        block: dict[str, Any] = {"type": "text", "text": "done"}
        if request.get("tools"):  # the others are for titles and the like
            self.requests.append(request)
            if self._calls:
                name, arguments = self._calls.pop(0)
                block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": name, "input": arguments}
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        about = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": request["model"]}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {**about, "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}


def events(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The same message as a stream."""
    [block] = message["content"]
    if block["type"] == "text":
        begun, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
