"""The hatchling hook: makes the wheel of one target.

The target is ``HYDRA_HARNESS_TARGET`` in the environment, else ``target`` in
the hook's table of pyproject.toml, else this machine. Every wheel carries
executables, so none is ever tagged ``any``, and an sdist is refused: it could
not be installed without Go, npm and the network, and would fail late.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wheels import payload, sbom, table
from wheels.distributions import EXECUTABLES

PACKAGE_BIN = f"{EXECUTABLES.package}/_bin"
SDIST_REFUSED = (
    "there is no source distribution of hydra-harness-runtime: it would need Go, the npm client and the "
    "network on the machine that installs it. Build a wheel instead: python -m build --wheel"
)


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling; the name is its convention."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the payload and have it taken into the wheel under its tag."""
        if self.target_name == "sdist":
            raise payload.BuildError(SDIST_REFUSED)
        root = Path(self.root)
        target = self._target(table.load_targets(root))
        self.app.display_info(f"building the executables for {target.name}")
        if version == "editable":
            # Modules are imported from the source tree, so the files go there.
            folder = root / "python" / PACKAGE_BIN
            folder.mkdir(exist_ok=True)
        else:
            # Kept on self: the folder must live until the wheel is written.
            self._temporary = tempfile.TemporaryDirectory(prefix="hydra-harness-wheel-")
            folder = Path(self._temporary.name)
        package = None if version == "editable" else root / "python" / EXECUTABLES.package
        files = payload.build(root, target, self.metadata.version, folder, package)
        if version == "editable":
            return
        bill = folder / sbom.file_name(EXECUTABLES)
        payload.write_json(bill, sbom.bill_of_materials(root, target, self.metadata.version, folder))
        build_data["sbom_files"].append(str(bill))
        build_data["pure_python"] = False
        build_data["tag"] = EXECUTABLES.tag(target)
        build_data["force_include"].update({str(folder / name): f"{PACKAGE_BIN}/{name}" for name in files})

    def _target(self, targets: dict[str, table.Target]) -> table.Target:
        name = os.environ.get("HYDRA_HARNESS_TARGET") or self.config.get("target")
        if not name:
            try:
                return table.host_target(targets)
            except LookupError as error:
                raise payload.BuildError(f"{error}; name one by HYDRA_HARNESS_TARGET") from None
        if name not in targets:
            raise payload.BuildError(f"no target is called {name!r}; there are {', '.join(targets)}")
        return targets[name]
