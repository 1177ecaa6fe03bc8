"""The bill of materials of one wheel, in CycloneDX 1.6 (PEP 770 says where it goes).

What the runtime is made of is read from the executable, or the library, itself,
and the licences of these modules from THIRD_PARTY_NOTICES.md. What ripgrep is
made of cannot be (its build leaves no list), so ``sidecar.json`` keeps it: the
locked dependencies of that release for our targets, compared with the names
and versions that the executables mention. There is no time stamp and no random
serial number, because a rebuild must give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import urllib.parse
from pathlib import Path
from typing import Any

from wheels.check.goinfo import MAIN_MODULE, read_build_info
from wheels.distributions import EXECUTABLES, INPROCESS, RIPGREP, RUNTIME, Distribution
from wheels.table import Target, load_lock

__all__ = ["bill_of_extension", "bill_of_materials", "file_name", "load_sidecar"]

_Component = dict[str, Any]


def file_name(distribution: Distribution) -> str:
    """What the document is called in a wheel."""
    return f"{distribution.name}.cdx.json"


def bill_of_extension(root: Path, version: str, library: Path) -> dict[str, Any]:
    """The document for the in-process wheel around *library*."""
    wheel = _wheel(INPROCESS, version)
    extension = _file("library", library, version, f"pkg:golang/{MAIN_MODULE}@{version}#pybind", "MIT")
    modules = _go_parts(root, library.read_bytes())
    return _document(wheel, [extension, *modules], [_depends(wheel, [extension]), _depends(extension, modules)])


def bill_of_materials(root: Path, target: Target, version: str, folder: Path) -> dict[str, Any]:
    """The document for the two executables in ``folder``."""
    pin = load_lock(root)[target.npm_package]
    wheel = _wheel(EXECUTABLES, version)
    runtime = _file("application", folder / RUNTIME, version, f"pkg:golang/{MAIN_MODULE}@{version}", "MIT")
    npm = _npm(target, pin.package_version)
    ripgrep = _file("application", folder / RIPGREP, pin.ripgrep_version, npm, "Unlicense OR MIT")
    modules = _go_parts(root, (folder / RUNTIME).read_bytes())
    parts = [
        _component("library", part["name"], part["version"], part["purl"], part["licence"])
        for part in load_sidecar(root, pin.ripgrep_version)
        if target.name.partition("-")[0] in part["systems"]
    ]
    depends = [_depends(wheel, [runtime, ripgrep]), _depends(runtime, modules), _depends(ripgrep, parts)]
    return _document(wheel, [runtime, ripgrep, *modules, *parts], depends)


def load_sidecar(root: Path, ripgrep_version: str) -> list[dict[str, Any]]:
    """The parts of ripgrep; ``ValueError`` when the list is for another release."""
    value = json.loads((root / "wheels" / "sidecar.json").read_text("utf-8"))
    if value["ripgrepVersion"] != ripgrep_version:
        raise ValueError(
            f"wheels/sidecar.json lists the parts of ripgrep {value['ripgrepVersion']}, rg.lock.json pins "
            f"{ripgrep_version}: bring the list up to date (CONTRIBUTING.md says how)"
        )
    parts: list[dict[str, Any]] = value["parts"]
    return parts


def _document(wheel: _Component, components: list[_Component], depends: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": wheel},
        "components": components,
        "dependencies": depends,
    }


def _wheel(distribution: Distribution, version: str) -> _Component:
    name = distribution.name
    return _component("library", name, version, f"pkg:pypi/{name}@{version}", "MIT")


def _licences(root: Path) -> dict[tuple[str, str], str]:
    """The licences of Go modules, by path and version, from the table that ``wheels.notices`` writes."""
    text = (root / "THIRD_PARTY_NOTICES.md").read_text("utf-8").partition("## In the runtime")[2]
    return {(row[1], row[2]): row[3] for row in re.finditer(r"^\| (\S+) \| (v\S+) \| (.+) \|$", text, re.MULTILINE)}


def _go_parts(root: Path, executable: bytes) -> list[_Component]:
    licences = _licences(root)
    info = read_build_info(executable)
    go = info.go.removeprefix("go")
    standard = _component("library", "std", go, f"pkg:golang/std@{go}", "BSD-3-Clause")
    unknown = [module.path for module in info.modules if (module.path, module.version) not in licences]
    if unknown:
        raise ValueError(
            f"THIRD_PARTY_NOTICES.md has no licence for {', '.join(unknown)}: run `python -m wheels.notices`"
        )
    return [standard] + [
        _component(
            "library",
            module.path,
            module.version,
            f"pkg:golang/{module.path}@{module.version}",
            licences[module.path, module.version],
        )
        for module in info.modules
    ]


def _npm(target: Target, version: str) -> str:
    return f"pkg:npm/{urllib.parse.quote(target.npm_package, safe='/')}@{version}"


def _component(kind: str, name: str, version: str, purl: str, licence: str = "") -> _Component:
    component: _Component = {"type": kind, "bom-ref": purl, "name": name}
    if version:
        component["version"] = version
    if licence:
        component["licenses"] = [{"expression": licence}]
    component["purl"] = purl
    return component


def _file(kind: str, path: Path, version: str, purl: str, licence: str) -> _Component:
    component = _component(kind, path.name, version, purl, licence)
    component["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]
    return component


def _depends(component: _Component, on: list[_Component]) -> dict[str, Any]:
    return {"ref": component["bom-ref"], "dependsOn": [other["bom-ref"] for other in on]}
