"""What is started for a client: the command line, and the configuration that it inherits."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._bundle.faults import bundle_error, launch_refusal
from ._bundle.host import current_host
from ._bundle.locate import locate
from ._transports.stdio import Command, StdioTransport
from ._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._bundle.locate import Verify
    from ._config import StrPath
    from ._errors import HarnessError
    from ._search_config import SearchConfig
    from ._transports.inprocess import InprocessTransport, Setup

__all__ = ["Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything that starting a runtime takes; the same for every restart."""

    workdir: str
    search: SearchConfig
    runtime_path: StrPath | None = None
    verify: Verify = "full"
    env: Mapping[str, str] | None = None

    def connect(self) -> StdioTransport:
        """The transport of the next runtime; nothing is looked for before it is opened."""
        return StdioTransport(self._prepare)

    def connect_inprocess(self) -> InprocessTransport:
        """The same in this very process."""
        from ._transports.inprocess import InprocessTransport  # noqa: PLC0415 - few ask for it

        return InprocessTransport(self._set_up)

    def _set_up(self) -> Setup:
        from ._transports.inprocess import Setup  # noqa: PLC0415

        located = locate(self.runtime_path, verify=self.verify)
        return Setup(self.workdir, located.ripgrep, self.search.to_dict(), self.env)

    def _prepare(self) -> Command:
        located = locate(self.runtime_path, verify=self.verify)
        config, handed, release = _handed_over(self.search.to_json())
        # Roots are in the configuration; without any, the working directory is the one.
        # Each call says its owner, or has none: the connection must not be one.
        argv = [located.runtime, "serve", "--owner=", "--workdir", self.workdir, "--config", config]
        # The process id, because a forked worker may hold our end of its input open.
        argv += ["--ripgrep", located.ripgrep, "--parent-pid", str(os.getpid())]

        def refuse(error: OSError) -> HarnessError:
            refused = launch_refusal(error, located.runtime)
            return bundle_error(refused, target="", host=str(current_host()), version=__version__)

        return Command(argv, None if self.env is None else dict(self.env), release, refuse, handed)


def _handed_over(text: str) -> tuple[str, tuple[int, ...], Callable[[], None]]:
    """*text* as a file for one program: its path there, the descriptors that it inherits, and what lets go.

    It has no name that a SIGKILL could leave behind.
    """
    if not os.path.isdir(_DESCRIPTORS):  # noqa: PTH112 - a root without /proc or /dev
        path = write_private(text)
        return path, (), lambda: _remove(path)
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("hydra-harness-runtime")
    else:
        handle, path = tempfile.mkstemp(prefix="hydra-harness-runtime-")
        _remove(path)
    held = [handle]

    def release() -> None:
        with contextlib.suppress(IndexError):  # it was let go before
            os.close(held.pop())

    try:
        os.write(handle, text.encode())
        os.lseek(handle, 0, os.SEEK_SET)
    except BaseException:
        release()
        raise
    return f"{_DESCRIPTORS}/{handle}", (handle,), release


_DESCRIPTORS = "/dev/fd"
"""Where Linux and macOS let a process open what it has inherited."""


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108


def write_private(text: str) -> str:
    """A file that only this user can read: 0600, in the folder for temporary files."""
    handle, path = tempfile.mkstemp(prefix="hydra-harness-runtime-", suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path
