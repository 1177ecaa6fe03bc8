"""What is inside a wheel, compared with what its parts say of themselves."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheel.mutate import MANIFEST, RIPGREP, RUNTIME, Wheel
from wheels import notices, sbom, table
from wheels.check import Expectation
from wheels.check.goinfo import read_build_info

TARGETS = table.load_targets()
HOST = table.host_target(TARGETS).name


def test_one_version_everywhere(opened: Callable[[str], Wheel], expected: Expectation, tmp_path: Path) -> None:
    wheel = opened(HOST)
    assert f"\nVersion: {expected.version}\n".encode() in wheel[wheel.ending("/METADATA")]
    assert json.loads(wheel[MANIFEST])["version"] == expected.version
    assert json.loads(wheel[wheel.ending("cdx.json")])["metadata"]["component"]["version"] == expected.version
    assert wheel.name.split("-")[1] == expected.version
    said = run(wheel, RUNTIME, tmp_path, "version")
    assert re.search(rf"(^|\s){re.escape(expected.version)}(\s|$)", said), said


def test_ripgrep_is_the_version_of_the_lock(opened: Callable[[str], Wheel], tmp_path: Path) -> None:
    wheel = opened(HOST)
    version = json.loads(wheel[MANIFEST])["ripgrepVersion"]
    said = run(wheel, RIPGREP, tmp_path, "--no-config", "--version")
    assert said.splitlines()[0].split()[:2] == ["ripgrep", version]


@pytest.mark.parametrize("target", TARGETS)
def test_bill_lists_what_the_linker_says(target: str, opened: Callable[[str], Wheel]) -> None:
    wheel = opened(target)
    bill = json.loads(wheel[wheel.ending("cdx.json")])
    info = read_build_info(wheel[RUNTIME])
    purls = {component["purl"] for component in bill["components"]}
    assert {f"pkg:golang/{module.path}@{module.version}" for module in info.modules} <= purls
    assert f"pkg:golang/std@{info.go.removeprefix('go')}" in purls
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(references) == len(set(references))
    named = {ref for entry in bill["dependencies"] for ref in entry["dependsOn"]}
    assert named == set(references)


@pytest.mark.parametrize("target", TARGETS)
def test_bill_lists_every_crate_that_ripgrep_mentions(target: str, opened: Callable[[str], Wheel]) -> None:
    """Panic messages carry source paths, and these the names and versions of crates."""
    wheel = opened(target)
    found = re.findall(rb"/registry/src/[^/\0]*/([A-Za-z0-9_-]+)-(\d+\.\d+\.\d+)[/+]", wheel[RIPGREP])
    mentioned = {f"pkg:cargo/{name.decode()}@{version.decode()}" for name, version in found}
    listed = {component["purl"] for component in json.loads(wheel[wheel.ending("cdx.json")])["components"]}
    assert len(mentioned) > 10
    assert mentioned <= listed
    jemalloc = b"<jemalloc>" in wheel[RIPGREP]
    assert jemalloc == any("jemalloc" in purl for purl in listed)


def test_notices_are_up_to_date() -> None:
    assert notices.main(["--check"]) == 0


def test_notices_name_everything_inside(opened: Callable[[str], Wheel]) -> None:
    """The linker, not the list of imports, has the last word on what is inside."""
    text = (table.ROOT / "THIRD_PARTY_NOTICES.md").read_text("utf-8")
    for target in TARGETS:
        wheel = opened(target)
        for component in json.loads(wheel[wheel.ending("cdx.json")])["components"]:
            if component["type"] == "library" and component["name"] != "std":
                assert f"| {component['name']} | {component.get('version', '')} |" in text


def test_sidecar_list_of_another_release_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lists the parts of ripgrep .*, rg\.lock\.json pins 0\.0\.0"):
        sbom.load_sidecar(table.ROOT, "0.0.0")


def run(wheel: Wheel, member: str, folder: Path, *arguments: str) -> str:
    """What an executable of the host's wheel prints; it lies alone in its folder."""
    file = folder / Path(member).name
    file.write_bytes(wheel[member])
    file.chmod(stat.S_IRWXU)
    return subprocess.run([str(file), *arguments], check=True, capture_output=True, text=True, env={}).stdout
