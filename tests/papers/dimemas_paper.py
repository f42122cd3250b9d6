#!/usr/bin/env python3
"""The experiments of the Dimemas paper (Girona, Labarta, Badia 2000, section 4) on simulated machines.

The paper's traces and its 64-processor Origin are not available. So this script writes Dimemas traces of its benchmarks (Pallas MPI-1)
for 16 ranks. The "measured" times are those of `flow` on a cluster of 16 nodes, and `bus` has to predict
them.

1. For each benchmark: which latencies and bandwidths predict its time within 10 %?
2. How does the number of buses change the prediction?
3. With one set of parameters for all: how large is the error, for these and for other patterns?

tests/papers/dimemas_paper.py [--small] [--write docs/dimemas-study.md] makes the tables of docs/dimemas-study.md.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page  # noqa: E402
from harness import MPIRAGE  # noqa: E402

RANKS = 16
ROUNDS = 10
SIZES = [0, 64, 1024, 8192, 65536, 524288]
PLATFORM = """name = "study"
[cluster]
hosts = 16
speed = "1Gf"
bandwidth = "125MBps"
latency = "12us"
"""
LATENCIES = [5, 10, 15, 20, 25, 35, 50, 75, 100, 150]
BANDWIDTHS = [60, 80, 90, 100, 110, 125, 150, 200, 250, 300, 400, 600, 900]
# The name of its tables, links, and buses while latency and bandwidth vary.
MACHINES = {
    "As in the paper: one half-duplex link, 10 buses": ("paper", "half-duplex-links = 1", 10),
    "As a switch is: a link in, a link out, 16 buses": ("switch", "input-links = 1\noutput-links = 1", 16),
}
BUSES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16]
BCAST, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, REDUCE_SCATTER, BARRIER = 1, 6, 8, 10, 11, 12, 0


def ping_pong(rank, size):
    """Rank 0 sends to rank 1 and gets the message back."""
    if rank > 1:
        return []
    to = [f"2:{rank}:0:{1 - rank}:-1:{size}:0:1:0"]
    back = [f"3:{rank}:0:{1 - rank}:-1:{size}:0:1:0"]
    return to + back if rank == 0 else back + to


def ping_ping(rank, size):
    """Ranks 0 and 1 send to each other at once."""
    if rank > 1:
        return []
    other = 1 - rank
    return [f"3:{rank}:0:{other}:-1:{size}:0:1:1", f"2:{rank}:0:{other}:-1:{size}:0:1:2", f"3:{rank}:0:{other}:-1:{size}:0:1:2"]


def send_recv(rank, size):
    """Everybody sends to the right and receives from the left."""
    right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
    return [f"3:{rank}:0:{left}:-1:{size}:0:1:1", f"2:{rank}:0:{right}:-1:{size}:0:1:2", f"3:{rank}:0:{left}:-1:{size}:0:1:2"]


def exchange(rank, size):
    """Everybody exchanges with both neighbours."""
    sides = [(rank + 1) % RANKS, (rank - 1) % RANKS]
    tags = [0, 1]
    lines = [f"3:{rank}:0:{side}:-1:{size}:{tag}:1:1" for side, tag in zip(sides, reversed(tags))]
    lines += [f"2:{rank}:0:{side}:-1:{size}:{tag}:1:2" for side, tag in zip(sides, tags)]
    return lines + [f"3:{rank}:0:{side}:-1:{size}:{tag}:1:2" for side, tag in zip(sides, reversed(tags))]


def collective(operation, sent, got):
    """A collective with the bytes that a rank sends and gets, as functions of the rank and the size."""

    def lines(rank, size):
        return [f"10:{rank}:0:{operation}:1:{int(rank == 0)}:0:{sent(rank, size)}:{got(rank, size)}:1"]

    return lines


BENCHMARKS = {
    "PingPong": ping_pong,
    "PingPing": ping_ping,
    "SendRecv": send_recv,
    "Exchange": exchange,
    "Bcast": collective(BCAST, lambda r, s: s if r == 0 else 0, lambda r, s: 0 if r == 0 else s),
    "Reduce": collective(REDUCE, lambda r, s: s, lambda r, s: s if r == 0 else 0),
    "Allreduce": collective(ALLREDUCE, lambda r, s: s, lambda r, s: s),
    "Reduce_scatter": collective(REDUCE_SCATTER, lambda r, s: s, lambda r, s: s // RANKS),
    "Allgather": collective(ALLGATHER, lambda r, s: s, lambda r, s: s * RANKS),
    "Alltoall": collective(ALLTOALL, lambda r, s: s * RANKS, lambda r, s: s * RANKS),
    "Barrier": collective(BARRIER, lambda r, s: 0, lambda r, s: 0),
}
POINT_TO_POINT = ["PingPong", "PingPing", "SendRecv", "Exchange"]
PATTERNS = ["halo2d", "halo3d", "sweep3d", "ring", "random"]


def write_trace(path, lines):
    ones = ",".join(["1"] * RANKS)
    members = ":".join(str(rank) for rank in range(RANKS))
    text = [f'#DIMEMAS:"study":0:{RANKS}({ones}),1', f"d:1:1:{RANKS}:{members}"]
    for rank in range(RANKS):
        text.append(f"1:{rank}:0:0.000001000")
        for size in SIZES:
            text.extend(lines(rank, size) * ROUNDS)
    path.write_text("\n".join(text) + "\n")


class Study:
    def __init__(self, options, folder):
        self.small, self.folder, self.page = options.small, folder, page.Page(options.write)
        self.platform = folder / "study.toml"
        self.platform.write_text(PLATFORM)
        self.traces = {}
        for name, lines in BENCHMARKS.items():
            self.traces[name] = folder / f"{name}.dim"
            write_trace(self.traces[name], lines)

    def seconds(self, trace, model):
        command = [MPIRAGE, "replay", "--json", "--quiet", "--platform", self.platform, "--model", model, trace]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])["simulated_seconds"]

    def bus(self, latency, bandwidth, buses, links):
        """A model file: latency in microseconds, bandwidth in megabytes per second."""
        path = self.folder / "bus.toml"
        path.write_text(f'[model]\nbase = "bus"\nlatency = "{latency}us"\nbandwidth = {bandwidth}e6\nbuses = {buses}\n{links}\n')
        return path


def error(predicted, measured):
    return (predicted - measured) / measured


def ranges(study, machine, measured, links, buses):
    """Which latencies and bandwidths keep the error under 10 %."""
    good = {name: set() for name in measured}
    errors = {}
    pairs = list(itertools.product(LATENCIES, BANDWIDTHS))[::43 if study.small else 1]
    for latency, bandwidth in pairs:
        model = study.bus(latency, bandwidth, buses, links)
        for name, trace in study.traces.items():
            off = error(study.seconds(trace, model), measured[name])
            errors[name, latency, bandwidth] = off
            if abs(off) < 0.1:
                good[name].add((latency, bandwidth))

    def row(name, fitting):
        bandwidths, latencies = [pair[1] for pair in fitting], [pair[0] for pair in fitting]
        span = lambda values: f"{min(values)} to {max(values)}" if values else "none"
        return [name, f"{measured[name]:.6f}", span(bandwidths), span(latencies), len(fitting)]

    head = ["benchmark", "measured s", "bandwidths MB/s", "latencies us", "pairs"]
    study.page.table(f"{machine} ranges", head, (row(*item) for item in good.items()))
    return min(pairs, key=lambda pair: sum(abs(errors[name, *pair]) for name in POINT_TO_POINT))


def buses(study, machine, measured, best, links):
    def row(number):
        model = study.bus(*best, number, links)
        errors = [error(study.seconds(trace, model), measured[name]) for name, trace in study.traces.items()]
        return [number, *(f"{100 * off:+.0f} %" for off in errors)]

    study.page.table(f"{machine} buses", ["buses", *measured], (row(number) for number in BUSES[::10 if study.small else 1]))


def patterns(study, machine, best, links, buses):
    model = study.bus(*best, buses, links)

    def row(pattern):
        trace = f"gen:{pattern},ranks={RANKS},bytes=32KiB,compute=200us,iterations=20"
        measured, predicted = study.seconds(trace, "flow:factors"), study.seconds(trace, model)
        return [f"`{pattern}`", f"{measured:.6f}", f"{predicted:.6f}", f"{100 * error(predicted, measured):+.0f} %"]

    head = ["pattern", "measured s", "predicted s", "error"]
    study.page.table(f"{machine} patterns", head, (row(pattern) for pattern in PATTERNS[:1 if study.small else None]))


def main():
    options = page.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = Study(options, pathlib.Path(folder))
        measured = {name: study.seconds(trace, "flow:factors") for name, trace in study.traces.items()}
        for title, (machine, links, number) in MACHINES.items():
            print(f"\n### {title}")
            best = ranges(study, machine, measured, links, number)
            print(f"\nBest for messages point to point: {best[0]} us, {best[1]} MB/s. With these, by the number of buses:")
            buses(study, machine, measured, best, links)
            print(f"\nOther patterns, with {number} buses:")
            patterns(study, machine, best, links, number)
        study.page.write()


if __name__ == "__main__":
    main()
