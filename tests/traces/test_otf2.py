"""OTF2 archives, out and in. What mpirage writes is read by otf2-print and by Debian's Python package `otf2`, and compared with the tables of
the same run. What that package writes is replayed, and compared with a trace of the same program in another format. Both use libotf2,
which mpirage does not contain. Missing Debian packages are installed."""

import collections
import csv
import json
import random
import resource
import shutil
import subprocess

import prepare
import pytest
from harness import MPIRAGE, ROOT, TESTS

PYTHON = prepare.DEBIAN_PYTHON
SCHEDULE = (TESTS / "traces" / "two_ranks.goal").read_text()
READER = TESTS / "traces" / "otf2" / "read.py"
WRITER = TESTS / "traces" / "otf2" / "write.py"
PROGRAMS = TESTS / "programs"
EXAMPLES = ROOT / "examples"
PICOS = 10**12
# Archives do not tell what a library's overheads are: they would be paid again, and the send of a message is later than its call by them.
FACTORS = ("--model", "flow:factors")

# Name, source, ranks, platform, exit code.
RUNS = [
    ("halo2d", EXAMPLES / "halo2d.c", 9, "cluster:9", 0),
    ("conjugate_gradient", EXAMPLES / "conjugate_gradient.c", 8, "fat-tree:4x4", 0),
    ("nbody_ring", EXAMPLES / "nbody_ring.c", 6, "cluster:3", 0),
    ("comm_more", PROGRAMS / "comm_more.c", 6, "cluster:6", 0),
    ("persistent", PROGRAMS / "persistent.c", 4, "cluster:4", 0),
    ("wait_any_some", PROGRAMS / "wait_any_some.c", 5, "cluster:5", 0),
    ("nonblocking_coll", PROGRAMS / "nonblocking_coll.c", 4, "cluster:4", 0),
    ("mprobe", PROGRAMS / "mprobe.c", 4, "cluster:4", 0),
    ("deadlock", TESTS / "mistakes" / "faults" / "deadlock_recv.c", 3, "cluster:3", 80),
]


@pytest.fixture(scope="module", autouse=True)
def libotf2():
    """Debian's tools and Python package for OTF2 are installed."""
    prepare.debian(prepare.OTF2)


def figures(result):
    return json.loads(result.out.splitlines()[-1])


def read(suite, name, anchor):
    """What the Python package finds in an archive."""
    result = suite.run([PYTHON, READER, anchor], timeout=300)
    ok = suite.check(f"{name}: the Python package reads it", result.code == 0 and not result.err, result.err[-2000:])
    return json.loads(result.out) if ok else None


def rows(folder, table):
    with open(folder / f"{table}.csv", newline="") as lines:
        return list(csv.DictReader(lines))


def picos(seconds):
    return round(float(seconds) * PICOS)


def printed(suite, name, anchor):
    """Event counts according to otf2-print."""
    result = suite.run(["otf2-print", anchor], timeout=300)
    suite.check(f"{name}: otf2-print reads it without complaint", result.code == 0 and not result.err, result.err[-2000:])
    words = (line.split() for line in result.out.splitlines())
    return collections.Counter(line[0] for line in words if len(line) > 2 and line[1].isdigit())


def check_archive(suite, name, folder, archive):
    """An archive against the tables of the same run."""
    calls, messages, computations = (rows(folder / "run.csv", table) for table in ("calls", "messages", "computations"))
    messages = [row for row in messages if row["comm"]]
    events, locations = archive["events"], archive["locations"]
    by_location = collections.defaultdict(list)
    for location, kind, time, fields in events:
        by_location[location].append((kind, time, fields))
    counts = collections.Counter(kind for _, kind, _, _ in events)
    suite.check(f"{name}: locations have as many events as they say", all(len(by_location[number]) == location["events"] for number, location in enumerate(locations)))
    suite.check(f"{name}: picoseconds", archive["resolution"] == PICOS)
    for number, mine in by_location.items():
        times = [time for _, time, _ in mine]
        suite.check(f"{name}: location {number} is in order of time", times == sorted(times))
        depth = 0
        for kind, _, _ in mine:
            depth += {"Enter": 1, "Leave": -1}.get(kind, 0)
            if depth not in (0, 1):
                break
        suite.check(f"{name}: location {number} enters and leaves in turns", depth == 0)
    # Calls: function, begin and end.
    expected = collections.Counter((int(row["rank"]), row["function"], picos(row["start"])) for row in calls)
    ranks = [int(location["rank"].split()[-1]) if location["rank"].startswith("MPI Rank") else None for location in locations]
    entered = collections.Counter((ranks[place], fields["region"], time) for place, kind, time, fields in events if kind == "Enter" and fields["paradigm"] == "MPI")
    suite.check(f"{name}: calls and when they begin", entered == expected, (entered - expected, expected - entered))
    expected = collections.Counter((int(row["rank"]), row["function"], picos(row["end"])) for row in calls)
    left = collections.Counter((ranks[place], fields["region"], time) for place, kind, time, fields in events if kind == "Leave" and fields["paradigm"] == "MPI")
    suite.check(f"{name}: when calls end", left == expected, (left - expected, expected - left))
    computing = collections.Counter((ranks[place], time) for place, kind, time, fields in events if kind == "Enter" and fields["region"] == "computation")
    expected = collections.Counter((int(row["rank"]), picos(row["start"])) for row in computations if row["start"] != row["end"])
    suite.check(f"{name}: computation", computing == expected, (computing - expected, expected - computing))
    check_messages(suite, name, archive, ranks, messages)
    check_requests(suite, name, by_location)
    return counts


def check_messages(suite, name, archive, ranks, messages):
    """Sends are those of the table; each receive is of a message that was sent."""
    worlds = archive["comms"]
    sent, received = collections.Counter(), collections.Counter()
    for place, kind, time, fields in archive["events"]:
        members = worlds.get(fields.get("comm")) or [ranks[place]]
        if kind in ("MpiSend", "MpiIsend"):
            sent[(ranks[place], members[fields["peer"]], fields["tag"], fields["bytes"], time)] += 1
        elif kind in ("MpiRecv", "MpiIrecv"):
            received[(members[fields["peer"]], ranks[place], fields["tag"], fields["bytes"])] += 1
    expected = collections.Counter((int(row["source"]), int(row["destination"]), int(row["tag"]), int(row["bytes"]), picos(row["sent"])) for row in messages)
    # A message that was never received is not in the table.
    suite.check(f"{name}: sends are those of the table", not expected - sent, (expected - sent, sent - expected))
    plain = collections.Counter()
    for (source, destination, tag, size, _), count in sent.items():
        plain[(source, destination, tag, size)] += count
    suite.check(f"{name}: each receive has a send", not received - plain, received - plain)
    table = collections.Counter((source, destination, tag, size) for source, destination, tag, size, _ in expected.elements())
    suite.check(f"{name}: receives are those of the table", received == table, (received - table, table - received))


def check_requests(suite, name, by_location):
    """A request is opened before it is completed, and once."""
    opens = {"MpiIsend": "send", "MpiIrecvRequest": "receive", "NonBlockingCollectiveRequest": "collective"}
    closes = {"MpiIsendComplete": "send", "MpiIrecv": "receive", "NonBlockingCollectiveComplete": "collective"}
    wrong = []
    for mine in by_location.values():
        opened = {}
        for kind, time, fields in mine:
            if kind in opens:
                wrong += [fields] if fields["request"] in opened else []
                opened[fields["request"]] = opens[kind]
            elif kind in closes:
                wrong += [fields] if opened.get(fields["request"]) != closes[kind] else []
                opened[fields["request"]] = None
    suite.check(f"{name}: requests", not wrong, wrong[:3])


def test_written(suite):
    """Runs as archives, read by others."""
    for name, source, ranks, platform, code in RUNS:
        folder = suite.folder / f"{name}.run"
        folder.mkdir()
        program = suite.compile(source, flags=["-g"])
        traces = ["--trace", folder / "run.otf2", "--trace", folder / "run.csv"]
        result = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "-p", platform, *FACTORS, *traces, program], timeout=120)
        if not suite.check(f"{name} runs", result.code == code, result):
            continue
        archive = read(suite, name, folder / "run.otf2")
        if archive is None:
            continue
        counts = check_archive(suite, name, folder, archive)
        suite.check(f"{name}: a node for each host", {location["node"] for location in archive["locations"] if location["type"] == "CPU_THREAD"} != set())
        lines = printed(suite, name, folder / "run.otf2")
        for kind, word in (("Enter", "ENTER"), ("Leave", "LEAVE"), ("MpiSend", "MPI_SEND"), ("MpiIsend", "MPI_ISEND"), ("MpiRecv", "MPI_RECV"), ("MpiIrecv", "MPI_IRECV"), ("MpiCollectiveEnd", "MPI_COLLECTIVE_END"), ("Metric", "METRIC")):
            suite.check(f"{name}: {kind} for otf2-print", lines[word] == counts[kind], (lines[word], counts[kind]))
        if name == "conjugate_gradient":
            check_details(suite, archive)


def check_details(suite, archive):
    """Roles, collectives, source lines and links."""
    roles = archive["regions"]
    suite.check("roles of functions", roles["MPI_Allreduce"] == "COLL_ALL2ALL" and roles["MPI_Finalize"] == "FUNCTION", roles)
    ends = [fields for _, kind, _, fields in archive["events"] if kind == "MpiCollectiveEnd" and fields["operation"] == "ALLREDUCE"]
    # One double from each of eight ranks: Score-P counts n times the vector.
    suite.check("bytes of collectives", ends and all(end["sent"] == end["received"] == 8 * 8 and end["comm"] == "MPI_COMM_WORLD" for end in ends), ends[:2])
    lines = [fields["line"] for _, kind, _, fields in archive["events"] if kind == "Enter" and fields["paradigm"] == "MPI"]
    suite.check("calls have source lines", lines and all(line and "conjugate_gradient.c:" in line for line in lines), lines[:2])
    metrics = [(fields["metric"], fields["value"]) for _, kind, _, fields in archive["events"] if kind == "Metric"]
    last = dict(metrics)
    suite.check("links end idle", metrics and max(value for _, value in metrics) > 0 and set(last.values()) == {0.0}, last)


def test_schedules(suite):
    """Computation beside a rank has locations of its own."""
    folder = suite.folder / "schedule.run"
    folder.mkdir()
    (folder / "a.goal").write_text(SCHEDULE)
    result = suite.run([MPIRAGE, "replay", "-q", "-p", "cluster:2", "--trace", folder / "run.otf2", "--trace", folder / "run.csv", folder / "a.goal"])
    suite.check("a schedule runs", result.code == 0, result)
    archive = read(suite, "schedule", folder / "run.otf2")
    names = [location["name"] for location in archive["locations"]]
    suite.check("schedule: locations", sorted(names) == sorted(["Master thread"] * 2 + ["Background 1", "Background 2", "Background 1", "Links"]), names)
    printed(suite, "schedule", folder / "run.otf2")
    counts = collections.Counter(kind for _, kind, _, _ in archive["events"])
    # No call completes the receives of a schedule.
    suite.check("schedule: a send and its receive", (counts["MpiIsend"], counts["MpiIrecvRequest"]) == (1, 1), counts)


def test_many(suite):
    """1,024 ranks with 64 open files, and chunks that are full."""
    folder = suite.folder / "many.run"
    folder.mkdir()
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    command = [MPIRAGE, "replay", "-q", "--json", "-p", "cluster:1024", "--trace", folder / "run.otf2", "gen:halo2d,ranks=1024,iterations=20"]
    result = subprocess.run(command, preexec_fn=few, capture_output=True, text=True, timeout=300)
    if not suite.check("1,024 ranks with 64 open files", result.returncode == 0, result.stderr):
        return
    said = json.loads(result.stdout.splitlines()[-1])
    files = sorted((folder / "run").glob("*.evt"), key=lambda path: int(path.stem))
    suite.check("1,024 ranks: a file for each location", len(files) == 1025, len(files))
    lines = printed(suite, "1,024 ranks", folder / "run.otf2")
    suite.check("1,024 ranks: calls", lines["ENTER"] >= said["calls"], (lines["ENTER"], said["calls"]))
    suite.check("1,024 ranks: messages", lines["MPI_ISEND"] + lines["MPI_SEND"] == 4 * 1024 * 20, lines)
    again = subprocess.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:1024", folder / "run.otf2"], preexec_fn=few, capture_output=True, text=True, timeout=300)
    ok = again.returncode == 0 and abs(json.loads(again.stdout.splitlines()[-1])["simulated_seconds"] / said["simulated_seconds"] - 1) < 1e-6
    suite.check("1,024 ranks: the archive is replayed, with 64 open files", ok, again.stderr)
    # A location with more events than a chunk holds.
    result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:2", "--trace", folder / "long.otf2", "gen:ring,ranks=2,iterations=30000"], timeout=120)
    chunks = (folder / "long" / "0.evt").stat().st_size >> 20
    suite.check("a long run has several chunks", result.code == 0 and chunks >= 1, chunks)
    printed(suite, "a long run", folder / "long.otf2")
    again = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:2", folder / "long.otf2"], timeout=120)
    suite.check("a long run: its archive is replayed", again.code == 0 and abs(figures(again)["simulated_seconds"] - figures(result)["simulated_seconds"]) < 1e-9, again)


# What each program loses in an archive: see docs/reference/traces.md.
ROUND_TRIPS = [("halo2d", 1e-6), ("nbody_ring", 1e-6), ("conjugate_gradient", 1e-6), ("comm_more", 0.02), ("persistent", 0.3), ("wait_any_some", 1e-6), ("nonblocking_coll", 0.02), ("mprobe", 0.02)]


def test_round_trips(suite):
    """A run, its own trace and its archive take the same simulated time, as far as an archive can say it."""
    sources = {name: (source, ranks, platform) for name, source, ranks, platform, _ in RUNS}
    for name, tolerance in ROUND_TRIPS:
        source, ranks, platform = sources[name]
        program, folder = suite.compile(source, flags=["-g"]), suite.folder / f"{name}.trip"
        folder.mkdir()
        traces = ["--trace", folder / "run.otf2", "--trace", folder / "run.mpirage"]
        result = suite.run([MPIRAGE, "run", "-q", "--json", "-n", ranks, "-p", platform, *FACTORS, "--compute", "none", *traces, program], timeout=120)
        suite.check(f"{name} runs", result.code == 0, result)
        # The last line of the output is the result; programs print too.
        replays = [suite.run([MPIRAGE, "replay", "-q", "--json", "-p", platform, *FACTORS, "--compute", "none", folder / file], timeout=120) for file in ("run.mpirage", "run.otf2")]
        if not suite.check(f"{name}: both are replayed", all(replay.code == 0 for replay in replays), replays):
            continue
        own, archive = (figures(replay)["simulated_seconds"] for replay in replays)
        suite.check(f"{name}: the archive takes the time of the trace", abs(archive / own - 1) < tolerance, (own, archive))
        messages = [figures(replay)["messages"] for replay in replays]
        suite.check(f"{name}: the same messages", tolerance > 1e-3 or messages[0] == messages[1], messages)


def write(suite, case):
    folder = suite.folder / f"written-{case}"
    if folder.exists():
        shutil.rmtree(folder)
    result = suite.run([PYTHON, WRITER, folder, case], timeout=120)
    suite.check(f"the Python package writes {case}", result.code == 0 and not result.err, result.err[-2000:])
    return folder / "traces.otf2"


# The program of `write.py exchange` as a time-independent trace, but for the communicator: a host computes 10 Gflop in a second.
EXCHANGE = """\
{0} init
{0} compute {compute}
{first}
{0} compute 2e7
{0} irecv {1} 3 500000 6
{0} isend {1} 3 500000 6
{0} compute 1e7
{0} waitall
{0} irecv {1} 9 2000000 6
{0} isend {1} 9 2000000 6
{0} waitall
{0} bcast 4096 1 6
{0} iallreduce 800 0 6
{0} compute 1e7
{0} wait -2 {0} 0
{0} barrier
{0} compute 1e7
{0} finalize
"""


def test_independent(suite):
    """Archives of another writer are replayed to known times."""
    ranks = [
        EXCHANGE.format(0, 1, compute=2e7, first="0 send 1 7 1000 6"),
        EXCHANGE.format(1, 0, compute=3e7, first="1 recv 0 7 1000 6"),
    ]
    (suite.folder / "same.txt").write_text("".join(ranks))
    times = []
    for trace in (suite.folder / "same.txt", write(suite, "exchange")):
        result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:2", *FACTORS, trace])
        if not suite.check(f"{trace.name} is replayed", result.code == 0, result):
            return
        times.append(figures(result)["simulated_seconds"])
    suite.check("exchange: the same time as the same trace in another format", abs(times[0] - times[1]) < 2e-8, times)
    # 40,000 messages, a microsecond of computation before each on both sides.
    anchor = write(suite, "long")
    result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:2", anchor], timeout=120)
    suite.check("long: all messages", result.code == 0 and figures(result)["messages"] == 40_000 and figures(result)["bytes"] == sum(100 + tag for tag in range(40_000)), result)
    size = (anchor.parent / "traces" / "0.evt").stat().st_size
    suite.check("long: more than a chunk of events", size > 1 << 20, size)
    result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:2", write(suite, "bare")])
    suite.check("bare: computation between messages", result.code == 0 and abs(figures(result)["simulated_seconds"] - 0.004) < 1e-3, result)
    result = suite.run([MPIRAGE, "replay", "--json", "-p", "cluster:2", write(suite, "mapped")])
    suite.check("mapped: numbers of a location are its own", result.code == 0 and figures(result)["messages"] == 1, result)
    suite.check("mapped: nobody has to free the communicators of an archive", "freed" not in result.err, result.err)
    result = suite.run([MPIRAGE, "trace", "info", "--json", write(suite, "mapped")])
    suite.check("mapped: trace info", result.code == 0 and figures(result)["message_bytes"] == 2_048, result)


def test_refusals(suite):
    """What cannot be read or written is refused, with the place and the reason."""
    anchor = write(suite, "one_sided")
    result = suite.run([MPIRAGE, "replay", "-q", anchor])
    suite.check("one-sided communication is refused", result.code == 83 and ".evt: at byte" in result.err and "one-sided" in result.err, result)
    result = suite.run([MPIRAGE, "replay", "-q", write(suite, "aborted")])
    suite.check("a run without MPI_Finalize is refused", result.code == 83 and "MPI_Finalize" in result.err, result)
    anchor = write(suite, "exchange")
    whole = anchor.read_bytes()
    # The bytes of the substrate and of the compression, after the chunk sizes.
    for at, what in ((28, "SIONlib"), (29, "compressed")):
        anchor.write_bytes(whole[:at] + b"\2" + whole[at + 1 :])
        result = suite.run([MPIRAGE, "replay", "-q", anchor])
        suite.check(f"{what} is refused", result.code == 83 and what in result.err, result)
    anchor.write_bytes(whole)
    events = anchor.parent / "traces" / "0.evt"
    content = events.read_bytes()
    events.write_bytes(content[:60])
    result = suite.run([MPIRAGE, "replay", "-q", anchor])
    suite.check("a truncated file is refused", result.code == 83 and "0.evt: at byte 60" in result.err, result)
    events.unlink()
    result = suite.run([MPIRAGE, "replay", "-q", anchor])
    suite.check("a missing file is refused", result.code == 83 and "0.evt" in result.err, result)
    program = suite.compile(EXAMPLES / "ring.c")
    result = suite.simulate("--trace", program.with_suffix(".otf2"), "-n", 2, program)
    suite.check("the program in the place of the folder is refused", result.code == 84 and "would replace the program" in result.err, result)
    (suite.folder / "taken").write_text("")
    result = suite.simulate("--trace", suite.folder / "taken.otf2", "-n", 2, program)
    suite.check("a file in the place of the folder is refused", result.code == 84 and "OTF2 needs a folder" in result.err, result)
    result = suite.run([MPIRAGE, "trace", "convert", "gen:ring,ranks=2", suite.folder / "x.otf2"])
    suite.check("an archive has times", result.code == 84 and "mpirage replay gen:ring,ranks=2 --trace" in result.err, result)


def test_full(suite):
    """A disk that is full is reported, and nothing is left. A limit of file sizes stands for the disk."""
    folder = suite.folder / "full"
    folder.mkdir()
    words = f"ulimit -f 64; trap '' XFSZ; exec {MPIRAGE} replay -q -p cluster:16 --trace {folder}/run.otf2 gen:halo2d,ranks=16,iterations=4000"
    result = suite.run(["bash", "-c", words], timeout=60)
    suite.check("a full disk is reported", result.code == 84 and "run.otf2" in result.err, result)
    suite.check("a full disk: nothing is left", not list(folder.iterdir()), list(folder.iterdir()))


def test_damage(suite):
    """Damaged archives end with a message, never with a panic."""
    anchor = write(suite, "exchange")
    files = [anchor, anchor.with_suffix(".def"), *sorted((anchor.parent / "traces").iterdir())]
    contents = {file: file.read_bytes() for file in files}
    chance = random.Random(19)
    for _ in range(120):
        file = chance.choice(files)
        content = bytearray(contents[file])
        for _ in range(chance.randint(1, 3)):
            content[chance.randrange(len(content))] = chance.choice((0, 1, 2, 3, 5, 255, chance.randrange(256)))
        content = content[: chance.choice((len(content), len(content), chance.randrange(len(content) + 1)))]
        file.write_bytes(content)
        result = suite.run([MPIRAGE, "replay", "-q", "-p", "cluster:2", anchor], timeout=60)
        ok = result.code is not None and result.code < 100 and "panicked" not in result.err
        if not suite.check("a damaged archive is replayed or refused", ok, (file.name, result)):
            shutil.copytree(anchor.parent, "/tmp/damaged-otf2", dirs_exist_ok=True)
        file.write_bytes(contents[file])
