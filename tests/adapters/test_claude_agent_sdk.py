"""The Claude Agent SDK over its own transport: the MCP server, the hook, the permission callback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    query,
)

from hydra_harness_runtime import AsyncRuntime, GateSettings
from hydra_harness_runtime.adapters.claude_agent_sdk import Conversation, ShellGateHooks, search_server, tool_names
from tests.adapters.scripted_cli import Script, ScriptedCli
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


async def yes(name: str, arguments: Any, context: Any) -> Any:
    return PermissionResultAllow()


async def no(name: str, arguments: Any, context: Any) -> Any:
    return PermissionResultDeny(message="not now")


async def run(script: Script, cwd: Any, **options: Any) -> str:
    """One query with a scripted Claude Code; its result."""
    messages = query(prompt="go", options=ClaudeAgentOptions(**options), transport=ScriptedCli(script, cwd=str(cwd)))
    [result] = [message async for message in messages if isinstance(message, ResultMessage)]
    assert not str(result.result).startswith("the script failed"), result.result
    return str(result.result)


def searching(world: World, script: Callable[[ScriptedCli], Any]) -> Any:
    found: list[Any] = []

    async def play(cli: ScriptedCli) -> str:
        await cli.handshake()
        found.append(await script(cli))
        return "done"

    asyncio.run(run(play, world.folder, mcp_servers={"hydra": search_server(world.runtime)}))
    return found[0]


def test_claude_sees_the_tools_as_served(world: World) -> None:
    listed = searching(world, lambda cli: cli.mcp("tools/list"))["tools"]
    served = world.runtime.tools()
    assert [(t["name"], t["description"], t["inputSchema"]) for t in listed] == [
        (t.name, t.description, t.input_schema) for t in served
    ]
    assert all(t["annotations"]["readOnlyHint"] for t in listed)
    assert tool_names(world.runtime) == ["mcp__hydra__glob", "mcp__hydra__grep"]


def test_claude_gets_the_page(world: World) -> None:
    assert searching(world, lambda cli: cli.call("grep", pattern="TODO")) == (PAGE, False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"pattern": "("}, BAD_PATTERN), ({"pattern": "x", "path": "absent"}, 'Error: path "absent" does not exist')],
)
def test_an_error_is_a_failed_result(world: World, arguments: Any, text: str) -> None:
    assert searching(world, lambda cli: cli.call("grep", **arguments)) == (text, True)


def test_cancelling_the_run_stops_ripgrep(slow: Slow) -> None:
    async def script(cli: ScriptedCli) -> str:
        await cli.handshake()
        return str(await cli.call("grep", pattern="x"))

    async def main() -> None:
        options = {"mcp_servers": {"hydra": search_server(slow.runtime)}}
        await slow.cancel(asyncio.ensure_future(run(script, "/", **options)))

    asyncio.run(main())


def test_an_interrupt_of_claude_stops_ripgrep(slow: Slow) -> None:
    async def script(cli: ScriptedCli) -> str:
        await cli.handshake()
        call = {"name": "grep", "arguments": {"pattern": "x"}}
        message = {"jsonrpc": "2.0", "id": "search", "method": "tools/call", "params": call}
        number, _ = cli.ask(subtype="mcp_message", server_name="hydra", message=message)
        await slow.started()
        cli.cancel(number)
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "search"}}
        await cli.ask(subtype="mcp_message", server_name="hydra", message=note)[1]
        await slow.stopped()
        return "done"

    async def main() -> str:
        return await asyncio.wait_for(run(script, "/", mcp_servers={"hydra": search_server(slow.runtime)}), 30)

    assert asyncio.run(main()) == "done"


def gated(world: World, command: object, answer: Any = yes, **settings: Any) -> str:
    gate = ShellGateHooks(world.runtime, world.settings, **settings)
    options = {"hooks": gate.hooks(), "can_use_tool": gate.can_use_tool(answer)}
    return asyncio.run(run(lambda cli: cli.bash(world, command), world.folder, **options))


def test_a_command_inside_runs_by_the_users_own_rules(world: World) -> None:
    assert gated(world, INSIDE) == "TODO: water the plants\n"
    assert world.ran == [INSIDE]
    assert gated(world, INSIDE, no) == "not now"
    assert world.ran == [INSIDE]


def test_what_no_text_explains_runs_confined(confined: World) -> None:
    assert gated(confined, PEEK, no) == PEEKED
    assert confined.ran_confined()


def test_it_runs_without_a_question_when_told_to(world: World) -> None:
    assert gated(world, INSIDE, no, auto_allow=True) == "TODO: water the plants\n"
    assert gated(world, OUTSIDE, no, auto_allow=True) == "not now"
    assert world.ran == [INSIDE]


def test_a_command_outside_is_asked_about_and_runs_after_a_yes(world: World) -> None:
    reasons: list[str] = []

    async def answer(name: str, arguments: Any, context: Any) -> Any:
        reasons.append(context.decision_reason)
        return PermissionResultAllow()

    assert gated(world, OUTSIDE, answer) == "the plan\n"
    assert reasons == [world.asked]


def test_a_no_is_a_no(world: World) -> None:
    assert gated(world, OUTSIDE, no) == "not now"
    assert world.ran == []


def test_a_yes_to_another_command_is_none(world: World) -> None:
    async def answer(name: str, arguments: Any, context: Any) -> Any:
        return PermissionResultAllow(updated_input={"command": "cat /etc/hostname"})

    assert "what it reads or writes changed since it was approved" in gated(world, OUTSIDE, answer)
    assert world.ran == []


def test_an_approval_ends_when_the_word_leads_elsewhere(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to("notes.txt")

    async def answer(name: str, arguments: Any, context: Any) -> Any:
        link.unlink()
        link.symlink_to("/etc/passwd")
        return PermissionResultAllow()

    assert "Error: the command was not run: " in gated(world, "cat link", answer)
    assert world.ran == []


@pytest.mark.parametrize("command", [CREDENTIAL, f"{INSIDE} && {CREDENTIAL}"])
def test_a_credential_is_refused(world: World, command: str) -> None:
    assert gated(world, command).startswith(world.denied)
    assert world.ran == []


@pytest.mark.parametrize("command", [None, "", 7, ["ls"]])
def test_a_malformed_command_is_refused(world: World, command: object) -> None:
    assert "the call has no command" in gated(world, command)
    assert world.ran == []


@pytest.mark.parametrize("arguments", [None, [], "ls", {}])
def test_a_malformed_event_is_refused(world: World, arguments: object) -> None:
    decisions: list[Any] = []

    async def script(cli: ScriptedCli) -> str:
        decisions.append(await cli.hook("Bash", arguments))
        return "done"

    asyncio.run(run(script, world.folder, hooks=ShellGateHooks(world.runtime).hooks()))
    assert decisions[0]["permissionDecision"] == "deny"


def test_a_gate_that_broke_refuses(world: World) -> None:
    world.runtime.close()
    assert "the gate could not look at the command" in gated(world, INSIDE)
    assert world.ran == []


def test_the_directory_that_claude_is_in_counts(world: World) -> None:
    async def script(cli: ScriptedCli) -> str:
        other = str(world.folder.with_name("other"))
        decision = await cli.hook("Bash", {"command": "cat plan.txt"}, cwd=other)
        assert decision["permissionDecision"] == "ask"
        answer = await cli.permission("Bash", {"command": "cat plan.txt"})
        assert answer["behavior"] == "allow"
        return "done"

    gate = ShellGateHooks(world.runtime, world.settings)
    options = {"hooks": gate.hooks(), "can_use_tool": gate.can_use_tool(yes)}
    assert asyncio.run(run(script, world.folder, **options)) == "done"


def test_other_tools_are_left_to_the_users_rules(world: World) -> None:
    async def script(cli: ScriptedCli) -> str:
        assert await cli.hook("Read", {"file_path": "/etc/passwd"}) is None
        assert (await cli.permission("Read", {"file_path": "/etc/passwd"}))["behavior"] == "allow"
        return "done"

    gate = ShellGateHooks(world.runtime, world.settings)
    options = {"hooks": gate.hooks(), "can_use_tool": gate.can_use_tool(yes)}
    assert asyncio.run(run(script, world.folder, **options)) == "done"


def test_the_search_tools_need_no_question(world: World) -> None:
    async def script(cli: ScriptedCli) -> str:
        assert (await cli.permission("mcp__hydra__grep", {"pattern": "x"}))["behavior"] == "allow"
        assert (await cli.permission("mcp__other__grep", {"pattern": "x"}))["message"] == "not now"
        return "done"

    gate = ShellGateHooks(world.runtime, world.settings)
    guarded = gate.can_use_tool(no, allowed=tool_names(world.runtime))
    assert asyncio.run(run(script, world.folder, can_use_tool=guarded)) == "done"


def test_a_client_and_an_async_runtime_do_as_well(world: World) -> None:
    async def main() -> None:
        async with AsyncRuntime(world.folder, search=SEARCH) as runtime:
            gate = ShellGateHooks(replace(world, runtime=runtime).runtime, world.settings)  # type: ignore[arg-type]
            options = ClaudeAgentOptions(hooks=gate.hooks(), can_use_tool=gate.can_use_tool(yes))
            cli = ScriptedCli(lambda cli: cli.bash(world, INSIDE), cwd=str(world.folder))
            async with ClaudeSDKClient(options, transport=cli) as client:
                await client.query("go")
                [result] = [message async for message in client.receive_response()]
            assert result.result == "TODO: water the plants\n"  # type: ignore[union-attr]

    asyncio.run(main())


# --- several conversations


def test_each_client_has_its_own_results_and_folder(rooms: Rooms) -> None:
    pages = []
    for name in rooms.NAMES:
        server = search_server(
            rooms.runtime, conversation=lambda name=name: Conversation(rooms.owner(name), rooms.folder / name)
        )

        async def play(cli: ScriptedCli) -> str:
            await cli.handshake()
            pages.append((await cli.call("grep", pattern="TODO"))[0])
            return "done"

        asyncio.run(run(play, rooms.folder, mcp_servers={"hydra": server}))
    rooms.check(pages)


def test_each_session_has_its_own_gate(rooms: Rooms) -> None:
    command = f"cat {rooms.folder}/one/notes.txt"
    answers = []
    for name in rooms.NAMES:
        seen: list[Any] = []

        def of(event: Any, name: str = name, seen: list[Any] = seen) -> Conversation:
            seen.append(event["session_id"])
            return Conversation(rooms.owner(name), rooms.folder / name)

        gate = ShellGateHooks(rooms.runtime, GateSettings(env={}), conversation=of)

        async def play(cli: ScriptedCli, gate: ShellGateHooks = gate) -> str:
            answers.append(await cli.hook("Bash", {"command": command}))
            answers.append(await cli.permission("Bash", {"command": command}))
            return "done"

        asyncio.run(run(play, rooms.folder / name, hooks=gate.hooks(), can_use_tool=gate.can_use_tool(yes)))
        assert set(seen) == {"s"}, "the permission callback has the event of the hook"
    silent, allowed, asked, approved = answers
    assert silent is None, "inside: the user's own rules count"
    assert allowed["behavior"] == approved["behavior"] == "allow"
    assert asked["permissionDecision"] == "ask", "the folder of one is outside for the other"


def test_the_example(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(world.folder)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    seen: list[Any] = []

    async def script(cli: ScriptedCli) -> str:
        await cli.handshake()
        seen.append(await cli.call("grep", pattern="TODO"))
        seen.append(await cli.bash(world, OUTSIDE))
        seen.append(await cli.bash(world, CREDENTIAL, "t-2"))
        return "Water the plants."

    asyncio.run(example("claude_agent_sdk")["main"](ScriptedCli(script, cwd=str(world.folder))))
    assert capsys.readouterr().out == f"{OUTSIDE}\n{world.asked}\nWater the plants.\n"
    page, plan, refusal = seen
    assert (page, plan) == ((PAGE, False), "the plan\n")
    assert refusal.startswith(world.denied)
