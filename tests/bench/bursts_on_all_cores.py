#!/usr/bin/env python3
"""Wall time of programs of CPU bursts (command_line/bursts.c, 8 ranks) on one core of this machine and on more: the best of
REPEATS. The simulated time must be the same. There is no limit: other work on this machine changes the times."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
MPIRAGE = os.environ.get("MPIRAGE", str(TESTS.parent / "target" / "release" / "mpirage"))
RANKS = 8


def figures(program, cores, pattern, options):
    """What one run says about itself."""
    command = [MPIRAGE, "run", "-q", "--json", "--ranks-as", "processes", "--compute", "none", "--cores", str(cores), "-n", str(RANKS),
               program, pattern, str(options.rounds), str(options.work)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--work", type=int, default=2000000, help="steps of a burst, about 10 ns each")
    options.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    options = options.parse_args()
    print(f"{'8 ranks, bursts and':20} {'1 core s':>9} {f'{options.cores} cores s':>10} {'ratio':>6} {'burst ms':>9}  simulated time")
    with tempfile.TemporaryDirectory(prefix="cores.") as folder:
        program = str(pathlib.Path(folder) / "bursts")
        subprocess.run([MPIRAGE, "cc", "-O1", TESTS / "command" / "command_line" / "bursts.c", "-o", program], check=True)
        for pattern in ("allreduce", "barrier", "halo", "ring", "clock"):
            runs = [[figures(program, cores, pattern, options) for cores in (1, options.cores)] for _ in range(options.repeats)]
            one, more = (min(run[at]["wall_seconds"] for run in runs) for at in (0, 1))
            dates = {tuple(figure["per_rank_seconds"]) for run in runs for figure in run}
            burst = 1e3 * min(run[0]["cpu_seconds"] for run in runs) / RANKS / options.rounds
            same = "the same" if len(dates) == 1 else "DIFFERENT"
            print(f"{pattern:20} {one:9.2f} {more:10.2f} {one / more:6.2f} {burst:9.1f}  {same}", flush=True)
            if len(dates) != 1:
                raise SystemExit("simulated times depend on the number of cores")


if __name__ == "__main__":
    main()
