"""Compares joules of hosts and links with those of SimGrid's plugins host_energy and link_energy, case by case, to 1e-6 relative.

    energy.py                    all cases, SimGrid against $MPIRAGE (default target/release/mpirage)
    energy.py --simgrid-only     SimGrid's joules alone
    energy.py --record           writes SimGrid's joules to energy.toml, with which tests/network/test_energy.py compares
    energy.py --filter links     only cases whose name contains this

Needs Debian's libsimgrid-dev. Prints a table and at the end `N passed, N failed`.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile
import tomllib

from compare import CLOSING, MPIRAGE, SMPI, TOLERANCE, Bench, Case, Failed, document, execute, off_by

RECORDED = pathlib.Path(__file__).with_name("energy.toml")
PLUGINS = ["--cfg=plugin:host_energy", "--cfg=plugin:link_energy", "--log=host_energy.thres:info", "--log=link_energy.thres:info",
           "--log=root.fmt:%m%n"]
# All the log lines but those of the plugins are left out.
QUIET = [option for option in SMPI if not option.startswith("--log")]


# --- platforms

def props(**values):
    return "".join(f'<prop id="{name}" value="{value}"/>' for name, value in values.items())


def host(name, speed="1Gf", cores=4, more="", **values):
    return f'<host id="{name}" speed="{speed}" core="{cores}" {more}>{props(**values)}</host>'


def zone(*hosts, policy="SHARED", link="", trace=""):
    """Hosts around a switch, with a link each."""
    names = [re.search('id="([^"]+)"', one)[1] for one in hosts]
    use = lambda name, way: f'<link_ctn id="l-{name}"' + (f' direction="{way}"/>' if policy == "SPLITDUPLEX" else "/>")
    lines = [*hosts] + [f'<link id="l-{name}" bandwidth="125MBps" latency="50us" sharing_policy="{policy}">{link}</link>' for name in names]
    lines += [f'<route src="{a}" dst="{b}" symmetrical="NO">{use(a, "UP")}{use(b, "DOWN")}</route>' for a in names for b in names if a != b]
    return document('<zone id="w" routing="Full">\n' + "\n".join(lines) + f"\n{trace}</zone>")


def with_profile(kind, text, *hosts):
    made = zone(*hosts, trace=f'<trace id="t" periodicity="-1">\n{text}\n</trace>')
    return made.replace("</platform>", f'<trace_connect kind="{kind}" trace="t" element="n0"/></platform>')


STATES = "100:120:200, 90:105:150, 80:85:110"
SPEEDS = "2Gf,1.5Gf,1Gf"


def hosts(count, **values):
    return [host(f"n{number}", **({"wattage_per_state": "95:120:200", "wattage_off": "10"} | values)) for number in range(count)]


def cluster(more="", cores=2):
    return document('<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="125MBps" lat="50us" '
                    f'core="{cores}" {more}>{props(wattage_per_state="100:120:200", wattage_off="10")}</cluster></zone>')


PLATFORMS = {
    "four-cores": lambda: zone(*hosts(3)),
    "two-values": lambda: zone(*hosts(3, wattage_per_state="95:200")),
    "one-core": lambda: zone(*hosts(3, cores=1, wattage_per_state="95:120:200")),
    "one-core-two-values": lambda: zone(*hosts(3, cores=1, wattage_per_state="95:200")),
    "different": lambda: zone(host("n0", wattage_per_state="95:120:200"), host("n1", "2Gf", 2, wattage_per_state="50:60:300"), host("n2", "500Mf", 16)),
    **{f"state-{state}": (lambda state=state: zone(*[host(f"n{n}", SPEEDS, more=f'pstate="{state}"', wattage_per_state=STATES) for n in range(2)]))
       for state in range(3)},
    "slow-down": lambda: with_profile("SPEED", "0 1.0\n0.5 0.5\n1.25 0.8", *hosts(2)),
    "goes-off": lambda: with_profile("HOST_AVAIL", "0.5 0\n1.5 1", *hosts(3)),
    "cluster": cluster,
    "torus": lambda: cluster('topology="TORUS" topo_parameters="2,4"', 1),
    "links": lambda: zone(*hosts(3), link=props(wattage_range="10.3:358.1")),
    "links-fatpipe": lambda: zone(*hosts(3), policy="FATPIPE", link=props(wattage_range="10:30")),
    "links-idle": lambda: zone(*hosts(5), link=props(wattage_range="12.5:12.5")),
}


# --- cases

def cases():
    work = lambda name, platform, ranks, *where: Case(name, "staircase", ["1e9", 2, 100000], ranks, platform, hosts=list(where))
    yield work("hosts one core of four", "four-cores", 2, "n0", "n1")
    yield work("hosts all cores, and idle ones", "four-cores", 4, *["n0"] * 4)
    yield work("hosts three cores and one", "four-cores", 4, "n0", "n0", "n0", "n1")
    yield work("hosts more ranks than cores", "four-cores", 7, *["n0"] * 6, "n1")
    yield work("hosts idle and all cores given", "two-values", 3, "n0", "n0", "n1")
    yield work("hosts of one core", "one-core", 2, "n0", "n1")
    yield work("hosts of one core, two values", "one-core-two-values", 4, "n0", "n0", "n1", "n2")
    yield work("hosts that differ, one without power", "different", 5, "n0", "n1", "n1", "n1", "n2")
    for state in range(3):
        yield work(f"performance state {state}", f"state-{state}", 3, "n0", "n0", "n1")
    yield work("speed that changes", "slow-down", 3, "n0", "n0", "n1")
    yield work("host that goes off and on", "goes-off", 2, "n1", "n2")
    yield work("cluster of hosts alike", "cluster", 12, *[f"n{n // 2}" for n in range(12)])
    yield work("torus", "torus", 8)
    yield Case("halo exchange on a cluster", "halo2d", [2000, 10240], 4, "cluster")
    yield Case("allreduce on a cluster", "allreduce", [2000, 1000], 8, "cluster", "allreduce=recursive-doubling")
    yield Case("links idle", "staircase", ["1e9", 2, 1000000], 4, "links-idle", hosts=["n0", "n1", "n2", "n3"])
    yield Case("links of one message at a time", "pingpong", [50, 1000000], 2, "links")
    yield Case("links of small messages", "pingpong", [2000, 1000], 2, "links")
    yield Case("links both ways", "work", ["1e8", 20, 1000000], 2, "links")
    yield Case("links shared by two messages", "work", ["1e8", 20, 1000000], 3, "links")
    yield Case("links fat pipes", "work", ["1e8", 20, 1000000], 3, "links-fatpipe")
    yield Case("links late receivers", "staircase", ["1e8", 20, 1000000], 3, "links")


# --- both sides

class EnergyBench(Bench):
    def simgrid(self, case):
        command = ["smpirun", "-np", case.ranks, "-hostfile", self.hostfile(case), "-platform", self.platform(case.platform), *QUIET, *PLUGINS,
                   *coll(case, "smpi"), self.binary(["smpicc"], "simgrid", case.program), *case.args]
        # The plugins write to standard error.
        output = execute(["sh", "-c", 'exec "$@" 2>&1', "sh", *command], self.timeout, self.folder)
        hosts = {name: float(joules) for name, joules in re.findall(r"Energy consumption of host (\S+): ([0-9.]+)", output)}
        links = re.search(r"Total energy over all links: ([0-9.]+)", output)
        return {"hosts": sum(hosts.values()), "links": float(links[1]) if links else 0.0,
                **{f"host {name}": joules for name, joules in hosts.items()}}

    def ours(self, case):
        where = ["--hostfile", self.hostfile(case)]
        output = execute([self.mpirage, "run", "-q", "--json", "-n", case.ranks, "-p", self.platform(case.platform), "--model", "simgrid",
                          "--compute", "none", *where, *coll(case, "ours"), self.binary([self.mpirage, "cc"], "mpirage", case.program),
                          *case.args], self.timeout, self.folder)
        energy = json.loads(output.splitlines()[-1])["energy"]
        return {"hosts": energy["hosts_joules"], "links": energy["links_joules"],
                **{f"host {one['host']}": one["joules"] for one in energy["hosts"]}}


def coll(case, side):
    if side == "smpi":
        return ["--cfg=smpi/allreduce:rdb"] if case.coll else []
    return ["--coll", f"{CLOSING},{case.coll}" if case.coll else CLOSING]


def worst(theirs, mine):
    """What differs most, and by how much. SimGrid lists unused hosts too, which are in the sum of ours."""
    pairs = [(key, theirs.get(key, 0.0), joules) for key, joules in mine.items()]
    return max(((off_by(a, b), key, a, b) for key, a, b in pairs), default=(1.0, "nothing", 0, 0))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--simgrid-only", action="store_true")
    options.add_argument("--record", action="store_true")
    options.add_argument("--filter", default="")
    options = options.parse_args()
    if shutil.which("smpirun") is None:
        print("SimGrid is not installed (Debian: libsimgrid-dev): nothing to compare")
        return 0
    recorded = tomllib.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="simgrid-energy.") as folder:
        bench = EnergyBench(folder, MPIRAGE, 300, PLATFORMS)
        for case in cases():
            if options.filter not in case.name:
                continue
            try:
                theirs = bench.simgrid(case)
                recorded[case.name] = {key: round(joules, 6) for key, joules in theirs.items()}
                alone = options.simgrid_only or options.record
                difference = (0.0, "", 0, 0) if alone else worst(theirs, bench.ours(case))
                why = "" if difference[0] <= TOLERANCE else f"  FAIL {difference[1]}: SimGrid {difference[2]:.6f} J, mpirage {difference[3]:.6f} J"
            except Failed as error:
                theirs, difference, why = {"hosts": 0, "links": 0}, (1.0,), f"  FAIL {error}"
            print(f"{case.name:40} {theirs['hosts']:14.6f} J {theirs['links']:14.6f} J {difference[0]:8.1e}{why}", flush=True)
            passed, failed = passed + (not why), failed + bool(why)
    if options.record:
        names = {case.name for case in cases()}
        recorded = {name: joules for name, joules in recorded.items() if name in names}
        lines = [f'"{name}" = {{ {", ".join(f"{json.dumps(key)} = {joules}" for key, joules in joules.items())} }}' for name, joules in recorded.items()]
        RECORDED.write_text("# Joules of SimGrid 3.32, written by tests/simgrid/energy.py --record.\n" + "\n".join(lines) + "\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
