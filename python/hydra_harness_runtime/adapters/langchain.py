"""glob, grep and the shell gate for LangChain agents (``create_agent``, LangGraph).

>>> from langchain.agents import create_agent
>>> from hydra_harness_runtime.adapters.langchain import SearchMiddleware, ShellGateMiddleware
>>> agent = create_agent(  # doctest: +SKIP
...     model,
...     tools=[shell],
...     middleware=[SearchMiddleware(runtime), ShellGateMiddleware(runtime, {"shell": "command"})],
... )

A failed search is a ``ToolMessage`` of status ``error``. An ask is an
``interrupt`` in the form of LangChain's human in the loop; without a
checkpointer nobody can answer it, and the command does not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import ConfigError
from ._gatekeeper import Gatekeeper, Ruling, ShellCalls
from ._shared import Conversation, Search, framework

with framework("langchain", "langchain"):
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import SystemMessage, ToolMessage
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, ToolException
    from langgraph.errors import GraphInterrupt
    from langgraph.types import interrupt
    from pydantic import PrivateAttr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping

    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.messages import ToolCall
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.types import Command

    from .._aio import AsyncRuntime
    from .._client import Runtime
    from .._shell.gate import GateSettings
    from .._types import ToolDefinition
    from ._shared import Answer

__all__ = ["Conversation", "SearchMiddleware", "ShellGateMiddleware", "search_tools"]


class _SearchTool(BaseTool):
    """One tool of the runtime: the page is the content, its values are the artifact."""

    _search: Search = PrivateAttr()

    def __init__(self, search: Search, tool: ToolDefinition) -> None:
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema=dict(tool.input_schema),
            response_format="content_and_artifact",
            handle_tool_error=True,
        )
        self._search = search

    # The framework finds the parameter for its configuration by the annotation; no model's argument has its name.
    def _run(self, /, *, run_config_: RunnableConfig, **arguments: object) -> tuple[str, Any]:
        return _page(self._search.call(self.name, arguments, run_config_))

    async def _arun(self, /, *, run_config_: RunnableConfig, **arguments: object) -> tuple[str, Any]:
        return _page(await self._search.acall(self.name, arguments, run_config_))


def _page(answer: Answer) -> tuple[str, Mapping[str, object] | None]:
    if answer.is_error:
        raise ToolException(answer.text)
    return answer.text, answer.structured


def search_tools(
    runtime: Runtime | AsyncRuntime, *, conversation: Callable[[RunnableConfig], Conversation] | None = None
) -> list[BaseTool]:
    """``glob`` and ``grep``, for both ``invoke`` and ``ainvoke``.

    *conversation* makes a :class:`Conversation` of the configuration of a run,
    e.g. of its ``thread_id``.

    The guidance for the system prompt is ``runtime.guidance()``;
    :class:`SearchMiddleware` brings both.
    """
    search = Search(runtime, conversation)
    return [_SearchTool(search, tool) for tool in search.tools]


class SearchMiddleware(AgentMiddleware[Any, Any, Any]):
    """Adds ``glob`` and ``grep`` to an agent, and to its system prompt when to use them."""

    def __init__(
        self, runtime: Runtime | AsyncRuntime, *, conversation: Callable[[RunnableConfig], Conversation] | None = None
    ) -> None:
        """Asks *runtime* for its tools, which starts it. *conversation* is as for :func:`search_tools`."""
        super().__init__()
        search = Search(runtime, conversation)
        self.tools = [_SearchTool(search, tool) for tool in search.tools]
        self._guidance = search.guidance

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Called by the agent."""
        return handler(self._guided(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Called by the agent."""
        return await handler(self._guided(request))

    def _guided(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        prompt = request.system_message.content if request.system_message else ""
        if isinstance(prompt, str):
            content: str | list[str | dict[Any, Any]] = f"{prompt}\n\n{self._guidance}" if prompt else self._guidance
        else:
            content = [*prompt, {"type": "text", "text": self._guidance}]
        return request.override(system_message=SystemMessage(content))


class ShellGateMiddleware(AgentMiddleware[Any, Any, Any]):
    """Lets a command reach the shell only when it stays inside, or a person agreed."""

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        shell_tools: Mapping[str, str | tuple[str, str]],
        settings: GateSettings | None = None,
        *,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[RunnableConfig], Conversation] | None = None,
    ) -> None:
        """*shell_tools* names each tool that runs a shell and its argument for the command.

        A pair names the arguments for the command and for its directory. *settings*
        says what commands may read and write: by default they may read the
        runtime's working directory. *approvals* is a mapping that several
        processes share when the one that resumes is not the one that asked.
        *conversation* is as for :func:`search_tools`.
        """
        super().__init__()
        self.tools = []
        self._calls = ShellCalls(shell_tools)
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Called by the agent."""
        call = request.tool_call
        if call["name"] not in self._calls.names:
            self._check_names(request)
            return handler(request)
        identity, words = str(call["id"]), self._calls.words(call["args"], call["name"])
        config = getattr(request.runtime, "config", {})
        ruling = self._gate.rule(identity, *words, context=config)
        if ruling.decision == "ask":
            refused = question(self._gate, identity, call["name"], call["args"], ruling)
            ruling = refused or self._gate.rule(identity, *words, approved=True, context=config)
        return handler(self._rewritten(request, ruling)) if ruling.decision == "allow" else _refusal(call, ruling)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Called by the agent."""
        call = request.tool_call
        if call["name"] not in self._calls.names:
            self._check_names(request)
            return await handler(request)
        identity, words = str(call["id"]), self._calls.words(call["args"], call["name"])
        config = getattr(request.runtime, "config", {})
        ruling = await self._gate.arule(identity, *words, context=config)
        if ruling.decision == "ask":
            refused = question(self._gate, identity, call["name"], call["args"], ruling)
            ruling = refused or await self._gate.arule(identity, *words, approved=True, context=config)
        return await handler(self._rewritten(request, ruling)) if ruling.decision == "allow" else _refusal(call, ruling)

    def _rewritten(self, request: ToolCallRequest, ruling: Ruling) -> ToolCallRequest:
        """The request with the command that starts the sandbox, where the ruling names one."""
        if not ruling.command:
            return request
        call = request.tool_call
        return request.override(tool_call={**call, "args": self._calls.rewritten(call["args"], call["name"], ruling)})

    def _check_names(self, request: ToolCallRequest) -> None:
        """A name that no tool has is a slip, and the tool that was meant may be the one called now."""
        known = {tool.name for tool in getattr(request.runtime, "tools", ())}
        if known and (unknown := sorted(self._calls.names - known)):
            raise ConfigError(f"the shell gate guards {unknown}, but the agent's tools are {sorted(known)}")


def question(gate: Gatekeeper, identity: str, name: str, arguments: Mapping[str, Any], ruling: Ruling) -> Ruling | None:
    """Put *ruling*'s question to a person, in the form of LangChain's human in the loop.

    Returns when it is answered: ``None`` for a yes, else the refusal.
    """
    action = {"name": name, "args": arguments, "description": ruling.reasons}
    review = {"action_name": name, "allowed_decisions": ["approve", "reject"]}
    try:
        answer = interrupt({"action_requests": [action], "review_configs": [review]})
    except GraphInterrupt:  # the run stops here, and begins this call again with the answer
        gate.remember(identity, ruling)
        raise
    except RuntimeError:  # not within a graph
        return Ruling("deny", f"{ruling.reasons}; nobody can be asked here")
    decision = _only(answer)
    if decision.get("type") == "approve":
        return None
    return Ruling("deny", f"the user did not approve it: {decision.get('message') or ruling.reasons}")


def _only(answer: object) -> dict[str, object]:
    """The one decision of the answer to one question; what has another form is no decision."""
    decisions = answer.get("decisions") if isinstance(answer, dict) else None
    if isinstance(decisions, list) and len(decisions) == 1 and isinstance(decisions[0], dict):
        return decisions[0]
    return {}


def _refusal(call: ToolCall, ruling: Ruling) -> ToolMessage:
    return ToolMessage(ruling.refusal, name=call["name"], tool_call_id=call["id"] or "", status="error")
