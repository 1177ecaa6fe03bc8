"""An MCP client that starts the runtime, for agents that no adapter is made for."""

import asyncio

from mcp import Client, StdioServerParameters

from hydra_harness_runtime import SearchConfig, mcp_server_params


async def main(pattern="TODO"):
    search = SearchConfig(sample_over_cap_glob_results=True)
    server = StdioServerParameters(**mcp_server_params(".", search=search, owner="agent"))
    async with Client(server, read_timeout_seconds=search.budget_seconds + 5) as client:
        print(client.instructions)
        print(*(tool.name for tool in (await client.list_tools()).tools))
        result = await client.call_tool("grep", {"pattern": pattern})
        print(result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main())
