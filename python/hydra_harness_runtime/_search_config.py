"""The configuration of the search tools: its fields, their limits, choices and defaults.

Written by ``go generate ./gocore/harness`` from the runtime's own table of keys.
"""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from ._config import ConfigFile, Key, StrPath

__all__ = ["SearchConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig(ConfigFile):
    """How searches are bounded and shown. Raises :class:`ConfigError` for a bad value.

    Only ``sample_over_cap_glob_results`` is required: whether a ``glob`` page
    over the cap is sampled across the top-level entries (``True``) or is the
    head in modification-time order (``False``). Complete results, those of
    :meth:`Runtime.glob` and :meth:`Runtime.grep`, are not capped. ``None`` is
    the runtime's own default, and is not sent.
    """

    sample_over_cap_glob_results: bool
    """Required, without a default. ``True`` samples a ``glob`` page that is over its cap across the top-level
    entries; ``False`` keeps the head of the list."""
    glob_max_results: int | None = None
    """How many paths a ``glob`` page shows. From 1 to 9007199254740991. By default 100."""
    grep_max_matches: int | None = None
    """How many matches a ``grep`` page shows. From 1 to 9007199254740991. By default 250."""
    grep_max_line_bytes: int | None = None
    """How many bytes of a matching line a page shows. The cut keeps characters whole and is marked. From 1 to
    9007199254740991. By default 2000."""
    inline_max_bytes: int | None = None
    """How many bytes a whole page has, over the caps of items. The first item is always shown, and a ``glob`` within
    its cap is complete, whatever its bytes. From 1 to 9007199254740991. By default 50000."""
    raw_output_max_bytes: int | None = None
    """How many bytes ripgrep may print before a search is given up (see ``cut_short``). From 1 to 9007199254740991.
    By default 20000000."""
    stderr_max_bytes: int | None = None
    """How many bytes of ripgrep's diagnostics are kept: the last ones. From 1 to 9007199254740991. By default 65536."""
    timeout_ms: int | None = None
    """How long a search may take, in milliseconds (see ``cut_short``). From 1 to 2147483647. By default 30000."""
    grace_ms: int | None = None
    """How long ripgrep may take to end once it was told to, in milliseconds. Then it is killed. From 1 to
    2147483647. By default 3000."""
    glob_order: Literal["modified", "modified-desc", "path"] | None = None
    """The order of ``glob`` results: ``modified`` is oldest first, ``modified-desc`` newest first. Ties go by path.
    By default modified."""
    unreadable: Literal["warn", "fail"] | None = None
    """What becomes of a search that met entries it could not read: ``warn`` returns what was found and counts the
    entries, ``fail`` is an error. By default warn."""
    cut_short: Literal["fail", "page"] | None = None
    """What becomes of a search that reaches ``timeout_ms`` or ``raw_output_max_bytes``: ``fail`` is an error that
    counts what was found, ``page`` returns it, marked as incomplete. By default fail."""
    spill_root: StrPath | None = None
    """The folder in which results are saved that do not fit on a page. ``None`` is ``hydra-harness/spill`` below
    ``$XDG_STATE_HOME``, else below ``.local/state`` of the home; an account without a home has one below ``/tmp``."""
    spill_max_bytes: int | None = None
    """How many bytes saved results have together, over all sessions. What would exceed it is not saved. From 1 to
    9007199254740991. By default 1073741824."""
    spill_max_age: int | None = None
    """How long a saved result is kept, in seconds. From 1 to 2147483647. By default 604800."""
    index: Literal["off", "on"] | None = None
    """Whether a runtime that stays keeps an index, in memory, of each directory that is searched twice: the same
    answers sooner (``docs/search-index.md``). By default off."""
    index_max_bytes: int | None = None
    """How many bytes of memory the indexed texts of all directories may take. A directory that would exceed it is
    searched without an index. From 1 to 9007199254740991. By default 268435456."""
    index_max_files: int | None = None
    """How many files an indexed directory may have. From 1 to 9007199254740991. By default 500000."""
    index_max_watches: int | None = None
    """How many directories may be watched for an indexed one; half of ``fs.inotify.max_user_watches`` at most,
    whatever it says. From 1 to 9007199254740991. By default 100000."""
    roots: Sequence[StrPath] | None = None
    """The directories that the working directory of a call must lie in. ``None`` is the server's own working
    directory. They do not bound what a call reads: its ``path`` may lead out of them."""
    tools: Sequence[str] | None = None
    """The tools that a model is offered. ``read_result`` reads saved results on, for models without a shell and
    without a tool that reads files. The guidance for a system prompt covers both searches, whichever are offered. By
    default glob, grep."""
    resource_links: bool | None = None
    """Whether a page whose complete result was saved also links to it, as a ``resource_link`` for clients of MCP
    from 2025-06-18 on. Some of them fetch what is linked at once, and hand all of it to the model. By default False."""

    KEYS: ClassVar[Mapping[str, Key]] = {
        "sample_over_cap_glob_results": Key("sampleOverCapGlobResults", "flag", required=True),
        "glob_max_results": Key("globMaxResults", "number", most=9007199254740991, default=100),
        "grep_max_matches": Key("grepMaxMatches", "number", most=9007199254740991, default=250),
        "grep_max_line_bytes": Key("grepMaxLineBytes", "number", most=9007199254740991, default=2000),
        "inline_max_bytes": Key("inlineMaxBytes", "number", most=9007199254740991, default=50000),
        "raw_output_max_bytes": Key("rawOutputMaxBytes", "number", most=9007199254740991, default=20000000),
        "stderr_max_bytes": Key("stderrMaxBytes", "number", most=9007199254740991, default=65536),
        "timeout_ms": Key("timeoutMs", "number", most=2147483647, default=30000),
        "grace_ms": Key("graceMs", "number", most=2147483647, default=3000),
        "glob_order": Key("globOrder", "choice", names=("modified", "modified-desc", "path"), default="modified"),
        "unreadable": Key("unreadable", "choice", names=("warn", "fail"), default="warn"),
        "cut_short": Key("cutShort", "choice", names=("fail", "page"), default="fail"),
        "spill_root": Key("spillRoot", "folder"),
        "spill_max_bytes": Key("spillMaxBytes", "number", most=9007199254740991, default=1073741824),
        "spill_max_age": Key("spillMaxAge", "number", most=2147483647, default=604800),
        "index": Key("index", "choice", names=("off", "on"), default="off"),
        "index_max_bytes": Key("indexMaxBytes", "number", most=9007199254740991, default=268435456),
        "index_max_files": Key("indexMaxFiles", "number", most=9007199254740991, default=500000),
        "index_max_watches": Key("indexMaxWatches", "number", most=9007199254740991, default=100000),
        "roots": Key("roots", "folders"),
        "tools": Key("tools", "choices", names=("glob", "grep", "read_result"), default=("glob", "grep")),
        "resource_links": Key("resourceLinks", "flag", default=False),
    }
    """What each field may hold, and the key of the file that it is."""
