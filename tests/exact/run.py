#!/usr/bin/env python3
"""The `simgrid` model on one switch (125 MB/s, 50 us per link) against the simulated times that SimGrid 3.32 and 4.1 give
for the same programs, to 1e-6. No SimGrid is needed; tests/simgrid/compare.py runs it side by side.
Closing line: `N passed, N failed`."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
TOLERANCE = 1e-6

# program, arguments, ranks, algorithm, SimGrid's seconds
CASES = [
    ("pingpong", ["100000", "1024"], 2, "", 21.935841024513),
    ("allreduce", ["100", "1"], 64, "allreduce=recursive-doubling", 0.121029160109),
    ("allreduce", ["100", "1"], 256, "allreduce=recursive-doubling", 0.161372210145),
    ("allreduce", ["100", "1"], 1024, "allreduce=recursive-doubling", 0.201715260181),
    ("halo2d", ["100", "10240"], 256, "", 0.084606475240),
    ("halo2d", ["100", "10240"], 1024, "", 0.084606475240),
    ("alltoall", ["65536"], 64, "alltoall=linear", 0.038041524952),
    ("alltoall", ["65536"], 128, "alltoall=linear", 0.075504031569),
    ("alltoall", ["65536"], 64, "alltoall=pairwise", 0.110231844952),
    ("alltoall", ["65536"], 128, "alltoall=pairwise", 0.222213391569),
    ("alltoall", ["65536"], 64, "alltoall=bruck", 0.119347115430),
    ("alltoall", ["65536"], 128, "alltoall=bruck", 0.270325069223),
]

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="50us"/>
</zone></platform>
"""


def simulate(folder, program, arguments, ranks, algorithm):
    binary = folder / program
    if not binary.exists():
        subprocess.run([MPIRAGE, "cc", "-O2", ROOT / "tests" / "exact" / f"{program}.c", "-o", binary], check=True)
    platform = folder / f"switch-{ranks}.xml"
    platform.write_text(PLATFORM.format(last=ranks - 1))
    run = [MPIRAGE, "run", "--quiet", "-n", str(ranks), "-p", platform, "--model", "simgrid", "--compute", "none", "--coll",
           algorithm, binary, *arguments]
    done = subprocess.run(run, capture_output=True, text=True)
    times = re.findall(r"seconds=([0-9.]+)", done.stdout)
    if done.returncode or not times:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return max(float(t) for t in times)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="exact.") as folder:
        for program, arguments, ranks, algorithm, reference in CASES:
            name = f"{program} {' '.join(arguments)} {algorithm}"
            try:
                seconds = simulate(pathlib.Path(folder), program, arguments, ranks, algorithm)
                error = abs(seconds - reference) / reference
                good = error <= TOLERANCE
                print(f"{'ok  ' if good else 'FAIL'} {name:48} {ranks:5} ranks {seconds:.12f} SimGrid {reference:.12f} off by {error:.1e}", flush=True)
            except RuntimeError as problem:
                good = False
                print(f"FAIL {name:48} {ranks:5} ranks: {problem}", flush=True)
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
