#!/usr/bin/env python3
"""Results do not depend on whether ranks run ahead of simulated time. Runs every program of programs/list.toml, and random programs,
with `--run-ahead never` and with `--run-ahead always` on all cores, and compares output, simulated time and exit code.
Prints those that differ, and at the end `N passed, N failed`."""

import argparse
import concurrent.futures
import json
import os

import same_as_mpich
from harness import MEASURED, MPIRAGE, TESTS, Suite


def observed(suite, how, program, ranks, arguments):
    """All of a run that must not depend on who runs when."""
    command = ["-q", "--json", "--ranks-as", "processes", "--compute", "none", "--run-ahead", how, "-n", ranks, program, *arguments]
    result = suite.simulate(*command, timeout=120)
    # The program's own output may lack its last newline.
    out, object, figures = result.out.rpartition('{"outcome"')
    figures = json.loads(object + figures) if object else {}
    return result.code, {name: value for name, value in figures.items() if name not in MEASURED}, out


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--filter", default="", help="only programs of the list whose name contains this")
    options.add_argument("--seeds", type=int, default=30, help="random programs")
    options.add_argument("-j", type=int, default=os.cpu_count(), help="programs at a time")
    options = options.parse_args()
    suite = Suite("ahead")
    mpirage = same_as_mpich.Mpirage(str(MPIRAGE), [])
    programs = [one for one in same_as_mpich.load_programs() if options.filter in one.name and not one.missing]

    def compare(what, program, ranks, arguments, code):
        never, always = (observed(suite, how, program, ranks, arguments) for how in ("never", "always"))
        suite.check(f"{what} on {ranks} ranks", never == always and never[0] == code, (never, always))

    def examine(program):
        binary = mpirage.compile(program, suite.folder)
        for ranks in program.ranks:
            compare(program.name, binary, ranks, program.args, program.exit)

    traffic = suite.compile(TESTS / "folded" / "random_traffic.c")
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        list(pool.map(examine, programs))
        list(pool.map(lambda seed: compare(f"random traffic {seed}", traffic, 2 + seed % 9, [seed, 40], 0), range(options.seeds)))
    suite.end()


main()
