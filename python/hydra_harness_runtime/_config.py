"""What a configuration is in Python: checked by the table of keys, sent as far as it was set.

The fields themselves are in ``_search_config``, which the runtime's table of
keys writes. A value that the runtime would refuse is refused here, with the
name of the field.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, NamedTuple, cast

from ._errors import ConfigError

__all__ = ["ConfigFile", "Key", "StrPath"]

StrPath = str | os.PathLike[str]

_Kind = Literal["flag", "number", "choice", "choices", "folder", "folders", "texts", "value"]


class Key(NamedTuple):
    """One key of the configuration file."""

    name: str
    """As the file spells it."""
    kind: _Kind
    most: int = 0
    """The largest number; the least is 1."""
    names: tuple[str, ...] = ()
    """The choices."""
    default: object = None
    """What the runtime takes when nothing is sent."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The base of :class:`SearchConfig`."""

    KEYS: ClassVar[Mapping[str, Key]]

    def __post_init__(self) -> None:
        for name, key in self.KEYS.items():
            value = getattr(self, name)
            if value is not None or key.required:
                _CHECKS[key.kind](name, value, key)

    @property
    def budget_seconds(self) -> float:
        """The longest that one search takes by its own budgets."""
        return sum(cast("int", self._effective(name)) for name in ("timeout_ms", "grace_ms")) / 1000

    def to_json(self) -> str:
        """The text of the configuration file: what was set, and nothing else."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    def to_dict(self) -> Mapping[str, object]:
        """The value of the configuration file: what was set, and nothing else."""
        found = ((self.KEYS[item.name], getattr(self, item.name)) for item in fields(self))
        return {key.name: _sent(value, key) for key, value in found if value is not None}

    def _effective(self, name: str) -> object:
        value = getattr(self, name)
        return self.KEYS[name].default if value is None else value


def _check_flag(name: str, value: object, key: Key) -> None:
    if not isinstance(value, bool):
        why = "; it has no default on purpose" if key.required else ""
        raise _bad(name, f"be True or False, not {value!r}{why}")


def _check_number(name: str, value: object, key: Key) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= key.most:
        raise _bad(name, f"be a whole number from 1 to {key.most}, not {value!r}")


def _check_choice(name: str, value: object, key: Key) -> None:
    if not isinstance(value, str) or value not in key.names:
        raise _bad(name, f"be one of {_listed(key.names)}, not {value!r}")


def _check_choices(name: str, value: object, key: Key) -> None:
    for item in _items(name, value):
        if item not in key.names:
            raise _bad(name, f"be a list of {_listed(key.names)}, not {value!r}")


def _check_texts(name: str, value: object, key: Key) -> None:  # noqa: ARG001 - one form for all
    for item in _items(name, value):
        if not isinstance(item, str):
            raise _bad(name, f"be a list of texts, not {value!r}")
        _check_utf8(name, item)


def _check_folder(name: str, value: object, key: Key) -> None:  # noqa: ARG001 - one form for all
    try:
        path: object = os.fspath(cast("str", value))
    except TypeError:
        path = None
    # An empty one would become the working directory of this process.
    if not isinstance(path, str) or not path or "\0" in path:
        raise _bad(name, f"name a folder, not {value!r}")
    _check_utf8(name, path)


def _check_folders(name: str, value: object, key: Key) -> None:
    for item in _items(name, value):
        _check_folder(name, item, key)


def _check_utf8(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        # An escaped byte would arrive as U+FFFD, and name another folder.
        raise _bad(name, f"be UTF-8, which {text!r} is not: a configuration file cannot carry it") from None


_CHECKS: dict[_Kind, Callable[[str, object, Key], None]] = {
    "flag": _check_flag,
    "number": _check_number,
    "choice": _check_choice,
    "choices": _check_choices,
    "folder": _check_folder,
    "folders": _check_folders,
    "texts": _check_texts,
    "value": lambda name, value, key: None,  # noqa: ARG005 - only the runtime can tell
}


def _items(name: str, value: object) -> Sequence[object]:
    # A lone text is a sequence of texts, too: the classic slip.
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise _bad(name, f"be a list, e.g. ['...'], not {value!r}")
    return cast("Sequence[object]", value)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))


def _bad(name: str, must: str) -> ConfigError:
    return ConfigError(f"SearchConfig: {name} must {must}", details={"field": name})


def _sent(value: object, key: Key) -> object:
    if key.kind == "folder":
        return _absolute(cast("StrPath", value))
    if key.kind == "folders":
        return [_absolute(item) for item in cast("Sequence[StrPath]", value)]
    return list(cast("Sequence[object]", value)) if key.kind in ("choices", "texts") else value


def _absolute(path: StrPath) -> str:
    # Not resolved: a link is the user's spelling, and the runtime's business.
    return os.path.join(os.getcwd(), os.fspath(path))  # noqa: PTH109, PTH118
