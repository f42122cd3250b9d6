#!/usr/bin/env python3
"""Compares `--coll mpich-4.0` with MPICH 4.0 itself: the messages of every collective, in number, size and order, and where ranks wait.

Runs calls.c with Debian's MPICH and crates/engine/collectives/examples/messages.rs for the same calls. mpich/record.c stands between MPICH and UCX
and sees each message, because every rank is on a node of its own (MPIR_CVAR_NOLOCAL). All messages of up to 16 ranks use rendezvous, so that waits are
seen; with more ranks that takes too long, and waits are not compared.

Calls without data are left out: MPICH returns at once, while our schedules keep ranks in step for the simulator's sake. Empty messages of
other calls are not compared, for the same reason.

With --selection the library gets a selection file that crates/engine/collectives has written from a few rules, and has to follow it.

    mpich.py [--full] [--selection] [-n RANKS,…] [-c COLLECTIVE,…] [--coll CHOICE] [--keep FOLDER] [--table FILE] [--show COUNT]"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import compare  # noqa: E402
import prepare  # noqa: E402
from cases import BLOCKING, MEMORY, RANKS, blocking, cases, memory, variants  # noqa: E402

DEBIAN = {"mpicc.mpich": "libmpich-dev", "mpirun.mpich": "mpich"}
QUICK_RANKS = (2, 3, 5, 8, 13, 16)
COLLECTIVES = [prefix + name for prefix in ("", "i") for name in BLOCKING]
# What --selection chooses, as overrides of --coll and as rules: nothing of it is what the library would do by itself.
OVERRIDES = {
    "bcast=scatter-ring@..1MiB": "bcast bytes<1MiB scatter-ring",
    "allreduce=recursive-doubling": "allreduce recursive-doubling",
    "reduce=binomial": "reduce binomial",
    "allgather=ring": "allgather ring",
    "allgatherv=bruck": "allgatherv bruck",
    "reduce-scatter-block=pairwise": "reduce-scatter-block commutative=yes pairwise",
    "ibcast=binomial:sends=at-once": "ibcast binomial",
}
EXAMPLE = ["cargo", "run", "--release", "--quiet", "-p", "mpirage-collectives", "--example"]
# With up to so many ranks waits are compared too.
MOST_RANKS_THAT_WAIT = 16
# Bytes at which the decision code of MPICH 4.0 changes its mind: of the vector or block, and of all blocks together.
THRESHOLDS = {"bcast": (12288, 524288), "allreduce": (8, 2048), "reduce": (2048,), "alltoall": (256, 2048, 32768)}
TOTALS = {"allgather": (81920, 524288), "allgatherv": (81920, 524288), "reduce-scatter": (524288,), "reduce-scatter-block": (524288,)}


def main():
    options = arguments()
    prepare.debian(DEBIAN)
    wanted = dict(enumerate(calls(options)))
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        kept = pathlib.Path(options.keep or folder)
        theirs = compare.read(library_traces(wanted, options, kept))
    ours = compare.schedules(schedule_program(), options.coll, wanted)
    table = compare.Table(last="waits")
    for number, case in wanted.items():
        for trace in (theirs[number], ours.get(number)):
            without_empty_messages(case, trace)
        table.add(case, theirs[number], ours.get(number), ask_last=case.ranks <= MOST_RANKS_THAT_WAIT)
    table.report(options, known_difference)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all thresholds and all numbers of ranks")
    parser.add_argument("--selection", action="store_true", help="let the library follow a file that we have written")
    parser.add_argument("-n", "--ranks", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("-c", "--collectives", type=lambda text: tuple(text.split(",")), default=COLLECTIVES)
    parser.add_argument("--coll", default="mpich-4.0", help="the choice of algorithms, as after --coll of mpirage run")
    parser.add_argument("--keep", help="a folder for the library's traces; those found there are not made again")
    parser.add_argument("--table", help="a file for the table of agreement, in Markdown")
    parser.add_argument("--show", type=int, default=10, help="how many disagreements to print")
    options = parser.parse_args()
    options.ranks = options.ranks or (RANKS if options.full else QUICK_RANKS)
    if options.selection:
        options.coll = ",".join([options.coll, *OVERRIDES])
        options.collectives = [override.partition("=")[0] for override in OVERRIDES]
    return options


def calls(options):
    """The common cases, and those next to thresholds."""
    found = dict.fromkeys(cases(options.collectives, options.ranks, False))
    for ranks in options.ranks:
        for collective in options.collectives:
            for size in thresholds(blocking(collective), ranks, options.full):
                if memory(collective, ranks, size) <= MEMORY[options.full]:
                    found.update(dict.fromkeys(variants(collective, ranks, size)))
    return [case for case in found if case.bytes or case.blocking_name == "barrier"]


def without_empty_messages(case, trace):
    """Leaves out messages without data, and their receives, unless there are no others. The sizes of receives are only upper bounds, so the
    n-th receive from a rank is matched to the n-th message from there."""
    if not trace or not case.bytes:
        return
    sent = {}
    for rank, tokens in trace.ranks.items():
        for kind, peer, size in map(compare.parts, tokens):
            if kind in "sy":
                sent.setdefault((rank, peer), []).append(size)
    for rank, tokens in trace.ranks.items():
        coming = {sender: iter(sizes) for (sender, receiver), sizes in sent.items() if receiver == rank}
        trace.ranks[rank] = [token for token in tokens if carries_data(token, coming)]


def carries_data(token, coming):
    kind, peer, size = compare.parts(token)
    return kind == "w" or (next(coming.get(peer, iter(())), 1) if kind == "r" else size) > 0


def thresholds(name, ranks, full):
    """Sizes on both sides of each threshold."""
    steps = (-4, -1, 0, 1, 4) if full else (-1, 0, 4)
    found = {limit + step for limit in THRESHOLDS.get(name, ()) for step in steps}
    found |= {limit // ranks + step for limit in TOTALS.get(name, ()) for step in steps}
    if name in ("reduce", "allreduce"):  # the vector is cut into as many pieces as the largest power of two below the ranks
        power = 1 << (ranks.bit_length() - 1)
        found |= {bytes * (power + step) for bytes in (1, 4) for step in (-1, 0, 1)}
    return sorted(size for size in found if size > 0)


def library_traces(wanted, options, folder):
    """The lines that all ranks write; one mpirun per number of ranks."""
    folder.mkdir(parents=True, exist_ok=True)
    program = compiled(folder)
    selection = selection_file(folder) if options.selection else None
    text = "".join(case.line(number) + "\n" for number, case in wanted.items())
    listed = folder / "cases"
    if not listed.exists() or listed.read_text() != text:
        for old in folder.glob("done-*"):
            old.unlink()
    listed.write_text(text)
    for ranks in options.ranks:
        place, done = folder / str(ranks), folder / f"done-{ranks}"
        place.mkdir(exist_ok=True)
        if not done.exists():
            subprocess.run(["mpirun.mpich", "-n", str(ranks), program, listed, place], env=environment(ranks, selection), check=True)
            done.touch()
        for rank in range(ranks):
            with open(place / str(rank)) as lines:
                yield from lines


def selection_file(folder):
    """The file for the library, from the rules."""
    made = subprocess.run([*EXAMPLE, "mpich_selection"], cwd=ROOT, input="\n".join(OVERRIDES.values()), stdout=subprocess.PIPE, text=True, check=True)
    file = folder / "selection.json"
    file.write_text(made.stdout)
    return file


def environment(ranks, selection):
    """One rank per node, so that all messages can be seen."""
    chosen = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(selection)} if selection else {}
    rendezvous = {"UCX_RNDV_THRESH": "0"} if ranks <= MOST_RANKS_THAT_WAIT else {}
    return {**os.environ, "MPIR_CVAR_NOLOCAL": "1", **rendezvous, **chosen}


def compiled(folder):
    """The program, linked to record.c before MPICH."""
    program, recorder = folder / "trace", folder / "librecord.so"
    flags = ["-O1", "-Wall", "-Wextra"]
    subprocess.run(["cc", *flags, "-shared", "-fPIC", HERE / "mpich" / "record.c", "-o", recorder, "-ldl"], check=True)
    sources = [HERE / "calls.c", HERE / "mpich" / "trace.c"]
    subprocess.run(["mpicc.mpich", *flags, *sources, "-o", program, f"-L{folder}", "-lrecord", f"-Wl,-rpath,{folder.resolve()}"], check=True)
    return program


def schedule_program():
    """Builds the example that prints our schedules."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "mpirage-collectives", "--example", "messages"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "messages"


def known_difference(case):
    """Where MPICH does what our schedules cannot or do not say; docs/reference/conformance-mpich.md explains it."""
    return case.collective == "ibcast" and case.ranks >= 8 and case.bytes >= 12288


if __name__ == "__main__":
    main()
