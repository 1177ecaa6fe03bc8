"""From typed results back to the JSON form in which other languages and the command line have them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, cast

__all__ = ["Canonical"]


class Canonical:
    """What has a form in JSON, which is that of docs/values.md."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """The value for ``json.dumps``: what is not set is left out, exact bytes are in base64."""
        found: dict[str, object] = {}
        for item in fields(cast("Any", self)):
            value = getattr(self, item.name)
            if value is not None and (_required(item) or value != _default(item)):
                found[_camel(item.name)] = _json_form(value)
        return found


def _json_form(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Canonical):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_json_form(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Mapping):
        return {str(key): _json_form(item) for key, item in cast("Mapping[object, object]", value).items()}
    assert not is_dataclass(value), f"{type(value).__name__} has no form in JSON"  # noqa: S101 - ours alone get here
    return value


def _required(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _default(item: Field[Any]) -> object:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
