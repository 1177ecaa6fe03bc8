"""The bill of materials of one wheel, in CycloneDX 1.6 (PEP 770 says where it goes).

What the runtime is made of is read from the executable itself. What ripgrep is
made of cannot be (its build leaves no list), so ``sidecar.json`` keeps it: the
locked dependencies of that release for our targets, compared with the names
and versions that the executables mention. There is no time stamp and no random
serial number, because a rebuild must give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from pathlib import Path
from typing import Any

from wheels.check.goinfo import MAIN_MODULE, read_build_info
from wheels.distributions import EXECUTABLES, RIPGREP, RUNTIME
from wheels.table import Target, load_lock

__all__ = ["FILE_NAME", "bill_of_materials", "load_sidecar"]

FILE_NAME = f"{EXECUTABLES.name}.cdx.json"
_Component = dict[str, Any]


def bill_of_materials(root: Path, target: Target, version: str, folder: Path) -> dict[str, Any]:
    """The document for the two executables in ``folder``."""
    pin = load_lock(root)[target.npm_package]
    wheel = _component("library", "hydra-harness-runtime", version, f"pkg:pypi/hydra-harness-runtime@{version}", "MIT")
    runtime = _executable(folder / RUNTIME, version, f"pkg:golang/{MAIN_MODULE}@{version}", "MIT")
    ripgrep = _executable(folder / RIPGREP, pin.ripgrep_version, _npm(target, pin.package_version), "Unlicense OR MIT")
    modules = _go_parts((folder / RUNTIME).read_bytes())
    parts = [
        _component("library", part["name"], part["version"], part["purl"], part["licence"])
        for part in load_sidecar(root, pin.ripgrep_version)
        if target.name.partition("-")[0] in part["systems"]
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": wheel},
        "components": [runtime, ripgrep, *modules, *parts],
        "dependencies": [
            _depends(wheel, [runtime, ripgrep]),
            _depends(runtime, modules),
            _depends(ripgrep, parts),
        ],
    }


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


def _go_parts(executable: bytes) -> list[_Component]:
    info = read_build_info(executable)
    go = info.go.removeprefix("go")
    standard = _component("library", "std", go, f"pkg:golang/std@{go}", "BSD-3-Clause")
    return [standard] + [
        _component("library", module.path, module.version, f"pkg:golang/{module.path}@{module.version}")
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


def _executable(path: Path, version: str, purl: str, licence: str) -> _Component:
    component = _component("application", path.name, version, purl, licence)
    component["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]
    return component


def _depends(component: _Component, on: list[_Component]) -> dict[str, Any]:
    return {"ref": component["bom-ref"], "dependsOn": [other["bom-ref"] for other in on]}
