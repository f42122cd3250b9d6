#!/usr/bin/env python3
"""Compares the speed of two builds, in turns: tests/bench/compare_builds.py DIR [--only TEXT] [--turns N] [--instructions] [--limit PERCENT]

DIR is the other build: a checkout, or a folder that holds `mpirage` and `libmpi_abi.so`. Each case runs with the other build
and with this one, one after the other, N times. The script prints the processor time of both (user and system, children
included), and the ratio of the medians. A case that seems too slow gets more turns before it is judged. --instructions also
counts instructions with valgrind, on shorter runs: these numbers do not depend on what else the machine does, and help to tell a
slower build from a disturbed measurement.

The exit code is 1 if a case takes more processor time than the limit allows (10 %), or if the two builds simulate different times."""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
MORE_TURNS = 10
SIMGRID = ("--model", "simgrid", "--compute", "none")
RECURSIVE_DOUBLING = ("--coll", "allreduce=recursive-doubling")


@dataclass
class Case:
    """A run. `words` and `short` are its arguments; {out} is a file to write, {NAME} a compiled program."""

    name: str
    words: tuple
    short: tuple = ()  # a shorter run, for counting instructions; none: not counted


def replay(name, platform, model, pattern, long, short, *more):
    """A generated workload, with a number of iterations for each of the two lengths."""
    words = lambda iterations: ("replay", "-p", platform, "--model", model, *more, f"gen:{pattern},iterations={iterations}")
    return Case(f"replay {name}", words(long), words(short) if short else ())


def program(name, how, ranks, run, short, *more):
    """An MPI program under the model `simgrid`, on one switch."""
    words = lambda run: ("run", "-n", ranks, "-p", f"cluster:{ranks}", *SIMGRID, "--ranks-as", how, *more, *run)
    return Case(name, words(run), words(short) if short else ())


CASES = [
    replay("halo, 1,024 ranks, switch, simgrid", "cluster:1024", "simgrid", "halo2d,ranks=1024,bytes=10240", 80, 4),
    replay("halo, 4,096 ranks, fat tree, flow", "fat-tree:16x16x16", "flow", "halo2d,ranks=4096,bytes=10240", 2, 1),
    replay("halo, 4,096 ranks, torus, flow", "torus:16x16x16", "flow", "halo3d,ranks=4096,bytes=64KiB", 5, 1),
    replay("halo, 4,096 ranks, loggops", "cluster:4096", "loggops", "halo2d,ranks=4096,bytes=10240", 10, 1),
    replay("halo, 1,024 ranks, bus", "cluster:1024", "bus", "halo2d,ranks=1024", 60, 4),
    replay("sweep, 1,024 ranks, smp", "cluster:1024", "smp", "sweep3d,ranks=1024", 1, 0),
    replay("allreduce, 16,384 ranks, loggops", "cluster:16384", "loggops", "allreduce,ranks=16384,bytes=8", 2, 0),
    replay("allreduce, 4,096 ranks, fat tree, flow", "fat-tree:16x16x16", "flow", "allreduce,ranks=4096,bytes=8", 3, 1),
    replay("all-to-all, 512 ranks, switch, simgrid", "cluster:512", "simgrid", "alltoall,ranks=512,bytes=64KiB", 1, 0, "--coll", "alltoall=linear"),
    replay("incast, 1,024 ranks, simgrid", "cluster:1024", "simgrid", "incast,ranks=1024,bytes=64KiB", 200, 20),
    replay("random, 512 ranks, switch, flow", "cluster:512", "flow", "random,ranks=512", 10, 1),
    replay("random, 512 ranks, fat tree, flow", "fat-tree:16x64", "flow", "random,ranks=512", 6, 1),
    replay("random, 512 ranks, torus, flow", "torus:16x8x8", "flow", "random,ranks=512", 6, 1),
    program("ping-pong 1 KiB, folded", "folded", 2, ("{pingpong}", 300000, 1024), ("{pingpong}", 20000, 1024)),
    program("halo 10 KiB, 256 folded ranks", "folded", 256, ("{halo2d}", 100, 10240), ("{halo2d}", 10, 10240)),
    program("halo 10 KiB, 1,024 folded ranks", "folded", 1024, ("{halo2d}", 50, 10240), ()),
    program("allreduce 8 B, 1,024 folded ranks", "folded", 1024, ("{allreduce}", 60, 1), (), *RECURSIVE_DOUBLING),
    program("allreduce 8 B, 256 folded ranks", "folded", 256, ("{allreduce}", 200, 1), ("{allreduce}", 10, 1), *RECURSIVE_DOUBLING),
    program("Init + Finalize, 8,192 folded ranks", "folded", 8192, ("{initfin}",), ()),
    program("ping-pong 1 KiB, processes", "processes", 2, ("{pingpong}", 30000, 1024), ()),
    program("halo 10 KiB, 64 processes", "processes", 64, ("{halo2d}", 50, 10240), ()),
    program("report of a halo, 256 folded ranks", "folded", 256, ("--report", "{out}.html", "{halo2d}", 100, 10240),
            ("--report", "{out}.html", "{halo2d}", 10, 10240)),
    program("report of a ping-pong, folded", "folded", 2, ("--report", "{out}.html", "{pingpong}", 200000, 1024),
            ("--report", "{out}.html", "{pingpong}", 20000, 1024)),
    replay("with report: halo with noise", "cluster:256", "simgrid", "halo2d,ranks=256,compute=1ms,noise=0.1", 60, 5, "--report", "{out}.html"),
    program("trace of a halo, 256 folded ranks", "folded", 256, ("--trace", "{out}.mpirage", "{halo2d}", 60, 10240),
            ("--trace", "{out}.mpirage", "{halo2d}", 10, 10240)),
    replay("with timeline: halo, Paraver", "cluster:256", "simgrid", "halo2d,ranks=256", 40, 4, "--trace", "{out}.prv"),
]
PROGRAMS = ("pingpong", "halo2d", "allreduce", "initfin")


class Build:
    """One of the two builds, with the programs it has compiled."""

    def __init__(self, folder, scratch, name):
        inside = [folder, folder / "target" / "release"]
        found = next((place for place in inside if (place / "mpirage").is_file()), None)
        if not found:
            sys.exit(f"{folder} holds no build: neither `mpirage` nor `target/release/mpirage`")
        self.mpirage, self.folder = found / "mpirage", scratch / name
        self.folder.mkdir()
        self.places = {"out": str(self.folder / "out")}
        for source in PROGRAMS:
            self.places[source] = str(self.folder / source)
            subprocess.run([self.mpirage, "cc", "-O2", TESTS / "network" / "exact_times" / f"{source}.c", "-o", self.places[source]], check=True)

    def command(self, words):
        first, *rest = (str(word).format(**self.places) for word in words)
        return [str(self.mpirage), first, "--quiet", "--json", *rest]

    def run(self, words):
        """Processor seconds, and the simulated seconds."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = subprocess.Popen(self.command(words), cwd=self.folder, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            text, errors = out.read(), err.read()
        if child.returncode:
            sys.exit(f"{' '.join(self.command(words))}: exit code {child.returncode}: {errors[-2000:]}")
        result = json.loads([line for line in (text + errors).splitlines() if line.startswith("{")][-1])
        return usage.ru_utime + usage.ru_stime, result["simulated_seconds"]

    def instructions(self, words):
        """Instructions of the simulator, and of the ranks that are folded into it."""
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        done = subprocess.run([*tool, *self.command(words)], cwd=self.folder, capture_output=True, text=True)
        counted = re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)
        if done.returncode or not counted:
            sys.exit(f"valgrind {' '.join(self.command(words))}: exit code {done.returncode}: {done.stderr[-2000:]}")
        return int(counted[-1].replace(",", ""))


def in_turns(case, builds, turns):
    """Processor seconds of both builds, and whether they simulate the same time."""
    seconds, simulated = ([], []), set()
    for turn in range(turns):
        # Each build goes first in every other turn.
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            spent, dates = builds[which].run(case.words)
            seconds[which].append(spent)
            simulated.add(dates)
    return seconds, simulated


def judge(case, builds, options):
    """Prints the row of a case; says what is wrong with it."""
    seconds, simulated = in_turns(case, builds, options.turns)
    most = 1 + options.limit / 100
    medians = lambda: [statistics.median(of_one) for of_one in seconds]
    too_slow = lambda: medians()[1] > most * medians()[0]
    if too_slow():
        more, again = in_turns(case, builds, MORE_TURNS)
        seconds, simulated = tuple(a + b for a, b in zip(seconds, more)), simulated | again
    verdict = f"DIFFERENT TIMES {sorted(simulated)}" if len(simulated) > 1 else "SLOWER" if too_slow() else ""
    before, after = medians()
    best = min(seconds[1]) / min(seconds[0])
    counted = f"{'-':>8}"
    if options.instructions and case.short:
        first, second = (build.instructions(case.short) for build in builds)
        counted = f"{second / first:8.3f}"
    print(f"{case.name:46} {before:8.3f} {after:8.3f} {after / before:8.3f} {best:8.3f} {counted}  {verdict}", flush=True)
    return bool(verdict)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=pathlib.Path, help="the build to compare with")
    parser.add_argument("--this", type=pathlib.Path, default=ROOT, help="the build that is judged (default: this checkout's)")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--limit", type=float, default=10, help="per cent that a case may be slower")
    parser.add_argument("--instructions", action="store_true", help="count instructions too (valgrind)")
    options = parser.parse_args()
    if options.instructions and not shutil.which("valgrind"):
        sys.exit("--instructions needs valgrind (Debian: valgrind)")
    print(f"{'case':46} {'other s':>8} {'this s':>8} {'ratio':>8} {'of best':>8} {'instr.':>8}")
    with tempfile.TemporaryDirectory(prefix="against.") as scratch:
        scratch = pathlib.Path(scratch)
        builds = [Build(options.other.resolve(), scratch, "other"), Build(options.this.resolve(), scratch, "this")]
        cases = [case for case in CASES if options.only in case.name]
        wrong = sum([judge(case, builds, options) for case in cases])
    print(f"{len(cases)} cases, {wrong} of them slower by more than {options.limit:g} % or different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
