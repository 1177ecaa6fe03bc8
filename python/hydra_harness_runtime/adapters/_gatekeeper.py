"""The gate at a framework's hook.

A hook is called once or twice for a command: before it runs, and again when a
person has answered. :class:`Gatekeeper` rules both times and fails closed:
whatever goes wrong in it is a refusal, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._aio import AsyncRuntime
from .._base import twin
from .._client import Runtime
from .._errors import ConfigError, ToolArgumentError
from .._shell.gate import AsyncShellGate, GateSettings, ShellGate
from ._shared import bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._shell.types import Decision, GateDecision
    from ._shared import Of

__all__ = ["Gatekeeper", "Ruling", "ShellCalls", "worst"]

GATE_SECONDS = 5.0
"""How long one look of the gate may take. It reads a few directories; the
shortest time-out of a host's hook is far above two such looks."""

_MOST_APPROVALS = 1024
"""Questions that are remembered until their answer comes. More are open only
where nobody answers; the oldest is then asked anew."""


class ShellCalls:
    """Which tools run a shell, and which of their arguments are the command and its directory."""

    def __init__(self, tools: Mapping[str, str | tuple[str, str]]) -> None:
        """*tools* maps a tool's name to its argument for the command, or to a
        pair: the arguments for the command and for its directory."""
        if not tools or isinstance(tools, str):
            raise ConfigError('name the tools that run a shell and their argument, e.g. {"shell": "command"}')
        self._tools = {name: (words, None) if isinstance(words, str) else words for name, words in tools.items()}

    @property
    def names(self) -> frozenset[str]:
        """The tools that are gated."""
        return frozenset(self._tools)

    def words(self, arguments: object, name: str) -> tuple[object, object]:
        """The command and the directory in the call's *arguments*; ``None`` where there is none."""
        command, cwd = self._tools[name]
        if not isinstance(arguments, Mapping):
            return None, None
        return arguments.get(command), cwd and arguments.get(cwd)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

    def rewritten(self, arguments: Mapping[str, Any], name: str, ruling: Ruling) -> dict[str, Any]:
        """The call's *arguments* with the command that *ruling* says to run."""
        return {**arguments, self._tools[name][0]: ruling.command} if ruling.command else dict(arguments)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is to be done with a command now.

    ``allow``: spawn it at once, or ``command`` in its place where there is one:
    that keeps it below a sandbox. ``ask``: show ``reasons`` to a person, who may
    approve what ``digest`` stands for. ``deny``: give the model ``refusal``.
    """

    decision: Decision
    reasons: str
    digest: str = ""
    command: str = ""

    @property
    def refusal(self) -> str:
        """Why the command was not run, for the model."""
        return f"Error: the command was not run: {self.reasons}"


class Gatekeeper:
    """A :class:`ShellGate` for hooks that are called again when a person has answered.

    An approval is good for what was shown: the command, its directory, and
    where its words led, all in the digest that is remembered under the id of
    the call. A yes that comes to a process that did not ask is refused;
    *approvals* replaces that memory, e.g. by a mapping that processes share.
    """

    def __init__(
        self,
        runtime: Runtime | AsyncRuntime,
        settings: GateSettings | None = None,
        *,
        approvals: MutableMapping[str, str] | None = None,
        of: Of | None = None,
    ) -> None:
        self._sync, self._async, self._of = twin(runtime, Runtime), twin(runtime, AsyncRuntime), of
        self._settings = settings
        ShellGate(self._sync, settings, timeout=GATE_SECONDS)  # a wrong setting is told now
        self._approvals: MutableMapping[str, str] = {} if approvals is None else approvals
        self._bounded = approvals is None

    def rule(
        self,
        call: str,
        command: object,
        cwd: object = None,
        *,
        approved: bool = False,
        digest: str | None = None,
        context: object = None,
    ) -> Ruling:
        """Rule on *command*; *approved*: a person has said yes to the call with the id *call*.

        What is approved is what :meth:`remember` was told under that id, or
        else *digest*, which the framework carried along with the question. The
        command is one of the conversation of *context*.
        """
        try:
            gate = ShellGate(bound(self._sync, self._of, context), self._settings, timeout=GATE_SECONDS)
            decision = gate.check(*_words(command, cwd))
            if early := _first_look(decision, approved=approved, shown=self._approvals.get(call) or digest):
                return early
            return _second_look(decision, gate.confirm(decision))
        except Exception as error:  # noqa: BLE001 - a gate that raises might be passed by
            return _broken(error)

    def remember(self, call: str, ruling: Ruling) -> None:
        """The call's question is being put to a person: a yes will be good for *ruling*."""
        if self._bounded and call not in self._approvals and len(self._approvals) >= _MOST_APPROVALS:
            self._approvals.pop(next(iter(self._approvals)), None)
        self._approvals[call] = ruling.digest

    async def arule(
        self,
        call: str,
        command: object,
        cwd: object = None,
        *,
        approved: bool = False,
        digest: str | None = None,
        context: object = None,
    ) -> Ruling:
        """See :meth:`rule`."""
        try:
            gate = AsyncShellGate(bound(self._async, self._of, context), self._settings, timeout=GATE_SECONDS)
            decision = await gate.check(*_words(command, cwd))
            if early := _first_look(decision, approved=approved, shown=self._approvals.get(call) or digest):
                return early
            return _second_look(decision, await gate.confirm(decision))
        except Exception as error:  # noqa: BLE001
            return _broken(error)


def _first_look(decision: GateDecision, *, approved: bool, shown: str | None) -> Ruling | None:
    """The ruling after the first look; ``None``: it may run if the second look agrees.

    *shown* is the digest of what was approved.
    """
    if decision.decision in ("allow", "confine"):
        return None
    if decision.decision != "ask":
        return Ruling("deny", _reasons(decision))
    if not approved:
        return Ruling("ask", _reasons(decision), decision.digest)
    if shown and shown == decision.digest:
        return None
    why = "what it reads or writes changed since it was approved" if shown else "this process asked for no approval"
    return Ruling("deny", f"{why}; call the tool again to have it judged anew")


def _words(command: object, cwd: object) -> tuple[str, str | None]:
    if not isinstance(command, str) or not command.strip():
        raise ToolArgumentError("the call has no command: write the whole command line as one string")
    if cwd is not None and not isinstance(cwd, str):
        raise ToolArgumentError(f"the directory of the command must be a string, not {type(cwd).__name__}")
    return command, cwd


def _second_look(first: GateDecision, second: GateDecision) -> Ruling:
    """What ran through the first look may run if nothing moved since."""
    if first.digest and first == second:
        return Ruling("allow", _reasons(second), second.digest, second.command if second.prefix else "")
    return Ruling("deny", f"it changed while it was judged: {_reasons(second)}; call the tool again")


def _reasons(decision: GateDecision) -> str:
    return "; ".join(reason.message for reason in decision.reasons) or "the gate gave no reason"


def _broken(error: Exception) -> Ruling:
    return Ruling("deny", str(error) if isinstance(error, ToolArgumentError) else f"the gate failed: {error!r}")


def worst(rulings: Sequence[Ruling]) -> Ruling:
    """One ruling for what runs together: the strictest decision, with each reason once."""
    order: tuple[Decision, ...] = ("allow", "confine", "ask", "deny")
    decision = order[max(order.index(ruling.decision) for ruling in rulings)]
    reasons = dict.fromkeys(ruling.reasons for ruling in rulings if ruling.decision == decision)
    return Ruling(decision, "; ".join(reasons))
