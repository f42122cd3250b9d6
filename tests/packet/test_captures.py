"""Captures as Wireshark sees them.

An example of the crate `packet` writes captures, of scripted conversations and of its transport protocols with losses, and prints
what is in them. `tshark` (Debian) reads them: no frame is malformed, every checksum is right, and retransmissions, duplicate
acknowledgements, closed windows and marks of congestion are those of the example."""

import collections
import os
import subprocess

import prepare
import pytest
from harness import BUILD, ROOT

CHECKED = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "sctp.checksum:CRC 32c"]
# Captures that keep whole frames.
WHOLE = {"two-ends.pcapng", "tcp.pcapng", "syn.pcapng", "sctp.pcapng"}
GOOD, UNVERIFIED = "1", "2"  # of tshark's checksum status


@pytest.fixture(scope="module")
def written(suite):
    prepare.debian({"tshark": "tshark"})
    return example(suite.folder)


def example(folder):
    """Writes the captures; returns what is in them, by file."""
    # For the package alone, cargo would choose other features of dependencies than for `cargo test`, and build them again.
    build = ["cargo", "build", "--quiet", "--release", "--workspace", "--exclude", "mpirage-bench", "--example", "capture"]
    subprocess.run(build, cwd=ROOT, check=True)
    done = subprocess.run([BUILD / "examples/capture", str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {name: {key: int(value) for key, value in (pair.split("=") for pair in pairs)} for name, *pairs in lines}


def fields(path, *names, only=None):
    """The values of these fields, frame by frame."""
    chosen = [word for name in names for word in ("-e", name)]
    reads = ["tshark", *CHECKED, "-r", str(path), "-T", "fields", *chosen] + (["-Y", only] if only else [])
    done = subprocess.run(reads, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(reads)}: {done.stderr}")
    return [line.split("\t") for line in done.stdout.splitlines()]


def count(path, what, interface=0):
    """Frames of an interface for which something holds."""
    return len(fields(path, "frame.number", only=f"frame.interface_id == {interface} && ({what})"))


def check_frames(suite, path, frames):
    """All frames parse, in the order of time."""
    found = fields(path, "frame.number", "frame.time_epoch", "_ws.malformed", "ip.checksum.status")
    suite.check(f"{path.name}: all frames are there", len(found) == frames, f"{len(found)} of {frames}")
    stamps = [float(stamp) for _, stamp, _, _ in found]
    suite.check(f"{path.name}: frames are in order", stamps == sorted(stamps))
    suite.check(f"{path.name}: no frame is malformed", not any(malformed for _, _, malformed, _ in found))
    wrong = [number for number, _, _, status in found if status != GOOD]
    suite.check(f"{path.name}: checksums of IP are right", not wrong, wrong)


def check_checksums(suite, path):
    """Checksums of the transport protocol, of all frames or of those that are kept whole."""
    protocol = "sctp" if path.name == "sctp.pcapng" else "tcp"
    states = collections.Counter(state for (state,) in fields(path, f"{protocol}.checksum.status"))
    # A checksum cannot be verified where a frame is cut off.
    possible = {GOOD} if path.name in WHOLE else {GOOD, UNVERIFIED}
    suite.check(f"{path.name}: checksums of {protocol} are right", set(states) <= possible and states[GOOD] > 100, states)


def same(suite, path, what, found, expected):
    suite.check(f"{path.name}: {what}", found == expected, f"{found}, not {expected}")


def check_scripted(suite, path, put_in):
    """What a script has put in, as seen at the sender: with the same frames at the other end, all would look like repetitions."""
    same(suite, path, "retransmissions", count(path, "tcp.analysis.retransmission"), put_in["retransmissions"])
    same(suite, path, "closed windows", count(path, "tcp.analysis.zero_window"), put_in["closed_windows"])
    same(suite, path, "duplicate acknowledgements", count(path, "tcp.analysis.duplicate_ack"), put_in["duplicate_acks"])
    same(suite, path, "marks of congestion", count(path, "ip.dsfield.ecn == 3"), put_in["marked"])
    expected = ["retransmission", "duplicate_ack", "zero_window", "window_update"]
    odd = " || ".join(f"tcp.analysis.{name}" for name in expected)
    same(suite, path, "nothing else is odd", count(path, f"tcp.analysis.flags && !({odd})"), 0)


def check_tcp(suite, path, counted):
    """TCP itself. Wireshark takes a repetition for a frame out of order if it follows newer data closely; a sender has no such frames."""
    repeated = count(path, "ip.src == 10.0.0.1 && (tcp.analysis.retransmission || tcp.analysis.out_of_order)")
    same(suite, path, "retransmissions", repeated, counted["retransmissions"])
    suite.check(f"{path.name}: something was lost", repeated > 5, repeated)


def check_syn(suite, path, counted):
    """A connection that opens late: repetitions of its first segment are retransmissions, too."""
    repeated = count(path, "ip.src == 10.0.0.1 && tcp.analysis.retransmission && tcp.flags.syn == 1")
    same(suite, path, "retransmissions", (repeated, count(path, "tcp.analysis.retransmission")), (2, counted["retransmissions"]))


def check_sctp(suite, path, counted):
    """SCTP itself: chunks, streams and repetitions."""
    chunks = [kind for (kinds,) in fields(path, "sctp.chunk_type") for kind in kinds.split(",")]
    same(suite, path, "all chunks are known", set(chunks), {"0", "1", "2", "3", "10", "11"})
    same(suite, path, "the handshake", chunks[:4], ["1", "2", "10", "11"])
    streams = {stream for (names,) in fields(path, "sctp.data_sid", only="sctp.data_sid") for stream in names.split(",")}
    same(suite, path, "streams", len(streams), counted["lanes"])
    repeated = [frame for (frames,) in fields(path, "sctp.retransmission", only="ip.src == 10.0.0.1 && sctp.retransmission") for frame in frames.split(",")]
    same(suite, path, "retransmissions", len(repeated), counted["retransmissions"])
    suite.check(f"{path.name}: something was lost", len(repeated) > 5, repeated)
    messages = {text for (text,) in fields(path, "_ws.expert.message", only="_ws.expert")}
    same(suite, path, "Wireshark's remarks", messages, {"Retransmitted TSN"})


def check_roce(suite, path, counted):
    """RoCEv2: operations, padding, numbers, and lengths."""
    names = ["infiniband.bth.opcode", "infiniband.bth.padcnt", "infiniband.bth.psn", "infiniband.aeth.syndrome", "udp.length", "ip.len"]
    found = fields(path, *names)
    operations = collections.Counter(int(operation) for operation, *_ in found)
    same(suite, path, "writes begin", operations[6] + operations[10], counted["writes"])
    same(suite, path, "writes end", operations[8] + operations[10], counted["writes"])
    same(suite, path, "acknowledgements", operations[17], counted["writes"] + counted["errors"])
    same(suite, path, "notifications of congestion", operations[0x81], counted["notifications"])
    numbers = [int(psn) for operation, _, psn, *_ in found if 6 <= int(operation) <= 10]
    same(suite, path, "packets are numbered", {(b - a) % 2**24 for a, b in zip(numbers, numbers[1:])}, {1})
    same(suite, path, "padding", {int(pad) for _, pad, *_ in found}, {0, 1, 2, 3})
    same(suite, path, "errors", [int(code, 0) & 0xE0 for *_, code, _, _ in found if code].count(0x60), counted["errors"])
    same(suite, path, "lengths", {int(ip) - int(udp) for *_, udp, ip in found}, {20})


def check_two_ends(suite, path, _):
    """Each end has its interface, and routers count hops."""
    found = {tuple(name) for name in fields(path, "frame.interface_name", "ip.ttl", "ip.src")}
    ends = {("host0", "64", "10.0.0.1"), ("host0", "62", "10.1.2.4"), ("host66051", "62", "10.0.0.1"), ("host66051", "64", "10.1.2.4")}
    same(suite, path, "interfaces", found, ends)


CHECKS = {
    "clean.pcapng": check_scripted,
    "lossy.pcapng": check_scripted,
    "two-ends.pcapng": check_two_ends,
    "tcp.pcapng": check_tcp,
    "syn.pcapng": check_syn,
    "sctp.pcapng": check_sctp,
    "roce.pcapng": check_roce,
}


def test_every_capture_has_checks(suite, written):
    assert sorted(written) == sorted(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_capture(suite, written, name):
    path = suite.folder / name
    check_frames(suite, path, written[name]["frames"])
    if name != "roce.pcapng":  # Wireshark does not verify the checksum of InfiniBand.
        check_checksums(suite, path)
    CHECKS[name](suite, path, written[name])
