"""Plain MCP with the official SDK: the example, and the configuration that other agents take."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from hydra_harness_runtime import mcp_server_params
from tests.adapters.world import BAD_PATTERN, EXAMPLES, PAGE, SEARCH, World, example


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    asyncio.run(example("mcp")["main"]())
    assert capfd.readouterr().out == f"{world.runtime.guidance()}\nglob grep\n{PAGE}\n"


KEYWORDS = {"type", "properties", "required", "description", "enum"}
"""What the schema dialects of Anthropic, OpenAI and Gemini share."""


def keywords(schema: dict[str, Any]) -> set[str]:
    """The keywords of a schema and of its properties."""
    return set(schema).union(*(keywords(member) for member in schema.get("properties", {}).values()))


def test_the_schemas_use_no_keyword_that_a_converter_could_fail_on(world: World) -> None:
    async def main() -> None:
        params = mcp_server_params(world.folder, search=SEARCH)
        async with Client(StdioServerParameters(**params), read_timeout_seconds=40) as client:
            tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["glob", "grep"]
        for tool in tools:
            assert keywords(tool.input_schema) <= KEYWORDS

    asyncio.run(main())


async def calls(entry: dict[str, Any]) -> tuple[str, bool, str]:
    async with Client(StdioServerParameters(**entry), read_timeout_seconds=40) as client:
        page = await client.call_tool("grep", {"pattern": "TODO"})
        failed = await client.call_tool("grep", {"pattern": "("})
        return page.content[0].text, failed.is_error, failed.content[0].text  # type: ignore[union-attr]


def served(entry: dict[str, Any]) -> None:
    assert asyncio.run(calls(entry)) == (PAGE, True, BAD_PATTERN)


def test_the_configuration_of_an_editor_serves(world: World) -> None:
    text = (EXAMPLES / "mcp.json").read_text().replace("/path/to/project", str(world.folder))
    [entry] = json.loads(text)["mcpServers"].values()
    script = Path(sys.executable).with_name(entry["command"])  # an editor has it on its PATH
    served({**entry, "command": str(script)})


def test_the_command_of_the_docs_prints_a_configuration_that_serves(world: World) -> None:
    docs = (EXAMPLES.parent / "adapters.md").read_text()
    _, _, rest = docs.partition("```sh\npython - <<'END'\n")
    script, found, _ = rest.partition("END\n```")
    assert found
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=world.folder, capture_output=True, text=True)
    [entry] = json.loads(done.stdout)["mcpServers"].values()
    served(entry)
