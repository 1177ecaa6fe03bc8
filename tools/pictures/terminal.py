"""A recording of a terminal: real commands in a small repository, as SVG."""

from __future__ import annotations

import io
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS = 98
HOME = "/home/charlie"
"""What stands in the picture for the temporary home: as long as that, so that lines break where they did."""

COMMANDS = (
    "hydra-harness-runtime grep TODO",
    "hydra-harness-runtime gate --root . --write-root . 'grep -rn TODO . > outbox/notes.txt'",
    "hydra-harness-runtime gate --root . 'timeout 5 cat ~/.ssh/id_ed25519'",
)

# rich's own form loads a font from another host; this one takes what the viewer has.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
    {styles}
    </style>
    <defs><clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">{matrix}</g>
    </g>
</svg>
"""


def repository(home: Path) -> Path:
    """A repository of a home, with a link that leads out of it."""
    repo = home / "repo"
    (repo / "src").mkdir(parents=True)
    (home / "elsewhere").mkdir()
    (repo / "outbox").symlink_to("../elsewhere")
    (repo / "src" / "app.py").write_text("def main():\n    pass  # TODO: parse the arguments\n")
    (repo / "src" / "db.py").write_text("# TODO: close the pool\n")
    for number, file in enumerate(sorted((repo / "src").iterdir())):
        os.utime(file, (number, number))
    return repo


def run(command: str, repo: Path, home: Path) -> str:
    """What a command prints on a terminal, escapes included."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"HOME": str(home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with subprocess.Popen(shlex.split(command), cwd=repo, env=env, stdin=slave, stdout=slave, stderr=slave):
        os.close(slave)
        printed = io.BytesIO()
        try:
            while chunk := os.read(master, 65536):
                printed.write(chunk)
        except OSError:  # Linux says so when the last writer has closed
            pass
        finally:
            os.close(master)
    return printed.getvalue().decode().replace("\r\n", "\n")


def record() -> Text:
    """The commands and what they printed."""
    shown = Text()
    with TemporaryDirectory(prefix="", dir="/tmp") as folder:
        if len(folder) != len(HOME):
            raise ValueError(f"{folder} is not as long as {HOME}")
        repo = repository(Path(folder))
        for command in COMMANDS:
            shown.append("~/repo $ ", "bold green")
            shown.append(f"{command}\n")
            shown.append_text(Text.from_ansi(run(command, repo, Path(folder)).replace(folder, HOME)))
            shown.append("\n")
    return shown


def draw() -> str:
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(record(), end="")
    return console.export_svg(title="hydra-harness-runtime", theme=MONOKAI, code_format=FORMAT, unique_id="terminal")
