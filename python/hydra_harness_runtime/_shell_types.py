"""What the shell half answers: plans, where their words land, and the verdict.

The values travel out and come back: an :class:`EstablishedPlan` or a
:class:`GateDecision` carries the runtime's own value in ``raw``, so that
``reestablish`` and ``confirm`` hand back exactly what was answered.
"""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Boundary",
    "Confirmation",
    "EstablishedPlan",
    "EstablishedRead",
    "GateDecision",
    "GateReason",
    "Reestablishment",
    "ShellPlan",
    "ShellSegment",
    "Verdict",
    "WordCandidate",
]

Verdict = Literal["allow", "ask", "deny"]
Shell = Literal["bash", "posix", "dash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Inside of what a command's words must land.

    Without ``write_roots`` nothing may be written. ``deny_seats`` ``None`` is
    the runtime's list of credentials below the home; ``home_views`` are further
    spellings of the home. ``roots_canonical`` promises that the roots are free
    of links.
    """

    read_roots: Sequence[str] = ()
    write_roots: Sequence[str] = ()
    deny_seats: Sequence[str] | None = None
    home: str | None = None
    home_views: Sequence[str] = ()
    roots_canonical: bool = False
    cwd: str | None = None

    def to_wire(self) -> Mapping[str, object]:
        """The ``boundary`` of a request; what is not set is left out."""
        value: dict[str, object] = {
            "readRoots": list(self.read_roots),
            "writeRoots": list(self.write_roots),
            "denySeats": None if self.deny_seats is None else list(self.deny_seats),
            "home": self.home,
            "homeViews": list(self.home_views) or None,
            "rootsCanonical": self.roots_canonical or None,
            "cwd": self.cwd,
        }
        return {key: found for key, found in value.items() if found is not None}


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that a command may read or write: its spelling, seat and kind."""

    word: str
    seat: str
    kind: str
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ShellSegment:
    """One simple command of a plan: its name and the words that it may touch."""

    command: str
    candidates: tuple[WordCandidate, ...]
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ShellPlan:
    """Which words a command may read or write. ``opaque`` is what could not be modelled."""

    segments: tuple[ShellSegment, ...]
    opaque: tuple[str, ...]
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class EstablishedRead:
    """Where one word lands: ``state`` and, when it is known, ``target``.

    ``segment`` and ``candidate`` are indices into the plan, or into the plan
    that ``nested`` leads to, one index at each level. ``members`` are all paths:
    the matches of a pattern, the entries of a walk.
    """

    segment: int
    nested: tuple[int, ...]
    candidate: int
    state: str
    target: str | None
    members: tuple[str, ...]
    reason: str | None
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class EstablishedPlan:
    """Where every word of a plan lands, at the moment of the call."""

    reads: tuple[EstablishedRead, ...]
    roots: tuple[str, ...]
    lexical_only: bool
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reestablishment:
    """What moved since the plan was established."""

    changed: tuple[EstablishedRead, ...]
    changed_roots: tuple[str, ...]
    raw: Mapping[str, object]

    @property
    def moved(self) -> bool:
        """Whether anything moved."""
        return bool(self.changed or self.changed_roots)


@dataclass(frozen=True, slots=True)
class GateReason:
    """Why a command is not simply allowed, or what was disclosed about it."""

    code: str
    message: str
    segment: int | None = None
    word: str | None = None
    seat: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The verdict on one command, and what it rests on.

    ``allow`` means that its reads and writes land inside the roots; it does
    not mean that the command is harmless. ``digest`` identifies the
    establishment; :meth:`Runtime.confirm` looks again just before the spawn.
    """

    decision: Verdict
    reasons: tuple[GateReason, ...]
    digest: str
    command: str
    establishment: Mapping[str, object]
    request: Mapping[str, object] = field(repr=False)
    raw: Mapping[str, object] = field(repr=False)

    @property
    def allowed(self) -> bool:
        """Whether the verdict is ``allow``."""
        return self.decision == "allow"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The second look: ``decision`` is never milder than the first one."""

    decision: Verdict
    reasons: tuple[GateReason, ...]
    changed: tuple[EstablishedRead, ...]
    changed_roots: tuple[str, ...]
    raw: Mapping[str, object]
