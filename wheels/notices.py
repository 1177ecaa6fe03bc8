"""``python -m wheels.notices [--check]``: write THIRD_PARTY_NOTICES.md.

What the runtime links is asked of the Go toolchain, for every target, and the
licence texts come from the module cache. What ripgrep contains is kept by hand
in ``sidecar.json`` and ``sidecar_licences.md``. With ``--check`` nothing is
written; exit status 1 says that the file is out of date.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from wheels import sbom
from wheels.payload import COMMAND
from wheels.table import ROOT, load_lock, load_targets

__all__ = ["main", "notices"]

FILE = ROOT / "THIRD_PARTY_NOTICES.md"

INTRODUCTION = """\
# Third-party notices

A wheel of hydra-harness-runtime holds two programs: the runtime, written in Go,
and ripgrep, written in Rust and C. Our own code is under the MIT licence (see
LICENSE). This file names what else is inside them and gives the licences.
It is written by `python -m wheels.notices`; do not edit it.
"""

_LICENCE_FILES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING")

# Words that occur in one licence only; a BSD text has two clauses unless it has
# the third one, too.
_SIGNS = {
    "Apache-2.0": "Apache License",
    "MPL-2.0": "Mozilla Public License",
    "BSD-3-Clause": "Neither the name",
    "BSD-2-Clause": "Redistribution and use in source and binary forms",
    "MIT": "Permission is hereby granted, free of charge",
}


class Module(NamedTuple):
    """A Go module that some target links, with the text of its licence."""

    path: str
    version: str
    licence: str
    text: str


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m wheels.notices", description="Write THIRD_PARTY_NOTICES.md.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail when the file is out of date")
    options = parser.parse_args(arguments)
    text = notices()
    if not options.check:
        FILE.write_text(text, "utf-8")
        return 0
    if not FILE.is_file() or FILE.read_text("utf-8") != text:
        print(f"{FILE.name} is out of date: run `python -m wheels.notices`", file=sys.stderr)
        return 1
    return 0


def notices() -> str:
    """The whole file."""
    (version,) = {pin.ripgrep_version for pin in load_lock().values()}
    parts = sorted(sbom.load_sidecar(ROOT, version), key=lambda part: part["name"].lower())
    rows = [("ripgrep", version, "Unlicense OR MIT", "all")]
    rows += [(p["name"], p["version"], p["licence"], _where(p["systems"])) for p in parts]
    modules = _modules()
    return "\n".join(
        [
            INTRODUCTION,
            "## In ripgrep\n",
            *_table(("part", "version", "licence", "wheels for"), rows),
            (ROOT / "wheels" / "sidecar_licences.md").read_text("utf-8"),
            "## In the runtime\n",
            *_table(("module", "version", "licence"), [(m.path, m.version, m.licence) for m in modules]),
            *_texts(modules),
        ]
    )


def _modules() -> list[Module]:
    """The modules linked for any target, and Go's own library."""
    form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    found: set[tuple[str, ...]] = set()
    for target in load_targets().values():
        env = {"GOOS": target.goos, "GOARCH": target.goarch, "CGO_ENABLED": "0"}
        lines = _go("list", "-deps", "-f", form, COMMAND, **env).splitlines()
        found |= {tuple(line.split("\t")) for line in lines if line}
    modules = [_module(path, version, Path(folder)) for path, version, folder in sorted(found)]
    standard = _module("Go standard library", "of the building toolchain", Path(_go("env", "GOROOT").strip()))
    return [standard, *modules]


def _module(path: str, version: str, folder: Path) -> Module:
    for name in _LICENCE_FILES:
        if (folder / name).is_file():
            text = (folder / name).read_text("utf-8").strip()
            return Module(path, version, _licence(path, text), text)
    raise LookupError(f"{path} has no licence file in {folder}")


def _licence(path: str, text: str) -> str:
    flat = re.sub(r"\s+", " ", text)
    found = [licence for licence, sign in _SIGNS.items() if sign in flat]
    if "BSD-3-Clause" in found:
        found.remove("BSD-2-Clause")
    if not found:
        raise LookupError(f"the licence of {path} is none that this program knows; add its sign")
    return " AND ".join(found)


def _texts(modules: list[Module]) -> list[str]:
    """Every different text once, under the names of those who use it."""
    users = defaultdict(list)
    for module in modules:
        users[module.text].append(module.path)
    return [f"### {', '.join(paths)}\n\n```text\n{text}\n```\n" for text, paths in users.items()]


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [heads, ("---",) * len(heads), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def _where(systems: list[str]) -> str:
    return "all" if len(systems) > 1 else systems[0].replace("linux", "Linux").replace("macos", "macOS")


def _go(*arguments: str, **env: str) -> str:
    done = subprocess.run(
        ["go", *arguments], check=True, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
