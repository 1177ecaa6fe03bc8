"""What runs below a sandbox of the kernel instead of being asked about."""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .._arguments import encoded_list, text
from .._errors import ToolArgumentError

__all__ = ["Confine"]

_CHOICES = {"mode": ("opaque", "all"), "net": ("none", "all")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Confine:
    """Commands may run unasked where the kernel keeps them inside the roots.

    The decision on such a command is ``confine``, and it is started by
    ``decision.prefix`` or as ``decision.command``. Where the machine has no such
    sandbox, or the sandbox cannot hold the boundary, the decision is ``ask`` as
    without it, and ``decision.unconfined`` says why. docs/confine.md has what
    is promised. Raises :class:`ToolArgumentError` for what is no setting.
    """

    mode: Literal["opaque", "all"] = "opaque"
    """``opaque``: what is not known of a command before it runs. ``all``: what is allowed, too, so that nothing that
    moves between the last look and the start leads outside."""
    net: Literal["none", "all"] = "none"
    """The network inside: loopback alone, or the machine's."""
    tmp: str | None = None
    """The folder for ``TMPDIR``, absolute; ``None``: a private one, kept for the write roots."""
    cache: str | None = None
    """The folder for caches of tools, absolute; ``None``: a private one, kept for the write roots."""
    keep_env: Sequence[str] = ()
    """Variables that stay though they look like secrets."""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ToolArgumentError(f"{name} must be {' or '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("tmp", "cache"):
            if getattr(self, name) is not None:
                text(name, getattr(self, name))
        if isinstance(self.keep_env, str):
            raise ToolArgumentError("keep_env must be a list of names, not one text")
        object.__setattr__(self, "keep_env", tuple(text("keep_env", name) for name in self.keep_env))

    def to_wire(self) -> Mapping[str, object]:
        """The ``confine`` of a request; what is not set is left out."""
        value: dict[str, object] = {"net": self.net}
        for name in ("tmp", "cache"):
            if getattr(self, name) is not None:
                value[name] = getattr(self, name)
        if self.keep_env:
            value |= encoded_list("keepEnv", self.keep_env)
        return value
