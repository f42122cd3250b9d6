#!/usr/bin/env python3
"""Writes the synthetic seeds of the fuzz targets: fuzz/seeds.py [FILE.mpirage ...]

The seeds are traces of a few ranks that contain every word of every format at least once. For formats with checksums, which a fuzzer cannot
guess (src/sealed.rs), they are the contents inside. Traces in mpirage's own format are taken from the given files.
"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
SEPARATOR = b"\n--\n"


def write(target, name, data):
    folder = HERE / "seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def time_independent():
    def trace(*actions):
        return "".join(f"{rank} {action.format(us=rank, them=1 - rank)}\n" for action in actions for rank in (0, 1))

    point = trace("init 1", "location here.c 12", "compute 1.5e6", "isend {them} 3 1000 1", "irecv {them} 3 1000 1", "wait {us} {them} 3 2",
                  "wait {them} {us} 3", "irecv -555 -444 8 0", "isend {them} 1 8 0 ssend", "test {us} {them} 1", "waitall 2",
                  "sendrecv 10 {them} 10 {them} 1 1", "sleep 0.001", "issend {them} 2 0", "irecv {them} 2 -1", "wait", "wait",
                  "comm_size 2", "comm_split 1", "comm_dup 1", "finalize")
    collectives = trace("init", "barrier", "bcast 100 1 1", "reduce 10 5 0 1", "allreduce 10 5.5 1 ordered", "scan 4 0 0", "exscan 4 0 0",
                        "alltoall 10 10 1 1", "alltoallv 20 10 10 20 10 10 1 1", "gather 5 5 1 0 0", "gatherv 5 5 5 0 1 1",
                        "scatter 5 5 0 1 1", "scatterv 5 5 5 1 0 0", "allgather 5 5 0 0", "allgatherv 5 5 5 1 1",
                        "reducescatter 5 5 9 1", "ibcast 9 0 6", "iallreduce 9 0 6", "waitall 2", "finalize")
    write("ti", "messages", point)
    write("ti", "collectives", collectives)
    write("ti", "blocking", "# a comment\n0 send 1 0 1e6\n1 recv 0 0 1e6\n0 bsend 1 5\n1 recv 0 5\n0 rsend 1 5\n1 recv 0 5\n\n")


def dimemas():
    # Without offsets, which every change would make wrong.
    head = '#DIMEMAS:"seed":0,0:2(1,1),2\nd:1:1:2:0:1\nd:1:2:1:1\n'
    messages = ["1:{us}:0:0.000001000", "2:{us}:0:{them}:-1:1000:7:1:2", "3:{us}:0:{them}:-1:1000:7:1:0", "3:{us}:0:{them}:-1:8:9:1:1",
                "2:{us}:0:{them}:-1:8:9:1:0", "3:{us}:0:{them}:-1:8:9:1:2", "20:{us}:0:50000001:1", "2:{us}:0:{them}:1000:7:1:3",
                "3:{us}:0:{them}:-1:1000:7:1:0", "11:{us}:0:0.5", "0:{us}:0:1"]
    rooted = ["10:{us}:0:%d:1:{them}:0:64:64:1" % operation for operation in range(16)]
    later = ["10:{us}:0:1:1:{us}:0:64:64:0", "10:{us}:0:1:1:{us}:0:64:64:2", "10:{us}:0:11:1:0:0:64:64:0", "10:{us}:0:11:1:0:0:64:64:2"]
    for name, records in (("messages", messages), ("collectives", rooted), ("later", later)):
        lines = [record.format(us=rank, them=1 - rank) for rank in (0, 1) for record in records]
        write("dim", name, head + "\n".join(lines) + "\n")
    write("dim", "alone", head + "10:1:0:11:2:1:0:64:64:1\n")


def dumpi():
    layouts = (HERE / "../crates/traces/trace/src/dumpi/layouts.txt").read_text().splitlines()
    functions = [line.split(" ", 1) for line in layouts if not line.startswith("#")]
    number = {name: at for at, (name, _) in enumerate(functions)}
    numbers = {"b": ">b", "h": ">h", "i": ">i", "l": ">q", "m": ">i", "o": ">i"}

    def call(name, *values):
        layout, values = functions[number[name]][1], list(values)
        record = struct.pack(">HB", number[name], 0b1011) + struct.pack(">HIHI", 0, 1000, 0, 3000)
        for letter in layout:
            value = values.pop(0) if values and letter not in "t?-" else 0
            if letter in numbers:
                record += struct.pack(numbers[letter], value)
            elif letter in "BHIJ":
                items = value or []
                record += struct.pack(">I", len(items))
                record += b"".join(struct.pack(numbers[letter.lower()] if letter != "J" else ">I", item) for item in items)
            elif letter in "SZt":
                record += struct.pack(">I", 0)
        return record

    def rank(us):
        them = 1 - us
        message = [10, 9, them, 7, 2]
        return b"".join([
            call("Init", 0), call("Isend", *message, 2), call("Irecv", *message, 3), call("Waitall", 2, [2, 3]),
            call("Isend", *message, 2), call("Irecv", *message, 3), call("Waitany", 2, [2, 3], 1), call("Waitsome", 1, [2], 1, [0]),
            call("Send_init", *message, 4), call("Recv_init", *message, 5), call("Startall", 2, [4, 5]), call("Wait", 4), call("Test", 5, 1),
            call("Sendrecv", 1, 9, them, 1, 1, 9, them, 1, 2), call("Sendrecv_replace", 1, 9, them, 1, them, 1, 2),
            call("Comm_dup", 2, 4), call("Comm_split", 2, 0, us, 5), call("Comm_group", 2, 3), call("Group_incl", 3, 1, [us], 4),
            call("Cart_create", 2, 2, [2, 1], [0, 0], 0, 6), call("Comm_free", 4), call("Type_contiguous", 3, 9, 30),
            call("Bcast", 10, 30, 0, 2), call("Barrier", 2), call("Allreduce", 10, 9, 3, 2), call("Reduce", 10, 9, 3, 0, 2),
            call("Gather", us, 1, 9, 0, 2, 1, 9), call("Scatter", us, 1, 9, 0, 2, 1, 9), call("Allgather", 1, 9, 1, 9, 2),
            call("Alltoall", 1, 9, 1, 9, 2), call("Scan", 1, 9, 3, 2), call("Finalize"),
        ])

    write("dumpi", "messages-and-more", SEPARATOR.join(rank(us) for us in (0, 1)))
    # Each function on its own, with nothing but zeros: in pieces, so that each is tried.
    known = [name for name, layout in functions if "!" not in layout]
    for part in range(0, len(known), 32):
        calls = b"".join(call(name, *[1] * 12) if not set(functions[number[name]][1]) & set("BHIJ") else call(name) for name in known[part:part + 32])
        write("dumpi", f"functions-{part // 32}", call("Init", 0) + calls + SEPARATOR + call("Init", 0))


def goal():
    whole = (HERE / "seeds/goal_binary/small").read_bytes()
    ranks = struct.unpack_from("<I", whole, 8)[0]
    bounds = [struct.unpack_from("<QQ", whole, 14 + 16 * rank) for rank in range(ranks)]
    write("goal_binary", "insides", SEPARATOR.join(whole[begin + 8:end + 8] for begin, end in bounds))
    write("goal_text", "words", "num_ranks 3\nrank 0 {\n}\nrank 1 { a: send 1b to 2 tag 9 nic 1\nb: calc 5 cpu 255\nb irequires a\nc: recv 2b from 2\nc requires b\n}\n"
          "rank 2 {\nr: recv 1b from 1 tag 9 cpu 3\ns: send 2b to 1 tag 0\ns requires r\n/* over\n lines */ calc 0 // end\n}\n")


def unpacked(data, size):
    """A block of LZ4."""
    out, at = bytearray(), 0

    def length(start):
        nonlocal at
        if start == 15:
            while data[at] == 255:
                start, at = start + 255, at + 1
            start, at = start + data[at], at + 1
        return start

    while at < len(data):
        token = data[at]
        at += 1
        literals = length(token >> 4)
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            break
        back = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-back])
    assert len(out) == size
    return bytes(out)


def own(path):
    data = pathlib.Path(path).read_bytes()
    ranks = struct.unpack_from("<I", data, 12)[0]
    offset, stored, raw = struct.unpack_from("<QII", data, len(data) - 28)
    footer = unpacked(data[offset:offset + stored], raw)
    # Sealed traces have version 1, whose footer does not say how computation was charged.
    footer = footer if data[8] == 1 else footer[:8] + footer[9:]
    blocks, at = [], 16
    while at < offset:
        rank, stored, raw, _ = struct.unpack_from("<IIII", data, at)
        blocks.append(bytes([rank]) + unpacked(data[at + 16:at + 16 + stored], raw))
        at += 16 + stored
    write("binary", pathlib.Path(path).stem + "-insides", SEPARATOR.join([bytes([ranks]) + footer[:front(footer)], *blocks]))


def accesses():
    """Regions, accesses to a window, and to a file, in mpirage's own format. An entry is its kind and its fields, each a byte or more."""
    init, finalize, make, free = b"\0", b"\1", b"\x09\0\0\3", b"\x0a\2"
    regions = [b"\x12\2\4halo", b"\x12\3\0"]
    window = [b"\x14\0\2\1\x64", b"\x14\1\2\0\x64", b"\x14\2\2\1\x08", b"\x14\3\2\1\x08", b"\x14\x0c\2\1\x08\1", b"\4\0\1\1", b"\x15\0\2", b"\x15\1\2\1",
              b"\x16\3\2\1", b"\x17\1\2\1", b"\x16\0\2", b"\x17\0\2", b"\x18\x64", b"\x13\2"]
    file = [b"\x19\x34\2\2/f\1\x40\2\x20", b"\x1a\0\2\x0a\x14\x0f\2", b"\x1a\7\2\0\x7f\x7f\1\1", b"\x1a\6\2\0\x1e\x14\2\2", b"\4\0\2\1\2", b"\x1b\2\1", b"\x1c\2", free,
            b"\x1d\2/f"]
    calls = [init, make, regions[0], *window, regions[1], *file, finalize]
    # Each entry has a place, which is not known.
    entries = b"".join(call[:1] + b"\0" + call[1:] for call in calls)
    write("binary", "accesses-insides", SEPARATOR.join([b"\2" + bytes(8) + b"\0\0\1\2\2\0\2", b"\0" + entries, b"\1" + entries]))


def front(footer):
    """Where the list of ranks is in a footer."""
    at = 8

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (footer[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if footer[at - 1] < 128:
                return value

    def skip():
        nonlocal at
        length = number()
        at += length

    for _ in range(number()):
        skip()
        number()
        skip()
    number()
    for _ in range(number()):
        number()
        for _ in range(number()):
            number()
    return at


def chakra():
    def varint(number):
        low, rest = number & 127, number >> 7
        return bytes([low | 128]) + varint(rest) if rest else bytes([low])

    def field(number, value):
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        value = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(value)) + value

    def node(id, kind, after=b"", micros=0, inputs="", **attributes):
        text = field(1, id) + field(2, "n") + field(3, kind) + field(5, after) + field(7, micros) + field(8, field(1, inputs))
        for name, value in attributes.items():
            text += field(10, field(1, name) + (field(28, value) if isinstance(value, bytes) else field(29 if isinstance(value, str) else 9, value)))
        return text

    def trace(*nodes):
        return b"".join(varint(len(text)) + text for text in (field(1, "0.0.4"), *nodes))

    def rank(us):
        groups = node(90, 1, inputs="""['[{"pg_name": "1", "ranks": [0, 1]}]']""")
        messages = [node(1, 5, comm_dst=1 - us, comm_size=9, comm_tag=3), node(2, 6, comm_src=1 - us, comm_size=9, comm_tag=3)]
        work = [node(3, 4, b"\x01\x02", 5), node(4, 4, b"\x03", num_ops=5000, tensor_size=80), node(5, 2, micros=2), node(6, 4, micros=1, is_cpu_op=1)]
        together = [node(10 + kind, 7, comm_type=kind, comm_size=64, pg_name="1" if kind % 2 else "") for kind in range(10)]
        return trace(groups, *messages, *work, *together, node(30, 7, comm_type=0, comm_size=8, involved_dim=b"\x0a\x01\x01"))

    write("chakra", "all", SEPARATOR.join(rank(us) for us in (0, 1)))
    write("chakra", "alone", trace(node(0, 4, micros=3), node(1, 0, b"\x00")))
    write("training", "all", "gen:training,layers=2,hidden=64,heads=4,vocabulary=9,sequence=4,dp=2,tp=2,pp=2,batch=4,zero=1,recompute=yes")
    write("training", "experts", "gen:training,model=mixtral-8x7b,layers=1,dp=4,ep=2,overlap=no,flops=1Tf,iterations=2")


if __name__ == "__main__":
    chakra()
    time_independent()
    dimemas()
    dumpi()
    goal()
    accesses()
    for name in sys.argv[1:]:
        own(name)
