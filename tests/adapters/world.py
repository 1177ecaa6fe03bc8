"""A small project with something outside of it, and a shell tool that keeps a record."""

from __future__ import annotations

import asyncio
import importlib.util
import runpy
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra_harness_runtime import AsyncRuntime, GateSettings, Runtime, SearchConfig, bundled_runtime_path

SEARCH = SearchConfig(sample_over_cap_glob_results=True)

PAGE = "Found 2 matches\n\nnotes.txt\nLine 1: TODO: water the plants\n\nsrc/app.py\nLine 3: TODO = 1"
"""What a model sees of ``grep TODO`` in the project."""

BAD_PATTERN = 'Error: ripgrep rejected the pattern "(": unclosed group; to search for the text itself, write \\('

INSIDE = "cat notes.txt"
OUTSIDE = "cat ../other/plan.txt"
CREDENTIAL = "cat ~/.ssh/id_rsa"

PEEK = "python3 peek.py"
"""A program of the project, which no text explains. It may read the project and tries to read a key."""

PEEKED = "TODO: water the plants\nPermission denied\n"
"""What it prints below a sandbox."""

PEEK_PROGRAM = """\
import pathlib
print(pathlib.Path("notes.txt").read_text(), end="")
try:
    print((pathlib.Path.home() / ".ssh" / "id_rsa").read_text())
except PermissionError as error:
    print(error.strerror)
"""


@dataclass
class World:
    """The project's folder, a runtime in it, and what was run."""

    folder: Path
    runtime: Runtime
    ran: list[str] = field(default_factory=list)
    settings: GateSettings = field(default_factory=GateSettings)

    @property
    def asked(self) -> str:
        """The reason for which a person is asked about ``OUTSIDE``."""
        other = self.folder.with_name("other")
        found = f"`../other/plan.txt` reads {other}/plan.txt, outside the read roots"
        return f"{found}; add '{other}' to read_roots= to allow it"

    @property
    def denied(self) -> str:
        """The beginning of the reason for which ``CREDENTIAL`` is refused."""
        return f"`~/.ssh/id_rsa` reads {Path.home()}/.ssh/id_rsa, which is refused"

    def ran_confined(self) -> bool:
        """Whether one command ran, ``PEEK``, behind the prefix that keeps it inside."""
        [ran] = self.ran
        return " confine --level " in ran and ran.endswith(f" -- bash -c '{PEEK}'")

    def shell(self, command: str) -> str:
        """What the agent's own shell tool does."""
        self.ran.append(command)
        done = subprocess.run(["bash", "-c", command], check=False, cwd=self.folder, capture_output=True, text=True)
        return done.stdout


def build(folder: Path) -> Path:
    """Write the project and what lies around it."""
    files = {
        "project/notes.txt": "TODO: water the plants\n",
        "project/src/app.py": "import os\n\nTODO = 1\n",
        "other/plan.txt": "the plan\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (Path.home() / ".ssh").mkdir(exist_ok=True)
    (Path.home() / ".ssh/id_rsa").write_text("a key\n")
    return folder / "project"


class Rooms:
    """One runtime for two conversations, each with an owner and a folder of its own."""

    NAMES = ("one", "two")

    def __init__(self, folder: Path) -> None:
        for name in self.NAMES:
            (folder / "rooms" / name).mkdir(parents=True)
            (folder / "rooms" / name / "notes.txt").write_text(f"TODO {name}\nTODO {name} again\n")
        self.folder = folder / "rooms"
        search = SearchConfig(
            sample_over_cap_glob_results=True, grep_max_matches=1, roots=[self.folder], spill_root=folder / "spill"
        )
        self.runtime = Runtime(self.folder, search=search)

    def owner(self, name: str) -> str:
        return f"owner of {name}"

    def page(self, name: str) -> str:
        """How the page begins that a model gets in this conversation, for its own relative path."""
        return f"Found 1 of 2 matches\n\nnotes.txt\nLine 1: TODO {name}\n"

    def saved(self, name: str) -> list[str]:
        """What was saved on behalf of this conversation."""
        spill = self.runtime.bind(owner=self.owner(name)).spill
        return [spill.read(found.id).text for found in spill.list()]

    def check(self, pages: list[str]) -> None:
        """Each got its own page and left its own saved result, and nobody the other's."""
        for name, page in zip(self.NAMES, pages, strict=True):
            [line] = [line for line in page.splitlines() if line.startswith("Line 1")]
            assert line == f"Line 1: TODO {name}", page
            [text] = self.saved(name)
            assert f"TODO {name} again" in text
        assert not self.runtime.spill.list(), "nothing on behalf of the agent as a whole"


class Slow:
    """A runtime whose ripgrep never ends by itself."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        shutil.copy(bundled_runtime_path(), folder / "runtime")
        self._pids = folder / "pids"
        sidecar = folder / "runtime-rg"
        sidecar.write_text(f"#!/bin/sh\necho $$ >> {self._pids}\nexec sleep 600\n")
        sidecar.chmod(0o755)
        self.runtime = Runtime(folder, search=SEARCH, runtime_path=folder / "runtime")
        self._probe = AsyncRuntime(folder, search=SEARCH)

    async def started(self) -> None:
        """Wait until ripgrep runs."""
        while not self.pids():
            await self._probe.info()

    async def stopped(self) -> None:
        """Wait until it does not."""
        while any(alive(pid) for pid in self.pids()):
            await self._probe.info()
        await self._probe.aclose()

    def pids(self) -> list[int]:
        text = self._pids.read_text() if self._pids.exists() else ""
        return [int(pid) for pid in text.split()] if text.endswith("\n") else []

    async def cancel(self, work: asyncio.Task[object]) -> None:
        """Cancel *work* in the middle of its search; ripgrep has to end."""
        await asyncio.wait_for(self.started(), 30)
        work.cancel()
        await asyncio.wait([work])
        assert work.cancelled()
        await asyncio.wait_for(self.stopped(), 30)


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


EXAMPLES = Path(__file__).resolve().parents[2] / "docs/examples"


def example(name: str) -> dict[str, Any]:
    """The names of an example, which a reader can type: short, and without anything for tests."""
    path = EXAMPLES / f"with_{name}.py"
    text = path.read_text()
    assert len(text.splitlines()) < 40
    assert f"```python\n{text}```" in (EXAMPLES.parent / "adapters.md").read_text(), (
        "docs/adapters.md shows another one"
    )
    assert importlib.util.find_spec(path.stem) is None  # started from its folder, it would hide a package
    return runpy.run_path(str(path))
