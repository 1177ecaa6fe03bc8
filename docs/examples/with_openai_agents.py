"""An OpenAI agent that searches this folder, and whose commands are looked at before they run."""

import json
import subprocess

from agents import Agent, Runner, function_tool

from hydra_harness_runtime import Runtime, SearchConfig
from hydra_harness_runtime.adapters.openai_agents import ShellGateApproval, search_tools


@function_tool
def shell(command: str) -> str:
    """Run a command line with bash in the current folder."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def main(model="gpt-5.5", task="What is still to do here?"):
    with Runtime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        gate = ShellGateApproval(runtime)
        tools = [*search_tools(runtime), gate.guard(shell)]
        agent = Agent("helper", model=model, instructions=runtime.guidance(), tools=tools)
        result = Runner.run_sync(agent, task)
        while result.interruptions:
            state = result.to_state()
            for item in result.interruptions:
                print(json.loads(item.raw_item.arguments)["command"], gate.reasons(item), sep="\n")
                state.approve(item) if input("Run it? [y/N] ") == "y" else state.reject(item)
            result = Runner.run_sync(agent, state)
        print(result.final_output)


if __name__ == "__main__":
    main()
