"""Use the installed package on the folder in the first argument; print what came back.

Run by the tests with other interpreters, so it needs nothing but the package.
"""

import json
import sys

import hydra_harness_runtime

with hydra_harness_runtime.Runtime(
    sys.argv[1], search=hydra_harness_runtime.SearchConfig(sample_over_cap_glob_results=True, glob_order="path")
) as runtime:
    answer = {
        "package": hydra_harness_runtime.__file__,
        "version": hydra_harness_runtime.__version__,
        "runtime": str(hydra_harness_runtime.bundled_runtime_path()),
        "ripgrep": str(hydra_harness_runtime.bundled_ripgrep_path()),
        "paths": list(runtime.glob("*.txt").paths),
        "matches": sorted([match.path, match.line_number, match.line] for match in runtime.grep("needle").matches),
    }
print(json.dumps(answer))
