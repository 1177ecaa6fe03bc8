"""The public names are pinned: adding one is a decision, losing one is a break."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import hydra_harness_runtime as package

SOURCE = Path(package.__file__)


def test_all_is_sorted_and_every_name_resolves() -> None:
    assert package.__all__ == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None, name
    assert set(package.__all__) <= set(dir(package))


def test_checkers_see_the_names_that_programs_get() -> None:
    seen: dict[str, str] = {}
    for statement in ast.parse(SOURCE.read_text()).body:
        if ast.unparse(getattr(statement, "test", statement)) == "not TYPE_CHECKING":
            continue  # what a program gets, not what a checker sees
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                seen.update({alias.name: node.module for alias in node.names})
    assert seen.pop("__version__") == "_version"
    assert seen == package._HOMES
    assert {*seen, "__version__"} == set(package.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(package, "nonsense")


ADAPTERS = {
    "claude_agent_sdk": ["Conversation", "ShellGateHooks", "search_server", "tool_names"],
    "deepagents": ["Conversation", "GatedShellBackend"],
    "google_adk": ["Conversation", "SearchToolset", "ShellGateConfirmation"],
    "langchain": ["Conversation", "SearchMiddleware", "ShellGateMiddleware", "search_tools"],
    "openai_agents": ["Conversation", "ShellGateApproval", "search_tools"],
    "pydantic_ai": ["Conversation", "SearchToolset", "ShellGateCapability"],
}


def test_the_names_of_the_adapters() -> None:
    """Read and not imported: their frameworks are not here."""
    found = {}
    for path in sorted(SOURCE.with_name("adapters").glob("[a-z]*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found[path.stem] = ast.literal_eval(node.value)
    assert found == ADAPTERS


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import hydra_harness_runtime;"
        "print(*sorted(n for n in set(sys.modules) - before if not n.startswith('hydra')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"asyncio", "dataclasses", "hashlib", "json", "logging", "pathlib", "subprocess"}
    assert not heavy & set(run.stdout.split())


def test_the_package_is_typed() -> None:
    assert SOURCE.with_name("py.typed").exists()
