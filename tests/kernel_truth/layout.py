"""The tree of a case on the disk."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass

Entry = dict[str, object]


@dataclass(frozen=True)
class Places:
    """Where the placeholders of a case stand: {ROOT} is the tree and the root,
    {OUT} a sibling outside it, {BASE} their parent."""

    base: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "_map", {"{ROOT}": self.root, "{OUT}": self.out, "{BASE}": self.base})

    @property
    def root(self) -> str:
        return self.base + "/root"

    @property
    def out(self) -> str:
        return self.base + "/out"

    def fill(self, text: str) -> str:
        for name, path in self._map.items():  # type: ignore[attr-defined]
            text = text.replace(name, path)
        return text

    def path(self, text: str) -> bytes:
        """A path of a case as the bytes it stands for (surrogateescape)."""
        return os.fsencode(self.fill(text))

    def unfill(self, path: str) -> str:
        for name, at in self._map.items():  # type: ignore[attr-defined]
            if path == at or path.startswith(at + "/"):
                return name + path[len(at) :]
        if path.startswith(self.root + "-"):  # a sibling that has the root's name in front
            return "{ROOT}" + path[len(self.root) :]
        return path

    def holds(self, path: str) -> bool:
        return path == self.base or path.startswith(self.base + "/")


def lay_out(tree: list[Entry], at: Places) -> list[tuple[bytes, int]]:
    """Makes the entries; returns the modes to set once everything is there."""
    for d in (at.root, at.out + "/home", at.out + "/tmp"):
        os.makedirs(d, exist_ok=True)
    modes = []
    for e in tree:
        path = at.path(str(e["path"]))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _MAKERS[str(e.get("type", "file"))](path, e, at)
        if "mode" in e:
            modes.append((path, int(str(e["mode"]), 8)))
    return modes


def _file(path: bytes, e: Entry, at: Places) -> None:
    with open(path, "wb") as f:
        f.write(os.fsencode(at.fill(str(e.get("content", "x\n")))))


def _link(path: bytes, e: Entry, at: Places) -> None:
    os.symlink(at.path(str(e["target"])), path)


def _many(path: bytes, e: Entry, at: Places) -> None:
    os.makedirs(path, exist_ok=True)
    prefix = str(e.get("prefix", "f" if e["type"] == "manyfiles" else "d"))
    for i in range(int(str(e["count"]))):
        name = path + os.fsencode("/%s%05d" % (prefix, i))
        if e["type"] == "manyfiles":
            open(name, "w").close()
        else:
            os.makedirs(name)


def _chain(path: bytes, e: Entry, at: Places) -> None:
    os.makedirs(path, exist_ok=True)
    count, prefix = int(str(e["count"])), str(e["prefix"])
    for i in range(count):
        target = "%s%02d" % (prefix, i + 1) if i + 1 < count else str(e["target"])
        os.symlink(at.path(target), path + os.fsencode("/%s%02d" % (prefix, i)))


_MAKERS = {
    "dir": lambda p, e, at: os.makedirs(p, exist_ok=True),
    "file": _file,
    "symlink": _link,
    "hardlink": lambda p, e, at: os.link(at.path(str(e["to"])), p),
    "fifo": lambda p, e, at: os.mkfifo(p),
    "manyfiles": _many,
    "manydirs": _many,
    "linkchain": _chain,
}


def mutate(changes: list[Entry], at: Places) -> None:
    """Makes the change of a race case between two runs."""
    for e in changes:
        path, op = at.path(str(e["path"])), str(e["op"])
        if op in ("relink", "to-link", "remove"):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.unlink(path)
            if op != "remove":
                os.symlink(at.path(str(e["target"])), path)
        elif op == "create":
            os.makedirs(os.path.dirname(path), exist_ok=True)
            _file(path, e, at)
        elif op == "mkdir":
            os.makedirs(path)
        elif op == "rename":
            os.rename(path, at.path(str(e["to"])))
        elif op == "chmod":
            os.chmod(path, int(str(e["mode"]), 8))
        else:
            raise ValueError(f"no change of a tree is called {op!r}")


def give_to(base: str, uid: int, gid: int) -> None:
    """Hands the tree to the user the command runs as."""
    for folder, dirs, files in os.walk(os.fsencode(base)):
        os.lchown(folder, uid, gid)
        for name in dirs + files:
            os.lchown(os.path.join(folder, name), uid, gid)


def remove(base: str) -> None:
    """Takes the tree away, directories without permissions included."""
    for folder, _, _ in os.walk(os.fsencode(base)):
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o755)
    shutil.rmtree(os.fsencode(base), ignore_errors=True)
