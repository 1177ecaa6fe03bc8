"""What searches and tools answer: frozen values that can be compared and pickled."""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ._errors import HarnessError

__all__ = [
    "GlobResult",
    "GrepFile",
    "GrepMatch",
    "GrepResult",
    "Incomplete",
    "RipgrepInfo",
    "RuntimeInfo",
    "SearchNote",
    "SearchStats",
    "SearchWarning",
    "ToolDefinition",
    "ToolResult",
]


@dataclass(frozen=True, slots=True)
class SearchWarning:
    """Entries that could not be looked at: the result is right but may lack theirs.

    ``count`` is how many, ``paths`` the first of them, ``code`` e.g.
    ``UNREADABLE`` or ``VANISHED``.
    """

    code: str
    message: str
    count: int = 1
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchNote:
    """Explains a result, above all an empty one; ``code`` e.g. ``HIDDEN_NOT_SEARCHED``."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class SearchStats:
    """What a search cost: files listed or searched, bytes searched, milliseconds, threads."""

    files: int = 0
    bytes: int = 0
    ms: float = 0.0
    threads: int = 0


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Why a result is not the whole: ``timeout`` or ``rawOutputMaxBytes``."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class GlobResult:
    r"""Every file that matched, in the configured order.

    ``root`` is the directory searched, as the call spelled it. A path that is
    not UTF-8 is shown escaped (``bad\xff.txt``) in ``paths``; ``path_bytes``
    has its exact bytes by index, and :attr:`fs_paths` is what ``open`` takes.
    ``root_bytes`` is the same for ``root``.
    """

    root: str
    paths: tuple[str, ...]
    path_bytes: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    root_bytes: bytes | None = None
    warnings: tuple[SearchWarning, ...] = ()
    notes: tuple[SearchNote, ...] = ()
    stats: SearchStats | None = None
    incomplete: Incomplete | None = None

    @property
    def fs_paths(self) -> tuple[str, ...]:
        """The paths for use with the file system, in Python's own encoding of it."""
        if not self.path_bytes:
            return self.paths
        exact = self.path_bytes
        return tuple(os.fsdecode(exact[i]) if i in exact else path for i, path in enumerate(self.paths))


@dataclass(frozen=True, slots=True)
class GrepMatch:
    r"""One matching line.

    ``line_number`` counts from 1. ``line`` is the whole line without its end;
    bytes that are not UTF-8 are U+FFFD in it. ``path_bytes`` is set when the
    path is not UTF-8 and ``path`` is its escaped form (``bad\xff.txt``).
    ``context`` marks a line that did not match and was asked for beside one
    that did. ``line_bytes`` is set when the line was too long to travel whole:
    how many bytes it has.
    """

    path: str
    line_number: int
    line: str
    path_bytes: bytes | None = None
    context: bool = False
    line_bytes: int | None = None

    @property
    def fs_path(self) -> str:
        """The path for use with the file system."""
        return self.path if self.path_bytes is None else os.fsdecode(self.path_bytes)


@dataclass(frozen=True, slots=True)
class GrepFile:
    """A file with matches, and how many lines of it match, if that was asked."""

    path: str
    count: int | None = None
    path_bytes: bytes | None = None

    @property
    def fs_path(self) -> str:
        """The path for use with the file system."""
        return self.path if self.path_bytes is None else os.fsdecode(self.path_bytes)


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Every matching line, by path, then line number.

    A search for ``files_only`` or ``count`` fills ``files`` instead of
    ``matches``; :attr:`paths` has the files either way.
    """

    matches: tuple[GrepMatch, ...]
    files: tuple[GrepFile, ...] = ()
    warnings: tuple[SearchWarning, ...] = ()
    notes: tuple[SearchNote, ...] = ()
    stats: SearchStats | None = None
    incomplete: Incomplete | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files with a match, each once, in order."""
        found = self.files or self.matches
        return tuple(dict.fromkeys(item.path for item in found))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it. The schemas are JSON Schema objects."""

    name: str
    description: str
    input_schema: Mapping[str, object]
    output_schema: Mapping[str, object] | None = None
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])
    title: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a model sees of a tool call.

    ``text`` is the page. ``structured`` is the same page for programs, with
    totals; it is ``None`` for a failed call. ``locator`` says where the complete
    result was saved, ``None`` when it fits or could not be saved. For a failed
    call ``is_error`` is true, ``text`` begins with ``Error:`` and ``error`` is
    the exception that :meth:`raise_for_error` raises.
    """

    text: str
    is_error: bool = False
    structured: Mapping[str, object] | None = None
    locator: str | None = None
    error: HarnessError | None = None
    meta: Mapping[str, object] = field(default_factory=dict[str, object])

    def raise_for_error(self) -> ToolResult:
        """Raise the call's error, if it failed; else the result itself."""
        if self.is_error:
            raise self.error or HarnessError(self.text)
        return self


@dataclass(frozen=True, slots=True)
class RipgrepInfo:
    """The sidecar in use.

    ``problem`` says why it cannot be run; then ``version`` and ``sha256`` are empty.
    """

    version: str
    sha256: str
    path: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """What the running runtime says of itself.

    ``limits`` are its budgets by their configuration keys (bytes, counts,
    milliseconds); ``raw`` is the whole answer.
    """

    version: str
    api: str
    pid: int
    ripgrep: RipgrepInfo
    roots: Sequence[str]
    limits: Mapping[str, object]
    guidance: str
    raw: Mapping[str, object]
