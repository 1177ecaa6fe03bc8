"""python -m kernel_truth verify FILE [ID...]  |  python -m kernel_truth record FILE > OUT

Both read one JSON object a line. verify runs recorded cases again and prints
every difference; record adds the truth to cases that have none (id, tree,
command; optional shell, cwd, roots, env, stdin, mutate, mask, note).
Exit status: 0 all the same, 1 differences, 2 a mistake in the use.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys

from . import run


def load(file: str) -> list[run.Case]:
    trees: dict[str, object] = {}
    cases = []
    with open(file, encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            if "tree_ref" in case:
                if not trees:
                    for named in sorted(glob.glob(os.path.join(os.path.dirname(file) or ".", "*-trees.json"))):
                        with open(named, encoding="utf-8") as t:
                            trees |= json.load(t)
                case["tree"] = trees[case["tree_ref"]]
            cases.append(case)
    return cases


def main(args: list[str]) -> int:
    if len(args) < 2 or args[0] not in ("verify", "record"):
        print(__doc__, file=sys.stderr)
        return 2
    for tool in ("strace", "bash", "dash"):
        if not shutil.which(tool):
            print(f"kernel_truth needs {tool}; install it first", file=sys.stderr)
            return 2
    cases = load(args[1])
    if args[0] == "record":
        for case in cases:
            print(json.dumps(run.record(case)))
        return 0
    wanted = set(args[2:])
    cases = [c for c in cases if not wanted or c["id"] in wanted]
    drifted = 0
    for case in cases:
        diff = run.differences(case)
        if diff:
            drifted += 1
            print("DIFFERENT", case["id"], json.dumps(diff))
    print(f"{len(cases)} cases, {drifted} different")
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
