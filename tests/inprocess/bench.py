"""Both transports beside each other, in one run.

    python tests/inprocess/bench.py [--runs N] [--docs docs/inprocess.md]

Each number is the median of its runs, in milliseconds. The order of the two
transports alternates, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hydra_harness_runtime import Runtime, SearchConfig, bundled_runtime_path

TRANSPORTS = ("subprocess", "inprocess")
SEARCH = SearchConfig(sample_over_cap_glob_results=True)
EVERYDAY = "git log --oneline -20 && sed -n 1,80p src/a.py | head -40"
ENV = {"HOME": "/home/somebody", "PATH": "/usr/bin:/bin"}

BEGIN, END = "<!-- written by tests/inprocess/bench.py -->", "<!-- end -->"

FIRST = """
import sys, time
began = time.perf_counter()
from hydra_harness_runtime import Runtime, SearchConfig
if sys.argv[4] == "open":
    import asyncio, json, logging, threading  # and what a program has imported by then
    began = time.perf_counter()
search = SearchConfig(sample_over_cap_glob_results=True)
runtime = Runtime(sys.argv[1], search=search, runtime_path=sys.argv[2] or None, transport=sys.argv[3])
runtime.plan("ls")
print(time.perf_counter() - began)
runtime.close()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11, help="runs of each measurement (default: 11)")
    parser.add_argument("--runtime", default="", help="a runtime executable, instead of the installed wheel's")
    parser.add_argument("--docs", type=Path, help="write the table into this page as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hydra-bench-") as folder:
        tree = grown(Path(folder, "tree"))
        small = grown(Path(folder, "small"), files=1, lines=10)
        bench = Bench(tree, small, options.runtime, options.runs)
        rows = [
            ("import, open, first call", lambda name: bench.first(name, "import")),
            ("open, first call", lambda name: bench.first(name, "open")),
            ("small call (`plan`)", lambda name: bench.calls(name, lambda r: r.plan("ls"), 200)),
            ("smallest call (`spill.list`)", lambda name: bench.calls(name, lambda r: r.spill.list(), 200)),
            ("gate of an everyday command", lambda name: bench.calls(name, gate, 100)),
            ("small search (`grep`, one file)", lambda name: bench.calls(name, lambda r: r.grep("absent"), 20, small)),
            ("10,000 matches (`grep`)", lambda name: bench.calls(name, lambda r: r.grep("needle"), 1)),
            ("8 threads, small calls, each", bench.threads),
            ("from cancel to the end of ripgrep", bench.cancel),
        ]
        where = f"Python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
        lines = [
            f"{where}; milliseconds.\n",
            f"| what | {' | '.join(TRANSPORTS)} | ratio |",
            "|---|--:|--:|--:|",
        ]
        print("\n".join(lines))
        for title, measure in rows:
            subprocess_, inprocess = bench.compare(measure)
            lines.append(f"| {title} | {subprocess_:.2f} | {inprocess:.2f} | {subprocess_ / inprocess:.1f} |")
            print(lines[-1], flush=True)
    if options.docs:
        before, _, rest = options.docs.read_text("utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        options.docs.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]), "utf-8")


def gate(runtime: Runtime) -> object:
    return runtime.gate(EVERYDAY, env=ENV)


class Bench:
    def __init__(self, tree: Path, small: Path, runtime: str, runs: int) -> None:
        self._tree = tree
        self._small = small
        self._path = runtime or None
        self._runs = runs

    def compare(self, measure: Callable[[str], float]) -> list[float]:
        samples: dict[str, list[float]] = {name: [] for name in TRANSPORTS}
        for run in range(self._runs):
            for name in TRANSPORTS if run % 2 else reversed(TRANSPORTS):
                samples[name].append(measure(name) * 1000)
        return [statistics.median(samples[name]) for name in TRANSPORTS]

    def client(self, transport: str, tree: Path | None = None, path: Path | None = None) -> Runtime:
        settings: dict[str, Any] = {"search": SEARCH, "transport": transport, "runtime_path": path or self._path}
        return Runtime(tree or self._tree, **settings)

    def first(self, transport: str, since: str) -> float:
        arguments = [sys.executable, "-c", FIRST, str(self._tree), self._path or "", transport, since]
        return float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)

    def calls(self, transport: str, call: Callable[[Runtime], object], count: int, tree: Path | None = None) -> float:
        with self.client(transport, tree) as runtime:
            call(runtime)
            began = time.perf_counter()
            for _ in range(count):
                call(runtime)
            return (time.perf_counter() - began) / count

    def threads(self, transport: str) -> float:
        with self.client(transport) as runtime:
            runtime.plan("ls")

            def work() -> None:
                for _ in range(50):
                    runtime.plan("ls")

            threads = [threading.Thread(target=work) for _ in range(8)]
            began = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return (time.perf_counter() - began) / 400

    def cancel(self, transport: str) -> float:
        with tempfile.TemporaryDirectory(prefix="hydra-bench-") as folder:
            runtime_path, pids = Path(folder, "runtime"), Path(folder, "pids")
            runtime_path.symlink_to(self._path or bundled_runtime_path())
            sidecar = Path(folder, "runtime-rg")
            sidecar.write_text(f"#!/bin/sh\necho $$ > '{pids}.new'\nmv '{pids}.new' '{pids}'\nexec sleep 60\n")
            sidecar.chmod(0o755)
            with self.client(transport, path=runtime_path) as runtime:
                thread = threading.Thread(target=swallow, args=(lambda: runtime.grep("x"),))
                thread.start()
                while not pids.exists():
                    time.sleep(0.001)
                pid = pids.read_text().strip()
                session = runtime._engine._session
                assert session is not None
                [call] = session._calls.values()
                began = time.perf_counter()
                call.abandon("a measurement")
                while Path(f"/proc/{pid}").exists():
                    time.sleep(0.0002)
                took = time.perf_counter() - began
                thread.join()
            return took


def swallow(call: Callable[[], object]) -> None:
    with contextlib.suppress(BaseException):  # it was cancelled
        call()


def grown(folder: Path, files: int = 100, lines: int = 100) -> Path:
    (folder / "src").mkdir(parents=True)
    for n in range(files):
        text = "".join(f"    if needle({n}, {i}): return 'some text' # and a comment\n" for i in range(lines))
        (folder / "src" / f"file{n}.py").write_text(text)
    return folder


if __name__ == "__main__":
    main()
