#!/usr/bin/env python3
"""Figures 7, 8, 9, 12, 15 and 17 of Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011), under three models on
griffon: factors by size (`flow:factors`), causes (`flow` with Open MPI's profile) and packets. Prints the tables of docs/smpi-paper.md and
checks the paper's statements:

    tests/papers/smpi_paper.py [7] [8] [9] [12] [15] [17] [--small] [--write docs/smpi-paper.md]

Computation takes no time unless a column says that it does. The slowest rank counts."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page  # noqa: E402
from harness import MPIRAGE, ROOT, Suite  # noqa: E402

EXAMPLES = ROOT / "examples" / "smpi_paper"
PROFILE = ("--mpi-profile", "openmpi-tcp", "--seed", "1")
MODELS = {"factors": ("--model", "flow:factors"), "profile": ("--model", "flow", *PROFILE), "packet": ("--model", "packet", *PROFILE)}
SIZES = [1 << power for power in range(8, 23, 2)]
DT = {"A": 21, "B": 43}
MIB = 1 << 20
# How ranks are executed.
WAYS = {"processes": ("--ranks-as", "processes"), "folded ranks": ("--ranks-as", "folded"), "folded ranks, shared memory": ("--ranks-as", "folded", "--share-malloc", "1MiB")}


class Paper:
    """A run of this script."""

    def __init__(self, options):
        self.small, self.suite, self.page = options.small, Suite("smpi_paper"), page.Page(options.write)

    def compile(self, name):
        return self.suite.compile(EXAMPLES / f"{name}.c", flags=["-O2"])

    def run(self, options, ranks, *program, compute="none"):
        """What a program prints, and its figures at the end."""
        words = [MPIRAGE, "run", "-q", "-n", ranks, "-p", "griffon", "--map-by", "node", "--compute", compute, *options, "--json", *program]
        made = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{' '.join(map(str, words))}: {made.stderr}")
        *lines, figures = made.stdout.splitlines()
        return lines, json.loads(figures)

    def by_rank(self, options, ranks, *program):
        """The programs print `rank seconds`."""
        rows = [line.split() for line in self.run(options, ranks, *program)[0]]
        return [float(row[1]) for row in rows if len(row) == 2 and row[0].isdigit()]

    def models(self, name, head, cases):
        """Milliseconds by case and model."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = [(case, [pool.submit(ask, model) for model in MODELS.values()]) for case, ask in cases]
            rows = ([case, *(f"{1e3 * time.result():.4g}" for time in times)] for case, times in asked)
            self.page.table(name, [head, *MODELS], rows, f"Figure {name}, ms")

    def by_size(self, name, program):
        sizes = SIZES[:2] if self.small else SIZES
        ask = lambda size: lambda model: max(self.by_rank(model, 16, program, size))
        self.models(name, "bytes", [(size, ask(size)) for size in sizes])


def figure_7(paper):
    """One send after the other shares no cable; sends at once share the sender's."""
    program, size = paper.compile("scatter_binomial"), 4 * MIB
    times = {(way, contention): paper.by_rank(("--model", model), 16, program, size, *words)
             for way, words in (("MPI_Send", ()), ("MPI_Isend", ("isend",)))
             for contention, model in ((True, "flow:factors"), (False, "flow:no-contention"))}
    show = lambda times: [f"{times[0]:.3f}", f"{max(times):.3f}", f"{sum(times) / len(times):.3f}"]
    rows = [[f"`{way}`", "yes" if contention else "no", *show(found)] for (way, contention), found in times.items()]
    paper.page.table("7", ["sends", "contention", "root, s", "slowest, s", "mean, s"], rows, "Figure 7: binomial scatter of 4 MiB chunks, 16 ranks")
    with_it, without = times["MPI_Isend", True], times["MPI_Isend", False]
    lower = all(a < 0.999 * b for a, b in zip(without, with_it))
    paper.suite.check("figure 7: with sends at once, no contention is lower for every rank", lower, times)


def figure_8(paper):
    paper.by_size("8", paper.compile("scatter_binomial"))


def figure_9(paper):
    program = paper.compile("scatter_binomial")
    ask = lambda ranks: lambda model: max(paper.by_rank(model, ranks, program, 4 * MIB))
    paper.models("9", "ranks", [(ranks, ask(ranks)) for ranks in ((2, 4) if paper.small else (2, 4, 8, 16, 32))])


def figure_12(paper):
    paper.by_size("12", paper.compile("alltoall_pairwise"))


def figure_15(paper):
    """Graphs by class without computation under each model, and with computation, the least of several runs."""
    program, rounds, found = paper.compile("dt"), 2 if paper.small else 5, {}
    cases = [(graph, letter) for letter in list(DT)[:1 if paper.small else 2] for graph in ("WH", "BH")]

    def row(graph, letter):
        ranks, words = DT[letter], (program, graph, letter)
        free = [paper.run(model, ranks, *words)[1]["simulated_seconds"] for model in MODELS.values()]
        runs = [paper.run(MODELS["factors"], ranks, *words, compute="measured")[1]["simulated_seconds"] for _ in range(rounds)]
        found[graph, letter] = min(runs)
        return [f"{graph}, class {letter}", *(f"{1e3 * time:.4g}" for time in [*free, min(runs)])]

    paper.page.table("15", ["DT", *MODELS, "factors, computation measured"], (row(*case) for case in cases), "Figure 15, ms")
    for letter in sorted({letter for _, letter in cases}):
        paper.suite.check(f"figure 15: class {letter}: with computation BH takes longer", found["WH", letter] < found["BH", letter], found)


def figure_17(paper):
    """Simulated seconds per second of processor time of the simulator and all ranks, the best of three runs."""
    program = paper.compile("scatter_binomial")

    def row(mib):
        speeds = []
        for words in WAYS.values():
            runs = [paper.run(("--model", "flow:factors", *words), 16, program, mib * MIB, "unchecked")[1] for _ in range(1 if paper.small else 3)]
            speeds.append(max(run["simulated_seconds"] / run["cpu_seconds"] for run in runs))
        return [mib, *(f"{speed:.1f}" for speed in speeds)]

    sizes = [1] if paper.small else [1, 4, 16]
    paper.page.table("17", ["MiB", *WAYS], (row(mib) for mib in sizes), "Figure 17: times faster than the scatter itself")


FIGURES = {"7": figure_7, "8": figure_8, "9": figure_9, "12": figure_12, "15": figure_15, "17": figure_17}


def main():
    parser = page.parser(__doc__)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    options = parser.parse_args()
    if set(options.figures) - set(FIGURES):
        parser.error(f"there are figures {', '.join(FIGURES)}")
    paper = Paper(options)
    for figure in options.figures or FIGURES:
        FIGURES[figure](paper)
    paper.page.write()
    paper.suite.end()


if __name__ == "__main__":
    main()
