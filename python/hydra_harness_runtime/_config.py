"""The configuration of the search tools, as a value and as the file the runtime reads.

Field names are the configuration file's keys in snake case. A value that the
runtime would refuse is refused here, with the name of the field.
"""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, cast, get_args

from ._errors import ConfigError

__all__ = ["SearchConfig"]

GlobOrder = Literal["modified", "modified-desc", "path"]
Unreadable = Literal["warn", "fail"]
CutShort = Literal["fail", "page"]
StrPath = str | os.PathLike[str]

_MAX_DELAY_MS = 2147483647
"""The longest timer that the contract allows: 2^31 - 1 ms."""

_MAX_COUNT = (1 << 53) - 1
"""The largest number that every reader of JSON takes exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """How searches are bounded and shown. Raises :class:`ConfigError` for a bad value.

    Only ``sample_over_cap_glob_results`` is required: whether a ``glob`` page
    over the cap is sampled across the top-level entries (``True``) or is the
    head in modification-time order (``False``). Complete results, those of
    :meth:`Runtime.glob` and :meth:`Runtime.grep`, are not capped.
    """

    sample_over_cap_glob_results: bool
    """Whether a ``glob`` page over its cap is a sample across the top-level entries, or the head."""
    glob_max_results: int = 100
    """Paths that one ``glob`` page shows."""
    grep_max_matches: int = 250
    """Matches that one ``grep`` page shows."""
    grep_max_line_bytes: int = 2000
    """Bytes of a line that a page shows; the cut keeps UTF-8 whole."""
    raw_output_max_bytes: int = 20_000_000
    """Bytes that ripgrep may print before the search is given up."""
    timeout_ms: int = 30_000
    """Budget of one search, in milliseconds."""
    grace_ms: int = 3_000
    """How long ripgrep may take to end after it was told to, in milliseconds."""
    stderr_max_bytes: int = 65_536
    """Bytes of ripgrep's diagnostics that are kept: the tail."""
    inline_max_bytes: int = 50_000
    """Bytes of a whole page, over the caps of items."""
    glob_order: GlobOrder = "modified"
    """Oldest first, newest first, or by path."""
    unreadable: Unreadable = "warn"
    """What entries that cannot be read make of a search: a warning, or a failure."""
    cut_short: CutShort = "fail"
    """What the deadline or the output budget makes of a search: a failure, or what was found."""
    spill_root: StrPath | None = None
    """Folder for complete results that a page could not show; ``None``: the runtime's own."""
    spill_max_bytes: int | None = None
    """Bytes that saved texts have together; what would exceed it is not saved."""
    spill_max_age: int | None = None
    """Seconds that a saved text is kept."""
    roots: Sequence[StrPath] = ()
    """Folders in which a call's working directory may lie; empty: the runtime's own workdir. They bound no path."""
    tools: Sequence[str] | None = None
    """Which tools a model is offered; ``None``: all."""

    def __post_init__(self) -> None:
        _check_flag("sample_over_cap_glob_results", self.sample_over_cap_glob_results)
        for name in _COUNTS:
            _check_number(name, getattr(self, name), _MAX_COUNT)
        for name in ("timeout_ms", "grace_ms"):
            _check_number(name, getattr(self, name), _MAX_DELAY_MS)
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise _bad(name, "be one of " + ", ".join(map(repr, allowed)))
        for name in ("spill_max_bytes", "spill_max_age"):
            if getattr(self, name) is not None:
                _check_number(name, getattr(self, name), _MAX_COUNT)
        for root in _listed("roots", self.roots):
            _check_path("roots", root)
        if self.spill_root is not None:
            _check_path("spill_root", self.spill_root)
        _check_names("tools", self.tools)

    @property
    def budget_seconds(self) -> float:
        """The longest that one search takes by its own budgets."""
        return (self.timeout_ms + self.grace_ms) / 1000

    def to_json(self) -> str:
        """The text of the configuration file: camel case keys, ``None`` left out."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    def to_dict(self) -> Mapping[str, object]:
        """The value of the configuration file."""
        value: dict[str, object] = {}
        for item in fields(self):
            found = getattr(self, item.name)
            if found is None or (item.name == "roots" and not found):
                continue
            if item.name == "spill_root":
                found = _absolute(found)
            elif item.name == "roots":
                found = [_absolute(root) for root in found]
            elif item.name == "tools":
                found = list(found)
            value[_camel(item.name)] = found
        return value


_COUNTS = (
    "glob_max_results",
    "grep_max_matches",
    "grep_max_line_bytes",
    "raw_output_max_bytes",
    "stderr_max_bytes",
    "inline_max_bytes",
)

_CHOICES: dict[str, tuple[str, ...]] = {
    "glob_order": get_args(GlobOrder),
    "unreadable": get_args(Unreadable),
    "cut_short": get_args(CutShort),
}


def _check_number(name: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= most:
        raise _bad(name, f"be a whole number from 1 to {most}, not {value!r}")


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise _bad(name, f"be True or False, not {value!r}; it has no default on purpose")


def _listed(name: str, value: object) -> Sequence[object]:
    # A lone text is a sequence of texts, too: the classic slip.
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise _bad(name, f"be a list, e.g. ['...'], not {value!r}")
    return cast("Sequence[object]", value)


def _check_names(name: str, value: object) -> None:
    if value is not None and not all(isinstance(item, str) for item in _listed(name, value)):
        raise _bad(name, f"be a list of names, e.g. ['...'], not {value!r}")


def _check_path(name: str, value: object) -> None:
    try:
        path: object = os.fspath(cast("str", value))
    except TypeError:
        path = None
    if not isinstance(path, str) or "\0" in path:
        raise _bad(name, f"name a folder, not {value!r}")
    try:
        path.encode()
    except UnicodeEncodeError:
        # An escaped byte would arrive as U+FFFD, and name another folder.
        raise _bad(name, f"be UTF-8, which {value!r} is not: a configuration file cannot carry it") from None


def _bad(name: str, must: str) -> ConfigError:
    return ConfigError(f"SearchConfig: {name} must {must}", details={"field": name})


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _absolute(path: StrPath) -> str:
    # Not resolved: a link is the user's spelling, and the runtime's business.
    return os.path.join(os.getcwd(), os.fspath(path))  # noqa: PTH109, PTH118
