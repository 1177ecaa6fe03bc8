"""A Deep Agent in this folder, whose commands are looked at before they run."""

from deepagents import create_deep_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hydra_harness_runtime import Runtime, SearchConfig
from hydra_harness_runtime.adapters.deepagents import GatedShellBackend


def main(model="anthropic:claude-sonnet-5", task="What is still to do here?"):
    with Runtime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        backend = GatedShellBackend(runtime, inherit_env=True)
        agent = create_deep_agent(model, backend=backend, checkpointer=InMemorySaver())
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
