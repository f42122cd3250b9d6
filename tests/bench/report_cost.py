#!/usr/bin/env python3
"""Processor time of --report: the same run without and with it, in turns, the best of REPEATS of each.

    report_cost.py                  all rows
    report_cost.py --only halo      rows whose name contains this
    report_cost.py --repeats 9      more runs, less noise

Machines are noisy, so this is no test: the script prints missed aims, and only --strict sets the exit code.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
AIM = 35  # per cent, of folded runs that compute nothing


@dataclass
class Row:
    name: str
    source: str
    arguments: tuple
    ranks: int
    options: tuple = ("--model", "simgrid", "--compute", "none", "--ranks-as", "folded")


PLAIN = ("--model", "simgrid", "--compute", "none")
ROWS = [
    Row("demo: halo, 16 ranks", "examples/halo2d.c", (), 16, ()),
    Row("halo 10 KiB x 100, 1,024 folded ranks", "tests/network/exact_times/halo2d.c", (100, 10240), 1024),
    Row("halo 10 KiB x 20, 1,024 processes", "tests/network/exact_times/halo2d.c", (20, 10240), 1024, PLAIN + ("--ranks-as", "processes")),
    Row("allreduce 8 B x 100, 1,024 folded ranks", "tests/network/exact_times/allreduce.c", (100, 1), 1024,
        PLAIN + ("--ranks-as", "folded", "--coll", "allreduce=recursive-doubling")),
    Row("ping-pong 1 KiB x 100,000, folded", "tests/network/exact_times/pingpong.c", (100000, 1024), 2),
]


def once(command, folder):
    """Processor seconds of a command and its children."""
    with open(os.devnull, "w") as nowhere, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=nowhere, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            err.seek(0)
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {child.returncode}: {err.read()[-2000:]}")
        return usage.ru_utime + usage.ru_stime


def measure(row, folder, repeats):
    """Processor seconds without and with, in turns, and the size of the page."""
    program, page = folder / pathlib.Path(row.source).stem, folder / "run.html"
    once([MPIRAGE, "cc", "-O2", "-o", program, ROOT / row.source, "-lm"], folder)
    command = [MPIRAGE, "run", "--quiet", "-n", row.ranks, "-p", f"cluster:{row.ranks}", *row.options]
    plain, reported = [], []
    for _ in range(repeats):
        plain.append(once([*command, program, *row.arguments], folder))
        reported.append(once([*command, "--report", page, program, *row.arguments], folder))
    return min(plain), min(reported), page.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--strict", action="store_true", help="fail if an aim is missed")
    arguments = parser.parse_args()
    missed = 0
    print(f"{'':42}{'without':>9}{'with':>9}{'page':>10}{'more':>7}   aim: {AIM} %")
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            if arguments.only not in row.name:
                continue
            plain, reported, size = measure(row, pathlib.Path(folder), arguments.repeats)
            more = 100 * (reported / plain - 1)
            missed += more > AIM
            verdict = "met" if more <= AIM else "MISSED"
            print(f"{row.name:42}{plain:7.3f} s{reported:7.3f} s{size / 1e6:7.2f} MB{more:6.1f} %  {verdict}", flush=True)
    sys.exit(1 if arguments.strict and missed else 0)


if __name__ == "__main__":
    main()
