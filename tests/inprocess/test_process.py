"""What the extension does to its host: descriptors, signals, exits. Each test has an interpreter of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.inprocess.conftest import Slow
from tests.inprocess.test_same import until

Script = Callable[..., "subprocess.CompletedProcess[str]"]


def printed(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_nothing_is_loaded_before_the_first_call(script: Script) -> None:
    code = """
        runtime = client()
        print("hydra_harness_inprocess" in sys.modules, threading.active_count())
        runtime.glob("README")
        print("hydra_harness_inprocess._hydra_native" in sys.modules)
        runtime.close()
        print([thread.name for thread in threading.enumerate()])
    """
    assert printed(script(code)) == ["False 1", "True", "['MainThread']"]


def test_limits_and_signals_stay_as_they_were(script: Script) -> None:
    code = """
        import resource
        soft, hard = 256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        def masks():
            lines = open("/proc/self/status").read().splitlines()
            lines = [line.split(":\\t") for line in lines if line[:6] in ("SigIgn", "SigCgt", "SigBlk")]
            return {name: int(mask, 16) for name, mask in lines}
        def handlers():
            return {s: signal.getsignal(s) for s in signal.valid_signals() if s not in (signal.SIGKILL, signal.SIGSTOP)}
        before, python = masks(), handlers()
        with client() as runtime:
            runtime.glob("README")
            after = masks()
            print(resource.getrlimit(resource.RLIMIT_NOFILE) == (soft, hard), handlers() == python)
            names = lambda mask: {s.name for s in signal.Signals if mask & 1 << s - 1}
            print(sorted(names(before["SigIgn"] & ~after["SigIgn"])), sorted(names(after["SigBlk"])))
            print(sorted(names(after["SigCgt"] & ~before["SigCgt"])))
            import subprocess
            print(subprocess.run("ulimit -n", shell=True, capture_output=True, text=True).stdout.strip())
    """
    # Go catches faults, and SIGPIPE, which it ignores as Python did: the next test.
    caught = "['SIGBUS', 'SIGFPE', 'SIGPIPE', 'SIGSEGV', 'SIGURG']"
    assert printed(script(code)) == ["True True", "['SIGPIPE'] []", caught, "256"]


def test_an_unread_pipe_is_still_an_error_and_no_end(script: Script) -> None:
    code = """
        with client() as runtime:
            runtime.glob("README")
            read, write = os.pipe()
            os.close(read)
            try:
                os.write(write, b"x")
            except BrokenPipeError:
                print("BrokenPipeError")
    """
    assert printed(script(code)) == ["BrokenPipeError"]


@pytest.mark.parametrize(
    "end", ["sys.exit()", "os.kill(os.getpid(), signal.SIGTERM)", "os._exit(0)", "raise SystemExit"]
)
def test_an_exit_during_a_call_leaves_no_ripgrep(end: str, script: Script, slow: Slow) -> None:
    code = f"""
        runtime = client()
        def call():
            try:
                runtime.grep("x")
            except HarnessError as error:
                print(error.code, flush=True)
        threading.Thread(target=call, daemon=True).start()
        while not written({str(slow.path.with_name("pids"))!r}):
            time.sleep(0.01)
        {end}
    """
    done = script(code, path=slow.path, options=("-W", "ignore"))
    assert done.returncode in (0, -15), done.stderr
    assert slow.pids()
    until(lambda: not slow.alive(), "ripgrep goes on")


def test_an_exit_is_not_held_up_by_a_sidecar_that_does_not_end(script: Script, slow: Slow) -> None:
    sidecar = Path(f"{slow.path}-rg")
    sidecar.write_text(
        sidecar.read_text().replace("exec sleep 600", "trap '' TERM\nwhile :; do sleep 600 & wait; done")
    )
    code = f"""
        runtime = client()
        threading.Thread(target=lambda: runtime.grep("x"), daemon=True).start()
        while not written({str(slow.path.with_name("pids"))!r}):
            time.sleep(0.01)
        threading.excepthook = lambda *_: None
    """
    done = script(code, path=slow.path, options=("-W", "ignore"))
    assert done.returncode == 0, done.stderr
    until(lambda: not slow.alive(), "the sidecar outlived the process")


def test_a_killed_python_leaves_no_ripgrep(script: Script, slow: Slow) -> None:
    code = f"""
        runtime = client()
        threading.Thread(target=lambda: runtime.grep("x"), daemon=True).start()
        while not written({str(slow.path.with_name("pids"))!r}):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert script(code, path=slow.path).returncode == -9
    until(lambda: not slow.alive(), "ripgrep goes on")


def test_sigchld_ignored_is_named(script: Script) -> None:
    code = """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with client() as runtime:
            try:
                runtime.grep("TODO")
            except SearchFailedError as error:
                print("SIGCHLD" in str(error), 'transport="subprocess"' in str(error), dict(error.details))
            print(runtime.gate("ls", env={"PATH": "/bin"}).decision in ("allow", "ask"))
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            print(runtime.grep("TODO").paths)
    """
    assert printed(script(code)) == ["True True {'reason': 'sigchld'}", "True", "('README', 'src/a.py')"]


def test_a_stolen_status_is_an_error_and_no_result(script: Script) -> None:
    """Another part of the process waits for every child, ripgrep among them."""
    code = """
        def steal():
            while not over:
                try:
                    os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    pass
                time.sleep(0)  # lets the others run
        over, answers = [], set()
        thread = threading.Thread(target=steal)
        thread.start()
        with client() as runtime:
            while len(answers) < 2:
                try:
                    answers.add(runtime.grep("TODO").paths)
                except SearchFailedError as error:
                    answers.add("waits for every child (waitpid(-1))" in str(error))
            over.append(1)
            thread.join()
            print(answers == {True, ("README", "src/a.py")}, runtime.grep("TODO").paths)
    """
    assert printed(script(code)) == ["True ('README', 'src/a.py')"]


def test_too_many_open_files_are_named(script: Script) -> None:
    code = """
        import resource
        with client() as runtime:
            runtime.glob("README")
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            files = []
            try:
                while True:
                    files.append(open(os.devnull))
            except OSError:
                pass
            try:
                runtime.grep("TODO")
            except SearchFailedError as error:
                print("raise its limit (ulimit -n)" in str(error))
            print(runtime.gate("cat src/*", env={"PATH": "/bin"}).decision, runtime.plan("ls").segments[0].command)
            for file in files:
                file.close()
            print(runtime.grep("TODO").paths, runtime.gate("cat src/*", env={"PATH": "/bin"}).decision)
    """
    assert printed(script(code)) == ["True", "ask ls", "('README', 'src/a.py') allow"]


def test_changes_of_the_environment_are_seen(script: Script, tmp_path: Path) -> None:
    code = f"""
        search = SearchConfig(sample_over_cap_glob_results=True, grep_max_matches=1)
        with client() as runtime:
            for name in ("first", "second"):
                os.environ["XDG_STATE_HOME"] = {str(tmp_path)!r} + "/" + name
                locator = runtime.call_tool("grep", {{"pattern": "TODO"}}).locator
                print(locator.startswith(os.environ["XDG_STATE_HOME"] + "/"), os.path.exists(locator))
    """
    assert printed(script(code)) == ["True True"] * 2


def test_the_working_directory_of_the_process_does_not_matter(script: Script, tmp_path: Path) -> None:
    code = f"""
        with client() as runtime:
            print(runtime.glob("README").paths)
            os.chdir({str(tmp_path)!r})
            print(runtime.glob("README").paths, runtime.gate("cat README", env={{"PATH": "/bin"}}).decision)
            os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")
            print(runtime.glob("README").paths)
    """
    found = "('README',)"
    assert printed(script(code)) == [found, f"{found} allow", found]


@pytest.mark.parametrize("when", ["before", "after"])
def test_faulthandler_still_reports_faults_of_the_host(when: str, script: Script) -> None:
    code = f"""
        import ctypes, faulthandler
        if {when!r} == "before":
            faulthandler.enable()
        runtime = client()
        runtime.glob("README")
        if {when!r} == "after":
            faulthandler.enable()
        ctypes.string_at(0)
    """
    done = script(code)
    assert done.returncode == -11
    assert "Segmentation fault" in done.stderr
    assert "string_at" in done.stderr


def test_the_log_reaches_logging(script: Script, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = f"""
        import logging
        logging.basicConfig(format="%(name)s %(levelname)s %(message).60s", stream=sys.stdout)
        search = SearchConfig(sample_over_cap_glob_results=True, spill_root={str(tmp_path / "file")!r})
        client().tools()
    """
    done = script(code, options=("-W", "ignore"))
    assert printed(done)[0].startswith("hydra_harness_runtime.runtime WARNING results that do not fit cannot be saved")


def test_clients_that_are_forgotten(script: Script) -> None:
    code = """
        import gc, warnings
        warnings.simplefilter("ignore", ResourceWarning)
        for _ in range(50):
            client().tools()
            gc.collect()
        end = time.monotonic() + 30
        while threading.active_count() > 1 and time.monotonic() < end:
            time.sleep(0.01)
        print(threading.active_count())
    """
    assert printed(script(code)) == ["1"]
