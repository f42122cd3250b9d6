#!/usr/bin/env python3
"""The NAS Parallel Benchmarks as other people wrote them: tests/conformance/npb.py FOLDER [--class S,W] [--ranks 4] [--only bt,lu] [--as processes,folded]

FOLDER is NPB3.3-MPI or NPB3.4-MPI, which NASA gives out; it is not part of this repository. Each benchmark is compiled with mpif77, mpif90 and mpicc of mpirage in
a copy of the folder, and must verify its own result, with ranks as processes and folded. BT and SP need a square number of ranks, the others a power of two."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "target" / "release" / "bin"
BENCHMARKS = ["bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"]
SETTINGS = """MPIF77 = mpif77
MPIFC = mpif90
FLINK = mpif90
FMPI_LIB =
FMPI_INC =
FFLAGS = -O2
FLINKFLAGS = -O2
MPICC = mpicc
CLINK = mpicc
CMPI_LIB =
CMPI_INC =
CFLAGS = -O2
CLINKFLAGS = -O2
CC = gcc
BINDIR = ../bin
RAND = randi8
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--class", dest="classes", default="S", help="problem sizes, separated by commas (default S)")
    parser.add_argument("--ranks", type=int, default=4, help="default 4")
    parser.add_argument("--only", default=",".join(BENCHMARKS), help="benchmarks, separated by commas")
    parser.add_argument("--as", dest="modes", default="processes,folded", help="how ranks are executed, separated by commas")
    parser.add_argument("--timeout", type=int, default=600, help="seconds of a run (default 600)")
    return parser.parse_args()


def build(folder, benchmark, size, ranks, environment):
    """The program, or None with the compiler's last words."""
    made = subprocess.run(["make", benchmark, f"CLASS={size}", f"NPROCS={ranks}"], cwd=folder, env=environment, capture_output=True, text=True)
    # NPB 3.3 puts the number of ranks into the name, NPB 3.4 does not.
    names = [folder / "bin" / f"{benchmark}.{size}.{end}" for end in (ranks, "x")]
    return next((name for name in names if name.exists()), None), (made.stdout + made.stderr)[-400:]


def verdict(program, ranks, mode, timeout):
    """Whether the benchmark verified its result, and the simulated time or what went wrong."""
    command = [BIN / "mpirage", "run", "-n", ranks, "-p", f"cluster:{ranks}", "--ranks-as", mode, program]
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return False, f"no end after {timeout} s"
    text = done.stdout + done.stderr
    time = re.search(r"simulated time +(.*?) \(", text)
    verified = done.returncode == 0 and re.search(r"Verification\s*=\s*SUCCESSFUL", text) is not None
    return verified, time.group(1) if verified and time else f"exit code {done.returncode}\n{text[-400:]}"


def main():
    options = parse()
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "npb"
        # What was built before, perhaps by another compiler, stays behind.
        shutil.copytree(options.folder, folder, ignore=shutil.ignore_patterns("*.o", "*.mod", "bin", "npbparams.h", "setparams"))
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "config" / "make.def").write_text(SETTINGS)
        for size in options.classes.split(","):
            for benchmark in options.only.split(","):
                program, words = build(folder, benchmark, size, options.ranks, environment)
                for mode in options.modes.split(","):
                    right, what = verdict(program, options.ranks, mode, options.timeout) if program else (False, words)
                    failed += not right
                    print(f"{benchmark} class {size}, {options.ranks} ranks, {mode}: {'verified' if right else 'FAILED'}, {what}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
