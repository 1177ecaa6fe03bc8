"""Reading saved results: the twins behind ``Runtime.spill`` and ``AsyncRuntime.spill``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from .. import _flows
from .._calls import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from .._calls import Timeout
    from .._flows import Flow
    from .types import SavedResult, SpillSweep, SpillText

__all__ = ["AsyncSpill", "Spill"]

T = TypeVar("T")


class _Run(Protocol):
    def __call__(self, flow: Flow[T], timeout: Timeout = ..., /) -> T: ...


class _RunAsync(Protocol):
    def __call__(self, flow: Flow[T], timeout: Timeout = ..., /) -> Awaitable[T]: ...


class Spill:
    """The saved results of one owner; another owner's do not exist for it.

    *saved* is an id or a locator. Every call takes ``timeout`` in seconds
    and raises :class:`SpillError`; an unknown one is
    :class:`SpillNotFoundError`.
    """

    def __init__(self, run: _Run, owner: str | None) -> None:
        self._run, self._owner = run, owner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} owner={self._owner!r}>"

    def read(
        self,
        saved: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        line: int | None = None,
        lines: int | None = None,
        timeout: Timeout = DEFAULT,
    ) -> SpillText:
        """A part of the text: *limit* bytes from *offset* (0), or *lines* lines from *line* (1).

        Without a range, from the beginning. A long part comes in pieces:
        :attr:`SpillText.next_offset` says where to go on.
        """
        return self._run(_flows.spill_read(saved, offset=offset, limit=limit, line=line, lines=lines), timeout)

    def stat(self, saved: str, *, timeout: Timeout = DEFAULT) -> SavedResult:
        """What it is, without its text."""
        return self._run(_flows.spill_stat(saved), timeout)

    def list(self, *, timeout: Timeout = DEFAULT) -> tuple[SavedResult, ...]:
        """All of this owner's."""
        return self._run(_flows.spill_list(), timeout)

    def delete(self, saved: str, *, timeout: Timeout = DEFAULT) -> None:
        """Remove it."""
        self._run(_flows.spill_delete(saved), timeout)

    def sweep(self, *, timeout: Timeout = DEFAULT) -> SpillSweep:
        """Remove what is past the configured age or size."""
        return self._run(_flows.spill_sweep(), timeout)


class AsyncSpill:
    """The same as :class:`Spill`, awaited."""

    def __init__(self, run: _RunAsync, owner: str | None) -> None:
        self._run, self._owner = run, owner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} owner={self._owner!r}>"

    async def read(
        self,
        saved: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        line: int | None = None,
        lines: int | None = None,
        timeout: Timeout = DEFAULT,
    ) -> SpillText:
        """See :meth:`Spill.read`."""
        flow = _flows.spill_read(saved, offset=offset, limit=limit, line=line, lines=lines)
        return await self._run(flow, timeout)

    async def stat(self, saved: str, *, timeout: Timeout = DEFAULT) -> SavedResult:
        """See :meth:`Spill.stat`."""
        return await self._run(_flows.spill_stat(saved), timeout)

    async def list(self, *, timeout: Timeout = DEFAULT) -> tuple[SavedResult, ...]:
        """See :meth:`Spill.list`."""
        return await self._run(_flows.spill_list(), timeout)

    async def delete(self, saved: str, *, timeout: Timeout = DEFAULT) -> None:
        """See :meth:`Spill.delete`."""
        await self._run(_flows.spill_delete(saved), timeout)

    async def sweep(self, *, timeout: Timeout = DEFAULT) -> SpillSweep:
        """See :meth:`Spill.sweep`."""
        return await self._run(_flows.spill_sweep(), timeout)
