"""The program of the testbed under SimGrid's own smpirun, for testbed.py."""

import pathlib
import shutil
import subprocess
import sys

import measured

SELECTORS = {"ompi": "ompi", "mpich": "mpich"}
RANKS = 16
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="testbed" prefix="host-" suffix="" radical="1-16" speed="1Gf" bw="10Mbps" lat="200us" sharing_policy="SPLITDUPLEX"/>
</platform>
"""
# SimGrid simulates clock_gettime and usleep, but not clock_nanosleep.
SLEEP = """#include <mpi.h>
#include <time.h>
#include <unistd.h>
static int sleep_until(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = then->tv_sec - now.tv_sec + 1e-9 * (then->tv_nsec - now.tv_nsec);
    if (seconds > 0) usleep((useconds_t)(seconds * 1e6));
    return 0;
}
#define clock_nanosleep(clock, flags, then, rest) sleep_until(then)
"""


def available():
    return bool(shutil.which("smpirun"))


class SimGrid:
    """Compiles the program once; runs series of it."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.program, self.platform, self.hosts, header = (folder / name for name in ("smpi-bench", "p.xml", "hosts", "sleep.h"))
        self.platform.write_text(PLATFORM)
        self.hosts.write_text("".join(f"host-{number}\n" for number in range(1, RANKS + 1)))
        header.write_text(SLEEP)
        subprocess.run(["smpicc", "-O1", "-include", header, measured.PROGRAM, "-o", self.program], check=True)

    def run(self, library, arguments, repeats):
        """What the program prints."""
        machine = ["-np", RANKS, "-platform", self.platform, "-hostfile", self.hosts]
        options = ["--cfg=smpi/simulate-computation:no", f"--cfg=smpi/coll-selector:{SELECTORS[library]}", "--log=root.thres:error"]
        words = ["smpirun", *machine, *options, self.program, library, "testbed", repeats, *arguments]
        made = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"smpirun ended with {made.returncode}\n{made.stderr}")
        return made.stdout
