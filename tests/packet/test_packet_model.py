"""`--model packet` from the command line.

Times against the formula, seeds, profiles, SCTP, captures, losses, bad input; programs folded and as processes, traces, reports and timelines;
and the table of parameters in docs/packet.md, which the option --record writes. Captures are read by tshark, if it is there."""

import csv
import json
import math
import re
import struct
import subprocess

from harness import MPIRAGE, ROOT
from runs import COMMUNICATION, HEAD, LATENCY, PUNCTUAL, QUIET, RATE, bulk_transfer, example, ping_pong, platform, replay, run, same

PAGE = ROOT / "docs" / "packet.md"


# Times.


def one_way(size, header=24, software=22e-6, cut_through=False):
    """The formula of docs/packet.md, for two links of the same rate."""
    stream = size + header
    frame = 34 if cut_through else min(stream, 1448) + 66
    return software + LATENCY + (frame + stream + 66 * math.ceil(stream / 1448)) / RATE


def test_formula(suite):
    quiet = platform(suite, "quiet", QUIET)
    for size in (1, 64, 1000, 1424, 1425, 5000, 14000):
        found = replay(suite, ping_pong(suite, size), "-p", quiet).get("simulated_seconds", 0) / 2
        suite.check(f"formula: {size} bytes", abs(found - one_way(size)) < 1e-9, (found, one_way(size)))
    through = platform(suite, "cut-through", 'forwarding = "cut-through"\n' + QUIET)
    found = replay(suite, ping_pong(suite, 1000), "-p", through).get("simulated_seconds", 0) / 2
    suite.check("formula: cut-through", abs(found - one_way(1000, cut_through=True)) < 1e-9, (found, one_way(1000, cut_through=True)))
    keys = 'message-header = 100\nsoftware = "3us"\n' + QUIET
    found = replay(suite, ping_pong(suite, 1000), "-p", platform(suite, "other", keys)).get("simulated_seconds", 0) / 2
    suite.check("formula: other parameters", abs(found - one_way(1000, 100, 3e-6)) < 1e-9, found)


def test_bulk(suite):
    """A long message fills the link: 1448 of 1514 bytes are payload."""
    quiet, size = platform(suite, "bulk", QUIET), 20_000_000
    found = replay(suite, bulk_transfer(suite, size), "-p", quiet)
    least = size / RATE * 1514 / 1448
    seconds = found.get("simulated_seconds", 0)
    suite.check("bulk: at the rate of the link", least < seconds < 1.01 * least, (seconds, least))
    counts = found.get("network", {})
    suite.check("bulk: nothing is repeated", (counts.get("retransmissions"), counts.get("dropped"), counts.get("lost")) == (0, 0, 0), counts)
    suite.check("bulk: one connection", counts.get("connections") == 1, counts)
    data = 2 * math.ceil(size / 1448)
    suite.check("bulk: an acknowledgement for two frames", 1.4 * data < counts.get("frames", 0) < 1.6 * data, counts)


def test_seeds(suite):
    """The same seed gives the same run; another one another run."""
    words = ("-p", platform(suite, "seeds", "frame-loss = 0.01"))
    workload = "gen:alltoall,ranks=4,bytes=64KiB,iterations=4"
    first, again, other = (replay(suite, workload, *words, "--seed", seed) for seed in (7, 7, 8))
    suite.check("seeds: the same twice", first and same(first) == same(again), (same(first), same(again)))
    suite.check("seeds: another seed, another run", same(first) != same(other), same(first))
    default, zero = replay(suite, workload, *words), replay(suite, workload, *words, "--seed", 0)
    suite.check("seeds: 0 is the default", same(default) == same(zero), default)
    quiet = ("-p", platform(suite, "no-noise", QUIET))
    first, other = (replay(suite, workload, *quiet, "--seed", seed) for seed in (1, 2))
    suite.check("seeds: without noise and losses they do not matter", first and same(first) == same(other), (first, other))
    noisy = {replay(suite, workload, "-p", platform(suite, "noise"), "--seed", seed).get("simulated_seconds") for seed in range(5)}
    suite.check("seeds: noise alone changes times", len(noisy) > 1, noisy)


# Libraries.


def test_profiles(suite):
    """A profile changes the protocol and the collectives."""
    done = suite.run([MPIRAGE, "info", "profiles"])
    names = [line.split()[0] for line in done.out.splitlines()]
    suite.check("profiles: the list", {"openmpi-tcp", "mpich-tcp", "mpich-sctp"} <= set(names), done.out)
    quiet, size = platform(suite, "profiles", QUIET), 40_000
    ping = ping_pong(suite, size)
    punctual = platform(suite, "punctual", PUNCTUAL)
    found = {name: replay(suite, ping, "-p", quiet if name.split("-")[-1] in ("tcp", "sctp") else punctual, "--mpi-profile", name) for name in names}
    seconds = {name: result.get("simulated_seconds") for name, result in found.items()}
    suite.check("profiles: each has its own time", len(set(seconds.values())) == len(names), seconds)
    # The handshake of UCX before and after 40,000 bytes: two round trips more in each direction, but less software.
    extra = seconds["mpich-tcp"] - seconds["openmpi-tcp"]
    suite.check("profiles: a rendezvous from 32 KiB on with MPICH only", extra > 4 * LATENCY, extra)
    assumed = replay(suite, ping, "-p", quiet)
    suite.check("profiles: openmpi-tcp is assumed on slow cables", "openmpi-tcp" in assumed.pop("mpi_library") and same(assumed).items() <= same(found["openmpi-tcp"]).items(), assumed)
    workload = "gen:allreduce,ranks=4,bytes=2KiB,iterations=1"
    messages = {coll: replay(suite, workload, "-p", quiet, "--mpi-profile", "mpich-tcp", *coll).get("simulated_seconds")
                for coll in ((), ("--coll", "mpich-4.0"), ("--coll", "openmpi-4.1"))}
    suite.check("profiles: the collectives of the library", messages[()] == messages[("--coll", "mpich-4.0")], messages)
    suite.check("profiles: --coll goes before", messages[()] != messages[("--coll", "openmpi-4.1")], messages)


def test_sctp(suite):
    """SCTP carries programs; its streams do not wait for each other."""
    program = example(suite, "pingpong.c")
    clean = run(suite, program, 2, "-p", platform(suite, "sctp"), "--mpi-profile", "mpich-sctp")
    suite.check("sctp: a clean run", clean.get("network", {}).get("retransmissions") == 0, clean.get("network"))
    lossy = platform(suite, "sctp-lossy", 'transport = "sctp"\nframe-loss = 0.02')
    counts = run(suite, program, 2, "-p", lossy).get("network", {})
    suite.check("sctp: what is lost is repeated", counts.get("lost", 0) > 0 and counts.get("retransmissions", 0) > 0, counts)
    in_order = {streams: [tags_in_order(suite, streams, seed) for seed in range(4)] for streams in (1, 10)}
    suite.check("sctp: messages of one stream arrive in order", all(in_order[1]), in_order)
    suite.check("sctp: a loss does not delay other streams", not any(in_order[10]), in_order)


def tags_in_order(suite, streams, seed):
    """Do messages of several tags, each with a rendezvous, arrive in the order of their sends although frames are lost?"""
    keys = f'transport = "sctp"\nstreams = {streams}\nframe-loss = 0.02\n{QUIET}'
    tables = suite.folder / f"streams-{streams}-{seed}.csv"
    replay(suite, tagged(suite), "-p", platform(suite, f"streams-{streams}", keys), "--seed", seed, "--trace", tables)
    rows = [row for row in csv.DictReader(open(tables / "messages.csv")) if row["source"] == "0"]
    arrived = [float(row["arrived"]) for row in sorted(rows, key=lambda row: int(row["tag"]))]
    return len(arrived) == 10 and arrived == sorted(arrived)


def tagged(suite):
    """Messages of several tags, each answered."""
    path, tags = suite.folder / "tagged.goal", range(10)
    sides = ("send", "1", "recv"), ("recv", "0", "send")
    text = "num_ranks 2\n"
    for rank, (first, peer, second) in enumerate(sides):
        to, back = ("to", "from") if first == "send" else ("from", "to")
        lines = [f"a{tag}: {first} 100000b {to} {peer} tag {tag}\nb{tag}: {second} 100000b {back} {peer} tag {tag}\nb{tag} requires a{tag}" for tag in tags]
        text += f"rank {rank} {{\n" + "\n".join(lines) + "\n}\n"
    path.write_text(text)
    return path


# Losses.


def test_losses(suite):
    """Programs survive losses and full queues, and take longer."""
    program = example(suite, "heat1d.c")
    clean = run(suite, program, 4, "-p", platform(suite, "clean"))
    for name, keys, counter in (("lossy", "frame-loss = 0.02", "lost"), ("bits", "bit-errors = 1e-5", "lost")):
        found = run(suite, program, 4, "-p", platform(suite, name, keys))
        counts = found.get("network", {})
        suite.check(f"losses: {name}: frames are missing and repeated", counts.get(counter, 0) > 0 and counts.get("retransmissions", 0) > 0, counts)
        suite.check(f"losses: {name}: slower", found.get("simulated_seconds", 0) > clean.get("simulated_seconds", 1), found)
    incast = "gen:incast,ranks=4,bytes=1MiB,iterations=1"
    for name, keys in (("bytes", "queue = 30000"), ("frames", "queue = { frames = 20 }")):
        counts = replay(suite, incast, "-p", platform(suite, f"queue-{name}", keys)).get("network", {})
        suite.check(f"losses: a queue in {name} overflows", counts.get("dropped", 0) > 0 and counts.get("lost") == 0, counts)
    marks = replay(suite, incast, "-p", platform(suite, "ecn", "ecn = true\nmark-above = 30000")).get("network", {})
    suite.check("losses: a switch marks instead", marks.get("marked", 0) > 0 and marks.get("dropped") == 0, marks)
    early = 'red = { low = "30KB", high = "200KB", probability = 0.1 }'
    dropped = replay(suite, incast, "-p", platform(suite, "red", early)).get("network", {})
    suite.check("losses: random early detection drops", dropped.get("dropped", 0) > 0, dropped)


def test_unreachable(suite):
    """Without a network the run ends with a diagnosis; captures are there."""
    program, capture = example(suite, "pingpong.c"), suite.folder / "cut.pcapng"
    for name in ("openmpi-tcp", "mpich-sctp"):
        cut = platform(suite, f"cut-{name}", "frame-loss = 1.0")
        done = suite.simulate(*COMMUNICATION, "-n", 2, "-p", cut, "--mpi-profile", name, "--pcap", f"host-0={capture}", "--json", program)
        found = json.loads(done.out.splitlines()[-1]) if done.out else {}
        suite.check(f"unreachable: {name}: exit code", done.code == 85, done)
        suite.check(f"unreachable: {name}: both ranks are named", re.search("between rank 0 and rank 1 at .*pingpong.c:", done.err), done.err)
        suite.check(f"unreachable: {name}: outcome", found.get("outcome") == "unreachable" and "rank 1" in found["explanation"], found)
        suite.check(f"unreachable: {name}: nothing left", not done.left, done.left)
        suite.check(f"unreachable: {name}: capture", capture.exists() and frames(capture) == found["network"]["frames"] > 3, found)
        capture.unlink(missing_ok=True)
    done = suite.run([MPIRAGE, "replay", "-q", "--model", "packet", "-p", suite.folder / "cut-openmpi-tcp.toml", "gen:ring,ranks=4,bytes=8"])
    suite.check("unreachable: a replay", done.code == 85 and "lost the connection between rank" in done.err, done)


# Captures.


def frames(path):
    """The number of packets in a pcapng file, block by block; the last one must be complete."""
    data, at, packets = path.read_bytes(), 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        closing = struct.unpack_from("<I", data, at + length - 4)[0]
        if closing != length:
            raise ValueError(f"{path}: a block of {length} bytes ends with {closing}")
        packets += kind == 6
        at += length
    return packets


PLACES = ("host-0", "small_link_0", "small_link_0_UP", "small_link_0_DOWN", "switch-1-0", "switch-1-0:0")


def half(number, total):
    """Each frame crosses two links; the last acknowledgements are on their way when the program ends."""
    return 0 < number and abs(2 * number - total) <= 2


def test_captures(suite):
    """Each place, with frames that are counted and parsed; both transports."""
    workload, machine = "gen:pingpong,ranks=2,bytes=100000,iterations=2", ("-p", platform(suite, "captures", QUIET))
    for name in ("openmpi-tcp", "mpich-sctp"):
        files = {place: suite.folder / f"{name}-{place.replace(':', '-')}.pcapng" for place in PLACES}
        options = [word for place, path in files.items() for word in ("--pcap", f"{place}={path}")]
        found = replay(suite, workload, *machine, "--mpi-profile", name, *options)
        total = found.get("network", {}).get("frames", 0)
        numbers = {place: frames(path) for place, path in files.items()}
        suite.check(f"captures: {name}: the switch", numbers["switch-1-0"] == total, (numbers, total))
        suite.check(f"captures: {name}: the host", half(numbers["host-0"], total), (numbers, total))
        suite.check(f"captures: {name}: its link and its port", numbers["small_link_0"] == numbers["host-0"] == numbers["switch-1-0:0"], numbers)
        suite.check(f"captures: {name}: directions", numbers["small_link_0_UP"] + numbers["small_link_0_DOWN"] == numbers["host-0"], numbers)
        for place, path in files.items():
            parsed(suite, f"captures: {name}: {place}", path, numbers[place], "sctp" if "sctp" in name else "tcp")
    plain = replay(suite, workload, *machine, "--mpi-profile", "mpich-sctp")
    suite.check("captures: they change nothing", same(plain) == same(found), (plain, found))
    short = suite.folder / "short.pcapng"
    replay(suite, workload, *machine, "--pcap", f"host-0={short}", "--pcap-snap", "60")
    long = files["host-0"].with_name("openmpi-tcp-host-0.pcapng")
    suite.check("captures: --pcap-snap", frames(short) == frames(long) and short.stat().st_size < long.stat().st_size, short.stat())


def parsed(suite, what, path, number, protocol):
    """The same file as tshark sees it."""
    if not suite.has("tshark", what):
        return
    words = ["tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch", "-e", "_ws.malformed", "-e", "frame.protocols"]
    done = suite.run(words, timeout=120, env={"LC_ALL": "C"})
    rows = [line.split("\t") for line in done.out.splitlines()]
    suite.check(f"{what}: tshark reads all", done.code == 0 and len(rows) == number, (len(rows), number, done.err))
    suite.check(f"{what}: nothing is malformed", not any(malformed for _, malformed, _ in rows))
    suite.check(f"{what}: the protocol", all(f":ip:{protocol}" in protocols for _, _, protocols in rows), rows[:2])
    stamps = [float(stamp) for stamp, _, _ in rows]
    suite.check(f"{what}: in order", stamps == sorted(stamps))


# Bad input.

BAD_KEYS = {
    "mtu = 0": "`mtu`: 0 is not a whole number from 576 to 65535",
    "mtu = 1500.5": "`mtu`",
    "queue = 0": "`queue`: a queue of 0 bytes lets nothing pass",
    "queue = { frames = 0 }": "`queue`: 0 is not a whole number from 1",
    "queue = { packets = 5 }": "packets",
    "quue = 5": "`quue`: there is no such parameter; there are transport, mtu,",
    "frame-loss = 1.5": "`frame-loss`: 1.5 is no probability: it is more than 1",
    "frame-loss = -0.1": "`frame-loss`: -0.1 is no probability; write a number from 0 to 1",
    "bit-errors = nan": "`bit-errors`",
    "late-share = 2": "`late-share`: 2 is no probability",
    'frame-loss = "often"': "`frame-loss`",
    "red = { low = 9, high = 3, probability = 0.1 }": "`red`: `low` is not below `high`",
    "red = { low = 1, high = 3 }": "`red`: early detection needs `probability`",
    'transport = "udp"': '`transport`: "udp" is none of tcp, sctp',
    'congestion = "bbr"': '`congestion`: "bbr" is neither "cubic" nor "reno"',
    'forwarding = "fast"': "`forwarding`",
    "retries = 0": "`retries`: 0 is not a whole number from 1 to 255",
    "send-buffer = 0": "`send-buffer`: 0 bytes let nothing pass",
    'software = "-1us"': "`software`",
    "ecn = 1": "`ecn`",
    'transport = "sctp"\nstreams = 0': "`streams`: 0 is not a whole number from 1 to 65535",
    "socket-frames = 0": "`socket-frames`: 0 is not a whole number from 1",
}


def test_bad_keys(suite):
    """A mistake in the table: exit code 82, with file and line."""
    for number, (keys, message) in enumerate(BAD_KEYS.items()):
        path = platform(suite, f"bad-{number}", keys)
        line = len(HEAD.splitlines()) + 1 + len(keys.splitlines())
        for words in (["replay", "-q", "--model", "packet", "-p", path, "gen:ring,ranks=2"], ["platform", "check", path]):
            done = suite.run([MPIRAGE, *words])
            suite.check(f"bad keys: {keys}: exit code of {words[0]}", done.code == 82, done)
            suite.check(f"bad keys: {keys}: message of {words[0]}", message in done.err and f"{path}:{line}" in done.err, done.err)
        ignored = suite.run([MPIRAGE, "replay", "-q", "-p", path, "gen:ring,ranks=2"])
        suite.check(f"bad keys: {keys}: flow does not read it", ignored.code == 0, ignored.err)


def test_bad_options(suite):
    """A mistake in the command line: exit code 84, before the program starts."""
    program, small = example(suite, "pingpong.c"), platform(suite, "small")
    flow, packet = ("-q", "--compute", "none"), COMMUNICATION
    file = suite.folder / "bad.pcapng"
    cases = [
        (packet, ("--mpi-profile", "openmpi"), "there is no profile `openmpi`; there are openmpi-tcp, mpich-tcp, mpich-sctp"),
        (packet, ("--mpi-profile", "openmpi-tpc"), "did you mean openmpi-tcp?"),
        ((*flow, "--model", "bus"), ("--mpi-profile", "mpich-tcp"), "profiles belong to --model packet and --model flow; model `bus` has none\n"),
        (flow, ("--pcap", f"host-0={file}"), "--pcap needs --model packet: model flow has no frames"),
        (packet, ("--pcap", f"small_link_9={file}"), "there is no host, link or switch `small_link_9`; did you mean"),
        (packet, ("--pcap", f"switch-0-0={file}"), "did you mean `switch-1-0`?"),
        (packet, ("--pcap", f"switch-1-0:4={file}"), "`switch-1-0` has no port 4; its ports are 0 to 3"),
        (packet, ("--pcap", f"host-0:1={file}"), "`host-0` is not a switch"),
        (packet, ("--pcap", "host-0"), "names no file"),
        (packet, ("--pcap", f"={file}"), "names no"),
        (packet, ("--pcap", f"host-0={suite.folder}/none/a.pcapng"), "there is no folder"),
        (packet, ("--pcap", f"host-0={file}", "--pcap", f"host-1={file}"), "would replace --pcap"),
        (packet, ("--pcap", f"host-0={small}"), "would replace the platform"),
        (packet, ("--pcap", f"host-0={file}", "--pcap-snap", "0"), "0 is not in 1..=262144"),
        (packet, ("--seed", "-1"), "invalid value '-1' for '--seed <NUMBER>'"),
        (packet, ("--seed", "1.5"), "invalid value '1.5' for '--seed <NUMBER>'"),
    ]
    for model, options, message in cases:
        done = suite.simulate(*model, "-n", 2, "-p", small, *options, program)
        what = f"bad options: {' '.join(options[:2])}"
        suite.check(f"{what}: exit code", done.code == 84, done)
        suite.check(f"{what}: message", message in done.err, done.err)
        suite.check(f"{what}: the program does not start", done.out == "", done.out)
    suite.check("bad options: no capture is left", not file.exists())


def test_full_disk(suite):
    """A capture that does not fit: 84 at the end, by name; the run and other outputs are whole."""
    program, other = example(suite, "pingpong.c"), suite.folder / "other.pcapng"
    words = ("-n", 2, "-p", platform(suite, "full"), "--pcap", "host-0=/dev/full", "--pcap", f"host-1={other}", "--json")
    done = suite.simulate(*COMMUNICATION, *words, program)
    suite.check("full disk: exit code", done.code == 84, done)
    suite.check("full disk: message", "cannot write a capture: /dev/full: No space left on device" in done.err, done.err)
    suite.check("full disk: the program has run", "1048576 bytes, 4 rounds" in done.out, done.out)
    found = json.loads(done.out.splitlines()[-1])
    suite.check("full disk: the other capture is whole", other.exists() and half(frames(other), found["network"]["frames"]), found["network"])


# The rest of mpirage.

PROGRAMS = {"heat1d.c": 4, "ring.c": 3, "sample_sort.c": 4, "conjugate_gradient.c": 4, "master_worker.c": 4, "transpose.c": 4}


def test_programs(suite):
    """Folded, as processes, and replayed from a trace: the same times."""
    path = platform(suite, "programs")
    for name, ranks in PROGRAMS.items():
        program, trace = example(suite, name), suite.folder / f"{name}.mpirage"
        folded, processes = (run(suite, program, ranks, "-p", path, "--ranks-as", how) for how in ("folded", "processes"))
        suite.check(f"programs: {name}: folded as processes", folded and same(folded) == same(processes), (same(folded), same(processes)))
        traced = run(suite, program, ranks, "-p", path, "--trace", trace)
        suite.check(f"programs: {name}: a trace changes nothing", same(traced) == same(folded), same(traced))
        again = replay(suite, trace, "-p", path)
        for key in ("simulated_seconds", "per_rank_seconds", "network"):
            suite.check(f"programs: {name}: replay, {key}", again.get(key) == folded.get(key), (again.get(key), folded.get(key)))


def test_outputs(suite):
    """Reports and timelines."""
    program, path = example(suite, "heat1d.c"), platform(suite, "outputs")
    page, tables, paraver = (suite.folder / name for name in ("page.html", "run.csv", "run.prv"))
    found = run(suite, program, 4, "-p", path, "--report", page, "--trace", tables, "--trace", paraver)
    plain = run(suite, program, 4, "-p", path)
    suite.check("outputs: they change nothing", found and same(found) == same(plain), (same(found), same(plain)))
    suite.check("outputs: a report", page.exists() and "<html" in page.read_text()[:2000].lower())
    text = paraver.read_text().splitlines() if paraver.exists() else ["", ""]
    suite.check("outputs: Paraver", text[0].startswith("#Paraver") and len(text) > 1000, text[0])
    messages = list(csv.DictReader(open(tables / "messages.csv"))) if tables.is_dir() else []
    suite.check("outputs: a row for each message", len(messages) == found.get("messages"), (len(messages), found.get("messages")))


# The table of parameters.

MARKS = ("<!-- keys -->\n", "<!-- /keys -->\n")


# Cables of which TCP is assumed.
SLOW = "cluster:2,bandwidth=1Gbps,latency=50us"
TRANSPORTS = ["tcp", "sctp", "infiniband", "roce"]


def parameters(platform):
    """Key, value and meaning of the parameters of a platform, from the program."""
    shown = subprocess.run([MPIRAGE, "platform", "show", platform, "--packet"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [re.fullmatch(r"(\S+) = (.*?) +# (.*)", line).groups() for line in shown.splitlines()[1:]]


def table(suite):
    """The parameters of all transports as Markdown: values are those of the first transport that has them."""
    found, having = {}, {}
    for transport in TRANSPORTS:
        for key, value, meaning in parameters(platform(suite, transport, f'transport = "{transport}"')):
            found.setdefault(key, (value, meaning))
            having.setdefault(key, []).append(transport)
    order = [key for key, *_ in parameters(SLOW)]
    rows = ["| key | transports | default | meaning |", "|---|---|---|---|"]
    for key in sorted(found, key=lambda key: (key not in order, order.index(key) if key in order else 0)):
        names = "all" if having[key] == TRANSPORTS else ", ".join(having[key])
        value, meaning = found[key]
        rows.append(f"| `{key}` | {names} | `{value}` | {meaning} |")
    return "\n".join(rows) + "\n"


def split_page():
    """The page before, in and after the table."""
    before, rest = PAGE.read_text().split(MARKS[0])
    inside, after = rest.split(MARKS[1])
    return before, inside, after


def test_parameters(suite, record):
    """The page has the parameters of the program; what is shown can be written into a file."""
    if record:
        write_table(suite)
    shown = suite.run([MPIRAGE, "platform", "show", SLOW, "--packet"])
    suite.check("parameters: shown", shown.code == 0, shown.err)
    suite.check("parameters: docs/packet.md has them (--record writes them)", split_page()[1] == table(suite), split_page()[1])
    again = platform(suite, "again", "\n".join(shown.out.splitlines()[1:]))
    kept = suite.run([MPIRAGE, "platform", "show", again, "--packet"])
    suite.check("parameters: they are read as they are shown", kept.code == 0 and kept.out == shown.out, (kept.err, kept.out))
    both = suite.run([MPIRAGE, "platform", "show", SLOW, "--model", "packet"]).out
    tables = both[both.index("[packet]"):]
    whole = suite.folder / "whole.toml"
    whole.write_text(HEAD + tables)
    kept = suite.run([MPIRAGE, "platform", "show", whole, "--model", "packet"])
    suite.check("parameters: both tables can be written into a file", kept.code == 0 and kept.out.endswith(tables), (kept.err, kept.out))
    named = re.findall(r"^(\S+) +", suite.run([MPIRAGE, "info", "profiles"]).out, re.MULTILINE)
    suite.check("parameters: docs/packet.md has all profiles", all(f"`{name}`" in PAGE.read_text() for name in named), named)


def write_table(suite):
    before, _, after = split_page()
    PAGE.write_text(before + MARKS[0] + table(suite) + MARKS[1] + after)
