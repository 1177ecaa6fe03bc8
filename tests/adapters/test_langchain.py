"""LangChain's own agent with its own fake model: searches, the gate, cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from pydantic import PrivateAttr

from hydra_harness_runtime import AsyncRuntime, ConfigError, GateSettings
from hydra_harness_runtime.adapters.langchain import Conversation, SearchMiddleware, ShellGateMiddleware, search_tools
from tests.adapters.world import (
    BAD_PATTERN,
    CREDENTIAL,
    INSIDE,
    OUTSIDE,
    PAGE,
    PEEK,
    PEEKED,
    SEARCH,
    Rooms,
    Slow,
    World,
    example,
)

CONFIG: Any = {"configurable": {"thread_id": "1"}}
YES = Command(resume={"decisions": [{"type": "approve"}]})


class Scripted(FakeMessagesListChatModel):
    """The framework's fake, which also takes tools and keeps what it was sent."""

    _tools: list[Any] = PrivateAttr(default_factory=list)
    _seen: list[Any] = PrivateAttr(default_factory=list)

    def bind_tools(self, tools: Any, **_: Any) -> Scripted:
        self._tools = list(tools)
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self._seen.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def calls(name: str, **arguments: object) -> Scripted:
    """A model that makes one call and then is done."""
    call = {"name": name, "args": arguments, "id": "call-1"}
    return Scripted(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")])


def answer(state: Any) -> ToolMessage:
    [message] = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    return message


def searching(world: World, **arguments: object) -> tuple[Any, Scripted]:
    model = calls("grep", **arguments)
    return create_agent(model, system_prompt="Be brief.", middleware=[SearchMiddleware(world.runtime)]), model


def test_the_model_gets_the_page(world: World) -> None:
    agent, model = searching(world, pattern="TODO")
    message = answer(agent.invoke({"messages": "find it"}))
    assert (message.content, message.status) == (PAGE, "success")
    assert message.artifact["total"] == 2
    served = {definition.name: definition for definition in world.runtime.tools()}
    assert {tool.name: tool.description for tool in model._tools} == {n: d.description for n, d in served.items()}
    assert {tool.name: tool.args_schema for tool in model._tools} == {n: d.input_schema for n, d in served.items()}
    assert model._seen[0][0] == SystemMessage(f"Be brief.\n\n{world.runtime.guidance()}")


def test_awaited_it_is_the_same(world: World) -> None:
    agent, model = searching(world, pattern="TODO")
    assert answer(asyncio.run(agent.ainvoke({"messages": "find it"}))).content == PAGE
    assert model._seen[0][0].content.endswith(world.runtime.guidance())


def test_a_prompt_of_blocks_stays_one(world: World) -> None:
    prompt = SystemMessage([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}])
    model = calls("glob", pattern="*")
    create_agent(model, system_prompt=prompt, middleware=[SearchMiddleware(world.runtime)]).invoke({"messages": "go"})
    guidance = {"type": "text", "text": world.runtime.guidance()}
    assert model._seen[0][0].content == [*prompt.content, guidance]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"pattern": "("}, BAD_PATTERN),
        ({"pattern": "x", "path": "absent"}, 'Error: path "absent" does not exist'),
        ({}, "Error: pattern: it is missing"),
        ({"pattern": "x", "self": 1, "config": 2}, "Error: arguments: there is no argument"),
    ],
)
def test_an_error_is_a_message_that_the_model_can_act_on(world: World, arguments: Any, text: str) -> None:
    agent, _ = searching(world)
    model = calls("grep")
    model.responses[0].tool_calls[0]["args"] = arguments  # type: ignore[attr-defined]
    agent = create_agent(model, tools=search_tools(world.runtime))
    message = answer(agent.invoke({"messages": "find it"}))
    assert message.status == "error"
    assert str(message.content).startswith(text)


def test_a_closed_runtime_is_told(world: World) -> None:
    agent, _ = searching(world, pattern="TODO")
    world.runtime.close()
    assert answer(agent.invoke({"messages": "find it"})).content == "Error: this Runtime is closed; make a new one"


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def main() -> None:
        agent = create_agent(calls("grep", pattern="x"), middleware=[SearchMiddleware(slow.runtime)])
        await slow.cancel(asyncio.ensure_future(agent.ainvoke({"messages": "find it"})))

    asyncio.run(main())


def gated(world: World, command: object, *, gate: ShellGateMiddleware | None = None, model: Any = None) -> Any:
    @tool
    def shell(command: Any) -> str:
        """Run a command."""
        return world.shell(command)

    gate = gate or ShellGateMiddleware(world.runtime, {"shell": "command"}, world.settings)
    model = model or calls("shell", command=command)
    return create_agent(model, tools=[shell], middleware=[gate], checkpointer=InMemorySaver())


def test_a_command_inside_runs(world: World) -> None:
    message = answer(gated(world, INSIDE).invoke({"messages": "go"}, CONFIG))
    assert (message.content, message.status) == ("TODO: water the plants\n", "success")
    assert world.ran == [INSIDE]


def test_what_no_text_explains_runs_confined(confined: World) -> None:
    message = answer(gated(confined, PEEK).invoke({"messages": "go"}, CONFIG))
    assert (message.content, message.status) == (PEEKED, "success")
    assert confined.ran_confined()
    confined.ran.clear()
    awaited = asyncio.run(gated(confined, PEEK).ainvoke({"messages": "go"}, CONFIG))
    assert answer(awaited).content == PEEKED
    assert confined.ran_confined()


def test_a_command_outside_is_asked_about_and_runs_after_a_yes(world: World) -> None:
    agent = gated(world, OUTSIDE)
    state = agent.invoke({"messages": "go"}, CONFIG)
    [question] = state["__interrupt__"]
    action = {"name": "shell", "args": {"command": OUTSIDE}, "description": world.asked}
    assert question.value["action_requests"] == [action]
    assert question.value["review_configs"] == [{"action_name": "shell", "allowed_decisions": ["approve", "reject"]}]
    assert world.ran == []
    assert answer(agent.invoke(YES, CONFIG)).content == "the plan\n"
    assert world.ran == [OUTSIDE]


def test_a_graph_of_ones_own_takes_the_same_gate(world: World) -> None:
    @tool
    def shell(command: str) -> str:
        """Run a command."""
        return world.shell(command)

    gate = ShellGateMiddleware(world.runtime, {"shell": "command"}, world.settings)
    node = ToolNode([shell], wrap_tool_call=gate.wrap_tool_call, awrap_tool_call=gate.awrap_tool_call)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", node).add_edge(START, "tools")
    agent = graph.compile(checkpointer=InMemorySaver())
    call = {"name": "shell", "args": {"command": OUTSIDE}, "id": "1"}
    state: Any = agent.invoke({"messages": [AIMessage("", tool_calls=[call])]}, CONFIG)  # type: ignore[arg-type,list-item]
    assert world.asked in str(state["__interrupt__"])
    assert answer(agent.invoke(YES, CONFIG)).content == "the plan\n"


def test_two_questions_at_once_are_answered_each(world: World) -> None:
    script = [{"name": "shell", "args": {"command": c}, "id": c} for c in (OUTSIDE, "cat ../other/absent", INSIDE)]
    model = Scripted(responses=[AIMessage("", tool_calls=script), AIMessage("done")])  # type: ignore[arg-type]
    agent = gated(world, "", model=model)
    questions = agent.invoke({"messages": "go"}, CONFIG)["__interrupt__"]
    answers = {q.id: {"decisions": [{"type": "approve" if "plan" in str(q.value) else "reject"}]} for q in questions}
    assert len(answers) == 2
    state = agent.invoke(Command(resume=answers), CONFIG)
    messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert [message.status for message in messages] == ["success", "error", "success"]
    assert sorted(world.ran) == sorted([INSIDE, OUTSIDE])


@pytest.mark.parametrize(
    "resume",
    [{"decisions": [{"type": "reject", "message": "no"}]}, {"decisions": []}, {"decisions": "approve"}, True, "yes"],
)
def test_anything_but_a_yes_is_a_no(world: World, resume: object) -> None:
    agent = gated(world, OUTSIDE)
    agent.invoke({"messages": "go"}, CONFIG)
    message = answer(agent.invoke(Command(resume=resume), CONFIG))
    assert message.status == "error"
    assert str(message.content).startswith("Error: the command was not run: the user did not approve it: ")
    assert world.ran == []


def test_an_approval_ends_when_the_word_leads_elsewhere(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to("../other/plan.txt")
    agent = gated(world, "cat link")
    assert "__interrupt__" in agent.invoke({"messages": "go"}, CONFIG)
    link.unlink()
    link.symlink_to("/etc/passwd")
    message = answer(agent.invoke(YES, CONFIG))
    assert message.content == (
        "Error: the command was not run: what it reads or writes changed since it was approved;"
        " call the tool again to have it judged anew"
    )
    assert world.ran == []


def test_an_answer_to_another_process_needs_a_shared_memory(world: World) -> None:
    def gate(approvals: dict[str, str] | None) -> ShellGateMiddleware:
        return ShellGateMiddleware(world.runtime, {"shell": "command"}, world.settings, approvals=approvals)

    for shared, ran in ((None, []), ({}, [OUTSIDE])):
        agent = gated(world, OUTSIDE, gate=gate(shared))
        agent.invoke({"messages": "go"}, CONFIG)
        other = gated(world, OUTSIDE, gate=gate(shared))
        other.checkpointer = agent.checkpointer
        other.invoke(YES, CONFIG)
        assert world.ran == ran


@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, command: str) -> None:
    message = answer(gated(world, command).invoke({"messages": "go"}, CONFIG))
    assert message.status == "error"
    assert str(message.content).startswith(f"Error: the command was not run: {world.denied}")
    assert world.ran == []


@pytest.mark.parametrize("command", [None, "", " ", 7, ["ls"], {"command": "ls"}])
def test_a_malformed_command_is_refused(world: World, command: object) -> None:
    message = answer(gated(world, command).invoke({"messages": "go"}, CONFIG))
    assert "the call has no command" in str(message.content)
    assert world.ran == []


def test_a_gate_that_broke_refuses(world: World) -> None:
    agent = gated(world, INSIDE)
    world.runtime.close()
    message = answer(agent.invoke({"messages": "go"}, CONFIG))
    assert "the gate could not look at the command: this Runtime is closed" in str(message.content)
    assert world.ran == []


def test_the_directory_of_a_call_counts(world: World) -> None:
    @tool
    def shell(command: str, workdir: str) -> str:
        """Run a command somewhere."""
        return world.shell(command)

    gate = ShellGateMiddleware(world.runtime, {"shell": ("command", "workdir")}, world.settings)
    model = calls("shell", command="cat plan.txt", workdir="../other")
    agent = create_agent(model, tools=[shell], middleware=[gate], checkpointer=InMemorySaver())
    assert "__interrupt__" in agent.invoke({"messages": "go"}, CONFIG)
    assert world.ran == []


def test_awaited_the_gate_is_the_same(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:

            @tool
            async def shell(command: str) -> str:
                """Run a command."""
                return world.shell(command)

            gate = ShellGateMiddleware(runtime, {"shell": "command"}, world.settings)
            for command, first, second in (
                (INSIDE, "TODO: water the plants\n", None),
                (OUTSIDE, None, "the plan\n"),
                (CREDENTIAL, f"Error: the command was not run: {world.denied}", None),
            ):
                model = calls("shell", command=command)
                agent = create_agent(model, tools=[shell], middleware=[gate], checkpointer=InMemorySaver())
                state = await agent.ainvoke({"messages": "go"}, CONFIG)
                if first is None:
                    assert state["__interrupt__"][0].value["action_requests"][0]["description"] == world.asked
                    state = await agent.ainvoke(YES, CONFIG)
                assert str(answer(state).content).startswith(first or second or "")

    asyncio.run(main())
    assert world.ran == [INSIDE, OUTSIDE]


def test_a_name_that_no_tool_has_is_an_error(world: World) -> None:
    gate = ShellGateMiddleware(world.runtime, {"bash": "command"}, world.settings)
    message = r"the shell gate guards \['bash'\], but the agent's tools are \['shell'\]"
    with pytest.raises(ConfigError, match=message):
        gated(world, CREDENTIAL, gate=gate).invoke({"messages": "go"}, CONFIG)
    with pytest.raises(ConfigError, match=message):
        asyncio.run(gated(world, CREDENTIAL, gate=gate).ainvoke({"messages": "go"}, CONFIG))
    assert world.ran == []


def test_a_gate_needs_to_know_the_shell(world: World) -> None:
    with pytest.raises(ConfigError, match="name the tools that run a shell"):
        ShellGateMiddleware(world.runtime, {})


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    script = [("grep", {"pattern": "TODO"}), ("shell", {"command": OUTSIDE}), ("shell", {"command": CREDENTIAL})]
    steps = [AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"{i}"}]) for i, (n, a) in enumerate(script)]
    model = Scripted(responses=[*steps, AIMessage("Water the plants.")])
    example("langchain")["main"](model)
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\nWater the plants.\n"
    page, plan, refusal = (m.content for m in model._seen[-1] if isinstance(m, ToolMessage))
    assert (page, plan) == (PAGE, "the plan\n")
    assert refusal.startswith(f"Error: the command was not run: {world.denied}")


# --- one agent, several conversations


def conversation_of(rooms: Rooms) -> Any:
    def of(config: Any) -> Conversation:
        thread = config["configurable"]["thread_id"]
        return Conversation(rooms.owner(thread), rooms.folder / thread)

    return of


@pytest.mark.parametrize("awaited", [False, True])
def test_each_thread_has_its_own_results_and_folder(rooms: Rooms, awaited: bool) -> None:
    middleware = SearchMiddleware(rooms.runtime, conversation=conversation_of(rooms))
    pages = []
    for name in rooms.NAMES:
        agent = create_agent(calls("grep", pattern="TODO"), middleware=[middleware])
        config: Any = {"configurable": {"thread_id": name}}
        run = agent.invoke({"messages": "go"}, config) if not awaited else None
        pages.append(str(answer(run or asyncio.run(agent.ainvoke({"messages": "go"}, config))).content))
    rooms.check(pages)


def test_each_thread_has_its_own_gate(rooms: Rooms) -> None:
    ran = []

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "ran"

    gate = ShellGateMiddleware(
        rooms.runtime, {"shell": "command"}, GateSettings(env={}), conversation=conversation_of(rooms)
    )
    for name in rooms.NAMES:
        agent = create_agent(
            calls("shell", command=f"cat {rooms.folder}/one/notes.txt"),
            tools=[shell],
            middleware=[gate],
            checkpointer=InMemorySaver(),
        )
        agent.invoke({"messages": "go"}, {"configurable": {"thread_id": name}})
    assert len(ran) == 1, "the folder of one thread is outside for the other"


def test_a_conversation_that_is_none_allows_nothing(world: World) -> None:
    gate = ShellGateMiddleware(world.runtime, {"shell": "command"}, conversation=lambda config: None)  # type: ignore[arg-type, return-value]

    @tool
    def shell(command: str) -> str:
        """Run a command."""
        return world.shell(command)

    agent = create_agent(calls("shell", command=INSIDE), tools=[shell], middleware=[gate])
    assert "conversation must return a Conversation" in str(answer(agent.invoke({"messages": "go"})).content)
    assert world.ran == []
