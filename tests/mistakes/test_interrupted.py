"""Ctrl-C writes what is known: summary, JSON object, report and trace of the run so far, marked as interrupted, with exit code 130."""

import json
import random
import signal
import time

import pytest
from harness import MPIRAGE

MOMENTS = 5
PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long step = 0; step < 1000000000; step++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def interrupt(suite, command, mark, moment):
    """What a command prints that is interrupted after so many seconds."""
    process = suite.start([*map(str, command)], mark)
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def check(suite, name, ended, folder):
    code, out, err = ended
    result = json.loads(out.splitlines()[-1])
    suite.check(f"{name}: exit code 130", code == 130, (code, err))
    suite.check(f"{name}: the object says so", result["outcome"] == "interrupted" and "interrupted by signal 2" in result["explanation"], result)
    suite.check(f"{name}: so does the summary", "interrupted by signal 2" in err and "simulated time" in err, err)
    suite.check(f"{name}: figures are those so far", result["simulated_seconds"] > 0 and result["calls"] > 0 and result["trust"] is None, result)
    page = (folder / "report.html").read_text(errors="replace")
    suite.check(f"{name}: the report is whole", page.rstrip().endswith("</html>") and len(page) > 100_000, len(page))


@pytest.mark.parametrize("mode", ["processes", "folded"])
def test_run(suite, mode, tmp_path):
    source = tmp_path / "long.c"
    source.write_text(PROGRAM)
    program = suite.compile(source)
    moments = random.Random(mode)
    for moment in (moments.uniform(0.5, 2.0) for _ in range(MOMENTS)):
        files = ["--json", "--report", tmp_path / "report.html", "--trace", tmp_path / "run.mpirage"]
        command = [MPIRAGE, "run", "-n", 4, "--ranks-as", mode, "--compute", "none", *files, program]
        ended = interrupt(suite, command, f"interrupted-{mode}", moment)
        check(suite, f"{mode} after {moment:.2f} s", ended, tmp_path)
        shown = suite.run([MPIRAGE, "trace", "info", tmp_path / "run.mpirage"])
        suite.check(f"{mode} after {moment:.2f} s: the trace can be read", shown.code == 0, shown)


def test_replay(suite, tmp_path):
    moments = random.Random("replay")
    for moment in (moments.uniform(0.3, 1.0) for _ in range(MOMENTS)):
        command = [MPIRAGE, "replay", "--json", "--report", tmp_path / "report.html", "gen:halo2d,ranks=16,bytes=1KiB,iterations=100000000"]
        check(suite, f"after {moment:.2f} s", interrupt(suite, command, "interrupted-replay", moment), tmp_path)
