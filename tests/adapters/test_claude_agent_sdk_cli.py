"""Claude Code itself, as the SDK brings it, with a model that plays from a script on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import claude_agent_sdk
import pytest
from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, PermissionResultDeny, ResultMessage, query

from hydra_harness_runtime.adapters.claude_agent_sdk import ShellGateHooks, search_server, tool_names
from tests.adapters.scripted_api import ScriptedApi
from tests.adapters.world import CREDENTIAL, INSIDE, OUTSIDE, PAGE, World

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled/claude"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"this build of the SDK brings no Claude Code: {CLI}")


def run(world: World, *calls: tuple[str, dict[str, Any]], answer: Any, **options: Any) -> list[str]:
    """One query; what the model was told of its calls."""

    async def main() -> list[str]:
        api = ScriptedApi(*calls)
        async with api as url:
            env = {
                "ANTHROPIC_API_KEY": "none",
                "ANTHROPIC_BASE_URL": url,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "IS_SANDBOX": "1",  # or it refuses bypassPermissions to root
            }
            gate = ShellGateHooks(world.runtime, world.settings)
            settings = ClaudeAgentOptions(
                cwd=str(world.folder),
                env=env,
                setting_sources=[],
                mcp_servers={"hydra": search_server(world.runtime)},
                disallowed_tools=["Glob", "Grep"],
                hooks=gate.hooks(),
                can_use_tool=gate.can_use_tool(answer, allowed=tool_names(world.runtime)),
                **options,
            )
            messages = [m async for m in query(prompt="go", options=settings) if isinstance(m, ResultMessage)]
            assert [m.result for m in messages] == ["done"]
        return api.results()

    return asyncio.run(asyncio.wait_for(main(), 120))


def bash(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command, "description": "look"}


@pytest.mark.filterwarnings("ignore:can_use_tool will not be invoked")
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
def test_it_asks_whatever_the_mode(world: World, mode: Any) -> None:
    asked: list[Any] = []

    async def answer(name: str, arguments: Any, context: Any) -> Any:
        asked.append((name, arguments["command"], context.decision_reason))
        return PermissionResultAllow()

    search = ("mcp__hydra__grep", {"pattern": "TODO"})
    calls = [search, bash(INSIDE), bash(OUTSIDE), bash(CREDENTIAL)]
    page, notes, plan, refusal = run(world, *calls, answer=answer, permission_mode=mode)
    assert (page, notes, plan) == (PAGE, "TODO: water the plants", "the plan")
    assert world.denied in refusal
    assert asked == [("Bash", OUTSIDE, world.asked)]


def test_a_no_is_a_no(world: World) -> None:
    async def answer(name: str, arguments: Any, context: Any) -> Any:
        return PermissionResultDeny(message="not now")

    [told] = run(world, bash(OUTSIDE), answer=answer)
    assert "not now" in told


def test_a_yes_is_looked_at_again(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to("../other/plan.txt")

    async def answer(name: str, arguments: Any, context: Any) -> Any:
        link.unlink()
        link.symlink_to("/etc/passwd")
        return PermissionResultAllow()

    [told] = run(world, bash("cat link"), answer=answer)
    assert "what it reads or writes changed since it was approved" in told


def test_a_hook_that_fails_blocks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, *_: object) -> Any:
        raise RuntimeError("the hook broke")

    async def answer(name: str, arguments: Any, context: Any) -> Any:
        return PermissionResultAllow()

    monkeypatch.setattr(ShellGateHooks, "_note_place", broken)  # which only the hook calls
    [told] = run(world, bash(INSIDE), answer=answer)
    assert "TODO" not in told
