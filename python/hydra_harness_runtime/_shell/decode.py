"""From the shell half's wire values to typed ones. What is unclear raises, it never allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _json
from .rules import TrustRule
from .types import (
    Confirmation,
    EstablishedPlan,
    GateDecision,
    GateReason,
    Reestablishment,
    Remedy,
    ShellPlan,
    ShellSegment,
    WordCandidate,
    WordResolution,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .rules import RuleDecision
    from .types import Decision

__all__ = ["confirmation", "decision", "established", "plan", "reestablishment"]


def plan(reply: Mapping[str, object]) -> ShellPlan:
    """The answer of ``hydra/shell/plan``."""
    value = _inner(reply, "plan")
    return ShellPlan(
        segments=tuple(_segment(segment) for segment in _json.objects(value, "segments")),
        opaque=tuple(_opaque(value)),
        raw=value,
    )


def established(reply: Mapping[str, object]) -> EstablishedPlan:
    """The answer of ``hydra/shell/establish``."""
    value = _inner(reply, "established")
    return EstablishedPlan(
        resolutions=tuple(_resolutions(value, ())),
        roots=tuple(_json.opt_text(root, "path") for root in _json.objects(value, "readRoots")),
        lexical_only=_json.flag(value, "lexicalOnly"),
        raw=value,
    )


def reestablishment(reply: Mapping[str, object]) -> Reestablishment:
    """The answer of ``hydra/shell/reestablish``."""
    return Reestablishment(changed=_moved(reply), changed_roots=tuple(_json.texts(reply, "changedRoots")), raw=reply)


def decision(reply: Mapping[str, object], command: str, request: Mapping[str, object]) -> GateDecision:
    """The answer of ``hydra/shell/gate``."""
    confinement, decided = _json.member(reply, "confinement"), _decision(reply)
    prefix = tuple(_json.texts(confinement, "prefix"))
    if decided == "confine" and not prefix:
        raise _json.Malformed("the decision is confine, and nothing says how")
    return GateDecision(
        decision=decided,
        reasons=tuple(_reason(reason) for reason in _json.objects(reply, "reasons")),
        digest=_json.opt_text(reply, "digest"),
        command=_json.text(confinement, "command") if prefix else command,
        establishment=_json.member(reply, "establishment"),
        request=request,
        raw=reply,
        prefix=prefix,
        unconfined=_json.opt_text(reply, "unconfined"),
    )


def confirmation(reply: Mapping[str, object]) -> Confirmation:
    """The answer of ``hydra/shell/confirm``."""
    return Confirmation(
        decision=_decision(reply),
        reasons=tuple(_reason(reason) for reason in _json.objects(reply, "reasons")),
        changed=_moved(reply),
        changed_roots=tuple(_json.texts(reply, "changedRoots")),
        raw=reply,
    )


def _decision(reply: Mapping[str, object]) -> Decision:
    decision = reply.get("decision")
    if decision not in ("allow", "confine", "ask", "deny"):
        raise _json.Malformed(f"the decision {decision!r} is none of allow, confine, ask, deny")
    return decision


def _inner(reply: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The value itself, or the member that holds it."""
    return _json.member(reply, key) or reply


def _segment(value: Mapping[str, object]) -> ShellSegment:
    candidates = [
        WordCandidate(
            word=_json.opt_text(candidate, "text"),
            access=_json.opt_text(candidate, "access"),
            kind=_json.opt_text(candidate, "kind"),
            raw=candidate,
        )
        for candidate in _json.objects(value, "candidates")
    ]
    return ShellSegment(_json.opt_text(value, "command"), tuple(candidates), value)


def _opaque(value: Mapping[str, object]) -> Iterator[str]:
    """What a plan, its segments and the plans nested in it do not know."""
    for item in _json.objects(value, "opaque"):
        word, detail = _json.opt_text(item, "word"), _json.opt_text(item, "detail")
        yield ": ".join(part for part in (word, detail or _json.opt_text(item, "code")) if part)
    for segment in _json.objects(value, "segments"):
        yield from _opaque(segment)
    for nested in _json.objects(value, "nested"):
        yield from _opaque(_json.member(nested, "plan"))


def _resolutions(value: Mapping[str, object], nested: tuple[int, ...]) -> Iterator[WordResolution]:
    for index, segment in enumerate(_json.objects(value, "segments")):
        for found in _json.objects(segment, "resolutions"):
            yield _resolution(found, index, nested)
    for index, inner in enumerate(_json.objects(value, "nested")):
        yield from _resolutions(inner, (*nested, index))


def _moved(reply: Mapping[str, object]) -> tuple[WordResolution, ...]:
    """The words that lead elsewhere, as they are now."""
    return tuple(
        _resolution(
            _json.member(moved, "now"),
            _json.integer(moved, "segment", 0),
            tuple(index for index in _json.listed(moved, "nested") if isinstance(index, int)),
        )
        for moved in _json.objects(reply, "changed")
    )


def _resolution(value: Mapping[str, object], segment: int, nested: tuple[int, ...]) -> WordResolution:
    paths = [
        _json.opt_text(landing, "path")
        for landing in _json.objects(value, "landings")
        if not _json.flag(landing, "listed")
    ]
    return WordResolution(
        segment=segment,
        nested=nested,
        candidate=_json.integer(value, "candidate", 0),
        state=_json.opt_text(value, "state"),
        target=paths[0] or None if paths else None,
        members=tuple(paths),
        reason=_json.opt_text(value, "reason") or None,
        raw=value,
    )


def _reason(value: Mapping[str, object]) -> GateReason:
    segment, word, remedy = value.get("segment"), value.get("word"), _remedy(value)
    sentence = (_json.opt_text(value, "message"), str(remedy or ""))
    return GateReason(
        code=_json.opt_text(value, "code"),
        message="; ".join(part for part in sentence if part),
        segment=segment if isinstance(segment, int) else None,
        word=None if word is None else str(word),
        access=_json.opt_text(value, "access") or None,
        target=_json.opt_text(value, "target") or None,
        remedy=remedy,
    )


def _remedy(value: Mapping[str, object]) -> Remedy | None:
    remedy = _json.member(value, "remedy")
    if not remedy:
        return None
    return Remedy(
        kind=_json.opt_text(remedy, "kind"),
        root=_json.opt_text(remedy, "root") or None,
        rule=_json.opt_text(remedy, "rule") or None,
        trust=_trust(_json.member(remedy, "trust")),
    )


def _trust(value: Mapping[str, object]) -> TrustRule | None:
    if not value:
        return None
    return TrustRule(
        program=_json.opt_text(value, "program"),
        args=_json.texts(value, "args") if "args" in value else None,
        directory=_json.opt_text(value, "directory") or None,
        decision=_rule_decision(value),
    )


def _rule_decision(value: Mapping[str, object]) -> RuleDecision:
    decision = value.get("decision")
    if decision not in ("allow", "confine", "ask", "deny"):
        raise _json.Malformed(f"the decision {decision!r} of a rule is none of allow, confine, ask, deny")
    return decision
