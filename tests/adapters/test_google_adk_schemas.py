"""The served schemas through Google's own converters: of google-genai, and of the Agent Development Kit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from google.adk.tools import _gemini_schema_util
from google.genai import _mcp_utils

from tests.adapters.world import World


def listed(world: World, **more: object) -> list[Any]:
    """The tools as an MCP session lists them; the converters look at attributes only."""
    return [
        SimpleNamespace(name=tool.name, description=tool.description, input_schema={**tool.input_schema, **more})
        for tool in world.runtime.tools()
    ]


def plain(schema: Any) -> dict[str, Any]:
    """One of Gemini's schemas as a plain one."""
    assert schema.type == "OBJECT"
    assert {member.type for member in schema.properties.values()} == {"STRING"}
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": member.description} for name, member in schema.properties.items()
        },
        "required": schema.required,
    }


def test_the_converter_for_mcp_sessions_keeps_everything(world: World) -> None:
    for converted, tool in zip(_mcp_utils.mcp_to_gemini_tools(listed(world)), world.runtime.tools(), strict=True):
        [declared] = converted.function_declarations or []
        assert (declared.name, declared.description) == (tool.name, tool.description)
        assert plain(declared.parameters) == tool.input_schema


def test_why_the_schemas_are_not_closed(world: World) -> None:
    """When this fails, the converter was mended; what the schemas leave out hurts nobody."""
    with pytest.raises(AttributeError):
        _mcp_utils.mcp_to_gemini_tools(listed(world, additionalProperties=False))


def test_the_converter_of_the_kit_keeps_everything(world: World) -> None:
    for tool in world.runtime.tools():
        assert plain(_gemini_schema_util._to_gemini_schema(dict(tool.input_schema))) == tool.input_schema
