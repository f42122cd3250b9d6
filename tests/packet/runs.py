"""Platforms, replays and runs under `--model packet`, for model.py and faults.py."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import MEASURED, MPIRAGE, ROOT  # noqa: E402

EXAMPLES = ROOT / "examples"
HEAD = """name = "small"
[cluster]
hosts = 4
speed = "1Gf"
bandwidth = "1Gbps"
latency = "25us"
"""
RATE, LATENCY = 125e6, 50e-6
# InfiniBand and RoCE open nothing.
PUNCTUAL = 'late-share = 0\n[model]\nwake-up = "0s"\n'
QUIET = 'late-share = 0\nopen-from-start = true\n[model]\nwake-up = "0s"\n'
COMMUNICATION = ("-q", "--compute", "none", "--model", "packet")
# What differs between runs of the same program, also if one is folded.
DIFFERENT = (*MEASURED, "ranks_as", "ranks_as_because", "workers", "switches")


def platform(suite, name, keys="", head=HEAD):
    """A file with these lines in its [packet] table."""
    path = suite.folder / f"{name}.toml"
    path.write_text(f"{head}[packet]\n{keys}\n")
    return path


def replay(suite, workload, *arguments):
    """The result of a replay under packet, or {} if it fails."""
    done = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", "packet", workload, *arguments], timeout=60)
    suite.check(f"{workload}: replays", done.code == 0, done.err)
    return json.loads(done.out) if done.code == 0 else {}


def run(suite, program, ranks, *arguments, model=COMMUNICATION):
    """The result of a program, or {} if it fails."""
    done = suite.simulate(*model, "-n", ranks, *arguments, "--json", program, timeout=60)
    suite.check(f"{program.name}: runs", done.code == 0, done.err)
    return json.loads(done.out.splitlines()[-1]) if done.code == 0 else {}


def same(result):
    """What two equal runs have in common."""
    return {key: value for key, value in result.items() if key not in DIFFERENT}


def example(suite, name):
    return suite.compile(EXAMPLES / name)


def ping_pong(suite, size):
    """A schedule: a message there and back."""
    there, back = (f"send {size}b to 1 tag 0", f"recv {size}b from 1 tag 0"), (f"recv {size}b from 0 tag 0", f"send {size}b to 0 tag 0")
    ranks = [f"rank {rank} {{\na: {first}\nb: {second}\nb requires a\n}}\n" for rank, (first, second) in enumerate((there, back))]
    path = suite.folder / f"ping-{size}.goal"
    path.write_text("num_ranks 2\n" + "".join(ranks))
    return path


def bulk_transfer(suite, size):
    """A schedule: one message."""
    path = suite.folder / f"bulk-{size}.goal"
    path.write_text(f"num_ranks 2\nrank 0 {{\na: send {size}b to 1 tag 0\n}}\nrank 1 {{\na: recv {size}b from 0 tag 0\n}}\n")
    return path
