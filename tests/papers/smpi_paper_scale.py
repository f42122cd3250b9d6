#!/usr/bin/env python3
"""Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011),
sections 7.2 and 7.3, measured on this machine: the memory of DT with and without shared memory (figure 16), wall time and simulated
time of a scatter (figure 17), and EP at several sampling ratios (figure 18). Prints the tables and checks bounds.
`smpi_paper_scale.py [memory] [speed] [sampling] [--quick]`; --quick leaves out what takes minutes.

Memory is the sum of the proportional set sizes (PSS) of simulator and ranks while every rank holds all of its streams:
a page that n processes share counts n times 1/n. If private streams need more than 0.7 of the available
memory, that case does not run: its size is the sum of private memory and shared blocks of the shared run."""

import json
import pathlib
import statistics
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import MPIRAGE, ROOT, Suite, marked  # noqa: E402

EXAMPLES = ROOT / "examples" / "smpi_paper"
MIB, GIB = 1 << 20, 1 << 30
RANKS = {"BH": (21, 43, 85), "WH": (21, 43, 85), "SH": (80, 192, 448)}
# Bytes of a stream, and the chunks that are combined for real, by class.
STREAM = [1728 * 4 * 8 << (6 + 3 * step) for step in range(3)]
CHUNKS = (1 << 40, 1 << 40, 4096)


def pss(processes):
    """Bytes that these processes hold."""
    total = 0
    for pid, _ in processes:
        try:
            rollup = pathlib.Path("/proc", str(pid), "smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


def available():
    """Bytes of memory that can be used."""
    lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))


def hold(suite, program, graph, step, life="processes"):
    """A run of DT, stopped while all memory is in use. Bytes held, and the figures of the run."""
    mark = uuid.uuid4().hex
    command = [MPIRAGE, "run", "-q", "--ranks-as", life, "-n", RANKS[graph][step], "--compute", "none", "--json", program, graph, "ABC"[step], CHUNKS[step], "hold"]
    process = suite.start(command, mark, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    while line and line != "holding\n":
        line = process.stdout.readline()
    held = pss(marked(mark))
    rest, _ = process.communicate("\n")
    suite.check(f"{program.name} {graph} {'ABC'[step]} ends", process.returncode == 0, rest)
    return held, json.loads(rest.splitlines()[-1])


def memory(suite, quick):
    print("\nfigure 16: memory of DT, simulator and ranks together, in MiB (~ added up, not run)")
    print(f"  {'':>17} {'processes':>37} {'folded ranks':>14}")
    print(f"  {'graph':>5} {'class':>5} {'ranks':>5} {'private':>10} {'shared':>8} {'falls':>8} {'exists':>8} {'shared':>14}")
    shared = suite.compile(EXAMPLES / "dt.c", flags=["-O2"])
    private = suite.compile(EXAMPLES / "dt.c", "dt-private", flags=["-O2", "-DPRIVATE"])
    ratios = []
    for graph in ("BH", "WH", "SH"):
        for step in range(2 if quick else 3):
            name = f"{graph} {'ABC'[step]}"
            held, run = hold(suite, shared, graph, step)
            would = held - run["shared_resident_bytes"] + run["shared_bytes"]
            fits = would < 0.7 * available()
            without = hold(suite, private, graph, step)[0] if fits else would
            if fits:
                suite.check(f"{name}: adding up is right to 10 %", abs(without / would - 1) < 0.1, (without, would))
            ratios.append(without / held)
            folded, _ = hold(suite, shared, graph, step, "folded")
            print(f"  {graph:>5} {'ABC'[step]:>5} {RANKS[graph][step]:>5} {'' if fits else '~':>1}{without / MIB:>9.0f} {held / MIB:>8.0f} "
                  f"{ratios[-1]:>7.1f}× {run['shared_resident_bytes'] / MIB:>8.1f} {folded / MIB:>14.0f}", flush=True)
            suite.check(f"{name}: within 2 GiB", max(held, folded) < 2 * GIB, (held, folded))
    average = sum(ratios) / len(ratios)
    print(f"  average {average:.1f}×, best {max(ratios):.1f}×; the paper has 11.9× and 40.5×")
    suite.check("memory falls by 12 on average", average >= 12, ratios)
    suite.check("memory falls by 40 at best", max(ratios) >= 40, ratios)


def speed(suite, quick):
    print("\nfigure 17: binomial scatter on 16 hosts of griffon, best of 3; ranks take turns, so the processor time of")
    print("           simulator and ranks together is what an idle machine needs")
    print(f"  {'MiB each':>8} {'simulated s':>12} {'processor s':>11} {'wall s':>8} {'faster by':>9}")
    program = suite.compile(EXAMPLES / "scatter_binomial.c", flags=["-O2"])
    for mib in (1, 4, 16) if quick else (1, 4, 16, 64):
        command = ["-n", 16, "-p", "griffon", "--map-by", "node", "--compute", "none", "--json", program, mib * MIB]
        runs = [json.loads(suite.simulate(*command, timeout=120).out.splitlines()[-1]) for _ in range(3)]
        simulated = runs[0]["simulated_seconds"]
        cpu, wall = (min(run[name] for run in runs) for name in ("cpu_seconds", "wall_seconds"))
        print(f"  {mib:>8} {simulated:>12.3f} {cpu:>11.3f} {wall:>8.3f} {simulated / cpu:>8.1f}×", flush=True)
        if mib >= 4:
            suite.check(f"a scatter of {mib} MiB is simulated faster than it is", cpu < simulated, (cpu, simulated))


def sampling(suite, quick):
    """A shared machine is at times half as fast as at others, and changes within seconds: by far more than 2 %. Disturbances only ever
    add time. So there are many short runs, all ratios in turn, and of each ratio the least disturbed run counts."""
    bits, rounds = (23, 15) if quick else (24, 40)
    print(f"\nfigure 18: EP, 2^{bits} pairs on 4 ranks, the least of {rounds} runs each, in turn (class B of the paper is 2^30)")
    print(f"  {'ratio':>6} {'processor s':>11} {'of all':>7} {'simulated s':>12} {'moves':>7} {'median':>9} {'executed':>9} {'skipped':>8}")
    program = suite.compile(EXAMPLES / "ep.c", flags=["-O2"])
    runs = {percent: [] for percent in (100, 50, 25, 10)}
    for _ in range(rounds):
        for percent, done in runs.items():
            command = ["-n", 4, "--host-speed", "10Gf", "--json", program, bits, percent]
            done.append(json.loads(suite.simulate(*command, timeout=300).out.splitlines()[-1]))
    whole = None
    for percent, done in runs.items():
        cpu, simulated = (min(run[name] for run in done) for name in ("cpu_seconds", "simulated_seconds"))
        median = statistics.median(run["simulated_seconds"] for run in done)
        whole = whole or (cpu, simulated)
        share, moved = cpu / whole[0], simulated / whole[1] - 1
        print(f"  {percent:>5}% {cpu:>11.3f} {share:>6.0%} {simulated:>12.6f} {moved:>+7.1%} {median:>9.6f} "
              f"{done[0]['samples_executed']:>9} {done[0]['samples_skipped']:>8}", flush=True)
        suite.check(f"EP at {percent} %: processor time in proportion", abs(share - percent / 100) < 0.08, (share, cpu))
        suite.check(f"EP at {percent} %: simulated time moves less than 2 %", abs(moved) < 0.02, (moved, simulated))


def main():
    suite = Suite("smpi_paper_scale")
    quick = "--quick" in sys.argv
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    for part in (memory, speed, sampling):
        if not wanted or part.__name__ in wanted:
            part(suite, quick)
    print()
    suite.end()


main()
