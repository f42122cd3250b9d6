"""Replay from the command line: an error in a trace gives a message with file and line or byte, and exit code 83; other
errors have other codes; every listed model and format works; conversions keep the simulated time."""

import json
import struct
import zlib

from harness import MPIRAGE, find

RING = "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\n}\nrank 1 {\nb: recv 8b from 0 tag 0\n}\n"


def dim():
    """Two tasks, a message; the table of offsets at the end."""
    head = '#DIMEMAS:"d":1,{:012}:2(1,1),1\nd:1:1:2:0:1\n'
    tasks = ["1:0:0:0.000001000\n2:0:0:1:-1:1024:0:1:0\n", "1:1:0:0.000001000\n3:1:0:0:-1:1024:0:1:0\n"]
    first = len(head.format(0))
    second = first + len(tasks[0])
    table = second + len(tasks[1])
    return head.format(table) + "".join(tasks) + f"s:0:{first}\ns:1:{second}\n"


DIM = dim()


def number(value):
    """A number of mpirage's own format: seven bits a byte, the lowest first."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + number(rest) if rest else bytes([low])


def packed(data):
    """An LZ4 block without matches, and its stored bytes, raw bytes and checksum."""
    more = len(data) - 15
    lengths = bytes([len(data) << 4]) if more < 0 else b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255])
    block = lengths + data
    return block, struct.pack("<III", len(block), len(data), zlib.crc32(block))


def own(*ranks, version=5, communicators=(), threads=()):
    """A trace in mpirage's own format, from the entries of each rank, and then of further threads of these ranks. An entry is its kind and its fields as
    numbers, or as bytes."""
    size = len(ranks) - len(threads)
    file = b"MPIRAGE\n" + struct.pack("<II", version, size)
    index = b""
    for rank, entries in enumerate(ranks):
        data = b"".join(bytes([kind, 0]) + b"".join(field if isinstance(field, bytes) else number(field) for field in fields) for kind, *fields in entries)
        block, sizes = packed(data)
        offset = number(len(file))
        index += number(len(entries)) + number(len(offset)) + offset
        file += struct.pack("<I", rank) + sizes + block
    made = b"".join(number(context) + number(size) + number(0) + number(2) * (size - 1) for context in communicators)
    further = number(len(threads)) + b"".join(map(number, threads)) if version >= 5 else b""
    footer, sizes = packed(bytes(8) + number(1) + number(0) + number(0) + number(len(communicators)) + made + further + number(len(ranks)) + index)
    return (file + footer + struct.pack("<Q", len(file)) + sizes + b"EGARIPM\n").decode("latin-1")


INIT, FINALIZE, ACCESS, AWAIT, LOCK, UNLOCK = (0,), (1,), 20, 21, 22, 23
OPEN, FILE_ACCESS, METADATA = 25, 26, 27
HINTS = (2, b"/f", 0, 0, 0, 0)
# The window is a file.
FILE = (OPEN, 0, 2, *HINTS)
# A duplicate of the world, whose number was 2 in the traced run.
WINDOW = (9, 0, 0, 3)


def access(offset, size, span=None, flags=0):
    """An access to the file, by default a read of one rank."""
    return (FILE_ACCESS, flags, 2, offset, size if span is None else span, size, 1)


def window(*calls, other=(), **more):
    """Two ranks make a window; the first then makes these calls."""
    return own([INIT, WINDOW, *calls, FINALIZE], [INIT, WINDOW, *other, FINALIZE], communicators=[2], **more)


def wakes(thread):
    """A thread wakes another."""
    return (31, thread << 1)


def awaits(thread):
    """A thread goes on when another wakes it."""
    return (31, thread << 1 | 1)


def threads(first, second=(), of=0):
    """Two ranks; the first has a further thread, with number 2."""
    return own(first, [INIT, FINALIZE], [awaits(0), *second], threads=[of])


def ti(*lines):
    return "".join(f"{line}\n" for line in lines)


SECOND = 10**12
# Thread 1 is the second of rank 0.
TWO_SLEEPS = own([INIT, (11, SECOND), wakes(1), awaits(1), FINALIZE], [awaits(0), (11, SECOND), wakes(0)], threads=[0])
# The second thread waits for a message to itself, which the first sends and begins to receive a second later.
LATE_REQUEST = own([INIT, wakes(1), (11, SECOND), (2, 0, 0, 0, 0, 8), (3, 7, 0, 0, 0, 8, 1), FINALIZE], [awaits(0), (4, 0, 1, 1)], threads=[0])
# name, file, content, exit code, what is said
BAD = [
    ("an unknown action", "a.txt", ti("0 init", "1 init", "0 dance 1", "0 finalize", "1 finalize"), 83, r"a\.txt:3: .*dance"),
    ("a rank that does not exist", "a.txt", ti("0 init", "1 init", "0 send 7 0 100", "0 finalize", "1 finalize"), 83, r"a\.txt:3: .*7"),
    ("a field that is missing", "a.txt", ti("0 init", "1 init", "0 send", "0 finalize", "1 finalize"), 83, r"a\.txt:3: "),
    ("a number that is none", "a.txt", ti("0 init", "1 init", "0 compute many", "0 finalize", "1 finalize"), 83, r"a\.txt:3: .*many"),
    ("a trace that is cut short", "a.txt", ti("0 init", "1 init", "0 send 1 0 100", "1 recv 0 0 100"), 83, r"a\.txt:\d+: .*finalize"),
    ("a send without a receive", "a.txt", ti("0 init", "1 init", "0 send 1 0 100", "0 finalize", "1 finalize"), 83, r"from rank 0 to rank 1 .*MPI_Send at \S*a\.txt:3"),
    ("a receive without a send", "a.txt", ti("0 init", "1 init", "0 recv 1 0 100", "0 finalize", "1 finalize"), 83, r"rank 0 in MPI_Recv at \S*a\.txt:3 waits for a message from rank 1"),
    ("sends that wait for each other", "a.txt", ti("0 init", "1 init", "0 send 1 0 1e6", "1 send 0 0 1e6", "0 recv 1 0 1e6", "1 recv 0 0 1e6", "0 finalize", "1 finalize"), 80, r"cycle: rank 0 -> rank 1 -> rank 0"),
    ("collectives that differ", "a.txt", ti("0 init", "1 init", "0 barrier", "1 bcast 100 0", "0 finalize", "1 finalize"), 83, r"collective mismatch"),
    ("an empty file", "a.txt", "", 83, r"a\.txt"),
    ("a web page", "a.mpirage", "<!DOCTYPE html>\n<html></html>\n", 83, r"a\.mpirage: .*looks like a web page.*`mpirage info traces`"),
    ("JSON", "a.mpirage", '{"a": 1}\n', 83, r"a\.mpirage: .*looks like a web page, XML or JSON"),
    ("bytes without a meaning", "a.mpirage", "\x00\xff\x80\x07" * 800, 83, r"a\.mpirage: .*it is not text; `mpirage info traces`"),
    ("a cycle in a schedule", "a.goal", RING.replace("a: send 8b to 1 tag 0\n", "a: send 8b to 1 tag 0\nc: calc 5\na requires c\nc requires a\n"), 83, r"a\.goal:\d+: .*cycle|a\.goal:\d+: .*itself"),
    ("an unknown label", "a.goal", RING.replace("}\nrank 1", "a requires z\n}\nrank 1"), 83, r"a\.goal:4: .*z"),
    ("a schedule that is cut short", "a.goal", RING[:50], 83, r"a\.goal:\d+: "),
    ("a peer beyond the last rank", "a.goal", RING.replace("to 1", "to 5"), 83, r"a\.goal:3: .*5"),
    ("an unknown record", "a.dim", DIM.replace("2:0:0:1:", "9:0:0:1:"), 83, r"a\.dim.*9"),
    ("a task that does not exist", "a.dim", DIM.replace("2:0:0:1:-1", "2:0:0:4:-1"), 83, r"a\.dim.*4"),
    ("half a Dimemas trace", "a.dim", DIM[:70], 83, r"a\.dim"),
    ("an access to a rank that does not exist", "a.mpirage", window((ACCESS, 0, 2, 9, 100)), 83, r"rank 9 does not exist in communicator 2"),
    ("an access to a window that was never made", "a.mpirage", window((ACCESS, 0, 5, 1, 100)), 83, r"a\.mpirage: at byte \d+: .*rank 0: a communicator that this rank has not made"),
    ("an access of more bytes than there can be", "a.mpirage", window((ACCESS, 1, 2, 1, 1 << 51)), 83, r"2251799813685248 bytes is larger"),
    ("an access with a request that is in use", "a.mpirage", window((ACCESS, 8, 2, 1, 100, 1), (ACCESS, 8, 2, 1, 100, 1)), 83, r"request 1, which it may not use"),
    ("an access of an unknown kind", "a.mpirage", window((ACCESS, 7, 2, 1, 100)), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("an access that is cut short", "a.mpirage", own([INIT, WINDOW, (ACCESS, 0, 2)], [INIT, WINDOW, FINALIZE], communicators=[2]), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("a lock of a rank that does not exist", "a.mpirage", window((LOCK, 3, 2, 9)), 83, r"rank 9 does not exist in communicator 2"),
    ("a lock that is never given up", "a.mpirage", window((LOCK, 3, 2, 1), (LOCK, 3, 2, 1)), 80, r"lock"),
    ("a file that is not open", "a.mpirage", window(access(0, 4)), 83, r"it uses a file that is not open"),
    ("a file that is a window", "a.mpirage", window((METADATA, 2, 1)), 83, r"it uses a file that is not open"),
    ("a file of a communicator that was never made", "a.mpirage", window((OPEN, 0, 5, *HINTS)), 83, r"a\.mpirage: at byte \d+: .*rank 0: a communicator that this rank has not made"),
    ("bytes of a file that lie nowhere", "a.mpirage", window(FILE, access(0, 4, span=0), other=[FILE]), 83, r"it accesses 4 bytes of a file within 0 bytes from byte 0"),
    ("bytes beyond the end of all files", "a.mpirage", window(FILE, access(2**64 - 2, 4), other=[FILE]), 83, r"within 4 bytes from byte 18446744073709551614"),
    ("a path that is cut short", "a.mpirage", window((OPEN, 0, 2, 200, b"/f")), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("a hint with an unknown code", "a.mpirage", window((OPEN, 3, 2, 2, b"/f", 0, 0, 0, 0)), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("a collective access that one rank does not make", "a.mpirage", window(FILE, access(0, 4, flags=2), other=[FILE]), 83, r"rank 0 .*rank 1"),
    ("a read that meets a write", "a.mpirage", window(FILE, access(0, 4, flags=2), other=[FILE, access(0, 4, flags=3)]), 83, r"some read, others write"),
    ("a name of a region that is no text", "a.mpirage", window((18, 2, 2, b"\xff\xfe")), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("an element that the bytes are no multiple of", "a.ti", ti("0 init", "0 allreduce 48 0 6 element=7", "0 finalize"), 83, r"a\.ti:2: the size of an element is not `7`"),
    ("an element of no bytes", "a.ti", ti("0 init", "0 reducescatter 8 0 6 element=0", "0 finalize"), 83, r"a\.ti:2: the size of an element is not `0`"),
    ("a wake of a thread of another rank", "a.mpirage", threads([INIT, wakes(1), FINALIZE]), 83, r"a\.mpirage: at byte \d+: .*rank 0: a thread that its rank does not have"),
    ("a wake of a thread that does not exist", "a.mpirage", threads([INIT, wakes(9), FINALIZE]), 83, r"rank 0: a thread that its rank does not have"),
    ("a thread that waits for itself", "a.mpirage", threads([INIT, awaits(0), FINALIZE]), 83, r"rank 0: a thread that its rank does not have"),
    ("a thread of a rank that does not exist", "a.mpirage", threads([INIT, FINALIZE], of=2), 83, r"a\.mpirage: a thread belongs to a rank that does not exist"),
    ("a thread that is never woken", "a.mpirage", threads([INIT, awaits(2), FINALIZE]), 83, r"threads of a rank wait until another wakes them"),
    ("threads in a version without them", "a.mpirage", own([INIT, wakes(0), FINALIZE], version=4), 83, r"a\.mpirage: at byte \d+: .*this is no entry"),
    ("a request that no thread opens", "a.mpirage", threads([INIT, wakes(2), (4, 0, 1, 1), FINALIZE]), 83, r"rank 0: a wait for what was never started"),
    ("a version of the future", "a.mpirage", window(version=6), 83, r"a\.mpirage: at byte 8: has version 6 of the format, but this mpirage reads versions 1 to 5"),
    ("our own, but not whole", "a.mpirage", "MPIRAGE\n\1\0\0\0", 83, r"a\.mpirage"),
    ("compiled, but not whole", "a.bin", "\x7f\x10\0\0\0\0\0\0\2\0\0\0", 83, r"a\.bin"),
]


def test_bad(suite):
    for name, file, content, code, said in BAD:
        path = suite.folder / file
        path.write_bytes(content.encode("latin-1"))
        result = suite.run([MPIRAGE, "replay", "-q", path])
        suite.check(f"{name}: exit code {code} and the place", result.code == code and find(said, result.err), result)
        suite.check(f"{name}: no panic", "panicked" not in result.err, result)
        path.unlink()


def test_usage(suite):
    cfg = suite.folder / "m.cfg"
    cfg.write_text('"environment information" {"m", 0, "", 2, 100.0, 0, 1};;\n')
    for name, words, code, said in (
        ("no such file", ["replay", "nowhere.trace"], 83, "nowhere.trace"),
        ("no such pattern", ["replay", "gen:waltz"], 83, "halo2d"),
        ("no such parameter", ["replay", "gen:ring,colour=red"], 83, "colour"),
        ("a configuration and a platform", ["replay", "--model", cfg, "-p", "cluster:2", "gen:ring,ranks=2"], 84, "leave out -p"),
        ("a configuration that is not whole", ["replay", "--model", cfg, "gen:ring,ranks=2"], 82, "m.cfg"),
        ("dates from a trace", ["trace", "convert", "gen:ring,ranks=2", "x.prv"], 84, "mpirage replay gen:ring,ranks=2 --trace x.prv"),
        ("an ideal run without a report", ["replay", "gen:ring,ranks=2", "--report-ideal", "run"], 84, "--report"),
        ("messages of collectives for no file", ["replay", "gen:ring,ranks=2", "--trace-collectives", "yes"], 84, "--trace"),
        ("an unknown ending", ["replay", "gen:ring,ranks=2", "--trace", "x.xyz"], 84, "xyz"),
    ):
        result = suite.run([MPIRAGE, *words], cwd=suite.folder)
        suite.check(name, result.code == code and said in result.err, result)


def test_models(suite):
    """Every model runs every kind of workload."""
    listed = suite.run([MPIRAGE, "info", "models"]).out
    for model in ("flow", "simgrid", "bus", "loggops", "smp"):
        suite.check(f"{model} is listed", find(rf"^{model} ", listed), listed)
        for workload in ("gen:halo2d,ranks=16,iterations=2", "gen:allreduce,ranks=16,iterations=2", "gen:sweep3d,ranks=16,iterations=1,compute=10us"):
            result = suite.run([MPIRAGE, "replay", "-q", "--json", "--model", model, workload])
            seconds = json.loads(result.out)["simulated_seconds"] if result.code == 0 else 0
            suite.check(f"{workload} under {model}", seconds > 0, result)


def test_written_by_hand(suite):
    """Traces that are written as docs/reference/traces.md says: accesses take time, threads wake each other, and versions 3 and 4 are read too."""
    seconds = {}
    for name, content in (("none", window()), ("old", window(version=3)), ("single", window(version=4)), ("alone", own([INIT, (11, SECOND), FINALIZE])), ("woken", TWO_SLEEPS), ("late", LATE_REQUEST), ("unlock", window((UNLOCK, 1, 2, 1))), ("empty", window((ACCESS, 0, 2, 1, 0), (AWAIT, 1, 2, 1))),
                          ("put", window((ACCESS, 0, 2, 1, 1_000_000), (AWAIT, 0, 2))), ("huge", window((ACCESS, 3, 2, 1, 1 << 42), (AWAIT, 0, 2))),
                          ("read", window(FILE, access(0, 3_000_000), other=[FILE])), ("striped", window((OPEN, 0, 2, 2, b"/f", 0, 1, 2**32 - 1, 2**64 - 1), access(2**63, 3_000_000), other=[FILE])),
                          ("locked", window((LOCK, 3, 2, 1), (ACCESS, 8, 2, 1, 1_000_000, 1), (4, 0, 1, 1), (UNLOCK, 1, 2, 1)))):
        path = suite.folder / f"{name}.mpirage"
        path.write_bytes(content.encode("latin-1"))
        done = suite.run([MPIRAGE, "replay", "-q", "--json", path])
        suite.check(f"{name} by hand", done.code == 0, done)
        seconds[name] = json.loads(done.out)["simulated_seconds"] if done.code == 0 else 0
    ordered = seconds["none"] == seconds["old"] == seconds["single"] < seconds["empty"] < seconds["put"] < seconds["locked"] < seconds["huge"]
    suite.check("accesses take time", ordered, seconds)
    # The second sleeps for as long when the first has slept, and the first waits for it.
    suite.check("threads that wake each other", seconds["woken"] == seconds["alone"] + 1 and seconds["alone"] >= 1, seconds)
    suite.check("a thread waits for the request that another opens later", seconds["late"] >= 1, seconds)
    suite.check("three megabytes take a millisecond from a disk of 3 GB/s", 0.001 < seconds["read"] - seconds["none"] < 0.0012, seconds)
    suite.check("a megabyte takes 40 microseconds at 25 GB/s", 40e-6 < seconds["put"] < 55e-6, seconds)


def test_conversions(suite):
    """A trace says the same in every format that can say it."""
    first = "gen:halo2d,ranks=9,iterations=3,compute=20us"
    seconds = lambda trace: json.loads(suite.run([MPIRAGE, "replay", "-q", "--json", trace], cwd=suite.folder).out)["simulated_seconds"]
    expected, before = seconds(first), first
    for target in ("a.mpirage", "a.txt", "folder/", "a.ti", "b.mpirage"):
        # A pattern does not say on what machine its computation takes so long: on the one it is replayed on.
        made = suite.run([MPIRAGE, "trace", "convert", "--host-speed", "10Gf", before, target], cwd=suite.folder)
        suite.check(f"{before} becomes {target}", made.code == 0, made)
        suite.check(f"{target} takes as long", abs(seconds(target) / expected - 1) < 1e-9, (seconds(target), expected))
        before = target
    info = json.loads(suite.run([MPIRAGE, "trace", "info", "--json", "b.mpirage"], cwd=suite.folder).out)
    suite.check("what is in it", (info["ranks"], info["messages"], info["message_bytes"]) == (9, 108, 108 * 1024), info)
    suite.check("who talks to whom", sum(map(sum, info["matrix_messages"])) == 108 and info["matrix_messages"][0][1] == 3, info)
    goal = suite.folder / "r.goal"
    goal.write_text(RING)
    for target in ("r.bin", "s.goal", "s.bin"):
        made = suite.run([MPIRAGE, "trace", "convert", goal, target], cwd=suite.folder)
        goal = suite.folder / target
        suite.check(f"a schedule becomes {target}", made.code == 0, made)
    suite.check("compiled twice, the same", (suite.folder / "r.bin").read_bytes() == (suite.folder / "s.bin").read_bytes())
