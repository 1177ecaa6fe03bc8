"""glob, grep and the shell gate for the OpenAI Agents SDK.

>>> from agents import Agent, ShellTool
>>> from hydra_harness_runtime.adapters.openai_agents import ShellGateApproval, search_tools
>>> gate = ShellGateApproval(runtime)  # doctest: +SKIP
>>> agent = Agent(  # doctest: +SKIP
...     "coder",
...     instructions=runtime.guidance(),
...     tools=[*search_tools(runtime), gate.guard(ShellTool(executor=run))],
... )

A failed search is text that begins with ``Error:``. An ask is an interruption
of the run; ``gate.reasons(item)`` says why.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._errors import ConfigError
from ._gatekeeper import Gatekeeper, Ruling, ShellCalls, worst
from ._shared import Conversation, Search, framework

with framework("openai-agents", "openai-agents"):
    from agents import FunctionTool, ShellCallOutcome, ShellCommandOutput, ShellResult, ShellTool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from agents import RunContextWrapper, ShellActionRequest, ShellCommandRequest, Tool
    from agents.items import ToolApprovalItem
    from agents.tool_context import ToolContext

    from .._aio import AsyncRuntime
    from .._client import Runtime
    from .._shell.gate import GateSettings
    from .._types import ToolDefinition

__all__ = ["Conversation", "ShellGateApproval", "search_tools"]

_NOT_RUN = 126
"""What a shell answers for a command that it found and may not run."""

ToolT = TypeVar("ToolT", ShellTool, FunctionTool)


def search_tools(
    runtime: Runtime | AsyncRuntime, *, conversation: Callable[[RunContextWrapper[Any]], Conversation] | None = None
) -> list[Tool]:
    """``glob`` and ``grep``, in the strict form of OpenAI's schemas.

    *conversation* makes a :class:`Conversation` of the context of a run.

    Tell the agent when to use them by ``instructions=runtime.guidance()``.
    """
    search = Search(runtime, conversation)
    return [_search_tool(search, tool) for tool in search.tools]


def _search_tool(search: Search, tool: ToolDefinition) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return (await search.acall(tool.name, _parsed(arguments), context)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=_strict(tool.input_schema),
        on_invoke_tool=invoke,
    )


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every argument required, what was optional nullable, and no other arguments."""
    required = schema.get("required", ())
    properties = {
        name: value if name in required else {**value, "type": [value["type"], "null"]}
        for name, value in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def _parsed(arguments: str) -> object:
    """The call's arguments; ``None`` when they are not JSON, which both halves refuse."""
    try:
        return json.loads(arguments)
    except ValueError:
        return None


class ShellGateApproval:
    """Lets a command reach the shell only when it stays inside, or a person agreed."""

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[RunContextWrapper[Any]], Conversation] | None = None,
    ) -> None:
        """*settings* says what commands may read and write: by default they may
        read the runtime's working directory. *approvals* is a mapping that
        several processes share when the one that resumes is not the one that asked.
        *conversation* is as for :func:`search_tools`."""
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)
        self._calls: dict[str, ShellCalls] = {}

    def guard(self, tool: ToolT, command: str | tuple[str, str] = "command") -> ToolT:
        """A copy of *tool* behind the gate: a :class:`ShellTool`, or a function tool that runs a shell.

        For a function tool, *command* is the name of its argument, or a pair:
        the names of those for the command and for its directory.
        """
        if isinstance(tool, ShellTool) and tool.executor is not None:
            return self._guard_shell(tool)
        if isinstance(tool, FunctionTool):
            return self._guard_function(tool, command)
        raise ConfigError("the gate stands before a ShellTool with an executor or a FunctionTool, nothing else")

    def reasons(self, item: ToolApprovalItem, context: RunContextWrapper[Any] | None = None) -> str:
        """Why the run was interrupted for *item*: what to show to the person who decides.

        It looks again, and an approval is good for what it sees now. With a
        function for conversations, *context* is the run's: ``result.context_wrapper``.
        """
        call, texts = self._question(item)
        rulings = [self._gate.rule(f"{call}#{i}", *words, context=context) for i, words in enumerate(texts)]
        return self._put(call, rulings).reasons

    def _question(self, item: ToolApprovalItem) -> tuple[str, list[tuple[object, object]]]:
        raw, call = item.raw_item, str(_member(item.raw_item, "call_id"))
        if action := _member(raw, "action"):
            return call, _texts(_member(action, "commands"))
        name = item.tool_name or ""
        if name not in self._calls:
            raise ConfigError(f"the interruption is for {name!r}, which this gate does not guard")
        return call, [self._calls[name].words(_parsed(_member(raw, "arguments")), name)]

    async def _ask(self, call: str, texts: list[tuple[object, object]], own: object, *call_of_own: object) -> bool:
        """Whether to interrupt the run: for an ask, and for an allow when the tool's *own* setting says so.

        The first of *call_of_own* is the context of the run.
        """
        context = call_of_own[0]
        rulings = [await self._gate.arule(f"{call}#{i}", *words, context=context) for i, words in enumerate(texts)]
        decision = self._put(call, rulings).decision
        if decision != "allow" or not callable(own):
            return decision == "ask" or (decision == "allow" and bool(own))
        asked = own(*call_of_own)
        return bool(await asked if isawaitable(asked) else asked)

    def _put(self, call: str, rulings: list[Ruling]) -> Ruling:
        for i, ruling in enumerate(rulings):
            if ruling.decision == "ask":
                self._gate.remember(f"{call}#{i}", ruling)
        return worst(rulings)

    async def _ruled(self, call: str, texts: list[tuple[object, object]], context: object) -> list[Ruling]:
        """What is to be done with each text now; the run comes here only after a yes to what was asked."""
        return [
            await self._gate.arule(f"{call}#{i}", *words, approved=True, context=context)
            for i, words in enumerate(texts)
        ]

    def _guard_shell(self, tool: ShellTool) -> ShellTool:
        executor = tool.executor
        assert executor is not None  # noqa: S101 - guard() saw it

        async def needs_approval(context: RunContextWrapper[Any], action: ShellActionRequest, call: str) -> bool:
            return await self._ask(call, _texts(action.commands), tool.needs_approval, context, action, call)

        async def execute(request: ShellCommandRequest) -> str | ShellResult:
            data = request.data
            commands = data.action.commands
            rulings = await self._ruled(data.call_id, _texts(commands), request.ctx_wrapper)
            if (ruling := worst(rulings)).decision != "allow":
                outcome = ShellCallOutcome(type="exit", exit_code=_NOT_RUN)
                text = "\n".join(map(str, commands))
                return ShellResult([ShellCommandOutput(stderr=ruling.refusal, outcome=outcome, command=text)])
            run = [ruling.command or command for ruling, command in zip(rulings, commands, strict=False)]
            result = executor(replace(request, data=replace(data, action=replace(data.action, commands=run))))
            return await result if isawaitable(result) else result

        return replace(tool, executor=execute, needs_approval=needs_approval)

    def _guard_function(self, tool: FunctionTool, command: str | tuple[str, str]) -> FunctionTool:
        calls = self._calls[tool.name] = ShellCalls({tool.name: command})
        guarded = copy.copy(tool)
        invoke = guarded.on_invoke_tool

        async def needs_approval(context: RunContextWrapper[Any], arguments: dict[str, Any], call: str) -> bool:
            words = calls.words(arguments, tool.name)
            return await self._ask(call, [words], tool.needs_approval, context, arguments, call)

        async def guarded_invoke(context: ToolContext[Any], arguments: str) -> Any:  # noqa: ANN401 - the SDK's type
            parsed = _parsed(arguments)
            (ruling,) = await self._ruled(context.tool_call_id, [calls.words(parsed, tool.name)], context)
            if ruling.decision != "allow":
                return ruling.refusal
            if ruling.command:
                arguments = json.dumps(calls.rewritten(cast("dict[str, Any]", parsed), tool.name, ruling))
            return await invoke(context, arguments)

        guarded.needs_approval, guarded.on_invoke_tool = needs_approval, guarded_invoke
        return guarded


def _texts(commands: object) -> list[tuple[object, object]]:
    """What to judge of several commands: each by itself, and all as one script.

    As a script, since an earlier one can re-point what a later one reads; each
    by itself, since an unclosed quote would hide what follows.
    """
    if not isinstance(commands, list) or not commands:
        return [(None, None)]
    if len(commands) == 1:
        return [(commands[0], None)]
    return [(command, None) for command in [*commands, "\n".join(map(str, commands))]]


def _member(value: object, name: str) -> Any:  # noqa: ANN401 - the SDK's items are models or dictionaries
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
