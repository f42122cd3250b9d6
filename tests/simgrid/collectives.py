#!/usr/bin/env python3
"""Compares the simulated times of SimGrid's collective algorithms with those of the same names in mpirage.

For each algorithm of each collective that SimGrid names, tests/simgrid/collective.c runs under `smpirun --cfg=smpi/COLLECTIVE:NAME`
and under `mpirage run --model simgrid --coll COLLECTIVE=simgrid/NAME`, on the same platform file, for several numbers of ranks,
sizes and roots. The time of every rank must agree. The tolerance is that of compare.py, relative to the slowest rank of the call.
EXPLAINED and LEFT_OUT list the algorithms that differ, and why; all others must be equal. Needs Debian's libsimgrid-dev.

    collectives.py                   all algorithms; prints one line for each number of ranks
    collectives.py bcast reduce/NTSL only these
    collectives.py --each            one line for each size and root
    collectives.py --markdown FILE   also writes the table of the documentation
    collectives.py --remember FILE   keeps SimGrid's times in FILE and reads them from there

Prints at the end `N equal, N explained, N left out, N failed`.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace

from compare import ROOT, SMPI, TOLERANCE, Failed, cluster, execute

COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "allgatherv", "alltoall", "alltoallv",
               "reduce_scatter"]
# Names that choose between algorithms. `default` is mpirage's selector `simgrid`.
SELECTORS = ["ompi", "mpich", "mvapich2", "impi", "automatic"]
# Those of them that mpirage has, as simgrid-NAME. They are compared under smpi/coll-selector.
SELECTED = ["ompi", "mpich"]
# Collectives without a choice in SimGrid; they belong to its default.
SINGLE = ["gatherv", "scatterv", "scan", "exscan"]

ROOTED = ["bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"]
UNEVEN = ["allgatherv", "alltoallv", "reduce_scatter", "gatherv", "scatterv"]
# 20,000 bytes are neither whole segments of 8 KiB nor equal parts for the ranks; from 65,536 bytes on, sends wait for receives.
VECTOR = [8, 4096, 20000, 65536, 1048576]
BLOCK = [8, 4096, 20000, 65536, 262144]
SIZES = {"barrier": [0], "bcast": VECTOR, "reduce": VECTOR, "allreduce": VECTOR, "scan": VECTOR, "exscan": VECTOR,
         "alltoall": BLOCK[:4], "alltoallv": BLOCK[:4]}

# By default SimGrid updates flows lazily and takes dates less than 1 ns apart for one, which accumulates over the rounds of short
# messages. These options make it update all flows at each event, and tell dates apart.
WITHOUT_SHORTCUT = ["--cfg=network/optim:Full", "--cfg=surf/precision:1e-12"]


@dataclass
class Excuse:
    """Why times differ, and in which calls: a function of the comparison, the size and the root."""
    reason: str
    applies: object = lambda case, size, root: True


def elements_do_not_divide(case, size, root):
    hosts = len(set(case.layout.hosts)) if uniform(case.layout) else case.layout.ranks
    return size // 8 % (2 * hosts if case.name == "smp_rsag_rab" else hosts) != 0


FORGETS = "SimGrid forgets the elements that do not divide evenly; mpirage sends them"
# Algorithms that differ for some calls.
EXPLAINED = {
    ("bcast", "flattree_pipeline"): Excuse(
        "SimGrid forgets what follows the last whole segment; mpirage sends it", lambda case, size, root: size > 8192 and size % 8192),
    ("bcast", "SMP_linear"): Excuse(
        "with one rank per host SimGrid sends messages that no rank receives, or that the next call does",
        lambda case, size, root: len(set(case.layout.hosts)) == case.layout.ranks),
    ("bcast", "ompi_split_bintree"): Excuse(
        "short vectors go as in `SMP_linear`, with the same faults", lambda case, size, root: size < 2048),
    ("bcast", "mvapich2_intra_node"): Excuse(
        "SimGrid takes the root's rank for its rank on the node, and broadcasts from the wrong rank there",
        lambda case, size, root: root > 0 and 16384 < size < 524288),
    ("allreduce", "rab2"): Excuse(
        "SimGrid's all-to-all of blocks below 512 bytes is Bruck's from 16 ranks on; in mpirage it is linear",
        lambda case, size, root: case.layout.ranks >= 16 and size <= 4096),
    ("allreduce", "smp_rsag"): Excuse(FORGETS, elements_do_not_divide),
    ("allreduce", "smp_rsag_rab"): Excuse(FORGETS, elements_do_not_divide),
    ("allreduce", "smp_rsag_lr"): Excuse(
        "with fewer elements than hosts SimGrid sends the same element in each round; mpirage sends it once around",
        lambda case, size, root: size == 8),
    ("reduce_scatter", "ompi_basic_recursivehalving"): Excuse(
        "two ranks of which one has nothing to receive exchange no messages in SimGrid; in mpirage one may depend on the other",
        lambda case, size, root: case.uneven and size == 8),
    ("reduce", "ompi"): Excuse(
        "64 KiB of 64 ranks (`ompi_binomial`): some ranks end up to 0.02 % earlier or later; the reason is not known",
        lambda case, size, root: case.layout.ranks == 64 and size == 65536),
    ("reduce_scatter", "ompi"): Excuse(
        "two ranks of which one has nothing to receive exchange no messages in SimGrid; in mpirage one may depend on the other",
        lambda case, size, root: case.uneven and size == 8),
}
AT_RUN_TIME = "decides at run time, by who has arrived"
# Algorithms that mpirage does not have, and the reason.
LEFT_OUT = {
    ("bcast", "arrival_pattern_aware"): AT_RUN_TIME,
    ("bcast", "arrival_pattern_aware_wait"): AT_RUN_TIME,
    ("bcast", "arrival_scatter"): AT_RUN_TIME,
    ("reduce", "arrival_pattern_aware"): AT_RUN_TIME,
    ("bcast", "mvapich2_inter_node"): "is a part of `mvapich2_intra_node`: only one rank of each host gets the data",
    ("alltoall", "pair_rma"): "consists of one-sided operations",
}


@dataclass
class Layout:
    """Ranks on hosts."""
    name: str
    hosts: list

    @property
    def ranks(self):
        return len(self.hosts)


def one_per_host(ranks):
    return Layout(f"{ranks}", [f"n{i}" for i in range(ranks)])


def shared(*counts):
    """So many ranks on each host, one host after the other."""
    return Layout("+".join(map(str, counts)), [f"n{host}" for host, count in enumerate(counts) for _ in range(count)])


# What selectors choose depends on sizes and numbers of ranks.
SELECTOR_SIZES = [8, 128, 1024, 4096, 20000, 65536, 200000, 1048576]
SELECTOR_RANKS = [2, 3, 5, 8, 12, 16, 20, 33, 64]
SPREAD = [one_per_host(ranks) for ranks in (2, 4, 7, 8, 16)]
SHARED = [shared(4, 4, 4, 4), shared(2, 2, 2), shared(4, 3), shared(8, 0)]


def uniform(layout):
    """Have all hosts the same number of ranks?"""
    return len({layout.hosts.count(host) for host in layout.hosts}) == 1


def knows_hosts(collective, name):
    """Does the algorithm ask which ranks share a host?"""
    return any(word in name.lower() for word in ("smp", "loosely", "two_level", "node"))


@dataclass
class Comparison:
    """One algorithm on one layout, for some sizes and roots."""
    collective: str
    name: str
    layout: Layout
    uneven: bool
    sizes: list
    roots: list
    theirs: dict = field(default_factory=dict)     # (size, root) -> seconds of each rank
    ours: dict = field(default_factory=dict)
    refused: list = field(default_factory=list)    # (size, root) that SimGrid does not survive
    without_shortcut: list = field(default_factory=list)

    def arguments(self):
        lists = [",".join(map(str, values)) for values in (self.sizes, self.roots)]
        return [self.collective, *lists, *(["uneven"] if self.uneven else []), *(["warm"] if self.name in SELECTED else [])]

    def calls(self):
        """One by one."""
        alone = lambda size, root: replace(self, sizes=[size], roots=[root], theirs={}, ours={}, refused=[], without_shortcut=[])
        return [alone(size, root) for size in self.sizes for root in self.roots]

    def off_by(self, call):
        slowest = max(max(self.theirs[call]), max(self.ours[call]))
        apart = max(abs(a - b) for a, b in zip(self.theirs[call], self.ours[call], strict=True))
        return apart / slowest if slowest else 0.0

    def different(self):
        return [call for call in self.theirs if self.off_by(call) > TOLERANCE]


def times(output):
    """Seconds of each rank, by size and root."""
    found = {}
    for size, root, rank, seconds in re.findall(r"^SIM bytes=(\d+) root=(\d+) rank=(\d+) seconds=([0-9.]+)$", output, re.M):
        found.setdefault((int(size), int(root)), {})[int(rank)] = float(seconds)
    if not found:
        raise Failed("printed no simulated time")
    return {call: [ranks[rank] for rank in sorted(ranks)] for call, ranks in found.items()}


class Bench:
    def __init__(self, folder, mpirage, memory):
        self.folder, self.mpirage, self.memory = pathlib.Path(folder), mpirage, memory
        self.platform = self.folder / "cluster.xml"
        self.platform.write_text(cluster(max(SELECTOR_RANKS), 'loopback_bw="2GBps" loopback_lat="1us"'))
        source = ROOT / "tests" / "simgrid" / "collective.c"
        execute(["smpicc", "-O2", source, "-o", "collective.simgrid"], 120, folder)
        execute([mpirage, "cc", "-O2", source, "-o", "collective.mpirage"], 120, folder)

    def hostfile(self, layout):
        path = self.folder / f"hosts.{layout.name}"
        path.write_text("".join(f"{host}\n" for host in layout.hosts))
        return path

    def simgrid(self, case, *options):
        """SimGrid's output, or None if it fails."""
        choice = "coll-selector" if case.name in SELECTED else case.collective
        cfg = [f"--cfg=smpi/{choice}:{case.name}", *options] if case.collective in COLLECTIVES else [*options]
        key = " ".join([*cfg, case.layout.name, *case.arguments()])
        if key not in self.memory:
            command = ["smpirun", "-np", case.layout.ranks, "-hostfile", self.hostfile(case.layout), "-platform", self.platform,
                       *SMPI, *cfg, "./collective.simgrid", *case.arguments()]
            try:
                text = execute(command, 60, self.folder)
                # SimGrid may end well although ranks never returned from the call.
                complete = text.count("SIM ") == case.layout.ranks * len(case.sizes) * len(case.roots)
                self.memory[key] = text if complete else None
            except Failed:
                self.memory[key] = None
        return self.memory[key]

    def ours(self, case):
        tables = {"default": "simgrid", **{name: f"simgrid-{name}" for name in SELECTED}}
        coll = tables.get(case.name, f"{case.collective}=simgrid/{case.name}")
        return times(execute([self.mpirage, "run", "-n", case.layout.ranks, "-p", self.platform, "--model", "simgrid", "--compute",
                              "none", "--hostfile", self.hostfile(case.layout), "--coll", coll, "./collective.mpirage",
                              *case.arguments()], 60, self.folder))

    def compare(self, case):
        """Runs both sides. Where SimGrid does not survive all calls, those that it does survive alone are compared."""
        if self.simgrid(case) is not None:
            return self.run_both(case, case)
        for alone in case.calls():
            if self.simgrid(alone) is None:
                case.refused.append((alone.sizes[0], alone.roots[0]))
            else:
                self.run_both(alone, case)

    def run_both(self, part, case):
        """Adds the calls of a part to the comparison. Where SimGrid's shortcut leads to other times than ours, it runs without."""
        part.theirs, part.ours = times(self.simgrid(part)), self.ours(part)
        doubtful = [call for call in part.different() if not excuse(part, call)]
        exact = self.simgrid(part, *WITHOUT_SHORTCUT) if doubtful else None
        for call in doubtful if exact else []:
            part.theirs[call] = times(exact)[call]
            case.without_shortcut.append(call)
        case.theirs.update(part.theirs)
        case.ours.update(part.ours)


def names_of(collective):
    """The algorithms that the installed SimGrid lists when it meets a wrong name."""
    if collective in SINGLE:
        return ["default"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "p.xml").write_text(cluster(1))
        (path / "h").write_text("n0\n")
        command = ["smpirun", "-np", "1", "-hostfile", "h", "-platform", "p.xml", f"--cfg=smpi/{collective}:?", "/bin/true"]
        said = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = re.search(r"Valid algorithms: ([^.]*)\.", said.stdout + said.stderr)
    if not found:
        sys.exit(f"SimGrid lists no algorithms of {collective}")
    return [name for name in found[1].split(", ") if name not in SELECTORS or name in SELECTED]


def layouts(collective, name):
    if name in SELECTED:
        return [one_per_host(ranks) for ranks in SELECTOR_RANKS] + SHARED
    if (collective, name) == ("barrier", "ompi_two_procs"):
        return SPREAD[:1]
    return SPREAD[1:] + (SHARED if knows_hosts(collective, name) else [])


def comparisons(collective, name):
    for layout in layouts(collective, name):
        roots = [0, layout.ranks // 2 + 1] if collective in ROOTED and layout.ranks > 2 else [0]
        sizes = SIZES.get(collective, BLOCK)
        if name in SELECTED and collective != "barrier":
            sizes = [size for size in SELECTOR_SIZES if size <= max(sizes) and (size * layout.ranks <= 1 << 20 or sizes == VECTOR)]
        for uneven in [False, True] if collective in UNEVEN else [False]:
            case = Comparison(collective, name, layout, uneven, sizes, roots)
            # A call that differs would leave the ranks of a host in another state for the next one.
            differs = [size for size in sizes if any(excuse(case, (size, root)) for root in roots)]
            for part in [[size for size in sizes if size not in differs], differs]:
                if part:
                    yield replace(case, sizes=part, theirs={}, ours={}, refused=[], without_shortcut=[])


def show(case, each):
    for call in case.theirs if each else [max(case.theirs, key=case.off_by)]:
        theirs, ours = max(case.theirs[call]), max(case.ours[call])
        size, root = call
        label = f"{case.collective}/{case.name}"
        print(f"{label:38} {case.layout.name + (' v' if case.uneven else ''):>9} {size:8} {root:3} {theirs:16.12f} {ours:16.12f} "
              f"{ours / theirs if theirs else 1:10.7f} {case.off_by(call):8.1e}", flush=True)


def excuse(case, call):
    known = EXPLAINED.get((case.collective, case.name))
    return known.reason if known and known.applies(case, *call) else None


@dataclass
class Result:
    """What is said of one algorithm."""
    collective: str
    name: str
    verdict: str                                   # equal, explained, left out, failed
    reason: str = ""
    compared: int = 0
    worst: float = 0.0
    shortcuts: int = 0                             # calls compared without SimGrid's shortcut


def judge(collective, name, bench, each):
    if (collective, name) in LEFT_OUT:
        return Result(collective, name, "left out", LEFT_OUT[collective, name])
    result, remarks, different = Result(collective, name, "equal"), [], []
    for case in comparisons(collective, name):
        try:
            bench.compare(case)
        except Failed as error:
            return Result(collective, name, "failed", f"{case.layout.name} ranks: {error}")
        if case.refused:
            what = "" if not case.theirs else " with " + ", ".join(f"{size} bytes, root {root}" for size, root in case.refused)
            remarks.append(f"SimGrid fails on {case.layout.name} ranks{what}")
        if not case.theirs:
            continue
        show(case, each)
        if set(case.without_shortcut) - set(case.different()):
            result.shortcuts += len(case.without_shortcut)
        excused = [call for call in case.different() if excuse(case, call)]
        result.compared += len(case.theirs) - len(excused)
        result.worst = max([result.worst, *(case.off_by(call) for call in case.theirs if call not in excused)])
        remarks += [excuse(case, call) for call in excused]
        different += [f"{size} bytes, root {root} on {case.layout.name}" for size, root in set(case.different()) - set(excused)]
    if result.shortcuts:
        remarks.append(f"{result.shortcuts} calls equal SimGrid with `network/optim:Full` and `surf/precision:1e-12` only; its default takes a shortcut")
    result.reason = "; ".join(dict.fromkeys(remarks))
    if different:
        result.verdict, result.reason = "failed", "differs for " + "; ".join(sorted(different))
    elif not result.compared:
        result.verdict, result.reason = "failed", "nothing could be compared"
    elif (collective, name) in EXPLAINED:
        result.verdict = "explained"
        if EXPLAINED[collective, name].reason not in remarks:
            result.verdict, result.reason = "failed", "is equal although it is said to differ"
    return result


INTRODUCTION = """# SimGrid's collective algorithms

`--coll bcast=simgrid/NTSL` takes the algorithm that SimGrid 3.32 takes with `--cfg=smpi/bcast:NTSL`. Case does not matter, and `-` is as
good as `_`. `--coll simgrid` is SimGrid's default selection. With `--model simgrid` the simulated times are SimGrid's:
`tests/simgrid/collectives.py` compares the time of every rank, for several numbers of ranks, sizes and roots, on a switch, and with several
ranks per host for the algorithms that ask for it. *Equal* means a relative difference of at most {tolerance:.0e}.

Where SimGrid's own code calls another collective, such as a barrier between rounds, the schedule here contains the algorithm of SimGrid's
default selection. For calls that SimGrid refuses, `--coll` falls back to the table of rules in use, as it does for every algorithm that cannot
perform a call.

{count} algorithms: {equal} equal, {explained} equal but for calls with a known reason, {left} left out. `--coll simgrid-ompi` and
`--coll simgrid-mpich` choose among them as SimGrid does with `--cfg=smpi/coll-selector:ompi` and `mpich`; there, *equal* is said of all that
they choose for the numbers of ranks and sizes of the test. The selectors `mvapich2`, `impi` and `automatic` are not there. {shortcuts} of {compared} calls are compared with SimGrid under `network/optim:Full` and
`surf/precision:1e-12`: by default it updates flows lazily and takes dates less than 1 ns apart for one, and its own times differ by more than
the tolerance then.

"""


def markdown(results):
    """The page of the documentation."""
    algorithms = [r for r in results if r.name not in ["default", *SELECTED]]
    number = lambda verdict: sum(r.verdict == verdict for r in algorithms)
    head = INTRODUCTION.format(tolerance=TOLERANCE, count=len(algorithms), equal=number("equal"), explained=number("explained"),
                               left=number("left out"), shortcuts=sum(r.shortcuts for r in results),
                               compared=sum(r.compared for r in results))
    lines = ["<!-- Written by tests/simgrid/collectives.py --markdown; do not edit. -->", "",
             "| collective | SimGrid's name | verdict | calls compared | largest difference | remark |", "|---|---|---|---|---|---|"]
    for r in results:
        numbers = f"{r.compared} | {r.worst:.0e}" if r.compared else "– | –"
        lines.append(f"| {r.collective} | `{r.name}` | {r.verdict} | {numbers} | {r.reason} |")
    return head + "\n".join(lines) + "\n"


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("only", nargs="*", metavar="COLLECTIVE[/NAME]")
    p.add_argument("--each", action="store_true")
    p.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    p.add_argument("--remember", type=pathlib.Path, metavar="FILE")
    return p.parse_args()


def wanted(collective, name, only):
    return not only or collective in only or f"{collective}/{name}" in only


def main():
    options = parse_options()
    mpirage = os.path.abspath(os.environ.get("MPIRAGE", ROOT / "target" / "release" / "mpirage"))
    for tool in ["smpicc", "smpirun", mpirage]:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not there")
    memory = json.loads(options.remember.read_text()) if options.remember and options.remember.exists() else {}
    results = []
    print(f"{'algorithm':38} {'ranks':>9} {'bytes':>8} {'root':>3} {'SimGrid s':>15} {'mpirage s':>16} {'ratio':>10} {'off by':>8}")
    with tempfile.TemporaryDirectory(prefix="simgrid-collectives.") as folder:
        bench = Bench(folder, mpirage, memory)
        for collective in COLLECTIVES + SINGLE:
            if not any(wanted(collective, "", [item.split("/")[0]]) for item in options.only or [collective]):
                continue
            for name in names_of(collective):
                if not wanted(collective, name, options.only):
                    continue
                result = judge(collective, name, bench, options.each)
                results.append(result)
                if result.verdict == "failed":
                    print(f"{collective}/{name}: FAILED {result.reason}", flush=True)
                if options.remember:
                    options.remember.write_text(json.dumps(memory))
    if options.markdown:
        options.markdown.write_text(markdown(results))
    count = lambda verdict: sum(r.verdict == verdict for r in results)
    print(f"{count('equal')} equal, {count('explained')} explained, {count('left out')} left out, {count('failed')} failed")
    return 1 if count("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
