"""`mpirage tune` and `mpirage info collectives --show`."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import prepare
from harness import MPIRAGE, ROOT, find

SMALL = ("--sizes", "8B,4KiB,256KiB")


def tune(suite, *arguments, **more):
    return suite.run([MPIRAGE, "tune", *arguments], timeout=120, **more)


def at_once(action, arguments):
    """What an action gives for each of these, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda one: action(*one), arguments))


def replayed(suite, platform, collective, ranks, size, choice):
    """The simulated seconds of one call; if there are none, how the replay ended."""
    again = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", platform, "--coll", choice, f"gen:{collective},ranks={ranks},bytes={size},iterations=1"])
    return json.loads(again.out)["simulated_seconds"] if again.code == 0 else again


def takes_best_times(suite, part, rows, platform, ranks, file):
    """What mpirage reads from the file is what it found to be the best."""
    times = at_once(replayed, [(suite, platform, row["collective"], ranks, row["bytes"], file) for row in rows])
    for row, seconds in zip(rows, times):
        suite.check(f"{part}: {row['collective']} {row['bytes']} takes the best time", seconds == row["best"]["seconds"], (row, seconds))


def library_follows(suite, part, script, file, table, env):
    """The library does what the file says, which is not what it does by itself. Both questions are asked about one run of it."""
    script = [*script, "--keep", suite.folder / f"{part}-traces"]
    with_file = suite.run([*script, "--coll", file], env=env, timeout=300)
    suite.check(f"{part}: the library does what the file says", with_file.code == 0 and find(r"[1-9]\d* passed, 0 known to differ, 0 failed", with_file.out), with_file)
    with_table = suite.run([*script, "--coll", table], env=env, timeout=300)
    suite.check(f"{part}: which is not what it does by itself", find(r"passed, 0 known to differ, [1-9]\d* failed", with_table.out), with_table)


def result(done):
    """The JSON object of a search."""
    return json.loads(done.out) if done.code == 0 else {"rows": []}


def test_table(suite):
    """What people see."""
    done = tune(suite, "allreduce,MPI_Bcast,barrier", "-p", "fat-tree:4x4", "-n", 16, *SMALL)
    suite.check("tables: exit code", done.code == 0, done)
    for heading in ("allreduce, 16 ranks, sizes of the vector", "bcast, 16 ranks, sizes of the vector", "barrier, 16 ranks"):
        suite.check(f"tables: {heading}", f"\n{heading}\n" in done.out, done.out)
    rows = re.findall(r"^ +(?:\d+ (?:B|KiB)|–)  +([a-z]\S+) +[\d.]+ (?:µs|ms) +([a-z]\S+) +[\d.]+ (?:µs|ms) +[\d.]+ %$", done.out, re.MULTILINE)
    suite.check("tables: a line for each size", len(rows) == 3 + 3 + 1, done.out)
    suite.check("tables: a sketch of three sizes", done.out.count("× default, · best, * both") == 2, done.out)
    narrow = tune(suite, "allreduce", "-n", 4, *SMALL, env={"COLUMNS": "18"})
    suite.check("tables: no sketch if there is no room", "× default" not in narrow.out and narrow.code == 0, narrow.out)
    quiet = tune(suite, "barrier", "-n", 4, "-q")
    suite.check("tables: none with -q", (quiet.code, quiet.out) == (0, ""), quiet)


def test_numbers(suite):
    """Times are those of a replay, the best is the best, and the number of cores changes nothing."""
    words = ("bcast,alltoall,reduce-scatter", "-p", "fat-tree:4x4", "-n", 8, *SMALL, "--json")
    one, two = tune(suite, *words, "--cores", 1), tune(suite, *words, "--cores", 2)
    found = result(one)
    suite.check("numbers: a row for each size", len(found["rows"]) == 9, one)
    suite.check("numbers: cores change nothing", found["rows"] == result(two)["rows"], (one, two))
    for row in found["rows"]:
        what = f"{row['collective']} {row['bytes']}"
        times = {method["method"]: method["seconds"] for method in row["methods"]}
        suite.check(f"numbers: {what}: the best is the fastest", row["best"]["seconds"] == min(times.values()), row)
        suite.check(f"numbers: {what}: the base is one of them", times.get(row["base"]["method"]) == row["base"]["seconds"], row)
        slowest = max(times, key=times.get)
        methods = sorted({row["best"]["method"], row["base"]["method"], slowest})
        again = at_once(replayed, [(suite, "fat-tree:4x4", row["collective"], 8, row["bytes"], f"{row['collective']}={method}") for method in methods])
        for method, seconds in zip(methods, again):
            suite.check(f"numbers: {what} with {method} as replayed", seconds == times[method], (seconds, times[method]))
    repeated = result(tune(suite, "allgather", "-n", 4, "--sizes", "1KiB", "--calls", 3, "--json"))
    suite.check("numbers: several calls in a row", repeated["repeat"] == 3 and repeated["rows"][0]["best"]["seconds"] > 0, repeated)


def test_rules(suite):
    """The file of rules, as mpirage itself reads it."""
    file = suite.folder / "tuned.rules"
    done = tune(suite, "bcast,alltoall", "-p", "torus:4x4", "-n", 16, "--sizes", "8B..1MiB", "-q", "-o", file, "--json")
    suite.check("rules: written", done.code == 0 and file.exists(), done)
    takes_best_times(suite, "rules", result(done)["rows"], "torus:4x4", 16, file)
    before = file.read_text()
    done = tune(suite, "barrier", "-n", 4, "-o", file)
    suite.check("rules: an existing file is kept", done.code == 84 and "--force" in done.err and file.read_text() == before, done)
    done = tune(suite, "barrier", "-n", 4, "-q", "-o", file, "--force")
    suite.check("rules: --force replaces it", done.code == 0 and file.read_text() != before and "barrier ranks=4 " in file.read_text(), done)
    tuned = tune(suite, "barrier", "-n", 4, "--coll", file)
    suite.check("rules: a file can be the base", tuned.code == 0 and "is the best" in tuned.out, tuned)


def test_openmpi(suite):
    """The file of dynamic rules, as Debian's Open MPI reads it: its messages are those of the methods in the file."""
    prepare.debian({"mpicc.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin"})
    file, collectives = suite.folder / "tuned.conf", "bcast,allgather,alltoall"
    done = tune(suite, collectives, "-p", "torus:2x2x2", "-n", 4, "--sizes", "1B..1MiB", "--json", "-o", file)
    found = result(done)
    suite.check("openmpi: written", done.code == 0 and file.exists(), done)
    suite.check("openmpi: compared with its own table", found.get("base") == "openmpi-4.1", found)
    suite.check("openmpi: something is better than its own table", any(row["loss"] > 0 for row in found["rows"]), found)
    rules = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(file)}
    script = [sys.executable, ROOT / "tests" / "conformance" / "openmpi.py", "--only", "own", "-n", 4, "-c", collectives, "--show", 2]
    library_follows(suite, "openmpi", script, file, "openmpi-4.1", rules)
    takes_best_times(suite, "openmpi", found["rows"], "torus:2x2x2", 4, file)


def test_mpich(suite):
    """The selection file, as Debian's MPICH reads it."""
    prepare.debian({"mpicc.mpich": "libmpich-dev", "mpirun.mpich": "mpich"})
    file, collectives = suite.folder / "tuned.json", "bcast,allgather,alltoall"
    done = tune(suite, collectives, "-p", "torus:2x2x2", "-n", 4, "--sizes", "1B..1MiB", "--json", "-o", file)
    found = result(done)
    suite.check("mpich: written", done.code == 0 and file.exists() and json.loads(file.read_text()), done)
    suite.check("mpich: compared with its own table", found.get("base") == "mpich-4.0", found)
    suite.check("mpich: something is better than its own table", any(row["loss"] > 0 for row in found["rows"]), found)
    selection = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file)}
    script = [sys.executable, ROOT / "tests" / "conformance" / "mpich.py", "-n", 4, "-c", collectives, "--show", 2]
    library_follows(suite, "mpich", script, file, "mpich-4.0", selection)
    takes_best_times(suite, "mpich", found["rows"], "torus:2x2x2", 4, file)


def test_plots(suite):
    file, times = suite.folder / "times.svg", suite.folder / "times.json"
    done = tune(suite, "bcast,allgather", "-n", 4, *SMALL, "-q", "--plot", file, f"--json={times}")
    suite.check("plots: written", done.code == 0 and file.exists() and times.exists(), done)
    drawn = xml.etree.ElementTree.parse(file).getroot()
    circles = drawn.findall(".//{http://www.w3.org/2000/svg}circle")
    suite.check("plots: two points for each size", len(circles) == 2 * 2 * 3, len(circles))
    suite.check("plots: JSON in a file", len(json.loads(times.read_text())["rows"]) == 6, times.read_text())


def test_programs(suite):
    """The calls of a program, and what it gains."""
    generated = tune(suite, "gen:bcast,ranks=16,bytes=1MiB,iterations=3", "-p", "fat-tree:4x4", "--json")
    found = result(generated)
    row = (found["rows"] or [{}])[0]
    suite.check("programs: one row", [(row.get("collective"), row.get("bytes"), row.get("calls"))] == [("bcast", 1 << 20, 3)], generated)
    program = found.get("program") or {}
    suite.check("programs: the gain is that of a replay", 0 < program.get("tuned_seconds", 0) <= program.get("seconds", 0), generated)
    heat = suite.compile(ROOT / "examples" / "heat1d.c", flags=["-O2"])
    done = tune(suite, "-n", 8, "-p", "fat-tree:4x4", "--compute", "none", "--", heat)
    suite.check("programs: a program is run", done.code == 0 and find(r"^allreduce, 8 ranks", done.out), done)
    suite.check("programs: its gain is shown", find(r"heat1d: [\d.]+ s with default, [\d.]+ s with the best methods: [\d.]+ % less", done.out), done.out)
    trace = suite.folder / "heat.mpirage"
    run = suite.simulate("-q", "-n", 8, "-p", "fat-tree:4x4", "--compute", "none", "--trace", trace, heat)
    traced = tune(suite, trace, "-p", "fat-tree:4x4")
    same = [re.sub(r"(?m)^.*(heat|compared in).*$", "", text) for text in (done.out, traced.out)]
    suite.check("programs: a trace gives the same", run.code == 0 and traced.code == 0 and same[0] == same[1], (done.out, traced))
    suite.check("programs: nothing is left behind", not list(suite.temporary.glob("mpirage-*")), list(suite.temporary.glob("*")))
    split = suite.compile("""
        #include <mpi.h>
        int main(int argc, char **argv) {
            int rank; double x = 1, y; char block[4096] = {0}; MPI_Comm half;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            for (int i = 0; i < 5; i++) MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, half);
            MPI_Bcast(block, 4000, MPI_BYTE, 1, MPI_COMM_WORLD);
            MPI_Finalize();
        }""", "split")
    rows = result(tune(suite, "-n", 8, "--compute", "none", "--json", "--", split))["rows"]
    made = [(row["collective"], row["ranks"], row["bytes"], row["calls"]) for row in rows]
    # Two halves call five times each; what MPI_Comm_split does inside does not count.
    suite.check("programs: calls by communicator", made == [("bcast", 8, 4000, 1), ("allreduce", 4, 8, 10)], made)


def test_mistakes(suite):
    existing = suite.folder / "existing.txt"
    existing.write_text("not a trace\n")
    cases = [
        (["alreduce", "-n", 4], 84, "did you mean allreduce?"),
        (["bcast,alreduce", "-n", 4], 84, "did you mean allreduce?"),
        (["bcast", "reduce", "-n", 4], 84, "bcast,reduce"),
        (["bcast"], 84, "-n is missing"),
        (["bcast", "-n", 1], 84, "fewer than two ranks"),
        (["bcast", "-n", 17, "-p", "fat-tree:4x4"], 84, "has room for 16 ranks"),
        (["bcast", "-n", 4, "--sizes", "64..8"], 84, "ends before it begins"),
        (["bcast", "-n", 4, "--sizes", ""], 84, "no size is given"),
        (["bcast", "-n", 4, "--sizes", "8..x"], 84, "`x` is no size"),
        (["bcast", "-n", 4, "--algorithms", "rign"], 84, "did you mean ring?"),
        (["bcast", "-n", 4, "--radices", "0"], 84, "0 is no radix"),
        (["bcast", "-n", 4, "--segments", "x"], 84, "--segments"),
        (["bcast", "-n", 4, "--coll", "bcast=rong"], 84, "no algorithm `rong`"),
        (["bcast", "-n", 4, "--coll", "mpich-4"], 84, "did you mean mpich-4.0?"),
        (["bcast", "-n", 4, "-o", "tuned.txt"], 84, "use --format"),
        (["bcast", "-n", 4, "-o", "tuned.txt", "--format", "mpirag"], 84, "did you mean mpirage?"),
        (["bcast", "-n", 4, "--format", "mpirage"], 84, "--output"),
        (["bcast", "-n", 4, "-o", "/no/such/folder/tuned.rules"], 84, "cannot write"),
        (["bcast", "-n", 4, "--plot", "times.png"], 84, "ends in .svg"),
        (["bcast", "-n", 4, "-p", "clustre:4"], 82, "cluster"),
        (["bcast", "-n", 4, "--model", "bus"], 84, "formula"),
        (["gen:ring,ranks=4"], 84, "calls no collective"),
        (["gen:bcast,ranks=4", "-n", 5], 84, "has 4 ranks"),
        (["gen:bcast,ranks=4", "--sizes", "8"], 84, "a program has its own sizes"),
        ([existing], 83, "existing.txt"),
        (["-n", 2, "--", "/bin/false"], 1, "failed"),
    ]
    ends = at_once(lambda words, *_: tune(suite, *words, cwd=suite.folder), cases)
    for (words, code, text), done in zip(cases, ends):
        suite.check(f"mistakes: {' '.join(map(str, words))}", done.code == code and text in done.err and done.out == "", done)


def test_schedules(suite):
    """`mpirage info collectives`."""
    info = lambda *words: suite.run([MPIRAGE, "info", "collectives", *words])
    listed = info()
    suite.check("info: collectives, algorithms, parameters", "\nallreduce\n" in listed.out and "[segment=" in listed.out and "\ntables of rules" in listed.out, listed)
    one = info("allreduce")
    suite.check("info: one collective", one.out.startswith("allreduce\n") and "bcast\n" not in one.out, one)
    shown = info("allreduce", "--show", "ring", "-n", 5, "--bytes", 40)
    suite.check("info: schedules of all ranks", all(f"\nrank {rank}\n" in shown.out for rank in range(5)), shown)
    suite.check("info: totals", "8 messages one after the other, 40 messages in total, 320 bytes" in shown.out, shown.out)
    suite.check("info: what messages carry", find(r"^ +\d+  isend to 1, 8 B +bytes \d+\.\.\d+$", shown.out), shown.out)
    drawn = info("bcast", "--show", "binomial", "-n", 8, "--root", 3, "--dot")
    suite.check("info: a graph", drawn.out.startswith("digraph") and drawn.out.count("color=blue") == 7, drawn)
    if suite.has("dot", "graphs of schedules"):
        made = subprocess.run(["dot", "-Tsvg"], input=drawn.out, text=True, capture_output=True)
        suite.check("info: Graphviz draws it", made.returncode == 0 and "</svg>" in made.stdout, made)
    chosen = info("alltoall", "--selector", "default", "-n", 16)
    suite.check("info: what a table chooses", re.findall(r"^ +(\d+) B\.\.  (\S+)$", chosen.out, re.MULTILINE)
                == [("0", "bruck"), ("257", "linear"), ("32769", "pairwise")], chosen)
    for words, text in [
        (["alreduce"], "did you mean allreduce?"), (["allreduce", "--show", "rign", "-n", 4], "did you mean ring?"),
        (["allreduce", "--show", "ring"], "-n is missing"), (["--show", "ring", "-n", 4], "name a collective"),
        (["bcast", "--show", "binomial", "-n", 4, "--root", 4], "the last rank is 3"), (["allreduce", "--show", "ring", "-n", 4, "--root", 1], "has no root"),
        (["allreduce", "--show", "ring", "-n", 4, "--bytes", "x"], "--bytes"), (["allreduce", "-n", 4], "--show or --selector"),
        (["--selector", "opnmpi-4.1", "-n", 4], "did you mean openmpi-4.1?"), (["allreduce", "--show", "ring", "-n", 0], "1 to 4096"),
    ]:
        done = info(*words)
        suite.check(f"info: {' '.join(map(str, words))}", done.code == 84 and text in done.err, done)
    other = suite.run([MPIRAGE, "info", "models", "allreduce"])
    suite.check("info: other topics have no collective", other.code == 84 and "info collectives" in other.err, other)
