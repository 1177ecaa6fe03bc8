"""grep and the shell gate for LangChain's Deep Agents, behind the tools that they already have.

>>> from deepagents import create_deep_agent
>>> from hydra_harness_runtime.adapters.deepagents import GatedShellBackend
>>> agent = create_deep_agent(  # doctest: +SKIP
...     model, backend=GatedShellBackend(runtime, inherit_env=True), checkpointer=InMemorySaver()
... )

The agent's ``grep`` stays what it is, a search for literal text, and runs on
the packaged ripgrep; its ``glob`` is left alone. Every ``execute``, of the
agent and of its subagents, passes the gate. An ask is an ``interrupt`` in the
form of LangChain's human in the loop. With ``conversation=`` one backend serves
many threads, each in its own folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._aio import AsyncRuntime
from .._arguments import environment as own_environment
from .._base import twin
from .._client import Runtime
from .._errors import ConfigError, HarnessError
from .._shell.gate import GateSettings
from ._gatekeeper import Gatekeeper, Ruling
from ._shared import Conversation, bound, framework

with framework("deepagents", "deepagents"):
    from deepagents.backends import LocalShellBackend
    from deepagents.backends.protocol import ExecuteResponse, GrepResult
    from langgraph.config import get_config

from .langchain import question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from deepagents.backends.protocol import GrepMatch
    from langchain_core.runnables import RunnableConfig

    from .._types import GrepResult as Found

__all__ = ["Conversation", "GatedShellBackend"]

_NOT_RUN = 126
"""What a shell answers for a command that it found and may not run."""

_EXECUTE_SECONDS = 120
"""The framework's own default for one command."""


class GatedShellBackend(LocalShellBackend):
    """The framework's local shell and files in the runtime's directory, with its grep and its gate."""

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        env: Mapping[str, str] | None = None,
        inherit_env: bool = False,
        virtual_mode: bool = True,
        timeout: int = _EXECUTE_SECONDS,
        max_output_bytes: int = 100_000,
        approvals: MutableMapping[str, str] | None = None,
        conversation: Callable[[RunnableConfig], Conversation] | None = None,
    ) -> None:
        """*settings* says what commands may read and write: by default they may
        read the runtime's working directory. Its shell and environment are
        those with which this backend runs commands. *approvals* is a mapping
        that several processes share when the one that resumes is not the one
        that asked. *conversation* makes a :class:`Conversation` of the
        configuration of a run, e.g. of its ``thread_id``: its files and commands
        are then those of its own directory, and outside of a run nothing is
        searched or run. The rest is as for ``LocalShellBackend``."""
        self._sync, self._async, self._of = twin(runtime, Runtime), twin(runtime, AsyncRuntime), conversation
        environment = {**(own_environment() if inherit_env else {}), **(env or {})}
        super().__init__(
            runtime.workdir,
            virtual_mode=virtual_mode,
            timeout=timeout,
            max_output_bytes=max_output_bytes,
            env=environment,
        )
        settings = replace(GateSettings() if settings is None else settings, env=environment, shell="posix")  # noqa: S604 - it spawns /bin/sh
        self._gate = Gatekeeper(runtime, settings, approvals=approvals, of=conversation)

    # --- whose run it is

    @property
    def cwd(self) -> Path:
        """Where the paths of this run begin: the framework's own methods ask, too."""
        if self._of is None:
            return self._cwd
        return Path(bound(self._sync, self._of, self._context()).workdir).resolve()

    @cwd.setter
    def cwd(self, folder: Path) -> None:
        self._cwd = folder

    def _context(self) -> RunnableConfig | None:
        """The configuration of the run that calls; ``None`` where nobody has to know it."""
        if self._of is None:
            return None
        try:
            return get_config()
        except RuntimeError as error:
            raise ConfigError("outside of a run there is no conversation, whose files these would be") from error

    # --- searching

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
        context_lines: int = 0,
    ) -> GrepResult:
        """Lines that contain *pattern*, literally. What could not be searched is an error, not an empty result."""
        if context_lines:  # which no tool of an agent asks for
            return super().grep(pattern, path, glob, max_count=max_count, context_lines=context_lines)
        try:
            runtime = bound(self._sync, self._of, self._context())
            found = runtime.grep(pattern, self._resolve_path(path or "."), glob, literal=True)
        except (HarnessError, OSError, ValueError) as error:
            return GrepResult(error=f"Error: {error}")
        return self._result(found, max_count)

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
        context_lines: int = 0,
    ) -> GrepResult:
        """The same, awaited: cancelling the run stops ripgrep."""
        if context_lines:
            return await super().agrep(pattern, path, glob, max_count=max_count, context_lines=context_lines)
        try:
            runtime = bound(self._async, self._of, self._context())
            found = await runtime.grep(pattern, self._resolve_path(path or "."), glob, literal=True)
        except (HarnessError, OSError, ValueError) as error:
            return GrepResult(error=f"Error: {error}")
        return self._result(found, max_count)

    def _result(self, found: Found, max_count: int | None) -> GrepResult:
        matches: list[GrepMatch] = [
            {"path": self._shown(match.fs_path), "line": match.line_number, "text": match.line}
            for match in found.matches[:max_count]
        ]
        return GrepResult(matches=matches, truncated=bool(found.incomplete) or len(matches) < len(found.matches))

    def _shown(self, path: str) -> str:
        """A path as the backend's other tools take it."""
        absolute = Path(self.cwd, path)
        return f"/{absolute.relative_to(self.cwd).as_posix()}" if self.virtual_mode else str(absolute)

    # --- executing

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Run *command* when it stays inside, or a person agreed."""
        try:
            context, cwd = self._context(), str(self.cwd)
        except Exception as error:  # noqa: BLE001 - a gate that raises might be passed by
            return _refusal(Ruling("deny", f"the gate failed: {error!r}"))
        call = command if self._of is None else f"{cwd}\0{command}"
        ruling = self._gate.rule(call, command, cwd, context=context)
        if ruling.decision == "ask":
            refused = question(self._gate, call, "execute", {"command": command}, ruling)
            ruling = refused or self._gate.rule(call, command, cwd, approved=True, context=context)
        if ruling.decision != "allow":
            return _refusal(ruling)
        return super().execute(ruling.command or command, timeout=timeout)


def _refusal(ruling: Ruling) -> ExecuteResponse:
    return ExecuteResponse(output=ruling.refusal, exit_code=_NOT_RUN, truncated=False)
