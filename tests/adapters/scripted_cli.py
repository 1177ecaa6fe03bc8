"""Claude Code's side of the SDK's own transport, played from a script.

Everything between the transport and the adapter is the SDK itself: the control
protocol, the MCP server in memory, hooks and permission callbacks.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from claude_agent_sdk import Transport

Script = Callable[["ScriptedCli"], Awaitable[str]]


class ScriptedCli(Transport):
    """Runs *script* when the first prompt arrives; what it returns is the result of the run."""

    def __init__(self, script: Script, cwd: str) -> None:
        self._script = script
        self._cwd = cwd
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()
        self._hooks: dict[str, Any] = {}
        self._run: asyncio.Task[None] | None = None

    # --- what the SDK calls

    async def connect(self) -> None: ...

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...

    async def close(self) -> None:
        if self._run:
            self._run.cancel()
        self._out.put_nowait(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:  # type: ignore[override]
        while (message := await self._out.get()) is not None:
            yield message

    async def write(self, data: str) -> None:
        message = json.loads(data)
        if message["type"] == "control_response":
            response = message["response"]
            self._answers.pop(response["request_id"]).set_result(response)
        elif message["type"] == "control_request":
            self._hooks = message["request"].get("hooks") or {}
            answer = {"hook_on_failure_supported": True}
            response = {"subtype": "success", "request_id": message["request_id"], "response": answer}
            self._out.put_nowait({"type": "control_response", "response": response})
        elif self._run is None:
            self._run = asyncio.ensure_future(self._play())

    async def _play(self) -> None:
        try:
            text = await self._script(self)
        except BaseException as error:  # noqa: BLE001 - the test must end, and say why
            text = f"the script failed: {error!r}"
        times = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
        result = {"subtype": "success", "is_error": False, "session_id": "s", "result": text}
        self._out.put_nowait({"type": "result", **times, **result})
        self._out.put_nowait(None)

    # --- what a script does

    def ask(self, **request: Any) -> tuple[str, asyncio.Future[Any]]:
        """Send a control request; its number, and the response to come."""
        number = f"cli-{next(self._numbers)}"
        self._answers[number] = asyncio.get_running_loop().create_future()
        self._out.put_nowait({"type": "control_request", "request_id": number, "request": request})
        return number, self._answers[number]

    def cancel(self, number: str) -> None:
        """Give a request up, as an interrupt does."""
        self._out.put_nowait({"type": "control_cancel_request", "request_id": number})

    async def mcp(self, method: str, server: str = "hydra", **params: Any) -> Any:
        """One exchange with an MCP server of the options."""
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        response = await self.ask(subtype="mcp_message", server_name=server, message=message)[1]
        return response["response"]["mcp_response"]["result"]

    async def handshake(self, server: str = "hydra") -> None:
        """What comes before the first request to a server."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cli", "version": "1"}}
        await self.mcp("initialize", server, **about)
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self.ask(subtype="mcp_message", server_name=server, message=note)[1]

    async def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """A tool call over MCP: its text, and whether it failed."""
        result = await self.mcp("tools/call", name=tool, arguments=arguments)
        return result["content"][0]["text"], result.get("isError", False)

    async def hook(self, tool: str, arguments: Any, number: str = "t-1", cwd: str | None = None) -> Any:
        """The answer of the PreToolUse hook that matches *tool*; ``None``: no decision."""
        [matcher] = [m for m in self._hooks.get("PreToolUse", []) if tool in m["matcher"].split("|")] or [None]
        if matcher is None:
            return None
        assert matcher["onFailure"] == "block"
        event = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": cwd or self._cwd}
        event |= {"tool_name": tool, "tool_input": arguments, "tool_use_id": number}
        [callback] = matcher["hookCallbackIds"]
        response = await self.ask(subtype="hook_callback", callback_id=callback, input=event, tool_use_id=number)[1]
        return response["response"].get("hookSpecificOutput")

    async def permission(self, tool: str, arguments: Any, reason: str | None = None, number: str = "t-1") -> Any:
        """The answer of ``can_use_tool``."""
        about = {"tool_name": tool, "input": arguments, "tool_use_id": number, "decision_reason": reason}
        response = await self.ask(subtype="can_use_tool", permission_suggestions=[], **about)[1]
        return response["response"]

    async def bash(self, world: Any, command: Any, number: str = "t-1") -> str:
        """What Claude Code does with a Bash call in its default mode."""
        decision = await self.hook("Bash", {"command": command}, number)
        verdict = decision and decision["permissionDecision"]
        if verdict == "deny":
            return str(decision["permissionDecisionReason"])
        if verdict != "allow":
            reason = decision and decision["permissionDecisionReason"]
            answer = await self.permission("Bash", {"command": command}, reason, number)
            if answer["behavior"] != "allow":
                return str(answer["message"])
            command = answer["updatedInput"]["command"]
        elif "updatedInput" in decision:
            command = decision["updatedInput"]["command"]
        return str(world.shell(command))
