"""From a fault in the bundle to the error that people read.

The checks raise :class:`Refused`, which knows only the file and what is wrong
with it. :func:`bundle_error` adds the wheel, the host and the way out.
"""

# ruff: noqa: PLC0415, PTH110
# Locating must stay cheap; what an error needs is loaded when there is one.
from __future__ import annotations

import os

from .._errors import RuntimeBundleError, RuntimeMissingError, RuntimePermissionError
from .remedies import OVERRIDE, remedy_for

__all__ = ["OVERRIDE", "Refused", "bundle_error", "launch_refusal", "unseen"]

_CLASSES: dict[str, type[RuntimeBundleError]] = {
    "manifest": RuntimeMissingError,
    "missing": RuntimeMissingError,
    "dangling-link": RuntimeMissingError,
    "loader": RuntimeMissingError,
    "mode": RuntimePermissionError,
    "noexec": RuntimePermissionError,
    "denied": RuntimePermissionError,
}


class Refused(Exception):  # noqa: N818 - it is a finding, turned into an error by bundle_error
    """One file is not fit: the stable *code*, the *path*, what is wrong in words.

    *case* tells faults of one code apart whose ways out differ; see ``remedies``.
    """

    def __init__(self, code: str, path: str, what: str, *, errno: int | None = None, case: str = "") -> None:
        super().__init__(code)
        self.case = case
        self.code = code
        self.path = path
        self.what = what
        self.errno = errno


def bundle_error(
    refused: Refused, *, target: str, host: str, version: str, package: str = "", origin: str = ""
) -> RuntimeBundleError:
    """The error for *refused*, ready to be raised.

    *package* is the directory of the package that was imported; *origin* names
    the setting through which the user chose another runtime.
    """
    remedy = remedy_for(refused.code, refused.path, case=refused.case, version=version, package=package, origin=origin)
    wheel = f"wheel for {target}" if target else "wheel unknown"
    # Whoever has forgotten the variable has to hear of it, whatever went wrong.
    unused = f"; {OVERRIDE} is set, but not used here" if os.environ.get(OVERRIDE) and origin != OVERRIDE else ""
    chosen = f", chosen by {origin}" if origin else f"; {wheel}{unused}"
    return _CLASSES.get(refused.code, RuntimeBundleError)(
        f"[{refused.code}] {refused.what}: {refused.path} (host is {host}{chosen}). {remedy}",
        code=refused.code,
        path=refused.path,
        target=target,
        host=host,
        remedy=remedy,
        errno=refused.errno,
    )


def unseen(error: OSError, path: str) -> Refused:
    """What it means that *path* could not be looked at, at whichever step."""
    import errno

    detail = error.strerror or str(error)
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESTALE):
        return Refused("missing", path, "it vanished while it was looked at", errno=error.errno)
    case = "unreadable" if error.errno in (errno.EACCES, errno.EPERM) else "system"
    return Refused("denied", path, f"it cannot be looked at ({detail})", errno=error.errno, case=case)


def launch_refusal(error: OSError, path: str) -> Refused:
    """What it means that the system would not start *path*, a file that passed the checks."""
    import errno

    detail = error.strerror or str(error)
    if error.errno == errno.ENOENT:
        if os.path.exists(path):
            what = f"it exists, but its loader does not ({detail})"
            return Refused("loader", path, what, errno=error.errno)
        return Refused("missing", path, "it vanished before it was started", errno=error.errno)
    if error.errno == errno.ENOTDIR or not os.path.lexists(path):
        return Refused("missing", path, "it vanished before it was started", errno=error.errno)
    if error.errno == errno.ENOEXEC:
        return Refused("platform", path, f"the system cannot run it ({detail})", errno=error.errno)
    return Refused("denied", path, f"the system would not start it ({detail})", errno=error.errno)
