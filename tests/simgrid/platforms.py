"""Compares simulated times with SimGrid's own on platforms with bypasses, profiles, disks and peers, case by case, to 1e-6 relative.

    platforms.py                     all cases, SimGrid against $MPIRAGE (default target/release/mpirage)
    platforms.py --filter profile    only cases whose name contains this

The other options are those of compare.py. Needs Debian's libsimgrid-dev; says so and passes without it. Prints a table and at the end
`N passed, N failed`.
"""

import shutil
import sys
import tempfile

from compare import MPIRAGE, Bench, Case, Failed, compare, document, parse_options


def zone(body, routing="Full"):
    return document(f'<zone id="w" routing="{routing}">\n{body}\n</zone>')


# --- bypasses

def bypassed():
    """Hosts around a router, and two of them with a way of their own in one direction."""
    hosts = range(4)
    lines = [f'<host id="n{i}" speed="1Gf"/>' for i in hosts] + ['<router id="r"/>']
    lines += [f'<link id="l{i}" bandwidth="125MBps" latency="{50 + i}us"/>' for i in hosts]
    lines += ['<link id="fast" bandwidth="500MBps" latency="5us"/>']
    lines += [f'<route src="n{i}" dst="r"><link_ctn id="l{i}"/></route>' for i in hosts]
    lines += ['<bypassRoute src="n0" dst="n1"><link_ctn id="fast"/></bypassRoute>']
    return zone("\n".join(lines), "Floyd")


def bypassed_zones():
    """Two clusters in a zone and one beside it, and bypasses between them, one to a host that is its own gateway."""
    cluster = lambda name, first: (f'<cluster id="{name}" prefix="n" suffix="" radical="{first}-{first + 1}" speed="1Gf" '
                                   'bw="125MBps" lat="50us"/>')
    route = lambda tag, a, b, gates, link: (f'<{tag} src="{a}" dst="{b}" gw_src="{gates[0]}" gw_dst="{gates[1]}">'
                                            f'<link_ctn id="{link}"/></{tag}>')
    inner = (f'<zone id="i" routing="Full">{cluster("a", 0)}{cluster("b", 2)}<link id="ab" bandwidth="1GBps" latency="10us"/>'
             + route("zoneRoute", "a", "b", ("na_router", "nb_router"), "ab") + '</zone>')
    links = '<link id="ic" bandwidth="1GBps" latency="100us"/><link id="bc" bandwidth="100MBps" latency="20us"/>'
    return zone(inner + cluster("c", 4) + links + route("zoneRoute", "i", "c", ("na_router", "nc_router"), "ic")
                + route("bypassZoneRoute", "b", "c", ("n2", "n4"), "bc")
                + route("bypassASroute", "c", "b", ("nc_router", "nb_router"), "bc"))


# --- profiles

# SimGrid 3.32 cannot connect a <trace> to a link: it refuses profiles of links that are sealed. So profiles of links are files, and the others
# are traces.
ATTRIBUTES = {"BANDWIDTH": "bandwidth_file", "LATENCY": "latency_file", "LINK_AVAIL": "state_file"}


def with_profiles(name, body, profiles):
    """A platform with profiles of its hosts and links, and the files that it needs."""
    files, traces, connections = {}, "", ""
    for number, (kind, element, text, *period) in enumerate(profiles):
        if kind in ATTRIBUTES:
            file = f"{name}-{number}.profile"
            files[file] = text + "\n"
            body = body.replace(f'<link id="{element}"', f'<link id="{element}" {ATTRIBUTES[kind]}="{file}"')
        else:
            traces += f'<trace id="t{number}" periodicity="{period[0] if period else -1}">\n{text}\n</trace>\n'
            connections += f'<trace_connect kind="{kind}" trace="t{number}" element="{element}"/>\n'
    return zone(body + "\n" + traces).replace("</platform>", connections + "</platform>"), files


def pair(name, *profiles, policy="SHARED", cores=1):
    """Two hosts and a link, with profiles."""
    way = ' direction="UP"' if policy == "SPLITDUPLEX" else ""
    body = (f'<host id="n0" speed="1Gf" core="{cores}"/><host id="n1" speed="1Gf" core="{cores}"/>\n'
            f'<link id="l" bandwidth="125MBps" latency="50us" sharing_policy="{policy}"/>\n'
            f'<route src="n0" dst="n1"><link_ctn id="l"{way}/></route>')
    return with_profiles(name, body, profiles)


def dumbbell(name, *profiles):
    """Two groups of hosts with fast links of their own and one link between the groups, with profiles."""
    hosts = range(8)
    lines = [f'<host id="n{i}" speed="1Gf"/>' for i in hosts]
    lines += [f'<link id="l{i}" bandwidth="1GBps" latency="10us"/>' for i in hosts]
    lines += ['<link id="middle" bandwidth="125MBps" latency="100us"/>']
    for i in hosts:
        for j in range(i + 1, 8):
            crossing = '<link_ctn id="middle"/>' if (i < 4) != (j < 4) else ""
            lines.append(f'<route src="n{i}" dst="n{j}"><link_ctn id="l{i}"/>{crossing}<link_ctn id="l{j}"/></route>')
    return with_profiles(name, "\n".join(lines), profiles)


# --- peers

def peers(more=""):
    """Hosts with coordinates."""
    places = ["25.5 9.4 1.4", "-12.7 -9.9 2.1", "-15.7 9.9 -14.7", "27.1 7.2 0"]
    lines = [f'<peer id="n{i}" coordinates="{place}" speed="1Gf" bw_in="{100 + i}MBps" bw_out="{50 + i}MBps"/>'
             for i, place in enumerate(places)]
    return zone("\n".join(lines) + more, "Vivaldi")


# --- disks

def disks():
    """Two hosts with disks that differ. SimGrid's disks need a list of their files."""
    disk = lambda read, write: (f'<disk id="d" read_bw="{read}" write_bw="{write}"><prop id="size" value="500GiB"/>'
                                '<prop id="mount" value="/scratch"/><prop id="content" value="disk.content"/></disk>')
    return zone(f'<host id="n0" speed="1Gf">{disk("200MBps", "80MBps")}</host>\n'
                f'<host id="n1" speed="1Gf"><prop id="ram" value="100B"/>{disk("100MBps", "40MBps")}</host>\n'
                '<link id="l" bandwidth="125MBps" latency="50us"/><route src="n0" dst="n1"><link_ctn id="l"/></route>'
                ), {"disk.content": "/other 1\n"}


SLOWER = ("BANDWIDTH", "l", "0.004 60e6\n0.012 20e6\n0.05 200e6")
WAVES = ("BANDWIDTH", "l", "0.001 50e6\n0.003 100e6\nLOOPAFTER 0.0025")
PERIOD = ("BANDWIDTH", "l", "PERIODICITY 0.0071\n0.0 50e6\n0.003 100e6")
LATER = ("LATENCY", "l", "0.002 200e-6\n0.02 1e-3\n0.09 10e-6")
SPEED = ("SPEED", "n0", "0.0 0.5\n1.25 1.0\n2.5 0.2\n3.0 2\nLOOPAFTER 0.5")
MIDDLE = ("BANDWIDTH", "middle", "0.01 50e6\n0.04 250e6\n0.05 125e6")
END = ("BANDWIDTH", "l1", "0.005 10e6\n0.1 1e9")
FAR = ("LATENCY", "middle", "0.006 3e-4\n0.025 2e-4")

PLATFORMS = {
    "bypassed": bypassed,
    "bypassed-zones": bypassed_zones,
    "disks": disks,
    "peers": peers,
    "slower": lambda: pair("slower", SLOWER),
    "slower-split": lambda: pair("slower-split", SLOWER, policy="SPLITDUPLEX"),
    "waves": lambda: pair("waves", WAVES),
    "period": lambda: pair("period", PERIOD),
    "later": lambda: pair("later", LATER),
    "both": lambda: pair("both", SLOWER, LATER),
    "unused-state": lambda: pair("unused-state", ("LINK_AVAIL", "l", "0.3 0\n0.9 1")),
    "speed": lambda: pair("speed", SPEED),
    "speed-period": lambda: pair("speed-period", ("SPEED", "n1", "0.25 0.5\n1 2", 1.5)),
    "speed-2-cores": lambda: pair("speed-2-cores", SPEED, cores=2),
    "all": lambda: pair("all", SPEED, SLOWER, LATER),
    "middle": lambda: dumbbell("middle", MIDDLE),
    "middle-and-end": lambda: dumbbell("middle-and-end", MIDDLE, END, FAR),
}


# SimGrid 3.32 loses a message if a link changes while the message pays its latency: ranks then wait for ever. No change of these does.
PINGPONG_SIZES = {
    "slower": (50000, 300000, 1000000, 5000000),
    "slower-split": (50000, 300000, 3000000, 5000000),
    "waves": (50000, 300000, 700000, 1500000, 5000000),
    "period": (50000, 400000, 700000, 1500000, 3000000),
    "later": (50000, 300000, 1000000, 3000000),
    "both": (50000, 1500000, 3000000),
}


def cases():
    for size in (1000, 1000000):
        yield Case(f"bypass s={size}", "pingpong", [5, size], 2, "bypassed")
        yield Case(f"bypass both ways s={size}", "flows", [size, 500000, 1], 4, "bypassed")
        for hosts in (["n0", "n5"], ["n2", "n4"], ["n3", "n4"], ["n5", "n3"]):
            yield Case(f"bypass of zones {'-'.join(hosts)} s={size}", "pingpong", [5, size], 2, "bypassed-zones", hosts=hosts)
    yield Case("bypass of zones alltoall", "alltoall", [100000], 6, "bypassed-zones", "alltoall=linear")
    for platform, sizes in PINGPONG_SIZES.items():
        for size in sizes:
            yield Case(f"profile {platform} s={size}", "pingpong", [4, size], 2, platform)
        yield Case(f"profile {platform} both ways", "flows", [3000000, 0, 1], 2, platform)
    for size in (100, 100000, 1000000):
        yield Case(f"peers s={size}", "pingpong", [5, size], 2, "peers")
        yield Case(f"peers all s={size}", "alltoall", [size], 4, "peers", "alltoall=linear")
    yield Case("peer alone", "pingpong", [5, 10000], 2, "peers", hosts=["n2", "n2"])
    for size in (10000000, 20000000):
        yield Case(f"disks of two hosts s={size}", "files", [size], 2, "disks")
        yield Case(f"disks shared by ranks s={size}", "files", [size], 4, "disks", "simgrid", hosts=["n0", "n0", "n0", "n1"])
    yield Case("profile off while unused", "late", [1000], 2, "unused-state")
    for flops in (1e8, 1e9, 7.7e9):
        yield Case(f"profile speed {flops:.0e} flops", "work", [flops, 3, 100], 2, "speed")
    yield Case("profile speed with a period", "work", [1e9, 5, 100], 2, "speed-period")
    yield Case("profile speed, ranks share a core", "work", [1e9, 3, 100], 3, "speed", hosts=["n0", "n1", "n0"])
    yield Case("profile speed, ranks share two cores", "work", [1e9, 3, 100], 4, "speed-2-cores", hosts=["n0", "n0", "n0", "n1"])
    yield Case("profile of all", "work", [1e7, 1, 500000], 2, "all")
    for platform in ("middle", "middle-and-end"):
        for size, more in ((1000000, 0), (1000000, 500000)):
            yield Case(f"profile {platform} s={size}+{more}", "flows", [size, more, 0], 8, platform)
        yield Case(f"profile {platform} both ways", "flows", [1000000, 500000, 1], 8, platform)


def check_failures(options):
    """A link or host that goes off ends the run on both sides, at the same date."""
    failed = 0
    for kind, element in (("LINK_AVAIL", "l"), ("HOST_AVAIL", "n1")):
        name = f"off {element}"
        if options.filter not in name or options.simgrid_only:
            continue
        with tempfile.TemporaryDirectory(prefix="simgrid-compare.") as folder:
            bench = Bench(folder, MPIRAGE, options.timeout, {"off": lambda: pair("off", (kind, element, "0.01 0\n0.5 1"))})
            case = Case(name, "pingpong", [4, 1000000], 2, "off")
            said = [failure(bench.simgrid, case), failure(bench.ours, case)]
        wrong = not all(said) or "10.000 ms" not in said[1]
        print(f"{name:44} {'FAIL ' + str(said) if wrong else 'ends both runs at 10 ms'}")
        failed += wrong
    return failed


def failure(run, case):
    """What a run says that fails, or nothing."""
    try:
        run(case)
    except Failed as error:
        return str(error)
    return ""


if __name__ == "__main__":
    if shutil.which("smpirun") is None:
        print("smpirun is not there: nothing compared")
        sys.exit(0)
    options = parse_options(__doc__)
    sys.exit(1 if check_failures(options) + compare(cases(), options, PLATFORMS) else 0)
