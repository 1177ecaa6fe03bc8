"""What the reference is built from: every public name says what it is, in which unit, and what it raises."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import hydra_harness_runtime as package
from hydra_harness_runtime import testing

UNIT = re.compile(
    r"\b(bytes?|milliseconds|seconds|lines?|count|counts|number|numbered|paths|matches|files|threads|index|indices"
    r"|status|process id|how many|offset)\b",
    re.IGNORECASE,
)
ROLE = re.compile(r":(?:class|meth|attr|exc|func|data|mod):`([^`]+)`")
SEE = re.compile(r"See :(?:class|meth):`([\w.]+)`\.")


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods and properties that are this package's own."""
    for base in cls.__mro__:
        if base.__module__.startswith("hydra_harness_runtime"):
            for name, value in vars(base).items():
                if not name.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    yield f"{cls.__name__}.{name}", value


def public() -> Iterator[tuple[str, Any]]:
    for module in (package, testing):
        for name in module.__all__:
            value = getattr(module, name)
            yield name, value
            if inspect.isclass(value):
                yield from members(value)


def resolve(dotted: str) -> Any:
    """What a name in a docstring means: a public name, or one of the standard library."""
    first, *rest = dotted.split(".")
    found: Any
    if first in package.__all__:
        found = getattr(package, first)
    elif first in testing.__all__:
        found = getattr(testing, first)
    elif hasattr(builtins, first):
        found = getattr(builtins, first)
    else:
        return __import__(dotted)
    for name in rest:
        fields = getattr(found, "__dataclass_fields__", {})
        found = fields[name] if name in fields else getattr(found, name)
    return found


PUBLIC = dict(public())
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
DOCUMENTED = {name: value for name, value in PUBLIC.items() if getattr(value, "__doc__", None) and name[0] != "_"}


def doc_of_assignments(module: str) -> dict[str, str]:
    """Texts that stand below an assignment, in a module or a class: the form that checkers and pdoc read."""
    source = inspect.getsource(__import__(module, fromlist=["_"]))
    found: dict[str, str] = {}
    for scope in ast.walk(ast.parse(source)):
        body = getattr(scope, "body", None)
        prefix = f"{scope.name}." if isinstance(scope, ast.ClassDef) else ""
        for first, second in zip(body or [], (body or [])[1:], strict=False) if isinstance(body, list) else ():
            match first, second:
                case (
                    (ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)])),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[prefix + name] = text
    return found


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_described(name: str) -> None:
    value = PUBLIC[name]
    if not (inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, property)):  # a constant
        home = "_version" if name == "__version__" else package._HOMES[name]
        assert name in doc_of_assignments(f"hydra_harness_runtime.{home}")
        return
    doc = value.__doc__
    assert doc, f"{name} has no docstring"
    assert not doc.startswith(f"{name}("), f"{name} has only the docstring that dataclasses make up"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_link_leads_to_a_public_name(name: str) -> None:
    for target in ROLE.findall(DOCUMENTED[name].__doc__):
        assert resolve(target) is not None, target


@pytest.mark.parametrize("name", [name for name, cls in CLASSES.items() if dataclasses.is_dataclass(cls)])
def test_every_field_is_described_and_every_number_has_a_unit(name: str) -> None:
    cls = CLASSES[name]
    beside = doc_of_assignments(cls.__module__)
    sentences = re.split(r"(?<=[.;:])\s", inspect.getdoc(cls) or "")
    for field in dataclasses.fields(cls):
        told = beside.get(f"{name}.{field.name}") or " ".join(s for s in sentences if field.name in s)
        assert told, f"{name}.{field.name} is not described"
        if re.search(r"\b(int|float)\b", str(field.type)):
            assert UNIT.search(told), f"{name}.{field.name}: a number of what? {told}"


CALLS = [name for name, value in PUBLIC.items() if callable(value) and not inspect.isclass(value)]


@pytest.mark.parametrize("name", [name for name in CALLS if "timeout" in inspect.signature(PUBLIC[name]).parameters])
def test_every_call_says_what_it_raises_and_in_which_unit_it_waits(name: str) -> None:
    value = PUBLIC[name]
    if see := SEE.search(value.__doc__):
        value, name = resolve(see[1]), see[1]
    owner = CLASSES[name.split(".")[0]]
    assert re.search(r"\brais", (value.__doc__ or "") + (owner.__doc__ or ""), re.IGNORECASE), name
    whole = " ".join((value.__doc__, owner.__doc__ or "", owner.__init__.__doc__ or ""))
    assert re.search(r"timeout\W+(is )?in seconds", whole), name


@pytest.mark.parametrize("name", [name for name, cls in CLASSES.items() if issubclass(cls, Exception)])
def test_every_error_is_described_by_its_code(name: str) -> None:
    """docs/python.md has the table; here each class has a code of its own, or says which ones it has."""
    cls = CLASSES[name]
    assert isinstance(cls.default_code, str)
    assert cls.__doc__
    assert cls.__doc__.split("\n")[0].endswith(".")
