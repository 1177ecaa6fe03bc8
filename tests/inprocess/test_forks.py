"""Children of a process that has loaded the extension, or is about to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.inprocess.test_process import Script, printed


def test_a_fork_is_told_at_once_and_can_use_a_subprocess(script: Script) -> None:
    code = """
        runtime = client()
        print(runtime.glob("README").paths)
        sys.stdout.flush()
        if os.fork() == 0:
            began = time.monotonic()
            for _ in range(3):
                try:
                    runtime.glob("README")
                except ForkedProcessError as error:
                    print(error.code, 'transport="subprocess"' in str(error), time.monotonic() - began < 20)
            with Runtime(sys.argv[1], search=search, runtime_path=sys.argv[2] or None) as other:
                print(other.glob("README").paths)
            sys.stdout.flush()
            sys.exit(0)
        os.wait()
        print(runtime.glob("README").paths)
        runtime.close()
    """
    found = "('README',)"
    assert printed(script(code)) == [found, *["RUNTIME_FORKED True True"] * 3, found, found]


def test_a_fork_while_another_thread_loads_is_told(script: Script) -> None:
    code = """
        from hydra_harness_runtime._transports import _extension
        real, begun, go_on = _extension._import, threading.Event(), threading.Event()
        def slow():
            begun.set()
            go_on.wait()
            return real()
        _extension._import = slow
        loader = threading.Thread(target=_extension.load)
        loader.start()
        begun.wait()
        if os.fork() == 0:
            try:
                _extension.load()
            except ForkedProcessError as error:
                print(error.code, flush=True)
            os._exit(0)
        os.wait()
        go_on.set()
        loader.join()
        with client() as runtime:
            print(runtime.glob("README").paths)
    """
    assert printed(script(code)) == ["RUNTIME_FORKED", "('README',)"]


def test_a_fork_while_another_thread_has_only_begun_to_look(script: Script) -> None:
    """The lock is copied locked, and nothing says yet that a load has begun."""
    done = script("""
import os, threading
from hydra_harness_runtime._transports import _extension

holds, go_on = threading.Event(), threading.Event()
real = _extension._check_interpreter

def slow():
    holds.set()
    go_on.wait(60)
    real()

_extension._check_interpreter = slow
thread = threading.Thread(target=_extension.load)
thread.start()
holds.wait(60)
child = os.fork()
if not child:
    _extension._check_interpreter = real
    _extension.load()
    os._exit(0)
_, status = os.waitpid(child, 0)
go_on.set()
thread.join()
print(status)
""")
    assert done.stdout == "0\n", done.stderr


def test_what_could_not_be_loaded_can_be_loaded_by_a_child(script: Script) -> None:
    code = """
        from hydra_harness_runtime._transports import _extension
        sys.modules["hydra_harness_inprocess"] = None
        try:
            _extension.load()
        except RuntimeMissingError as error:
            print(error.code, flush=True)
        del sys.modules["hydra_harness_inprocess"]
        if os.fork() == 0:
            print(_extension.load().pybind_NewToken(), flush=True)
            os._exit(0)
        os.wait()
    """
    assert printed(script(code)) == ["extension-missing", "1"]


def test_a_fork_before_the_first_call_is_no_matter(script: Script) -> None:
    code = """
        runtime = client()
        if os.fork() == 0:
            print(runtime.glob("README").paths, flush=True)
            runtime.close()
            sys.exit(0)
        os.wait()
        print(runtime.glob("README").paths)
        runtime.close()
    """
    assert printed(script(code)) == ["('README',)"] * 2


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing(method: str, tmp_path: Path, tree: Path, runtime_path: Path | None) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import multiprocessing, sys, warnings
warnings.simplefilter("ignore")  # threads and fork, of which this test is about
from hydra_harness_runtime import ForkedProcessError, Runtime, SearchConfig

def work(runtime):
    try:
        return runtime.glob("README").paths
    except ForkedProcessError as error:
        return error.code

if __name__ == "__main__":
    search = SearchConfig(sample_over_cap_glob_results=True)
    path = {str(runtime_path or "")!r} or None
    runtime = Runtime({str(tree)!r}, search=search, runtime_path=path, transport="inprocess")
    print(work(runtime))
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(work, [runtime] * 2))
    runtime.close()
"""
    )
    done = subprocess.run([sys.executable, program], check=False, capture_output=True, text=True, timeout=120)
    answer = "'RUNTIME_FORKED'" if method == "fork" else "('README',)"
    assert printed(done) == ["('README',)", f"[{answer}, {answer}]"]
