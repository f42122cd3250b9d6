"""The wheel and the Debian package: made, installed into clean folders, and used there."""

import re
import shutil
import subprocess
import sys

import prepare
from harness import BUILD, ROOT

# Nothing of the checkout is on the path.
CLEAN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
RING = """#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) {
    int rank, sum;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d\\n", sum);
    return MPI_Finalize();
}
"""
SCRIPT = """
import mpirage
mpirage.cc("ring.c", "-o", "ring")
platform = mpirage.Platform("cluster:4")
result = mpirage.run("./ring", ranks=4, platform=platform, compute="none", tables=True)
again = mpirage.run("./ring", ranks=4, platform="cluster:4", compute="none")
assert result.stdout == "sum 6\\n" and result.seconds == again.seconds > 0, (result, again)
assert result.ranks == len(result.per_rank_seconds) == 4 and "messages" in result.tables, result.tables
assert platform.figures["hosts"] and "simulated_seconds" in result.json()
assert mpirage.replay("gen:ring,ranks=4").outcome == "finished"
for wrong, error in ((lambda: mpirage.run("./none"), "no program"), (lambda: mpirage.Platform("none:4"), "none")):
    try:
        wrong()
        raise SystemExit("no error")
    except mpirage.MpirageError as caught:
        assert error in str(caught), caught
print("right")
"""


def clean(suite, words, folder=None, path=None):
    """Runs a command in an environment without the checkout; `path` is searched before the system's programs."""
    environment = {**CLEAN, "HOME": str(suite.folder)}
    if path:
        environment["PATH"] = f"{path}:{CLEAN['PATH']}"
    return subprocess.run([str(word) for word in words], env=environment, cwd=folder or suite.folder, capture_output=True, text=True, timeout=900)


def exercises(suite, place):
    """Students run every command of the handout with the wheel alone."""
    folder = suite.folder / "teaching"
    shutil.copytree(place / "share" / "mpirage" / "examples" / "teaching", folder)
    commands = re.findall(r"^\$ (.+?)(?:\s+# exit (\d+))?$", (folder / "handout.md").read_text(), re.MULTILINE)
    suite.check("wheel: the handout has commands", len(commands) > 20, commands)
    for line, code in commands:
        done = clean(suite, ["bash", "-c", line], folder, place / "bin")
        suite.check(f"wheel: {line}", done.returncode == int(code or 0), done)


def use(suite, what, folder):
    """The demo, a compiler wrapper, and programs of other MPIs, with the commands in a folder."""
    demo = clean(suite, [folder / "mpirage", "demo"])
    suite.check(f"{what}: the demo runs", demo.returncode == 0 and "simulated time" in demo.stderr + demo.stdout, demo)
    (suite.folder / "ring.c").write_text(RING)
    for compiler in ("mpicc.openmpi", "mpicc.mpich"):
        if suite.has(compiler, f"{what}: a program of {compiler}"):
            made = clean(suite, [compiler, "ring.c", "-o", compiler])
            done = clean(suite, [folder / "mpirage", "run", "-q", "-n", 3, suite.folder / compiler])
            suite.check(f"{what}: a program of {compiler}", made.returncode == 0 and done.stdout == "sum 3\n", done)


def test_wheel(suite):
    """pip installs the wheel into an empty environment; the module and the commands work there."""
    prepare.debian(prepare.VENV)
    made = clean(suite, [ROOT / "packaging" / "wheel", BUILD, suite.folder / "wheels"])
    if not suite.check("the wheel is made", made.returncode == 0, made):
        return
    place = suite.folder / "venv"
    clean(suite, [sys.executable, "-m", "venv", place])
    installed = clean(suite, [place / "bin" / "pip", "install", "--no-index", *(suite.folder / "wheels").glob("*.whl")])
    suite.check("pip installs it", installed.returncode == 0, installed)
    use(suite, "wheel", place / "bin")
    done = clean(suite, [place / "bin" / "python", "-c", SCRIPT])
    suite.check("wheel: the module", done.returncode == 0 and done.stdout == "right\n", done)
    made = clean(suite, [place / "bin" / "mpicc", "ring.c", "-o", "wrapped"])
    done = clean(suite, [place / "bin" / "mpiexec", "-q", "-n", 4, "./wrapped"])
    suite.check("wheel: mpicc and mpiexec", made.returncode == 0 and done.stdout == "sum 6\n", (made, done))
    listed = clean(suite, [place / "bin" / "mpirage", "info", "functions"]).stdout
    suite.check("wheel: the library's functions are found", listed.count(" implemented\n") > 600, listed[:2000])
    exercises(suite, place)


def test_deb(suite):
    """The Debian package, unpacked into a folder."""
    if not suite.has("dpkg-deb", "the Debian package"):
        return
    made = clean(suite, [ROOT / "packaging" / "deb", BUILD, suite.folder / "debs"])
    if not suite.check("the package is made", made.returncode == 0, made):
        return
    package = next((suite.folder / "debs").glob("*.deb"))
    place = suite.folder / "root"
    unpacked = clean(suite, ["dpkg-deb", "-x", package, place])
    suite.check("it is unpacked", unpacked.returncode == 0, unpacked)
    use(suite, "deb", place / "usr" / "bin")
    made = clean(suite, [place / "usr/lib/mpirage/bin/mpicc", "ring.c", "-o", "wrapped"])
    done = clean(suite, [place / "usr/lib/mpirage/bin/mpiexec", "-q", "-n", 4, "./wrapped"])
    suite.check("deb: mpicc and mpiexec", made.returncode == 0 and done.stdout == "sum 6\n", (made, done))
    depends = clean(suite, ["dpkg-deb", "-f", package, "Depends"]).stdout
    suite.check("it names the C library that it needs", "libc6 (>= 2." in depends, depends)
