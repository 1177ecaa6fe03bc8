"""What is inside a wheel, compared with what its parts say of themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.wheel.mutate import RIPGREP, RUNTIME, Wheel
from wheels import notices, sbom, table
from wheels.check.goinfo import read_build_info

TARGETS = table.load_targets()


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
