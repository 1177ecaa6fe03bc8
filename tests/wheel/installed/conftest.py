"""The wheel put down in the ways people do it, and a small program that uses it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROBE = Path(__file__).with_name("probe.py")


@dataclass(frozen=True)
class Place:
    """An interpreter and the environment in which it finds the package."""

    python: Path
    packages: Path
    """The folder that holds ``hydra_harness_runtime``."""
    env: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        return self.packages / "hydra_harness_runtime" / "_bin"

    def run(self, *arguments: str, cwd: Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Python with these arguments; nothing of the source tree is importable."""
        command = [*before, str(self.python), *arguments]
        env = {**os.environ, **self.env}
        return subprocess.run(command, check=False, cwd=cwd, env=env, capture_output=True, text=True)

    def probe(self, tree: Path, *, before: tuple[str, ...] = ()) -> dict[str, object]:
        """Search *tree* through the client; see probe.py for the answer."""
        done = self.run(str(PROBE), str(tree), cwd=tree.parent, before=before)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """Two files, in a folder that is nobody's working directory."""
    tree = tmp_path / "a tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "one.txt").write_text("needle\n")
    (tree / "sub" / "two.txt").write_text("hay\nneedle\n")
    return tree


FOUND = {
    "paths": ["one.txt", "sub/two.txt"],
    "matches": [["one.txt", 1, "needle"], ["sub/two.txt", 2, "needle"]],
    "gate": {"cat one.txt": "allow", "cat /etc/passwd": "ask", "rm one.txt": "ask"},
    "page": [True, 2],
}
"""What probe.py answers on ``tree``, wherever the package lies."""


def found(answer: dict[str, object]) -> dict[str, object]:
    """The part of an answer that does not depend on the place."""
    return {key: answer[key] for key in FOUND}


@pytest.fixture(scope="session")
def pip(host_wheel: Path) -> Callable[..., None]:
    """``pip install`` of a wheel (the one under test), from the file alone.

    ``python`` is the interpreter to install for: pip runs in it without having
    to be there.
    """

    def install(*arguments: str, python: Path = Path(sys.executable), wheel: Path = host_wheel, **env: str) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
        command += [*arguments, str(wheel)]
        subprocess.run(command, check=True, env={**os.environ, **env}, stdin=subprocess.DEVNULL)

    return install


@pytest.fixture(scope="session")
def target(pip: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Place:
    """``pip install --target``; read by many tests, changed by none."""
    folder = tmp_path_factory.mktemp("target") / "d ir é"
    pip("--target", str(folder))
    return Place(Path(sys.executable), folder, {"PYTHONPATH": str(folder)})


@pytest.fixture
def copied(target: Place, tmp_path: Path) -> Place:
    """The same, to be changed."""
    folder = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(target.packages), str(folder)], check=True)
    return Place(target.python, folder, {"PYTHONPATH": str(folder)})


def new_venv(folder: Path, *options: str) -> Place:
    """An environment without anything in it, not even pip."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, str(folder)], check=True)
    python = folder / "bin" / "python"
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    return Place(python, Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()))


@pytest.fixture(scope="session")
def venv(pip: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A virtual environment with the wheel and nothing else."""
    place = new_venv(tmp_path_factory.mktemp("venv") / "env")
    pip(python=place.python)
    return place


@pytest.fixture
def system_python() -> Path:
    """The interpreter of the system, which every user can reach and whose folders have names of their own."""
    python = Path("/usr/bin/python3")
    probe = "import sys; raise SystemExit(sys.version_info < (3, 10))"
    if not python.exists() or subprocess.run([str(python), "-c", probe], check=False).returncode:
        pytest.skip(f"{python} is absent or older than 3.10")
    return python


def mounting(script: str) -> tuple[str, ...]:
    """A command prefix that first mounts something, seen by nobody else."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs unshare of Linux")
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    return ("unshare", "--mount", "sh", "-ec", f'{script}\nexec "$@"', "sh")
