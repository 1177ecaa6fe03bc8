"""glob, grep and the shell gate for Pydantic AI agents.

>>> from pydantic_ai import Agent
>>> from hydra_harness_runtime.adapters.pydantic_ai import SearchToolset, ShellGateCapability
>>> agent = Agent(  # doctest: +SKIP
...     model,
...     tools=[shell],
...     toolsets=[SearchToolset(runtime)],
...     capabilities=[ShellGateCapability(runtime, {"shell": "command"})],
...     output_type=[str, DeferredToolRequests],
... )

A pattern that the model can mend is a ``ModelRetry`` as long as the tool has
retries left; every other failure is a ``ToolFailed``. An ask is an
``ApprovalRequired`` with the reasons in its metadata.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._gatekeeper import Gatekeeper, ShellCalls
from ._shared import Conversation, Search, framework

with framework("pydantic-ai", "pydantic-ai"):
    from pydantic_ai import RunContext, ToolDefinition, ToolReturn
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, ToolFailed
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
    from pydantic_core import SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from .._aio import AsyncRuntime
    from .._client import Runtime
    from .._shell.gate import GateSettings

__all__ = ["Conversation", "SearchToolset", "ShellGateCapability"]

_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""The runtime checks the arguments itself, and says what to change."""


class SearchToolset(AbstractToolset[AgentDepsT]):
    """``glob`` and ``grep``, and the instructions when to use them.

    What a page holds, as values with totals, is the ``metadata`` of the tool's return.
    """

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        *,
        id: str | None = "hydra-search",  # noqa: A002
        conversation: Callable[[RunContext[AgentDepsT]], Conversation] | None = None,
    ) -> None:
        """Asks *runtime* for its tools, which starts it. *id* is for durable execution.

        *conversation* makes a :class:`Conversation` of the context of a run, e.g. of its ``deps``.
        """
        self._search = Search(runtime, conversation)
        self._id = id

    @property
    def id(self) -> str | None:
        """Unique among the toolsets of one agent."""
        return self._id

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart:  # noqa: ARG002
        """Called by the agent."""
        return InstructionPart(self._search.guidance, dynamic=False)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Called by the agent."""
        return {
            tool.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=dict(tool.input_schema),
                    metadata={"annotations": dict(tool.annotations)},
                ),
                max_retries=ctx.max_retries,
                args_validator=_ANY_OBJECT,
            )
            for tool in self._search.tools
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],  # noqa: ARG002
    ) -> ToolReturn[str]:
        """Called by the agent; cancelling the run stops ripgrep."""
        answer = await self._search.acall(name, tool_args, ctx)
        if answer.retryable and ctx.retry < ctx.max_retries:  # beyond, a retry would end the whole run
            raise ModelRetry(answer.text)
        if answer.is_error:
            raise ToolFailed(answer.text)
        return ToolReturn(answer.text, metadata=answer.structured)


class ShellGateCapability(AbstractCapability[AgentDepsT]):
    """Lets a command reach the shell only when it stays inside, or a person agreed.

    It stands around all of the agent's tools, behind the hooks of other
    capabilities, so that it judges what will really run.
    """

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        shell_tools: Mapping[str, str | tuple[str, str]],
        settings: GateSettings | None = None,
        *,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[RunContext[AgentDepsT]], Conversation] | None = None,
    ) -> None:
        """*shell_tools* names each tool that runs a shell and its argument for the command.

        A pair names the arguments for the command and for its directory. *settings*
        says what commands may read and write: by default they may read the
        runtime's working directory. An approval that another process asked for
        counts when its ``metadata`` comes back with it, or when both processes
        share the mapping *approvals*. *conversation* is as for :class:`SearchToolset`.
        """
        self._calls = ShellCalls(shell_tools)
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """It holds a process, so that no file can describe it."""
        return None

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """Called by the agent."""
        return _GatedToolset(toolset, self._calls, self._gate)


@dataclass
class _GatedToolset(WrapperToolset[AgentDepsT]):
    calls: ShellCalls
    gate: Gatekeeper

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        tools = await super().get_tools(ctx)
        if unknown := sorted(self.calls.names - tools.keys()):  # a slip, unless a hook hides them for now
            warnings.warn(f"the shell gate guards {unknown}, but the agent's tools are {sorted(tools)}", stacklevel=2)
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:  # noqa: ANN401 - the framework's own type
        if name in self.calls.names:
            identity, words = str(ctx.tool_call_id), self.calls.words(tool_args, name)
            ruling = await self.gate.arule(
                identity,
                *words,
                approved=ctx.tool_call_approved,
                digest=_digest(ctx.tool_call_metadata),
                context=ctx,
            )
            if ruling.decision == "ask":
                self.gate.remember(identity, ruling)
                raise ApprovalRequired(metadata={"reasons": ruling.reasons, "digest": ruling.digest})
            if ruling.decision != "allow":
                raise ToolFailed(ruling.refusal)
            tool_args = self.calls.rewritten(tool_args, name, ruling)
        return await super().call_tool(name, tool_args, ctx, tool)


def _digest(metadata: object) -> str | None:
    """What was approved, if the question's metadata came back with the answer."""
    digest = metadata.get("digest") if isinstance(metadata, dict) else None
    return digest if isinstance(digest, str) else None
