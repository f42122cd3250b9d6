"""The measurements of the testbed: medians, and which series have two modes.

The data are optional: the folder `testbed` with results.csv, summary.csv and bands_summary.csv, beside this repository (../shared/data) or where
the variable TESTBED says. Its README.md describes the network, the program and what can be trusted."""

import collections
import csv
import math
import os
import pathlib
import statistics
from dataclasses import dataclass
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared"
FOLDER = pathlib.Path(os.environ.get("TESTBED", SHARED / "data" / "testbed"))
PROGRAM = pathlib.Path(os.environ.get("TESTBED_PROGRAM", SHARED / "programs" / "testbed_bench.c"))
LIBRARIES = ("ompi", "mpich")
# Measured many times because they looked like bands, and found to be points.
POINTS = {("ompi", "alltoall_pw", 16384), ("mpich", "alltoall_pw", 16384), ("mpich", "Allreduce", 65536), ("mpich", "Alltoall", 1024)}
# Called bands by the README, but measured only a few times.
OTHER_BANDS = {("ompi", "Allgather", 1024)}
# Not to be used, says the README.
UNUSED = {"Barrier"}
# A band is right where its fast value is this near to the fastest measured one.
FAST = 0.05
# A second launch of the same measurement agrees within this.
LAUNCHES = 0.01


class Series(NamedTuple):
    """What was measured: a program of a library with a size of message."""

    library: str
    bench: str
    bytes: int


@dataclass(frozen=True)
class Measured:
    """Seconds of the slowest rank."""

    median: float
    fastest: float
    slowest: float
    band: bool


def available():
    return (FOLDER / "summary.csv").exists() and PROGRAM.exists()


def read():
    """All series, in the order of the files. The longer measurements replace the shorter ones."""
    series = {}
    for row in csv.DictReader(open(FOLDER / "summary.csv")):
        key = Series(row["mpi"], row["bench"], int(row["bytes"]))
        if key.bench not in UNUSED:
            series[key] = Measured(*figures(row), key in OTHER_BANDS)
    for row in csv.DictReader(open(FOLDER / "bands_summary.csv")):
        key = Series(row["mpi"], row["bench"], int(row["bytes"]))
        if row["launch"] == "all":
            series[key] = Measured(*figures(row), key not in POINTS)
    return series


def figures(row):
    return float(row["median_s"]), float(row["min_s"]), float(row["max_s"])


def start_spread():
    """Seconds within which ranks start that were to start at one instant, the median over repeats.

    In an incast of 1 KiB the senders do nothing but one short send, so the instant at which they are done is that of their start plus a constant.
    Of n instants that are uniform within a time, the first and the last are (n - 1)/(n + 1) of that time apart."""
    repeats = collections.defaultdict(list)
    for row in csv.DictReader(open(FOLDER / "results.csv")):
        if (row["bench"], row["bytes"]) == ("incast", "1024") and row["rank"] != "0":
            repeats[row["mpi"], row["repeat"]].append(float(row["seconds"]))
    return statistics.median((max(ends) - min(ends)) * (len(ends) + 1) / (len(ends) - 1) for ends in repeats.values())


def error(simulated, measured):
    """The same for a half as for the double."""
    return math.exp(abs(math.log(simulated / measured))) - 1


ERRORS = ["where", "model", "kind", "size", "error"]
# Messages of at most so many bytes are small.
SMALL = 4096


def kind(bench):
    """What limits the series."""
    if bench.startswith("pingpong"):
        return "point-to-point"
    return "contention" if bench.startswith(("flows", "ring", "halo", "incast")) else "collectives"


def add_errors(path, where, model, errors):
    """Appends the errors of series, (bench, bytes, error), to a file that trust.py reads."""
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([ERRORS] if new else [])
        for bench, size, value in errors:
            table.writerow([where, model, kind(bench), "small" if size <= SMALL else "large", f"{value:.6f}"])


@dataclass(frozen=True)
class Judged:
    """How a prediction compares with what was measured."""

    samples: tuple
    measured: Measured

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def error(self):
        return error(self.median, self.measured.median)

    @property
    def fast(self):
        """Whether the fastest sample is near the fastest measured one."""
        return error(min(self.samples), self.measured.fastest) <= FAST

    def covers(self, tolerance=0.0):
        """Whether the samples lie on both sides of the measured median."""
        return min(self.samples) * (1 - tolerance) <= self.measured.median <= max(self.samples) * (1 + tolerance)

    @property
    def right(self):
        """Of a band."""
        return self.fast and self.covers()

    @property
    def overlaps(self):
        """Whether measured and simulated intervals have times in common."""
        return min(self.samples) <= self.measured.slowest and self.measured.fastest <= max(self.samples)
