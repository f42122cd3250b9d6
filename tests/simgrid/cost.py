#!/usr/bin/env python3
"""Processor time of mpirage and SimGrid: the same programs on the same machine, in turns, the best of REPEATS
of each, because the speed of the machine changes from second to second.

Both simulate SimGrid's model on one switch without computation. Messages include those of collectives. Each row shows its aim, and
whether it is missed; then the script ends with 1 if --strict is given. Machines are noisy, so this is no test.

    cost.py                      the rows with SimGrid, then those too large for SimGrid
    cost.py --only folded        rows whose name contains this
    cost.py --largest 256        leave out rows of more ranks
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
RDB = ("allreduce=recursive-doubling", "smpi/allreduce:rdb")
LINEAR = ("alltoall=linear", "smpi/alltoall:basic_linear")


@dataclass
class Row:
    name: str
    program: str
    arguments: tuple
    ranks: int
    how: str                     # folded or processes
    algorithm: tuple = ("", "")
    aim: float = 0               # times less processor time than SimGrid
    operations: int = 0          # what the program does, if that is not messages


BESIDE = [
    Row("ping-pong 100,000 x 1 KiB", "pingpong", (100000, 1024), 2, "folded", aim=10),
    Row("ping-pong 100,000 x 1 KiB", "pingpong", (100000, 1024), 2, "processes"),
    Row("halo 10 KiB x 100", "halo2d", (100, 10240), 64, "folded"),
    Row("halo 10 KiB x 100", "halo2d", (100, 10240), 256, "folded"),
    Row("halo 10 KiB x 100", "halo2d", (100, 10240), 1024, "folded", aim=20),
    # Pages of zeros that nobody has written are one page for all ranks; here there are none.
    Row("halo 10 KiB x 100, written", "halo2d", (100, 10240, 1), 1024, "folded"),
    Row("halo 10 KiB x 100", "halo2d", (100, 10240), 1024, "processes", aim=1),
    Row("allreduce 8 B x 100", "allreduce", (100, 1), 256, "folded", RDB),
    Row("allreduce 8 B x 100", "allreduce", (100, 1), 1024, "folded", RDB, aim=30),
    Row("allreduce 8 B x 100", "allreduce", (100, 1), 1024, "processes", RDB),
    Row("alltoall 64 KiB linear", "alltoall", (65536,), 128, "folded", LINEAR),
    Row("alltoall 64 KiB linear, shared", "alltoall_shared", (65536,), 512, "folded", LINEAR, aim=50),
    Row("Init + Finalize", "initfin", (), 1024, "folded"),
    Row("Init + Finalize", "initfin", (), 1024, "processes"),
]



def accesses(kind, doubles, ranks, how):
    """One-sided accesses: 100 per rank in each of 20 epochs."""
    size = f"{8 * doubles} B" if doubles < 128 else f"{doubles // 128} KiB"
    return Row(f"{kind} {size}, fences", "onesided", (kind, 100, doubles, 20), ranks, how, operations=2000 * ranks)


ONE_SIDED = [accesses(kind, doubles, 16, how) for kind in ("put", "get", "accumulate") for doubles in (1, 128) for how in ("folded", "processes")]

# One rank has 10,000 receives outstanding, or as many messages that no receive waits for.
MATCHING = [Row(f"10,000 {kind}, shuffled", "outstanding", (10000, kind), 11, "folded") for kind in ("posted", "posted-any", "unexpected", "unexpected-any")]

# SimGrid stops near 6,500 isolated ranks.
ALONE = [
    Row("halo 10 KiB x 20", "halo2d", (20, 10240), 256, "folded"),
    Row("halo 10 KiB x 20", "halo2d", (20, 10240), 16384, "folded"),
    Row("Init + Finalize", "initfin", (), 16384, "folded"),
    Row("Init + Finalize", "initfin", (), 100000, "folded"),
    Row("allreduce 8 B", "allreduce", (1, 1), 100000, "folded", RDB),
]


class Machine:
    """Compiles and runs programs on either side."""

    def __init__(self, folder, repeats):
        self.bench = compare.Bench(folder, MPIRAGE, 600)
        self.folder, self.repeats = folder, repeats

    def platform(self, ranks):
        path = self.bench.folder / f"switch-{ranks}.xml"
        path.write_text(compare.cluster(ranks))
        return path

    def binary(self, compiler, side, program):
        source = ROOT / "tests" / "simgrid" / f"{program}.c"
        if not source.exists():
            return self.bench.binary(compiler, side, program)
        binary = pathlib.Path(self.folder) / f"{program}.{side}"
        if not binary.exists():
            subprocess.run([*compiler, "-O2", source, "-o", binary], check=True)
        return binary

    def mpirage_command(self, row):
        program = self.binary([MPIRAGE, "cc"], "mpirage", row.program)
        return [MPIRAGE, "run", "--quiet", "--json", "-n", row.ranks, "-p", self.platform(row.ranks), "--model", "simgrid", "--compute", "none",
                   "--ranks-as", row.how, "--coll", row.algorithm[0], program, *row.arguments]

    def simgrid_command(self, row):
        hosts = self.bench.folder / f"hosts-{row.ranks}"
        hosts.write_text("".join(f"n{i}\n" for i in range(row.ranks)))
        algorithm = [f"--cfg={row.algorithm[1]}"] if row.algorithm[1] else []
        return ["smpirun", "-np", row.ranks, "-hostfile", hosts, "-platform", self.platform(row.ranks), *compare.SMPI, *algorithm,
                   self.binary(["smpicc"], "simgrid", row.program), *row.arguments]

    def best(self, *commands):
        """The best run of each command, all in turns."""
        runs = [[self.once([str(word) for word in command]) for command in commands] for _ in range(self.repeats)]
        return [min(of_one, key=lambda run: run[0]) for of_one in zip(*runs)]

    def once(self, command):
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = subprocess.Popen(command, cwd=self.folder, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            if child.returncode:
                raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}: {err.read()[-2000:]}")
            # Ranks that are processes are children of the child, which has waited for them.
            return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.read()


def simulated(out):
    lines = [line for line in out.splitlines() if line.startswith("SIM ")]
    return lines[-1].split("seconds=")[1] if lines else ""


def beside(machine, rows, counted="messages"):
    if not rows:
        return 0
    print(f"\n{'case':31} {'ranks':>6} {'as':>9} {'mpirage s':>10} {'SimGrid s':>10} {'ratio':>7} {'aim':>5}  {counted:>9} {'us each':>8} {'SimGrid':>8}  simulated")
    missed, theirs = 0, {}
    for row in rows:
        key = (row.program, row.arguments, row.ranks)
        commands = [machine.mpirage_command(row)] + ([] if key in theirs else [machine.simgrid_command(row)])
        (seconds, _, out), *others = machine.best(*commands)
        theirs.update((key, (other, their_out)) for other, _, their_out in others)
        (other, their_out), figures = theirs[key], json.loads(out.splitlines()[-1])
        ratio, messages = other / seconds, row.operations or figures["messages"]
        verdict = "" if not row.aim else f"{row.aim:g}x" if ratio >= row.aim else f"{row.aim:g}x MISSED"
        missed += "MISSED" in verdict
        mine, their = simulated(out), simulated(their_out)
        same = "same" if mine == their or abs(float(mine) / float(their) - 1) < 1e-6 else f"{mine} against {their}"
        each = lambda total: f"{1e6 * total / messages:.2f}" if messages else "-"
        print(f"{row.name:31} {row.ranks:6} {row.how:>9} {seconds:10.3f} {other:10.2f} {ratio:7.1f} {verdict:>5}  {messages:9} {each(seconds):>8} {each(other):>8}  {same}", flush=True)
    return missed


def alone(machine, rows):
    if not rows:
        return 0
    print(f"\n{'case':31} {'ranks':>6} {'CPU s':>8} {'messages':>9} {'us each':>8} {'memory MiB':>11} {'KiB/rank':>9}")
    per_message, missed = {}, 0
    for row in rows:
        [(seconds, memory, out)] = machine.best(machine.mpirage_command(row))
        messages = json.loads(out.splitlines()[-1])["messages"]
        if row.program == "halo2d":
            per_message[row.ranks] = seconds / messages
        each = f"{1e6 * seconds / messages:.2f}" if messages else "-"
        print(f"{row.name:31} {row.ranks:6} {seconds:8.2f} {messages:9} {each:>8} {memory / 2**20:11.0f} {memory / 1024 / row.ranks:9.1f}", flush=True)
        for (ranks, most) in ((16384, 2), (100000, 15)):
            if row.program == "initfin" and row.ranks == ranks:
                met = seconds < most and memory / ranks < 64 * 1024
                missed += not met
                print(f"    {'met' if met else 'MISSED'}: under {most} s and 64 KiB each")
    if len(per_message) == 2:
        growth = per_message[16384] / per_message[256]
        missed += growth > 1.5
        print(f"    {'met' if growth <= 1.5 else 'MISSED'}: a message among 16,384 ranks costs {growth:.2f} x what it costs among 256; the aim is 1.5")
    return missed


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--largest", type=int, default=1_000_000)
    options.add_argument("--only", default="")
    options.add_argument("--strict", action="store_true")
    options = options.parse_args()
    wanted = lambda rows: [row for row in rows if row.ranks <= options.largest and options.only in f"{row.name} {row.how}"]
    with tempfile.TemporaryDirectory(prefix="cost.") as folder:
        machine = Machine(folder, options.repeats)
        missed = beside(machine, wanted(BESIDE)) + beside(machine, wanted(ONE_SIDED), "accesses") + beside(machine, wanted(MATCHING)) + alone(machine, wanted(ALONE))
    print(f"\n{missed} aims missed")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
