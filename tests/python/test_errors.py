"""The exception tree is what its docstring draws."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import hydra_harness_runtime as package
from hydra_harness_runtime import _errors
from hydra_harness_runtime._protocol import error_from_object

FAILURES = json.loads((Path(__file__).parents[1] / "conformance" / "failures.json").read_text("utf-8"))
"""The runtime's table of what can go wrong."""

CLASSES = [getattr(package, name) for name in package.__all__ if name.endswith("Error")]


def make(cls: type[package.HarnessError]) -> package.HarnessError:
    if issubclass(cls, package.RuntimeBundleError):
        return cls("text", path="/p", target="t", host="h", remedy="r")
    return cls("text", details={"a": 1})


def test_the_docstring_draws_the_tree() -> None:
    lines = [re.match(r"([ │├└─]*)(\w+Error)\b", line) for line in str(inspect.getdoc(_errors)).splitlines()]
    drawn = [(len(line[1]) // 4, line[2]) for line in lines if line]
    parents: dict[str, str] = {}
    stack: list[str] = []
    base = drawn[0][0]
    for depth, name in drawn:
        del stack[depth - base :]
        if stack:
            parents[name] = stack[-1]
        stack.append(name)
    assert parents == {cls.__name__: cls.__bases__[0].__name__ for cls in CLASSES if cls is not package.HarnessError}


@pytest.mark.parametrize(
    ("cls", "builtin"),
    [
        (package.RuntimeBundleError, OSError),
        (package.RuntimeMissingError, FileNotFoundError),
        (package.RuntimePermissionError, PermissionError),
        (package.ConfigError, ValueError),
        (package.ToolArgumentError, ValueError),
        (package.BadPlanError, ValueError),
        (package.SpillNotFoundError, LookupError),
        (package.UnsupportedMethodError, NotImplementedError),
        (package.RuntimeClosedError, ConnectionError),
        (package.RuntimeTimeoutError, TimeoutError),
        (package.SearchTimeoutError, TimeoutError),
    ],
)
def test_builtin_bases(cls: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(cls, builtin)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_has_a_code_and_survives_a_copy(cls: type[package.HarnessError]) -> None:
    error = make(cls)
    assert error.code
    assert str(error) == "text"
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is cls
        assert str(again) == "text"
        assert again.__dict__ == error.__dict__
        assert again.args == ("text",)


def test_codes_differ_between_leaves() -> None:
    leaves = [cls for cls in CLASSES if not any(cls in other.__bases__ for other in CLASSES)]
    codes = [cls.default_code for cls in leaves if cls is not package.RuntimeMissingError]
    same = {code for code in codes if codes.count(code) > 1}
    assert same == set(), "each leaf has a code of its own"


@pytest.mark.parametrize("row", FAILURES, ids=lambda row: row["code"])
def test_every_code_of_the_runtime_has_its_class_and_its_mender(row: dict[str, Any]) -> None:
    retryable = row["mender"] in ("caller", "time")
    error = error_from_object({"code": row["code"], "retryable": retryable}, "text")
    assert (error.code, error.mender, error.retryable) == (row["code"], row["mender"], retryable)
    family = row["class"] if row["class"] != "RuntimeError" else "HarnessError"
    assert isinstance(error, getattr(package, family))
    assert type(error) is not package.HarnessError, "a program cannot branch on its class"


@pytest.mark.parametrize(
    ("code", "details", "retryable", "mender"),
    [
        ("SEARCH_FAILED", {"path": "nowhere"}, True, "caller"),
        ("SEARCH_FAILED", {"sidecar": "/x"}, False, "installation"),
        ("SEARCH_ABORTED", {"reason": "timeout"}, True, "caller"),
        ("SEARCH_ABORTED", {"reason": "cancelled"}, False, "program"),
        ("SEARCH_INVALID_PATTERN", {}, True, "caller"),
        ("SEARCH_INVALID_PATTERN", {}, False, "program"),
        ("NOVEL", {}, True, "caller"),
        ("NOVEL", {}, False, "installation"),
    ],
)
def test_who_can_mend_it(code: str, details: dict[str, object], retryable: bool, mender: str) -> None:
    error = error_from_object({"code": code, "details": details, "retryable": retryable}, "text")
    assert (error.mender, error.retryable) == (mender, retryable)
