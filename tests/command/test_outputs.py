"""Outputs are never lost: closed and full streams, outputs that cannot be written, outputs that are inputs, runs that are killed, JSON and its
schema."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import time
import uuid

import prepare
from harness import MPIRAGE, ROOT, TESTS, end_marked

SCHEMA = ROOT / "docs" / "reference" / "result.schema.json"
# Prints, sends, and ends with the code that is its argument.
TALKER = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc == 1) fprintf(stderr, "rank %d talks\\n", rank);
    if (rank == 0) printf(argc > 2 ? "no newline" : "a line\\n");
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""
# Runs until it is killed, with messages for every trace.
ENDLESS = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0;; round++) {
        if (rank == 0 && round == 1000) fprintf(stderr, "ready\\n");
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
"""
# Outputs by option, such that each format is there once.
TRACES = ["x.mpirage", "x.ti", "x.txt", "folder/", "x.prv", "x.pftrace", "x.paje", "x.otf2", "x.csv", "x.parquet"]


def shell(suite, line, **more):
    return suite.run(["bash", "-c", line], **more)


def contents(folder):
    """All files below a folder, with their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def fresh(suite, name):
    folder = suite.folder / name
    folder.mkdir()
    return folder


def test_standard_error(suite):
    """A standard error that takes nothing changes neither results nor exit codes."""
    program = suite.compile(TALKER, "talker")
    deadlock = suite.compile(TESTS / "mistakes" / "faults" / "deadlock_recv.c")
    for what, redirection in (("closed", "2>&-"), ("full", "2>/dev/full"), ("a closed pipe", "2> >(exit 0)")):
        for name, run, code in (("a run", f"-n 2 {program} 0", 0), ("a program that fails", f"-n 2 {program} 7", 7),
                                ("a deadlock", f"-n 2 {deadlock}", 80)):
            folder = fresh(suite, f"stderr-{what}-{name}".replace(" ", "-"))
            outputs = "--json=r.json --report r.html --trace r.mpirage"
            # The pipe's reader is gone before the run starts.
            wait = "sleep 0.1; " if "pipe" in what else ""
            result = shell(suite, f"exec 3>&1; {{ {wait} {MPIRAGE} run {outputs} {run}; }} {redirection}", cwd=folder)
            label = f"standard error is {what}, {name}"
            suite.check(f"{label}: exit code {code}", result.code == code, result)
            written = [file for file in ("r.json", "r.html", "r.mpirage") if (folder / file).exists()]
            suite.check(f"{label}: all outputs", len(written) == 3, written)
        for command in ("run --bogus /bin/true", "nonsense", "platform check nowhere.toml", "run -p nowhere.toml /bin/true"):
            result = shell(suite, f"{MPIRAGE} {command} {redirection}")
            suite.check(f"standard error is {what}: {command} fails with its own code", result.code in (82, 84), result)
    result = shell(suite, f"{MPIRAGE} demo -n 2 2>/dev/full", cwd=fresh(suite, "stderr-demo"), timeout=60)
    suite.check("standard error is full: demo", result.code == 0, result)


def test_standard_output(suite):
    program = suite.compile(TALKER, "talker")
    silent = "/bin/true"
    folder = fresh(suite, "stdout")
    result = shell(suite, f"{MPIRAGE} run --json --trace t.mpirage --report t.html -n 1 {silent} >/dev/full", cwd=folder)
    suite.check("JSON to a full standard output: 84", result.code == 84, result)
    suite.check("JSON to a full standard output is reported", "mpirage: cannot write to standard output" in result.err, result.err)
    suite.check("JSON to a full standard output: other outputs are written", {"t.html", "t.mpirage"} <= set(contents(folder)), folder)
    suite.check("JSON to a full standard output: the summary appears", "simulated time" in result.err, result.err)
    result = shell(suite, f"{MPIRAGE} run --json=j.json -n 2 {program} 3 >&-", cwd=folder)
    suite.check("a closed standard output: the run's own code", result.code == 3, result)
    suite.check("a closed standard output: JSON in a file", (folder / "j.json").exists())
    for command in ("info functions", "--help", "run --help", "completions bash", "trace info --json gen:ring,ranks=4", "platform show griffon"):
        result = shell(suite, f"{MPIRAGE} {command} >/dev/full")
        ok = result.code == 84 and "standard output" in result.err and "panicked" not in result.err
        suite.check(f"a full standard output: {command}", ok, result)


def test_bad_places(suite):
    """What cannot be written is refused before the program runs."""
    program = suite.compile(TALKER, "talker")
    folder = fresh(suite, "bad-places")
    (folder / "directory.html").mkdir()
    (folder / "directory.mpirage").mkdir()
    (folder / "file.csv").write_text("")
    for options, said in [
        (["--report", "no/such/r.html"], "there is no folder"),
        (["--report", "directory.html"], "directory"),
        (["--report", "r.pdf"], "ends in .html"),
        (["--report", "r"], "ends in .html"),
        (["--json=no/such/r.json"], "there is no folder"),
        (["--json=directory.html"], "directory"),
        (["--trace", "no/such/r.mpirage"], "there is no folder"),
        (["--trace", "no/such/r.prv"], "there is no folder"),
        (["--trace", "no/such/r.txt"], "there is no folder"),
        (["--trace", "directory.mpirage"], "directory"),
        (["--trace", "file.csv"], "file"),
        (["--trace", "r.xyz"], "xyz"),
        (["--trace", "no/such/r.otf2"], "there is no folder"),
        (["--compute", "recorded:no/such/costs"], "there is no folder"),
    ]:
        result = suite.simulate("-n", 2, *options, program, cwd=folder)
        what = " ".join(options)
        suite.check(f"{what}: 84, before the program runs", result.code == 84 and result.out == "" and "talks" not in result.err, result)
        suite.check(f"{what}: the message says why", said in result.err, result.err)
    result = suite.run([MPIRAGE, "report", "gen:ring,ranks=4", "-o", "no/such/r.html"], cwd=folder)
    suite.check("report -o into a wrong folder: 84", result.code == 84 and "there is no folder" in result.err, result)
    result = suite.simulate("-n", 2, "--report", "/dev/null", "--json=/dev/null", program, cwd=folder)
    suite.check("/dev/null takes outputs, and stays", result.code == 0 and stat.S_ISCHR(os.stat("/dev/null").st_mode), result)
    if os.getuid() == 0:  # root may write everywhere, so test as another user
        return
    (folder / "locked").mkdir(mode=0o500)
    result = suite.simulate("-n", 2, "--report", "locked/r.html", program, cwd=folder)
    suite.check("a folder that cannot be written to: 84", result.code == 84 and "talks" not in result.err, result)


def test_one_fails(suite):
    """An output that fails at the end does not take the others with it."""
    program = suite.compile(TALKER, "talker")
    for broken in ("--trace /dev/full", "--report /dev/full", "--json=/dev/full"):
        folder = fresh(suite, "fails-" + broken.replace("/", "-").replace(" ", "-"))
        # A trace has a known ending, so the device gets another name.
        for name in ("full.txt", "full.mpirage"):
            (folder / name).symlink_to("/dev/full")
        options = {"--trace": "--trace full.mpirage --trace full.txt"}.get(broken.split()[0], broken)
        others = [o for o in ("--trace t.mpirage", "--report t.html", "--json=t.json") if o.split()[0].split("=")[0] != broken.split()[0].split("=")[0]]
        result = shell(suite, f"{MPIRAGE} run {options} {' '.join(others)} --trace t.csv -n 2 {program}", cwd=folder)
        suite.check(f"{broken}: 84 and a message", result.code == 84 and "No space left" in result.err, result)
        suite.check(f"{broken}: the summary appears", "simulated time" in result.err, result.err)
        wanted = {other.replace("=", " ").split()[1] for other in others} | {"t.csv/ranks.csv"}
        suite.check(f"{broken}: the others are written", wanted <= set(contents(folder)), contents(folder).keys())
        result = shell(suite, f"{MPIRAGE} run {options} -n 2 {program} 9", cwd=folder)
        suite.check(f"{broken}: the run's own failure counts first", result.code == 9, result)


def test_same_file(suite):
    """Outputs that are inputs, or other outputs, are refused, and the inputs stay."""
    folder = fresh(suite, "same-file")
    program = suite.compile(TALKER, "talker")
    for name in ("prog.html", "prog.mpirage"):
        (folder / name).write_bytes(program.read_bytes())
        (folder / name).chmod(0o755)
    run = lambda *words: suite.run([MPIRAGE, *words], cwd=folder)
    made = run("run", "-q", "-n", 2, "--trace", "x.mpirage", "--trace", "x.ti", "--trace", "ti/", "--trace", "one.txt",
               "--report", "a.html", "--compute", "recorded:costs", program)
    suite.check("inputs are made", made.code == 0, made)
    (folder / "p.toml").write_text((ROOT / "platforms" / "cluster.toml").read_text())
    (folder / "p.html").write_text((ROOT / "platforms" / "cluster.toml").read_text())
    (folder / "m.toml").write_text("[model]\neager-limit = 7\n")
    (folder / "hosts").write_text("node-1\nnode-2\n")
    (folder / "soft.mpirage").symlink_to("x.mpirage")
    os.link(folder / "x.mpirage", folder / "hard.mpirage")
    run("trace", "convert", "gen:ring,ranks=4", "ring.mpirage")
    (folder / "s.goal").write_text("num_ranks 1\nrank 0 {\na: calc 10\n}\n")
    before = contents(folder)
    for words in [
        ["trace", "convert", "x.mpirage", "x.mpirage"],
        ["trace", "convert", "x.mpirage", "./x.mpirage"],
        ["trace", "convert", "x.mpirage", "soft.mpirage"],
        ["trace", "convert", "soft.mpirage", "hard.mpirage"],
        ["trace", "convert", "x.ti", "x.ti"],
        ["trace", "convert", "x.ti", "x.ti_files/"],
        ["trace", "convert", "ti/", "ti/"],
        ["trace", "convert", "ti/", "ti/ranks.txt"],
        ["trace", "convert", "one.txt", "one.txt"],
        ["trace", "convert", "s.goal", "s.goal"],
        ["replay", "--trace", "x.mpirage", "x.mpirage"],
        ["replay", "--trace", "hard.mpirage", "x.mpirage"],
        ["replay", "--json=x.mpirage", "x.mpirage"],
        ["replay", "--trace", "ti/", "ti"],
        ["replay", "-p", "p.html", "--report", "p.html", "x.mpirage"],
        ["report", "a.html", "-o", "a.html"],
        ["report", "a.html", "x.mpirage", "-o", "./a.html"],
        ["run", "-n", 2, "--report", "./prog.html", "./prog.html"],
        ["run", "-n", 2, "--trace", "prog.mpirage", "./prog.mpirage"],
        ["run", "-n", 2, "--json=prog.html", "./prog.html"],
        ["run", "-n", 2, "-p", "p.toml", "--json=p.toml", program],
        ["run", "-n", 2, "--model", "m.toml", "--json=m.toml", program],
        ["run", "-n", 2, "-p", "p.toml", "--hostfile", "hosts", "--json=hosts", program],
        ["run", "-n", 2, "--compute", "recorded:costs", "--json=costs", program],
        ["run", "-n", 2, "--compute", "recorded:new", "--json=new", program],
        ["run", "-n", 2, "--trace", "new.mpirage", "--trace", "./new.mpirage", program],
        ["run", "-n", 2, "--trace", "new.prv", "--json=new.row", program],
        ["run", "-n", 2, "--report", "new.html", "--json=new.html", program],
    ]:
        result = run(*words)
        what = " ".join(str(word) for word in words)
        suite.check(f"{what}: 84 and a reason", result.code == 84 and "would replace" in result.err, result)
        suite.check(f"{what}: nothing changes", contents(folder) == before, set(contents(folder)) ^ set(before))
    result = run("run", "-q", "-n", 2, "--trace", "out/", "--report", "out.html", "--json=out.json", program)
    suite.check("different outputs are fine", result.code == 0, result)
    result = run("trace", "convert", "ti/", "ti/new.mpirage")
    suite.check("a new file in the folder of a trace is fine", result.code == 0, result)


def test_requests(suite):
    """Requests as JSON: what the command line refuses is refused, with the same code, and nothing is lost."""
    trace, asked, answer = (suite.folder / name for name in ("asked.mpirage", "asked.json", "answer.json"))
    made = suite.run([MPIRAGE, "replay", "-q", "gen:ring,ranks=4", "--trace", trace])
    before = trace.read_bytes()
    for name, request, part in (
        ("an output that is the input", {"replay": {"workload": str(trace), "trace": str(trace)}}, "would replace"),
        ("a setting that does not exist", {"replay": {"workload": str(trace), "plattform": "x"}}, "unknown setting plattform"),
        ("no request", {"walk": {}}, "walk"),
    ):
        asked.write_text(json.dumps(request))
        result = suite.run([MPIRAGE, "request", asked, answer])
        suite.check(f"{name}: 84 and a reason", result.code == 84 and part in result.err and not answer.exists(), (made, result))
    suite.check("the trace is as it was", trace.read_bytes() == before)
    asked.write_text(json.dumps({"replay": {"workload": str(trace), "platform": "cluster:4"}}))
    result = suite.run([MPIRAGE, "request", asked, asked])
    suite.check("the answer does not replace the request", result.code == 84 and "would replace" in result.err, result)
    result = suite.run([MPIRAGE, "request", asked, answer])
    suite.check("a good request has an answer", result.code == 0 and json.loads(answer.read_text())["outcome"] == "finished", result)


def test_killed(suite):
    """A run or replay that is interrupted writes what is known. Other commands leave older files as they were, and nothing else unless they are killed outright."""
    program = suite.compile(ENDLESS, "endless")
    outputs = [word for trace in TRACES for word in ("--trace", trace)] + ["--report", "r.html", "--json=r.json", "--compute", "recorded:costs"]
    workload = "gen:ring,ranks=16,iterations=1000000000"
    commands = {
        "run": [MPIRAGE, "run", "-q", "-n", 2, *outputs, program],
        "replay": [MPIRAGE, "replay", "-q", *outputs[:-2], workload],
        "convert to .ti": [MPIRAGE, "trace", "convert", workload, "x.ti"],
        "convert to a folder": [MPIRAGE, "trace", "convert", workload, "folder/"],
        "convert to .mpirage": [MPIRAGE, "trace", "convert", workload, "x.mpirage"],
        "report": [MPIRAGE, "report", workload, "-o", "r.html"],
    }
    for name, command in commands.items():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            folder = fresh(suite, f"killed-{name}-{number}".replace(" ", "-"))
            (folder / "folder").mkdir()
            for old in ("x.mpirage", "x.ti", "x.txt", "folder/ti_trace0.txt", "x.prv", "x.pftrace", "x.paje", "r.html", "r.json"):
                (folder / old).write_text("old")
            before, mark = contents(folder), uuid.uuid4().hex
            process = suite.start(command, mark, cwd=folder)
            time.sleep(1.5)
            running = process.poll() is None
            process.send_signal(number)
            try:
                _, err = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                err = b"(did not end)"
            end_marked(mark)
            what = f"{name} ended by {number.name}"
            suite.check(f"{what}: it was running", running, err.decode())
            after = contents(folder)
            if name in ("run", "replay") and number != signal.SIGKILL:
                replaced = [file for file in ("x.mpirage", "x.prv", "x.pftrace", "x.paje", "r.html", "r.json") if after.get(file) in (None, before[file])]
                suite.check(f"{what}: what is known is written", not replaced and "costs" not in after, replaced)
                suite.check(f"{what}: no temporary file is left", not [path for path in after if ".mpirage-" in path], sorted(after))
                suite.check(f"{what}: exit code", process.returncode == 128 + number, (process.returncode, err.decode()))
                continue
            suite.check(f"{what}: older files are intact", all(after.get(file) == text for file, text in before.items()), sorted(after))
            more = [path.name for path in folder.rglob("*") if str(path.relative_to(folder)) not in before and path.name != "folder"]
            if number == signal.SIGKILL:
                more = [path for path in more if not path.startswith("ti_trace") and path != "ranks.txt"]
                suite.check(f"{what}: leftovers say what they are", all(path.startswith(".mpirage-") for path in more), more)
            else:
                suite.check(f"{what}: nothing is left", not more, more)
                suite.check(f"{what}: exit code", process.returncode == 128 + number, (process.returncode, err.decode()))


def test_failed_runs(suite):
    """A run that cannot start leaves nothing."""
    folder = fresh(suite, "failed-runs")
    outputs = [word for trace in TRACES for word in ("--trace", trace)] + ["--report", "r.html", "--json=r.json"]
    note = folder / "note.sh"
    note.write_text("not a program\n")
    for words in (["run", "-n", 2, *outputs, "./note.sh"], ["run", "-n", 2, *outputs, "--trace", "x.otf2", "/bin/true"]):
        result = suite.run([MPIRAGE, *words], cwd=folder)
        suite.check("a run that cannot start: 84", result.code == 84, result)
        suite.check("a run that cannot start leaves nothing", os.listdir(folder) == ["note.sh"], os.listdir(folder))


def test_json_line(suite):
    program = suite.compile(TALKER, "talker")
    result = suite.simulate("-q", "--json", "-n", 2, program, 0, "unfinished")
    lines = result.out.splitlines()
    suite.check("JSON is on a line of its own", lines[0] == "no newline" and json.loads(lines[-1])["ranks"] == 2, result.out)
    result = suite.simulate("-q", "--json", "-n", 2, program)
    suite.check("no empty line before JSON", result.out.startswith("a line\n{"), result.out)
    file = suite.folder / "result.json"
    result = suite.simulate("-q", f"--json={file}", "-n", 2, program)
    suite.check("--json=FILE leaves standard output to the program", result.out == "a line\n", result.out)
    suite.check("--json=FILE", json.loads(file.read_text())["command"][1:3] == ["run", "-q"], file.read_text())
    suite.check("--json=FILE has the permissions of any new file", stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask(), oct(file.stat().st_mode))
    result = shell(suite, f"{MPIRAGE} run -q --json=/dev/stdout -n 2 {program} > both.txt; cat both.txt", cwd=suite.folder)
    suite.check("--json=/dev/stdout appends to a file", result.out.startswith("a line\n{") and result.out.endswith("}\n"), result)
    result = shell(suite, f"{MPIRAGE} run -q --json=/dev/stdout -n 2 {program} | cat", cwd=suite.folder)
    suite.check("--json=/dev/stdout into a pipe", result.out.startswith("a line\n{"), result)
    for ranks_as in ("processes", "folded"):
        tagged = suite.simulate("-q", "--tag-output", "--ranks-as", ranks_as, "-n", 3, program, 0, "unfinished")
        suite.check(f"--tag-output ({ranks_as})", tagged.out == "[1,0]<stdout>:no newline\n", tagged)
    result = suite.simulate("-q", "-tag-output", "-n", 3, "echo", "hi")
    suite.check("-tag-output tags every rank", sorted(result.out.splitlines()) == [f"[1,{rank}]<stdout>:hi" for rank in range(3)], result)


def umask():
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


def test_schema(suite):
    """Results of real runs against the published schema."""
    prepare.python(prepare.SCHEMAS)
    import jsonschema

    rules = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(rules)
    validator.check_schema(rules)
    faults = TESTS / "mistakes" / "faults"
    program = suite.compile(TALKER, "talker")
    cut = suite.folder / "cut.toml"
    cut.write_text('[cluster]\nhosts = 2\nspeed = "1Gf"\nbandwidth = "1Gbps"\nlatency = "25us"\n[packet]\nframe-loss = 1.0\n')
    runs = {
        "finished": ([MPIRAGE, "run", "-q", "--json", "-n", 2, program], "finished"),
        "emulated": ([MPIRAGE, "emulate", "-q", "--json", "--time-factor", "2", "-n", 2, program], "finished"),
        "found factor": ([MPIRAGE, "emulate", "-q", "--json", "--max-behind", "1s", "-n", 2, program], "finished"),
        "folded": ([MPIRAGE, "run", "-q", "--json", "-n", 20, "--compute", "none", program], "finished"),
        "replayed": ([MPIRAGE, "replay", "-q", "--json", "gen:ring,ranks=4"], "finished"),
        "packets": ([MPIRAGE, "run", "-q", "--json", "-n", 2, "--model", "packet", program], "finished"),
        "unreachable": ([MPIRAGE, "replay", "-q", "--json", "--model", "packet", "-p", cut, "gen:ring,ranks=2"], "unreachable"),
        "beyond time": ([MPIRAGE, "replay", "-q", "--json", "gen:ring,ranks=4,iterations=3,compute=200d"], "beyond-time"),
    }
    for name, outcome, ranks in (("deadlock_recv", "deadlock", 2), ("deadlock_collective", "deadlock", 2), ("deadlock_waitall", "deadlock", 2),
                                 ("deadlock_ssend_cycle", "deadlock", 3), ("recv_from_finished", "deadlock", 2), ("truncation", "misuse", 2),
                                 ("abort_with_code", "aborted", 3), ("crash_segfault", "rank-died", 3)):
        runs[name] = ([MPIRAGE, "run", "-q", "--json", "-n", ranks, suite.compile(faults / f"{name}.c")], outcome)
    for name, (command, outcome) in runs.items():
        result = suite.run(command)
        values = json.loads(result.out.splitlines()[-1])
        problems = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(values)]
        suite.check(f"{name}: follows the schema", not problems, problems)
        suite.check(f"{name}: outcome {outcome}", values["outcome"] == outcome, values["outcome"])
        suite.check(f"{name}: the command line", values["command"] == [str(word) for word in command], values["command"])
        suite.check(f"{name}: the deadlock", (values["deadlock"] is not None) == (outcome == "deadlock"), values["deadlock"])
        suite.check(f"{name}: explained in words", (values["explanation"] is None) == (outcome == "finished"), values["explanation"])
        documented = (ROOT / "docs" / "reference" / "json.md").read_text()
        absent = [field for field in [*values, *values.get("network", {})] if f"`{field}`" not in documented]
        suite.check(f"{name}: all fields are documented", not absent, absent)
    source = faults / "deadlock_ssend_cycle.c"
    values = json.loads(suite.run(runs["deadlock_ssend_cycle"][0]).out.splitlines()[-1])["deadlock"]
    line = next(number for number, text in enumerate(source.read_text().splitlines(), 1) if "MPI_Ssend(" in text)
    first = values["blocked"][0]
    suite.check("a deadlock names call and place", (first["call"], pathlib.Path(first["source"]["file"]).name, first["source"]["line"],
                                                    first["source"]["function"]) == ("MPI_Ssend", source.name, line, "main"), first)
    suite.check("a deadlock names peer, tag and communicator", first["waits_for"][0]["kind"] == "receive" and
                first["waits_for"][0]["communicator"] == {"name": "MPI_COMM_WORLD", "size": 3}, first)
    cycle = values["cycle"]
    peers = {call["rank"]: call["waits_for"][0]["peer"] for call in values["blocked"]}
    suite.check("a deadlock has its cycle", [peers[rank] for rank in cycle] == cycle[1:] + cycle[:1], values)


def test_json_alone(suite):
    """With --json - standard output has the object and nothing else."""
    ring = suite.compile(ROOT / "examples" / "ring.c")
    for words in (["run", "-n", 2, "--json", "-", ring], ["run", "-n", 2, "--json=-", "--tag-output", ring]):
        result = suite.run([MPIRAGE, *words])
        suite.check("JSON alone", json.loads(result.out)["ranks"] == 2 and "came back to rank 0" in result.err, result)
    own = suite.run([MPIRAGE, "run", "-q", "/bin/echo", "--json", "-"])
    suite.check("words of the program stay its own", own.out == "--json -\n", own)
    jobs = suite.folder / "jobs.toml"
    jobs.write_text(f'[[job]]\nname = "a"\nranks = 2\nprogram = ["{ring}"]\n')
    result = suite.run([MPIRAGE, "jobs", "-p", "cluster:2", "--json", "-", jobs])
    suite.check("JSON of jobs alone", json.loads(result.out)["jobs"][0]["name"] == "a" and "came back to rank 0" in result.err, result)
    result = suite.run([MPIRAGE, "tune", "bcast", "-n", 2, "--sizes", "8B", "--json", "-"])
    suite.check("JSON of tune alone", "bcast" in json.dumps(json.loads(result.out)), result)
