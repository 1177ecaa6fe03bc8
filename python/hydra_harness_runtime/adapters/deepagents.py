"""grep and the shell gate for LangChain's Deep Agents, behind the tools that they already have.

>>> from deepagents import create_deep_agent
>>> from hydra_harness_runtime.adapters.deepagents import GatedShellBackend
>>> agent = create_deep_agent(  # doctest: +SKIP
...     model, backend=GatedShellBackend(runtime, inherit_env=True), checkpointer=InMemorySaver()
... )

The agent's ``grep`` stays what it is, a search for literal text, and runs on
the packaged ripgrep; its ``glob`` is left alone. Every ``execute``, of the
agent and of its subagents, passes the gate. An ask is an ``interrupt`` in the
form of LangChain's human in the loop.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._aio import AsyncRuntime
from .._arguments import environment as own_environment
from .._base import twin
from .._client import Runtime
from .._errors import HarnessError
from .._shell.gate import GateSettings
from ._gatekeeper import Gatekeeper
from ._shared import framework

with framework("deepagents", "deepagents"):
    from deepagents.backends import LocalShellBackend
    from deepagents.backends.protocol import ExecuteResponse, GrepResult

from .langchain import question

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from deepagents.backends.protocol import GrepMatch

    from .._types import GrepResult as Found
    from ._gatekeeper import Ruling

__all__ = ["GatedShellBackend"]

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
    ) -> None:
        """*settings* says what commands may read and write: by default they may
        read the runtime's working directory. Its shell and environment are
        those with which this backend runs commands. *approvals* is a mapping
        that several processes share when the one that resumes is not the one
        that asked; the rest is as for ``LocalShellBackend``."""
        self._sync, self._async = twin(runtime, Runtime), twin(runtime, AsyncRuntime)
        environment = {**(own_environment() if inherit_env else {}), **(env or {})}
        super().__init__(
            runtime.workdir,
            virtual_mode=virtual_mode,
            timeout=timeout,
            max_output_bytes=max_output_bytes,
            env=environment,
        )
        settings = replace(GateSettings() if settings is None else settings, env=environment, shell="posix")  # noqa: S604 - it spawns /bin/sh
        self._gate = Gatekeeper(runtime, settings, approvals=approvals)

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
            found = self._sync.grep(pattern, self._resolve_path(path or "."), glob, literal=True)
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
            found = await self._async.grep(pattern, self._resolve_path(path or "."), glob, literal=True)
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
        ruling = self._gate.rule(command, command, str(self.cwd))
        if ruling.decision == "ask":
            refused = question(self._gate, command, "execute", {"command": command}, ruling)
            ruling = refused or self._gate.rule(command, command, str(self.cwd), approved=True)
        return super().execute(command, timeout=timeout) if ruling.decision == "allow" else _refusal(ruling)


def _refusal(ruling: Ruling) -> ExecuteResponse:
    return ExecuteResponse(output=ruling.refusal, exit_code=_NOT_RUN, truncated=False)
