"""Running one case under strace."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import tempfile

from . import layout
from .layout import Places
from .truth import Truth, followed

Case = dict[str, object]

# A command that waits for something is given up after this many seconds.
TIMEOUT = 30
# Lists longer than this are cut in a record, with their length beside them.
LONG, KEPT = 300, 50


def truth_of(case: Case, mutated: bool = True) -> dict[str, object]:
    """Lays the case out, runs its command as an unprivileged user, and returns
    the kernel_* fields and the exit status."""
    base = os.path.realpath(tempfile.mkdtemp(prefix="kernel_truth_"))
    at, traces = Places(base), base + ".trace"
    try:
        modes = layout.lay_out(list(case["tree"]), at)  # type: ignore[call-overload]
        if mutated and case.get("mutate"):
            layout.mutate(list(case["mutate"]), at)  # type: ignore[call-overload]
        os.mkdir(traces)
        os.chmod(traces, 0o777)
        user = str(case.get("user", "nobody"))
        if os.geteuid() == 0:
            account = pwd.getpwnam(user)
            layout.give_to(base, account.pw_uid, account.pw_gid)
        os.chmod(base, 0o755)
        os.chmod(at.out + "/tmp", 0o777)
        for path, mode in modes:
            os.chmod(path, mode)
        cwd = at.fill(str(case.get("cwd", "{ROOT}")))
        status = _strace(case, at, cwd, traces, user)
        truth = Truth(at, followed(cwd), list(case.get("keep", [])))  # type: ignore[call-overload]
        for name in sorted(os.listdir(traces), key=lambda n: int(n.rsplit(".", 1)[1])):
            truth.add_process(os.path.join(traces, name))
        result = truth.result() | {"exit": status}
        return _masked(result, str(case["mask"])) if case.get("mask") else result
    finally:
        layout.remove(base)
        layout.remove(traces)


def _strace(case: Case, at: Places, cwd: str, traces: str, user: str) -> int:
    env: dict[str, str] = {
        "PATH": os.environ.get("KERNEL_TRUTH_PATH", "/usr/bin:/bin"),
        "HOME": at.out + "/home",
        "LC_ALL": "C",
        "USER": user,
        "TERM": "dumb",
        "TMPDIR": at.out + "/tmp",
        "PWD": cwd,
    }
    for name, value in dict(case.get("env") or {}).items():  # type: ignore[call-overload]
        if value is None:
            env.pop(name, None)
        else:
            env[name] = at.fill(value)
    command = at.fill(str(case["command"]))
    shell = ["dash", "-c"] if case.get("shell") == "dash" else ["bash", "--norc", "--noprofile", "-c"]
    strace = [
        "strace",
        "-ff",
        "-qq",
        "-y",
        "-s",
        "16384",
        "-e",
        "signal=none",
        "-e",
        "trace=%file,open,openat,openat2,creat,fchdir",
        "-o",
        traces + "/t",
    ]
    if os.geteuid() == 0:
        strace += ["-u", user]
    stdin = case.get("stdin")
    done = subprocess.run(
        strace + [os.fsencode(a) for a in [*shell, command]],
        cwd=cwd,
        timeout=TIMEOUT,
        env={os.fsencode(k): os.fsencode(v) for k, v in env.items()},
        stdin=subprocess.DEVNULL if stdin is None else None,
        input=None if stdin is None else os.fsencode(at.fill(str(stdin))),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode


def _masked(result: dict[str, object], pattern: str) -> dict[str, object]:
    """Random names (of temporary files) become one stable spelling."""

    def mask(v: object) -> object:
        if isinstance(v, str):
            return re.sub(pattern, "<RANDOM>", v)
        if isinstance(v, list):
            out: list[object] = []
            for x in map(mask, v):
                if x not in out:
                    out.append(x)
            return out
        return v

    return {k: mask(v) for k, v in result.items()}


def record(case: Case) -> Case:
    """The case with its truth; a ValueError when two runs disagree."""
    first, second = truth_of(case), truth_of(case)
    if first != second:
        unstable = sorted(k for k in first if first[k] != second[k])
        raise ValueError(f"{case['id']}: two runs disagree on {', '.join(unstable)}; give a mask, or leave it out")
    roots = [str(r) for r in case.get("roots", ["{ROOT}"])]  # type: ignore[attr-defined]
    out = dict(case) | {"roots": roots} | cut(first)
    reads = [*first["kernel_reads"], *first["kernel_dir_reads"], *first["kernel_execs"]]  # type: ignore[misc]
    out["escapes_read"] = outside(reads, roots)
    out["escapes_write"] = outside(list(first["kernel_writes"]), roots)  # type: ignore[call-overload]
    out["escapes"] = bool(out["escapes_read"] or out["escapes_write"])
    if case.get("mutate"):
        before = truth_of(case, mutated=False)
        out["before"] = {k: v for k, v in before.items() if k != "exit"}
        out["moved"] = any(before[k] != first[k] for k in ("kernel_reads", "kernel_dir_reads", "kernel_writes"))
    return out


def cut(truth: dict[str, object]) -> dict[str, object]:
    """Long lists end after the first names, their lengths stand in totals."""
    out, totals = dict(truth), {}
    for k, v in truth.items():
        if isinstance(v, list) and len(v) > LONG:
            out[k], totals[k] = v[:KEPT], len(v)
    return out | ({"totals": totals} if totals else {})


def outside(paths: list[str], roots: list[str]) -> list[str]:
    return sorted(p for p in paths if not any(p == r or p.startswith(r.rstrip("/") + "/") for r in roots))


def differences(case: Case) -> dict[str, tuple[object, object]]:
    """What a run of the case says now that its record does not."""
    now = cut(truth_of(case))
    return {k: (case.get(k), v) for k, v in now.items() if case.get(k) != v}
