#!/usr/bin/env python3
"""Real MPI libraries on networks of your choice, on this machine, and simulated times beside them.

    tests/packet/network.py measure TOPOLOGY LIBRARY FILE BENCH BYTES[,BYTES…] [BENCH BYTES…]…      (as root)
    tests/packet/network.py compare [--model MODEL,…] [--seeds N] [--errors FILE] [--check] FILE…

TOPOLOGY is star:HOSTS,RATE,DELAY, or cabinets:SWITCHESxHOSTS,RATE,DELAY,TRUNK_RATE,TRUNK_DELAY, or line: with the same, with Mbit/s and microseconds
per direction of a cable. Switches of cabinets hang at one more switch, each by its trunk; in a line each trunk joins two neighbours. LIBRARY is mpich or ompi, Debian's packages. BENCH and BYTES are those of the program of the
testbed (measured.py says where it is). `measure` appends medians over repeats of the slowest rank to FILE.

Each rank lives in a network namespace, with the settings of the testbed; linux/switch.c is the network. The queue of a host is the kernel's own, drained at
the rate of its cable. Polls that find nothing sleep (linux/patient.c), so that two processors are enough for many ranks on a slow network. Anything else that
runs on the machine makes small messages late: measure twice."""

import argparse
import collections
import contextlib
import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import measured

HERE = pathlib.Path(__file__).resolve().parent
LINUX = HERE / "linux"
MPIRAGE = os.environ.get("MPIRAGE", str(measured.ROOT / "target" / "release" / "mpirage"))
PREFIX, QUEUE, REPEATS = "mpirage-", 1 << 20, 5
SETTINGS = {"tcp_limit_output_bytes": "4096", "tcp_rmem": "4096 131072 33554432", "tcp_wmem": "4096 16384 4194304", "tcp_no_metrics_save": "1", "tcp_ecn": "0",
            "tcp_congestion_control": "cubic"}
COLLECTIVES = {"ompi": "openmpi-4.1", "mpich": "mpich-4.0"}
PROFILES = {"ompi": "openmpi-tcp", "mpich": "mpich-tcp"}
HEAD = ["topology", "library", "bench", "bytes", "seconds", "fastest", "slowest", "repeats"]
FACTORS, NO_OPTIONS = "factors", "no-options"
MEAN = {"flow": 0.06, "packet": 0.03}
# PMIx tells its clients an address of the loopback device, which each namespace has for itself.
OPEN_MPI_RANK = """
port=$(env | sed -n 's/^PMIX_SERVER_URI.*:\\([0-9]*\\)$/\\1/p' | head -1)
coproc RELAY { exec "$0" "$2$OMPI_COMM_WORLD_RANK" "$port" 2> /dev/null; }
read -r -u "${RELAY[0]}" ready
exec ip netns exec "$2$OMPI_COMM_WORLD_RANK" env LD_PRELOAD="$1" nice -n -15 "${@:3}"
"""


class Topology:
    """Hosts, links (bits per second, microseconds) and routes."""

    def __init__(self, text):
        self.text = text
        kind, _, rest = text.partition(":")
        shape, *numbers = rest.split(",")
        if kind not in ("star", "cabinets", "line") or len(numbers) != (2 if kind == "star" else 4):
            sys.exit(f"network: {text} is neither star:HOSTS,RATE,DELAY nor cabinets:SWITCHESxHOSTS,RATE,DELAY,TRUNK_RATE,TRUNK_DELAY nor such a line:")
        self.switches, self.each = (1, int(shape)) if kind == "star" else map(int, shape.split("x"))
        self.hosts, self.is_line = self.switches * self.each, kind == "line"
        self.cable, self.trunk = numbers[:2], numbers[2:]

    def routes(self):
        """From, to, links: a host's own links are 2h (up) and 2h + 1 (down), then come the trunks."""
        for source in range(self.hosts):
            for target in range(self.hosts):
                here, there = source // self.each, target // self.each
                if source != target:
                    trunks = [2 * self.hosts + link for link in self.trunks_between(here, there)]
                    yield source, target, [2 * source, *trunks, 2 * target + 1]

    def trunks_between(self, here, there):
        """Trunk i has the links 2i, away from its switch or to the next one, and 2i + 1, back."""
        if here == there:
            return []
        if not self.is_line:
            return [2 * here, 2 * there + 1]
        return [2 * trunk for trunk in range(here, there)] or [2 * trunk + 1 for trunk in reversed(range(there, here))]

    def trunks(self):
        """The ends of each trunk."""
        names = [f"switch-{switch}" for switch in range(self.switches)]
        return list(zip(names, names[1:])) if self.is_line else [(name, "middle") for name in names] if self.trunk else []

    def network(self):
        """What linux/switch.c reads."""
        link = lambda rate, delay: f"link {float(rate) * 1e6} {round(float(delay) * 1000)} {QUEUE}"
        lines = [f"hosts {self.hosts}", *[link(*self.cable)] * (2 * self.hosts), *(link(*self.trunk) for _ in self.trunks() for _ in (0, 1))]
        return "\n".join([*lines, *(f"route {source} {target} {' '.join(map(str, links))}" for source, target, links in self.routes())]) + "\n"

    def platform(self):
        """The same for mpirage."""
        link = lambda name, rate, delay: f'[[link]]\nname = "{name}"\nbandwidth = "{rate}Mbps"\nlatency = "{delay}us"'
        route = lambda start, end, name: f'[[route]]\nfrom = "{start}"\nto = "{end}"\nlinks = ["{name}:up"]\nsymmetrical = true'
        parts = ['name = "network"\nrouting = "shortest"', *(f'[[host]]\nname = "host-{host}"\nspeed = "1Gf"\ncores = 1' for host in range(self.hosts))]
        routers = [*(f"switch-{switch}" for switch in range(self.switches)), *(["middle"] if self.trunk and not self.is_line else [])]
        parts += [f'[[router]]\nname = "{router}"' for router in routers]
        parts += [link(f"cable-{host}", *self.cable) for host in range(self.hosts)]
        parts += [route(f"host-{host}", f"switch-{host // self.each}", f"cable-{host}") for host in range(self.hosts)]
        for trunk, (start, end) in enumerate(self.trunks()):
            parts += [link(f"trunk-{trunk}", *self.trunk), route(start, end, f"trunk-{trunk}")]
        return "\n".join([*parts, f'[packet]\nqueue = {QUEUE}\n[model]\nwake-up = "60us"', ""])


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, **more)


@contextlib.contextmanager
def allowed():
    """Namespaces may use TCP's congestion control of the settings, as long as they are needed."""
    path = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
    before = path.read_text()
    path.write_text(f"{before.strip()} {SETTINGS['tcp_congestion_control']}")
    try:
        yield
    finally:
        path.write_text(before)


@contextlib.contextmanager
def emulated(topology, folder):
    """The network, as long as it is needed."""
    names = [f"{PREFIX}{host}" for host in range(topology.hosts)]
    run("gcc", "-O2", LINUX / "switch.c", "-o", folder / "switch")
    for name in names:
        run("ip", "netns", "add", name)
        run("ip", "netns", "exec", name, "sysctl", "-q", "-w", *(f"net.ipv4.{key}={value}" for key, value in SETTINGS.items()))
    switch = subprocess.Popen([folder / "switch", PREFIX], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        switch.stdin.write(topology.network())
        switch.stdin.close()
        if switch.stdout.readline() != "ready\n":
            sys.exit("network: the switch did not start")
        for name in names:
            run("ip", "-n", name, "link", "set", "net0", "gso_max_segs", "1")
            run("ip", "netns", "exec", name, "tc", "qdisc", "replace", "dev", "net0", "root", "tbf", "rate", f"{topology.cable[0]}mbit", "burst", "1514", "limit", "4mb", "overhead", "14")
        yield
    finally:
        switch.terminate()
        switch.wait()
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def launch(library, ranks, folder, arguments):
    """The command that starts the program, a rank in each namespace."""
    program, patient = folder / "bench", folder / "patient.so"
    run("gcc", "-O2", "-shared", "-fPIC", LINUX / "patient.c", "-o", patient)
    run(f"mpicc.{'mpich' if library == 'mpich' else 'openmpi'}", "-O2", "-w", measured.PROGRAM, "-o", program)
    if library == "mpich":
        rank = f'exec ip netns exec {PREFIX}$PMI_RANK env LD_PRELOAD={patient} nice -n -15 {program} "$@"'
        return ["mpirun.mpich", "-n", ranks, "sh", "-c", rank, "rank", *arguments], {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "net0", "NOFINALIZE": "1"}
    options = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "net0"]
    rank = ["bash", "-c", OPEN_MPI_RANK, LINUX / "relay.py", patient, PREFIX, program, *arguments]
    return ["mpirun.openmpi", *options, "--mca", "mpi_yield_when_idle", "1", "-n", ranks, *rank], {}


def slowest(text):
    """Seconds of the slowest rank of each repeat, by bench and bytes."""
    seconds = collections.defaultdict(lambda: collections.defaultdict(float))
    for row in csv.reader(text.splitlines()):
        if len(row) == 8:
            bench, _, _, _, size, _, value, repeat = row
            seconds[bench, int(size)][repeat] = max(seconds[bench, int(size)][repeat], float(value))
    return {key: list(repeats.values()) for key, repeats in seconds.items()}


def measure(options):
    if os.geteuid():
        sys.exit("network: only root can make network namespaces")
    topology = Topology(options.topology)
    with tempfile.TemporaryDirectory() as folder, allowed(), emulated(topology, pathlib.Path(folder)):
        command, variables = launch(options.library, topology.hosts, pathlib.Path(folder), [options.library, "network", REPEATS, *options.benches])
        done = run(*command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, timeout=900)
    new = not options.file.exists()
    with open(options.file, "a") as file:
        table = csv.writer(file, lineterminator="\n")
        if new:
            table.writerow(HEAD)
        for (bench, size), seconds in slowest(done.stdout).items():
            figures = (f"{value:.6f}" for value in (statistics.median(seconds), min(seconds), max(seconds)))
            table.writerow([topology.text, options.library, bench, size, *figures, len(seconds)])


def named(model, library):
    """The options that name the model and the library."""
    if model == NO_OPTIONS:
        return []
    if model == FACTORS:
        return ["--model", "flow:factors", "--coll", COLLECTIVES[library]]
    return ["--model", model, "--mpi-profile", PROFILES[library], "--coll", COLLECTIVES[library]]


def simulate(model, topology, library, benches, seeds):
    """Medians over seeds, by bench and bytes."""
    samples = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        platform, program = pathlib.Path(folder) / "network.toml", pathlib.Path(folder) / "bench"
        platform.write_text(Topology(topology).platform())
        # Without options, the MPI that a program is built for says which library it has.
        compiler = ["mpicc.mpich"] if (model, library) == (NO_OPTIONS, "mpich") else [MPIRAGE, "cc"]
        run(*compiler, "-O1", "-w", measured.PROGRAM, "-o", program)
        for seed in range(1, seeds + 1):
            machine = ["-n", Topology(topology).hosts, "-p", platform, "--compute", "none", "--share-malloc", "64MiB"]
            done = run(MPIRAGE, "run", "-q", *machine, *named(model, library), "--seed", seed, program, library, "network", 3, *benches, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for key, seconds in slowest(done.stdout).items():
                samples[key].append(statistics.median(seconds))
    return {key: statistics.median(seconds) for key, seconds in samples.items()}


def compare(options):
    rows = [row for path in options.files for row in csv.DictReader(open(path))]
    if not measured.PROGRAM.exists():
        return print("network: the program of the testbed is not there: skipped")
    errors, models = collections.defaultdict(list), options.model.split(",")
    for topology, library in dict.fromkeys((row["topology"], row["library"]) for row in rows):
        wanted = {(row["bench"], int(row["bytes"])): float(row["seconds"]) for row in rows if (row["topology"], row["library"]) == (topology, library)}
        sizes = collections.defaultdict(list)
        for bench, size in wanted:
            sizes[bench.removesuffix("_all")].append(str(size))
        benches = [word for bench, values in sizes.items() for word in (bench, ",".join(dict.fromkeys(values)))]
        simulated = {model: simulate(model, topology, library, benches, options.seeds) for model in models}
        print(f"{topology}, {library}: milliseconds, measured and simulated, with the ratio")
        for (bench, size), seconds in wanted.items():
            ratios = {model: simulated[model][bench, size] / seconds for model in models}
            for model, ratio in ratios.items():
                errors[model].append((math.exp(abs(math.log(ratio))) - 1, f"{topology} {library} {bench} {size}"))
                if options.errors:
                    measured.add_errors(options.errors, topology, model, [(bench, size, errors[model][-1][0])])
            print(f"{bench:14}{size:8}{1e3 * seconds:10.2f}" + "".join(f"{1e3 * simulated[model][bench, size]:10.2f} {ratio:6.3f}" for model, ratio in ratios.items()))
    missed = False
    for model in models:
        mean, (worst, where) = statistics.mean(error for error, _ in errors[model]), max(errors[model])
        missed |= mean > MEAN.get(model, math.inf)
        print(f"{model}: {len(errors[model])} series, mean {100 * mean:.1f} %, worst {100 * worst:.1f} % ({where})")
    sys.exit(missed and options.check)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("topology")
    measuring.add_argument("library", choices=PROFILES)
    measuring.add_argument("file", type=pathlib.Path)
    measuring.add_argument("benches", nargs="+")
    measuring.set_defaults(act=measure)
    comparing = commands.add_parser("compare")
    comparing.add_argument("--model", default="flow,packet")
    comparing.add_argument("--seeds", type=int, default=4)
    comparing.add_argument("--errors", type=pathlib.Path, metavar="FILE", help="append the error of each series to it, for trust.py")
    comparing.add_argument("--check", action="store_true", help="end with 1 if a mean is too large")
    comparing.add_argument("files", nargs="+", type=pathlib.Path)
    comparing.set_defaults(act=compare)
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
