"""Reading saved results: the twins behind ``Runtime.spill`` and ``AsyncRuntime.spill``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from .. import _flows
from .._calls import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from .._calls import Timeout
    from .._flows import Flow
    from .types import SpillArtifact, SpillSweep, SpillText

__all__ = ["AsyncSpill", "Spill"]

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, flow: Flow[T], timeout: Timeout = ..., /) -> T: ...


class _RunAsync(Protocol):
    def __call__(self, flow: Flow[T], timeout: Timeout = ..., /) -> Awaitable[T]: ...


class Spill:
    """The saved results of one owner; another owner's do not exist for it.

    *artifact* is an id or a locator. Every call takes ``timeout`` in seconds
    and raises :class:`SpillError`; an unknown artifact is
    :class:`SpillNotFoundError`.
    """

    def __init__(self, run: _Run) -> None:
        self._run = run

    def read(
        self,
        artifact: str,
        *,
        offset: int | None = None,
        length: int | None = None,
        line: int | None = None,
        lines: int | None = None,
        timeout: Timeout = DEFAULT,
    ) -> SpillText:
        """A part of the text: *length* bytes from *offset* (0), or *lines* lines from *line* (1).

        Without a range, from the beginning. A long part comes in pieces:
        :attr:`SpillText.next_offset` says where to go on.
        """
        return self._run(_flows.spill_read(artifact, offset=offset, length=length, line=line, lines=lines), timeout)

    def stat(self, artifact: str, *, timeout: Timeout = DEFAULT) -> SpillArtifact:
        """What it is, without its text."""
        return self._run(_flows.spill_stat(artifact), timeout)

    def list(self, *, timeout: Timeout = DEFAULT) -> tuple[SpillArtifact, ...]:
        """All of this owner's."""
        return self._run(_flows.spill_list(), timeout)

    def delete(self, artifact: str, *, timeout: Timeout = DEFAULT) -> None:
        """Remove it."""
        self._run(_flows.spill_delete(artifact), timeout)

    def sweep(self, *, timeout: Timeout = DEFAULT) -> SpillSweep:
        """Remove what is past the configured age or size."""
        return self._run(_flows.spill_sweep(), timeout)


class AsyncSpill:
    """The same as :class:`Spill`, awaited."""

    def __init__(self, run: _RunAsync) -> None:
        self._run = run

    async def read(
        self,
        artifact: str,
        *,
        offset: int | None = None,
        length: int | None = None,
        line: int | None = None,
        lines: int | None = None,
        timeout: Timeout = DEFAULT,
    ) -> SpillText:
        """See :meth:`Spill.read`."""
        flow = _flows.spill_read(artifact, offset=offset, length=length, line=line, lines=lines)
        return await self._run(flow, timeout)

    async def stat(self, artifact: str, *, timeout: Timeout = DEFAULT) -> SpillArtifact:
        """See :meth:`Spill.stat`."""
        return await self._run(_flows.spill_stat(artifact), timeout)

    async def list(self, *, timeout: Timeout = DEFAULT) -> tuple[SpillArtifact, ...]:
        """See :meth:`Spill.list`."""
        return await self._run(_flows.spill_list(), timeout)

    async def delete(self, artifact: str, *, timeout: Timeout = DEFAULT) -> None:
        """See :meth:`Spill.delete`."""
        await self._run(_flows.spill_delete(artifact), timeout)

    async def sweep(self, *, timeout: Timeout = DEFAULT) -> SpillSweep:
        """See :meth:`Spill.sweep`."""
        return await self._run(_flows.spill_sweep(), timeout)
