"""File name, WHEEL, METADATA, entry points and manifest against the table."""

from __future__ import annotations

import email.parser
import hashlib
import json
from collections.abc import Mapping

from wheels.check.faults import Fault, Faults
from wheels.check.names import EXTENSION, RIPGREP, RUNTIME, STARTED, Wheel
from wheels.table import Pinned, Target

__all__ = ["BILL", "EXTENSION_BILL", "check_bill", "check_manifest", "check_metadata", "check_wheel_file"]

BILL = f"{STARTED.name}.cdx.json"
EXTENSION_BILL = f"{EXTENSION.name}.cdx.json"
"""The bills of materials, in the folder that PEP 770 names."""

CONSOLE_SCRIPT = "hydra-harness-runtime = hydra_harness_runtime.__main__:main"


def check_wheel_file(member: str, text: str, wheel: Wheel) -> Faults:
    """WHEEL: the tags that the file name has, expanded; not "pure"."""
    headers = email.parser.Parser().parsestr(text)
    if sorted(headers.get_all("Tag") or []) != wheel.tags:
        yield Fault("tag", member, f"has the tags {headers.get_all('Tag')}, the file name says {wheel.tags}")
    if headers["Root-Is-Purelib"] != "false":
        yield Fault("tag", member, "says that the wheel is pure Python")


def check_metadata(member: str, text: str, entry_points: str, version: str) -> Faults:
    """METADATA and the console script."""
    headers = email.parser.Parser().parsestr(text)
    for key, value in {"Name": STARTED.name, "Version": version, "Requires-Python": ">=3.10"}.items():
        if headers[key] != value:
            yield Fault("metadata", member, f"has {key}: {headers[key]} instead of {value}")
    required = headers.get_all("Requires-Dist") or []
    needed = [line for line in required if "extra ==" not in line]
    if needed:
        yield Fault("metadata", member, f"requires {needed}; the wheel has to stand alone")
    twin = [line.partition(";")[0].strip() for line in required if line.startswith(EXTENSION.name)]
    if twin != [f"{EXTENSION.name}=={version}"]:
        yield Fault("metadata", member, f"requires {twin} for an extra instead of {EXTENSION.name}=={version}")
    if f"[console_scripts]\n{CONSOLE_SCRIPT}\n" not in entry_points:
        yield Fault("metadata", member, "the console script is not declared")


def check_manifest(
    member: str, contents: Mapping[str, bytes], folder: str, version: str, target: Target, pinned: Pinned
) -> Faults:
    """The manifest against the table, the lock and the bytes beside it."""
    try:
        manifest = json.loads(contents[member])
        listed = {entry["name"]: entry for entry in manifest["files"]}
    except (ValueError, LookupError, TypeError) as error:
        yield Fault("manifest", member, f"cannot be read: {error!r}")
        return
    wanted = {"version": version, "target": target.name, "ripgrepVersion": pinned.ripgrep_version}
    for key, value in wanted.items():
        if manifest.get(key) != value:
            yield Fault("manifest", member, f"says {key} {manifest.get(key)!r} instead of {value!r}")
    if sorted(listed) != sorted((RUNTIME, RIPGREP)) or len(manifest["files"]) != len(listed):
        yield Fault("manifest", member, f"lists {sorted(listed)}")
    for name, entry in sorted(listed.items()):
        data = contents.get(f"{folder}/{name}", b"")
        found = {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "mode": "0755"}
        if entry != found:
            yield Fault("manifest", member, f"says {entry}, the file is {found}")
    modules = [
        {
            "name": name.removeprefix(f"{STARTED.package}/"),
            "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        for name, data in sorted(contents.items())
        if name.startswith(f"{STARTED.package}/") and name.endswith(".py")
    ]
    if sorted(manifest.get("modules", []), key=str) != sorted(modules, key=str):
        yield Fault("manifest", member, "does not list every module of the package as it is")
    sidecar = contents.get(f"{folder}/{RIPGREP}", b"")
    if len(sidecar) != pinned.size or hashlib.sha256(sidecar).hexdigest() != pinned.sha256:
        yield Fault("ripgrep-pin", f"{folder}/{RIPGREP}", "is not the executable that rg.lock.json pins")


def check_bill(member: str, contents: Mapping[str, bytes], executables: set[str]) -> Faults:
    """The bill of materials names what is not text by the digests it has, and a licence for every part."""
    try:
        components = json.loads(contents[member])["components"]
        listed = {entry["hashes"][0]["content"] for entry in components if "hashes" in entry}
        bare = [entry["name"] for entry in components if not entry.get("licenses")]
    except (ValueError, LookupError, TypeError) as error:
        yield Fault("sbom", member, f"cannot be read: {error!r}")
        return
    for name in sorted(executables & contents.keys()):
        if hashlib.sha256(contents[name]).hexdigest() not in listed:
            yield Fault("sbom", member, f"does not list {name} with the digest that it has")
    if bare:
        yield Fault("sbom", member, f"has no licence for {', '.join(bare)}")
