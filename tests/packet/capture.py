#!/usr/bin/env python3
"""Captures as Wireshark sees them: tests/packet/capture.py

An example of the crate `packet` writes captures of scripted conversations and prints what it put in. `tshark` (Debian) reads them:
no frame is malformed, every checksum is right, and retransmissions, duplicate acknowledgements, closed windows and marks of
congestion are those that were put in. Without tshark and apt-get there is nothing to test, and the script says so."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import prepare  # noqa: E402
from harness import ROOT, Suite  # noqa: E402

CHECKED = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
GOOD, UNVERIFIED = "1", "2"  # of tshark's checksum status


def example(folder):
    """Writes the captures; returns what is in them, by file."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "mpirage-packet", "--example", "capture", str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
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
    """Checksums of TCP, of all frames or of those that are kept whole."""
    whole = path.name == "two-ends.pcapng"
    states = collections.Counter(state for (state,) in fields(path, "tcp.checksum.status"))
    # A checksum cannot be verified where a frame is cut off.
    suite.check(f"{path.name}: checksums of TCP are right", set(states) <= ({GOOD} if whole else {GOOD, UNVERIFIED}), states)
    suite.check(f"{path.name}: some checksums of TCP are verified", states[GOOD] > 100, states)


def check_sender(suite, path, put_in):
    """What TCP did, from a capture at its sender: with the same frames at the other end, all would look like repetitions."""
    for key, what in {
        "retransmissions": "tcp.analysis.retransmission || tcp.analysis.fast_retransmission || tcp.analysis.spurious_retransmission",
        "closed_windows": "tcp.analysis.zero_window",
    }.items():
        suite.check(f"{path.name}: {key}", count(path, what) == put_in[key], f"{count(path, what)}, not {put_in[key]}")
    acks = count(path, "tcp.analysis.duplicate_ack")
    suite.check(f"{path.name}: duplicate acknowledgements", acks == put_in["duplicate_acks"], f"{acks}, not {put_in['duplicate_acks']}")
    marked = count(path, "ip.dsfield.ecn == 3")
    suite.check(f"{path.name}: marks of congestion", marked == put_in["marked"], f"{marked}, not {put_in['marked']}")
    odd = count(path, "tcp.analysis.flags && !(tcp.analysis.retransmission || tcp.analysis.duplicate_ack || tcp.analysis.zero_window || tcp.analysis.window_update)")
    suite.check(f"{path.name}: nothing else is odd", odd == 0, odd)


def main():
    if not shutil.which("tshark"):
        if not shutil.which("apt-get"):
            print("captures: SKIPPED, there is no tshark, and no apt-get to install it")
            return
        prepare.debian({"tshark": "tshark"})
    suite = Suite("captures", needs_build=False)
    for name, put_in in example(suite.folder).items():
        path = suite.folder / name
        check_frames(suite, path, put_in["frames"])
        check_checksums(suite, path)
        if name != "two-ends.pcapng":
            check_sender(suite, path, put_in)
    names = {tuple(name) for name in fields(suite.folder / "two-ends.pcapng", "frame.interface_name", "ip.ttl", "ip.src")}
    ends = {("host0", "64", "10.0.0.1"), ("host0", "62", "10.1.2.4"), ("host66051", "62", "10.0.0.1"), ("host66051", "64", "10.1.2.4")}
    suite.check("two-ends.pcapng: each end has its interface, and routers count hops", names == ends, names)
    suite.end()


if __name__ == "__main__":
    main()
