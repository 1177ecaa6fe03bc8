"""Where the packaged executables are, and proof that they can be used.

Nothing happens at import. The files are looked for in the package's own directory, without
resolving links (stores that link file by file would lose the sibling), and
never on ``PATH``. The first fault met is raised as a
:class:`RuntimeBundleError` whose code names it; the checks run in this order,
4 to 7 for the runtime and then for ripgrep:

1. ``zipped``: the package is imported from an archive
2. ``manifest``, ``version-mix``: the manifest is absent, broken or of another version
3. ``wrong-os``, ``wrong-arch``: the wheel is for another platform
4. ``missing``, also of a module that the manifest names; ``dangling-link``, ``not-a-file``, ``size``: what lies there
5. ``platform``: the file's header is not that of the wheel's target
6. ``digest``: its bytes are not those that were packed
7. ``mode``, ``noexec``, ``denied``: it cannot be executed

A check that passed is remembered for the process and for the state of the
inodes: a file that is replaced, removed or changed is looked at again.
"""

# ruff: noqa: PLC0415, PTH100, PTH109, PTH110, PTH112, PTH113, PTH116, PTH118, PTH119, PTH120, PTH123
# Locating must stay cheap: no pathlib, no logging until needed.
from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple

from .._version import __version__
from . import LOGGER, binaries, manifest
from .faults import OVERRIDE, Refused, bundle_error, unseen
from .filechecks import check_executable, check_kind, check_readable, may_execute
from .host import Host, current_host, mismatch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "Bundle",
    "Located",
    "Verify",
    "bundled_ripgrep_path",
    "bundled_runtime_path",
    "installed",
    "locate",
    "lost_module",
]

Verify = Literal["full", "structure"]
"""How much is proved: everything, or everything except sizes and digests."""

_BIN = "_bin"


class Located(NamedTuple):
    """Both executables, as absolute unresolved paths."""

    runtime: str
    ripgrep: str


def bundled_runtime_path(*, verify: Verify = "full", override: bool = False) -> Path:
    """The path of the packaged runtime, checked together with its sidecar.

    ``verify="structure"`` leaves out sizes and digests, for people who re-sign
    the executables; in an application that a freezer packed, which may do so on
    its own account, there is no more than that. Where ``HYDRA_HARNESS_RUNTIME``
    names another runtime, that is refused (code ``overridden``), since nothing
    is known of it; ``override=True`` has it, checked for presence and mode only.

    Raises :class:`RuntimeBundleError` with the code of the first fault.
    """
    from pathlib import Path

    return Path(_bundled(verify, override=override).runtime)


def bundled_ripgrep_path(*, verify: Verify = "full", override: bool = False) -> Path:
    """The path of the packaged ripgrep, for those who want only the binary.

    The same checks, options and errors as :func:`bundled_runtime_path`.
    """
    from pathlib import Path

    return Path(_bundled(verify, override=override).ripgrep)


def _bundled(verify: Verify, *, override: bool) -> Located:
    chosen = os.environ.get(OVERRIDE)
    if not chosen or override:
        return locate(verify=verify)
    refused = Refused("overridden", chosen, f"{OVERRIDE} names another runtime, of which nothing is known")
    raise bundle_error(refused, target="", host=str(current_host()), version=__version__)


def locate(
    runtime_path: str | os.PathLike[str] | None = None, *, verify: Verify = "full", override: bool = True
) -> Located:
    """Both executables: *runtime_path*, else the override if it may be used, else the bundle."""
    if verify not in ("full", "structure"):
        raise ValueError(f'verify must be "full" or "structure", not {verify!r}')
    if runtime_path is not None:
        return _chosen(os.fspath(runtime_path), "runtime_path")
    chosen = os.environ.get(OVERRIDE) if override else None
    if chosen:
        import logging

        from .._logs import tell

        tell(logging.getLogger(LOGGER), logging.INFO, "%s chooses the runtime %s", OVERRIDE, chosen)
        return _chosen(chosen, OVERRIDE)
    # PyInstaller and its like sign executables anew on macOS, and may strip them.
    return installed().check("structure" if getattr(sys, "frozen", False) else verify)


class Bundle:
    """The files of one wheel: *package* is the directory that was imported."""

    def __init__(self, package: str, *, version: str, host: Host) -> None:
        self.package = package
        self.version = version
        self.host = host
        self.target = ""
        folder = os.path.join(package, _BIN)
        self._manifest = os.path.join(folder, manifest.MANIFEST)
        self._paths = Located(os.path.join(folder, manifest.RUNTIME), os.path.join(folder, manifest.RIPGREP))
        self._passed: dict[Verify, object] = {}

    def check(self, verify: Verify) -> Located:
        """Run the checks that are not remembered; raise the first fault."""
        state = self._state()
        if state is not None and state in (self._passed.get(verify), self._passed.get("full")):
            return self._paths
        try:
            self._check_all(verify)
        except Refused as refused:
            raise bundle_error(
                refused,
                target=self.target,
                host=str(self.host),
                version=self.version,
                package=self.package,
            ) from None
        # A file that changed meanwhile, or whose mode was mended, is looked at
        # once more by the next call instead of being trusted.
        if state is not None and state == self._state():
            self._passed[verify] = state
        return self._paths

    def _check_all(self, verify: Verify) -> None:
        """Every check; once more where something vanished meanwhile, as in the middle of an upgrade."""
        try:
            self._check(verify)
        except OSError:
            try:
                self._check(verify)
            except OSError as error:
                raise unseen(error, str(error.filename or self.package)) from None

    def _check(self, verify: Verify) -> None:
        self.target = ""
        self._check_unpacked()
        packed = self._read_manifest()
        self.target = packed.target
        where = self._manifest
        if packed.version != self.version:
            what = f"the executables are {packed.version}, the Python package is {self.version}"
            raise Refused("version-mix", where, what, case="upgraded" if self._was_upgraded(packed.version) else "")
        code = mismatch(packed.target, self.host)
        if code is not None:
            raise Refused(code, where, "the wheel is for another platform")
        if not getattr(sys, "frozen", False):  # whose modules are in an archive
            self._check_modules(packed.modules, verify)
        for path in self._paths:
            self._check_file(path, packed.files[os.path.basename(path)], verify)

    def _was_upgraded(self, version: str) -> bool:
        """Whether the modules on the disk are of *version*, too, and only those that are loaded are not."""
        try:
            with open(os.path.join(self.package, "_version.py"), "rb") as file:
                return f'"{version}"'.encode() in file.read(manifest.LARGEST)
        except OSError:
            return False

    def _state(self) -> object | None:
        """What must be unchanged for an earlier success to hold."""
        try:
            found = [os.stat(path) for path in (self._manifest, *self._paths)]
            executable = [may_execute(path) for path in self._paths]
        except OSError:
            return None
        return [(f.st_dev, f.st_ino, f.st_size, f.st_mtime_ns, f.st_ctime_ns) for f in found], executable

    def _check_unpacked(self) -> None:
        if os.path.isdir(self.package):
            return
        above = self.package
        while not os.path.lexists(above):
            above = os.path.dirname(above)
        if os.path.isfile(above):
            raise Refused("zipped", above, "the package is imported from an archive")
        raise Refused("missing", self.package, "the package's own directory is gone")

    def _read_manifest(self) -> manifest.Manifest:
        path = self._manifest
        try:
            # Asked before it is opened: a pipe of that name would be waited for.
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise Refused("manifest", path, "it is not a regular file")
            with open(path, "rb") as file:
                return manifest.parse(file.read(manifest.LARGEST + 1))
        except FileNotFoundError as error:
            gone = os.path.dirname(path)
            if not os.path.isdir(gone):  # with all that was in it
                what = "there is no folder of executables"
                raise Refused("missing", gone, what, errno=error.errno, case="folder") from None
            raise Refused("manifest", path, "there is no such file", errno=error.errno) from None
        except OSError as error:
            case = "unreadable" if isinstance(error, PermissionError) else ""
            what = f"it cannot be read ({error.strerror})"
            raise Refused("manifest", path, what, errno=error.errno, case=case) from None
        except manifest.ManifestError as error:
            raise Refused("manifest", path, f"it is broken: {error}") from None

    def _check_modules(self, modules: Mapping[str, manifest.FileEntry], verify: Verify) -> None:
        """Are the modules there that only some calls load? Digests are for ``verify``."""
        for name, entry in modules.items():
            path = os.path.join(self.package, name)
            try:
                found = os.stat(path)
            except FileNotFoundError as error:
                if os.path.exists(path + "c"):  # compiled, and the source left out on purpose
                    continue
                raise Refused("missing", path, "this module is not there", errno=error.errno) from None
            if verify == "full" and found.st_size != entry.size:
                what = f"it has {found.st_size} bytes, {entry.size} were packed"
                raise Refused("size", path, what)

    def verify_all(self) -> int:
        """Every check, and the digest of every module; how many files that were."""
        self.check("full")
        packed = self._read_manifest()
        for name, entry in packed.modules.items():
            path = os.path.join(self.package, name)
            if os.path.exists(path) and manifest.sha256(path) != entry.sha256:
                refused = Refused("digest", path, "its bytes are not those that were packed")
                raise bundle_error(
                    refused, target=self.target, host=str(self.host), version=self.version, package=self.package
                )
        return len(packed.modules) + len(self._paths)

    def _check_file(self, path: str, entry: manifest.FileEntry, verify: Verify) -> None:
        found = check_kind(path)
        check_readable(path, found)
        if verify == "full" and found.st_size != entry.size:
            what = f"it has {found.st_size} bytes, {entry.size} were packed"
            raise Refused("size", path, what)
        try:
            with open(path, "rb", buffering=0) as file:
                platform = binaries.platform_of(file.read(binaries.HEADER_BYTES))
            if platform != self.target:
                what = f"it is an executable for {platform or 'no known platform'}"
                raise Refused("platform", path, what)
            if verify == "full" and manifest.sha256(path) != entry.sha256:
                raise Refused("digest", path, "its bytes are not those that were packed")
        except FileNotFoundError:
            raise  # in the middle of an upgrade: looked at once more
        except OSError as error:
            what = f"it cannot be read ({error.strerror})"
            raise Refused("denied", path, what, errno=error.errno) from None
        check_executable(path, found, repair=True)


def lost_module(name: str) -> Exception:
    """The error for a module of this package, by its whole name, that cannot be imported."""
    bundle = installed()
    path = os.path.join(bundle.package, *name.split(".")[1:]) + ".py"
    return bundle_error(
        Refused("missing", path, "this module is not there"),
        target="",
        host=str(bundle.host),
        version=__version__,
        package=bundle.package,
    )


_bundle: Bundle | None = None
"""The bundle of this installation, made at the first call: it holds the memo."""


def installed() -> Bundle:
    """The bundle of this installation."""
    global _bundle  # noqa: PLW0603
    if _bundle is None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        _bundle = Bundle(package, version=__version__, host=current_host())
    return _bundle


def _chosen(path: str, origin: str) -> Located:
    """A runtime that the user named: nothing is promised of it, so less is checked."""
    located = Located(path, path + "-rg")
    try:
        if not path.startswith(os.sep):
            runtime = os.path.join(_here(path), path)
            located = Located(runtime, runtime + "-rg")
        for file in located:
            check_executable(file, check_kind(file), repair=False)
    except Refused as refused:
        raise bundle_error(refused, target="", host=str(current_host()), version=__version__, origin=origin) from None
    except OSError as error:  # removed or replaced meanwhile
        gone = unseen(error, str(error.filename or path))
        raise bundle_error(gone, target="", host=str(current_host()), version=__version__, origin=origin) from None
    return located


def _here(path: str) -> str:
    try:
        return os.getcwd()
    except OSError as error:
        what = "it is a relative path, and the working directory of this process is gone"
        raise Refused("missing", path, what, errno=error.errno) from None
