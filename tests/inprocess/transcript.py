"""Reads the conversations of ``tests/conformance/wire`` and holds answers against them.

Their README says what the lines mean.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Transcript", "Turn"]

FOLDER = Path(__file__).resolve().parents[1] / "conformance" / "wire"
MISSING = object()


@dataclass(frozen=True)
class Turn:
    """A request and the answer that is expected."""

    line: int
    request: dict[str, Any]
    answer: dict[str, Any]


@dataclass
class Transcript:
    """One conversation; ``names`` are the values that it has named so far."""

    config: dict[str, Any]
    owner: str | None
    workdir: Path
    turns: list[Turn]
    names: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str, folder: Path) -> Transcript:
        """Read a file, and make its tree below *folder*."""
        lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
        given = lines[1]["given"]
        folder = folder.resolve()
        workdir = folder / "tree"
        workdir.mkdir()
        for i, (path, text) in enumerate(given.get("files", {}).items()):
            file = workdir / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            os.utime(file, (1_600_000_000 + i, 1_600_000_000 + i))
        names = {"WORKDIR": str(workdir), "PARENT": str(folder)}
        return cls(given["config"], given.get("owner"), workdir, list(_turns(lines)), names)

    def fill(self, value: Any) -> Any:
        """*value* with what it names put in."""
        if isinstance(value, dict):
            return {key: self.fill(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.fill(element) for element in value]
        if isinstance(value, str):
            for name, named in self.names.items():
                if value == f"${{{name}}}":
                    return named
                if isinstance(named, str):
                    value = value.replace(f"${{{name}}}", named)
        return value

    def wrong(self, want: Any, got: Any, where: str = "answer") -> str:
        """Where two values differ and how; empty for nowhere. Names what ``want`` says to name."""
        if isinstance(want, str):
            if want.startswith("$set:"):
                self.names[want.removeprefix("$set:")] = got
                return ""
            kinds = {"$any": object, "$string": str, "$number": int | float}
            right = isinstance(got, kinds[want]) if want in kinds else self.fill(want) == got
            return "" if right else f"{where} is {got!r}, not {want!r}"
        if isinstance(want, dict):
            if not isinstance(got, dict):
                return f"{where} is {got!r}, no object"
            extra = got.keys() - want.keys()
            if extra and not want.get("$more"):
                return f"{where} also has {sorted(extra)}"
            members = ((key, want[key]) for key in want if key != "$more")
            return next(filter(None, (self.wrong(w, got.get(k, MISSING), f"{where}.{k}") for k, w in members)), "")
        if isinstance(want, list):
            if not isinstance(got, list) or len(got) != len(want):
                return f"{where} is {got!r}, no list of {len(want)}"
            pairs = enumerate(zip(want, got, strict=True))
            return next(filter(None, (self.wrong(w, g, f"{where}[{i}]") for i, (w, g) in pairs)), "")
        same = want == got and isinstance(want, bool) == isinstance(got, bool)
        return "" if same else f"{where} is {got!r}, not {want!r}"


def _turns(lines: list[dict[str, Any]]) -> Iterator[Turn]:
    """Requests with an id, each with the answer to it."""
    answers = {line["expect"]["id"]: line["expect"] for line in lines if "id" in line.get("expect", {})}
    for number, line in enumerate(lines, 1):
        request = line.get("send")
        if isinstance(request, dict) and request.get("id") in answers:
            yield Turn(number, request, answers[request["id"]])
