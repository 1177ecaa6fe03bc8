"""Google's Agent Development Kit with a scripted model of its own kind: searches, the gate, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from pydantic import PrivateAttr

from hydra_harness_runtime import AsyncRuntime, ConfigError, GateSettings
from hydra_harness_runtime.adapters.google_adk import Conversation, SearchToolset, ShellGateConfirmation
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


class Scripted(BaseLlm):
    """Makes one call after the other, then says that it is done; keeps what it was sent."""

    model: str = "scripted"
    _calls: list[Call] = PrivateAttr(default_factory=list)
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *calls: Call) -> Scripted:
        made = cls()
        made._calls = list(calls)
        return made

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self._requests.append(llm_request)
        part = types.Part(text="done")
        if self._calls:
            name, arguments = self._calls.pop(0)
            part = types.Part(function_call=types.FunctionCall(name=name, args=arguments))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


class Talk:
    """One session with an agent: what is said to it, and the responses of its tools."""

    def __init__(self, agent: LlmAgent) -> None:
        self.runner = InMemoryRunner(agent=agent)
        self.session: Any = None

    async def say(self, *parts: types.Part) -> list[Any]:
        if self.session is None:
            self.session = await self.runner.session_service.create_session(app_name=self.runner.app_name, user_id="u")
        message = types.Content(role="user", parts=list(parts or [types.Part(text="go")]))
        run = self.runner.run_async(user_id="u", session_id=self.session.id, new_message=message)
        return [part for event in [e async for e in run] for part in (event.content.parts if event.content else [])]

    async def responses(self, *parts: types.Part) -> list[dict[str, Any]]:
        found = [part.function_response for part in await self.say(*parts)]
        return [r.response for r in found if r and r.name != "adk_request_confirmation"]


def questions(parts: list[Any]) -> list[types.FunctionCall]:
    calls = [part.function_call for part in parts if part.function_call]
    return [call for call in calls if call.name == "adk_request_confirmation"]


def answer(question: types.FunctionCall, confirmed: bool, **more: Any) -> types.Part:
    response = {"confirmed": confirmed, **more}
    return types.Part(function_response=types.FunctionResponse(id=question.id, name=question.name, response=response))


def search(world: World, **arguments: Any) -> tuple[list[dict[str, Any]], Scripted]:
    model = Scripted.of(("grep", arguments))
    agent = LlmAgent(name="t", model=model, instruction="Be brief.", tools=[SearchToolset(world.runtime)])
    return asyncio.run(Talk(agent).responses()), model


def test_the_model_gets_the_page(world: World) -> None:
    [response], model = search(world, pattern="TODO")
    assert response == {"result": PAGE}
    config = model._requests[0].config
    assert str(config.system_instruction).startswith("Be brief.")
    assert world.runtime.guidance() in str(config.system_instruction)
    served = {tool.name: (tool.description, tool.input_schema) for tool in world.runtime.tools()}
    declared = [d for tool in config.tools or [] for d in tool.function_declarations or []]  # type: ignore[union-attr]
    assert {d.name: (d.description, d.parameters_json_schema) for d in declared} == served


@pytest.mark.parametrize(
    ("arguments", "text", "retryable"),
    [
        ({"pattern": "("}, BAD_PATTERN, True),
        ({}, "Error: pattern: it is missing", True),
        ({"pattern": "x", "path": "absent"}, 'Error: path "absent" does not exist', True),
    ],
)
def test_an_error_says_whether_the_model_can_mend_it(world: World, arguments: Any, text: str, retryable: bool) -> None:
    [response], _ = search(world, **arguments)
    assert response["error"].startswith(text)
    assert response["retryable"] is retryable


def test_a_prefix_and_a_filter_are_those_of_every_toolset(world: World) -> None:
    model = Scripted.of(("hydra_grep", {"pattern": "TODO"}))
    toolset = SearchToolset(world.runtime, tool_filter=["grep"], tool_name_prefix="hydra")
    agent = LlmAgent(name="t", model=model, tools=[toolset])
    assert asyncio.run(Talk(agent).responses()) == [{"result": PAGE}]
    assert list(model._requests[0].tools_dict) == ["hydra_grep"]


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def main() -> None:
        model = Scripted.of(("grep", {"pattern": "x"}))
        agent = LlmAgent(name="t", model=model, tools=[SearchToolset(slow.runtime)])
        await slow.cancel(asyncio.ensure_future(Talk(agent).say()))

    asyncio.run(main())


def gated(world: World, command: object, **settings: Any) -> Talk:
    def shell(command: str) -> str:
        """Run a command."""
        return world.shell(command)

    gate = ShellGateConfirmation(world.runtime, world.settings, **settings)
    model = Scripted.of(("shell", {"command": command}))
    return Talk(LlmAgent(name="t", model=model, tools=[gate.guard(shell)]))


def test_a_command_inside_runs(world: World) -> None:
    assert asyncio.run(gated(world, INSIDE).responses()) == [{"result": "TODO: water the plants\n"}]
    assert world.ran == [INSIDE]


def test_what_no_text_explains_runs_confined(confined: World) -> None:
    assert asyncio.run(gated(confined, PEEK).responses()) == [{"result": PEEKED}]
    assert confined.ran_confined()


def test_a_command_outside_is_asked_about_and_runs_after_a_yes(world: World) -> None:
    async def main() -> None:
        talk = gated(world, OUTSIDE)
        [question] = questions(await talk.say())
        assert question.args is not None
        assert question.args["originalFunctionCall"]["args"] == {"command": OUTSIDE}
        assert question.args["toolConfirmation"]["hint"] == world.asked
        assert world.ran == []
        assert await talk.responses(answer(question, True)) == [{"result": "the plan\n"}]

    asyncio.run(main())
    assert world.ran == [OUTSIDE]


def test_a_no_is_a_no(world: World) -> None:
    async def main() -> list[dict[str, Any]]:
        talk = gated(world, OUTSIDE)
        [question] = questions(await talk.say())
        return await talk.responses(answer(question, False))

    assert asyncio.run(main()) == [{"error": "Error: the command was not run: the user did not approve it"}]
    assert world.ran == []


def test_an_approval_ends_when_the_word_leads_elsewhere(world: World) -> None:
    async def main() -> list[dict[str, Any]]:
        link = world.folder / "link"
        link.symlink_to("../other/plan.txt")
        talk = gated(world, "cat link")
        [question] = questions(await talk.say())
        link.unlink()
        link.symlink_to("/etc/passwd")
        return await talk.responses(answer(question, True))

    [response] = asyncio.run(main())
    assert "what it reads or writes changed since it was approved" in response["error"]
    assert world.ran == []


@pytest.mark.parametrize("how", ["alone", "payload", "mapping"])
def test_an_answer_to_another_process(world: World, how: str) -> None:
    async def main() -> list[dict[str, Any]]:
        shared: dict[str, str] | None = {} if how == "mapping" else None
        first, second = (gated(world, OUTSIDE, approvals=shared) for _ in range(2))
        [question] = questions(await first.say())
        second.runner.session_service, second.session = first.runner.session_service, first.session
        assert question.args is not None
        payload = {"payload": question.args["toolConfirmation"]["payload"]} if how == "payload" else {}
        return await second.responses(answer(question, True, **payload))

    [response, *_] = asyncio.run(main())
    if how == "alone":
        assert "this process asked for no approval" in response["error"]
    assert world.ran == ([] if how == "alone" else [OUTSIDE])


@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, command: str) -> None:
    [response] = asyncio.run(gated(world, command).responses())
    assert response["error"].startswith(f"Error: the command was not run: {world.denied}")
    assert world.ran == []


@pytest.mark.parametrize("command", [None, "", 7, ["ls"]])
def test_a_malformed_command_is_refused(world: World, command: object) -> None:
    [response] = asyncio.run(gated(world, command).responses())
    assert "the call has no command" in response["error"]
    assert world.ran == []


def test_a_gate_that_broke_refuses(world: World) -> None:
    talk = gated(world, INSIDE)
    world.runtime.close()
    [response] = asyncio.run(talk.responses())
    assert "the gate could not look at the command" in response["error"]
    assert world.ran == []


def test_a_tool_that_always_asks_still_does(world: World) -> None:
    def shell(command: str) -> str:
        """Run a command."""
        return world.shell(command)

    async def main() -> None:
        tool = FunctionTool(shell, require_confirmation=True)
        guarded = ShellGateConfirmation(world.runtime, world.settings).guard(tool)
        talk = Talk(LlmAgent(name="t", model=Scripted.of(("shell", {"command": INSIDE})), tools=[guarded]))
        [question] = questions(await talk.say())
        assert world.ran == []
        assert await talk.responses(answer(question, True)) == [{"result": "TODO: water the plants\n"}]

    asyncio.run(main())


def test_the_directory_of_a_call_counts(world: World) -> None:
    def shell(command: str, workdir: str) -> str:
        """Run a command somewhere."""
        return world.shell(command)

    guarded = ShellGateConfirmation(world.runtime, world.settings).guard(shell, ("command", "workdir"))
    model = Scripted.of(("shell", {"command": "cat plan.txt", "workdir": "../other"}))
    assert len(questions(asyncio.run(Talk(LlmAgent(name="t", model=model, tools=[guarded])).say()))) == 1
    assert world.ran == []


def test_what_cannot_be_guarded_is_refused(world: World) -> None:
    with pytest.raises(ConfigError, match="the gate stands before a tool or a function, not int"):
        ShellGateConfirmation(world.runtime).guard(7)  # type: ignore[arg-type]


def test_an_async_runtime_does_as_well(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:
            talk = gated(replace(world, runtime=runtime), INSIDE)  # type: ignore[arg-type]
            assert await talk.responses() == [{"result": "TODO: water the plants\n"}]

    asyncio.run(main())


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    calls = [("grep", {"pattern": "TODO"}), ("shell", {"command": OUTSIDE}), ("shell", {"command": CREDENTIAL})]
    model = Scripted.of(*calls)
    asyncio.run(example("google_adk")["main"](model))
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\ndone\n"
    parts = [part for content in model._requests[-1].contents for part in content.parts or []]
    page, plan, refusal = (part.function_response.response for part in parts if part.function_response)
    assert (page, plan) == ({"result": PAGE}, {"result": "the plan\n"})
    assert refusal is not None
    assert refusal["error"].startswith(f"Error: the command was not run: {world.denied}")


def test_each_session_has_its_own_results_and_folder(rooms: Rooms) -> None:
    def of(context: Any) -> Conversation:
        name = context.session.state["room"]
        return Conversation(rooms.owner(name), rooms.folder / name)

    async def main() -> list[str]:
        toolset, pages = SearchToolset(rooms.runtime, conversation=of), []
        for name in rooms.NAMES:
            talk = Talk(LlmAgent(name="t", model=Scripted.of(("grep", {"pattern": "TODO"})), tools=[toolset]))
            service = talk.runner.session_service
            talk.session = await service.create_session(
                app_name=talk.runner.app_name, user_id="u", state={"room": name}
            )
            [response] = await talk.responses()
            pages.append(str(response["result"]))
        return pages

    rooms.check(asyncio.run(main()))


def test_each_session_has_its_own_gate(rooms: Rooms) -> None:
    ran = []

    def shell(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return "ran"

    def of(context: Any) -> Conversation:
        name = context.session.state["room"]
        return Conversation(rooms.owner(name), rooms.folder / name)

    async def main() -> None:
        guarded = ShellGateConfirmation(rooms.runtime, GateSettings(env={}), conversation=of).guard(shell)
        for name in rooms.NAMES:
            model = Scripted.of(("shell", {"command": f"cat {rooms.folder}/one/notes.txt"}))
            talk = Talk(LlmAgent(name="t", model=model, tools=[guarded]))
            service = talk.runner.session_service
            talk.session = await service.create_session(
                app_name=talk.runner.app_name, user_id="u", state={"room": name}
            )
            await talk.say()

    asyncio.run(main())
    assert len(ran) == 1, "the folder of one session is outside for the other"
