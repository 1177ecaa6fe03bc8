"""Reading what strace wrote (``-ff -qq -y``): one call a line, descriptors with
the path the kernel has for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<((?:[^>\\]|\\.)*)>)?(?: (E\w+).*)?$", re.DOTALL)
_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>|([^,"<]+))')
_CWD = re.compile(r"AT_FDCWD<((?:[^>\\]|\\.)*)>")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "a": 7, "b": 8}


@dataclass(frozen=True)
class Call:
    """One system call that ended."""

    name: str
    strings: list[str]  # the paths among its arguments, surrogateescape
    descriptors: list[str]  # the paths of the descriptors among them
    flags: str  # everything else
    ok: bool
    errno: str | None
    result: str | None  # the path of the descriptor it returned
    cwd: str | None  # the process's directory, where the call shows it

    def path(self, i: int, directory: str) -> str:
        """The i-th path, absolute as spelled."""
        spelled = self.strings[i]
        return spelled if spelled.startswith("/") else directory.rstrip("/") + "/" + spelled


def unescape(text: str) -> str:
    out = bytearray()
    i = 0
    while i < len(text):
        c = text[i]
        if c != "\\":
            out += c.encode("utf-8", "surrogateescape")
            i += 1
            continue
        c = text[i + 1]
        octal = re.match(r"[0-7]{1,3}", text[i + 1 :])
        if c == "x":
            out.append(int(text[i + 2 : i + 4], 16))
            i += 4
        elif octal:
            out.append(int(octal.group(), 8))
            i += 1 + len(octal.group())
        else:
            out.append(_ESCAPES.get(c, ord(c) & 0xFF))
            i += 2
    return os.fsdecode(bytes(out))


def calls(file: str) -> Iterator[Call]:
    """The calls of one process, in order."""
    with open(file, errors="surrogateescape") as f:
        text = f.read()
    for line in text.split("\n"):
        m = _LINE.match(line)
        if not m:
            continue
        name, args, value, result, errno = m.groups()
        strings, descriptors, flags = [], [], []
        for t in _TOKEN.finditer(args):
            if t.group(1) is not None:
                strings.append(unescape(t.group(1)))
            elif t.group(2) is not None:
                descriptors.append(unescape(t.group(2)))
            elif t.group(3).strip():
                flags.append(t.group(3).strip())
        cwd = _CWD.match(args)
        yield Call(
            name,
            strings,
            descriptors,
            " ".join(flags),
            value not in ("-1", "?") and not errno,
            errno,
            unescape(result) if result else None,
            unescape(cwd.group(1)) if cwd else None,
        )
