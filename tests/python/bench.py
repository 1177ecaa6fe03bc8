"""What a call costs from Python, beside ``subprocess.run([rg, ...])`` in the same run.

``python -m tests.python.bench [--docs] [--turns N]`` measures the installed
wheel. Ours is a call of a client whose runtime already serves, unless the row
says otherwise; raw is the packaged ripgrep, from its start until its output is
in memory. Exits with 1 when a limit is not kept.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from hydra_harness_runtime import AsyncRuntime, GrepMatch, Runtime, SearchConfig, bundled_ripgrep_path
from tests.timing import Row, finish, machine, options, table, timed

NAME = "tests/python/bench.py"
SEARCH = SearchConfig(sample_over_cap_glob_results=True)
RG = bundled_ripgrep_path()
MATCHES = 10_000
MATCHES_MS = 60
CONCURRENT = 100
THREADS = 8


def main() -> int:
    asked = options(__doc__)
    where = machine(RG)
    with tempfile.TemporaryDirectory(prefix="hydra-bench-") as folder:
        small = grown(Path(folder, "small"), files=10, lines=2)
        large = grown(Path(folder, "large"), files=10, lines=MATCHES // 10)
        with Runtime(small, search=SEARCH) as runtime, Runtime(large, search=SEARCH) as big, looped(small) as loop:
            text, broken = table(list(rows(small, large, runtime, big, loop)), asked.turns)
    return finish(NAME, f"{where}\n\n{text}", broken, docs=asked.docs)


Loop = Callable[[Callable[[AsyncRuntime], "asyncio.Future[object]"]], object]


def rows(small: Path, large: Path, runtime: Runtime, big: Runtime, loop: Loop) -> Iterator[Row]:
    run = "subprocess.run"
    raw = timed(lambda: ripgrep(small, "needle 1"))
    yield Row("small call without a search (`plan`)", timed(lambda: runtime.plan("ls", env={})))
    yield Row("small search (`grep`, ten files)", timed(lambda: runtime.grep("needle 1")), run, raw)
    yield Row("the same, awaited", timed(lambda: loop(lambda r: r.grep("needle 1"))), run, raw)
    yield Row("the same, with the start of the runtime", lambda: first(small), run, raw)
    yield Row(
        f"{CONCURRENT} small searches at once, awaited",
        timed(lambda: loop(lambda r: asyncio.gather(*(r.grep("needle 1") for _ in range(CONCURRENT))))),
        f"subprocess.run, {THREADS} threads",
        timed(lambda: threads(lambda _: ripgrep(small, "needle 1"))),
    )
    yield Row(
        f"{CONCURRENT} small searches, {THREADS} threads",
        timed(lambda: threads(lambda _: runtime.grep("needle 1"))),
        f"subprocess.run, {THREADS} threads",
        timed(lambda: threads(lambda _: ripgrep(small, "needle 1"))),
    )
    assert len(big.grep("needle").matches) == len(decoded(large)) == MATCHES
    yield Row(
        f"{MATCHES:,} matches as typed objects",
        timed(lambda: big.grep("needle")),
        "subprocess.run, json.loads of each line",
        timed(lambda: decoded(large)),
        limit=MATCHES_MS,
    )


def ripgrep(folder: Path, pattern: str) -> bytes:
    command = [RG, "--no-config", "--json", "--", pattern, "."]
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout


def decoded(folder: Path) -> list[GrepMatch]:
    """What one writes without this package; paths and lines that are not UTF-8 are left out of it."""
    events = map(json.loads, ripgrep(folder, "needle").splitlines())
    found = [event["data"] for event in events if event["type"] == "match"]
    matches = [
        GrepMatch(data["path"]["text"].removeprefix("./"), data["line_number"], data["lines"]["text"].rstrip("\n"))
        for data in found
    ]
    return sorted(matches, key=lambda match: (match.path, match.line_number))


def first(folder: Path) -> float:
    began = time.perf_counter()
    with Runtime(folder, search=SEARCH) as runtime:
        runtime.grep("needle 1")
        return time.perf_counter() - began


def threads(call: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(call, range(CONCURRENT)))


@contextmanager
def looped(folder: Path) -> Iterator[Loop]:
    """A loop and its client; each measurement runs in it as one task."""
    with asyncio.Runner() if sys.version_info >= (3, 11) else OldRunner() as runner:
        runtime = AsyncRuntime(folder, search=SEARCH)

        async def call(make: Callable[[AsyncRuntime], asyncio.Future[object]]) -> object:
            return await make(runtime)

        yield lambda make: runner.run(call(make))
        runner.run(runtime.aclose())


class OldRunner:
    """Python 3.10 has no :class:`asyncio.Runner`."""

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self.run = self._loop.run_until_complete
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.close()


def grown(folder: Path, *, files: int, lines: int) -> Path:
    """Files whose every line has ``needle`` and its number."""
    folder.mkdir()
    for n in range(files):
        text = "".join(f"    if needle {i} in a line of ordinary length: return {n}\n" for i in range(lines))
        (folder / f"file{n}.py").write_text(text)
    return folder


if __name__ == "__main__":
    sys.exit(main())
