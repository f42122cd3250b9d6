"""Processes that meet or start during a run: ports, sockets, `MPI_Comm_spawn`. Debian's MPICH refuses ports and cannot start processes, so what is
expected stands here; of programs that start others it is what they print under Open MPI 4.1."""

import itertools
import json

import prepare
from harness import MPIRAGE, TESTS

SOURCES = TESTS / "library" / "dynamic_processes"
MODES = ("folded", "processes")
END = "mistakes: 0\n"


def test_ports(suite):
    program = suite.compile(SOURCES / "ports.c")
    for ranks in (1, 2, 3, 6):
        for mode in MODES:
            result = suite.simulate("-q", "-n", ranks, "--ranks-as", mode, program)
            suite.check(f"ports, {mode}, {ranks} ranks", result.code == 0 and result.out == meetings(ranks) + END, result)


def meetings(ranks):
    """What the program prints, rank by rank."""
    even, odd = sum(range(0, ranks, 2)), sum(range(1, ranks, 2))
    text = ""
    for rank in range(ranks):
        others = range(1, ranks) if rank == 0 else [0]
        for other in others:
            text += f"the other side has 1 ranks, its first says {10 * other if rank == 0 else 100}\n"
        if ranks > 1:
            text += f"sum of the other side {odd if rank % 2 == 0 else even}\nsum of all {even + odd}\n"
    return text


def test_mistakes(suite):
    text = """#include <mpi.h>
    int main(int argc, char **argv)
    {
        MPI_Comm other;
        MPI_Init(&argc, &argv);
        if (argc > 1)
            MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        char port[MPI_MAX_PORT_NAME];
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Finalize();
        return 0;
    }"""
    program = suite.compile(text, "wrong_ports", flags=["-g"])
    unknown = suite.simulate("-n", 1, program, "connect")
    suite.check("no such port", unknown.code == 81 and "`nowhere` is no port" in unknown.err, unknown)
    alone = suite.simulate("-n", 1, program)
    suite.check("a port to which no rank connects", alone.code == 80 and "MPI_Comm_accept" in alone.err, alone)


def test_sockets(suite):
    program = suite.compile(SOURCES / "join.c")
    for number, ranks in enumerate((2, 3)):
        result = suite.simulate("-q", "-n", ranks, program, suite.folder / f"socket{number}")
        suite.check(f"sockets, {ranks} ranks", result.code == 0 and result.out == "rank 0 got 11\nrank 1 got 10\n" + END, result)


def test_no_room(suite):
    program = suite.compile(SOURCES / "spawn.c")
    for mode in MODES:
        handled = suite.simulate("-q", "-n", 2, "--ranks-as", mode, program, "handle")
        suite.check(f"spawn, {mode}: an error to handle", handled.code == 0 and handled.out == 2 * "no room\n" + END, handled)
        fatal = suite.simulate("-n", 2, "--ranks-as", mode, program)
        named = "MPI_Comm_spawn" in fatal.err and "MPI_UNIVERSE_SIZE" in fatal.err
        suite.check(f"spawn, {mode}: or the end", fatal.code == 81 and named, fatal)


CHILDREN = ("""parent of 3, codes 0 0 0
child 2 of 3 (child, two words) has MPI_COMM_PARENT with 2, got 42
last of 5: sum 10
""")
SEVERAL = ("""gathered 2 13 13, codes 0 0 0
child 0 of 3: program 0, one, at the root
child 1 of 3: program 1, two, where the parent is
child 2 of 3: program 1, two, where the parent is
child: 4 from the other side
grandchild: 9 from the other side
""")


def test_spawn(suite):
    for name, room, expected in (("children", 5, CHILDREN), ("several", 7, SEVERAL)):
        program, seen = suite.compile(SOURCES / f"{name}.c"), set()
        for how in ("never", "always"):
            result = suite.simulate("-q", "--json", "-n", 2, "--compute", "none", "--universe-size", room, "--run-ahead", how, program)
            text, _, figures = result.out.rpartition('{"outcome"')
            seen.add(json.loads('{"outcome"' + figures)["simulated_seconds"] if figures else 0)
            # Output of different ranks at one simulated instant comes in any order.
            same = sorted(text.splitlines()) == sorted(expected.splitlines())
            suite.check(f"{name}, {how}: as under Open MPI", result.code == 0 and same and not result.left, result)
        suite.check(f"{name}: the same simulated time", len(seen) == 1, seen)
        small = suite.simulate("-n", 2, "--universe-size", room - 1, program)
        suite.check(f"{name}: room for one too few", small.code == 81 and "`mpirage run --universe-size N`" in small.err and not small.left, small)


FORTRAN = ("""children 3, codes 0 0 0
merged sum 34
child 0 of 3: <child> <two words>, 9 long, arguments 2
child 1 of 3: <child> <two words>, 9 long, arguments 2
child 2 of 3: <child> <two words>, 9 long, arguments 2
child 0 of 3: <one> <>, 0 long, arguments 1
child 1 of 3: <two> <of two>, 6 long, arguments 2
child 2 of 3: <two> <of two>, 6 long, arguments 2
several, codes 0 0 0
child 0 of 1: <> <>, 0 long, arguments 0
child 0 of 2: <> <>, 0 long, arguments 0
child 1 of 2: <> <>, 0 long, arguments 0
""")
FORTRAN_COMPILERS = {"the wrapper": [MPIRAGE, "fc"], "mpif90.mpich": ["mpif90.mpich"], "mpif90.openmpi": ["mpif90.openmpi"]}


def test_fortran(suite):
    """The three interfaces of Fortran, with the wrapper's modules, MPICH's, and Open MPI's."""
    prepare.debian({"gfortran": "gfortran", "mpif90.mpich": "libmpich-dev", "mpif90.openmpi": "libopenmpi-dev"})
    for (name, compiler), interface in itertools.product(FORTRAN_COMPILERS.items(), ("MPI", "F08", "MPIF")):
        program, what = suite.folder / "spawn", f"Fortran, {interface}, {name}"
        made = suite.run([*compiler, "-w", "-fallow-argument-mismatch", f"-D{interface}", SOURCES / "spawn.F90", "-o", program], timeout=120, cwd=suite.folder)
        if not suite.check(f"{what}: compiles", made.code == 0, made.err):
            continue
        result = suite.simulate("-q", "-n", 2, "--compute", "none", "--universe-size", 11, program)
        same = sorted(result.out.splitlines()) == sorted(FORTRAN.splitlines())
        suite.check(f"{what}: as under Open MPI", result.code == 0 and same and not result.err and not result.left, result)
        lost = suite.simulate("-q", "-n", 2, "--universe-size", 4, program, "lost")
        suite.check(f"{what}: a program that is not there", lost.code == 0 and sorted(lost.out.splitlines()) == ["T T", "T T T T"], lost)


def test_spawned_mistakes(suite):
    """A started process that crashes, aborts, or waits forever ends the whole run and is named."""
    text = """#include <mpi.h>
    #include <stdlib.h>
    #include <string.h>
    int main(int argc, char **argv)
    {
        MPI_Comm parent, inter;
        int rank;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_get_parent(&parent);
        if (parent == MPI_COMM_NULL) {
            char *arguments[] = { argv[1], NULL };
            MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
            MPI_Barrier(inter);
        } else {
            if (strcmp(argv[1], "crash") == 0 && rank == 0)
                abort();
            if (strcmp(argv[1], "abort") == 0)
                MPI_Abort(MPI_COMM_WORLD, 9);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 0, 3, parent, MPI_STATUS_IGNORE);
        }
        MPI_Finalize();
        return 0;
    }"""
    program = suite.compile(text, "wrong_children", flags=["-g"])
    cases = {"crash": (134, ["rank 1"]), "abort": (9, ["MPI_Abort"]), "wait": (80, ["rank 2 in MPI_Recv", "MPI_Barrier"])}
    for what, (code, words) in cases.items():
        result = suite.simulate("-n", 1, "--universe-size", 3, program, what)
        named = all(word in result.err for word in words)
        suite.check(f"children that {what}", result.code == code and named and not result.left, result)
    refusals = {
        "folded ranks cannot start others": ["-n", 1, "--universe-size", 3, "--ranks-as", "folded"],
        "in a run with --trace yet": ["-n", 1, "--universe-size", 3, "--trace", suite.folder / "t.prv"],
        "2 ranks start with the run": ["-n", 2, "--universe-size", 1],
    }
    for why, options in refusals.items():
        refused = suite.simulate(*options, program, "wait")
        suite.check(f"refused: {why}", refused.code == 84 and why in refused.err, refused)
