"""For frameworks that speak MCP themselves: how to start the runtime as a server."""

from __future__ import annotations

import atexit
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from ._base import absolute_workdir
from ._config import SearchConfig
from ._launch import write_private
from ._locate import locate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._config import StrPath
    from ._locate import Verify

__all__ = ["McpServerParams", "mcp_server_params"]


class McpServerParams(TypedDict):
    """What every MCP client takes to start a server on standard streams.

    ``StdioServerParameters(**params)`` of the official SDK, an entry of an
    ``mcpServers`` table, or the same three values anywhere else.
    """

    command: str
    """The executable."""
    args: list[str]
    """Its arguments."""
    env: dict[str, str]
    """What its environment has beyond what the client passes on."""


def mcp_server_params(
    workdir: StrPath = ".",
    *,
    search: SearchConfig,
    config_file: StrPath | None = None,
    runtime_path: StrPath | None = None,
    verify: Verify = "full",
    env: Mapping[str, str] | None = None,
) -> McpServerParams:
    """The command that serves ``glob`` and ``grep`` over MCP, checked as it stands here.

    Settings that have no flag go into *config_file*, which is written; without
    one, into a private file that is removed when this process ends. *env* is
    what the server gets beyond what its client passes on. Give the client a
    time-out above ``search.budget_seconds``: many assume five seconds.

    Raises :class:`RuntimeBundleError`, :class:`ConfigError`.
    """
    located = locate(runtime_path, verify=verify)
    args = ["serve", "--workdir", absolute_workdir(workdir), "--ripgrep", located.ripgrep]
    if config_file is not None:
        path = Path(config_file).absolute()
        path.write_text(search.to_json(), encoding="utf-8")
        args += ["--config", str(path)]
    elif search == SearchConfig(sample_over_cap_glob_results=search.sample_over_cap_glob_results):
        args.append("--sample" if search.sample_over_cap_glob_results else "--no-sample")
    else:
        temporary = write_private(search.to_json())
        atexit.register(_remove, temporary, os.getpid())
        args += ["--config", temporary]
    return {"command": located.runtime, "args": args, "env": dict(env or {})}


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child inherits the exit handlers, not the file
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108
