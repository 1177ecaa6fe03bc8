"""The functions of the extension themselves: whatever Python hands in, the interpreter survives."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hydra_harness_runtime import bundled_ripgrep_path
from hydra_harness_runtime._transports import _extension

FUZZ = int(os.environ.get("HYDRA_HARNESS_FUZZ_EXAMPLES", "200"))
"""Examples of each fuzz test."""

METHODS = [
    "ping",
    "tools/list",
    "tools/call",
    "hydra/info",
    "hydra/search/glob",
    "hydra/search/grep",
    "hydra/shell/plan",
    "hydra/shell/establish",
    "hydra/shell/reestablish",
    "hydra/shell/gate",
    "hydra/shell/confirm",
    "hydra/spill/read",
    "hydra/spill/list",
    "hydra/spill/delete",
    "runtime/open",
    "runtime/environ",
    "hydra/none",
    "",
]


class Facade:
    """The extension with one runtime open."""

    def __init__(self, workdir: Path, ripgrep: Path, spill: Path) -> None:
        self.native = _extension.load()
        setup = {
            "workdir": str(workdir),
            "ripgrep": str(ripgrep),
            "environ": base64.b64encode(b"PATH=/usr/bin:/bin").decode(),
            "config": {"sampleOverCapGlobResults": True, "spillRoot": str(spill)},
        }
        self.runtime = self.call("runtime/open", setup)["result"]["runtime"]

    def call(self, method: str, params: object) -> dict[str, Any]:
        return self.raw(method, json.dumps(params))

    def raw(self, method: str, params: str) -> dict[str, Any]:
        token = self.native.pybind_NewToken()
        try:
            answer: dict[str, Any] = json.loads(self.native.pybind_Call(token, method, params))
        finally:
            self.native.pybind_FreeToken(token)
        return answer

    def close(self) -> None:
        self.call("runtime/close", {"runtime": self.runtime})


@pytest.fixture(scope="module")
def facade(tmp_path_factory: pytest.TempPathFactory, runtime_path: Path | None) -> Iterator[Facade]:
    folder = tmp_path_factory.mktemp("facade")
    (folder / "a.txt").write_text("needle\n")
    ripgrep = Path(f"{runtime_path}-rg") if runtime_path else bundled_ripgrep_path()
    made = Facade(folder, ripgrep, folder.with_name("spill"))
    yield made
    made.close()


def test_texts_that_c_cannot_hold_are_refused(facade: Facade) -> None:
    for bad, kind in (("a\0b", ValueError), ("\ud800", UnicodeEncodeError), (b"x", TypeError), (None, TypeError)):
        for arguments in ((1, bad, "{}"), (1, "ping", bad)):
            with pytest.raises(kind):
                facade.native.pybind_Call(*arguments)  # type: ignore[arg-type]
    for number in ("1", 1.5, None, 1 << 64, -(1 << 70)):
        with pytest.raises((TypeError, OverflowError)):
            facade.native.pybind_NewToken() and facade.native.pybind_Cancel(number)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        facade.native.pybind_Call()  # type: ignore[call-arg]


def test_odd_characters_come_through(facade: Facade) -> None:
    for text in ("\0", "\uffff", "\U0010ffff", "\u2028", "é" * 100_000, '"\\\n'):
        answer = facade.call("hydra/shell/plan", {"runtime": facade.runtime, "params": {"command": text}})
        assert answer["result"]["plan"]["source"] is not None, text
        answer = facade.call("hydra/search/glob", {"runtime": facade.runtime, "params": {"pattern": text}})
        assert "result" in answer or answer["error"]["data"]["code"]


def test_stale_tokens(facade: Facade) -> None:
    native = facade.native
    token = native.pybind_NewToken()
    assert (native.pybind_Cancel(token), native.pybind_FreeToken(token)) == (1, 1)
    assert (native.pybind_Cancel(token), native.pybind_FreeToken(token)) == (0, 0)
    answer = json.loads(native.pybind_Call(token, "ping", json.dumps({"runtime": facade.runtime})))
    assert answer["error"]["message"] == f"token: {token} is not live; make one for each call"
    assert native.pybind_Start(facade.runtime, token, 1000, "{}") == ""
    assert native.pybind_Start(10**12, native.pybind_NewToken(), 1000, "{}") == ""
    assert native.pybind_Wait(10**12) == ""


def test_a_cancelled_token_ends_a_call(facade: Facade) -> None:
    token = facade.native.pybind_NewToken()
    facade.native.pybind_Cancel(token)
    params = json.dumps({"runtime": facade.runtime, "params": {"pattern": "x"}})
    answer = json.loads(facade.native.pybind_Call(token, "hydra/search/grep", params))
    assert answer["error"]["data"]["code"] == "SEARCH_ABORTED"
    facade.native.pybind_FreeToken(token)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
NAMES = [
    "pattern",
    "path",
    "pathBytes",
    "command",
    "cwd",
    "env",
    "boundary",
    "plan",
    "previous",
    "id",
    "name",
    "arguments",
]
PARAMS = st.dictionaries(st.sampled_from([*NAMES, "_meta", "cursor", "literal", "establishment"]), JSON, max_size=5)
QUIET = settings(max_examples=FUZZ, deadline=None, suppress_health_check=list(HealthCheck))


def is_answer(answer: object) -> bool:
    return isinstance(answer, dict) and len(answer.keys() & {"result", "error"}) == 1


@QUIET
@given(method=st.sampled_from(METHODS), params=PARAMS | JSON)
def test_any_parameters_are_answered(facade: Facade, method: str, params: object) -> None:
    answer = facade.call(method, {"runtime": facade.runtime, "params": params})
    assert is_answer(answer)
    if isinstance(answer.get("result"), dict) and method == "runtime/open":
        facade.call("runtime/close", {"runtime": answer["result"]["runtime"]})


@QUIET
@given(method=st.sampled_from(METHODS) | st.text(), text=st.text() | st.binary().map(repr))
def test_any_text_is_answered_or_refused(facade: Facade, method: str, text: str) -> None:
    if "\0" in method + text or not (method + text).isascii():
        with contextlib.suppress(ValueError):  # NULs, and surrogates that are alone
            assert is_answer(facade.raw(method, text))
    else:
        assert is_answer(facade.raw(method, text))


@QUIET
@given(
    arguments=st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.text() | st.binary() | st.none(), max_size=4),
    name=st.sampled_from(["Call", "Start", "Cancel", "FreeToken", "Version", "Wait"]),
)
def test_any_arguments_are_taken_or_refused(facade: Facade, name: str, arguments: list[Any]) -> None:
    if name == "Wait" and arguments[:1] == [facade.runtime]:
        return  # it would wait
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        getattr(facade.native, f"pybind_{name}")(*arguments)


# --- memory


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


CALLS = int(os.environ.get("HYDRA_HARNESS_MEMORY_CALLS", "10000"))
THREADS = int(os.environ.get("HYDRA_HARNESS_MEMORY_THREADS", "500"))
ROOM = 8 << 20
"""Bytes by which the garbage collectors' heaps may differ from one moment to the next."""


@pytest.mark.parametrize("method", ["ping", "hydra/shell/plan", "hydra/none"])
def test_memory_is_flat_over_calls(facade: Facade, method: str) -> None:
    params = json.dumps({"runtime": facade.runtime, "params": {"command": "cat a | head"} if "plan" in method else {}})

    def calls(count: int) -> None:
        for _ in range(count):
            token = facade.native.pybind_NewToken()
            facade.native.pybind_Call(token, method, params)
            facade.native.pybind_FreeToken(token)

    calls(CALLS // 2)  # until the heaps have their size
    before = resident()
    calls(CALLS)
    grown = resident() - before
    print(f"{method}: {CALLS} calls, {grown / 1024:+.0f} KiB, {grown / CALLS:+.2f} bytes a call")
    assert grown < ROOM


def test_memory_is_flat_over_threads(facade: Facade) -> None:
    params = json.dumps({"runtime": facade.runtime})

    def work() -> None:
        token = facade.native.pybind_NewToken()
        facade.native.pybind_Call(token, "ping", params)
        facade.native.pybind_FreeToken(token)

    def threads(count: int) -> None:
        for _ in range(count // 10):
            group = [threading.Thread(target=work) for _ in range(10)]
            for thread in group:
                thread.start()
            for thread in group:
                thread.join()

    threads(THREADS // 2)
    before = resident()
    threads(THREADS)
    grown = resident() - before
    print(f"{THREADS} threads: {grown / 1024:+.0f} KiB, {grown / THREADS:+.1f} bytes a thread")
    assert grown < ROOM


def test_memory_is_flat_over_runtimes(facade: Facade, tmp_path: Path) -> None:
    setup = {
        "workdir": str(tmp_path),
        "ripgrep": "/nowhere",
        "environ": "",
        "config": {"sampleOverCapGlobResults": True, "spillRoot": str(tmp_path / "spill")},
    }

    def runtimes(count: int) -> None:
        for _ in range(count):
            number = facade.call("runtime/open", setup)["result"]["runtime"]
            facade.call("runtime/close", {"runtime": number})

    runtimes(500)
    before = resident()
    runtimes(1000)
    grown = resident() - before
    print(f"1000 runtimes: {grown / 1024:+.0f} KiB")
    assert grown < ROOM
