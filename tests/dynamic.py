#!/usr/bin/env python3
"""Processes that meet during a run: ports, sockets, and programs that would be started. Debian's MPICH refuses ports, so what is
expected stands here."""

import sys

from harness import TESTS, Suite

SOURCES = TESTS / "dynamic"
MODES = ("folded", "processes")
END = "mistakes: 0\n"


def ports(suite):
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


def mistakes(suite):
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


def sockets(suite):
    program = suite.compile(SOURCES / "join.c")
    for number, ranks in enumerate((2, 3)):
        result = suite.simulate("-q", "-n", ranks, program, suite.folder / f"socket{number}")
        suite.check(f"sockets, {ranks} ranks", result.code == 0 and result.out == "rank 0 got 11\nrank 1 got 10\n" + END, result)


def no_room(suite):
    program = suite.compile(SOURCES / "spawn.c")
    for mode in MODES:
        handled = suite.simulate("-q", "-n", 2, "--ranks-as", mode, program, "handle")
        suite.check(f"spawn, {mode}: an error to handle", handled.code == 0 and handled.out == 2 * "no room\n" + END, handled)
        fatal = suite.simulate("-n", 2, "--ranks-as", mode, program)
        named = "MPI_Comm_spawn" in fatal.err and "MPI_UNIVERSE_SIZE" in fatal.err
        suite.check(f"spawn, {mode}: or the end", fatal.code == 81 and named, fatal)


PARTS = [ports, mistakes, sockets, no_room]

if __name__ == "__main__":
    Suite("dynamic").run_parts(PARTS, sys.argv[1:])
