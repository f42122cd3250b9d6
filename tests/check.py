#!/usr/bin/env python3
"""`mpirage check`: small wrong programs and the correct ones beside them, forms of the report, correct programs of the other tests.

check/*.c have the cases; each CASE line has the class of the mistake, a name and the number of ranks. Arguments choose parts, or cases by name."""

import concurrent.futures
import json
import os
import re
import sys
import tomllib

from harness import MPIRAGE, ROOT, TESTS, Suite

SOURCES = TESTS / "check"
FILES = ["datatypes", "collectives", "waiting", "buffers", "leaks", "windows", "arguments"]
ENTRY = re.compile(r'^(?:CASE|RAW)\("([a-z-]+)", (\w+), (\d+)\)')
# At least this share of the wrong programs must be named in the right class.
NAMED = 0.95
# Wrong programs, and correct ones, that there must be.
LEAST = 150
FOUND = 88
LANGUAGES = {".c": "cc", ".cpp": "cxx"}
# What correct programs of the other tests leave behind, or do on purpose.
LEAVES = {
    "wildcards": {"unsafe-send"},  # receives the second of two messages first
    "intercomm_coll": {"unsafe-send"},  # completes its send before it receives
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


def wrong_and_right(suite, wanted=()):
    cases = [case for case in read_cases() if not wanted or case[2] in wanted]
    programs = {file: suite.compile(SOURCES / f"{file}.c", flags=("-g", "-O0", "-pthread")) for file in FILES}

    def examine(case):
        file, _, name, ranks, _, _ = case
        wrong = check(suite, programs[file], ranks, name, "wrong")
        return wrong, check(suite, programs[file], ranks, name, "right")

    named = 0
    for case, ((code, report), (right_code, right)) in zip(cases, in_parallel(examine, cases)):
        file, expected, name, _, first, last = case
        title = f"{file}.c, {name}"
        suite.check(f"{title}: the correct program has no findings", (right_code, mistakes(right)) == (0, []), right)
        suite.check(f"{title}: the wrong program has some", code == FOUND and mistakes(report), report)
        if expected in classes(report):
            named += 1
        else:
            print(f"{title} is {', '.join(classes(report)) or 'not named'} instead of {expected}")
        for finding in mistakes(report):
            placed = [finding["place"], *[related["place"] for related in finding["related"]]]
            lines = [place["line"] for place in placed if place and place["file"].endswith(f"{file}.c")]
            if finding["class"] == expected and finding["place"] and expected not in ("crash", "failure", "lifecycle"):
                helper = any(place and place["line"] and place["line"] < 40 for place in placed)
                suite.check(f"{title}: its line", helper or any(first <= line <= last for line in lines), finding)
    share = named / max(len(cases), 1)
    print(f"{named} of {len(cases)} wrong programs named in the right class ({100 * share:.1f} %)")
    suite.check("named in the right class", share >= NAMED, share)
    suite.check("enough cases", wanted or len(cases) >= LEAST, len(cases))


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


def correct_programs(suite):
    """No false alarm on correct programs; those that really leave something behind are in LEAVES."""

    def examine(entry):
        source, arguments, ranks, options = entry
        program = suite.compile(source, name=f"{source.parent.name}-{source.stem}", language=LANGUAGES[source.suffix], flags=("-g",))
        return check(suite, program, ranks, *arguments, options=("--explore", "2", *options))

    entries = list(listed_programs())
    for (source, *_), (code, report) in zip(entries, in_parallel(examine, entries)):
        found = set(classes(report)) - LEAVES.get(source.stem, set())
        suite.check(f"{source.name}: no findings", code in (0, FOUND) and not found and "error" not in report, report)


def forms(suite):
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

    for arguments, said in [
        (["--json", leaks], "--json"),
        (["--format", "xml", leaks], "xml"),
        (["--output", suite.folder / "none" / "file", leaks], "none"),
        ([suite.folder / "nothing"], "nothing"),
        (["--bogus", leaks], "--bogus"),
    ]:
        result = suite.run([MPIRAGE, "check", *arguments])
        suite.check(f"{arguments[0]}: 84", result.code == 84 and said in result.err, result)


def always_on(suite):
    """What `mpirage run` says, too."""
    collectives = suite.compile(SOURCES / "collectives.c", flags=("-g", "-O0"))
    result = suite.simulate("-n", 3, collectives, "blocking_barrier", "wrong")
    said = "collective mismatch" in result.err and "MPI_Ibarrier" in result.err and "MPI_Barrier" in result.err
    suite.check("blocking against non-blocking ends the run", result.code == 81 and said, result)
    result = suite.simulate("-n", 3, collectives, "bcast_of_the_root_only", "wrong")
    said = re.search(r"MPI_Bcast, which rank 0 called at \S*collectives\.c:\d+.*, was never called by ranks 1 and 2", result.err)
    suite.check("a missing collective is a warning", result.code == 0 and said, result)


PARTS = {function.__name__: function for function in [wrong_and_right, correct_programs, forms, always_on]}


def main():
    suite = Suite("check")
    wanted = sys.argv[1:]
    parts = [PARTS[name] for name in wanted if name in PARTS]
    names = [name for name in wanted if name not in PARTS]
    if names:
        wrong_and_right(suite, names)
    for part in parts or ([] if names else PARTS.values()):
        part(suite)
    suite.end()


main()
