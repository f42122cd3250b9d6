#!/usr/bin/env python3
"""Errors found by users of the first version, as tests. Each runs as processes, folded and by default, on 4 and on 20
ranks. The first line of each program in findings/ describes the correct behaviour. With names of programs as arguments, only those run."""

import collections
import json
import os
import re
import signal
import sys
import time

from harness import MPIRAGE, TESTS, Suite, marked

SOURCES = TESTS / "findings"
MODES = ["processes", "folded", "auto"]
RANKS = [4, 20]
PARTS = {}


def part(function):
    PARTS[function.__name__] = function
    return function


class Case:
    """A program in one mode on so many ranks, in a folder of its own."""

    def __init__(self, suite, program, mode, ranks, variant=""):
        self.suite, self.program, self.mode, self.ranks = suite, program, mode, ranks
        self.folder = suite.folder / f"{program.name}-{mode}-{ranks}{variant}"
        self.folder.mkdir()

    def run(self, *arguments, options=(), timeout=60, input=None):
        command = [MPIRAGE, "run", "-q", "-n", self.ranks, "--ranks-as", self.mode, *options, self.program, *arguments]
        return self.suite.run(command, timeout=timeout, cwd=self.folder, input=input)

    def check(self, what, holds, detail=""):
        return self.suite.check(f"{self.program.name}, {self.mode}, {self.ranks} ranks: {what}", holds, detail)

    def files(self, prefix):
        return {path.name: path.read_text() for path in self.folder.glob(f"{prefix}.*")}


def cases(suite, name, flags=("-g",), language="cc", suffix=".c"):
    program = suite.compile(SOURCES / f"{name}{suffix}", language=language, flags=flags)
    return [Case(suite, program, mode, ranks) for mode in MODES for ranks in RANKS]


@part
def user_op_large(suite):
    for case in cases(suite, "user_op_large"):
        result = case.run()
        case.check("every sum is right", result.code == 0 and result.out == "", result)


@part
def collective_sizes(suite):
    """MPI_ERRORS_RETURN for collectives whose ranks give different sizes; with the default handler the run ends."""
    for case in cases(suite, "collective_sizes"):
        result = case.run()

        def expected(rank):
            last, second, third = rank == case.ranks - 1, rank == 1, rank == 2
            reduced = "truncate" if second else "success"
            return (
                f"{rank}: bcast {'truncate' if last else 'success'}, short bcast {'other' if last else 'success'}, "
                f"allreduce {reduced}, iallreduce {reduced}, allgather {'truncate' if third else 'success'}, then success {case.ranks}"
            )

        lines = sorted(result.out.splitlines(), key=lambda line: int(line.split(":")[0]))
        case.check("errors return where too much arrives", lines == [expected(rank) for rank in range(case.ranks)], result)


@part
def session_left(suite):
    """A session that is never finalized is named, with the call that opened it."""
    opened = f"opened by MPI_Session_init at {SOURCES}/session_left.c:8 in open_session"
    for case in cases(suite, "session_left"):
        good = case.run("none")
        case.check("all sessions finalized", (good.code, good.err) == (0, ""), good)
        for how, which in (("one", "the session"), ("two", "2 sessions, the first"), ("beside", "the session")):
            result = case.run(how)
            said = f"rank 1 exited with code 0 before it called MPI_Session_finalize for {which} {opened}"
            case.check(f"{how} left", result.code == 81 and said in result.err, result)


POLLS = """#include <mpi.h>
int main(int argc, char **argv) {
    int rank, word, done = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"""


@part
def polls_for_ever(suite):
    """Ranks that poll for a message that nobody sends are told so, not to look for wrong units."""
    program = suite.compile(POLLS, "polls", flags=("-g",))
    for mode in ("processes", "folded"):
        result = suite.simulate("-q", "-n", 3, "--ranks-as", mode, program, timeout=60)
        said = "ranks poll for what never happens" in result.err and "rank 1; its last MPI call was MPI_Test" in result.err and "unit" not in result.err
        suite.check(f"{mode}: the loop is named", result.code == 84 and said, result)


# Two programs of the same size, so that their calls have the same addresses; the first rank waits for ever.
PROGRAM = """#include <mpi.h>
{lines}static void wait_for(int rank) {{
    int word, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Barrier(MPI_COMM_WORLD);
}}
int main(int argc, char **argv) {{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wait_for(rank);
    MPI_Finalize();
}}
"""


@part
def two_programs(suite):
    """Calls of several programs in one run are found in the source of each, also if they have the same addresses."""
    first = suite.compile(PROGRAM.format(lines=""), "first", flags=("-g",))
    second = suite.compile(PROGRAM.format(lines="\n" * 30), "second", flags=("-g",))
    for mode in ("processes", "folded"):
        for paths in ([], ["--call-paths", 2]):
            folder = suite.folder / f"two-{mode}-{len(paths)}.csv"
            command = ["-q", "--ranks-as", mode, *paths, "--trace", folder, "-n", 2, first, ":", "-n", 2, second, ":", "-n", 1, first]
            result = suite.simulate(*command)
            places = {number: f"rank {number} in {call} at {suite.folder}/{name}.c:{line} in wait_for" for number, call, name, line in
                      ((0, "MPI_Recv", "first", 5), (1, "MPI_Barrier", "first", 6), (2, "MPI_Barrier", "second", 36), (4, "MPI_Barrier", "first", 6))}
            wrong = [place for place in places.values() if place not in result.err]
            suite.check(f"{mode} {paths}: the deadlock names the sources", result.code == 80 and not wrong, (wrong, result))
            calls = (folder / "calls.csv").read_text() if folder.exists() else ""
            lines = {number: next((line for line in calls.splitlines() if line.startswith(f"{number},") and "MPI_Barrier" in line), "") for number in (1, 3, 4)}
            right = all(f"{name}.c:{line}" in lines[number] for number, name, line in ((1, "first", 6), (3, "second", 36), (4, "first", 6)))
            suite.check(f"{mode} {paths}: so does the timeline", right, lines)


# As under Open MPI 4.1. Debian's MPICH 4.0 checks displacements below zero only.
ACCESSES = """put of the last: success
put behind it: range
get of two: range
get before the first: displacement
accumulate: range
get_accumulate: range
fetch_and_op: range
compare_and_swap: range
far away: range
nothing far away: success
first and last: success
second and one behind: range
rput: range
nobody: success
"""


@part
def window_range(suite):
    for case in cases(suite, "window_range"):
        result = case.run()
        case.check("errors return", result.code == 0 and result.out == 2 * ACCESSES + "9 calls of the handler\nfirst 1, last 1\n", result)
        fatal = case.run("fatal")
        named = f"rank 0 was stopped in MPI_Put at {SOURCES}/window_range.c:" in fatal.err and f"memory of rank {case.ranks - 1}" in fatal.err
        case.check("the default handler ends the run and names the call", fatal.code == 81 and named, fatal)


@part
def close_all_fds(suite):
    for case in cases(suite, "close_all_fds"):
        result = case.run(options=["--trace", "trace.mpirage"])
        case.check("ends well", result.code == 0, result)
        wanted = {f"result.{rank}": "my data\n" for rank in range(case.ranks)}
        case.check("each rank has its own file", case.files("result") == wanted, case.files("result"))
        info = suite.run([MPIRAGE, "trace", "info", case.folder / "trace.mpirage"])
        case.check("the trace is whole", info.code == 0 and re.search(rf"ranks +{case.ranks}\b", info.out), info)


@part
def close_stdout_reopen(suite):
    for case in cases(suite, "close_stdout_reopen"):
        result = case.run()
        hello = sorted(f"{rank} hello" for rank in range(case.ranks))
        case.check("the first line is printed", result.code == 0 and sorted(result.out.splitlines()) == hello, result)
        wanted = {f"out.{rank}": f"rank {rank} into file 1\n" for rank in range(case.ranks)}
        case.check("the second is in the rank's file", case.files("out") == wanted, case.files("out"))


@part
def deadlock_stderr_closed(suite):
    for case in cases(suite, "deadlock_stderr_closed"):
        result = case.run()
        shown = f"deadlock: {case.ranks} ranks" in result.err and "rank 0 in MPI_Recv" in result.err
        case.check("the diagnosis is printed", result.code == 80 and shown, result)


@part
def feof_stdin(suite):
    for case in cases(suite, "feof_stdin"):
        result = case.run(input=b"a\nb\n")
        case.check("rank 0 reads two lines", (result.code, result.out) == (0, "2 lines\n"), result)


@part
def flock_sleep(suite):
    for case in cases(suite, "flock_sleep"):
        result = case.run()
        wanted = sorted(f"{rank} locked" for rank in range(case.ranks))
        case.check("all ranks get the lock", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


@part
def record_locks(suite):
    for case in cases(suite, "record_locks"):
        result = case.run(options=["--compute", "none"])  # on a loaded machine a rank can compute for longer than it waits
        lines = [f"rank {rank}: busy, waited at least 1.5 ms" for rank in range(1, case.ranks)]
        wanted = sorted(lines + ["rank 0: free, waited at least 1.5 ms"])
        case.check("locks exclude other ranks", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


@part
def alarm(suite):
    wanted = {"alarm(1) after 1.0 simulated s", "sleep(5) with alarm(1): 4 left, slept 1.0 s, handler 1"}
    for case in cases(suite, "alarm"):
        result = case.run()
        lines = collections.Counter(result.out.splitlines())
        case.check("alarms follow simulated time", result.code == 0 and lines == {line: case.ranks for line in wanted}, result)
        case.check("no real second passes", result.seconds < 1 + 0.1 * case.ranks, result.seconds)


@part
def timers(suite):
    periodic = ["signal 1 at 0.3 s", "signal 2 at 0.4 s", "signal 3 at 0.5 s", "0.1 s left, every 0.1 s", "slept 0"]
    for case in cases(suite, "timers", flags=("-g", "-lrt")):
        # A folded rank that computes is not interrupted.
        computes = case.mode != "folded"
        result = case.run(*(["compute"] if computes else []))
        wanted = (["computed for 0.2 s"] if computes else []) + periodic
        lines = collections.Counter(result.out.splitlines())
        case.check("timers expire when they should", result.code == 0 and lines == {line: case.ranks for line in wanted}, result)


@part
def error_handler_throws(suite):
    for case in cases(suite, "error_handler_throws", language="cxx", suffix=".cpp"):
        result = case.run()
        wanted = sorted(f"{rank} caught mpi error" for rank in range(case.ranks))
        case.check("each rank catches the error", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


@part
def eager_flood(suite):
    """Cost is linear in messages: `fair` counts its steps in a unit test, `make bench` measures; here a large flood ends."""
    program = suite.compile(SOURCES / "eager_flood.c")
    for mode in MODES:
        for compute in ("measured", "none"):
            result = Case(suite, program, mode, 2, compute).run(16000, 64, options=["--compute", compute], timeout=30)
            suite.check(f"eager_flood, {mode}, computation {compute}: a flood ends", result.code == 0, result)


@part
def blocked_in_open(suite):
    for case in cases(suite, "blocked_in_open"):
        os.mkfifo(case.folder / "fifo")
        result = case.run("fifo", options=["--rank-timeout", "0.5"])
        case.check("--rank-timeout ends it", result.code == 81 and "has not called MPI for" in result.err, result)
        for name in ("SIGINT", "SIGTERM"):
            interrupted(case, getattr(signal, name))


def interrupted(case, number):
    """Sends a signal to a run whose ranks wait in a system call."""
    mark = f"blocked-{case.mode}-{case.ranks}-{number}"
    command = [MPIRAGE, "run", "-q", "-n", case.ranks, "--ranks-as", case.mode, case.program, "fifo"]
    process = case.suite.start(command, mark, cwd=case.folder)
    time.sleep(1)
    process.send_signal(number)
    try:
        _, err = process.communicate(timeout=5)
    except Exception as error:  # it is ended by the harness then
        err = repr(error).encode()
        process.kill()
        process.communicate()
    shown = f"interrupted by signal {int(number)}".encode() in err
    case.check(f"{number.name} ends it", process.returncode == 128 + number and shown, (process.returncode, err))
    case.check(f"{number.name} leaves nothing behind", not marked(mark), marked(mark))


@part
def own_signal(suite):
    """What a rank raises kills the rank. A signal from outside stops the run; twice at the same moment (`timeout`) counts once, and what
    the parent ignores (`nohup`) stays ignored."""
    for case in cases(suite, "own_signal"):
        for name in ("SIGHUP", "SIGINT", "SIGTERM", "SIGVTALRM", "SIGKILL"):
            number = getattr(signal, name)
            result = case.run(int(number))
            named = name if name != "SIGVTALRM" else "signal 26"
            case.check(f"{name} kills the rank", result.code == 128 + number and f"rank 1 was killed by {named}" in result.err, result)
        result = case.run("wait", 200, options=["--rank-timeout", "0.1"])
        case.check("--rank-timeout still ends it", result.code == 81 and re.search(r"has not called MPI for 0\.[1-9] s", result.err), result)
        if case.ranks == 4:
            signalled(case)


def signalled(case):
    """Sends signals to a run that computes."""
    temporary = case.suite.temporary
    for name, ignored, steps, options in [("SIGTERM", False, 100000, ()), ("SIGINT", False, 100000, ("--compute", "repeat:2")), ("SIGHUP", True, 50, ())]:
        if options and case.mode == "folded":
            continue
        number = getattr(signal, name)
        mark = f"signalled-{case.mode}-{name}"
        command = [MPIRAGE, "run", "-q", "-n", 4, "--ranks-as", case.mode, *options, case.program, "wait", steps]
        before = set(temporary.iterdir())
        process = case.suite.start((["nohup"] if ignored else []) + command, mark, cwd=case.folder)
        started = b"" if options else process.stderr.readline()
        time.sleep(2 if options else 0)
        process.send_signal(number)
        process.send_signal(number)
        try:
            out, err = process.communicate(timeout=20)
        except Exception as error:  # it is ended by the harness then
            out, err = b"", repr(error).encode()
            process.kill()
            process.communicate()
        if ignored:
            case.check(f"nohup: {name} is ignored", process.returncode == 0 and out == b"waited 1\n", (process.returncode, started, out, err))
        else:
            shown = f"interrupted by signal {int(number)}".encode() in err
            case.check(f"{name} twice at once ends it in order", process.returncode == 128 + number and shown, (process.returncode, err))
        case.check(f"{name} leaves nothing behind", not marked(mark) and set(temporary.iterdir()) == before, (marked(mark), before))


@part
def work_in_thread(suite):
    program = suite.compile(SOURCES / "work_in_thread.c", flags=["-pthread"])
    for ranks in RANKS:
        refused = suite.simulate("-n", ranks, "--ranks-as", "folded", program)
        shown = "starts a thread" in refused.err and "--ranks-as processes" in refused.err
        suite.check(f"work_in_thread, folded, {ranks} ranks: refused with the reason", refused.code == 84 and shown, refused)
    for mode in ("processes", "auto"):
        for ranks in (1, 4):
            times = {}
            for arguments in ([], ["thread"]):
                result = suite.simulate("-q", "-n", ranks, "--ranks-as", mode, program, *arguments, timeout=120)
                seconds = [float(line.split()[-2]) for line in result.out.splitlines()]
                suite.check(f"work_in_thread, {mode}, {ranks} ranks: ends well", result.code == 0 and len(seconds) == ranks, result)
                times[len(arguments)] = min(seconds, default=0)
            # The machine changes its speed between runs, but a thread's work was free.
            near = 0.4 * times[0] < times[1] < 2.5 * times[0]
            suite.check(f"work_in_thread, {mode}, {ranks} ranks: a thread's work counts", near, times)


@part
def openmp(suite):
    """Work of threads is recorded once; then what it takes is a matter of the simulated cores alone."""
    program = suite.compile(SOURCES / "openmp.c", flags=["-fopenmp"])
    costs, seconds = suite.folder / "openmp.costs", {}
    for cores, ranks in ((4, 1), (1, 1), (2, 1), (64, 1)):
        seconds[cores] = run_openmp(suite, program, cores, ranks, ["--compute", f"recorded:{costs}"])
    threads = {cores: figures["threads"] for cores, figures in seconds.items()}
    suite.check("one core takes as long as the work of all threads", 3 < threads[1] / threads[64] <= 4.01, threads)
    suite.check("two cores take half of that", abs(threads[1] / threads[2] - 2) < 0.01, threads)
    suite.check("four cores take a quarter, or as long as the longest thread", threads[4] <= 1.34 * threads[1] / 4, threads)
    suite.check("more cores than threads gain nothing", threads[64] <= threads[4], threads)
    children = {figures["child"] for figures in seconds.values()}
    suite.check("a child process counts, on any number of cores", len(children) == 1 and min(children) > 0.01, seconds)
    # Two ranks on one host share its cores: each has half of what it would have alone.
    costs = suite.folder / "openmp2.costs"
    shared = run_openmp(suite, program, 4, 2, ["--compute", f"recorded:{costs}", "--ppn", "2"])
    apart = run_openmp(suite, program, 4, 2, ["--compute", f"recorded:{costs}", "--ppn", "1"])
    ratio = shared["threads"] / apart["threads"]
    suite.check("two ranks with four threads each on four cores take twice as long", 1.6 < ratio < 2.1, (shared, apart))
    trace = suite.folder / "openmp.mpirage"
    traced = run_openmp(suite, program, 2, 1, ["--compute", f"recorded:{suite.folder / 'openmp.costs'}", "--trace", trace, "--json"])
    replayed = suite.run([MPIRAGE, "replay", trace, "-p", cluster(suite, 2), "--json"])
    ok = replayed.code == 0 and json.loads(replayed.out)["simulated_seconds"] == traced["json"]["simulated_seconds"]
    suite.check("a trace keeps the threads", ok, (traced, replayed))


@part
def bursts(suite):
    """Bursts that are far longer than usual give a warning; medians of several runs ignore single disturbances."""
    program = suite.compile(SOURCES / "bursts.c")
    usual = "times as long as usual before the same call"
    for mode in ("processes", "folded"):
        run = ["-q", "--json", "-n", 4, "--ranks-as", mode]
        result = suite.simulate(*run, program, "disturbed")
        warnings = json.loads(result.out)["warnings"]
        suite.check(f"{mode}: a long burst gives a warning", any(usual in text for text in warnings) and usual in result.err, result)
        none = suite.simulate(*run, "--compute", "none", program, "disturbed")
        suite.check(f"{mode}: without computation there is none", usual not in none.err, none)
        marker = suite.folder / f"marker-{mode}"
        repeated = suite.simulate(*run, "--compute", "repeat:3", program, "once", marker, timeout=60)
        figures = json.loads(repeated.out)
        slow = json.loads(suite.simulate(*run, program, "disturbed").out)["simulated_seconds"]
        # 141 bursts of rank 0 instead of 41: medians are far below that on any machine.
        suite.check(f"{mode}: medians leave out what happened once", figures["simulated_seconds"] < 0.7 * slow, (figures, slow))
        shown = figures["compute"].startswith("medians of 3 runs") and "between the 3 runs" in repeated.err
        suite.check(f"{mode}: the summary shows the spread between runs", shown, repeated)
    for wrong in ("repeat:0", "repeat:", "repeat:x", "repeat"):
        refused = suite.simulate("-n", 1, "--compute", wrong, program)
        suite.check(f"--compute {wrong} is refused", refused.code == 84 and "repeat:N" in refused.err, refused)
    uneven = suite.compile(UNEVEN, "uneven")
    refused = suite.run([MPIRAGE, "run", "-q", "-n", 1, "--compute", "repeat:2", uneven], cwd=suite.folder)
    suite.check("runs with other calls are refused", refused.code == 84 and "makes the same calls in every run" in refused.err, refused)
    failing = suite.compile("#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Abort(MPI_COMM_WORLD, 7); }\n", "failing")
    result = suite.simulate("-q", "-n", 2, "--compute", "repeat:2", failing)
    suite.check("a measuring run that fails ends all", result.code == 7 and "run 1 of 2" in result.err, result)


# A program that makes one call more in each run: it appends to a file and counts what is in it.
UNEVEN = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *file = fopen("runs", "a");
    fputc('x', file);
    long runs = ftell(file);
    fclose(file);
    MPI_Init(&argc, &argv);
    for (long i = 0; i < runs; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""


def cluster(suite, cores):
    path = suite.folder / f"cores-{cores}.toml"
    path.write_text(f'[cluster]\nhosts = 4\ncores = {cores}\nspeed = "1Gf"\nbandwidth = "125MBps"\nlatency = "50us"\n')
    return path


def run_openmp(suite, program, cores, ranks, options):
    command = ["-q", "-n", ranks, "-p", cluster(suite, cores), "--host-speed", "1Gf", *options, program]
    result = suite.simulate(*command, timeout=120)
    suite.check(f"openmp on {cores} cores ends well", result.code == 0, result)
    figures = collections.defaultdict(float)
    for line in result.out.splitlines():
        if line.startswith("{"):
            figures["json"] = json.loads(line)
        else:
            name, value = line.split()
            figures[name] = max(figures[name], float(value))
    return figures


def main(names):
    suite = Suite("findings")
    for name, function in PARTS.items():
        if not names or name in names:
            function(suite)
    suite.end()


if __name__ == "__main__":
    main(sys.argv[1:])
