"""A Pydantic AI agent that searches this folder, and whose commands are looked at before they run."""

import subprocess

from pydantic_ai import Agent
from pydantic_ai.capabilities import HandleDeferredToolCalls

from hydra_harness_runtime import Runtime, SearchConfig
from hydra_harness_runtime.adapters.pydantic_ai import SearchToolset, ShellGateCapability


def shell(command: str) -> str:
    """Run a command line with bash in the current folder."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def answer(ctx, requests):
    approvals = {}
    for call in requests.approvals:
        print(call.args_as_dict()["command"], requests.metadata[call.tool_call_id]["reasons"], sep="\n")
        approvals[call.tool_call_id] = input("Run it? [y/N] ") == "y"
    return requests.build_results(approvals=approvals)


def main(model="anthropic:claude-sonnet-5", task="What is still to do here?"):
    with Runtime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        agent = Agent(
            model,
            tools=[shell],
            toolsets=[SearchToolset(runtime)],
            capabilities=[ShellGateCapability(runtime, {"shell": "command"}), HandleDeferredToolCalls(answer)],
        )
        print(agent.run_sync(task).output)


if __name__ == "__main__":
    main()
