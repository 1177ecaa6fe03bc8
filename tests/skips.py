"""Which tests may be skipped where everything that they need can be installed.

A test that lacks its oracle (strace, dash, git, bsdtar ...) says so and is skipped: a
developer need not have them all. In CI that would be a hole that nobody sees. So
``.ci/run`` sets :data:`STRICT`, and then every skip fails the run but those whose
reason is in ``skips.txt``.

``python tests/skips.py go test ./...`` runs Go's tests that way; pytest is told by
``conftest.py``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STRICT = "HYDRA_TESTS_REQUIRE_ORACLES"
"""Set to 1, a skip that nobody foresaw is a failure."""

LIST = Path(__file__).with_name("skips.txt")


def strict() -> bool:
    """Whether a skip has to be foreseen."""
    return os.environ.get(STRICT) == "1"


def unforeseen(skips: Iterable[tuple[str, str]], allowed: str | None = None) -> list[str]:
    """Those of *skips*, tests and their reasons, that no line of the list allows."""
    text = LIST.read_text(encoding="utf-8") if allowed is None else allowed
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    patterns = [re.compile(line) for line in lines if line]
    seen = (f"{test}: {' '.join(reason.split())}" for test, reason in skips)
    return [skip for skip in seen if not any(pattern.search(skip) for pattern in patterns)]


def complaint(skips: Sequence[str]) -> str:
    """What is said of skips that were not foreseen."""
    return "\n".join(
        [
            f"{len(skips)} skipped, and {STRICT}=1 allows only what tests/skips.txt lists.",
            "Install what they need (.ci/run), or add the reason to the list:",
            *(f"  {skip}" for skip in skips),
        ]
    )


def go_skips(events: Iterable[str]) -> tuple[list[tuple[str, str]], str]:
    """The skips in what ``go test -json`` printed, and what ``go test`` would have printed."""
    said: dict[str, list[str]] = {}
    skips: list[tuple[str, str]] = []
    shown: list[str] = []
    for line in events:
        if not line.startswith("{"):
            shown.append(line)
            continue
        event = json.loads(line)
        package, test = event.get("Package", event.get("ImportPath", "")), event.get("Test", "")
        name = f"{package}.{test}" if test else package
        output = said.setdefault(name, [])
        if event["Action"] in ("output", "build-output"):
            output.append(event["Output"])
        elif event["Action"] == "skip" and test:
            reason = "".join(part for part in output if not part.lstrip().startswith(("=== ", "--- ")))
            skips.append((name, re.sub(r"^\s*\S+\.go:\d+: ", "", reason)))
        elif event["Action"] in ("fail", "build-fail") or (event["Action"] in ("pass", "skip") and not test):
            shown += [part for part in output if test or not part.startswith("=== ")]
    return skips, "".join(shown)


def main(command: list[str]) -> int:
    """Run ``go test`` with its arguments."""
    go, test, *arguments = command
    done = subprocess.run([go, test, "-json", *arguments], stdout=subprocess.PIPE, text=True, check=False)
    skips, shown = go_skips(done.stdout.splitlines(keepends=True))
    sys.stdout.write(shown)
    for name, reason in skips:
        sys.stdout.write(f"SKIPPED {name}: {' '.join(reason.split())}\n")
    if strict() and (bad := unforeseen(skips)):
        sys.stdout.write(complaint(bad) + "\n")
        return 1
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
