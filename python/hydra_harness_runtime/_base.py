"""What both clients are made of: settings, a shared engine, and the view of one owner."""

from __future__ import annotations

import os
import secrets
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from . import _protocol
from ._arguments import absolute, environment, flag, fs_path, fs_paths, variables
from ._calls import DEFAULT, Deadline, Default, Timeout, seconds
from ._engine import Engine
from ._errors import ConfigError, HarnessError
from ._launch import Launch
from ._search_config import SearchConfig
from ._session import Call
from ._shell.types import Boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from ._bundle.locate import Verify
    from ._config import StrPath
    from ._protocol import Request
    from ._transports import Transport

    TransportChoice = Literal["subprocess", "inprocess"] | Callable[[], Transport]

__all__ = ["BaseRuntime", "checked_owner", "checked_search", "shell_environment", "twin"]

R = TypeVar("R", bound="BaseRuntime")

_ANSWER_SECONDS = 5.0
"""Added to the runtime's own budgets: the time that its answer may take to arrive."""


@dataclass(frozen=True, slots=True)
class View:
    """On whose behalf calls are made, and where."""

    owner: str | None
    workdir: str | None = None
    nested: bool = False


class BaseRuntime:
    """The parts of :class:`Runtime` and :class:`AsyncRuntime` that do not wait."""

    def __init__(
        self,
        workdir: StrPath = ".",
        *,
        search: SearchConfig,
        owner: str | Default | None = DEFAULT,
        timeout: Timeout = DEFAULT,
        runtime_path: StrPath | None = None,
        verify: Verify = "full",
        env: Mapping[str, str] | None = None,
        transport: TransportChoice = "subprocess",
    ) -> None:
        """Describe a runtime; it starts with the first call.

        *workdir* is where relative paths begin. *owner* is the key under which
        complete results are saved when a page cannot show them: by default one
        of this object's own, ``None`` saves nothing. *timeout* bounds every
        call, in seconds; ``None`` waits forever. *runtime_path* is another
        executable than the packaged one, ``verify="structure"`` leaves out the
        digests of the packaged one, and *env* replaces the environment of the
        runtime. *transport* is ``"subprocess"``, ``"inprocess"`` (which needs
        the extra ``[inprocess]``; docs/inprocess.md says when it pays), or a
        function that makes a connection of another kind.

        Raises :class:`ConfigError`.
        """
        self._launch = Launch(
            absolute("workdir", workdir),
            checked_search(search),
            None if runtime_path is None else fs_path("runtime_path", runtime_path, ConfigError),
            _verify(verify),
            None if env is None else variables("env", env, ConfigError),
        )
        self._timeout = seconds(timeout, self._launch.search.budget_seconds + _ANSWER_SECONDS)
        self._view = View(checked_owner(owner, f"py-{os.getpid()}-{secrets.token_hex(4)}"))
        self._transport = _transport(transport)
        self._engine = Engine(self._connect())
        self._owns_engine = True
        self._parent: BaseRuntime | None = None

    @property
    def workdir(self) -> str:
        """Where relative paths of this object's calls begin; absolute, links unresolved."""
        return self._view.workdir or self._launch.workdir

    @property
    def owner(self) -> str | None:
        """The key under which this object's complete results are saved."""
        return self._view.owner

    @property
    def closed(self) -> bool:
        """Whether the runtime behind this object was closed."""
        return self._engine.closed

    @property
    def pid(self) -> int | None:
        """The process id of the runtime, once a call has started it."""
        return self._engine.pid

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"pid {self.pid}" if self.pid else "not started"
        return f"<{type(self).__name__} {self.workdir!r} owner={self.owner!r} ({state})>"

    def __del__(self) -> None:
        if getattr(self, "_owns_engine", False) and self._engine.pid is not None and not self._engine.closed:
            try:
                warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
            finally:  # also where warnings are errors
                self._engine.hang_up()

    def __getstate__(self) -> dict[str, object]:
        # For other processes (multiprocessing, pickles): the settings travel,
        # and a runtime of its own starts there with the first call.
        state = dict(self.__dict__)
        del state["_engine"], state["_parent"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._engine = Engine(self._connect())
        self._owns_engine, self._parent = True, None

    def _bound(self, owner: str | Default | None, workdir: StrPath | None, nested: bool | None) -> Self:
        """A copy that shares the engine and does not close it."""
        where = self._view.workdir if workdir is None else self._path("workdir", workdir)
        nested = self._view.nested if nested is None else flag("nested", nested)
        return _sharing(self, type(self), _view=View(checked_owner(owner, self._view.owner), where, nested))

    def _connect(self) -> Callable[[], Transport]:
        if callable(self._transport):
            return self._transport
        return self._launch.connect_inprocess if self._transport == "inprocess" else self._launch.connect

    def _deadline(self, timeout: Timeout) -> Deadline:
        return Deadline(seconds(timeout, self._timeout))

    def _call(self, request: Request, deadline: Deadline) -> Call:
        meta = _protocol.request_meta(
            owner=self._view.owner,
            workdir=self._view.workdir,
            deadline_ms=deadline.milliseconds(),
            nested=self._view.nested,
        )
        return Call(request.with_meta(meta))

    def _boundary(
        self,
        boundary: Boundary | None,
        read_roots: Sequence[StrPath] | None,
        write_roots: Sequence[StrPath],
        cwd: StrPath | None,
    ) -> Boundary:
        """The boundary that a gate call describes, with absolute roots."""
        if boundary is not None:
            return boundary
        read = (self.workdir,) if read_roots is None else fs_paths("read_roots", read_roots)
        return Boundary(
            read_roots=[self._path("read_roots", root) for root in read],
            write_roots=[self._path("write_roots", root) for root in fs_paths("write_roots", write_roots)],
            cwd=self._path("cwd", "." if cwd is None else cwd),
            home=os.environ.get("HOME"),
        )

    def _path(self, name: str, path: StrPath) -> str:
        """*path* as seen from the working directory."""
        return str(Path(self.workdir, fs_path(name, path)))

    def _settled(self, call: Call, error: HarnessError) -> None:
        """Take note of an answer that says something about the runtime itself."""
        if error.code == "RUNTIME_SHUTTING_DOWN":
            self._engine.retire(call)


def twin(runtime: BaseRuntime, kind: type[R]) -> R:
    """*runtime* as a client of *kind*, e.g. to await what a synchronous one started.

    A twin shares the engine and does not close it. Raises :class:`ConfigError`.
    """
    if not isinstance(runtime, BaseRuntime):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigError(f"runtime must be a Runtime or an AsyncRuntime, not {type(runtime).__name__}")
    return runtime if isinstance(runtime, kind) else _sharing(runtime, kind)


def _sharing(runtime: BaseRuntime, kind: type[R], **changes: object) -> R:
    # The parent stays, or the engine would end with an object that only another was made of.
    other = object.__new__(kind)
    other.__dict__.update(runtime.__dict__ | {"_owns_engine": False, "_parent": runtime} | changes)
    return other


def shell_environment(env: Mapping[str, str] | Default | None) -> Mapping[str, str] | None:
    """The environment of a shell that this process would start; ``None``: not known.

    One that JSON cannot carry is not known either. To leave out the variable
    or to bend its bytes would have the gate judge another command.
    """
    if not isinstance(env, Default):
        return env
    own = environment()
    try:
        "\0".join((*own, *own.values())).encode()
    except UnicodeEncodeError:
        return None
    return own


def checked_search(search: object) -> SearchConfig:
    """*search*, if it is a configuration. Raises :class:`ConfigError`."""
    if not isinstance(search, SearchConfig):
        raise ConfigError("search must be a SearchConfig, e.g. SearchConfig(sample_over_cap_glob_results=True)")
    return search


def _verify(verify: Verify) -> Verify:
    if verify not in ("full", "structure"):
        raise ConfigError(f'verify must be "full" or "structure", not {verify!r}')
    return verify


def _transport(transport: TransportChoice) -> TransportChoice:
    if transport not in ("subprocess", "inprocess") and not callable(transport):
        raise ConfigError(f'transport must be "subprocess" or "inprocess", not {transport!r}')
    return transport


def checked_owner(owner: object, default: str | None) -> str | None:
    """*owner*, if it can be one, else *default* for none given. Raises :class:`ConfigError`."""
    if isinstance(owner, Default):
        return default
    if owner is not None and not isinstance(owner, str):
        raise ConfigError(f"owner must be text or None, not {owner!r}")
    if owner == "":
        raise ConfigError("owner must not be empty; None saves nothing")
    return owner
