"""Impossible values: each is refused before the run, with file, line, remedy and exit code, or gives a warning with its
interpretation. No value, not even in randomly mutated files, causes a panic, a hang or an undocumented exit code.
Doubtful results carry warnings, with any options."""

import base64
import gzip
import json
import os
import random
import re
import struct

from harness import MPIRAGE, find

RING = "gen:ring,ranks=4,iterations=1,bytes=1KiB"
CODES = {0, 80, 81, 82, 83, 84}

TOML = {
    "hosts": "4", "cores": "2", "speed": '"10Gf"', "bandwidth": '"1Gbps"', "latency": '"50us"',
    "loopback": '{ bandwidth = "10GBps", latency = "200ns" }',
}


def toml(model="", **changed):
    """A cluster, with some values changed; `bandwidth` is line 5, `latency` line 6, the first of the model line 9."""
    keys = "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in (TOML | changed).items() if value is not None)
    return f"[cluster]\n{keys}[model]\n{model}\n"


def xml(prop=None, bw="125MBps", lat="50us", speed="10Gf", core="1", radical="0-3", more=""):
    """SimGrid's cluster; a property of `<config>` is in line 3."""
    config = f'<config id="General">\n<prop id="{prop[0]}" value="{prop[1]}"/>\n</config>' if prop else "\n\n"
    cluster = f'<cluster id="c" prefix="n" suffix="" radical="{radical}" speed="{speed}" core="{core}" bw="{bw}" lat="{lat}" {more}/>'
    return f'<platform version="4.1">\n{config}\n{cluster}\n</platform>\n'


def cfg(machine='4, 100.0, 0, 1', node='1, 1.0, 0.0, 0.0, 0, 0, 0, 0.00001, 1, 1'):
    return f'"environment information" {{"m", 0, "", {machine}}};;\n"multi node information" {{0, 4, "", {node}}};;\n'


# key, value: refused with exit code 82 at the line of the key
BAD_TOML = [
    ("bandwidth", v) for v in ("0", "-1", "nan", "inf", "-inf", '"0Gbps"', '"-1Gbps"', '"nanGbps"', '"infGbps"', '"1e999Bps"', '"1e308Bps"', '""', '"fast"', '"1GB"', "[]", "1e-300")
] + [
    ("latency", v) for v in ("-1", "nan", "inf", '"-1us"', '"nan"', '"1e30s"', '"soon"', '"1e999us"', "true")
] + [
    ("speed", v) for v in ("0", "-5", "nan", "inf", '"0Gf"', '"-1Gf"', '"1e300f"', '"quick"')
] + [
    ("cores", v) for v in ("0", "-1", "1.5", "4294967296", "nan")
] + [
    ("hosts", v) for v in ("0", "-1", "4294967295", "1e9", "99999999999999999999")
] + [
    ("loopback", v) for v in ('{ bandwidth = 0, latency = 0 }', '{ bandwidth = "1GBps", latency = "-1us" }', '{ bandwidth = nan, latency = 0 }')
]

# a line of [model]: refused with exit code 82
BAD_MODEL = [
    "window = 0", "window = nan", "window = -1", "window = inf", "penalty-scale = -1", "penalty-scale = inf", "cross-traffic = nan", "sharing-tolerance = 0.2", "sharing-tolerance = -1",
    "loopback-bandwidth = 0", "loopback-bandwidth = inf", 'loopback-latency = "-1us"', "eager-limit = -1", "eager-limit = 1e30",
    "eager-limit = 1.5", "eager-limit = nan", "clock-cost = inf", 'clock-cost = "-1s"', "reduce-seconds-per-byte = nan",
    "copy-seconds-per-byte = -1", "header = -1", "push-limit = nan", "send-overhead = -1", "send-overhead = [{ seconds = nan }]",
    "recv-overhead = [{ from = 0, per-byte = -1 }]", "segments = [{ above = 0, latency = nan, bandwidth = 1 }]",
    "segments = [{ above = 0, latency = 1, bandwidth = 0 }]", "segments = [{ above = 0, latency = 1, bandwidth = -1 }]",
    "segments = [{ above = -1, latency = 1, bandwidth = 1 }]", "segments = []", "calibrated-bandwidth = 0",
]

# <config> properties: refused with exit code 82 in line 3
BAD_PROPERTIES = [
    (key, value)
    for key, values in {
        "smpi/bw-factor": ("-1", "nan", "0", "inf", "0:nan", "65472:-1;0:1", "1e999", "x", "0:1:2:3", ""),
        "smpi/lat-factor": ("-1", "nan", "inf", "0:-2", "nan:1", "-5:1"),
        "network/latency-factor": ("-1", "nan"), "network/bandwidth-factor": ("0", "-1", "nan"),
        "network/weight-S": ("-1", "nan", "inf"), "network/TCP-gamma": ("-1", "nan", "inf"),
        "network/loopback-bw": ("0", "-1", "nan"), "network/loopback-lat": ("-1", "nan"),
        "smpi/os": ("-1", "nan", "0:-1e-6:0", "0:0:nan", "-1:0:0", "0:0:0:0"), "smpi/ois": ("nan", "0:inf:0"), "smpi/or": ("-1", "0:1e-6:-1"),
        "smpi/wtime": ("-1", "nan"), "smpi/test": ("nan",), "smpi/iprobe": ("-1us",),
        "smpi/async-small-thresh": ("-1", "nan", "1e30", "1.5"), "smpi/send-is-detached-thresh": ("inf",),
        "network/crosstraffic": ("maybe",), "network/model": ("constant",),
    }.items()
    for value in values
]

# attributes of <cluster>: refused with exit code 82 in line 5
BAD_ATTRIBUTES = [
    {"bw": "0"}, {"bw": "-1"}, {"bw": "nan"}, {"bw": "inf"}, {"lat": "-1us"}, {"lat": "nan"}, {"speed": "0"}, {"speed": "-1Gf"}, {"speed": "nan"},
    {"speed": "1Gf,inf"}, {"core": "0"}, {"core": "-1"}, {"core": "x"}, {"radical": "3-0"}, {"radical": "x"}, {"radical": "0-4294967295"},
    {"more": 'loopback_bw="-1"'}, {"more": 'loopback_bw="nan"'}, {"more": 'limiter_link="-5"'}, {"more": 'bb_bw="inf" bb_lat="1us"'},
]

# options of `run`, what is said: exit code 84
BAD_OPTIONS = [
    (["--host-speed", "0"], "speed 0 never"), (["--host-speed", "-1Gf"], "negative"), (["--host-speed", "nan"], "not a speed"),
    (["--host-speed", "inf"], "not a speed"), (["--host-speed", "1e300"], "not possible"), (["--host-speed", ""], "not a speed"),
    (["--rank-timeout", "nan"], "not a time limit"), (["--rank-timeout", "0"], "no time at all"), (["--rank-timeout", "-1"], "rank-timeout"),
    (["--rank-timeout", "inf"], "not a time limit"), (["--rank-timeout", "1e300"], "not possible"),
    (["-n", "4000000000"], "memory left for"), (["-n", "2000000000"], "are possible"), (["-n", "-1"], "-1"), (["-n", "0"], "at least one"),
    (["-n", "99999999999"], "99999999999"), (["-n", "200000000", "--ranks-as", "processes"], "are possible"), (["-n", "1e3"], "1e3"),
    (["--ppn", "0"], "0"), (["--ppn", "-1"], "-1"), (["-H", "host-0:x"], "not a number of slots"), (["-H", "host-0:0"], "have no slots"),
    (["--cores", "0"], "0"), (["--share-malloc", "nan"], "nan"), (["--share-malloc", "-1"], "share-malloc"), (["--share-malloc", "1"], "at least"),
    (["--seed", "-1"], "-1"), (["--compute", "sometimes"], "measured, none, recorded"),
]

# configurations of Dimemas: refused with exit code 82
BAD_CONFIGURATIONS = [
    (cfg(machine="4, nan, 0, 1"), ":1"), (cfg(machine="4, -1, 0, 1"), ":1"), (cfg(machine="4, inf, 0, 1"), ":1"), (cfg(machine="4, 1e300, 0, 1"), ":1"),
    (cfg(machine="5, 100, 0, 1"), "5 nodes"), (cfg(node="1, nan, 0, 0, 0, 0, 0, 0, 1, 1"), ":2"), (cfg(node="1, -1, 0, 0, 0, 0, 0, 0, 1, 1"), ":2"),
    (cfg(node="1, 1, nan, 0, 0, 0, 0, 0, 1, 1"), ":2"), (cfg(node="1, 1, 0, 0, 0, 0, 0, -1, 1, 1"), ":2"), (cfg(node="1, 1e300, 0, 0, 0, 0, 0, 0, 1, 1"), ":2"),
    (cfg().replace("{0, 4,", "{0, 4000000000,"), "1048576"), (cfg().replace("{0, 4,", "{0, nan,"), ":2"),
]

# traces: exit code 83
BAD_TRACES = [
    ("a.txt", "0 init\n0 compute nan\n0 finalize\n", r"a\.txt:2"), ("a.txt", "0 init\n0 compute -1\n0 finalize\n", r"a\.txt:2"),
    ("a.txt", "0 init\n0 compute inf\n0 finalize\n", r"a\.txt:2"), ("a.txt", "0 init\n0 sleep nan\n0 finalize\n", r"a\.txt:2"),
    ("a.txt", "0 init\n0 sleep -1\n0 finalize\n", r"a\.txt:2"), ("a.txt", "0 init\n0 bcast nan\n0 finalize\n", r"a\.txt:2"),
    ("a.txt", "0 init\n0 send 4000000000 0 1\n0 finalize\n", r"a\.txt:2"), ("a.txt", "0 init\n0 bcast 1e30\n0 finalize\n", r"a\.txt:2"),
    ("a.goal", "num_ranks 99999999999\nrank 0 {\n}\n", r"a\.goal:1"), ("a.goal", "num_ranks 0\n", r"a\.goal"),
    ("a.goal", "num_ranks 1\nrank 0 {\na: calc 99999999999999999999999\n}\n", r"a\.goal:3"), ("a.goal", "num_ranks 1\nrank 0 {\na: calc -1\n}\n", r"a\.goal:3"),
]
BAD_PATTERNS = [
    "ranks=0", "ranks=-1", "ranks=4000000000", "ranks=nan", "iterations=-1", "bytes=-1", "bytes=nan", "bytes=inf", "bytes=1e30", "compute=nan",
    "compute=-1us", "compute=inf", "compute=1e999s", "imbalance=nan", "imbalance=-1", "imbalance=inf", "noise=nan", "noise=-1", "noise=1e300", "seed=-1",
]


class Bad:
    """Runs commands with values that are refused."""

    def __init__(self, suite):
        self.suite = suite

    def write(self, name, text):
        path = self.suite.folder / name
        path.write_text(text)
        return path

    def refused(self, what, words, code, said):
        result = self.suite.run([MPIRAGE, *words], cwd=self.suite.folder)
        good = result.code == code and find(said, result.err) and "panicked" not in result.err
        self.suite.check(f"{what}: exit code {code} and {said}", good, result)

    def platform(self, what, text, said, name="p.toml"):
        self.refused(what, ["replay", "-q", "-p", self.write(name, text), RING], 82, said)


def test_files(suite):
    """Values in files."""
    bad = Bad(suite)
    for key, value in BAD_TOML:
        line = 2 + list(TOML).index(key)
        said = rf"p\.toml:{line}:|hosts.*links.*memory" if value == "4294967295" else rf"p\.toml:{line}:"
        bad.platform(f"{key} = {value}", toml(**{key: value}), said)
    for line in BAD_MODEL:
        bad.platform(f"[model] {line}", toml(model=line), r"p\.toml:9:")
        model = bad.write("m.toml", f"[model]\n{line}\n")
        bad.refused(f"model file {line}", ["replay", "-q", "--model", model, RING], 82, r"m\.toml:2:")
    for key, value in BAD_PROPERTIES:
        bad.platform(f"{key} = {value}", xml(prop=(key, value)), r"p\.xml:3:", "p.xml")
    for attributes in BAD_ATTRIBUTES:
        bad.platform(f"<cluster> with {attributes}", xml(**attributes), r"p\.xml:5:", "p.xml")
    for text, said in BAD_CONFIGURATIONS:
        path = bad.write("m.cfg", text)
        bad.refused(f"Dimemas {text}", ["replay", "-q", "--model", path, RING], 82, rf"m\.cfg.*{said}")
    for name, text, said in BAD_TRACES:
        bad.refused(f"trace {text!r}", ["replay", "-q", bad.write(name, text)], 83, said)
    for key in BAD_PATTERNS:
        bad.refused(f"gen:halo2d,{key}", ["replay", "-q", f"gen:halo2d,{key}"], 83, key.split("=")[0])
    for spec in ("cluster:0", "cluster:-1", "cluster:4294967296", "torus:65536x65536x2", "fat-tree:nanx4", "fat-tree:64", "dragonfly:1x1x1", "full:100000", "cluster:1e9"):
        bad.refused(f"-p {spec}", ["replay", "-q", "-p", spec, RING], 82, spec.split(":")[0])
    huge = suite.run([MPIRAGE, "replay", "-q", "-p", "cluster:4000000000", RING])
    suite.check("a platform of 4 billion hosts is refused at once", huge.code == 82 and "hosts" in huge.err and huge.seconds < 5, huge)


def test_options(suite):
    """Values on the command line."""
    bad = Bad(suite)
    for words, said in BAD_OPTIONS:
        program = ["/bin/true"] if words[0] == "-n" else ["-n", "2", "/bin/true"]
        bad.refused(" ".join(words), ["run", "-q", *words, *program], 84, said)
    for words in (["--host-speed", "0"], ["--host-speed", "nan"]):
        bad.refused(f"replay {words}", ["replay", "-q", *words, RING], 84, "--host-speed")
        bad.refused(f"convert {words}", ["trace", "convert", *words, RING, "x.mpirage"], 84, "--host-speed")
    head = "mpirage costs 1\nhost-speed {}\n1\n1\n"
    for speed in ("nan", "0", "-1", "inf", ""):
        costs = bad.write("costs", head.format(speed))
        bad.refused(f"recorded at {speed!r}", ["run", "-q", "-n", "2", "--compute", f"recorded:{costs}", "/bin/true"], 84, "costs:2: ")
    costs = bad.write("costs", head.format(1e9).replace("\n1\n1", "\n1\n-1"))
    bad.refused("a negative burst", ["run", "-q", "-n", "2", "--compute", f"recorded:{costs}", "/bin/true"], 84, "costs:4: ")


# command, exit code, what is said: what people type who have not read the documents
TYPED = [
    (["run", "-n", "abc", "/bin/true"], 84, r"'abc' for '--np <N>': expected a number of ranks, such as 16"),
    (["tune", "bcast", "-n", "abc"], 84, r"'abc' for '--np <N>': expected a whole number"),
    (["demo", "-n", "abc"], 84, r"'abc' for '-n <N>': expected a whole number"),
    (["run", "--seed", "99999999999999999999", "/bin/true"], 84, "the number is too large"),
    (["replay", "-n", "4", RING], 84, r"has no -n: a trace has its own number of ranks; of a pattern write gen:ring,ranks=16"),
    (["replay", "gen:rng,ranks=4"], 83, r"did you mean ring\?"),
    (["replay", "gen:ring,rank=4"], 83, r"did you mean ranks\?"),
    (["replay", "--coll", "allreduce=rng", RING], 84, r"did you mean ring\?"),
    (["replay", "--coll", "alreduce=ring", RING], 84, r"did you mean allreduce\?"),
    (["replay", "--hostfile", "{hosts}", RING], 84, r"hosts:3: .*no host `host-9`"),
    (["replay", "--hostfile", "{slots}", RING], 84, r"slots:2: `slots=two`"),
    (["balance", RING, "--on-cores", "2"], 83, "no rank of .* calls AMPI_Migrate"),
    (["platform", "import", "{topology}"], 82, r"cores.*slurm\.conf.*--cores.*latenc.*--net.*rates.*--bandwidth"),
]
FILES = {
    "hosts": "# of the cluster\nhost-0\nhost-9\n", "slots": "host-0 slots=1\nhost-1 slots=two\n",
    "topology": "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Switches=s0\n",
}


def test_typed(suite):
    """Usual mistakes on the command line are named with a remedy."""
    for name, text in FILES.items():
        (suite.folder / name).write_text(text)
    files = {name: suite.folder / name for name in FILES}
    for words, code, said in TYPED:
        result = suite.run([MPIRAGE, *(word.format(**files) for word in words)])
        suite.check(f"{' '.join(words)}: exit code {code}", result.code == code, result)
        suite.check(f"{' '.join(words)}: says {said}", find(said, result.err), result.err)


def test_few_slots(suite):
    """More ranks than slots are no mistake here, but other launchers refuse them."""
    hosts = suite.folder / "two"
    hosts.write_text("host-0 slots=1\nhost-1 slots=1\n")
    for words in (["--hostfile", hosts], ["-H", "host-0:1,host-1:1"]):
        result = suite.run([MPIRAGE, "replay", "-p", "cluster:4,cores=8", *words, RING])
        suite.check(f"{words[0]}: too few slots give a warning", result.code == 0 and find("2 slots for 4 ranks.*other launchers refuse", result.err), result)


def test_endless(suite):
    """Files that are none."""
    bad = Bad(suite)
    pipe = suite.folder / "pipe"
    os.mkfifo(pipe)
    for path, what in (("/dev/zero", "device"), ("/dev/urandom", "device"), (pipe, "pipe"), (suite.folder, "folder")):
        run = lambda *words: ["run", "-q", "-n", "2", *words, "/bin/true"]
        bad.refused(f"-p {path}", run("-p", path), 82, what)
        if path is not suite.folder:
            bad.refused(f"replay {path}", ["replay", "-q", path], 83, what)
        bad.refused(f"--hostfile {path}", run("--hostfile", path), 84, what)
        bad.refused(f"--compute recorded:{path}", run("--compute", f"recorded:{path}"), 84, what)
    for contents, what in (("# nothing\n\n", "has no host"), ("host-0 slots=x\n", "slots=N"), ("host-0 max_slots=\n", "slots=N")):
        (suite.folder / "hosts").write_text(contents)
        bad.refused(f"--hostfile with {contents!r}", ["run", "-q", "-n", "2", "--hostfile", suite.folder / "hosts", "/bin/true"], 84, what)
    # What a message quotes of a file is cut and has no control characters.
    (suite.folder / "one-line.ti").write_text("\x1b[31m" + "x" * 1000000)
    quoted = suite.run([MPIRAGE, "replay", suite.folder / "one-line.ti"])
    short = quoted.code == 83 and len(quoted.err) < 5000 and "more characters" in quoted.err and "\x1b" not in quoted.err
    suite.check("a file of one long line is quoted in part", short, quoted.err[:500])
    for path in ("/dev/zero", pipe):
        linked = suite.folder / "linked"
        for name, words in (("linked.toml", []), ("linked.cfg", [])):
            linked = suite.folder / name
            linked.unlink(missing_ok=True)
            linked.symlink_to(path)
            bad.refused(f"--model {name} -> {path}", ["replay", "-q", "--model", linked, RING], 82, "is a (device|pipe)")
        page = suite.folder / "linked.html"
        page.unlink(missing_ok=True)
        page.symlink_to(path)
        bad.refused(f"report {path}", ["report", page], 84, "is a (device|pipe)")
    # A pipe of the shell's is as good as a file.
    result = suite.run(["bash", "-c", f"{MPIRAGE} replay -q -p <(cat {bad.write('p.toml', toml())}) {RING}"])
    suite.check("a platform from a process substitution", result.code == 0, result)
    result = suite.run(["bash", "-c", f"yes | {MPIRAGE} replay -q -p /dev/stdin {RING}"], timeout=60)
    suite.check("an endless pipe", result.code == 82 and "MiB" in result.err, result)


def figures(result):
    _, start, rest = result.out.rpartition('{"outcome"')
    return json.loads(start + rest) if start else {}


def page_data(path):
    """What the page of a report says about the run."""
    found = re.search(r'<script id="data" type="text/plain">([^<]*)</script>', path.read_text()) if path.exists() else None
    if not found:
        return {}
    data = gzip.decompress(base64.b64decode(found[1]))
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length])


def test_beyond_time(suite):
    """Simulated time past 2^64 picoseconds is said, not called a deadlock."""
    bad = Bad(suite)
    slow = bad.write("slow.toml", toml(bandwidth='"0.001Bps"', loopback=None))
    goal = bad.write("long.goal", "num_ranks 1\nrank 0 {\na: calc 18446744073709551615\n}\n")
    after = bad.write("after.goal", "num_ranks 2\nrank 0 {\na: calc 18446744073709551\nb: send 8b to 1 tag 0\nb requires a\n}\nrank 1 {\nc: recv 8b from 0 tag 0\n}\n")
    sleeps = bad.write("sleep.txt", "0 init\n0 sleep 1e9\n0 finalize\n")
    twice = bad.write("twice.txt", "0 init\n" + "0 sleep 1e7\n" * 2 + "0 finalize\n")
    flops = bad.write("flops.txt", "0 init\n0 compute 1e30\n0 finalize\n")
    overhead = bad.write("overhead.toml", toml(model='isend-overhead = "200d"'))
    cases = [(f"a slow link under {model}", ["-p", slow, "--model", model, "--ppn", "1", RING.replace("1KiB", "1GiB")]) for model in ("flow", "flow:affine", "flow:no-contention", "simgrid", "bus", "smp")]
    cases += [(f"{file.name} under {model}", ["--model", model, file]) for file in (goal, after, sleeps, twice, flops) for model in ("flow", "loggops")]
    often = RING.replace("iterations=1", "iterations=3")
    cases += [("an overhead", ["-p", overhead, often]), ("a computation", [f"{often},compute=200d"])]
    for what, words in cases:
        page = suite.folder / "beyond.html"
        result = suite.run([MPIRAGE, "replay", "--json", "--report", page, *words], cwd=suite.folder)
        said = result.code == 84 and "simulated time exceeds 213 days" in result.err and "deadlock" not in result.err
        suite.check(f"{what} takes too long", said and figures(result).get("outcome") == "beyond-time", result)
        suite.check(f"{what}: the report says so", "213 days" in json.dumps(page_data(page)), result)
        page.unlink(missing_ok=True)
    program = suite.compile('#include <mpi.h>\n#include <unistd.h>\nint main(void) { MPI_Init(0, 0); for (int i = 0; i < 30; i++) sleep(1000000); MPI_Finalize(); }', "sleeper")
    for ranks_as in ("processes", "folded"):
        result = suite.simulate("--json", "--ranks-as", ranks_as, "-n", 2, "--compute", "none", program)
        suite.check(f"a program of {ranks_as} sleeps too long", result.code == 84 and figures(result).get("outcome") == "beyond-time" and "213 days" in result.err, result)


def test_warnings(suite):
    """What is doubtful is said: on standard error, with and without -q, in JSON, in the report; by run and by replay."""
    bad = Bad(suite)
    fast = dict(bandwidth='"200Gbps"', latency='"500ns"')
    platforms = {
        "no unit": (toml(bandwidth="125e6"), [], r"p\.toml:5: .*no unit and is read as 125000000 B/s"),
        "100 B/s": (toml(bandwidth="100"), [], "read as 100 B/s, which is very little"),
        "5 s": (toml(latency="5"), [], "read as 5 s, which is very much"),
        "a slow link with its unit": (toml(bandwidth='"500Bps"'), [], "500 B/s, which is very little"),
        "a speed without a unit": (toml(speed="1e10"), [], r"p\.toml:4: .*read as 10000000000 flop/s"),
        "a parameter without a unit": (toml(model="clock-cost = 2"), [], r"p\.toml:9: .*read as 2 s"),
        "no loopback": (toml(loopback=None), ["--ppn", "2"], "has no `loopback`"),
        "factors of another network": (toml(**fast), ["--ppn", "1", "--model", "flow:factors"], "TCP over 1 Gbit/s Ethernet.*200 Gbit/s"),
        "more ranks than cores": (toml(hosts="1"), [], "4 ranks and 2 cores"),
        "calibrated for another": (toml(model='segments = [{ above = 0, latency = 1, bandwidth = 1 }]\ncalibrated-bandwidth = "100Gbps"'), ["--ppn", "1"], "measured on another network"),
        "loggops ignores the platform": (toml(), ["--model", "loggops", "--ppn", "1"], "takes nothing from the platform"),
        "loggops knows no memory": (toml(), ["--model", "loggops", "--ppn", "4"], "knows no memory"),
        "SimGrid's way through the switch": (xml(core="4"), ["--ppn", "2"], "through the network"),
        "SimGrid's slow link": (xml(bw="100"), [], "100 B/s, which is very little"),
        "SimGrid's long link": (xml(lat="5"), [], "5 s, which is very much"),
    }
    true = suite.compile("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }", "barrier")
    for what, (text, words, said) in platforms.items():
        path = bad.write("p.toml", text)
        doubted(suite, what, ["-p", path, *words], said, true)
    result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "dragonfly:4x2x4x4,bandwidth=1Gbps,latency=50us", "gen:ring,ranks=128,iterations=1"])
    suite.check("a narrow dragonfly", find("joined by 1 Gbit/s.*11 times", "\n".join(figures(result)["warnings"])), result)
    for words in (["-p", "griffon", "--ppn", "1"], ["-p", bad.write("p.toml", toml())], ["-p", "torus:2x2"], []):
        result = suite.run([MPIRAGE, "replay", "-q", "--json", *words, RING])
        suite.check(f"nothing is doubtful about {words}", figures(result)["warnings"] == [] and result.err == "", result)
    for speed in ("1Tf", "100Mf"):
        result = suite.simulate("-q", "--json", "-n", 2, "-p", "cluster:2,speed=10Gf", "--host-speed", speed, true)
        suite.check(f"cores that are not like one of {speed}", find("100 times (slower|faster)", "\n".join(figures(result)["warnings"])), result)
        result = suite.simulate("-q", "--json", "-n", 2, "--host-speed", speed, true)
        alike = find("--host-speed changes nothing", "\n".join(figures(result)["warnings"])) and figures(result)["computation_ratio"] == 1
        suite.check(f"cores of which no speed is known are like one of {speed}", alike, result)
    result = suite.run([MPIRAGE, "report", "-p", bad.write("p.toml", toml(bandwidth="100")), "-o", "r.html", RING], cwd=suite.folder)
    shown = json.dumps(page_data(suite.folder / "r.html"))
    suite.check("`mpirage report` says it too", "read as 100 B/s" in result.err and "read as 100 B/s" in shown, result)
    computes(suite)


def doubted(suite, what, words, said, program):
    """`run` and `replay` say the same in all places."""
    for kind in ("replay", "run"):
        last = [RING] if kind == "replay" else ["-n", "4", "--compute", "none", program]
        for quiet in ([], ["-q"]):
            page = suite.folder / "doubt.html"
            result = suite.run([MPIRAGE, kind, *quiet, "--json", "--report", page, *words, *last])
            shown = figures(result).get("warnings", [])
            suite.check(f"{kind} {quiet}: {what}, in JSON", find(said, "\n".join(shown)), result)
            on_stderr = all(f"mpirage: warning: {warning}" in result.err for warning in shown)
            suite.check(f"{kind} {quiet}: {what}, on standard error", on_stderr, result)
            in_page = [text for text in shown if json.dumps(text) not in json.dumps(page_data(page))]
            suite.check(f"{kind} {quiet}: {what}, in the report", page.exists() and not in_page, (in_page, result))
            page.unlink(missing_ok=True)


def computes(suite):
    """Computation that was left out, or measured on an unknown machine."""
    spin = suite.compile(
        "#include <mpi.h>\n#include <time.h>\nint main(void) { MPI_Init(0, 0); volatile double x = 1; for (long i = 0; i < 1500000000; i++) x = x * 0.5 + 1;"
        " MPI_Finalize(); }", "spin")
    result = suite.simulate("-q", "--json", "-n", 1, "--compute", "none", spin, timeout=60)
    suite.check("a program that computes, with --compute none", find("covers communication only", "\n".join(figures(result)["warnings"])), result)
    dim = suite.folder / "t.dim"
    head = '#DIMEMAS:"d":1,{:012}:1(1),1\nd:1:1:1:0\n'
    task = "1:0:0:0.001000000\n"
    first = len(head.format(0))
    dim.write_text(head.format(first + len(task)) + task + f"s:0:{first}\n")
    result = suite.run([MPIRAGE, "replay", "-q", "--json", dim])
    suite.check("a trace that does not say where it was measured", find("does not say how fast", "\n".join(figures(result)["warnings"])), result)
    result = suite.run([MPIRAGE, "replay", "-q", "--json", "-p", "cluster:1,speed=10Gf", "--host-speed", "1Tf", dim])
    suite.check("a trace of much faster cores", find("100 times slower", "\n".join(figures(result)["warnings"])), result)


NASTY = ["nan", "inf", "-inf", "-1", "0", "-0", "1e308", "1e-308", "5e-324", "1e999", "", " ", "4294967295", "4294967296", "18446744073709551616", "0x10", "1e9", "é", "1_000", "+", "1" * 400]


def test_mutants(suite):
    """Files with bytes and numbers changed, and random quantities: no panic, no hang, a documented exit code."""
    generator = random.Random(14)
    texts = [
        ("p.toml", toml(model='segments = [{ above = 0, latency = 1.5, bandwidth = 0.9 }]\nwindow = 4e6\neager-limit = "16KiB"\nsend-overhead = "2us"')),
        ("p.toml", "[dragonfly]\ngroups = 2\nchassis = 2\nrouters = 2\nnodes = 2\ngroup-links = 2\nspeed = \"10Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\nlimiter = \"2Gbps\"\n"),
        ("p.toml", "[fat-tree]\ndown = [2, 2]\nup = [1, 2]\nparallel = [1, 2]\nspeed = \"10Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\n"),
        ("p.toml", "[cabinets]\nsizes = [2, 2]\nspeed = \"10Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"1us\"\nuplink = { bandwidth = \"1Gbps\", latency = \"1us\" }\n"),
        ("p.xml", xml(prop=("smpi/bw-factor", "65472:0.94;15424:0.69;0:0.81"), more='loopback_bw="1GBps" loopback_lat="1us" limiter_link="150MBps"')),
        ("p.xml", xml(prop=("smpi/os", "0:8.9e-6:7.9e-10;1420:1.4e-5:8.9e-11"), more='topology="TORUS" topo_parameters="2,2"')),
        ("p.xml", xml(prop=("network/TCP-gamma", "4194304"), radical="0-3", more='topology="FAT_TREE" topo_parameters="2;2,2;1,2;1,2"')),
        ("m.cfg", cfg()),
    ]
    for number in range(400):
        name, text = texts[number % len(texts)]
        path = suite.folder / f"mutant-{name}"
        path.write_bytes(mutated(generator, text))
        machine = ["--model", path] if name.endswith("cfg") else ["-p", path, "--model", generator.choice(["flow", "simgrid", "bus", "loggops"])]
        survives(suite, f"mutant {number} of {name}", ["replay", "-q", *machine, RING], path.read_bytes())
    options = ["--host-speed", "--ppn", "-H", "--compute", "--report-ideal"]
    keys = ["ranks", "iterations", "bytes", "compute", "imbalance", "noise", "seed", "root"]
    for value in NASTY:
        for option in options:
            survives(suite, f"{option} {value}", ["replay", "-q", f"{option}={value}" if option.startswith("--") else f"{option}{value}", RING])
        for key in keys:
            survives(suite, f"{key}={value}", ["replay", "-q", f"gen:incast,{key}={value}"])
        for option in ("--rank-timeout", "--cores", "--share-malloc", "--host-speed", "--np"):
            survives(suite, f"run {option}={value}", ["run", "-q", f"{option}={value}", "/bin/true"], codes=CODES | {1})


def mutated(generator, text):
    """One to three numbers or bytes are replaced."""
    data = bytearray(text.encode())
    for _ in range(generator.randint(1, 3)):
        numbers = list(re_numbers(data))
        if generator.random() < 0.6 and numbers:
            start, end = generator.choice(numbers)
            data[start:end] = generator.choice(NASTY).encode()
        else:
            at = generator.randrange(len(data))
            data[at:at + generator.randint(0, 2)] = bytes(generator.choices(b"0123456789.-e\"<>[]{}=;:,#\n\0\xff", k=generator.randint(0, 3)))
    return bytes(data)


def re_numbers(data):
    return (match.span() for match in re.finditer(rb"[0-9][0-9.e]*", bytes(data)))


def survives(suite, what, words, detail="", codes=CODES):
    result = suite.run([MPIRAGE, *words], cwd=suite.folder, timeout=30)
    good = result.code in codes and "panicked" not in result.err and "overflow" not in result.err
    suite.check(f"{what}: no panic, no hang, a documented code", good, (result, detail))
