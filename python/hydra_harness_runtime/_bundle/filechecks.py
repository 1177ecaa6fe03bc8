"""Is this path a regular file that this process may execute?

Used for the files of the bundle and for a runtime that the user names. Links
are followed for the answer and never for the spelling.
"""

# ruff: noqa: PLC0415, PTH114, PTH115, PTH116, PTH120
# Locating must stay cheap: no pathlib, no logging until needed.
from __future__ import annotations

import errno
import os
import stat

from . import LOGGER
from .faults import Refused, unseen

__all__ = ["check_executable", "check_kind", "check_readable", "may_execute"]

_ST_NOEXEC: int = getattr(os, "ST_NOEXEC", 0)
"""Mount flag; only Linux has it in :func:`os.statvfs`."""

_ST_RDONLY: int = os.ST_RDONLY

_EFFECTIVE = os.access in os.supports_effective_ids


def check_kind(path: str) -> os.stat_result:
    """The status of the regular file at *path*."""
    try:
        found = os.stat(path)
    except PermissionError as error:
        raise Refused("denied", path, _cannot("be looked at", error), errno=error.errno, case="unreadable") from None
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.islink(path):
            what = f"the link to {os.readlink(path)} leads nowhere"
            raise Refused("dangling-link", path, what, errno=error.errno) from None
        raise Refused("missing", path, "there is no such file", errno=error.errno) from None
    except OSError as error:
        if os.path.islink(path):  # a loop, for instance
            what = f"the link to {os.readlink(path)} leads nowhere ({error.strerror})"
            raise Refused("dangling-link", path, what, errno=error.errno) from None
        raise unseen(error, path) from None
    if not stat.S_ISREG(found.st_mode):
        raise Refused("not-a-file", path, "it is not a regular file")
    return found


def check_executable(path: str, found: os.stat_result, *, repair: bool) -> None:
    """Refuse a file that cannot be executed, after mending its mode if allowed.

    The mode is mended only on a file that belongs to this user and is not
    reached through a link: a link leads into somebody's store.
    """
    if may_execute(path):
        return
    if not _has_bit(found):
        if not repair or found.st_uid != os.geteuid() or os.path.islink(path):
            what = f"its mode is {_octal(found)}, without the executable bit"
            raise Refused("mode", path, what, case="read-only" if _flags(path) & _ST_RDONLY else "")
        _repair(path, found)
        if may_execute(path):
            return
    if _flags(path) & _ST_NOEXEC:
        raise Refused("noexec", path, f"its file system, which is mounted at {_mount_point(path)}, is mounted noexec")
    raise Refused("denied", path, f"the system refuses execution although its mode is {_octal(os.stat(path))}")


def check_readable(path: str, found: os.stat_result) -> None:
    """Refuse a file whose bytes this user may not read, which says nothing about policies."""
    if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
        what = f"it belongs to user {found.st_uid} and its mode is {_octal(found)}, so that this user cannot read it"
        raise Refused("denied", path, what, case="unreadable")


def _flags(path: str) -> int:
    return os.statvfs(path).f_flag


def _mount_point(path: str) -> str:
    """The folder under which the file system of *path* hangs."""
    above = os.path.realpath(path)
    while above != "/" and not os.path.ismount(above):
        above = os.path.dirname(above)
    return above


def may_execute(path: str) -> bool:
    """The kernel's answer, which knows modes, lists and mount options."""
    return os.access(path, os.X_OK, effective_ids=_EFFECTIVE)


def _has_bit(found: os.stat_result) -> bool:
    """Whether the class of this user has the executable bit."""
    user = os.geteuid()
    if user == 0:
        return bool(found.st_mode & 0o111)
    if found.st_uid == user:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == os.getegid() or found.st_gid in os.getgroups():
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def _repair(path: str, found: os.stat_result) -> None:
    """Give execution to everyone who may read, and to the owner; say so once."""
    import logging

    from .._logs import tell

    mode = stat.S_IMODE(found.st_mode)
    mended = mode | ((mode & 0o444) >> 2) | stat.S_IXUSR
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not os.path.samestat(os.fstat(handle), found):
                raise Refused("mode", path, "it was replaced while it was looked at")
            os.fchmod(handle, mended)
        finally:
            os.close(handle)
    except OSError as error:
        what = f"its mode is {_octal(found)} and {_cannot('be mended', error)}"
        case = "read-only" if error.errno == errno.EROFS else ""
        raise Refused("mode", path, what, errno=error.errno, case=case) from None
    tell(
        logging.getLogger(LOGGER),
        logging.WARNING,
        "%s had lost its executable bit: mode changed from %s to %04o",
        path,
        _octal(found),
        mended,
    )


def _octal(found: os.stat_result) -> str:
    return f"{stat.S_IMODE(found.st_mode):04o}"


def _cannot(verb: str, error: OSError) -> str:
    return f"it cannot {verb} ({error.strerror})"
