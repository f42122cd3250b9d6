#!/usr/bin/env python3
"""Writes the network presets from the published tables beside this file: tests/presets/derive.py [PRESET...]

A message of s bytes between two hosts on one switch takes

    send overhead + interface delay + latency of the cables + bytes on the wire / rate

of which the tables give the sum (latency.csv) and the time per message of a window of 64 (bandwidth.csv). The time per message at
sizes that do not fill the wire is the overhead of a non-blocking send. What else the sum needs is the delay in interfaces: buses and
buffers that a message crosses, which do not limit how many follow each other. Both are straight lines between the sizes of the
tables. What the receiver's processor does shows in a table of windows in both directions (both.csv): a processor that sends and receives takes longer than
one that only sends. Where there is none, the share of the network that BOTH_AS names is assumed; otherwise it is part of the delay. The same table says how
much two directions take from each other (cross-traffic). The simulator itself says what is missing, so that rendezvous and framing count as they are simulated.

Rates, switches, headers, limits and sources are those of KNOWN; nothing else is chosen by hand."""

import csv
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from harness import MPIRAGE

PRESETS = ROOT / "crates" / "network" / "platform" / "presets"
WINDOW = 64
ROUNDS = 14


@dataclass
class Known:
    """What is known of a network besides its curves."""

    meaning: str
    follows: str
    sources: list
    cable: float  # nanoseconds of a cable and half of a switch
    frame: int
    frame_header: int
    eager: int
    handshake: str
    profile: str
    gap: float = 0.0  # nanoseconds from one message to the next at an interface
    rate: float = 0.0  # MB/s of payload, if not the largest of bandwidth.csv
    shape: str = "cluster"
    loopback: str = ""
    notes: list = field(default_factory=list)


S1 = "S1: stackhpc/hpc-tests, output/{alaska,csd3}/.../omb, 2020"
S3 = "S3: converged-computing/performance-study, analysis/osu-benchmarks/data/*-32-*.csv, 2024"
S5 = "S5: OCI HPC tutorials (Oracle Japan), BM.GPU4.8: 1.67 us at 1 B, 12254 MB/s at 256 MiB"
S6 = "S6: eth-cscs/sarus, doc/cookbook/osu_mb: Piz Daint XC50, OSU 5.3.2"
S7 = "S7: giordano/julia-on-fugaku, which quotes RIKEN's Perf-MPI.pdf, 2022"
S8 = "S8: EESSI/docs blog 2026-05: Olivia GH200, device buffers, Open MPI"
S9 = "S9: converged-computing/flux-usernetes, aws/experiment/final/results-osu/bare-metal, 2025: median of 20"
S16 = "S16: eth-cscs/cscs-docs, communication/openmpi.md, 2026: Alps GH200, host buffers, Open MPI"
S17 = "S17: openucx/ucx #3196, 2019: osu_put_bw over PSM2, 12247 to 12381 MB/s from 256 KiB on"
DAHU = "Ezibenroc/calibration_analysis, dahu/mpi/calibration.org, 2018: regression of ping-pongs, Send, Isend and Recv"
UCX = "UCX 9466d10 (constants of the library): wire side of IB 0.6 us, post overhead 40 ns"
IB_FRAME = "Frame: IB specification as quoted: LRH 8, BTH 12, ICRC 4, VCRC 2, delimiters 2; MTU 4096"
ONE_SWITCH = "The path that was measured is taken to cross one switch; no source says so."
NO_HOP = "No figure for a switch hop was found; that of the cable is assumed, and the delay of interfaces is the rest of the sum."

KNOWN = {
    "edr": Known(
        "InfiniBand EDR 100 Gbit/s, ConnectX-4, Open MPI 4 with UCX",
        "EDR-a: 2 x E5-2683v4, Open MPI 4 + UCX [S1]",
        [S1, UCX, IB_FRAME, "Switch: CODES Summit model, router_delay 60 to 90 ns"],
        45, 4096, 28, 16384, "read", "rdma", gap=9.0,
        notes=["gap: 110.9 M messages/s of 16 pairs [S1].", "Intel MPI over verbs on the same nodes takes 1.50 us at 0 B [S1]."]),
    "hdr100": Known(
        "InfiniBand HDR100, ConnectX-6 at 100 Gbit/s, Open MPI 3 with UCX",
        "HDR100: 2 x Xeon 8276, Open MPI 3.1.6 + UCX [S1]",
        [S1, UCX, IB_FRAME, "Switch: QM8790 product brief, less than 130 ns"],
        65, 4096, 28, 16384, "read", "rdma", gap=10.2, notes=["gap: 98.5 M messages/s of 16 pairs [S1]."]),
    "hdr200": Known(
        "InfiniBand HDR 200 Gbit/s, ConnectX-6, Azure HBv3",
        "HDR200-a: Azure HBv3 VM, CycleCloud, median of 84 [S3]",
        [S3, "S4: public note, Azure HB120rs_v3, OSU 7.4: 8 B to 8 KiB within 5 %", S1, IB_FRAME, "Switch: QM8790 product brief, less than 130 ns"],
        65, 4096, 28, 16384, "read", "rdma", gap=10.2, notes=["gap: that of the same card at 100 Gbit/s [S1]."]),
    "roce25": Known(
        "RoCEv2 over 25 Gbit/s Ethernet, ConnectX-4, Open MPI 4 with UCX",
        "RoCE25: 25GbE port of the card of edr [S1]",
        [S1, "Switch: notes of 2011 and 2012 on Mellanox Ethernet, 230 to 250 ns", "Frame: IB's parts, GRH 40 and the Ethernet and UDP part"],
        120, 4096, 82, 16384, "read", "roce", gap=33.0, notes=["gap: 30.3 M messages/s of 8 to 32 pairs [S1]."]),
    "roce50": Known(
        "RoCEv2 over 50 Gbit/s Ethernet, ConnectX-6, Open MPI 3 with UCX",
        "RoCE50: 50GbE port of the card of hdr100 [S1]",
        [S1, "Switch: notes of 2011 and 2012 on Mellanox Ethernet, 230 to 250 ns", "Frame: IB's parts, GRH 40 and the Ethernet and UDP part"],
        120, 4096, 82, 16384, "read", "roce", gap=10.2, notes=["gap: that of the same card over InfiniBand [S1]."]),
    "roce100": Known(
        "RoCEv2 over 100 Gbit/s Ethernet, OCI cluster network, Open MPI 5 with UCX",
        "RoCE100 at both of its points [S5]; in between, RoCE50 [S1] with that rate and 0.23 us more",
        [S5, S1, "Switch: notes of 2011 and 2012 on Mellanox Ethernet, 230 to 250 ns", "Frame: IB's parts, GRH 40 and the Ethernet and UDP part"],
        120, 4096, 82, 16384, "read", "roce", gap=10.2, rate=12254.0,
        notes=["Non-blocking sends: those of roce50. gap: that of its card [S1]."]),
    "opa100": Known(
        "Omni-Path 100 Gbit/s, PSM2, Open MPI",
        "dahu of Grid'5000: regression of its ping-pongs (the file gives only the rate of the network)",
        [DAHU, S17, "Switch: SST/macro's OPA model, 100 ns crossbar and 100 ns link"],
        150, 8192, 64, 64000, "read", "rdma", rate=12346.0,
        notes=["Non-blocking sends: 0.693 us at 0 B, measured on dahu.", "Frame: 8 KiB and 64 B are assumed; only CN5000's MTU of 10 KiB was found."]),
    "slingshot11": Known(
        "HPE Slingshot 11, 200 Gbit/s, libfabric CXI, Open MPI on GH200",
        "SS11-gpu-a (latency, device buffers) [S8] and Alps GH200 with Open MPI (rate, host buffers) [S16]",
        [S8, S16, "Switch: De Sensi et al., SC20, as summarised: about 350 ns", "CSCS: 256 B 2.3 us (+60 %), 4 MiB 180 us, 24000 MB/s (-15 %)",
         "Eager limit: fi_cxi.7, cxip_info.c: 16384 B and 2049 B of the request"],
        175, 4096, 64, 18433, "read", "rdma",
        notes=["EPYC hosts send two to three times as many small messages (S14, S15: 2.0 to 2.6 M/s).", "Frame: 64 B of header are assumed; no source was found."]),
    "aries": Known(
        "Cray Aries (XC), cray-mpich",
        "Aries: Piz Daint XC50 [S6]",
        [S6, "CSCS: 256 B 1.15 us, 4 MiB 432 us", "Eager limit: ECMWF, Further MPI Programming, 2015: 8192 B"],
        50, 2048, 0, 8192, "read", "rdma", rate=9751.0, notes=[NO_HOP, "Rate: slope of the latency from 1 MiB to 4 MiB."]),
    "tofud": Known(
        "Fujitsu Tofu interconnect D, Fugaku",
        "TofuD: IMB PingPong, RIKEN's own table [S7]",
        [S7, "Eager limit: jump of the table between 8 KiB and 16 KiB", "Link: 28 Gbit/s x 2 lanes, 6.8 GB/s nominal"],
        100, 1920, 0, 16384, "read", "rdma", rate=6345.0, shape="torus", notes=[NO_HOP, "Rate: slope of the latency from 256 KiB to 4 MiB."]),
    "efa-hpc7g": Known(
        "Amazon EFA 200 Gbit/s, hpc7g",
        "EFA-hpc7g: hpc7g.4xlarge, median of 20 [S9]",
        [S9, "Eager limit: fi_efa.7, jump measured from 64 KiB to 128 KiB"],
        500, 8192, 64, 131072, "grant", "rdma", notes=[NO_HOP, "Frame: about 8 KiB (fi_efa.7); 64 B of header are assumed."]),
    "efa-hpc6a": Known(
        "Amazon EFA 100 Gbit/s, hpc6a",
        "EFA-hpc6a: hpc6a.48xlarge, median of 28 pairs [S3]",
        [S3, "S10: aws-parallelcluster #6449, 2025: 10.4 us at 8 B in a placement group", "Eager limit: fi_efa.7, jump measured from 64 KiB to 128 KiB",
         "Within a node: libfabric PR 8680, 2023, sm2: 0.23 us, 0.66 us at 4 KiB"],
        500, 8192, 64, 131072, "grant", "rdma", loopback='{ bandwidth = "9.5GBps", latency = "230ns" }',
        notes=[NO_HOP, "Frame: about 8 KiB (fi_efa.7); 64 B of header are assumed."]),
    "10gige-tcp": Known(
        "TCP over 10 Gbit/s Ethernet, Open MPI, Grid'5000's Taurus",
        "Taurus 2016: medians of 33,100 ping-pongs of random sizes within 17 % of the sizes of the table",
        ["platform-calibration, taurus2016_PingPong.csv, 2016 (MIT licence)", "Limit: taurus2016_breakpoints and smpi/async-small-thresh of taurus.xml, 65536 B"],
        500, 1448, 66, 65536, "grant", "openmpi-tcp", rate=786.0,
        notes=[NO_HOP, "Rate: slope of the latency from 256 KiB to 1 MiB.", "Overhead of sends: smpi/ois of taurus.xml."]),
    "gige-tcp": Known(
        "TCP over 1 Gbit/s Ethernet, Open MPI, Grid'5000's griffon",
        "griffon: the factors by size that the SMPI paper found (those of `flow:factors` and `simgrid`), at the ends of their sections",
        ["Clauss et al., Single node on-line simulation of MPI applications with SMPI, IPDPS 2011: griffon, 125 MB/s and 24 us per cable",
         "nw-grid.ac.uk/LivMPI: 118.2 MB/s through a switch; its 23.6 us for small messages are of another card"],
        24_000, 1448, 66, 65536, "grant", "openmpi-tcp", rate=125.0 * 1448 / 1514, notes=["Overhead of sends: that of 10gige-tcp."]),
}
# Networks of the same kind, whose windows in both directions were measured.
BOTH_AS = {"edr": "edr", "hdr100": "edr", "hdr200": "edr", "roce25": "roce25", "roce50": "roce25", "roce100": "roce25"}
# Networks whose rates with 32 ranks per interface were measured (crowd.csv), and those that are taken to have the same card: with 16 ranks
# messages follow each other faster. hdr100 itself has 78.6, 9.83 and 2.85 M messages/s of 8 B, 1 KiB and 4 KiB there, edr 82.5, 9.91 and 2.92.
CROWD_AS = {"edr": "edr", "hdr100": "edr"}
CROWD = 16
# Seconds of a non-blocking send of 0 B, where no window was measured.
ISEND = {"opa100": 0.693e-6, "10gige-tcp": 3.66e-6, "gige-tcp": 3.66e-6}


def table(name, key, value, scale):
    """A CSV file as {preset: {bytes: value}}."""
    found = {}
    with open(HERE / f"{name}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["preset"], {})[int(row[key])] = float(row[value]) * scale
    return found


LATENCY = table("latency", "bytes", "microseconds", 1e-6)
BANDWIDTH = table("bandwidth", "bytes", "megabytes_per_second", 1e6)
CROWDED = table("crowd", "bytes", "nanoseconds_per_message", 1e-9)
BOTH = table("both", "bytes", "megabytes_per_second", 1e6)


# Two points of RoCE100 are published; the curve between them is that of RoCE50 at the other rate.
BANDWIDTH["roce100"] = {}
LATENCY["roce100"] = {size: seconds + size * (1 / 12254e6 - 1 / 5785e6) + 0.23e-6 for size, seconds in LATENCY["roce50"].items()}
ISEND["roce100"] = 0.13e-6


# The factors of the SMPI paper: from so many bytes on, times the latency of the route and the rate of the cable.
FACTORS = [(0, 2.01467, 0.812084), (257, 1.95341, 0.338112), (732, 1.9503, 0.341987), (1426, 1.61075, 0.608902), (3484, 1.88101, 0.77493),
           (5776, 2.18796, 1.08739), (9376, 2.59299, 0.58729), (15424, 3.48845, 0.697866), (65472, 11.6436, 0.940694)]


def griffon(size):
    """Seconds of a message between two hosts of griffon's switch, by these factors: two cables, and 16 bytes of header."""
    _, latency, rate = [factors for factors in FACTORS if factors[0] < size + 16][-1]
    return latency * 2 * 24e-6 + (size + 16) / (rate * 125e6)


# A section begins one byte behind the end of the one before.
ENDS = sorted(size for start, *_ in FACTORS[1:] for size in (start - 16, start - 15))
LATENCY["gige-tcp"] = {size: griffon(size) for size in [0, *ENDS, 1 << 18, 1 << 20, 1 << 22]}


class Fit:
    """One preset on its way."""

    def __init__(self, name):
        self.name, self.known = name, KNOWN[name]
        self.latency, self.bandwidth = LATENCY[name], BANDWIDTH.get(name, {})
        self.rate = (self.known.rate * 1e6 or max(self.bandwidth.values()))
        self.sizes = sorted(self.latency)
        first = self.latency[self.sizes[0]]
        self.isend = self.first_isend(first)
        self.delay = {size: 0.0 for size in self.sizes}
        self.receive = self.first_receive()
        self.cross = self.cross_traffic()
        self.off = 0.0

    def first_isend(self, first):
        """The time per message of a window, without that of its first message and its answer."""
        alone = ISEND.get(self.name, 0.2 * first)
        if len(self.bandwidth) < 4:
            return {0: alone}
        isend = {}
        for size, rate in sorted(self.bandwidth.items()):
            each, wire = size / rate, size / self.rate
            if wire > 0.85 * each:
                # From here on, nothing is copied.
                isend[size] = isend[min(isend)]
                break
            isend[size] = max(each - (self.latency.get(size, first) + first) / WINDOW, 2e-8)
        # Windows of rendezvous messages say nothing about short ones.
        return isend if min(isend) < self.known.eager else {0: alone, self.known.eager: alone, **isend}

    def first_receive(self):
        """What a received message costs its processor: a window in both directions takes so much longer than in one."""
        like = BOTH_AS.get(self.name)
        if not like:
            return {}
        both, one = BOTH[like], BANDWIDTH[like]
        shares = {}
        for size in sorted(set(both) & set(one)):
            each, pair = size / one[size], 2 * size / both[size]
            if size / max(one.values()) > 0.5 * each:
                break
            shares[size] = max(0.0, pair - each) / each
        # A receiver that takes longer than a message of a window in one direction would have shown there: at 256 B something else is slow.
        shares = {size: share for size, share in shares.items() if share <= 1}
        own = {size: size / rate for size, rate in self.bandwidth.items()}
        costs = {size: share * at(own, size) for size, share in shares.items()}
        # From the rendezvous on, the interface reads; what the processor does is part of the delay.
        return costs | {self.known.eager - 1: costs[max(costs)], self.known.eager: 0.0}

    def cross_traffic(self):
        """The part of its bytes that a flow takes from the other direction."""
        like = BOTH_AS.get(self.name)
        return max(0.0, 2 * max(BANDWIDTH[like].values()) / max(BOTH[like].values()) - 1) if like else 0.0

    def overhead(self, share):
        """The overhead of non-blocking sends, at most a share of what is not on the wire."""
        nodes = {}
        for size in self.sizes:
            budget = self.latency[size] - size / self.rate - 2e-9 * self.known.cable
            nodes[size] = max(0.0, min(at(self.isend, size), share * budget))
        return nodes

    def model(self):
        """The [model] table."""
        known = self.known
        lines = ["[model]", f"frame = {known.frame}", f"frame-header = {known.frame_header}", "header = 16", "control = 64", 'software = "0s"']
        lines += [f'gap = "{known.gap:g}ns"', f"cross-traffic = {self.cross:.3f}", f"eager-limit = {known.eager}", f"push-limit = {known.eager}"]
        lines += [f'handshake = "{known.handshake}"']
        if self.name in CROWD_AS:
            crowded = CROWDED[CROWD_AS[self.name]] | {4096: 1e-9 * known.gap}
            lines += [f"crowd = {CROWD}", f"crowded-gap = {sections(crowded)}"]
        if known.profile == "openmpi-tcp":
            # The tables contain how late receivers were.
            lines.append("late-share = 0.0")
        if self.receive:
            lines.append(f"recv-overhead = {sections(self.receive)}")
        lines += [f"isend-overhead = {sections(self.isend)}", f"send-overhead = {sections(self.overhead(0.4))}"]
        lines += [f"interface-delay = {sections(self.delay)}"]
        return "\n".join(lines) + "\n"

    def link(self):
        known = self.known
        wire = self.rate * (known.frame + known.frame_header) / known.frame
        return f'bandwidth = "{wire / 1e9:.4g}GBps"\nlatency = "{known.cable:g}ns"\n'

    def text(self):
        """The preset's file."""
        known = self.known
        comment = "".join(f"# {line}\n" for line in [f"{known.meaning}. Written by tests/presets/derive.py.", *known.notes, ONE_SWITCH])
        sources = ",\n".join(f"  {source!r}".replace("'", '"') if '"' not in source and "'" not in source else f'  "{source}"' for source in known.sources)
        loopback = f"loopback = {known.loopback}\n" if known.loopback else ""
        head = f'meaning = "{known.meaning}"\nfollows = "{known.follows}"\nsources = [\n{sources},\n]\nprofile = "{known.profile}"\n{loopback}'
        # The latency of a cable contains half of a switch.
        packet = '\n[packet]\nswitch-delay = "0s"\n'
        return f"{comment}\n{head}\n[link]\n{self.link()}\n{self.model()}{packet}"

    def improve(self, measured, program, last):
        """Adds what the simulated times lack."""
        platform = measured / f"{self.name}.toml"
        shape = {"cluster": "[cluster]\nhosts = 2\n", "torus": "[torus]\ndimensions = [2]\n"}[self.known.shape]
        platform.write_text(f'{shape}speed = "10Gf"\n{self.link()}\n{self.model()}')
        simulated = simulate(program, platform, self.known.profile, "latency", self.sizes)
        worst = 0.0
        for size in self.sizes:
            lacks = self.latency[size] - simulated[size]
            worst = max(worst, abs(lacks) / self.latency[size])
            self.delay[size] = max(0.0, self.delay[size] + lacks)
        if not last:
            self.off = 0.0
        if len(self.bandwidth) >= 4 and not last:
            windows = sorted(set(self.isend) & set(self.bandwidth))
            rates = simulate(program, platform, self.known.profile, "rate", windows)
            for size in windows:
                # Half, so that it settles.
                lacks = size / self.bandwidth[size] - 1e-6 / rates[size]
                self.isend[size] = max(2e-8, self.isend[size] + lacks / 2)
                self.off = max(self.off, abs(lacks) * self.bandwidth[size] / size)
        return worst


def at(nodes, size):
    """The straight line between nodes, and their first and last value beyond them."""
    size = min(max(size, min(nodes)), max(nodes))
    below = max(node for node in nodes if node <= size)
    above = min((node for node in nodes if node > size), default=below)
    share = (size - below) / (above - below) if above > below else 0.0
    return nodes[below] + (nodes[above] - nodes[below]) * share


def sections(nodes):
    """Nodes as a list of a [model] table."""
    sizes, lines = sorted(nodes), []
    for size, after in zip(sizes, sizes[1:] + [None]):
        slope = (nodes[after] - nodes[size]) / (after - size) if after else 0.0
        # Neither part may be negative: such a line becomes a constant, or one from the origin, and a step follows.
        slope = max(0.0, min(slope, nodes[size] / size if size else slope))
        start = 0 if size == sizes[0] else size
        constant = max(0.0, nodes[size] - slope * size)
        per_byte = f', per-byte = "{slope * 1e9:.4g}ns"' if slope else ""
        line = (f'seconds = "{constant * 1e9:.4g}ns"{per_byte}', start)
        if not lines or lines[-1][0] != line[0]:
            lines.append(line)
    lines = [f"  {{ from = {start}, {line} }}" for line, start in lines]
    return "[\n" + ",\n".join(lines) + ",\n]"


def simulate(program, platform, profile, test, sizes):
    """{bytes: microseconds as seconds, or million messages per second}."""
    command = [MPIRAGE, "run", "-q", "-n", "2", "-p", platform, "--mpi-profile", profile, "--compute", "none", program, test, *map(str, sizes)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{platform}: {ended.stderr}")
    rows = [line.split() for line in ended.stdout.splitlines() if line.startswith(test)]
    scale = 1e-6 if test == "latency" else 1.0
    return {int(row[2]): float(row[3]) * scale for row in rows}


def main():
    """Derives the presets that are named, or all."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "osu_like"
        subprocess.run([MPIRAGE, "cc", "-O1", ROOT / "tests/presets/osu_like.c", "-o", program], check=True)
        for name in sys.argv[1:] or KNOWN:
            fit = Fit(name)
            for turn in range(ROUNDS):
                # At the end, overheads stay as they are and only delays follow.
                worst = fit.improve(folder, program, last=turn >= ROUNDS - 3)
            print(f"{name}: largest deviation of the latency {100 * worst:.2f} %, of the time per message of a window {100 * fit.off:.1f} %")
            (PRESETS / f"{name}.toml").write_text(fit.text(), encoding="utf-8")


main()
