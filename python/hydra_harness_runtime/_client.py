"""The synchronous client."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from . import _flows
from ._base import BaseRuntime, shell_environment
from ._calls import DEFAULT, Attempts, Deadline, Done, advance, check_process, late
from ._errors import HarnessError
from ._spill.client import Spill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ._calls import Default, Timeout
    from ._config import StrPath
    from ._flows import AnyPath, Case, Flow, Reply
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

__all__ = ["Runtime"]

T = TypeVar("T")


class Runtime(BaseRuntime):
    """The tools of a runtime, called from any number of threads.

    >>> from hydra_harness_runtime import Runtime, SearchConfig
    >>> with Runtime("src", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:  # doctest: +SKIP
    ...     for match in runtime.grep("TODO").matches:
    ...         print(match.path, match.line_number, match.line)

    The process behind it starts with the first call and ends with
    :meth:`Runtime.close`, with the ``with`` block, or with the interpreter. If it
    crashes, the calls in flight fail and the next one starts another; calls
    that only read are tried a second time by themselves. A forked child gets a
    process of its own; a pickled ``Runtime`` does, too.

    Every call takes ``timeout`` in seconds (``None``: no limit). Beyond it, it
    raises :class:`RuntimeTimeoutError`; a search that the runtime itself cut
    short raises :class:`SearchAbortedError`. Any call may raise
    :class:`RuntimeBundleError`, :class:`ConfigError`, :class:`RuntimeClosedError`
    and :class:`RuntimeBusyError`. Every error is a :class:`HarnessError`.
    """

    # --- searching, for code

    def glob(
        self,
        pattern: str,
        path: AnyPath | None = None,
        *,
        cursor: str | None = None,
        timeout: Timeout = DEFAULT,
    ) -> GlobResult:
        """Every file whose path matches the glob *pattern*, below the directory *path*.

        A pattern without ``/`` matches the name at any depth; one with ``/`` is
        relative to *path*. Hidden and ignored files are included, directories
        are not. A *path* that is not UTF-8 may be given as bytes. *cursor* is as
        for :meth:`Runtime.grep`.

        Raises :class:`SearchError`, :class:`ToolArgumentError`.
        """
        return self._run(_flows.glob(pattern, path, cursor=cursor), timeout)

    def grep(
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
        """Every line that matches the regular expression *pattern*.

        *path* is a file or a directory, *include* one glob that narrows the
        files. ``case="smart"`` ignores case unless the pattern has a capital,
        *literal* takes the pattern as plain text, *multiline* lets a match span
        lines. *before*, *after* and *context* (both) ask for lines around each
        match, at most 1000. *files_only* and *count* ask only which files match
        and how many of their lines: see :attr:`GrepResult.files`. Hidden and
        ignored files are left out.

        The whole result arrives in pages of at most 7 MiB, which are put
        together. *cursor* asks for one page instead: ``""`` for the first, then
        :attr:`GrepResult.next_cursor`. Each page is a search of its own; one
        that does not follow from the page before, because the tree changed, is
        a :class:`SearchFailedError` whose ``details["reason"]`` is ``changed``.

        Raises :class:`SearchError`, :class:`ToolArgumentError`.
        """
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
        return self._run(flow, timeout)

    # --- tools, for models

    def call_tool(self, name: str, arguments: Mapping[str, object], *, timeout: Timeout = DEFAULT) -> ToolResult:
        """What a model sees of the tool *name*: one bounded page.

        A failure of the tool is a result with ``is_error``, since a model has
        to read it; :meth:`ToolResult.raise_for_error` raises it. What is wrong
        with the runtime is raised here.
        """
        return self._run(_flows.call_tool(name, arguments), timeout)

    def tools(self, *, timeout: Timeout = DEFAULT) -> tuple[ToolDefinition, ...]:
        """The tools to offer a model: names, descriptions, schemas."""
        return self._run(_flows.tools(), timeout)

    def guidance(self, *, timeout: Timeout = DEFAULT) -> str:
        """The text for a system prompt that says when to use which tool."""
        return self._run(_flows.guidance(), timeout)

    def info(self, *, timeout: Timeout = DEFAULT) -> RuntimeInfo:
        """What runs: versions, the sidecar, roots, limits (bytes, counts, milliseconds)."""
        return self._run(_flows.info(), timeout)

    @property
    def spill(self) -> Spill:
        """The saved results of this object's owner."""
        return Spill(self._run, self.owner)

    # --- shell commands

    def plan(
        self,
        command: str,
        *,
        shell: Shell = "bash",
        cwd: AnyPath | None = None,
        env: Mapping[str, str] | Default | None = DEFAULT,
        timeout: Timeout = DEFAULT,
    ) -> ShellPlan:
        """Which words of *command* may be read or written. Nothing is looked at or run.

        *env* is the environment that the shell will have: by default this
        process's own; ``None`` means that it is not known, which makes a plan
        opaque wherever a variable would decide. What cannot be modelled is no
        error but a word of :attr:`ShellPlan.opaque`.

        Raises :class:`ToolArgumentError`.
        """
        return self._run(_flows.plan(command, shell=shell, cwd=cwd, env=shell_environment(env)), timeout)

    def establish(
        self,
        plan: ShellPlan | Mapping[str, object],
        boundary: Boundary,
        *,
        lexical: bool = False,
        capabilities: Mapping[str, object] | None = None,
        timeout: Timeout = DEFAULT,
    ) -> EstablishedPlan:
        """Where the words of *plan* land; ``lexical=True`` asks no file system.

        *capabilities* says what is known about the environment, where it is not
        this machine: see docs/protocol.md.

        Raises :class:`BadPlanError`, :class:`EstablishAbortedError`.
        """
        return self._run(_flows.establish(plan, boundary, lexical=lexical, capabilities=capabilities), timeout)

    def reestablish(
        self,
        previous: EstablishedPlan | Mapping[str, object],
        boundary: Boundary | None = None,
        *,
        timeout: Timeout = DEFAULT,
    ) -> Reestablishment:
        """What moved since *previous* was established, by default within its own boundary.

        Raises as :meth:`Runtime.establish`."""
        return self._run(_flows.reestablish(previous, boundary), timeout)

    def gate(
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
        """Whether *command* stays inside: allow, ask or deny, with reasons.

        By default it may read below the working directory and write nowhere.
        *boundary* says all of it at once, instead of the three before it.
        *env* is as for :meth:`Runtime.plan`. *policy* says what becomes
        of what is not known, *confine* what runs below a sandbox of the kernel
        instead of being asked about. What cannot be judged is an ask or a deny with its
        reason, and no error.

        Raises :class:`ToolArgumentError`, :class:`EstablishAbortedError`.
        """
        edge = self._boundary(boundary, read_roots, write_roots, cwd)
        flow = _flows.gate(command, edge, shell=shell, env=shell_environment(env), policy=policy, confine=confine)
        return self._run(flow, timeout)

    def confirm(self, decision: GateDecision, *, timeout: Timeout = DEFAULT) -> Confirmation:
        """Look again, just before the spawn: an allow stands only if nothing moved.

        Raises as :meth:`Runtime.gate`, and :class:`EstablishError` for a decision
        that is not one of this runtime's.
        """
        return self._run(_flows.confirm(decision), timeout)

    # --- life

    def bind(
        self,
        *,
        owner: str | Default | None = DEFAULT,
        workdir: StrPath | None = None,
        nested: bool | None = None,
    ) -> Self:
        """The same runtime on behalf of another owner, or in another directory.

        *workdir* must lie below one of the configured roots. ``nested=True``
        marks calls whose results do not enter a model's context: they are never
        saved. Closing the bound object closes nothing.

        Raises :class:`ConfigError`.
        """
        return self._bound(owner, workdir, nested)

    def close(self) -> None:
        """End the runtime, within two seconds. Calls in flight fail; further ones raise.

        Closing twice does nothing, and so does closing a bound object.
        """
        if self._owns_engine:
            self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, flow: Flow[T], timeout: Timeout = DEFAULT) -> T:
        deadline = self._deadline(timeout)
        step = advance(flow, None)
        while not isinstance(step, Done):
            try:
                answer: Reply | HarnessError = self._answer(step, deadline)
            except HarnessError as error:
                answer = error
            step = advance(flow, answer)
        return step.value

    def _answer(self, request: Request, deadline: Deadline) -> Reply:
        attempts = Attempts(request, deadline)
        while True:
            call = self._call(request, deadline)
            try:
                self._engine.submit(call)
                return _wait(call, deadline)
            except HarnessError as error:
                self._settled(call, error)
                pause = attempts.pause(error)
                if pause is None:
                    raise
            except BaseException:  # above all KeyboardInterrupt, at any moment
                call.abandon("the caller gave up")
                raise
            if pause:
                time.sleep(pause)


def _wait(call: Call, deadline: Deadline) -> Reply:
    check_process(call)
    if not call.future.wait(deadline.remaining()):
        raise late(call, deadline)
    return call.future.result()
