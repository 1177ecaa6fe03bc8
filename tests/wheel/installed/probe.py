"""Use the installed package on the folder in the first argument; print what came back.

Run by the tests with other interpreters, and packed into applications, so it
needs nothing but the package. Search, gate and spill: each part of the runtime
has to work where the wheel was put.
"""

import json
import sys
import tempfile

import hydra_harness_runtime


def main(tree: str, spill: str) -> dict[str, object]:
    search = hydra_harness_runtime.SearchConfig(
        sample_over_cap_glob_results=True, glob_order="path", grep_max_matches=1, spill_root=spill
    )
    with hydra_harness_runtime.Runtime(tree, search=search) as runtime:
        page = runtime.call_tool("grep", {"pattern": "needle"})
        (saved,) = runtime.spill.list()
        gate = {
            command: runtime.gate(command, env={"PATH": "/usr/bin:/bin"}).decision
            for command in ("cat one.txt", "cat /etc/passwd", "rm one.txt")
        }
        info = runtime.info()
        return {
            "package": hydra_harness_runtime.__file__,
            "runtime": str(hydra_harness_runtime.bundled_runtime_path()),
            "ripgrep": str(hydra_harness_runtime.bundled_ripgrep_path()),
            "versions": [hydra_harness_runtime.__version__, info.version, info.ripgrep.version],
            "paths": list(runtime.glob("*.txt").paths),
            "matches": sorted([match.path, match.line_number, match.line] for match in runtime.grep("needle").matches),
            "gate": gate,
            "page": [page.locator == saved.locator, runtime.spill.read(saved.id).text.count("needle")],
        }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(main(sys.argv[1], folder)))
