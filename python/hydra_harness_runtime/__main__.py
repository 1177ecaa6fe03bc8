"""The console script and ``python -m hydra_harness_runtime``.

Verifies the packaged executables and then *becomes* the runtime: same process,
same standard streams, same signals. The one word that Python keeps for itself
is ``remanifest``, for people who repackage the wheel.
"""

# ruff: noqa: PTH100, PTH118, PTH120, S606
# A program: it prints, it execs, and it starts once per call (no pathlib).
from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._bundle import manifest as manifests
from ._bundle.faults import bundle_error, launch_refusal
from ._bundle.host import current_host
from ._bundle.locate import locate
from ._errors import RuntimeBundleError
from ._version import __version__

__all__ = ["main"]

_USAGE = 2
"""Exit status of the search commands for an error, and the one that blocks in a hook."""

_NO_ANSWER = 3
"""Exit status of ``gate`` and ``plan`` when the machinery broke: 0 to 2 are answers there."""


def main() -> NoReturn:
    """Run the packaged runtime with this process's arguments; never returns."""
    arguments = sys.argv[1:]
    try:
        if arguments[:1] == ["remanifest"]:
            sys.exit(_remanifest(arguments[1:]))
        _become(arguments)
    except RuntimeBundleError as error:
        sys.stderr.write(f"hydra-harness-runtime: {error}\n")
        sys.exit(_failure_status(arguments))


def _become(arguments: list[str]) -> NoReturn:
    runtime = locate().runtime
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


if __name__ == "__main__":
    main()
