"""`mpirage emulate`: programs in real time on a simulated network.

Real time is not exact. Bounds are wide against delays of this machine (tens of milliseconds), and run times have a strict lower
bound: nothing is ever faster than in simulated time."""

import json

import pytest
from harness import MPIRAGE, TESTS

pytestmark = pytest.mark.alone
PROGRAMS = TESTS / "ranks" / "emulation"
# One switch with so much from host to host.
NETWORK = """name = "switch"
[cluster]
hosts = 4
speed = "1Gf"
cores = 1
bandwidth = "1Gbps"
latency = "{half}ms"
[model]
segments = [{{ above = 0, latency = 1.0, bandwidth = 1.0 }}]
"""


def network(suite, milliseconds):
    file = suite.folder / f"{milliseconds}ms.toml"
    file.write_text(NETWORK.format(half=milliseconds / 2))
    return file


def emulate(suite, *words, timeout=120):
    return suite.run([MPIRAGE, "emulate", *words], timeout=timeout)


def figures(suite, *words, code=0, timeout=120):
    """The JSON object of an emulation, and the result."""
    file = suite.folder / "figures.json"
    file.unlink(missing_ok=True)
    result = emulate(suite, f"--json={file}", *words, timeout=timeout)
    named = " ".join(map(str, words))
    suite.check(f"{named} ends with {code} and leaves nothing", (result.code, result.left) == (code, []), result)
    return (json.loads(file.read_text()) if file.exists() else None), result


def test_everything(suite):
    """What ranks can do while the simulator works."""
    program = suite.compile(PROGRAMS / "everything.c", flags=["-pthread"])
    for factor in (1, 3.5, 20, "dynamic"):
        for ranks in (2, 3):
            found, result = figures(suite, "-n", ranks, "--time-factor", factor, program)
            right = sorted(result.out.splitlines()) == [f"rank {rank}: all right" for rank in range(ranks)]
            suite.check(f"factor {factor}, {ranks} ranks: all right", right and found, result)
    found, result = figures(suite, "-n", 2, "--time-factor", 2, "--data-plane", "mailbox", program)
    suite.check("bytes through mailboxes: all right", result.out.count("all right") == 2, result)


def test_run_time(suite):
    """The run time converges to computation and communication of the simulated machine, from above."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    rounds, milliseconds, latency = 6, 10, 4
    machine = ["-n", 2, "-p", network(suite, latency)]
    free = suite.simulate("-q", "--json", "--compute", "none", *machine, program, rounds, 32, 0)
    communication = json.loads(free.out.splitlines()[-1])["simulated_seconds"]
    ideal = communication + 2 * rounds * milliseconds * 1e-3
    for factor, most in ((1, None), (20, 1.1)):
        found, result = figures(suite, *machine, "--time-factor", factor, program, rounds, 32, 1000 * milliseconds)
        if not found:
            continue
        seconds, pace = found["simulated_seconds"], found["emulation"]
        suite.check(f"factor {factor}: no faster than the machine", seconds >= 0.999 * ideal, (seconds, ideal))
        suite.check(f"factor {factor}: close to the machine", not most or seconds <= most * ideal, (seconds, ideal))
        shown = float(result.out.split()[3])
        suite.check(f"factor {factor}: MPI_Wtime shows it", 0.9 * seconds <= shown <= seconds, (shown, seconds))
        paced = pace["real_seconds"] / factor
        suite.check(f"factor {factor}: real time is factor times as long", 0.98 <= paced / seconds <= 1.2, pace)
        suite.check(f"factor {factor}: the factor is constant", pace["factor_over_time"] == [[0.0, factor]], pace)
        suite.check(f"factor {factor}: maxBehind is known", 0 < pace["max_behind_seconds"] < seconds, pace)


def test_matching(suite):
    """The network's latency decides whether all messages are expected, or all unexpected."""
    program, count = suite.compile(PROGRAMS / "nonblocking.c"), 6
    for latency, milliseconds, unexpected in ((0.1, 20, 2 * count), (40, 10, 0)):
        for factor in (8, 16):
            machine = ["-n", 2, "-p", network(suite, latency), "--time-factor", factor]
            found, result = figures(suite, *machine, program, count, 64, 1000 * milliseconds, 70000)
            numbers = found and (found["messages"], found["expected_messages"], found["unexpected_messages"])
            wanted = (2 * count, 2 * count - unexpected, unexpected)
            suite.check(f"{latency} ms of latency, factor {factor}: expected and unexpected", numbers == wanted, numbers)
            suite.check(f"{latency} ms of latency, factor {factor}: right", result.out.count("are right") == 2, result)
    run = suite.simulate("-q", "--json", "-n", 2, "--host-speed", "1Gf", "-p", network(suite, 40), program, count, 64, 10000, 70000)
    counted = json.loads(run.out.splitlines()[-1])
    suite.check("`run` counts them too", (counted["expected_messages"], counted["unexpected_messages"]) == (2 * count, 0), run)


def test_auto(suite):
    """The factor is found by repeated runs, each with twice the factor of the one before."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    machine = ["-n", 2, "-p", network(suite, 20), "--max-behind", "20ms"]
    found, result = figures(suite, *machine, "--time-factor", "auto", program, 4, 32, 10000, timeout=300)
    if not found:
        return
    tries = found["emulation"]["tries"]
    factors = [one["time_factor"] for one in tries]
    suite.check("the factors double", factors == [2.0**k for k in range(len(tries))] and len(tries) >= 2, factors)
    suite.check("the last but one is enough", found["emulation"]["time_factor"] == factors[-2], found)
    last, other = (one["run_seconds"] for one in tries[-2:])
    # As mpirage takes it: by 5 %, or by what a run may be behind.
    suite.check("the last two runs agree", abs(last - other) <= max(0.05 * max(last, other), 0.02), tries)
    rows = [line for line in result.err.splitlines() if line.strip().endswith(" s") and " of 8 " in line]
    suite.check("the table has a row for each", len(rows) == len(tries), result.err)
    suite.check("the program prints once", result.out.count("rounds in") == 1, result.out)
    failing = suite.compile("int main(void) { return 7; }", "seven")
    result = emulate(suite, "-n", 2, failing)
    suite.check("a run that fails ends the search", result.code == 7 and "time factor 1 failed" in result.err, result)


def test_search_ends_behind(suite):
    """A search that finds nothing, and one whose final run is behind, do not end with 0."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    result = emulate(suite, "-n", 2, "--max-behind", "1ns", program, 2, 32, 0, timeout=300)
    suite.check("no factor is enough", result.code == 89 and "still change at a time factor of 256" in result.err, result)
    stops = suite.compile(PROGRAMS / "stops.c")
    found, result = figures(suite, "-n", 2, "--max-behind", "40ms", stops, code=89, timeout=300)
    suite.check("the warning says so", "was not in the final run" in result.err and "more than --max-behind 40" in result.err, result)
    behind = found["emulation"]["max_behind_seconds"]
    suite.check("it was behind as long as it was stopped", behind * found["emulation"]["time_factor"] > 0.4, found["emulation"])
    _, result = figures(suite, "-n", 2, "--max-behind", "40ms", "--time-factor", 1, stops)
    suite.check("a factor that was chosen is a matter of the user", "use a larger time factor" in result.err, result)


def test_dynamic(suite):
    """The factor rises when the simulator falls behind, and not without need."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    run = ["-n", 2, "--time-factor", "dynamic"]
    found, _ = figures(suite, *run, "--max-behind", "10s", program, 20, 32, 500)
    suite.check("a lag that is allowed changes nothing", found["emulation"]["factor_over_time"] == [[0.0, 1.0]], found)
    found, result = figures(suite, *run, "--max-behind", "10us", program, 100, 32, 0)
    changes = found["emulation"]["factor_over_time"]
    suite.check("a lag that is not allowed raises it", max(factor for _, factor in changes) >= 2, changes)
    suite.check("dates of changes ascend", changes == sorted(changes, key=lambda change: change[0]), changes)
    suite.check("the summary shows the range", "time factor from 1 to" in result.err, result.err)


def test_refused(suite):
    """Values and options that make no sense."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    cases = [
        (["--time-factor", "0.5"], "cannot run faster than in real time"),
        (["--time-factor", "-2"], "cannot run faster than in real time"),
        (["--time-factor", "NaN"], "expected a number from 1 on, auto or dynamic"),
        (["--time-factor", "inf"], "expected a number from 1 on, auto or dynamic"),
        (["--time-factor", "fast"], "expected a number from 1 on, auto or dynamic"),
        (["--time-factor", "20000"], "10000 at most"),
        (["--max-behind", "0"], "always a little behind"),
        (["--max-behind", "-1us"], "--max-behind"),
        (["--max-behind", "3 parsecs"], "--max-behind"),
        (["--ranks-as", "folded"], "run at the same time"),
        (["--compute", "none"], "takes the time that it takes"),
        (["--compute", "recorded:costs"], "takes the time that it takes"),
        (["--compute", "repeat:3"], "takes the time that it takes"),
        (["--clock", "real"], "all clocks show scaled real time"),
        (["--time-facto", "2"], "did you mean --time-factor?"),
        (["-p", "no-such-machine"], "no-such-machine"),
    ]
    for words, part in cases:
        result = emulate(suite, "-n", 2, *words, program)
        code = 82 if words[0] == "-p" else 84
        suite.check(f"{' '.join(words)} is refused", result.code == code and part in result.err, result)
    result = suite.simulate("-n", 2, "--time-factor", 2, program)
    suite.check("run has no time factor", result.code == 84 and "--time-factor" in result.err, result)


def test_endings(suite):
    """Runs that do not finish."""
    head = "#include <mpi.h>\n#include <stdlib.h>\nint main(int n, char **v) { int r; MPI_Init(&n, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
    cases = {
        "deadlock": ("int x; MPI_Recv(&x, 1, MPI_INT, 1 - r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", 80, "waits"),
        "abort": ("if (r) MPI_Abort(MPI_COMM_WORLD, 9); MPI_Barrier(MPI_COMM_WORLD);", 9, "MPI_Abort"),
        "leaves": ("if (r) exit(5); MPI_Barrier(MPI_COMM_WORLD);", 5, "MPI_Finalize"),
        "crash": ("if (r) abort(); MPI_Barrier(MPI_COMM_WORLD);", 134, "SIGABRT"),
        "hangs": ("if (r) for (;;) ; MPI_Barrier(MPI_COMM_WORLD);", 81, "rank 1"),
        "misuse": ("int x = 0; MPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);", 81, "rank"),
    }
    for name, (body, code, part) in cases.items():
        program = suite.compile(f"{head} {body} MPI_Finalize(); return 0; }}", name)
        found, result = figures(suite, "-n", 2, "--time-factor", 2, "--rank-timeout", 2, program, code=code)
        suite.check(f"{name}: named", part in result.err, result)


def test_too_small(suite):
    """More ranks than cores."""
    program = suite.compile(PROGRAMS / "nonblocking.c")
    found, result = figures(suite, "-n", 2, "--cores", 1, "--time-factor", 1, program, 3, 8, 5000)
    suite.check("a machine that is too small is named", "too small: 2 ranks share 1 core" in result.err, result.err)
    found, result = figures(suite, "-n", 2, "--cores", 1, "--time-factor", 4, program, 3, 8, 5000)
    suite.check("a factor makes up for it", "too small" not in result.err and "share 1 core" in result.err, result.err)


def test_outputs(suite):
    """Traces and reports of an emulation."""
    program = suite.compile(PROGRAMS / "pingpong.c")
    trace, page = suite.folder / "run.mpirage", suite.folder / "run.html"
    found, _ = figures(suite, "-n", 2, "--time-factor", 2, "--trace", trace, "--report", page, program, 5, 32, 2000)
    suite.check("the report exists", page.exists() and page.stat().st_size > 10000)
    replayed = suite.run([MPIRAGE, "replay", trace, "-q", "--json"])
    seconds = json.loads(replayed.out)["simulated_seconds"] if replayed.code == 0 else 0
    # The trace has the processor time of the bursts, but not what the simulator was behind.
    suite.check("the trace can be replayed", 0.02 <= seconds <= found["simulated_seconds"], (seconds, replayed))
