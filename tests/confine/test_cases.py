"""The recorded cases of confine, with the kernel as the judge."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import world

ROOT = Path(__file__).resolve().parents[2]
CASES = [json.loads(line) for line in (ROOT / "tests/conformance/confine/cases.jsonl").read_text().splitlines()]
MODES = [(case, mode) for case in CASES for mode in case["modes"]]
TOOLS = ["go", "git", "gcc", "make", "gdb", "node", "npm", "cargo", "script", "tmux", "curl", "ssh-agent", "ssh-add"]
TOOLS += ["infocmp", "ps", "prlimit", "unshare"]
STARTS = re.compile(
    r"(?:^|[\s;&|(!])(?:exec |timeout \d+ )?(" + "|".join(sorted(TOOLS, key=len, reverse=True)) + r")(?=[\s;&)|]|$)"
)
LIMIT = 400  # seconds, for a case that hangs: a cold build under load takes minutes
NOT_STARTED = 125

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="confine is Linux's"),
    pytest.mark.skipif("CONFINE_RUNTIME" not in os.environ, reason="`nox -s confine` builds what is tested here"),
]


class Scratch:
    """The world, and how its users run a text."""

    def __init__(self, at: Path) -> None:
        self.at, self.runtime = at, str(at / "runtime")
        shutil.copy(os.environ["CONFINE_RUNTIME"], self.runtime)
        self.users = {"root": 0, "user": world.OTHER} if os.geteuid() == 0 else {"user": os.geteuid()}
        world.make(at, self.users)
        self.env = {user: world.environment(at, user, self.runtime) for user in self.users}

    def start(
        self, user: str, text: str, more: dict[str, str] | None = None, *, rights: bool = False
    ) -> subprocess.Popen[str]:
        become: dict[str, Any] = (
            {}
            if rights or os.geteuid() == self.users[user]
            else {"user": world.OTHER, "group": world.OTHER, "extra_groups": []}
        )
        return subprocess.Popen(
            ["/bin/bash", "-c", text], env=self.env[user] | (more or {}), cwd=self.at / user / "repo",
            text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, **become,
        )  # fmt: skip

    def run(self, user: str, text: str, more: dict[str, str] | None = None, *, rights: bool = False) -> tuple[int, str]:
        process = self.start(user, text, more, rights=rights)
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        return process.returncode, said


@pytest.fixture(scope="session")
def scratch() -> Iterator[Scratch]:
    """A world that every user can reach, which pytest's own folders are not."""
    at = Path(tempfile.mkdtemp(prefix="confine-", dir="/var/tmp"))
    at.chmod(0o755)
    try:
        yield Scratch(at)
    finally:
        shutil.rmtree(at, ignore_errors=True)


@pytest.fixture(scope="session")
def levels(scratch: Scratch) -> dict[str, str]:
    """Why a user has no level; nothing where it has."""
    found = {}
    for user in scratch.users:
        for level in ("ns", "ll"):
            status, said = scratch.run(user, f'exec "$X" confine --level {level} --write-root "$R" -- true')
            found[f"{user}-{level}"] = "" if status == 0 else f"{user} has no level {level} here: {said.strip()}"
    return found


def lacking(scratch: Scratch, user: str, case: dict[str, Any]) -> str:
    """What this machine lacks: a refusal for want of a program would prove nothing."""
    text = "\n".join(case.get(key, "") for key in ("setup", "server", "command"))
    for tool in sorted(set(STARTS.findall(text))):
        if scratch.run(user, f"command -v {tool}")[0]:
            return f"there is no {tool} for {user}"
    for path in re.findall(r"/dev/vda\b|/sys/fs/cgroup/unified\b", case["command"]):
        if not Path(path).exists():
            return f"there is no {path}"
    return ""


@pytest.mark.parametrize(("case", "mode"), MODES, ids=[f"{case['id']}-{mode}" for case, mode in MODES])
def test_case(scratch: Scratch, levels: dict[str, str], case: dict[str, Any], mode: str) -> None:
    user, level = mode.split("-")
    if user not in scratch.users:
        pytest.skip("this runs as root, and we are not")
    if why := levels[mode] or lacking(scratch, user, case):
        pytest.skip(why)
    server = None
    if "setup" in case:
        status, said = scratch.run(user, case["setup"])
        assert status == 0, said
    if "server" in case:
        scratch.run(user, "rm -f $T/pid $T/ptyname $O/*.sock")
        server = scratch.start(user, case["server"])
        status, said = scratch.run(
            user, f"n=0; until {case['ready']}; do sleep 0.05; n=$((n + 1)); [ $n -lt 400 ] || exit 1; done"
        )
        assert status == 0, said
    try:
        words = f'exec "$X" confine --level {level} {case["flags"]} -- bash -c "$CMD" {case.get("redir", "")}'
        status, said = scratch.run(user, words, {"CMD": case["command"]})
        after = scratch.run(user, case["after"], rights=True) if "after" in case else (0, "")
    finally:
        if server is not None:
            os.killpg(server.pid, signal.SIGKILL)
            server.communicate()
    if case["expect"] == "works":
        assert status == 0, said
    elif case["expect"] == "refused":
        assert status not in (0, NOT_STARTED), said
    else:
        assert status == NOT_STARTED, said
    assert after[0] == 0, after[1]
