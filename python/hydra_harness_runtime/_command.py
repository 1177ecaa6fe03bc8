"""What the console script does, once it is on its own.

Verifies the packaged executables and then *becomes* the runtime: same process,
same standard streams, same signals. Two words Python keeps for itself:
``verify`` compares every file of the package with what was packed, and
``remanifest`` is for people who repackage the wheel.
"""

# ruff: noqa: PTH100, PTH118, PTH120, S606
# A program: it prints, it execs, and it starts once per call (no pathlib).
from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._bundle import manifest as manifests
from ._bundle.faults import OVERRIDE, bundle_error, launch_refusal
from ._bundle.host import current_host
from ._bundle.locate import installed, locate
from ._errors import RuntimeBundleError
from ._version import __version__

__all__ = ["run"]

_USAGE = 2
"""Exit status of the search commands for an error, and the one that blocks in a hook."""

_NO_ANSWER = 3
"""Exit status of ``gate`` and ``plan`` when the machinery broke: 0 to 2 are answers there."""


def run() -> NoReturn:
    """Run the packaged runtime with this process's arguments; never returns."""
    arguments = sys.argv[1:]
    try:
        if arguments[:1] == ["remanifest"]:
            sys.exit(_remanifest(arguments[1:]))
        if arguments[:1] == ["verify"]:
            sys.exit(_verify(arguments[1:]))
        _become(arguments)
    except RuntimeBundleError as error:
        sys.stderr.write(f"hydra-harness-runtime: {error}\n")
        sys.exit(_failure_status(arguments))


_OVERRIDABLE = frozenset(
    {"glob", "grep", "serve", "spill", "doctor", "version", "completion", "help", "--help", "-h", "--version"}
)
"""Words that begin a call for which another runtime may stand in. The gate is not
among them, nor what is not known here: who can set a variable must not judge."""


def _become(arguments: list[str]) -> NoReturn:
    usable = not arguments or arguments[0] in _OVERRIDABLE
    if not usable and os.environ.get(OVERRIDE):
        sys.stderr.write(f"hydra-harness-runtime: {OVERRIDE} is set, and is not used for `{arguments[0]}`\n")
    runtime = locate(override=usable).runtime
    try:
        os.execv(runtime, [runtime, *arguments])
    except OSError as error:
        raise bundle_error(
            launch_refusal(error, runtime), target="", host=str(current_host()), version=__version__
        ) from None


def _failure_status(arguments: list[str]) -> int:
    # As in the runtime: no other flag of these commands begins with a d, and a misspelt hook must block.
    asks_gate = arguments[:1] in (["gate"], ["plan"], ["establish"])
    in_hook = any(word.startswith(("-d", "--d")) for word in arguments)
    return _NO_ANSWER if asks_gate and not in_hook else _USAGE


def _verify(arguments: list[str]) -> int:
    if arguments:
        sys.stderr.write("usage: python -m hydra_harness_runtime verify\n")
        return _USAGE
    sys.stdout.write(f"{installed().verify_all()} files are as they were packed\n")
    return 0


def _remanifest(arguments: list[str]) -> int:
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"]):
        sys.stderr.write("usage: python -m hydra_harness_runtime remanifest [DIRECTORY]\n")
        return _USAGE
    package = os.path.dirname(os.path.abspath(__file__))
    folder = arguments[0] if arguments else os.path.join(package, "_bin")
    try:
        manifest = manifests.rewrite(folder)
    except (OSError, manifests.ManifestError) as error:
        sys.stderr.write(f"hydra-harness-runtime: remanifest of {folder}: {error}\n")
        return 1
    for name, entry in sorted(manifest.files.items()):
        sys.stdout.write(f"{entry.sha256}  {entry.size:>10}  {name}\n")
    return 0
