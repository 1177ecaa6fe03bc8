"""JSON values with a checked shape.

``json.loads`` answers anything at all; these helpers turn "anything" into the
type that the caller needs, or raise :class:`Malformed` with the name of what
was wrong. Nothing here knows what the values mean.
"""

# ruff: noqa: PLC0415
# Json is loaded when the first value is decoded, not at import.
from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "Malformed",
    "as_list",
    "as_object",
    "decode",
    "flag",
    "integer",
    "listed",
    "member",
    "number",
    "objects",
    "opt_text",
    "text",
    "texts",
    "utf8",
]


class Malformed(ValueError):  # noqa: N818 - it reads better where it is caught
    """A JSON value has another shape than was asked for."""


def decode(data: bytes | str) -> object:
    """The value of a JSON text; :class:`Malformed` says where it is not JSON."""
    import json

    try:
        return cast("object", json.loads(data))
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON ({error})") from None


def utf8(data: bytes) -> str:
    """The text of a file that is UTF-8 without a byte order mark; other encodings are not guessed."""
    try:
        found = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(f"it is not UTF-8 ({error.reason} at byte {error.start})") from None
    if found.startswith("\ufeff"):
        raise Malformed("it begins with a byte order mark")
    return found


def as_object(value: object, what: str = "it") -> dict[str, object]:
    """*value* as an object; JSON guarantees that its keys are text."""
    if not isinstance(value, dict):
        raise Malformed(f"{what} is not a JSON object")
    return cast("dict[str, object]", value)


def as_list(value: object, what: str) -> list[object]:
    """*value* as an array."""
    if not isinstance(value, list):
        raise Malformed(f"{what} is not a list")
    return cast("list[object]", value)


def text(value: Mapping[str, object], key: str) -> str:
    """A member that must be there and be text."""
    found = value.get(key)
    if not isinstance(found, str):
        raise Malformed(f'"{key}" is missing or is not text')
    return found


def opt_text(value: Mapping[str, object], key: str) -> str:
    """A member that may be absent, which is the empty text."""
    return "" if value.get(key) is None else text(value, key)


def integer(value: Mapping[str, object], key: str, default: int | None = None) -> int:
    """A whole number; *default* stands for an absent one."""
    found = value.get(key)
    if found is None and default is not None:
        return default
    if isinstance(found, bool) or not isinstance(found, int):
        raise Malformed(f'"{key}" is missing or is not a whole number')
    return found


def number(value: Mapping[str, object], key: str, default: float) -> float:
    """Any number; *default* stands for an absent one."""
    found = value.get(key)
    if found is None:
        return default
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise Malformed(f'"{key}" is not a number')
    return float(found)


def flag(value: Mapping[str, object], key: str, *, default: bool = False) -> bool:
    """A truth value; *default* stands for an absent one."""
    found = value.get(key)
    if found is None:
        return default
    if not isinstance(found, bool):
        raise Malformed(f'"{key}" is not true or false')
    return found


def member(value: Mapping[str, object], key: str) -> dict[str, object]:
    """An object inside an object; absent is the empty object."""
    found = value.get(key)
    return {} if found is None else as_object(found, f'"{key}"')


def listed(value: Mapping[str, object], key: str) -> list[object]:
    """An array inside an object; absent or null is the empty array (Go's nil slice)."""
    found = value.get(key)
    return [] if found is None else as_list(found, f'"{key}"')


def objects(value: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """An array of objects; absent is empty."""
    found = listed(value, key)
    for item in found:  # no name is made for each: there may be very many
        if not isinstance(item, dict):
            raise Malformed(f'an item of "{key}" is not a JSON object')
    return cast("list[dict[str, object]]", found)


def texts(value: Mapping[str, object], key: str) -> Sequence[str]:
    """An array of texts; absent is empty."""
    found = listed(value, key)
    for item in found:
        if not isinstance(item, str):
            raise Malformed(f'an item of "{key}" is not text')
    return cast("list[str]", found)
