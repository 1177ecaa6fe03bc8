"""The fenced code blocks of a Markdown file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(path: Path) -> list[Block]:
    text = path.read_text("utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in _FENCE.finditer(text)]


def dialogue(text: str) -> list[tuple[str, str]]:
    """A console block as pairs of a command and what it prints."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a prompt"
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]
