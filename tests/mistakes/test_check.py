"""`mpirage check`: small wrong programs and the correct ones beside them, forms of the report, correct programs of the other tests.

check/*.c have the cases; each CASE line has the class of the mistake, a name and the number of ranks. Arguments choose parts, or cases by name."""

import concurrent.futures
import json
import os
import re
import tomllib

import pytest
from harness import MPIRAGE, ROOT, TESTS

SOURCES = TESTS / "mistakes" / "check"
FILES = ["datatypes", "collectives", "waiting", "buffers", "leaks", "windows", "arguments", "stores"]
# Further flags of a file.
FLAGS = {"stores": ("--watch-memory",)}
ENTRY = re.compile(r'^(?:CASE|RAW)\("([a-z-]+)", (\w+), (\d+)\)')
# At least this share of the wrong programs must be named in the right class.
NAMED = 0.95
# Wrong programs, and correct ones, that there must be.
LEAST = 150
FOUND = 88
# What `mpirage run` says about what is left, by case of leaks.c.
LEFT = {
    "in_a_loop": "4 datatypes were",
    "group": "2 groups were",
    "operator": "2 operators were",
    "persistent": "2 persistent requests were",
}
LANGUAGES = {".c": "cc", ".cpp": "cxx"}
# What correct programs of the other tests leave behind, or do on purpose.
LEAVES = {
    "wildcards": {"unsafe-send"},  # receives the second of two messages first
    "intercomm_coll": {"unsafe-send", "lost-message"},  # completes its send before it receives, and receives what a barrier finds there
    "errors_return": {"buffer-overlap"},  # receives twice into one buffer
    "buffer_room": {"unsafe-send", "lost-message", "request-leak"},  # needs short messages to leave the buffer, and long ones to stay
    "callbacks_throw": {"handle-leak"},  # never frees its keys
}


def read_cases():
    """For each case: file, class, name, ranks, its first and its last line."""
    cases = []
    for file in FILES:
        lines = (SOURCES / f"{file}.c").read_text().splitlines()
        heads = [(number, ENTRY.match(line)) for number, line in enumerate(lines, 1) if ENTRY.match(line)]
        for (number, head), following in zip(heads, [*heads[1:], (len(lines) + 1, None)]):
            cases.append((file, head[1], head[2], int(head[3]), number, following[0] - 1))
    return cases


def check(suite, program, ranks, *arguments, options=()):
    """The report of a program, and the exit code."""
    command = [MPIRAGE, "check", "-n", ranks, "--format", "json", *options, program, *arguments]
    result = suite.run(command, timeout=120)
    try:
        return result.code, json.loads(result.out)
    except ValueError:
        return result.code, {"findings": [], "error": result.out + result.err}


def mistakes(report):
    return [finding for finding in report["findings"] if finding["severity"] != "note"]


def classes(report):
    return sorted({finding["class"] for finding in mistakes(report)})


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(work, items))


CASES = read_cases()
# Cases that were examined, and whether each was named in the right class.
NAMES = {}


@pytest.mark.parametrize("case", CASES, ids=[f"{file}-{name}" for file, _, name, *_ in CASES])
def test_case(suite, case):
    """A wrong program has findings at its lines; the correct one beside it has none."""
    file, expected, name, ranks, first, last = case
    flags, title = ("-g", "-O0", "-pthread", *FLAGS.get(file, ())), f"{file}.c, {name}"
    program = suite.compile(SOURCES / f"{file}.c", flags=flags)
    code, report = check(suite, program, ranks, name, "wrong")
    right_code, right = check(suite, program, ranks, name, "right")
    suite.check(f"{title}: the correct program has no findings", (right_code, mistakes(right)) == (0, []), right)
    suite.check(f"{title}: the wrong program has some", code == FOUND and mistakes(report), report)
    NAMES[case] = expected in classes(report)
    if not NAMES[case]:
        print(f"{title} is {', '.join(classes(report)) or 'not named'} instead of {expected}")
    for finding in mistakes(report):
        placed = [finding["place"], *[related["place"] for related in finding["related"]]]
        lines = [place["line"] for place in placed if place and place["file"].endswith(f"{file}.c")]
        if finding["class"] == expected and finding["place"] and expected not in ("crash", "failure", "lifecycle"):
            helper = any(place and place["line"] and place["line"] < 40 for place in placed)
            suite.check(f"{title}: its line", helper or any(first <= line <= last for line in lines), finding)


def test_names_of_mistakes(suite):
    """Nearly all wrong programs are named in the right class. Needs the cases above."""
    if len(NAMES) < len(CASES):
        pytest.skip("not all cases were run")
    share = sum(NAMES.values()) / len(NAMES)
    print(f"{sum(NAMES.values())} of {len(NAMES)} wrong programs named in the right class ({100 * share:.1f} %)")
    suite.check("named in the right class", share >= NAMED, share)
    suite.check("enough cases", len(CASES) >= LEAST, len(CASES))


def test_correct_wildcards(suite):
    """Correct masters and workers, pipelines and trees, in many orders of messages."""
    program = suite.compile(SOURCES / "wildcards.c", flags=("-g", "-O0"))
    names = re.findall(r"^RIGHT\((\w+)\)", (SOURCES / "wildcards.c").read_text(), re.M)
    suite.check("enough correct programs with wildcards", len(names) >= 12, names)
    cases = [(name, ranks) for name in names for ranks in range(3, 7)]
    reports = in_parallel(lambda case: check(suite, program, case[1], case[0], options=("--explore", 60)), cases)
    for (name, ranks), (code, report) in zip(cases, reports):
        fine = (code, mistakes(report)) == (0, []) and "error" not in report
        suite.check(f"wildcards.c, {name}, {ranks} ranks: no findings", fine, report)
    orders = sum(len(report["runs"]) - 4 for _, report in reports if "runs" in report)
    print(f"{len(cases)} correct runs with wildcards: {orders} other orders of messages")
    suite.check("orders were explored", orders >= 1000, orders)


def listed_programs():
    """The correct programs of the other tests: source, arguments, ranks."""
    table = tomllib.loads((TESTS / "programs" / "list.toml").read_text())
    default = table.pop("ranks")
    for folder, programs in table.items():
        for name, facts in programs.items():
            ranks = [count for count in facts.get("ranks", default) if count > 1] or [1]
            source = next(path for path in (ROOT / folder).glob(f"{name}.c*"))
            if "exit" not in facts:
                yield source, facts.get("args", []), min(ranks, key=lambda count: abs(count - 3)), facts.get("options", [])


LISTED = list(listed_programs())


@pytest.mark.parametrize("source, arguments, ranks, options", LISTED, ids=[source.stem for source, *_ in LISTED])
def test_correct_program(suite, source, arguments, ranks, options):
    """No false alarm on correct programs; those that really leave something behind are in LEAVES."""
    program = suite.compile(source, name=f"{source.parent.name}-{source.stem}", language=LANGUAGES[source.suffix], flags=("-g",))
    code, report = check(suite, program, ranks, *arguments, options=("--explore", "2", *options))
    found = set(classes(report)) - LEAVES.get(source.stem, set())
    suite.check(f"{source.name}: no findings", code in (0, FOUND) and not found and "error" not in report, report)


def test_watched_memory(suite):
    """Loads and stores of windows, in optimised code and in C++; no false alarm in correct programs with windows."""
    cases = [case for case in CASES if case[0] == "stores"]
    builds = {"-O2": ("cc", ("-g", "-O2")), "-O3, C++": ("cxx", ("-g", "-O3", "-x", "c++"))}
    for title, (language, flags) in builds.items():
        program = suite.compile(SOURCES / "stores.c", name=f"stores-{language}", language=language, flags=("--watch-memory", *flags))

        def examine(case, program=program, options=("--explore", 0, "--ranks-as", "processes")):
            return [check(suite, program, case[3], case[2], how, options=options) for how in ("wrong", "right")]

        for case, ((code, report), right) in zip(cases, in_parallel(examine, cases)):
            found = [finding for finding in mistakes(report) if finding["class"] == "rma-conflict"]
            lines = [place["line"] for finding in found for place in [finding["place"], *[other["place"] for other in finding["related"]]] if place]
            inside = any(case[4] <= line <= case[5] for line in lines)
            suite.check(f"{case[2]}, {title}: found", code == FOUND and found and inside, report)
            suite.check(f"{case[2]}, {title}: no false alarm", right[0] == 0 and not mistakes(right[1]), right)
    entries = [entry for entry in LISTED if "MPI_Win" in entry[0].read_text()]

    def correct(entry):
        source, arguments, ranks, options = entry
        flags = ("-g", "--watch-memory")
        program = suite.compile(source, name=f"watched-{source.stem}", language=LANGUAGES[source.suffix], flags=flags)
        return check(suite, program, ranks, *arguments, options=("--explore", "2", *options))

    suite.check("enough programs with windows", len(entries) >= 10, len(entries))
    for (source, *_), (code, report) in zip(entries, in_parallel(correct, entries)):
        found = set(classes(report)) - LEAVES.get(source.stem, set())
        suite.check(f"{source.name}, watched: no findings", code in (0, FOUND) and not found and "error" not in report, report)


def test_forms(suite):
    """Text, JSON and SARIF; groups; exit codes; options."""
    leaks = suite.compile(SOURCES / "leaks.c", flags=("-g", "-O0"))
    waiting = suite.compile(SOURCES / "waiting.c", flags=("-g", "-O0"))
    one = [MPIRAGE, "check", "-n", 4]
    result = suite.run([*one, leaks, "in_a_loop", "wrong"])
    suite.check("88 and one paragraph for all ranks", (result.code, result.out.count("[datatype-leak]")) == (88, 1), result)
    suite.check("ranks and number", "ranks 0, 1, 2, 3 in MPI_Type_contiguous, 8 times" in result.out, result.out)
    suite.check("file and line", re.search(r"leaks\.c:\d+: warning: ", result.out), result.out)
    suite.check("the rule", "expected: MPI_Type_free before MPI_Finalize" in result.out, result.out)
    result = suite.run([*one, leaks, "in_a_loop", "right"])
    suite.check("0 and no findings", (result.code, "no findings in 4 runs" in result.out) == (0, True), result)

    file = suite.folder / "leaks.sarif"
    result = suite.run([*one, "--format", "sarif", "--output", file, leaks, "in_a_loop", "wrong"])
    suite.check("the report is in the file", (result.code, result.out) == (88, ""), result)
    log = json.loads(file.read_text())
    run = log["runs"][0]
    found = run["results"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    suite.check("SARIF 2.1.0", log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"), log)
    suite.check("a rule for each class", rules[found["ruleIndex"]] == found["ruleId"] == "datatype-leak", found)
    place = found["locations"][0]["physicalLocation"]
    suite.check("a place", place["artifactLocation"]["uri"].endswith("leaks.c") and place["region"]["startLine"] > 1, place)
    suite.check("a level and ranks", (found["level"], found["properties"]["ranks"]) == ("warning", [0, 1, 2, 3]), found)

    race = [MPIRAGE, "check", "-n", 3, "--format", "json"]
    result = suite.run([*race, waiting, "order_is_assumed", "wrong"])
    report = json.loads(result.out)
    suite.check("races are notes", any(one["class"] == "wildcard-race" for one in report["findings"]), report)
    result = suite.run([*race, "--explore", "0", "--orders", "0", waiting, "order_is_assumed", "wrong"])
    report = json.loads(result.out)
    suite.check("nothing is explored if so wished", len(report["runs"]) == 3 and result.code == 0, result)
    result = suite.run([*race, "--orders", "2", waiting, "abort_if_another", "right"])
    suite.check("a race alone is no mistake", result.code == 0 and "wildcard-race" in result.out, result)
    first, second = (suite.run([*race, waiting, "third_receive_starves", "wrong"]).out for _ in range(2))
    suite.check("the same report twice", first == second, first + second)

    result = suite.run([*race, waiting, "wildcard_took_the_message", "wrong"])
    said = "MPI_Recv of rank 0 with MPI_ANY_SOURCE took a message of rank 2"
    suite.check("a deadlock names the wildcard receive", result.code == 88 and said in result.out, result)
    for case, said in [
        ("bcast_before_the_send", "expected: rank 0 sends before MPI_Bcast, or rank 1 receives after it"),
        ("send_before_the_barrier", "expected: rank 1 receives before MPI_Barrier, or rank 0 sends after it"),
    ]:
        result = suite.run([MPIRAGE, "check", "-n", 2, waiting, case, "wrong"])
        suite.check(f"{case}: what would be right", said in result.out, result)

    for arguments, said in [
        (["--json", leaks], "--json"),
        (["--format", "xml", leaks], "xml"),
        (["--output", suite.folder / "none" / "file", leaks], "none"),
        ([suite.folder / "nothing"], "nothing"),
        (["--bogus", leaks], "--bogus"),
    ]:
        result = suite.run([MPIRAGE, "check", *arguments])
        suite.check(f"{arguments[0]}: 84", result.code == 84 and said in result.err, result)


def test_always_on(suite):
    """What `mpirage run` says, too."""
    collectives = suite.compile(SOURCES / "collectives.c", flags=("-g", "-O0"))
    result = suite.simulate("-n", 3, collectives, "blocking_barrier", "wrong")
    said = "collective mismatch" in result.err and "MPI_Ibarrier" in result.err and "MPI_Barrier" in result.err
    suite.check("blocking against non-blocking ends the run", result.code == 81 and said, result)
    result = suite.simulate("-n", 3, collectives, "bcast_of_the_root_only", "wrong")
    said = re.search(r"MPI_Bcast, which rank 0 called at \S*collectives\.c:\d+.*, was never called by ranks 1 and 2", result.err)
    suite.check("a missing collective is a warning", result.code == 0 and said, result)
    leaks = suite.compile(SOURCES / "leaks.c", flags=("-g", "-O0"))
    for kind in ["processes", "folded"]:
        for case, said in LEFT.items():
            result = suite.simulate("-n", 2, "--ranks-as", kind, leaks, case, "wrong")
            counted = f"at the end of the run, {said} not freed (sum of all ranks); `mpirage check` names" in result.err
            suite.check(f"{case}: objects that are left are counted ({kind})", result.code == 0 and counted, result)
            result = suite.simulate("-n", 2, "--ranks-as", kind, leaks, case, "right")
            suite.check(f"{case}: none is left ({kind})", result.code == 0 and "not freed" not in result.err, result)
