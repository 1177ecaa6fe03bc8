"""What searches and tools answer: frozen values that can be compared and pickled."""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ._canonical import Canonical
from ._errors import HarnessError

__all__ = [
    "GlobResult",
    "GrepFile",
    "GrepMatch",
    "GrepResult",
    "Incomplete",
    "IndexUse",
    "RipgrepInfo",
    "RuntimeInfo",
    "SearchNote",
    "SearchStats",
    "SearchWarning",
    "ToolDefinition",
    "ToolResult",
]


@dataclass(frozen=True, slots=True)
class SearchWarning(Canonical):
    """Entries that could not be looked at: the result is right but may lack theirs."""

    code: str
    """``UNREADABLE``, ``VANISHED`` or ``IGNORE_FILE``."""
    message: str
    """The same for people."""
    count: int = 1
    """How many entries."""
    paths: tuple[str, ...] = ()
    """The first of them."""


@dataclass(frozen=True, slots=True)
class SearchNote(Canonical):
    """Explains a result, above all an empty one."""

    code: str
    """What is explained, e.g. ``HIDDEN_NOT_SEARCHED``."""
    message: str
    """The explanation, for people and models."""


@dataclass(frozen=True, slots=True)
class IndexUse(Canonical):
    """Whether an index had a part in an answer, which is the same with and without."""

    used: str
    """``"barrier"`` or ``"no"``."""
    reason: str = ""
    """Why not: a word of ``docs/search-index.md``."""
    files: int = 0
    """Files that the search would have looked at without an index, their number."""
    candidates: int = 0
    """Files that it looked at instead, their number."""


@dataclass(frozen=True, slots=True)
class SearchStats(Canonical):
    """What a search cost."""

    files: int = 0
    """Files listed or searched, their number."""
    bytes: int = 0
    """Bytes searched."""
    ms: float = 0.0
    """Milliseconds that the search took."""
    threads: int = 0
    """Threads that ripgrep was allowed, their number."""
    index: IndexUse | None = None
    """Whether an index had a part in the answer; ``None`` where none is kept. ``bytes`` is 0 with one."""


@dataclass(frozen=True, slots=True)
class Incomplete(Canonical):
    """Why a result is not the whole; only with ``cut_short="page"`` in the :class:`SearchConfig`."""

    reason: str
    """The limit that was met: ``timeout`` or ``rawOutputMaxBytes``."""
    message: str
    """The same for people."""


@dataclass(frozen=True, slots=True)
class GlobResult(Canonical):
    """Every file that matched, in the configured order; its length and its items are those of ``paths``."""

    root: str
    """The directory searched, as the call spelled it."""
    paths: tuple[str, ...]
    r"""The files, relative to :attr:`Runtime.workdir` unless *path* was absolute.

    A name that is not UTF-8 is escaped for reading (``bad\xff.txt``);
    :attr:`GlobResult.fs_paths` is what ``open`` takes.
    """
    path_bytes: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    """The exact bytes of the paths that are not UTF-8, by their index in ``paths``."""
    root_bytes: bytes | None = None
    """The exact bytes of ``root``, when they are not UTF-8."""
    warnings: tuple[SearchWarning, ...] = ()
    """What could not be looked at."""
    notes: tuple[SearchNote, ...] = ()
    """What explains the result."""
    stats: SearchStats | None = None
    """What it cost."""
    incomplete: Incomplete | None = None
    """Set when the search was cut short."""
    next_cursor: str | None = None
    """Of a single page: what to give as *cursor* for the one after; ``None`` at the end."""

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    @property
    def fs_paths(self) -> tuple[str, ...]:
        """The paths for use with the file system, in Python's own encoding of it."""
        if not self.path_bytes:
            return self.paths
        exact = self.path_bytes
        return tuple(os.fsdecode(exact[i]) if i in exact else path for i, path in enumerate(self.paths))


@dataclass(frozen=True, slots=True)
class GrepMatch(Canonical):
    """One matching line."""

    path: str
    r"""The file; a name that is not UTF-8 is escaped for reading (``bad\xff.txt``)."""
    line_number: int
    """The number of the line, from 1."""
    line: str
    """The whole line without its end; bytes that are not UTF-8 are U+FFFD in it."""
    path_bytes: bytes | None = None
    """The exact bytes of ``path``, when they are not UTF-8."""
    context: bool = False
    """The line did not match, and was asked for beside one that did."""
    line_bytes: int | None = None
    """Set when the line was too long to travel whole: how many bytes it has."""

    @property
    def fs_path(self) -> str:
        """The path for use with the file system."""
        return self.path if self.path_bytes is None else os.fsdecode(self.path_bytes)


@dataclass(frozen=True, slots=True)
class GrepFile(Canonical):
    """A file with matches."""

    path: str
    """The file; a name that is not UTF-8 is escaped for reading."""
    count: int | None = None
    """How many of its lines match; ``None`` when that was not asked."""
    path_bytes: bytes | None = None
    """The exact bytes of ``path``, when they are not UTF-8."""

    @property
    def fs_path(self) -> str:
        """The path for use with the file system."""
        return self.path if self.path_bytes is None else os.fsdecode(self.path_bytes)


@dataclass(frozen=True, slots=True)
class GrepResult(Canonical):
    """Every matching line, by path, then line number; :attr:`GrepResult.paths` has the files.

    Its length and its items are those of ``matches``, or of ``files`` where these were asked for.
    """

    matches: tuple[GrepMatch, ...]
    """The lines; empty in a search for ``files_only`` or ``count``."""
    files: tuple[GrepFile, ...] = ()
    """The files, in a search for ``files_only`` or ``count``."""
    warnings: tuple[SearchWarning, ...] = ()
    """What could not be looked at."""
    notes: tuple[SearchNote, ...] = ()
    """What explains the result."""
    stats: SearchStats | None = None
    """What it cost."""
    incomplete: Incomplete | None = None
    """Set when the search was cut short."""
    next_cursor: str | None = None
    """Of a single page: what to give as *cursor* for the one after; ``None`` at the end."""

    def __len__(self) -> int:
        return len(self.matches or self.files)

    def __iter__(self) -> Iterator[GrepMatch | GrepFile]:
        return iter(self.matches or self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files with a match, each once, in order."""
        found = self.files or self.matches
        return tuple(dict.fromkeys(item.path for item in found))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it."""

    name: str
    """What :meth:`Runtime.call_tool` takes: ``glob`` or ``grep``."""
    description: str
    """What the model reads."""
    input_schema: Mapping[str, object]
    """The JSON Schema of the arguments."""
    output_schema: Mapping[str, object] | None = None
    """The JSON Schema of :attr:`ToolResult.structured`."""
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])
    """MCP's hints, such as ``readOnlyHint``."""
    title: str = ""
    """The name for people."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a model sees of a tool call."""

    text: str
    """The page; for a failed call it begins with ``Error:``."""
    is_error: bool = False
    """Whether the call failed."""
    structured: Mapping[str, object] | None = None
    """The same page for programs, with totals; ``None`` for a failed call."""
    locator: str | None = None
    """Where the complete result was saved; ``None`` when it fits, or could not be saved."""
    error: HarnessError | None = None
    """What :meth:`ToolResult.raise_for_error` raises."""
    meta: Mapping[str, object] = field(default_factory=dict[str, object])
    """The ``_meta`` of the answer, as it came."""

    def raise_for_error(self) -> ToolResult:
        """Raise the call's error, if it failed; else the result itself."""
        if self.is_error:
            raise self.error or HarnessError(self.text)
        return self


@dataclass(frozen=True, slots=True)
class RipgrepInfo:
    """The sidecar in use."""

    version: str
    """Its version; empty when it cannot be run."""
    sha256: str
    """The digest of the file; empty when it cannot be run."""
    path: str
    """The file."""
    problem: str = ""
    """Why it cannot be run; empty when it can."""


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """What the running runtime says of itself."""

    version: str
    """Of the runtime."""
    api: str
    """Of its ``hydra/`` methods; it changes when they do in an incompatible way."""
    pid: int
    """Its process id."""
    ripgrep: RipgrepInfo
    """The ripgrep that it runs."""
    roots: Sequence[str]
    """Folders in which a working directory may lie."""
    limits: Mapping[str, object]
    """The budgets in force by their configuration keys: bytes, counts, milliseconds."""
    guidance: str
    """The text for a system prompt."""
    raw: Mapping[str, object]
    """The whole answer."""
