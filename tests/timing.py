"""What the benchmarks written in Python share: turns, medians, tables, and their place in docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

BENCHMARKS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
TURNS = 31


class Row(NamedTuple):
    """One kind of work: ours, what it is held against, and what ours may take at most.

    Each of the two makes one measurement and returns its seconds. ``limit`` is in
    milliseconds, for the best turn: whatever else the machine does only adds.
    """

    work: str
    ours: Callable[[], float]
    against: str = ""
    raw: Callable[[], float] | None = None
    limit: float | None = None


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """*work* as a measurement."""

    def measure() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return measure


def table(rows: list[Row], turns: int) -> tuple[str, list[str]]:
    """The figures in Markdown, and which limits were not kept. Ours and raw take turns, A B B A."""
    lines = ["| work | ours (ms) | best | raw | raw (ms) | ratio | at most |", "|---|--:|--:|---|--:|--:|--:|"]
    broken = []
    for row in rows:
        ours, raw = list[float](), list[float]()
        row.ours()  # whatever is done once, and the cache of the system
        for turn in range(turns):
            pair = [(row.ours, ours)] + ([(row.raw, raw)] if row.raw else [])
            for measure, into in pair if turn % 2 else reversed(pair):
                into.append(measure() * 1000)
        mine, best = statistics.median(ours), min(ours)
        limit = f"{row.limit:g} ms" if row.limit else "-"
        if row.raw:
            theirs = statistics.median(raw)
            beside = f"`{row.against}` | {digits(theirs)} | {mine / theirs:.2f}"
        else:
            beside = "- | - | -"
        lines.append(f"| {row.work} | {digits(mine)} | {digits(best)} | {beside} | {limit} |")
        print(lines[-1], file=sys.stderr, flush=True)
        if row.limit and best > row.limit:
            broken.append(f"{row.work}: {digits(best)} ms at best, at most {row.limit:g}")
    return "\n".join(lines) + "\n", broken


def digits(ms: float) -> str:
    """Three figures that count; more would be noise."""
    return f"{ms:.{2 if ms < 10 else 1 if ms < 100 else 0}f}"


def machine(rg: Path) -> str:
    """Where the figures come from, in one line."""
    first = subprocess.run([rg, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    model = [line.split(":")[1].strip() for line in cpuinfo() if line.startswith("model name")]
    busy = f"load {os.getloadavg()[0]:.1f} before the run"
    return ", ".join([*model[:1], f"{os.cpu_count()} cores", busy, f"Python {platform.python_version()}", first]) + "."


def cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def publish(name: str, text: str) -> None:
    """Put *text* between the marks of *name* in docs/benchmarks.md."""
    begin, end = f"<!-- written by {name} -->\n", "<!-- end -->"
    page = BENCHMARKS.read_text("utf-8")
    before, mark, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not mark or not closed:
        raise SystemExit(f"{BENCHMARKS} has no place for the table: it needs the lines {begin.strip()} and {end}")
    BENCHMARKS.write_text(before + begin + text + end + after, "utf-8")


def options(doc: str) -> argparse.Namespace:
    """``--docs`` and ``--turns``."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--docs", action="store_true", help="write the table into docs/benchmarks.md")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"measurements of each kind (default: {TURNS})")
    return parser.parse_args()


def finish(name: str, text: str, broken: list[str], *, docs: bool) -> int:
    """Print, publish when asked to, and say which limits were not kept; the exit status."""
    print(text)
    if docs:
        publish(name, text)
    for line in broken:
        print("not kept:", line, file=sys.stderr)
    return 1 if broken else 0
