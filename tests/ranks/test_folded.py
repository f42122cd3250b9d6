"""Folded ranks against processes: the same program must print the same and take the same simulated time, to the last bit.

The program is random (tests/ranks/folded/random_traffic.c): point to point, collectives, communicators, and state of its own that
folded ranks must not share."""

import json
import os

import pytest

from harness import MEASURED, MPIRAGE, TESTS

SEEDS = range(4)
RANKS = (1, 2, 3, 5, 8, 16)
STEPS = 40
PROGRAM = TESTS / "ranks" / "folded" / "random_traffic.c"
# How ranks live may differ, and what depends on that; the rest may not.
DIFFERENT = (*MEASURED, "ranks_as", "ranks_as_because", "workers")


def figures(text):
    """The program's output and what --json says, without what is measured."""
    *lines, last = text.splitlines()
    values = json.loads(last)
    return lines, {key: value for key, value in values.items() if key not in DIFFERENT}


def test_debugger(suite):
    """A breakpoint stops in every rank, and the debugger knows in which."""
    program = suite.compile(PROGRAM)
    if not suite.has("gdb", "mpirage gdb"):
        return
    line = next(number for number, text in enumerate(PROGRAM.read_text().splitlines(), 1) if "MPI_Init" in text)
    commands = f"break random_traffic.c:{line}\nrun\nmpirage-rank\ncontinue\nmpirage-rank\nkill\nquit\n"
    result = suite.run([MPIRAGE, "gdb", "-q", "-n", 3, program, 1, 1], input=commands.encode(), timeout=60)
    suite.check("gdb stops in rank 0, then in rank 1", "rank 0" in result.out and "rank 1" in result.out, result.out + result.err)


# Computes for so many seconds between two calls of the clock of the processor.
COMPUTES = """#include <mpi.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (clock_t start = clock(); clock() - start < atof(argv[1]) * CLOCKS_PER_SEC;) {}
    MPI_Finalize();
}"""


def test_hint(suite):
    """Folded ranks that compute for long are told to use all cores, if there are several; others are not."""
    program = suite.compile(COMPUTES, "computes")
    for mode, seconds, hinted in (("folded", 1.2, os.cpu_count() > 1), ("folded", 0.1, False), ("processes", 1.2, False)):
        result = suite.simulate("-n", 2, "--ranks-as", mode, program, seconds)
        suite.check(f"{mode} ranks that compute for {seconds} s", result.code == 0 and ("  hint  " in result.err) == hinted, result.err)


# Opens so many files, and counts those that it got. `w` takes streams.
OPENS = """#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, wanted = atoi(argv[1]), got = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < wanted; i++) got += argc > 2 ? fopen("/dev/null", "r") != NULL : open("/dev/null", O_RDONLY) >= 0;
    MPI_Reduce(&got, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s\\n", all == 8 * wanted ? "all" : "some");
    MPI_Finalize();
}"""


def test_file_limit(suite):
    """Folded ranks have the hard limit of open files together; a rank that meets it is named."""
    program = suite.compile(OPENS, "opens")
    for how in ([], ["stream"]):
        for mode, limit, said in (("folded", "-Sn 64", "all"), ("folded", "-n 256", "some"), ("processes", "-n 256", "all")):
            command = " ".join(map(str, (f"ulimit {limit};", MPIRAGE, "run -n 8 --ranks-as", mode, program, 60, *how)))
            result = suite.run(["sh", "-c", command])
            warned = "could not open a file (EMFILE)" in result.err and "of 256 open files" in result.err
            suite.check(f"{mode} {limit} {how}: files", (result.code, result.out) == (0, said + "\n") and warned == (said == "some"), result)


def test_refusals(suite):
    """What cannot be folded, or should not, is said."""
    fixed = suite.compile(TESTS / "command" / "command_line" / "hello.c", "fixed", flags=["-no-pie"])
    result = suite.simulate("-n", 2, "--ranks-as", "folded", fixed)
    suite.check("a program at a fixed address is refused", result.code == 84 and "--ranks-as processes" in result.err, result.err)
    result = suite.simulate("-n", 64, fixed)
    suite.check("and runs as processes", result.code == 0 and "processes: fixed: it" in result.err, result.err)
    plain = suite.compile(TESTS / "command" / "command_line" / "hello.c")
    result = suite.simulate("-n", 16, plain)
    suite.check("a few ranks are processes, which can use all cores", "processes: few ranks (16)" in result.err, result.err)
    result = suite.simulate("-n", 17, plain)
    suite.check("more are folded", "folded: the program is safe to fold" in result.err, result.err)
    for name, text, folds in (
        ("wanders", '#include <mpi.h>\n#include <unistd.h>\nint main(int c, char **v) { MPI_Init(&c, &v); int r = chdir("/"); MPI_Finalize(); return r; }', False),
        ("threads", "#include <mpi.h>\n#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint main(int c, char **v) "
         "{ MPI_Init(&c, &v); pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); MPI_Finalize(); return 0; }", False),
        ("plain", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }", True),
    ):
        program = suite.compile(text, name)
        how = json.loads(suite.simulate("-q", "--json", "-n", 64, program).out.splitlines()[-1])
        suite.check(f"{name}: auto folds only what is safe", (how["ranks_as"] == "folded") == folds, how)
        result = suite.simulate("-n", 2, "--ranks-as", "folded", program)
        right = {"wanders": result.code == 0 and "warning: folded on request" in result.err, "threads": result.code == 84 and "pthread_create" in result.err,
                 "plain": result.code == 0 and "warning" not in result.err}[name]
        suite.check(f"{name}: what folding means is said", right, result.err)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_traffic(suite, seed, ranks):
    """Both ways print the same and take the same simulated time."""
    program = suite.compile(PROGRAM)
    platform = ("griffon", f"cluster:{ranks}", "fat-tree:4x4")[seed % 3]
    how = lambda kind: suite.simulate("-q", "--json", "--compute", "none", "--ranks-as", kind, "-p", platform, "-n", ranks, program, 7 * seed + ranks, STEPS)
    folded, processes = how("folded"), how("processes")
    name = f"seed {seed}, {ranks} ranks"
    if suite.check(f"{name}: both run", folded.code == processes.code == 0, folded.err + processes.err):
        mine, theirs = figures(folded.out), figures(processes.out)
        suite.check(f"{name}: the same output", mine[0] == theirs[0])
        suite.check(f"{name}: the same figures", mine[1] == theirs[1], f"{mine[1]}\n{theirs[1]}")
