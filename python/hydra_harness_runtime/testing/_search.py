"""glob and grep over a dictionary of texts: just enough for tests of other things."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["find_files", "find_lines", "with_context"]


def find_files(files: Mapping[str, str], pattern: str, path: str) -> list[str]:
    """The names below *path* that match the glob, in the dictionary's order."""
    return [name for name, below in _below(files, path) if _matches(pattern, below)]


def find_lines(
    files: Mapping[str, str], expression: re.Pattern[str], path: str, include: str
) -> Iterator[tuple[str, int, str]]:
    """Name, number from 1 and text of each line that matches, by name."""
    for name, below in sorted(_below(files, path)):
        if include and not _matches(include, below):
            continue
        for number, line in enumerate(files[name].splitlines(), 1):
            if expression.search(line):
                yield name, number, line


def with_context(
    files: Mapping[str, str], found: list[tuple[str, int, str]], before: int, after: int
) -> Iterator[dict[str, object]]:
    """The matches as the wire has them, each line once, with *before* and *after* lines around."""
    matching = {(name, number) for name, number, _ in found}
    wanted = {(name, near) for name, number in matching for near in range(number - before, number + after + 1)}
    for name in dict.fromkeys(name for name, _, _ in found):
        for number, line in enumerate(files[name].splitlines(), 1):
            if (name, number) in matching:
                yield {"path": name, "lineNumber": number, "line": line}
            elif (name, number) in wanted:
                yield {"path": name, "lineNumber": number, "line": line, "context": True}


def _below(files: Mapping[str, str], path: str) -> Iterator[tuple[str, str]]:
    """Each name below *path*, with what is left of it there."""
    folder = path.removeprefix("./").rstrip("/")
    for name in files:
        if folder in ("", "."):
            yield name, name
        elif name == folder:
            yield name, name.rpartition("/")[2]
        elif name.startswith(folder + "/"):
            yield name, name[len(folder) + 1 :]


def _matches(pattern: str, name: str) -> bool:
    subject = name if "/" in pattern else name.rpartition("/")[2]
    return _compile(pattern.removeprefix("/")).fullmatch(subject) is not None


_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\{[^{}]*\}|\[[^]]+\]|.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_translate(token) for token in _TOKENS.findall(pattern)))


def _translate(token: str) -> str:
    if token in _MEANINGS:
        return _MEANINGS[token]
    if len(token) > 1 and token[0] == "{":
        return "(?:" + "|".join(_compile(part).pattern for part in token[1:-1].split(",")) + ")"
    if len(token) > 1 and token[0] == "[":
        return "[" + token[1:-1].replace("!", "^", 1) + "]" if token[1] == "!" else token
    return re.escape(token)
