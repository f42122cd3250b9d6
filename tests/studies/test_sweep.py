"""`mpirage sweep`: designs, resumption after kills, failures, limits, tables and the page."""

import csv
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import time

import prepare
from harness import MPIRAGE, ROOT, find

GRID = """
command = "replay -p cluster:{ranks},cores=1 --model {model} gen:{pattern},ranks={ranks},bytes={bytes},iterations=20"
[parameters]
pattern = ["ring", "allreduce", "halo2d"]
ranks = { from = 4, to = 16, factor = 2 }
bytes = ["1KiB", "64KiB"]
model = ["flow", "flow:no-contention"]
"""


def write(suite, name, text):
    """A study file in a folder of its own."""
    folder = suite.folder / name
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(text)
    return folder / "study.toml"


def sweep(suite, study, *arguments, **more):
    return suite.run([MPIRAGE, "sweep", study, *arguments], timeout=120, **more)


def rows(study, table="results", folder=None):
    with open((folder or study.with_suffix(".sweep")) / f"{table}.csv", newline="") as file:
        return list(csv.DictReader(file))


def text_of(study, table="results", folder=None):
    return ((folder or study.with_suffix(".sweep")) / f"{table}.csv").read_text()


def test_grid(suite):
    """All combinations, in order; figures are those of the commands."""
    study = write(suite, "grid", GRID)
    listed = sweep(suite, study, "--dry-run")
    lines = listed.out.splitlines()
    suite.check("grid: --dry-run lists all cases", listed.code == 0 and len(lines) == 36, listed)
    suite.check("grid: and runs none", not study.with_suffix(".sweep").exists())
    done = sweep(suite, study)
    suite.check("grid: exit code", done.code == 0, done)
    table = rows(study)
    suite.check("grid: a row for each case", [row["case"] for row in table] == [str(n) for n in range(1, 37)], table[:3])
    for line, row in list(zip(lines, table))[::7]:
        words = shlex.split(line[line.index("mpirage "):])[1:]
        again = suite.run([MPIRAGE, words[0], "-q", "--json", *words[1:]])
        result = json.loads(again.out)
        same = all(float(row[column]) == result[name] for column, name in
                   (("simulated_seconds",) * 2, ("messages",) * 2, ("result.bytes", "bytes"), ("result.ranks", "ranks"), ("ranks", "ranks")))
        suite.check(f"grid: case {row['case']} is what its command gives", same, (row, again))
    best = min(table, key=lambda row: float(row["simulated_seconds"]))
    first = done.out.splitlines()[1].split()
    suite.check("grid: the ranking begins with the best", first[1:5] == [best[name] for name in ("pattern", "ranks", "bytes", "model")], done.out)
    host = rows(study, "host")
    suite.check("grid: what the host took is apart", len(host) == 36 and all(float(row["case_seconds"]) > 0 and float(row["peak_rss_bytes"]) > 0 for row in host), host[:2])
    suite.check("grid: and not among the results", not {"wall_seconds", "cpu_seconds", "peak_rss_bytes"} & set(table[0]), list(table[0]))
    one = sweep(suite, study, "-o", suite.folder / "one", "-j", 1, "-q")
    suite.check("grid: one core gives the same table", text_of(study) == text_of(study, folder=suite.folder / "one"), one)
    suite.check("grid: -q prints nothing", (one.code, one.out, one.err) == (0, "", ""), one)
    started = time.time()
    again = sweep(suite, study)
    suite.check("grid: a finished study runs nothing again", again.code == 0 and time.time() - started < 3 and rows(study, "host") == host, again)


def test_parquet(suite):
    """Parquet has what CSV has."""
    prepare.python(prepare.TIMELINES)
    import pandas
    study = write(suite, "parquet", GRID.replace("factor = 2", "factor = 4"))
    suite.check("parquet: exit code", sweep(suite, study).code == 0)
    folder = study.with_suffix(".sweep")
    for table in ("results", "host", "failures"):
        ours, theirs = pandas.read_parquet(folder / f"{table}.parquet"), pandas.read_csv(folder / f"{table}.csv")
        same = list(ours.columns) == list(theirs.columns) and all(
            list(map(str, ours[name].dropna())) == list(map(str, theirs[name].dropna())) or (ours[name] == theirs[name]).all() for name in ours.columns)
        suite.check(f"parquet: {table}", same, (ours, theirs))


def test_options(suite):
    """A command may have -q already. --dry-run finds options that no case could have."""
    text = 'command = "replay -q {option} -p cluster:{{n}} gen:ring,ranks={{n}}"\n[parameters]\nn = [2, 4]\n'
    study = write(suite, "quiet", text.format(option=""))
    listed = sweep(suite, study, "--dry-run")
    suite.check("options: -q is listed", listed.code == 0 and listed.out.count("replay -q") == 2, listed)
    suite.check("options: -q runs", sweep(suite, study).code == 0 and len(rows(study)) == 2)
    for option in ("--no-such-option", "--json=FILE"):
        listed = sweep(suite, write(suite, "wrong", text.format(option=option)), "--dry-run")
        suite.check(f"options: {option}", listed.code == 84 and "case 1 would fail" in listed.err and option.split("=")[0] in listed.err, listed)


def test_designs(suite):
    """Random and one-at-a-time designs, conditions, repetitions, files, fields and measures."""
    base = 'command = "replay -p cluster:4,cores=1,bandwidth={bw} gen:ring,ranks=4,bytes={size},iterations={n}"\n'
    drawn = write(suite, "random", base + """design = "random"\ncases = 12\nseed = 3
[parameters]
bw = { from = 100, to = 10000, scale = "log", unit = "MBps" }
size = { from = 1000, to = 9000 }
n = [5, 10, 20]
""")
    done = sweep(suite, drawn)
    table = rows(drawn)
    sizes = sorted(int(row["size"]) for row in table)
    suite.check("random: exit code and cases", done.code == 0 and len(table) == 12, done)
    suite.check("random: one value in each twelfth", all(1000 + n * 8001 // 12 <= size <= 1000 + (n + 1) * 8001 // 12 for n, size in enumerate(sizes)), sizes)
    suite.check("random: each list value as often", [sum(row["n"] == n for row in table) for n in ("5", "10", "20")] == [4, 4, 4], table)
    suite.check("random: the seed decides", sweep(suite, drawn, "--dry-run").out == sweep(suite, drawn, "--dry-run").out)
    other = write(suite, "random2", drawn.read_text().replace("seed = 3", "seed = 4"))
    suite.check("random: another seed draws others", sweep(suite, other, "--dry-run").out != sweep(suite, drawn, "--dry-run").out)
    alone = write(suite, "alone", base + 'design = "one-at-a-time"\n[parameters]\nbw = ["1GBps", "2GBps"]\nsize = [10, 20, 30]\nn = [1]\n')
    lines = sweep(suite, alone, "--dry-run").out.splitlines()
    suite.check("one at a time: four cases", len(lines) == 4 and "bw=1GBps size=10 n=1" in lines[0] and "bw=1GBps size=30 n=1" in lines[3], lines)
    rich = write(suite, "rich", """
command = ["replay", "--model", "{case}/noisy.toml", "{where}", "-p", "{net.platform}", "gen:halo2d,ranks=4,iterations=5,compute=1ms"]
repeat = 4
exclude = "net == 'B' and where == '--map-by node'"
[parameters]
net = [{ label = "A", platform = "cluster:4", price = 10 }, { label = "B", platform = "cluster:2,cores=2", price = 4 }]
where = [[], ["--map-by", "node"]]
[files]
"noisy.toml" = '''
[model]
noise = { computation = 0.05, message = "1us" }
'''
[measures]
cost = "net.price * 4"
[page]
pareto = ["cost", "simulated_seconds"]
""")
    done = sweep(suite, rich)
    table = rows(rich)
    suite.check("rich: cases without those left out", done.code == 0 and len(table) == 3 * 4, done)
    suite.check("rich: repetitions draw other numbers", len({(row["net"], row["simulated_seconds"]) for row in table}) == 8, table)
    suite.check("rich: measures and fields are columns", [(row["cost"], row["net.price"]) for row in table[::4]] == [("40", "10"), ("40", "10"), ("16", "4")], table)
    suite.check("rich: the ranking has intervals", find(r"\d ms to \d+\.\d+ ms", done.out), done.out)
    suite.check("rich: efficiencies are columns", all(0 < float(row["efficiency.parallel"]) <= 1 for row in table), table[0])


def test_printed(suite):
    """Programs, and numbers that they print."""
    program = suite.compile("""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("value: %d\\n", atoi(argv[1]) * size);
    MPI_Finalize();
    return atoi(argv[1]) == 3 ? 7 : 0;
}
""", "value")
    study = write(suite, "printed", f'command = "run -n {{n}} --compute none {program} {{x}}"\n[parameters]\nn = [2, 3]\nx = [1, 2, 3]\n[measures]\nvalue = {{ after = "value" }}\nhalf = "value / 2"\n')
    done = sweep(suite, study)
    table = rows(study)
    suite.check("printed: numbers of the program", [row["value"] for row in table] == ["2", "4", "", "3", "6", ""], table)
    suite.check("printed: measures of measures", [row["half"] for row in table] == ["1", "2", "", "1.5", "3", ""], table)
    suite.check("printed: failures have an exit code of their own", done.code == 87 and "failed with exit code 7" in done.err, done)
    failed = rows(study, "failures")
    suite.check("printed: and a table", [(row["case"], row["exit_code"]) for row in failed] == [("3", "7"), ("6", "7")], failed)
    suite.check("printed: standard output is kept", (study.with_suffix(".sweep") / failed[0]["folder"] / "stdout").read_text() == "value: 6\n")


def test_failures(suite):
    """Failures are apart, keep their messages, and run again with --retry only."""
    folder = write(suite, "failures", 'command = "replay -p {p} gen:ring,ranks=4"\n[parameters]\np = ["cluster:4", "missing.toml", "cluster:8"]\n').parent
    study = folder / "study.toml"
    done = sweep(suite, study)
    suite.check("failures: exit code 87", done.code == 87 and "case 2 failed with exit code 82" in done.err, done)
    suite.check("failures: the others finish", [row["status"] for row in rows(study)] == ["finished", "failed", "finished"], rows(study))
    suite.check("failures: with their message", "missing.toml" in rows(study, "failures")[0]["reason"], rows(study, "failures"))
    shutil.copy(ROOT / "platforms" / "cluster.toml", folder / "missing.toml")
    again = sweep(suite, study)
    suite.check("failures: are not repeated by themselves", again.code == 87, again)
    retried = sweep(suite, study, "--retry")
    suite.check("failures: --retry runs them again", retried.code == 0 and rows(study)[1]["status"] == "finished" and not rows(study, "failures"), retried)
    slow = write(suite, "slow", 'command = "run sleep {n}"\n[parameters]\nn = ["0.1", "30"]\n')
    late = sweep(suite, slow, "--timeout", "1")
    reason = [row["reason"] for row in rows(slow, "failures") if row["case"] == "2"]
    suite.check("failures: --timeout stops a case", late.seconds < 20 and reason and "longer than --timeout" in reason[0], (late, reason))


def test_memory(suite):
    """A case that needs more than the budget fails; cases that fit one at a time all finish."""
    program = suite.compile("""#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    size_t bytes = (size_t)atoi(argv[1]) << 20;
    MPI_Init(&argc, &argv);
    char *block = malloc(bytes);
    memset(block, 1, bytes);
    usleep(700000);
    MPI_Finalize();
    return block[bytes / 2] - 1;
}
""", "large")
    study = write(suite, "memory", f'command = "run -n 1 --compute none {program} {{mib}}"\n[parameters]\nmib = [60, 61, 62, 63]\n')
    done = sweep(suite, study, "-j", 4, "--memory", "150MiB")
    suite.check("memory: all finish under a budget for one", done.code == 0 and len(rows(study)) == 4, done)
    suite.check("memory: which some had to wait for", "runs again later" in done.err or max(float(row["case_seconds"]) for row in rows(study, "host")) < 3, done)
    large = write(suite, "too-large", f'command = "run -n 1 --compute none {program} {{mib}}"\n[parameters]\nmib = [300]\n')
    done = sweep(suite, large, "--memory", "100MiB")
    suite.check("memory: a case that is too large fails", done.code == 87 and "more memory than --memory" in done.err, done)


def test_resume(suite):
    """Killed ten times at random, the table is the same; nothing is left running."""
    study = write(suite, "resume", GRID.replace("iterations=20", "iterations=800").replace("to = 16", "to = 64"))
    whole, parts = suite.folder / "whole", suite.folder / "parts"
    straight = sweep(suite, study, "-o", whole, "-q")
    suite.check("resume: without kills", straight.code == 0, straight)
    # Ten parts take less than half of the whole, so that a fast machine does not finish before the last kill.
    chance, kills, most = random.Random(19), 0, max(straight.seconds / 14, 0.06)
    while kills < 10:
        with open(suite.folder / "resume.err", "w") as errors:
            process = subprocess.Popen([MPIRAGE, "sweep", study, "-o", parts, "-q"], stderr=errors, start_new_session=True)
        time.sleep(chance.uniform(0.05, most))
        if process.poll() is not None:
            break
        # A terminal and a batch system signal cases too.
        kills += 1
        if kills % 3 == 0:
            os.killpg(process.pid, signal.SIGINT if kills % 2 else signal.SIGTERM)
        else:
            process.send_signal(signal.SIGKILL)
        process.wait()
    before = sum(1 for _ in (parts / "done").iterdir())
    last = sweep(suite, study, "-o", parts, "-q")
    how = f"{kills} kills of up to {most:.2f} s each; the study takes {straight.seconds:.1f} s; the last: {process.returncode}, {(suite.folder / 'resume.err').read_text()}"
    suite.check("resume: ten kills", kills == 10, how)
    suite.check("resume: after which some cases were done", before > 0, before)
    suite.check("resume: and no case counts as failed", not any((parts / "failed").iterdir()))
    suite.check("resume: and goes on to the end", last.code == 0 and not last.left, last)
    suite.check("resume: with the same table", text_of(study, folder=parts) == text_of(study, folder=whole))
    suite.check("resume: nothing waits or runs", not any((parts / "todo").iterdir()) and not any((parts / "running").iterdir()))
    (parts / "done" / next((parts / "done").iterdir()).name).write_text("{")
    cut = sweep(suite, study, "-o", parts, "-q")
    suite.check("resume: a cut result is computed again", cut.code == 0 and text_of(study, folder=parts) == text_of(study, folder=whole), cut)
    study.write_text(study.read_text().replace('"halo2d"', '"halo3d"'))
    changed = sweep(suite, study, "-o", parts, "-q")
    hosts = rows(study, "host", parts)
    suite.check("resume: a changed study keeps cases that it still has", changed.code == 0 and len(rows(study, folder=parts)) == len(hosts), changed)
    interrupted = suite.start([MPIRAGE, "sweep", study, "-o", suite.folder / "third"], "sweep-interrupted", stderr=subprocess.PIPE, text=True)
    time.sleep(0.6)
    interrupted.send_signal(signal.SIGINT)
    said = interrupted.communicate(timeout=20)[1]
    suite.check("resume: an interruption says how to go on", interrupted.returncode == 130 and "the same command goes on" in said, said)


def test_busy(suite):
    """One process drives a study."""
    study = write(suite, "busy", 'command = "run sleep {n}"\n[parameters]\nn = [3]\n')
    first = suite.start([MPIRAGE, "sweep", study, "-q"], "sweep-busy")
    time.sleep(0.8)
    second = sweep(suite, study)
    suite.check("busy: a second one is refused", second.code == 84 and "another mpirage sweep works in" in second.err, second)
    first.wait()


def test_bad_studies(suite):
    """Mistakes in study files: message, line, remedy and exit code 84."""
    base = 'command = "run ./a {x}"\n[parameters]\nx = [1]\n'
    cases = [
        ("comand = 1\n", "study.toml:1:1", "known are name, command"),
        (base + "y = [2]\n", "study.toml:4:5", "write {y} where it belongs"),
        ('command = "run ./a {y}"\n[parameters]\nx = [1]\n', "study.toml:1:11", "[parameters] has x"),
        (base.replace("[1]", "{ from = 1, to = 2 }"), "study.toml:3:5", "points = 5"),
        ('command = "./a"\n', "study.toml:1:11", "it begins with one of run, replay"),
        ('exclude = "x >"\n' + base, "study.toml:1:11", "a value is missing"),
        ('design = "random"\n' + base, "study.toml:1:10", "write for example cases = 40"),
        (base + "[pages]\n", "study.toml:4:2", "a study has no `pages`"),
        ("x = = 1\n", "study.toml:1:5", "this is not TOML"),
        ('exclude = "x > 0"\n' + base, "study.toml", "leave no case over"),
    ]
    for number, (text, place, said) in enumerate(cases):
        done = sweep(suite, write(suite, f"bad{number}", text))
        suite.check(f"bad studies: {said}", done.code == 84 and place in done.err and said in done.err, done)
    missing = sweep(suite, suite.folder / "none.toml")
    suite.check("bad studies: no file", missing.code == 84 and "there is no file" in missing.err, missing)
    huge = sweep(suite, write(suite, "huge", 'command = "run ./a {x} {y} {z}"\n[parameters]\n' + "".join(f"{name} = {{ from = 1, to = 200, step = 1 }}\n" for name in "xyz")))
    suite.check("bad studies: millions of cases", huge.code == 84 and "more than 1000000 combinations" in huge.err, huge)


def test_scaling(suite):
    """A study of ranks: speed-up and efficiency on the page, a ranking for each number of ranks only."""
    study = write(suite, "scaling", """
command = "replay -p cluster:16 --net {net} gen:halo2d,ranks={ranks},bytes=4KiB,iterations=20,compute=1ms"
[parameters]
ranks = { from = 1, to = 16, factor = 4 }
net = ["hdr", "gige"]
""")
    done = sweep(suite, study)
    table = rows(study)
    suite.check("scaling: the study runs", done.code == 0 and len(table) == 6, done)
    ranked = [line.split() for line in done.out.splitlines() if line[:1].isdigit()]
    places = [(words[0], words[1]) for words in ranked]
    suite.check("scaling: networks are ranked for each number of ranks", sorted(places) == sorted((place, str(ranks)) for ranks in (1, 4, 16) for place in "12"), done.out)
    page = (study.with_suffix(".sweep") / "index.html").read_text()
    suite.check("scaling: the page has a section", "<h2>Scaling</h2>" in page)
    times = {row["ranks"]: float(row["simulated_seconds"]) for row in table if row["net"] == "gige"}
    efficiency = 100 * times["1"] / times["16"]
    weak = page[page.index("problem grows with ranks"):]
    suite.check("scaling: efficiency where the problem grows is the ratio of times", f"16 ranks: {efficiency:.4g}" in weak, (efficiency, weak[:3000]))


def test_page(suite):
    """The page in Chromium: no request, no error, a table that sorts and filters, Dimemas' plots."""
    study = write(suite, "page", """
name = "buses & links"
command = "replay -p {case}/machine.toml --model bus gen:alltoall,ranks=8,bytes=64KiB,iterations=4"
[parameters]
latency = { from = 1, to = 100, factor = 10, unit = "us" }
bandwidth = { values = [100, 400, 1600], unit = "MBps" }
buses = [1, 2, 4, 8]
[files]
"machine.toml" = '''
[cluster]
hosts = 8
speed = "1Gf"
latency = "{latency}"
bandwidth = "{bandwidth}"
[model]
buses = {buses}
'''
""")
    done = sweep(suite, study)
    suite.check("page: the study runs", done.code == 0 and len(rows(study)) == 36, done)
    prepare.browser()
    from playwright.sync_api import sync_playwright
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=prepare.CHROMIUM, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1400, "height": 900})
        troubles, requests = [], []
        view.on("pageerror", lambda error: troubles.append(str(error)))
        view.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        view.on("request", lambda request: requests.append(request.url))
        view.goto((study.with_suffix(".sweep") / "index.html").as_uri())
        headings = view.locator("h2").all_inner_texts()
        suite.check("page: sections", headings == ["Ranking", "Main effects", "Small multiples", "Speed-up against the machine", "Pareto front", "Table"] or
                    headings == ["Ranking", "Main effects", "Small multiples", "Speed-up against the machine", "Table"], headings)
        classic = view.locator("text.head", has_text="speed-up against").all_text_contents()
        suite.check("page: Dimemas' plots", sorted(classic) == ["speed-up against bandwidth", "speed-up against buses", "speed-up against latency"], classic)
        seconds = view.locator("#table thead th", has_text="simulated_seconds")
        column = seconds.evaluate("heading => heading.cellIndex")
        seconds.click()
        shown = [float(cell.get_attribute("title")) for cell in view.locator(f"#table tbody tr td:nth-child({column + 1})").all()]
        suite.check("page: a click sorts", shown == sorted(shown) and len(shown) == 36, shown)
        view.fill("#filter", "1600")
        suite.check("page: the filter leaves rows", view.locator("#table tbody tr:visible").count() == 12)
        suite.check("page: no error and no request", not troubles and len(requests) == 1, (troubles, requests))
        if os.environ.get("SCREENSHOT"):
            view.fill("#filter", "")
            view.screenshot(path=os.environ["SCREENSHOT"], full_page=True)
        browser.close()
