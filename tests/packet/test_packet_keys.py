"""Keys of the `[packet]` table under each transport: each of them changes a result, or is refused with file, line and remedy."""

import json
import re

import pytest
from harness import MPIRAGE, ROOT
from runs import HEAD

TRANSPORTS = ["tcp", "sctp", "infiniband", "roce"]
PAGE = ROOT / "docs" / "packet.md"
KEYS = re.findall(r"^\| `([a-z-]+)` \|", PAGE.read_text().split("<!-- keys -->")[1].split("<!-- /keys -->")[0], re.MULTILINE)
EXCHANGE = ["gen:alltoall,ranks=4,bytes=200000,iterations=2"]
TREE = 'name = "tree"\n[fat-tree]\ndown = [4, 4]\nup = [1, 4]\nspeed = "1Gf"\nbandwidth = "1Gbps"\nlatency = "5us"\n'
CIRCLE = 'name = "circle"\n[torus]\ndimensions = [8]\nspeed = "1Gf"\nbandwidth = "1Gbps"\nlatency = "1us"\n'
RING = ["gen:alltoall,ranks=8,bytes=10000,iterations=1"]
SPREAD = ["gen:alltoall,ranks=16,bytes=100000,iterations=1"]
LOSSY = "frame-loss = 0.02\n"
CUT = 'faults = [{ at = "host-1", from = "1ms", down = true }]\n'
# A value other than the default; what stands beside it; and what is replayed, if it is not an exchange.
CASES = {
    "mtu": ("4000",),
    "frame-overhead": ("24",),
    "frame-loss": ("0.01",),
    "bit-errors": ("1e-6",),
    "forwarding": {"tcp": ('"cut-through"',), "sctp": ('"cut-through"',), "infiniband": ('"store-and-forward"',), "roce": ('"store-and-forward"',)},
    "switch-delay": ('"5us"',),
    "routing": {"tcp": ('"ecmp"', "", SPREAD, TREE), "sctp": ('"ecmp"', "", SPREAD, TREE), "infiniband": ('"adaptive"', "", SPREAD, TREE),
                "roce": ('"static"', "", SPREAD, TREE)},
    "lanes": ("4", "", "two classes", CIRCLE),
    "lane-per-hop": ("true", "lanes = 4\n", RING, CIRCLE),
    "rdma-mtu": ("1024",),
    "faults": ('[{ at = "host-1", rate = 0.5 }]',),
    "queue": ("20000",),
    "mark-above": ("20000", "ecn = true\n"),
    "queues": ('[{ at = "host-1", limit = "5KB" }]',),
    "red": ('{ low = "10KB", high = "90KB", probability = 0.1 }',),
    "socket-frames": ("20",),
    "interface-buffer": ("0",),
    "software": ('"90us"',),
    "late-share": ("0.5", 'late-most = "1ms"\n'),
    "late-most": ('"2ms"', 'late-share = 0.5\n'),
    "message-header": ("1000",),
    "control-message": ("1000",),
    "within-latency": ('"1ms"', "", ["gen:pingpong,ranks=2,bytes=1000,iterations=2", "--ppn", "2"]),
    "within-bandwidth": ('"1MBps"', "", [*EXCHANGE, "--ppn", "2"]),
    "open-from-start": ("true",),
    "streams": ("1", LOSSY, "several tags"),
    "congestion": ('"reno"', LOSSY),
    "initial-window": ("2",),
    "minimum-rto": ('"3s"', LOSSY),
    "retries": ("3", CUT),
    "delayed-ack": {"tcp": ('"7ms"', LOSSY), "sctp": ('"7ms"', "send-buffer = 1000\n")},
    "ecn": ("true", "mark-above = 20000\n"),
    "nagle": ("true", "", "short messages"),
    "slow-start-after-idle": ("false", "", "a pause"),
    "send-buffer": ("4000",),
    "receive-buffer": ("4000",),
    "receive-buffer-maximum": ("20000", "receive-buffer = 20000\n"),
    "only": ('["host-0"]',),
}


def two_classes(suite):
    """Messages of two ranks beside a collective: they travel in lanes of their own."""
    names = []
    for rank in range(4):
        others = (rank + 3) % 4, (rank + 1) % 4
        calls = ["init", f"irecv {others[0]} 7 200000", f"isend {others[1]} 7 200000", "alltoall 100000 100000 0 0", "waitall 2", "finalize"]
        names.append(f"classes-{rank}.ti")
        (suite.folder / names[-1]).write_text("".join(f"{rank} {call}\n" for call in calls))
    path = suite.folder / "classes.txt"
    path.write_text("\n".join(names) + "\n")
    return [path]


def schedule(suite, name):
    """Messages of several tags at once; or some with a pause between them."""
    size, pause, count = {"several tags": (30_000, 0, 40), "short messages": (100, 20_000, 10), "a pause": (60_000, 3_000_000_000, 4)}[name]
    sender = [f"s{at}: send {size}b to 1 tag {at}" for at in range(count)]
    sender += [f"c{at}: calc {pause}\nc{at} requires s{at - 1}\ns{at} requires c{at}" for at in range(1, count) if pause]
    receiver = [f"r{at}: recv {size}b from 0 tag {at}" for at in range(count)]
    path = suite.folder / f"{name.replace(' ', '-')}.goal"
    ranks = ["\n".join(lines) for lines in (sender, receiver)]
    path.write_text(f"num_ranks 2\nrank 0 {{\n{ranks[0]}\n}}\nrank 1 {{\n{ranks[1]}\n}}\n")
    return [path]


def replay(suite, transport, line, beside="", workload=EXCHANGE, head=HEAD):
    """A replay with a line in the table."""
    path = suite.folder / f"{transport}.toml"
    late = "" if "late-share" in beside + line else "late-share = 0\n"
    path.write_text(f'{head}[model]\nwake-up = "0s"\n[packet]\ntransport = "{transport}"\n{late}{beside}{line}\n')
    words = workload
    if isinstance(workload, str):
        words = two_classes(suite) if workload == "two classes" else schedule(suite, workload)
    return suite.run([MPIRAGE, "replay", "-q", "--json", "--model", "packet", "-p", path, *words], timeout=60)


def value_of(key, transport):
    case = CASES[key]
    return case.get(transport, next(iter(case.values()))) if isinstance(case, dict) else case


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_keys(suite, transport):
    """No key is ignored."""
    shown = suite.folder / "shown.toml"
    shown.write_text(f'{HEAD}[packet]\ntransport = "{transport}"\n')
    text = suite.run([MPIRAGE, "platform", "show", shown, "--packet"]).out
    own = {line.split(" = ")[0] for line in text.splitlines()[1:]}
    suite.check("all keys have a case", set(KEYS) == {*CASES, "transport"} and own <= set(KEYS), set(KEYS) ^ {*CASES, "transport"})
    for key in CASES:
        value, *rest = value_of(key, transport)
        if key in own:
            before, after = (replay(suite, transport, line, *rest) for line in ("", f"{key} = {value}"))
            times = [json.loads(done.out).get("simulated_seconds") if done.out else None for done in (before, after)]
            suite.check(f"{transport}: {key} changes the result", None not in times and times[0] != times[1], (times, before.err, after.err))
            suite.check(f"{transport}: {key} ends the same way", before.code == after.code in (0, 85), (before, after))
            continue
        refused = replay(suite, transport, f"{key} = {value}")
        suite.check(f"{transport}: {key} is refused", refused.code == 82, refused)
        line = len((suite.folder / f"{transport}.toml").read_text().splitlines())
        suite.check(f"{transport}: {key}: file and line", f"{transport}.toml:{line}" in refused.err and f"`{key}`" in refused.err, refused.err)
        remedy = f'the transport "{transport}" has no such parameter; remove the line, or use `transport = "'
        suite.check(f"{transport}: {key}: remedy", remedy in refused.err, refused.err)


def test_transport(suite):
    """Each transport gives another result."""
    times = {transport: json.loads(replay(suite, transport, "").out)["simulated_seconds"] for transport in TRANSPORTS}
    suite.check("transports differ", len(set(times.values())) == len(TRANSPORTS), times)
