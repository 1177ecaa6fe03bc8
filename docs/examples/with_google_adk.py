"""An ADK agent that searches this folder, and whose commands are looked at before they run."""

import asyncio
import subprocess

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

from hydra_harness_runtime import AsyncRuntime, SearchConfig
from hydra_harness_runtime.adapters.google_adk import SearchToolset, ShellGateConfirmation


def shell(command: str) -> str:
    """Run a command line with bash in the current folder."""
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout


async def main(model="gemini-3-pro", task="What is still to do here?"):
    async with AsyncRuntime(".", search=SearchConfig(sample_over_cap_glob_results=True)) as runtime:
        tools = [SearchToolset(runtime), ShellGateConfirmation(runtime).guard(shell)]
        runner = InMemoryRunner(LlmAgent(name="helper", model=model, tools=tools), app_name="helper")
        session = await runner.session_service.create_session(app_name="helper", user_id="me")
        parts = [types.Part(text=task)]
        while parts:
            said, parts = types.Content(role="user", parts=parts), []
            async for event in runner.run_async(user_id="me", session_id=session.id, new_message=said):
                parts += [answer(c) for c in event.get_function_calls() if c.name == "adk_request_confirmation"]
        print(event.content.parts[0].text)


def answer(question):
    print(f"{question.args['originalFunctionCall']['args']['command']}\n{question.args['toolConfirmation']['hint']}")
    yes = {"confirmed": input("Run it? [y/N] ") == "y"}
    return types.Part(function_response=types.FunctionResponse(id=question.id, name=question.name, response=yes))


if __name__ == "__main__":
    asyncio.run(main())
