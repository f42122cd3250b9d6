"""The `simgrid` model on one switch (125 MB/s, 50 us per link) against the simulated times that SimGrid 3.32 and 4.1 give
for the same programs, to 1e-6. No SimGrid is needed; tests/simgrid/compare.py runs it side by side."""

import re
import subprocess

import pytest
from harness import MPIRAGE, ROOT

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

# What sends and receives cost, and what SimGrid's 8 ranks take then: arguments, and seconds by what is printed before them
OVERHEADS = """<config><prop id="smpi/or" value="0:1e-5:0;10000:5e-5:1e-9"/><prop id="smpi/os" value="0:3e-6:0;10000:9e-6:1e-10"/>
  <prop id="smpi/ois" value="0:2e-6:0;10000:8e-6:1e-10"/></config>"""
RECEIVES = {
    ("10001", "60"): {"how=all": 0.001444191669, "how=each": 0.003261071862, "how=any": 0.001443928338, "how=late": 0.001443000100,
                      "how=alltoall rank=0": 0.001776216381, "how=alltoall rank=7": 0.002093936763},
    ("60000", "20"): {"how=all": 0.005757816804, "how=each": 0.008063070000, "how=any": 0.005756930000, "how=late": 0.005756000000,
                      "how=alltoall rank=0": 0.006051489643, "how=alltoall rank=7": 0.006307552045},
}

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">{config}<zone id="w" routing="Full">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="50us"/>
</zone></platform>
"""


def simulate(folder, program, arguments, ranks, algorithm, config=""):
    """The lines of the program: what they say, and the seconds at their ends."""
    binary = folder / program
    if not binary.exists():
        subprocess.run([MPIRAGE, "cc", "-O2", ROOT / "tests" / "network" / "exact_times" / f"{program}.c", "-o", binary], check=True)
    platform = folder / f"switch-{ranks}.xml"
    platform.write_text(PLATFORM.format(last=ranks - 1, config=config))
    run = [MPIRAGE, "run", "--quiet", "-n", str(ranks), "-p", platform, "--model", "simgrid", "--compute", "none", "--coll",
           algorithm, binary, *arguments]
    done = subprocess.run(run, capture_output=True, text=True)
    lines = re.findall(r"^SIM (.*)seconds=([0-9.]+)$", done.stdout, re.M)
    if done.returncode or not lines:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return {text: float(seconds) for text, seconds in lines}


def compare(suite, name, ranks, seconds, reference):
    """Prints how far a time is from SimGrid's."""
    error = abs(seconds - reference) / reference
    text = f"{name:48} {ranks:5} ranks {seconds:.12f} SimGrid {reference:.12f} off by {error:.1e}"
    print(text)
    suite.check(f"{name} on {ranks} ranks", error <= TOLERANCE, text)


@pytest.mark.parametrize("program, arguments, ranks, algorithm, reference", CASES, ids=lambda value: "-".join(value) if isinstance(value, list) else None)
def test_time_of_program(suite, program, arguments, ranks, algorithm, reference):
    seconds = max(simulate(suite.folder, program, arguments, ranks, algorithm).values())
    compare(suite, f"{program} {' '.join(arguments)} {algorithm}", ranks, seconds, reference)


@pytest.mark.parametrize("arguments", RECEIVES, ids="-".join)
def test_times_of_receives(suite, arguments):
    times = simulate(suite.folder, "receives", arguments, 8, "alltoall=linear", OVERHEADS)
    for what, reference in RECEIVES[arguments].items():
        found = [seconds for text, seconds in times.items() if f"{what} " in text]
        compare(suite, f"receives {' '.join(arguments)} {what}", 8, found[0] if found else float("nan"), reference)
