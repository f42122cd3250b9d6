"""Captures and queues at routers and links of platforms whose hosts, routers and links are given one by one."""

import csv

import pytest
from harness import MPIRAGE, ROOT
from runs import replay, same
from test_packet_model import frames, parsed

REFERENCE = (ROOT / "examples" / "netsim_paper" / "reference.toml").read_text()
# The same switch in SimGrid's format, with cables for one direction at a time.
XML = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="reference" routing="Floyd">
    {hosts}
    <router id="switch"/>
    {links}
    {routes}
  </zone>
</platform>
"""
INCAST = "gen:incast,ranks=4,bytes=1MiB,iterations=2"


def explicit(suite, keys=""):
    path = suite.folder / "reference.toml"
    path.write_text(f"{REFERENCE}\n[packet]\nlate-share = 0\n{keys}\n")
    return path


def xml(suite, policy):
    each = lambda text: "\n    ".join(text.format(number=number, policy=policy) for number in range(4))
    link = '<link id="cable-{number}" bandwidth="1Gbps" latency="500us" sharing_policy="{policy}"/>'
    direction = 'direction="UP"' if policy == "SPLITDUPLEX" else ""
    route = '<route src="node-{number}" dst="switch"><link_ctn id="cable-{number}" ' + direction + "/></route>"
    path = suite.folder / f"{policy}.xml"
    path.write_text(XML.format(hosts=each('<host id="node-{number}" speed="3Gf"/>'), links=each(link), routes=each(route)))
    return path


@pytest.mark.parametrize("kind", ["toml", "SPLITDUPLEX", "SHARED"])
@pytest.mark.parametrize("profile", ["openmpi-tcp", "rdma"])
def test_captures(suite, kind, profile):
    """Each frame enters and leaves the router once, and is in the captures of two hosts."""
    path = explicit(suite) if kind == "toml" else xml(suite, kind)
    places = ["switch", *(f"switch:{port}" for port in range(4)), *(f"node-{host}" for host in range(4))]
    files = {place: suite.folder / f"{place.replace(':', '-')}.pcapng" for place in places}
    options = [word for place, file in files.items() for word in ("--pcap", f"{place}={file}")]
    workload = ("gen:alltoall,ranks=4,bytes=10000,iterations=1", "--ppn", "1", "-p", path, "--mpi-profile", profile)
    found = replay(suite, *workload, *options)
    total = found.get("network", {}).get("frames", 0)
    numbers = {place: frames(file) for place, file in files.items()}
    if profile == "openmpi-tcp":
        parsed(suite, "captures: the router", files["switch"], numbers["switch"], "tcp")
    suite.check("captures: all frames enter and leave the router", 0 < total and abs(numbers["switch"] - total) <= 8, (numbers, total))
    suite.check("captures: ports add up", sum(numbers[f"switch:{port}"] for port in range(4)) == numbers["switch"], numbers)
    suite.check("captures: a port sees what its host does", all(abs(numbers[f"switch:{at}"] - numbers[f"node-{at}"]) <= 4 for at in range(4)), numbers)
    suite.check("captures: they change nothing", same(replay(suite, *workload)) == same(found))


def dropped(suite, keys):
    """Frames that each link drops in an incast."""
    tables = suite.folder / "totals.csv"
    found = replay(suite, INCAST, "--ppn", "1", "-p", explicit(suite, keys), "--mpi-profile", "openmpi-tcp", "--trace", tables)
    rows = csv.DictReader(open(tables / "link_totals.csv")) if found else []
    return {row["link"]: int(row["dropped"]) for row in rows if int(row["dropped"])}


def test_queues(suite):
    """A small queue at a link, a cable, a router or in front of a host."""
    suite.check("queues: the usual one is large enough", dropped(suite, "") == {})
    everywhere = dropped(suite, 'queue = "40KB"')
    suite.check("queues: a small one is not", list(everywhere) == ["cable-0_DOWN"], everywhere)
    for at in ("cable-0_DOWN", "cable-0", "switch", "node-0"):
        found = dropped(suite, f'queues = [{{ at = "{at}", limit = "40KB" }}]')
        suite.check(f"queues: at {at}", found == everywhere, (found, everywhere))
        widened = dropped(suite, f'queue = "40KB"\nqueues = [{{ at = "{at}", limit = "1MiB" }}]')
        suite.check(f"queues: a larger one at {at}", widened == {}, widened)
    suite.check("queues: elsewhere", dropped(suite, 'queues = [{ at = "cable-1", limit = "40KB" }]') == {})
    in_frames = dropped(suite, 'queues = [{ at = "switch", limit = { frames = 20 } }]')
    suite.check("queues: in frames", list(in_frames) == ["cable-0_DOWN"], in_frames)


WRONG = {
    '[{ at = "swich", limit = "40KB" }]': "there is no host, link or switch `swich`",
    '[{ at = "switch" }]': "a queue needs `limit`",
    '[{ limit = "40KB" }]': "a queue needs `at`",
    '[{ at = "switch", limit = 0 }]': "a queue of 0 bytes lets nothing pass",
    '[{ at = "switch", limt = 5 }]': "limt",
}


def test_refused(suite):
    """Mistakes: exit code 82, with file and line."""
    for value, message in WRONG.items():
        path = explicit(suite, f"queues = {value}")
        done = suite.run([MPIRAGE, "replay", "-q", "--model", "packet", "-p", path, INCAST])
        line = path.read_text().splitlines().index(f"queues = {value}") + 1
        suite.check(f"{value}: refused", done.code == 82 and "`queues`" in done.err and message in done.err, done)
        suite.check(f"{value}: file and line", f"reference.toml:{line}" in done.err, done.err)
