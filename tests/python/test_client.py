"""The synchronous client: answers, failures, retries, views, life."""

from __future__ import annotations

import gc
import json
import logging
import os
import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import (
    ConfigError,
    GrepFile,
    GrepMatch,
    HarnessError,
    InvalidPatternError,
    Runtime,
    RuntimeBusyError,
    RuntimeClosedError,
    RuntimeProtocolError,
    RuntimeTimeoutError,
    SearchConfig,
    SearchFailedError,
    ToolArgumentError,
    UnsupportedMethodError,
)
from hydra_harness_runtime._logs import StderrLog
from hydra_harness_runtime.testing import FakeRuntime

SEARCH = SearchConfig(sample_over_cap_glob_results=True)

Started = Callable[..., Runtime]


@pytest.fixture
def fake() -> FakeRuntime:
    return FakeRuntime({"src/a.py": "import os\nTODO\n", "README": "TODO\n"})


# --- answers


def test_grep_and_glob_are_typed(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        assert runtime.grep("TODO").matches == (GrepMatch("README", 1, "TODO"), GrepMatch("src/a.py", 2, "TODO"))
        assert runtime.grep("TODO").paths == ("README", "src/a.py")
        assert runtime.glob("*.py").paths == ("src/a.py",)


def test_only_what_was_asked_travels(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        runtime.grep("x")
        runtime.grep("x", "src", "*.py", case="smart", literal=True, multiline=True)
        runtime.glob("*", path=Path("src"))
        runtime.glob("*", path=b"caf\xe9")
        runtime.glob("*", path=os.fsdecode(b"caf\xe9"))
    assert [call.params for call in fake.calls] == [
        {"pattern": "x"},
        {"pattern": "x", "path": "src", "include": "*.py", "case": "smart", "literal": True, "multiline": True},
        {"pattern": "*", "path": "src"},
        {"pattern": "*", "pathBytes": "Y2Fm6Q=="},
        {"pattern": "*", "pathBytes": "Y2Fm6Q=="},
    ]


def test_cursors_are_followed_to_the_end(fake: FakeRuntime) -> None:
    pages: dict[object, dict[str, object]] = {
        None: {"root": ".", "paths": ["a", "b"], "pathBytes": {"1": "/w=="}, "nextCursor": "2"},
        "2": {"root": ".", "paths": ["c"], "pathBytes": {"0": "/g=="}, "nextCursor": "3"},
        "3": {"root": ".", "paths": ["d"], "notes": [{"code": "N", "message": "last"}]},
    }
    fake.respond("hydra/search/glob", lambda params: pages[params.get("cursor")])
    with fake.client() as runtime:
        result = runtime.glob("*")
    assert result.paths == ("a", "b", "c", "d")
    assert result.path_bytes == {1: b"\xff", 2: b"\xfe"}
    assert result.fs_paths == ("a", "\udcff", "\udcfe", "d")
    assert [note.message for note in result.notes] == ["last"]


def test_one_page_at_a_time(fake: FakeRuntime) -> None:
    pages: dict[object, dict[str, object]] = {
        None: {"matches": [{"path": "a", "lineNumber": 1, "line": "x"}], "nextCursor": "2"},
        "2": {"matches": [{"path": "b", "lineNumber": 1, "line": "x"}]},
    }
    fake.respond("hydra/search/grep", lambda params: pages[params.get("cursor")])
    fake.respond("hydra/search/glob", lambda params: {"root": ".", "paths": ["a"], "nextCursor": "9"})
    found, cursor = [], ""
    with fake.client() as runtime:
        while cursor is not None:
            page = runtime.grep("x", cursor=cursor)
            found.append(page.paths)
            cursor = page.next_cursor
        assert found == [("a",), ("b",)]
        assert runtime.grep("x").next_cursor is None
        assert runtime.glob("*", cursor="").next_cursor == "9"
        with pytest.raises(ToolArgumentError, match="cursor must be text"):
            runtime.grep("x", cursor=2)  # type: ignore[arg-type]


def test_lines_around_files_and_counts(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        lines = [(m.path, m.line_number, m.context) for m in runtime.grep("TODO", context=1).matches]
        assert lines == [("README", 1, False), ("src/a.py", 1, True), ("src/a.py", 2, False)]
        assert runtime.grep("TODO", files_only=True).files == (GrepFile("README"), GrepFile("src/a.py"))
        counted = runtime.grep("TODO", count=True)
        assert counted.files == (GrepFile("README", 1), GrepFile("src/a.py", 1))
        assert counted.matches == ()
        assert counted.paths == ("README", "src/a.py")
        runtime.grep("x", before=2, after=3, context=9)
    asked = [{k: v for k, v in call.params.items() if k != "pattern"} for call in fake.calls]
    assert asked == [{"before": 1, "after": 1}, {"filesOnly": True}, {"count": True}, {"before": 2, "after": 3}]


@pytest.mark.parametrize(("changes", "attempts"), [(1, 2), (2, 3), (3, 3)])
def test_a_tree_that_changes_between_pages_is_searched_again(fake: FakeRuntime, changes: int, attempts: int) -> None:
    begun: list[int] = []

    def answer(params: dict[str, object]) -> dict[str, object]:
        if "cursor" not in params:
            begun.append(1)
            return {"root": ".", "paths": [f"a{len(begun)}"], "nextCursor": "1"}
        if len(begun) <= changes:
            raise SearchFailedError("the tree changed", details={"reason": "changed"})
        return {"root": ".", "paths": ["b"]}

    fake.respond("hydra/search/glob", answer)
    with fake.client() as runtime:
        if changes < 3:
            assert runtime.glob("*").paths == (f"a{attempts}", "b")
        else:
            with pytest.raises(SearchFailedError, match="tree changed"):
                runtime.glob("*")
    assert len(begun) == attempts


def test_an_endless_cursor_is_a_fault(fake: FakeRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hydra_harness_runtime._flows._MAX_PAGES", 5)
    fake.respond("hydra/search/grep", lambda params: {"matches": [], "nextCursor": "again"})
    with fake.client() as runtime, pytest.raises(RuntimeProtocolError, match="more than 5 pages"):
        runtime.grep("x")


def test_call_tool_gives_the_page_and_its_error(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        page = runtime.call_tool("grep", {"pattern": "TODO"})
        assert page.text == "README:\n  Line 1: TODO\nsrc/a.py:\n  Line 2: TODO"
        assert page.raise_for_error() is page
        failed = runtime.call_tool("grep", {"pattern": "("})
    assert failed.is_error
    assert failed.text.startswith("Error: ")
    assert failed.structured is None
    with pytest.raises(InvalidPatternError, match="not a regular expression"):
        failed.raise_for_error()


def test_tools_guidance_and_info(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        assert [tool.name for tool in runtime.tools()] == ["glob", "grep"]
        assert runtime.guidance() == "This is a fake runtime for tests."
        assert runtime.info().api == "1"


def test_an_answer_of_unknown_form_is_a_protocol_error(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        for answer in ({}, {"root": 3, "paths": []}, {"root": "", "paths": [1]}, {"root": "", "paths": {}}):
            fake.respond("hydra/search/glob", lambda params, answer=answer: answer)
            with pytest.raises(RuntimeProtocolError, match="unknown form"):
                runtime.glob("*")
        for match in ({}, {"path": "a"}, {"path": "a", "lineNumber": "1", "line": ""}, "x"):
            fake.respond("hydra/search/grep", lambda params, match=match: {"matches": [match]})
            with pytest.raises(RuntimeProtocolError, match="unknown form"):
                runtime.grep("*")


# --- bad input


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda r: r.grep(3), "pattern must be text, not int"),
        (lambda r: r.glob(None), "pattern must be text, not NoneType"),
        (lambda r: r.glob("*", path=3), "path must be a path, not int"),
        (lambda r: r.grep("x", include=["*.py"]), "include must be text, not list"),
        (lambda r: r.grep("x\ud800"), "UTF-8"),
        (lambda r: r.glob("*", path="\ud800"), "no file name or command can have"),
        (lambda r: r.grep("x" * 17_000_000), "shorten it"),
        (lambda r: r.grep(" "), "pattern is blank"),
        (lambda r: r.grep("x", before=-1), "before must be a whole number from 0"),
        (lambda r: r.grep("x", context="2"), "context must be a whole number from 0"),
        (lambda r: r.call_tool(1, {}), "name must be text"),
        (lambda r: r.call_tool("grep", {"pattern": object()}), "no JSON form"),
        (lambda r: r.spill.read("a", offset=-1), "offset must be a whole number from 0"),
        (lambda r: r.spill.read("a", line=True), "line must be a whole number from 0"),
        (lambda r: r.spill.read("a", offset=1, line=1), "not both"),
    ],
)
def test_bad_arguments(fake: FakeRuntime, call: Callable[[Any], object], says: str) -> None:
    with fake.client() as runtime, pytest.raises(ToolArgumentError, match=says):
        call(runtime)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"search": None}, "search must be a SearchConfig"),
        ({"search": {"sampleOverCapGlobResults": True}}, "search must be a SearchConfig"),
        ({"owner": ""}, "owner must not be empty"),
        ({"owner": 3}, "owner must be text or None"),
        ({"timeout": 0}, "above 0"),
        ({"timeout": True}, "above 0"),
        ({"timeout": "1"}, "above 0"),
        ({"workdir": 3}, "workdir must be a path, not int"),
    ],
)
def test_bad_settings(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Runtime(**{"search": SEARCH, **settings})


def test_a_working_directory_that_vanished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ConfigError, match="cannot be used"):
        Runtime(".", search=SEARCH)


def test_a_method_that_the_runtime_lacks(fake: FakeRuntime) -> None:
    with fake.client() as runtime, pytest.raises(UnsupportedMethodError, match="hydra/spill/sweep"):
        runtime.spill.sweep()


# --- what goes wrong in a process


def test_a_crash_is_told_after_one_more_attempt(started: Started, fake_path: Path) -> None:
    runtime = started()
    with pytest.raises(RuntimeClosedError) as caught:
        runtime.grep("fake:crash")
    assert (caught.value.code, caught.value.exit_code) == ("RUNTIME_CRASHED", 3)
    assert (fake_path.parent / "log").read_text().count("start") == 2
    assert runtime.grep("hello").matches


def test_a_crash_in_the_middle_is_survived_by_a_reading_call(started: Started) -> None:
    assert started().grep("fake:crash-once").matches[0].line == "after the crash"


def test_a_kill_in_the_middle(started: Started) -> None:
    runtime = started()
    with pytest.raises(RuntimeClosedError, match="ended by SIGKILL"):
        runtime.grep("fake:kill")
    assert runtime.grep("hello").matches


def test_a_runtime_that_shuts_down_is_replaced(started: Started) -> None:
    assert started().grep("fake:shutdown").matches[0].line == "after the shutdown"


def test_a_call_that_changes_something_is_not_repeated(fake: FakeRuntime) -> None:
    attempts: list[object] = []

    def crash(params: dict[str, object]) -> dict[str, object]:
        attempts.append(params)
        raise RuntimeClosedError("gone", code="RUNTIME_CRASHED")

    fake.respond("hydra/spill/delete", crash)
    fake.respond("hydra/spill/stat", crash)
    with fake.client() as runtime:
        with pytest.raises(HarnessError):
            runtime.spill.delete("x")
        assert len(attempts) == 1


def test_a_full_queue_is_waited_for(started: Started) -> None:
    assert started().grep("fake:busy-4").matches[0].line == "attempt 5"


def test_a_full_queue_is_waited_for_no_longer_than_told(fake: FakeRuntime) -> None:
    def busy(params: dict[str, object]) -> dict[str, object]:
        raise RuntimeBusyError("the queue is full")

    fake.respond("hydra/search/grep", busy)
    with fake.client() as runtime, pytest.raises(RuntimeBusyError, match="queue is full"):
        runtime.grep("x", timeout=0.3)
    assert 4 <= len(fake.calls) <= 20, "10, 20, 40, 80 ms and so on, each shortened at random"


def test_a_time_out_carries_the_tail_of_stderr(started: Started) -> None:
    runtime = started()
    runtime.grep("fake:stderr")
    with pytest.raises(RuntimeTimeoutError, match=r"within 0\.2 s; it last said: something odd") as caught:
        runtime.grep("fake:hang", timeout=0.2)
    assert isinstance(caught.value, TimeoutError)
    assert "something odd" in caught.value.stderr_tail


def test_the_runtimes_log_goes_to_logging(started: Started, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "hydra_harness_runtime"):
        runtime = started()
        runtime.grep("fake:stderr")
        runtime.close()
    [record] = [r for r in caplog.records if r.name == "hydra_harness_runtime.runtime"]
    assert record.levelno == logging.WARNING
    assert record.getMessage() == "something odd path=a b"
    assert record.hclog["@module"] == "fake"  # type: ignore[attr-defined]


def test_stderr_of_every_kind(caplog: pytest.LogCaptureFixture) -> None:
    log = StderrLog()
    with caplog.at_level(logging.INFO, "hydra_harness_runtime"):
        log.feed(b'{"@level":"debug","@message":"unseen"}\n{"@level":"info","@mess')
        log.feed(b'age":"in two pieces"}\n\n{"@level":["odd"],"@message":"odd"}\n{not json}\n{"@message":3}\n')
        log.feed(b"\xff" * 70_000)
        log.feed(b"no line end")
        log.finish()
    said = [(record.levelname, record.getMessage()[:13]) for record in caplog.records]
    assert said == [
        ("INFO", "in two pieces"),
        ("WARNING", "odd"),
        ("WARNING", "{not json}"),
        ("WARNING", '{"@message":3'),
        ("WARNING", "\ufffd" * 13),
        ("WARNING", "no line end"),
    ]
    assert log.tail().endswith("no line end")
    assert len(log.tail()) <= 64 << 10


# --- on whose behalf


def meta(runtime: Runtime, **options: Any) -> dict[str, Any]:
    [match] = runtime.grep("fake:meta", **options).matches
    value: dict[str, Any] = json.loads(match.line)
    return value


def test_owner_workdir_and_deadline_travel_with_every_call(started: Started, tmp_path: Path) -> None:
    runtime = started(owner="me", timeout=20)
    told = meta(runtime)
    assert told.pop("dev.hydra-harness/deadlineMs") in range(10_000, 20_001)
    assert told == {"dev.hydra-harness/owner": "me"}
    bound = runtime.bind(owner="you", workdir=tmp_path, nested=True)
    assert meta(bound, timeout=None) == {
        "dev.hydra-harness/owner": "you",
        "dev.hydra-harness/workdir": str(tmp_path),
        "dev.hydra-harness/nested": True,
    }
    assert bound.bind(workdir="below").workdir == str(tmp_path / "below")
    assert bound.pid == runtime.pid
    assert meta(runtime.bind(owner=None), timeout=None) == {}


def test_each_client_has_an_owner_of_its_own() -> None:
    one, two = Runtime(search=SEARCH), Runtime(search=SEARCH)
    assert one.owner != two.owner
    assert str(one.owner).startswith(f"py-{os.getpid()}-")


def test_closing_a_bound_object_closes_nothing(started: Started) -> None:
    runtime = started()
    with runtime.bind(owner="you") as bound:
        assert bound.grep("hello").matches
    assert not runtime.closed
    assert runtime.grep("hello").matches


# --- life


def test_a_view_keeps_what_it_was_made_of(started: Started, fake_path: Path) -> None:
    view = Runtime(fake_path.parent, search=SEARCH, runtime_path=fake_path).bind(owner="me")
    gc.collect()
    assert view.grep("hello").matches
    again = pickle.loads(pickle.dumps(view))
    with again:
        assert (again.owner, len(again.grep("hello").matches)) == ("me", 1)
    assert view._parent is not None
    view._parent.close()
    assert view.closed


@pytest.mark.parametrize("timeout", [float("inf"), 1e300, 10**400])
def test_for_ever_is_no_limit(started: Started, timeout: float) -> None:
    assert started(timeout=timeout).grep("hello").matches
    assert started().grep("hello", timeout=timeout).matches


def test_a_closed_runtime_says_so(started: Started) -> None:
    runtime = started()
    runtime.grep("hello")
    runtime.close()
    runtime.close()
    assert runtime.closed
    with pytest.raises(RuntimeClosedError, match="this Runtime is closed") as caught:
        runtime.grep("hello")
    assert caught.value.code == "RUNTIME_CLOSED"


def test_closing_fails_what_another_thread_waits_for(started: Started, fake_path: Path) -> None:
    runtime = started()
    runtime.grep("hello")
    errors: list[HarnessError] = []

    def wait() -> None:
        try:
            runtime.grep("fake:hang")
        except HarnessError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while "hanging" not in (fake_path.parent / "log").read_text():
        runtime.grep("hello")
    runtime.close()
    thread.join(10)
    assert [error.code for error in errors] == ["RUNTIME_CLOSED"]


def test_the_process_ends_with_the_client(started: Started, fake_path: Path) -> None:
    runtime = started()
    runtime.grep("hello")
    pid = runtime.pid
    assert pid is not None
    runtime.close()
    assert (fake_path.parent / "log").read_text().splitlines() == [f"start {pid}", f"end {pid}"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_forgotten_client_is_warned_about_and_ended(fake_path: Path) -> None:
    runtime = Runtime(fake_path.parent, search=SEARCH, runtime_path=fake_path)
    runtime.grep("hello")
    session = runtime._engine._session
    assert session is not None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del runtime
        gc.collect()
    assert [w.category for w in caught] == [ResourceWarning]
    assert "unclosed <Runtime" in str(caught[0].message)
    assert session.wait(5)


def test_a_forgotten_client_is_ended_also_where_warnings_are_errors(fake_path: Path) -> None:
    runtime = Runtime(fake_path.parent, search=SEARCH, runtime_path=fake_path)
    runtime.grep("hello")
    session = runtime._engine._session
    assert session is not None
    # As they are in this very test run.
    with pytest.raises(ResourceWarning):
        runtime.__del__()
    assert session.wait(5)


def test_a_client_that_never_started_may_be_forgotten() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Runtime(search=SEARCH)
        gc.collect()


def test_a_pickled_client_starts_a_runtime_of_its_own(started: Started) -> None:
    runtime = started(owner="me", timeout=9)
    runtime.grep("hello")
    again = pickle.loads(pickle.dumps(runtime))
    with again:
        assert (again.owner, again.workdir) == ("me", runtime.workdir)
        assert again.grep("hello").matches
        assert again.pid != runtime.pid


def test_results_can_be_pickled_and_compared(fake: FakeRuntime) -> None:
    with fake.client() as runtime:
        result = runtime.grep("TODO")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    with pytest.raises(AttributeError):
        result.matches[0].line = "other"  # type: ignore[misc]


def test_repr_says_what_runs(started: Started) -> None:
    runtime = started(owner="me")
    assert repr(runtime) == f"<Runtime {runtime.workdir!r} owner='me' (not started)>"
    runtime.grep("hello")
    assert repr(runtime).endswith(f"(pid {runtime.pid})>")
    runtime.close()
    assert repr(runtime).endswith("(closed)>")
