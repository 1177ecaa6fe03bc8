"""glob, grep and the shell gate for the Claude Agent SDK.

>>> from claude_agent_sdk import ClaudeAgentOptions
>>> from hydra_harness_runtime.adapters.claude_agent_sdk import ShellGateHooks, search_server, tool_names
>>> gate = ShellGateHooks(runtime)  # doctest: +SKIP
>>> options = ClaudeAgentOptions(  # doctest: +SKIP
...     mcp_servers={"hydra": search_server(runtime)},
...     hooks=gate.hooks(),
...     can_use_tool=gate.can_use_tool(ask_the_user, allowed=tool_names(runtime)),
... )

A failed search is a tool result with ``is_error``. The gate is a PreToolUse
hook that says deny or ask with the reasons, and nothing for an allow, so that
the user's own permission rules still count. It is set to block when it fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ._gatekeeper import Gatekeeper, ShellCalls
from ._shared import Conversation, Search, framework

with framework("claude-agent-sdk", "claude-agent-sdk"):
    from claude_agent_sdk import (
        HookMatcher,
        McpSdkServerConfig,
        PermissionResultAllow,
        PermissionResultDeny,
        SdkMcpTool,
        create_sdk_mcp_server,
    )
    from mcp.types import ToolAnnotations

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, MutableMapping

    from claude_agent_sdk import CanUseTool, HookContext, HookInput, HookJSONOutput, PermissionResult
    from claude_agent_sdk import ToolPermissionContext as PermissionContext
    from claude_agent_sdk.types import HookEvent

    from .._aio import AsyncRuntime
    from .._client import Runtime
    from .._shell.gate import GateSettings
    from .._types import ToolDefinition

__all__ = ["Conversation", "ShellGateHooks", "search_server", "tool_names"]

_BASH = {"Bash": "command"}
"""Claude Code's own tool that runs a shell."""

_MOST_PLACES = 1024
"""Directories of commands between the hook and the permission callback; see _MOST_APPROVALS."""


def search_server(
    runtime: Runtime | AsyncRuntime, name: str = "hydra", *, conversation: Callable[[], Conversation] | None = None
) -> McpSdkServerConfig:
    """``glob`` and ``grep`` as an MCP server inside this process.

    Claude sees them as ``mcp__hydra__glob`` and ``mcp__hydra__grep``; disallow
    its own ``Glob`` and ``Grep`` when these are to be used. The guidance for
    the system prompt is ``runtime.guidance()``.

    The SDK tells a tool nothing of the session that calls it: a server is one
    client's. *conversation* is asked at each call whose it is; give each client
    a server of its own.
    """
    search = Search(runtime, None if conversation is None else lambda _: conversation())
    return create_sdk_mcp_server(name, tools=[_search_tool(search, tool) for tool in search.tools])


def tool_names(runtime: Runtime | AsyncRuntime, server: str = "hydra") -> list[str]:
    """The tools as Claude calls them: *server* is the key in ``mcp_servers``."""
    return [f"mcp__{server}__{tool.name}" for tool in Search(runtime).tools]


def _search_tool(search: Search, tool: ToolDefinition) -> SdkMcpTool[Any]:
    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await search.acall(tool.name, arguments)
        return {"content": [{"type": "text", "text": answer.text}], "is_error": answer.is_error}

    annotations = ToolAnnotations.model_validate(dict(tool.annotations))
    return SdkMcpTool(tool.name, tool.description, dict(tool.input_schema), handle, annotations)


class ShellGateHooks:
    """Lets a command reach Claude's shell only when it stays inside, or a person agreed."""

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        shell_tools: Mapping[str, str | tuple[str, str]] = _BASH,
        auto_allow: bool = False,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[HookInput], Conversation] | None = None,
    ) -> None:
        """*settings* says what commands may read and write: by default they may
        read the runtime's working directory. *shell_tools* names the tools that
        run a shell and their argument for the command. With *auto_allow*, what
        stays inside runs without a question of Claude Code's own rules.
        *conversation* makes a :class:`Conversation` of a hook's event, e.g. of
        its ``session_id``; where the event names no directory, commands begin in
        the conversation's."""
        self._calls = ShellCalls(shell_tools)
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)
        self._auto_allow = auto_allow
        self._places: dict[str, tuple[object, HookInput]] = {}

    def hooks(self) -> dict[HookEvent, list[HookMatcher]]:
        """For ``ClaudeAgentOptions(hooks=...)``."""
        matcher = "|".join(sorted(self._calls.names))
        return {"PreToolUse": [HookMatcher(matcher, [self._before], on_failure="block")]}

    async def _before(self, event: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        # What another version sends is Any here on purpose: whatever lacks is refused.
        sent: Mapping[str, Any] = dict(event)
        name, identity = str(sent.get("tool_name")), str(sent.get("tool_use_id"))
        if name not in self._calls.names:
            return {}
        command, cwd = self._words(name, sent.get("tool_input"), sent.get("cwd"))
        ruling = await self._gate.arule(identity, command, cwd, context=event)
        self._note_place(identity, cwd, event)
        if ruling.decision == "allow" and not self._auto_allow and not ruling.command:
            return {}
        if ruling.decision == "ask":
            self._gate.remember(identity, ruling)
        reason = ruling.reasons if ruling.decision != "allow" else "what it reads and writes lies inside the roots"
        answer: dict[str, Any] = {
            "hookEventName": "PreToolUse",
            "permissionDecision": ruling.decision,
            "permissionDecisionReason": reason,
        }
        if ruling.command:  # Claude Code takes another input only together with an allow
            answer["updatedInput"] = self._calls.rewritten(sent["tool_input"], name, ruling)
        return cast("HookJSONOutput", {"hookSpecificOutput": answer})

    def can_use_tool(self, answer: CanUseTool, *, allowed: Collection[str] = ()) -> CanUseTool:
        """*answer*, the callback that asks the user, with a second look at the command after a yes.

        Its ``context.decision_reason`` has the gate's reasons. The *allowed*
        tools run without a question, e.g. those of :func:`tool_names`; the SDK
        warns when ``allowed_tools`` says the same beside a callback.
        """

        async def confirmed(name: str, arguments: dict[str, Any], context: PermissionContext) -> PermissionResult:
            if name in allowed:
                return PermissionResultAllow()
            result = await answer(name, arguments, context)
            if name not in self._calls.names or result.behavior != "allow":
                return result
            identity = str(context.tool_use_id)
            used = arguments if result.updated_input is None else result.updated_input
            place, event = self._places.get(identity, (None, None))
            command, cwd = self._words(name, used, place)
            ruling = await self._gate.arule(identity, command, cwd, approved=True, context=event)
            if ruling.decision != "allow":
                return PermissionResultDeny(message=ruling.refusal)
            if ruling.command:
                return replace(result, updated_input=self._calls.rewritten(used, name, ruling))
            return result

        return confirmed

    def _words(self, name: str, arguments: object, cwd: object) -> tuple[object, object]:
        command, own = self._calls.words(arguments, name)
        return command, own or cwd

    def _note_place(self, identity: str, cwd: object, event: HookInput) -> None:
        """Keep the command's directory and event, which the permission callback is not told."""
        if len(self._places) >= _MOST_PLACES:
            self._places.pop(next(iter(self._places)))
        self._places[identity] = cwd, event
