"""A Claude agent that searches this folder, and whose commands are looked at before they run."""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, PermissionResultDeny, ResultMessage, query

from hydra_harness_runtime import AsyncRuntime, SearchConfig
from hydra_harness_runtime.adapters.claude_agent_sdk import ShellGateHooks, search_server, tool_names


async def answer(tool, arguments, context):
    print(arguments.get("command", tool), context.decision_reason or "", sep="\n")
    if await asyncio.to_thread(input, "Run it? [y/N] ") == "y":
        return PermissionResultAllow()
    return PermissionResultDeny(message="The user said no.")


async def main(transport=None, task="What is still to do here?"):
    async with AsyncRuntime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        gate = ShellGateHooks(runtime)
        options = ClaudeAgentOptions(
            mcp_servers={"hydra": search_server(runtime)},
            disallowed_tools=["Glob", "Grep"],
            hooks=gate.hooks(),
            can_use_tool=gate.can_use_tool(answer, allowed=tool_names(runtime)),
            system_prompt={"type": "preset", "preset": "claude_code", "append": await runtime.guidance()},
        )
        async for message in query(prompt=task, options=options, transport=transport):
            if isinstance(message, ResultMessage):
                print(message.result)


if __name__ == "__main__":
    asyncio.run(main())
