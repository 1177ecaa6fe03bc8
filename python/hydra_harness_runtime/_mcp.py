"""For frameworks that speak MCP themselves: how to start the runtime as a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from ._arguments import absolute, fs_path, variables
from ._base import checked_owner, checked_search
from ._bundle.locate import locate
from ._errors import ConfigError
from ._search_config import SearchConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._bundle.locate import Verify
    from ._config import StrPath

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
    owner: str | None = None,
    config_file: StrPath | None = None,
    runtime_path: StrPath | None = None,
    verify: Verify = "full",
    env: Mapping[str, str] | None = None,
) -> McpServerParams:
    """The command that serves ``glob`` and ``grep`` over MCP, checked as it stands here.

    *owner* is the session under which results are saved that do not fit a page,
    so that the model can read the rest; ``None``, and nothing is saved. Servers
    with the same owner and spill folder see each other's results.
    Settings that have no flag go into *config_file*, which is written; without
    one, they are an argument: no file is left behind, however this ends. *env* is
    what the server gets beyond what its client passes on. Give the client a
    time-out above ``search.budget_seconds``: many assume five seconds.

    Raises :class:`RuntimeBundleError`, :class:`ConfigError`.
    """
    more = variables("env", {} if env is None else env, ConfigError)
    search = checked_search(search)
    chosen = None if runtime_path is None else fs_path("runtime_path", runtime_path, ConfigError)
    folder = absolute("workdir", workdir)
    session = checked_owner(owner, None)
    if session is not None and "\0" in session:
        raise ConfigError(f"owner {session!r} holds a NUL character, which no argument can have")
    located = locate(chosen, verify=verify)
    args = ["serve", "--workdir", folder, "--ripgrep", located.ripgrep]
    if config_file is not None:
        path = absolute("config_file", config_file)
        try:
            Path(path).write_text(search.to_json(), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"config_file {path!r} cannot be written: {error.strerror}") from error
        args += ["--config", path]
    elif search == SearchConfig(sample_over_cap_glob_results=search.sample_over_cap_glob_results):
        args.append("--sample" if search.sample_over_cap_glob_results else "--no-sample")
    else:
        args += ["--config", json.dumps(search.to_dict())]
    if session is not None:
        args.append(f"--owner={session}")  # one word: an owner may begin with a dash
    return {"command": located.runtime, "args": args, "env": more}
