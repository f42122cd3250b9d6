"""What MPI libraries do while their ranks are in no call, simulated and measured.

`progress.c` ran under Debian's MPICH 4.0.2 and Open MPI 4.1.4 on four hosts and one switch of 10 Mbit/s and 200 us, the network of the testbed
(`network.py` measures it). progress.csv has the medians of three. Of Open MPI only the long messages: the measurement delays its short ones by 1 ms.
flow and packet, with the profile of the library, must be within 3 %. With `progress = "background"` the transfer goes on while the ranks sleep."""

import collections
import csv
import pathlib
import statistics

import pytest
from harness import MPIRAGE

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = {"mpich": "mpich-tcp", "ompi": "openmpi-tcp"}
WITHIN = 0.03


def platform(suite, name, keys=""):
    path = suite.folder / f"{name}.toml"
    path.write_text(f'{(HERE / "testbed.toml").read_text()}\n[model]\nwake-up = "60us"\n{keys}\n')
    return path


def simulate(suite, program, where, model, library, size):
    """Medians of seconds by what and which."""
    command = [MPIRAGE, "run", "-q", "-n", 4, "-p", where, "--compute", "none", "--model", model, "--mpi-profile", PROFILES[library], program, library, size]
    done = suite.run([str(word) for word in command], timeout=60)
    suite.check(f"{model}, {library}, {size} bytes: runs", done.code == 0, done)
    seconds = collections.defaultdict(list)
    for what, which, _, value in csv.reader(done.out.splitlines()):
        seconds[what, which].append(float(value))
    return {key: statistics.median(values) for key, values in seconds.items()}


def measured():
    """Seconds by library and size, and by what and which."""
    found = collections.defaultdict(dict)
    for row in csv.DictReader(open(HERE / "progress.csv")):
        found[row["library"], int(row["bytes"])][row["what"], row["which"]] = float(row["seconds"])
    return found


@pytest.mark.parametrize("model", ("flow", "packet"))
@pytest.mark.parametrize("library, size", measured())
def test_progress(suite, library, size, model):
    program, rows = suite.compile(HERE / "progress.c"), measured()[library, size]
    where, background = platform(suite, "calls"), platform(suite, "background", 'progress = "background"')
    simulated = simulate(suite, program, where, model, library, size)
    for key, seconds in rows.items():
        ratio = simulated.get(key, 0.0) / seconds
        suite.check(f"{model}, {library}, {size} bytes, {' '.join(key)}", abs(ratio - 1) <= WITHIN, f"{ratio:.3f} times the measured {seconds} s")
    overlapped = simulate(suite, program, background, model, library, size)
    suite.check(f"{model}, {library}, {size} bytes: a background thread overlaps", overlapped.get(("overlap", "both"), 1.0) < 0.502, overlapped)
