"""Shared memory: SMPI_SHARED_MALLOC and related macros, `--share-malloc`, messages in shared buffers, and the summary.
The figures of the SMPI paper are in smpi_paper_scale.py, which measures."""

import json

import pytest
from harness import ROOT, TESTS

SOURCES = TESTS / "library" / "shared_memory"
MIB = 1 << 20
LIVES = ("processes", "folded")


@pytest.fixture(params=LIVES)
def life(request):
    """How ranks live."""
    return request.param


def figures(result):
    try:
        return json.loads(result.out.splitlines()[-1])
    except (IndexError, ValueError):
        return {}


def test_shared(suite, life):
    program = suite.compile(SOURCES / "shared.c", flags=["-Wall", "-Wextra", "-Werror"])
    result = suite.simulate("--ranks-as", life, "-n", 5, "--compute", "none", "--json", program)
    suite.check("shared runs", result.code == 0, result)
    for rank in range(5):
        suite.check(f"rank {rank} shares", f"{rank} same 1 fresh 1\n" in result.out, result.out)
        suite.check(f"rank {rank} shares parts", f"{rank} private 1 shared 1 odd 0\n" in result.out, result.out)
    seen = figures(result)
    # Twice 4 MiB of one place and 8 MiB of another, in each rank.
    suite.check("bytes in shared blocks", seen.get("shared_bytes") == 5 * 16 * MIB, seen)
    # One of 4 MiB, two pages of 8 MiB that were read, and a megabyte of the window.
    resident = seen.get("shared_resident_bytes", 0)
    suite.check("bytes that exist", 4 * MIB <= resident <= 5 * MIB + 16 * 4096, resident)
    suite.check("the summary says so", "80.0 MiB in shared blocks, held in" in result.err, result.err)
    alone = suite.run([program])
    suite.check("alone it is ordinary memory", alone.code == 0 and "0 private 1" in alone.out, alone)


def test_traffic(suite, life):
    folded = suite.compile(SOURCES / "traffic.c", flags=["-Wall"])
    private = suite.compile(SOURCES / "traffic.c", "traffic-private", flags=["-DPRIVATE"])
    for options in ([], ["--data-plane", "mailbox"], ["--model", "simgrid"]):
        runs = [suite.simulate("--ranks-as", life, "-n", 6, "--compute", "none", "--json", *options, program) for program in (folded, private)]
        name = " ".join(options) or "as it is"
        suite.check(f"traffic, {name}: runs", all(run.code == 0 for run in runs), runs)
        suite.check(f"traffic, {name}: nothing is copied", runs[0].out.startswith("own 100 sum 15\n"), runs[0])
        suite.check(f"traffic, {name}: private memory is", runs[1].out.startswith("own 0 sum 15\n"), runs[1])
        times = [figures(run).get("simulated_seconds") for run in runs]
        suite.check(f"traffic, {name}: takes the same time", times[0] == times[1] and times[0], times)


def test_unmodified(suite, life):
    program = suite.compile(SOURCES / "unmodified.cpp", language="cxx", flags=["-O0"])
    plain = suite.simulate("--ranks-as", life, "-n", 4, "--compute", "none", "--json", program)
    suite.check("unmodified runs", plain.out.startswith("bad 0\n"), plain)
    suite.check("nothing is folded without being asked", figures(plain).get("shared_bytes") == 0, figures(plain))
    folded = suite.simulate("--ranks-as", life, "-n", 4, "--compute", "none", "--json", "--share-malloc", "1MiB", program)
    suite.check("unmodified runs folded", folded.out.startswith("bad 0\n"), folded)
    seen = figures(folded)
    # In folded ranks, `new` belongs to the C++ library, which all ranks share, so its memory stays private.
    large = {"processes": 192, "folded": 128}[life] * MIB
    suite.check("large memory is folded", 4 * large <= seen.get("shared_bytes", 0) <= 4 * (large + 16 * MIB), seen)
    suite.check("sixteen megabytes exist", seen.get("shared_resident_bytes") == 16 * MIB, seen)
    suite.check("folding changes no time", seen.get("simulated_seconds") == figures(plain).get("simulated_seconds"), seen)
    if life == "folded":
        return
    shell = suite.simulate("--ranks-as", life, "-n", 2, "--compute", "none", "--share-malloc", "1MiB", "sh", "-c", f"exec {program}")
    suite.check("a shell between is no obstacle", shell.out == "bad 0\n", shell)


def test_options(suite, life):
    program = suite.compile(SOURCES / "shared.c")
    for size, text in (("100", "at least 4096"), ("big", "number of bytes")):
        result = suite.simulate("--ranks-as", life, "-n", 1, "--share-malloc", size, program)
        suite.check(f"--share-malloc {size} is refused", result.code == 84 and text in result.err, result)


MANY = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 40; i++) {
        char *block = malloc((1 << 20) + i * 30000);
        if (!block) MPI_Abort(MPI_COMM_WORLD, 7);
        block[i] = 1;
    }
    MPI_Finalize();
    return 0;
}
"""


def test_many(suite, life):
    """More blocks than a process may have mappings (65,530)."""
    if life == "folded":
        program = suite.compile(MANY, "many")
        result = suite.simulate("--ranks-as", life, "-n", 2000, "--compute", "none", "--json", "--share-malloc", "1MiB", program)
        suite.check("80,000 blocks", result.code == 0, result)
        asked = 2000 * sum((1 << 20) + i * 30000 for i in range(40))
        suite.check("80,000 blocks are counted", figures(result).get("shared_bytes") == asked, figures(result).get("shared_bytes"))


PARTS = """#include <smpi/smpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    size_t offsets[] = {4096, 8192, 0, 100000};
    offsets[2] = argc > 1 ? 8192 : 0;
    SMPI_FREE(SMPI_PARTIAL_SHARED_MALLOC(50000, offsets, 2));
    MPI_Finalize();
    return 0;
}
"""


def test_bad_parts(suite, life):
    program = suite.compile(PARTS, "parts")
    for arguments, text in (([], "from 0 up to 100000 is no part"), (["x"], "from 8192 up to 100000 is no part of 50000 bytes")):
        result = suite.simulate("--ranks-as", life, "-n", 1, "--compute", "none", program, *arguments)
        suite.check("parts that are none are refused", result.code == 81 and text in result.err, result)


def test_data_traffic(suite, life):
    """The kernel of figure 16, class A: the same time, a fraction of the memory."""
    source = ROOT / "examples" / "smpi_paper" / "dt.c"
    folded, private = suite.compile(source), suite.compile(source, "dt-private", flags=["-DPRIVATE"])
    stream = 1728 * 64 * 4 * 8
    # Streams in all: one per source, one more than come in per node.
    for graph, ranks, streams in (("BH", 21, 41), ("WH", 21, 41), ("SH", 80, 80 + 128)):
        runs = [suite.simulate("--ranks-as", life, "-n", ranks, "--compute", "none", "--json", program, graph, "A", timeout=60) for program in (folded, private)]
        suite.check(f"DT {graph} A runs", all(run.code == 0 for run in runs), runs)
        times = [figures(run).get("simulated_seconds") for run in runs]
        suite.check(f"DT {graph} A takes the same time", times[0] == times[1] and times[0], times)
        seen = figures(runs[0])
        suite.check(f"DT {graph} A: bytes in shared blocks", seen.get("shared_bytes") == streams * stream, seen)
        suite.check(f"DT {graph} A: two streams exist", seen.get("shared_resident_bytes", 0) <= 2 * stream + 3 * 4096, seen)
    expected = {"BH": 0.918, "WH": 36.288, "SH": 14.688}
    for graph, ranks in (("BH", 21), ("WH", 21), ("SH", 80)):
        result = suite.simulate("--ranks-as", life, "-q", "-n", ranks, "--compute", "none", private, graph, "A", timeout=60)
        # As MPICH prints it.
        suite.check(f"DT {graph} A: the sum", result.out.startswith(f"sum {expected[graph]:.9e} "), result)
