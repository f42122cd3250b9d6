"""Energy: joules of hosts and links as SimGrid 3.32 gives them for the same programs, to 1e-6 (the cases and SimGrid's joules are those of
tests/simgrid/energy.py), against formulas, and the figures of jobs and replays."""

import json
import shutil
import sys
import tomllib

import pytest
from harness import MPIRAGE, TESTS

sys.path.insert(0, str(TESTS / "simgrid"))
import energy  # noqa: E402
from compare import TOLERANCE  # noqa: E402

RECORDED = tomllib.loads(energy.RECORDED.read_text())
CASES = {case.name: case for case in energy.cases()}

# Four hosts of four cores; a host has 10 W idle, 20 W with one core and 50 W with all cores busy.
PLATFORM = """[cluster]
hosts = 4
cores = 4
speed = "1Gf"
bandwidth = "1GBps"
latency = "1us"
[power]
idle = "10W"
one-core = "20W"
all-cores = "50W"
links = { idle = "2W", per-byte = "1nJ" }
"""


@pytest.fixture(scope="module")
def bench(suite):
    return energy.EnergyBench(suite.folder, str(MPIRAGE), 300, energy.PLATFORMS)


def test_recorded(suite):
    suite.check("every case is recorded", CASES.keys() == RECORDED.keys(), CASES.keys() ^ RECORDED.keys())


@pytest.mark.parametrize("name", CASES)
def test_simgrid(suite, bench, name):
    mine = bench.ours(CASES[name])
    off, key, theirs, ours = energy.worst(RECORDED[name], mine)
    suite.check(f"{name}: as recorded", off <= TOLERANCE, f"{key}: {ours} J, SimGrid {theirs} J")
    if shutil.which("smpirun"):
        off, key, theirs, ours = energy.worst(bench.simgrid(CASES[name]), mine)
        suite.check(f"{name}: as SimGrid here", off <= TOLERANCE, f"{key}: {ours} J, SimGrid {theirs} J")


def result(suite, *command):
    done = suite.run([MPIRAGE, *command])
    suite.check(f"{command[0]} ends well", done.code == 0, done.err)
    return json.loads(done.out.splitlines()[-1]), done


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def test_formulas(suite):
    """A ring on one core of each of two hosts: compute, then a message each way."""
    platform = suite.folder / "power.toml"
    platform.write_text(PLATFORM)
    program = suite.compile(TESTS / "simgrid" / "staircase.c")
    run, done = result(suite, "run", "--json", "-n", "2", "--ppn", "1", "-p", platform, "--compute", "none", program, "1e9", "3", "1000000")
    found, seconds = run["energy"], run["simulated_seconds"]
    # Rank 0 computes for 3 s, rank 1 for 6 s: 10 W more each. Two hosts are unused. Eight links are there, four of them carry 3 MB.
    suite.check("hosts", near(found["hosts_joules"], 40 * seconds + 90), (found, seconds))
    suite.check("first host", near(found["hosts"][0]["joules"], 10 * seconds + 30), found)
    suite.check("links", abs(found["links_joules"] - 16 * seconds - 4 * 3e6 * 1e-9) < 1e-5, (found, seconds))
    suite.check("energy-delay", near(found["energy_delay"], found["joules"] * seconds), found)
    waiting = found["waiting"]
    suite.check("rank 0 waits for rank 1", abs(waiting["by_rank"][0] - 10 * (seconds - 3)) < 1e-3, waiting)
    suite.check("functions add up", near(sum(one["joules"] for one in waiting["by_function"]), waiting["joules"]), waiting)
    power = found["power"]
    hosts = sum(one["joules"] for one in found["hosts"])
    stretches = [min(power["resolution_seconds"], seconds - i * power["resolution_seconds"]) for i in range(len(power["watts"]))]
    suite.check("power adds up", near(sum(w * s for w, s in zip(power["watts"], stretches)), hosts), power)
    suite.check("summary", "energy-delay product" in done.err, done.err)
    without = platform.with_name("without.toml")
    without.write_text(PLATFORM.split("[power]")[0])
    plain, _ = result(suite, "run", "--json", "-n", "2", "--ppn", "1", "-p", without, "--compute", "none", program, "1e9", "3", "1000000")
    suite.check("power changes no time", plain["simulated_seconds"] == seconds and "energy" not in plain, plain)


def test_replay_and_jobs(suite):
    platform = suite.folder / "power.toml"
    platform.write_text(PLATFORM)
    program = suite.compile(TESTS / "simgrid" / "staircase.c")
    trace = suite.folder / "staircase.mpirage"
    run, _ = result(suite, "run", "--json", "--trace", trace, "-n", "4", "--ppn", "2", "-p", platform, "--compute", "none", program, "1e8", "3", "1000")
    again, _ = result(suite, "replay", "--json", "--ppn", "2", "-p", platform, trace)
    suite.check("a replay burns as much", run["energy"] == again["energy"], (run["energy"], again["energy"]))
    jobs = suite.folder / "jobs.toml"
    jobs.write_text(f'[[job]]\nname = "one"\ntrace = "{trace}"\nppn = 2\n[[job]]\nname = "two"\ntrace = "{trace}"\nppn = 2\n')
    both, _ = result(suite, "jobs", "--json", "-p", platform, jobs)
    seconds = both["simulated_seconds"]
    one = run["energy"]["hosts"]
    more = sum(host["joules"] - 10 * run["simulated_seconds"] for host in one)
    suite.check("two jobs", abs(both["energy"]["hosts_joules"] - 40 * seconds - 2 * more) < 1e-3, (both, run["energy"]))


@pytest.mark.parametrize("power, message", [
    ("idle = \"10W\"", "needs `all-cores`"),
    ("idle = \"10s\"\nall-cores = \"20W\"", "is not a power"),
    ("idle = \"10W\"\nall-cores = \"200W\"\none-core = \"20W\"", "the first core takes at least 50 W"),
    ("idle = \"10W\"\nall-cores = \"20W\"\nwaiting = 2.0", "not between 0 and 1"),
    ("idle = \"10W\"\nall-cores = \"20W\"\nmemory = \"1pJ\"", "add a table [node]"),
    ("states = [{ speed = \"2Gf\", idle = \"10W\", all-cores = \"20W\" }]", "no state has the speed of the host"),
    ("links = { busy = \"1W\", per-byte = \"1pJ\" }", "a link has `busy` or `per-byte`"),
    ("", "`power` is empty"),
    ("watts = 3", "has no `watts`"),
])
def test_mistakes(suite, power, message):
    platform = suite.folder / "wrong.toml"
    platform.write_text(PLATFORM.split("idle")[0] + power + "\n")
    done = suite.run([MPIRAGE, "replay", "-p", platform, "gen:pingpong"])
    suite.check(message, done.code == 82 and message in done.err, (done.code, done.err))


STATES = """states = [
  { speed = "1Gf", idle = "40W", all-cores = "100W" },
  { speed = "500Mf", idle = "30W", all-cores = "60W" },
]
"""


def test_governors(suite):
    """Rank i computes i + 1 times as long as rank 0, and waits for its neighbours."""
    platform = suite.folder / "states.toml"
    platform.write_text(PLATFORM.split("idle")[0] + STATES)
    program = suite.compile(TESTS / "simgrid" / "staircase.c")
    command = ["run", "--json", "-n", "4", "--ppn", "1", "-p", platform, "--compute", "none"]
    found = {name: result(suite, *command, *(["--governor", name] if name else []), program, "1e8", "20", "1000")[0]
             for name in ("", "performance", "powersave", "ondemand:period=1ms", "conservative:period=1ms", "slack:period=1ms")}
    seconds = {name: run["simulated_seconds"] for name, run in found.items()}
    joules = {name: run["energy"]["joules"] for name, run in found.items()}
    suite.check("performance is the first state here", near(seconds[""], seconds["performance"]) and near(joules[""], joules["performance"]), (seconds, joules))
    suite.check("half the speed takes twice as long", abs(seconds["powersave"] / seconds["performance"] - 2) < 1e-3, seconds)
    suite.check("slack saves energy", joules["slack:period=1ms"] < 0.97 * joules["performance"], joules)
    suite.check("slack delays little", seconds["slack:period=1ms"] < 1.02 * seconds["performance"], seconds)
    for name in ("ondemand:period=1ms", "conservative:period=1ms"):
        suite.check(f"{name}: hosts change states", all(host["state_changes"] > 0 for host in found[name]["energy"]["hosts"][:3]), found[name]["energy"]["hosts"])
        suite.check(f"{name}: not slower than powersave", seconds[name] < seconds["powersave"], seconds)
    platform.write_text(PLATFORM)
    for options, message in [(["--governor", "slack"], "add `states` to the table [power]"), (["--governor", "ondemnd"], "did you mean")]:
        done = suite.run([MPIRAGE, "replay", "-p", platform, *options, "gen:pingpong"])
        suite.check(message, done.code == 84 and message in done.err, (done.code, done.err))
