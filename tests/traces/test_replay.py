"""Traces of runs can be replayed: runs every program of programs/list.toml with `--trace`, and then replays it.

A replay of mpirage's own format takes the same simulated time, to the last picosecond, and has the same messages, with computation off,
measured and recorded; the trace contains the value of `--compute`. A replay of the
time-independent format takes the same time to 1e-9, one of a GOAL schedule to 1e-6."""

import json
import os

import pytest
import same_as_mpich
from harness import MPIRAGE

# On how many ranks; MPIRAGE_REPLAY_RANKS=3,8 names others.
RANKS = [int(number) for number in os.environ.get("MPIRAGE_REPLAY_RANKS", "3").split(",")]
FORMATS = ("mpirage", "ti", "goal")
PROGRAMS = [program for program in same_as_mpich.load_programs() if not program.missing]

# A machine whose ranks go on with collectives, and carry out accesses to their windows, in their own calls only. They are busy with accesses that combine.
CALLS = """[cluster]
hosts = 8
speed = "10Gf"
bandwidth = "1GBps"
latency = "2us"
[model]
progress = "calls"
one-sided = "calls"
atomic-gap = "700ns"
"""
# A machine with a parallel file system, of which the programs' folders are a part.
SERVERS = """[cluster]
hosts = 8
speed = "10Gf"
bandwidth = "12.5GBps"
latency = "1us"
[storage.scratch]
kind = "parallel"
mount = "/"
servers = 3
stripe-size = "4KiB"
write-bandwidth = "500MBps"
read-bandwidth = "1GBps"
latency = "100us"
metadata-latency = "50us"
"""
# Programs that test whether collectives are complete: a test that fails lets them go on.
TESTS_COLLECTIVES = ("intercomm_coll", "overlapped_coll")
# Programs whose calls depend on the time that accesses take: they test, take tasks or locks in the order in which they come, or share a file pointer.
DEPENDS_ON_TIME = ("file_nonblocking", "file_split", "win_groups", "win_mutex", "win_pscw", "win_requests", "win_tasks")
# How computation is charged, and the name of a machine.
WAYS = (("none", "flow"), ("none", "factors"), ("none", "idle"), ("none", "simgrid"), ("measured", "flow"), ("recorded", "factors"))
# A wait for some takes what has come, and libraries make progress within calls alone: with measured bursts between them the replay takes other sets
# (docs/open-ends.md). Such programs are measured under factors.
TAKES_SOME = ("part_mixed",)
# What must be the same.
EXACT = ("simulated_seconds", "per_rank_seconds", "calls", "messages", "bytes", "message_bytes", "files")
# Programs that the time-independent format cannot tell exactly, and what the writer says about it.
BEYOND_TI = {
    "probe": "probes", "mprobe": "probes", "comm_isolation": "any tag", "idup": "do not block", "comm_more": "do not block",
    "overlapped_coll": "do not block", "intercomm_coll": "do not block",
    "intercomm_forms": "do not block", "persistent_order": "persistent",
}


# The same of GOAL schedules.
BEYOND_GOAL = {
    "probe": "probes", "mprobe": "probes", "cancel": "synchronous", "message_order": "synchronous", "persistent": "synchronous",
    "send_modes": "synchronous", "self_messages": "synchronous",
}
# Non-blocking collectives that overlap others: both formats have them, but their messages compete for interfaces in another order.
LOOSE_IN_GOAL = ("idup", "overlapped_coll")


def figures(result):
    """The figures of a run, whose program may have printed before."""
    _, start, rest = result.out.rpartition('{"outcome"')
    return json.loads(start + rest) if start else {}


# Waits of traces without dates name a message by its tag, and partitions of several messages can have the same (docs/open-ends.md).
OTHER_IN_TI = ("part_matching",)


def more_ways(program):
    """Ways that matter to some programs only."""
    if program.name.startswith("file_"):
        return (("none", "servers"), ("measured", "servers"))
    makes_progress = program.name.startswith("win_") or program.name in TESTS_COLLECTIVES
    return (("none", "calls"), ("measured", "calls")) if makes_progress else ()


def is_refused(program):
    """Do other formats than mpirage's own refuse its calls?"""
    return program.name.startswith(("win_", "file_", "threads_"))


def formats_of(program):
    """Those that can store its calls. Other formats than mpirage's own refuse windows and files (tests/mistakes/faults/win_trace.c, file_trace.c) and threads (tests/library/test_threads.py).
    Whether two threads of `general_threads` call MPI depends on the load of this machine."""
    only_ours = is_refused(program) or program.name == "general_threads"
    return [kind for kind in FORMATS if kind == "mpirage" or not only_ours]


@pytest.fixture(scope="module")
def machines(suite):
    """Options of each machine, by its name."""
    options = {"flow": ["--model", "flow"], "factors": ["--model", "flow:factors"], "simgrid": ["--model", "simgrid"]}
    # GOAL counts whole nanoseconds, of which the work inside MPI takes parts: it is compared where that work takes none.
    idle = suite.folder / "idle.toml"
    idle.write_text('[model]\nbase = "flow:factors"\nreduce-seconds-per-byte = 0\ncopy-seconds-per-byte = 0\ncopy-seconds-per-block = 0\n')
    options["idle"] = ["--model", idle]
    for machine, text in (("calls", CALLS), ("servers", SERVERS)):
        path = suite.folder / f"{machine}.toml"
        path.write_text(text)
        options[machine] = ["-p", path]
    return options


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_program(suite, machines, program):
    """A program is recorded in all ways, and replayed."""
    binary = same_as_mpich.Mpirage(str(MPIRAGE), []).compile(program, suite.folder)
    for ranks in RANKS:
        if ranks in program.ranks:
            for compute, machine in WAYS + more_ways(program):
                takes_other_sets = program.name in TAKES_SOME and (compute, machine) == ("measured", "flow")
                check_one(suite, machines, program, binary, ranks, compute, "factors" if takes_other_sets else machine)


def is_exact(kind, compute, machine):
    """Does a trace of this format tell all that costs time there? Those of others do not tell blocking sends from others, whose overheads differ in the
    models of libraries."""
    if kind == "mpirage":
        return True
    return machine != "flow" and (kind != "goal" or (compute, machine) == ("none", "idle"))


def check_one(suite, machines, program, binary, ranks, compute, machine):
    what = f"{program.name} on {ranks} ranks, {machine}, computation {compute}"
    where = [*machines[machine], *program.options]
    folder = suite.folder / f"{program.name}-{ranks}-{compute}-{machine}"
    folder.mkdir()
    files = {kind: folder / f"run.{kind}" for kind in ("mpirage", "ti", "goal")}
    formats = [kind for kind in formats_of(program) if is_exact(kind, compute, machine)]
    traces = [word for kind in formats for word in ("--trace", files[kind])]
    how = f"recorded:{folder / 'costs'}" if compute == "recorded" else compute
    if compute == "recorded":
        suite.simulate("-q", *where, "--compute", how, "-n", ranks, binary, *program.args, timeout=120)
    run = suite.simulate("-q", "--json", *where, "--compute", how, "-n", ranks, *traces, binary, *program.args, timeout=120)
    if run.code != 0:
        suite.check(f"{what} runs", program.exit != 0, (run.code, run.err))
        return
    wanted = figures(run)
    for kind in formats:
        lost = {"ti": BEYOND_TI, "goal": BEYOND_GOAL}.get(kind, {}).get(program.name)
        if lost:
            suite.check(f"{what}: the writer of {kind} says what is lost", lost in run.err, run.err)
            continue
        if kind == "ti" and program.name in OTHER_IN_TI:
            continue
        again = suite.run([MPIRAGE, "replay", "-q", "--json", *where, files[kind]], timeout=120)
        got = figures(again)
        detail = (again.code, again.err, {key: (wanted.get(key), got.get(key)) for key in EXACT if wanted.get(key) != got.get(key)})
        exact = {"goal": 1e-3 if program.name in LOOSE_IN_GOAL else 1e-6}.get(kind, 1e-9)
        suite.check(f"{what}, {kind}", again.code == 0 and same(kind, wanted, got, exact), detail)
    if is_refused(program) and (compute, machine) == ("none", "flow"):
        check_copies(suite, what, folder, where, wanted)
        if program.name not in DEPENDS_ON_TIME:
            check_elsewhere(suite, machines, program, binary, ranks, folder / "run.mpirage")


def check_elsewhere(suite, machines, program, binary, ranks, trace):
    """On another machine, a replay takes as long as a run there."""
    for _, machine in more_ways(program)[:1]:
        where = [*machines[machine], *program.options]
        wanted = figures(suite.simulate("-q", "--json", *where, "--compute", "none", "-n", ranks, binary, *program.args, timeout=120))
        again = suite.run([MPIRAGE, "replay", "-q", "--json", *where, trace], timeout=120)
        got = figures(again)
        detail = (again.code, again.err, {key: (wanted.get(key), got.get(key)) for key in EXACT if wanted.get(key) != got.get(key)})
        suite.check(f"{program.name} on {ranks} ranks, traced elsewhere, {machine}", again.code == 0 and same("mpirage", wanted, got), detail)


def check_copies(suite, what, folder, where, wanted):
    """A conversion to the same format and a trace of the replay say the same; formats without such calls are refused."""
    trace = folder / "run.mpirage"
    for name, words in (("converted", ["trace", "convert", trace]), ("replayed", ["replay", "-q", *where, trace, "--trace"])):
        copy = folder / f"{name}.mpirage"
        made = suite.run([MPIRAGE, *words, copy], timeout=120)
        got = figures(suite.run([MPIRAGE, "replay", "-q", "--json", *where, copy], timeout=120))
        detail = (made, {key: (wanted.get(key), got.get(key)) for key in EXACT if wanted.get(key) != got.get(key)})
        suite.check(f"{what}, {name}", made.code == 0 and same("mpirage", wanted, got), detail)
    info = suite.run([MPIRAGE, "trace", "info", "--json", trace], timeout=120)
    suite.check(f"{what}, trace info", info.code == 0 and json.loads(info.out)["ranks"] > 0, info)
    for ending in ("ti", "goal"):
        refused = suite.run([MPIRAGE, "trace", "convert", trace, folder / f"converted.{ending}"], timeout=120)
        suite.check(f"{what}, as .{ending}", refused.code == 83 and "this format cannot store" in refused.err and "FILE.mpirage can" in refused.err, refused)


def same(kind, wanted, got, exact=0):
    if kind == "mpirage":
        return all(wanted.get(key) == got.get(key) for key in EXACT)
    a, b = wanted["simulated_seconds"], got.get("simulated_seconds", -1)
    return abs(a - b) <= exact * max(a, 1e-6)


# Reduces vectors, so that combining costs something, and declares work.
DECLARES = """#include <mpi.h>
#include <smpi/smpi.h>
static double in[4096], out[4096];
int main(void) {
    MPI_Init(0, 0);
    for (int i = 0; i < 5; i++) {
        SMPI_SAMPLE_DELAY(1e6);
        MPI_Allreduce(in, out, 4096, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}"""


def test_charged(suite):
    """How computation was charged is in the trace, in each format; what the user says goes before it; conversions keep it."""
    program = suite.compile(DECLARES, "declares")
    seconds = lambda *words: figures(suite.run([MPIRAGE, *words], cwd=suite.folder)).get("simulated_seconds")
    replay = lambda *words: seconds("replay", "-q", "--json", *words)
    names = ("run.mpirage", "run.ti", "run.txt", "folder/")
    traces = [word for name in names for word in ("--trace", suite.folder / name if not name.endswith("/") else f"{suite.folder}/{name}")]
    free = seconds("run", "-q", "--json", "-n", "4", "--compute", "none", *traces, program)
    for name in names:
        again = replay(name)
        suite.check(f"{name} of a run without computation", abs(again - free) < 1e-12, (again, free))
    # The work inside MPI takes its time in each.
    suite.check("the user's word counts", abs(replay("--compute", "traced", "run.mpirage") - free) < 1e-12 and free > replay("--compute", "none", "run.mpirage"))
    for before, after in (("run.mpirage", "a.ti"), ("a.ti", "b.mpirage"), ("b.mpirage", "c.txt"), ("c.txt", "d.mpirage")):
        made = suite.run([MPIRAGE, "trace", "convert", before, after], cwd=suite.folder)
        suite.check(f"{before} becomes {after}", made.code == 0 and abs(replay(after) - free) < 1e-12, (made, replay(after), free))
    info = json.loads(suite.run([MPIRAGE, "trace", "info", "--json", "d.mpirage"], cwd=suite.folder).out)
    suite.check("`trace info` says so", info["computation_is_free"] is True, info)
    again = suite.run([MPIRAGE, "replay", "-q", "run.mpirage", "--trace", "replayed.mpirage"], cwd=suite.folder)
    suite.check("a trace of the replay says so too", again.code == 0 and replay("replayed.mpirage") == free, again)


# Messages of all kinds, in two communicators, with declared work between them.
ALL_KINDS = """#include <mpi.h>
#include <smpi/smpi.h>
int main(int argc, char **argv) {
    static char out[50000], in[50000];
    int rank, size;
    double sum = 1, all;
    MPI_Comm half;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < 10; i++) {
        smpi_execute_flops(1e6 * (rank + 1));
        MPI_Irecv(in, 50000, MPI_CHAR, left, 3, MPI_COMM_WORLD, requests);
        MPI_Isend(out, 50000, MPI_CHAR, right, 3, MPI_COMM_WORLD, requests + 1);
        smpi_execute_flops(1e6);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, half);
        if (rank == 0)
            MPI_Ssend(out, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Recv(in, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, 1000, MPI_CHAR, rank ^ 1, 1, in, 1000, MPI_CHAR, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(in, 5000, MPI_CHAR, 2, MPI_COMM_WORLD);
        MPI_Gather(out, 100, MPI_CHAR, in, 100, MPI_CHAR, 1, MPI_COMM_WORLD);
        MPI_Ibarrier(MPI_COMM_WORLD, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
}"""


def test_dimemas_and_paraver(suite):
    """A run as traces of Dimemas and Paraver: the same messages, and the same time but for what these formats do not say."""
    program = suite.compile(ALL_KINDS, "all_kinds")
    where = ["-p", "cluster:4,speed=1Gf", "--model", "flow:factors"]
    traces = {ending: suite.folder / f"kinds.{ending}" for ending in ("mpirage", "dim", "prv")}
    words = [word for trace in traces.values() for word in ("--trace", trace)]
    run = suite.simulate("-q", "--json", *where, "--compute", "none", "-n", 4, *words, program)
    suite.check("kinds: runs", run.code == 0 and "waits for sends have no record" in run.err, run)
    wanted = figures(run)
    for ending in ("dim", "prv"):
        copy = suite.folder / f"kinds-{ending}.mpirage"
        made = suite.run([MPIRAGE, "trace", "convert", traces[ending], copy])
        suite.check(f"kinds: .{ending} converted", made.code == 0, made)
        for trace in (traces[ending], copy):
            got = figures(suite.run([MPIRAGE, "replay", "-q", "--json", *where, trace]))
            # Making the communicator sends messages in the run; its collective and messages inside others count.
            ratio = got["simulated_seconds"] / wanted["simulated_seconds"]
            suite.check(f"kinds: {trace.name} takes as long", 0.98 < ratio < 1.005, ratio)
            infos = [json.loads(suite.run([MPIRAGE, "trace", "info", "--json", file]).out) for file in (traces["mpirage"], trace)]
            for what in ("messages", "message_bytes", "matrix_bytes"):
                suite.check(f"kinds: {trace.name}: {what}", infos[0][what] == infos[1][what] != 0, [info[what] for info in infos])
    again = suite.folder / "again.dim"
    made = suite.run([MPIRAGE, "trace", "convert", traces["mpirage"], again])
    body = lambda trace: trace.read_text().split("\n", 1)[1]
    # Only the run knows the messages that receives from anyone got.
    records = lambda text: [line for line in text.splitlines() if not line.startswith(("s:", "3:"))]
    suite.check("kinds: the conversion equals the trace of the run", made.code == 0 and records(body(again)) == records(body(traces["dim"])), made)
