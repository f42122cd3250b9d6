"""Behaviour of the command line: wrappers, build systems, installation, JSON, determinism, simulated
order and time, placement, environment, errors."""

import itertools
import json
import os
import re
import shutil
import sys
import time

import prepare
from harness import BUILD, MEASURED, MPIRAGE, ROOT, TESTS, find

SOURCES = TESTS / "command" / "command_line"
BIN = BUILD / "bin"
# What `--json` must have, by cli.md.
FIELDS = {
    "simulated_seconds": float, "wall_seconds": float, "cpu_seconds": float, "ranks": int, "messages": int, "bytes": int,
    "peak_rss_bytes": int, "per_rank_seconds": list, "model": str, "platform": str, "outcome": str,
    "samples_executed": int, "samples_skipped": int, "shared_bytes": int, "shared_resident_bytes": int,
}


def pytest_generate_tests(metafunc):
    """Everything runs with ranks that live as mpirage chooses, then with processes."""
    metafunc.parametrize("suite", ["default", "processes"], indirect=True, scope="module")


def figures(result):
    """The JSON object at the end of the output."""
    return json.loads(result.out.splitlines()[-1])


def repeatable(result):
    """All that must be the same in every run: output and figures but for measured ones."""
    lines = result.out.splitlines()
    values = json.loads(lines[-1])
    return lines[:-1], {key: value for key, value in values.items() if key not in MEASURED}


def build_with(suite, bin, what):
    """The compiler wrappers and launchers in a folder."""
    prepare.debian({"g++": "g++"})
    c, cxx = SOURCES / "hello.c", SOURCES / "hello.cpp"
    folder = suite.folder / re.sub(r"\W", "-", what)
    folder.mkdir()
    show = suite.run([bin / "mpicc", "-show"])
    ok = show.code == 0 and find(r"^\S*cc .*-I\S+ .*-L\S+ .*-lmpi", show.out)
    suite.check(f"{what}: mpicc -show", ok, show)
    for question, wanted, unwanted in (("-compile-info", "-I", "-lmpi"), ("-link-info", "-lmpi", "\0")):
        answer = suite.run([bin / "mpicc", question])
        ok = answer.code == 0 and wanted in answer.out and unwanted not in answer.out
        suite.check(f"{what}: mpicc {question}", ok, answer)
    by_hand = suite.run(["sh", "-c", f"$({bin}/mpicc -show) {c} -o shown || $({bin}/mpicc -show {c} -o shown)"], cwd=folder)
    suite.check(f"{what}: what -show says can be typed", by_hand.code == 0 and (folder / "shown").exists(), by_hand)
    made = suite.run([bin / "mpicc", "-c", c, "-o", "hello.o"], cwd=folder)
    linked = suite.run([bin / "mpicc", "hello.o", "-o", "two-steps"], cwd=folder)
    suite.check(f"{what}: compile, then link", made.code == 0 == linked.code, (made, linked))
    for wrapper in ("mpicxx", "mpic++"):
        made = suite.run([bin / wrapper, cxx, "-o", wrapper], cwd=folder)
        suite.check(f"{what}: {wrapper}", made.code == 0, made)
    broken = folder / "broken.c"
    broken.write_text("int main(void) { return undeclared; }\n")
    made = suite.run([bin / "mpicc", broken, "-o", "broken"], cwd=folder)
    suite.check(f"{what}: the compiler's errors are passed on", made.code not in (0, None) and "undeclared" in made.err, made)
    for launcher in ("mpiexec", "mpirun"):
        for program, text in (("shown", "C 4 6\n"), ("two-steps", "C 4 6\n"), ("mpicxx", "C++ 4 6\n"), ("mpic++", "C++ 4 6\n")):
            result = suite.run([bin / launcher, "-n", 4, f"./{program}"], cwd=folder)
            suite.check(f"{what}: {launcher} {program}", (result.code, result.out) == (0, text), result)
    result = suite.run([bin / "mpiexec", "-np", 3, "two-steps"], cwd=folder)
    suite.check(f"{what}: a bare name is found here", result.out == "C 3 3\n", result)
    result = suite.run(["./two-steps"], cwd=folder)
    suite.check(f"{what}: a program alone is a world of one", (result.code, result.out, result.err) == (0, "C 1 0\n", ""), result)


def test_wrappers(suite):
    build_with(suite, BIN, "build tree")


def test_cmake(suite):
    prepare.debian({"cmake": "cmake", "g++": "g++"})
    build = suite.folder / "cmake"
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    # The file names its sources relative to itself.
    made = suite.run(["cmake", "-S", SOURCES / "cmake", "-B", build], env=environment, timeout=60)
    suite.check("CMake finds MPI for C and C++", made.code == 0 and "Found MPI_C" in made.out and "Found MPI_CXX" in made.out, made)
    cache = (build / "CMakeCache.txt").read_text() if made.code == 0 else ""
    suite.check("CMake finds our mpiexec", f"MPIEXEC_EXECUTABLE:FILEPATH={BIN}/mpiexec" in cache, find("MPIEXEC_EXEC.*", cache))
    made = suite.run(["cmake", "--build", build], env=environment, timeout=60)
    suite.check("CMake builds", made.code == 0, made)
    for name, text in (("hello_c", "C 1 0\n"), ("hello_cxx", "C++ 1 0\n")):
        result = suite.run([build / name])
        suite.check(f"CMake's {name} alone", (result.code, result.out) == (0, text), result)
    result = suite.run(["ctest", "--test-dir", build, "--output-on-failure"], env=environment, timeout=60)
    suite.check("CMake's tests with mpiexec pass", result.code == 0 and "100% tests passed" in result.out, result)


def test_install(suite):
    prefix = suite.folder / "prefix"
    made = suite.run(["make", "-C", ROOT, "install", f"PREFIX={prefix}"], timeout=600)
    if not suite.check("make install", made.code == 0, made):
        return
    build_with(suite, prefix / "bin", "installed")
    show = suite.run([prefix / "bin" / "mpicc", "-show"]).out
    suite.check("installed: nothing of the build tree is used", str(ROOT) not in show, show)
    linked = suite.run(["ldd", suite.folder / "installed" / "two-steps"]).out
    suite.check("installed: the installed library is used", f"{prefix}/lib" in linked, linked)
    result = suite.run([prefix / "bin" / "mpirage", "demo"], timeout=60, cwd=suite.folder)
    suite.check("installed: demo", result.code == 0 and "simulated time" in result.err, result)
    result = suite.run([prefix / "bin" / "mpirage", "platform", "check", prefix / "share" / "mpirage" / "platforms" / "griffon.toml"])
    suite.check("installed: platforms", result.code == 0, result)
    program = suite.folder / "installed-ep"
    made = suite.run([prefix / "bin" / "mpicc", ROOT / "examples" / "smpi_paper" / "ep.c", "-o", program, "-lm"])
    suite.check("installed: smpi/smpi.h is found", made.code == 0, made)
    result = suite.run([prefix / "bin" / "mpirun", "-n", 2, "--compute", "none", "--share-malloc", "1MiB", program, 18, 50])
    suite.check("installed: sampling, and the library before malloc", result.code == 0 and "2 executed, 2 skipped" in result.err, result)


def test_uninstall(suite):
    """Everything that is installed, and that it can be removed."""
    prefix = suite.folder / "other-prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "mine").write_text("a file of the user")
    for _ in range(2):  # again over itself
        made = suite.run(["make", "-C", ROOT, "install", f"PREFIX={prefix}"], timeout=600)
        suite.check("make install", made.code == 0, made)
    installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
    examples = {f"share/mpirage/examples/{path.relative_to(ROOT / 'examples')}" for path in (ROOT / "examples").rglob("*") if path.is_file()}
    suite.check("all examples are installed", examples <= installed, examples - installed)
    for file in ("share/man/man1/mpirage.1", "share/man/man1/mpirage-run.1", "share/man/man1/mpirage-trace-convert.1", "lib/pkgconfig/mpirage.pc",
                 "share/bash-completion/completions/mpirage", "share/zsh/site-functions/_mpirage", "share/fish/vendor_completions.d/mpirage.fish"):
        suite.check(f"{file} is installed", file in installed and (prefix / file).stat().st_size > 100, sorted(installed))
    manual = (prefix / "share/man/man1/mpirage-run.1").read_text()
    suite.check("the manual page has options and examples", manual.startswith(".") and "\\-\\-platform" in manual and "Examples" in manual, manual[:300])
    completions = prefix / "share/bash-completion/completions/mpirage"
    ask = f"source {completions}; COMP_WORDS=(mpirage run --pla); COMP_CWORD=2; _mpirage mpirage --pla run; echo ${{COMPREPLY[@]}}"
    result = suite.run(["bash", "-c", ask])
    suite.check("bash completes options", result.out.strip() == "--platform", result)
    if suite.has("pkg-config", "flags of pkg-config"):
        asked = suite.run(["pkg-config", "--cflags", "--libs", "mpirage"], env={"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")})
        suite.check("pkg-config knows mpirage", f"-I{prefix}/include/mpirage" in asked.out and "-lmpi_abi" in asked.out, asked)
        program = suite.folder / "pkg-config-hello"
        made = suite.run(["bash", "-c", f"cc {SOURCES}/hello.c -o {program} {asked.out.strip()}"])
        result = suite.run([program])
        suite.check("pkg-config's flags make a program", (made.code, result.out) == (0, "C 1 0\n"), (made, result))
    made = suite.run(["make", "-C", ROOT, "uninstall", f"PREFIX={prefix}"], timeout=60)
    left = [str(path.relative_to(prefix)) for path in prefix.rglob("*")]
    suite.check("make uninstall removes everything but other files", made.code == 0 and sorted(left) == ["bin", "bin/mine"], left)


def test_json_fields(suite):
    hello = suite.compile(SOURCES / "hello.c")
    result = suite.simulate("--json", "-n", 4, "-p", "griffon", "--map-by", "node", hello)
    suite.check("the program's output comes before the JSON", result.out.startswith("C 4 6\n{"), result.out)
    values = figures(result)
    for name, kind in FIELDS.items():
        suite.check(f"JSON has {name}", isinstance(values.get(name), kind), values.get(name))
    ends = values["per_rank_seconds"]
    suite.check("one end per rank, the last is the simulated time", len(ends) == 4 and max(ends) == values["simulated_seconds"] > 0, values)
    stated = (values["ranks"], values["model"], values["platform"], values["outcome"])
    suite.check("JSON says what was run", stated == (4, "flow", "griffon", "finished"), stated)
    suite.check("messages and bytes count", values["messages"] == 3 and values["bytes"] == 12, values)
    suite.check("the summary goes to standard error", find(r"simulated time +\S", result.err) and "NaN" not in result.err, result.err)
    deadlock = suite.compile(TESTS / "mistakes" / "faults" / "deadlock_recv.c")
    result = suite.simulate("--json", "-n", 2, deadlock)
    suite.check("JSON of a deadlock", result.code == 80 and figures(result)["outcome"] == "deadlock", result)
    result = suite.simulate("-n", 2, "/bin/true")
    suite.check("no NaN for a run that takes no time", result.code == 0 and "NaN" not in result.err, result.err)


def test_determinism(suite):
    programs = {
        "p2p": (suite.compile(ROOT / "examples" / "halo2d.c"), 9),
        "collectives": (suite.compile(TESTS / "programs" / "overlapped_coll.c", flags=["-I", TESTS / "programs"]), 8),
        "polling": (suite.compile(SOURCES / "polling.c"), 4),
    }
    for what, (program, ranks) in programs.items():
        seen = []
        for cores in ["0", "0,1"] * 5:
            run = ["taskset", "-c", cores, MPIRAGE, "run", "-q", "--json", "--compute", "none", "-n", ranks, "-p", "griffon"]
            result = suite.run([*run, "--map-by", "node", program])
            seen.append(repeatable(result) if result.code == 0 else result)
        suite.check(f"{what}: ten runs on one core and two are the same", all(one == seen[0] for one in seen), seen[:2])
    work, costs = suite.compile(SOURCES / "work.c"), suite.folder / "costs"
    runs = [suite.simulate("-q", "--json", "--host-speed", "5Gf", "--compute", f"recorded:{costs}", "-n", 4, work) for _ in range(3)]
    times = [figures(run)["per_rank_seconds"] for run in runs]
    suite.check("recorded computation: the same times again", times[0] == times[1] == times[2] and times[0][0] > 0, times)
    result = suite.simulate("-q", "--compute", f"recorded:{costs}", "-n", 3, work)
    suite.check("recorded computation of another run is refused", result.code not in (0, None) and "costs" in result.err, result)
    measured = figures(suite.simulate("-q", "--json", "-n", 4, work))["simulated_seconds"]
    none = figures(suite.simulate("-q", "--json", "--compute", "none", "-n", 4, work))["simulated_seconds"]
    suite.check("computation takes simulated time, unless switched off", measured > 2 * none > 0, (measured, none))


def test_cores(suite):
    """Ranks that compute at the same time change nothing."""
    program = suite.compile(SOURCES / "bursts.c")
    ways = (["--cores", 1], ["--cores", 2], [], ["--run-ahead", "always"])
    for pattern in ("allreduce", "barrier", "halo", "ring", "any", "clock"):
        costs = suite.folder / f"costs-{pattern}"
        for compute in ("none", f"recorded:{costs}"):
            run = ["-q", "--json", "--ranks-as", "processes", "--host-speed", "5Gf", "--compute", compute, "-n", 8]
            if compute != "none":
                suite.simulate(*run, program, pattern, 6, 100000)
            results = [suite.simulate(*run, *way, program, pattern, 6, 100000) for way in ways]
            seen = [repeatable(result) if result.code == 0 else result for result in results]
            what = f"bursts and {pattern}, computation {compute.split(':')[0]}"
            suite.check(f"{what}: the same on one core and on several", all(one == seen[0] for one in seen), seen)
    program = suite.compile(SOURCES / "ends.c", flags=["-g"])
    for how, code in (("crash", 139), ("exit", 7), ("abort", 3), ("deadlock", 80), ("truncate", 81), ("hang", 81)):
        run = ["-q", "--ranks-as", "processes", "--compute", "none", "--rank-timeout", 0.5, "-n", 4]
        ends = [suite.simulate(*run, *way, program, how) for way in (*ways, ["--run-ahead", "never"])]
        # How long the rank has been silent is real time.
        seen = [(result.code, result.out, re.sub(r"for [\d.]+ s;", "for … s;", result.err), result.left) for result in ends]
        same = all(one == seen[0] for one in seen) and seen[0][0] == code
        suite.check(f"{how}: the same end on one core and on several", same and "ends" not in seen[0][1], seen)
    result = suite.simulate("--cores", 0, "-n", 2, program)
    suite.check("no core at all is refused", result.code == 84 and "--cores" in result.err, result)


def test_order(suite):
    program, ranks = suite.compile(SOURCES / "order.c"), range(4)
    wanted = [f"begins {r}" for r in ranks] + [f"slept {r}" for r in reversed(ranks)] + [f"slept again {r}" for r in ranks]
    # What a rank prints behind its last call is shown at the end, in the order of ranks (docs/determinism.md).
    wanted += [f"has the token {r}" for r in (0, 3, 2, 1)] + [f"ends {r}" for r in ranks]
    for options in ([], ["flush"]):
        for compute in ("none", "measured"):
            # On a slow network what a rank does after a send is sooner than what its receiver does, however long it is measured.
            result = suite.simulate("-q", "-n", 4, "--model", "flow:factors", "--compute", compute, program, *options)
            lines = result.out.splitlines()
            if compute == "measured":  # a rank that starts faster begins earlier
                lines[:4] = sorted(lines[:4])
            suite.check(f"output in simulated order ({compute} {options})", lines == wanted, result.out)


def test_clocks(suite):
    program = suite.compile(SOURCES / "clocks.c")
    result = suite.simulate("-q", "--compute", "none", program, 1500)
    suite.check("thirty simulated seconds of sleep take none", result.code == 0 and result.seconds < 10, result.seconds)
    measured = re.findall(r"^(\w+) (\w+) ([\d.]+)$", result.out, re.MULTILINE)
    suite.check("every clock was asked", len(measured) == 20, result.out)
    for way, clock, seconds in measured:
        right = float(seconds) in (1, 2) if clock == "time" else abs(float(seconds) - 1.5) < 1e-5
        suite.check(f"{clock} across {way}", right, seconds)
    suite.check("the calendar starts at 2000-01-01", "day 10957" in result.out, result.out)
    result = suite.simulate("-q", "--clock", "real", program, 20)
    for way, clock, seconds in re.findall(r"^(\w+) (monotonic|realtime|gettimeofday) ([\d.]+)$", result.out, re.MULTILINE):
        suite.check(f"--clock real: {clock} across {way}", 0.02 <= float(seconds) + 1e-6 < 2, seconds)
    days = int(find(r"^day (\d+)", result.out).group(1))
    suite.check("--clock real: the calendar is real", result.seconds > 0.4 and abs(days - time.time() / 86400) < 2, result)


def test_placement(suite):
    where = suite.compile(SOURCES / "where.c")
    racks = ROOT / "platforms" / "two-racks.toml"

    def hosts(*options, platform=racks, ranks=4):
        result = suite.simulate("-q", "-n", ranks, "-p", platform, *options, where)
        return [line.split()[1] for line in result.out.splitlines()] if result.code == 0 else result

    hostfile = suite.folder / "hosts"
    hostfile.write_text("# two of them\nright-1 slots=3\nleft-1:1\n")
    for what, got, wanted in [
        ("by slot", hosts(), ["left-1"] * 4),
        ("by node", hosts("--map-by", "node"), ["left-1", "left-2", "right-1", "left-1"]),
        ("-H with slots", hosts("-H", "left-2:1,right-1:3"), ["left-2"] + ["right-1"] * 3),
        ("-host", hosts("-host", "right-1,left-2", "--map-by", "node"), ["right-1", "left-2"] * 2),
        ("--hostfile", hosts("--hostfile", hostfile), ["right-1"] * 3 + ["left-1"]),
        ("-f", hosts("-f", hostfile), ["right-1"] * 3 + ["left-1"]),
        ("-ppn 1", hosts("-ppn", 1, ranks=3), ["left-1", "left-2", "right-1"]),
        ("-npernode 2", hosts("-npernode", 2), ["left-1", "left-1", "left-2", "left-2"]),
    ]:
        suite.check(f"placement {what}", got == wanted, got)
    result = suite.simulate("-n", 2, "-p", racks, "-H", "nowhere", where)
    suite.check("an unknown host: 84", result.code == 84 and "nowhere" in result.err, result)
    result = suite.simulate("-n", 2, "-p", racks, "--hostfile", suite.folder / "missing", where)
    suite.check("a missing host file: 84", result.code == 84 and "missing" in result.err, result)
    hostfile.write_text("left-1\nright-1 slot=3\n")
    result = suite.simulate("-n", 2, "-p", racks, "--hostfile", hostfile, where)
    suite.check("a bad host file names its line", result.code == 84 and "hosts:2" in result.err, result)


def test_environment(suite):
    where = suite.compile(SOURCES / "where.c")
    names = ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID"]
    result = suite.simulate("-q", "-n", 4, "-ppn", 2, "-p", "cluster:2", where, *names)
    seen = [line.split()[2:] for line in result.out.splitlines()]
    suite.check("ranks know themselves", seen == [[str(n) for n in (r, 4, r % 2, r, 4, r)] for r in range(4)], result.out)
    options = ["-x", "A_B=1", "-x", "C_D", "-genv", "E_F", "3"]
    result = suite.simulate("-q", "-n", 2, *options, where, "A_B", "C_D", "E_F", env={"C_D": "2"})
    suite.check("-x and -genv", all(line.endswith("1 2 3") for line in result.out.splitlines()) and result.out, result)
    result = suite.simulate("-n", 1, "-x", "NOT_SET", where)
    suite.check("-x of what is not set: 84", result.code == 84 and "NOT_SET" in result.err, result)
    result = suite.simulate("-q", "-n", 2, where, "first", ":", "-n", 3, where, "second")
    lines = [line.split() for line in result.out.splitlines()]
    suite.check("two programs, one world", [(line[0], line[2]) for line in lines] ==
                [(f"{r}/5", "first" if r < 2 else "second") for r in range(5)], result)
    result = suite.simulate("-q", "-n", 2, "-wdir", suite.folder, "pwd")
    suite.check("-wdir", result.out == f"{suite.folder}\n" * 2, result)
    result = suite.run(["sh", "-c", f"echo text | {MPIRAGE} run -q -n 2 cat"])
    suite.check("rank 0 has standard input", (result.code, result.out) == (0, "text\n"), result)
    result = suite.simulate("-n", 2, "-genvall", "--use-hwthread-cpus", "--oversubscribe", "-perhost", 2, "/bin/true")
    suite.check("options of other launchers that change nothing", result.code == 0, result)
    result = suite.simulate("-n", 2, "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "tcp", "/bin/true")
    suite.check("--mca warns", result.code == 0 and find("--mca btl tcp", result.err), result)


def test_usage(suite):
    for arguments, said in [
        (["run", "--bogus", "/bin/true"], "--bogus"),
        (["run", "-n", "x", "/bin/true"], "x"),
        (["run", "-n", "0", "/bin/true"], "-n 0"),
        (["run", "-n", "2"], ""),
        (["run"], ""),
        (["run", "--compute", "fast", "/bin/true"], "fast"),
        (["run", "--clock", "sun", "/bin/true"], "sun"),
        (["run", "--coll", "bcast=nonsense", "/bin/true"], "nonsense"),
        (["run", "--map-by", "moon", "/bin/true"], "moon"),
        (["run", "--every", "3", "/bin/true"], "--balancer"),
        (["run", "--decision", "1ms", "/bin/true"], "--balancer"),
        (["run", "--state", "1KiB", "/bin/true"], "--balancer"),
        (["balance", "-n", "2", "./missing"], "there is no program or trace ./missing"),
        (["nonsense"], "nonsense"),
        (["info", "nonsense"], "nonsense"),
        (["check"], "PROGRAM"),
    ]:
        result = suite.run([MPIRAGE, *arguments])
        what = " ".join(arguments)
        suite.check(f"`{what}`: 84", result.code == 84, result)
        suite.check(f"`{what}` is explained", said in result.err and result.err.strip(), result.err)
    result = suite.run([MPIRAGE, "run", "--bogus", "/bin/true"])
    suite.check("an unknown option is called one", find("(unknown|unexpected).*--bogus", result.err), result.err)
    for arguments in (["--help"], ["run", "--help"], ["--version"], ["platform", "--help"]):
        result = suite.run([MPIRAGE, *arguments])
        suite.check(f"{arguments} succeeds", result.code == 0 and result.out, result)


BAD_PLATFORMS = {
    "speed.toml": ('name = "bad"\n[[host]]\nname = "a"\nspeed = "1Gff"\n', 4),
    "syntax.toml": ('name = "bad"\n[cluster\nhosts = 4\n', 2),
    "key.toml": ('name = "bad"\n[cluster]\nhosts = 4\nspeeed = "1Gf"\n', 4),
    "element.xml": ('<?xml version="1.0"?>\n<platform version="4.1">\n<zone id="z" routing="Full">\n<hosst id="a" speed="1Gf"/>\n</zone>\n</platform>\n', 4),
    "open.xml": ('<?xml version="1.0"?>\n<platform version="4.1">\n<zone id="z" routing="Full">\n</platform>\n', 4),
}


# A link that no route crosses, and a route that crosses one twice.
DOUBTFUL_ROUTES = """
loopback = { bandwidth = "10GBps", latency = "200ns" }
host = [{ name = "a", speed = "10Gf" }, { name = "b", speed = "10Gf" }]
link = [{ name = "cable", bandwidth = "1Gbps", latency = "25us" }, { name = "spare", bandwidth = "1Gbps", latency = "25us" }]
route = [{ from = "a", to = "b", links = ["cable:up", "cable:up"] }]
"""


def test_platforms(suite):
    doubtful = suite.folder / "doubtful.toml"
    doubtful.write_text(DOUBTFUL_ROUTES)
    result = suite.run([MPIRAGE, "platform", "check", doubtful])
    told = "crosses link cable_UP twice" in result.err and "no route crosses link spare_UP" in result.err
    suite.check("platform check: routes that look wrong", result.code == 0 and told, result)
    for name, (text, line) in BAD_PLATFORMS.items():
        path = suite.folder / name
        path.write_text(text)
        for command in (["platform", "check", path], ["run", "-n", 2, "-p", path, "/bin/true"]):
            result = suite.run([MPIRAGE, *command])
            said = re.search(re.escape(name) + r":(\d+)", result.err)
            suite.check(f"{name}: 82 and line {line} ({command[0]})", result.code == 82 and said and int(said.group(1)) == line, result)
    result = suite.run([MPIRAGE, "run", "-n", "2", "-p", "nowhere.toml", "/bin/true"])
    suite.check("a missing platform: 82", result.code == 82 and "nowhere.toml" in result.err, result)
    result = suite.run([MPIRAGE, "run", "-n", "2", "--model", "magic", "/bin/true"])
    suite.check("an unknown model: 84", result.code == 84 and "magic" in result.err, result)
    model = suite.folder / "model.toml"
    model.write_text("[model]\nwindow = 4194304\nwindoww = 4\n")
    result = suite.run([MPIRAGE, "run", "-n", "2", "--model", model, "/bin/true"])
    suite.check("a bad model file: 82 and its line", result.code == 82 and "model.toml:3" in result.err, result)
    for path in sorted((ROOT / "platforms").iterdir()) + ["cluster:16", "fat-tree:4x4", "torus:4x4x4", "griffon", "gdx", "dragonfly:3x2x4x2", "dragonfly-plus:3x2x2x4", "dgx-h100:2"]:
        result = suite.run([MPIRAGE, "platform", "check", path])
        fine = result.code == 0 and f"{path}: OK (" in result.out and "route" not in result.err
        suite.check(f"platform check {path}", fine, result)
    result = suite.run([MPIRAGE, "platform", "show", "griffon"])
    suite.check("platform show", result.code == 0 and "92 ×" in result.out and "[model]" in result.out and "interface-delay" in result.out, result)
    for topic, part in (("functions", "MPI_Send "), ("models", "flow:no-contention"), ("platforms", "griffon"), ("collectives", "recursive-doubling")):
        result = suite.run([MPIRAGE, "info", topic])
        suite.check(f"info {topic}", result.code == 0 and part in result.out, result)


def test_demo(suite):
    folder = suite.folder / "demo"
    folder.mkdir()
    (folder / "report.html").write_text("mine")
    result = suite.run([MPIRAGE, "demo"], timeout=60, cwd=folder)
    suite.check("demo", result.code == 0 and "16 ranks" in result.err and "simulated time" in result.err and result.out, result)
    suite.check("demo keeps a report that exists", (folder / "report.html").read_text() == "mine", result)
    suite.check("demo says where its report is", "open report-2.html" in result.err and (folder / "report-2.html").exists(), result.err)
    if suite.has("strace", "the folder of the demo"):
        traced = suite.run(["strace", "-f", "-e", "trace=mkdir,mkdirat", MPIRAGE, "demo", "-n", 2], timeout=60, cwd=folder)
        suite.check("demo works in a folder of its own", find(r'mpirage-demo-\w{6,}", 0700\) = 0', traced.err), traced.err)
    suite.check("demo leaves nothing", not os.listdir(suite.temporary) and not result.left, os.listdir(suite.temporary))


def test_data_planes(suite):
    flags = ["-I", TESTS / "programs"]
    for name, ranks in (("big_messages", 3), ("user_ops", 5), ("coll_derived", 4), ("send_modes", 4), ("alltoall", 5), ("pack", 3)):
        program = suite.compile(TESTS / "programs" / f"{name}.c", flags=flags)
        run = ["-q", "--json", "--compute", "none", "-n", ranks]
        direct, mailbox = (suite.simulate(*run, "--data-plane", plane, program) for plane in ("direct", "mailbox"))
        same = direct.code == 0 == mailbox.code and repeatable(direct) == repeatable(mailbox)
        suite.check(f"{name}: the same by direct copies and by mailboxes", same, (direct, mailbox))


def test_comm_buffer(suite):
    """Buffers of communicators, which MPICH 4.0 does not have."""
    result = suite.simulate("-q", "-n", 1, suite.compile(SOURCES / "comm_buffer.c"))
    lines = ["abi 1.0", "without a buffer: 1", "twice: 1", "on another communicator: 1", "flushed 1, got 7", "detached 1", "too small: 1",
             "of the process: 7"]
    suite.check("buffered sends use the buffer of their communicator", result.code == 0 and result.out.splitlines() == lines, result)


def test_buffers(suite):
    """What is in buffers of communicators, sessions and the process takes up room until it is received; detaching them waits, and so does MPI_Finalize."""
    program = suite.compile(SOURCES / "buffers.c", flags=["-g"])
    lines = [f"{what}: full 0 1 1 0, flushed early 0, detach waited 1" for what in ("communicator", "session", "process")]
    for mode in ("folded", "processes"):
        result = suite.simulate("-q", "-n", 2, "--ranks-as", mode, program)
        suite.check(f"buffers.c, {mode}", result.code == 0 and result.out.splitlines() == lines and not result.err, result)
        lost = suite.simulate("-n", 2, "--ranks-as", mode, program, "lost")
        suite.check(f"a buffered message that is never received, {mode}", lost.code == 80 and "rank 0 in MPI_Finalize" in lost.err and "sent by MPI_Bsend" in lost.err, lost)


def test_beyond(suite):
    """What MPICH 4.0 does not have or gets wrong: sessions one after the other, MPI_T's values, resources, partitions of nobody."""
    program = suite.compile(SOURCES / "beyond.c")
    for mode in ("folded", "processes"):
        # Ranks leave a barrier at one time, so that nothing of what follows has come yet.
        result = suite.simulate("-q", "-n", 3, "--ppn", 2, "--compute", "none", "--model", "flow:factors", "--ranks-as", mode, program)
        suite.check(f"beyond.c, {mode}", result.code == 0 and result.out == "0 mistakes\n", result)


def test_thread_completes(suite):
    """A wait for messages and for another thread ends, whichever comes first."""
    program = suite.compile(SOURCES / "thread_completes.c", flags=["-pthread"])
    for compute in ([], ["--compute", "none"]):
        result = suite.simulate("-q", "-n", 3, *compute, program)
        suite.check(f"thread_completes.c {compute}", result.code == 0 and result.out == "0 mistakes\n", result)


def test_in_place(suite):
    """Rules that ask for MPI_IN_PLACE see it in runs and in recorded runs."""
    program, rules, trace = suite.compile(SOURCES / "in_place.c"), suite.folder / "in-place.rules", suite.folder / "in-place.mpirage"
    rules.write_text("alltoall in-place=yes both-ways\nalltoall pairwise\nallreduce in-place=yes ring\nallreduce rabenseifner\n")
    run = ["-q", "--json", "--compute", "none", "-n", 6]

    def seconds(choice, *rest):
        result = suite.simulate(*run, "--coll", choice, *rest)
        return figures(result)["simulated_seconds"] if result.code == 0 else result

    by_name = {True: seconds("alltoall=both-ways,allreduce=ring", program, "in-place"), False: seconds("alltoall=pairwise,allreduce=rabenseifner", program)}
    suite.check("in place or not, other algorithms", by_name[True] != by_name[False], by_name)
    suite.check("rules see what is in place", seconds(rules, "--trace", trace, program, "in-place") == by_name[True], by_name)
    suite.check("rules see what is not", seconds(rules, program) == by_name[False], by_name)
    replayed = suite.run([MPIRAGE, "replay", "-q", "--json", "--compute", "none", "--coll", rules, trace])
    suite.check("traces keep what is in place", replayed.code == 0 and figures(replayed)["simulated_seconds"] == by_name[True], replayed)


def test_polling(suite):
    program = suite.compile(SOURCES / "polling.c")
    for compute in ("none", "measured"):
        for ranks in (2, 5):
            result = suite.simulate("-q", "-n", ranks, "--compute", compute, program)
            waits = {name: float(seconds) for name, seconds in re.findall(r"(\w+) ([\d.]+)", result.out)}
            for name, least in (("wtime", 0.01), ("test", 0.02), ("iprobe", 0.03), ("ibarrier", 0.04)):
                ok = least <= waits.get(name, 0) < least * 1.2 + (0.02 if compute == "measured" else 0)
                suite.check(f"a loop of {name} ends in time ({compute}, {ranks} ranks)", ok, result)


def examples_of(text):
    """The commands at the end of a help text."""
    return [line.strip() for line in text.split("Examples:\n")[-1].splitlines() if line.startswith("  ")]


def test_help_texts(suite):
    """Help by subject, with examples that run."""
    folder = suite.folder / "help"
    shutil.copytree(ROOT / "examples", folder)
    shutil.copytree(ROOT / "platforms", folder, dirs_exist_ok=True)
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    listed = re.findall(r"^  ([a-z]+) ", suite.run([MPIRAGE, "--help"]).out.split("Examples:")[0], re.MULTILINE)
    commands = [[]] + [[name] for name in listed if name != "help"]
    commands += [[around, name] for around, names in (("trace", ("convert", "info")), ("platform", ("check", "show"))) for name in names]
    suite.check("all commands are listed", {"run", "demo", "cc", "cxx", "fc", "replay", "trace", "report", "tune", "platform", "info", "gdb", "completions"} <= set(listed), listed)
    # Files that examples read are made by those before.
    order = {"cc": 0, "cxx": 0, "fc": 0, "run": 1, "replay": 2, "report": 3, "tune": 3}
    for words in sorted(commands, key=lambda words: order.get(words[0] if words else "", 4)):
        text = suite.run([MPIRAGE, "help", *words]).out
        what = " ".join(["help", *words])
        examples = examples_of(text) if "Examples:" in text else []
        suite.check(f"{what}: has examples", examples, text)
        for line in examples:
            if " gdb " not in line:
                result = suite.run(["bash", "-c", line], cwd=folder, env=environment, timeout=60)
                suite.check(f"{what}: {line}", result.code == 0, result)
    for words, headings in ((["run"], ("Machine:", "Results:", "Computation:", "Execution on this machine:", "Environment and output of ranks:")),
                            (["replay"], ("Machine:", "Results:", "Computation:")), (["report"], ("Machine:", "Results:")),
                            (["tune"], ("Machine:", "Search:", "Results:", "Computation:")), (["info"], ("Collectives:",))):
        text = suite.run([MPIRAGE, *words, "--help"]).out
        suite.check(f"{words}: options by subject", all(f"\n{heading}\n" in text for heading in headings), text)
        suite.check(f"{words}: no line is broken by hand", max(map(len, text.splitlines())) <= 100, text)


def test_help_lengths(suite):
    """-h, --help and --help-all list more and more; each fits into a terminal."""
    narrow = {"COLUMNS": "80"}
    for words in (["run"], ["replay"], ["check"], ["tune"], ["sweep"], ["jobs"], ["calibrate"], ["balance"], ["emulate"], ["report"], []):
        texts = [suite.run([MPIRAGE, *words, length], env=narrow) for length in ("-h", "--help", "--help-all")]
        lines = [len(text.out.splitlines()) for text in texts]
        suite.check(f"{words}: longer help lists more", lines == sorted(lines) and all(text.code == 0 for text in texts), lines)
        widest = max((line for text in texts for line in text.out.splitlines()[3:]), key=len)
        suite.check(f"{words}: help fits into 80 columns", len(widest) <= 80, widest)
    everything = suite.run([MPIRAGE, "run", "--help-all"]).out
    for option in ("--pcap", "--bind", "--balancer", "--oversubscribe"):
        suite.check(f"{option} stands in --help-all only", option in everything and f" {option} " not in suite.run([MPIRAGE, "run", "--help"]).out)
    suite.check("help of a program is its own", suite.run([MPIRAGE, "run", "-q", "/bin/echo", "--help-all"]).out == "--help-all\n")


# Values of options that take one, for a run of two ranks.
VALUES = {
    "-x": "A=b", "--balancer": "greedy", "--bind": "core", "--call-paths": "2", "--clock": "simulated", "--coll": "default", "--compute": "none", "--cores": "1",
    "--decision": "1us", "--env": "A b", "--every": "2", "--explore": "1", "--format": "json", "--governor": "powersave", "--host": "host-0,host-1", "--host-speed": "5Gf", "--hostfile": "{hosts}",
    "--io": "mpi", "--map-by": "node", "--max-behind": "1s", "--mca": "a b", "--model": "packet", "--mpi-abi": "mpi5", "--mpi-profile": "rdma", "--net": "hdr200",
    "--np": "2", "--on-cores": "2", "--orders": "1", "--output": "{output}", "--packet-at": "host-0", "--pcap": "host-0={output}.pcapng", "--pcap-snap": "64",
    "--platform": "cluster:2", "--ppn": "1", "--rank-timeout": "9", "--ranks-as": "processes", "--report": "{output}.html", "--report-ideal": "no", "--seed": "2",
    "--share-malloc": "1MiB", "--state": "1KiB", "--time-factor": "8", "--timeout": "60", "--trace": "{output}.mpirage", "--trace-collectives": "yes", "--wdir": "/tmp",
}
# Options that another one must come with.
WITH = {
    "--balancer": ["--on-cores", "2"], "--decision": ["--balancer", "greedy", "--on-cores", "2"], "--every": ["--balancer", "greedy", "--on-cores", "2"],
    "--state": ["--balancer", "greedy", "--on-cores", "2"], "--packet-at": ["--model", "packet"], "--pcap": ["--model", "packet"],
    "--governor": ["--platform", "{power}"], "--pcap-snap": ["--model", "packet", "--pcap", "host-0={output}.pcapng"], "--report-ideal": ["--report", "{output}.html"], "--trace-collectives": ["--report", "{output}.html"],
}


def test_listed_options(suite):
    """`check` and `emulate` have options of `run`. Their help lists none that they refuse."""
    ring = suite.compile(ROOT / "examples" / "ring.c")
    places = {name: suite.folder / name for name in ("hosts", "output")}
    places["power"] = suite.folder / "power.toml"
    places["hosts"].write_text("host-0\nhost-1\n")
    states = "".join(f"{{ speed = '{speed}Gf', idle = '95W', one-core = '320W', all-cores = '320W' }}," for speed in (2, 1))
    places["power"].write_text(f"net = 'hdr200'\n[cluster]\nhosts = 2\nspeed = '2Gf'\n[power]\nstates = [{states}]\n")
    for command, usual in (("check", {"--explore": "0", "--orders": "0"}), ("emulate", {"--time-factor": "4"})):
        text = suite.run([MPIRAGE, command, "--help-all"]).out
        listed = re.findall(r"^ {2,6}(?:-\w, )?(-x|--[a-z-]+)( <|\[=<)?", text, re.MULTILINE)
        for option, takes_value in dict(listed).items():
            if option in ("--help", "--version"):
                continue
            value = VALUES.get(option, "").split() if takes_value == " <" else []
            if takes_value == " <" and not suite.check(f"{command} {option}: the test knows a value", value):
                continue
            others = {"-n": "2", **usual}
            others.pop("-n" if option == "--np" else option, None)
            words = [word.format(**places) for word in [option, *value, *WITH.get(option, [])]]
            result = suite.run([MPIRAGE, command, *itertools.chain(*others.items()), *words, ring], timeout=60)
            suite.check(f"{command} {' '.join(words)} is accepted", result.code in (0, 89), result)


def test_help_of_compilers(suite):
    """Every command answers -h, --help and --help-all; the help of mpicc is the compiler's."""
    for command in ("cc", "cxx", "fc", "gdb"):
        for asked in ("-h", "--help", "--help-all"):
            result = suite.run([MPIRAGE, command, asked])
            suite.check(f"{command} {asked}", result.code == 0 and f"Usage: mpirage {command} " in result.out and "Examples:" in result.out, result)
    suite.check("mpicc --help is the compiler's", "Usage: mpirage" not in suite.run([BIN / "mpicc", "--help"]).out)


def test_old_names(suite):
    """Options that had other names work, with a hint."""
    ring = suite.compile(ROOT / "examples" / "ring.c")
    for words, new in ((["check", "--limit", 60, "-n", 2, ring], "--timeout"), (["tune", "bcast", "-n", 2, "--sizes", "8B", "--repeat", 2], "--calls"),
                       (["balance", "gen:ring,ranks=4", "--cores", 2], "--on-cores")):
        result = suite.run([MPIRAGE, *words])
        suite.check(f"{words[0]}: the old name is known", f"is now called {new}" in result.err, result)
    jobs = suite.folder / "jobs.toml"
    jobs.write_text(f'[[job]]\nname = "a"\nranks = 2\nprogram = ["{ring}"]\n')
    pages = suite.folder / "pages"
    result = suite.run([MPIRAGE, "jobs", "-p", "cluster:2", "--reports", pages, jobs])
    suite.check("jobs --reports is jobs --report", result.code == 0 and (pages / "a.html").exists(), result)


def test_another_launcher(suite):
    """A program that another launcher starts is several worlds of one rank, and says so."""
    ring = suite.compile(ROOT / "examples" / "ring.c")
    for size, rank in (("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK"), ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID")):
        first, second = (suite.run([ring], env={size: "4", rank: each}) for each in ("0", "1"))
        suite.check(f"{size}: the first process warns", first.code == 0 and "mpirage run -n 4" in first.err, first)
        suite.check(f"{size}: the others are quiet", second.code == 0 and not second.err, second)
        lone = suite.run([ring], env={size: "1", rank: "0"})
        suite.check(f"{size}: one process is no surprise", lone.code == 0 and not lone.err, lone)


def test_exhausted_memory(suite):
    """What a run needs and this machine has not is named; nothing is dumped."""
    result = suite.run(["bash", "-c", f"ulimit -v 400000; exec {MPIRAGE} replay gen:allreduce,ranks=2000000,bytes=8"])
    suite.check("exhausted memory is named", result.code == 84 and "memory is exhausted" in result.err and "backtrace" not in result.err, result)


def test_json_of_descriptions(suite):
    """`--json` has one form in all commands: alone, with - or a file."""
    file, taken = suite.folder / "shown.json", suite.folder / "taken.toml"
    taken.write_text((ROOT / "platforms" / "cluster.toml").read_text())
    for words in (["platform", "show", "cluster:4"], ["trace", "info", "gen:ring,ranks=4"]):
        plain, alone = (suite.run([MPIRAGE, *words, *form]) for form in (["--json"], ["--json", "-"]))
        suite.check(f"{words}: --json - is alone on standard output", alone.code == 0 and json.loads(alone.out) == json.loads(plain.out), alone)
        written = suite.run([MPIRAGE, *words, f"--json={file}"])
        suite.check(f"{words}: --json=FILE", written.code == 0 and not written.out and file.read_text() == plain.out, written)
    refused = suite.run([MPIRAGE, "platform", "show", taken, f"--json={taken}"])
    suite.check("an input is not replaced", refused.code == 84 and "replace" in refused.err and "[cluster]" in taken.read_text(), refused)


def test_colours(suite):
    """Colours are for terminals whose user wants them."""
    words = f"{MPIRAGE} run -p nothere /bin/true"
    shown = lambda before: suite.run(["script", "-qec", before + words, "/dev/null"], env={"TERM": "xterm"})
    suite.check("a terminal shows colours", "\x1b[" in shown("").out, shown("").out)
    suite.check("NO_COLOR turns them off", "\x1b[" not in shown("NO_COLOR=1 ").out)
    suite.check("pipes get none", "\x1b[" not in suite.run([MPIRAGE, "run", "-p", "nothere", "/bin/true"]).err)


def test_mistyped(suite):
    for words, meant in [
        (["rnu"], "run"), (["replya"], "replay"), (["tnue"], "tune"), (["tune", "--alogrithms", "x", "bcast"], "--algorithms"), (["trace", "inof"], "info"), (["platform", "shwo"], "show"), (["info", "modles"], "models"),
        (["run", "--platfrom", "x", "/bin/true"], "--platform"), (["run", "--compite", "none", "/bin/true"], "--compute"),
        (["replay", "--modle", "flow", "gen:ring"], "--model"), (["run", "-p", "clustre:4", "/bin/true"], "cluster"),
        (["run", "-p", "grifon", "/bin/true"], "griffon"), (["run", "--model", "simgird", "/bin/true"], "simgrid"),
        (["run", "--model", "logops", "/bin/true"], "loggops"), (["run", "-p", "machine.cfg", "/bin/true"], "--model machine.cfg"),
    ]:
        result = suite.run([MPIRAGE, *words])
        suite.check(f"{' '.join(words)}: suggests {meant}", result.code in (82, 84) and meant in result.err, result)
    result = suite.run([MPIRAGE, "run", "--zzzz", "/bin/true"])
    suite.check("nothing is suggested that is not alike", result.code == 84 and "did you mean" not in result.err, result)


def test_launchers(suite):
    """What people type for other launchers."""
    where = suite.compile(SOURCES / "where.c")
    for launcher in ("mpirun", "mpiexec"):
        result = suite.run([BIN / launcher, "--version"])
        suite.check(f"{launcher} --version", result.code == 0 and find(r"^mpirage \d+\.\d+\.\d+$", result.out), result)
    for option in ("-n4", "-np4", "-c4", "--np=4"):
        result = suite.run([BIN / "mpirun", "-q", option, where])
        suite.check(f"mpirun {option}", result.code == 0 and len(result.out.splitlines()) == 4, result)
    result = suite.run([BIN / "mpirun", "-n4", "-ppn2", "-p", "cluster:2", "-q", where])
    suite.check("mpirun -ppn2", len({line.split()[1] for line in result.out.splitlines()}) == 2, result)
    result = suite.simulate("-n", 1, "--compute", "none", where)
    suite.check("one rank is one rank", "mpirage: 1 rank on" in result.err and "0 messages (0 B)" in result.err, result.err)
    heat = suite.compile(ROOT / "examples" / "heat1d.c", flags=["-O2"])
    result = suite.simulate("-n", 16, "-p", ROOT / "platforms" / "cluster.toml", "--compute", "none", heat)
    suite.check("the summary counts for people", find(r"18,815 messages \(147\.8 KiB\), [\d,]+ MPI calls, [\d,]+ context switches$", result.err), result.err)


def test_prepare_names_what_it_cannot_install(suite):
    # No apt-get, no compiler, and no program of Debian.
    bare = suite.run([sys.executable, TESTS / "prepare.py"], env={"PATH": str(suite.folder)}, timeout=600)
    suite.check("prepare.py names what it cannot install", bare.code == 0 and find(r"needs .*g\+\+ gdb gfortran .*: there is no apt-get; tests that need them are skipped", bare.out), bare)


def test_documents(suite):
    """Numbers in documents that the program knows."""
    functions = suite.run([MPIRAGE, "info", "functions"]).out.splitlines()
    implemented = sum(line.endswith(" implemented") for line in functions)
    for name in ("README.md", "CHANGELOG.md", "docs/reference/mpi-coverage.md"):
        text = (ROOT / name).read_text()
        said = [int(number) for number in re.findall(r"(\d+) (?:of (?:the )?702|have a body)|[Aa]ll (702)", text) for number in number if number]
        suite.check(f"{name}: number of MPI functions", said and all(number == implemented for number in said), (said, implemented))
    table = (ROOT / "docs/reference/command-line.md").read_text()
    options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", suite.run([MPIRAGE, "run", "--help-all"]).out, re.MULTILINE)) - {"--help", "--version"}
    suite.check("all options of run are documented", all(f"`{option}" in table for option in options), [o for o in options if f"`{o}" not in table])
