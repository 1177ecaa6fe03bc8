"""From a fault in the bundle to the error that people read.

The checks raise :class:`Refused`, which knows only the file and what is wrong
with it. :func:`bundle_error` adds the wheel, the host and the way out.
"""

# ruff: noqa: PLC0415, PTH110, PTH112, PTH120
# Locating must stay cheap; what an error needs is loaded when there is one.
from __future__ import annotations

import sys

from ._errors import RuntimeBundleError, RuntimeMissingError, RuntimePermissionError

__all__ = ["OVERRIDE", "Refused", "bundle_error", "launch_refusal"]

OVERRIDE = "HYDRA_HARNESS_RUNTIME"
"""Environment variable that names another runtime; ``<it>-rg`` lies beside it."""

_DISTRIBUTION = "hydra-harness-runtime"
_PACKAGE = "hydra_harness_runtime"

_REINSTALL = "Reinstall it: {pip} install --force-reinstall {dist}=={version}"

_REMEDIES = {
    "zipped": "Install it unpacked, e.g. {pip} install --target DIR {dist}=={version}, "
    "because the system cannot execute a file inside an archive.",
    "manifest": _REINSTALL + " (a source tree has no executables: build and install its wheel)",
    "version-mix": _REINSTALL,
    "wrong-os": "Install the wheel of this platform: {pip} install --force-reinstall "
    "{dist}=={version}, on the machine that will run it",
    "missing": _REINSTALL + " (if it goes missing again, security software may be removing it: exclude {path})",
    "dangling-link": "Restore what the link points to, or r" + _REINSTALL[1:],
    "mode": "Make it executable: chmod +x {path} (who repackages the wheel must keep mode 0755)",
    "noexec": "Install into a file system that is mounted without noexec, or point " + OVERRIDE + " to a copy on one.",
    "denied": "Look for an execution policy that forbids it (noexec, fapolicyd, SELinux, AppArmor) and allow {path}",
    "loader": _REINSTALL + " (the executables of the wheels are static and need no loader)",
    "digest": _REINSTALL + " (if you changed the file on purpose: {python} -m " + _PACKAGE + " remanifest)",
    "size": _REINSTALL + " (if you changed the file on purpose: {python} -m " + _PACKAGE + " remanifest)",
}
_REMEDIES["wrong-arch"] = _REMEDIES["wrong-os"]

_OVERRIDE_REMEDY = "Point {origin} to a runtime that has its {dist}-rg beside it, or leave it out."

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
    """One file is not fit: the stable *code*, the *path*, what is wrong in words."""

    def __init__(self, code: str, path: str, what: str, *, errno: int | None = None) -> None:
        super().__init__(code)
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
    template = _OVERRIDE_REMEDY if origin else _REMEDIES.get(refused.code, _REINSTALL)
    remedy = template.format(
        dist=_DISTRIBUTION,
        version=version,
        path=refused.path,
        origin=origin,
        python=sys.executable or "python",
        pip=f"{sys.executable or 'python'} -m pip",
    )
    if package and refused.code in ("manifest", "missing"):
        remedy = _shadow_note(package) + remedy
    wheel = f"wheel for {target}" if target else "wheel unknown"
    chosen = f", chosen by {origin}" if origin else f"; {wheel}"
    return _CLASSES.get(refused.code, RuntimeBundleError)(
        f"[{refused.code}] {refused.what}: {refused.path} (host is {host}{chosen}). {remedy}",
        code=refused.code,
        path=refused.path,
        target=target,
        host=host,
        remedy=remedy,
        errno=refused.errno,
    )


def launch_refusal(error: OSError, path: str) -> Refused:
    """What it means that the system would not start *path*, a file that passed the checks."""
    import errno
    import os

    detail = error.strerror or str(error)
    if error.errno == errno.ENOENT:
        if os.path.exists(path):
            what = f"it exists, but its loader does not ({detail})"
            return Refused("loader", path, what, errno=error.errno)
        return Refused("missing", path, "it vanished before it was started", errno=error.errno)
    if error.errno == errno.ENOEXEC:
        return Refused("platform", path, f"the system cannot run it ({detail})", errno=error.errno)
    return Refused("denied", path, f"the system would not start it ({detail})", errno=error.errno)


def _shadow_note(package: str) -> str:
    """A sentence when the imported package hides a copy that pip installed."""
    import os
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution(_DISTRIBUTION)
    except PackageNotFoundError:
        return ""
    copy = str(installed.locate_file(_PACKAGE))
    if not os.path.isdir(copy) or os.path.realpath(copy) == os.path.realpath(package):
        return ""
    records = [file.locate() for file in installed.files or () if file.name == "METADATA"]
    where = os.path.dirname(os.fspath(records[0])) if records else copy
    return f"The imported package {package} shadows the installed copy recorded in {where}. "
