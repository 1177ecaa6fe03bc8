"""What callers hand in, looked at before it travels: a wrong type is a typed error that names it."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar, cast

from ._errors import ConfigError, ToolArgumentError

__all__ = [
    "absolute",
    "encoded",
    "encoded_list",
    "environment",
    "flag",
    "fs_path",
    "fs_paths",
    "kind_of",
    "mapping",
    "text",
    "variables",
    "whole",
]

K = TypeVar("K")
Wrong = type[ToolArgumentError] | type[ConfigError]


def kind_of(name: str, value: object, kind: type[K], wrong: Wrong = ToolArgumentError) -> K:
    """*value*, if it is a *kind*."""
    if not isinstance(value, kind):
        raise wrong(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    return value


def text(name: str, value: object) -> str:
    """*value*, if it is text."""
    if not isinstance(value, str):
        raise ToolArgumentError(f"{name} must be text, not {type(value).__name__}")
    return value


def whole(name: str, value: object) -> int:
    """*value*, if it is a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ToolArgumentError(f"{name} must be a whole number from 0, not {value!r}")
    return value


def flag(name: str, value: object) -> bool:
    """*value*, if it is a truth value. ``"no"`` would be true."""
    if not isinstance(value, bool):
        raise ToolArgumentError(f"{name} must be True or False, not {value!r}")
    return value


def mapping(name: str, value: object) -> dict[str, object]:
    """A copy of *value*, if it maps names to values."""
    if not isinstance(value, Mapping):
        raise ToolArgumentError(f"{name} must be a mapping of names to values, not {type(value).__name__}")
    return dict(cast("Mapping[str, object]", value))


def variables(name: str, value: object, wrong: Wrong = ToolArgumentError) -> dict[str, str]:
    """A copy of *value*, if it can be the environment of a process."""
    if not isinstance(value, Mapping):
        raise wrong(f"{name} must be a mapping of variables to texts, not {type(value).__name__}")
    found = dict(cast("Mapping[object, object]", value))
    for variable, content in found.items():
        if not isinstance(variable, str) or not isinstance(content, str):
            raise wrong(f"{name} must map texts to texts, not {variable!r} to {content!r}")
        if not variable or "=" in variable or "\0" in variable + content:
            raise wrong(
                f"{name} has {variable!r}, which no environment can have: its name is empty or has a '=' or NUL"
            )
    return cast("dict[str, str]", found)


def environment() -> dict[str, str]:
    """The environment of this process, as far as it stands still.

    ``dict(os.environ)`` asks for each variable once it has the names, and raises
    for one that another thread removed meanwhile.
    """
    found = ((name, os.environ.get(name)) for name in list(os.environ))
    return {name: value for name, value in found if value is not None}


def fs_path(name: str, value: object, wrong: Wrong = ToolArgumentError) -> str:
    """A path as text, in Python's own encoding of the bytes that are not UTF-8."""
    try:
        path: object = os.fspath(cast("str", value))
    except TypeError:
        path = None
    if not isinstance(path, str):
        raise wrong(f"{name} must be a path, not {type(value).__name__}")
    if "\0" in path:
        raise wrong(f"{name} {value!r} holds a NUL character, which no path has")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise wrong(f"{name} {value!r} holds a character that no file name can have") from None
    return path


def fs_paths(name: str, values: object, wrong: Wrong = ToolArgumentError) -> list[str]:
    """A list of paths. A lone one is refused: as a sequence of letters it would be many."""
    if isinstance(values, str | bytes | os.PathLike) or not isinstance(values, Iterable):
        raise wrong(f"{name} must be a list of paths, e.g. ['...'], not {values!r}")
    paths = [fs_path(f"{name}[{i}]", value, wrong) for i, value in enumerate(cast("Iterable[object]", values))]
    if "" in paths:  # a variable that is not set; joined to a folder it would be that folder
        raise wrong(f"{name}[{paths.index('')}] is empty; give a path")
    return paths


def absolute(name: str, value: object, wrong: Wrong = ConfigError) -> str:
    """A path from the root on; its links stay, since they are the caller's spelling."""
    try:
        return str(Path(fs_path(name, value, wrong)).absolute())
    except OSError as error:  # the current directory is gone
        raise wrong(f"{name} {value!r} cannot be used: {error}") from None


def encoded(name: str, value: object) -> dict[str, object]:
    """The member of a message for a path or command: its text, or its bytes where they are not UTF-8."""
    if value is None:
        return {}
    try:
        exact = os.fsencode(cast("str", value))
    except TypeError:
        raise ToolArgumentError(f"{name} must be a path, not {type(value).__name__}") from None
    except UnicodeEncodeError:
        raise ToolArgumentError(f"{name} {value!r} holds a character that no file name or command can have") from None
    try:
        return {name: exact.decode()}
    except UnicodeDecodeError:
        return {f"{name}Bytes": base64.b64encode(exact).decode()}


def encoded_list(name: str, values: Iterable[str]) -> dict[str, object]:
    """The same for a list of paths: all by their text, or all by their bytes."""
    exact = [os.fsencode(value) for value in values]
    try:
        return {name: [value.decode() for value in exact]}
    except UnicodeDecodeError:
        return {f"{name}Bytes": [base64.b64encode(value).decode() for value in exact]}
