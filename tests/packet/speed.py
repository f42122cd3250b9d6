#!/usr/bin/env python3
"""Packets per CPU second: mpirage's packet model beside ns-3 3.37 (Debian's), on this machine, in this run; part of `make bench`.

    tests/packet/speed.py [--repeats N] [--scale N] [--strict] [WORKLOAD…]

The three workloads are those of ns3/workloads.cc: the same hosts, cables, queues and bytes, sent at the same instant; under mpirage they are GOAL schedules
(`mpirage replay --model packet`). A packet is a data segment that reaches a host; both simulators then know its acknowledgements,
which cost extra and are not counted. Runs take turns, and the best CPU time of each counts. Retransmitted segments
are counted where the simulator reports them.

Aims: ten times the packets per CPU second of ns-3, and at most 2 us per packet. --strict ends with 1 where one is missed."""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
LIBRARIES = "applications internet point-to-point nix-vector-routing traffic-control bridge network stats core".split()
HEADER = pathlib.Path("/usr/include/ns3/core-module.h")
PAYLOAD = 1448
RATIO, MICROSECONDS = 10, 2


def star(hosts, queue):
    """Hosts on one switch."""
    return f"""name = "star"
[cluster]
hosts = {hosts}
speed = "1Gf"
bandwidth = "1Gbps"
latency = "25us"
[packet]
queue = {queue}
"""


def cable(name, rate, delay):
    return f'[[link]]\nname = "{name}"\nbandwidth = "{rate}"\nlatency = "{delay}"\n'


def route(source, target, link):
    return f'[[route]]\nfrom = "{source}"\nto = "{target}"\nlinks = ["{link}:up"]\nsymmetrical = true\n'


def dumbbell_platform(pairs):
    """Two switches with a long cable between them, and hosts on both."""
    parts = ['name = "dumbbell"\nrouting = "shortest"\n']
    for number in range(2 * pairs):
        parts.append(f'[[host]]\nname = "host-{number}"\nspeed = "1Gf"\n')
    for side in "ab":
        parts.append(f'[[router]]\nname = "switch-{side}"\n')
    parts.append(cable("middle", "1Gbps", "10ms") + route("switch-a", "switch-b", "middle"))
    for number in range(2 * pairs):
        parts.append(cable(f"cable-{number}", "1Gbps", "1us") + route(f"host-{number}", f"switch-{'ab'[number // pairs]}", f"cable-{number}"))
    return "".join(parts) + "[packet]\nqueue = 2500000\n"


def goal(ranks, messages):
    """A schedule in which all messages (source, target, bytes) are sent and expected at once."""
    actions = [[] for _ in range(ranks)]
    for source, target, size in messages:
        actions[source].append(f"send {size}b to {target} tag 0")
        actions[target].append(f"recv {size}b from {source} tag 0")
    lines = [f"num_ranks {ranks}"]
    for rank, own in enumerate(actions):
        lines += [f"rank {rank} {{", *(f"l{number}: {action}" for number, action in enumerate(own)), "}"]
    return "\n".join(lines) + "\n"


def dumbbell(scale):
    return dumbbell_platform(8), 16, [(rank, rank + 8, round(scale * 10e6)) for rank in range(8)]


def alltoall(scale):
    messages = [(rank, (rank + step) % 64, round(scale * 65536)) for step in range(1, 64) for rank in range(64)]
    return star(64, 8000000), 64, messages


def incast(scale):
    return star(33, 96000), 33, [(rank, 0, round(scale * 1e6)) for rank in range(1, 33)]


WORKLOADS = {"dumbbell": dumbbell, "alltoall": alltoall, "incast": incast}


def cpu_seconds(command):
    """Runs a command; its CPU seconds and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {made.returncode}\n{made.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, made.stdout


class Ns3:
    """ns-3's side: the compiled program."""

    def __init__(self, folder):
        self.program = folder / "workloads"
        flags = [f"-lns3-{name}" for name in LIBRARIES]
        subprocess.run(["g++", "-O2", "-std=c++17", HERE / "ns3" / "workloads.cc", "-o", self.program, *flags], check=True)

    def command(self, name, scale, *more):
        return [self.program, name, f"--scale={scale}", *more]

    def counts(self, name, scale):
        """Data segments, drops and simulated seconds."""
        fields = cpu_seconds(self.command(name, scale, "--count"))[1].split(",")
        return int(fields[2]), int(fields[4]), float(fields[5])


class Mpirage:
    """Our side: a platform and a schedule."""

    def __init__(self, folder, name, scale):
        platform, ranks, self.messages = WORKLOADS[name](scale)
        self.platform, self.schedule = folder / f"{name}.toml", folder / f"{name}.goal"
        self.platform.write_text(platform)
        self.schedule.write_text(goal(ranks, self.messages))

    def command(self):
        network = ["-p", self.platform, "--model", "packet", "--mpi-profile", "openmpi-tcp"]
        return [MPIRAGE, "replay", self.schedule, *network, "-q", "--json"]

    def segments(self):
        """Data segments that must arrive at the least."""
        return sum(-(-size // PAYLOAD) for _, _, size in self.messages)


def compare(folder, name, options, ns3):
    """Both in turns, the best of each; whether the aims are met."""
    ours = Mpirage(folder, name, options.scale)
    theirs_cpu, ours_cpu, output = [], [], ""
    for _ in range(options.repeats):
        theirs_cpu.append(cpu_seconds(ns3.command(name, options.scale))[0])
        seconds, output = cpu_seconds(ours.command())
        ours_cpu.append(seconds)
    segments, drops, end = ns3.counts(name, options.scale)
    theirs, own = segments / min(theirs_cpu), ours.segments() / min(ours_cpu)
    simulated = json.loads(output)["simulated_seconds"]
    cost = 1e6 / own
    print(f"{name:<9} ns-3: {segments} packets, {min(theirs_cpu):.2f} CPU s, {theirs:,.0f}/s, {drops} drops, ends at {end:.4g} s")
    print(f"{'':<9} mpirage: {ours.segments()} packets, {min(ours_cpu):.2f} CPU s, {own:,.0f}/s, {cost:.2f} us each, ends at {simulated:.4g} s")
    met = own / theirs >= RATIO and cost <= MICROSECONDS
    print(f"{'':<9} ratio {own / theirs:.1f} (aim {RATIO}), {cost:.2f} us (aim {MICROSECONDS}): {'met' if met else 'MISSED'}", flush=True)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="dumbbell, alltoall, incast (default: all)")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1, help="factor on all sizes")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    if not HEADER.exists():
        print("ns-3 is missing (Debian: libns3-dev): skipped")
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="packet-speed-"))
    try:
        ns3 = Ns3(folder)
        met = [compare(folder, name, options, ns3) for name in options.workloads or WORKLOADS]
    finally:
        shutil.rmtree(folder)
    return 1 if options.strict and not all(met) else 0


if __name__ == "__main__":
    sys.exit(main())
