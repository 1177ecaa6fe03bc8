"""The asynchronous client: the same names as the synchronous one, awaited."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, TypeVar

from . import _flows
from ._base import BaseRuntime, shell_environment
from ._calls import DEFAULT, Attempts, Deadline, Done, advance, check_process, late
from ._engine import HANG_UP_SECONDS, KILL_SECONDS
from ._errors import HarnessError
from ._spill.client import AsyncSpill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ._calls import Default, Timeout
    from ._config import StrPath
    from ._flows import AnyPath, Case, Flow, Reply
    from ._future import Future
    from ._protocol import Request
    from ._session import Call
    from ._shell.confine import Confine
    from ._shell.types import (
        Boundary,
        Confirmation,
        EstablishedPlan,
        GateDecision,
        Policy,
        Reestablishment,
        Shell,
        ShellPlan,
    )
    from ._types import GlobResult, GrepResult, RuntimeInfo, ToolDefinition, ToolResult

__all__ = ["AsyncRuntime"]

S = TypeVar("S")
T = TypeVar("T")


class AsyncRuntime(BaseRuntime):
    """The tools of a runtime, awaited from any number of tasks and event loops.

    >>> from hydra_harness_runtime import AsyncRuntime, SearchConfig
    >>> async def main() -> None:
    ...     search = SearchConfig(sample_over_cap_glob_results=True)
    ...     async with AsyncRuntime("src", search=search) as runtime:
    ...         result = await runtime.grep("TODO")

    Everything :class:`Runtime` says holds here. Cancelling the task that awaits
    a call stops the search behind it. One object may be used from several
    event loops, also of several threads.
    """

    # --- searching, for code

    async def glob(
        self,
        pattern: str,
        path: AnyPath | None = None,
        *,
        cursor: str | None = None,
        timeout: Timeout = DEFAULT,
    ) -> GlobResult:
        """See :meth:`Runtime.glob`."""
        return await self._run(_flows.glob(pattern, path, cursor=cursor), timeout)

    async def grep(
        self,
        pattern: str,
        path: AnyPath | None = None,
        include: str | None = None,
        *,
        case: Case = "sensitive",
        literal: bool = False,
        multiline: bool = False,
        before: int = 0,
        after: int = 0,
        context: int = 0,
        files_only: bool = False,
        count: bool = False,
        cursor: str | None = None,
        timeout: Timeout = DEFAULT,
    ) -> GrepResult:
        """See :meth:`Runtime.grep`."""
        flow = _flows.grep(
            pattern,
            path,
            include,
            case=case,
            literal=literal,
            multiline=multiline,
            before=before,
            after=after,
            context=context,
            files_only=files_only,
            count=count,
            cursor=cursor,
        )
        return await self._run(flow, timeout)

    # --- tools, for models

    async def call_tool(self, name: str, arguments: Mapping[str, object], *, timeout: Timeout = DEFAULT) -> ToolResult:
        """See :meth:`Runtime.call_tool`."""
        return await self._run(_flows.call_tool(name, arguments), timeout)

    async def tools(self, *, timeout: Timeout = DEFAULT) -> tuple[ToolDefinition, ...]:
        """See :meth:`Runtime.tools`."""
        return await self._run(_flows.tools(), timeout)

    async def guidance(self, *, timeout: Timeout = DEFAULT) -> str:
        """See :meth:`Runtime.guidance`."""
        return await self._run(_flows.guidance(), timeout)

    async def info(self, *, timeout: Timeout = DEFAULT) -> RuntimeInfo:
        """See :meth:`Runtime.info`."""
        return await self._run(_flows.info(), timeout)

    @property
    def spill(self) -> AsyncSpill:
        """The saved results of this object's owner."""
        return AsyncSpill(self._run, self.owner)

    # --- shell commands

    async def plan(
        self,
        command: str,
        *,
        shell: Shell = "bash",
        cwd: AnyPath | None = None,
        env: Mapping[str, str] | Default | None = DEFAULT,
        timeout: Timeout = DEFAULT,
    ) -> ShellPlan:
        """See :meth:`Runtime.plan`."""
        return await self._run(_flows.plan(command, shell=shell, cwd=cwd, env=shell_environment(env)), timeout)

    async def establish(
        self,
        plan: ShellPlan | Mapping[str, object],
        boundary: Boundary,
        *,
        lexical: bool = False,
        capabilities: Mapping[str, object] | None = None,
        timeout: Timeout = DEFAULT,
    ) -> EstablishedPlan:
        """See :meth:`Runtime.establish`."""
        return await self._run(_flows.establish(plan, boundary, lexical=lexical, capabilities=capabilities), timeout)

    async def reestablish(
        self,
        previous: EstablishedPlan | Mapping[str, object],
        boundary: Boundary | None = None,
        *,
        timeout: Timeout = DEFAULT,
    ) -> Reestablishment:
        """See :meth:`Runtime.reestablish`."""
        return await self._run(_flows.reestablish(previous, boundary), timeout)

    async def gate(
        self,
        command: str,
        *,
        read_roots: Sequence[StrPath] | None = None,
        write_roots: Sequence[StrPath] = (),
        cwd: StrPath | None = None,
        boundary: Boundary | None = None,
        shell: Shell = "bash",
        env: Mapping[str, str] | Default | None = DEFAULT,
        policy: Policy | None = None,
        confine: Confine | None = None,
        timeout: Timeout = DEFAULT,
    ) -> GateDecision:
        """See :meth:`Runtime.gate`."""
        edge = self._boundary(boundary, read_roots, write_roots, cwd)
        flow = _flows.gate(command, edge, shell=shell, env=shell_environment(env), policy=policy, confine=confine)
        return await self._run(flow, timeout)

    async def confirm(self, decision: GateDecision, *, timeout: Timeout = DEFAULT) -> Confirmation:
        """See :meth:`Runtime.confirm`."""
        return await self._run(_flows.confirm(decision), timeout)

    # --- life

    def bind(
        self,
        *,
        owner: str | Default | None = DEFAULT,
        workdir: StrPath | None = None,
        nested: bool | None = None,
    ) -> Self:
        """The same runtime on behalf of another owner, or in another directory.

        See :meth:`Runtime.bind`.
        """
        return self._bound(owner, workdir, nested)

    async def aclose(self) -> None:
        """End the runtime, within two seconds. See :meth:`Runtime.close`."""
        if not self._owns_engine:
            return
        session = self._engine.hang_up()
        if session is None:
            return
        try:
            if await _done(session.ended, HANG_UP_SECONDS):
                return
        finally:
            # Also when this task is cancelled meanwhile. It is too late for a gone one.
            session.kill()
        await _done(session.ended, KILL_SECONDS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _run(self, flow: Flow[T], timeout: Timeout = DEFAULT) -> T:
        deadline = self._deadline(timeout)
        step = advance(flow, None)
        while not isinstance(step, Done):
            try:
                answer: Reply | HarnessError = await self._answer(step, deadline)
            except HarnessError as error:
                answer = error
            step = advance(flow, answer)
        return step.value

    async def _answer(self, request: Request, deadline: Deadline) -> Reply:
        attempts = Attempts(request, deadline)
        while True:
            call = self._call(request, deadline)
            try:
                self._engine.submit(call)
                return await _wait(call, deadline)
            except HarnessError as error:
                self._settled(call, error)
                pause = attempts.pause(error)
                if pause is None:
                    raise
            except BaseException:  # above all CancelledError
                call.abandon("the task was cancelled")
                raise
            if pause:
                await asyncio.sleep(pause)


async def _wait(call: Call, deadline: Deadline) -> Reply:
    check_process(call)
    if not await _done(call.future, deadline.remaining()):
        raise late(call, deadline)
    check_process(call)
    return call.future.result()


async def _done(future: Future[S], seconds: float | None) -> bool:
    """Wait for a future that another thread completes; whether it did in time.

    :func:`asyncio.wrap_future` would log an error when the loop is closed
    before the answer arrives; here an answer that nobody awaits is dropped.
    """
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def wake(_: Future[S]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle)

    future.add_done_callback(wake)
    timer = None if seconds is None else loop.call_later(seconds, settle)
    try:
        await waiter
    finally:
        if timer is not None:
            timer.cancel()
    return future.done()
