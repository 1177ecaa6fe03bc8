"""The official Python SDK as a client of the runtime; 1.x and 2.x both run it.

Arguments: what to do, then the runtime's command line. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
import mcp
import mcp.types
from mcp.client.stdio import stdio_client

SDK = int(version("mcp").partition(".")[0])
TASK, COMMAND, *ARGUMENTS = sys.argv[1:]
OWNER = {"dev.hydra-harness/owner": "python"}


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Any, dict[str, Any]]]:
    """A client as the SDK's own documentation makes one, and what it learnt at the start."""
    parameters = mcp.StdioServerParameters(command=COMMAND, args=ARGUMENTS)
    if SDK == 1:
        async with stdio_client(parameters) as streams, mcp.ClientSession(*streams) as session:
            answer = await session.initialize()
            yield session, plain(answer)
        return
    async with mcp.Client(parameters) as client:
        found = client.session.discover_result or client.session.initialize_result
        yield client, {**plain(found), "protocolVersion": client.session.protocol_version}


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def failure(call: Awaitable[Any]) -> dict[str, Any]:
    try:
        return {"answered": plain(await call)}
    except Exception as error:  # noqa: BLE001
        data = getattr(error, "error", None)
        return {"name": type(error).__name__, "error": plain(data) if data else str(error)}


async def everything(client: Any) -> dict[str, Any]:
    tools = plain(await client.list_tools())["tools"]
    # From here on the SDK holds each structured result against its schema.
    capped = plain(await client.call_tool("grep", {"pattern": "line"}))
    uri = capped["_meta"]["dev.hydra-harness/resource"]
    return {
        "tools": tools,
        "glob": plain(await client.call_tool("glob", {"pattern": "*.py"})),
        "grep": plain(await client.call_tool("grep", {"pattern": "TODO", "path": "README"})),
        "capped": capped,
        "owned": plain(await client.call_tool("grep", {"pattern": "line"}, meta=OWNER)),
        "templates": plain(await client.list_resource_templates())["resourceTemplates"],
        "resource": plain(await client.read_resource(uri)),
        "part": plain(await client.read_resource(uri + "?offset=0&limit=5")),
        "stranger": await failure(client.read_resource("hydra-spill:///000000000000/000000000000-x")),
        "badPattern": plain(await client.call_tool("grep", {"pattern": "foo("})),
        "badArgument": plain(await client.call_tool("grep", {"pattern": 7})),
        "unknownTool": await failure(client.call_tool("find", {})),
    }


async def cancel(client: Any) -> dict[str, Any]:
    """The sidecar hangs; a line on standard input lets us go on."""
    session = getattr(client, "session", client)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "grep", {"pattern": "x"})
        print("running", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)
        if SDK == 1:  # it gives the call up without a word; the notification is its user's
            number = session._request_id - 1
            params = mcp.types.CancelledNotificationParams(requestId=number)
            note = mcp.types.CancelledNotification(method="notifications/cancelled", params=params)
            await session.send_notification(mcp.types.ClientNotification(note))
        tasks.cancel_scope.cancel()
    answer = plain(await client.list_tools())
    print("cancelled", flush=True)
    await anyio.to_thread.run_sync(sys.stdin.readline)
    late = plain(await client.call_tool("grep", {"pattern": "x"}, meta={"dev.hydra-harness/deadlineMs": 1500}))
    return {"tools": len(answer["tools"]), "deadline": late}


async def main() -> None:
    async with connected() as (client, start):
        task = {"everything": everything, "cancel": cancel}[TASK]
        result = {"start": start, **await task(client)}
        began = time.monotonic()
    print(json.dumps({**result, "closedAfter": time.monotonic() - began}))


anyio.run(main)
