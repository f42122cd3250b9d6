#!/usr/bin/env python3
"""Figures 8, 9, 12 and 15 of Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011), under three models on
griffon: factors by size (`flow`), causes (`flow` with Open MPI's profile) and packets. Prints the tables of docs/smpi-paper.md:

    tests/papers/smpi_figures.py [8] [9] [12] [15]

Computation takes no time. The slowest rank counts."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import MPIRAGE, ROOT  # noqa: E402

EXAMPLES = ROOT / "examples" / "smpi_paper"
PROFILE = ("--mpi-profile", "openmpi-tcp", "--seed", "1")
MODELS = {"factors": ("--model", "flow:factors"), "profile": ("--model", "flow", *PROFILE), "packet": ("--model", "packet", *PROFILE)}
SIZES = [1 << power for power in range(8, 23, 2)]
DT = [("WH", "A", 21), ("BH", "A", 21), ("WH", "B", 43), ("BH", "B", 43)]


class Programs:
    """The programs of the paper, compiled once."""

    def __init__(self, folder):
        self.folder = folder

    def compile(self, name):
        program = f"{self.folder}/{name}"
        subprocess.run([MPIRAGE, "cc", "-O1", EXAMPLES / f"{name}.c", "-o", program, "-lm"], check=True)
        return program


def run(model, ranks, *program):
    words = [MPIRAGE, "run", "-q", "-n", ranks, "-p", "griffon", "--map-by", "node", "--compute", "none", *MODELS[model], "--json", *program]
    made = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{' '.join(str(word) for word in program)}, {model}: {made.stderr}")
    return made.stdout.splitlines()


def slowest(model, ranks, program, size):
    """The programs print `rank seconds`."""
    rows = [line.split() for line in run(model, ranks, program, size)]
    return max(float(row[1]) for row in rows if len(row) == 2 and row[0].isdigit())


def whole(model, ranks, program, *arguments):
    return json.loads(run(model, ranks, program, *arguments)[-1])["simulated_seconds"]


def table(head, cases):
    """Milliseconds by case and model."""
    print(f"\n| {head} | " + " | ".join(MODELS) + " |\n|---|" + "---|" * len(MODELS))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = [(name, [pool.submit(ask, model) for model in MODELS]) for name, ask in cases]
        for name, times in rows:
            print(f"| {name} | " + " | ".join(f"{1e3 * time.result():.4g}" for time in times) + " |", flush=True)


def by_size(program):
    return [(f"{size}", lambda model, size=size: slowest(model, 16, program, size)) for size in SIZES]


def figure_8(programs):
    table("bytes of a chunk, scatter, ms", by_size(programs.compile("scatter_binomial")))


def figure_9(programs):
    program = programs.compile("scatter_binomial")
    table("ranks, scatter of 4 MiB, ms", [(f"{ranks}", lambda model, ranks=ranks: slowest(model, ranks, program, 4 << 20)) for ranks in (2, 4, 8, 16, 32)])


def figure_12(programs):
    table("bytes, pairwise all-to-all, ms", by_size(programs.compile("alltoall_pairwise")))


def figure_15(programs):
    program = programs.compile("dt")
    table("DT, ms", [(f"{graph} {letter}", lambda model, graph=graph, letter=letter, ranks=ranks: whole(model, ranks, program, graph, letter)) for graph, letter, ranks in DT])


FIGURES = {"8": figure_8, "9": figure_9, "12": figure_12, "15": figure_15}


def main():
    wanted = sys.argv[1:] or list(FIGURES)
    if set(wanted) - set(FIGURES):
        sys.exit(f"there are figures {', '.join(FIGURES)}")
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(folder)
        for figure in wanted:
            FIGURES[figure](programs)


if __name__ == "__main__":
    main()
