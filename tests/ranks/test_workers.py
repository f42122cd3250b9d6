"""Folded ranks in several worker processes against one: the same program must print the same, take the same simulated time, and fail with the same
words and the same exit code."""

import json
import os
import signal
import subprocess
import time

import pytest
import same_as_mpich

from harness import MEASURED, MPIRAGE, TESTS

FOLDED = TESTS / "ranks" / "folded"
# What says how many workers there were, and what depends on that.
DIFFERENT = (*MEASURED, "workers", "one_worker_because")
# Programs of which ranks can be folded, and that several workers do not refuse.
PROGRAMS = [program for program in same_as_mpich.load_programs() if not program.missing and max(program.ranks) > 1]
SEEDS = range(6)
RANKS = (1, 2, 5, 17, 40)
# Ways in which a run ends (folded/ends.c), and its exit code.
ENDS = {"": 0, "crash": 139, "abort": 134, "deep": 139, "exit": 7, "mpi-abort": 9, "deadlock": 80, "bad-buffer": 81, "bad-target": 81, "operator": 0, "work": 0,
        "clock": 0, "code": 5}


def run(suite, workers, program, *arguments, ranks, options=()):
    """All of a run that must not depend on the number of workers; and how many there were."""
    result = suite.simulate("-q", "--json", "--compute", "none", "--ranks-as", "folded", "--workers", workers, *options, "-n", ranks, "-p", f"cluster:{ranks}",
                            program, *arguments, timeout=120)
    out, object, figures = result.out.rpartition('{"outcome"')
    figures = json.loads(object + figures) if object else {}
    same = {name: value for name, value in figures.items() if name not in DIFFERENT}
    return (result.code, same, out, result.err), figures.get("workers")


def compare(suite, what, program, *arguments, ranks, workers, code=0, options=(), dated=True):
    (one, count), (several, more) = (run(suite, number, program, *arguments, ranks=ranks, options=options) for number in (1, workers))
    if not dated:
        one, several = ((result[0], *result[2:]) for result in (one, several))
    suite.check(f"{what}: the same on {ranks} ranks with {workers} workers", one == several and one[0] == code, (one, several))
    suite.check(f"{what}: there were as many workers as ranks allow", (count, more) == (1, min(workers, ranks)), (count, more))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("what, steps", [("traffic", 40), ("polls", 6)])
def test_random(suite, what, steps, seed):
    program = suite.compile(FOLDED / f"random_{what}.c")
    ranks = RANKS[seed % len(RANKS)]
    for workers in (2, 3):
        compare(suite, f"random {what} {seed}", program, seed, steps, ranks=ranks, workers=workers)


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_program(suite, program):
    """The programs of the list: all functions of MPI."""
    binary, ranks = same_as_mpich.Mpirage(str(MPIRAGE), []).compile(program, suite.folder), max(program.ranks)
    one, several = (run(suite, workers, binary, *program.args, ranks=ranks) for workers in (1, 2))
    if one[0][0] == 84 or several[0][0] == 84:
        reason = one[0][3] + several[0][3]
        suite.check(f"{program.name}: a refusal has a reason", any(word in reason for word in ("cannot fold", "--workers 2", "--ranks-as processes")), reason)
    else:
        suite.check(f"{program.name}: the same on {ranks} ranks with 2 workers", one[0] == several[0] and several[1] == 2, (one, several))


@pytest.mark.parametrize("how", ENDS)
def test_ends(suite, how):
    """Crashes end a rank, whichever worker holds it; diagnoses, output and exit codes do not tell workers apart."""
    program = suite.compile(FOLDED / "ends.c", flags=["-g", "-O0"])
    # Workers get bytes as soon as it is certain that they travel, so a wrong address is noticed before its simulated time.
    dated = not how.startswith("bad-")
    for workers in (2, 3):
        compare(suite, f"end {how}", program, how, ranks=20, workers=workers, code=ENDS[how], dated=dated)


def test_time_limit(suite):
    """A rank that never calls MPI is interrupted in its worker."""
    program = suite.compile(FOLDED / "ends.c", flags=["-g", "-O0"])
    for workers in (1, 2):
        code, figures, out, err = run(suite, workers, program, "loop", ranks=20, options=("--rank-timeout", 1))[0]
        suite.check(f"--rank-timeout with {workers} workers", (code, figures["outcome"]) == (81, "rank-hangs") and "rank 18 has not called MPI for 1 s" in err, err)


def start(suite, workers):
    """A run whose last but one rank never ends, and its worker processes."""
    program = suite.compile(FOLDED / "ends.c", flags=["-g", "-O0"])
    command = [MPIRAGE, "run", "-q", "--compute", "none", "--ranks-as", "folded", "--workers", str(workers), "-n", "20", program, "loop"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    children, end = [], time.time() + 30
    while len(children) < workers and time.time() < end:
        time.sleep(0.05)
        children = open(f"/proc/{child.pid}/task/{child.pid}/children").read().split()
    # The others reach the barrier meanwhile.
    time.sleep(1)
    return child, [int(number) for number in children]


def gone(processes):
    end = time.time() + 10
    while any(os.path.exists(f"/proc/{process}") for process in processes) and time.time() < end:
        time.sleep(0.05)
    return not any(os.path.exists(f"/proc/{process}") for process in processes)


@pytest.mark.parametrize("group", (False, True), ids=("simulator", "group"))
def test_interruption(suite, group):
    """^C reaches all processes; a signal to the simulator alone has the same effect. No worker is left."""
    child, workers = start(suite, 2)
    (os.killpg if group else os.kill)(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=30)
    said = "interrupted by signal 2" in err and "rank 18 begins" in out
    suite.check("an interrupted run says where it was, and shows what ranks wrote", child.returncode == 130 and said, (child.returncode, out, err))
    suite.check("its workers have ended", len(workers) == 2 and gone(workers), workers)


def test_cores(suite):
    """Workers may use all cores that the simulator may use: folded ranks of one process stay on one."""
    child, workers = start(suite, 2)
    allowed = [os.sched_getaffinity(worker) for worker in workers]
    child.kill()
    child.communicate(timeout=30)
    suite.check("workers may use all cores", allowed == [os.sched_getaffinity(0)] * 2, allowed)


def test_lost_worker(suite):
    """A worker that dies as a whole is named with its ranks; if the simulator dies, its workers do."""
    child, workers = start(suite, 2)
    # Of two workers one runs the rank that never ends: it is the one with the more processor time.
    ticks = lambda process: int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[11])
    busy = max(workers, key=ticks)
    os.kill(busy, signal.SIGKILL)
    out, err = child.communicate(timeout=30)
    said = "which held ranks" in err and "was killed by SIGKILL" in err and "while rank 18 ran" in err
    suite.check("a lost worker is reported with its ranks", child.returncode == 137 and said, (child.returncode, err))
    suite.check("the other worker has ended", gone(workers), workers)
    child, workers = start(suite, 2)
    child.kill()
    child.communicate(timeout=30)
    suite.check("workers end with the simulator", len(workers) == 2 and gone(workers), workers)


SHARES = """#include <mpi.h>
int main(int argc, char **argv) {
    void *base; MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
}"""


def test_refusals(suite):
    """What workers cannot do is refused; `auto` stays with one process then, and says why."""
    program, shares = suite.compile(FOLDED / "ends.c", flags=["-g", "-O0"]), suite.compile(SHARES, "shares")
    for command, options, file, word in (
        ("run", ("--workers", 0, "--ranks-as", "folded"), program, "expected auto, or a number"),
        ("run", ("--workers", 2, "--ranks-as", "processes"), program, "workers hold folded ranks"),
        ("run", ("--workers", 2), program, "few ranks"),
        ("run", ("--workers", 2, "--ranks-as", "folded", "--share-malloc", "1MiB"), program, "--share-malloc"),
        ("run", ("--workers", 2, "--ranks-as", "folded", "--balancer", "greedy"), program, "--balancer"),
        ("run", ("--workers", 2, "--ranks-as", "folded"), shares, "MPI_Win_allocate_shared"),
        ("check", ("--workers", 2), program, "checks run folded ranks in one process"),
        ("emulate", ("--workers", 2), program, "ranks of an emulation are processes"),
    ):
        result = suite.run([MPIRAGE, command, "-n", 4, *options, file], timeout=60)
        suite.check(f"{command} {options} is refused", result.code == 84 and "--workers" in result.err and word in result.err, result)
    result = suite.simulate("-n", 4, "--compute", "none", "--ranks-as", "folded", "--workers", "auto", shares)
    suite.check("auto stays with one process", "in one process" in result.err and "uses MPI_Win_allocate_shared" in result.err, result)


# Computes for so many microseconds of processor time before each of so many barriers.
BURSTS = """#include <mpi.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int round = 0; round < atoi(argv[2]); round++) {
        for (clock_t start = clock(); clock() - start < atof(argv[1]);) {}
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}"""


def test_choice(suite):
    """`auto` starts workers if bursts are long, and there are cores."""
    program = suite.compile(BURSTS, "bursts")
    for micros, rounds, cores, wanted in ((3000, 6, 2, 2), (5, 200, 2, 1), (3000, 6, 1, 1)):
        result = suite.simulate("-q", "--json", "--clock", "real", "--compute", "none", "--ranks-as", "folded", "--workers", "auto", "--cores", cores, "-n", 24, program,
                                micros, rounds, timeout=120)
        figures = json.loads(result.out.splitlines()[-1]) if result.code == 0 else {}
        suite.check(f"auto with bursts of {micros} µs on {cores} cores", figures.get("workers") == wanted, result)
        suite.check("one worker has a reason", (wanted == 1) == ("one_worker_because" in figures), figures)
