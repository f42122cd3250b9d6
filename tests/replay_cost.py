#!/usr/bin/env python3
"""What replay costs: beside SimGrid on one trace, at a million ranks, and where others collapse. Processor time, the best of REPEATS.

    replay_cost.py               everything
    replay_cost.py trace         SimGrid's own halo trace of 1,024 ranks, replayed by both: actions per second
    replay_cost.py scale         generated workloads of 4,096 to 1,048,576 ranks: cost of a message, memory
    replay_cost.py collapse      all-to-all and incast beside a halo

Machines are noisy, so this is no test: an aim that is missed is said, and --strict makes it the exit code.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "simgrid"))
import compare  # noqa: E402
import replay as simgrid_replay  # noqa: E402

MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
FAT_TREES = {4096: "fat-tree:16x16x16", 65536: "fat-tree:32x32x64", 1048576: "fat-tree:64x128x128"}
SWITCH_RANKS = 1024


class Aims:
    """Says whether aims are met, and counts those that are not."""

    def __init__(self):
        self.missed = 0

    def check(self, met, text):
        self.missed += not met
        print(f"    {'met' if met else 'MISSED'}: {text}", flush=True)


def once(command, folder):
    """Processor seconds, memory and what was printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text, errors = out.read(), err.read()
        if child.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {child.returncode}: {errors[-2000:]}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text + errors


def best(command, folder, repeats):
    return min((once(command, folder) for _ in range(repeats)), key=lambda run: run[0])


def replay(words, folder, repeats):
    seconds, memory, text = best([MPIRAGE, "replay", "--quiet", "--json", *words], folder, repeats)
    return seconds, memory, json.loads([line for line in text.splitlines() if line.startswith("{")][-1])


def trace_by_simgrid(folder, ranks, platform):
    """A halo of 10 KiB x 100 as SimGrid writes it, one file per rank."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"n{i}\n" for i in range(ranks)))
    program = folder / "halo2d"
    subprocess.run(["smpicc", "-O2", ROOT / "tests" / "exact" / "halo2d.c", "-o", program], check=True)
    once(["smpirun", "-np", ranks, "-hostfile", hosts, "-platform", platform, *compare.SMPI, "-trace-ti", "--cfg=tracing/filename:halo.ti", program, 100, 10240], folder)
    return folder / "halo.ti", hosts


def beside_simgrid(folder, repeats, aims):
    platform = folder / "switch.xml"
    platform.write_text(compare.cluster(SWITCH_RANKS))
    trace, hosts = trace_by_simgrid(folder, SWITCH_RANKS, platform)
    files = [folder / line for line in trace.read_text().split()]
    actions = sum(file.read_bytes().count(b"\n") for file in files)
    machine = ["-p", platform, "--model", "simgrid", "--coll", simgrid_replay.OURS]
    mine, memory, figures = replay([*machine, trace], folder, repeats)
    binary = folder / "halo.mpirage"
    once([MPIRAGE, "trace", "convert", trace, binary], folder)
    packed, _, again = replay([*machine, binary], folder, repeats)
    theirs, _, said = best(["smpirun", "-np", SWITCH_RANKS, "-hostfile", hosts, "-platform", platform, *simgrid_replay.QUIET, *simgrid_replay.SIMGRID, "-replay", trace], folder, 1)
    simulated = re.search(r"([0-9.]+)\|Simulation time", said).group(1)
    print(f"halo of {SWITCH_RANKS} ranks, {actions} actions, simulated {figures['simulated_seconds']:.9f} s; SimGrid {simulated} s")
    for name, seconds in (("mpirage, SimGrid's files", mine), ("mpirage, our own format", packed), ("SimGrid 3.32", theirs)):
        print(f"  {name:26} {seconds:8.3f} s  {actions / seconds / 1e6:7.3f} M actions/s")
    print(f"  memory {memory / 2**20:.0f} MiB; our own format is {binary.stat().st_size / 2**20:.1f} MiB, SimGrid's {sum(file.stat().st_size for file in files) / 2**20:.1f} MiB")
    aims.check(theirs / mine >= 30, f"{theirs / mine:.1f} times SimGrid's actions per second; the aim is 30")
    aims.check(actions / min(mine, packed) >= 3e6, f"{actions / min(mine, packed) / 1e6:.2f} M actions/s; the aim is 3 M on a quiet core")
    print(f"    LogGOPSim publishes 1 M events/s: {actions / min(mine, packed) / 1e6:.2f} times that (the dream is 10)")
    if again["simulated_seconds"] != figures["simulated_seconds"]:
        raise SystemExit(f"our own format replays to {again['simulated_seconds']}, the original to {figures['simulated_seconds']}")


def scale(folder, repeats, aims, largest):
    print(f"{'model':8} {'workload':10} {'ranks':>8} {'messages':>9} {'CPU s':>8} {'us each':>8} {'memory MiB':>11} {'B/rank':>7}  simulated s")
    for model in ("loggops", "flow"):
        for workload, parameters in (("halo2d", "bytes=10240,iterations=2"), ("allreduce", "bytes=8,iterations=2")):
            each = {}
            for ranks, tree in FAT_TREES.items():
                if ranks > largest:
                    continue
                spec = f"gen:{workload},ranks={ranks},{parameters}"
                seconds, memory, figures = replay(["-p", tree, "--model", model, spec], folder, repeats if ranks < 10**6 else 1)
                each[ranks] = seconds / figures["messages"]
                print(f"{model:8} {workload:10} {ranks:8} {figures['messages']:9} {seconds:8.2f} {1e6 * each[ranks]:8.2f} {memory / 2**20:11.0f} {memory / ranks:7.0f}  {figures['simulated_seconds']:.9f}", flush=True)
            if len(each) == len(FAT_TREES):
                growth = each[1048576] / each[4096]
                aims.check(growth <= 3, f"a message among 1,048,576 ranks costs {growth:.2f} times what it costs among 4,096; the aim is 3")


def collapse(folder, repeats, aims):
    # The incast has as many messages as the halo, so that the start of the program counts alike.
    workloads = [("halo2d", "gen:halo2d,ranks=1024,bytes=65536,iterations=50", ""), ("alltoall", "gen:alltoall,ranks=1024,bytes=65536,iterations=1", "alltoall=linear"), ("incast", "gen:incast,ranks=1024,bytes=65536,iterations=200", "")]
    each = {}
    for name, spec, algorithm in workloads:
        seconds, memory, figures = replay(["--model", "simgrid", "--coll", algorithm, spec], folder, repeats)
        each[name] = seconds / figures["messages"]
        print(f"{name:10} {figures['messages']:8} messages {seconds:7.3f} s {1e6 * each[name]:7.3f} us each {memory / 2**20:6.0f} MiB")
    for name in ("alltoall", "incast"):
        aims.check(each[name] <= 2 * each["halo2d"], f"{name}: {each[name] / each['halo2d']:.2f} times a message of the halo; the aim is 2")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("parts", nargs="*", default=["trace", "scale", "collapse"])
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--largest", type=int, default=1 << 20)
    options.add_argument("--strict", action="store_true")
    options = options.parse_args()
    aims = Aims()
    with tempfile.TemporaryDirectory(prefix="replay-cost.") as folder:
        folder = pathlib.Path(folder)
        if "trace" in options.parts:
            beside_simgrid(folder, options.repeats, aims)
        if "scale" in options.parts:
            scale(folder, options.repeats, aims, options.largest)
        if "collapse" in options.parts:
            collapse(folder, options.repeats, aims)
    print(f"\n{aims.missed} aims missed")
    return 1 if aims.missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
