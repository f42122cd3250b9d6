#!/usr/bin/env python3
"""Wall and processor time of folded ranks that compute (command_line/bursts.c), in one process and in worker processes: the best of REPEATS. The
simulated time must be the same. There is no limit: other work on this machine changes the times, so the load before each measurement is printed."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
MPIRAGE = os.environ.get("MPIRAGE", str(TESTS.parent / "target" / "release" / "mpirage"))


def figures(program, workers, pattern, options):
    """What one run says about itself."""
    command = [MPIRAGE, "run", "-q", "--json", "--ranks-as", "folded", "--compute", "none", "--workers", workers, "-n", str(options.ranks), "-p",
               f"cluster:{options.ranks}", program, pattern, str(options.rounds), str(options.work)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--ranks", type=int, default=1024)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--work", type=int, default=10000, help="steps of a burst, about 10 ns each")
    options.add_argument("--workers", nargs="+", default=[str(len(os.sched_getaffinity(0))), "auto"])
    options.add_argument("--patterns", nargs="+", default=["allreduce", "barrier", "halo", "ring"])
    options = options.parse_args()
    print(f"{'pattern':10} {'workers':>8} {'wall s':>8} {'ratio':>6} {'cpu s':>8} {'burst µs':>9} {'load':>6}  simulated time")
    with tempfile.TemporaryDirectory(prefix="workers.") as folder:
        program = str(pathlib.Path(folder) / "bursts")
        subprocess.run([MPIRAGE, "cc", "-O1", TESTS / "command" / "command_line" / "bursts.c", "-o", program], check=True)
        for pattern in options.patterns:
            first, dates = None, set()
            for workers in ["1", *options.workers]:
                load = os.getloadavg()[0]
                runs = [figures(program, workers, pattern, options) for _ in range(options.repeats)]
                wall, cpu = (min(run[name] for run in runs) for name in ("wall_seconds", "cpu_seconds"))
                first = first or wall
                dates |= {tuple(run["per_rank_seconds"]) for run in runs}
                burst = 1e6 * cpu / options.ranks / options.rounds
                name = f"{workers}:{runs[0]['workers']}" if workers == "auto" else workers
                print(f"{pattern:10} {name:>8} {wall:8.2f} {first / wall:6.2f} {cpu:8.2f} {burst:9.1f} {load:6.1f}  {'the same' if len(dates) == 1 else 'DIFFERENT'}", flush=True)
            if len(dates) != 1:
                raise SystemExit("simulated times depend on the number of workers")


if __name__ == "__main__":
    main()
