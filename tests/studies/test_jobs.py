"""Several jobs on one machine: `mpirage jobs`. Times beside others are compared with those of `mpirage run` and `mpirage replay`, and with
answers that follow from the sharing of links, disks and cores."""

import csv
import json

from harness import MPIRAGE, ROOT, TESTS, find

FAULTS = TESTS / "mistakes" / "faults"
PLATFORM = "cluster:8,cores=2"


def write(suite, name, text):
    file = suite.folder / name
    file.write_text(text)
    return file


def job(name, **keys):
    lines = [f"{key.replace('_', '-')} = {json.dumps(value)}" for key, value in {"name": name, **keys}.items()]
    return "[[job]]\n" + "\n".join(lines) + "\n"


def jobs(suite, text, *options, platform=PLATFORM, **more):
    """Runs jobs; gives the result and the figures of each job."""
    file = write(suite, "jobs.toml", text)
    result = suite.run([MPIRAGE, "jobs", "-q", "-p", platform, f"--json={suite.folder / 'out.json'}", *options, file], timeout=60, **more)
    try:
        figures = json.loads((suite.folder / "out.json").read_text())
    except (OSError, ValueError):
        return result, {}
    (suite.folder / "out.json").unlink()
    return result, {job["name"]: job for job in figures["jobs"]}


def replayed(suite, trace, *options):
    result = suite.run([MPIRAGE, "replay", "-q", "--json", *options, trace])
    return json.loads(result.out)["simulated_seconds"]


def test_apart(suite):
    """Jobs that share nothing take as long as alone, and as long as `run` and `replay` say."""
    halo = suite.compile(ROOT / "examples" / "halo2d.c", flags=["-lm"])
    text = job("halo", program=[str(halo)], ranks=4, hosts="0-1") + job("ring", trace="gen:ring,ranks=4,bytes=100KiB", hosts="2-3")
    result, figures = jobs(suite, text, "--compute", "none")
    run = suite.simulate("-n", 4, "-p", PLATFORM, "--compute", "none", "--json", halo)
    *output, figures_alone = run.out.splitlines(keepends=True)
    output, seconds = "".join(output), json.loads(figures_alone)["simulated_seconds"]
    suite.check("a program beside a trace prints the same", result.code == 0 and result.out == output, (result, run))
    suite.check("the program takes as long as in `mpirage run`", figures["halo"]["seconds"] == seconds, (figures, seconds))
    seconds = replayed(suite, "gen:ring,ranks=4,bytes=100KiB", "-p", PLATFORM, "-H", "host-2:2,host-3:2")
    suite.check("the trace takes as long as in `mpirage replay`", figures["ring"]["seconds"] == seconds, (figures, seconds))
    suite.check("neither is slower than alone", all(job["slowdown"] == 1 for job in figures.values()), figures)
    again = jobs(suite, text, "--compute", "none")
    suite.check("the same again", again[1] == figures and again[0].out == result.out, again)
    result, figures = jobs(suite, text)
    suite.check("measured computation costs the same alone and beside others", figures["halo"]["slowdown"] == 1, (figures, result))


def test_programs(suite):
    """Two programs have worlds of their own, and names of their own in the output."""
    where = suite.compile("""#include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int rank, size, sum, *universe, flag;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Comm half;
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            int mine = 1, members;
            MPI_Allreduce(&mine, &members, 1, MPI_INT, MPI_SUM, half);
            MPI_Comm_free(&half);
            MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
            if (rank == size - 1)
                printf("%s: rank %d of %d, sum %d, half %d, universe %d\\n", argv[1], rank, size, sum, members, *universe);
            MPI_Finalize();
            return 0;
        }""", "where")
    text = job("late", program=f"{where} late", ranks=3, start="1ms") + job("first", program=f"{where} first", ranks=5) + job("trace", trace="gen:allreduce,ranks=4")
    result, figures = jobs(suite, text, "--tag-output")
    lines = ["[first,4]: first: rank 4 of 5, sum 10, half 3, universe 5", "[late,2]: late: rank 2 of 3, sum 3, half 2, universe 3"]
    suite.check("each program has its world", result.code == 0 and result.out.splitlines() == lines, result)
    suite.check("ranks of programs come first, in the order of their starts", [figures[name]["first_rank"] for name in ("first", "late", "trace")] == [0, 5, 8], figures)
    suite.check("a job starts when it is to", figures["late"]["start_seconds"] == 0.001 and figures["late"]["slowdown"] == 1, figures)
    alone, only = jobs(suite, text, "--only", "late")
    suite.check("--only runs one job", list(only) == ["late"] and only["late"]["first_rank"] == 0 and alone.out == "late: rank 2 of 3, sum 3, half 2, universe 3\n", alone)


def test_speeds(suite):
    """The computation of a trace costs what it costs in `mpirage replay`, whatever the speed of this machine."""
    cg = suite.compile(ROOT / "examples" / "conjugate_gradient.c", flags=["-lm"])
    trace = suite.folder / "slow.mpirage"
    suite.simulate("-n", 2, "-q", "--host-speed", "100Gf", "--trace", trace, cg)
    seconds = replayed(suite, trace, "-p", PLATFORM)
    for options in [(), ("--host-speed", "1Gf")]:
        result, figures = jobs(suite, job("beside", program=[str(cg)], ranks=2) + job("traced", trace=str(trace)), *options)
        traced = figures["traced"]
        suite.check(f"a trace keeps the speed of its machine {options}", traced["seconds"] == seconds and traced["slowdown"] == 1, (result, figures, seconds))


def test_communicators(suite):
    """Traces that have made communicators and windows keep them apart."""
    for name in ("comm_create", "win_stencil"):
        program = suite.compile(TESTS / "programs" / f"{name}.c")
        trace = suite.folder / f"{name}.mpirage"
        made = suite.simulate("-q", "-n", 4, "--compute", "none", "--trace", trace, program)
        suite.check(f"a trace of {name} was written", made.code == 0, made)
        seconds = replayed(suite, trace, "-p", PLATFORM)
        text = job("a", trace=str(trace)) + job("b", trace=str(trace), start="1us") + job("c", program=str(program), ranks=4)
        result, figures = jobs(suite, text, "--compute", "none")
        suite.check(f"{name}: each takes as long as alone", result.code == 0 and all(job["seconds"] == seconds for job in figures.values()), (result, figures, seconds))


def test_links(suite):
    """Two jobs on the same cable: each gets half of it."""
    pair = {"trace": "gen:incast,ranks=2,bytes=64MiB,iterations=1", "ppn": 1, "hosts": "0-1"}
    _, figures = jobs(suite, job("a", **pair) + job("b", **pair))
    suite.check("half of a cable each", all(1.99 < job["slowdown"] <= 2 for job in figures.values()), figures)
    seconds = figures["a"]["alone_seconds"]
    _, figures = jobs(suite, job("a", **pair) + job("b", **pair, start=f"{seconds * 1.01} s"))
    suite.check("one after the other: nothing is shared", all(job["slowdown"] == 1 for job in figures.values()), figures)
    _, figures = jobs(suite, job("a", **pair) + job("b", **pair, start=f"{seconds / 2} s"))
    suite.check("half of the time beside each other", all(1.49 < job["slowdown"] < 1.51 for job in figures.values()), figures)


def test_storage(suite):
    """Two programs that write to one file server."""
    folder = suite.folder / "scratch"
    folder.mkdir()
    platform = write(suite, "disk.toml", f"""name = "disk"
[cluster]
hosts = 5
cores = 1
speed = "1Gf"
bandwidth = "100GBps"
latency = "1us"
[storage.scratch]
kind = "parallel"
mount = "{folder}"
servers = ["host-4"]
write-bandwidth = "100MBps"
read-bandwidth = "100MBps"
latency = "0s"
""")
    writer = suite.compile("""#include <mpi.h>
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            MPI_File file;
            MPI_Init(&argc, &argv);
            char *bytes = calloc(1, 10000000);
            MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
            MPI_File_write(file, bytes, 10000000, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close(&file);
            free(bytes);
            MPI_Finalize();
            return 0;
        }""", "writer")
    text = "".join(job(name, program=f"{writer} {folder / name}", ranks=1) for name in ("a", "b"))
    result, figures = jobs(suite, text, "--compute", "none", platform=platform)
    suite.check("half of a disk each", result.code == 0 and all(1.95 < job["slowdown"] <= 2.01 for job in figures.values()), (result, figures))


def test_cores(suite):
    """Ranks of several jobs on one core."""
    work = {"trace": "gen:barrier,ranks=1,iterations=1,compute=1s", "hosts": "0"}
    text = job("a", **work) + job("b", **work) + job("c", **work)
    result, _ = jobs(suite, text)
    suite.check("cores are not shared unless it is said", result.code == 84 and "2 cores for 3 ranks of a, b, c" in result.err and "round-robin" in result.err, result)
    _, figures = jobs(suite, 'cores = "fair"\n' + text)
    suite.check("fair: 3 s of work on 2 cores", all(abs(job["seconds"] - 1.5) < 1e-6 for job in figures.values()), figures)
    one = "cluster:8"
    pair = job("a", **work) + job("b", **{**work, "trace": "gen:barrier,ranks=1,iterations=1,compute=250ms"})
    _, figures = jobs(suite, 'cores = "round-robin"\nquantum = "100ms"\n' + pair, platform=one)
    # a 0-100, b 100-200, a 200-300, b 300-400, a 400-500, b 500-550, a alone to 1250 ms.
    ends = {name: round(job["seconds"], 6) for name, job in figures.items()}
    suite.check("round-robin: turns of 100 ms", ends == {"a": 1.25, "b": 0.55}, figures)
    suite.check("slow-downs of round-robin", round(figures["b"]["slowdown"], 5) == 2.2, figures)


# Rank 0 waits for two messages. One comes 2 ms later and takes 0.1 ms, the other never.
STUCK = """#include <mpi.h>
#include <unistd.h>
static char bytes[2][1000000];
int main(void) {
    int rank;
    MPI_Request requests[2];
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        usleep(2000);
        MPI_Isend(bytes[0], 1000000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, requests);
        MPI_Recv(bytes[1], 1000000, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int tag = 0; tag < 2; tag++)
        MPI_Irecv(bytes[tag], 1000000, MPI_CHAR, 1, tag, MPI_COMM_WORLD, requests + tag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_failures(suite):
    """A job that fails is named; the others go on."""
    good = job("good", trace="gen:ring,ranks=2,iterations=100,bytes=1MiB")
    seconds = replayed(suite, "gen:ring,ranks=2,iterations=100,bytes=1MiB", "-p", PLATFORM)
    for source, outcome, words in [
        ("crash_segfault.c", "rank-died", "SIGSEGV"), ("deadlock_recv.c", "deadlock", "deadlock"), ("abort_with_code.c", "aborted", "MPI_Abort"), ("bad_rank.c", "misuse", "rank"), ("exit_early.c", "rank-died", "before it called MPI_Finalize"),
    ]:
        program, ranks = suite.compile(FAULTS / source, flags=["-g"]), 3 if source == "abort_with_code.c" else 2
        bad = job("bad", program=str(program), ranks=ranks)
        result, figures = jobs(suite, good + bad, "--compute", "none", "--no-alone")
        named = f"job bad failed; its ranks are 0 to {ranks - 1} of the run" in result.err and words in result.err and source in result.err
        suite.check(f"{source}: named", result.code != 0 and figures["bad"]["outcome"] == outcome and named, (result, figures))
        late = figures["bad"]["seconds"] > figures["good"]["seconds"] / 10
        suite.check(f"{source}: it took no longer than until it failed", not late, (result, figures))
        suite.check(f"{source}: the other goes on", figures["good"]["outcome"] == "finished" and figures["good"]["seconds"] == seconds, (result, figures))
        result, figures = jobs(suite, good + bad, "--compute", "none")
        suite.check(f"{source}: no slow-down of what fails alone", figures["bad"]["slowdown"] is None and figures["good"]["slowdown"] == 1, (result, figures))
    stuck = suite.compile(STUCK, "stuck")
    bad = job("bad", program=str(stuck), ranks=2, start="1ms")
    alone, only = jobs(suite, bad, "--compute", "none", "--no-alone")
    beside, figures = jobs(suite, good + bad, "--compute", "none", "--no-alone")
    suite.check("a deadlock comes when the last message has", 0.0021 < only["bad"]["seconds"] < 0.0022, (alone, only))
    suite.check("and then beside others too", figures["bad"]["seconds"] == only["bad"]["seconds"] < figures["good"]["seconds"] / 3, (beside, figures))
    code = suite.compile("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 7; }", "seven")
    result, figures = jobs(suite, good + job("bad", program=str(code), ranks=1))
    suite.check("the exit code of a program", result.code == 7 and figures["bad"]["outcome"] == "finished", (result, figures))


def test_reports(suite):
    folder = suite.folder / "pages"
    halo = suite.compile(ROOT / "examples" / "halo2d.c", flags=["-lm", "-g"])
    text = job("halo", program=str(halo), ranks=4) + job("noise", trace="gen:alltoall,ranks=4,bytes=1MiB", start="10us")
    result, figures = jobs(suite, text, "--report", folder)
    suite.check("a page for each job", result.code == 0 and sorted(page.name for page in folder.iterdir()) == ["halo.html", "noise.html"], result)
    for name in ("halo", "noise"):
        figures_of_page = suite.run([MPIRAGE, "report", "--json", folder / f"{name}.html"])
        page = json.loads(figures_of_page.out)[0]["run"]
        own = figures[name]
        same = all(page[key] == own[key] for key in ("ranks", "messages", "bytes", "calls", "outcome"))
        suite.check(f"{name}: the page has the figures of the job", same and page["simulated_seconds"] == own["seconds"] and len(page["per_rank_seconds"]) == 4, (page, own))


def test_call_paths(suite):
    """Each program has paths of its own."""
    program = suite.compile(TESTS / "views" / "wait_states" / "call_paths.c", flags=["-g", "-O0"])
    text = job("one", program=str(program), ranks=4) + job("two", program=str(program), ranks=4, start="10us")
    plain, expected = jobs(suite, text, "--compute", "none")
    result, figures = jobs(suite, text, "--compute", "none", "--report", suite.folder / "paths", "--call-paths", "4")
    for name in ("one", "two"):
        suite.check(f"{name}: paths change no time", figures[name]["seconds"] == expected[name]["seconds"], (plain, result))
        calls = json.loads(suite.run([MPIRAGE, "report", "--json", suite.folder / "paths" / f"{name}.html"]).out)[0]["waits"]["calls"]
        sites = {site for function, site in zip(calls["function"], calls["site"]) if function == "MPI_Sendrecv"}
        both = len(sites) == 2 and all("in exchange ←" in site and site.endswith("in main") for site in sites)
        suite.check(f"{name}: calls on two paths are apart", both, sites)


def test_mistakes(suite):
    ring = "gen:ring,ranks=2"
    for text, options, words in [
        ("", [], "there is no job"), ("[[job]\n", [], "TOML parse error at line 1"), (job("a", trace="nowhere.mpirage"), [], "job `a`"), (job("a", program="./nowhere", ranks=2), [], "nowhere"),
        (job("a", trace=ring, hosts="7-8"), [], "hosts 0 to 7"), (job("a", trace=ring, hosts="moon"), [], "moon"), (job("a", trace="gen:ring,ranks=20"), [], "cannot be placed on the 8 hosts"),
        (job("a", trace=ring), ["--only", "b"], "there is no such job; there are a"), (job("a", trace=ring), ["-H", "host-0"], "the hosts of jobs are in their file"),
        (job("a", trace=ring), ["--compute", "recorded:x"], "expected measured or none"), (job("a", trace=ring), ["--report", "/proc/x"], "--report /proc/x"),
    ]:
        result, _ = jobs(suite, text, *options)
        suite.check(f"{words}: said", result.code in (82, 83, 84) and words in result.err and "panick" not in result.err, result)
    missing = suite.run([MPIRAGE, "jobs", suite.folder / "missing.toml"])
    suite.check("no such file", missing.code == 84 and "missing.toml" in missing.err, missing)
    file = write(suite, "self.toml", job("a", trace=ring))
    result = suite.run([MPIRAGE, "jobs", f"--json={file}", file])
    suite.check("the result does not replace the jobs", result.code == 84 and file.read_text() == job("a", trace=ring), result)


def test_table(suite):
    text = job("halo", trace="gen:halo2d,ranks=4,bytes=1MiB", hosts="0-3", ppn=1) + job("noise", trace="gen:alltoall,ranks=4,bytes=1MiB", hosts="0-3", ppn=1)
    result = suite.run([MPIRAGE, "jobs", "-p", PLATFORM, write(suite, "table.toml", text)])
    lines = result.err.splitlines()
    suite.check("a table", result.code == 0 and lines[0].startswith("mpirage: 2 jobs on cluster:8,cores=2, model flow, cores: own") and lines[1].split()[:3] == ["job", "ranks", "hosts"], result)
    suite.check("both are slower", all(float(find(rf"{name} .* (\d\.\d+) +finished", result.err)[1]) > 1.1 for name in ("halo", "noise")), result)


def test_placements(suite):
    """A study of jobs: where should they be?"""
    write(suite, "where.toml", """command = "jobs -p cluster:4,cores=2 {case}/jobs.toml"
[parameters]
hosts = ["0-1", "2-3"]
[files]
"jobs.toml" = '''
[[job]]
name = "a"
trace = "gen:incast,ranks=2,bytes=64MiB,iterations=1"
hosts = "0-1"
ppn = 1
[[job]]
name = "b"
trace = "gen:incast,ranks=2,bytes=64MiB,iterations=1"
hosts = "{hosts}"
ppn = 1
'''
""")
    result = suite.run([MPIRAGE, "sweep", "-q", suite.folder / "where.toml"], timeout=60)
    table = list(csv.DictReader(open(suite.folder / "where.sweep" / "results.csv"))) if result.code == 0 else []
    found = {row["hosts"]: round(float(row["jobs.b.slowdown"]), 2) for row in table}
    suite.check("a study of placements", found == {"0-1": 2.0, "2-3": 1.0}, (result, table))
