"""Execution traces of Chakra: files are written here from the public schema (et_def.proto of mlcommons/chakra, version 0.0.4), and the times are
computed by hand on a network with one latency and one bandwidth."""

import json

from harness import MPIRAGE

LATENCY, BANDWIDTH, FLOPS = 2e-6, 1e9, 1e12
PLATFORM = """
[cluster]
hosts = 16
speed = "1Tf"
bandwidth = "1GBps"
latency = "1us"
[model]
base = "flow:factors"
segments = [{ above = 0, latency = 1.0, bandwidth = 1.0 }]
header = 0
penalty-scale = 0
cross-traffic = 0
push-limit = "1GiB"
eager-limit = "1GiB"
reduce-seconds-per-byte = 0
copy-seconds-per-byte = 0
copy-seconds-per-block = 0
"""
METADATA, LOAD, COMP, SEND, RECV, COLL = 1, 2, 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER, BARRIER = 0, 2, 5, 6, 7, 9


def varint(number):
    number &= (1 << 64) - 1
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def field(number, value):
    """A field with a number, a text, a message, or a packed list."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, (list, tuple)):
        value = b"".join(map(varint, value))
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, bool):
        return field(10, field(1, name) + field(27, int(value)))
    if isinstance(value, list):
        return field(10, field(1, name) + field(28, field(1, [int(flag) for flag in value])))
    return field(10, field(1, name) + field(29 if isinstance(value, str) else 9, value))


def node(id, kind, after=(), micros=0, inputs="", ctrl=(), **attributes):
    text = field(1, id) + field(2, f"node {id}") + field(3, kind)
    text += (field(4, list(ctrl)) if ctrl else b"") + (field(5, list(after)) if after else b"")
    text += (field(7, micros) if micros else b"") + (field(8, field(1, inputs)) if inputs else b"")
    return text + b"".join(attribute(name, value) for name, value in attributes.items())


def write(folder, ranks, version="0.0.4", prefix="gpt"):
    folder.mkdir(exist_ok=True)
    for rank, nodes in enumerate(ranks):
        messages = [field(1, version), *nodes]
        (folder / f"{prefix}.{rank}.et").write_bytes(b"".join(varint(len(text)) + text for text in messages))
    return folder


def machine(suite):
    platform = suite.folder / "plain.toml"
    platform.write_text(PLATFORM)
    return platform


def ends(suite, trace, *words):
    """When each rank ends, in seconds."""
    command = [MPIRAGE, "replay", "-p", machine(suite), "--quiet", "--json", *words, trace]
    done = suite.run(command, cwd=suite.folder)
    if done.code:
        return done.err
    return json.loads(done.out.splitlines()[-1])["per_rank_seconds"]


def near(suite, what, found, expected):
    """Times equal those computed by hand, to the picosecond."""
    holds = not isinstance(found, str) and len(found) == len(expected)
    holds = holds and all(abs(one - other) < 2e-12 for one, other in zip(found, expected))
    suite.check(what, holds, f"found {found}\nexpected {expected}")


def message(size):
    return LATENCY + size / BANDWIDTH


def ring(size, ranks):
    """A ring allreduce: 2 (p − 1) messages of one p-th of the vector."""
    return 2 * (ranks - 1) * message(size / ranks)


def test_computation_and_messages(suite):
    sender = [node(0, COMP, micros=100), node(1, SEND, after=[0], comm_dst=1, comm_tag=7, comm_size=1_000_000)]
    receiver = [node(0, RECV, comm_src=0, comm_tag=7, comm_size=1_000_000), node(1, COMP, ctrl=[0], micros=30), node(2, COMP, micros=500)]
    arrival = 100e-6 + message(1e6)
    # The receive goes on beside node 2; node 1 needs the device, which is busy until 500 us, and the message.
    near(suite, "a message beside computation", ends(suite, write(suite.folder / "a", [sender, receiver]))[1:], [arrival + 30e-6])
    receiver[1] = node(1, COMP, after=[0], micros=600, is_cpu_op=True)
    near(suite, "host and device beside each other", ends(suite, write(suite.folder / "b", [sender, receiver]))[1:], [arrival + 600e-6])


def test_overlap_of_collectives_and_computation(suite):
    rank = [node(0, COMP, micros=1000), node(1, COLL, after=[0], comm_type=ALL_REDUCE, comm_size=4_000_000),
            node(2, COMP, after=[0], micros=5000), node(3, COMP, after=[1, 2], micros=10)]
    found = ends(suite, write(suite.folder / "c", [rank] * 4), "--coll", "allreduce=ring")
    near(suite, "the longer of both counts", found, [1e-3 + max(ring(4e6, 4), 5e-3) + 10e-6] * 4)
    rank[2] = node(2, COMP, after=[1], micros=5000)
    found = ends(suite, write(suite.folder / "d", [rank] * 4), "--coll", "allreduce=ring")
    near(suite, "one after the other", found, [1e-3 + ring(4e6, 4) + 5e-3 + 10e-6] * 4)


def test_groups(suite):
    """Two pairs exchange at the same time, each over links of its own; then all."""
    listed = [{"pg_name": "3", "ranks": [0, 1]}, {"pg_name": "4", "ranks": [2, 3]}]
    groups = node(9, METADATA, inputs=f"['{json.dumps(listed)}']")
    ranks = [[groups, node(0, COLL, comm_type=ALL_REDUCE, comm_size=2_000_000, pg_name=str(3 + rank // 2)),
              node(1, COLL, after=[0], comm_type=ALL_REDUCE, comm_size=1024)] for rank in range(4)]
    expected = [ring(2e6, 2) + ring(1024, 4)] * 4
    near(suite, "groups that the trace lists", ends(suite, write(suite.folder / "e", ranks), "--coll", "allreduce=ring"), expected)
    (suite.folder / "groups.json").write_text('{"3": [0, 1], "4": [2, 3]}')
    ranks = [nodes[1:] for nodes in ranks]
    write(suite.folder / "f", ranks)
    near(suite, "groups of a file", ends(suite, "chakra:f,groups=groups.json", "--coll", "allreduce=ring"), expected)
    error = ends(suite, "f")
    suite.check("unknown groups", "gpt.0.et: at byte 8: node 0 `node 0`: nothing says which ranks are in its process group `3`" in error, error)
    ranks = [[node(0, COLL, comm_type=ALL_REDUCE, comm_size=2_000_000, involved_dim=[True, False]),
              node(1, COLL, after=[0], comm_type=ALL_REDUCE, comm_size=2_000_000, involved_dim=[False, True])] for _ in range(4)]
    write(suite.folder / "g", ranks)
    near(suite, "dimensions", ends(suite, "chakra:g,dims=2x2", "--coll", "allreduce=ring"), [2 * ring(2e6, 2)] * 4)
    error = ends(suite, "g")
    suite.check("unknown dimensions", "say their extents" in error, error)


def test_sizes_of_collectives(suite):
    """The size is that of a rank's input, as in ASTRA-sim: an allgather multiplies it, a reduce-scatter and an all-to-all cut it."""
    for kind, coll, expected in [
        (ALL_GATHER, "allgather=ring", 3 * message(1e6)),
        (REDUCE_SCATTER, "reduce-scatter-block=ring", 3 * message(0.25e6)),
        (ALL_TO_ALL, "alltoall=pairwise", 3 * message(0.25e6)),
    ]:
        rank = [node(0, COLL, comm_type=kind, comm_size=1_000_000)]
        near(suite, coll, ends(suite, write(suite.folder / f"s{kind}", [rank] * 4), "--coll", coll), [expected] * 4)


def test_roofline(suite):
    rank = [node(0, COMP, micros=7, num_ops=3_000_000_000, tensor_size=1000), node(1, COMP, after=[0], num_ops=1_000_000_000),
            node(2, LOAD, after=[1], micros=5)]
    write(suite.folder / "r", [rank])
    near(suite, "durations, and the platform's speed where there are none", ends(suite, "r"), [7e-6 + 1e9 / FLOPS + 5e-6])
    near(suite, "the platform's speed", ends(suite, "chakra:r,compute=roofline"), [4e9 / FLOPS + 5e-6])
    near(suite, "the trace's device", ends(suite, "chakra:r,compute=roofline,flops=1Tf,memory=100kBps"), [1000 / 1e5 + 1e-3 + 5e-6])
    near(suite, "no computation", ends(suite, "r", "--compute", "none"), [0.0])


def test_names_of_files(suite):
    ranks = [[node(0, COMP, micros=rank + 1)] for rank in range(12)]
    write(suite.folder / "n", ranks)
    expected = [(rank + 1) * 1e-6 for rank in range(12)]
    for name in ("n", "n/", "n/gpt", "n/gpt.*.et", "n/gpt.11.et", "chakra:n/gpt"):
        near(suite, name, ends(suite, name), expected)
    (suite.folder / "n/gpt.7.et").unlink()
    error = ends(suite, "n")
    suite.check("a missing rank", "gpt.7.et: this file is missing, although there is one of rank 11" in error, error)
    write(suite.folder / "n", ranks, prefix="other")
    error = ends(suite, "n")
    suite.check("two traces", "there are several traces; name the one you mean: `gpt`, `other`" in error, error)
    write(suite.folder / "alone", ranks[:1])
    (suite.folder / "alone/gpt.0.et").rename(suite.folder / "alone.et")
    near(suite, "a file without a rank", ends(suite, "alone.et"), expected[:1])


def test_bad_traces(suite):
    """Message, place, and exit code 83."""
    good = [node(0, COMP, micros=5), node(1, COMP, after=[0], micros=5)]
    cases = {
        "unknown type": ([node(0, 42)], "byte 8: node 0 `node 0`: its type is 42"),
        "missing dependency": ([node(0, COMP, after=[8])], "byte 8: a node waits for node 8, which is not in the file"),
        "cycle": ([node(0, COMP, after=[1]), node(1, COMP, ctrl=[0])], "this node waits for itself"),
        "old": (good, "schema 0.0.3 is too old"),
    }
    for name, (nodes, part) in cases.items():
        folder = write(suite.folder / name.replace(" ", "-"), [nodes], version="0.0.3" if name == "old" else "0.0.4")
        done = suite.run([MPIRAGE, "replay", folder])
        suite.check(name, done.code == 83 and f"gpt.0.et: at byte" in done.err and part in done.err, f"{done.code}: {done.err}")
    whole = write(suite.folder / "cut", [good]) / "gpt.0.et"
    whole.write_bytes(whole.read_bytes()[:-3])
    done = suite.run([MPIRAGE, "replay", whole])
    suite.check("cut", done.code == 83 and "the file ends in the middle of this node" in done.err, done.err)
    alone = write(suite.folder / "waits", [[node(0, RECV, comm_src=1, comm_size=8)], []])
    done = suite.run([MPIRAGE, "replay", alone])
    suite.check("a message that is never sent", done.code == 83 and "rank 0 waits for a message from rank 1" in done.err, f"{done.code}: {done.err}")


def test_info_and_conversion(suite):
    sender = [node(0, COMP, micros=100), node(1, SEND, comm_dst=1, comm_size=1000), node(2, COLL, comm_type=BARRIER)]
    folder = write(suite.folder / "i", [sender, [node(1, RECV, comm_src=0, comm_size=1000), node(2, COLL, comm_type=BARRIER)]])
    info = json.loads(suite.run([MPIRAGE, "trace", "info", "--json", folder]).out)
    suite.check("info", (info["ranks"], info["messages"], info["message_bytes"], info["collectives"]) == (2, 1, 1000, 2), info)
    suite.check("info of computation", abs(info["measured_seconds"] - 100e-6) < 1e-12, info)
    done = suite.run([MPIRAGE, "trace", "convert", folder, suite.folder / "x.mpirage"])
    suite.check("conversion is refused", done.code != 0 and "cannot be converted without running it" in done.err, done.err)
