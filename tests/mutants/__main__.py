"""Changes the code here and there, and asks its tests whether they see it.

``python -m tests.mutants spill judge`` mutates packages of ``gocore`` with gremlins,
``python -m tests.mutants locator`` the ``_bundle`` of the Python package with
cosmic-ray: one change at a time, and only the tests of the package that is changed.
It works on a copy of what is committed, and, for the locator, on the installed wheel.

A mutant that no test turns red has survived. At most :data:`MOST` percent may, and
each has to be in ``survivors.txt`` with its reason: mostly that it means the same.

Known limit: gremlins turns operators and conditions over and takes no statement away.
What must not be taken away has tests of its own, e.g. ``gocore/spill``'s
``TestASaveIsOnTheDiskBeforeItIsSeen``.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS = Path(__file__).with_name("survivors.txt")

PACKAGES = ("spill", "subprocess", "judge", "strictjson")
LOCATOR = "locator"
LOCATOR_TESTS = ("tests/python/test_locate.py", "tests/python/test_bundle_faults.py")

MOST = 5.0
"""Percent of the mutants of one package that may survive."""

GREMLINS = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"
TURNED_OVER = ("--invert-logical", "--invert-loopctrl", "--invert-bitwise", "--remove-self-assignments")
"""What gremlins changes beyond its defaults."""

PATIENCE = 10
"""So many times the usual time of the tests may pass until a mutant counts as one that hangs."""


@dataclass(frozen=True)
class Mutant:
    """One change: where, what, and whether a test saw it."""

    place: str
    """The file, and the text of the line."""
    change: str
    survived: bool

    def __str__(self) -> str:
        return f"{self.place} | {self.change}"


def main(names: list[str]) -> int:
    """Mutate the packages *names*, all without any; the exit status."""
    bad = False
    for name in names or [*PACKAGES, LOCATOR]:
        mutants = list(locator() if name == LOCATOR else gremlins(name))
        bad |= not judge(name, mutants, listed(SURVIVORS.read_text(encoding="utf-8")))
    return int(bad)


def judge(name: str, mutants: list[Mutant], reasons: Counter[str]) -> bool:
    """Print what became of *mutants*; whether that will do."""
    left = [mutant for mutant in mutants if mutant.survived]
    share = 100 * len(left) / max(1, len(mutants))
    print(f"{name}: {len(left)} of {len(mutants)} mutants survived, {share:.1f} %", flush=True)
    unexplained = Counter(map(str, left)) - reasons
    for mutant, times in sorted(unexplained.items()):
        print(f"  not in survivors.txt: {mutant}" + (f" ({times} times)" if times > 1 else ""))
    if not mutants:
        print("  nothing was mutated")
    return bool(mutants) and share <= MOST and not unexplained


def listed(text: str) -> Counter[str]:
    """The survivors that have a reason: it stands in a comment above them."""
    lines = [line.strip() for line in text.splitlines()]
    if lines and not lines[0].startswith("#"):
        raise ValueError("survivors.txt begins with a reason")
    return Counter(line for line in lines if line and not line.startswith("#"))


def place(root: Path, file: str, line: int) -> str:
    """Where a mutant is, in words that stay right when lines move."""
    return f"{file}: {(root / file).read_text(encoding='utf-8').splitlines()[line - 1].strip()}"


def gremlins(package: str) -> Iterable[Mutant]:
    """The mutants of a package of Go."""
    with tempfile.TemporaryDirectory() as folder:
        copy, found = Path(folder, "copy"), Path(folder, "found.json")
        copy.mkdir()
        packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=copy, input=packed, check=True)
        command = ["go", "run", GREMLINS, "unleash", f"./gocore/{package}", f"--output={found}", *TURNED_OVER]
        # Helpers of tests lie in folders of their own, e.g. strictjsontest.
        command += ["--workers=1", f"--timeout-coefficient={PATIENCE}", f"--exclude-files={package}test/"]
        subprocess.run(command, cwd=copy, check=True)
        report = json.loads(found.read_text(encoding="utf-8"))
        for file in report["files"]:
            name = file["file_name"] if "/" in file["file_name"] else f"gocore/{package}/{file['file_name']}"
            for mutation in file["mutations"]:
                status = mutation["status"]
                if status not in ("NOT VIABLE", "SKIPPED"):
                    survived = status in ("LIVED", "NOT COVERED")
                    change = mutation["type"] + (" (no test comes there)" if status == "NOT COVERED" else "")
                    yield Mutant(place(copy, name, mutation["line"]), change, survived)


def locator() -> Iterable[Mutant]:
    """The mutants of the locator, in the installed package."""
    spec = importlib.util.find_spec("hydra_harness_runtime._bundle")
    if spec is None or spec.origin is None or ROOT in Path(spec.origin).parents[2:3]:
        raise SystemExit("the wheel is not installed: `nox -s mutants -- locator` does that")
    bundle = Path(spec.origin).parent
    with tempfile.TemporaryDirectory() as folder:
        config, session = Path(folder, "config.toml"), Path(folder, "session.sqlite")
        tests = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {' '.join(LOCATOR_TESTS)}"
        modules = sorted(str(path) for path in bundle.glob("*.py") if path.name != "__init__.py")
        config.write_text(
            "[cosmic-ray]\n"
            f"module-path = {json.dumps(modules)}\n"
            "timeout = 300.0\n"
            "excluded-modules = []\n"
            f"test-command = {json.dumps(tests)}\n"
            '[cosmic-ray.distributor]\nname = "local"\n',
            encoding="utf-8",
        )
        for step in (["init", config, session], ["exec", config, session]):
            subprocess.run(["cosmic-ray", *map(str, step)], cwd=ROOT, check=True)
        dump = subprocess.run(["cosmic-ray", "dump", str(session)], capture_output=True, text=True, check=True).stdout
    for line in dump.splitlines():
        item, result = json.loads(line)
        for mutation in item["mutations"]:
            path = Path(mutation["module_path"])
            where = place(path.parent, path.name, mutation["start_pos"][0])
            change = mutation["operator_name"].removeprefix("core/")
            yield Mutant(f"_bundle/{where}", change, result["test_outcome"] == "survived")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
