#!/usr/bin/env python3
"""Folded ranks against processes: the same program must print the same and take the same simulated time, to the last bit.

The program is random (tests/folded/random_traffic.c): point to point, collectives, communicators, and state of its own that
folded ranks must not share. A number as argument runs that many seeds."""

import json
import sys

from harness import MEASURED, TESTS, Suite

RANKS = (1, 2, 3, 5, 8, 16)
STEPS = 40
# How ranks live may differ, and what depends on that; the rest may not.
DIFFERENT = (*MEASURED, "ranks_as", "ranks_as_because")


def figures(text):
    """The program's output and what --json says, without what is measured."""
    *lines, last = text.splitlines()
    values = json.loads(last)
    return lines, {key: value for key, value in values.items() if key not in DIFFERENT}


def main():
    suite = Suite("folded")
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    program = suite.compile(TESTS / "folded" / "random_traffic.c")
    for seed in range(seeds):
        for ranks in RANKS:
            platform = ("griffon", f"cluster:{ranks}", "fat-tree:4x4")[seed % 3]
            how = lambda kind: suite.simulate("-q", "--json", "--compute", "none", "--ranks-as", kind, "-p", platform, "-n", ranks,
                                            program, 7 * seed + ranks, STEPS)
            folded, processes = how("folded"), how("processes")
            name = f"seed {seed}, {ranks} ranks"
            if suite.check(f"{name}: both run", folded.code == processes.code == 0, folded.err + processes.err):
                mine, theirs = figures(folded.out), figures(processes.out)
                suite.check(f"{name}: the same output", mine[0] == theirs[0])
                suite.check(f"{name}: the same figures", mine[1] == theirs[1], f"{mine[1]}\n{theirs[1]}")
    suite.end()


if __name__ == "__main__":
    main()
