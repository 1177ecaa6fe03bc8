"""What a person runs here; ``nox -l`` is the table of contents.

``nox`` alone is the test run. Sessions that need a wheel use the one that
``wheel`` has just built in ``dist/``; the source package under ``python/`` is
never importable in them.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"  # `requires` between sessions

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
HERE = "{}.{}".format(*sys.version_info)
HERE = HERE if HERE in PYTHONS else PYTHONS[-1]
SOURCES = ["noxfile.py", "docs/examples", "pybind", "python", "tests", "tools", "wheels"]
FRAMEWORKS = ["langchain", "deepagents", "pydantic-ai", "openai-agents", "google-adk", "claude-agent-sdk", "mcp"]
RACED = [f"./gocore/{name}" for name in ("supervise", "subprocess", "spill", "fresh", "tool", "harness/dispatch")]
WORKFLOWS = ROOT / ".github" / "workflows"
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

nox.options.default_venv_backend = "virtualenv"  # pip everywhere, so that people and CI see the same
# The order is that of the patience they ask for; the tests close the run.
QUICK = ["lint", "types", "go", "race", "oracle", "confine", "demo", "docs", "site"]
LAST = [f"inprocess-{HERE}", f"tests-{HERE}"]
nox.options.sessions = [*QUICK, "coverage", "bundlers", f"installed-{HERE}", "clients", *LAST]


def offer_pyenv() -> None:
    """pyenv hides the interpreters that nobody chose; sessions for every Python want them all."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    here = platform.python_version()
    others = [path.name for version in PYTHONS for path in root.glob(f"{version}.*") if path.name != here]
    chosen = [name for name in (here, *others) if (root / name).is_dir()]
    if chosen:
        os.environ.setdefault("PYENV_VERSION", ":".join(chosen))


offer_pyenv()


def group(name: str) -> list[str]:
    """The packages of one dependency group of pyproject.toml."""
    return nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), name)


def compilers() -> list[str]:
    """What the in-process extension is built with; hatchling runs in the session, not in an environment of its own."""
    return list(nox.project.load_toml("pybind/pyproject.toml")["build-system"]["requires"])


def install_wheel(session: nox.Session, *more: str) -> None:
    """The wheel from ``dist/`` and nothing else but what is asked for: it has no dependencies."""
    names = ["hydra-harness-runtime", *more]
    session.install("--force-reinstall", "--no-deps", "--no-index", f"--find-links={DIST}", *names)


def without_rg(session: nox.Session) -> str:
    """PATH without any ``rg``: a folder that has one is replaced by links to all else in it."""
    folders = [Path(folder) for folder in (session.env.get("PATH") or os.environ["PATH"]).split(os.pathsep)]
    for i, folder in enumerate(folders):
        if (folder / "rg").exists():
            folders[i] = Path(session.virtualenv.location) / f"path-{i}"
            folders[i].mkdir(exist_ok=True)
            for entry in folder.iterdir():
                if entry.name != "rg" and not (folders[i] / entry.name).is_symlink():
                    (folders[i] / entry.name).symlink_to(entry)
    return os.pathsep.join(map(str, folders))


def strictly(session: nox.Session) -> dict[str, str]:
    """The environment of tests that need the wheel: no ``rg``, and a broken install is a failure, never a skip."""
    return {"PATH": without_rg(session), "HYDRA_HARNESS_REQUIRE_RUNTIME": "1"}


@nox.session
def lint(session: nox.Session) -> None:
    """Python: ruff finds nothing and would format nothing; staticcheck and actionlint agree."""
    session.install(*group("lint"))
    session.run("ruff", "check", *SOURCES)
    session.run("ruff", "format", "--check", *SOURCES)
    session.run("go", "run", STATICCHECK, "./...", external=True)
    session.run("go", "run", ACTIONLINT, *map(str, sorted(WORKFLOWS.glob("*.yml"))), external=True)


@nox.session(requires=["wheel"])
def types(session: nox.Session) -> None:
    """Python: mypy and pyright agree with every annotation, in their strict modes; a user's program, too."""
    session.install(*group("types"))
    session.run("mypy")
    session.run("mypy", "-p", "wheels")
    session.run("mypy", "--explicit-package-bases", "pybind/build.py", "pybind/hatch_build.py")
    session.run("pyright")
    install_wheel(session)
    for python in PYTHONS:
        session.run("mypy", "--config-file=tests/typed/mypy.ini", f"--python-version={python}", "tests/typed/agent.py")
        session.run("pyright", "-p", "tests/typed", "--pythonversion", python)


@nox.session(venv_backend="none")
def go(session: nox.Session) -> None:
    """Go: the tests beside the code, vet, gofmt. Arguments go to `go test`."""
    session.run(sys.executable, "tests/skips.py", "go", "test", *(session.posargs or ["./..."]), external=True)
    session.run("go", "vet", "./...", external=True)
    unformatted = session.run("gofmt", "-l", ".", external=True, silent=True)
    if unformatted:
        session.error(f"gofmt would change:\n{unformatted}")


@nox.session(venv_backend="none")
def race(session: nox.Session) -> None:
    """Go: the race detector over packages that start goroutines. Arguments are others, e.g. `./gocore/server`."""
    # The tables of every distortion of every parameter take minutes there, and have one goroutine.
    tests = ["go", "test", "-race", "-timeout=20m", "-skip=IsReadInOneWay", *(session.posargs or RACED)]
    session.run(sys.executable, "tests/skips.py", *tests, external=True, env={"CGO_ENABLED": "1"})


@nox.session(venv_backend="none")
def oracle(session: nox.Session) -> None:
    """Enumerated commands that the gate allows stay inside, says the kernel. Arguments go to tests/oracle."""
    if sys.platform != "linux":
        session.skip("strace and namespaces are Linux's")
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if rights and (not shutil.which("sudo") or subprocess.run([*rights, "true"], check=False).returncode):
        session.skip("it needs root, which it gives up, to make namespaces; sudo asks for a password here")
    built = str(Path(session.create_tmp()) / "oracle")
    session.run("go", "build", "-o", built, "./tests/oracle", external=True)
    session.run(*rights, built, *(session.posargs or ["-ci"]), external=True)


@nox.session
def confine(session: nox.Session) -> None:
    """What the sandbox refuses and lets work, says the kernel. Arguments go to pytest."""
    if sys.platform != "linux":
        session.skip("the sandbox is Linux's")
    session.install(*group("test"))
    built = str(Path(session.create_tmp()) / "hydra-harness-runtime")
    session.run("go", "build", "-o", built, "./gocore/cmd/hydra-harness-runtime", external=True)
    session.run(
        "pytest", *(session.posargs or ["tests/confine"]), env={"CONFINE_RUNTIME": built, "PATH": without_rg(session)}
    )


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel for this machine into dist/ and judge it."""
    session.install(*group("build"))
    session.run("python", "-m", "wheels.release", "--host")


@nox.session
def extension(session: nox.Session) -> None:
    """Build the wheel of the in-process extension for this machine into dist/ and judge it."""
    if sys.platform != "linux":
        session.skip("the extension is for Linux")
    session.install(*group("build"), *compilers())
    session.run("python", "-m", "wheels.release", "--inprocess", "--host")


@nox.session
def wheels(session: nox.Session) -> None:
    """Every wheel, judged, built twice with equal bytes; SHA256SUMS. `-- --cold` compiles twice."""
    session.install(*group("build"), *compilers())
    session.run("python", "-m", "wheels.release", "--twice", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """What would be published: `wheels` and more checks, a complete set or nothing; see docs/releasing.md."""
    session.install(*group("release"), *compilers(), *group("test"))
    session.run("python", "-m", "wheels.release", "--twice", *session.posargs)
    install_wheel(session)
    whole = ["tests/wheel/test_versions.py", "tests/wheel/test_check_extension.py"]
    session.run("pytest", "-q", *whole, env={"PATH": without_rg(session)})
    session.run("twine", "check", "--strict", *map(str, sorted(DIST.glob("*.whl"))))
    session.run("check-wheel-contents", *map(str, sorted(DIST.glob("*.whl"))))
    session.run("python", "-m", "wheels.complete")


@nox.session(requires=["wheel"])
def mutants(session: nox.Session) -> None:
    """Do tests see it when the code is changed? Hours; `-- judge` is one part: see tests/mutants."""
    session.install(*group("test"), *group("mutants"))
    install_wheel(session)
    env = {**strictly(session), "HYDRA_TESTS_REQUIRE_ORACLES": "0"}
    session.run("python", "-m", "tests.mutants", *session.posargs, env=env)


@nox.session(requires=["wheel"])
def demo(session: nox.Session) -> None:
    """Install the wheel into a fresh environment and search this repository with it."""
    install_wheel(session)
    env = {"PATH": without_rg(session)}
    session.run("hydra-harness-runtime", "grep", "--include", "*.go", "^func main", env=env)
    session.run("hydra-harness-runtime", "glob", "wheels/*.json", env=env)
    session.run("python", "-c", "import hydra_harness_runtime as h; print(h.bundled_runtime_path())", env=env)


@nox.session(python=PYTHONS, requires=["wheel"])
def tests(session: nox.Session) -> None:
    """The Python tests against the installed wheel. Arguments go to pytest."""
    session.install(*group("test"), *group("installers"))
    install_wheel(session)
    skip = [
        f"--ignore=tests/{part}" for part in ("adapters", "confine", "docs", "inprocess", "server", "wheel/installed")
    ]
    session.run("pytest", *(session.posargs or ["tests", *skip]), env=strictly(session))


@nox.session(python=PYTHONS, requires=["wheel", "extension"])
def inprocess(session: nox.Session) -> None:
    """The extension: every Python here loads it, both transports answer alike, nothing ends its host."""
    if sys.platform != "linux":
        session.skip("the extension is for Linux")
    session.install(*group("test"), *group("inprocess"))
    install_wheel(session, "hydra-harness-inprocess")
    session.run("pytest", "-s", *(session.posargs or ["tests/inprocess"]), env=strictly(session))


@nox.session(requires=["wheel"])
def clients(session: nox.Session) -> None:
    """The server: MCP's official clients against it, and chaos. Figures are printed."""
    session.install(*group("test"))
    install_wheel(session)
    session.run("pytest", "-s", *(session.posargs or ["tests/server"]), env=strictly(session))


@nox.session(requires=["wheel"])
@nox.parametrize("framework", FRAMEWORKS, ids=FRAMEWORKS)
def adapters(session: nox.Session, framework: str) -> None:
    """The framework in brackets, from PyPI, with a scripted model: the tools, the gate, the example."""
    install_wheel(session)
    session.install(*group("adapters"), "mcp>=2" if framework == "mcp" else f"hydra-harness-runtime[{framework}]")
    module = framework.replace("-", "_")
    if framework != "mcp":
        session.run("mypy", f"--python-version={HERE}", "-m", f"hydra_harness_runtime.adapters.{module}")
    tests = [str(path) for path in sorted(ROOT.glob(f"tests/adapters/test_{module}*.py"))]
    session.run("pytest", "-q", *tests, *session.posargs, env={"PATH": without_rg(session)})


@nox.session(requires=["wheel"])
def coverage(session: nox.Session) -> None:
    """Branches of the Python package that its tests take; all of them in the locator."""
    session.install(*group("test"))
    install_wheel(session)
    session.run("coverage", "run", "-m", "pytest", "-q", "tests/python", *session.posargs, env=strictly(session))
    session.run("coverage", "report")
    session.run("coverage", "report", "--include=*/hydra_harness_runtime/_bundle/*.py", "--fail-under=100")


@nox.session(python=PYTHONS, requires=["wheel"])
def installed(session: nox.Session) -> None:
    """The wheel as people install it: other folders, users, layouts; no source tree in sight."""
    session.install(*group("test"), *group("installers"))
    session.run("pytest", "tests/wheel/installed", *session.posargs, env={"PATH": without_rg(session)})


@nox.session(requires=["wheel"])
def bundlers(session: nox.Session) -> None:
    """The wheel inside of applications: pex, shiv, PyInstaller."""
    session.install(*group("test"), *group("bundlers"))
    bundled = "tests/wheel/installed/test_bundlers.py"
    session.run("pytest", bundled, *session.posargs, env={"PATH": without_rg(session)})


@nox.session(requires=["wheel"])
def musl(session: nox.Session) -> None:
    """The Linux executables search, gate and serve in an empty root: no libc at all, so any libc will do."""
    session.install(*group("test"))
    session.run("pytest", "-v", "tests/wheel/test_static.py", "tests/wheel/test_musl.py", *session.posargs)


@nox.session(requires=["wheel"])
def arm64(session: nox.Session) -> None:
    """The arm64 executables run under qemu with pages of 4K, 16K and 64K; skipped tests say what is lacking."""
    session.install(*group("test"))
    session.run("pytest", "-v", "tests/wheel/test_arm64.py", *session.posargs)


@nox.session(name="bench-locator", requires=["wheel"])
def bench_locator(session: nox.Session) -> None:
    """What it costs to import the package and to prove its executables; fails beyond the budgets."""
    install_wheel(session)
    session.run("python", "tests/bench_locator.py", *session.posargs)


@nox.session(name="bench-python", requires=["wheel"])
def bench_python(session: nox.Session) -> None:
    """What a call costs from Python, beside `subprocess.run` of ripgrep. `-- --docs` writes docs/benchmarks.md."""
    install_wheel(session)
    session.run("python", "-m", "tests.python.bench", *session.posargs)


@nox.session(name="bench-server", requires=["wheel"])
def bench_server(session: nox.Session) -> None:
    """Start, round trips and 10,000 calls on the wire, beside ripgrep. `-- --docs` writes docs/benchmarks.md."""
    session.install(*group("test"))
    install_wheel(session)
    session.run("python", "-m", "tests.server.bench", *session.posargs)


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """What the runtime costs over raw ripgrep; docs/benchmarks.md has the figures. `-- --quick` tries it."""
    session.run("go", "run", "./tests/bench", *session.posargs, external=True)


@nox.session(venv_backend="none")
def conformance(session: nox.Session) -> None:
    """The recorded searches, each answer compared. Arguments go to the driver: see tests/conformance/."""
    session.run("go", "run", "./tests/conformance/search", *session.posargs, external=True)


@nox.session(requires=["wheel"])
def docs(session: nox.Session) -> None:
    """The examples of the README and of the pages do what they show, the pictures are today's, links lead somewhere."""
    session.install(*group("test"), *group("pictures"))
    install_wheel(session)
    session.run("pytest", "tests/docs", *session.posargs, env={"PATH": without_rg(session)})


@nox.session(requires=["wheel"])
def site(session: nox.Session) -> None:
    """The documentation as pages to browse, with the reference of the Python package, in build/site; no warning."""
    session.install(*group("site"))
    install_wheel(session)
    session.run("zensical", "build", "--clean", "--strict")


@nox.session(requires=["wheel"])
def pictures(session: nox.Session) -> None:
    """The pictures of the documentation, anew: the overview, and a recording of a terminal."""
    session.install(*group("pictures"))
    install_wheel(session)
    session.run("python", "-m", "tools.pictures", "docs/pictures", env={"PATH": without_rg(session)})
