"""Writes docs/validation/: measured beside simulated times of every series and model, as tables and plots.

Called by testbed.py --write FOLDER. The plots are those of `mpirage compare`, so that a reader can make them for measurements of their own."""

import csv
import pathlib
import subprocess

import measured

HEAD = """# Measured and simulated times of every series

`make validate` writes this folder. The measurements: Open MPI 4.1.4 and MPICH 4.0.2 over Linux's TCP, 16 hosts with one rank each, one switch, links of
10 Mbit/s and 200 µs. [Validation](../validation.md#against-a-real-network) sums the errors up; this page shows each of them.

What each model was told about this network:

| model | told | fitted |
|---|---|---|
| `smpirun` | rates and delays of links; the library's algorithms by name | nothing: SimGrid's default factors, which were measured on gigabit Ethernet |
| `factors` | rates and delays of links (`--model flow:factors`) | nothing: the same factors |
| `no-options` | rates and delays of links, and nothing else: `-p testbed.toml` | nothing: mpirage assumes the library that the program was built for |
| `ns3` | rates and delays of links; the messages of each benchmark as TCP connections | the time of the software, from ping-pongs |
| `flow` | rates and delays of links (`--model flow --mpi-profile …`); how far apart ranks start (`wake-up`, {spread:.2f} ms) | the time of the software, from ping-pongs: 22 µs (Open MPI), 5 µs (MPICH) |
| `packet` | the same (`--model packet --mpi-profile …`) | the same number |

All ranks of the measurement run on one machine, which wakes them one after the other when a benchmark begins. How far apart they start is measured with the senders of an incast of 1 KiB, which do nothing but
one short send.

The error of a point is e^|ln(simulated / measured)| − 1 of the medians. Series with two modes are intervals, fastest–median–slowest. `right`: the fastest sample is within 5 % of the fastest measured
one, and the samples lie on both sides of the measured median. `overlaps`: the intervals of measured and simulated times have times in common.
"""


def write(folder, mpirage, series, models, rows, groups, counts):
    """The page, and for each model its samples and a plot. `rows` and `groups` are tables of text, `counts` sentences."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    real = folder / "measured.csv"
    write_samples(real, {key: [value.median] for key, value in series.items()})
    for name, judged in models.items():
        samples = folder / f"{name}.csv"
        write_samples(samples, {key: [value.median] for key, value in judged.items()})
        subprocess.run([mpirage, "compare", "-q", samples, real, "--plot", folder / f"{name}.svg"], check=True)
    (folder / "README.md").write_text(page(models, rows, groups, counts))


def write_samples(path, samples):
    """In the format that `mpirage compare` reads."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["mpi", "bench", "bytes", "seconds"])
        rows.writerows([key.library, key.bench, key.bytes, f"{value:.9f}"] for key, values in samples.items() for value in values)


def page(models, rows, groups, counts):
    """The text of README.md."""
    plots = [f"![Simulated over measured times, {name}]({name}.svg)\n" for name in models]
    head = HEAD.format(spread=1e3 * measured.start_spread())
    return "\n".join([head, "## By group", "", markdown(groups), "", *(f"- {count}" for count in counts), "", "## Plots", "", *plots, "## Every series", "", markdown(rows), ""])


def markdown(rows):
    """A table of text."""
    head, *body = [list(row) for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])
