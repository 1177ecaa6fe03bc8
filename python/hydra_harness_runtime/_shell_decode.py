"""From the shell half's wire values to typed ones. What is unclear raises, it never allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _json
from ._shell_types import (
    Confirmation,
    EstablishedPlan,
    EstablishedRead,
    GateDecision,
    GateReason,
    Reestablishment,
    ShellPlan,
    ShellSegment,
    WordCandidate,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._shell_types import Verdict

__all__ = ["confirmation", "decision", "established", "plan", "reestablishment"]


def plan(reply: Mapping[str, object]) -> ShellPlan:
    """The answer of ``hydra/shell/plan``."""
    value = _inner(reply, "plan")
    return ShellPlan(
        segments=tuple(_segment(segment) for segment in _json.objects(value, "segments")),
        opaque=tuple(_reason_words(item) for item in _json.listed(value, "opaque")),
        raw=value,
    )


def established(reply: Mapping[str, object]) -> EstablishedPlan:
    """The answer of ``hydra/shell/establish``."""
    value = _inner(reply, "established")
    return EstablishedPlan(
        reads=tuple(_read(read) for read in _json.objects(value, "reads")),
        roots=tuple(_json.texts(value, "roots")),
        lexical_only=_json.flag(value, "lexicalOnly"),
        raw=value,
    )


def reestablishment(reply: Mapping[str, object]) -> Reestablishment:
    """The answer of ``hydra/shell/reestablish``."""
    return Reestablishment(
        changed=tuple(_read(read) for read in _json.objects(reply, "changed")),
        changed_roots=tuple(_json.texts(reply, "changedRoots")),
        raw=reply,
    )


def decision(reply: Mapping[str, object], command: str, request: Mapping[str, object]) -> GateDecision:
    """The answer of ``hydra/shell/gate``."""
    return GateDecision(
        decision=_verdict(reply),
        reasons=tuple(_reason(reason) for reason in _json.objects(reply, "reasons")),
        digest=_json.opt_text(reply, "digest"),
        command=command,
        establishment=_json.member(reply, "establishment"),
        request=request,
        raw=reply,
    )


def confirmation(reply: Mapping[str, object]) -> Confirmation:
    """The answer of ``hydra/shell/confirm``."""
    return Confirmation(
        decision=_verdict(reply),
        changed=tuple(_read(read) for read in _json.objects(reply, "changed")),
        changed_roots=tuple(_json.texts(reply, "changedRoots")),
        raw=reply,
    )


def _verdict(reply: Mapping[str, object]) -> Verdict:
    verdict = reply.get("decision")
    if verdict not in ("allow", "ask", "deny"):
        raise _json.Malformed(f"the decision {verdict!r} is none of allow, ask, deny")
    return verdict


def _inner(reply: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The value itself, or the member that holds it."""
    return _json.member(reply, key) or reply


def _segment(value: Mapping[str, object]) -> ShellSegment:
    candidates = [
        WordCandidate(
            word=_json.opt_text(candidate, "word"),
            seat=_json.opt_text(candidate, "seat"),
            kind=_json.opt_text(candidate, "kind"),
            raw=candidate,
        )
        for candidate in _json.objects(value, "candidates")
    ]
    return ShellSegment(tuple(candidates), value)


def _read(value: Mapping[str, object]) -> EstablishedRead:
    return EstablishedRead(
        segment=_json.integer(value, "segment", 0),
        candidate=_json.integer(value, "candidate", 0),
        state=_json.opt_text(value, "state"),
        target=_json.opt_text(value, "target") or None,
        members=tuple(item for item in _json.listed(value, "members") if isinstance(item, str)),
        reason=None if value.get("reason") is None else _reason_words(value["reason"]),
        raw=value,
    )


def _reason(value: Mapping[str, object]) -> GateReason:
    segment, word = value.get("segment"), value.get("word")
    return GateReason(
        code=_json.opt_text(value, "code"),
        message=_json.opt_text(value, "message"),
        segment=segment if isinstance(segment, int) else None,
        word=None if word is None else str(word),
        seat=_json.opt_text(value, "seat") or None,
        target=_json.opt_text(value, "target") or None,
    )


def _reason_words(value: object) -> str:
    if isinstance(value, str):
        return value
    reason = _json.as_object(value, "a reason")
    return _json.opt_text(reason, "message") or _json.opt_text(reason, "code")
