"""Flows with the physics of a profile, alone and beside packets, from the command line."""

import json

from harness import MPIRAGE
from runs import HEAD, LATENCY, QUIET, RATE, ping_pong, platform, replay

PUNCTUAL = '[model]\nwake-up = "0s"\nlate-share = 0\n'
# Two pairs of hosts that do not meet.
PAIRS = "gen:pingpong,ranks=4,bytes=10000,iterations=10"


def flow(suite, workload, *arguments):
    """Seconds of a replay under flow with Open MPI's profile, or 0 if it fails."""
    done = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", "flow", "--mpi-profile", "openmpi-tcp", workload, *arguments], timeout=60)
    suite.check(f"{workload}: replays as flows", done.code == 0, done.err)
    return json.loads(done.out)["simulated_seconds"] if done.code == 0 else 0


def wire(size, header=24):
    """Bytes on the wire, and those of the first frame."""
    bytes_ = size + header
    return bytes_ + 66 * -(-bytes_ // 1448), min(bytes_, 1448) + 66


def test_physics(suite):
    """A message alone takes what docs/models.md says, on links with and without latency."""
    for name, latency, head in (("with", LATENCY, HEAD), ("without", 0, HEAD.replace("25us", "0us"))):
        path = suite.folder / f"physics-{name}.toml"
        path.write_text(head + PUNCTUAL)
        for size in (1, 1000, 1424, 7000):
            on_wire, first = wire(size)
            expected = 2 * (latency + (on_wire + first) / RATE + 22e-6)
            found = flow(suite, ping_pong(suite, size), "-p", path)
            suite.check(f"physics: {size} bytes {name} latency", abs(found / expected - 1) < 1e-6, (found, expected))
    eager, rendezvous = (flow(suite, ping_pong(suite, size), "-p", suite.folder / "physics-with.toml") for size in (65_480, 65_481))
    # A request and a grant of 80 bytes and a FIN: a round trip and the time of the software, there and back.
    control = 2 * 2 * (LATENCY + 2 * (80 + 66) / RATE + 22e-6)
    suite.check("physics: a rendezvous costs a round trip", abs(rendezvous - eager - control) < 0.02 * control, (rendezvous - eager, control))


def test_contradictions(suite):
    """Factors and causes at once are refused; causes alone replace the factors."""
    both = suite.folder / "both.toml"
    both.write_text(HEAD + "[model]\nframe = 1448\nsegments = [{ above = 0, latency = 1.0, bandwidth = 0.5 }]\n")
    done = suite.run([MPIRAGE, "replay", "-q", "-p", both, "gen:ring,ranks=2"])
    suite.check("contradictions: exit code", done.code == 82 and "`segments` has factors by size" in done.err, done)
    for keys, message in {"frame = 0": "`frame`", "send-buffer = 0": "`send-buffer`", "late-share = 2": "`late-share`", 'fairness = "none"': "`fairness`"}.items():
        both.write_text(HEAD + f"[model]\n{keys}\n")
        done = suite.run([MPIRAGE, "replay", "-q", "-p", both, "gen:ring,ranks=2"])
        suite.check(f"contradictions: {keys}", done.code == 82 and message in done.err and f"{both}:8" in done.err, done)


def test_hybrid(suite):
    """Chosen places are packets, the rest is flows; counts are those of the packets."""
    small = platform(suite, "hybrid", QUIET + "late-share = 0\n")
    everything = replay(suite, PAIRS, "-p", small)
    one_pair = replay(suite, PAIRS, "-p", small, "--packet-at", "host-0")
    by_range = replay(suite, PAIRS, "-p", small, "--packet-at", "host-[0-1]")
    by_switch = replay(suite, PAIRS, "-p", small, "--packet-at", "switch-1-0")
    frames = [result.get("network", {}).get("frames", 0) for result in (everything, one_pair, by_range, by_switch)]
    suite.check("hybrid: half of the frames", 0 < 2 * frames[1] == frames[0], frames)
    suite.check("hybrid: all of them", frames[0] == frames[2] == frames[3], frames)
    suite.check("hybrid: the same time", by_range.get("simulated_seconds") == everything.get("simulated_seconds"), by_range)
    only = platform(suite, "hybrid-only", 'only = ["host-0"]\n' + QUIET + "late-share = 0\n")
    from_file = replay(suite, PAIRS, "-p", only)
    suite.check("hybrid: the table says the same", from_file.get("simulated_seconds") == one_pair.get("simulated_seconds"), from_file)
    nowhere = suite.run([MPIRAGE, "replay", "-q", "--model", "packet", "-p", small, "--packet-at", "host-9", PAIRS])
    suite.check("hybrid: no such place", nowhere.code == 82 and "there is no host, link or switch `host-9`" in nowhere.err, nowhere)
    flows = suite.run([MPIRAGE, "replay", "-q", "-p", small, "--packet-at", "host-0", PAIRS])
    suite.check("hybrid: flows have no packets", flows.code == 84 and "--packet-at belongs to --model packet" in flows.err, flows)
