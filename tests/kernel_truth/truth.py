"""From the calls of a command to the paths it touched."""

from __future__ import annotations

import os
import re

from .layout import Places
from .strace import Call, calls

FIELDS = (
    "kernel_reads",
    "kernel_dir_reads",
    "kernel_writes",
    "kernel_write_ops",
    "kernel_execs",
    "kernel_failed",
    "kernel_stats",
    "kernel_links_from",
    "kernel_chdirs",
)

# What every program of the system touches for itself, and no word names.
_SYSTEM = re.compile(
    r"^(/$|/usr/|/lib|/bin|/sbin|/etc/(ld\.so|locale|nsswitch|passwd|group|inputrc|magic|localtime|selinux|"
    r"terminfo|gai|host\.conf|resolv|subuid|userdb|gitattributes|perl|gitconfig|python|vim|mawk|ssl)|/proc/|/dev/|"
    r"/sys/|/run/|/var/|/opt/|/tmp$|/tmp/sh-thd\.|/nonexistent|/home$|/root)"
)

_OPENS = {"open", "openat", "openat2", "creat"}
_LOOKS = {
    "newfstatat",
    "statx",
    "stat",
    "lstat",
    "faccessat",
    "faccessat2",
    "access",
    "readlink",
    "readlinkat",
    "fstatat64",
}
_ENTRIES = {"unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "mknod", "mknodat"}
_META = {
    "truncate",
    "chmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "lchown",
    "fchownat",
    "utimensat",
    "utime",
    "utimes",
    "futimesat",
    "setxattr",
}


def followed(path: str) -> str:
    return os.fsdecode(os.path.realpath(os.fsencode(path)))


def entry(path: str) -> str:
    """The path of the entry itself, its last component not followed."""
    path = path.rstrip("/") or "/"
    folder, name = os.path.split(path)
    if name in ("", ".", ".."):
        return followed(path)
    return followed(folder).rstrip("/") + "/" + name


class Truth:
    """Collects the paths of one command."""

    def __init__(self, at: Places, start: str, keep: list[str]) -> None:
        self.at, self.start, self.keep = at, start, set(keep)
        self.reads: set[str] = set()
        self.dirs: set[str] = set()
        self.execs: set[str] = set()
        self.stats: set[str] = set()
        self.links_from: set[str] = set()
        self.ops: set[str] = set()
        self.writes: set[str] = set()
        self.failed: set[tuple[str, str, str]] = set()
        self.chdirs: list[str] = []

    def add_process(self, file: str) -> None:
        cwd = self.start
        for c in calls(file):
            cwd = c.cwd or cwd
            if c.name == "fchdir" and c.ok and c.descriptors:
                cwd = c.descriptors[0]
                continue
            folder = c.descriptors[0] if c.descriptors else cwd
            if c.name == "chdir" and c.strings and c.ok:
                cwd = followed(c.path(0, cwd))
                if self.wanted(cwd):
                    self.chdirs.append(self.at.unfill(cwd))
            elif c.name in _OPENS:
                self._open(c, c.descriptors[0] if c.descriptors else self.start)
            elif c.name in ("execve", "execveat") and c.strings and c.ok:
                path = followed(c.path(0, folder))
                if self.at.holds(path):
                    self.execs.add(self.at.unfill(path))
            elif c.ok and c.name in ("rename", "renameat", "renameat2") and len(c.strings) == 2:
                self._op("rename-from", entry(c.path(0, folder)))
                self._op("rename-to", entry(c.path(1, c.descriptors[1] if len(c.descriptors) > 1 else cwd)))
            elif c.ok and c.name in _ENTRIES and c.strings:
                self._op(c.name.replace("at", ""), entry(c.path(0, folder)))
            elif c.ok and c.name in ("symlink", "symlinkat") and len(c.strings) == 2:
                self._op("symlink", entry(c.path(1, c.descriptors[-1] if c.descriptors else cwd)))
            elif c.ok and c.name in ("link", "linkat") and len(c.strings) == 2:
                self._link(c, folder, cwd)
            elif c.ok and c.name in _META:
                self._meta(c, folder)
            elif c.ok and c.name in _LOOKS and c.strings and c.strings[0]:
                path = c.path(0, folder)
                kept = "AT_SYMLINK_NOFOLLOW" in c.flags or c.name in ("lstat", "readlink", "readlinkat")
                path = entry(path) if kept else followed(path)
                if self.at.holds(path):
                    self.stats.add(self.at.unfill(path))

    def wanted(self, path: str) -> bool:
        return path.startswith("/") and (self.at.holds(path) or path in self.keep or not _SYSTEM.match(path))

    def _add(self, to: set[str], path: str | None) -> None:
        path = (path or "").removesuffix(" (deleted)")
        if self.wanted(path):
            to.add(self.at.unfill(path))

    def _op(self, name: str, path: str) -> None:
        if self.wanted(path):
            self.ops.add(name + " " + self.at.unfill(path))
            self.writes.add(self.at.unfill(path))

    def _open(self, c: Call, folder: str) -> None:
        if not c.strings:
            return
        writes = c.name == "creat" or any(f in c.flags for f in ("O_WRONLY", "O_RDWR", "O_CREAT"))
        spelled = c.path(0, folder)
        if not c.ok:
            if c.strings[0] == "":
                self.failed.add(("r", "", c.errno or "?"))
            elif c.name != "open" and self.wanted(entry(spelled)) and not _SYSTEM.match(spelled):
                self.failed.add(("w" if writes else "r", self.at.unfill(spelled), c.errno or "?"))
        elif "O_PATH" in c.flags:
            self._add(self.stats, c.result)
        elif writes:
            self._op("open-write", (c.result or "").removesuffix(" (deleted)"))
            if "O_RDWR" in c.flags:
                self._add(self.reads, c.result)
        elif "O_DIRECTORY" in c.flags or (c.result and os.path.isdir(os.fsencode(c.result))):
            self._add(self.dirs, c.result)
        else:
            self._add(self.reads, c.result)

    def _link(self, c: Call, folder: str, cwd: str) -> None:
        self._op("link-to", entry(c.path(1, c.descriptors[1] if len(c.descriptors) > 1 else cwd)))
        source = c.path(0, folder)
        source = followed(source) if "AT_SYMLINK_FOLLOW" in c.flags else entry(source)
        if self.wanted(source):
            self.links_from.add(self.at.unfill(source))

    def _meta(self, c: Call, folder: str) -> None:
        if c.strings and c.name != "setxattr":
            path = c.path(0, folder)
            kept = "AT_SYMLINK_NOFOLLOW" in c.flags or c.name == "lchown"
            self._op("meta-" + c.name, entry(path) if kept else followed(path))
        elif c.descriptors:
            self._op("meta-" + c.name, c.descriptors[0])

    def result(self) -> dict[str, object]:
        stats = self.stats - {self.at.unfill(self.start), "{BASE}"}
        values = (
            sorted(self.reads),
            sorted(self.dirs),
            sorted(self.writes),
            sorted(self.ops),
            sorted(self.execs),
            [list(f) for f in sorted(self.failed)],
            sorted(stats),
            sorted(self.links_from),
            self.chdirs,
        )
        return dict(zip(FIELDS, values, strict=True))
