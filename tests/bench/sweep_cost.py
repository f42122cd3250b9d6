#!/usr/bin/env python3
"""What `mpirage sweep` costs beside the cases that it runs: tests/bench/sweep_cost.py

Runs 200 short cases. Compared are the processor time of the sweep itself with that of its cases, and the time that lanes spend between cases
with the time that they spend in cases, both within one run: other work on this machine slows both alike. Ends with 1 if either is 5 % or more."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import MPIRAGE  # noqa: E402

CASES, LIMIT = 200, 0.05
LANES = 2
STUDY = f"""
command = "replay -p cluster:64 gen:halo2d,ranks=64,bytes={{bytes}},iterations=100"
[parameters]
bytes = {{ from = 1000, to = {1000 + CASES - 1}, step = 1 }}
"""


def processor_seconds(process):
    """Of a process that has ended and is not waited for yet, and of those that it has waited for."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    own, cases = (sum(map(int, fields[at:at + 2])) / os.sysconf("SC_CLK_TCK") for at in (11, 13))
    return own, cases


def main():
    with tempfile.TemporaryDirectory(prefix="test-sweep-cost-") as place:
        study = pathlib.Path(place) / "study.toml"
        study.write_text(STUDY)
        began = time.perf_counter()
        process = subprocess.Popen([MPIRAGE, "sweep", study, "-q", "-j", str(LANES)])
        own, cases = processor_seconds(process)
        wall = time.perf_counter() - began
        assert process.wait() == 0
        with open(study.with_suffix(".sweep") / "host.csv", newline="") as file:
            inside = [float(row["case_seconds"]) for row in csv.DictReader(file)]
    assert len(inside) == CASES
    between = LANES * wall - sum(inside)
    print(f"{CASES} cases in {wall:.2f} s: {cases:.2f} s of processor time for cases, {own:.2f} s for the sweep: {100 * own / cases:.1f} %")
    print(f"{LANES} lanes: {sum(inside):.2f} s in cases, {between:.2f} s between them, tables and page included: {100 * between / sum(inside):.1f} %")
    sys.exit(own >= LIMIT * cases or between >= LIMIT * sum(inside))


if __name__ == "__main__":
    main()
