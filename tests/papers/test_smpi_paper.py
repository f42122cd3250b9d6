"""Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011),
sections 7.1.1 to 7.1.3: ping-pong, binomial scatter and pairwise all-to-all on griffon and gdx, per rank,
under the variants of the flow model. Prints the tables behind figures 3, 7 and 11 and checks statements of the paper:
without contention no rank is slower, and ranks whose messages share links are much faster; the piece-wise linear
model differs from the affine ones at medium sizes."""

import concurrent.futures
import itertools
import os

import pytest
from harness import ROOT

pytestmark = pytest.mark.alone

EXAMPLES = ROOT / "examples" / "smpi_paper"
MODELS = ["flow:factors", "flow:affine", "flow:best-fit", "flow:no-contention"]
RANKS, CHUNK = 16, 4 << 20
SIZES = [4**power for power in range(12)]
# Pairs of hosts and what lies between them.
PAIRS = {
    "griffon, same cabinet": ("griffon", "griffon-1.nancy.grid5000.fr", "griffon-2.nancy.grid5000.fr"),
    "gdx, same cabinet": ("gdx", "gdx-1.orsay.grid5000.fr", "gdx-2.orsay.grid5000.fr"),
    "gdx, across cabinets": ("gdx", "gdx-1.orsay.grid5000.fr", "gdx-312.orsay.grid5000.fr"),
}


def alternating(first, second):
    """Ranks in turn on hosts of two cabinets."""
    names = [f"gdx-{number}.orsay.grid5000.fr:1" for pair in zip(first, second) for number in pair]
    return ["-p", "gdx", "-H", ",".join(names)]


# Where 16 ranks are. Within a cabinet every rank has its own cable and messages of a scatter never share one.
PLACES = {
    "griffon, one cabinet": (["-p", "griffon", "--map-by", "node"], {"pairwise all-to-all"}),
    "gdx, two cabinets in turn": (alternating(range(1, 9), range(305, 313)), {"binomial scatter", "pairwise all-to-all"}),
}


def seconds_by_rank(suite, program, *options):
    """What the program prints, `rank seconds`, as a list by rank."""
    result = suite.simulate("-q", "--compute", "none", *options[:-1], program, options[-1])
    if not suite.check(f"{program.name} {' '.join(map(str, options))} runs", result.code == 0, result):
        return {}
    lines = [line.split() for line in result.out.splitlines()]
    return {int(rank): float(seconds) for rank, seconds in lines}


def row(first, values):
    print(f"  {first:>9} " + " ".join(f"{value:>18}" for value in values))


def microseconds(seconds):
    return f"{seconds * 1e6:.2f}"


def test_ping_pong(suite):
    program = suite.compile(EXAMPLES / "pingpong.c")
    for what, (platform, here, there) in PAIRS.items():
        print(f"\nping-pong, {what}: one way in µs")
        row("bytes", MODELS)
        place = ["-n", 2, "-p", platform, "-H", f"{here}:1,{there}:1"]
        one_way = lambda case: seconds_by_rank(suite, program, *place, "--model", case[1], case[0]).get(0, 0.0)
        cases = list(itertools.product(SIZES, MODELS))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            measured = dict(zip(cases, pool.map(one_way, cases)))
        times = {size: [measured[size, model] for model in MODELS] for size in SIZES}
        for size in SIZES:
            row(size, map(microseconds, times[size]))
        piecewise, affine, best, alone = zip(*times.values())
        for name, column in zip(MODELS, zip(*times.values())):
            grows = all(a <= b * 1.0001 for a, b in zip(column, column[1:]))
            suite.check(f"{what}, {name}: larger messages take longer", grows and column[0] > 0, column)
        # Up to what the barrier before leaves behind.
        close = all(abs(a - b) <= 0.005 * b for a, b in zip(piecewise, alone))
        suite.check(f"{what}: one message at a time has no contention", close, list(zip(piecewise, alone)))
        for name, other in (("affine", affine), ("best-fit", best)):
            off = {size: abs(a - b) / b for size, a, b in zip(SIZES, other, piecewise) if 1024 <= size <= 65536}
            suite.check(f"{what}: {name} differs at medium sizes", max(off.values()) > 0.1, off)
        suite.check(f"{what}: affine meets the piece-wise model at 1 byte", abs(affine[0] / piecewise[0] - 1) < 0.02, (affine[0], piecewise[0]))


@pytest.mark.parametrize("name, source", [("binomial scatter", "scatter_binomial.c"), ("pairwise all-to-all", "alltoall_pairwise.c")])
def test_collective(suite, name, source):
    program = suite.compile(EXAMPLES / source)
    for platform, (place, contended) in PLACES.items():
        print(f"\n{name} of {CHUNK >> 20} MiB, {RANKS} ranks on {platform}: seconds by rank")
        row("rank", MODELS)
        times = {m: seconds_by_rank(suite, program, "-n", RANKS, *place, "--model", m, CHUNK) for m in MODELS}
        if any(len(column) != RANKS for column in times.values()):
            suite.check(f"{name} on {platform}: every rank reports", False, times)
            continue
        for rank in range(RANKS):
            row(rank, (f"{times[model][rank]:.6f}" for model in MODELS))
        row("last", (f"{max(times[model].values()):.6f}" for model in MODELS))
        shared, alone = times["flow:factors"], times["flow:no-contention"]
        lowest = all(alone[rank] <= shared[rank] * (1 + 1e-9) for rank in range(RANKS))
        suite.check(f"{name} on {platform}: no contention is the lowest for every rank", lowest, (alone, shared))
        if name in contended:
            strictly = max(alone.values()) < 0.99 * max(shared.values())
            suite.check(f"{name} on {platform}: contention costs something", strictly, (max(alone.values()), max(shared.values())))
