#!/usr/bin/env python3
"""Figures 3, 6 and 7 of Keller Tesser et al., Using Simulation to Evaluate and Tune the Performance of Dynamic Load Balancing of an
Over-decomposed Geophysics Application (2016), with examples/front.c instead of Ondes3D: prints the tables of docs/sampi-paper.md and
checks the paper's statements. `tests/papers/sampi_paper.py [3] [6] [7] [speed] [--small]`; `make papers` runs all, --small figure 3 with 20 iterations."""

import json
import pathlib
import re
import resource
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page  # noqa: E402
from harness import MPIRAGE, ROOT, TESTS, Suite  # noqa: E402

CORES, ITERATIONS, CELLS, SCALE = 16, 300, "125x88x16", 2
GRIDS = {16: "4x4", 32: "4x8", 64: "8x8", 128: "8x16", 256: "16x16"}
NETWORKS = {"infiniband": "16 Gbit/s, 1.5 µs", "gigabit": "1 Gbit/s, 25 µs", "slow": "240 Mbit/s, 25 µs"}
INTERVALS = [10, 20, 30, 40]


def traced(suite, ranks, iterations=ITERATIONS, cells=CELLS):
    """The trace of the program on one of the process grids."""
    file = suite.folder / f"{ranks}-{iterations}.mpirage"
    if not file.exists():
        front = suite.compile(ROOT / "examples" / "front.c", flags=["-O2", "-lm"])
        words = [MPIRAGE, "run", "-n", ranks, "--compute", "none", "--trace", file, "-q", front, iterations, cells, GRIDS[ranks], SCALE]
        done = suite.run(words, timeout=600)
        suite.check(f"front on {ranks} ranks", done.code == 0, done)
    return file


def aggregated(suite, ranks, iterations=ITERATIONS):
    file = suite.folder / f"from-256-{ranks}-{iterations}.mpirage"
    if not file.exists():
        words = [MPIRAGE, "trace", "aggregate", "--grid", GRIDS[256], "--to", GRIDS[ranks], traced(suite, 256, iterations), file]
        done = suite.run(words, timeout=120)
        suite.check(f"256 ranks become {ranks}", done.code == 0, done)
    return file


def cases(suite, trace, *words, network="gigabit"):
    platform = TESTS / "papers" / "sampi_paper" / f"{network}.toml"
    done = suite.run([MPIRAGE, "balance", trace, "--json", "--on-cores", CORES, "-p", platform, *words], timeout=600)
    suite.check(f"balance {trace.stem} {' '.join(map(str, words))}", done.code == 0, done)
    return {(case["ranks"], case["balancer"], case["every"]): case for case in json.loads(done.out)["cases"]}


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def figure_3(suite, iterations=ITERATIONS):
    """The computation of each of 16 ranks in each iteration: native against aggregated from 256 ranks."""
    stay = suite.folder / "stay.sh"
    stay.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{json.dumps({'mapping': list(range(CORES))})}'\n")
    stay.chmod(0o755)
    found = [cases(suite, trace, "--balancer", stay, "--every", 1)[16, str(stay), 1] for trace in (traced(suite, 16, iterations), aggregated(suite, 16, iterations))]
    native, coarse = (case["core_seconds_per_interval"] for case in found)
    worst = max(abs(a - b) / b for loads, others in zip(coarse, native) for a, b in zip(loads, others))
    print(f"\nFigure 3: largest difference of a rank in an iteration: {100 * worst:.2g} % of {len(native)} iterations x 16 ranks")
    suite.check("figure 3: within 2 %", len(native) == iterations and worst < 0.02, worst)


def figure_6(suite):
    """64 ranks on 16 cores, balanced every 20 iterations."""
    found = cases(suite, aggregated(suite, 64), "--balancer", "none,greedy,refine", "--every", 20)
    print("\nFigure 6: 64 ranks on 16 cores, every 20 iterations, gigabit\n")
    head("balancer", "makespan [s]", "mean load of a core", "largest load by mean load", "ranks moved")
    busy = {}
    for (_, balancer, _), case in found.items():
        busy[balancer] = case["computed_seconds"] / CORES / case["simulated_seconds"]
        imbalance = "" if case["imbalance"] is None else f"{case['imbalance']:.2f}"
        row(balancer, f"{case['simulated_seconds']:.2f}", f"{100 * busy[balancer]:.0f} %", imbalance, case["moves"])
    suite.check("figure 6: cores are idle without a balancer", busy["none"] < min(busy["greedy"], busy["refine"]), busy)
    greedy, refine = (found[64, name, 20] for name in ("greedy", "refine"))
    suite.check("figure 6: greedy balances better than refine", greedy["imbalance"] < refine["imbalance"], (greedy["imbalance"], refine["imbalance"]))
    suite.check("figure 6: refine is faster all the same", refine["simulated_seconds"] < greedy["simulated_seconds"])
    suite.check("figure 6: refine moves a tenth of the ranks at most", 10 * refine["moves"] <= greedy["moves"], (refine["moves"], greedy["moves"]))


def figure_7(suite):
    """Makespans by interval with 64 ranks, and by number of ranks with an interval of 20."""
    by_interval, by_ranks = {}, {}
    for network in NETWORKS:
        words = ("--balancer", "none,greedy,refine", "--every", ",".join(map(str, INTERVALS)))
        by_interval[network] = cases(suite, aggregated(suite, 64), *words, network=network)
        words = ("--balancer", "none,greedy,refine", "--every", 20, "--grid", GRIDS[256], "--decompose", ",".join(GRIDS.values()))
        by_ranks[network] = cases(suite, traced(suite, 256), *words, network=network)
    seconds = lambda table, network, *key: table[network][key]["simulated_seconds"]
    print("\nFigure 7, left: makespan [s] by interval, 64 ranks on 16 cores\n")
    head("network", "none", *(f"{name} {every}" for name in ("greedy", "refine") for every in INTERVALS))
    for network, about in NETWORKS.items():
        times = [seconds(by_interval, network, 64, name, every) for name in ("greedy", "refine") for every in INTERVALS]
        row(f"{network}: {about}", *(f"{time:.2f}" for time in [seconds(by_interval, network, 64, "none", None), *times]))
    print("\nFigure 7, right: makespan [s] by number of ranks on 16 cores, every 20 iterations\n")
    head("network", "balancer", *(f"16 x {ranks // 16}" for ranks in GRIDS))
    for network, about in NETWORKS.items():
        for name, every in (("none", None), ("greedy", 20), ("refine", 20)):
            row(f"{network}: {about}", name, *(f"{seconds(by_ranks, network, ranks, name, every):.2f}" for ranks in GRIDS))
    left = lambda name, every: seconds(by_interval, "gigabit", 64, name, every)
    suite.check("figure 7: greedy is hurt by frequent balancing", left("greedy", 10) > left("greedy", 20))
    suite.check("figure 7: refine gains from frequent balancing", left("refine", 10) < left("refine", 20) < left("none", None))
    right = lambda name, every: [seconds(by_ranks, "slow", ranks, name, every) for ranks in GRIDS if ranks > CORES]
    none, greedy, refine = right("none", None), right("greedy", 20), right("refine", 20)
    suite.check("figure 7: more ranks alone do not help", none[-1] > none[0], none)
    suite.check("figure 7: greedy wants as few ranks as possible", min(greedy) == greedy[0], greedy)
    suite.check("figure 7: refine has a sweet spot", min(refine) not in (refine[0], refine[-1]), refine)


def speed(suite):
    """256 ranks, 500 iterations: what one what-if costs, and 48 of them on two cores."""
    trace = traced(suite, 256, 500, "128x128x1")
    one, many = ("none",), ("none,greedy,refine,greedy-refine,rotate,distributed,comm-aware", "--every", "10,15,20,25,30,35,40,50")
    for count, words in ((1, one), (49, many)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = suite.run([MPIRAGE, "balance", trace, "-q", "--on-cores", CORES, "-p", TESTS / "papers" / "sampi_paper" / "gigabit.toml", "--jobs", 2, "--balancer", *words], timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"\nspeed: {count} what-ifs of 256 ranks and 500 iterations: {cpu:.2f} s of processor time, {done.seconds:.1f} s on two cores")
        suite.check(f"speed: {count} run", done.code == 0, done)
        suite.check(f"speed: {count} below 2 s of processor time each", cpu < 2 * count, cpu)


PARTS = {"3": figure_3, "6": figure_6, "7": figure_7, "speed": speed}


# Ondes3D itself: the folder `ondes3d/docker-cluster/project` of its distribution, with SRC and ESSAI-XML. The domain is smaller than that of its example, so that a
# trace of 64 ranks takes a minute.
DOMAIN = {"tmax": 40, "xMin": -63, "xMax": 64, "yMin": -63, "yMax": 64, "zMin": -30}
MOVES = ("#include <smpi/smpi.h>\n", "AMPI_Migrate(AMPI_INFO_LB_SYNC);\n")
LOOP = re.compile(r"for \( l = 1; l <= PRM\.tMax; l\+\+ \)\{\n")


def ondes3d(suite, folder, iterations):
    """Compiles a copy without threads, timers and output, with the two lines of SAMPI. Returns the folder to run it in."""
    copy = suite.folder / "ondes3d"
    shutil.copytree(folder, copy)
    (copy / "ESSAI-OUTPUT").mkdir(exist_ok=True)
    shutil.copy(copy / "ESSAI-XML" / "options.h", copy / "SRC" / "options.h")
    make, main, domain = copy / "SRC" / "Makefile", copy / "SRC" / "main.c", copy / "ESSAI-XML" / "essai.prm"
    dropped = r"^(TESTFLAGS\s*\+=\s*-D(OMP|TIMER=1)|OMP_FLAGS.*)$"
    make.write_text(re.sub(dropped, "", make.read_text(), flags=re.MULTILINE))
    source = main.read_text(errors="replace")
    suite.check("ondes3d: one main loop", len(LOOP.findall(source)) == 1)
    main.write_text(MOVES[0] + LOOP.sub(lambda found: found[0] + MOVES[1], source))
    text = domain.read_text()
    for key, value in {**DOMAIN, "tmax": iterations}.items():
        text = re.sub(rf"<{key}> *-?\d+ *</{key}>", f"<{key}> {value} </{key}>", text)
    domain.write_text(text)
    done = suite.run(["make", "-C", copy / "SRC", f"CC={MPIRAGE.parent / 'bin' / 'mpicc'}"], timeout=300)
    suite.check("ondes3d: compiles", done.code == 0, done)
    return copy


def ondes3d_trace(suite, copy, ranks):
    file = suite.folder / f"ondes3d-{ranks}.mpirage"
    words = ["sh", "-c", f"cd {copy} && {MPIRAGE} run -q -n {ranks} --ppn 1 -p cluster:{ranks} --trace {file} ./ondes3d"]
    done = suite.run(words, timeout=900)
    suite.check(f"ondes3d: {ranks} ranks", done.code == 0, done)
    return file


def figures_of_ondes3d(suite, tables, folder, small):
    """Figures 3, 6 and 7 (left) with Ondes3D itself."""
    every = [5] if small else [2, 5, 10]
    copy = ondes3d(suite, folder, 10 if small else DOMAIN["tmax"])
    fine, native = ondes3d_trace(suite, copy, 64), ondes3d_trace(suite, copy, CORES)
    coarse = suite.folder / "ondes3d-from-64.mpirage"
    done = suite.run([MPIRAGE, "trace", "aggregate", "--grid", GRIDS[64], "--to", GRIDS[CORES], fine, coarse], timeout=300)
    if suite.check("ondes3d: 64 ranks become 16", done.code == 0, done):
        seconds = [json.loads(suite.run([MPIRAGE, "replay", "-q", "--json", "-p", f"cluster:{CORES}", "--ppn", 1, trace]).out)["simulated_seconds"] for trace in (native, coarse)]
        tables.table("ondes3d 3", ["", "seconds"], [["16 ranks, native", f"{seconds[0]:.3f}"], ["16 ranks, from 64", f"{seconds[1]:.3f}"]], "Figure 3 with Ondes3D")
    found = {network: cases(suite, fine, "--balancer", "none,greedy,refine", "--every", ",".join(map(str, every)), network=network) for network in NETWORKS}
    body = []
    for network, runs in found.items():
        for (_, balancer, interval), case in runs.items():
            load = case["computed_seconds"] / CORES / case["simulated_seconds"]
            imbalance = "" if case["imbalance"] is None else f"{case['imbalance']:.2f}"
            body.append([network, balancer, interval or "", f"{case['simulated_seconds']:.3f}", f"{100 * load:.0f}", imbalance, case["moves"]])
    tables.table("ondes3d", ["network", "balancer", "every", "makespan, s", "mean load, %", "largest by mean load", "ranks moved"], body, "Figures 6 and 7 with Ondes3D, 64 ranks on 16 cores")
    if not small:
        seconds = {(balancer, interval): case["simulated_seconds"] for (_, balancer, interval), case in found["infiniband"].items()}
        often, seldom = every[0], every[-1]
        suite.check("ondes3d: greedy is hurt by frequent balancing", seconds["greedy", often] > seconds["greedy", seldom], seconds)
        suite.check("ondes3d: refine gains from it, and is the fastest", min(seconds, key=seconds.get) == ("refine", often), seconds)


def main():
    parser = page.parser(__doc__)
    parser.add_argument("--ondes3d", type=pathlib.Path, metavar="FOLDER", help="where SRC and ESSAI-XML of Ondes3D are: its own tables, and nothing else")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    if set(options.parts) - set(PARTS):
        parser.error(f"there are {', '.join(PARTS)}")
    if options.write and not options.ondes3d:
        parser.error("--write needs --ondes3d: the other tables of this page are copied by hand")
    suite = Suite("sampi_paper")
    if options.ondes3d:
        tables = page.Page(options.write)
        figures_of_ondes3d(suite, tables, options.ondes3d, options.small)
        tables.write()
        return suite.end()
    for part in options.parts or (["3"] if options.small else PARTS):
        if part == "3":
            figure_3(suite, 20 if options.small else ITERATIONS)
        else:
            PARTS[part](suite)
    suite.end()


if __name__ == "__main__":
    main()
