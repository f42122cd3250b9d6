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


def seconds(suite, platform, pattern, ranks, size, method=None, calls=1):
    """The simulated time of one call; `size` as the generator counts it."""
    choice = f"nccl,{pattern}={method}" if method else "nccl"
    done = suite.run(
        [MPIRAGE, "replay", "-q", "--json", "-", "-p", platform, "--coll", choice]
        + [f"gen:{pattern},ranks={ranks},bytes={size},iterations={calls}"],
        timeout=300,
    )
    suite.check(f"{platform} {pattern} ends well", done.code == 0, done.err)
    return json.loads(done.out.splitlines()[-1])["simulated_seconds"] / calls


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
