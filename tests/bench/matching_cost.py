#!/usr/bin/env python3
"""What matching costs with 10,000 outstanding receives, or messages: nanoseconds of processor time per message, without ranks.

One rank receives from ten others, each message with a tag of its own, in another order than they arrive. Receives wait for messages (posted) or
messages for receives (unexpected); with -any, every other receive takes messages from any source. Each pattern runs with 16 and with
10,000 outstanding at a time, in turns, and the best of REPEATS counts. The whole message is measured: call, matching, network, completion. So the
difference is what the length of the queue costs, and the aim is for that. Machines are noisy, so this is no test; only --strict sets the exit code."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
AIM = 200
MESSAGES = 200_000
RANKS = 11


def build():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "mpirage-mpi", "--example", "hot_path"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "hot_path"


def nanoseconds(example, pattern, outstanding):
    command = [example, f"{pattern}-{outstanding}", str(RANKS), str(MESSAGES // outstanding)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) ns/message", printed).group(1))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--example", type=pathlib.Path, help="a built example `hot_path` of the crate mpirage-mpi")
    options.add_argument("--strict", action="store_true")
    options = options.parse_args()
    example, missed = options.example or build(), 0
    print(f"{'outstanding':16} {'16':>10} {'10,000':>10} {'more':>10}   aim: at most {AIM} ns more")
    for pattern in ("posted", "posted-any", "unexpected", "unexpected-any"):
        turns = [[nanoseconds(example, pattern, outstanding) for outstanding in (16, 10_000)] for _ in range(options.repeats)]
        few, many = (min(of_one) for of_one in zip(*turns))
        missed += many - few > AIM
        print(f"{pattern:16} {few:7.0f} ns {many:7.0f} ns {many - few:7.0f} ns   {'MISSED' if many - few > AIM else 'met'}", flush=True)
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
