"""`mpirage calibrate` and `mpirage compare`.

The part `taurus` needs the measurements of the Taurus cluster: the folder `calibration` in ../shared/data, or where CALIBRATION says. The part
`measured` needs Open MPI or MPICH. Both are skipped where these are missing."""

import gzip
import json
import math
import os
import pathlib
import random
import re
import signal
import statistics
import time
import xml.etree.ElementTree

import pytest

from harness import MPIRAGE, ROOT, find, marked

CALIBRATION = pathlib.Path(os.environ.get("CALIBRATION", ROOT.parent / "shared" / "data" / "calibration"))
OPENMPI = ROOT / "examples" / "pingpong-openmpi.csv"
MPICH = ROOT / "examples" / "pingpong-mpich.csv"
TESTBED = ROOT / "platforms" / "testbed.toml"
SIZES = sorted({factor << power for power in range(21) for factor in (1, 3, 5)})
NETWORK = '[cluster]\nhosts = 2\nspeed = "1Gf"\ncores = 4\nbandwidth = "1GBps"\nlatency = "10us"\n'


def calibrate(suite, *arguments, **more):
    return suite.run([MPIRAGE, "calibrate", *arguments], timeout=200, cwd=suite.folder, **more)


def compare(suite, *arguments):
    return suite.run([MPIRAGE, "compare", *arguments], cwd=suite.folder)


def result(done):
    """The JSON object that a command prints."""
    return json.loads(done.out) if done.out.startswith("{") else {}


def one_way(suite, platform, model, size):
    """Half a round trip in a replay between two hosts, in seconds."""
    def seconds(iterations):
        done = suite.run([MPIRAGE, "replay", "-q", "--json", "--ppn", 1, "-p", platform, "--model", model, f"gen:pingpong,ranks=2,bytes={size},iterations={iterations}"])
        return json.loads(done.out)["simulated_seconds"]
    return (seconds(11) - seconds(1)) / 20


def network(size):
    """A network with three protocols, whose last one is a rendezvous."""
    if size < 1000:
        return 15e-6 + 4e-9 * size
    return 20e-6 + 1.25e-9 * size if size < 65536 else 60e-6 + 1.05e-9 * size


def overhead(size):
    """What a receive costs."""
    return 2e-6 + 0.1e-9 * size if size < 65536 else 0.0


def send(size):
    """What a send costs before its message leaves."""
    return 3e-6 if size < 65536 else 0.0


def one_message(size):
    return send(size) + network(size) + overhead(size)


def synthetic(path, scatter=0.005):
    """Measurements of that network, with outliers."""
    draw = random.Random(4)
    lines = ["op,bytes,seconds"]
    for size in SIZES:
        for repeat in range(7):
            factor = 1 + draw.uniform(-scatter, scatter)
            outlier = 30 if repeat == 0 and size % 3 == 0 else 1
            lines.append(f"pingpong,{size},{one_message(size) * factor * outlier}")
            lines.append(f"recv,{size},{(overhead(size) or 0.9 * network(size)) * factor}")
            lines.append(f"isend,{size},{1.5e-6 * factor}")
            lines.append(f"send,{size},{(send(size) or 0.95 * network(size)) * factor}")
            lines.append(f"gap,{size},{max(0.4e-6, size * 1.05e-9) * factor}")
    path.write_text("\n".join(lines) + "\n")


def test_fits(suite):
    """Known parameters are found again, and a replay with the written model gives the measured times."""
    data, platform, model = suite.folder / "synthetic.csv", suite.folder / "two.toml", suite.folder / "fitted.toml"
    platform.write_text(NETWORK)
    synthetic(data)
    done = calibrate(suite, data, "-p", platform, "-o", model, "--json", "--report", "fit.html", "--plot", "fit.svg", "--hold-out", 5)
    again = calibrate(suite, data, "-p", platform, "-o", model, "-q")
    suite.check("fits: a model is kept", again.code == 84 and "--force replaces it" in again.err, again)
    suite.check("fits: --force replaces a model", calibrate(suite, data, "-p", platform, "-o", model, "-q", "--force").code == 0)
    found = result(done)
    suite.check("fits: exit code", done.code == 0 and found, done)
    starts = [segment["from"] for segment in found["segments"]]
    suite.check("fits: three segments where the protocols change", len(starts) == 3 and 640 < starts[1] <= 1024 and 49152 < starts[2] <= 65536, starts)
    for segment, (latency, per_byte) in zip(found["segments"], ((15e-6, 4e-9), (20e-6, 1.25e-9), (60e-6, 1.05e-9))):
        # The route has 20 µs and 1 GB/s, and a message 16 bytes more.
        factors = ((latency - 16 * per_byte) / 20e-6, 1e-9 / per_byte)
        for name, wanted in zip(("latency_factor", "bandwidth_factor"), factors):
            low, high = segment[f"{name}_interval"]
            suite.check(f"fits: {name} from {segment['from']}", abs(segment[name] / wanted - 1) < 0.05 and low <= segment[name] <= high, (segment, wanted))
    suite.check("fits: the rendezvous is found", 49152 < found["eager_limit"] <= 65536 and 49152 < found["push_limit"] <= 65536, found)
    suite.check("fits: the gap is found", abs(found["gap"]["seconds"] / 0.4e-6 - 1) < 0.05, found["gap"])
    errors = {score["model"]: score for score in found["errors"]}
    piece_wise, best, affine = (errors[name]["fitted"]["mean"] for name in ("piece-wise linear", "best-fit affine", "affine"))
    suite.check("fits: piece-wise < best-fit affine < affine", piece_wise < 0.02 < best < affine, errors)
    suite.check("fits: sizes that were left out", errors["piece-wise linear"]["left_out"]["mean"] < 0.03, errors)
    suite.check("fits: our own replay agrees", found["replayed"] < 1e-3, found["replayed"])
    for size in (8, 3000, 49152, 1 << 20):
        measured, simulated = one_message(size), one_way(suite, platform, model, size)
        suite.check(f"fits: a replayed ping-pong of {size} bytes", abs(simulated / measured - 1) < 0.03, (simulated, measured))
    loaded = suite.run([MPIRAGE, "platform", "show", platform, "--model", model])
    suite.check("fits: the file is read without warnings", loaded.code == 0 and "warning" not in loaded.err and "isend-overhead = [{ from = 0" in loaded.out, loaded)
    page = (suite.folder / "fit.html").read_text()
    suite.check("fits: the report has plot, errors and model", all(part in page for part in ("<svg", "best-fit affine", "segments = [")), page[:300])
    drawn = xml.etree.ElementTree.parse(suite.folder / "fit.svg").getroot()
    suite.check("fits: the plot has a point for each size", len(drawn.findall(".//{http://www.w3.org/2000/svg}circle")) == len(SIZES), len(SIZES))
    again = calibrate(suite, data, "-p", platform, "--json", "--hold-out", 5)
    suite.check("fits: the same again", result(again)["segments"] == found["segments"], again)


def test_choices(suite):
    """What a user can decide."""
    data, platform = suite.folder / "synthetic.csv", suite.folder / "two.toml"
    platform.write_text(NETWORK)
    synthetic(data)
    fit = lambda *words: result(calibrate(suite, data, "-p", platform, "--json", *words))
    given = fit("--breakpoints", "1000,64KiB")
    suite.check("choices: given breakpoints", [segment["from"] for segment in given["segments"]] == [0, 1000, 65536], given["segments"])
    (suite.folder / "limits").write_text("Limit, Name\n1000, Small\n65536, Large\n")
    suite.check("choices: breakpoints in a file", fit("--breakpoints", "limits")["segments"] == given["segments"], given)
    suite.check("choices: number of segments", len(fit("--segments", 2)["segments"]) == 2)
    suite.check("choices: correlation", len(fit("--criterion", "correlation")["segments"]) == 3)
    suite.check("choices: eager limit", fit("--eager-limit", "8KiB")["eager_limit"] == 8192)
    # The testbed's messages take what the platform says, and software.
    done = calibrate(suite, OPENMPI, "-p", TESTBED, "--model", "flow:affine", "--fit", "overheads", "--json", "-o", "overheads.toml")
    found = result(done)
    suite.check("choices: overheads on top of a model", done.code == 0 and not found["segments"] and found["recv_overhead"]["sections"], done)
    suite.check("choices: a replay has these overheads", found["replayed"] < 1e-3, found)
    text = (suite.folder / "overheads.toml").read_text()
    suite.check("choices: the file keeps the model's factors", 'base = "flow:affine"' in text and "segments" not in text, text)


def test_formats(suite):
    """Formats are recognised; the crate's tests cover each in detail."""
    table = "".join(f"{size:<10} {1e6 * network(size):15.2f}\n" for size in SIZES)
    (suite.folder / "osu.txt").write_text("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n" + table)
    rates = "".join(f"{size:<10} {1.0:8.2f} {1 / max(0.5e-6, size * 1e-9):15.2f}\n" for size in SIZES)
    head = "# OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n# [ pairs: {} ] [ window size: 64 ]\n# Size      MB/s      Messages/s\n"
    (suite.folder / "rates.txt").write_text(head.format(4) + rates + head.format(8) + rates)
    (suite.folder / "osu.txt.gz").write_bytes(gzip.compress((suite.folder / "osu.txt").read_bytes()))
    plain, packed = (calibrate(suite, name, "rates.txt", "-p", "cluster:2", "--json") for name in ("osu.txt", "osu.txt.gz"))
    suite.check("formats: OSU", plain.code == 0 and len(result(plain)["segments"]) == 3, plain)
    suite.check("formats: packed with gzip", result(packed)["segments"] == result(plain)["segments"], packed)
    suite.check("formats: a message rate gives the gap", abs(result(plain)["gap"]["seconds"] / 0.5e-6 - 1) < 0.02, plain)
    testbed = calibrate(suite, OPENMPI, "-p", TESTBED)
    suite.check("formats: tables for people", testbed.code == 0 and find(r"piece-wise linear +[\d.]+ %", testbed.out) and "factor on latency" in testbed.out, testbed)


def test_mistakes(suite):
    def written(name, text):
        (suite.folder / name).write_text(text)
        return name
    good = "bytes,seconds\n" + "".join(f"{size},{network(size)}\n" for size in SIZES)
    written("good.csv", good)
    (suite.folder / "broken.gz").write_bytes(gzip.compress(good.encode())[:40])
    machine = ["-p", "cluster:2"]
    cases = [
        ([written("negative.csv", "bytes,seconds\n1,1e-6\n2,-3e-6\n"), *machine], 83, "negative.csv:3: a time is negative"),
        ([written("zero.csv", "bytes,seconds\n1,0\n"), *machine], 83, "zero.csv:2: a time is zero"),
        ([written("one.csv", "bytes,seconds\n8,1e-6\n8,2e-6\n"), *machine], 83, "all ping-pongs have 8 bytes"),
        ([written("few.csv", "bytes,seconds\n8,1e-6\n16,2e-6\n"), *machine], 83, "at least 4"),
        ([written("mixed.csv", "bytes,seconds\n8,15.1\n16,15.2\n32,15.4e-6\n64,15.5e-6\n"), *machine], 83, "mixed units"),
        ([written("units.csv", "bytes,seconds,us\n8,1,1\n"), *machine], 83, "units.csv:1: several columns hold times"),
        ([written("unit.csv", "bytes,seconds\n8,15us\n"), *machine], 83, "unit.csv:2: `15us` is no time"),
        ([written("unknown.txt", "hello\n"), *machine], 83, "unknown.txt: the format is not known"),
        (["broken.gz", *machine], 83, "broken.gz: cannot be unpacked"),
        (["absent.csv", *machine], 83, "there is no file absent.csv"),
        ([written("two.csv", "mpi,bytes,seconds\na,8,1\nb,8,2\n"), *machine], 83, "--mpi says which count"),
        (["good.csv"], 84, "-p is missing"),
        ([], 84, "MEASUREMENTS"),
        (["good.csv", "-p", "clustre:2"], 82, "cluster"),
        (["good.csv", *machine, "--format", "ocu"], 84, "--format"),
        (["good.csv", *machine, "--fit", "all"], 84, "--fit"),
        (["good.csv", *machine, "--model", "bus"], 84, "only flow models"),
        (["good.csv", *machine, "--breakpoints", "a,b"], 84, "--breakpoints"),
        (["good.csv", *machine, "-o", "good.csv"], 84, "good.csv"),
        (["good.csv", *machine, "-o", "model.txt"], 84, ".toml"),
        (["good.csv", *machine, "--plot", "fit.png"], 84, ".svg"),
        (["--run", *machine, "--mpirun", MPIRAGE.parent / "bin" / "mpirun"], 84, "is mpirage itself"),
        (["--run", *machine, "--mpirun", "mpirun.none"], 84, "cannot start mpicc.none"),
        (["--run", *machine, "--mpirun", "launch"], 84, "--mpicc"),
    ]
    for words, code, text in cases:
        done = calibrate(suite, *words)
        suite.check(f"mistakes: {' '.join(map(str, words))}", done.code == code and text in done.err and done.out == "", done)
    written("none.toml", '[cluster]\nhosts = 2\nspeed = "1Gf"\nbandwidth = "1Gbps"\nlatency = "0s"\n')
    slow = calibrate(suite, "good.csv", "-p", TESTBED, "-q")
    suite.check("mistakes: a platform that is far too slow", slow.code == 0 and "is it the network that was measured?" in slow.err, slow)
    flat = calibrate(suite, "good.csv", "-p", "none.toml")
    suite.check("mistakes: factors on no latency", flat.code == 83 and "--fit overheads" in flat.err, flat)


def test_interrupted(suite):
    """A signal ends the measurement of `--run`, its launcher included, and leaves no file behind."""
    launcher = suite.folder / "launch"
    launcher.write_text("#!/bin/sh\nexec sleep 60\n")
    launcher.chmod(0o755)
    for number in (signal.SIGINT, signal.SIGTERM):
        mark = f"calibrate-{number.name}"
        process = suite.start([MPIRAGE, "calibrate", "--run", "--mpirun", launcher, "--mpicc", "true", "-p", "cluster:2"], mark)
        until = time.time() + 10
        while not (running := any("sleep" in line for _, line in marked(mark))) and time.time() < until:
            time.sleep(0.02)
        before = os.listdir(suite.temporary)
        process.send_signal(number)
        _, err = process.communicate(timeout=10)
        suite.check(f"{number.name} ends it", running and before and process.returncode == 128 + number and b"interrupted" in err, (running, before, process.returncode, err))
        suite.check(f"{number.name} leaves nothing behind", not marked(mark) and not os.listdir(suite.temporary), (marked(mark), os.listdir(suite.temporary)))


def test_compared(suite):
    """Two files side by side."""
    measured, simulated = suite.folder / "measured.csv", suite.folder / "simulated.csv"
    header = "bench,mpi,bytes,rank,seconds,repeat\n"
    measured.write_text(header + "ring,ompi,8,0,1.0,0\nring,ompi,8,1,2.0,0\nring,ompi,8,0,2.5,1\nring,ompi,8,1,4.0,1\nhalo,ompi,8,0,1.0,0\nonly,ompi,8,0,1,0\n")
    simulated.write_text(header + "ring,ompi,8,0,1.5,0\nhalo,ompi,8,0,1.0,0\n")
    done = compare(suite, simulated, measured, "--json")
    found = result(done)
    # The slowest ranks took 2 s and 4 s, their median is 3 s.
    series = {row["bench"]: row for row in found["series"]}
    suite.check("compare: median of the slowest ranks", math.isclose(series["ring"]["measured_seconds"], 3.0), done)
    suite.check("compare: mean and worst", math.isclose(found["error"]["mean"], math.sqrt(2) - 1) and math.isclose(found["error"]["worst"], 1.0), found)
    suite.check("compare: groups", {(group["by"], group["name"]) for group in found["groups"]} == {("bench", "ring"), ("bench", "halo"), ("mpi", "ompi"), ("bytes", "8")}, found)
    suite.check("compare: series of one file", (found["only_simulated"], found["only_measured"]) == (0, 1), found)
    for limit, code in ((41, 86), (42, 0)):
        judged = compare(suite, simulated, measured, "--max-error", limit)
        suite.check(f"compare: --max-error {limit}", judged.code == code and "bench ring" in judged.out, judged)
    drawn = compare(suite, MPICH, OPENMPI, "--plot", "both.svg", "-q")
    root = xml.etree.ElementTree.parse(suite.folder / "both.svg").getroot()
    suite.check("compare: a plot", drawn.code == 0 and drawn.out == "" and len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 20, drawn)
    run = suite.run([MPIRAGE, "replay", "-q", "--json", "gen:ring,ranks=4"])
    (suite.folder / "run.json").write_text(run.out)
    (suite.folder / "real.json").write_text('{"seconds": 1.0}\n')
    both = compare(suite, "run.json", "real.json", "--json")
    suite.check("compare: results of runs", both.code == 0 and result(both)["series"][0]["simulated_seconds"] == json.loads(run.out)["simulated_seconds"], both)
    for words, code, text in ((["run.json", "absent.csv"], 83, "absent.csv"), ([simulated, MPICH], 83, "no series is in both"),
                              ([simulated], 84, "REAL"), ([simulated, measured, "--max-error=-3"], 84, "max-error")):
        wrong = compare(suite, *words)
        suite.check(f"compare: {' '.join(map(str, words))}", wrong.code == code and text in wrong.err, wrong)


def all_to_all():
    """Measured all-to-alls of Taurus: by number of ranks, the median over repetitions of the slowest rank, in seconds. Ranks 2k and 2k + 1 take part
    from 2k + 2 ranks on, three times each."""
    ranks = {}
    for line in (CALIBRATION / "taurus2016_load_alltoall.csv").read_text().splitlines():
        rank, _, _, _, milliseconds = line.split(",")
        ranks.setdefault(int(rank), []).append(float(milliseconds) * 1e-3)
    times = {}
    for count in range(2, 13, 2):
        repeats = [max(ranks[rank][3 * ((count - 2) // 2 - rank // 2) + repeat] for rank in range(count)) for repeat in range(3)]
        times[count] = statistics.median(repeats)
    return times


def test_taurus(suite):
    """A real cluster with 10 Gbit/s Ethernet."""
    if not CALIBRATION.exists():
        suite.skip("taurus", f"there is no folder {CALIBRATION}")
        return
    files = [CALIBRATION / f"taurus2016_{name}.csv.gz" for name in ("PingPong", "Isend", "Recv")]
    platform = CALIBRATION / "taurus.xml"
    done = calibrate(suite, *files, "-p", platform, "--hold-out", 5, "--json", "-o", "taurus.toml")
    found = result(done)
    suite.check("taurus: fitted", done.code == 0 and found["replayed"] < 1e-3, done)
    errors = {score["model"]: score["left_out"]["mean"] for score in found["errors"]}
    print("taurus, sizes that were left out:", {name: f"{100 * error:.1f} %" for name, error in errors.items()}, f"noise {100 * found['noise']:.1f} %")
    suite.check("taurus: piece-wise < best-fit affine < affine", errors["piece-wise linear"] < errors["best-fit affine"] < errors["affine"], errors)
    # Below 64 KiB neighbouring sizes differ by more than this; above, they do not.
    large = [abs(math.log(point["fit"] / point["seconds"])) for point in found["points"] if point["left_out"] and point["bytes"] >= 65536]
    mean = math.exp(statistics.mean(large)) - 1
    print(f"taurus, sizes from 64 KiB on that were left out: {100 * mean:.1f} %, {len(large)} sizes")
    suite.check("taurus: large messages within 5 %", mean <= 0.05, mean)
    suite.check("taurus: small messages as well as neighbours predict each other", errors["piece-wise linear"] < 1.25 * found["noise"], (errors, found["noise"]))
    suite.check("taurus: sends wait from 320,000 bytes on", 0.8 < found["eager_limit"] / 320000 < 1.2 and 0.8 < found["push_limit"] / 65536 < 1.2, found)
    ratios = {}
    for count, measured in all_to_all().items():
        run = suite.run([MPIRAGE, "replay", "-q", "--json", "--ppn", 1, "-p", platform, "--model", suite.folder / "taurus.toml", "--coll", "alltoall=pairwise",
                         f"gen:alltoall,ranks={count},bytes=4000000,iterations=1"])
        ratios[count] = json.loads(run.out)["simulated_seconds"] / measured
    print("taurus, all-to-all, simulated / measured:", {count: round(ratio, 3) for count, ratio in ratios.items()})
    errors = [abs(math.log(ratio)) for ratio in ratios.values()]
    suite.check("taurus: all-to-all under load within 20 % in the mean", math.exp(statistics.mean(errors)) - 1 <= 0.20, ratios)


def test_measured(suite):
    """This machine, under each MPI it has. The machine may be busy, so only the way to the model is checked."""
    (suite.folder / "memory.toml").write_text('[cluster]\nhosts = 2\nspeed = "1Gf"\nbandwidth = "5GBps"\nlatency = "300ns"\n')
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for name in ("openmpi", "mpich"):
        if not (suite.has(f"mpirun.{name}", f"measured: {name}") and suite.has(f"mpicc.{name}", f"measured: {name}")):
            continue
        options = " --oversubscribe" if name == "openmpi" else ""
        done = calibrate(suite, "--run", "--mpirun", f"mpirun.{name}{options}", "-p", "memory.toml", "--save", f"{name}.csv", "-o", f"{name}.toml", "--json", env=environment)
        if not suite.check(f"measured: {name}", done.code == 0, done):
            continue
        found = result(done)
        kinds = {series["series"]: series["sizes"] for series in found["measured"]}
        suite.check(f"measured: {name}: all series", {"ping-pong", "MPI_Send", "MPI_Isend", "MPI_Recv", "message rate"} <= set(kinds) and kinds["ping-pong"] > 10, kinds)
        saved = (suite.folder / f"{name}.csv").read_text().splitlines()
        samples = sum(series["samples"] for series in found["measured"])
        suite.check(f"measured: {name}: what was measured is saved", saved[0] == "op,bytes,seconds" and len(saved) == samples + 1, saved[:3])
        loaded = suite.run([MPIRAGE, "platform", "show", suite.folder / "memory.toml", "--model", suite.folder / f"{name}.toml"])
        suite.check(f"measured: {name}: the model is read", loaded.code == 0, loaded)


def test_node(suite):
    """--node prints a program that measures a core as mpirage measures this one, in lines of a platform file."""
    source = suite.folder / "node.c"
    done = calibrate(suite, "--node")
    source.write_text(done.out)
    suite.check("--node prints a program", done.code == 0 and "int main(void)" in done.out, done)
    compiled = suite.run(["cc", "-O3", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", source, "-o", suite.folder / "node"])
    suite.check("it compiles without warnings", compiled.code == 0, compiled)
    printed = suite.run([suite.folder / "node"])
    keys = "".join(line + "\n" for line in printed.out.splitlines() if "core-bandwidth" not in line)
    platform = suite.folder / "node.toml"
    platform.write_text(f'[cluster]\nhosts = 2\nbandwidth = "1GBps"\nlatency = "10us"\n{keys}')
    empty = suite.compile("#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); }\n", "empty")
    run = suite.simulate("-q", "--json", "-n", 2, "-p", platform, "--host-speed", "6Gf", empty)
    sustained = float(re.search(r'sustained = "([0-9.]+)Gf"', printed.out)[1])
    ratio = result(run)["computation_ratio"] if run.code == 0 else None
    suite.check("a run computes as fast as the node", ratio is not None and abs(ratio * sustained / 6 - 1) < 1e-6, (printed.out, run))


# Starts what the job script starts on a simulated cluster instead of a real one.
SRUN = """#!/bin/bash
for word; do
    case $word in --nodes=*) ;; --ntasks=*) n=${word#*=} ;; --ntasks-per-node=*) ppn=${word#*=} ;; *) break ;; esac
    shift
done
case $1 in */osu_*) exec "$MPIRAGE" run -q -n $n --ppn $ppn -p "$MACHINE" --compute none "$@" ;; *) exec "$@" ;; esac
"""


def test_plan(suite):
    """--plan prints a job script; a model that is calibrated from its measurements predicts collectives that it was not fitted to."""
    folder = suite.folder / "plan"
    (folder / "osu").mkdir(parents=True)
    (folder / "machine.toml").write_text('[cluster]\nhosts = 2\ncores = 2\nbandwidth = "100Gbps"\nlatency = "600ns"\nloopback = { bandwidth = "10GBps", latency = "200ns" }\n')
    (folder / "srun").write_text(SRUN)
    (folder / "srun").chmod(0o755)
    tests = ["latency", "bw", "bibw", "mbw_mr", "allreduce", "allgather", "alltoall"]
    for test in tests:
        suite.compile((ROOT / "tests" / "studies" / "osu.c").read_text(), f"plan/osu/osu_{test}")
    done = calibrate(suite, "--plan")
    (folder / "plan.sh").write_text(done.out)
    suite.check("--plan prints a script", done.code == 0 and "#SBATCH --nodes=2" in done.out and "int main(void)" in done.out, done)
    here = {"PATH": f"{folder}:{os.environ['PATH']}", "MPIRAGE": str(MPIRAGE), "MACHINE": str(folder / "machine.toml")}
    missing = suite.run(["bash", folder / "plan.sh"], cwd=folder, env={**os.environ, **here, "OSU": str(folder / "nowhere"), "ROUNDS": "1"})
    suite.check("it says which benchmark is missing", missing.code != 0 and "there is no osu_latency in" in missing.err, missing)
    run = suite.run(["bash", folder / "plan.sh"], cwd=folder, env={**os.environ, **here, "OSU": str(folder / "osu"), "CORES": "2", "ROUNDS": "1", "LARGEST": "262144"}, timeout=120)
    files = {path.name for path in (folder / "mpirage-plan").iterdir()}
    wanted = {"node.toml", "latency-2x1-1.txt", "latency-1x2-1.txt", "bw-2x1-1.txt", "bibw-2x1-1.txt", "mbw_mr-2x1-1.txt", *(f"{test}-2x2-1.txt" for test in tests[3:])}
    suite.check("it measures, and says how to go on", run.code == 0 and wanted <= files and "mpirage calibrate mpirage-plan/{latency,bw,bibw}-2x1" in run.out, (run, files))
    measured = [folder / "mpirage-plan" / f"{test}-2x1-1.txt" for test in ("latency", "bw", "bibw")]
    measured += sorted((folder / "mpirage-plan").glob("mbw_mr-*.txt"))
    fitted = calibrate(suite, "--json", "-q", *measured, "-p", folder / "machine.toml", "-o", folder / "model.toml")
    suite.check("a model is fitted", fitted.code == 0, fitted)
    for test in tests[4:]:
        simulated = suite.run([MPIRAGE, "run", "-q", "-n", 4, "--ppn", 2, "-p", folder / "machine.toml", "--model", folder / "model.toml", "--compute", "none", folder / "osu" / f"osu_{test}", "-m", "1:262144"])
        (folder / f"{test}.txt").write_text(simulated.out)
        compared = suite.run([MPIRAGE, "compare", "-q", "--json", folder / f"{test}.txt", folder / "mpirage-plan" / f"{test}-2x2-1.txt"])
        error = json.loads(compared.out)["error"] if compared.code == 0 else {}
        suite.check(f"the model predicts {test}", error.get("series") == 19 and error["mean"] < 0.2, (simulated, compared))


@pytest.mark.alone
def test_node_is_this_machine(suite):
    """The program measures this core as mpirage does: both are the fastest of many samples of one loop, so each may be repeated."""
    source, program = suite.folder / "here.c", suite.folder / "here"
    source.write_text(calibrate(suite, "--node").out)
    suite.check("the program compiles", suite.run(["cc", "-O3", "-march=native", "-ffp-contract=off", source, "-o", program]).code == 0)
    empty = suite.compile("#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); }\n", "empty")
    node = mpirage = 0.0
    for _ in range(8):
        node = max(node, 1e9 * float(re.search(r'sustained = "([0-9.]+)Gf"', suite.run([program]).out)[1]))
        run = suite.simulate("-q", "--json", "-n", 1, "-p", "cluster:2", "--host-speed", "measure", empty)
        mpirage = max(mpirage, result(run)["host_speed_flops"])
        if abs(node / mpirage - 1) < 0.1:
            break
    suite.check("both measure the same speed", abs(node / mpirage - 1) < 0.1, (node, mpirage))
