#!/usr/bin/env python3
"""Figures 3, 4, 5, 7 and 11 of the SMPI paper, simulations only: runs examples/smpi_paper, writes CSV and SVG.

    docs/plots/smpi_paper.py             runs everything (a minute), then draws
    docs/plots/smpi_paper.py --draw      draws from existing CSV files

Needs a built mpirage (`make build`); drawing needs matplotlib. Computation is off, so the CSV files are the same on
every machine and every time.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MPIRAGE = ROOT / "target/release/mpirage"
SIZES = sorted({1 << k for k in range(23)} | {3 << k for k in range(21)} | {65535})
GDX = "gdx-{}.orsay.grid5000.fr"
PIECEWISE, AFFINE, FIT, FREE = "flow:factors", "flow:affine", "flow:best-fit", "flow:no-contention"

# figure: platform, hosts (None: the first ones, one rank each)
PINGPONGS = {
    "figure-3": ("griffon", None),
    "figure-4": ("gdx", [1, 2]),
    "figure-5": ("gdx", [1, 312]),
}
# 16 ranks; gdx has 18 hosts on the first switch, so ranks 8 to 15 go to the second
COLLECTIVES = {
    "griffon": ("griffon", None),
    "griffon-half-duplex": (str(HERE / "griffon-half-duplex.toml"), None),
    "gdx": ("gdx", list(range(1, 17))),
    "gdx-two-switches": ("gdx", list(range(1, 9)) + list(range(19, 27))),
}
PROGRAMS = {"figure-7": "scatter_binomial", "figure-11": "alltoall_pairwise"}


def build(folder):
    for program in ["pingpong", *PROGRAMS.values()]:
        source = ROOT / f"examples/smpi_paper/{program}.c"
        subprocess.run([MPIRAGE, "cc", "-O2", source, "-o", folder / program], check=True)


def run(program, ranks, where, model, *arguments):
    """Seconds by rank, as the program prints them."""
    platform, hosts = where
    place = ["--ppn", "1"] if hosts is None else ["-H", ",".join(GDX.format(host) for host in hosts)]
    line = [MPIRAGE, "run", "-q", "-n", str(ranks), "-p", platform, *place, "--model", model, "--compute", "none"]
    output = subprocess.run([*line, program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    return {int(rank): float(seconds) for rank, seconds in (line.split() for line in output.splitlines())}


def write(name, head, rows):
    with open(HERE / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    print(f"{name}.csv")


def measure(folder):
    for figure, where in PINGPONGS.items():
        models = [PIECEWISE, AFFINE, FIT]
        rows = [[size] + [f"{run(folder / 'pingpong', 2, where, model, size)[0]:.9f}" for model in models] for size in SIZES]
        write(figure, ["bytes", *models], rows)
    for figure, program in PROGRAMS.items():
        columns, head = [], ["rank"]
        for name, where in COLLECTIVES.items():
            for model in (PIECEWISE, FREE):
                head.append(f"{name} {model}")
                columns.append(run(folder / program, 16, where, model))
        write(figure, head, [[rank] + [f"{column[rank]:.9f}" for column in columns] for rank in range(16)])


def read(name):
    with open(HERE / f"{name}.csv", newline="") as file:
        head, *rows = csv.reader(file)
    return head, [[float(value) for value in row] for row in rows]


def draw():
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.hashsalt": "mpirage", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                         "axes.spines.right": False, "lines.linewidth": 1.4})
    styles = {PIECEWISE: ("#0072b2", "-"), AFFINE: ("#d55e00", "--"), FIT: ("#009e73", ":"), FREE: ("#e69f00", "-")}

    def save(figure, name):
        figure.tight_layout()
        figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})
        print(f"{name}.svg")

    titles = {"figure-3": "griffon, one switch", "figure-4": "gdx, one switch", "figure-5": "gdx, three switches"}
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
    for axis, (name, title) in zip(axes, titles.items()):
        head, rows = read(name)
        for column, model in enumerate(head[1:], 1):
            colour, dash = styles[model]
            axis.loglog([row[0] for row in rows], [row[column] * 1e6 for row in rows], color=colour, linestyle=dash, label=model)
        axis.set(title=title, xlabel="bytes")
    axes[0].set_ylabel("one-way time, µs")
    axes[0].legend(frameon=False)
    save(figure, "pingpong")

    for name, title in {"figure-7": "binomial scatter, 4 MiB chunks", "figure-11": "pairwise all-to-all, 4 MiB"}.items():
        head, rows = read(name)
        figure, axes = plt.subplots(1, len(COLLECTIVES), figsize=(10, 2.8), sharey=True)
        for axis, where in zip(axes, COLLECTIVES):
            for shift, model in ((-0.2, PIECEWISE), (0.2, FREE)):
                values = [row[head.index(f"{where} {model}")] for row in rows]
                axis.bar([row[0] + shift for row in rows], values, width=0.4, color=styles[model][0], label=model)
            axis.set(title=where, xlabel="rank")
        axes[0].set_ylabel("seconds")
        figure.suptitle(title)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper right", frameon=False, ncols=2)
        save(figure, name)


def main():
    if "--draw" not in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            build(pathlib.Path(folder))
            measure(pathlib.Path(folder))
    draw()


if __name__ == "__main__":
    main()
