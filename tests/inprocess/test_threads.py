"""Many threads that call the extension's functions in any order, on runtimes that come and go."""

from __future__ import annotations

import contextlib
import json
import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hydra_harness_runtime import bundled_ripgrep_path
from hydra_harness_runtime._transports import _extension
from tests.inprocess.test_same import until

THREADS = 8
STEPS = int(os.environ.get("HYDRA_HARNESS_STRESS_STEPS", "400"))
"""What each of the threads does."""

ASKED = ["ping", "hydra/shell/plan", "hydra/search/grep", "tools/call", "hydra/info"]
PARAMS = {"command": "ls *", "pattern": "TODO", "name": "glob", "arguments": {"pattern": "*"}}
PATIENCE = 60.0
"""Seconds. Far above what a busy machine needs."""


class Crowd:
    """Runtimes that threads share; two of them wait for the answers of each."""

    def __init__(self, workdir: Path, ripgrep: Path, spill: Path) -> None:
        self.native = _extension.load()
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self._setup = {
            "workdir": str(workdir),
            "ripgrep": str(ripgrep),
            "environ": "",
            "config": {"sampleOverCapGlobResults": True, "spillRoot": str(spill)},
        }
        self._lock = threading.Lock()
        self._waiters: list[threading.Thread] = []
        self._rooms = [self._open() for _ in range(3)]

    def act(self, seed: int) -> None:
        """What one thread does."""
        chance = random.Random(seed)
        steps: list[tuple[Callable[[random.Random, int, int], object], int]] = [
            (self._start, 30),
            (self._cancel, 20),
            (self._free, 10),
            (self._search, 10),
            (self._twice, 20),
            (self._environ, 2),
            (self._replace, 1),
        ]
        for _ in range(STEPS):
            [step] = chance.choices([s for s, _ in steps], [weight for _, weight in steps])
            token = self.native.pybind_NewToken()
            try:
                step(chance, chance.choice(self._rooms), token)
            except Exception as error:  # noqa: BLE001 - all of them, for the assertion
                self.faults.append(f"{step.__name__}: {error!r}")
            self.native.pybind_FreeToken(token)
            with self._lock:
                self.done[step.__name__.strip("_")] += 1

    def end(self) -> int:
        """Close everything; how many threads still wait for an answer."""
        for room in self._rooms:
            self._call("runtime/close", {"runtime": room})
        for thread in self._waiters:
            thread.join(PATIENCE)
        return sum(thread.is_alive() for thread in self._waiters)

    def _open(self) -> int:
        room: int = self._call("runtime/open", self._setup)["result"]["runtime"]
        for _ in range(2):
            self._waiters.append(threading.Thread(target=self._wait, args=(room,), daemon=True))
            self._waiters[-1].start()
        return room

    def _wait(self, room: int) -> None:
        while answers := self.native.pybind_Wait(room):
            for line in answers.split("\n"):
                if not json.loads(line).keys() & {"result", "error", "method"}:
                    self.faults.append(line)

    def _call(self, method: str, params: Any) -> Any:
        token = self.native.pybind_NewToken()
        try:
            return json.loads(self.native.pybind_Call(token, method, json.dumps(params)))
        finally:
            self.native.pybind_FreeToken(token)

    def _start(self, chance: random.Random, room: int, token: int) -> None:
        request = {"jsonrpc": "2.0", "id": 1, "method": chance.choice(ASKED), "params": PARAMS}
        self.native.pybind_Start(room, token, chance.choice([0, 10, 1000]), json.dumps(request))

    def _cancel(self, chance: random.Random, room: int, token: int) -> None:
        self.native.pybind_Cancel(token - chance.randrange(20))

    def _free(self, chance: random.Random, room: int, token: int) -> None:
        self.native.pybind_FreeToken(token - chance.randrange(20))

    def _search(self, chance: random.Random, room: int, token: int) -> None:
        params = json.dumps({"runtime": room, "params": {"pattern": "*.py"}})
        answer = json.loads(self.native.pybind_Call(token, "hydra/search/glob", params))
        assert len(answer.keys() & {"result", "error"}) == 1, answer

    def _twice(self, chance: random.Random, room: int, token: int) -> None:
        for _ in range(2):
            self.native.pybind_Start(room, token, 0, '{"id":1,"method":"ping"}')
        self.native.pybind_Call(token, "ping", json.dumps({"runtime": room}))

    def _environ(self, chance: random.Random, room: int, token: int) -> None:
        self._call("runtime/environ", {"runtime": room, "environ": "QT1i"})

    def _replace(self, chance: random.Random, room: int, token: int) -> None:
        with self._lock:
            if room in self._rooms:
                self._rooms[self._rooms.index(room)] = self._open()
                self._call("runtime/close", {"runtime": room, "abandon": chance.random() < 0.5})


def test_nothing_hangs_and_nothing_is_left(tree: Path, tmp_path: Path, runtime_path: Path | None) -> None:
    ripgrep = Path(f"{runtime_path}-rg") if runtime_path else bundled_ripgrep_path()
    crowd = Crowd(tree, ripgrep, tmp_path / "spill")
    threads = [threading.Thread(target=crowd.act, args=(seed,), daemon=True) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert crowd.end() == 0, "threads that wait for answers"
    assert crowd.faults == []
    assert sum(crowd.done.values()) == THREADS * STEPS
    assert crowd.done["replace"] > 0
    print(dict(crowd.done))
    until(lambda: not children(), "a ripgrep was left")


def children() -> list[str]:
    """The processes that threads of this one have started, and that are still there."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # the thread has ended
            found += (task / "children").read_text().split()
    return found
