"""What tests of the Python package share: fakes, and the real runtime where there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hydra_harness_runtime import AsyncRuntime, Runtime, RuntimeBundleError, SearchConfig, bundled_runtime_path
from hydra_harness_runtime.testing import install

SEARCH = SearchConfig(sample_over_cap_glob_results=True)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Installs the fake executable into a folder of its own."""

    def make(files: dict[str, str] | None = None) -> Path:
        return install(tmp_path_factory.mktemp("fake"), files)

    return make


@pytest.fixture
def fake_path(program: Callable[..., Path]) -> Path:
    """A fresh fake executable that finds ``hello`` in ``a.txt``."""
    return program({"a.txt": "hello\n"})


@pytest.fixture
def started(fake_path: Path) -> Iterator[Callable[..., Runtime]]:
    """Makes clients of the fake executable, and closes them."""
    made: list[Runtime] = []

    def make(**settings: Any) -> Runtime:
        made.append(Runtime(fake_path.parent, search=SEARCH, runtime_path=fake_path, **settings))
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


@pytest.fixture
def async_runtime(fake_path: Path) -> Callable[..., AsyncRuntime]:
    """Makes asynchronous clients of the fake executable."""
    return lambda **settings: AsyncRuntime(fake_path.parent, search=SEARCH, runtime_path=fake_path, **settings)


@pytest.fixture(scope="session")
def real_path() -> Path | None:
    """The real runtime: the installed wheel's (``None``), or the one that a developer names.

    ``HYDRA_HARNESS_TEST_RUNTIME`` is an executable with its sidecar beside it.
    ``HYDRA_HARNESS_REQUIRE_RUNTIME=1`` makes its absence a failure.
    """
    named = os.environ.get("HYDRA_HARNESS_TEST_RUNTIME")
    if named:
        return Path(named)
    try:
        bundled_runtime_path()
    except RuntimeBundleError as error:
        reason = f"no runtime is installed: {error}"
        if os.environ.get("HYDRA_HARNESS_REQUIRE_RUNTIME") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with a bit of everything."""
    files = {
        "README": "TODO: write\n",
        "src/a.py": "import os\n\nTODO = 1\n",
        "src/b.py": "def main():\n    return 'todo'\n",
        "src/deep/c.txt": "nothing here\n",
        ".hidden/d.py": "TODO\n",
    }
    for name, text in files.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"
