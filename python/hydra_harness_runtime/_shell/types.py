"""What the shell half answers: plans, where their words land, and the decision.

The values travel out and come back: an :class:`EstablishedPlan` or a
:class:`GateDecision` carries the runtime's own value in ``raw``, so that
``reestablish`` and ``confirm`` hand back exactly what was answered.
"""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from .._arguments import encoded, encoded_list, fs_path, fs_paths, kind_of
from .._errors import ToolArgumentError
from .rules import TrustRule

__all__ = [
    "Boundary",
    "Confirmation",
    "Decision",
    "EstablishedPlan",
    "GateDecision",
    "GateReason",
    "Policy",
    "Reestablishment",
    "Remedy",
    "ShellPlan",
    "ShellSegment",
    "WordCandidate",
    "WordResolution",
]

Decision = Literal["allow", "confine", "ask", "deny"]
"""What may become of a command: it runs, it runs below a sandbox, somebody is asked, it does not run. ``confine``
only comes to who asks for it."""

Shell = Literal["bash", "posix", "dash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Inside of what a command's words must land. All paths are absolute.

    Raises :class:`ToolArgumentError` for what is no path, or no list of paths.
    """

    read_roots: Sequence[str] = ()
    """Folders that may be read, each with all below it."""
    write_roots: Sequence[str] = ()
    """Folders that may be written. Without any, nothing may be."""
    deny_paths: Sequence[str] | None = None
    """Paths that are refused inside the roots, too; ``None``: the runtime's list of credentials below the home."""
    home: str | None = None
    """The home that ``~`` means."""
    home_views: Sequence[str] = ()
    """Further spellings under which the command sees its home."""
    roots_canonical: bool = False
    """A promise that the roots are free of links, so that they need not be resolved."""
    cwd: str | None = None
    """The folder in which the command starts, as its ``PWD`` spells it."""

    def __post_init__(self) -> None:
        for name in ("read_roots", "write_roots", "deny_paths", "home_views"):
            if getattr(self, name) is not None:
                fs_paths(name, getattr(self, name))
        for name in ("home", "cwd"):
            if getattr(self, name) is not None:
                fs_path(name, getattr(self, name))

    def to_wire(self) -> Mapping[str, object]:
        """The ``boundary`` of a request; what is not set is left out."""
        value = encoded_list("readRoots", self.read_roots) | encoded_list("writeRoots", self.write_roots)
        if self.deny_paths is not None:
            value |= encoded_list("denyPaths", self.deny_paths)
        if self.home_views:
            value |= encoded_list("homeViews", self.home_views)
        if self.roots_canonical:
            value["rootsCanonical"] = True
        return value | encoded("home", self.home) | encoded("cwd", self.cwd)


Unknown = Literal["ask", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What becomes of what is not known. What is not set is the runtime's default.

    Raises :class:`ToolArgumentError` for a setting that is none.
    """

    opaque: Unknown | None = None
    """A command that is not wholly understood; ``"ask"`` by default."""
    unestablishable: Unknown | None = None
    """A word whose place is not known; ``"ask"`` by default."""
    contained_traversal: bool | None = None
    """Whether a walk that was too large to look through counts as its root, when
    it cannot leave it and no denied path lies below; it does by default."""
    trust: Sequence[TrustRule] = ()
    """Rules about programs, beside those of the runtime's configuration."""

    def __post_init__(self) -> None:
        for name in ("opaque", "unestablishable"):
            value = getattr(self, name)
            if value not in (None, "ask", "deny"):
                raise ToolArgumentError(
                    f'{name} must be "ask" or "deny", not {value!r}: what is not known is never an allow'
                )
        contained = cast("object", self.contained_traversal)  # whatever the annotation says
        if not (contained is None or isinstance(contained, bool)):
            raise ToolArgumentError(f"contained_traversal must be a truth value, not {type(contained).__name__}")
        object.__setattr__(self, "trust", tuple(kind_of("trust", rule, TrustRule) for rule in self.trust))

    def to_wire(self) -> Mapping[str, object]:
        """The ``policy`` of a request; what is not set is left out."""
        value = {
            "opaque": self.opaque,
            "unestablishable": self.unestablishable,
            "containedTraversal": self.contained_traversal,
            "trust": [rule.to_wire() for rule in self.trust] or None,
        }
        return {name: setting for name, setting in value.items() if setting is not None}


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that a command may read or write."""

    word: str
    """The word as the command spells it."""
    access: str
    """What happens to it: ``read``, ``write``, ``entry``, ``stat``, ``tree`` or ``exec``."""
    kind: str
    """``word`` for one that is spelled out; others are what a program finds by itself."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""


@dataclass(frozen=True, slots=True)
class ShellSegment:
    """One simple command of a plan."""

    command: str
    """The name of what runs, wrappers such as ``env`` or ``timeout`` taken off."""
    candidates: tuple[WordCandidate, ...]
    """The words that it may touch."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""


@dataclass(frozen=True, slots=True)
class ShellPlan:
    """Which words a command may read or write."""

    segments: tuple[ShellSegment, ...]
    """The simple commands, in the order of the text; those of nested texts are in ``raw``."""
    opaque: tuple[str, ...]
    """What could not be modelled, also in nested texts. Empty: the candidates are the whole truth."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""


@dataclass(frozen=True, slots=True)
class WordResolution:
    """Where one word lands."""

    segment: int
    """Index of its simple command in the plan."""
    nested: tuple[int, ...]
    """The way to the nested plan that ``segment`` counts in, one index for each level."""
    candidate: int
    """Index of the word in its segment."""
    state: str
    """How well it is known: ``established``, ``absentTail``, ``lexical`` or ``unestablishable``."""
    target: str | None
    """The path, free of links; ``None`` when it is not known."""
    members: tuple[str, ...]
    """All paths, when there are several: the matches of a pattern, the entries of a walk."""
    reason: str | None
    """Why it is not known; docs/values.md lists the reasons."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""


@dataclass(frozen=True, slots=True)
class EstablishedPlan:
    """Where every word of a plan lands, at the moment of the call."""

    resolutions: tuple[WordResolution, ...]
    """The words, in the order of the plan."""
    roots: tuple[str, ...]
    """Where the read roots lead."""
    lexical_only: bool
    """The file system was not asked."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""


@dataclass(frozen=True, slots=True)
class Reestablishment:
    """What moved since the plan was established."""

    changed: tuple[WordResolution, ...]
    """The words that lead elsewhere, as they are now."""
    changed_roots: tuple[str, ...]
    """The roots that lead elsewhere."""
    raw: Mapping[str, object]
    """The runtime's own value; docs/values.md has its fields."""

    @property
    def moved(self) -> bool:
        """Whether anything moved."""
        return bool(self.changed or self.changed_roots)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would make an allow of a reason."""

    kind: str
    """``readRoot``, ``writeRoot``, ``trust``, ``deniedPath``, ``rewrite`` (see the message) or ``approve`` (a person
    may)."""
    root: str | None = None
    """The folder to add, for the two kinds of roots."""
    rule: str | None = None
    """The denied path that stands in the way."""
    trust: TrustRule | None = None
    """The narrowest rule that would do, for ``trust`` of :class:`Policy` or :meth:`TrustRule.add_to`."""

    def __str__(self) -> str:
        """What to pass to :class:`GateSettings` or :class:`Policy`; empty when the message says it all."""
        if self.trust is not None:
            return f"or trust it, with {json.dumps(self.trust.to_wire(), ensure_ascii=False)} among the rules of trust="
        argument = {"readRoot": "read_roots", "writeRoot": "write_roots"}.get(self.kind)
        return f"add {self.root!r} to {argument}= to allow it" if argument and self.root else ""


@dataclass(frozen=True, slots=True)
class GateReason:
    """Why a command is not simply allowed."""

    code: str
    """The kind, e.g. ``OUTSIDE_READ``, ``OUTSIDE_WRITE``, ``DENIED_PATH``, ``OPAQUE``."""
    message: str
    """One sentence: what was found, and what would make it an allow."""
    segment: int | None = None
    """Index of the simple command; -1 for the whole text."""
    word: str | None = None
    """The word at fault, as the command spells it."""
    access: str | None = None
    """What would happen to the target."""
    target: str | None = None
    """Where the word leads."""
    remedy: Remedy | None = None
    """What would make it an allow; the message says it, too."""


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The decision on one command, and what it rests on.

    ``allow`` means that its reads and writes land inside the roots; it does
    not mean that the command is harmless. :meth:`Runtime.confirm` looks again
    just before the spawn.
    """

    decision: Decision
    """``allow``, ``confine``, ``ask`` or ``deny``."""
    reasons: tuple[GateReason, ...]
    """What stands in the way of an allow."""
    digest: str
    """Identifies the establishment; empty when there is none."""
    command: str
    """What to hand to the shell: the command that was judged and no other, behind the prefix where there is one."""
    establishment: Mapping[str, object]
    """Where its words landed: the runtime's own value."""
    request: Mapping[str, object] = field(repr=False)
    """What was asked, for :meth:`Runtime.confirm`."""
    raw: Mapping[str, object] = field(repr=False)
    """The whole answer."""
    prefix: tuple[str, ...] = ()
    """The words to put before the program that runs the command, so that the kernel keeps it inside: always for
    ``confine``, and for ``allow`` with ``Confine(mode="all")``."""
    unconfined: str = ""
    """Why it cannot be confined, where that was asked for."""

    @property
    def allowed(self) -> bool:
        """Whether the decision is ``allow``."""
        return self.decision == "allow"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The second look."""

    decision: Decision
    """Never milder than the first one."""
    reasons: tuple[GateReason, ...]
    """What stands in the way of an allow now."""
    changed: tuple[WordResolution, ...]
    """The words that lead elsewhere, as they are now."""
    changed_roots: tuple[str, ...]
    """The roots that lead elsewhere."""
    raw: Mapping[str, object]
    """The whole answer."""
