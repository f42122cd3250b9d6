#!/usr/bin/env python3
"""Processor time of mpirage (ranks as processes) beside SimGrid's, same programs, same machine, same run: the best of
REPEATS. Both sides simulate SimGrid's model on one switch without computation. A message is what the network carries, those of
collectives included; a switch is one turn of a rank. No bound is asserted: machines are noisy."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))

# name, program, arguments, ranks, our algorithm, SimGrid's
CASES = [
    ("ping-pong 100,000 x 1 KiB", "pingpong", ["100000", "1024"], 2, "", []),
    ("halo 10 KiB x 100", "halo2d", ["100", "10240"], 64, "", []),
    ("halo 10 KiB x 100", "halo2d", ["100", "10240"], 256, "", []),
    ("halo 10 KiB x 100", "halo2d", ["100", "10240"], 1024, "", []),
    ("alltoall 64 KiB linear", "alltoall", ["65536"], 64, "alltoall=linear", ["--cfg=smpi/alltoall:basic_linear"]),
    ("alltoall 64 KiB linear", "alltoall", ["65536"], 128, "alltoall=linear", ["--cfg=smpi/alltoall:basic_linear"]),
    ("allreduce 8 B x 100", "allreduce", ["100", "1"], 256, "allreduce=recursive-doubling", ["--cfg=smpi/allreduce:rdb"]),
    ("allreduce 8 B x 100", "allreduce", ["100", "1"], 1024, "allreduce=recursive-doubling", ["--cfg=smpi/allreduce:rdb"]),
    ("Init + Finalize", "initfin", [], 1024, "", []),
]


def processor_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def best(command, folder, repeats):
    return min((processor_seconds(command, folder) for _ in range(repeats)), key=lambda run: run[0])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--largest", type=int, default=1024, help="leave out cases of more ranks")
    options = options.parse_args()
    print(f"{'case':28} {'ranks':>5} {'mpirage s':>10} {'SimGrid s':>10} {'ratio':>6} {'messages':>9} {'us/message':>11} {'SimGrid':>8} {'switches':>9} {'us/switch':>10}")
    with tempfile.TemporaryDirectory(prefix="cost.") as folder:
        bench = compare.Bench(folder, MPIRAGE, 600)
        for name, program, arguments, ranks, ours, theirs in CASES:
            if ranks > options.largest:
                continue
            platform = bench.folder / f"switch-{ranks}.xml"
            platform.write_text(compare.cluster(ranks))
            hosts = bench.folder / f"hosts-{ranks}"
            hosts.write_text("".join(f"n{i}\n" for i in range(ranks)))
            mine, out = best([MPIRAGE, "run", "--quiet", "--json", "-n", str(ranks), "-p", platform, "--model", "simgrid", "--compute",
                              "none", "--coll", ours, bench.binary([MPIRAGE, "cc"], "mpirage", program), *arguments], folder, options.repeats)
            other, _ = best(["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", platform, *compare.SMPI, *theirs,
                             bench.binary(["smpicc"], "simgrid", program), *arguments], folder, options.repeats)
            figures = json.loads(out.splitlines()[-1])
            messages, switches = figures["messages"], figures["switches"]
            per = lambda seconds, count: f"{1e6 * seconds / count:.2f}" if count else "-"
            print(f"{name:28} {ranks:5} {mine:10.2f} {other:10.2f} {other / mine:6.1f} {messages:9} {per(mine, messages):>11} "
                  f"{per(other, messages):>8} {switches:9} {per(mine, switches):>10}", flush=True)


if __name__ == "__main__":
    main()
