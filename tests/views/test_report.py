"""Reports of whole runs: the numbers on the page are those of --json and of the tables (--trace run.csv).

tests/views/test_page.py tests the page itself, in a browser."""

import base64
import collections
import csv
import gzip
import itertools
import json
import re
import struct

import pytest
from harness import MEASURED, MPIRAGE, ROOT, TESTS

PROGRAMS, EXAMPLES, FAULTS = TESTS / "programs", ROOT / "examples", TESTS / "mistakes" / "faults"
SIZES = {"u8": (1, "B"), "u16": (2, "H"), "u32": (4, "I"), "f32": (4, "f"), "f64": (8, "d")}
# Times in tables are seconds with nine digits or more; those of the page come from picoseconds.
CLOSE = 2e-12

# Name, source, ranks, platform, exit code; programs that use different corners of MPI.
RUNS = [
    ("halo2d", EXAMPLES / "halo2d.c", 9, "cluster:9", 0),
    ("conjugate_gradient", EXAMPLES / "conjugate_gradient.c", 8, "fat-tree:4x4", 0),
    ("comm_more", PROGRAMS / "comm_more.c", 6, "cluster:6", 0),
    ("persistent", PROGRAMS / "persistent.c", 4, "torus:2x2", 0),
    ("nonblocking_coll", PROGRAMS / "nonblocking_coll.c", 4, "cluster:4", 0),
    ("mprobe", PROGRAMS / "mprobe.c", 4, "cluster:4", 0),
    ("deadlock", FAULTS / "deadlock_recv.c", 3, "cluster:3", 80),
    ("crash", FAULTS / "crash_abort.c", 3, "cluster:3", None),
]
REPLAYS = [
    ("gen-halo", "gen:halo2d,ranks=64,compute=50us,imbalance=2", "cluster:16"),
    ("gen-alltoall", "gen:alltoall,ranks=24,compute=20us,noise=0.5", "dragonfly:2x2x3x2"),
    ("grid", "gen:alltoall,ranks=41,bytes=4096", ROOT / "platforms" / "grid.xml"),
    ("racks", "gen:ring,ranks=24,bytes=4096", ROOT / "platforms" / "two-racks.toml"),
]
# A packet-level network whose queues are too short.
SHORT_QUEUES = """name = "short"
[cluster]
hosts = 12
speed = "1Gf"
bandwidth = "100Mbps"
latency = "50us"
[packet]
queue = "32KB"
"""


class Page:
    """The data in a page."""

    def __init__(self, path, which="data"):
        found = re.search(rf'<script id="{which}" type="text/plain">([^<]*)</script>', path.read_text())
        data = gzip.decompress(base64.b64decode(found[1]))
        (length,) = struct.unpack_from("<I", data)
        self.json = json.loads(data[4 : 4 + length])
        self.data, self.first, self.known = data, (4 + length + 7) // 8 * 8, {}

    def __getitem__(self, name):
        return self.json[name]

    def section(self, name):
        if name not in self.known:
            about = self.json["sections"][name]
            size, code = SIZES[about["type"]]
            self.known[name] = struct.unpack_from(f"<{about['bytes'] // size}{code}", self.data, self.first + about["offset"])
        return self.known[name]

    def offsets(self, name):
        """Where the bytes of each rank begin in a section."""
        return [0, *itertools.accumulate(self.section(f"{name}_bytes"))][:-1]

    def numbers(self, name, at=0):
        """Numbers of variable length, from some byte of a section on."""
        data = self.section(name)
        while at < len(data):
            number, shift, byte = 0, 0, 128
            while byte >= 128:
                byte, at = data[at], at + 1
                number |= (byte & 127) << shift
                shift += 7
            yield number

    def sequence(self, name, table, rank):
        """The symbols of what a rank did, or received: each is the successor of the one before, or given by its number."""
        numbers, successors = self.numbers(f"{name}_symbols", self.offsets(f"{name}_symbols")[rank]), self.section(f"{table}_next")
        count, last = self.section(f"{name}_length")[rank], 0
        while count > 0:
            for _ in range(min(next(numbers), count)):
                last = successors[last]
                count -= 1
                yield last
            if count > 0:
                last = next(numbers)
                count -= 1
                yield last

    def table(self, name, columns):
        return list(zip(*(self.section(f"{name}_{column}") for column in columns)))

    def calls(self):
        """Rank; start, end, waiting in picoseconds, function, site, peer or -1, bytes, tag, communicator."""
        symbols = self.table("activity_symbols", ("call", "bytes", "flags", "gap", "duration", "waited"))
        kinds = self.table("call_kinds", ("function", "site", "peer", "rooted", "tag", "comm"))
        ranks = len(self.section("events_length"))
        for rank, index in enumerate(self.offsets("events_times")):
            numbers, now = self.numbers("events_times", index), 0
            for symbol in self.sequence("events", "activity_symbols", rank):
                call, size, flags, gap, duration, waited = symbols[symbol]
                if flags & 1:
                    gap = 1000 * zigzag(next(numbers)) if flags & 2 else 0
                    duration, waited = (1000 * next(numbers) if flags & flag else 0 for flag in (4, 8))
                size = next(numbers) if flags & 16 else size
                start, now = now + int(gap), now + int(gap) + int(duration)
                if call:
                    function, site, peer, rooted, tag, comm = kinds[call]
                    peer = (peer - 1 + (0 if rooted else rank)) % ranks if peer else -1
                    yield rank, (start, now, int(waited), function, site, peer, int(size), zigzag(tag), comm)

    def messages(self):
        """Receiver; sent and delivered in picoseconds, sender, bytes, tag, scope."""
        columns = ("peer", "bytes", "tag", "flags", "since_previous", "duration")
        symbols, ranks = self.table("message_symbols", columns), len(self.section("messages_length"))
        for rank, index in enumerate(self.offsets("messages_times")):
            times, now = self.numbers("messages_times", index), 0
            for symbol in self.sequence("messages", "message_symbols", rank):
                peer, size, tag, flags, since, duration = symbols[symbol]
                since, duration = (1000 * next(times), 1000 * next(times)) if flags & 2 else (int(since), int(duration))
                now += since
                if not flags & 8:
                    sender = rank ^ peer if flags & 4 else (rank + peer) % ranks
                    yield rank, (now - duration, now, sender, int(size), zigzag(tag), flags & 1)

    def path(self):
        """Start and end of each part of the critical path, in picoseconds."""
        now, numbers = 0, self.numbers("critical_times")
        for gap in numbers:
            start = now + zigzag(gap)
            now = start + next(numbers)
            yield start, now


def zigzag(number):
    return number >> 1 if number % 2 == 0 else -(number >> 1) - 1


def close(a, b):
    return abs(a - b) <= CLOSE + 1e-9 * max(abs(a), abs(b))


def read_tables(folder):
    tables = {}
    for path in folder.glob("*.csv"):
        with open(path, newline="") as lines:
            tables[path.stem] = list(csv.DictReader(lines))
    return tables


@pytest.mark.parametrize("name, source, ranks, platform, code", RUNS, ids=[run[0] for run in RUNS])
def test_run(suite, name, source, ranks, platform, code):
    program = suite.compile(source, flags=["-g"])
    check_run(suite, name, [MPIRAGE, "run", "-n", ranks, "-p", platform, program], code)


@pytest.mark.parametrize("name, workload, platform", REPLAYS, ids=[replay[0] for replay in REPLAYS])
def test_replay(suite, name, workload, platform):
    check_run(suite, name, [MPIRAGE, "replay", workload, "-p", platform], 0)


def check_run(suite, name, command, code):
    page_file, folder = suite.folder / f"{name}.html", suite.folder / f"{name}.csv"
    options = ["--report", page_file, "--trace", folder, "--json"]
    result = suite.run([*command[:2], *options, *command[2:]], timeout=60)
    ended = result.code == code if code is not None else result.code != 0
    if not suite.check(f"{name} runs", ended, f"{result.code}\n{result.err}"):
        return
    page, tables = Page(page_file), read_tables(folder)
    figures = json.loads(result.out.splitlines()[-1])
    same = {key: page["run"].get(key) for key in figures} == figures
    suite.check(f"{name}: figures as in --json", same, (page["run"], figures))
    check_calls(suite, name, page, tables)
    check_messages(suite, name, page, tables)
    check_times(suite, name, page, tables, figures)
    check_timeline(suite, name, page, figures)
    check_network(suite, name, page, tables)
    check_path(suite, name, page, figures)
    check_blocked(suite, name, page, tables, figures)
    check_efficiency(suite, name, page, figures)


def bytes_of(call):
    return int(call["sent_bytes"] or call["received_bytes"] or 0)


def check_calls(suite, name, page, tables):
    expected = collections.defaultdict(lambda: [0, 0, 0.0, 0.0])
    returned = [call for call in tables["calls"] if call["returned"] == "1"]
    for call in returned:
        row, took = expected[call["function"], call["line"]], float(call["end"]) - float(call["start"])
        row[0], row[1], row[2], row[3] = row[0] + 1, row[1] + bytes_of(call), row[2] + took, max(row[3], took)
    table = page["calls_table"]
    columns = [table[column] for column in ("function", "site", "calls", "bytes", "seconds", "max_seconds")]
    shown = {(page["functions"][row[0]], page["sites"][row[1]]): row[2:] for row in zip(*columns)}
    same = shown.keys() == expected.keys() and all(
        row[:2] == tuple(expected[key][:2]) and abs(row[2] - expected[key][2]) < 1e-9 and abs(row[3] - expected[key][3]) < 1e-9
        for key, row in shown.items()
    )
    suite.check(f"{name}: calls by place", same, (shown, dict(expected)))
    check_events(suite, name, page, returned)
    collective = collections.Counter((row["kind"], row["algorithm"] or "formula") for row in tables["collectives"])
    table, counted = page["collectives_table"], collections.Counter()
    for function, algorithm, calls in zip(table["function"], table["algorithm"], table["calls"]):
        counted[page["functions"][function].removeprefix("MPI_").lower().replace("_", "-"), algorithm] += calls
    suite.check(f"{name}: collectives by algorithm", counted == collective, (counted, collective))


def check_events(suite, name, page, returned):
    by_rank, waits = collections.defaultdict(list), collections.Counter()
    for rank, (start, end, waited, function, site, peer, size, tag, comm) in page.calls():
        waits[rank] += waited
        suite.check(f"{name}: a part of a call is waiting", waited <= end - start, (rank, waited, start, end))
        function, site, comm = page["functions"][function], page["sites"][site], page["comms"][comm]["id"]
        by_rank[rank].append((start, end, function, site, peer, size, tag, comm))
    calls = collections.Counter(int(call["rank"]) for call in returned)
    blocked = {row["rank"] for row in page["blocked"]}
    for rank, seconds in enumerate(page.section("rank_wait")):
        same = rank in blocked or abs(waits[rank] - seconds * 1e12) <= 1000 * calls[rank]
        suite.check(f"{name}: waiting of rank {rank}", same, (waits[rank], seconds))
    expected = collections.defaultdict(list)
    for call in returned:
        start, end = (picos(call, column) for column in ("start", "end"))
        peer, tag, comm = (call[column] for column in ("peer", "tag", "comm"))
        expected[int(call["rank"])].append(
            (start, end, call["function"], call["line"], int(peer) if peer else -1, bytes_of(call), int(tag or 0), int(comm) if comm else None)
        )
    wrong = [(rank, got, want) for rank in expected for got, want in zip(by_rank[rank], expected[rank]) if got[2:] != want[2:] or not at_once(got, want)]
    suite.check(f"{name}: every call", not wrong and page["events"]["count"] == len(returned) == sum(map(len, by_rank.values())), wrong[:3])


def picos(row, column):
    return round(float(row[column]) * 1e12)


def at_once(got, want):
    """Are both times the same, to the nanosecond in which they are told?"""
    return all(abs(a - b) <= 1000 for a, b in zip(got[:2], want[:2]))


def check_messages(suite, name, page, tables):
    messages = tables["messages"]
    cells, per_cell = page["matrix"]["cells"], page["matrix"]["ranks_per_cell"]
    matrix = collections.Counter()
    for message in messages:
        matrix[int(message["source"]) // per_cell * cells + int(message["destination"]) // per_cell] += int(message["bytes"])
    shown = page.section("matrix_bytes")
    suite.check(f"{name}: matrix", all(shown[at] == matrix[at] for at in range(cells * cells)), shown)
    suite.check(f"{name}: messages of the matrix", sum(page.section("matrix_messages")) == len(messages))
    sizes = page["sizes"]
    for which, rows in (("", messages), ("collective_", [row for row in messages if row["collective"]])):
        expected = collections.Counter()
        for row in rows:
            expected[1 << (int(row["bytes"]).bit_length() - 1) if int(row["bytes"]) else 0] += 1
        counted = {size: count for size, count in zip(sizes["from"], sizes[f"{which}messages"]) if count}
        suite.check(f"{name}: {which or 'all '}sizes", counted == expected, (counted, expected))
    arrows = [(to, *row[:5]) for to, row in page.messages()]
    expected = [
        (int(row["destination"]), picos(row, "sent"), picos(row, "delivered"), int(row["source"]), int(row["bytes"]), int(row["tag"])) for row in messages if row["comm"]
    ]
    # In order of delivery at each receiver; of what comes in one instant, the order is not told.
    key = lambda row: (row[0], *row[3:], row[2])
    arrows, expected = sorted(arrows, key=key), sorted(expected, key=key)
    wrong = [(got, want) for got, want in zip(arrows, expected) if (got[0], *got[3:]) != (want[0], *want[3:]) or not at_once(got[1:], want[1:])]
    suite.check(f"{name}: every message", not wrong and len(arrows) == len(expected) == page["messages"]["count"], (wrong[:3], len(arrows), len(expected)))


def check_times(suite, name, page, tables, figures):
    ranks = figures["ranks"]
    computed = [0.0] * ranks
    for row in tables["computations"]:
        if row["beside"] == "0":
            computed[int(row["rank"])] += float(row["end"]) - float(row["start"])
    shown = page.section("rank_compute")
    suite.check(f"{name}: computation of ranks", all(abs(a - b) < 1e-9 for a, b in zip(shown, computed)), (shown, computed))
    kinds = ("compute", "p2p", "collective", "wait", "other")
    parts, ends = [page.section(f"rank_{kind}") for kind in kinds], page.section("rank_end")
    wholes = [sum(times) for times in zip(*parts)]
    # Ranks that died have done nothing since.
    same = all(abs(a - b) < 1e-9 or (a < b and figures["outcome"] == "rank-died") for a, b in zip(wholes, ends))
    suite.check(f"{name}: parts make the whole", same, (wholes, ends))
    for kind, times in zip(kinds, parts):
        suite.check(f"{name}: {kind} in all", abs(page["time"][kind] - sum(times)) < 1e-9 * ranks, page["time"])
    if figures["outcome"] == "finished":
        same = all(close(a, b) for a, b in zip(ends, figures["per_rank_seconds"]))
        suite.check(f"{name}: ends of ranks", same, (ends, figures["per_rank_seconds"]))
    hosts = [page["hosts"][host] for host in page.section("rank_host")]
    suite.check(f"{name}: hosts of ranks", hosts == [row["host"] for row in tables["ranks"]], hosts)


def check_timeline(suite, name, page, figures):
    timeline = page["timeline"]
    suite.check(f"{name}: length of the timeline", close(timeline["seconds"], figures["simulated_seconds"]), timeline)
    rows, levels = timeline["rows"], timeline["levels"]
    whole = all(len(page.section(level[part])) == rows * level["bins"] for level in levels for part in ("section", "share"))
    suite.check(f"{name}: tiles are whole", whole)
    suite.check(f"{name}: levels double", all(a["bins"] * 2 == b["bins"] for a, b in zip(levels, levels[1:])), levels)
    # The finest tiles tell about how much each rank computed.
    finest = levels[-1]
    tiles, shares = page.section(finest["section"]), page.section(finest["share"])
    width = timeline["seconds"] / finest["bins"]
    for rank, computed in enumerate(page.section("rank_compute")):
        row = range(rank * finest["bins"], (rank + 1) * finest["bins"])
        seen = sum(shares[at] / 255 * width for at in row if tiles[at] == 1)
        # What fills less than half of a tile is not seen; there are two such at each change.
        slack = 0.15 * timeline["seconds"] + 2 * width
        suite.check(f"{name}: tiles of rank {rank}", abs(seen - computed) <= slack, (seen, computed))


def check_network(suite, name, page, tables):
    carried = collections.Counter()
    for row in tables["links"]:
        carried[row["link"]] += float(row["bytes"])
    links = page["links"]
    shown = dict(zip(links["names"], links["bytes"]))
    near = lambda a, b: abs(a - b) <= 1e-6 * max(a, b) + 1e-6
    suite.check(f"{name}: links", shown.keys() <= carried.keys() and all(near(shown[link], carried[link]) for link in shown))
    suite.check(f"{name}: links by class", near(sum(row["bytes"] for row in links["classes"]), sum(carried.values())), links)
    bins = page.section("links_bytes")
    for at, link in enumerate(links["names"]):
        part = sum(bins[at * links["bins"] : (at + 1) * links["bins"]])
        suite.check(f"{name}: {link} over time", abs(part - shown[link]) <= 1e-3 * shown[link], (part, shown[link]))
    topology = page.json.get("topology")
    if suite.check(f"{name}: the machine is drawn", topology, page.json.keys()):
        edges, nodes = topology["edges"], len(topology["nodes"]["name"])
        suite.check(f"{name}: edges connect nodes", all(max(a, b) < nodes for a, b in zip(edges["from"], edges["to"])))
        drawn = len(page.section("edges_bytes"))
        suite.check(f"{name}: load of edges", drawn == len(edges["from"]) * links["bins"], drawn)
        if topology["kind"] == "explicit":
            # All links between hosts that carried bytes are in the drawing.
            drawn, between = sum(page.section("edges_bytes")), sum(size for link, size in carried.items() if "loopback" not in link)
            suite.check(f"{name}: bytes of edges", abs(drawn - between) <= 1e-3 * drawn and between > 0, (drawn, between))


def test_packets(suite):
    """Queues, drops and retransmissions: the page, the tables and --json say the same."""
    platform = suite.folder / "short.toml"
    platform.write_text(SHORT_QUEUES)
    page_file, folder = suite.folder / "packets.html", suite.folder / "packets.csv"
    command = [MPIRAGE, "replay", "gen:alltoall,ranks=12,bytes=65536,iterations=2", "-p", platform, "--model", "packet", "--seed", "3"]
    alone = suite.run([*command, "--json"], timeout=60)
    result = suite.run([*command, "--report", page_file, "--trace", folder, "--json"], timeout=60)
    if not suite.check("packets: the run", result.code == 0, result.err):
        return
    page, tables, figures = Page(page_file), read_tables(folder), json.loads(result.out.splitlines()[-1])
    before = json.loads(alone.out.splitlines()[-1])
    same = ("simulated_seconds", "network", "unexpected_messages")
    suite.check("packets: recording changes nothing", all(before[key] == figures[key] for key in same), before)
    network, packets = figures["network"], page["packets"]
    suite.check("packets: frames are dropped and sent again", network["dropped"] > 0 and network["retransmissions"] > 0, network)
    check_packet_tables(suite, tables, figures)
    counted = {"connections": packets["connections"], "retransmissions": packets["retransmissions"], "dropped": packets["missing"]}
    suite.check("packets: counts on the page", all(network[key] == number for key, number in counted.items()), (counted, network))
    for section, key in (("missing", "dropped"), ("retransmissions", "retransmissions")):
        total = sum(page.section(section))
        suite.check(f"packets: {section} over time", abs(total - network[key]) < 0.01 * network[key], (total, network[key]))
    queues, bins = packets["queues"], packets["bins"]
    totals = {row["link"]: row for row in tables["link_totals"]}
    for at, name in enumerate(queues["names"]):
        shown = (queues["frames"][at], queues["dropped"][at], queues["most_waiting"][at])
        expected = tuple(int(totals[name][key]) for key in ("frames", "dropped", "most_waiting"))
        suite.check(f"packets: {name}", shown == expected, (shown, expected))
        fullest = max(page.section("queue_waiting")[at * bins : (at + 1) * bins])
        suite.check(f"packets: {name} is as full as it was", abs(fullest - expected[2]) <= expected[2] / 1000, (fullest, expected))
    limit = max(int(row["most_waiting"]) for name, row in totals.items() if name.endswith("_DOWN"))
    suite.check("packets: queues of switches have their limit", 28_000 < limit <= 32_000, limit)


def check_packet_tables(suite, tables, figures):
    """Rows over time add up to the totals, and these to the counts of the run."""
    network = figures["network"]
    for table, totals, key, columns in (
        ("queues", "link_totals", ("link",), ("frames", "bytes", "dropped", "lost", "marked")),
        ("connections", "connection_totals", ("connection", "source"), ("retransmissions",)),
    ):
        sums = collections.Counter()
        for row in tables[table]:
            for column in columns:
                sums[(*(row[part] for part in key), column)] += int(row[column])
        expected = {(*(row[part] for part in key), column): int(row[column]) for row in tables[totals] for column in columns}
        suite.check(f"packets: {table} add up", all(sums[at] == number for at, number in expected.items()), table)
        for column in columns:
            name = "frame_bytes" if column == "bytes" else column
            total = sum(number for at, number in expected.items() if at[-1] == column)
            suite.check(f"packets: {column} of {totals}", total == network[name], (total, network[name]))
    reduced = {(row["connection"], row["source"]) for row in tables["connections"] if row["threshold"]}
    lossy = {(row["connection"], row["source"]) for row in tables["connection_totals"] if int(row["fast_retransmits"])}
    suite.check("packets: who finds a loss has a threshold", lossy and lossy <= reduced, lossy - reduced)
    trips = [float(row["round_trip"]) for row in tables["connections"] if row["round_trip"]]
    suite.check("packets: round trips are longer than the wire", trips and min(trips) >= 2e-4, min(trips, default=None))
    unexpected = sum(int(row["unexpected_messages"]) for row in tables["ranks"])
    suite.check("packets: unexpected messages", unexpected == figures["unexpected_messages"] == sum(int(row["unexpected"]) for row in tables["messages"]), unexpected)


def check_path(suite, name, page, figures):
    critical = page["critical"]
    path = list(page.path())
    joined = all(a[1] == b[0] for a, b in zip(path, path[1:])) and (not path or path[0][0] == 0)
    suite.check(f"{name}: the critical path has no gaps", joined, path[:5])
    suite.check(f"{name}: every part of the path has a rank", len(path) == len(page.section("critical_rank")), len(path))
    suite.check(f"{name}: kinds on the path", close(sum(critical["by_kind"].values()), critical["seconds"]), critical)
    if figures["outcome"] == "finished":
        same = close(critical["seconds"], figures["simulated_seconds"])
        suite.check(f"{name}: the path is as long as the run", same, (critical["seconds"], figures["simulated_seconds"]))
    ranks = page.section("critical_rank")
    suite.check(f"{name}: ranks on the path", all(rank < figures["ranks"] for rank in ranks), ranks)


def check_blocked(suite, name, page, tables, figures):
    waiting = [(int(row["rank"]), row["function"], row["line"]) for row in tables["calls"] if row["returned"] == "0"]
    shown = [(row["rank"], row["function"], row["site"]) for row in page["blocked"]]
    suite.check(f"{name}: blocked calls", sorted(shown) == sorted(waiting), (shown, waiting))
    if figures["outcome"] == "deadlock":
        suite.check(f"{name}: somebody is blocked", shown and all(row[2] for row in shown), shown)
    if figures["outcome"] != "finished":
        suite.check(f"{name}: the page says how it ended", "rank" in page["outcome"], page["outcome"])


def check_efficiency(suite, name, page, figures):
    shares = page["efficiency"]
    if not shares:
        return
    computed = page.section("rank_compute")
    parallel = sum(computed) / len(computed) / figures["simulated_seconds"]
    suite.check(f"{name}: parallel efficiency", close(shares["parallel"], parallel), shares)
    product = shares["load_balance"] * shares["communication"]
    suite.check(f"{name}: load balance and communication", close(shares["parallel"], product), shares)
    if figures["outcome"] == "finished":
        product = shares["serialisation"] * shares["transfer"]
        suite.check(f"{name}: serialisation and transfer", close(shares["communication"], product), shares)
        possible = max(computed) <= shares["ideal_seconds"] * (1 + 1e-9)
        suite.check(f"{name}: an ideal network computes as much", possible, (max(computed), shares))


def ideal_workloads():
    """Workloads on which ideal clocks and a second run must agree."""
    busy = "ranks=13,compute=30us,imbalance=2,noise=0.5"
    for pattern in ("halo2d", "sweep3d", "ring", "random", "pingpong", "incast", "alltoall"):
        ranks = busy.replace("13", "12") if pattern == "pingpong" else busy
        for size in ("1KiB", "200KiB"):
            for model in ("flow", "simgrid"):
                yield f"gen:{pattern},{ranks},bytes={size}", "--model", model
    for model in ("smp", "loggops"):
        yield f"gen:halo2d,{busy},bytes=200KiB", "--model", model
    for algorithm in ("recursive-doubling", "rabenseifner", "ring", "reduce-bcast"):
        for size in ("8B", "300KiB"):
            yield f"gen:allreduce,{busy},bytes={size}", "--coll", f"allreduce={algorithm}"
    for algorithm in ("binomial", "scatter-allgather", "chain", "double-tree", "linear"):
        yield f"gen:bcast,{busy},bytes=300KiB,root=3", "--coll", f"bcast={algorithm}"
    for algorithm in ("pairwise", "linear", "bruck"):
        yield f"gen:alltoall,{busy},bytes=100KiB", "--coll", f"alltoall={algorithm}"
    yield f"gen:barrier,{busy}",


def test_ideal_clocks(suite):
    """Clocks that go along say what a second run on an ideal network says."""
    traced = []
    for program in ("halo2d", "conjugate_gradient", "odd_even_sort", "nbody_ring"):
        trace, built = suite.folder / f"{program}.mpirage", suite.folder / program
        suite.run([MPIRAGE, "cc", "-O1", EXAMPLES / f"{program}.c", "-o", built, "-lm"])
        suite.run([MPIRAGE, "run", "-q", "-n", 16, "-p", "cluster:16", "--trace", trace, built])
        traced.append((trace,))
    for words in [*ideal_workloads(), *traced]:
        clocks, run = (ideal_seconds(suite, words, how) for how in ("clocks", "run"))
        same = clocks and run and abs(clocks - run) <= 1e-9 * run
        suite.check(f"ideal clocks and a second run: {' '.join(map(str, words))}", same, (clocks, run))
    # Whose work a master takes next is decided by the network: clocks keep what was, a second run may not.
    trace, built, page = (suite.folder / name for name in ("farm.mpirage", "farm", "farm.html"))
    suite.run([MPIRAGE, "cc", "-O1", EXAMPLES / "master_worker.c", "-o", built, "-lm"])
    suite.run([MPIRAGE, "run", "-q", "-n", 16, "-p", "cluster:16", "--trace", trace, "--report", page, built])
    data = Page(page)
    kept = max(data.section("rank_compute")) <= data["efficiency"]["ideal_seconds"] * (1 + 1e-9)
    suite.check("ideal clocks of a master and workers", kept and data["efficiency"]["transfer"] <= 1, data["efficiency"])
    # A rank that tests again and again waits in the last test.
    built, polled = suite.folder / "polls", {}
    (suite.folder / "polls.c").write_text(POLLS)
    suite.run([MPIRAGE, "cc", "-O1", suite.folder / "polls.c", "-o", built])
    for how in ("clocks", "run"):
        page = suite.folder / "polls.html"
        suite.run([MPIRAGE, "run", "-q", "-n", 2, "-p", "cluster:2,net=gige-tcp", "--report", page, "--report-ideal", how, built])
        polled[how] = Page(page)["efficiency"]["ideal_seconds"]
    # The message alone takes longer than 8 ms.
    suite.check("failed polls take no time on an ideal clock", polled["clocks"] < 4e-3 < 8e-3 < polled["run"], polled)


def ideal_seconds(suite, words, how):
    page = suite.folder / "ideal-clocks.html"
    suite.run([MPIRAGE, "replay", "-q", *words, "--report", page, "--report-ideal", how])
    return (Page(page)["efficiency"] or {}).get("ideal_seconds")


POLLS = """
#include <mpi.h>
#include <smpi/smpi.h>
int main(int argc, char **argv) {
  static char bytes[1000000];
  MPI_Init(&argc, &argv);
  int rank, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    smpi_execute(1e-3);
    MPI_Send(bytes, sizeof bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(bytes, sizeof bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
"""


# Regions with names, in three languages: an outer one, and an inner one that comes three times.
REGIONS_C = """
#include <mpi.h>
#include <mpirage/regions.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  mpirage_region_begin("everything");
  for (int turn = 0; turn < 3; turn++) {
    mpirage_region_begin("halo exchange");
    MPI_Barrier(MPI_COMM_WORLD);
    mpirage_region_end("halo exchange");
  }
  mpirage_region_end("everything");
  MPI_Finalize();
}
"""
REGIONS_CXX = """
#include <mpi.h>
#include <mpirage/regions.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  {
    mpirage::region all("everything");
    for (int turn = 0; turn < 3; turn++) {
      mpirage::region halo("halo exchange");
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
}
"""
REGIONS_FORTRAN = """
include 'mpirage/regions.f90'
program regions
  use mpirage_regions
  use mpi
  integer :: turn, ierror
  call MPI_Init(ierror)
  call mpirage_region_begin('everything')
  do turn = 1, 3
    call mpirage_region_begin('halo exchange  ')
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call mpirage_region_end('halo exchange')
  end do
  call mpirage_region_end('everything')
  call MPI_Finalize(ierror)
end program regions
"""


def test_regions(suite):
    """Regions have names in C, C++ and Fortran, in folded ranks and processes; built with another MPI they have them too, and that MPI ignores them."""
    include = ROOT / "crates/library/abi/include"
    languages = [("c", "cc", REGIONS_C), ("cpp", "cxx", REGIONS_CXX)]
    if suite.has("gfortran", "regions of Fortran"):
        languages.append(("f90", "fc", REGIONS_FORTRAN))
    for ending, language, text in languages:
        source = suite.folder / f"regions.{ending}"
        source.write_text(text)
        program = suite.folder / f"regions-{language}"
        made = suite.run([MPIRAGE, language, "-g", "-J", suite.folder, source, "-o", program] if ending == "f90" else [MPIRAGE, language, "-g", "-Wall", "-Wextra", "-Werror", source, "-o", program], timeout=60)
        if suite.check(f"regions: {source.name} compiles", made.code == 0, made.err):
            for mode in ("folded", "processes") if ending != "f90" else ("processes",):
                named_regions(suite, f"{source.name}, {mode}", program, ["--ranks-as", mode])
    compiler, launcher = "mpicc.mpich", "mpiexec.mpich"
    if suite.has(compiler, "regions under MPICH") and suite.has(launcher, "regions under MPICH"):
        program = suite.folder / "regions-mpich"
        made = suite.run([compiler, "-std=c99", "-Wall", "-Werror", "-idirafter", include, suite.folder / "regions.c", "-o", program], timeout=60)
        if suite.check("regions: MPICH compiles them", made.code == 0, made.err):
            alone = suite.run([launcher, "-n", "2", program], timeout=60)
            suite.check("regions: MPICH ignores them", alone.code == 0 and not alone.out and not alone.err, alone)
            named_regions(suite, "built for MPICH", program, [])


def test_call_paths(suite):
    """Calls on different paths are apart, in both rank modes, and times do not change."""
    program = suite.compile(TESTS / "views" / "wait_states" / "call_paths.c", flags=["-g", "-O0"])
    for mode in ("processes", "folded"):
        page = suite.folder / f"paths-{mode}.html"
        plain = suite.simulate("-q", "-n", 4, "--ranks-as", mode, "--compute", "none", "--json", program)
        paths = suite.simulate("-q", "-n", 4, "--ranks-as", mode, "--compute", "none", "--json", "--call-paths", 4, "--report", page, program)
        keys = ("simulated_seconds", "calls", "messages")
        same = [[json.loads(run.out)[key] for key in keys] for run in (plain, paths)]
        suite.check(f"call paths, {mode}: times and calls are the same", same[0] == same[1], same)
        calls = json.loads(suite.run([MPIRAGE, "report", "--json", page]).out)[0]["waits"]["calls"]
        found = {re.sub(r"[^ ]*/", "", site) for function, site in zip(calls["function"], calls["site"]) if function == "MPI_Sendrecv"}
        expected = {"call_paths.c:7 in exchange ← call_paths.c:10 in first ← call_paths.c:24 in main", "call_paths.c:7 in exchange ← call_paths.c:14 in second ← call_paths.c:25 in main"}
        suite.check(f"call paths, {mode}: both are there", found == expected, found)
        stuck = suite.simulate("-n", 4, "--ranks-as", mode, "--call-paths", 4, program, "deadlock")
        suite.check(f"call paths, {mode}: messages name the call", stuck.code == 80 and "call_paths.c:27 in main" in stuck.err, stuck)


def named_regions(suite, what, program, options):
    """The page of a run, of a replay of its trace, and of a replay of a conversion of that trace."""
    file, trace, copy = (suite.folder / name for name in ("regions.html", "regions.mpirage", "copied.mpirage"))
    run = ["run", "-n", "2", "-p", "cluster:2", "--compute", "none", *options, "--report", file, "--trace", trace, program]
    pages = []
    for how, words in (("run", run), ("replay", ["replay", "--report", file, trace]), ("conversion", ["replay", "--report", file, copy])):
        if how == "conversion":
            suite.run([MPIRAGE, "trace", "convert", trace, copy])
        done = suite.run([MPIRAGE, words[0], "-q", *words[1:]], timeout=60)
        if suite.check(f"regions: {what}: the {how}", done.code == 0, done):
            page = Page(file)
            check_region_marks(suite, f"{what}, {how}", page)
            pages.append((page["regions"], marks_of(page)))
    suite.check(f"regions: {what}: traces keep them, at their times", all(are_close(pages[0], page) for page in pages), pages)


def marks_of(page):
    """Rank, number and time of each mark."""
    control = page["functions"].index("MPI_Pcontrol")
    return sorted((rank, call[7], call[0]) for rank, call in page.calls() if call[3] == control)


def are_close(one, other):
    """The same regions and marks? A page rounds each duration to a nanosecond."""
    names = [[(rank, number) for rank, number, _ in marks] for _, marks in (one, other)]
    times = [abs(a - b) for (*_, a), (*_, b) in zip(one[1], other[1])]
    return one[0] == other[0] and names[0] == names[1] and max(times) < 10_000


def check_region_marks(suite, what, page):
    names = {region["name"]: region["number"] for region in page["regions"]}
    suite.check(f"regions: {what}: names", set(names) == {"everything", "halo exchange"}, page["regions"])
    control = page["functions"].index("MPI_Pcontrol")
    levels = collections.Counter(call[7] for _, call in page.calls() if call[3] == control)
    outer, inner = names.get("everything"), names.get("halo exchange")
    suite.check(f"regions: {what}: begins and ends", levels == {outer: 2, -outer: 2, inner: 6, -inner: 6}, levels)


def test_ideal(suite):
    """What a report says of an ideal network is what replaying the trace on one gives."""
    trace, page = suite.folder / "ideal.mpirage", suite.folder / "ideal.html"
    workload = "gen:sweep3d,ranks=16,compute=30us"
    suite.run([MPIRAGE, "replay", workload, "--trace", trace, "--report", page])
    again = suite.run([MPIRAGE, "replay", trace, "--model", "ideal", "--json", "-q"])
    seconds = json.loads(again.out)["simulated_seconds"]
    shown = Page(page)["efficiency"]["ideal_seconds"]
    suite.check("an ideal network takes as long as --model ideal", close(shown, seconds), (shown, seconds))
    suite.run([MPIRAGE, "replay", workload, "--report", page, "--report-ideal", "no"])
    shares, warnings = Page(page)["efficiency"], Page(page)["warnings"]
    suite.check("--report-ideal no", "transfer" not in shares and any("ideal" in row["text"] for row in warnings), shares)


def test_saved(suite):
    """Reports of saved runs, and of two of them."""
    trace, one = suite.folder / "saved.mpirage", suite.folder / "one.html"
    suite.run([MPIRAGE, "replay", "gen:ring,ranks=4,compute=1us", "--trace", trace, "--report", one])
    saved, two = suite.folder / "saved.html", suite.folder / "two.html"
    made = suite.run([MPIRAGE, "report", trace, "-o", saved])
    if suite.check("a report of a trace", made.code == 0, made.err):
        same = Page(saved)["run"]["simulated_seconds"] == Page(one)["run"]["simulated_seconds"]
        suite.check("it says the same", same)
    made = suite.run([MPIRAGE, "report", one, trace, "-p", "fat-tree:2x2", "-o", two])
    if suite.check("a report of two runs", made.code == 0, made.err):
        platforms = [Page(two, which)["run"]["platform"] for which in ("data", "data-b")]
        suite.check("both are there", platforms == ["cluster:4", "fat-tree:2x2"], platforms)
    (suite.folder / "other.html").write_text("<p>hello</p>")
    made = suite.run([MPIRAGE, "report", suite.folder / "other.html", "-o", two])
    suite.check("a page that is no report is refused", made.code != 0 and "is not a report" in made.err, made)


def test_same_again(suite):
    """Equal runs give equal reports, but for what was measured here."""
    program, pages = suite.compile(EXAMPLES / "halo2d.c"), []
    for name in ("first", "second"):
        file = suite.folder / f"{name}.html"
        suite.simulate("--report", file, "-n", 4, "--compute", "none", program)
        page = Page(file)
        for figure in MEASURED:
            page.json["run"].pop(figure)
        pages.append((page.json, page.data[page.first :]))
    suite.check("the same run, the same report", pages[0] == pages[1])


def test_too_many(suite):
    """Beyond the budget there are no single calls; everything else is there."""
    page = suite.folder / "many.html"
    suite.run([MPIRAGE, "replay", "gen:barrier,ranks=64,iterations=24000", "--report", page, "--report-ideal", "no", "-q"], timeout=120)
    data = Page(page)
    suite.check("calls in plenty are not shown one by one", data["events"] is None and data["run"]["calls"] > 1_500_000, data["events"])
    suite.check("but counted", sum(data["calls_table"]["calls"]) == data["run"]["calls"], data["calls_table"])
    suite.check("and their path is bounded", len(data.section("critical_rank")) <= 20_000)
