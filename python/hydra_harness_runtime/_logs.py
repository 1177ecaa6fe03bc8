"""What the runtime prints on stderr: kept as a tail, and passed on to :mod:`logging`.

The runtime logs by hclog, one JSON object a line with ``@level``,
``@message`` and any further keys. Everything else (a Go panic, a loader's
complaint) is passed on as it is.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import traceback

from . import _json

__all__ = ["LOGGER", "StderrLog", "last_words", "tell"]

LOGGER = "hydra_harness_runtime.runtime"

# Found once: to look for it takes a lock in Python code, which Ctrl-C could leave held
# if a caller's thread did it.
_logger = logging.getLogger(LOGGER)

_LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}

_TAIL_BYTES = 64 << 10
"""What an exception carries of stderr: enough for a Go panic with all its goroutines."""

_LINE_BYTES = 64 << 10
"""A line longer than this is passed on in pieces, so that it cannot fill the memory."""

_QUOTED = 500
"""Characters of a line of stderr that a message quotes; the tail has the rest."""


_shown = False
"""Whether what the application's logging raised was shown; once is enough."""


def tell(
    logger: logging.Logger,
    level: int,
    text: str,
    *arguments: object,
    extra: dict[str, object] | None = None,
    exc_info: bool = False,
) -> None:
    """Log, whatever the application's handlers and filters do.

    Most of it happens in the thread that moves the messages: what is raised
    there would end the runtime of everybody, who did not log anything.
    """
    try:
        logger.log(level, text, *arguments, extra=extra, exc_info=exc_info)
    except Exception:  # noqa: BLE001 - it is theirs, and shown
        global _shown  # noqa: PLW0603 - of the process, as the handlers are
        if not _shown and logging.raiseExceptions and sys.stderr is not None:
            _shown = True
            with contextlib.suppress(Exception):
                sys.stderr.write(f"hydra_harness_runtime: the logger {logger.name!r} of this program raised:\n")
                traceback.print_exc()


class StderrLog:
    """Takes stderr in pieces; fed from one thread, read from any."""

    def __init__(self) -> None:
        self._tail = b""
        self._partial = b""

    def feed(self, data: bytes) -> None:
        """The next piece of stderr."""
        self._tail = (self._tail + data)[-_TAIL_BYTES:]
        *lines, rest = (self._partial + data).split(b"\n")
        if len(rest) > _LINE_BYTES:
            lines.append(rest)
            rest = b""
        self._partial = rest
        for line in lines:
            self._log(line)

    def finish(self) -> None:
        """No more will come: pass on what has no line end."""
        self._log(self._partial)
        self._partial = b""

    def tail(self) -> str:
        """The last text, lossily decoded."""
        return self._tail.decode(errors="replace").strip()

    def _log(self, line: bytes) -> None:
        if not line.strip():
            return
        text = line.decode(errors="replace").rstrip()
        entry = _entry(text)
        if entry is None:
            tell(_logger, logging.WARNING, "%s", text)
            return
        level = _LEVELS.get(str(entry.get("@level")), logging.WARNING)
        rest = {key: value for key, value in entry.items() if not key.startswith("@")}
        words = "".join(f" {key}={value}" for key, value in rest.items())
        tell(_logger, level, "%s%s", entry["@message"], words, extra={"hclog": entry})


def last_words(tail: str) -> str:
    """What the end of stderr has to say about an end: the last line that is no everyday log line."""
    for line in reversed(tail.splitlines()):
        entry = _entry(line)
        if entry is None:
            return line.strip()[:_QUOTED]
        if _LEVELS.get(str(entry.get("@level")), logging.WARNING) >= logging.WARNING:
            return str(entry["@message"])[:_QUOTED]
    return ""


def _entry(line: str) -> dict[str, object] | None:
    """The members of a line by hclog; ``None`` for any other line."""
    if not line.startswith("{"):
        return None
    try:
        entry = _json.as_object(_json.decode(line))
    except _json.Malformed:
        return None
    return entry if isinstance(entry.get("@message"), str) else None
