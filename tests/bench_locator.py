"""What it costs to import the installed package and to prove its executables.

``python tests/bench_locator.py [--runs N]``: prints figures of N runs and exits
with 1 when one is beyond its budget. Each import and each first check is that
of a new process whose files are in the cache of the system, so nothing is
waited for except a processor; on an idle machine the time on the clock is the
time of the processor. Budgets are held against the best of the latter, which a
busy machine cannot spoil.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

IMPORT = """
with stopwatch:
    import hydra_harness_runtime
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
    Budget("first full check", FIRST, 0.060, "19 MB are hashed, once per process"),
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


def report(budgets: list[Budget], runs: int, measured: Callable[[str, int], list[Run]] = measure) -> bool:
    """Print one line for each budget; whether all were kept."""
    kept = True
    print(f"{'':<17} {'processor':>11} {'clock: best':>12} {'median':>11} {'budget':>10}")
    for budget in budgets:
        figures = measured(budget.script, runs)
        processor, best = min(run.processor for run in figures), min(run.clock for run in figures)
        median = statistics.median(run.clock for run in figures)
        within = processor < budget.limit
        kept = kept and within
        print(
            f"{budget.name:<17} {processor * 1e3:8.3f} ms {best * 1e3:9.3f} ms {median * 1e3:8.3f} ms "
            f"{budget.limit * 1e3:7g} ms  {'kept' if within else 'EXCEEDED'}: {budget.reason}"
        )
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(prog=Path(__file__).name, description="Measure the locator.")
    parser.add_argument("--runs", type=int, default=15, help="new processes for each figure (default: 15)")
    return 0 if report(BUDGETS, parser.parse_args().runs) else 1


if __name__ == "__main__":
    sys.exit(main())
