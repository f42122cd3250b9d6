"""Collectives of NCCL on nodes of accelerators: bus bandwidths of large messages beside those that were published, within 15 %.

Bus bandwidth is what nccl-tests calls so (doc/PERFORMANCE.md): bytes that a rank sends at least, divided by the time. Bytes are those of the
whole vector: 2 (n - 1) / n of them for allreduce, (n - 1) / n for allgather, reduce-scatter and all-to-all, all for bcast.
"""

import json

import pytest
from harness import MPIRAGE

BOUND = 0.15
GIB = 1 << 30

# Platform, ranks, collective, method if not NCCL's own choice, published GB/s, where.
PUBLISHED = [
    ("dgx-a100:1", 8, "allreduce", None, 232.5, "NVIDIA/nccl-tests#175: 8 A100 of one node, 4 GiB"),
    ("dgx-a100:1", 8, "allreduce", None, 240.0, "kiskra-nvidia, NVIDIA/nccl#1712: close to 240 GB/s with NVLink"),
    ("dgx-h100:1", 8, "allreduce", None, 370.0, "sjeaugey, NVIDIA/nccl-tests#212: with NCCL_ALGO=RING"),
    ("dgx-h100:1", 8, "allreduce", "nccl/ring", 367.5, "NVIDIA/nccl#1455: 365 to 370, NCCL_ALGO=RING, 2 to 4 GiB"),
    ("dgx-h100:1", 8, "allgather", None, 370.0, "sjeaugey, NVIDIA/nccl-tests#212: operations other than allreduce"),
    ("dgx-h100:1", 8, "reduce-scatter", None, 370.0, "the same"),
    ("dgx-h100:1", 8, "alltoall", None, 370.0, "the same"),
    ("dgx-a100:4", 32, "allreduce", None, 192.0, "AddyLaddy, NVIDIA/nccl#812: DGX A100 with 8 HDR ports"),
    ("dgx-a100:2", 16, "allreduce", "nccl/ring", 192.0, "the same; NCCL_ALGO=RING shows the ports also with two nodes"),
    ("dgx-h100:2", 16, "allreduce", "nccl/ring", 376.0, "AddyLaddy, NVIDIA/nccl-tests#290: NDR, 46 to 48 GB/s for each of 8 ports"),
]


def replay(suite, platform, pattern, ranks, size, method=None):
    """One call; `size` as the generator counts it. Gives the result."""
    choice = f"nccl,{pattern}={method}" if method else "nccl"
    done = suite.run(
        [MPIRAGE, "replay", "-q", "--json", "-", "-p", platform, "--coll", choice, f"gen:{pattern},ranks={ranks},bytes={size},iterations=1"],
        timeout=300,
    )
    suite.check(f"{platform} {pattern} ends well", done.code == 0, done.err)
    return json.loads(done.out.splitlines()[-1])


def seconds(suite, *call):
    """The simulated time of one call."""
    return replay(suite, *call)["simulated_seconds"]


def bus_bandwidth(suite, platform, pattern, ranks, total, method=None):
    """GB/s as nccl-tests counts them, for vectors of `total` bytes."""
    size = total if pattern in ("allreduce", "bcast") else total // ranks
    time = seconds(suite, platform, pattern, ranks, size, method)
    factor = {"allreduce": 2 * (ranks - 1) / ranks, "bcast": 1}.get(pattern, (ranks - 1) / ranks)
    return total * factor / time / 1e9


@pytest.mark.parametrize(("platform", "ranks", "pattern", "method", "published", "source"), PUBLISHED)
def test_published(suite, platform, ranks, pattern, method, published, source):
    ours = bus_bandwidth(suite, platform, pattern, ranks, 8 * GIB, method)
    off = ours / published - 1
    print(f"{platform} {pattern} {method or 'tuned'}: {ours:.1f} GB/s, published {published} ({off:+.1%}; {source})")
    suite.check(f"{platform} {pattern} {method or 'tuned'}", abs(off) <= BOUND, f"{ours} instead of {published}: {source}")


@pytest.mark.parametrize(("platform", "ranks"), [("dgx-a100:1", 8), ("dgx-h100:2", 16)])
def test_volume(suite, platform, ranks):
    """A ring moves 2 (n - 1) / n of the vector per rank, a tree as much in all (Patarasuk, Yuan 2009; Sanders, Speck, Träff 2009)."""
    vector = 64 << 20
    for method in ("nccl/ring", "nccl/tree"):
        moved = replay(suite, platform, "allreduce", ranks, vector, method)["bytes"]
        suite.check(f"{platform} {method}: bytes", moved == 2 * (ranks - 1) * vector, moved / vector)


# Latencies by the formulas of NCCL 2.20.5 (src/graph/tuning.cc), in microseconds: a ring with LL of 14 hops of 0.6 inside a node; a tree with LL
# of 7 hops of 0.6 and log2(nodes) hops of 5.0 up and down. Nodes are those of the platform: hosts would be eight times as many.
@pytest.mark.parametrize(
    ("platform", "ranks", "predicted"),
    [
        ("dgx-a100:1", 8, 6.6 + 14 * 0.6),
        ("dgx-h100:1", 8, 6.6 + 14 * 0.6),
        ("dgx-h100:2", 16, 6.8 + 2 * (7 * 0.6 + 5.0)),
        ("dgx-h100:4", 32, 6.8 + 2 * (7 * 0.6 + 2 * 5.0)),
    ],
)
def test_short(suite, platform, ranks, predicted):
    ours = seconds(suite, platform, "allreduce", ranks, 8) * 1e6
    print(f"{platform} allreduce of 8 bytes: {ours:.1f} us, by NCCL's formula {predicted:.1f}")
    suite.check(f"{platform} allreduce of 8 bytes", abs(ours / predicted - 1) <= BOUND, f"{ours} instead of {predicted}")


# Latencies by the formulas of NCCL 2.23.4: aggregated trees with 8 + 4 log2 n + 2.8 n, a ring with Simple with 8.4 + 14 (n - 1).
@pytest.mark.parametrize("pattern", ["allgather", "reduce-scatter"])
@pytest.mark.parametrize(("method", "predicted"), [("nccl/pat", 8 + 4 * 6 + 2.8 * 64), ("nccl/ring", 8.4 + 14 * 63)])
def test_short_with_one_rank_per_node(suite, pattern, method, predicted):
    ours = seconds(suite, "cluster:64", pattern, 64, 8, method) * 1e6
    print(f"{pattern} of 64 nodes by {method}: {ours:.1f} us, by NCCL's formula {predicted:.1f}")
    suite.check(f"{pattern} of 64 nodes by {method}", abs(ours / predicted - 1) <= BOUND, f"{ours} instead of {predicted}")


@pytest.mark.parametrize("ranks", [5, 16, 33, 64])
@pytest.mark.parametrize("pattern", ["allgather", "reduce-scatter"])
def test_aggregated_trees(suite, pattern, ranks):
    """Each rank sends a block for each other rank in ceil(log2 n) messages; long blocks need more messages, and no more bytes."""
    steps = (ranks - 1).bit_length()
    for size in (64, 8 << 20):
        result = replay(suite, f"cluster:{ranks}", pattern, ranks, size, "nccl/pat")
        suite.check(f"{pattern} of {ranks} and {size} B: bytes", result["bytes"] == ranks * (ranks - 1) * size, result["bytes"])
        messages = result["messages"] / ranks
        suite.check(f"{pattern} of {ranks} and {size} B: messages", messages == steps if size == 64 else messages > steps, messages)


def test_newer_release(suite):
    """NCCL 2.23 takes aggregated trees between nodes of one rank each, and rings between the others."""
    for version, per_node, wanted in [("nccl-2.23", 1, "nccl/pat"), ("nccl-2.20", 1, "nccl/ring"), ("nccl-2.23", 8, "nccl/ring")]:
        done = suite.run([MPIRAGE, "info", "collectives", "allgather", "--selector", version, "-n", "64", "--ranks-per-node", str(per_node)])
        first = done.out.splitlines()[1]
        suite.check(f"{version} with {per_node} per node", wanted in first, done.out)


def test_missing(suite):
    done = suite.run([MPIRAGE, "replay", "-p", "dgx-h100:1", "--coll", "allreduce=nccl/nvls", "gen:allreduce,ranks=8,bytes=8,iterations=1"])
    suite.check("NVLS is refused", done.code != 0 and "nccl/nvls is not implemented" in done.err, done.err)
