"""Ranks with several threads inside MPI: the same simulated time in every run, work and waits of threads that overlap,
mistakes of threads. tests/programs/same-as-mpich.sh compares what such programs print (threads_*)."""

import csv
import itertools
import json
import re
import shlex
import sys

import prepare
from harness import MPIRAGE, TESTS

sys.path.insert(0, str(TESTS / "views" / "timelines"))

SOURCES = TESTS / "library" / "threads"
PROGRAMS = sorted((TESTS / "programs").glob("threads_*.c"))
FLAGS = ["-g", "-pthread"]
REPETITIONS = 5


def test_repeatable(suite):
    """Which thread runs first is a matter of this machine, simulated time is not."""
    for source in PROGRAMS:
        program, seen = suite.compile(source, flags=FLAGS), set()
        for _ in range(REPETITIONS):
            result = suite.simulate("-q", "-n", 3, "--compute", "none", f"--json={suite.folder / 'run.json'}", program)
            suite.check(f"{source.stem} ends well and alone", result.code == 0 and not result.left, result)
            figures = json.loads((suite.folder / "run.json").read_text())
            seen.add((figures["simulated_seconds"], result.out))
        suite.check(f"{source.stem}: the same in {REPETITIONS} runs", len(seen) == 1, seen)


def overlap(suite, what, *options):
    program = suite.compile(SOURCES / "overlap.c", flags=FLAGS)
    result = suite.simulate("-q", "-n", 2, *options, program, what, timeout=60)
    suite.check(f"threads that {what} end well", result.code == 0, result)
    return [float(line) for line in result.out.split()]


def test_sleeping(suite):
    """Threads that sleep in simulated time: the longer one decides, and what follows a receive comes after it."""
    for options in (["--compute", "none"], []):
        seconds = overlap(suite, "sleep", *options)
        expected = [0.1, 0.3, 0.1, 0.12, 0.12]
        near = len(seconds) == 5 and all(abs(is_ - to_be) < 0.003 for is_, to_be in zip(seconds, expected))
        suite.check(f"threads sleep at the same time {options}", near, seconds)


def test_working(suite):
    """The same with work. A thread that waits for another outside MPI has worked before, not after."""
    seconds = overlap(suite, "work")
    if suite.check("five cases", len(seconds) == 5, seconds):
        work = seconds[0]
        suite.check("a late message hides the work before", abs(seconds[1] - max(0.3, work)) < 0.1 * work, seconds)
        suite.check("work hides an early message", 0.5 * work < seconds[2] < 1.8 * work, seconds)
        suite.check("work after a receive follows it", 0.5 * work + 0.02 < seconds[3] < 1.8 * work + 0.02, seconds)
        # A thread that ends leaves its last work to the one that joins it: too long by what both did at the same time.
        suite.check("work of both, at most one after the other", 0.5 * work + 0.02 < seconds[4] < 2.8 * work + 0.02, seconds)


def test_general(suite):
    """What a thread completes after a sleep in simulated time, while the first thread waits for it, or tests it again and again."""
    program = suite.compile(SOURCES / "general.c", flags=FLAGS)
    for how in ("wait", "test"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 1, "--compute", "none", program, how], timeout=60)
        suite.check(f"a generalised request that a thread completes: {how}", done.code == 0 and 1 <= float(done.out or 0) < 1.1, done)


def test_partitions(suite):
    program = suite.compile(SOURCES / "partitions.c", flags=FLAGS)
    done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--compute", "none", program], timeout=60)
    suite.check("threads ask for partitions of one message", done.code == 0 and done.out == "0 of 40 partitions wrong\n", done)


def test_sessions(suite):
    program = suite.compile(SOURCES / "sessions.c", flags=FLAGS)
    for _ in range(REPETITIONS):
        result = suite.simulate("-q", "-n", 3, "--compute", "none", program, timeout=60)
        suite.check("threads open sessions", result.code == 0 and result.out == "0 mistakes\n", result)


def test_spinning(suite):
    """A thread that spins on a variable lets time pass: in slices, of which the first is the longest.

    While the thread computes it may take the lock again and again before the other one gets it, for longer the more else this machine has to do: of
    three runs one must not be disturbed."""
    program = suite.compile(SOURCES / "spin.c", flags=[*FLAGS, "-O2"])
    for how in ("plain", "mutex"):
        results = [suite.simulate("-q", "-n", 2, program, how, timeout=60) for _ in range(3)]
        good = any(near_waits(result.out) for result in results) and all(result.code == 0 for result in results)
        suite.check(f"a thread spins on a variable ({how})", good, results)


def near_waits(out):
    """Are the three waits as long as the messages that end them are late?"""
    waits = [float(line) for line in out.split()]
    return [-room < wait - late < room for wait, late, room in zip(waits, (0.3, 0.1, 0.05), (0.05, 0.03, 0.03))] == [True] * 3


def test_barriers(suite):
    """Threads that meet in a barrier that spins: those that have never called MPI pass their turn too, and those that slept before they spun."""
    program = suite.compile(SOURCES / "barrier.c", flags=[*FLAGS, "-O2"])
    for how, options in itertools.product(("silent", "talking"), ([], ["--compute", "none"])):
        result = suite.simulate("-q", "-n", 2, *options, program, how, 20, timeout=60)
        met, seconds = map(float, (result.out or "0 0").split())
        suite.check(f"threads meet in a barrier that spins ({how}, {options})", result.code == 0 and met == 40 and 0.002 <= seconds < 0.1, result)


def test_limits(suite):
    """Waits that end at a date: of semaphores in simulated time, and the same in every run."""
    program, seen = suite.compile(SOURCES / "limits.c", flags=FLAGS), set()
    for _ in range(REPETITIONS):
        result = suite.simulate("-q", "-n", 2, "--compute", "none", f"--json={suite.folder / 'run.json'}", program)
        wanted = "posted 0, in time 1\nnever posted 1, after 1.500000 s\nno condition 1, waited 1\nno lock 1, waited 1\n"
        suite.check("waits with a limit", result.code == 0 and result.out == wanted, result)
        seen.add(json.loads((suite.folder / "run.json").read_text())["simulated_seconds"])
    suite.check(f"waits with a limit: the same in {REPETITIONS} runs", len(seen) == 1, seen)


def test_mistakes(suite):
    program = suite.compile(SOURCES / "wrong.c", flags=FLAGS)
    expected = {
        "deadlock": (80, ["deadlock", "rank 0 in MPI_Recv", "wrong.c:9", "rank 1 in MPI_Barrier"]),
        "crash": (139, ["rank 0", "wrong.c:16"]),
        "misuse": (81, ["rank 0", "MPI_Send", "dest is 99"]),
        "leave": (3, ["rank 0", "MPI_Finalize"]),
    }
    for mistake, (code, words) in expected.items():
        result = suite.simulate("-n", 2, program, mistake)
        suite.check(f"{mistake}: exit code {code}", result.code == code, result)
        suite.check(f"{mistake}: named", all(word in result.err for word in words), result.err)
        suite.check(f"{mistake}: nothing is left", not result.left, result.left)
    two = suite.simulate("-n", 2, "--compute", "none", f"--json={suite.folder / 'run.json'}", program, "two")
    counted = two.code == 80 and "deadlock: 3 threads of 2 ranks are blocked forever" in two.err
    suite.check("threads of a rank that are blocked count as one rank", counted, two.err)
    deadlock = json.loads((suite.folder / "run.json").read_text())["deadlock"]
    ranks = [one["rank"] for one in deadlock["blocked"]]
    suite.check("blocked threads by rank, as data", (deadlock["blocked_ranks"], ranks) == (2, [0, 0, 1]), deadlock)


def test_outside(suite):
    """Threads of a rank that all sleep outside MPI: one that something else wakes goes on, threads that wait for each other do not."""
    program = suite.compile(SOURCES / "outside.c", flags=FLAGS)
    for what in ("child", "pipe", "poll", "time"):
        result = suite.simulate("-q", "-n", 2, "--compute", "none", program, what)
        suite.check(f"a thread waits for a {what}, and the rank goes on", result.code == 0 and result.out == f"{what}\n", result)
    result = suite.simulate("-n", 2, program, "nothing")
    suite.check("threads that wait for each other are a deadlock", result.code == 80 and "rank 1 in MPI_Win_free" in result.err, result)
    suite.check("the rank outside MPI is named", "rank 0 is outside MPI, where its threads wait for each other; its last MPI call was MPI_Barrier at" in result.err, result.err)
    source = (SOURCES / "outside.c").read_text().splitlines()
    for what, call in (("flush", "MPI_Win_flush"), ("request", "MPI_Wait"), ("lock", "MPI_Win_lock")):
        line = next(number for number, text in enumerate(source, 1) if text.endswith(f"/* {what} */"))
        result = suite.simulate("-n", 2, "--compute", "none", "--model", "packet", "--mpi-profile", "openmpi-tcp", f"--json={suite.folder / 'run.json'}", program, what)
        waits = f"outside.c:{line} in main waits for accesses to the memory of rank 0, which rank 0 carries out in its next MPI call (window"
        named = result.code == 80 and f"rank 1 in {call} at" in result.err and waits in result.err
        suite.check(f"{what}: an access to a rank that is outside MPI", named, result)
        awaited = json.loads((suite.folder / "run.json").read_text())["deadlock"]["blocked"][0]["waits_for"]
        suite.check(f"{what}: as data", [(one["kind"], one["peers"], one["outside"]) for one in awaited] == [("accesses", [0], [0])], awaited)


def test_outputs(suite):
    """Formats without threads refuse them; reports and timelines say that calls overlap."""
    program = suite.compile(TESTS / "programs" / "threads_main.c", flags=FLAGS)
    for ending in ("ti", "goal"):
        trace = suite.folder / f"threads.{ending}"
        traced = suite.simulate("-q", "-n", 2, "--trace", trace, program)
        refused = traced.code == 84 and "several threads of a rank; FILE.mpirage can" in traced.err
        suite.check(f"a trace .{ending} is refused", refused and not trace.exists(), traced)
    shown = suite.simulate("-n", 2, "--compute", "none", "--trace", suite.folder / "run.prv", program)
    suite.check("run.prv has a row for each thread", shown.code == 0 and "their calls overlap" not in shown.err, shown)
    rows = {}
    for line in (suite.folder / "run.prv").read_text().splitlines():
        kind, *numbers = line.split(":")
        if kind == "1":
            _, _, task, thread, start, end, _ = map(int, numbers)
            rows.setdefault((task, thread), []).append((start, end))
    apart = all(before[1] <= after[0] for states in rows.values() for before, after in zip(sorted(states), sorted(states)[1:]))
    suite.check("in which nothing overlaps", apart and max(thread for _, thread in rows) > 1, rows)
    named = (suite.folder / "run.row").read_text()
    suite.check("threads are named", all(f"rank {rank} thread 1\n" in named for rank in (0, 1)), named)
    shown = suite.simulate("-n", 2, "--report", suite.folder / "run.html", program)
    good = shown.code == 0 and "their calls overlap in the rank's row of the report" in shown.err and (suite.folder / "run.html").exists()
    suite.check("a report is written, with a warning", good, shown)


def test_rows(suite):
    """Timelines have a row for each thread, in which nothing overlaps, and the same calls in all formats."""
    program = suite.compile(TESTS / "programs" / "threads_pairs.c", flags=FLAGS)
    files = {ending: suite.folder / f"rows.{ending}" for ending in ("prv", "pftrace", "paje", "csv")}
    traces = [word for file in files.values() for word in ("--trace", file)]
    shown = suite.simulate("-n", 3, "--compute", "none", *traces, program)
    suite.check("timelines are written without a warning", shown.code == 0 and "overlap" not in shown.err, shown)
    table = list(csv.DictReader((files["csv"] / "calls.csv").open()))
    expected = {}
    for row in table:
        expected.setdefault((int(row["rank"]), int(row["thread"])), []).append((row["function"], float(row["start"]), float(row["end"])))
    suite.check("the table has threads", max(thread for _, thread in expected) > 1, list(expected))
    for name, found in (("Paje", paje_calls(files["paje"])), ("Perfetto", perfetto_calls(suite, files["pftrace"]))):
        apart = all(before[2] <= after[1] for calls in found.values() for before, after in zip(calls, calls[1:]))
        suite.check(f"{name}: nothing overlaps in a row", apart and found, list(found))
        names = {row: sorted(call[0] for call in calls) for row, calls in found.items()}
        wanted = {row: sorted(call[0] for call in calls) for row, calls in expected.items()}
        suite.check(f"{name}: each thread has its calls", names == wanted, (names, wanted))


def test_blocked_rows(suite):
    """In a deadlock the calls of all threads last to the end, in their rows."""
    program = suite.compile(SOURCES / "wrong.c", flags=FLAGS)
    files = {ending: suite.folder / f"blocked.{ending}" for ending in ("pftrace", "paje", "csv", "prv")}
    traces = [word for file in files.values() for word in ("--trace", file)]
    shown = suite.simulate("-q", "-n", 2, "--compute", "none", *traces, program, "deadlock")
    suite.check("a deadlock of threads", shown.code == 80, shown)
    table = list(csv.DictReader((files["csv"] / "calls.csv").open()))
    stuck = {(int(row["rank"]), int(row["thread"])): row["function"] for row in table if row["returned"] == "0"}
    suite.check("the blocked call of a further thread is in the table", stuck == {(0, 1): "MPI_Recv", (1, 0): "MPI_Barrier"}, stuck)
    for name, found in (("Paje", paje_calls(files["paje"])), ("Perfetto", perfetto_calls(suite, files["pftrace"]))):
        last = {row: calls[-1][0] for row, calls in found.items()}
        suite.check(f"{name}: blocked calls are the last", last.get((0, 1)) == "MPI_Recv" and last[1, 0] == "MPI_Barrier", last)


def row_of(name):
    """`rank 2 thread 1` is (2, 1), `rank 2` is (2, 0)."""
    rank, thread = re.fullmatch(r"rank (\d+)(?: thread (\d+))?", name).groups()
    return int(rank), int(thread or 0)


def paje_calls(file):
    containers, values, open_states, calls = {}, {}, {}, {}
    for words in map(shlex.split, file.read_text().splitlines()):
        if words[0].startswith("%"):
            continue
        kind = int(words[0])
        if kind == 4:
            values[words[1]] = words[3]
        elif kind == 5:
            containers[words[2]] = words[5]
        elif kind == 8:
            open_states.setdefault(words[3], []).append((values[words[4]], float(words[1])))
        elif kind == 9:
            name, start = open_states[words[3]].pop()
            if name.startswith("MPI_"):
                calls.setdefault(row_of(containers[words[3]]), []).append((name, start, float(words[1])))
    return {row: sorted(found, key=lambda call: call[1:]) for row, found in calls.items()}


def perfetto_calls(suite, file):
    prepare.python(prepare.TIMELINES)
    import perfetto_trace

    trace, calls = perfetto_trace.Trace(file), {}
    suite.check("Perfetto: as its schema says", not trace.wrong, trace.wrong)
    for slice in trace.slices:
        if slice.name.startswith("MPI_"):
            calls.setdefault(row_of(slice.track), []).append((slice.name, slice.start, slice.end))
    return {row: sorted(found, key=lambda call: call[1:]) for row, found in calls.items()}


def test_progress(suite):
    """What comes to a rank is carried out if any of its threads is inside MPI, though the first is not."""
    program = suite.compile(TESTS / "programs" / "threads_windows.c", flags=FLAGS)
    result = suite.simulate("-q", "-n", 3, "--compute", "none", "--model", "packet", program, timeout=60)
    suite.check("accesses to a rank whose first thread sleeps", result.code == 0 and result.out == "counted 300\n", result)


def seconds(suite, *words):
    result = suite.run([MPIRAGE, "replay", "-q", "--json", *words], timeout=60)
    return json.loads(result.out)["simulated_seconds"] if result.code == 0 else result


def test_traces(suite):
    """A replay takes as long as the run, to the picosecond, whether threads sleep, work or wait for each other; the other tests of such traces are
    in tests/traces/test_replay.py. On other machines threads meet at other times, and the replay comes to its end."""
    for name, *words in (("limits",), ("overlap", "sleep"), ("overlap", "work")):
        program, trace = suite.compile(SOURCES / f"{name}.c", flags=FLAGS), suite.folder / f"{name}.mpirage"
        for options in ([], ["--compute", "none"]):
            run = suite.simulate("-q", "-n", 2, *options, f"--json={suite.folder / 'run.json'}", "--trace", trace, program, *words, timeout=60)
            suite.check(f"{name} {words} {options} is traced", run.code == 0, run)
            took = json.loads((suite.folder / "run.json").read_text())["simulated_seconds"]
            suite.check(f"{name} {words} {options} takes as long again", seconds(suite, trace) == took, (seconds(suite, trace), took))
    for source in PROGRAMS:
        program, trace = suite.compile(source, flags=FLAGS), suite.folder / f"{source.stem}.mpirage"
        suite.simulate("-q", "-n", 3, "--compute", "none", "--trace", trace, program)
        here = seconds(suite, trace)
        for machine in (["-p", "torus:4,net=roce25"], ["--model", "packet"], ["--model", "bus"], ["--model", "loggops"], ["--net", "hdr100"]):
            there = seconds(suite, *machine, trace)
            suite.check(f"{source.stem} on {machine}", isinstance(there, float) and there != here, (here, there))
    trace = suite.folder / "threads_pairs.mpirage"
    info = json.loads(suite.run([MPIRAGE, "trace", "info", "--json", trace]).out)
    suite.check("threads are counted", info["ranks"] == 3 and info["threads"] > 3, info)
    jobs = suite.folder / "jobs.toml"
    jobs.write_text(f'[[job]]\nname = "one"\ntrace = "{trace}"\n')
    job = suite.run([MPIRAGE, "jobs", "-q", jobs])
    suite.check("beside other jobs they are refused", job.code == 84 and "several threads" in job.err, job)
    page = suite.folder / "ideal.html"
    ideal = suite.run([MPIRAGE, "replay", trace, "--report", page, "--report-ideal", "run"])
    suite.check("a report of a replay", ideal.code == 0 and "their calls overlap" in ideal.err and page.exists(), ideal)


LEVEL = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    printf("%s\\n", provided == MPI_THREAD_MULTIPLE ? "multiple" : provided == MPI_THREAD_SERIALIZED ? "serialized" : "less");
    MPI_Finalize();
    return 0;
}
"""


def test_levels(suite):
    program = suite.compile(LEVEL, "level")
    for options, level in (([], "multiple"), (["--ranks-as", "processes"], "multiple"), (["--ranks-as", "folded"], "multiple")):
        result = suite.simulate("-q", "-n", 1, *options, program)
        suite.check(f"{options}: {level} is granted", result.code == 0 and result.out == f"{level}\n", result)
    emulated = suite.run([MPIRAGE, "emulate", "-q", "--time-factor", 1, "-n", 1, program])
    suite.check("in real time: serialized is granted", emulated.code == 0 and emulated.out == "serialized\n", emulated)
    alone = suite.run([program])
    suite.check("alone: serialized is granted", alone.code == 0 and alone.out == "serialized\n", alone)
