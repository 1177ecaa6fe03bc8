"""What the runtime prints on stderr: kept as a tail, and passed on to :mod:`logging`.

The runtime logs by hclog, one JSON object a line with ``@level``,
``@message`` and any further keys. Everything else (a Go panic, a loader's
complaint) is passed on as it is.
"""

from __future__ import annotations

import logging

from . import _json

__all__ = ["LOGGER", "StderrLog", "last_words"]

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

_TAIL_BYTES = 16 << 10
"""What an exception carries of stderr: enough for the top of a Go panic's first goroutine."""

_LINE_BYTES = 64 << 10
"""A line longer than this is passed on in pieces, so that it cannot fill the memory."""

_QUOTED = 500
"""Characters of a line of stderr that a message quotes; the tail has the rest."""


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
            _logger.warning("%s", text)
            return
        level = _LEVELS.get(str(entry.get("@level")), logging.WARNING)
        if not _logger.isEnabledFor(level):
            return
        rest = {key: value for key, value in entry.items() if not key.startswith("@")}
        words = "".join(f" {key}={value}" for key, value in rest.items())
        _logger.log(level, "%s%s", entry["@message"], words, extra={"hclog": entry})


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
