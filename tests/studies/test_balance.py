"""`mpirage balance`: ranks that move between fewer cores."""

import json
import math

import prepare
import pytest
from harness import MPIRAGE, ROOT

RANKS, CORES, ITERATIONS = 32, 8, 200
CELLS, GRID, SCALE = "96x96x2", "4x8", 4
# Bytes that move with the ranks of all cells: see examples/front.c.
STATE_BYTES = 96 * 96 * 2 * 160 * SCALE**3
# Our names of the balancers, and those of Charm++ where it has them.
CHARM = {"nuco": "NucoLB", "hwtopo": "HwTopoLB", "none": "none", "greedy": "GreedyLB", "refine": "RefineLB", "greedy-refine": "GreedyRefineLB", "rotate": "RotateLB", "random": "RandCentLB",
         "hierarchical": "hierarchical", "distributed": "DistributedLB", "comm-aware": "GreedyCommLB"}
ALL = ",".join(CHARM)
FAST_LINKS = "cluster:32"


def trace_of(suite, mode="processes", grid=GRID):
    """The trace of the example with a moving front."""
    front = suite.compile(ROOT / "examples" / "front.c", flags=["-O2", "-lm"])
    file = suite.folder / f"front-{mode}-{grid}.mpirage"
    if not file.exists():
        rows, columns = map(int, grid.split("x"))
        done = suite.run([MPIRAGE, "run", "-n", rows * columns, "--compute", "none", "--ranks-as", mode, "--trace", file, "-q", front, ITERATIONS, CELLS, grid, SCALE], timeout=120)
        suite.check(f"the front runs ({mode}, {grid})", done.code == 0, done)
    return file


def balance(suite, trace, *arguments):
    return suite.run([MPIRAGE, "balance", trace, *arguments], timeout=120)


def cases(suite, trace, *arguments):
    """Results by (balancer, every)."""
    done = balance(suite, trace, "--json", *arguments)
    suite.check(f"balance {' '.join(map(str, arguments))}", done.code == 0, done)
    found = json.loads(done.out)["cases"] if done.code == 0 else []
    return {(case["balancer"], case["every"]): case for case in found}


def test_none(suite):
    """Without a balancer it is a plain replay, to the picosecond, with one rank for each core and with several."""
    trace = trace_of(suite)
    plain = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", FAST_LINKS, trace])
    seconds = json.loads(plain.out)["simulated_seconds"]
    alone = cases(suite, trace, "--balancer", "none", "-p", FAST_LINKS)["none", None]
    suite.check("none: equals a replay", alone["simulated_seconds"] == seconds, (alone["simulated_seconds"], seconds))
    suite.check("none: no decisions", alone["decisions"] == 0 and alone["migration_points"] == ITERATIONS, alone)
    fewer = cases(suite, trace, "--balancer", "none", "--on-cores", CORES)["none", None]
    turns = suite.run([MPIRAGE, "replay", "-q", "--json", "--on-cores", CORES, trace])
    turns = json.loads(turns.out)["simulated_seconds"]
    suite.check("none: equals a replay whose ranks take turns on as many cores", fewer["simulated_seconds"] == turns, (fewer["simulated_seconds"], turns))
    suite.check("none: cores that do all the work one after the other", fewer["simulated_seconds"] >= max(seconds, fewer["computed_seconds"] / CORES), fewer["simulated_seconds"])


@pytest.fixture(scope="module")
def moved(suite):
    """The example under all balancers: results by (balancer, every)."""
    found = cases(suite, trace_of(suite), "--on-cores", CORES, "--net", "hdr100", "--balancer", ALL, "--every", "5,10")
    suite.check("work: all cases are there", len(found) == 21, list(found))
    return found


@pytest.mark.parametrize("balancer", CHARM, ids=CHARM.values())
def test_work(suite, moved, balancer):
    """Balancers move work; they neither make nor lose any."""
    first = moved["none", None]["computed_seconds_per_rank"]
    least = sum(first) / CORES
    for key, case in moved.items():
        if key[0] == balancer:
            seconds = case["computed_seconds_per_rank"]
            same = all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(seconds, first))
            suite.check(f"work: {key} computes as much for each rank", len(seconds) == RANKS and same, seconds)
            suite.check(f"work: {key} is no faster than the cores", case["simulated_seconds"] >= least, (case["simulated_seconds"], least))
            per_interval = sum(map(sum, case["core_seconds_per_interval"]))
            suite.check(f"work: {key}: loads of cores are those of ranks", not case["decisions"] or math.isclose(per_interval, sum(seconds), rel_tol=1e-9), per_interval)


def test_greedylb_is_better_than_none(suite, moved):
    greedy, none = (moved[key]["simulated_seconds"] for key in (("greedy", 5), ("none", None)))
    suite.check("work: greedy is better than none", greedy < none, (greedy, none))


def test_refinelb_moves_fewer_ranks_than_greedylb(suite, moved):
    refine, greedy = (moved[name, 5]["moves"] for name in ("refine", "greedy"))
    suite.check("work: refine moves fewer ranks than greedy", refine < greedy, (refine, greedy))


def test_options(suite):
    """Balancers have numbers that can be set; one that is asked on demand decides only if the load calls for it."""
    trace, where = trace_of(suite), ("--on-cores", CORES, "--net", "hdr100", "--every", 10)
    names = ["refine", "refine:tolerance=1.05", "refine:tolerance=1.5", "greedy", "greedy:above=1", "greedy:above=1.2", "greedy:above=100"]
    found = cases(suite, trace, *where, "--balancer", ",".join(names))
    found = {name: found[name, 10] for name in names}
    same = lambda a, b: all(found[a][key] == found[b][key] for key in ("simulated_seconds", "moves", "decisions"))
    suite.check("options: 1.05 is the default of refine", same("refine", "refine:tolerance=1.05"), found)
    suite.check("options: a higher tolerance moves fewer ranks", found["refine:tolerance=1.5"]["moves"] < found["refine"]["moves"], found)
    suite.check("options: every imbalance is above 1", same("greedy", "greedy:above=1"), found)
    suite.check("options: some intervals are balanced enough", 0 < found["greedy:above=1.2"]["decisions"] < found["greedy"]["decisions"], found)
    never, asked = found["greedy:above=100"], found["greedy"]
    suite.check("options: nobody moves if nothing is above", never["moves"] == never["decisions"] == 0 and asked["moves"] > 0, never)
    expensive = cases(suite, trace, *where, "--balancer", "greedy:above=100", "--decision", "1s")["greedy:above=100", 10]
    suite.check("options: what is not decided costs nothing", expensive["simulated_seconds"] == never["simulated_seconds"], expensive)
    for name, text in (("refine:tolerance=0.9", "a number from 1 on"), ("refine:alpha=1", "there is no option alpha"), ("refin:tolerance=2", "there is no balancer refin")):
        done = balance(suite, trace, "--balancer", name)
        suite.check(f"options: {name} is refused", done.code == 84 and text in done.err, done)


def test_costs(suite):
    """A decision and a migration cost what was said."""
    trace = trace_of(suite)
    rotate = lambda *more: cases(suite, trace, "--on-cores", CORES, "--balancer", "rotate", "--every", 10, *more)["rotate", 10]
    free, slow = rotate("--decision", "0s", "--state", "0B"), rotate("--decision", "1s", "--state", "0B")
    gained = slow["simulated_seconds"] - free["simulated_seconds"]
    suite.check("costs: a second for each decision", math.isclose(gained, free["decisions"], rel_tol=1e-9), gained)
    suite.check("costs: decisions", free["decisions"] == ITERATIONS // 10 and free["moves"] == RANKS * free["decisions"], free["moves"])
    heavy = rotate("--decision", "0s", "--state", "10MB")
    suite.check("costs: bytes", heavy["moved_bytes"] == heavy["moves"] * 10_000_000, heavy["moved_bytes"])
    # Each core sends four states and receives four, over a link of 1.25 GB/s as a rule; a bandwidth above that is impossible.
    extra = heavy["simulated_seconds"] - free["simulated_seconds"]
    suite.check("costs: heavy ranks take longer", extra > 0, extra)
    heavier = rotate("--decision", "0s", "--state", "20MB")["simulated_seconds"] - free["simulated_seconds"]
    suite.check("costs: twice the bytes take about twice the time", 1.9 < heavier / extra < 2.1, heavier / extra)
    traced = rotate("--decision", "0s")
    asked = balance(suite, trace, "--on-cores", CORES, "--balancer", "rotate", "--every", 10, "--state", "0B")
    suite.check("costs: states without bytes are no doubt if asked for", asked.code == 0 and "--state" not in asked.err, asked)
    suite.check("costs: the trace has the size of the state", traced["moved_bytes"] == traced["decisions"] * STATE_BYTES, traced["moved_bytes"])


def iterations_of(suite, trace, ranks):
    """Seconds that each of the ranks computes in each iteration: a balancer that is asked every time and moves nobody."""
    stay = suite.folder / "stay.sh"
    stay.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{json.dumps({'mapping': list(range(ranks))})}'\n")
    stay.chmod(0o755)
    case = cases(suite, trace, "--balancer", stay, "--every", 1)[str(stay), 1]
    suite.check(f"{trace.stem}: nobody moves", case["moves"] == 0 and case["decisions"] == ITERATIONS, case["moves"])
    return case["core_seconds_per_interval"]


def test_aggregated(suite):
    """A coarse grid from a fine one does what the program does on the coarse grid."""
    fine, native = trace_of(suite, grid="16x16"), trace_of(suite, grid="4x4")
    coarse = suite.folder / "coarse.mpirage"
    done = suite.run([MPIRAGE, "trace", "aggregate", "--grid", "16x16", "--to", "4x4", fine, coarse])
    suite.check("aggregated: 16x16 to 4x4", done.code == 0, done)
    infos = [json.loads(suite.run([MPIRAGE, "trace", "info", "--json", trace]).out) for trace in (coarse, native)]
    for what in ("ranks", "messages", "message_bytes", "matrix_messages", "matrix_bytes"):
        suite.check(f"aggregated: {what}", infos[0][what] == infos[1][what], [info[what] for info in infos])
    ours, theirs = iterations_of(suite, coarse, 16), iterations_of(suite, native, 16)
    worst = max(abs(a - b) / b for loads, others in zip(ours, theirs) for a, b in zip(loads, others))
    suite.check("aggregated: computation of each rank in each iteration within 2 %", worst < 0.02, worst)
    seconds = [json.loads(suite.run([MPIRAGE, "replay", "-q", "--json", trace]).out)["simulated_seconds"] for trace in (coarse, native)]
    suite.check("aggregated: simulated time within 2 %", abs(seconds[0] / seconds[1] - 1) < 0.02, seconds)
    words = ("--grid", "16x16", "--decompose", "4x4,8x8,16x16", "--on-cores", 16, "--balancer", "none,refine")
    done = balance(suite, fine, "--json", *words)
    found = json.loads(done.out)["cases"] if done.code == 0 else []
    suite.check("aggregated: cases of all grids", [case["ranks"] for case in found] == [16, 16, 64, 64, 256, 256], done)
    work = [case["computed_seconds"] for case in found]
    suite.check("aggregated: as much work on all grids", work and max(work) / min(work) - 1 < 1e-9, work)
    for more, text in [(["--grid", "16x16", "--to", "3x4"], "multiple"), (["--grid", "8x8", "--to", "4x4"], "256 ranks"), (["--grid", "16x", "--to", "4x4"], "16x16")]:
        done = suite.run([MPIRAGE, "trace", "aggregate", *more, fine, suite.folder / "bad.mpirage"])
        suite.check(f"aggregated: {' '.join(more)} is refused", done.code in (83, 84) and text in done.err, done)
    done = suite.run([MPIRAGE, "trace", "aggregate", "--grid", "4", "--to", "2", "gen:alltoall,ranks=4", suite.folder / "bad.mpirage"])
    suite.check("aggregated: collectives with blocks are refused", done.code == 83 and "alltoall" in done.err, done)


CLOCKS = r"""
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size;
    double begin, value = 0, sum;
    struct timeval day;
    struct timespec now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) {
        begin = MPI_Wtime();
        smpi_execute_flops(1e6 * 8 / size);
        gettimeofday(&day, NULL);
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, &sum, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        clock_gettime(CLOCK_MONOTONIC, &now);
        value = MPI_Wtime() - begin;
        if (argc > 1)
            usleep(1000);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        AMPI_Migrate(AMPI_INFO_LB_SYNC);
    }
    MPI_Finalize();
}
"""


def test_aggregated_clocks(suite):
    """Programs read clocks: their traces become coarser ones, which pause as often as the program does on the coarse grid."""
    clocks = suite.compile(CLOCKS, "clocks_and_work")
    for more in ([], ["sleeps"]):
        traces = {ranks: suite.folder / f"clocks-{len(more)}-{ranks}.mpirage" for ranks in (8, 2)}
        for ranks, file in traces.items():
            done = suite.run([MPIRAGE, "run", "-n", ranks, "--compute", "none", "--trace", file, "-q", clocks, *more])
            suite.check(f"clocks {more}: {ranks} ranks run", done.code == 0, done)
        coarse = suite.folder / f"clocks-{len(more)}-coarse.mpirage"
        done = suite.run([MPIRAGE, "trace", "aggregate", "--grid", "8", "--to", "2", traces[8], coarse])
        suite.check(f"clocks {more}: aggregated", done.code == 0, done)
        infos = [json.loads(suite.run([MPIRAGE, "trace", "info", "--json", trace]).out) for trace in (coarse, traces[2])]
        for what in ("messages", "paused_seconds", "flops"):
            suite.check(f"clocks {more}: {what}", infos[0][what] == infos[1][what] > 0, [info[what] for info in infos])


AMPI = r"""
#include <mpi.h>
#include <stdlib.h>
char *state;
int main(int argc, char **argv)
{
    MPI_Info hints = AMPI_INFO_LB_SYNC;
    MPI_Init(&argc, &argv);
    state = malloc(1000000);
    if (argc > 2) {
        MPI_Info_create(&hints);
        MPI_Info_set(hints, argv[1], argv[2]);
    }
    for (int i = 0; i < 4; i++)
        AMPI_Migrate(hints);
    free(state);
    MPI_Finalize();
    return 0;
}
"""
SAMPI = r"""
#include <smpi/sampi.h>
char *state;
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = malloc(100000 * (rank + 1));
    for (int i = 0; i < 4; i++) {
        AMPI_Iteration_in(MPI_COMM_WORLD);
        smpi_execute_flops(1e6 * (rank + 1));
        AMPI_Iteration_out(MPI_COMM_WORLD);
        AMPI_Migrate(MPI_COMM_WORLD);
    }
    free(state);
    MPI_Finalize();
    return 0;
}
"""


def test_ampi(suite):
    """AMPI's function needs mpi.h only, and obeys its hints."""
    program, trace = suite.compile(AMPI, "ampi"), suite.folder / "ampi.mpirage"
    for words, points in (([], 4), (["ampi_load_balance", "sync"], 4), (["ampi_load_balance", "none"], 0), (["other", "1"], 0), (["ampi_checkpoint", "none"], 0)):
        done = suite.run([MPIRAGE, "run", "-n", 4, "--compute", "none", "--trace", trace, "-q", program, *words])
        info = json.loads(suite.run([MPIRAGE, "trace", "info", "--json", trace]).out)
        found = sum(number for name, number in info["calls"].items() if "igrate" in name)
        suite.check(f"AMPI {words}: {points} points", done.code == 0 and found == 4 * points, (done, info["calls"]))
    for words, text in ((["ampi_load_balance", "maybe"], "sync, async and none"), (["ampi_checkpoint", "to_file=x"], "checkpoints are not simulated")):
        done = suite.run([MPIRAGE, "run", "-n", 4, "-q", program, *words])
        suite.check(f"AMPI {words}: refused", done.code != 0 and text in done.err, done)


def test_sampi(suite):
    """SimGrid's header and its traces: migration points and iterations are written, read, and written again."""
    program = suite.compile(SAMPI, "sampi")
    runs = {}
    for mode in ("processes", "folded"):
        for end in ("ti", "mpirage"):
            runs[mode, end] = file = suite.folder / f"sampi-{mode}.{end}"
            done = suite.run([MPIRAGE, "run", "-n", 4, "--compute", "none", "--ranks-as", mode, "--trace", file, "-q", program])
            suite.check(f"SAMPI, {mode}: writes {end}", done.code == 0 and not done.err, done)
    lines = "".join(path.read_text() for path in sorted((suite.folder / "sampi-processes.ti_files").iterdir()))
    for action in ("migrate", "iteration_in", "iteration_out"):
        suite.check(f"SAMPI: {action} is written", lines.count(f" {action}") == 16, lines)
    states = {(mode, rank): size for mode in ("processes", "folded") for rank, size in states_of(suite.folder / f"sampi-{mode}.ti_files").items()}
    suite.check("SAMPI: ranks have the states they allocated", all(0 <= size - 100000 * (rank + 1) < 5000 for (_, rank), size in states.items()), states)
    suite.check("SAMPI: folded ranks have the same states", all(states["folded", rank] == states["processes", rank] for rank in range(4)), states)
    runs["converted", "ti"], runs["converted", "mpirage"] = suite.folder / "sampi-2.ti", suite.folder / "sampi-2.mpirage"
    for source, target in ((runs["processes", "mpirage"], runs["converted", "ti"]), (runs["processes", "ti"], runs["converted", "mpirage"])):
        done = suite.run([MPIRAGE, "trace", "convert", source, target])
        suite.check(f"SAMPI: {target.name} converted", done.code == 0 and not done.err, done)
    words = ("--on-cores", 2, "--balancer", "none,rotate,greedy", "--every", 2)
    first = cases(suite, runs["processes", "mpirage"], *words)
    suite.check("SAMPI: ranks move", first["rotate", 2]["moves"] > 0 and first["rotate", 2]["moved_bytes"] > 0, first)
    for run, trace in runs.items():
        suite.check(f"SAMPI: {run} balances the same", cases(suite, trace, *words) == first)


def states_of(folder):
    """The bytes of the state of each rank at its first migration point."""
    words = [line.split() for path in folder.iterdir() for line in path.read_text().splitlines() if " migrate " in line]
    return {int(rank): int(size) for rank, _, size in reversed(words)}


def test_deterministic(suite):
    """The result depends neither on the number of simulations at a time nor on the run."""
    trace, words = trace_of(suite), ("--on-cores", CORES, "--balancer", ALL, "--every", "4,8")
    one, two, again = (cases(suite, trace, *words, "--jobs", jobs) for jobs in (1, 2, 2))
    suite.check("deterministic: one and two at a time", one == two and two == again)
    pinned = suite.run(["taskset", "-c", "0", MPIRAGE, "balance", trace, "--json", *words], timeout=120)
    suite.check("deterministic: on one core", {(case["balancer"], case["every"]): case for case in json.loads(pinned.out)["cases"]} == one, pinned.err)
    suite.check("deterministic: folded ranks give the same trace", cases(suite, trace_of(suite, "folded"), *words) == one)


def test_executables(suite):
    """A balancer of the user."""
    script = suite.folder / "mine.py"
    script.write_text("#!/usr/bin/env python3\nimport json, sys\nsnapshot = json.load(sys.stdin)\n"
                      "print(json.dumps({'mapping': [(rank['core'] + 1) % len(snapshot['cores']) for rank in snapshot['ranks']]}))\n")
    script.chmod(0o755)
    found = cases(suite, trace_of(suite), "--on-cores", CORES, "--balancer", f"rotate,{script}", "--every", 200)
    suite.check("executables: the same as rotate", found["rotate", 200]["simulated_seconds"] == found[str(script), 200]["simulated_seconds"], found.keys())
    script.write_text("#!/bin/sh\necho none of it >&2\nexit 4\n")
    failed = balance(suite, trace_of(suite), "--on-cores", CORES, "--balancer", script)
    suite.check("executables: failure", failed.code == 84 and "none of it" in failed.err and "exit status: 4" in failed.err, failed)


def cell_seconds(case):
    """Seconds for which cores computed, from the cells of a heat map."""
    widths = [end - start for start, end in zip([0.0, *case["ends"]], case["ends"])]
    cells = ([int(row[2 * at:2 * at + 2], 16) / case["full"] for at in range(case["columns"])] for row in case["rows"])
    return sum(load * width * case["cores_per_row"] for row in cells for load, width in zip(row, widths))


def test_page(suite):
    """The page has the table, all charts, and heat maps whose cells add up to what cores computed; Chromium draws them."""
    file = suite.folder / "balance.html"
    words = ["--on-cores", CORES, "--net", "hdr100", "--balancer", "none,greedy,refine", "--every", "10,50", "--report", file]
    found = cases(suite, trace_of(suite), *words)
    text = file.read_text()
    loads = json.loads(text.split('type="application/json">')[1].split("</script>")[0])
    suite.check("page: a map for each case", len(loads) == len(found) == 5, len(loads))
    for (key, case), load in zip(found.items(), loads):
        seconds = cell_seconds(load)
        suite.check(f"page: {key}: the cells add up", math.isclose(seconds, case["computed_seconds"], rel_tol=0.01), (seconds, case["computed_seconds"]))
        suite.check(f"page: {key}: the last iteration ends with the run", math.isclose(load["ends"][-1], case["simulated_seconds"], rel_tol=0.01), load["ends"][-1])
        suite.check(f"page: {key}: shape", (load["columns"], load["cores"], len(load["moved"])) == (ITERATIONS, CORES, case["decisions"]), load["columns"])
        load = case["computed_seconds"] / CORES / case["simulated_seconds"]
        suite.check(f"page: {key}: mean load", math.isclose(case["mean_load"], load, rel_tol=1e-9), case["mean_load"])
    best = min(found.values(), key=lambda case: case["simulated_seconds"])
    suite.check("page: the answer", f'<div class="verdict"><p>{best["balancer"]}, every {best["every"]} is the fastest' in text, best["balancer"])
    for heading in ("Makespan", "Makespan by interval", "Average load over time", "Load of each core"):
        suite.check(f"page: {heading}", f"<h2>{heading}</h2>" in text)
    suite.check("page: links to nothing", "src=" not in text and "href=" not in text)
    in_browser(suite, file)
    wrong = balance(suite, trace_of(suite), "--on-cores", CORES, "--report", suite.folder / "balance.txt")
    suite.check("page: its name", wrong.code == 84 and ".html" in wrong.err, wrong)


def in_browser(suite, file):
    """The maps in Chromium: drawn, in more than one colour, and with numbers under the pointer."""
    prepare.browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=prepare.CHROMIUM, args=["--no-sandbox"])
        shown, complaints = browser.new_page(), []
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.goto(file.as_uri())
        colours = shown.evaluate("""() => [...document.querySelectorAll('#maps canvas')].map((canvas) => {
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 3).join())).size;
        })""")
        suite.check("page: maps are drawn", len(colours) == 5 and min(colours) > 10, colours)
        shown.locator("#maps canvas").first.hover(position={"x": 200, "y": 40})
        tip = shown.locator("#tip").text_content()
        suite.check("page: a map says what is under the pointer", "core 2 (" in tip and "iteration " in tip and " % of " in tip, tip)
        suite.check("page: no complaints", not complaints, complaints)
        browser.close()


def test_mistakes(suite):
    trace = trace_of(suite)
    for words, text in [
        (["--balancer", "gredy"], "did you mean greedy?"), (["--every", "0"], "--every"), (["--on-cores", "0"], "--on-cores"),
        (["--decision", "x"], "--decision"), (["--state", "x"], "--state"), (["--on-cores", "9", "-p", "cluster:8"], "fewer cores"),
        (["--model", "loggops"], "cannot move"),
    ]:
        done = balance(suite, trace, *words)
        suite.check(f"mistakes: {' '.join(words)}", done.code == 84 and text in done.err, done)
    idle = suite.run([MPIRAGE, "balance", "gen:ring,ranks=4", "--on-cores", 2])
    suite.check("mistakes: a workload that never migrates", idle.code == 83 and "calls AMPI_Migrate" in idle.err, idle)


def test_online(suite):
    """Ranks of a running program move as those of its trace do."""
    trace = trace_of(suite)
    front = suite.compile(ROOT / "examples" / "front.c", flags=["-O2", "-lm"])
    options = ["--on-cores", CORES, "--every", 10, "--decision", "50us", "--net", "hdr100"]
    found = cases(suite, trace, "--on-cores", CORES, *options[2:], "--balancer", "none,greedy,refine,rotate")
    for mode in ("processes", "folded"):
        for (balancer, _), case in found.items():
            done = suite.run([MPIRAGE, "run", "-q", "--json", "-n", RANKS, "--compute", "none", "--ranks-as", mode, *options, "--balancer", balancer, front, ITERATIONS, CELLS, GRID, SCALE], timeout=120)
            figures = json.loads(done.out.splitlines()[-1])
            same = figures["simulated_seconds"] == case["simulated_seconds"] and figures["balancing"]["decisions"] == case["decisions"] and figures["balancing"]["moves"] == case["moves"]
            suite.check(f"online, {mode}, {balancer}: as in a replay of the trace", done.code == 0 and same, (figures, case))
    refused = suite.run([MPIRAGE, "run", "-n", RANKS, "--balancer", "greedy", front])
    suite.check("online: needs cores that ranks share", refused.code == 84 and "--on-cores" in refused.err, refused)
    refused = suite.run([MPIRAGE, "run", "-n", RANKS, "--on-cores", 4, "--balancer", "gredy", front])
    suite.check("online: an unknown balancer", refused.code == 84 and "greedy" in refused.err, refused)


def test_hybrid(suite):
    """A program on several process grids: calls of each grid, computation of the finest."""
    front = suite.compile(ROOT / "examples" / "front.c", flags=["-O2", "-lm"])
    words = ["--on-cores", 4, "--net", "hdr100", "--balancer", "none,refine", "--compute", "none"]
    done = suite.run([MPIRAGE, "balance", "--json", *words, "--grid", "4x8", "--decompose", "2x2,4x4,4x8", front, "--", ITERATIONS, CELLS, "{grid}", SCALE], timeout=120)
    suite.check("hybrid: a program on three grids", done.code == 0, done)
    found = {(case["ranks"], case["balancer"]): case["simulated_seconds"] for case in json.loads(done.out)["cases"]}
    for grid in ("2x2", "4x4", "4x8"):
        native = cases(suite, trace_of(suite, grid=grid), *words[:-2])
        for (balancer, _), case in native.items():
            ours, theirs = found[case["ranks"], balancer], case["simulated_seconds"]
            # The sums of flops differ in their last digits.
            suite.check(f"hybrid: {grid}, {balancer}: as on that grid itself", math.isclose(ours, theirs, rel_tol=1e-9), (ours, theirs))
    # Half as many iterations: no iteration belongs to another.
    fine, short = trace_of(suite), suite.folder / "short.mpirage"
    suite.run([MPIRAGE, "run", "-q", "-n", 16, "--compute", "none", "--trace", short, front, ITERATIONS // 2, CELLS, "4x4", SCALE], timeout=60)
    wrong = suite.run([MPIRAGE, "trace", "aggregate", "--grid", GRID, "--to", "4x4", "--communication", short, fine, suite.folder / "wrong.mpirage"])
    suite.check("hybrid: other iterations are refused", wrong.code == 83 and "migration points" in wrong.err and not (suite.folder / "wrong.mpirage").exists(), wrong)
    wrong = suite.run([MPIRAGE, "trace", "aggregate", "--grid", GRID, "--to", "2x4", "--communication", short, fine, suite.folder / "wrong.mpirage"])
    suite.check("hybrid: another number of ranks is refused", wrong.code == 83 and "16 ranks, but a grid of 2x4 has 8" in wrong.err, wrong)
    # Measured bursts take the places of those that the coarse run has.
    measured = suite.run([MPIRAGE, "balance", "--json", "--on-cores", 4, "--balancer", "none", "--grid", "4x4", "--decompose", "2x2,4x4", front, "--", 40, CELLS, "{grid}"], timeout=120)
    work = {case["ranks"]: case["computed_seconds"] for case in json.loads(measured.out)["cases"]}
    suite.check("hybrid: measured work is neither made nor lost", math.isclose(work[4], work[16], rel_tol=1e-6), work)
    for words, text in ((["-n", "4", fine], "this is none"), ([front], "-n N says"), ([front, "-n", "4", "--compute", "traced"], "a program supports `measured` and `none`")):
        refused = suite.run([MPIRAGE, "balance", *words])
        suite.check(f"hybrid: {text}", refused.code == 84 and text in refused.err, refused)


def test_places(suite):
    """A rank that has moved knows its host; what it takes along is what it has allocated."""
    source = """#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *state = malloc(1000000 * (rank + 1)), *gone = calloc(1, 5000000);
    state = realloc(state, 2000000 * (rank + 1));
    free(gone);
    MPI_Get_processor_name(name, &length);
    printf("%d starts on %s\\n", rank, name);
    AMPI_Migrate(0);
    MPI_Get_processor_name(name, &length);
    printf("%d ends on %s\\n", rank, name);
    free(state);
    MPI_Finalize();
    return 0;
}"""
    for language, text in (("cc", source), ("cxx", source.replace("char *state = malloc(1000000 * (rank + 1)),", "char *other = new char[7000000]; delete[] other; char *state = (char *)malloc(1),").replace("calloc(1, 5000000)", "new char[5000000]").replace("state = realloc(", "state = (char *)realloc(").replace("free(gone)", "delete[] gone"))):
        program = suite.compile(text, f"places_{language}", language=language)
        for mode in ("processes", "folded"):
            done = suite.run([MPIRAGE, "run", "-q", "--json", "-n", 4, "-p", "cluster:2", "--on-cores", 2, "--compute", "none", "--ranks-as", mode, "--balancer", "rotate", "--every", 1, program])
            *lines, figures = done.out.splitlines()
            moved = sorted(line for line in lines)
            expected = sorted(f"{rank} {verb} on host-{host}" for rank in range(4) for verb, host in (("starts", rank // 2), ("ends", 1 - rank // 2)))
            suite.check(f"places, {language}, {mode}: a rank knows where it is", done.code == 0 and moved == expected, done)
            # Two megabytes times the rank and one, and little besides.
            bytes = json.loads(figures)["balancing"]["moved_bytes"]
            suite.check(f"places, {language}, {mode}: what it takes along", 20e6 <= bytes < 21.5e6, bytes)
