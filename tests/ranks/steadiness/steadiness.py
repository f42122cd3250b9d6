#!/usr/bin/env python3
"""How much measured computation differs from run to run, on a quiet machine and beside a load: tests/ranks/steadiness/steadiness.py [--runs N] [--errors FILE] [--write PAGE]

Runs programs several times, alone and beside eight processes that keep processors busy, and compares each simulated time with the median of the quiet runs.
--errors appends the deviations to a file that tests/packet/trust.py reads, as parts of the busiest rank's computation, by its length."""

import argparse
import contextlib
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
MPIRAGE = ROOT / "target" / "release" / "mpirage"
LOAD = 8
# Name, source, ranks, arguments.
CASES = [
    ("heat1d", ROOT / "examples" / "heat1d.c", 16, []),
    ("halo2d", ROOT / "examples" / "halo2d.c", 16, []),
    ("halo2d, 256 ranks", ROOT / "examples" / "halo2d.c", 256, []),
    ("nbody_ring", ROOT / "examples" / "nbody_ring.c", 16, []),
    ("conjugate_gradient", ROOT / "examples" / "conjugate_gradient.c", 16, []),
    ("stencil, bursts of 10 us", HERE / "bursts.c", 16, ["2000", "40"]),
    ("stencil, bursts of 100 us", HERE / "bursts.c", 16, ["20000", "40"]),
    ("stencil, bursts of 1 ms", HERE / "bursts.c", 16, ["200000", "20"]),
    ("stencil, bursts of 1 ms, long", HERE / "bursts.c", 8, ["200000", "200"]),
]
START, END = "<!-- steadiness -->\n", "<!-- /steadiness -->\n"
# Seconds of the busiest rank's computation, and the name of what is shorter.
LENGTHS = [(1e-3, "under 1 ms"), (1e-2, "1 to 10 ms"), (1e-1, "10 to 100 ms"), (float("inf"), "over 100 ms")]


@contextlib.contextmanager
def load():
    """Processes that compute as long as they are needed."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOAD)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(program, ranks, arguments):
    """The result of one run."""
    made = subprocess.run([MPIRAGE, "run", "-q", "-n", str(ranks), "--json", program, *arguments], capture_output=True, text=True, check=True)
    return json.loads(made.stdout.splitlines()[-1])


def seconds(results):
    return [result["simulated_seconds"] for result in results]


def computed(result):
    return result["efficiency"]["communication"] * result["simulated_seconds"]


def spread(results, median):
    """The least and the largest deviation, in percent."""
    return f"{100 * (min(seconds(results)) / median - 1):+.1f} to {100 * (max(seconds(results)) / median - 1):+.1f} %"


def warned(results):
    """How many say that they are not reliable, or that their computation was measured beside other programs."""
    return sum(result.get("disturbed", {}).get("unusual_share", 0) > 0.03 or "beside" in result["trust"]["computation"]["because"] for result in results)


def within(results, median):
    """How many intervals hold the median of the quiet runs."""
    return sum(result["trust"]["low_seconds"] <= median <= result["trust"]["high_seconds"] for result in results)


def length_of(result):
    return next(name for limit, name in LENGTHS if computed(result) < limit)


def add_errors(path, name, how, results, median):
    """Of computation: what the time differs is put on it."""
    with open(path, "a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        for result in results:
            share = result["efficiency"]["communication"]
            error = abs(result["simulated_seconds"] / median - 1) / share
            table.writerow([name, how, "computation", length_of(result), f"{error:.6f}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="of each program (default 10)")
    parser.add_argument("--errors", type=pathlib.Path, metavar="FILE", help="append the deviations to it, for trust.py")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the table into it, between its marks")
    options = parser.parse_args()
    lines = [f"| program | ranks | simulated | quiet: {options.runs} runs | warned, interval right | beside a load of {LOAD} | warned, interval right |", "|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for name, source, ranks, arguments in CASES:
            program = pathlib.Path(folder) / source.stem
            subprocess.run([MPIRAGE, "cc", "-O2", source, "-o", program, "-lm"], check=True)
            quiet = [run(program, ranks, arguments) for _ in range(options.runs)]
            with load():
                loaded = [run(program, ranks, arguments) for _ in range(options.runs)]
            median = statistics.median(seconds(quiet))
            lines.append(f"| {name} | {ranks} | {1e3 * median:.3f} ms | {spread(quiet, median)} | {warned(quiet)}, {within(quiet, median)} | {spread(loaded, median)} | {warned(loaded)}, {within(loaded, median)} |")
            if options.errors:
                add_errors(options.errors, name, "alone", quiet, median)
                add_errors(options.errors, name, "beside", loaded, median)
    print("\n".join(lines))
    if options.write:
        before, rest = options.write.read_text().split(START)
        options.write.write_text(before + START + "\n".join(lines) + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
