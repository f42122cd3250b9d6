#!/usr/bin/env python3
"""The build of `make demo` has no Parquet, completions and manual pages: a message names the missing part, and how to get
it. `.ci/run` calls this between `make demo` and `make build`; after a full build there is nothing to check."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import BUILD, MPIRAGE, Suite  # noqa: E402

suite = Suite("demo_build")
if (BUILD / ".mpirage-full").exists():
    print("skipped: everything is built in")
else:
    for command, said in (
        (["run", "-n", 2, "--trace", "x.parquet", "/bin/true"], "leaves Parquet out"),
        (["replay", "--trace", "x.parquet", "gen:ring,ranks=4"], "leaves Parquet out"),
        (["completions", "bash"], "leaves out completions"),
        (["man", "."], "leaves out manual pages"),
    ):
        result = suite.run([MPIRAGE, *command], cwd=suite.folder)
        what = " ".join(str(word) for word in command)
        suite.check(f"{what}: 84, and how to get it", result.code == 84 and said in result.err and "make build" in result.err, result)
    result = suite.simulate("-q", "-n", 2, "--trace", "x.csv", "--report", "x.html", "/bin/true", cwd=suite.folder)
    suite.check("other outputs are built in", result.code == 0 and pathlib.Path(suite.folder, "x.csv", "ranks.csv").exists(), result)
suite.end()
