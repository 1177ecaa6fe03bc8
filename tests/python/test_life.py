"""Forks, exits, signals: what a process does to the runtimes behind its clients.

Each case runs a small program of its own, so that a fork or an exit is real.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PRELUDE = """
import asyncio, faulthandler, os, signal, sys, threading, time
# A hang explains itself. An alarm and no timer of faulthandler's: that one is a
# thread, which a forked child does not have and would wait for.
faulthandler.register(signal.SIGALRM, all_threads=True, chain=True)
signal.alarm(25)
os.register_at_fork(after_in_child=lambda: signal.alarm(20))
from hydra_harness_runtime import *
SEARCH = SearchConfig(sample_over_cap_glob_results=True)
PATH = sys.argv[1]
FOLDER = os.path.dirname(PATH)
def client(kind=Runtime, **settings):
    return kind(FOLDER, search=SEARCH, runtime_path=PATH, **settings)
def log():
    with open(FOLDER + "/log") as file:
        return file.read()
def found(runtime):
    return [match.line for match in runtime.grep("hello").matches]
if __name__ == "__main__":
    main = None
"""

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(fake_path: Path, tmp_path: Path) -> Program:
    """Runs a program to its end, at most 25 seconds, and returns what it printed."""

    def run(code: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "program.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        done = subprocess.run(
            # Newer Pythons warn of any fork beside a thread, ours included.
            [sys.executable, "-W", "ignore::DeprecationWarning", str(script), str(fake_path)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


def pids(fake_path: Path) -> list[int]:
    return [int(line.split()[1]) for line in (fake_path.parent / "log").read_text().splitlines() if "start" in line]


def gone(pid: int) -> bool:
    """Whether a process has ended; it is given a moment, since nobody waits for a grandchild."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return True
        time.sleep(0.02)
    return False


def test_after_a_fork_both_sides_are_served(run: Program, fake_path: Path) -> None:
    done = run("""
        runtime = client()
        assert found(runtime) == ["hello"]
        child = os.fork()
        mine = found(runtime), runtime.pid
        assert mine[0] == ["hello"]
        if child == 0:
            runtime.close()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert found(runtime) == ["hello"]
        runtime.close()
    """)
    assert done.stderr == ""
    assert len(set(pids(fake_path))) == 2
    assert all(gone(pid) for pid in pids(fake_path))


def test_a_fork_in_the_middle_of_calls(run: Program, fake_path: Path) -> None:
    """Other threads hold locks at that moment; the child must not inherit them held."""
    run("""
        runtime = client()
        found(runtime)
        stop = threading.Event()
        def work():
            while not stop.is_set():
                found(runtime)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for _ in range(10):
            child = os.fork()
            if child == 0:
                assert found(runtime) == ["hello"]
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        stop.set()
        for thread in threads: thread.join()
        runtime.close()
    """)
    assert len(set(pids(fake_path))) == 11
    assert all(gone(pid) for pid in pids(fake_path))


def test_a_call_begun_before_the_fork_says_so_in_the_child(run: Program) -> None:
    run("""
        from hydra_harness_runtime._calls import check_process
        from hydra_harness_runtime._protocol import Request
        from hydra_harness_runtime._session import Call
        runtime = client()
        found(runtime)
        call = Call(Request("hydra/search/grep", {"pattern": "hello"}))
        runtime._engine.submit(call)
        child = os.fork()
        if child == 0:
            try:
                check_process(call)
            except ForkedProcessError as error:
                call.abandon("the parent's")
                os._exit(0 if error.code == "RUNTIME_FORKED" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert call.future.result(10)["matches"]
        runtime.close()
    """)


def test_closing_in_the_parent_reaches_the_runtime_although_a_child_lives(run: Program, fake_path: Path) -> None:
    """A worker forked while the runtime ran holds copies of its pipes."""
    run("""
        runtime = client()
        found(runtime)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        begun = time.monotonic()
        runtime.close()
        assert "end" in log(), log()
        os.close(write)
        os.waitpid(child, 0)
    """)
    assert "end" in (fake_path.parent / "log").read_text()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(run: Program, fake_path: Path, method: str) -> None:
    run(f"""
        import multiprocessing
        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            with client(owner="me") as runtime:
                assert found(runtime) == ["hello"]
                with context.Pool(2) as pool:
                    assert pool.map(found, [runtime] * 4) == [["hello"]] * 4
                    pool.close()
                    pool.join()
                assert found(runtime) == ["hello"]
    """)
    assert len(set(pids(fake_path))) >= 2
    assert all(gone(pid) for pid in pids(fake_path))


def test_prefork_as_web_servers_do(run: Program, fake_path: Path) -> None:
    """The master loads the application, touches the client, and forks workers that use threads."""
    run("""
        runtime = client()
        found(runtime)
        workers = []
        for _ in range(3):
            worker = os.fork()
            if worker == 0:
                answers = []
                threads = [threading.Thread(target=lambda: answers.append(found(runtime))) for _ in range(4)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                sys.exit(0 if answers == [["hello"]] * 4 else 1)
            workers.append(worker)
        assert [os.waitstatus_to_exitcode(os.waitpid(w, 0)[1]) for w in workers] == [0, 0, 0]
        assert found(runtime) == ["hello"]
    """)
    assert len(set(pids(fake_path))) == 4
    assert all(gone(pid) for pid in pids(fake_path))


def test_nothing_is_left_when_the_interpreter_ends(run: Program, fake_path: Path) -> None:
    done = run("""
        runtime = client()
        found(runtime)
        print(runtime.pid)
    """)
    assert gone(int(done.stdout))
    assert f"end {int(done.stdout)}" in (fake_path.parent / "log").read_text()
    assert done.stderr == ""


def test_an_exit_is_not_held_up_by_a_runtime_that_will_not_end(run: Program, fake_path: Path) -> None:
    done = run("""
        import atexit
        begun = []
        # Exit handlers run last in, first out: this one runs after the package's.
        runtime = client()
        found(runtime)
        os.kill(runtime.pid, signal.SIGSTOP)
        import hydra_harness_runtime._engine as engine
        atexit.unregister(engine._close_all)
        atexit.register(lambda: print(time.monotonic() - begun[0] < 2.5))
        atexit.register(engine._close_all)
        begun.append(time.monotonic())
    """)
    assert done.stdout == "True\n"
    assert all(gone(pid) for pid in pids(fake_path))


def test_an_exit_with_calls_in_flight(run: Program, fake_path: Path) -> None:
    run("""
        runtime = client()
        found(runtime)
        def hang():
            try:
                runtime.grep("fake:hang")
            except RuntimeClosedError:
                pass
        threading.Thread(target=hang, daemon=True).start()
        while "hanging" not in log():
            found(runtime)
    """)
    assert all(gone(pid) for pid in pids(fake_path))


def test_a_killed_python_leaves_no_runtime(run: Program, fake_path: Path) -> None:
    done = run("found(runtime := client()); os.kill(os.getpid(), signal.SIGKILL)", check=False)
    assert done.returncode == -signal.SIGKILL
    assert all(gone(pid) for pid in pids(fake_path))


def test_ctrl_c_stops_the_call_and_not_the_runtime(run: Program, fake_path: Path) -> None:
    run("""
        runtime = client()
        found(runtime)
        pid = runtime.pid
        def interrupt():
            while "hanging" not in log():
                time.sleep(0.01)
            os.killpg(os.getpgrp(), signal.SIGINT)
        os.setpgrp()
        threading.Thread(target=interrupt).start()
        try:
            runtime.grep("fake:hang")
        except KeyboardInterrupt:
            pass
        else:
            sys.exit("no KeyboardInterrupt")
        while "cancelled" not in log():
            found(runtime)
        assert runtime.pid == pid
        runtime.close()
    """)


def test_asyncio_run_interrupted(run: Program) -> None:
    run("""
        async def main():
            async with client(AsyncRuntime) as runtime:
                await runtime.grep("hello")
                call = asyncio.ensure_future(runtime.grep("fake:hang"))
                while "hanging" not in log():
                    await runtime.grep("hello")
                os.kill(os.getpid(), signal.SIGINT)
                await call
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            pass
        else:
            sys.exit("no KeyboardInterrupt")
        assert "end" in log()
    """)


def test_children_ignored_by_the_host(run: Program) -> None:
    """With SIGCHLD ignored the kernel reaps for us: the exit status is unknown, the rest works."""
    run("""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        runtime = client()
        assert found(runtime) == ["hello"]
        try:
            runtime.grep("fake:crash")
        except RuntimeClosedError as error:
            assert error.code == "RUNTIME_CRASHED"
        assert found(runtime) == ["hello"]
        runtime.close()
    """)


def test_descriptors_zero_to_two_closed_by_the_host(run: Program) -> None:
    run("""
        os.close(0); os.close(1)
        runtime = client()
        assert found(runtime) == ["hello"]
        runtime.close()
    """)
