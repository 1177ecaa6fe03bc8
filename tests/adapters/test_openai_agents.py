"""The OpenAI Agents SDK with its own scripted model: searches, the gate, cancellation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, RunState, ShellCommandRequest, ShellTool, function_tool
from agents.mcp import MCPServerStdio, MCPUtil
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseFunctionShellToolCall

from hydra_harness_runtime import AsyncRuntime, ConfigError, GateSettings, mcp_server_params
from hydra_harness_runtime.adapters.openai_agents import Conversation, ShellGateApproval, search_tools
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

NO_TRACES = RunConfig(tracing_disabled=True)


def script(*calls: Any) -> ScriptedModel:
    return ScriptedModel([*([call] for call in calls), [assistant_message("done")]])


def grep(**arguments: object) -> Any:
    return function_call("grep", arguments, call_id="call-1")


def run(agent: Agent[Any], given: Any = "go") -> Any:
    return asyncio.run(Runner.run(agent, given, run_config=NO_TRACES))


def outputs(result: Any) -> list[Any]:
    return [item.output for item in result.new_items if item.type == "tool_call_output_item"]


def searching(world: World, call: Any) -> tuple[Agent[Any], ScriptedModel]:
    model = script(call)
    agent: Agent[Any] = Agent(
        "t", model=model, tools=search_tools(world.runtime), instructions=world.runtime.guidance()
    )
    return agent, model


@pytest.mark.parametrize("arguments", [{"pattern": "TODO"}, {"pattern": "TODO", "path": None, "include": None}])
def test_the_model_gets_the_page(world: World, arguments: dict[str, object]) -> None:
    agent, model = searching(world, grep(**arguments))
    assert outputs(run(agent)) == [PAGE]
    assert model.calls[0].system_instructions == world.runtime.guidance()


def test_the_schemas_are_strict(world: World) -> None:
    for tool, served in zip(search_tools(world.runtime), world.runtime.tools(), strict=True):
        properties: Any = served.input_schema["properties"]
        schema = tool.params_json_schema  # type: ignore[union-attr]
        assert schema["required"] == list(properties)
        assert schema["additionalProperties"] is False
        assert schema["properties"]["pattern"] == properties["pattern"]
        assert schema["properties"]["path"] == {**properties["path"], "type": ["string", "null"]}
        assert tool.description == served.description  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (grep(pattern="("), BAD_PATTERN),
        (grep(pattern="x", path="absent"), 'Error: path "absent" does not exist'),
        (grep(), "Error: pattern: it is missing"),
        (function_call("grep", "{", call_id="1"), "Error: the arguments must be a JSON object"),
        (function_call("grep", "[1]", call_id="1"), "Error: the arguments must be a JSON object"),
    ],
)
def test_an_error_is_text_and_the_run_goes_on(world: World, call: Any, text: str) -> None:
    result = run(searching(world, call)[0])
    assert outputs(result)[0].startswith(text)
    assert result.final_output == "done"


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def main() -> None:
        agent: Agent[Any] = Agent("t", model=script(grep(pattern="x")), tools=search_tools(slow.runtime))
        await slow.cancel(asyncio.ensure_future(Runner.run(agent, "go", run_config=NO_TRACES)))

    asyncio.run(main())


class Gated:
    """An agent with a shell tool of one kind or the other, and its gate."""

    def __init__(self, world: World, kind: str, *commands: Any, approvals: dict[str, str] | None = None) -> None:
        self.gate = ShellGateApproval(world.runtime, world.settings, approvals=approvals)

        def execute(request: ShellCommandRequest) -> str:
            return "".join(world.shell(command) for command in request.data.action.commands)

        @function_tool
        def shell(command: str) -> str:
            """Run a command."""
            return world.shell(command)

        if kind == "function":
            call = function_call("shell", {"command": commands[0]}, call_id="call-1")
            tool: Any = self.gate.guard(shell)
        else:
            call = ResponseFunctionShellToolCall.construct(
                id="1", call_id="call-1", type="shell_call", status="completed", action={"commands": list(commands)}
            )
            tool = self.gate.guard(ShellTool(executor=execute))
        self.agent: Agent[Any] = Agent("t", model=script(call), tools=[tool])


KINDS = pytest.mark.parametrize("kind", ["function", "shell"])


@KINDS
def test_a_command_inside_runs(world: World, kind: str) -> None:
    assert outputs(run(Gated(world, kind, INSIDE).agent)) == ["TODO: water the plants\n"]
    assert world.ran == [INSIDE]


@KINDS
def test_what_no_text_explains_runs_confined(confined: World, kind: str) -> None:
    assert outputs(run(Gated(confined, kind, PEEK).agent)) == [PEEKED]
    assert confined.ran_confined()


@KINDS
def test_a_command_outside_is_asked_about_and_runs_after_a_yes(world: World, kind: str) -> None:
    gated = Gated(world, kind, OUTSIDE)
    result = run(gated.agent)
    [item] = result.interruptions
    assert gated.gate.reasons(item) == world.asked
    assert world.ran == []
    state = result.to_state()
    state.approve(item)
    assert outputs(run(gated.agent, state)) == ["the plan\n"]
    assert world.ran == [OUTSIDE]


@KINDS
def test_a_no_is_a_no(world: World, kind: str) -> None:
    gated = Gated(world, kind, OUTSIDE)
    state = run(gated.agent).to_state()
    state.reject(state.get_interruptions()[0])
    assert run(gated.agent, state).final_output == "done"
    assert world.ran == []


@KINDS
@pytest.mark.parametrize("how", ["alone", "shown", "mapping"])
def test_an_answer_to_another_process(world: World, kind: str, how: str) -> None:
    async def main() -> list[Any]:
        shared: dict[str, str] | None = {} if how == "mapping" else None
        first = Gated(world, kind, OUTSIDE, approvals=shared)
        text = (await Runner.run(first.agent, "go", run_config=NO_TRACES)).to_state().to_string()
        second = Gated(world, kind, OUTSIDE, approvals=shared)
        second.agent.model = script()
        state = await RunState.from_string(second.agent, text)
        [item] = state.get_interruptions()
        if how == "shown":
            assert second.gate.reasons(item) == world.asked
        state.approve(item)
        return outputs(await Runner.run(second.agent, state, run_config=NO_TRACES))

    [output] = asyncio.run(main())
    if how == "alone":
        assert "the command was not run: this process asked for no approval" in output
    assert world.ran == ([] if how == "alone" else [OUTSIDE])


@KINDS
def test_an_approval_ends_when_the_word_leads_elsewhere(world: World, kind: str) -> None:
    link = world.folder / "link"
    link.symlink_to("../other/plan.txt")
    gated = Gated(world, kind, "cat link")
    state = run(gated.agent).to_state()
    state.approve(state.get_interruptions()[0])
    link.unlink()
    link.symlink_to("/etc/passwd")
    [output] = outputs(run(gated.agent, state))
    assert "what it reads or writes changed since it was approved" in output
    assert world.ran == []


@KINDS
def test_always_is_no_approval_of_what_nobody_saw(world: World, kind: str) -> None:
    gated = Gated(world, kind, OUTSIDE)
    result = run(gated.agent)
    state = result.to_state()
    state.approve(state.get_interruptions()[0], always_approve=True)
    other = json.loads(json.dumps({"command": "cat /etc/passwd"}))
    call: Any = function_call("shell", other, call_id="call-2")
    if kind == "shell":
        call = ResponseFunctionShellToolCall.construct(
            id="2", call_id="call-2", type="shell_call", status="completed", action={"commands": ["cat /etc/passwd"]}
        )
    gated.agent.model = script(call)
    assert "this process asked for no approval" in outputs(run(gated.agent, state))[-1]
    assert world.ran == [OUTSIDE]


@KINDS
@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, kind: str, command: str) -> None:
    result = run(Gated(world, kind, command).agent)
    assert result.interruptions == []
    assert f"Error: the command was not run: {world.denied}" in outputs(result)[0]
    assert world.ran == []


@KINDS
@pytest.mark.parametrize("command", ["", " "])
def test_a_blank_command_is_refused(world: World, kind: str, command: str) -> None:
    assert "the call has no command" in outputs(run(Gated(world, kind, command).agent))[0]
    assert world.ran == []


@KINDS
def test_a_gate_that_broke_refuses(world: World, kind: str) -> None:
    gated = Gated(world, kind, INSIDE)
    world.runtime.close()
    assert "the gate could not look at the command" in outputs(run(gated.agent))[0]
    assert world.ran == []


@pytest.mark.parametrize(
    ("commands", "asked"),
    [
        ([INSIDE, "cat src/app.py"], False),
        ([INSIDE, OUTSIDE], True),
        (["cd ..", "cat other/plan.txt"], True),
        (["ln -s ../other x", "cat x/plan.txt"], True),
        (["cat notes.txt <<'END'", OUTSIDE], True),
    ],
)
def test_of_several_commands_the_worst_counts(world: World, commands: list[str], asked: bool) -> None:
    settings = replace(world.settings, write_roots=["."])
    gated = Gated(replace(world, settings=settings), "shell", *commands)
    assert bool(run(gated.agent).interruptions) is asked
    assert world.ran == ([] if asked else commands)


def test_a_credential_among_several_refuses_all(world: World) -> None:
    [output] = outputs(run(Gated(world, "shell", OUTSIDE, CREDENTIAL).agent))
    assert world.denied in output
    assert world.ran == []


@pytest.mark.parametrize("own", [True, lambda *_: True])
def test_the_setting_of_the_tool_still_counts(world: World, own: Any) -> None:
    gate = ShellGateApproval(world.runtime, world.settings)
    tool = gate.guard(ShellTool(executor=lambda request: world.shell(INSIDE), needs_approval=own))
    gated = Gated(world, "shell", INSIDE)
    gated.agent.tools = [tool]
    result = run(gated.agent)
    state = result.to_state()
    state.approve(result.interruptions[0])
    run(gated.agent, state)
    assert world.ran == [INSIDE]


def test_the_directory_of_a_call_counts(world: World) -> None:
    @function_tool
    def shell(command: str, workdir: str) -> str:
        """Run a command somewhere."""
        return world.shell(command)

    gate = ShellGateApproval(world.runtime, world.settings)
    call = function_call("shell", {"command": "cat plan.txt", "workdir": "../other"}, call_id="1")
    agent: Agent[Any] = Agent("t", model=script(call), tools=[gate.guard(shell, ("command", "workdir"))])
    assert len(run(agent).interruptions) == 1
    assert world.ran == []


def test_what_cannot_be_guarded_is_refused(world: World) -> None:
    gate = ShellGateApproval(world.runtime)
    hosted: Any = ShellTool(environment={"type": "container_auto"})
    for tool in (hosted, object()):
        with pytest.raises(ConfigError, match="the gate stands before"):
            gate.guard(tool)


def test_as_an_mcp_server_it_outlasts_the_default_time_out(world: World) -> None:
    async def main() -> None:
        params: Any = mcp_server_params(world.folder, search=SEARCH)
        async with MCPServerStdio(params, client_session_timeout_seconds=40) as server:
            agent: Agent[Any] = Agent("t", model=script(grep(pattern="TODO")), mcp_servers=[server])
            [output] = outputs(await Runner.run(agent, "go", run_config=NO_TRACES))
            assert PAGE in str(output["text"])

    asyncio.run(main())


def test_an_async_runtime_does_as_well(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:
            agent: Agent[Any] = Agent("t", model=script(grep(pattern="TODO")), tools=search_tools(runtime))
            assert outputs(await Runner.run(agent, "go", run_config=NO_TRACES)) == [PAGE]

    asyncio.run(main())


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    calls = [("grep", {"pattern": "TODO"}), ("shell", {"command": OUTSIDE}), ("shell", {"command": CREDENTIAL})]
    model = script(*(function_call(name, arguments, call_id=f"{i}") for i, (name, arguments) in enumerate(calls)))
    example("openai_agents")["main"](model)
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\ndone\n"
    page, plan, refusal = (i["output"] for i in model.calls[-1].input if i.get("type") == "function_call_output")  # type: ignore[union-attr]
    assert (page, plan) == (PAGE, "the plan\n")
    assert refusal.startswith(f"Error: the command was not run: {world.denied}")


def test_each_context_has_its_own_results_and_folder(rooms: Rooms) -> None:
    tools = search_tools(
        rooms.runtime, conversation=lambda run: Conversation(rooms.owner(run.context), rooms.folder / run.context)
    )
    pages = []
    for name in rooms.NAMES:
        agent: Agent[Any] = Agent("t", model=script(grep(pattern="TODO")), tools=tools)
        pages += outputs(asyncio.run(Runner.run(agent, "go", context=name, run_config=NO_TRACES)))
    rooms.check(pages)


@pytest.mark.parametrize("kind", ["function", "shell"])
def test_each_context_has_its_own_gate(rooms: Rooms, kind: str) -> None:
    ran = []
    gate = ShellGateApproval(
        rooms.runtime,
        GateSettings(env={}),
        conversation=lambda run: Conversation(rooms.owner(run.context), rooms.folder / run.context),
    )

    @function_tool
    def shell(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "ran"

    def execute(request: ShellCommandRequest) -> str:
        ran.extend(request.data.action.commands)
        return "ran"

    command = f"cat {rooms.folder}/one/notes.txt"
    tool: Any = gate.guard(shell) if kind == "function" else gate.guard(ShellTool(executor=execute))
    call: Any = function_call("shell", {"command": command}, call_id="call-1")
    if kind == "shell":
        call = ResponseFunctionShellToolCall.construct(
            id="1", call_id="call-1", type="shell_call", status="completed", action={"commands": [command]}
        )
    for name in rooms.NAMES:
        agent: Agent[Any] = Agent("t", model=script(call), tools=[tool])
        result = asyncio.run(Runner.run(agent, "go", context=name, run_config=NO_TRACES))
        if name == "two":
            [item] = result.interruptions
            assert "outside the read roots" in gate.reasons(item, result.context_wrapper)
    assert ran == [command], "the folder of one conversation is outside for the other"


def test_the_sdk_makes_the_served_schemas_strict(world: World) -> None:
    async def main() -> None:
        params: Any = mcp_server_params(world.folder, search=SEARCH)
        async with MCPServerStdio(params, client_session_timeout_seconds=40) as server:
            listed = await server.list_tools()
            tools = [MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True) for tool in listed]
        own = search_tools(world.runtime)
        assert [tool.name for tool in tools] == [tool.name for tool in own]
        for tool, ours in zip(tools, own, strict=True):
            assert tool.strict_json_schema
            assert tool.params_json_schema["required"] == ours.params_json_schema["required"]  # type: ignore[union-attr]
            assert tool.params_json_schema["additionalProperties"] is False

    asyncio.run(main())
