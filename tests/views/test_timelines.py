"""Timelines of whole runs, read as Paraver, Perfetto, Paje and pandas read them, and compared with the
summary. Missing Python packages are installed into target/python. pj_dump (Debian: pajeng) reads Paje
if it is installed."""

import csv
import json
import sys
import time

import prepare
import pytest
from harness import MPIRAGE, ROOT, TESTS

sys.path.insert(0, str(TESTS / "views" / "timelines"))
import paraver  # noqa: E402

PROGRAMS = TESTS / "programs"
EXAMPLES = ROOT / "examples"
FAULTS = TESTS / "mistakes" / "faults"

# Name, source, ranks, platform, exit code; programs that use different corners of MPI.
RUNS = [
    ("halo2d", EXAMPLES / "halo2d.c", 9, "cluster:9", 0),
    ("halo2d-folded", EXAMPLES / "halo2d.c", 36, "cluster:12", 0),
    ("nbody-measured", EXAMPLES / "nbody_ring.c", 6, "cluster:3", 0),
    ("conjugate_gradient", EXAMPLES / "conjugate_gradient.c", 8, "fat-tree:4x4", 0),
    ("comm_more", PROGRAMS / "comm_more.c", 6, "cluster:6", 0),
    ("persistent", PROGRAMS / "persistent.c", 4, "cluster:4", 0),
    ("wait_any_some", PROGRAMS / "wait_any_some.c", 5, "cluster:5", 0),
    ("nonblocking_coll", PROGRAMS / "nonblocking_coll.c", 4, "cluster:4", 0),
    ("neighbour_coll", PROGRAMS / "neighbour_coll.c", 6, "cluster:3", 0),
    ("mprobe", PROGRAMS / "mprobe.c", 4, "cluster:4", 0),
    ("deadlock", FAULTS / "deadlock_recv.c", 3, "cluster:3", 80),
    ("crash", FAULTS / "crash_abort.c", 3, "cluster:3", None),
]
REPLAYS = [("gen-halo", "gen:halo2d,ranks=64", "cluster:16")]


# Two ranks that compute beside themselves, one twice at the same time.
SCHEDULE = (TESTS / "traces" / "two_ranks.goal").read_text()


class Files:
    """The timelines of one run."""

    def __init__(self, suite, name):
        self.folder = suite.folder / f"{name}.run"
        self.folder.mkdir()
        self.path = {ending: self.folder / f"run.{ending}" for ending in ("prv", "pftrace", "paje", "parquet", "csv")}

    def options(self):
        return [word for path in self.path.values() for word in ("--trace", path)]


@pytest.fixture(scope="module", autouse=True)
def readers():
    """Readers of timelines are installed."""
    prepare.python(prepare.TIMELINES)


@pytest.mark.parametrize("name, source, ranks, platform, code", RUNS, ids=[run[0] for run in RUNS])
def test_run(suite, name, source, ranks, platform, code):
    program = suite.compile(source, flags=["-g"])
    compute = "measured" if name.endswith("measured") else "none"
    command = [MPIRAGE, "run", "-n", ranks, "-p", platform, "--compute", compute, program]
    check_run(suite, name, command, code)


@pytest.mark.parametrize("name, workload, platform", REPLAYS, ids=[replay[0] for replay in REPLAYS])
def test_replay(suite, name, workload, platform):
    check_run(suite, name, [MPIRAGE, "replay", workload, "-p", platform], 0)


def check_run(suite, name, command, code):
    files = Files(suite, name)
    result = suite.run([*command[:2], *files.options(), "--json", *command[2:]], timeout=60)
    ended = result.code == code if code is not None else result.code != 0
    if not suite.check(f"{name} runs", ended, f"{result.code}\n{result.err}"):
        return
    figures = json.loads(result.out.splitlines()[-1])
    partial = [path for path in files.folder.rglob("*.partial")]
    suite.check(f"{name}: nothing half-written is left", not partial, partial)
    tables = check_tables(suite, name, files, figures)
    if command[1] == "run":
        check_lines(suite, name, tables, f"{command[-1].name}.c")
    if name.endswith("measured"):
        check_computations(suite, name, tables)
    check_paraver(suite, name, files, tables)
    check_perfetto(suite, name, files, tables)
    check_paje(suite, name, files, tables)


def check_tables(suite, name, files, figures):
    import pandas

    names = ("messages", "calls", "computations", "collectives", "links", "ranks")
    tables = {table: pandas.read_parquet(files.path["parquet"] / f"{table}.parquet") for table in names}
    messages, calls, ranks = tables["messages"], tables["calls"], tables["ranks"]
    suite.check(f"{name}: messages as in the summary", len(messages) == figures["messages"], len(messages))
    suite.check(f"{name}: bytes as in the summary", messages.bytes.sum() == figures["bytes"], messages.bytes.sum())
    returned = calls[calls.returned == 1]
    suite.check(f"{name}: calls as in the summary", len(returned) == figures["calls"], (len(returned), figures["calls"]))
    suite.check(f"{name}: a row per rank", list(ranks["rank"]) == list(range(figures["ranks"])))
    suite.check(f"{name}: sums of ranks", ranks.sent_bytes.sum() == ranks.received_bytes.sum() == figures["bytes"])
    ordered = (messages.sent <= messages.departed) & (messages.departed <= messages.arrived) & (messages.arrived <= messages.delivered)
    suite.check(f"{name}: messages leave before they arrive", ordered.all(), messages[~ordered])
    end, simulated = ranks.end.max(), figures["simulated_seconds"]
    suite.check(f"{name}: the run ends when the summary says", abs(end - simulated) < 1e-9 + 1e-9 * simulated, (end, simulated))
    for table in names:
        check_same(suite, f"{name}: {table} as CSV", tables[table], files.path["csv"] / f"{table}.csv")
    return tables


def check_computations(suite, name, tables):
    """A rank computes, is in MPI or pauses, one after the other, all the time until it ends."""
    ranks, computations = tables["ranks"], tables["computations"]
    suite.check(f"{name}: ranks compute", (ranks.computing > 0).all(), ranks)
    spent = (computations.end - computations.start).groupby(computations["rank"]).sum()
    suite.check(f"{name}: sums of computation", all(abs(spent[row.rank] - row.computing) < 1e-9 for row in ranks.itertuples()))
    known = ranks.computing + ranks.in_mpi + ranks.paused
    suite.check(f"{name}: no time is lost", ((ranks.end - known).abs() < 1e-9).all(), ranks)


def check_lines(suite, name, tables, source):
    """Every call comes from the program's source, or from what it includes."""
    calls = tables["calls"]
    own = (f"{source}:", "check.h:")
    foreign = [line for line in calls.line.fillna("nobody knows").unique() if not any(file in line for file in own)]
    suite.check(f"{name}: source lines", not foreign, foreign)


def check_same(suite, what, table, path):
    """A CSV table says what the Parquet table says."""
    with open(path, newline="") as lines:
        header, *rows = csv.reader(lines)
    suite.check(f"{what}: columns and rows", header == list(table.columns) and len(rows) == len(table), (header, len(rows)))
    for column, values in zip(header, zip(*rows)):
        expected = ["" if value is None or value != value else value for value in table[column]]
        same = all(text == value if isinstance(value, str) else float(text) == value for text, value in zip(values, expected))
        suite.check(f"{what}: {column}", same, list(zip(values, expected))[:5])


def point_to_point(tables):
    return tables["messages"][tables["messages"].comm.notna()]


def check_paraver(suite, name, files, tables):
    trace = paraver.Trace(files.path["prv"])
    suite.check(f"{name}: Paraver", not trace.wrong, "\n".join(trace.wrong))
    messages = point_to_point(tables)
    suite.check(f"{name}: messages in Paraver", (trace.messages, trace.bytes) == (len(messages), messages.bytes.sum()))
    suite.check(f"{name}: calls in Paraver", trace.calls == len(tables["calls"]), (trace.calls, len(tables["calls"])))
    suite.check(f"{name}: end in Paraver", trace.end == int(tables["ranks"].end.max() * 1e9 + 1e-4), trace.end)


def check_perfetto(suite, name, files, tables):
    import perfetto_trace as perfetto

    trace = perfetto.Trace(files.path["pftrace"])
    suite.check(f"{name}: Perfetto", not trace.wrong, "\n".join(trace.wrong))
    calls = [slice for slice in trace.slices if slice.name.startswith("MPI_")]
    suite.check(f"{name}: calls in Perfetto", len(calls) == len(tables["calls"]), len(calls))
    nanos = sum(slice.end - slice.start for slice in calls)
    expected = (tables["calls"].end - tables["calls"].start).sum() * 1e9
    suite.check(f"{name}: time in calls", abs(nanos - expected) <= len(calls) + 1, (nanos, expected))
    messages = point_to_point(tables)
    sent = sum("sent bytes" in slice.said and "tag" in slice.said for slice in calls)
    suite.check(f"{name}: arrows start at sends", sent == len(trace.flows), (sent, len(trace.flows)))
    # What was sent and never received has no end.
    suite.check(f"{name}: arrows end at receives", trace.arrows == len(messages), (trace.arrows, len(messages)))
    carried = tables["links"].groupby("link").bytes.sum()
    same = set(carried.index) == set(trace.counters) and all(
        abs(trace.carried(link) - total) <= 1e-6 * total + 1e-6 for link, total in carried.items()
    )
    suite.check(f"{name}: links in Perfetto", same, (carried.to_dict(), {link: trace.carried(link) for link in trace.counters}))


def check_paje(suite, name, files, tables):
    if not suite.has("pj_dump", f"{name}: Paje"):
        return
    dumped = suite.run(["pj_dump", files.path["paje"]])
    if not suite.check(f"{name}: pj_dump reads Paje", dumped.code == 0 and not dumped.err, dumped.err):
        return
    rows = [[word.strip() for word in line.split(",")] for line in dumped.out.splitlines()]
    links = [row for row in rows if row[0] == "Link"]
    states = [row for row in rows if row[0] == "State" and row[-1].startswith("MPI_")]
    suite.check(f"{name}: messages in Paje", len(links) == len(point_to_point(tables)), len(links))
    # pj_dump leaves out some of what has no length at the very end.
    calls, end = tables["calls"], tables["ranks"].end.max()
    least = (calls.start < end).sum()
    suite.check(f"{name}: calls in Paje", least <= len(states) <= len(calls), (least, len(states), len(calls)))
    spent = sum(float(row[5]) for row in states)
    expected = (tables["calls"].end - tables["calls"].start).sum()
    suite.check(f"{name}: time in Paje", abs(spent - expected) <= 1e-6 * len(states), (spent, expected))


def test_schedule(suite):
    """Computation beside a rank has threads and tracks of its own."""
    path = suite.folder / "schedule.goal"
    path.write_text(SCHEDULE)
    files = Files(suite, "schedule")
    result = suite.run([MPIRAGE, "replay", *files.options(), "--json", path, "-p", "cluster:2"])
    if not suite.check("a schedule is replayed", result.code == 0, result.err):
        return
    tables = check_tables(suite, "schedule", files, json.loads(result.out.splitlines()[-1]))
    check_paraver(suite, "schedule", files, tables)
    suite.check("schedule: threads", paraver.Trace(files.path["prv"]).threads == [3, 2], files.path["prv"].read_text())
    computations = tables["computations"]
    suite.check("schedule: computed beside", list(computations.beside) == [1, 1, 1], computations)
    lengths = sorted(round((row.end - row.start) * 1e9) for row in computations.itertuples())
    suite.check("schedule: as long as it says", lengths == [700, 1000, 2000], lengths)
    check_paje(suite, "schedule", files, tables)


def test_validator(suite):
    """The validator of Paraver files finds what is wrong in a file that was right."""
    program, files = suite.compile(EXAMPLES / "halo2d.c"), Files(suite, "spoiled")
    suite.simulate("--trace", files.path["prv"], "-n", 4, "--compute", "none", program)
    path = files.path["prv"]
    good = path.read_text().splitlines()
    kinds = {kind: max(i for i, line in enumerate(good) if line.startswith(kind)) for kind in "123"}

    def field(kind, position, value):
        words = good[kinds[kind]].split(":")
        words[position] = value
        return kinds[kind], ":".join(words)

    spoiled = {
        "nothing": (0, good[0]),
        "a time before": field("1", 5, "0"),
        "a state that ends after the end": field("1", 6, "99999999999"),
        "an unknown state": field("1", 7, "99"),
        "an unknown value": field("2", 7, "999"),
        "an unknown type": field("2", 6, "12345"),
        "an end without a beginning": (kinds["2"], good[kinds["2"]] + "\n" + good[kinds["2"]]),
        "a missing end": (kinds["2"], "#"),
        "an unknown task": field("3", 9, "5"),
        "a message that arrives before it leaves": field("3", 12, "0"),
        "a processor of another node": field("3", 1, "3" if good[kinds["3"]].split(":")[1] != "3" else "2"),
        "too few fields": (kinds["3"], good[kinds["3"]].rsplit(":", 1)[0]),
        "a communicator too many": (0, good[0].rsplit(",", 1)[0] + ",7"),
    }
    for what, (line, text) in spoiled.items():
        lines = [*good[:line], text, *good[line + 1 :]]
        path.write_text("\n".join(line for line in lines if line != "#") + "\n")
        wrong = paraver.Trace(path).wrong
        suite.check(f"{what} is found", bool(wrong) == (what != "nothing"), wrong)


def test_same_again(suite):
    """A run without measured times gives the same files again."""
    program, folders = suite.compile(EXAMPLES / "halo2d.c"), []
    for name in ("first", "second"):
        files = Files(suite, name)
        suite.simulate(*files.options(), "-n", 4, "--compute", "none", program)
        folders.append(files.folder)
    for path in sorted(folders[0].rglob("*")):
        if path.is_file():
            twin = folders[1] / path.relative_to(folders[0])
            suite.check(f"{path.relative_to(folders[0])} is the same again", path.read_bytes() == twin.read_bytes())


def test_killed(suite):
    """A simulator that is killed leaves nothing."""
    files = Files(suite, "killed")
    command = [MPIRAGE, "replay", "gen:halo2d,ranks=256,iterations=100000", "-p", "cluster:16", *files.options()]
    process = suite.start(command, "killed")
    time.sleep(1)
    suite.check("it was at work when it was killed", process.poll() is None)
    process.kill()
    process.communicate()
    left = [path for path in files.folder.rglob("*") if path.is_file()]
    suite.check("nothing is left", not left, left)


def test_collectives(suite):
    """With --trace-collectives Paraver, Perfetto and Paje have the messages inside collectives, which tables always have."""
    program, files = suite.compile(EXAMPLES / "conjugate_gradient.c"), Files(suite, "collectives")
    result = suite.simulate(*files.options(), "--trace-collectives", "yes", "-n", 4, "--compute", "none", "--json", program)
    if not suite.check("collectives are traced", result.code == 0, result.err):
        return
    figures = json.loads(result.out.splitlines()[-1])
    tables = check_tables(suite, "collectives", files, figures)
    inside = len(tables["messages"]) - len(point_to_point(tables))
    suite.check("there are messages inside collectives", inside > 0, inside)
    trace = paraver.Trace(files.path["prv"])
    suite.check("collectives: Paraver", not trace.wrong, "\n".join(trace.wrong))
    suite.check("collectives: messages in Paraver", trace.messages == len(tables["messages"]), trace.messages)
    import perfetto_trace as perfetto

    shown = perfetto.Trace(files.path["pftrace"])
    suite.check("collectives: Perfetto", not shown.wrong, "\n".join(shown.wrong))
    suite.check("collectives: messages in Perfetto", shown.inside == inside, (shown.inside, inside))
    if suite.has("pj_dump", "collectives: Paje"):
        dumped = suite.run(["pj_dump", files.path["paje"]])
        links = [line for line in dumped.out.splitlines() if line.startswith("Link")]
        suite.check("collectives: messages in Paje", len(links) == len(tables["messages"]), len(links))
    result = suite.simulate("--trace", "x.prv", "--trace-collectives", "perhaps", "-n", 2, program)
    suite.check("--trace-collectives perhaps is refused", result.code == 84 and "yes or no" in result.err, result)


def test_refusals(suite):
    program = suite.compile(EXAMPLES / "ring.c")
    for name, words in (("run.xyz", ".prv (Paraver)"), ("no/such/run.prv", "run.prv")):
        result = suite.simulate("--trace", suite.folder / name, "-n", 2, program)
        suite.check(f"--trace {name} is refused", result.code == 84 and words in result.err, result)
