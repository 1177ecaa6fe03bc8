"""The hatchling hooks of the in-process distribution: its dependency, its library, its tag.

The target is ``HYDRA_HARNESS_TARGET`` in the environment, else this machine's.
There is no sdist: it could not be installed without Go.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pybind import build
from wheels import payload, sbom
from wheels.distributions import INPROCESS
from wheels.table import ROOT, host_target, load_targets

SDIST_REFUSED = (
    "there is no source distribution of hydra-harness-inprocess: it would need Go and the rest of the "
    "repository. Build a wheel instead: python -m wheels.release --inprocess --host"
)


class RuntimeDependency(MetadataHookInterface):
    """The wheel is of use to exactly one version of the Python package."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the dependency."""
        source = (ROOT / "python" / "hydra_harness_runtime" / "_version.py").read_text("utf-8")
        found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
        if found is None or found[1] != metadata["version"]:
            raise build.BuildError(
                f"this package is of version {metadata['version']}, hydra_harness_runtime is not: make them the same"
            )
        metadata["dependencies"] = [f"hydra-harness-runtime=={metadata['version']}"]


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the library and has it taken into the wheel under its tag."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files; *version* is ``editable`` or ``standard``."""
        if self.target_name == "sdist":
            raise build.BuildError(SDIST_REFUSED)
        targets = load_targets(ROOT)
        name = os.environ.get("HYDRA_HARNESS_TARGET") or host_target(targets).name
        self.app.display_info(f"building the extension for {name}")
        if version == "editable":
            build.build(name, self.metadata.version, Path(self.root) / "hydra_harness_inprocess")
            return
        # Kept on self: the folder must live until the wheel is written.
        self._temporary = tempfile.TemporaryDirectory(prefix="hydra-harness-wheel-")
        library = build.build(name, self.metadata.version, Path(self._temporary.name))
        bill = Path(self._temporary.name) / sbom.file_name(INPROCESS)
        payload.write_json(bill, sbom.bill_of_extension(ROOT, self.metadata.version, library))
        build_data["sbom_files"].append(str(bill))
        build_data["pure_python"] = False
        build_data["tag"] = INPROCESS.tag(targets[name])
        build_data["force_include"][str(library)] = f"hydra_harness_inprocess/{library.name}"
