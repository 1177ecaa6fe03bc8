"""What mends a fault of the bundle, as a sentence that can be followed to the letter.

Commands name the interpreter that is running and are quoted for a shell. An
environment that has no pip was made by uv or its like, and gets uv's command;
an application that a freezer packed has neither, and has to be built again.
"""

# ruff: noqa: PLC0415, PTH112, PTH120
# Locating must stay cheap; what a remedy needs is loaded when there is a fault.
from __future__ import annotations

import sys

__all__ = ["OVERRIDE", "remedy_for"]

OVERRIDE = "HYDRA_HARNESS_RUNTIME"
"""Environment variable that names another runtime; ``<it>-rg`` lies beside it."""

_DISTRIBUTION = "hydra-harness-runtime"
_PACKAGE = "hydra_harness_runtime"

_ON_PURPOSE = "{reinstall} (if you changed the file on purpose: {python} -m " + _PACKAGE + " remanifest)"
_OTHER_PLATFORM = (
    "Install the wheel of this platform: {install} --force-reinstall {dist}=={version}, on the machine that will run it"
)

_REMEDIES = {
    "zipped": "Install it unpacked, e.g. {install} --target DIR {dist}=={version}, "
    "because the system cannot execute a file inside an archive.",
    "manifest": "{reinstall} (a source tree has no executables: build and install its wheel)",
    "version-mix": "{reinstall}",
    "wrong-os": _OTHER_PLATFORM,
    "wrong-arch": _OTHER_PLATFORM,
    "missing": "{reinstall} (if it goes missing again, security software may be removing it: exclude {path})",
    "dangling-link": "{reinstall} (or restore what the link points to)",
    "mode": "Make it executable: chmod +x {quoted} (who repackages the wheel must keep mode 0755)",
    "noexec": "Install into a file system that is mounted without noexec, or point " + OVERRIDE + " to a copy on one.",
    "denied": "Look for an execution policy that forbids it (noexec, fapolicyd, SELinux, AppArmor) and allow {path}",
    "loader": "{reinstall} (the executables of the wheels are static and need no loader)",
    "digest": _ON_PURPOSE,
    "size": _ON_PURPOSE,
}
"""By code; the others are mended by ``{reinstall}``."""

_CHOSEN = "Point {origin} to a runtime that has its {dist}-rg beside it, or leave it out."

_SHADOWED = (
    "The imported package {package} shadows the installed copy recorded in {record}. "
    "Start Python from another directory, or rename {package}"
)


def remedy_for(code: str, path: str, *, version: str, package: str = "", origin: str = "") -> str:
    """The way out of the fault *code* of the file *path*.

    *package* is the directory of the package that was imported; *origin* names
    the setting through which the user chose another runtime.
    """
    import shlex

    record = _shadowed_record(package) if package and code in ("manifest", "missing") else ""
    template = _CHOSEN if origin else _SHADOWED if record else _REMEDIES.get(code, "{reinstall}")
    return template.format(
        dist=_DISTRIBUTION,
        version=version,
        path=path,
        quoted=shlex.quote(path),
        origin=origin,
        package=package,
        record=record,
        python=_python(),
        install=_install(),
        reinstall=_reinstall(version),
    )


def _python() -> str:
    import shlex

    return shlex.quote(sys.executable or "python")


def _install() -> str:
    """How packages are installed for the interpreter that is running."""
    from importlib.util import find_spec

    if find_spec("pip") is None:
        # Without its cache: the files of an environment are hard links into it,
        # so that what was changed in place is changed there, too.
        return f"uv pip install --no-cache --python {_python()}"
    return f"{_python()} -m pip install"


def _reinstall(version: str) -> str:
    if getattr(sys, "frozen", False):
        return f"Build the application again, from an installation of {_DISTRIBUTION}=={version} that works"
    return f"Reinstall it: {_install()} --force-reinstall {_DISTRIBUTION}=={version}"


def _shadowed_record(package: str) -> str:
    """Where an installed copy is recorded that *package* hides; empty when it hides none."""
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
    return os.path.dirname(os.fspath(records[0])) if records else copy
