"""Faults on a schedule, InfiniBand and RoCE from the command line."""

import csv
import json

from harness import MPIRAGE
from runs import COMMUNICATION, HEAD, PUNCTUAL, QUIET, RATE, bulk_transfer, example, ping_pong, platform, replay, run, same

SIZE = 5_000_000
LONG = 20_000_000


def faulty(suite, name, *faults, keys="", head=HEAD):
    """A platform with faults, each the inside of a table."""
    return platform(suite, name, f"faults = [{', '.join(f'{{ {fault} }}' for fault in faults)}]\n{keys}", head)


def seconds_of(result):
    return result.get("simulated_seconds", 0)


def lossy_links(suite, workload, path):
    """The links that lost frames, from the tables."""
    tables = suite.folder / f"{path.stem}.csv"
    found = replay(suite, workload, "-p", path, "--trace", tables)
    rows = csv.DictReader(open(tables / "link_totals.csv")) if found else []
    return found, {row["link"] for row in rows if int(row["lost"])}


def test_link_down(suite):
    """A link goes down and comes back: TCP goes on when it sends again after that, and the program takes longer."""
    bulk = bulk_transfer(suite, SIZE)
    clean = replay(suite, bulk, "-p", platform(suite, "up", QUIET))
    path = faulty(suite, "down", 'at = "small_link_1", from = "10ms", until = "300ms", down = true', keys=QUIET)
    found, links = lossy_links(suite, bulk, path)
    # Timers go off 0.2 s after the last acknowledgement, and 0.4 s after that.
    suite.check("link down: it goes on when the link is back", 0.3 < seconds_of(found) < 0.61 + seconds_of(clean), (seconds_of(found), seconds_of(clean)))
    counts = found.get("network", {})
    suite.check("link down: timers find out", counts.get("timeouts", 0) >= 1 and counts.get("retransmissions", 0) > 0, counts)
    suite.check("link down: that link only", links and links <= {"small_link_1_UP", "small_link_1_DOWN"}, links)
    for name, fault in (("unused", 'at = "small_link_3", down = true'), ("later", 'at = "small_link_1", from = "1h", down = true')):
        other = replay(suite, bulk, "-p", faulty(suite, name, fault, keys=QUIET))
        suite.check(f"link down: {name}: nothing changes", seconds_of(other) == seconds_of(clean) and other["network"] == clean["network"], other)
    for name, profile in (("tcp", "openmpi-tcp"), ("rdma", "rdma"), ("roce", "roce")):
        cut = faulty(suite, f"cut-for-ever-{name}", 'at = "host-1", from = "10ms", down = true', keys="retries = 3")
        done = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", "packet", "--mpi-profile", profile, "-p", cut, bulk], timeout=60)
        suite.check(f"link down: {name}: for ever: exit code", done.code == 85, done)
        suite.check(f"link down: {name}: for ever: both ranks are named", "lost the connection between rank 0 and rank 1" in done.err, done.err)
        suite.check(f"link down: {name}: for ever: outcome", json.loads(done.out)["outcome"] == "unreachable", done.out)


def test_lossy_host(suite):
    """The cable of one host loses frames."""
    path = faulty(suite, "lossy-host", 'at = "host-1", loss = 0.02')
    found, links = lossy_links(suite, "gen:alltoall,ranks=4,bytes=256KiB,iterations=1", path)
    counts = found.get("network", {})
    suite.check("lossy host: frames are lost and sent again", counts.get("lost", 0) > 0 and counts.get("retransmissions", 0) > 0, counts)
    suite.check("lossy host: on its links only", links == {"small_link_1_UP", "small_link_1_DOWN"}, links)


def test_straggler(suite):
    """A host whose software or whose link is slow."""
    clean, slow = platform(suite, "fast", QUIET), faulty(suite, "straggler", 'at = "host-1", slow = 10', keys=QUIET)
    ping = ping_pong(suite, 1000)
    more = seconds_of(replay(suite, ping, "-p", slow)) - seconds_of(replay(suite, ping, "-p", clean))
    suite.check("straggler: software takes ten times as long there", abs(more - 9 * 22e-6) < 1e-9, more)
    bulk, rate = bulk_transfer(suite, SIZE), faulty(suite, "slow-link", 'at = "host-1", rate = 0.1', keys=QUIET)
    ratio = seconds_of(replay(suite, bulk, "-p", rate)) / seconds_of(replay(suite, bulk, "-p", clean))
    suite.check("straggler: a tenth of the rate", 9.5 < ratio < 10.5, ratio)
    short = faulty(suite, "slow-at-first", 'at = "host-1", rate = 0.1, until = "10ms"', keys=QUIET)
    more = seconds_of(replay(suite, bulk, "-p", short)) - seconds_of(replay(suite, bulk, "-p", clean))
    suite.check("straggler: nine tenths of 10 ms are lost", 0.008 < more < 0.011, more)


def test_switch_reboot(suite):
    """A switch restarts: all its links are down. The program survives, with the same result."""
    program = example(suite, "heat1d.c")
    clean, path = platform(suite, "no-reboot"), faulty(suite, "reboot", 'at = "switch-1-0", from = "20ms", until = "500ms", down = true')
    results = [suite.simulate(*COMMUNICATION, "-n", 4, "-p", machine, "--json", program, timeout=60) for machine in (clean, path)]
    suite.check("switch reboot: the program survives", [done.code for done in results] == [0, 0], results[1].err)
    lines = [done.out.splitlines() for done in results]
    suite.check("switch reboot: with the same result", lines[0][0] == lines[1][0] and "largest change" in lines[0][0], lines)
    before, after = (json.loads(line[-1]) for line in lines)
    suite.check("switch reboot: later", seconds_of(before) < 0.2 and 0.5 < seconds_of(after) < 2.5, (seconds_of(before), seconds_of(after)))
    counts = after["network"]
    suite.check("switch reboot: what was lost is sent again", 0 < counts["lost"] and 0 < counts["retransmissions"], counts)


BAD_FAULTS = {
    'at = "host-9", down = true': "there is no host, link or switch `host-9`",
    'at = "HOST-1", down = true': "did you mean `host-1`?",
    'at = "small_link_1", slow = 3': "`slow` is for hosts; `small_link_1` is none",
    'at = "host-1", from = "2s", until = "1s", down = true': "the fault at host-1 is over before it begins",
    'at = "host-1"': "`faults`",
    "down = true": "a fault needs `at`",
    'at = "host-1", loss = 1.5': "1.5",
    'at = "host-1", rate = 0': "0",
    'at = "host-1", lost = 0.5': "lost",
    'at = "host-1", down = true, from = "soon"': "soon",
}


def test_bad_faults(suite):
    """A mistake in a fault: exit code 82 before anything runs."""
    for number, (fault, message) in enumerate(BAD_FAULTS.items()):
        path = faulty(suite, f"bad-fault-{number}", fault)
        done = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", "packet", "-p", path, "gen:ring,ranks=2"])
        suite.check(f"bad faults: {fault}: exit code", done.code == 82 and done.out == "", done)
        suite.check(f"bad faults: {fault}: message", message in done.err and path.name in done.err, done.err)


# InfiniBand and RoCE.

TREE = """name = "tree"
[fat-tree]
down = [4, 4]
up = [1, 2]
speed = "1Gf"
bandwidth = "1Gbps"
latency = "5us"
"""


def test_rdma(suite):
    """InfiniBand: the rate of the link, no drops, back-pressure."""
    quiet = platform(suite, "rdma-quiet", PUNCTUAL)
    words = ("--mpi-profile", "rdma")
    found = replay(suite, bulk_transfer(suite, LONG), "-p", quiet, *words)
    # Packets of 4096 bytes have headers of 26, and two bytes between them.
    least = LONG / RATE * 4124 / 4096
    suite.check("rdma: at the rate of the link", least < seconds_of(found) < 1.01 * least, (seconds_of(found), least))
    incast = "gen:incast,ranks=4,bytes=1MiB,iterations=2"
    small = {"openmpi-tcp": platform(suite, "tcp-incast", 'queue = "30KB"'), "rdma": platform(suite, "rdma-incast")}
    counts = {name: replay(suite, incast, "-p", path, "--mpi-profile", name).get("network", {}) for name, path in small.items()}
    suite.check("rdma: TCP drops in the same incast", counts["openmpi-tcp"].get("dropped", 0) > 0, counts)
    nothing = [counts["rdma"].get(key) for key in ("dropped", "lost", "retransmissions", "timeouts")]
    suite.check("rdma: nothing is dropped or repeated", nothing == [0, 0, 0, 0], counts)
    suite.check("rdma: links wait for credits", counts["rdma"].get("blocked_nanoseconds", 0) > 1_000_000, counts)
    program = example(suite, "transpose.c")
    folded, processes = (run(suite, program, 4, "-p", quiet, *words, "--ranks-as", how) for how in ("folded", "processes"))
    suite.check("rdma: a program, folded and as processes", folded and same(folded) == same(processes), (same(folded), same(processes)))
    lossy = replay(suite, incast, "-p", platform(suite, "rdma-lossy", "frame-loss = 0.001"), *words).get("network", {})
    suite.check("rdma: what a link loses is sent again", lossy.get("lost", 0) > 0 and lossy.get("retransmissions", 0) > 0, lossy)


def test_roce(suite):
    """RoCE: pauses and marks, and no retransmission where nothing is lost."""
    words, tree = ("--mpi-profile", "roce"), platform(suite, "roce-tree", head=TREE)
    for size, pauses in (("64KiB", False), ("1MiB", True)):
        found = replay(suite, f"gen:alltoall,ranks=16,bytes={size},iterations=1", "-p", tree, *words)
        counts = found.get("network", {})
        again = [counts.get(key) for key in ("retransmissions", "timeouts", "fast_retransmits", "dropped", "lost")]
        suite.check(f"roce: {size} on a fat tree: nothing is sent again", again == [0] * 5, counts)
        suite.check(f"roce: {size} on a fat tree: switches mark", counts.get("marked", 0) > 0, counts)
        if pauses:
            suite.check(f"roce: {size} on a fat tree: switches pause their neighbours", counts.get("pauses", 0) > 0, counts)
    lossy = platform(suite, "roce-lossy", "frame-loss = 0.001", head=TREE)
    counts = replay(suite, "gen:alltoall,ranks=16,bytes=64KiB,iterations=1", "-p", lossy, *words).get("network", {})
    suite.check("roce: go-back-N after a loss", counts.get("lost", 0) > 0 and counts.get("retransmissions", 0) >= counts["lost"] // 2, counts)
    path = faulty(suite, "roce-down", 'at = "host-1", from = "2ms", until = "50ms", down = true', head=TREE)
    found = replay(suite, bulk_transfer(suite, SIZE), "-p", path, *words)
    suite.check("roce: a link that comes back", 0.05 < seconds_of(found) < 3 and found["network"]["lost"] > 0, found.get("network"))


CIRCLE = """name = "circle"
[torus]
dimensions = [8]
speed = "1Gf"
bandwidth = "1Gbps"
latency = "1us"
"""


def test_credit_deadlock(suite):
    """Buffers in a circle wait for each other: the run ends and says which. Lanes break the circle."""
    workload = "gen:alltoall,ranks=8,bytes=1MiB,iterations=1"
    for name in ("rdma", "roce"):
        words = ("--model", "packet", "--mpi-profile", name, "-p")
        done = suite.run([MPIRAGE, "replay", "-q", "--json", workload, *words, platform(suite, f"circle-{name}", head=CIRCLE)], timeout=60)
        found = json.loads(done.out) if done.out else {}
        suite.check(f"credit deadlock: {name}: exit code", done.code == 85, done)
        suite.check(f"credit deadlock: {name}: outcome", found.get("outcome") == "network-deadlock", found)
        named = [f"circle_link_from_{at}_to_{(at + 1) % 8}_" in done.err for at in range(8)]
        suite.check(f"credit deadlock: {name}: all links of the circle are named", all(named) and "lane-per-hop" in done.err, done.err)
        lanes = platform(suite, f"lanes-{name}", "lanes = 4\nlane-per-hop = true", head=CIRCLE)
        counts = replay(suite, workload, *words[2:], lanes).get("network", {})
        suite.check(f"credit deadlock: {name}: a lane for each link breaks the circle", counts.get("retransmissions") == 0, counts)
