"""A resident driver for ``tests/conformance/search``: asks questions of a Python client.

    go run ./tests/conformance/search --resident --driver 'python driver.py TRANSPORT RUNTIME'

The form of an errand and of its answer is in ``resident.go`` and ``question.go``
there. Each errand has a process of its own, forked from this one before it has
loaded any Go: the directory, the environment and the user are the errand's.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import sys
import tempfile
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra_harness_runtime import (
    AsyncRuntime,
    ConfigError,
    GlobResult,
    GrepResult,
    HarnessError,
    SearchConfig,
    ToolArgumentError,
)
from hydra_harness_runtime._transports import _extension, inprocess, stdio  # noqa: F401 - see settle

MOST_ASKED = 10_000
"""Bounds how often a search is made for an index to be there."""


def main() -> None:
    transport, executable = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="hydra-driver-") as folder:
        Path(folder).chmod(0o755)
        # A copy, for users who cannot reach where it is installed.
        runtime = shutil.copy(executable, Path(folder, "runtime"))
        for line in sys.stdin:
            print(in_a_child(json.loads(line), transport, runtime), flush=True)


def in_a_child(errand: dict[str, Any], transport: str, executable: Path) -> str:
    """The answer, a line; of kind "driver" when there was none."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            answer = work(errand, transport, executable)
        except BaseException:  # noqa: BLE001 - whatever it is, the other side reports it
            answer = {"kind": "driver", "message": traceback.format_exc()}
        with os.fdopen(write, "w") as file:
            json.dump(answer, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        answer_text = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return answer_text or json.dumps({"kind": "driver", "message": f"it ended with status {status}"})


def work(errand: dict[str, Any], transport: str, executable: Path) -> dict[str, Any]:
    question = errand["question"]
    # The question names a sidecar; a client wants the runtime beside it.
    runtime = Path(question["runtime"])
    runtime.symlink_to(executable)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(line.split("=", 1) for line in errand["environ"])
    if transport == "inprocess":
        _extension.load()  # also for users who cannot reach where it is installed
    if errand["user"] is not None:
        os.setgroups([])
        os.setgid(errand["user"])
        os.setuid(errand["user"])
    os.chdir(errand["dir"])
    return asyncio.run(ask(question, transport, runtime))


async def ask(question: dict[str, Any], transport: str, runtime: Path) -> dict[str, Any]:
    try:
        config = {re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", key): v for key, v in question["config"].items()}
        if None in config.values():  # in Python None leaves a setting out: the null of a file cannot be written
            raise ConfigError("a setting is null")
        try:
            search = SearchConfig(**config, roots=["/"])
        except TypeError as error:  # a key that there is not
            raise ConfigError(str(error)) from None
        workdir = "." if question["workdir"] is None else question["workdir"]
        owner = question["owner"] or None
        async with AsyncRuntime(
            workdir, search=search, owner=owner, runtime_path=runtime, transport=transport
        ) as client:  # type: ignore[arg-type]
            if question.get("indexed") and question["workdir"] is not None:
                await indexed(client)
            return await answered(client.bind(nested=question["nested"]), question)
    except asyncio.CancelledError:
        return {"kind": "search", "code": "SEARCH_ABORTED", "message": "the task was cancelled"}
    except HarnessError as error:
        return failed(error)


async def indexed(client: AsyncRuntime) -> None:
    """Search until an index answers, or says why none will."""
    for _ in range(MOST_ASKED):
        try:
            use = (await client.grep("nothing at all")).stats.index
        except HarnessError:
            return
        if use is None or use.reason not in ("off", "building", "ignore-changed"):
            return


async def answered(client: AsyncRuntime, question: dict[str, Any]) -> dict[str, Any]:
    """Ask as a program does, then as a model does: what a call saves may lie in the tree of the case."""
    canonical, refused = None, None
    try:
        canonical = value(await until_aborted(call(client, question), question))
    except HarnessError as error:
        refused = error
    result = await client.call_tool(question["tool"], question["args"])
    if result.is_error:
        assert result.error is not None
        assert refused is None or refused.code == result.error.code, (refused, result.error)
        return failed(result.error)
    if refused is not None:
        return failed(refused)
    return {"canonical": canonical, "text": result.text, "page": result.structured}


def call(client: AsyncRuntime, question: dict[str, Any]) -> Any:
    arguments = {key: value for key, value in question["args"].items() if value is not None}
    known = {"pattern", "path"} | ({"include"} if question["tool"] == "grep" else set())
    if unknown := arguments.keys() - known:
        raise ToolArgumentError(f"there is no argument {unknown}")
    if "pattern" not in arguments:
        raise ToolArgumentError("pattern is missing")
    return (client.grep if question["tool"] == "grep" else client.glob)(**arguments)


async def until_aborted(call: Any, question: dict[str, Any]) -> Any:
    task = asyncio.ensure_future(call)
    if question["preAborted"]:
        task.cancel()
    elif question["abortAfterMs"]:
        asyncio.get_running_loop().call_later(question["abortAfterMs"] / 1000, task.cancel)
    return await task


def value(result: GlobResult | GrepResult) -> dict[str, Any]:
    if isinstance(result, GlobResult):
        exact = {str(index): base64.b64encode(name).decode() for index, name in result.path_bytes.items()}
        return {"root": result.root, "paths": list(result.paths), **({"pathBytes": exact} if exact else {})}
    matches = []
    for match in result.matches:
        found = asdict(match)
        exact = {"pathBytes": base64.b64encode(found["path_bytes"]).decode()} if found["path_bytes"] else {}
        matches.append({"path": match.path, "lineNumber": match.line_number, "line": match.line, **exact})
    return {"matches": matches}


def failed(error: HarnessError) -> dict[str, Any]:
    kinds = {"RUNTIME_CONFIG": "config", "TOOL_ARGUMENT": "argument"}
    return {"kind": kinds.get(error.code, "search"), "code": error.code, "message": str(error)}


if __name__ == "__main__":
    main()
