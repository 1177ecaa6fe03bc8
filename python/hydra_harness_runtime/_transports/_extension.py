"""The Python extension that holds the runtime in this process: where it can be used, and loading it.

It is a distribution of its own, ``hydra-harness-inprocess``, and is imported
when the first client asks for it. Once it is loaded it stays, with Go's threads
and signal handlers, and so it is loaded into no process that it does not fit.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from .._bundle.host import current_host
from .._errors import ForkedProcessError, RuntimeBundleError, RuntimeMissingError
from .._version import __version__

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["SUBPROCESS", "Extension", "load"]

PACKAGE = "hydra_harness_inprocess"
NATIVE = f"{PACKAGE}._hydra_native"

SUBPROCESS = 'use Runtime(transport="subprocess"), which has the same interface'
"""The way out that every message ends with."""

_NEEDED_LIMITS = (("RLIMIT_AS", 4 << 30), ("RLIMIT_DATA", 1 << 30))
"""Bytes that a limit has to leave to Go, which ends the process when it cannot
reserve memory. 1.6 GiB of addresses and 0.14 GiB of data were measured after the
load, and more comes with threads and results. They are addresses, not memory:
a hundredth of it is in use then."""

_TARGETS = ("linux-x86_64", "linux-aarch64")


class Extension(Protocol):
    """The functions of the extension. Texts are JSON; none of them raises for what a text says."""

    def pybind_Call(self, token: int, method: str, params: str) -> str: ...  # noqa: N802
    def pybind_Start(self, runtime: int, token: int, patience: int, request: str) -> str: ...  # noqa: N802
    def pybind_Wait(self, runtime: int) -> str: ...  # noqa: N802
    def pybind_NewToken(self) -> int: ...  # noqa: N802
    def pybind_Cancel(self, token: int) -> int: ...  # noqa: N802
    def pybind_FreeToken(self, token: int) -> int: ...  # noqa: N802
    def pybind_Version(self) -> str: ...  # noqa: N802


_lock = threading.Lock()
_loaded: Extension | None = None
_pid = 0
"""The process in which Go is, or is just being loaded; 0 for none."""


def load() -> Extension:
    """The extension, loaded now or before.

    Raises :class:`RuntimeBundleError` where it is not installed or does not fit,
    and :class:`ForkedProcessError` in a child of the process that loaded it:
    none of Go's threads is there.
    """
    global _loaded, _pid  # noqa: PLW0603 - a process loads one library, once
    if _pid not in (0, os.getpid()):  # before the lock, which may be copied locked
        raise ForkedProcessError(
            f"process {_pid} holds the runtime and forked this one, where it cannot run; "
            f'start workers with multiprocessing\'s "spawn" or "forkserver", or {SUBPROCESS}'
        )
    with _lock:
        if _loaded is None:
            _check_interpreter()
            _check_platform()
            _check_limits()
            _pid = os.getpid()
            try:
                _loaded = _import()
            finally:
                if NATIVE not in sys.modules:
                    _pid = 0
        return _loaded


def _forget() -> None:
    """In a forked child: whoever held the lock is not here. What it did is told by ``_pid``."""
    global _lock  # noqa: PLW0603 - the only one that loads
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _check_interpreter() -> None:
    if sys.implementation.name != "cpython":
        raise _refused("extension-interpreter", f"the extension is for CPython, and this is {sys.implementation.name}")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise _refused("extension-interpreter", "the extension is not for free-threaded builds of CPython")
    if not _in_main_interpreter():
        raise _refused("extension-interpreter", "Go cannot be loaded into a subinterpreter")


def _in_main_interpreter() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # since 3.13; before
        try:
            interpreters = import_module(name)
        except ImportError:
            continue
        current, main = interpreters.get_current(), interpreters.get_main()
        # Numbers, or tuples that begin with one.
        return bool(current == main)
    return True


def _check_platform() -> None:
    host = str(current_host())
    if host not in _TARGETS:
        raise _refused("extension-platform", f"there is no extension for {host}")
    if "musl" in (sysconfig.get_config_var("HOST_GNU_TYPE") or "") or "musl" in (
        sysconfig.get_config_var("SOABI") or ""
    ):
        raise _refused("extension-platform", "a Go library cannot be loaded by musl's loader")


def _check_limits() -> None:
    import resource  # noqa: PLC0415 - the package itself does without

    for name, needed in _NEEDED_LIMITS:
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit != resource.RLIM_INFINITY and limit < needed:
            what = f"the extension needs {name} to be {needed >> 20} MiB or more, and it is {limit >> 20} MiB"
            raise _refused("extension-limit", what, "Raise the limit, or ")


def _import() -> Extension:
    try:
        package = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        pip = f"{sys.executable or 'python'} -m pip install 'hydra-harness-runtime[inprocess]=={__version__}'"
        raise _refused("extension-missing", "the extension is not installed", f"Install it: {pip}; or ") from None
    found = getattr(package, "__version__", "unknown")
    if found != __version__:
        what = f"the extension is of version {found}, this package of version {__version__}"
        pip = f"{sys.executable or 'python'} -m pip install 'hydra-harness-inprocess=={__version__}'"
        raise _refused("extension-version", what, f"Install the same: {pip}; or ", package)
    import resource  # noqa: PLC0415 - the package itself does without

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        extension = cast("Extension", import_module(NATIVE))
        built_for = extension.pybind_Version()
    except ImportError as error:
        raise _refused("extension-load", f"the extension cannot be loaded ({error})", path=package) from None
    finally:
        # Go raises the limit for itself when it starts. Here the process is not Go's, and
        # programs that are started with more descriptors than select() takes break.
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    if built_for != __version__:
        what = f"the extension says that it is of version {built_for}, not {__version__}"
        raise _refused("extension-version", what, path=package)
    return extension


def _refused(code: str, what: str, remedy: str = "", path: ModuleType | None = None) -> RuntimeBundleError:
    remedy = f"{remedy}{SUBPROCESS}" if remedy else SUBPROCESS.replace("use", "Use", 1)
    kind = RuntimeMissingError if code == "extension-missing" else RuntimeBundleError
    file = getattr(path, "__file__", None) or PACKAGE
    message = f"[{code}] {what} (host is {current_host()}). {remedy}"
    return kind(message, code=code, path=file, host=str(current_host()), remedy=remedy)
