"""Compares replays with SimGrid's own, to 1e-6 relative.

Three kinds of traces: those of tests/traces/replay, written by hand; programs of tests/network/exact_times traced by SimGrid (`smpirun -trace-ti`);
and the same programs traced by mpirage, which SimGrid must accept and replay in the time of the run. Computation counts in the
first kind only. Needs Debian's libsimgrid-dev. Prints a table and at the end `N passed, N failed`.

    replay.py                all
    replay.py --slow         also the 1,024-rank halo (takes SimGrid a minute)
    replay.py --filter halo  only those whose name contains this
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import compare

ROOT = compare.ROOT
TOLERANCE = 1e-6
# The same algorithms on both sides: SimGrid's defaults where they are one algorithm, and one of each where they are several.
SIMGRID = ["--cfg=smpi/allreduce:rdb", "--cfg=smpi/alltoall:basic_linear"]
OURS = ("barrier=linear,bcast=binomial,reduce=linear,allreduce=recursive-doubling,gather=linear,scatter=linear,"
        "alltoall=linear,allgather=linear,allgatherv=linear,alltoallv=linear")
QUIET = ["--cfg=smpi/host-speed:1Gf", "--log=xbt_cfg.thres:critical", "--log=root.fmt:%.12r|%m%n"]
# Known values of design notes: what SimGrid says of its own trace of the halo.
HALO = {256: 0.0848682, 1024: 0.0850498}


class Bench:
    def __init__(self, folder, filter):
        self.folder, self.filter, self.passed, self.failed = pathlib.Path(folder), filter, 0, 0
        self.mpirage = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))

    def platform(self, ranks):
        path = self.folder / f"switch-{ranks}.xml"
        path.write_text(compare.cluster(ranks))
        hosts = self.folder / f"hosts-{ranks}"
        hosts.write_text("".join(f"n{i}\n" for i in range(ranks)))
        return path, hosts

    def run(self, command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode} of {command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout + done.stderr

    def simgrid(self, ranks, trace):
        platform, hosts = self.platform(ranks)
        out = self.run(["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts, "-replay", trace, *QUIET, *SIMGRID])
        return float(re.search(r"([0-9.]+)\|Simulation time", out).group(1))

    def ours(self, ranks, trace):
        platform, _ = self.platform(ranks)
        out = self.run([self.mpirage, "replay", "-q", "--json", "-p", platform, "--model", "simgrid", "--coll", OURS, trace])
        return json.loads(out)["simulated_seconds"]

    def compare(self, name, *values):
        names, numbers = zip(*values)
        same = all(abs(number - numbers[0]) <= TOLERANCE * abs(numbers[0]) for number in numbers)
        self.passed, self.failed = self.passed + same, self.failed + (not same)
        told = "  ".join(f"{who} {number:.12f}" for who, number in zip(names, numbers))
        print(f"{'ok' if same else 'FAILED':7} {name:38} {told}", flush=True)

    def case(self, name, action):
        if self.filter not in name:
            return
        try:
            self.compare(name, *action())
        except Exception as error:  # whatever it was, the next case is to run
            self.failed += 1
            print(f"FAILED  {name}: {error}", flush=True)


def ranks_of(trace):
    return 1 + max(int(line.split()[0]) for line in trace.read_text().splitlines() if line.strip() and not line.startswith("#"))


def written(bench, trace):
    """A trace written by hand: one file for all ranks, which SimGrid wants to find in a list."""
    ranks = ranks_of(trace)
    shared = bench.folder / f"{trace.stem}.list"
    shared.write_text(f"{trace}\n")
    return ("SimGrid", bench.simgrid(ranks, shared)), ("mpirage", bench.ours(ranks, trace))


def traced_by_simgrid(bench, program, ranks, arguments):
    platform, hosts = bench.platform(ranks)
    binary, trace = bench.folder / f"{program}.simgrid", bench.folder / f"{program}-{ranks}.sg"
    bench.run(["smpicc", "-O2", ROOT / "tests" / "network" / "exact_times" / f"{program}.c", "-o", binary])
    bench.run(["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts, "-trace-ti", "-trace-file", trace, *SIMGRID,
               "--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical", binary, *arguments])
    result = [("SimGrid", bench.simgrid(ranks, trace)), ("mpirage", bench.ours(ranks, trace))]
    if program == "halo2d" and ranks in HALO:
        assert abs(result[0][1] - HALO[ranks]) < 1e-7, f"SimGrid says {result[0][1]}, not {HALO[ranks]}"
    return result


def traced_by_mpirage(bench, program, ranks, arguments):
    platform, _ = bench.platform(ranks)
    binary, trace = bench.folder / f"{program}.mpirage", bench.folder / f"{program}-{ranks}.ti"
    bench.run([bench.mpirage, "cc", "-O2", ROOT / "tests" / "network" / "exact_times" / f"{program}.c", "-o", binary])
    out = bench.run([bench.mpirage, "run", "-q", "--json", "--compute", "none", "-p", platform, "--model", "simgrid",
                     "--coll", OURS, "--trace", trace, "-n", ranks, binary, *arguments])
    run = json.loads(re.search(r'\{"outcome".*\}', out).group(0))["simulated_seconds"]
    return ("run", run), ("SimGrid", bench.simgrid(ranks, trace)), ("mpirage", bench.ours(ranks, trace))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--slow", action="store_true")
    options.add_argument("--filter", default="")
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="simgrid-replay-") as folder:
        bench = Bench(folder, options.filter)
        for trace in sorted((ROOT / "tests" / "traces" / "replay").glob("*.txt")):
            bench.case(f"by hand: {trace.stem}", lambda: written(bench, trace))
        programs = [("pingpong", 2, [50, 70000]), ("late", 2, [100000]), ("share", 5, [200000]), ("allreduce", 16, [5, 1000]),
                    ("alltoall", 8, [5000]), ("halo2d", 16, [10, 10240]), ("halo2d", 256, [100, 10240])]
        if options.slow:
            programs.append(("halo2d", 1024, [100, 10240]))
        for program, ranks, arguments in programs:
            if program != "share":  # SimGrid writes its MPI_Waitany as something it cannot replay
                bench.case(f"by SimGrid: {program} {ranks}", lambda: traced_by_simgrid(bench, program, ranks, arguments))
            bench.case(f"by mpirage: {program} {ranks}", lambda: traced_by_mpirage(bench, program, ranks, arguments))
        print(f"{bench.passed} passed, {bench.failed} failed")
        sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
