#!/usr/bin/env python3
"""What a run writes down can be replayed: every program of programs/list.toml, run with `--trace`, and then replayed.

A replay of our own format takes the same simulated time, to the last picosecond, and the same messages; with computation off
and with measured computation. A replay of the time-independent format takes the same time to 1e-9. Says which differ, and at the
end `N passed, N failed`."""

import argparse
import concurrent.futures
import json
import os

import same_as_mpich
from harness import MPIRAGE, Suite

MODELS = ("flow", "simgrid")
# What must be the same. The number of calls is not: a test that failed is a pause.
EXACT = ("simulated_seconds", "messages", "bytes", "message_bytes")
# Programs that the time-independent format cannot tell exactly, and what the writer says about it.
BEYOND_TI = {
    "probe": "probes", "mprobe": "probes", "comm_isolation": "any tag", "idup": "do not block", "comm_more": "do not block",
    "overlapped_coll": "do not block", "intercomm_coll": "do not block", "persistent_order": "persistent",
}


def figures(result):
    """The figures of a run, whose program may have printed before."""
    _, start, rest = result.out.rpartition('{"outcome"')
    return json.loads(start + rest) if start else {}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--filter", default="", help="only programs whose name contains this")
    options.add_argument("--ranks", type=int, nargs="*", default=[3, 8], help="on how many ranks")
    options.add_argument("--format", default="mpirage,ti", help="which formats")
    options.add_argument("-j", type=int, default=os.cpu_count(), help="programs at a time")
    options = options.parse_args()
    suite = Suite("replay")
    mpirage = same_as_mpich.Mpirage(str(MPIRAGE), [])
    programs = [one for one in same_as_mpich.load_programs() if options.filter in one.name and not one.missing]

    def check_one(program, binary, ranks, compute, model):
        what = f"{program.name} on {ranks} ranks, {model}, computation {compute}"
        folder = suite.folder / f"{program.name}-{ranks}-{compute}-{model}"
        folder.mkdir()
        files = {"mpirage": folder / "run.mpirage", "ti": folder / "run.ti"}
        traces = [word for kind in options.format.split(",") for word in ("--trace", files[kind])]
        run = suite.simulate("-q", "--json", "--model", model, "--compute", compute, "-n", ranks, *traces, binary,
                             *program.args, timeout=120)
        if run.code != 0:
            suite.check(f"{what} runs", program.exit != 0, (run.code, run.err))
            return
        wanted = figures(run)
        for kind in options.format.split(","):
            if kind == "ti" and program.name in BEYOND_TI:
                suite.check(f"{what}: the writer says what is lost", BEYOND_TI[program.name] in run.err, run.err)
                continue
            traced = "none" if compute == "none" else "traced"
            again = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", model, "--compute", traced, files[kind]], timeout=120)
            got = figures(again)
            detail = (again.code, again.err, {key: (wanted.get(key), got.get(key)) for key in EXACT if wanted.get(key) != got.get(key)})
            suite.check(f"{what}, {kind}", again.code == 0 and same(kind, wanted, got), detail)

    def same(kind, wanted, got):
        if kind == "mpirage":
            return all(wanted.get(key) == got.get(key) for key in EXACT)
        a, b = wanted["simulated_seconds"], got.get("simulated_seconds", -1)
        return abs(a - b) <= 1e-9 * max(a, 1e-6)

    def examine(program):
        binary = mpirage.compile(program, suite.folder)
        for ranks in options.ranks:
            if ranks not in program.ranks:
                continue
            for compute, model in (("none", "flow"), ("none", "simgrid"), ("measured", "flow")):
                check_one(program, binary, ranks, compute, model)

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        list(pool.map(examine, programs))
    suite.end()


if __name__ == "__main__":
    main()
