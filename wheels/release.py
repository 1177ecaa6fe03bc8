"""``python -m wheels.release``: build wheels, judge them, prove that they can be rebuilt.

By default every wheel of both distributions. ``--host`` builds for this machine
only, and of the runtime, unless ``--inprocess`` asks for the in-process
extension; alone, ``--inprocess`` builds all wheels of that one. ``--twice``
builds every wheel again from a copy of the tree in another folder, under another
umask and in another time zone, and fails unless the bytes are equal; ``--cold``
compiles everything anew for that second build. The wheels come to ``--out`` only
when all of them are good; a complete set also gets ``SHA256SUMS``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wheels.check import Expectation, check_wheel
from wheels.distributions import Build, builds_for, every_build
from wheels.table import ROOT, host_target, load_targets

__all__ = ["build_wheel", "copy_tree", "main"]

SUMS = "SHA256SUMS"

# Not part of the sources: what git ignores at the top, and git itself.
_NOT_COPIED = (".git", "_gen", ".nox", ".venv", ".cache", "dist", "build", "__pycache__", ".*_cache", "_bin")

# Whatever differs between two machines must not show in the bytes.
_ELSEWHERE = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "1", "GOFLAGS": "-v"}
_OTHER_UMASK = 0o077


class ReleaseError(RuntimeError):
    """The wheels are not fit for release; the message says why."""


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m wheels.release", description="Build and judge wheels.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for good wheels (default: dist)")
    parser.add_argument("--host", action="store_true", help="only the wheel for this machine")
    parser.add_argument("--twice", action="store_true", help="build again elsewhere and compare the bytes")
    parser.add_argument("--inprocess", action="store_true", help="the in-process extension instead of the runtime")
    parser.add_argument("--cold", action="store_true", help="with --twice: compile everything anew")
    options = parser.parse_args(arguments)
    try:
        builds = _wanted(host=options.host, in_process=options.inprocess)
        with tempfile.TemporaryDirectory(prefix="hydra-harness-release-") as folder:
            wheels = [_good_wheel(build, Path(folder)) for build in builds]
            if options.twice:
                _compare(builds, wheels, Path(folder), cold=options.cold)
            _deliver(wheels, options.out, complete=not options.host and not options.inprocess)
    except (ReleaseError, LookupError) as error:
        print(f"wheels.release: {error}", file=sys.stderr)
        return 1
    return 0


def build_wheel(
    target: str, out: Path, root: Path = ROOT, *, extra: dict[str, str] | None = None, umask: int = -1
) -> Path:
    """Have hatchling build one wheel of the project at ``root`` into the new folder ``out``."""
    out.mkdir(parents=True)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    env = {**os.environ, **(extra or {}), "HYDRA_HARNESS_TARGET": target}
    done = subprocess.run(command, check=False, cwd=root, env=env, umask=umask, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"the wheel for {target} was not built:\n{done.stderr}")
    return next(out.glob("*.whl"))


def copy_tree(to: Path) -> Path:
    """The sources as they are now, committed or not, without what was built from them."""
    return Path(shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns(*_NOT_COPIED)))


def _wanted(*, host: bool, in_process: bool) -> list[Build]:
    targets = load_targets()
    builds = builds_for(host_target(targets)) if host else every_build(targets)
    if host or in_process:
        builds = [build for build in builds if build.in_process == in_process]
    if not builds:
        raise ReleaseError(f"there is no in-process wheel for {host_target(targets).name}: leave --inprocess out")
    return builds


def _good_wheel(build: Build, folder: Path) -> Path:
    wheel = build_wheel(build.target.name, folder / build.name, build.folder())
    faults = check_wheel(wheel, Expectation.of_repository())
    if faults:
        raise ReleaseError("\n".join([f"{wheel.name} is not good:", *map(str, faults)]))
    return wheel


def _compare(builds: list[Build], wheels: list[Path], folder: Path, *, cold: bool) -> None:
    copy = copy_tree(folder / "another place" / "tree")
    # zig compiles what cgo gives it, and keeps a cache of its own.
    anew = {"GOCACHE": str(folder / "cold"), "ZIG_GLOBAL_CACHE_DIR": str(folder / "cold-zig")} if cold else {}
    for build, wheel in zip(builds, wheels, strict=True):
        again = build_wheel(
            build.target.name,
            folder / "again" / build.name,
            build.folder(copy),
            extra={**_ELSEWHERE, **anew},
            umask=_OTHER_UMASK,
        )
        if again.read_bytes() != wheel.read_bytes():
            raise ReleaseError(f"{wheel.name} has other bytes when it is built elsewhere: {wheel} and {again} differ")
        print(f"{build.name}: built again elsewhere, equal bytes", flush=True)


def _deliver(wheels: list[Path], out: Path, *, complete: bool) -> None:
    out.mkdir(exist_ok=True)
    # Sums of a former set would vouch for files that are no longer there.
    (out / SUMS).unlink(missing_ok=True)
    if complete:
        for old in out.glob("*.whl"):
            old.unlink()
    lines = []
    for wheel in wheels:
        shutil.move(wheel, out / wheel.name)
        digest = hashlib.sha256((out / wheel.name).read_bytes()).hexdigest()
        lines.append(f"{digest}  {wheel.name}\n")
        print(f"{(out / wheel.name).stat().st_size / 1e6:4.1f} MB  {lines[-1]}", end="")
    if complete:
        (out / SUMS).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
