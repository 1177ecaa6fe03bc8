"""glob, grep and the shell gate for Google's Agent Development Kit.

>>> from google.adk.agents import LlmAgent
>>> from hydra_harness_runtime.adapters.google_adk import SearchToolset, ShellGateConfirmation
>>> gate = ShellGateConfirmation(runtime)  # doctest: +SKIP
>>> agent = LlmAgent(  # doctest: +SKIP
...     name="coder", model=model, tools=[SearchToolset(runtime), gate.guard(shell)]
... )

A failed search is a response with ``error``, and ``retryable`` when the model
can mend the call. An ask is a ``request_confirmation`` whose hint has the reasons.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from .._errors import ConfigError
from ._gatekeeper import Gatekeeper, Ruling, ShellCalls
from ._shared import Conversation, Search, framework

with framework("google-adk", "google-adk"):
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset
    from google.adk.tools.function_tool import FunctionTool
    from google.genai import types

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext

    from .._aio import AsyncRuntime
    from .._client import Runtime
    from .._shell.gate import GateSettings
    from .._types import ToolDefinition

__all__ = ["Conversation", "SearchToolset", "ShellGateConfirmation"]


class _SearchTool(BaseTool):
    def __init__(self, search: Search, tool: ToolDefinition) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._search, self._tool = search, tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        schema = dict(self._tool.input_schema)
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:  # noqa: ANN401 - the kit's type
        answer = await self._search.acall(self._tool.name, args, tool_context)
        if answer.is_error:
            return {"error": answer.text, "retryable": answer.retryable}
        return answer.text


class SearchToolset(BaseToolset):
    """``glob`` and ``grep``, and in the system instruction when to use them.

    Closing it leaves the runtime open, which other agents may use.
    """

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        *,
        tool_filter: list[str] | None = None,
        tool_name_prefix: str | None = None,
        conversation: Callable[[ToolContext], Conversation] | None = None,
    ) -> None:
        """Asks *runtime* for its tools, which starts it. *conversation* makes a
        :class:`Conversation` of the context of a call, e.g. of its session; the
        rest is as for every toolset."""
        super().__init__(tool_filter=tool_filter, tool_name_prefix=tool_name_prefix)
        search = Search(runtime, conversation)
        self._guidance = search.guidance
        self._tools: list[BaseTool] = [_SearchTool(search, tool) for tool in search.tools]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """Called by the agent."""
        return [tool for tool in self._tools if self._is_tool_selected(tool, readonly_context)]

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:  # noqa: ARG002
        """Called by the agent."""
        llm_request.append_instructions([self._guidance])


class ShellGateConfirmation:
    """Lets a command reach the shell only when it stays inside, or a person agreed."""

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[ToolContext], Conversation] | None = None,
    ) -> None:
        """*settings* says what commands may read and write: by default they may
        read the runtime's working directory. A confirmation that another
        process asked for counts when its ``payload`` comes back with it, or
        when both processes share the mapping *approvals*. *conversation* is as
        for :class:`SearchToolset`."""
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)

    def guard(self, tool: BaseTool | Callable[..., Any], command: str | tuple[str, str] = "command") -> BaseTool:
        """A copy of *tool*, which runs a shell, behind the gate.

        *command* is the name of its argument, or a pair: the names of those
        for the command and for its directory.
        """
        if not isinstance(tool, BaseTool):
            if not callable(tool):
                raise ConfigError(f"the gate stands before a tool or a function, not {type(tool).__name__}")
            tool = FunctionTool(tool)
        calls, name = ShellCalls({tool.name: command}), tool.name
        guarded = copy.copy(tool)
        run = guarded.run_async

        async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> Any:  # noqa: ANN401 - the kit's type
            ruling = await self._ruled(calls.words(args, name), tool_context)
            if ruling.decision != "allow":
                return {"error": ruling.refusal}
            return await run(args=calls.rewritten(args, name, ruling), tool_context=tool_context)

        guarded.run_async = run_async  # type: ignore[method-assign] # as the kit does for a prefix
        return guarded

    async def _ruled(self, words: tuple[object, object], context: ToolContext) -> Ruling:
        """What is to be done now, and the question to a person if there is one."""
        identity, answer = str(context.function_call_id), context.tool_confirmation
        if answer and not answer.confirmed:
            return Ruling("deny", "the user did not approve it")
        ruling = await self._gate.arule(
            identity,
            *words,
            approved=bool(answer),
            digest=_digest(answer.payload if answer else None),
            context=context,
        )
        if ruling.decision == "ask":
            self._gate.remember(identity, ruling)
            context.request_confirmation(hint=ruling.reasons, payload={"digest": ruling.digest})
            context.actions.skip_summarization = True
        return ruling


def _digest(payload: object) -> str | None:
    """What was confirmed, if the question's payload came back with the answer."""
    digest = payload.get("digest") if isinstance(payload, dict) else None
    return digest if isinstance(digest, str) else None
