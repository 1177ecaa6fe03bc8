"""The exception tree is what its docstring draws."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import pytest

import hydra_harness_runtime as package
from hydra_harness_runtime import _errors

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
