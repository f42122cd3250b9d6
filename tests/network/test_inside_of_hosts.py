"""The inside of hosts: messages between ranks of a host, placement on cores, computation that reads memory, and runs that are repeated
with noise. Prints what it measures beside published curves (pytest -s shows it)."""

import json
import statistics

from harness import MPIRAGE

# 2 sockets of 32 cores; STREAM 110 GB/s per socket, 60 GB/s between sockets.
NODE = """name = "node"
[cluster]
hosts = 2
speed = "10Gf"
bandwidth = "100Gbps"
latency = "1us"
loopback = { bandwidth = "10GBps", latency = "200ns" }
"""
INSIDE = """[node]
sockets = 2
numa = 2
cores-per-socket = 32
memory-bandwidth = "110GBps"
core-bandwidth = "20GBps"
socket-bandwidth = "60GBps"
memory-latency = "250ns"
numa-latency = "300ns"
socket-latency = "500ns"
copy-bandwidth = "8GBps"
cache = "256KiB"
cache-bandwidth = "16GBps"
single-copy = "cma"
single-copy-from = "4KiB"
single-copy-latency = "500ns"
"""
# Two that the curves of section 7 of the published numbers describe (Open MPI #5490, 2018: E5-2699v3 by CMA; hjelmn, 2014:
# Haswell by XPMEM). Bytes, and one-way microseconds.
CURVES = {
    "E5-2699v3, CMA": (
        'memory-latency = "0.55us"\ncopy-bandwidth = "4.2GBps"\nsingle-copy = "cma"\nsingle-copy-from = 4097\nsingle-copy-latency = "0.3us"\nsingle-copy-bandwidth = "7.5GBps"\nbuffer-latency = "0.15us"\n',
        {8: 0.57, 1024: 1.21, 4096: 2.70, 65536: 8.33, 262144: 35.7, 1048576: 139, 4194304: 573},
    ),
    "Haswell, XPMEM": (
        'memory-latency = "0.13us"\ncopy-bandwidth = "7.5GBps"\nsingle-copy = "xpmem"\nsingle-copy-from = 16384\nsingle-copy-latency = "0.6us"\nsingle-copy-bandwidth = "9GBps"\n'
        'cache = "2MiB"\ncache-bandwidth = "10.5GBps"\nbuffer-latency = "0.25us"\n',
        {8: 0.125, 1024: 0.56, 4096: 1.12, 65536: 8.12, 262144: 25.3, 1048576: 91.7, 4194304: 487},
    ),
}
# STREAM's triad: 2 flops and 24 bytes for each element.
STREAM = """#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double began = MPI_Wtime();
    mpirage_execute(2e7, 24e7);
    printf("%d %.9f\\n", rank, MPI_Wtime() - began);
    MPI_Finalize();
}
"""


class Runs:
    """Replays on one platform."""

    def __init__(self, suite, text, name):
        self.suite, self.platform = suite, suite.folder / f"{name}.toml"
        self.platform.write_text(text)

    def json(self, *arguments):
        done = self.suite.run([MPIRAGE, "replay", "-q", "--json", "-p", self.platform, *arguments], timeout=120)
        return json.loads(done.out) if done.out else {"simulated_seconds": float("nan"), "problem": done.err}

    def one_way(self, pairs, size, *options):
        """Seconds of a message, if this many pairs exchange messages at a time. Rank r and rank r + pairs are a pair."""
        rounds = 10
        workload = f"gen:pingpong,ranks={2 * pairs},bytes={size},iterations={rounds}"
        return self.json("--coll", "default", *options, workload)["simulated_seconds"] / (2 * rounds)


def near(found, expected, tolerance=0.001):
    return abs(found - expected) <= tolerance * expected


def test_files(suite):
    """What is shown, and what is refused."""
    runs = Runs(suite, NODE + INSIDE, "shown")
    shown = suite.run([MPIRAGE, "platform", "show", runs.platform])
    for line in ("sockets: 2; NUMA domains of a socket: 2", "memory: 110 GBps per socket, 20 GBps of one core", "single copy: cma from 4096 B on"):
        suite.check(f"platform show: {line}", line in shown.out, shown)
    bad = suite.run([MPIRAGE, "platform", "check", "cluster:4,cores=8,sokets=2"])
    suite.check("an unknown option is refused with a suggestion", bad.code == 82 and "did you mean `sockets`?" in bad.err, bad)
    for model in ("bus", "smp", "loggops"):
        done = runs.json("--model", model, "gen:pingpong,ranks=2")
        suite.check(f"{model} says that it leaves [node] aside", any("[node] is left aside" in text for text in done["warnings"]), done)


def test_without_node(suite):
    """A platform without [node] is as it was: the loopback counts, wherever ranks are."""
    plain = Runs(suite, NODE.replace('speed = "10Gf"', 'speed = "10Gf"\ncores = 64'), "plain")
    placed = [plain.one_way(1, 1 << 20, "--map-by", how) for how in ("slot", "socket", "numa")]
    suite.check("without [node], cores do not matter", len(set(placed)) == 1, placed)
    many = plain.one_way(16, 1 << 20)
    suite.check("without [node], pairs do not meet in memory", near(many, placed[0], 1e-9), (many, placed))


def test_messages(suite):
    """Messages against the formulas of docs/models.md."""
    for model in ("flow", "packet"):
        runs = Runs(suite, NODE + INSIDE, "messages")
        for size, seconds in ((0, 250e-9), (1024, 250e-9 + 2048 / 16e9), (65536, 750e-9 + 65536 / 16e9), (1 << 20, 750e-9 + (1 << 20) / 8e9)):
            found = runs.one_way(1, size, "--model", model)
            # The default flow model sees no further cost; packet adds the request and grant of its rendezvous, each a latency.
            extra = 2 * 250e-9 + 250e-9 if model == "packet" and size > 65472 else 0.0
            suite.check(f"{model}: {size} bytes", seconds - 1e-12 <= found <= (seconds + extra) * 1.001, (found, seconds))
        for how, latency in (("slot", 250e-9), ("numa", 300e-9), ("socket", 500e-9)):
            found = runs.one_way(1, 0, "--model", model, "--map-by", how)
            suite.check(f"{model}: --map-by {how} decides the distance", near(found, latency), (found, latency))
    runs = Runs(suite, NODE + INSIDE, "messages")
    spread = runs.one_way(1, 0, "--bind", "none")
    suite.check("--bind none: the mean of all distances", near(spread, (4 * 250 + 4 * 300 + 8 * 500) / 16 * 1e-9), spread)


def test_pairs(suite):
    """Pairs share memory and the link between sockets."""
    runs = Runs(suite, NODE + INSIDE, "pairs")
    size = 4 << 20

    def bandwidth(count, *options):
        return count * size / runs.one_way(count, size, *options)

    alone = size / (750e-9 + size / 8e9)
    rows = []
    for count in (1, 2, 4, 8, 16, 32):
        # Filled core by core, ranks 0 to 15 are in the first NUMA domain; two reads or writes for each byte.
        rows.append((count, bandwidth(count), bandwidth(count, "--map-by", "numa"), bandwidth(count, "--map-by", "socket")))
    print("pairs   by core   by numa  by socket   (GB/s together, 4 MiB)")
    for count, *rates in rows:
        print(f"{count:5}" + "".join(f"{rate / 1e9:10.1f}" for rate in rates))
    by_count = {row[0]: row[1:] for row in rows}
    suite.check("one pair: the speed of a core", near(by_count[1][0], alone), by_count)
    # Of one message at a time in each pair, 55 GB/s of a domain, half of it for reads.
    suite.check("8 pairs in one domain fill its memory", near(by_count[8][0], 55e9 / 2, 0.01), by_count)
    suite.check("32 pairs fill the memory of both sockets", by_count[32][1] <= 220e9 / 2 and by_count[32][1] > 0.9 * 220e9 / 2, by_count)
    # Ranks r and r + 32 are on one socket by socket, and one socket each by core.
    across = bandwidth(32)
    suite.check("32 pairs across sockets share the link", near(across, 60e9, 0.01), across)


def test_interfaces(suite):
    """Hosts with several network interfaces: each has a cable of its own, and every rank uses one of them."""
    size = 8 << 20

    def platform(count, policy="block"):
        return NODE.replace("hosts = 2", f'hosts = 2\ncores = 8\ninterfaces = {count}\ninterface-policy = "{policy}"')

    for options in ((), ("--model", "packet", "--mpi-profile", "rdma")):
        rates = {}
        for count in (1, 2, 4):
            runs = Runs(suite, platform(count), f"interfaces-{count}")
            for pairs in (1, 2, 4, 8):
                rates[count, pairs] = pairs * size / runs.one_way(pairs, size, "--ppn", str(pairs), *options)
        suite.check(f"{options}: a message uses one interface", rates[1, 1] == rates[2, 1] == rates[4, 1], rates)
        for count, pairs in ((2, 2), (2, 4), (2, 8), (4, 4), (4, 8)):
            suite.check(f"{options}: {pairs} pairs on {count} interfaces", near(rates[count, pairs], count * rates[1, pairs // count], 1e-6), rates)
        striping(suite, rates, size, platform, options)
    # Of four ranks, the first two send: block gives them one interface, round-robin one each.
    trace = suite.folder / "two-senders.txt"
    lines = [f"{rank} send {rank + 4} 0 {size} 0\n{rank + 4} recv {rank} 0 {size} 0\n" for rank in (0, 1)]
    trace.write_text("".join(f"{rank} init\n" for rank in range(8)) + "".join(lines) + "".join(f"{rank} finalize\n" for rank in range(8)))
    times = {policy: Runs(suite, platform(2, policy), f"policy-{policy}").json("--ppn", "4", trace)["simulated_seconds"] for policy in ("block", "round-robin")}
    suite.check("ranks in a block share an interface", near(times["block"], 2 * times["round-robin"], 0.01), times)
    show = suite.run([MPIRAGE, "platform", "show", "fat-tree:4x2,cores=8,interfaces=2"])
    suite.check("platform show counts hosts and cables", "8 × 8 cores like this machine's, 2 interfaces each, on one switch (policy block)" in show.out and "fat tree, down 4,2, up 1,8" in show.out, show)
    show = suite.run([MPIRAGE, "platform", "show", "cluster:4,interfaces=2,interface-striping=64KiB"])
    suite.check("platform show tells of stripes", "messages from 65536 B on use all of them" in show.out, show)
    for spec, words in (("cluster:4,interfaces=0", "interfaces"), ("cluster:4,interfaces=65", "at most 64"), ("torus:4x4,interfaces=2", "hosts of `torus` have one interface"),
                        ("cluster:4,interfaces=2,interface-switches=different", "different switches of this topology"), ("fat-tree:4x3,interfaces=2,interface-switches=different", "no multiple of 2"),
                        ("cluster:4,interfaces=2,interface-policy=blok", "did you mean `block`"), ("cluster:4,interface-striping=64KiB", "hosts have one interface"),
                        ("cluster:4,interfaces=2,interface-striping=often", "interface-striping")):
        bad = suite.run([MPIRAGE, "platform", "check", spec])
        suite.check(f"{spec} is refused", bad.code == 82 and words in bad.err, bad)


def striping(suite, rates, size, platform, options):
    """With `interface-striping`, one large message has the rate of all interfaces; many messages gain nothing, small ones neither."""
    striped = Runs(suite, platform(4).replace("interfaces = 4", 'interfaces = 4\ninterface-striping = "64KiB"'), "striped")
    plain = Runs(suite, platform(4), "plain")
    seconds = lambda runs, pairs, size: runs.one_way(pairs, size, "--ppn", str(pairs), *options)
    large, quarter = seconds(striped, 1, size), seconds(plain, 1, size // 4)
    suite.check(f"{options}: a large message takes as long as a quarter of it", near(large, quarter, 1e-3), (large, quarter))
    four = 4 * size / seconds(striped, 4, size)
    suite.check(f"{options}: four large messages share the interfaces", 0.98 * rates[4, 4] < four < 1.05 * 4 * rates[1, 4], (four, rates))
    small = [runs.one_way(1, 65535, "--ppn", "1", *options) for runs in (striped, plain)]
    suite.check(f"{options}: a small message uses one", small[0] == small[1], small)


def test_curves(suite):
    """Two nodes, described by a few numbers each, against published curves."""
    for name, (inside, measured) in CURVES.items():
        text = NODE + '[node]\ncores-per-socket = 16\nmemory-bandwidth = "60GBps"\n' + inside
        runs = Runs(suite, text, "curve")
        errors = {}
        for size, micros in measured.items():
            found = 1e6 * runs.one_way(1, size)
            errors[size] = found / micros - 1
            print(f"{name:16}{size:9} B{micros:9.2f} us measured{found:9.2f} us here{100 * errors[size]:+7.0f} %")
        suite.check(f"{name}: within 20 % of the published curve, mean within 10 %", max(map(abs, errors.values())) <= 0.2 and statistics.mean(map(abs, errors.values())) <= 0.1, errors)


def test_bindings(suite):
    """Who is where."""
    runs = Runs(suite, NODE + INSIDE, "bindings")
    done = suite.run([MPIRAGE, "replay", "-q", "--report-bindings", "--map-by", "socket", "-p", runs.platform, "gen:ring,ranks=66"])
    expected = ("rank 0: host-0, socket 0, NUMA domain 0, core 0\n", "rank 1: host-0, socket 1, NUMA domain 0, core 32\n", "rank 65: host-1, socket 1, NUMA domain 0, core 32\n")
    suite.check("--report-bindings", all(line in done.err for line in expected), done)
    for option in ("--map-by", "--bind"):
        bad = suite.run([MPIRAGE, "replay", option, "soket", "-p", runs.platform, "gen:ring"])
        suite.check(f"{option} soket is refused", bad.code == 84 and "socket" in bad.err, bad)


def test_roofline(suite):
    """A program and a trace: 24 bytes for 2 flops."""
    runs = Runs(suite, NODE + INSIDE, "roofline")
    program = suite.compile(STREAM, "stream")
    for how in ("processes", "folded"):
        for ranks, options in ((1, ()), (2, ()), (4, ()), (16, ()), (32, ()), (4, ("--map-by", "numa")), (1, ("--bind", "none"))):
            done = suite.run([MPIRAGE, "run", "-q", "--compute", "none", "--ranks-as", how, "-n", ranks, *options, "-p", runs.platform, program])
            seconds = sorted(float(line.split()[1]) for line in done.out.splitlines())
            domains = 4 if options[:1] == ("--map-by",) else max(1, ranks // 16)
            share = min(20e9, 55e9 * domains / ranks) if options[:1] != ("--bind",) else 20e9
            if how == "folded":
                print(f"STREAM, {ranks} ranks {' '.join(options)}: {24e7 * ranks / seconds[-1] / 1e9 if seconds else 0:.1f} GB/s together")
            good = len(seconds) == ranks and near(seconds[0], 24e7 / share, 1e-4) and near(seconds[-1], 24e7 / share, 1e-4)
            suite.check(f"STREAM, {how}, {ranks} ranks {options}", good, (done, 24e7 / share))
    trace = suite.folder / "trace.txt"
    trace.write_text("".join(f"{rank} init\n{rank} compute 2e7 24e7\n{rank} finalize\n" for rank in range(16)))
    found = runs.json(trace)["simulated_seconds"]
    suite.check("a trace with bytes", near(found, 24e7 * 16 / 55e9, 1e-4), found)
    own = suite.folder / "own.mpirage"
    suite.run([MPIRAGE, "trace", "convert", trace, own])
    suite.check("our own format keeps the bytes", runs.json(own)["simulated_seconds"] == found, own)
    back = suite.folder / "back.ti"
    suite.run([MPIRAGE, "trace", "convert", own, back])
    suite.check("so does the way back", runs.json(back)["simulated_seconds"] == found, back)
    plain = Runs(suite, NODE, "plain-work")
    suite.check("without [node], only flops count", near(plain.json(trace)["simulated_seconds"], 2e7 / 10e9 * 8, 1e-4), plain.json(trace))


NOISE = '[model]\nnoise = { computation = 0.05, message = "2us", start = "50us" }\n'


def test_repetition(suite):
    """The same calls with other random numbers."""
    runs = Runs(suite, NODE.replace("hosts = 2", "hosts = 4") + NOISE, "noise")
    workload = "gen:allreduce,ranks=2,compute=1ms,iterations=5"
    placed = ("--ppn", "1", workload)
    first, again, other = (runs.json("--seed", seed, *placed)["simulated_seconds"] for seed in (1, 1, 2))
    suite.check("a seed decides the noise", first == again != other, (first, again, other))
    many = runs.json("--repeat", "40", "--seed", "1", *placed)
    spread = many.get("repetition", {})
    times = spread.get("seconds", [])
    suite.check("all times are there, by seed", len(times) == 40 and times[:2] == [first, other], spread)
    ordered = sorted(times)
    suite.check("median and interval", ordered and near(spread["median_seconds"], statistics.median(times), 1e-9) and ordered[1] <= spread["low_seconds"] <= ordered[2] and ordered[37] <= spread["high_seconds"] <= ordered[38], spread)
    suite.check("5 ms of computation with 5 % of noise", 5e-3 < spread["median_seconds"] < 5.6e-3 and spread["high_seconds"] > 1.01 * spread["low_seconds"], spread)
    suite.check("one mode", spread["modes"] is None, spread)
    suite.check("a repetition can be repeated", runs.json("--repeat", "40", "--seed", "1", *placed)["repetition"] == spread, spread)
    quiet = Runs(suite, NODE, "quiet").json("--repeat", "5", *placed)
    suite.check("a model without noise says so", any("has no noise" in text for text in quiet["warnings"]) and len(set(quiet["repetition"]["seconds"])) == 1, quiet)
    program = suite.compile(MODES, "modes")
    done = suite.run([MPIRAGE, "run", "--json", "--compute", "none", "--ppn", "1", "--repeat", "60", "-n", "3", "-p", runs.platform, program], timeout=120)
    result = json.loads(done.out.splitlines()[-1]) if done.code == 0 else {}
    suite.check("a program runs once", done.out.count("hello") == 1, done)
    modes = (result.get("repetition") or {}).get("modes")
    suite.check("two modes of a program are found", modes and sum(mode["runs"] for mode in modes) == 60 and modes[1]["seconds"] > 1.5 * modes[0]["seconds"], result)
    suite.check("the summary says so", "two modes:" in done.err and "median" in done.err, done)
    trace = suite.folder / "modes.mpirage"
    run = suite.run([MPIRAGE, "run", "-q", "--json", "--compute", "none", "--ppn", "1", "--seed", "5", "--trace", trace, "-n", "3", "-p", runs.platform, program], timeout=120)
    ran = json.loads(run.out.splitlines()[-1])["simulated_seconds"] if run.code == 0 else run
    again = runs.json("--ppn", "1", "--seed", "5", trace)["simulated_seconds"]
    suite.check("a replay with the seed of the run takes its time", ran == again, (ran, again))
    for bad in ("1", "x"):
        refused = suite.run([MPIRAGE, "replay", "--repeat", bad, "gen:ring"])
        suite.check(f"--repeat {bad} is refused", refused.code == 84, refused)


# Rank 0 takes whichever of two messages is there first, and computes; rank 2 computes when its message has been taken. If rank 2 is
# first, both compute at the same time, else one after the other.
MODES = """#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 1 << 17 };
int main(int argc, char **argv) {
    int rank;
    char *buffer = malloc(SIZE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        puts("hello");
        MPI_Recv(buffer, SIZE, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        smpi_execute_flops(5e7);
        MPI_Recv(buffer, SIZE, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(buffer, SIZE, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        if (rank == 2)
            smpi_execute_flops(5e7);
    }
    MPI_Finalize();
}
"""
