"""What it costs to import the installed package and to prove its executables.

``python tests/bench_locator.py [--runs N] [--docs FILE]``: prints figures of N
runs, writes them between the marks in FILE, and exits with 1 when one is beyond
its budget. Each import and each first check is that
of a new process whose files are in the cache of the system, so nothing is
waited for except a processor; on an idle machine the time on the clock is the
time of the processor. Budgets are held against the best of the latter, which a
busy machine cannot spoil.
"""

from __future__ import annotations

import argparse
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

BEGIN, END = "<!-- written by tests/bench_locator.py -->", "<!-- end of what it wrote -->"

IMPORT = """
with stopwatch:
    import hydra_harness_runtime
"""

CLIENT = """
with stopwatch:
    from hydra_harness_runtime import Runtime, SearchConfig
"""

FIRST = """
import hydra_harness_runtime as h
with stopwatch:
    h.bundled_runtime_path()
"""

REPEATED = """
import hydra_harness_runtime as h
h.bundled_runtime_path()
h.bundled_runtime_path()
stopwatch.times = 2000
with stopwatch:
    for _ in range(stopwatch.times):
        h.bundled_runtime_path()
"""

STOPWATCH = """
import time

class Stopwatch:
    times = 1

    def __enter__(self):
        self.clock, self.processor = time.perf_counter(), time.process_time()

    def __exit__(self, *raised):
        clock, processor = time.perf_counter() - self.clock, time.process_time() - self.processor
        print(clock / self.times, processor / self.times)

stopwatch = Stopwatch()
"""


class Budget(NamedTuple):
    """What is measured, how, and what it may cost in seconds."""

    name: str
    script: str
    limit: float
    reason: str


BUDGETS = [
    Budget("import", IMPORT, 0.005, "a program that may never search should not notice it"),
    Budget(
        "import of Runtime", CLIENT, 0.100, "nearly all of it is the standard library: threads, logging, subprocess"
    ),
    Budget("first full check", FIRST, 0.060, "20 MB are hashed, once per process"),
    Budget("repeated check", REPEATED, 0.000_1, "every restart of a runtime asks again"),
]


class Run(NamedTuple):
    """Seconds on the clock and seconds of the processor."""

    clock: float
    processor: float


def measure(script: str, runs: int, python: str = sys.executable) -> list[Run]:
    """One figure per run; ``-I`` keeps the folder of this file out of sight."""

    def once() -> Run:
        command = [python, "-I", "-c", STOPWATCH + script]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return Run(*map(float, done.stdout.split()))

    once()  # compiles modules and warms the cache
    return [once() for _ in range(runs)]


class Figure(NamedTuple):
    """What became of one budget; seconds."""

    budget: Budget
    processor: float
    best: float
    median: float

    @property
    def kept(self) -> bool:
        return self.processor < self.budget.limit

    def __str__(self) -> str:
        return (
            f"{self.budget.name:<17} {self.processor * 1e3:8.3f} ms {self.best * 1e3:9.3f} ms "
            f"{self.median * 1e3:8.3f} ms {self.budget.limit * 1e3:7g} ms  "
            f"{'kept' if self.kept else 'EXCEEDED'}: {self.budget.reason}"
        )

    @property
    def row(self) -> str:
        """A line of the table in the document."""
        times = [self.processor, self.best, self.median]
        cells = [self.budget.name, *(f"{time * 1e3:.3g}" for time in times), f"{self.budget.limit * 1e3:g}"]
        return f"| {' | '.join(cells)} |"


def figure(budget: Budget, runs: int) -> Figure:
    """The best and the usual of so many runs."""
    found = measure(budget.script, runs)
    clocks = [run.clock for run in found]
    return Figure(budget, min(run.processor for run in found), min(clocks), statistics.median(clocks))


def publish(file: Path, figures: list[Figure]) -> None:
    """Write the table between the marks; ``ValueError`` when there are none."""
    before, begin, rest = file.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{file} has no place between {BEGIN} and {END}")
    machine = f"{processor_name()}, {sys.platform}/{platform.machine()}, Python {platform.python_version()}."
    table = [
        "| work | processor (ms) | clock, best (ms) | clock, median (ms) | at most (ms) |",
        "|---|--:|--:|--:|--:|",
        *(each.row for each in figures),
    ]
    text = "\n".join(["", machine, "", *table, ""])
    file.write_text(before + begin + text + end + after, "utf-8")


def processor_name() -> str:
    """As Linux tells it, else whatever the platform says."""
    try:
        names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        names = []
    return names[0] if names else platform.processor()


def main() -> int:
    parser = argparse.ArgumentParser(prog=Path(__file__).name, description="Measure the locator.")
    parser.add_argument("--runs", type=int, default=15, help="new processes for each figure (default: 15)")
    parser.add_argument("--docs", type=Path, help="the document to write the figures into")
    options = parser.parse_args()
    print(f"{'':<17} {'processor':>11} {'clock: best':>12} {'median':>11} {'budget':>10}")
    figures = []
    for budget in BUDGETS:
        figures.append(figure(budget, options.runs))
        print(figures[-1])
    if options.docs:
        publish(options.docs, figures)
    return 0 if all(each.kept for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
