"""Rules of trust: which programs may run unasked."""

# The annotations of public values can be resolved at run time.
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .._arguments import text
from .._errors import ConfigError, ToolArgumentError

__all__ = ["TrustRule"]

RuleDecision = Literal["allow", "confine", "ask", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRule:
    """What becomes of a program whose reads and writes no reading of its command line shows.

    It is about the program alone: redirections, words that are known to be
    paths, the environment and every other command of the text are judged as
    ever. Of two rules that fit, the one that says more decides; one that
    denies decides before all. docs/trust.md has rules for common tools, each
    with what it gives away. Raises :class:`ToolArgumentError` for what is no
    rule; the runtime has the last word.
    """

    program: str
    """A name, as it is found along ``PATH``, or the absolute path of the file that runs."""
    args: Sequence[str] | None = None
    """Patterns, one for each word behind the program: ``*`` stands for any characters, a last ``**`` for any words.
    ``None``: any words."""
    directory: str | None = None
    """Where the command has to run, or below; ``None``: anywhere."""
    decision: RuleDecision = "deny"
    """What becomes of it. ``confine`` is an ask without :class:`Confine`."""

    def __post_init__(self) -> None:
        text("program", self.program)
        if self.args is not None:
            if isinstance(self.args, str):
                raise ToolArgumentError("args must be a list of patterns, not one text")
            object.__setattr__(self, "args", tuple(text("args", pattern) for pattern in self.args))
        if self.directory is not None:
            text("directory", self.directory)
        if self.decision not in ("allow", "confine", "ask", "deny"):
            raise ToolArgumentError(f"decision must be allow, confine, ask or deny, not {self.decision!r}")

    def to_wire(self) -> Mapping[str, object]:
        """The rule as the runtime reads it; what is not set is left out."""
        value: dict[str, object] = {"program": self.program}
        if self.args is not None:
            value["args"] = list(self.args)
        if self.directory is not None:
            value["directory"] = self.directory
        return value | {"decision": self.decision}

    def add_to(self, path: str | os.PathLike[str]) -> None:
        """Put the rule at the end of a list of rules, the file of ``gate --trust``; make it if it is not there.

        Keep the file where no write root lies. A file that is no plain list,
        one with comments for example, is left alone: that raises
        :class:`ConfigError` with the line to add by hand.
        """
        file = Path(path)
        line = json.dumps(self.to_wire(), ensure_ascii=False)
        with _alone_in(file.parent):
            rules = _rules(file, line)
            if self.to_wire() in rules:
                return
            _replace(file, [*rules, self.to_wire()])


@contextlib.contextmanager
def _alone_in(folder: Path) -> Generator[None, None, None]:
    """Nobody else adds a rule in *folder* meanwhile."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _rules(file: Path, line: str) -> list[object]:
    """What the file holds now."""
    try:
        rules = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except ValueError:
        rules = None
    if not isinstance(rules, list):
        raise ConfigError(f"{file} is no plain JSON list, so it was left alone; add {line} by hand")
    return list(rules)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - of JSON


def _replace(file: Path, rules: Sequence[object]) -> None:
    """Write the list, one rule a line; a crash leaves the old one or the new one."""
    lines = ",\n".join(f"  {json.dumps(rule, ensure_ascii=False)}" for rule in rules)
    target = file.resolve()  # the file behind a link, and not the link
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(f"[\n{lines}\n]\n")
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            Path(temporary).chmod(target.stat().st_mode & 0o777)
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
