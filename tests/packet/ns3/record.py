#!/usr/bin/env python3
"""Predicts the testbed's point-to-point series with ns-3 and records them in testbed.csv, from which ../testbed.py takes its column `ns3`.

    tests/packet/ns3/record.py [--seeds N] [--repeats N]      (Debian: libns3-dev; some CPU minutes)"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measured  # noqa: E402

LIBRARIES = "internet point-to-point traffic-control bridge network stats core".split()
BENCHES = ("pingpong", "scatter_bin", "alltoall_pw", "halo2d", "incast", "ring")


def compiled(folder):
    program = pathlib.Path(folder) / "testbed"
    flags = [f"-lns3-{name}" for name in LIBRARIES]
    subprocess.run(["g++", "-O2", "-std=c++17", HERE / "testbed.cc", "-o", program, *flags], check=True)
    return program


def predicted(program, series, seed, repeats):
    """Rows of one series: library,bench,bytes,seconds."""
    command = [program, series.library, series.bench, str(series.bytes), f"--seed={seed}", f"--repeats={repeats}"]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split(",") for line in made.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if not measured.available():
        sys.exit(f"no measurements in {measured.FOLDER}: their sizes are needed")
    wanted = [series for series in measured.read() if series.bench in BENCHES]
    with tempfile.TemporaryDirectory() as folder, open(HERE / "testbed.csv", "w", newline="") as file:
        program, writer = compiled(folder), csv.writer(file, lineterminator="\n")
        writer.writerow(["library", "bench", "bytes", "seconds"])
        for series in wanted:
            # Ping-pongs have no noise.
            seeds, repeats = (1, 1) if series.bench == "pingpong" else (options.seeds, options.repeats)
            for seed in range(1, seeds + 1):
                writer.writerows(predicted(program, series, seed, repeats))
            file.flush()


if __name__ == "__main__":
    main()
