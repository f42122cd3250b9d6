#!/usr/bin/env python3
"""Lin et al., SMP-SIM: an SMP-based discrete-event execution-driven performance simulator (2012), figures 11 and 12: the tables of
docs/smp-sim-paper.md.

    tests/papers/smp_sim_paper.py [11] [12] [--npb FOLDER] [--small] [--write docs/smp-sim-paper.md]

Figure 11: the time of a program on two cores, predicted with one, beside real runs under MPICH on two cores of this machine. It needs
--npb FOLDER (NPB3.3-MPI), `mpif77.mpich` and two cores. EP, CG and FT are the paper's; LU is a sweep through planes, as the paper's Sweep3D is. Both
times are those that the program itself reports, the least of several runs: disturbances only add time.

Figure 12: how long the simulation of 2, 4 and 8 ranks of a program takes with one core, and with two."""

import json
import os
import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import npb  # noqa: E402
import page  # noqa: E402
from harness import MPIRAGE, ROOT, Suite  # noqa: E402

PROGRAMS = ["ep", "cg", "ft", "lu"]
# Two ranks on one host; messages in memory as Linux copies them between processes.
MACHINE = """name = "two-cores"
[cluster]
hosts = 1
speed = "1Gf"
cores = {cores}
bandwidth = "100Gbps"
latency = "1us"
[model]
memory-latency = "500ns"
memory-bandwidth = "4GBps"
"""


def machine(suite, cores):
    path = suite.folder / f"cores-{cores}.toml"
    path.write_text(MACHINE.format(cores=cores))
    return path


OURS = {"MPIF77": "mpif77", "MPIFC": "mpif90", "MPICC": "mpicc"}


def compiled(suite, folder, compilers, names, ranks):
    """Benchmarks by name, with the compilers of an MPI."""
    copy = suite.folder / f"npb-{compilers['MPIF77']}-{ranks}-{len(names)}"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.o", "*.mod", "bin", "npbparams.h", "setparams"))
    (copy / "bin").mkdir(exist_ok=True)
    settings = npb.SETTINGS
    for key, value in {**compilers, "FLINK": compilers["MPIF77"], "CLINK": compilers["MPICC"]}.items():
        settings = re.sub(rf"^{key} = .*$", f"{key} = {value}", settings, flags=re.MULTILINE)
    (copy / "config" / "make.def").write_text(settings)
    environment = {**os.environ, "PATH": f"{npb.BIN}:{os.environ['PATH']}"}
    made = {name: npb.build(copy, name, "W", ranks, environment) for name in names}
    for name, (program, words) in made.items():
        suite.check(f"{name} compiles with {compilers['MPIF77']}", program, words)
    return {name: program for name, (program, _) in made.items() if program}


def reported(suite, command):
    """Seconds that a benchmark reports."""
    done = suite.run(command, timeout=600, env={"HYDRA_IFACE": "lo"})
    found = re.search(r"Time in seconds =\s*([0-9.]+)", done.out)
    suite.check(f"{pathlib.Path(command[-1]).name} runs", done.code == 0 and found, done)
    return float(found[1]) if found else float("nan")


def figure_11(suite, tables, options):
    real = compiled(suite, options.npb, {"MPIF77": "mpif77.mpich", "MPIFC": "mpif90.mpich", "MPICC": "mpicc.mpich"}, PROGRAMS, 2)
    ours = compiled(suite, options.npb, OURS, PROGRAMS, 2)
    simulate = [MPIRAGE, "run", "-q", "-n", 2, "-p", machine(suite, 2), "--model", "smp", "--host-speed", "1Gf", "--cores", 1]

    def row(name):
        runs = [(reported(suite, ["mpirun.mpich", "-n", 2, real[name]]), reported(suite, [*simulate, ours[name]])) for _ in range(options.rounds)]
        measured, predicted = (min(times) for times in zip(*runs))
        return [f"`{name}`, class W", f"{measured:.3f}", f"{predicted:.3f}", f"{100 * (predicted / measured - 1):+.1f}"]

    names = [name for name in PROGRAMS if name in real and name in ours][:1 if options.small else None]
    tables.table("11", ["two ranks", "real, s", "predicted, s", "error, %"], (row(name) for name in names), "Figure 11: predicted with one core, beside real runs on two")


def figure_12(suite, tables, options):
    """CG, or without the benchmarks EP, whose ranks do not communicate and therefore do not run beside each other. The work is the same for all
    numbers of ranks."""
    bits = 20 if options.small else 24

    def program_of(ranks):
        if options.npb:
            return [compiled(suite, options.npb, OURS, ["cg"], ranks)["cg"]]
        return [suite.compile(ROOT / "examples" / "smpi_paper" / "ep.c", flags=["-O2", "-lm"]), bits, 100]

    def row(ranks):
        walls, program = {}, program_of(ranks)
        for cores in (1, 2):
            words = [MPIRAGE, "run", "-q", "--ranks-as", "processes", "-n", ranks, "-p", machine(suite, 8), "--model", "smp", "--host-speed", "1Gf", "--cores", cores, "--json", *program]
            runs = []
            for _ in range(options.rounds):
                began = time.monotonic()
                done = suite.run(words, timeout=600)
                suite.check(f"{ranks} ranks with {cores}", done.code == 0, done)
                runs.append((time.monotonic() - began, json.loads(done.out.splitlines()[-1])["simulated_seconds"]))
            walls[cores], simulated = min(run[0] for run in runs), min(run[1] for run in runs)
        return [ranks, f"{simulated:.3f}", f"{walls[1]:.3f}", f"{walls[2]:.3f}", f"{walls[1] / walls[2]:.2f}"]

    sizes = [2] if options.small else [2, 4, 8]
    tables.table("12", ["ranks", "simulated, s", "wall time, one core, s", "two cores, s", "speed-up"], (row(ranks) for ranks in sizes), "Figure 12: time of the simulation")


def main():
    parser = page.parser(__doc__)
    parser.add_argument("--npb", type=pathlib.Path, metavar="FOLDER", help="where NPB3.3-MPI is")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", choices=["11", "12", []], help="11, 12; both if none is named")
    options = parser.parse_args()
    wanted = options.figures or ["11", "12"]
    options.rounds = 1 if options.small else 5
    suite, tables = Suite("smp_sim_paper"), page.Page(options.write)
    if "11" not in wanted:
        pass
    elif not options.npb:
        print("figure 11: left out; --npb FOLDER names NPB3.3-MPI")
    elif not shutil.which("mpif77.mpich"):
        print("figure 11: left out; it needs mpif77.mpich (Debian: libmpich-dev)")
    else:
        figure_11(suite, tables, options)
    if "12" in wanted:
        figure_12(suite, tables, options)
    tables.write()
    suite.end()


if __name__ == "__main__":
    main()
