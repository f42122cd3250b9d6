"""Counts the instructions of a message, and compares them with those recorded.

Instructions, unlike time, do not depend on the load of the machine. Callgrind counts those of two runs that differ only in their length; the
difference, divided by the messages (or frames) that the longer run has more, is the cost of one. `start …` is a run that does next to nothing.

instructions.toml holds the recorded counts. A count that differs by more than 2 % fails: a commit that makes a message dearer says why,
one that makes it cheaper records its gain, so that nobody loses it unnoticed: `tests/run tests/house/test_instructions.py --record`, and `-k halo` for
some of them."""

import json
import os
import re
import subprocess
import tomllib

import harness
import prepare
import pytest

RECORDED = harness.TESTS / "house" / "instructions.toml"
TOLERANCE = 0.02
# Name -> (options of `mpirage replay`, workload with the place of its iterations, short and long, what is counted).
SIMGRID = ["--model", "simgrid"]
RDMA = ["-p", "cluster:64", "--net", "hdr100", "--mpi-profile", "rdma"]
REPLAYS = {
    "halo": (["-p", "cluster:256", *SIMGRID], "gen:halo2d,ranks=256,bytes=10240,iterations={}", (2, 12), "messages"),
    "allreduce": (["-p", "cluster:256", *SIMGRID], "gen:allreduce,ranks=256,bytes=8,iterations={}", (2, 12), "messages"),
    "ping-pong": (["-p", "cluster:2", *SIMGRID], "gen:pingpong,ranks=2,iterations={}", (100, 3100), "messages"),
    "random traffic on a fat tree": (["-p", "fat-tree:16x16", *SIMGRID], "gen:random,ranks=256,bytes=10240,iterations={}", (1, 4), "messages"),
    "halo, rdma": (RDMA, "gen:halo2d,ranks=64,bytes=64KiB,iterations={}", (2, 12), "messages"),
    "halo, openmpi-tcp": (["-p", "cluster:64", "--mpi-profile", "openmpi-tcp"], "gen:halo2d,ranks=64,bytes=64KiB,iterations={}", (2, 6), "messages"),
    "all-to-all, rdma": (RDMA, "gen:alltoall,ranks=64,bytes=64KiB,iterations={}", (1, 2), "messages"),
    "frame": (["-p", "cluster:16", "--model", "packet", "--mpi-profile", "openmpi-tcp"], "gen:halo2d,ranks=16,bytes=10240,iterations={}", (2, 12), "frames"),
}
# Name -> (program, ranks, short and long, messages per repetition).
FOLDED = {
    "folded ping-pong": ("pingpong", 2, (100, 4100), 1),
    "folded allreduce": ("allreduce", 16, (10, 210), 64),
}
STARTS = ("start of a replay", "start of a folded run")


def count(command):
    """Instructions of a command, and its result."""
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)]
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "LC_ALL": "C"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return int(found[1]), json.loads(done.stdout.splitlines()[-1])


def replay(options, workload):
    return count([harness.MPIRAGE, "replay", "-q", "--json", *options, workload])


def run(ranks, program, repetitions):
    return count([harness.MPIRAGE, "run", "-q", "--json", *SIMGRID, "--compute", "none", "--ranks-as", "folded", "-n", ranks, program, repetitions])


def of_replay(options, workload, lengths, unit):
    """Instructions of one message or frame of a replay."""
    (short, few), (long, many) = (replay(options, workload.format(length)) for length in lengths)
    units = [result["network"]["frames"] if unit == "frames" else result["messages"] for result in (few, many)]
    return (long - short) / (units[1] - units[0])


def of_folded(suite, name, ranks, lengths, messages):
    """Instructions of one message of a program."""
    program = suite.compile(harness.TESTS / "network" / "exact_times" / f"{name}.c")
    (short, _), (long, _) = (run(ranks, program, length) for length in lengths)
    return (long - short) / ((lengths[1] - lengths[0]) * messages)


def measurements(suite):
    """Name -> a function that measures it."""
    measured = {name: lambda case=case: of_replay(*case) for name, case in REPLAYS.items()}
    measured |= {name: lambda case=case: of_folded(suite, *case) for name, case in FOLDED.items()}
    measured["start of a replay"] = lambda: replay(["-p", "cluster:2", *SIMGRID], "gen:pingpong,ranks=2,iterations=1")[0]
    measured["start of a folded run"] = lambda: run(2, suite.compile(harness.TESTS / "network" / "exact_times" / "pingpong.c"), 1)[0]
    return measured


def compare(suite, name, counted, recorded):
    if recorded is None:
        return suite.check(name, False, f"{counted} instructions; nothing is recorded: tests/run tests/house/test_instructions.py --record")
    change = counted / recorded - 1
    print(f"{name:30} {counted:>12,} {recorded:>12,} {100 * change:+6.1f} %", flush=True)
    remedy = "say in the commit why" if change > 0 else "this is a gain"
    return suite.check(name, abs(change) <= TOLERANCE, f"{counted} instructions, recorded {recorded}: {remedy}, and tests/run tests/house/test_instructions.py --record")


@pytest.fixture(scope="module", autouse=True)
def valgrind():
    prepare.debian({"valgrind": "valgrind"})


@pytest.mark.parametrize("name", [*REPLAYS, *FOLDED, *STARTS])
def test_instructions(suite, name, record):
    recorded = tomllib.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    counted = round(measurements(suite)[name]())
    if record:
        recorded[name] = counted
        RECORDED.write_text("# Instructions of a message, written by `tests/run tests/house/test_instructions.py --record`.\n"
                            + "".join(f'"{name}" = {counted}\n' for name, counted in recorded.items()))
    compare(suite, name, counted, recorded.get(name))
