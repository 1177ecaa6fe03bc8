"""A Deep Agent with LangChain's fake model: its grep, its shell behind the gate, its subagents."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import PrivateAttr

from hydra_harness_runtime import AsyncRuntime, GateSettings
from hydra_harness_runtime.adapters.deepagents import Conversation, GatedShellBackend
from tests.adapters.world import CREDENTIAL, INSIDE, OUTSIDE, PEEK, PEEKED, SEARCH, Rooms, Slow, World, example

CONFIG: Any = {"configurable": {"thread_id": "1"}}
YES = Command(resume={"decisions": [{"type": "approve"}]})
NO = Command(resume={"decisions": [{"type": "reject", "message": "not now"}]})


class Scripted(FakeMessagesListChatModel):
    """The framework's fake, which also takes tools and keeps what it was sent."""

    _seen: list[Any] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *calls: tuple[str, dict[str, Any]]) -> Scripted:
        steps = [
            AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{i}"}])
            for i, (name, arguments) in enumerate(calls)
        ]
        return cls(responses=[*steps, AIMessage("done"), AIMessage("done")])

    def bind_tools(self, tools: Any, **_: Any) -> Scripted:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self._seen.append(list(messages))
        return super()._generate(messages, *args, **kwargs)

    def answers(self) -> list[str]:
        return [str(message.content) for message in self._seen[-1] if isinstance(message, ToolMessage)]


def agent(world: World, *calls: tuple[str, dict[str, Any]], **settings: Any) -> tuple[Any, Scripted]:
    model = Scripted.of(*calls)
    backend = GatedShellBackend(world.runtime, world.settings, inherit_env=True, **settings)
    return create_deep_agent(model, backend=backend, checkpointer=InMemorySaver()), model


def grep(world: World, **arguments: Any) -> str:
    made, model = agent(world, ("grep", {"output_mode": "content", **arguments}))
    made.invoke({"messages": "go"}, CONFIG)
    [answer] = model.answers()
    return answer


def test_the_model_greps(world: World) -> None:
    text = grep(world, pattern="TODO")
    assert "/notes.txt" in text
    assert "1: TODO: water the plants" in text
    assert "/src/app.py" in text


@pytest.mark.parametrize("virtual_mode", [True, False])
@pytest.mark.parametrize("path", [None, "/", "src"])
def test_it_finds_what_theirs_finds(world: World, path: str | None, virtual_mode: bool) -> None:
    (world.folder / "a(b.txt").write_text("f(x) = [1]\n")
    (world.folder / "src/deep").mkdir()
    (world.folder / "src/deep/b.py").write_text("TODO [1\n")
    real = str(world.folder) if path == "/" and not virtual_mode else path
    ours = GatedShellBackend(world.runtime, virtual_mode=virtual_mode)
    theirs = FilesystemBackend(world.folder, virtual_mode=virtual_mode)
    for pattern, glob in (("TODO", None), ("TODO", "*.py"), ("[1", None), ("f(x)", "*.txt"), ("nothing", None)):
        mine, other = (backend.grep(pattern, real, glob) for backend in (ours, theirs))
        key = lambda match: (match["path"], match["line"])  # noqa: E731
        assert sorted(mine.matches or [], key=key) == sorted(other.matches or [], key=key), (pattern, glob)
        assert not mine.truncated


def test_a_file_is_searched_alone(world: World) -> None:
    matches = GatedShellBackend(world.runtime).grep("TODO", "src/app.py").matches
    assert matches == [{"path": "/src/app.py", "line": 3, "text": "TODO = 1"}]


def test_a_cap_is_told(world: World) -> None:
    backend = GatedShellBackend(world.runtime)
    for cap, truncated in ((1, True), (2, False), (3, False)):
        result = backend.grep("TODO", max_count=cap)
        assert len(result.matches or []) == min(cap, 2)
        assert result.truncated is truncated
    assert [m["context_after"] for m in backend.grep("import", context_lines=1).matches or []] == [
        [{"line": 2, "text": ""}]
    ]


@pytest.mark.parametrize("path", ["absent", "../other"])
def test_what_cannot_be_searched_is_an_error(world: World, path: str) -> None:
    backend = GatedShellBackend(world.runtime)
    for result in (backend.grep("x", path), asyncio.run(backend.agrep("x", path))):
        assert result.error
        assert result.error.startswith("Error: ")
        assert result.matches is None
    world.runtime.close()
    assert backend.grep("x").error == "Error: this Runtime is closed; make a new one"


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def main() -> None:
        made = create_deep_agent(Scripted.of(("grep", {"pattern": "x"})), backend=GatedShellBackend(slow.runtime))
        await slow.cancel(asyncio.ensure_future(made.ainvoke({"messages": "go"})))

    asyncio.run(main())


def ran(folder: Path) -> bool:
    """Whether a command that was to leave a mark did."""
    return (folder / "mark").exists()


MARK = "touch mark"


def test_a_command_inside_runs(world: World) -> None:
    made, model = agent(world, ("execute", {"command": INSIDE}))
    made.invoke({"messages": "go"}, CONFIG)
    assert "TODO: water the plants" in model.answers()[0]


def test_what_no_text_explains_runs_confined(confined: World) -> None:
    made, model = agent(confined, ("execute", {"command": PEEK}))
    made.invoke({"messages": "go"}, CONFIG)
    assert PEEKED.strip() in model.answers()[0]


@pytest.mark.parametrize(("answer", "happened"), [(YES, True), (NO, False)])
def test_a_command_outside_is_asked_about(world: World, answer: Any, happened: bool) -> None:
    made, model = agent(world, ("execute", {"command": MARK}))
    [question] = made.invoke({"messages": "go"}, CONFIG)["__interrupt__"]
    [action] = question.value["action_requests"]
    assert action["args"] == {"command": MARK}
    assert "`mark` writes" in action["description"]
    assert not ran(world.folder)
    made.invoke(answer, CONFIG)
    assert ran(world.folder) is happened
    if not happened:
        assert "the user did not approve it: not now" in model.answers()[0]


def test_awaited_it_is_the_same(world: World) -> None:
    async def main() -> None:
        made, model = agent(world, ("execute", {"command": OUTSIDE}))
        [question] = (await made.ainvoke({"messages": "go"}, CONFIG))["__interrupt__"]
        assert question.value["action_requests"][0]["description"] == world.asked
        await made.ainvoke(YES, CONFIG)
        assert "the plan" in model.answers()[0]

    asyncio.run(main())


def test_an_approval_ends_when_the_word_leads_elsewhere(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to("../other/plan.txt")
    made, model = agent(world, ("execute", {"command": "cat link"}))
    made.invoke({"messages": "go"}, CONFIG)
    link.unlink()
    link.symlink_to("/etc/passwd")
    made.invoke(YES, CONFIG)
    assert "what it reads or writes changed since it was approved" in model.answers()[0]


@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, command: str) -> None:
    made, model = agent(world, ("execute", {"command": command}))
    made.invoke({"messages": "go"}, CONFIG)
    assert f"Error: the command was not run: {world.denied}" in model.answers()[0]


def test_a_subagent_stands_before_the_same_gate(world: World) -> None:
    task = ("task", {"description": "look", "subagent_type": "general-purpose"})
    made, _ = agent(world, task, ("execute", {"command": MARK}))
    state = made.invoke({"messages": "go"}, CONFIG)
    assert "`mark` writes" in state["__interrupt__"][0].value["action_requests"][0]["description"]
    assert not ran(world.folder)
    made.invoke(YES, CONFIG)
    assert ran(world.folder)


def test_outside_of_an_agent_nobody_can_be_asked(world: World) -> None:
    backend = GatedShellBackend(world.runtime, world.settings)
    response = backend.execute(OUTSIDE)
    assert (response.output, response.exit_code) == (
        f"Error: the command was not run: {world.asked}; nobody can be asked here",
        126,
    )
    assert backend.execute(INSIDE).output == "TODO: water the plants\n"


def test_a_shell_without_an_environment_is_judged_as_such(world: World) -> None:
    backend = GatedShellBackend(world.runtime, world.settings, env={"PLAN": "../other/plan.txt"})
    assert "outside the read roots" in backend.execute("cat $PLAN").output
    assert "Error: the command was not run" in backend.execute(CREDENTIAL).output


@pytest.mark.parametrize("command", ["", " "])
def test_a_blank_command_is_refused(world: World, command: str) -> None:
    assert "the call has no command" in GatedShellBackend(world.runtime).execute(command).output


def test_a_gate_that_broke_refuses(world: World) -> None:
    backend = GatedShellBackend(world.runtime)
    world.runtime.close()
    assert "the gate could not look at the command" in backend.execute(MARK).output
    assert not ran(world.folder)


def test_an_async_runtime_does_as_well(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:
            backend = GatedShellBackend(runtime)
            assert len((await backend.agrep("TODO")).matches or []) == 2
            assert (await backend.aexecute(INSIDE)).output == "TODO: water the plants\n"

    asyncio.run(main())


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    model = Scripted.of(
        ("grep", {"pattern": "TODO"}), ("execute", {"command": OUTSIDE}), ("execute", {"command": CREDENTIAL})
    )
    example("deepagents")["main"](model)
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\ndone\n"
    page, plan, refusal = model.answers()
    assert "/notes.txt" in page
    assert "the plan" in plan
    assert f"Error: the command was not run: {world.denied}" in refusal


# --- one agent, several conversations


def in_rooms(rooms: Rooms, *steps: tuple[str, dict[str, Any]], thread: str, awaited: bool = False) -> list[str]:
    def of(config: Any) -> Conversation:
        name = config["configurable"]["thread_id"]
        return Conversation(rooms.owner(name), rooms.folder / name)

    model = Scripted.of(*steps)
    backend = GatedShellBackend(rooms.runtime, GateSettings(), inherit_env=True, conversation=of)
    made = create_deep_agent(model, backend=backend, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": thread}}
    if awaited:
        asyncio.run(made.ainvoke({"messages": "go"}, config))
    else:
        made.invoke({"messages": "go"}, config)
    return model.answers()


@pytest.mark.parametrize("awaited", [False, True])
def test_each_thread_has_its_own_folder(rooms: Rooms, awaited: bool) -> None:
    for name in rooms.NAMES:
        found, read, told = in_rooms(
            rooms,
            ("grep", {"pattern": "again", "output_mode": "content"}),
            ("read_file", {"file_path": "/notes.txt"}),
            ("execute", {"command": "cat notes.txt"}),
            thread=name,
            awaited=awaited,
        )
        assert f"TODO {name} again" in found
        assert f"TODO {name} again" in read
        assert f"TODO {name} again" in told


def test_the_folder_of_one_thread_is_outside_for_the_other(rooms: Rooms) -> None:
    command = f"cat {rooms.folder}/one/notes.txt"
    assert "TODO one" in in_rooms(rooms, ("execute", {"command": command}), thread="one")[0]
    model_of_two = in_rooms(rooms, ("execute", {"command": command}), thread="two")
    assert not any("TODO one" in answer for answer in model_of_two), "it is asked about"


def test_outside_of_a_run_there_is_no_conversation(rooms: Rooms) -> None:
    backend = GatedShellBackend(rooms.runtime, conversation=lambda config: Conversation("x"))
    refused = backend.execute("true")
    assert refused.exit_code == 126
    assert "outside of a run there is no conversation" in refused.output
    assert "outside of a run there is no conversation" in str(backend.grep("TODO").error)
