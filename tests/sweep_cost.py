#!/usr/bin/env python3
"""What `mpirage sweep` costs beside the cases that it runs: tests/sweep_cost.py

200 short cases, as a sweep and as the same commands started by a small pool without any study, in turns. Compared are processor seconds, which
other work on this machine hardly changes, and wall time. Ends with 1 if the sweep takes 5 % more processor time."""

import concurrent.futures
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import pathlib

from harness import MPIRAGE

CASES, ROUNDS, LIMIT = 200, 3, 0.05
STUDY = f"""
command = "replay -p cluster:64 gen:halo2d,ranks=64,bytes={{bytes}},iterations=100"
[parameters]
bytes = {{ from = 1000, to = {1000 + CASES - 1}, step = 1 }}
"""


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(action):
    cpu, wall = children(), time.perf_counter()
    action()
    return children() - cpu, time.perf_counter() - wall


def alone(commands, folder):
    """The commands, as many at a time as there are cores."""
    folder.mkdir()

    def run(numbered):
        number, words = numbered
        with open(folder / f"{number}.out", "w") as out:
            subprocess.run([MPIRAGE, words[0], "-q", f"--json={folder / f'{number}.json'}", *words[1:]], stdout=out, stderr=out, stdin=subprocess.DEVNULL, check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, enumerate(commands)))


def main():
    with tempfile.TemporaryDirectory(prefix="test-sweep-cost-") as place:
        place = pathlib.Path(place)
        study = place / "study.toml"
        study.write_text(STUDY)
        listed = subprocess.run([MPIRAGE, "sweep", study, "--dry-run"], capture_output=True, text=True, check=True).stdout
        commands = [shlex.split(line[line.index("mpirage "):])[1:] for line in listed.splitlines()]
        assert len(commands) == CASES
        with_sweep, without = [], []
        for number in range(ROUNDS):
            without.append(measured(lambda: alone(commands, place / f"alone-{number}")))
            with_sweep.append(measured(lambda: subprocess.run([MPIRAGE, "sweep", study, "-q", "-o", place / f"sweep-{number}"], check=True)))
        sweep, plain = (min(cpu for cpu, _ in runs) for runs in (with_sweep, without))
        sweep_wall, plain_wall = (min(wall for _, wall in runs) for runs in (with_sweep, without))
        print(f"{CASES} cases, best of {ROUNDS}: {plain:.2f} s of processor time and {plain_wall:.2f} s alone, {sweep:.2f} s and {sweep_wall:.2f} s as a sweep")
        print(f"the sweep adds {100 * (sweep / plain - 1):+.1f} % of processor time and {100 * (sweep_wall / plain_wall - 1):+.1f} % of wall time")
        sys.exit(sweep > plain * (1 + LIMIT))


if __name__ == "__main__":
    main()
