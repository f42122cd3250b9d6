#!/usr/bin/env python3
"""Compares `--coll openmpi-4.1` with Open MPI 4.1 itself: the messages of every collective, in number, size, order and mode.

Runs calls.c and openmpi/trace.c with Debian's Open MPI, all ranks on this machine, and crates/engine/collectives/examples/messages.rs for the same calls.
`make conformance` runs it with powers of four and a few numbers of ranks; FULL=1 with all powers of two, one byte less, and 16 numbers
of ranks between 2 and 64.

Then it makes Open MPI perform every algorithm that its dynamic rules can name, with segments and a fan-out, and compares again; the last of
these files is written by mpirage.

    openmpi.py [--full] [-n RANKS,…] [-c COLLECTIVE,…] [--coll CHOICE] [--keep FOLDER] [--table FILE] [--show COUNT] [--only TEST]"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import compare  # noqa: E402
import prepare  # noqa: E402
from cases import COLLECTIVES, RANKS, ROOTED, Case, cases, element_of  # noqa: E402

DEBIAN = {"mpicc.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin"}
QUICK_RANKS = (2, 3, 5, 8, 13, 16, 33)
# Ranks share two cores, so those that wait give way. Shared memory only: the messages of collectives do not depend on the network.
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader"]


# Algorithms of coll/tuned by number of the collective; those behind the slash are for two ranks only.
ALGORITHMS = {
    "allgather": (0, "1 2 3 4 5", "6"),
    "allgatherv": (1, "1 2 3 4", "5"),
    "allreduce": (2, "1 2 3 4 5 6", ""),
    "alltoall": (3, "1 2 3 4", "5"),
    "alltoallv": (4, "1 2", ""),
    "barrier": (6, "1 2 3 4 6", "5"),
    "bcast": (7, "1 2 3 4 5 6 7 8 9", ""),
    "exscan": (8, "1 2", ""),
    "gather": (9, "1 2 3", ""),
    "reduce": (11, "1 2 3 4 5 6 7", ""),
    "reduce-scatter": (12, "1 2 3 4", ""),
    "reduce-scatter-block": (13, "1 2 3 4", ""),
    "scan": (14, "1 2", ""),
    "scatter": (15, "1 2 3", ""),
}
# Those made of other collectives by number. The library performs their parts by its dynamic rules too, so they have files of their own.
COMPOSED = {1: ("allgather", "allgatherv", "reduce-scatter", "reduce-scatter-block"), 2: ("allreduce",)}
DYNAMIC_RANKS = (2, 5, 8, 13)
DYNAMIC_SIZES = (4, 1000, 20_000, 100_000)
# What mpirage writes for Open MPI to read.
DECISIONS = """bcast 4 0 k-nomial
bcast 4 1000 chain:segment=4KiB:radix=3
bcast 8 0 split-binary:segment=1KiB
bcast 8 20000 scatter-ring
allreduce 4 0 overlapped-ring:segment=1KiB
alltoall 8 0 bruck
alltoall 8 1000 pairwise
reduce-scatter 5 1000 butterfly
gather 5 0 linear-sync:segment=512
"""
DECIDED = list(dict.fromkeys(line.split()[0] for line in DECISIONS.splitlines()))


def main():
    options = arguments()
    prepare.debian(DEBIAN)
    table = compare.Table()
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        kept = pathlib.Path(options.keep or folder)
        if options.only != "dynamic":
            add(table, dict(enumerate(cases(options.collectives, options.ranks, options.full))), options.ranks, options.coll, kept / "own")
        for name, rules in (dynamic_files() if options.only != "own" else {}).items():
            place = kept / name
            place.mkdir(parents=True, exist_ok=True)
            (place / "rules").write_text(rules)
            forced = compare.Table()
            add(forced, dict(enumerate(dynamic_cases(name))), DYNAMIC_RANKS, str(place / "rules"), place, dynamic_options(place / "rules"))
            table.merge(forced, f"dynamic rules, {name}")
    table.report(options, known_difference)


def add(table, wanted, ranks, choice, folder, more=()):
    """Compares these calls."""
    theirs = compare.read(library_traces(wanted, ranks, folder, more))
    ours = compare.schedules(example("messages"), choice, wanted)
    for number, case in wanted.items():
        table.add(case, theirs[number], ours.get(number))


def dynamic_options(rules):
    return ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_dynamic_rules_filename", str(rules)]


def dynamic_files():
    """A file for each number that algorithms have, one for those made of others, and one that mpirage writes."""
    files = {f"algorithm {number}": dynamic_rules(number, having(number)) for number in range(1, 10)}
    files |= {f"composed {number}": dynamic_rules(number, COMPOSED[number]) for number in COMPOSED}
    written = subprocess.run([example("openmpi_rules")], input=DECISIONS, stdout=subprocess.PIPE, text=True, check=True)
    files["file of mpirage"] = written.stdout
    return files


def having(number):
    """Collectives that have an algorithm of this number."""
    return [name for name, values in ALGORITHMS.items() if str(number) in values[1].split() and name not in COMPOSED.get(number, ())]


def dynamic_rules(number, collectives):
    """The same algorithm for all sizes, with fan-out 3 and segments of 1,000 bytes."""
    return f"{len(collectives)}\n" + "".join(f"{ALGORITHMS[name][0]} 1\n1 1\n0 {number} 3 1000\n" for name in collectives)


def dynamic_cases(name):
    """Calls of the collectives that a file has rules for."""
    kind, number = name.split()[0], name.split()[-1]
    collectives = having(int(number)) if kind == "algorithm" else COMPOSED[int(number)] if kind == "composed" else DECIDED
    for ranks in DYNAMIC_RANKS:
        for collective in collectives:
            for size in DYNAMIC_SIZES if collective != "barrier" else (0,):
                yield Case(ranks, collective, 0, size, element_of(collective, size))
                if collective in ROOTED:
                    yield Case(ranks, collective, ranks - 1, size, element_of(collective, size))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all thresholds and all numbers of ranks")
    parser.add_argument("-n", "--ranks", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("-c", "--collectives", type=lambda text: tuple(text.split(",")), default=COLLECTIVES)
    parser.add_argument("--coll", default="openmpi-4.1", help="the choice of algorithms, as after --coll of mpirage run")
    parser.add_argument("--keep", help="a folder for the library's traces; those found there are not made again")
    parser.add_argument("--table", help="a file for the table of agreement, in Markdown")
    parser.add_argument("--show", type=int, default=10, help="how many disagreements to print")
    parser.add_argument("--only", choices=("own", "dynamic"), help="the library's own decisions, or dynamic rules")
    options = parser.parse_args()
    options.ranks = options.ranks or (RANKS if options.full else QUICK_RANKS)
    return options


def library_traces(wanted, numbers, folder, more):
    """The lines that all ranks write; one mpirun per number of ranks."""
    folder.mkdir(parents=True, exist_ok=True)
    program = compiled(folder)
    text = "".join(case.line(number) + "\n" for number, case in wanted.items())
    calls = folder / "cases"
    if not calls.exists() or calls.read_text() != text:
        for old in folder.glob("done-*"):
            old.unlink()
    calls.write_text(text)
    for ranks in numbers:
        place, done = folder / str(ranks), folder / f"done-{ranks}"
        place.mkdir(exist_ok=True)
        if not done.exists():
            subprocess.run([*MPIRUN, *more, "-n", str(ranks), program, calls, place], check=True)
            done.touch()
        for rank in range(ranks):
            with open(place / str(rank)) as lines:
                yield from lines


def compiled(folder):
    program = folder / "trace"
    subprocess.run(["mpicc.openmpi", "-O1", "-Wall", "-Wextra", HERE / "calls.c", HERE / "openmpi" / "trace.c", "-o", program, "-ldl"], check=True)
    return program


def example(name):
    """Builds an example of crates/collectives."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "mpirage-collectives", "--example", name], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / name


def known_difference(case):
    """Recursive halving leaves out empty messages; docs/reference/conformance-openmpi.md explains why ours does not."""
    return case.collective == "reduce-scatter" and case.counts != "equal"


if __name__ == "__main__":
    main()
