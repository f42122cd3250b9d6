"""Compares simulated times with SimGrid's own, case by case, to 1e-6 relative.

Both sides compile the programs of tests/network/exact_times with their own compiler wrapper and run them on the same platform file
(written to a temporary folder), computation off. Needs Debian's libsimgrid-dev (smpicc, smpirun). The cases of the group
`reference` are also compared with fixed values.

    compare.py                       all cases, SimGrid against $MPIRAGE (default target/release/mpirage)
    compare.py --simgrid-only        SimGrid's numbers, the reference cases checked
    compare.py --slow                also the largest reference cases (some minutes)
    compare.py --filter share        only cases whose name contains this
    compare.py --write-platforms D   only write the platform files

Prints a table and at the end `N passed, N failed`.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = os.path.abspath(os.environ.get("MPIRAGE", ROOT / "target" / "release" / "mpirage"))
TOLERANCE = 1e-6
SMPI = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical"]

# What each algorithm is called on either side.
COLLECTIVES = {
    "allreduce=recursive-doubling": "smpi/allreduce:rdb",
    "alltoall=linear": "smpi/alltoall:basic_linear",
    "alltoall=pairwise": "smpi/alltoall:pair",            # on one switch the partners do not matter
    "alltoall=pairwise-exchange": "smpi/alltoall:pair",   # rank XOR step, as SimGrid does it
    "alltoall=bruck": "smpi/alltoall:bruck",
}

# Ranks that are done early gather their results while others still send, so these must agree too.
CLOSING = "reduce=linear,gather=linear"


@dataclass
class Case:
    name: str
    program: str
    args: list
    ranks: int
    platform: str
    coll: str = ""                                   # an algorithm of COLLECTIVES, or a table of mpirage's
    hosts: list = field(default_factory=list)        # of the ranks; default: rank i on host i
    expected: float = 0                              # known value of the slowest line
    slow: bool = False


# --- platforms

def document(body):
    return ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f'<platform version="4.1">\n{body}\n</platform>\n')


OVERHEADS = ('<config><prop id="smpi/or" value="0:1e-5:0;10000:5e-5:1e-9"/><prop id="smpi/os" value="0:3e-6:0;10000:9e-6:1e-10"/>'
             '<prop id="smpi/ois" value="0:2e-6:0;10000:8e-6:1e-10"/></config>\n')


def cluster(hosts, more="", bandwidth="125MBps", latency="50us", config=""):
    return document(config + f'<zone id="w" routing="Full">\n  <cluster id="c" prefix="n" suffix="" radical="0-{hosts - 1}" '
                    f'speed="1Gf" bw="{bandwidth}" lat="{latency}" {more}/>\n</zone>')


def star(latencies_us, bandwidth="125MBps", policy="SHARED"):
    """A switch with one link per host, each with a latency of its own."""
    hosts = range(len(latencies_us))
    direction = policy == "SPLITDUPLEX"
    use = lambda i, way: f'<link_ctn id="l{i}" direction="{way}"/>' if direction else f'<link_ctn id="l{i}"/>'
    lines = [f'  <host id="n{i}" speed="1Gf"/>' for i in hosts]
    lines += [f'  <link id="l{i}" bandwidth="{bandwidth}" latency="{lat}us" sharing_policy="{policy}"/>'
              for i, lat in enumerate(latencies_us)]
    lines += [f'  <route src="n{i}" dst="n{j}" symmetrical="NO">{use(i, "UP")}{use(j, "DOWN")}</route>'
              for i in hosts for j in hosts if i != j]
    return document('<zone id="w" routing="Full">\n' + "\n".join(lines) + "\n</zone>")


def dumbbell(pairs, middle, policy="SHARED"):
    """Two groups of hosts with fast links of their own and one link between the groups."""
    hosts = range(2 * pairs)
    lines = [f'  <host id="n{i}" speed="1Gf"/>' for i in hosts]
    lines += [f'  <link id="l{i}" bandwidth="1GBps" latency="10us"/>' for i in hosts]
    lines += [f'  <link id="middle" bandwidth="{middle}" latency="100us" sharing_policy="{policy}"/>']
    for i in hosts:
        for j in range(i + 1, 2 * pairs):
            crossing = '<link_ctn id="middle"/>' if (i < pairs) != (j < pairs) else ""
            lines.append(f'  <route src="n{i}" dst="n{j}"><link_ctn id="l{i}"/>{crossing}<link_ctn id="l{j}"/></route>')
    return document('<zone id="w" routing="Full">\n' + "\n".join(lines) + "\n</zone>")


LATENCIES = [50, 10, 100, 400, 1000]

PLATFORMS = {
    **{f"switch-{n}": (lambda n=n: cluster(n)) for n in (2, 5, 13, 64, 128, 256, 1024)},
    "fat-tree-64": lambda: cluster(64, 'topology="FAT_TREE" topo_parameters="2;8,8;1,8;1,1"'),
    "fat-tree-64-thin": lambda: cluster(64, 'topology="FAT_TREE" topo_parameters="2;8,8;1,2;1,1"'),
    "fat-tree-64-3": lambda: cluster(64, 'topology="FAT_TREE" topo_parameters="3;4,4,4;1,2,2;1,1,2"'),
    "torus-4x4x4": lambda: cluster(64, 'topology="TORUS" topo_parameters="4,4,4"'),
    "torus-3x9": lambda: cluster(27, 'topology="TORUS" topo_parameters="3,9"'),
    "dragonfly-64": lambda: cluster(64, 'topology="DRAGONFLY" topo_parameters="2,3;4,2;4,1;2"'),
    "backbone-16": lambda: cluster(16, 'bb_bw="500MBps" bb_lat="20us"'),
    "backbone-fatpipe-16": lambda: cluster(16, 'bb_bw="500MBps" bb_lat="20us" bb_sharing_policy="FATPIPE"'),
    "limiter-16": lambda: cluster(16, 'limiter_link="150MBps"'),
    "shared-links-16": lambda: cluster(16, 'sharing_policy="SHARED"'),
    "overheads-8": lambda: cluster(8, config=OVERHEADS),
    "loopback": lambda: cluster(2, 'loopback_bw="2GBps" loopback_lat="1us"'),
    "star": lambda: star(LATENCIES),
    "star-split": lambda: star(LATENCIES, policy="SPLITDUPLEX"),
    "star-fatpipe": lambda: star(LATENCIES, policy="FATPIPE", bandwidth="124MBps"),
    "dumbbell": lambda: dumbbell(4, "125MBps"),
    "dumbbell-fatpipe": lambda: dumbbell(4, "125MBps", "FATPIPE"),
}


# --- cases

def cases():
    yield from reference_cases()
    yield from segment_cases()
    yield from contention_cases()
    yield from pattern_cases()
    yield from polling_cases()
    yield from overhead_cases()


def reference_cases():
    """The rows of design/peers.md."""
    yield Case("reference pingpong", "pingpong", [100000, 1024], 2, "switch-2", expected=21.935841024513)
    for n, seconds in ((64, 0.121029160109), (256, 0.161372210145), (1024, 0.201715260181)):
        yield Case(f"reference allreduce {n}", "allreduce", [100, 1], n, f"switch-{n}", "allreduce=recursive-doubling",
                   expected=seconds, slow=n > 256)
    for n in (256, 1024):
        yield Case(f"reference halo2d {n}", "halo2d", [100, 10240], n, f"switch-{n}", expected=0.084606475240, slow=n > 256)
    for how, known in (("linear", (0.038041524952, 0.075504031569)), ("pairwise", (0.110231844952, 0.222213391569)),
                       ("bruck", (0.119347115430, 0.270325069223))):
        for n, seconds in zip((64, 128), known):
            yield Case(f"reference alltoall {how} {n}", "alltoall", [65536], n, f"switch-{n}", f"alltoall={how}", expected=seconds)


def segment_cases():
    """Sizes on both sides of every boundary of the piece-wise linear model, and of the rendezvous protocol."""
    for boundary in (257, 732, 1426, 3484, 5776, 9376, 15424, 65472):
        for n in (boundary, boundary + 1):
            yield Case(f"pingpong n={n}", "pingpong", [10, n - 16], 2, "switch-2")
    for size in (0, 1, 65535, 65536, 1 << 20):
        yield Case(f"pingpong s={size}", "pingpong", [10, size], 2, "switch-2")
    for size in (1000, 65535, 65536, 1000000):
        yield Case(f"late s={size}", "late", [size], 2, "switch-2")
    for size in (100, 30000, 1000000):
        yield Case(f"loopback s={size}", "pingpong", [10, size], 2, "loopback", hosts=["n0", "n0"])
        yield Case(f"no loopback link s={size}", "pingpong", [10, size], 2, "switch-2", hosts=["n0", "n0"])


def contention_cases():
    for size in (1000, 60000, 1000000):
        yield Case(f"share one switch s={size}", "share", [size], 5, "switch-5")
        yield Case(f"share unequal latencies s={size}", "share", [size], 5, "star")
    yield Case("share unequal latencies, split duplex", "share", [1000000], 5, "star-split")
    # 124 MB/s: the bound of a flow is the fat pipe itself, and at 125 MB/s SimGrid's rounding puts the two in another order.
    yield Case("share unequal latencies, fat pipe", "share", [1000000], 5, "star-fatpipe")
    yield Case("alltoall unequal latencies", "alltoall", [100000], 5, "star", "alltoall=linear")
    yield Case("alltoall unequal latencies, split duplex", "alltoall", [100000], 5, "star-split", "alltoall=linear")
    yield Case("share two ranks per host", "share", [200000], 5, "switch-5", hosts=["n0", "n1", "n1", "n2", "n2"])
    for size, more in ((10000, 0), (1000000, 0), (1000000, 500000)):
        yield Case(f"flows s={size}+{more}", "flows", [size, more, 0], 8, "dumbbell")
    yield Case("flows both ways", "flows", [1000000, 500000, 1], 8, "dumbbell")
    yield Case("flows fat pipe", "flows", [1000000, 500000, 0], 8, "dumbbell-fatpipe")


def pattern_cases():
    for platform, n in (("fat-tree-64", 64), ("fat-tree-64-thin", 64), ("fat-tree-64-3", 64), ("torus-4x4x4", 64),
                        ("dragonfly-64", 64), ("backbone-16", 16), ("backbone-fatpipe-16", 16), ("limiter-16", 16),
                        ("shared-links-16", 16)):
        yield Case(f"halo2d {platform} s=10240", "halo2d", [5, 10240], n, platform)
        yield Case(f"halo2d {platform} s=100000", "halo2d", [3, 100000], n, platform)
        yield Case(f"allreduce {platform}", "allreduce", [5, 1000], n, platform, "allreduce=recursive-doubling")
    for how in ("linear", "pairwise-exchange", "bruck"):
        yield Case(f"alltoall {how} fat-tree-64", "alltoall", [65536], 64, "fat-tree-64", f"alltoall={how}")
        if how != "pairwise-exchange":                      # SimGrid's `pair` is rank XOR step: powers of two only
            yield Case(f"alltoall {how} torus-3x9", "alltoall", [5000], 27, "torus-3x9", f"alltoall={how}")
        yield Case(f"alltoall {how} backbone-16", "alltoall", [65536], 16, "backbone-16", f"alltoall={how}")
    yield Case("allreduce 13 ranks", "allreduce", [5, 100], 13, "switch-13", "allreduce=recursive-doubling")


def polling_cases():
    """Every kind of poll, of messages that are there, that come soon, and that take long; by one rank and by several."""
    for how in ("test", "all", "any", "some", "probe"):
        for count, size, gap in ((1, 100, 0), (1, 100, 5000), (1, 1000000, 0), (4, 100, 700), (4, 100000, 12345)):
            yield Case(f"polls {how} {count} x {size} every {gap}", "polls", [how, count, size, gap], 2, "switch-2")
        yield Case(f"polls {how} of three ranks", "polls", [how, 3, 20000, 3210], 4, "switch-5")


def overhead_cases():
    """What sends and receives cost, on both sides of the boundaries of sections and of the rendezvous protocol; messages that arrive
    together, close to each other, and far apart."""
    for size in (0, 10000, 10001, 65535, 65536, 200000):
        for gap in (0, 20, 60, 2000):
            yield Case(f"receives s={size} every {gap}", "receives", [size, gap], 8, "overheads-8", "alltoall=linear")


# --- running

class Failed(Exception):
    pass


def execute(command, timeout, folder):
    try:
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, cwd=folder)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end within {timeout} s")
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        # Errors of mpirage come before its summary.
        line = next((line for line in said if line.startswith("mpirage: ")), said[-1] if said else "")
        raise Failed(f"exit code {done.returncode}: {line}")
    return done.stdout.decode(errors="replace")


def times(output):
    """The seconds of each SIM line, by the rest of that line. Of messages that arrive together, which is seen first is not
    told, so the n-th arrival is compared with the n-th."""
    found = {}
    for number, (key, seconds) in enumerate(re.findall(r"^(SIM .*)seconds=([0-9.]+)$", output, re.M)):
        key = re.sub(r"from=\d+", f"arrival={number}", key)
        found[key] = float(seconds)
    if not found:
        raise Failed("printed no simulated time")
    return found


class Bench:
    def __init__(self, folder, mpirage, timeout, platforms=PLATFORMS):
        self.folder, self.mpirage, self.timeout, self.platforms = pathlib.Path(folder), mpirage, timeout, platforms

    def platform(self, name):
        path = self.folder / f"{name}.xml"
        if not path.exists():
            made = self.platforms[name]()
            text, files = made if isinstance(made, tuple) else (made, {})
            path.write_text(text)
            for file, content in files.items():
                (self.folder / file).write_text(content)
        return path

    def hostfile(self, case):
        path = self.folder / "hosts"
        hosts = case.hosts or [f"n{i}" for i in range(case.ranks)]
        path.write_text("".join(f"{h}\n" for h in hosts))
        return path

    def binary(self, compiler, side, program):
        path = self.folder / f"{program}.{side}"
        if not path.exists():
            source = ROOT / "tests" / "network" / "exact_times" / f"{program}.c"
            source = source if source.exists() else ROOT / "tests" / "simgrid" / f"{program}.c"
            execute([*compiler, "-O2", source, "-o", path], self.timeout, self.folder)
        return path

    def simgrid(self, case):
        cfg = [f"--cfg={COLLECTIVES[case.coll]}"] if case.coll in COLLECTIVES else []
        return times(execute(["smpirun", "-np", case.ranks, "-hostfile", self.hostfile(case), "-platform",
                              self.platform(case.platform), *SMPI, *cfg, self.binary(["smpicc"], "simgrid", case.program),
                              *case.args], self.timeout, self.folder))

    def ours(self, case):
        where = ["--hostfile", self.hostfile(case)] if case.hosts else []
        coll = ["--coll", f"{CLOSING},{case.coll}" if case.coll in COLLECTIVES else case.coll or CLOSING]
        return times(execute([self.mpirage, "run", "-n", case.ranks, "-p", self.platform(case.platform), "--model", "simgrid",
                              "--compute", "none", *where, *coll, self.binary([self.mpirage, "cc"], "mpirage", case.program),
                              *case.args], self.timeout, self.folder))


def off_by(a, b):
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def judge(case, bench, simgrid_only):
    """A row of the table: SimGrid's slowest time, ours, the worst relative difference, and None or what is wrong."""
    theirs = bench.simgrid(case)
    slowest = max(theirs.values())
    if case.expected and off_by(slowest, case.expected) > TOLERANCE:
        return slowest, None, off_by(slowest, case.expected), f"SimGrid here differs from the known {case.expected}"
    if simgrid_only:
        return slowest, None, 0.0, None
    mine = bench.ours(case)
    if mine.keys() != theirs.keys():
        return slowest, max(mine.values()), 1.0, "other lines printed"
    key = max(theirs, key=lambda k: off_by(theirs[k], mine[k]))
    worst = off_by(theirs[key], mine[key])
    why = None if worst <= TOLERANCE else f"{key.removeprefix('SIM ').strip()}: {mine[key]:.12f}, SimGrid {theirs[key]:.12f}"
    return slowest, max(mine.values()), worst, why


def parse_options(description=__doc__):
    p = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--simgrid-only", action="store_true")
    p.add_argument("--slow", action="store_true")
    p.add_argument("--filter", default="")
    p.add_argument("--timeout", type=float, default=300)
    p.add_argument("--write-platforms", metavar="FOLDER")
    return p.parse_args()


def main():
    options = parse_options()
    if options.write_platforms:
        folder = pathlib.Path(options.write_platforms)
        folder.mkdir(parents=True, exist_ok=True)
        for name, make in PLATFORMS.items():
            (folder / f"{name}.xml").write_text(make())
        return 0
    return compare(cases(), options, PLATFORMS)


def compare(all_cases, options, platforms):
    """Runs cases on both sides and prints the table."""
    for tool in ["smpicc", "smpirun"] + ([] if options.simgrid_only else [MPIRAGE]):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not there")
    passed = failed = 0
    print(f"{'case':44} {'ranks':>5} {'SimGrid s':>18} {'mpirage s':>18} {'off by':>8}")
    with tempfile.TemporaryDirectory(prefix="simgrid-compare.") as folder:
        bench = Bench(folder, MPIRAGE, options.timeout, platforms)
        for case in all_cases:
            if options.filter not in case.name or (case.slow and not options.slow):
                continue
            theirs = mine = None
            try:
                theirs, mine, worst, why = judge(case, bench, options.simgrid_only)
            except Failed as error:
                worst, why = float("nan"), str(error)
            number = lambda v: f"{v:18.12f}" if v is not None else f"{'–':>18}"
            print(f"{case.name:44} {case.ranks:5} {number(theirs)} {number(mine)} {worst:8.1e}" + (f"  FAIL {why}" if why else ""),
                  flush=True)
            passed, failed = passed + (why is None), failed + (why is not None)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
