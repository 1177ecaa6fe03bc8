"""glob, grep and a shell gate for agents, on a packaged ripgrep.

>>> from hydra_harness_runtime import Runtime, SearchConfig
>>> search = SearchConfig(sample_over_cap_glob_results=True)
>>> with Runtime(workdir=".", search=search) as runtime:  # doctest: +SKIP
...     runtime.grep("TODO").matches

The names of ``__all__`` are the whole public interface; modules that begin
with an underscore are not part of it. Nothing is started, opened or looked for
at import: names are loaded when they are first used.
"""

from ._version import __version__

TYPE_CHECKING = False
"""Checkers take it for true. It is not imported, since ``typing`` costs more than all else here."""

if TYPE_CHECKING:
    from ._aio import AsyncRuntime as AsyncRuntime
    from ._bundle.locate import bundled_ripgrep_path as bundled_ripgrep_path
    from ._bundle.locate import bundled_runtime_path as bundled_runtime_path
    from ._client import Runtime as Runtime
    from ._errors import BadPlanError as BadPlanError
    from ._errors import ConfigError as ConfigError
    from ._errors import EstablishAbortedError as EstablishAbortedError
    from ._errors import EstablishError as EstablishError
    from ._errors import ForkedProcessError as ForkedProcessError
    from ._errors import HarnessError as HarnessError
    from ._errors import InvalidPatternError as InvalidPatternError
    from ._errors import RawOutputOverflowError as RawOutputOverflowError
    from ._errors import RuntimeBundleError as RuntimeBundleError
    from ._errors import RuntimeBusyError as RuntimeBusyError
    from ._errors import RuntimeClosedError as RuntimeClosedError
    from ._errors import RuntimeInternalError as RuntimeInternalError
    from ._errors import RuntimeMissingError as RuntimeMissingError
    from ._errors import RuntimePermissionError as RuntimePermissionError
    from ._errors import RuntimeProtocolError as RuntimeProtocolError
    from ._errors import RuntimeTimeoutError as RuntimeTimeoutError
    from ._errors import SearchAbortedError as SearchAbortedError
    from ._errors import SearchError as SearchError
    from ._errors import SearchFailedError as SearchFailedError
    from ._errors import SearchTimeoutError as SearchTimeoutError
    from ._errors import SpillError as SpillError
    from ._errors import SpillNotFoundError as SpillNotFoundError
    from ._errors import SpillQuotaError as SpillQuotaError
    from ._errors import ToolArgumentError as ToolArgumentError
    from ._errors import UnsupportedMethodError as UnsupportedMethodError
    from ._mcp import McpServerParams as McpServerParams
    from ._mcp import mcp_server_params as mcp_server_params
    from ._search_config import SearchConfig as SearchConfig
    from ._shell.confine import Confine as Confine
    from ._shell.gate import AsyncShellGate as AsyncShellGate
    from ._shell.gate import GateSettings as GateSettings
    from ._shell.gate import ShellGate as ShellGate
    from ._shell.rules import TrustRule as TrustRule
    from ._shell.types import Boundary as Boundary
    from ._shell.types import Confirmation as Confirmation
    from ._shell.types import Decision as Decision
    from ._shell.types import EstablishedPlan as EstablishedPlan
    from ._shell.types import GateDecision as GateDecision
    from ._shell.types import GateReason as GateReason
    from ._shell.types import Policy as Policy
    from ._shell.types import Reestablishment as Reestablishment
    from ._shell.types import Remedy as Remedy
    from ._shell.types import ShellPlan as ShellPlan
    from ._shell.types import ShellSegment as ShellSegment
    from ._shell.types import WordCandidate as WordCandidate
    from ._shell.types import WordResolution as WordResolution
    from ._spill.client import AsyncSpill as AsyncSpill
    from ._spill.client import Spill as Spill
    from ._spill.types import SavedResult as SavedResult
    from ._spill.types import SpillSweep as SpillSweep
    from ._spill.types import SpillText as SpillText
    from ._types import GlobResult as GlobResult
    from ._types import GrepFile as GrepFile
    from ._types import GrepMatch as GrepMatch
    from ._types import GrepResult as GrepResult
    from ._types import Incomplete as Incomplete
    from ._types import IndexUse as IndexUse
    from ._types import RipgrepInfo as RipgrepInfo
    from ._types import RuntimeInfo as RuntimeInfo
    from ._types import SearchNote as SearchNote
    from ._types import SearchStats as SearchStats
    from ._types import SearchWarning as SearchWarning
    from ._types import ToolDefinition as ToolDefinition
    from ._types import ToolResult as ToolResult

__all__ = [
    "AsyncRuntime",
    "AsyncShellGate",
    "AsyncSpill",
    "BadPlanError",
    "Boundary",
    "ConfigError",
    "Confine",
    "Confirmation",
    "Decision",
    "EstablishAbortedError",
    "EstablishError",
    "EstablishedPlan",
    "ForkedProcessError",
    "GateDecision",
    "GateReason",
    "GateSettings",
    "GlobResult",
    "GrepFile",
    "GrepMatch",
    "GrepResult",
    "HarnessError",
    "Incomplete",
    "IndexUse",
    "InvalidPatternError",
    "McpServerParams",
    "Policy",
    "RawOutputOverflowError",
    "Reestablishment",
    "Remedy",
    "RipgrepInfo",
    "Runtime",
    "RuntimeBundleError",
    "RuntimeBusyError",
    "RuntimeClosedError",
    "RuntimeInfo",
    "RuntimeInternalError",
    "RuntimeMissingError",
    "RuntimePermissionError",
    "RuntimeProtocolError",
    "RuntimeTimeoutError",
    "SavedResult",
    "SearchAbortedError",
    "SearchConfig",
    "SearchError",
    "SearchFailedError",
    "SearchNote",
    "SearchStats",
    "SearchTimeoutError",
    "SearchWarning",
    "ShellGate",
    "ShellPlan",
    "ShellSegment",
    "Spill",
    "SpillError",
    "SpillNotFoundError",
    "SpillQuotaError",
    "SpillSweep",
    "SpillText",
    "ToolArgumentError",
    "ToolDefinition",
    "ToolResult",
    "TrustRule",
    "UnsupportedMethodError",
    "WordCandidate",
    "WordResolution",
    "__version__",
    "bundled_ripgrep_path",
    "bundled_runtime_path",
    "mcp_server_params",
]

_HOMES = {
    "AsyncRuntime": "_aio",
    "bundled_ripgrep_path": "_bundle.locate",
    "bundled_runtime_path": "_bundle.locate",
    "Runtime": "_client",
    "BadPlanError": "_errors",
    "ConfigError": "_errors",
    "EstablishAbortedError": "_errors",
    "EstablishError": "_errors",
    "ForkedProcessError": "_errors",
    "HarnessError": "_errors",
    "InvalidPatternError": "_errors",
    "RawOutputOverflowError": "_errors",
    "RuntimeBundleError": "_errors",
    "RuntimeBusyError": "_errors",
    "RuntimeClosedError": "_errors",
    "RuntimeInternalError": "_errors",
    "RuntimeMissingError": "_errors",
    "RuntimePermissionError": "_errors",
    "RuntimeProtocolError": "_errors",
    "RuntimeTimeoutError": "_errors",
    "SearchAbortedError": "_errors",
    "SearchError": "_errors",
    "SearchFailedError": "_errors",
    "SearchTimeoutError": "_errors",
    "SpillError": "_errors",
    "SpillNotFoundError": "_errors",
    "SpillQuotaError": "_errors",
    "ToolArgumentError": "_errors",
    "UnsupportedMethodError": "_errors",
    "McpServerParams": "_mcp",
    "mcp_server_params": "_mcp",
    "SearchConfig": "_search_config",
    "AsyncShellGate": "_shell.gate",
    "GateSettings": "_shell.gate",
    "ShellGate": "_shell.gate",
    "Boundary": "_shell.types",
    "Confirmation": "_shell.types",
    "Decision": "_shell.types",
    "EstablishedPlan": "_shell.types",
    "GateDecision": "_shell.types",
    "GateReason": "_shell.types",
    "Policy": "_shell.types",
    "Reestablishment": "_shell.types",
    "Remedy": "_shell.types",
    "ShellPlan": "_shell.types",
    "ShellSegment": "_shell.types",
    "WordCandidate": "_shell.types",
    "WordResolution": "_shell.types",
    "AsyncSpill": "_spill.client",
    "Spill": "_spill.client",
    "SavedResult": "_spill.types",
    "SpillSweep": "_spill.types",
    "SpillText": "_spill.types",
    "GlobResult": "_types",
    "GrepFile": "_types",
    "GrepMatch": "_types",
    "GrepResult": "_types",
    "Incomplete": "_types",
    "IndexUse": "_types",
    "RipgrepInfo": "_types",
    "RuntimeInfo": "_types",
    "SearchNote": "_types",
    "SearchStats": "_types",
    "SearchWarning": "_types",
    "ToolDefinition": "_types",
    "ToolResult": "_types",
    "Confine": "_shell.confine",
    "TrustRule": "_shell.rules",
}
"""Which module defines a public name; it is imported when the name is first used."""

if not TYPE_CHECKING:  # or checkers would accept any name

    def __getattr__(name):  # noqa: ANN001, ANN202
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415

        try:
            value = getattr(import_module(f".{home}", __name__), name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(f"{__name__}."):
                raise
            from ._bundle.locate import lost_module  # noqa: PLC0415

            raise lost_module(error.name) from None
        globals()[name] = value
        return value

    def __dir__():  # noqa: ANN202
        return [*__all__, *(name for name in globals() if name.startswith("__"))]
