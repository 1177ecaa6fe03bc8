"""What all adapters do alike; an adapter only translates it.

:class:`Search` answers a model's call of ``glob`` or ``grep``, awaited or not.
The gate is in ``_gatekeeper``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .._aio import AsyncRuntime
from .._base import twin
from .._client import Runtime
from .._errors import ConfigError, HarnessError, ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Generator

    from .._config import StrPath
    from .._types import ToolDefinition, ToolResult

__all__ = ["Answer", "Conversation", "Of", "Search", "bound", "framework"]

R = TypeVar("R", Runtime, AsyncRuntime)


@dataclass(frozen=True, slots=True)
class Conversation:
    """On whose behalf one conversation searches and runs commands, and where.

    An agent serves many conversations with one runtime; a function that is
    given to its adapter makes one of these of what the framework says of the
    call: its thread, its session, its context.
    """

    owner: str | None
    """Whose saved results the conversation sees and makes: a name of its own. ``None`` saves nothing."""
    workdir: StrPath | None = None
    """Where its relative paths begin, below one of the configured roots; ``None``: where the runtime works."""


Of = Callable[[Any], Conversation]
"""From the framework's own context of a call to its conversation."""


def bound(runtime: R, of: Of | None, context: object) -> R:
    """*runtime* for the conversation of *context*. Raises :class:`ConfigError` where it is none."""
    if of is None:
        return runtime
    found = of(context)
    if not isinstance(found, Conversation):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigError(f"conversation must return a Conversation, not {type(found).__name__}")
    return runtime.bind(owner=found.owner, workdir=found.workdir)


@contextmanager
def framework(package: str, extra: str) -> Generator[None]:
    """Turn a failed import of *package* into one line that says what to install."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"this adapter needs {package} ({error}): pip install 'hydra-harness-runtime[{extra}]'",
            name=error.name,
        ) from error


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model is told of a search. ``retryable``: it can mend the call itself."""

    text: str
    is_error: bool = False
    retryable: bool = False
    structured: Mapping[str, object] | None = None


class Search:
    """The model's tools of one runtime, for callers that await and for those that do not.

    Making it asks the runtime for the tools and the guidance, which starts the
    runtime; both are served texts, none is kept here. Raises
    :class:`HarnessError` when there is no runtime to ask.
    """

    def __init__(self, runtime: Runtime | AsyncRuntime, of: Of | None = None) -> None:
        self._sync, self._async, self._of = twin(runtime, Runtime), twin(runtime, AsyncRuntime), of
        self.tools: tuple[ToolDefinition, ...] = self._sync.tools()
        self.guidance: str = self._sync.guidance()

    def call(self, name: str, arguments: object, context: object = None) -> Answer:
        """The page of the tool *name*, or its error; only cancellation is raised, and what the program's own
        function of *context* raises."""
        try:
            return _answer(bound(self._sync, self._of, context).call_tool(name, _mapping(arguments)))
        except HarnessError as error:
            return _failure(error)

    async def acall(self, name: str, arguments: object, context: object = None) -> Answer:
        """The same, awaited. Cancelling the task stops ripgrep."""
        try:
            return _answer(await bound(self._async, self._of, context).call_tool(name, _mapping(arguments)))
        except HarnessError as error:
            return _failure(error)


def _mapping(arguments: object) -> Mapping[str, object]:
    if not isinstance(arguments, Mapping):
        raise ToolArgumentError(f"the arguments must be a JSON object, not {type(arguments).__name__}")
    return arguments  # pyright: ignore[reportUnknownVariableType] - the runtime checks what is in it


def _answer(result: ToolResult) -> Answer:
    return Answer(result.text, result.is_error, _mendable(result.error), result.structured)


def _failure(error: HarnessError) -> Answer:
    return Answer(f"Error: {error}", is_error=True, retryable=_mendable(error))


def _mendable(error: HarnessError | None) -> bool:
    return error is not None and error.mender == "caller"
