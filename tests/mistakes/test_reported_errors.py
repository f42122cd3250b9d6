"""Errors found by users of the first version, as tests. Each runs as processes, folded and by default, on 4 and on 20
ranks. The first line of each program in reported_errors/ describes the correct behaviour."""

import collections
import json
import os
import re
import signal
import time

from harness import MPIRAGE, TESTS, marked

SOURCES = TESTS / "mistakes" / "reported_errors"
MODES = ["processes", "folded", "auto"]
RANKS = [4, 20]


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


def test_user_op_large(suite):
    for case in cases(suite, "user_op_large"):
        result = case.run()
        case.check("every sum is right", result.code == 0 and result.out == "", result)


def test_collective_sizes(suite):
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


def test_session_left(suite):
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


def test_polls_for_ever(suite):
    """Ranks that poll for a message that nobody sends are told so, not to look for wrong units; it is a deadlock."""
    program = suite.compile(POLLS, "polls", flags=("-g",))
    for mode in ("processes", "folded"):
        result = suite.simulate("-q", "-n", 3, "--ranks-as", mode, program, timeout=60)
        said = "ranks poll for what never happens" in result.err and "rank 1; its last MPI call was MPI_Test" in result.err and "unit" not in result.err
        suite.check(f"{mode}: the loop is named", result.code == 80 and said, result)


def test_repeated_polls(suite):
    """Ranks answer most polls themselves. A trace wants every poll, so that with one they ask each time: the same number of calls, the same dates.
    The network is slow: between two events of a fast one there is time for few."""
    for case in cases(suite, "repeated_polls"):
        figures, printed = {}, {}
        for how, options in {"alone": (), "traced": ("--trace", "polls.mpirage")}.items():
            result = case.run(options=("--json", "--compute", "none", "--model", "flow:factors", *options))
            printed[how], _, object = result.out.partition("\n")
            figures[how] = json.loads(object) if result.code == 0 else {}
        alone, traced = ({name: run.get(name) for name in ("simulated_seconds", "per_rank_seconds", "calls", "messages")} for run in figures.values())
        case.check("dates and calls are those of polls that ask", alone == traced and printed["alone"] == printed["traced"], (printed, alone, traced))
        polls, switches = (int(printed["alone"].split()[0]), figures["alone"]["switches"]) if figures["alone"] else (0, 0)
        case.check("few polls are a switch", polls > 1000 and switches < polls / 4, (polls, switches))
        case.check("a trace has every poll", figures["traced"].get("switches", 0) > polls, (polls, figures["traced"].get("switches")))


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


def test_two_programs(suite):
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


def test_window_range(suite):
    for case in cases(suite, "window_range"):
        result = case.run()
        case.check("errors return", result.code == 0 and result.out == 2 * ACCESSES + "9 calls of the handler\nfirst 1, last 1\n", result)
        fatal = case.run("fatal")
        named = f"rank 0 was stopped in MPI_Put at {SOURCES}/window_range.c:" in fatal.err and f"memory of rank {case.ranks - 1}" in fatal.err
        case.check("the default handler ends the run and names the call", fatal.code == 81 and named, fatal)


def test_fixed_addresses(suite):
    """Private memory that ranks map at the same fixed address is their own. Ranks that are folded by force end with a message."""
    for name in ("mmap_fixed", "mremap_fixed"):
        for case in cases(suite, name):
            for options in ([], ["--compute", "none"]):
                result = case.run(options=options)
                if case.mode == "folded":
                    said = "maps memory at the fixed address 0x" in result.err and "--ranks-as processes" in result.err
                    case.check(f"{options}: the second rank is refused", result.code == 134 and said, result)
                else:
                    wanted = sorted(f"{rank} {rank}" for rank in range(case.ranks))
                    case.check(f"{options}: memory is private", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


def test_asm_syscall(suite):
    """System calls in the program's own code act on a process, so ranks are processes by default."""
    for case in cases(suite, "asm_syscall"):
        if case.mode == "folded":
            continue  # asked for, and the ranks share what the kernel keeps; `mpirage run` warns
        result = case.run()
        wanted = sorted(f"{rank} {'77' if rank % 2 else '22'}" for rank in range(case.ranks))
        case.check("each rank has its own mask", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)
    program = suite.compile(SOURCES / "asm_syscall.c", flags=("-g",))
    result = suite.simulate("-n", 4, "--ranks-as", "folded", program)
    suite.check("folded by force: a warning says why", "makes system calls of its own (at 0x" in result.err, result)


def test_window_spin(suite):
    """Ranks that poll memory of a shared window, in a loop with or without MPI calls, see what another rank writes."""
    host = ["-p", "cluster:1,cores=20"]
    for name in ("window_spin", "window_sync_polls"):
        times = {}
        for case in cases(suite, name):
            for compute in ("measured", "none"):
                result = case.run(options=[*host, "--compute", compute, "--json"])
                lines = result.out.splitlines()
                wanted = sorted(f"{rank} 5" for rank in range(case.ranks))
                case.check(f"{compute}: all ranks end", result.code == 0 and sorted(lines[:-1]) == wanted, result)
                if compute == "none":
                    times.setdefault(case.ranks, set()).add(json.loads(lines[-1])["simulated_seconds"])
        suite.check(f"{name}: without computation the time is the same in all modes", all(len(same) == 1 for same in times.values()), times)


def test_thread_spin(suite):
    """A thread spins until another thread of its rank has received a message."""
    program = suite.compile(SOURCES / "thread_spin.c", flags=("-g", "-pthread"))
    for compute in ("measured", "none"):
        for arguments in ([], ["yield"]):
            result = suite.simulate("-q", "-n", 2, "--compute", compute, program, *arguments, timeout=60)
            suite.check(f"thread_spin, {compute} {arguments}: ends", (result.code, result.out) == (0, "fine\n"), result)


SPINS = """#include <mpi.h>
static volatile int done;
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        while (!done)
            ;
    MPI_Finalize();
}
"""


def test_spins_for_ever(suite):
    """A rank that runs for long without calling MPI is named with its line."""
    program = suite.compile(SPINS, "spins", flags=("-g",))
    for mode in ("processes", "folded"):
        mark = f"spins-{mode}"
        process = suite.start([MPIRAGE, "run", "-q", "-n", 3, "--ranks-as", mode, program], mark)
        said = process.stderr.readline().decode()
        process.terminate()
        process.communicate(timeout=20)
        named = "rank 1 has computed for" in said and f"{suite.folder}/spins.c:8 in main" in said
        suite.check(f"{mode}: the loop is named", named, said)


def test_close_all_fds(suite):
    for case in cases(suite, "close_all_fds"):
        result = case.run(options=["--trace", "trace.mpirage"])
        case.check("ends well", result.code == 0, result)
        wanted = {f"result.{rank}": "my data\n" for rank in range(case.ranks)}
        case.check("each rank has its own file", case.files("result") == wanted, case.files("result"))
        info = suite.run([MPIRAGE, "trace", "info", case.folder / "trace.mpirage"])
        case.check("the trace is whole", info.code == 0 and re.search(rf"ranks +{case.ranks}\b", info.out), info)


def test_close_stdout_reopen(suite):
    for case in cases(suite, "close_stdout_reopen"):
        result = case.run()
        hello = sorted(f"{rank} hello" for rank in range(case.ranks))
        case.check("the first line is printed", result.code == 0 and sorted(result.out.splitlines()) == hello, result)
        wanted = {f"out.{rank}": f"rank {rank} into file 1\n" for rank in range(case.ranks)}
        case.check("the second is in the rank's file", case.files("out") == wanted, case.files("out"))


def test_deadlock_stderr_closed(suite):
    for case in cases(suite, "deadlock_stderr_closed"):
        result = case.run()
        shown = f"deadlock: {case.ranks} ranks" in result.err and "rank 0 in MPI_Recv" in result.err
        case.check("the diagnosis is printed", result.code == 80 and shown, result)


def test_feof_stdin(suite):
    for case in cases(suite, "feof_stdin"):
        result = case.run(input=b"a\nb\n")
        case.check("rank 0 reads two lines", (result.code, result.out) == (0, "2 lines\n"), result)


def test_flock_sleep(suite):
    for case in cases(suite, "flock_sleep"):
        result = case.run()
        wanted = sorted(f"{rank} locked" for rank in range(case.ranks))
        case.check("all ranks get the lock", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


def test_record_locks(suite):
    for case in cases(suite, "record_locks"):
        result = case.run(options=["--compute", "none"])  # on a loaded machine a rank can compute for longer than it waits
        lines = [f"rank {rank}: busy, waited at least 1.5 ms" for rank in range(1, case.ranks)]
        wanted = sorted(lines + ["rank 0: free, waited at least 1.5 ms"])
        case.check("locks exclude other ranks", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


def test_alarm(suite):
    wanted = {"alarm(1) after 1.0 simulated s", "sleep(5) with alarm(1): 4 left, slept 1.0 s, handler 1"}
    for case in cases(suite, "alarm"):
        result = case.run()
        lines = collections.Counter(result.out.splitlines())
        case.check("alarms follow simulated time", result.code == 0 and lines == {line: case.ranks for line in wanted}, result)
        case.check("no real second passes", result.seconds < 1 + 0.1 * case.ranks, result.seconds)


def test_timers(suite):
    periodic = ["signal 1 at 0.3 s", "signal 2 at 0.4 s", "signal 3 at 0.5 s", "0.1 s left, every 0.1 s", "slept 0"]
    for case in cases(suite, "timers", flags=("-g", "-lrt")):
        # A folded rank that computes is not interrupted.
        computes = case.mode != "folded"
        result = case.run(*(["compute"] if computes else []))
        wanted = (["computed until the timer expired"] if computes else []) + periodic
        lines = collections.Counter(result.out.splitlines())
        case.check("timers expire when they should", result.code == 0 and lines == {line: case.ranks for line in wanted}, result)


def test_error_handler_throws(suite):
    for case in cases(suite, "error_handler_throws", language="cxx", suffix=".cpp"):
        result = case.run()
        wanted = sorted(f"{rank} caught mpi error" for rank in range(case.ranks))
        case.check("each rank catches the error", result.code == 0 and sorted(result.out.splitlines()) == wanted, result)


def test_unsynchronised_output(suite):
    for case in cases(suite, "unsynchronised_output", language="cxx", suffix=".cpp"):
        lines = [f"turn of {rank}" for rank in reversed(range(case.ranks))] + [f"end of {rank}" for rank in range(case.ranks)]
        for how in ((), ("flush",)):
            result = case.run(*how)
            case.check(f"the order of lines {how}", result.code == 0 and result.out.splitlines() == lines, result)


def test_eager_flood(suite):
    """Cost is linear in messages: `fair` counts its steps in a unit test, `make bench` measures; here a large flood ends."""
    program = suite.compile(SOURCES / "eager_flood.c")
    for mode in MODES:
        for compute in ("measured", "none"):
            result = Case(suite, program, mode, 2, compute).run(16000, 64, options=["--compute", compute], timeout=30)
            suite.check(f"eager_flood, {mode}, computation {compute}: a flood ends", result.code == 0, result)


def test_partitioned_quadratic(suite):
    """Cost is linear in partitioned requests: a hundred thousand of them took two minutes of processor time when it was quadratic."""
    program = suite.compile(SOURCES / "partitioned_quadratic.c")
    for mode in MODES:
        result = Case(suite, program, mode, 2).run(100000, options=["--compute", "none"], timeout=60)
        suite.check(f"partitioned_quadratic, {mode}: many requests end", result.code == 0, result)


def test_capacity(suite):
    """Messages of mixed sizes take as long as their link needs for the bytes. Flows with a profile may be 4 % too early: they are not
    solved anew for each short message, but make up for it later. Frames are never early."""
    program = suite.compile(SOURCES / "capacity.c")
    sizes = ([64, 4, 0, 4], [100, 4, 0, 3], [200, 64, 0, 6], [50, 4, 1, 5])
    for model, bound in (("flow", -4.0), ("packet", 0.0)):
        for profile in ("mpich-tcp", "openmpi-tcp"):
            for ranks in (3, 5, 9):
                platform = f"cluster:{ranks},bandwidth=10Mbps,latency=5us"
                options = ["-q", "-n", ranks, "-p", platform, "--model", model, "--mpi-profile", profile, "--compute", "none"]
                early = {}
                for arguments in sizes:
                    result = suite.simulate(*options, program, *arguments)
                    early[tuple(arguments)] = float(re.search(r"\(([-+][0-9.]+) %\)", result.out)[1])
                suite.check(f"capacity, {model}, {profile}, {ranks} ranks: not before the link", min(early.values()) >= bound, early)


def test_blocked_in_open(suite):
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


def test_own_signal(suite):
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


def test_work_in_thread(suite):
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


def test_openmp(suite):
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


def test_bursts(suite):
    """Bursts that are far longer than usual give a warning; medians of several runs ignore single disturbances."""
    program = suite.compile(SOURCES / "bursts.c")
    usual = "times as long as nearly all others before the same call"
    for mode in ("processes", "folded"):
        run = ["-q", "--json", "-n", 4, "--ranks-as", mode]
        result = suite.simulate(*run, program, "disturbed")
        warnings = json.loads(result.out)["warnings"]
        suite.check(f"{mode}: a long burst gives a warning", any(usual in text for text in warnings) and usual in result.err, result)
        loud = suite.simulate("-n", 4, "--ranks-as", mode, program, "disturbed")
        suite.check(f"{mode}: the summary begins with it", loud.err.startswith("mpirage: UNRELIABLE") and "  noise " in loud.err, loud)
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


def test_spaces(suite):
    """A program in a folder with spaces: places in diagnoses are there, as processes and folded."""
    folder = suite.folder / "my  work"
    folder.mkdir()
    (folder / "a deadlock.c").write_text("#include <mpi.h>\nint main(int c, char **v) {\n  MPI_Init(&c, &v);\n  MPI_Recv(&c, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  return MPI_Finalize();\n}\n")
    made = suite.run([MPIRAGE, "cc", "-g", folder / "a deadlock.c", "-o", folder / "a program"], timeout=60)
    suite.check("spaces: compiles", made.code == 0, made)
    for mode in MODES:
        result = suite.simulate("-q", "-n", 2, "--ranks-as", mode, folder / "a program")
        suite.check(f"spaces, {mode}: source lines", result.code == 80 and result.err.count(f"{folder}/a deadlock.c:4 in main") == 2, result)


CLUSTER = 'prefix="n" suffix="" speed="1Gf" bw="1GBps" lat="1us"'
LARGE = {
    "flat.xml": f'<cluster id="c" radical="1-99999999" {CLUSTER}/>',
    "backbone.xml": f'<cluster id="c" radical="1-99999999" {CLUSTER} bb_bw="1GBps" bb_lat="1us" loopback_bw="1GBps" limiter_link="1GBps"/>',
    "torus.xml": f'<cluster id="c" radical="0-99999999" {CLUSTER} topology="TORUS" topo_parameters="1000,1000,100"/>',
    "ring.xml": f'<cluster id="c" radical="0-999999" {CLUSTER} topology="TORUS" topo_parameters="1000000"/>',
    "fat-tree.xml": f'<cluster id="c" radical="0-99999999" {CLUSTER} topology="FAT_TREE" topo_parameters="2;10000,10000;1,10;1,1"/>',
    "dragonfly.xml": f'<cluster id="c" radical="0-99999999" {CLUSTER} topology="DRAGONFLY" topo_parameters="100,1;100,1;100,1;100"/>',
}


def test_large_platforms(suite):
    """Hosts and links that no rank uses cost no memory, however many a platform has: in SimGrid's files as in ours."""
    platforms = {"TOML": ["-p", "cluster:99999999"], "a network by name": ["-p", "cluster:99999999,net=hdr200"]}
    for name, cluster in LARGE.items():
        (suite.folder / name).write_text(f'<platform version="4.1">{cluster}</platform>\n')
        platforms[name] = ["-p", suite.folder / name]
        checked = suite.run([MPIRAGE, "platform", "check", suite.folder / name])
        suite.check(f"{name}: checked", checked.code == 0 and "OK" in checked.out, checked)
    for name, platform in platforms.items():
        # The peak of a process is at least that of the one that started it, so a shell starts it, which is smaller than pytest.
        result = suite.run(["sh", "-c", '"$@"; exit', "sh", MPIRAGE, "replay", "-q", "--json", *platform, "gen:ring,ranks=4"])
        peak = json.loads(result.out)["peak_rss_bytes"] if result.code == 0 else None
        suite.check(f"{name}: takes less than 64 MiB", peak and peak < 64 << 20, (peak, result))
    digits = LARGE["flat.xml"] + LARGE["flat.xml"].replace('"c"', '"d"').replace('"n"', '"n0"')
    (suite.folder / "digits.xml").write_text(f'<platform version="4.1"><zone id="z" routing="Full">{digits}</zone></platform>\n')
    refused = suite.run([MPIRAGE, "platform", "check", suite.folder / "digits.xml"])
    suite.check("names that differ in digits alone", refused.code == 82 and "too many to compare" in refused.err and "prefixes" in refused.err, refused)


def test_moved_trace(suite):
    """A time-independent trace is found after its folder was moved, from any working directory."""
    folder = suite.folder / "before"
    folder.mkdir()
    done = suite.run([MPIRAGE, "trace", "convert", "gen:ring,ranks=2", "before/x.ti"], cwd=suite.folder)
    folder.rename(suite.folder / "after")
    replayed = suite.run([MPIRAGE, "replay", "-q", suite.folder / "after" / "x.ti"], cwd="/")
    suite.check("a list of files that was moved", done.code == 0 and replayed.code == 0, (done, replayed))
    names = (suite.folder / "after" / "x.ti").read_text().split()
    suite.check("files as seen from the list", names == ["x.ti_files/ti_trace0.txt", "x.ti_files/ti_trace1.txt"], names)
