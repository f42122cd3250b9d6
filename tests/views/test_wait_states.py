"""Wait states of small programs whose waits are known: whom each rank waits for, why, how long, and who makes it wait.

The programs are in waits/cases.c. They sleep instead of computing, which takes simulated time, so every figure is known to the microsecond.
The figures are those of `mpirage report --json`."""

import collections
import json
import re

from harness import MPIRAGE, TESTS

SOURCE = TESTS / "views" / "wait_states" / "cases.c"
PLATFORM = """name = "known"
[cluster]
hosts = 8
speed = "1Gf"
bandwidth = "1GBps"
latency = "10us"
"""
# Seconds by which a wait may differ.
CLOSE = 1e-6
# The latency of a message, that is of all messages of 8 bytes.
LATENCY = 40.3e-6
WAITS = ("late_sender", "late_receiver", "barrier", "collective", "late_broadcast", "early_reduce", "one_sided", "other")
# A message of 4 MiB at 92 % of 1 GB/s, and its latency.
LARGE = LATENCY + 4 * 2**20 / 0.92e9
LINES = {name: at for at, text in enumerate(SOURCE.read_text().splitlines(), 1) for name in re.findall(r"/\* line: (\w+) \*/", text)}


class Figures:
    """The wait states of a run."""

    def __init__(self, suite, case, ranks, *options, model="flow:affine"):
        self.suite, self.case, self.ranks = suite, case, ranks
        program = suite.compile(SOURCE, "waits", flags=["-g"])
        platform = suite.folder / "known.toml"
        platform.write_text(PLATFORM)
        page = suite.folder / f"{case}.html"
        machine = ["-p", platform, "--model", model, "--compute", "none", "--ppn", 1]
        run = suite.simulate("-q", "-n", ranks, *machine, *options, "--report", page, program, case, timeout=60)
        self.ran = suite.check(f"{case}: ends well", run.code == 0, run)
        shown = suite.run([MPIRAGE, "report", page, "--json"])
        (self.figures,) = json.loads(shown.out)
        self.waits = self.figures["waits"]
        self.page = page

    def check(self, what, holds, detail=""):
        return self.suite.check(f"{self.case}: {what}", holds, detail if detail != "" else self.waits)

    def near(self, what, value, expected, close=CLOSE):
        return self.check(f"{what} is {expected:.6f} s", abs(value - expected) <= close, value)

    def states(self, rank):
        """The states of a rank that take time worth mentioning."""
        return {state: seconds[rank] for state, seconds in self.waits["ranks"].items() if seconds[rank] > CLOSE}

    def expect_states(self, expected, close=CLOSE):
        """`expected`: {rank: {state: seconds}}; other ranks wait for no rank."""
        for rank in range(self.ranks):
            shown = {state: seconds for state, seconds in self.states(rank).items() if state in WAITS}
            wanted = expected.get(rank, {})
            same = shown.keys() == wanted.keys() and all(abs(shown[state] - wanted[state]) <= close for state in wanted)
            self.check(f"rank {rank} waits as it should", same, (shown, wanted))

    def pairs(self):
        """{(waiter, cause, state): seconds} of waits worth mentioning."""
        table = self.waits["pairs"]
        keys = zip(table["waiter"], table["cause"], table["state"])
        return {key: seconds for key, seconds in zip(keys, table["seconds"]) if seconds > CLOSE}

    def expect_pairs(self, expected, close=CLOSE):
        shown = self.pairs()
        same = shown.keys() == expected.keys() and all(abs(shown[pair] - expected[pair]) <= close for pair in expected)
        self.check("each wait is for the right rank", same, (shown, expected))

    def causes(self):
        """{(rank, doing, line): seconds} of delay costs worth mentioning."""
        table, sums = self.waits["causes"], collections.Counter()
        for rank, doing, site, seconds in zip(table["rank"], table["doing"], table["site"], table["seconds"]):
            sums[rank, doing, line_of(site)] += seconds
        return {key: seconds for key, seconds in sums.items() if seconds > CLOSE}

    def expect_causes(self, expected, close=CLOSE):
        wanted = {(rank, doing, LINES[line]): seconds for (rank, doing, line), seconds in expected.items()}
        shown = self.causes()
        same = shown.keys() == wanted.keys() and all(abs(shown[key] - wanted[key]) <= close for key in wanted)
        self.check("the right ranks and lines make others wait", same, (shown, wanted))

    def expect_line(self, waiter, cause, state):
        """The line that waits longest, and for which line."""
        table = self.waits["lines"]
        shown = (line_of(table["site"][0]), line_of(table["cause_site"][0]), table["state"][0])
        self.check("the right line waits for the right line", shown == (LINES[waiter], LINES[cause], state), shown)


def line_of(site):
    """The number of a line, from `cases.c:12 in main`."""
    found = re.search(r"cases\.c:(\d+)", site or "")
    return int(found[1]) if found else None


def test_late_sender(suite):
    figures = Figures(suite, "late_sender", 2)
    figures.expect_states({1: {"late_sender": 0.010}})
    figures.expect_pairs({(1, 0, "late_sender"): 0.010})
    figures.expect_causes({(0, "before", "send"): 0.010})
    figures.expect_line("receive", "send", "late_sender")
    text = " ".join(figures.figures["findings"])
    figures.check("the findings name rank and line", "late senders" in text and f"cases.c:{LINES['send']}" in text and "Rank 0 " in text, text)


def test_late_receiver(suite):
    figures = Figures(suite, "late_receiver", 2)
    figures.expect_states({0: {"late_receiver": 0.020}})
    figures.expect_pairs({(0, 1, "late_receiver"): 0.020})
    figures.expect_causes({(1, "before", "receive"): 0.020})
    figures.expect_line("send", "receive", "late_receiver")
    for rank in (0, 1):
        figures.near(f"the transfer of rank {rank}", figures.states(rank)["transfer"], LARGE)


def test_barrier(suite):
    figures = Figures(suite, "barrier", 6)
    figures.expect_states({rank: {"barrier": 0.002 * (5 - rank)} for rank in range(5)})
    figures.expect_pairs({(rank, 5, "barrier"): 0.002 * (5 - rank) for rank in range(5)})
    figures.expect_causes({(5, "before", "barrier"): 0.030})
    figures.expect_line("barrier", "barrier", "barrier")


def test_late_broadcast(suite):
    for algorithm in ("binomial", "linear", "chain"):
        figures = Figures(suite, "late_broadcast", 5, "--coll", f"bcast={algorithm}")
        others = [rank for rank in range(5) if rank != 2]
        figures.expect_states({rank: {"late_broadcast": 0.015} for rank in others})
        figures.expect_pairs({(rank, 2, "late_broadcast"): 0.015 for rank in others})
        figures.expect_causes({(2, "before", "bcast"): 0.060})


def test_early_reduce(suite):
    for algorithm in ("linear", "binomial"):
        figures = Figures(suite, "early_reduce", 5, "--coll", f"reduce={algorithm}")
        figures.near("the root’s wait", figures.states(0)["early_reduce"], 0.012)
        figures.check("it is for rank 3", (0, 3, "early_reduce") in figures.pairs())
        others = [pair for pair in figures.pairs() if pair[1] != 3]
        figures.check("no wait is for another rank", not others)
        figures.check("rank 3 is the only cause", {key[:2] for key in figures.causes()} == {(3, "before")}, figures.causes())


def test_alltoall(suite):
    """The late rank of a turn left the turn before as late as the others, or one message later."""
    figures, close = Figures(suite, "alltoall", 4), 1.1 * LATENCY
    figures.expect_states({rank: {"collective": 0.015} for rank in range(4)}, close)
    figures.expect_pairs({(rank, other, "collective"): 0.005 for rank in range(4) for other in range(4) if other != rank}, close)
    costs = {key: seconds for key, seconds in figures.causes().items() if key[1] == "before"}
    wanted = {(rank, "before", LINES["alltoall"]) for rank in range(4)}
    right = costs.keys() == wanted and all(abs(seconds - 0.015) <= CLOSE for seconds in costs.values())
    figures.check("each rank makes the others wait once", right, costs)


def test_waitall(suite):
    figures = Figures(suite, "waitall", 5)
    figures.expect_states({0: {"late_sender": 0.009}})
    figures.expect_pairs({(0, 2, "late_sender"): 0.009})
    figures.expect_causes({(2, "before", "isend"): 0.009})
    figures.expect_line("waitall", "isend", "late_sender")


def test_contention(suite):
    figures = Figures(suite, "contention", 4)
    figures.expect_states({})
    for rank in range(3):
        figures.near(f"rank {rank}, transfer", figures.states(rank).get("transfer", 0), LARGE)
        figures.near(f"rank {rank}, contention", figures.states(rank).get("contention", 0), LARGE - LATENCY)
    links = figures.waits["links"]
    figures.check("one link is named, that of the receiver", [("2" in link["name"], link["waits"]) for link in links] == [(True, 3)], links)
    figures.check("the findings name it", any(links[0]["name"] in text for text in figures.figures["findings"]), figures.figures["findings"])
    alone = Figures(suite, "contention", 4, model="flow:no-contention")
    alone.check("without contention in the model there is none", alone.waits["seconds"]["contention"] == 0)


def test_frames(suite):
    """Lossless networks of frames tell contention from transfer, and on which link; connections of TCP have a history, so their time does not say."""
    for profile in ("rdma", "roce"):
        figures = Figures(suite, "contention", 4, "--mpi-profile", profile, model="packet")
        # Two messages share the link of the receiver: half of the time is contention, and more if senders slow down (DCQCN).
        states = figures.states(2)
        share = states.get("contention", 0) / (states.get("contention", 0) + states.get("transfer", 1e-9))
        figures.check(f"{profile}: about half of it is contention", 0.4 < share < (0.7 if profile == "roce" else 0.55), states)
        links = figures.waits["links"]
        figures.check(f"{profile}: the link of the receiver is named", len(links) == 1 and "2" in links[0]["name"], links)
        alone = Figures(suite, "transfer", 2, "--mpi-profile", profile, model="packet")
        alone.check(f"{profile}: a message alone meets no contention", alone.waits["seconds"]["contention"] == 0 and alone.waits["seconds"]["transfer"] > 1e-3)
    tcp = Figures(suite, "contention", 4, "--mpi-profile", "openmpi-tcp", model="packet")
    tcp.check("tcp: unknown", tcp.waits["seconds"]["contention"] == 0)


def test_chain(suite):
    """Rank r waits for rank r − 1 until 10 + (r − 1) ms; of that, rank 0 is to blame for 10 ms and each rank between for 1 ms."""
    figures = Figures(suite, "chain", 5)
    waits = {rank: 0.010 + (rank - 1) * (0.001 + LATENCY) for rank in range(1, 5)}
    figures.expect_states({rank: {"late_sender": seconds} for rank, seconds in waits.items()})
    figures.expect_pairs({(rank, rank - 1, "late_sender"): seconds for rank, seconds in waits.items()})
    expected = {(0, "before", "send"): 0.040, (1, "before", "send"): 0.003, (2, "before", "send"): 0.002, (3, "before", "send"): 0.001}
    shown = {(rank, doing, line): seconds for (rank, doing, line), seconds in figures.causes().items() if doing == "before"}
    wanted = {(rank, doing, LINES[line]): seconds for (rank, doing, line), seconds in expected.items()}
    same = shown.keys() == wanted.keys() and all(abs(shown[key] - wanted[key]) <= CLOSE for key in wanted)
    figures.check("blame passes on to the beginning of the chain", same, (shown, wanted))


def test_transfer(suite):
    figures = Figures(suite, "transfer", 2)
    figures.expect_states({})
    for rank in (0, 1):
        figures.near(f"the transfer of rank {rank}", figures.states(rank)["transfer"], LARGE)
        figures.check(f"rank {rank} has nothing else", list(figures.states(rank)) == ["transfer"])
    figures.check("there is no cause", figures.causes() == {}, figures.causes())


def test_wildcard(suite):
    """Rank 3 sends after 4 ms, rank 2 after 8, rank 1 after 12: rank 0 waits 4 ms, or less by the latency of the message before."""
    figures = Figures(suite, "wildcard", 4)
    figures.expect_states({0: {"late_sender": 0.012 - 2 * LATENCY}})
    figures.expect_pairs({(0, rank, "late_sender"): 0.004 - (rank < 3) * LATENCY for rank in (1, 2, 3)})
    figures.expect_line("wildcard", "send", "late_sender")


def test_overlap(suite):
    figures = Figures(suite, "overlap", 2)
    figures.expect_states({})
    for rank in (0, 1):
        figures.check(f"rank {rank} neither waits nor transfers", figures.states(rank) == {}, figures.states(rank))


def test_repeated(suite):
    """What repeats is logged once, but every wait counts."""
    figures = Figures(suite, "repeated", 2)
    table = figures.waits["pairs"]
    figures.near("100 waits", table["seconds"][0], 0.300 - 99 * LATENCY, 10 * CLOSE)
    figures.check("they are 100", table["waits"] == [100], table)
    figures.check("the report's waiting time is the same", abs(figures.figures["time"]["wait"] - sum(
        figures.waits["seconds"][state] for state in WAITS)) < 1e-9, figures.figures["time"])


def test_formula(suite):
    """A collective by a formula begins when the last rank has entered, also one with a root."""
    figures = Figures(suite, "late_broadcast", 4, model="bus")
    figures.expect_pairs({(rank, 2, "late_broadcast"): 0.015 for rank in (0, 1, 3)})


def test_modes(suite):
    """Ranks as processes and folded ranks wait alike."""
    shown = [Figures(suite, "chain", 4, "--ranks-as", mode).waits for mode in ("processes", "folded")]
    suite.check("processes and folded ranks wait alike", shown[0] == shown[1], shown)
