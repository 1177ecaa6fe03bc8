"""A LangChain agent that searches this folder, and whose commands are looked at before they run."""

import subprocess

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hydra_harness_runtime import Runtime, SearchConfig
from hydra_harness_runtime.adapters.langchain import SearchMiddleware, ShellGateMiddleware


@tool
def shell(command: str) -> str:
    """Run a command line with bash in the current folder."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def main(model="anthropic:claude-sonnet-5", task="What is still to do here?"):
    with Runtime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        middleware = [SearchMiddleware(runtime), ShellGateMiddleware(runtime, {"shell": "command"})]
        agent = create_agent(model, tools=[shell], middleware=middleware, checkpointer=InMemorySaver())
        thread = {"configurable": {"thread_id": "1"}}
        state = agent.invoke({"messages": task}, thread)
        while questions := state.get("__interrupt__"):
            state = agent.invoke(Command(resume={q.id: answer(q.value) for q in questions}), thread)
        print(state["messages"][-1].text)


def answer(question):
    [action] = question["action_requests"]
    print(action["args"]["command"], action["description"], sep="\n")
    return {"decisions": [{"type": "approve" if input("Run it? [y/N] ") == "y" else "reject"}]}


if __name__ == "__main__":
    main()
