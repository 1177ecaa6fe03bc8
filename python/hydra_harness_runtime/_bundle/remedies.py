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
    "manifest/unreadable": "Let this user read it: its owner, or root, runs chmod a+rX {quoted} and the same for the "
    "folders above it",
    "manifest": "{reinstall} (a source tree has no executables: build and install its wheel)",
    "version-mix": "{reinstall}",
    "version-mix/upgraded": "The package was upgraded while this program ran: start the program again",
    "overridden": "Unset {override}, or say bundled_runtime_path(override=True) to have what it names.",
    "wrong-os": _OTHER_PLATFORM,
    "wrong-arch": _OTHER_PLATFORM,
    "missing/folder": "{reinstall} (a source tree has no executables: build and install its wheel)",
    "missing": "{reinstall} (if it goes missing again, security software may be removing it: exclude {path})",
    "dangling-link": "{reinstall} (or restore what the link points to)",
    "mode": "Make it executable: chmod +x {quoted} (who repackages the wheel must keep mode 0755)",
    "mode/read-only": "Its file system is mounted read-only: build what is mounted there anew with mode 0755 for "
    "{quoted}, or install into another folder: {install} --target DIR {dist}=={version}",
    "noexec": "Install into a file system that is mounted without noexec, or point " + OVERRIDE + " to a copy on one.",
    "denied/unreadable": "Let this user read it: its owner, or root, runs chmod a+rX {quoted} and the same for the "
    "folders above it",
    "denied/system": "{reinstall} (the file system itself failed: look at the system's log)",
    "denied": "Look for an execution policy that forbids it (noexec, fapolicyd, SELinux, AppArmor) and allow {path}",
    "loader": "{reinstall} (the executables of the wheels are static and need no loader)",
    "digest": _ON_PURPOSE,
    "size": _ON_PURPOSE,
}
"""By code; the others are mended by ``{reinstall}``."""

_CHOSEN = {
    "mode": "Make it executable: chmod +x {quoted}",
    "mode/read-only": "Copy it where it can be changed, make the copy executable and point {origin} to that.",
    "noexec": "Copy it and its sidecar to a file system that is mounted without noexec and point {origin} there.",
    "denied/unreadable": "Let this user read it: chmod a+rX {quoted}",
    "": "Point {origin} to a runtime that has its sidecar beside it (the same name and -rg), or leave it out.",
}
"""For a runtime that the user named, by code."""

_SHADOWED = "The imported package {package} shadows the installed copy recorded in {record}. {before}"


def remedy_for(code: str, path: str, *, version: str, case: str = "", package: str = "", origin: str = "") -> str:
    """The way out of the fault *code* of the file *path*.

    *case* tells faults of one code apart. *package* is the directory of the package that was imported; *origin* names
    the setting through which the user chose another runtime.
    """
    import shlex

    record = before = ""
    if package and code in ("manifest", "missing"):
        try:
            record = _shadowed_record(package)
            before = _way_to_the_installed(package) if record else ""
        except OSError:  # more than the package is gone; the usual remedy has to do
            record = ""
    known, usual = (_CHOSEN, _CHOSEN[""]) if origin else (_REMEDIES, "{reinstall}")
    template = _SHADOWED if record and not origin else known.get(f"{code}/{case}") or known.get(code, usual)
    return template.format(
        dist=_DISTRIBUTION,
        version=version,
        path=path,
        quoted=shlex.quote(path),
        origin=origin,
        package=package,
        record=record,
        before=before,
        override=OVERRIDE,
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


def _way_to_the_installed(package: str) -> str:
    """Why *package* is found before the installed copy, and what ends that."""
    import os

    folder = os.path.dirname(os.path.realpath(package))
    from_variable = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if any(os.path.realpath(entry) == folder for entry in from_variable):
        return f"Take {folder} out of PYTHONPATH"
    script = os.path.dirname(os.path.realpath(sys.argv[0])) if sys.argv[0] else ""
    if os.path.realpath(os.curdir) == folder and folder != script:
        return f"Start Python from another directory, or with -P (from 3.11 on), or rename {package}"
    if folder == script:
        return f"The folder of the program comes first: rename {package}"
    return f"{folder} comes earlier in sys.path: take it out, or rename {package}"


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
