#!/usr/bin/env python3
"""Measures the throughput of real Linux TCP over loss, delay and rate: tests/packet/netem.py [--quick | --refine | --cwnd] (as root).

Two network namespaces are joined by an emulated link in user space (linux/link.c), because many kernels lack `tc netem`: exact rate and delay, drop-tail
queue of one bandwidth-delay product (at least 16 frames), random loss of single frames on the way of the data. One bulk flow per path, offloads off,
MTU 1500. Paths share nothing, so many are measured at the same time, as long as the sum of their packets is small.

Writes netem.csv: median of the repeats in Mbit/s of payload, and spread = (largest − smallest)/median. --cwnd also writes
netem_cwnd_ALGORITHM.csv: congestion windows over time."""

import argparse
import csv
import heapq
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
FIRST_PORT, HOST = 20000, "10.77.0.2"
FRAME, PAYLOAD = 1514, 1448
SMALLEST_QUEUE = 16 * FRAME
RATES, DELAYS, LOSSES, ALGORITHMS = (10, 100), (1, 10, 50), (0, 1e-4, 1e-3, 5e-3, 1e-2, 3e-2), ("cubic", "reno")
# Losses that the repeats of a case should see together.
ENOUGH_LOSSES = 80
REPEATS = 4
# Data packets per second that this machine carries at the same time without being late.
BUDGET = 22000
SETTINGS = {
    "tcp_rmem": "4096 8388608 33554432",
    "tcp_wmem": "4096 1048576 16777216",
    "tcp_no_metrics_save": "1",
    "tcp_ecn": "0",
}
HEAD = ["rate_mbit", "delay_ms", "loss", "algorithm", "throughput_mbit", "spread", "seconds", "kernel", "queue_bytes", "repeats", "warm_up_seconds", "late_us"]


@dataclass(frozen=True)
class Case:
    """A path and an algorithm: megabits per second, milliseconds one way, probability."""

    rate: float
    delay: float
    loss: float
    algorithm: str

    @property
    def round_trip(self):
        return 2e-3 * self.delay

    @property
    def queue(self):
        """One bandwidth-delay product, in bytes."""
        return max(SMALLEST_QUEUE, round(self.rate * 1e6 / 8 * self.round_trip))

    @property
    def fullest(self):
        """Packets per second of the full link."""
        return self.rate * 1e6 / 8 / FRAME

    @property
    def expected(self):
        """Packets per second, roughly: the formulas of RFC 5681's window (Mathis) and of RFC 8312, section 5.1."""
        if not self.loss:
            return self.fullest
        reno = 1.3 / (self.round_trip * self.loss**0.5)
        cubic = 1.054 * (self.round_trip / self.loss) ** 0.75 / self.round_trip
        return min(self.fullest, reno if self.algorithm == "reno" else max(reno, cubic))

    def plan(self, effort):
        """Seconds of warm-up, of measurement, and repeats."""
        if effort == "quick":
            return 5, 10, 2
        if effort == "refine":
            warm, seconds = (25, 75) if self.delay > 10 else (10, 40)
            return warm, seconds, 4 if self.expected > 3000 else 8
        if self.expected > 0.95 * self.fullest:
            return (20, 25, 2) if self.delay > 10 else (5, 10, 3)
        seconds = ENOUGH_LOSSES / (self.loss * self.expected) / REPEATS
        seconds = round(min(max(seconds, 15), 80))
        return max(5, seconds // 3), seconds, REPEATS


def flows(cases, effort):
    """All repeats of all cases; each has its own path."""
    made = []
    for case in cases:
        warm, seconds, repeats = case.plan(effort)
        made += [{"case": case, "warm": warm, "seconds": seconds, "interval": 0} for _ in range(repeats)]
    made.sort(key=lambda flow: -(flow["warm"] + flow["seconds"]))
    return [{**flow, "id": number, "port": FIRST_PORT + number} for number, flow in enumerate(made)]


def schedule(all_flows):
    """Starts flows as early as the budget of packets allows; the length of it all."""
    running, used, clock = [], 0.0, 1.0
    for flow in all_flows:
        rate = flow["case"].expected
        while used and used + rate > BUDGET:
            clock, freed = heapq.heappop(running)
            used -= freed
        flow["start"] = clock + 0.1 * (flow["id"] % 50)
        heapq.heappush(running, (flow["start"] + flow["warm"] + flow["seconds"] + 0.5, rate))
        used += rate
    return max(end for end, _ in running)


class Network:
    """Two namespaces and the link between them; gone at the end."""

    def __init__(self, all_flows):
        self.flows, self.children = all_flows, []
        self.names = [f"mpirage-{end}-{os.getpid()}" for end in "ab"]
        self.folder = tempfile.TemporaryDirectory()

    def __enter__(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            for key, value in SETTINGS.items():
                subprocess.run([*inside(name), "sysctl", "-q", "-w", f"net.ipv4.{key}={value}"], check=True)
        self.link = self.start([self.compiled(), f"mpa{os.getpid()}", f"mpb{os.getpid()}", *self.names], self.paths())
        self.start([*inside(self.names[1]), sys.executable, HERE / "linux" / "traffic.py", "sink", str(FIRST_PORT), str(len(self.flows))])
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.terminate()
            child.wait()
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=True)
        self.folder.cleanup()

    def compiled(self):
        program = pathlib.Path(self.folder.name) / "link"
        subprocess.run(["cc", "-O2", HERE / "linux" / "link.c", "-o", program], check=True)
        return program

    def paths(self):
        lines = []
        for flow in self.flows:
            case = flow["case"]
            lines.append(f"{case.rate * 1e6} {round(case.delay * 1e6)} {case.loss} {case.queue} {flow['id'] + 1}\n")
        return "".join(lines)

    def start(self, command, text=""):
        """Starts a child, and waits until it is ready."""
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        child.stdin.write(text)
        child.stdin.close()
        if child.stdout.readline() != "ready\n":
            sys.exit(f"{command[0]} did not start")
        return child

    def send(self):
        """Runs all flows; their results by id."""
        specs = [{**flow, "case": None, "algorithm": flow["case"].algorithm} for flow in self.flows]
        command = [*inside(self.names[0]), sys.executable, HERE / "linux" / "traffic.py", "send", HOST]
        made = subprocess.run(command, input=json.dumps(specs), stdout=subprocess.PIPE, text=True, check=True)
        return {result["id"]: result for result in map(json.loads, made.stdout.splitlines())}

    def lateness(self):
        """Ends the link; per path: frames carried, lost, dropped, mean and largest lateness in µs."""
        self.link.terminate()
        rows = [line.split() for line in self.link.stdout]
        return {int(row[0]): tuple(map(float, row[1:])) for row in rows}


def inside(name):
    return ["ip", "netns", "exec", name]


def measure(all_flows):
    """Results per flow, and how late the link was."""
    with Network(all_flows) as network:
        results = network.send()
        late = network.lateness()
    mean = max(row[3] for row in late.values())
    worst = max(row[4] for row in late.values())
    print(f"the link was late by at most {mean:.0f} us on average over a path, {worst:.0f} us at worst")
    return {number: {**result, "late": late[number][3]} for number, result in results.items()}


def rows(cases, all_flows, results, effort):
    """One row per case."""
    for case in cases:
        of_case = [results[flow["id"]] for flow in all_flows if flow["case"] == case]
        values = [result["mbit"] for result in of_case]
        late = max(result["late"] for result in of_case)
        warm, seconds, repeats = case.plan(effort)
        median = statistics.median(values)
        spread = (max(values) - min(values)) / median
        yield [case.rate, case.delay, case.loss, case.algorithm, f"{median:.4g}", f"{spread:.3f}", seconds, platform.release(), case.queue, repeats, warm, round(late)]


def write(name, head, lines):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)


def measured_rows(cases, effort):
    """Measures cases; their rows."""
    all_flows = flows(cases, effort)
    length = schedule(all_flows)
    print(f"{len(all_flows)} flows, {length:.0f} s", flush=True)
    return list(rows(cases, all_flows, measure(all_flows), effort))


def throughputs(effort):
    cases = [Case(rate, delay, loss, algorithm) for algorithm in ALGORITHMS for rate in RATES for delay in DELAYS for loss in LOSSES]
    write("netem.csv", HEAD, measured_rows(cases, effort))


def doubtful(row):
    """Whether repeats differ by more than 15 %, or the link was late by more than 1 % of the delay."""
    return float(row["spread"]) > 0.15 or float(row["late_us"]) > 10 * float(row["delay_ms"]) and float(row["delay_ms"]) >= 10


def refine():
    """Measures doubtful rows again, longer and more often."""
    recorded = list(csv.DictReader(open(HERE / "netem.csv")))
    old = [row for row in recorded if doubtful(row)]
    cases = [Case(int(row["rate_mbit"]), int(row["delay_ms"]), float(row["loss"]), row["algorithm"]) for row in old]
    for row, fresh in zip(old, measured_rows(cases, "refine")):
        row.update(zip(HEAD, fresh))
    write("netem.csv", HEAD, [row.values() for row in recorded])


def windows():
    """Congestion windows over time: 10 Mbit/s, 50 ms, a queue of one bandwidth-delay product, no random loss; and 1 %."""
    cases = [Case(10, 50, loss, algorithm) for algorithm in ALGORITHMS for loss in (0, 1e-2)]
    traced = [{"case": case, "warm": 1, "seconds": 59, "interval": 0.1} for case in cases]
    traced = [{**flow, "id": number, "port": FIRST_PORT + number, "start": 1 + number / 10} for number, flow in enumerate(traced)]
    results = measure(traced)
    for algorithm in ALGORITHMS:
        lines = []
        for flow in traced:
            if flow["case"].algorithm == algorithm:
                lines += [[flow["case"].loss, *row.values()] for row in results[flow["id"]]["trace"]]
        write(f"netem_cwnd_{algorithm}.csv", ["loss", "seconds", "rtt_us", "ssthresh", "cwnd", "retransmitted", "acknowledged"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10 s per flow")
    parser.add_argument("--cwnd", action="store_true", help="only the congestion windows over time")
    parser.add_argument("--refine", action="store_true", help="only rows of netem.csv that vary too much")
    options = parser.parse_args()
    if os.geteuid() or not os.path.exists("/dev/net/tun"):
        print("netem: needs root and /dev/net/tun: skipped")
        return
    if options.cwnd:
        windows()
    elif options.refine:
        refine()
    else:
        throughputs("quick" if options.quick else "full")


if __name__ == "__main__":
    main()
