"""Pydantic AI's own agent with its own function model: searches, the gate, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hydra_harness_runtime import AsyncRuntime, GateSettings
from hydra_harness_runtime.adapters.pydantic_ai import Conversation, SearchToolset, ShellGateCapability
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

Call = tuple[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """``run_sync`` uses the thread's event loop, or makes one that nobody closes."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


class Returned(NamedTuple):
    content: Any
    outcome: str
    metadata: Any


class Scripted:
    """The framework's function model, making one call after the other, and what it was sent."""

    def __init__(self, *calls: Call) -> None:
        self._calls = list(calls)
        self.info: AgentInfo | None = None
        self.messages: list[ModelMessage] = []
        self.model = FunctionModel(self._respond)

    def _respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.info, self.messages = info, messages
        if not self._calls:
            return ModelResponse([TextPart("done")])
        name, arguments = self._calls.pop(0)
        return ModelResponse([ToolCallPart(name, arguments, f"call-{len(self._calls)}")])

    def returns(self) -> list[Returned]:
        """What the model was told of its calls. Up to 2.57 a retry is a part of its own."""
        returns = []
        for part in (part for message in self.messages for part in message.parts):
            if isinstance(part, ToolReturnPart):
                returns.append(Returned(part.content, part.outcome, part.metadata))
            elif type(part).__name__ == "RetryPromptPart":
                returns.append(Returned(part.content, "retried", None))  # type: ignore[union-attr]
        return returns


def search(world: World, *arguments: dict[str, Any]) -> Scripted:
    script = Scripted(*(("grep", a) for a in arguments))
    agent = Agent(script.model, instructions="Be brief.", toolsets=[SearchToolset(world.runtime)])
    assert agent.run_sync("find it").output == "done"
    return script


def test_the_model_gets_the_page(world: World) -> None:
    script = search(world, {"pattern": "TODO"})
    [page] = script.returns()
    assert (page.content, page.outcome) == (PAGE, "success")
    assert page.metadata["total"] == 2
    assert script.info is not None
    assert script.info.instructions == f"Be brief.\n\n{world.runtime.guidance()}"
    served = {tool.name: (tool.description, tool.input_schema) for tool in world.runtime.tools()}
    offered = {tool.name: (tool.description, tool.parameters_json_schema) for tool in script.info.function_tools}
    assert offered == served


def test_a_bad_pattern_is_retried(world: World) -> None:
    first, second = search(world, {"pattern": "("}, {"pattern": "TODO"}).returns()
    assert first.outcome == "retried"
    assert BAD_PATTERN in str(first.content)
    assert second.content == PAGE


def test_a_bad_pattern_never_ends_the_run(world: World) -> None:
    outcomes = [part.outcome for part in search(world, *[{"pattern": "("}] * 3).returns()]
    assert outcomes[0] == "retried"
    assert outcomes[-1] == "failed"


@pytest.mark.parametrize(
    ("arguments", "text", "outcome"),
    [
        ({"pattern": "x", "path": "absent"}, 'Error: path "absent" does not exist', "retried"),
        ({}, "Error: pattern: it is missing", "retried"),
        ({"pattern": "x", "nonsense": 1}, "Error: arguments: there is no argument", "retried"),
    ],
)
def test_an_error_is_told_to_the_model(world: World, arguments: Any, text: str, outcome: str) -> None:
    [part] = search(world, arguments).returns()
    assert part.outcome == outcome
    assert text in str(part.content)


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def main() -> None:
        agent = Agent(Scripted(("grep", {"pattern": "x"})).model, toolsets=[SearchToolset(slow.runtime)])
        await slow.cancel(asyncio.ensure_future(agent.run("find it")))

    asyncio.run(main())


def gated(world: World, command: object, **settings: Any) -> tuple[Any, Scripted]:
    def shell(command: Any) -> str:
        """Run a command."""
        return world.shell(command)

    script = Scripted(("shell", {"command": command}))
    gate = ShellGateCapability[None](world.runtime, {"shell": "command"}, world.settings, **settings)
    output: Any = [str, DeferredToolRequests]
    return Agent(script.model, tools=[shell], capabilities=[gate], output_type=output), script


def resume(agent: Any, result: Any, results: DeferredToolResults) -> Any:
    return agent.run_sync(message_history=result.all_messages(), deferred_tool_results=results)


def test_a_command_inside_runs(world: World) -> None:
    agent, script = gated(world, INSIDE)
    assert agent.run_sync("go").output == "done"
    assert [part.content for part in script.returns()] == ["TODO: water the plants\n"]
    assert world.ran == [INSIDE]


def test_what_no_text_explains_runs_confined(confined: World) -> None:
    agent, script = gated(confined, PEEK)
    assert agent.run_sync("go").output == "done"
    assert [part.content for part in script.returns()] == [PEEKED]
    assert confined.ran_confined()


def test_a_command_outside_is_asked_about_and_runs_after_a_yes(world: World) -> None:
    agent, script = gated(world, OUTSIDE)
    result = agent.run_sync("go")
    [call] = result.output.approvals
    assert call.args == {"command": OUTSIDE}
    assert result.output.metadata[call.tool_call_id]["reasons"] == world.asked
    assert world.ran == []
    resume(agent, result, DeferredToolResults(approvals={call.tool_call_id: True}))
    assert [part.content for part in script.returns()] == ["the plan\n"]
    assert world.ran == [OUTSIDE]


def test_a_no_is_a_no(world: World) -> None:
    agent, script = gated(world, OUTSIDE)
    result = agent.run_sync("go")
    resume(agent, result, DeferredToolResults(approvals={"call-0": ToolDenied("not now")}))
    assert [part.content for part in script.returns()] == ["not now"]
    assert world.ran == []


def test_an_approval_of_another_command_is_none(world: World) -> None:
    agent, script = gated(world, OUTSIDE)
    result = agent.run_sync("go")
    edited = ToolApproved(override_args={"command": "cat /etc/hostname"})
    resume(agent, result, DeferredToolResults(approvals={"call-0": edited}))
    [part] = script.returns()
    assert part.outcome == "failed"
    assert "changed since it was approved" in str(part.content)
    assert world.ran == []


@pytest.mark.parametrize("how", ["alone", "metadata", "mapping"])
def test_an_answer_to_another_process(world: World, how: str) -> None:
    shared: dict[str, str] | None = {} if how == "mapping" else None
    result = gated(world, OUTSIDE, approvals=shared)[0].run_sync("go")
    agent, script = gated(world, OUTSIDE, approvals=shared)
    script._calls.clear()
    metadata = result.output.metadata if how == "metadata" else {}
    resume(agent, result, DeferredToolResults(approvals={"call-0": True}, metadata=metadata))
    if how == "alone":
        assert "this process asked for no approval" in str(script.returns()[0].content)
    assert world.ran == ([] if how == "alone" else [OUTSIDE])


@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, command: str) -> None:
    agent, script = gated(world, command)
    agent.run_sync("go")
    [part] = script.returns()
    assert part.outcome == "failed"
    assert str(part.content).startswith(f"Error: the command was not run: {world.denied}")
    assert world.ran == []


@pytest.mark.parametrize("command", [None, "", 7, ["ls"]])
def test_a_malformed_command_is_refused(world: World, command: object) -> None:
    agent, script = gated(world, command)
    agent.run_sync("go")
    assert "the call has no command" in str(script.returns()[0].content)
    assert world.ran == []


def test_a_gate_that_broke_refuses(world: World) -> None:
    agent, script = gated(world, INSIDE)
    world.runtime.close()
    agent.run_sync("go")
    assert "the gate could not look at the command" in str(script.returns()[0].content)
    assert world.ran == []


def test_what_another_capability_rewrites_is_judged(world: World) -> None:
    from pydantic_ai.capabilities import Hooks  # noqa: PLC0415

    hooks = Hooks[None]()

    @hooks.on.before_tool_execute
    async def rewrite(ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        return {"command": CREDENTIAL}

    agent, script = gated(world, INSIDE)
    agent.run_sync("go", capabilities=[hooks])
    assert world.denied in str(script.returns()[0].content)
    assert world.ran == []


def test_a_name_that_no_tool_has_is_warned_about(world: World) -> None:
    agent, _ = gated(world, INSIDE)
    gate = ShellGateCapability[None](world.runtime, {"bash": "command"})
    with pytest.warns(UserWarning, match=r"the shell gate guards \['bash'\], but the agent's tools are \['shell'\]"):
        agent.run_sync("go", capabilities=[gate])


def test_an_async_runtime_does_as_well(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:
            agent, script = gated(replace(world, runtime=runtime), INSIDE)  # type: ignore[arg-type]
            await agent.run("go", toolsets=[SearchToolset(runtime)])
            assert [part.content for part in script.returns()] == ["TODO: water the plants\n"]

    asyncio.run(main())


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    script = Scripted(
        ("grep", {"pattern": "TODO"}), ("shell", {"command": OUTSIDE}), ("shell", {"command": CREDENTIAL})
    )
    example("pydantic_ai")["main"](script.model)
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\ndone\n"
    page, plan, refusal = (part.content for part in script.returns())
    assert (page, plan) == (PAGE, "the plan\n")
    assert str(refusal).startswith(f"Error: the command was not run: {world.denied}")


def test_each_run_has_its_own_results_and_folder(rooms: Rooms) -> None:
    toolset: SearchToolset[str] = SearchToolset(
        rooms.runtime, conversation=lambda run: Conversation(rooms.owner(run.deps), rooms.folder / run.deps)
    )
    pages = []
    for name in rooms.NAMES:
        script = Scripted(("grep", {"pattern": "TODO"}))
        Agent(script.model, deps_type=str, toolsets=[toolset]).run_sync("go", deps=name)
        pages.append(script.returns()[0].content)
    rooms.check(pages)


def test_each_run_has_its_own_gate(rooms: Rooms) -> None:
    ran = []

    def shell(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "ran"

    gate: ShellGateCapability[str] = ShellGateCapability(
        rooms.runtime,
        {"shell": "command"},
        GateSettings(env={}),
        conversation=lambda run: Conversation(rooms.owner(run.deps), rooms.folder / run.deps),
    )
    for name in rooms.NAMES:
        script = Scripted(("shell", {"command": f"cat {rooms.folder}/one/notes.txt"}))
        agent: Any = Agent(
            script.model,
            deps_type=str,
            tools=[shell],
            capabilities=[gate],
            output_type=[str, DeferredToolRequests],
        )
        agent.run_sync("go", deps=name)
    assert len(ran) == 1, "the folder of one run is outside for the other"
