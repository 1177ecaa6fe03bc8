"""A gate in front of a shell: check a command, then confirm just before it is spawned.

It fails closed. A time-out, a crash, an answer that cannot be read and an
approval for another command are never an allow.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from .._aio import AsyncRuntime
from .._arguments import fs_path, fs_paths, kind_of
from .._calls import DEFAULT, Default, seconds
from .._client import Runtime
from .._errors import ConfigError, HarnessError, ToolArgumentError
from .confine import Confine
from .types import Boundary, GateDecision, GateReason, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._config import StrPath
    from .types import Confirmation, Decision, Shell

__all__ = ["AsyncShellGate", "GateSettings", "ShellGate"]

OnError = Literal["ask", "deny"]

_MILDNESS: dict[Decision, int] = {"allow": 0, "confine": 1, "ask": 2, "deny": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What commands may do: where they read and write, and for which shell they are.

    Relative folders start from the runtime's working directory, wherever a
    command runs: that is often the model's choice, and must not widen them.
    Raises :class:`ConfigError` for what is no list of paths.
    """

    read_roots: Sequence[StrPath] | None = None
    """Folders that may be read; ``None``: the runtime's working directory."""
    write_roots: Sequence[StrPath] = ()
    """Folders that may be written; none by default."""
    deny_paths: Sequence[str] | None = None
    """Paths that are refused in any case; ``None``: the runtime's list of credentials below the home."""
    home: str | None = field(default_factory=lambda: os.environ.get("HOME"))
    """The home that ``~`` means; by default that of this process."""
    shell: Shell = "bash"
    """The shell that will run the command: ``bash``, ``dash``, or ``posix`` for an ``sh`` of unknown make."""
    env: Mapping[str, str] | Default | None = field(default=DEFAULT, repr=False)
    """The environment that the shell will have: by default this process's own, ``None`` when it is not known."""
    policy: Policy | None = None
    """What becomes of what is not known; ``None``: the runtime asks."""
    confine: Confine | None = None
    """What runs below a sandbox of the kernel instead of being asked about; ``None``: nothing."""

    def __post_init__(self) -> None:
        for name in ("read_roots", "write_roots", "deny_paths"):
            if getattr(self, name) is not None:
                fs_paths(name, getattr(self, name), ConfigError)
        if self.policy is not None:
            kind_of("policy", self.policy, Policy, ConfigError)
        if self.confine is not None:
            kind_of("confine", self.confine, Confine, ConfigError)

    def boundary(self, cwd: str, workdir: str) -> Boundary:
        """The boundary for a command that runs in *cwd*, of a runtime that works in *workdir*; both absolute."""
        roots = (workdir,) if self.read_roots is None else self.read_roots
        return Boundary(
            read_roots=[os.path.join(workdir, os.fspath(root)) for root in roots],  # noqa: PTH118 - not resolved on purpose
            write_roots=[os.path.join(workdir, os.fspath(root)) for root in self.write_roots],  # noqa: PTH118
            deny_paths=self.deny_paths,
            home=self.home,
            cwd=cwd,
        )


class _Gate:
    """What both gates share: settings and the rules for failures."""

    def __init__(self, settings: GateSettings | None, on_error: OnError, timeout: float) -> None:
        if on_error not in ("ask", "deny"):
            raise ConfigError(f'on_error must be "ask" or "deny", not {on_error!r}: a gate that broke allows nothing')
        self._settings = (
            GateSettings() if settings is None else kind_of("settings", settings, GateSettings, ConfigError)
        )
        self._on_error: OnError = on_error
        self._timeout = seconds(timeout, None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on_error={self._on_error!r} timeout={self._timeout!r} {self._settings!r}>"

    def _failed(self, command: str, error: HarnessError) -> GateDecision:
        if isinstance(error, ToolArgumentError):
            message = f"the command cannot be judged: {error}"
        else:
            message = f"the gate could not look at the command: {error}"
        reason = GateReason(code=error.code, message=message)
        return GateDecision(self._on_error, (reason,), "", command, {}, {}, {})

    def _unconfirmable(self, decision: GateDecision) -> GateDecision:
        """One that rests on nothing cannot be looked at again: an allow of that kind falls."""
        reason = GateReason("UNCONFIRMABLE", "the decision names no establishment to look at again")
        strictest = _stricter(decision.decision, self._on_error)
        return replace(decision, decision=strictest, reasons=(*decision.reasons, reason))

    def _failed_again(self, decision: GateDecision, error: HarnessError) -> GateDecision:
        failed = self._failed(decision.command, error)
        return replace(failed, decision=_stricter(decision.decision, failed.decision))


class ShellGate(_Gate):
    """Checks commands through *runtime*.

    >>> gate = ShellGate(runtime, GateSettings(read_roots=["."]))  # doctest: +SKIP
    >>> decision = gate.check("cat notes.txt", cwd="/work")  # doctest: +SKIP
    >>> if decision.allowed and gate.confirm(decision).allowed:  # doctest: +SKIP
    ...     subprocess.run(["bash", "-c", decision.command], cwd="/work")

    With ``GateSettings(confine=Confine())`` the decision may also be ``confine``,
    and ``decision.command`` then starts the sandbox.

    An ``allow`` means that what the command reads and writes lands inside the
    roots. It does not mean that the command is harmless, and between the
    second look and the shell's own open nothing is promised: only a sandbox of
    the kernel closes that window.
    """

    def __init__(
        self,
        runtime: Runtime,
        settings: GateSettings | None = None,
        *,
        on_error: OnError = "deny",
        timeout: float = 5.0,
    ) -> None:
        """*on_error* is the decision when there is none; *timeout* is in seconds."""
        super().__init__(settings, on_error, timeout)
        self._runtime = kind_of("runtime", runtime, Runtime, ConfigError)

    def check(self, command: str, cwd: StrPath | None = None) -> GateDecision:
        """The decision on *command*, to be run in *cwd*. Raises no :class:`HarnessError`."""
        settings = self._settings
        try:
            return self._runtime.gate(
                command,
                boundary=settings.boundary(_absolute(cwd, self._runtime.workdir), self._runtime.workdir),
                shell=settings.shell,
                env=settings.env,
                policy=settings.policy,
                confine=settings.confine,
                timeout=self._timeout,
            )
        except HarnessError as error:
            return self._failed(command, error)

    def confirm(self, decision: GateDecision) -> GateDecision:
        """Look again at the command of *decision*; never milder than it was."""
        if not decision.digest:
            return self._unconfirmable(decision)
        try:
            return _confirmed(decision, self._runtime.confirm(decision, timeout=self._timeout))
        except HarnessError as error:
            return self._failed_again(decision, error)


class AsyncShellGate(_Gate):
    """The same as :class:`ShellGate`, awaited."""

    def __init__(
        self,
        runtime: AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        on_error: OnError = "deny",
        timeout: float = 5.0,
    ) -> None:
        """See :class:`ShellGate`."""
        super().__init__(settings, on_error, timeout)
        self._runtime = kind_of("runtime", runtime, AsyncRuntime, ConfigError)

    async def check(self, command: str, cwd: StrPath | None = None) -> GateDecision:
        """See :meth:`ShellGate.check`."""
        settings = self._settings
        try:
            return await self._runtime.gate(
                command,
                boundary=settings.boundary(_absolute(cwd, self._runtime.workdir), self._runtime.workdir),
                shell=settings.shell,
                env=settings.env,
                policy=settings.policy,
                confine=settings.confine,
                timeout=self._timeout,
            )
        except HarnessError as error:
            return self._failed(command, error)

    async def confirm(self, decision: GateDecision) -> GateDecision:
        """See :meth:`ShellGate.confirm`."""
        if not decision.digest:
            return self._unconfirmable(decision)
        try:
            return _confirmed(decision, await self._runtime.confirm(decision, timeout=self._timeout))
        except HarnessError as error:
            return self._failed_again(decision, error)


def _confirmed(decision: GateDecision, confirmation: Confirmation) -> GateDecision:
    moved = [reason for reason in confirmation.reasons if reason.code == "CHANGED"]
    if not moved:
        moved = [GateReason("CHANGED", f"a word leads to {word.target} now") for word in confirmation.changed]
        moved += [GateReason("CHANGED", f"the root {root} moved") for root in confirmation.changed_roots]
    strictest = _stricter(decision.decision, confirmation.decision)
    if not moved and strictest != decision.decision:
        # Stricter though no word moved: a decision never stands without its reason.
        moved = [reason for reason in confirmation.reasons if reason not in decision.reasons]
        moved = moved or [GateReason("CHANGED", f"the command is judged again, and it is {strictest} now")]
    if moved:
        strictest = _stricter(strictest, "ask")
    return replace(decision, decision=strictest, reasons=(*decision.reasons, *moved))


def _stricter(one: Decision, other: Decision) -> Decision:
    return max(one, other, key=_MILDNESS.__getitem__)


def _absolute(cwd: StrPath | None, workdir: str) -> str:
    return workdir if cwd is None else os.path.join(workdir, fs_path("cwd", cwd))  # noqa: PTH118 - not resolved on purpose
