#!/usr/bin/env python3
"""Simulated times beside measured ones: real Open MPI and MPICH over real TCP on 16 hosts (see measured.py).

    tests/packet/testbed.py [--model MODEL,…] [--library ompi|mpich] [--only BENCH[:BYTES],…] [--seeds N] [--repeats N]
                            [--mpi-profile NAME] [--csv FILE] [--write FOLDER] [--errors FILE] [--check] [-- OPTIONS OF MPIRAGE]

One table: the measured median, and for each model its median over repeats and seeds with the error e^|ln(simulated/measured)| − 1. Series with
two modes are judged as intervals: right where the fastest sample is within 5 % of the fastest measured one and the samples lie on both
sides of the measured median; "near" means that they miss it by at most 1 %, by which two launches of the measurement differ; "overlaps" that
measured and simulated intervals have times in common. --write FOLDER writes a page with tables and plots (validation.py).

`--model` takes models of mpirage (`flow` and `packet` with the profile of the library), `factors`: `flow:factors`, `no-options`: what mpirage says
if it is given the platform and nothing else, `smpirun`: SimGrid itself, if it is installed, and `ns3`: the recorded predictions of ns-3
(ns3/testbed.csv). --check ends with 1 unless the last model meets the bounds: mean 3 %, worst 12 %, and
no more than 5 of the 18 bands wrong, which is what `packet` reaches; the aim is none."""

import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import measured
import simgrid
import validation
from measured import Judged, Series

HERE = pathlib.Path(__file__).resolve().parent
PLATFORM = HERE / "testbed.toml"
NS3 = HERE / "ns3" / "testbed.csv"
RANKS = 16
COLLECTIVES = {"ompi": "openmpi-4.1", "mpich": "mpich-4.0"}
PROFILES = {"ompi": "openmpi-tcp", "mpich": "mpich-tcp"}
FACTORS, NO_OPTIONS = "factors", "no-options"
MEAN, WORST, WRONG_BANDS = 0.03, 0.12, 5


def parse():
    """The options; those after `--` go to mpirage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="flow,packet", help="models, separated by commas (default: flow, and packet if mpirage has it)")
    parser.add_argument("--library", choices=measured.LIBRARIES, help="only this one")
    parser.add_argument("--only", default="", help="BENCH or BENCH:BYTES, separated by commas")
    parser.add_argument("--repeats", type=int, default=3, help="in one run (default 3)")
    parser.add_argument("--seeds", type=int, default=4, help="runs, each with its own seed; models without noise get one (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--mpi-profile", help="with packet (default: that of the library)")
    parser.add_argument("--platform", type=pathlib.Path, default=PLATFORM)
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    parser.add_argument("--csv", type=pathlib.Path, help="write the table to this file too")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER", help="write a page with tables and plots")
    parser.add_argument("--errors", type=pathlib.Path, metavar="FILE", help="append the error of each series to it, for trust.py")
    parser.add_argument("--check", action="store_true", help="end with 1 if the last model misses a bound")
    parser.add_argument("mpirage", nargs="*", help="after --: options of mpirage")
    return parser.parse_args()


def mpirage():
    """The command: of this build, or the one that MPIRAGE names."""
    return os.environ.get("MPIRAGE") or measured.ROOT / "target" / "release" / "mpirage"


def wanted(series, options):
    """The series that were asked for."""
    names = [name for name in options.only.split(",") if name]
    chosen = {}
    for key, value in series.items():
        if options.library in (None, key.library) and (not names or key.bench in names or f"{key.bench}:{key.bytes}" in names):
            chosen[key] = value
    return chosen


def arguments(keys):
    """The arguments of the program for these series: NAME BYTES,BYTES… in the order of the measurement."""
    sizes = collections.defaultdict(list)
    for key in keys:
        sizes[key.bench].append(str(key.bytes))
    return [word for bench, values in sizes.items() for word in (bench, ",".join(values))]


class Simulation:
    """Runs the program of the testbed under mpirage."""

    def __init__(self, options, folder):
        self.options, self.program = options, pathlib.Path(folder) / "bench"
        self.noisy_platform = with_wake_up(options.platform, pathlib.Path(folder))
        subprocess.run([mpirage(), "cc", "-O1", measured.PROGRAM, "-o", self.program], check=True)
        # Without options, what a program is built for says which library it has.
        self.built_for = {"mpich": pathlib.Path(folder) / "bench-mpich"}
        subprocess.run(["mpicc.mpich", "-O1", "-w", measured.PROGRAM, "-o", self.built_for["mpich"]], check=True)

    def command(self, model, library, seed, keys):
        """Buffers are shared, because the program touches 160 MB per rank and nobody reads them."""
        platform = self.noisy_platform if noisy(model) else self.options.platform
        machine = ["-n", RANKS, "-p", platform, "--compute", "none", "--share-malloc", "64MiB"]
        network = [] if model == NO_OPTIONS else self.network(model, library)
        built = self.built_for.get(library, self.program) if model == NO_OPTIONS else self.program
        program = [built, library, "testbed", self.options.repeats, *arguments(keys)]
        return [str(word) for word in [mpirage(), "run", "-q", *machine, *network, "--seed", seed, *self.options.mpirage, *program]]

    def network(self, model, library):
        """The options that name the model and the library."""
        profile = self.options.mpi_profile or (PROFILES[library] if noisy(model) else None)
        named = ["--mpi-profile", profile] if profile else []
        return ["--model", "flow:factors" if model == FACTORS else model, "--coll", COLLECTIVES[library], *named]

    def run(self, model, library, seed, keys):
        """Seconds of the slowest rank, per series and repeat."""
        keys = [key for key in keys if key.library == library]
        made = subprocess.run(self.command(model, library, seed, keys), capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{model}, {library}, seed {seed}: mpirage ended with {made.returncode}\n{made.stderr}")
        return slowest(made.stdout)


def with_wake_up(platform, folder):
    """The platform with ranks that start as late as the measured ones, unless it has a model of its own."""
    text = platform.read_text()
    if "[model]" in text:
        return platform
    made = folder / platform.name
    made.write_text(f'{text}\n[model]\nwake-up = "{1e6 * measured.start_spread():.0f}us"\n')
    return made


def slowest(text):
    """From the program's rows: bench,library,topology,ranks,bytes,rank,seconds,repeat."""
    seconds = {}
    for row in csv.reader(text.splitlines()):
        if row[0] == "cpu":
            continue
        bench, library, _, _, size, _, value, repeat = row
        key = (Series(library, bench, int(size)), int(repeat))
        seconds[key] = max(seconds.get(key, 0.0), float(value))
    samples = collections.defaultdict(list)
    for (series, _), value in seconds.items():
        samples[series].append(value)
    return samples


def known(model):
    if model in (FACTORS, NO_OPTIONS):
        return True
    made = subprocess.run([mpirage(), "info", "models"], capture_output=True, text=True, check=True)
    return any(line.split()[:1] == [model.split(":")[0]] for line in made.stdout.splitlines())


def noisy(model):
    """Does it have profiles, and with them noise?"""
    return model in ("flow", "packet")


def simulate(model, keys, options):
    """All samples of a model of mpirage."""
    libraries = [library for library in measured.LIBRARIES if any(key.library == library for key in keys)]
    seeds = range(options.seed, options.seed + (options.seeds if noisy(model) else 1))
    samples = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        simulation = Simulation(options, folder)
        runs = [pool.submit(simulation.run, model, library, seed, keys) for library in libraries for seed in seeds]
        for run in runs:
            for key, values in run.result().items():
                samples[key] += values
    return samples


def simgrid_samples(keys, options):
    """All samples of SimGrid. It has no noise: one run."""
    samples = {}
    with tempfile.TemporaryDirectory() as folder:
        program = simgrid.SimGrid(folder)
        for library in measured.LIBRARIES:
            words = arguments([key for key in keys if key.library == library])
            samples.update(slowest(program.run(library, words, options.repeats)) if words else {})
    return samples


def recorded(path):
    """The samples of another simulator, from a file library,bench,bytes,seconds."""
    samples = collections.defaultdict(list)
    for row in csv.DictReader(open(path)):
        samples[Series(row["library"], row["bench"], int(row["bytes"]))].append(float(row["seconds"]))
    return samples


def columns(options, keys):
    """The judged series of each model that is there."""
    for model in options.model.split(","):
        if model == "ns3" and NS3.exists():
            yield model, recorded(NS3)
        elif model == "smpirun" and simgrid.available():
            yield model, simgrid_samples(keys, options)
        elif model not in ("ns3", "smpirun") and known(model):
            yield model, simulate(model, keys, options)
        else:
            print(f"no model {model}: left out")


def milliseconds(*values):
    """Four digits are enough."""
    return "–".join(f"{1e3 * value:.4g}" for value in values)


def shown_measured(value):
    return milliseconds(value.fastest, value.median, value.slowest) if value.band else milliseconds(value.median)


def verdict(judged):
    """Of a band, in words."""
    if judged.right:
        return "right"
    cover = "" if judged.covers() else ", near" if judged.covers(measured.LAUNCHES) else ", misses"
    overlap = ", overlaps" if judged.overlaps else ", apart"
    return ("" if judged.fast else "fast off") + cover + overlap


def shown(judged):
    """Times and error of one prediction."""
    if judged is None:
        return ["–", "–"]
    if not judged.measured.band:
        return [milliseconds(judged.median), f"{100 * judged.error:.1f} %"]
    return [milliseconds(min(judged.samples), judged.median, max(judged.samples)), verdict(judged).removeprefix(", ")]


def table(series, models):
    """Rows of text, the first one the head."""
    yield ["library", "bench", "bytes", "measured ms", *(word for name in models for word in (f"{name} ms", "error"))]
    for key, value in series.items():
        predictions = [judged.get(key) for judged in models.values()]
        yield [key.library, key.bench, str(key.bytes), shown_measured(value), *(word for judged in predictions for word in shown(judged))]


def print_table(rows):
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(word.ljust(width) if number < 2 else word.rjust(width) for number, (word, width) in enumerate(zip(row, widths))))


def summary(name, judged, which):
    """Mean and worst error of points, and how many bands are right; None without points."""
    points = {key: value for key, value in judged.items() if not value.measured.band}
    bands = [value for value in judged.values() if value.measured.band]
    if not points:
        return None
    mean = sum(value.error for value in points.values()) / len(points)
    worst = max(points, key=lambda key: points[key].error)
    right, overlapping = sum(value.right for value in bands), sum(value.overlaps for value in bands)
    print(f"{name:>8} {which:<7} {len(points):>3} points: mean {100 * mean:5.2f} %, worst {100 * points[worst].error:6.1f} % "
          f"({worst.library} {worst.bench} {worst.bytes}); bands right: {right} of {len(bands)}, overlapping: {overlapping}")
    return mean <= MEAN and points[worst].error <= WORST and len(bands) - right <= WRONG_BANDS


GROUPS = {"ping-pong": ("pingpong",), "binomial scatter": ("scatter_bin",), "pairwise all-to-all": ("alltoall_pw",), "ring, halo": ("ring", "halo2d"), "incast": ("incast",)}
COLLECTIVES_GROUP = "library collectives"


def group_of(bench):
    return next((name for name, benches in GROUPS.items() if bench in benches), COLLECTIVES_GROUP)


def groups(models):
    """Mean and worst error by group, points only."""
    names = [*GROUPS, COLLECTIVES_GROUP]
    yield ["mean / worst, %", *names]
    for name, judged in models.items():
        errors = collections.defaultdict(list)
        for key, value in judged.items():
            if not value.measured.band:
                errors[group_of(key.bench)].append(100 * value.error)
        yield [name, *(f"{sum(errors[group]) / len(errors[group]):.1f} / {max(errors[group]):.1f}" if errors[group] else "–" for group in names)]


def summaries(models):
    """Prints what each model came to; whether the last one met the bounds."""
    met = None
    for name, judged in models.items():
        for library in measured.LIBRARIES:
            summary(name, {key: value for key, value in judged.items() if key.library == library}, library)
        met = summary(name, judged, "both")
    common = set.intersection(*(set(judged) for judged in models.values())) if models else set()
    if any(len(judged) > len(common) for judged in models.values()):
        print("\nThe series that all of them predict:")
        for name, judged in models.items():
            summary(name, {key: judged[key] for key in judged if key in common}, "common")
    return met


def band_counts(models):
    """How many bands of each model are right, in sentences."""
    for name, judged in models.items():
        bands = [value for value in judged.values() if value.measured.band]
        right, overlapping = sum(value.right for value in bands), sum(value.overlaps for value in bands)
        yield f"`{name}`: {right} of {len(bands)} series with two modes are right, {overlapping} overlap"


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def main():
    options = parse()
    if not measured.available():
        print(f"testbed: no measurements in {measured.FOLDER} (TESTBED names another folder): skipped")
        return 0
    series = wanted(measured.read(), options)
    models = {}
    for name, samples in columns(options, series):
        models[name] = {key: Judged(tuple(samples[key]), value) for key, value in series.items() if key in samples}
    print_table(table(series, models))
    print()
    print_table(groups(models))
    print()
    met = summaries(models)
    if options.csv:
        write_csv(options.csv, table(series, models))
    if options.errors:
        for name, judged in models.items():
            points = [(key.bench, key.bytes, value.error) for key, value in judged.items() if not value.measured.band]
            measured.add_errors(options.errors, "testbed", name, points)
    if options.write:
        validation.write(options.write, mpirage(), series, models, table(series, models), groups(models), band_counts(models))
    return 1 if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
