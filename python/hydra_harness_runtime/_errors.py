"""Everything this package raises on purpose.

    HarnessError                     .code .details .mender .retryable
    ├── RuntimeBundleError           also OSError; .path .target .host .remedy
    │   ├── RuntimeMissingError      also FileNotFoundError
    │   └── RuntimePermissionError   also PermissionError
    ├── ConfigError                  also ValueError
    ├── ToolArgumentError            also ValueError
    ├── SearchError
    │   ├── InvalidPatternError
    │   ├── SearchFailedError
    │   ├── RawOutputOverflowError
    │   └── SearchAbortedError
    │       └── SearchTimeoutError   also TimeoutError
    ├── EstablishError
    │   ├── BadPlanError             also ValueError
    │   └── EstablishAbortedError
    ├── SpillError
    │   ├── SpillNotFoundError       also LookupError
    │   └── SpillQuotaError
    ├── RuntimeBusyError
    ├── UnsupportedMethodError       also NotImplementedError
    ├── RuntimeInternalError
    ├── RuntimeClosedError           also ConnectionError; .exit_code .stderr_tail
    │   └── RuntimeProtocolError
    ├── RuntimeTimeoutError          also TimeoutError; .stderr_tail
    └── ForkedProcessError

Branch on the class or on ``.code``; messages are for people and may change.
Every error can be pickled, so that it survives a process pool.
"""

from __future__ import annotations

import errno as _errno
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BadPlanError",
    "ConfigError",
    "EstablishAbortedError",
    "EstablishError",
    "ForkedProcessError",
    "HarnessError",
    "InvalidPatternError",
    "Mender",
    "RawOutputOverflowError",
    "RuntimeBundleError",
    "RuntimeBusyError",
    "RuntimeClosedError",
    "RuntimeInternalError",
    "RuntimeMissingError",
    "RuntimePermissionError",
    "RuntimeProtocolError",
    "RuntimeTimeoutError",
    "SearchAbortedError",
    "SearchError",
    "SearchFailedError",
    "SearchTimeoutError",
    "SpillError",
    "SpillNotFoundError",
    "SpillQuotaError",
    "ToolArgumentError",
    "UnsupportedMethodError",
]


Mender = Literal["caller", "time", "program", "installation"]
"""Who can mend a failure; docs/protocol.md has it for every code."""


class HarnessError(Exception):
    """The root of the tree.

    ``code`` is stable and meant for programs; ``details`` holds whatever the
    runtime added, such as counts or the stderr of ripgrep. ``mender`` says who
    can do something about it: the ``caller`` who wrote the arguments (a model,
    for instance) by writing others; ``time``, so that the same call may succeed
    later; the ``program`` that made the call; or who sees to the
    ``installation``, its configuration and its machine.
    """

    default_code: ClassVar[str] = "HARNESS"
    default_mender: ClassVar[Mender] = "installation"

    code: str
    details: Mapping[str, object]
    mender: Mender

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
        mender: Mender | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = self.default_code if code is None else code
        self.details = {} if details is None else dict(details)
        self.mender = self.default_mender if mender is None else mender

    @property
    def retryable(self) -> bool:
        """Whether trying again can help: with other arguments, or with the same ones later."""
        return self.mender in ("caller", "time")

    def __str__(self) -> str:
        # OSError would print "[Errno 2] ..." in front in the branches that
        # inherit from it; the message already says what is wrong.
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, dict(self.__dict__))


def _rebuild(cls: type[HarnessError], message: str, state: dict[str, object]) -> HarnessError:
    error = cls.__new__(cls, message)
    for name, value in state.items():
        setattr(error, name, value)
    error.args = (message,)
    return error


class RuntimeBundleError(HarnessError, OSError):
    """The packaged runtime or its sidecar cannot be used as installed.

    Codes: ``zipped``, ``manifest``, ``version-mix``, ``wrong-os``,
    ``wrong-arch``, ``missing``, ``dangling-link``, ``not-a-file``, ``size``,
    ``platform``, ``digest``, ``mode``, ``noexec``, ``denied``, ``loader``,
    ``overridden``.

    ``path`` is the file at fault, ``target`` the platform that the wheel was
    built for (empty when its manifest could not be read), ``host`` the
    platform it is used on, ``remedy`` what mends it.
    """

    default_code: ClassVar[str] = "missing"
    default_errno: ClassVar[int] = _errno.ENOEXEC

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        path: str,
        target: str = "",
        host: str = "",
        remedy: str = "",
        errno: int | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.errno = self.default_errno if errno is None else errno
        self.filename = path
        self.path = path
        self.target = target
        self.host = host
        self.remedy = remedy
        self.details = {"path": path, "target": target, "host": host, "remedy": remedy}

    def __reduce__(self) -> tuple[object, ...]:
        # OSError keeps these two outside __dict__.
        state = {**self.__dict__, "errno": self.errno, "filename": self.filename}
        return _rebuild, (type(self), self.message, state)


class RuntimeMissingError(RuntimeBundleError, FileNotFoundError):
    """A file of the bundle is not there, or its loader is not."""

    default_errno: ClassVar[int] = _errno.ENOENT


class RuntimePermissionError(RuntimeBundleError, PermissionError):
    """A file of the bundle is there and the system will not run it."""

    default_code: ClassVar[str] = "denied"
    default_errno: ClassVar[int] = _errno.EACCES


class ConfigError(HarnessError, ValueError):
    """A setting is wrong: seen here, or by the runtime when it started."""

    default_code: ClassVar[str] = "RUNTIME_CONFIG"


class ToolArgumentError(HarnessError, ValueError):
    """An argument of the call is wrong; the message says what to change."""

    default_code: ClassVar[str] = "TOOL_ARGUMENT"
    default_mender: ClassVar[Mender] = "caller"


class SearchError(HarnessError):
    """A search could not be answered. Nothing found is not an error."""

    default_code: ClassVar[str] = "SEARCH_FAILED"


class InvalidPatternError(SearchError):
    """ripgrep rejected the regular expression or the glob."""

    default_code: ClassVar[str] = "SEARCH_INVALID_PATTERN"
    default_mender: ClassVar[Mender] = "caller"


class SearchFailedError(SearchError):
    """ripgrep could not be run, or the path could not be searched."""

    default_code: ClassVar[str] = "SEARCH_FAILED"


class RawOutputOverflowError(SearchError):
    """ripgrep printed more than ``raw_output_max_bytes``; narrow the search."""

    default_code: ClassVar[str] = "SEARCH_RAW_OUTPUT_OVERFLOW"
    default_mender: ClassVar[Mender] = "caller"


class SearchAbortedError(SearchError):
    """The runtime stopped the search: time budget, cancellation or shutdown."""

    default_code: ClassVar[str] = "SEARCH_ABORTED"
    default_mender: ClassVar[Mender] = "program"


class SearchTimeoutError(SearchAbortedError, TimeoutError):
    """The runtime stopped the search at its time budget, or at that of the call."""

    default_mender: ClassVar[Mender] = "caller"


class EstablishError(HarnessError):
    """Where a command's words land could not be worked out."""

    default_code: ClassVar[str] = "ESTABLISH_FAILED"
    default_mender: ClassVar[Mender] = "program"


class BadPlanError(EstablishError, ValueError):
    """The plan handed in is not one that the runtime understands."""

    default_code: ClassVar[str] = "ESTABLISH_BAD_PLAN"
    default_mender: ClassVar[Mender] = "program"


class EstablishAbortedError(EstablishError):
    """Time budget or cancellation; there is never a partial answer."""

    default_code: ClassVar[str] = "ESTABLISH_ABORTED"
    default_mender: ClassVar[Mender] = "program"


class SpillError(HarnessError):
    """A saved result could not be read, listed or removed."""

    default_code: ClassVar[str] = "SPILL_FAILED"


class SpillNotFoundError(SpillError, LookupError):
    """No such saved result, or it belongs to another owner."""

    default_code: ClassVar[str] = "SPILL_NOT_FOUND"
    default_mender: ClassVar[Mender] = "program"


class SpillQuotaError(SpillError):
    """The spill store is full."""

    default_code: ClassVar[str] = "SPILL_QUOTA"
    default_mender: ClassVar[Mender] = "time"


class RuntimeBusyError(HarnessError):
    """The runtime's queue stayed full until the time-out of the call."""

    default_code: ClassVar[str] = "RUNTIME_BUSY"
    default_mender: ClassVar[Mender] = "time"


class UnsupportedMethodError(HarnessError, NotImplementedError):
    """The runtime in use does not know this method."""

    default_code: ClassVar[str] = "RUNTIME_UNSUPPORTED"


class RuntimeInternalError(HarnessError):
    """The runtime answered with an error that it does not explain by a code."""

    default_code: ClassVar[str] = "RUNTIME_INTERNAL"


class RuntimeClosedError(HarnessError, ConnectionError):
    """The runtime is gone: closed by us, crashed, or on its way out.

    Codes: ``RUNTIME_CLOSED`` (``close()`` was called), ``RUNTIME_CRASHED``,
    ``RUNTIME_SHUTTING_DOWN``. ``exit_code`` is the status of the process,
    negative for a signal as in :mod:`subprocess`, ``None`` when unknown.
    ``stderr_tail`` is the last text it printed on stderr.
    """

    default_code: ClassVar[str] = "RUNTIME_CLOSED"
    default_mender: ClassVar[Mender] = "program"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
        mender: Mender | None = None,
        exit_code: int | None = None,
        stderr_tail: str = "",
    ) -> None:
        super().__init__(message, code=code, details=details, mender=mender)
        self.exit_code = exit_code
        self.stderr_tail = stderr_tail


class RuntimeProtocolError(RuntimeClosedError):
    """The runtime printed something that is not the protocol, and was stopped."""

    default_code: ClassVar[str] = "RUNTIME_PROTOCOL"
    default_mender: ClassVar[Mender] = "time"


class RuntimeTimeoutError(HarnessError, TimeoutError):
    """The runtime did not answer in time. ``stderr_tail`` may say why."""

    default_code: ClassVar[str] = "RUNTIME_TIMEOUT"
    default_mender: ClassVar[Mender] = "time"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
        mender: Mender | None = None,
        stderr_tail: str = "",
    ) -> None:
        super().__init__(message, code=code, details=details, mender=mender)
        self.stderr_tail = stderr_tail


class ForkedProcessError(HarnessError):
    """A call begun before a fork was awaited in the child; begin it again there."""

    default_code: ClassVar[str] = "RUNTIME_FORKED"
    default_mender: ClassVar[Mender] = "program"
