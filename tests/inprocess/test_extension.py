"""Where the extension cannot be used, the error says why and names the way out."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hydra_harness_runtime import Runtime, RuntimeBundleError, SearchConfig, __version__
from hydra_harness_runtime._transports import _extension

WAY_OUT = 'transport="subprocess"'


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in a process that has not loaded it."""
    monkeypatch.setattr(_extension, "_loaded", None)
    return monkeypatch


def refusal() -> RuntimeBundleError:
    with pytest.raises(RuntimeBundleError) as caught:
        _extension.load()
    assert WAY_OUT in str(caught.value)
    assert WAY_OUT in caught.value.remedy
    return caught.value


def with_config(patch: pytest.MonkeyPatch, **values: Any) -> None:
    real = sysconfig.get_config_var
    patch.setattr(sysconfig, "get_config_var", lambda name: values.get(name, real(name)))


def test_another_implementation(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    error = refusal()
    assert error.code == "extension-interpreter"
    assert "pypy" in str(error)


def test_a_free_threaded_build(unloaded: pytest.MonkeyPatch) -> None:
    with_config(unloaded, Py_GIL_DISABLED=1)
    assert refusal().code == "extension-interpreter"


@pytest.mark.parametrize("name", ["HOST_GNU_TYPE", "SOABI"])
def test_musl(name: str, unloaded: pytest.MonkeyPatch) -> None:
    with_config(unloaded, **{name: "x86_64-linux-musl"})
    error = refusal()
    assert error.code == "extension-platform"
    assert "musl" in str(error)


def test_another_system(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setattr(sys, "platform", "darwin")
    error = refusal()
    assert error.code == "extension-platform"
    assert "macos" in str(error)


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_that_would_be_the_end(name: str, script: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = f"""
        import resource
        resource.setrlimit(resource.{name}, (900 << 20, resource.getrlimit(resource.{name})[1]))
        with client() as runtime:
            for _ in range(2):
                try:
                    print(runtime.grep("TODO").paths)
                except RuntimeBundleError as error:
                    print(error.code, {name!r} in str(error), "900 MiB" in str(error), {WAY_OUT!r} in str(error))
                resource.setrlimit(resource.{name}, resource.getrlimit(resource.{name})[1:] * 2)
    """
    done = script(code)
    assert done.stdout.splitlines() == ["extension-limit True True True", "('README', 'src/a.py')"], done.stderr


def test_not_installed(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setitem(sys.modules, "hydra_harness_inprocess", None)
    error = refusal()
    assert error.code == "extension-missing"
    assert isinstance(error, FileNotFoundError)
    assert f"'hydra-harness-runtime[inprocess]=={__version__}'" in error.remedy


def test_another_version(unloaded: pytest.MonkeyPatch) -> None:
    import hydra_harness_inprocess  # noqa: PLC0415

    unloaded.setattr(hydra_harness_inprocess, "__version__", "9.9.9")
    error = refusal()
    assert error.code == "extension-version"
    assert "9.9.9" in str(error)
    assert error.path == hydra_harness_inprocess.__file__


def test_a_library_that_does_not_load(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setitem(sys.modules, "hydra_harness_inprocess._hydra_native", None)
    assert refusal().code == "extension-load"


def test_a_client_raises_it(unloaded: pytest.MonkeyPatch, tree: Any) -> None:
    unloaded.setattr(sys, "platform", "darwin")
    search = SearchConfig(sample_over_cap_glob_results=True)
    with Runtime(tree, search=search, transport="inprocess") as runtime, pytest.raises(RuntimeBundleError):
        runtime.glob("*")


INTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
import sys
sys.path[:] = {path!r}
from hydra_harness_runtime._transports import _extension
try:
    _extension.load()
except Exception as error:
    print(type(error).__name__, getattr(error, "code", ""), {way_out!r} in str(error), flush=True)
'''
for config in {configs!r}:
    try:
        number = interpreters.create(config) if config else interpreters.create()
    except TypeError:
        number = interpreters.create(isolated=False)
    result = interpreters.{run}(number, code)
    if result is not None:
        print(result)
"""


def test_a_subinterpreter(script: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    new = sys.version_info >= (3, 13)
    configs = ["legacy", "isolated"] if new else [""]
    code = INTERPRETERS.format(path=sys.path, way_out=WAY_OUT, configs=configs, run="exec" if new else "run_string")
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["RuntimeBundleError extension-interpreter True"] * len(configs), done.stderr
