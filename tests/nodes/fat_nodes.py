#!/usr/bin/env python3
"""Simulated beside published times of two fat nodes: tests/nodes/fat_nodes.py [--setup NAME,…] [--only BENCH,…] [--machine PLATFORM] [--check] [--series] [--write PAGE] [-- OPTIONS OF MPIRAGE]

The measurements are OSU micro-benchmarks of public results (fat-nodes.csv, beside this file). The error of a point is
e^|ln(simulated / measured)| − 1. Nothing is fitted to collectives. The bounds are aims: --check ends with 1 if one is missed, --write puts the
table into a page, between its marks."""

import argparse
import collections
import concurrent.futures
import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
TABLE = HERE / "fat-nodes.csv"
# What a user would say about these nodes: the network and the processors. The messages within a node are copied twice: Spack, which builds such modules,
# configures UCX without CMA, XPMEM and KNEM.
MACHINES = {
    "ib-gcc9-openmpi4-ucx": "cluster:2,cores=32,sockets=2,family=broadwell,net=edr",
    "roce-gcc9-openmpi4-ucx": "cluster:2,cores=32,sockets=2,family=broadwell,net=roce25",
}
# Their MPI: Open MPI 4.0.3 with UCX. Both mpirun (of more than two ranks) and Slurm deal the ranks of a node to its sockets in turn.
LIBRARY = ["--coll", "openmpi-4.0", "--map-by", "socket"]
BEGIN, END = "<!-- written by tests/nodes/fat_nodes.py --write -->\n", "<!-- end of the table -->\n"
# Messages of at most so many bytes are small (tests/packet/measured.py).
SMALL = 4096
# Mean and worst error in percent.
BOUNDS = {"latency": (2, 10), "bw": (3, 15), "bibw": (8, 30), "mbw_mr": (10, 40), "allreduce": (15, 60), "allgather": (15, 60), "alltoall": (15, 60)}


def measured(setups, benches):
    """{(setup, bench, ranks per node): {bytes: value}}"""
    series = collections.defaultdict(dict)
    for row in csv.DictReader(open(TABLE)):
        if row["setup"] in setups and row["benchmark"] in benches and int(row["bytes"]) > 0:
            series[row["setup"], row["benchmark"], int(row["ranks_per_node"])][int(row["bytes"])] = float(row["value"])
    return series


def simulate(program, machine, key, sizes, options):
    """{bytes: value}"""
    setup, bench, per_node = key
    machine = ["-n", 2 * per_node, "--ppn", per_node, "-p", machine or MACHINES[setup], *LIBRARY, "--compute", "none", "--share-malloc", "64KiB"]
    command = [MPIRAGE, "run", "-q", *machine, *options, program, bench, *sorted(sizes)]
    made = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {made.returncode}\n{made.stderr}")
    return {int(size): float(value) for _, size, value in (line.split() for line in made.stdout.splitlines())}


def page(rows):
    """The table of a page."""
    setups = list(MACHINES)
    lines = ["| benchmark | aim | " + " | ".join(f"`{setup}`" for setup in setups) + " |", "|---|---|" + "---|" * len(setups)]
    for bench, (mean, worst) in BOUNDS.items():
        found = [rows.get((setup, bench)) for setup in setups]
        lines.append(f"| {bench} | {mean} / {worst} | " + " | ".join(f"{100 * row[0]:.1f} / {100 * row[1]:.0f}" if row else "–" for row in found) + " |")
    return "\n".join(lines) + "\n"


def write(path, rows):
    text = path.read_text()
    (before, rest), after = text.split(BEGIN), text.split(END)[1]
    assert END in rest
    path.write_text(before + BEGIN + page(rows) + END + after)


def add_error(path, key, size, error):
    """Pairs of one rank per node are what presets were derived from, and prove nothing."""
    setup, bench, per_node = key
    if per_node > 1:
        kind = "contention" if bench == "mbw_mr" else "collectives"
        with open(path, "a", newline="") as file:
            row = [setup, "fat-nodes", kind, "small" if size <= SMALL else "large", f"{error:.6f}"]
            csv.writer(file, lineterminator="\n").writerow(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", default=",".join(MACHINES))
    parser.add_argument("--only", default=",".join(BOUNDS))
    parser.add_argument("--machine", metavar="PLATFORM", help="another description of the nodes, for a calibrated model")
    parser.add_argument("--series", action="store_true", help="print every point")
    parser.add_argument("--write", type=pathlib.Path, help="the page to put the table into")
    parser.add_argument("--errors", type=pathlib.Path, metavar="FILE", help="append the error of each series to it, for trust.py")
    parser.add_argument("--check", action="store_true", help="end with 1 if a bound is missed")
    parser.add_argument("mpirage", nargs="*", help="after --: options of mpirage")
    options = parser.parse_args()
    wanted = measured(options.setup.split(","), options.only.split(","))
    errors, rows, missed = collections.defaultdict(list), {}, False
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        program = pathlib.Path(folder) / "osu"
        subprocess.run([MPIRAGE, "cc", "-O1", HERE / "osu.c", "-o", program], check=True)
        runs = {key: pool.submit(simulate, program, options.machine, key, sizes, options.mpirage) for key, sizes in wanted.items()}
        for key, run in runs.items():
            for size, value in run.result().items():
                ratio = value / wanted[key][size]
                errors[key[0], key[1]].append(math.exp(abs(math.log(ratio))) - 1)
                if options.errors:
                    add_error(options.errors, key, size, errors[key[0], key[1]][-1])
                if options.series:
                    print(f"{key[0]:24} {key[1]:10} {key[2]:3} {size:8} {wanted[key][size]:12.2f} {value:12.2f} {ratio:7.3f}")
    print(f"{'setup':24} {'benchmark':10} points   mean   worst   bound")
    for (setup, bench), found in errors.items():
        mean, worst, bound = 100 * sum(found) / len(found), 100 * max(found), BOUNDS[bench]
        rows[setup, bench] = mean / 100, worst / 100
        missed |= mean > bound[0] or worst > bound[1]
        print(f"{setup:24} {bench:10} {len(found):6} {mean:6.1f} {worst:7.1f}   {bound[0]} / {bound[1]}")
    if options.write:
        write(options.write, rows)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
