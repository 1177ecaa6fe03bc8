"""What the server costs on the wire, beside raw ripgrep in the same run.

``python -m tests.server.bench [--docs] [--turns N]`` measures the runtime of the
installed wheel. The client writes and reads lines and does nothing else, so that
the figures are the server's. Exits with 1 when a limit is not kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hydra_harness_runtime import bundled_ripgrep_path, bundled_runtime_path
from tests.server.live import Installation, Server
from tests.server.soak import CALLS, WARM, Soaked, soak
from tests.timing import Row, finish, machine, options, table, timed

NAME = "tests/server/bench.py"
MIB = 1 << 20
CONCURRENT = 100
FIRST_MS = 50


def main() -> int:
    asked = options(__doc__)
    where = machine(bundled_ripgrep_path())
    with tempfile.TemporaryDirectory(prefix="hydra-bench-") as name:
        folder = Path(name).resolve()
        installed = Installation(folder / "bin", bundled_runtime_path(), bundled_ripgrep_path())
        tree = grown(folder / "tree")
        config = folder / "config.json"
        config.write_text(json.dumps({"sampleOverCapGlobResults": True, "spillRoot": str(folder / "spill")}))
        with Server(installed, tree, "--config", str(config)) as server:
            server.initialize()
            text, broken = table(list(rows(installed, tree, server)), asked.turns)
        with Server(installed, tree, "--config", str(config)) as server:
            text += "\n" + soaked(soak(server.initialize()))
    return finish(NAME, f"{where}\n\n{text}", broken, docs=asked.docs)


def rows(installed: Installation, tree: Path, server: Server) -> Iterator[Row]:
    def rg(*arguments: str) -> Callable[[], object]:
        command = [installed.sidecar, "--no-config", *arguments]
        return lambda: subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, check=True)

    def first() -> float:
        began = time.perf_counter()
        with Server(installed, tree) as fresh:
            fresh.initialize()
            return time.perf_counter() - began

    def grep() -> None:
        asked = server.grep("needle 7$")
        assert server.message()["id"] == asked

    def flood() -> None:
        asked = {server.grep("needle 7$") for _ in range(CONCURRENT)}
        while asked:
            asked.remove(server.message()["id"])

    def processes() -> None:
        command = [installed.sidecar, "--no-config", "--json", "needle 7$", "."]
        for _ in range(CONCURRENT // 10):
            started = [
                subprocess.Popen(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) for _ in range(10)
            ]
            for process in started:
                process.communicate()

    yield Row("from the start to the first answer", first, "rg --version", timed(rg("--version")), limit=FIRST_MS)
    yield Row("`ping`, to and fro", timed(lambda: server.call("ping")))
    yield Row("`hydra/shell/gate` of `cat src/f00.txt`", timed(lambda: gate(server, tree)))
    yield Row("small `grep`, 20 files", timed(grep), "rg --json", timed(rg("--json", "needle 7$", ".")))
    yield Row(f"{CONCURRENT} of them at once", timed(flood), "rg --json, 10 at a time", timed(processes))


def gate(server: Server, tree: Path) -> None:
    boundary = {"readRoots": [str(tree)], "cwd": str(tree)}
    answer = server.call("hydra/shell/gate", {"command": "cat src/f00.txt", "env": {}, "boundary": boundary})
    assert answer["result"]["decision"] == "allow"


def soaked(found: Soaked) -> str:
    lines = [
        f"| {CALLS:,} calls of every kind, 12 in flight, a tenth of them cancelled | after {WARM:,} | at the end |",
        "|---|--:|--:|",
        "| resident memory (MiB) | {:.1f} | {:.1f} |".format(*(size / MIB for size in found.memory)),
        "| open descriptors | {} | {} |".format(*found.descriptors),
        f"| calls a second | - | {CALLS / found.took:.0f} |",
    ]
    return "\n".join(lines) + "\n"


def grown(tree: Path) -> Path:
    (tree / "src").mkdir(parents=True)
    for n in range(20):
        (tree / "src" / f"f{n:02}.txt").write_text(f"needle {n}\n" * 5)
    return tree


if __name__ == "__main__":
    sys.exit(main())
