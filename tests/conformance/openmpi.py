#!/usr/bin/env python3
"""Compares `--coll openmpi-4.1` with Open MPI 4.1 itself: the messages of every collective, in number, size, order and mode.

Runs openmpi/trace.c with Debian's Open MPI, all ranks on this machine, and crates/collectives/examples/messages.rs for the same calls.
`make conformance` runs it with powers of four and a few numbers of ranks; FULL=1 with all powers of two, one byte less, and 16 numbers
of ranks between 2 and 64.

    openmpi.py [--full] [-n RANKS,…] [-c COLLECTIVE,…] [--coll CHOICE] [--keep FOLDER] [--table FILE] [--show COUNT]"""

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
from cases import COLLECTIVES, RANKS, cases  # noqa: E402

DEBIAN = {"mpicc.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin"}
QUICK_RANKS = (2, 3, 5, 8, 13, 16, 33)
# Ranks share two cores, so those that wait give way. Shared memory only: the messages of collectives do not depend on the network.
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader"]


def main():
    options = arguments()
    prepare.debian(DEBIAN)
    wanted = dict(enumerate(cases(options.collectives, options.ranks, options.full)))
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        kept = pathlib.Path(options.keep or folder)
        theirs = compare.read(library_traces(wanted, options, kept))
    ours = compare.schedules(schedule_program(), options.coll, wanted)
    table = compare.Table()
    for number, case in wanted.items():
        table.add(case, theirs[number], ours.get(number))
    report(table, options)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all thresholds and all numbers of ranks")
    parser.add_argument("-n", "--ranks", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("-c", "--collectives", type=lambda text: tuple(text.split(",")), default=COLLECTIVES)
    parser.add_argument("--coll", default="openmpi-4.1", help="the choice of algorithms, as after --coll of mpirage run")
    parser.add_argument("--keep", help="a folder for the library's traces; those found there are not made again")
    parser.add_argument("--table", help="a file for the table of agreement, in Markdown")
    parser.add_argument("--show", type=int, default=10, help="how many disagreements to print")
    options = parser.parse_args()
    options.ranks = options.ranks or (RANKS if options.full else QUICK_RANKS)
    return options


def library_traces(wanted, options, folder):
    """The lines that all ranks write; one mpirun per number of ranks."""
    folder.mkdir(parents=True, exist_ok=True)
    program = compiled(folder)
    text = "".join(case.line(number) + "\n" for number, case in wanted.items())
    calls = folder / "cases"
    if not calls.exists() or calls.read_text() != text:
        for old in folder.glob("done-*"):
            old.unlink()
    calls.write_text(text)
    for ranks in options.ranks:
        place, done = folder / str(ranks), folder / f"done-{ranks}"
        place.mkdir(exist_ok=True)
        if not done.exists():
            subprocess.run([*MPIRUN, "-n", str(ranks), program, calls, place], check=True)
            done.touch()
        for rank in range(ranks):
            with open(place / str(rank)) as lines:
                yield from lines


def compiled(folder):
    program = folder / "trace"
    subprocess.run(["mpicc.openmpi", "-O1", "-Wall", "-Wextra", HERE / "openmpi" / "trace.c", "-o", program, "-ldl"], check=True)
    return program


def schedule_program():
    """Builds the example that prints our schedules."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "mpirage-collectives", "--example", "messages"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "messages"


def report(table, options):
    for failure in table.failures[: options.show]:
        print(compare.explain(failure))
    print(table.markdown())
    if options.table:
        pathlib.Path(options.table).write_text(table.markdown() + "\n")
    wrong = table.total.total() - table.all_agreed("messages")
    print(f"conformance: {table.all_agreed('messages')} passed, {wrong} failed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
