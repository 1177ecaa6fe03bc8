"""The fake that users test with: small, predictable, and honest about what it is."""

from __future__ import annotations

import doctest

import pytest

from hydra_harness_runtime import InvalidPatternError, SpillNotFoundError, testing
from hydra_harness_runtime.testing import FakeRuntime
from hydra_harness_runtime.testing._search import find_files

FILES = {
    "README.md": "",
    "src/a.py": "",
    "src/deep/b.py": "",
    "src/deep/c.ts": "",
    "lib/a.py": "",
}


@pytest.mark.parametrize(
    ("pattern", "path", "names"),
    [
        ("*", "", ["README.md", "src/a.py", "src/deep/b.py", "src/deep/c.ts", "lib/a.py"]),
        ("*.py", "", ["src/a.py", "src/deep/b.py", "lib/a.py"]),
        ("src/*.py", "", ["src/a.py"]),
        ("src/**/*.py", "", ["src/a.py", "src/deep/b.py"]),
        ("**/b.py", "", ["src/deep/b.py"]),
        ("/lib/**", "", ["lib/a.py"]),
        ("*.{py,ts}", "src", ["src/a.py", "src/deep/b.py", "src/deep/c.ts"]),
        ("[ab].py", "./src/", ["src/a.py", "src/deep/b.py"]),
        ("[!a].py", "src", ["src/deep/b.py"]),
        ("?.ts", ".", ["src/deep/c.ts"]),
        ("a.py", "src/a.py", ["src/a.py"]),
        ("deep/*", "src", ["src/deep/b.py", "src/deep/c.ts"]),
        ("nothing", "", []),
    ],
)
def test_globs(pattern: str, path: str, names: list[str]) -> None:
    assert find_files(FILES, pattern, path) == names


def test_the_docstring_is_true() -> None:
    assert doctest.testmod(testing).failed == 0


def test_grep_options() -> None:
    fake = FakeRuntime({"a.txt": "Foo(\nfoo\n", "b.py": "FOO\n"})
    with fake.client() as runtime:
        assert [m.line for m in runtime.grep("foo").matches] == ["foo"]
        assert [m.line for m in runtime.grep("foo", case="insensitive").matches] == ["Foo(", "foo", "FOO"]
        assert [m.line for m in runtime.grep("foo", case="smart", include="*.py").matches] == ["FOO"]
        assert [m.line for m in runtime.grep("Foo(", literal=True).matches] == ["Foo("]
        assert runtime.grep("foo", path="b.py").matches == ()
        with pytest.raises(InvalidPatternError):
            runtime.grep("Foo(")


def test_what_was_asked_is_recorded() -> None:
    fake = FakeRuntime()
    with fake.client(owner="me") as runtime:
        runtime.glob("*", "src")
    [call] = fake.calls
    assert (call.method, call.params) == ("hydra/search/glob", {"pattern": "*", "path": "src"})
    assert call.meta["dev.hydra-harness/owner"] == "me"


def test_it_has_no_saved_results() -> None:
    with FakeRuntime().client() as runtime:
        assert runtime.spill.list() == ()
        for call in (runtime.spill.read, runtime.spill.stat, runtime.spill.delete):
            with pytest.raises(SpillNotFoundError):
                call("x")


def test_tools_that_do_not_exist_and_empty_pages() -> None:
    with FakeRuntime().client() as runtime:
        assert runtime.call_tool("glob", {"pattern": "*"}).text == "No files found"
        assert runtime.call_tool("grep", {"pattern": "x"}).text == "No matches found"
        assert runtime.call_tool("rm", {}).text == "Error: there is no tool 'rm'"
        assert runtime.call_tool("grep", {}).is_error is True
