#!/usr/bin/env python3
"""The OSU micro-benchmarks under mpirage: tests/conformance/osu.py FOLDER [-n 4] [--write] [osu_latency …]

No package registry has these benchmarks: FOLDER is where the user has installed them, built with mpirage's wrappers (version 7.2 was tried).
Programs that can validate what arrives do so (`-c`); a program works if it ends with 0, prints a table, and all its validations pass.
--write writes docs/reference/conformance-osu.md."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
PAGE = ROOT / "docs" / "reference" / "conformance-osu.md"
SHORT = ["-i", "5", "-x", "1"]
SIZES = ["-m", "1:4096"]
# Arguments of programs that differ from the others.
ARGUMENTS = {"osu_hello": [], "osu_init": [], "osu_barrier": SHORT, "osu_ibarrier": SHORT, "osu_latency_mt": ["-t", "2:2", *SHORT, *SIZES],
             "osu_cas_latency": SHORT, "osu_fop_latency": SHORT}
# Programs for exactly two ranks.
PAIRS = re.compile(r"osu_(bw|bibw|latency)(_persistent|_mp|_mt)?$|osu_(acc|cas|fop|get|put|get_acc)_(bw|bibw|latency)$")
# These have nothing to validate.
PLAIN = re.compile(r"osu_(hello|init|i?barrier)$|osu_(acc|cas|fop|get|put|get_acc)_")
SECONDS = 120
# What is wrong with programs themselves, by the words in which mpirage says so.
KNOWN = {"osu_latency_mt": ("before it called MPI_Finalize", "validates; then it ends without MPI_Finalize (a mistake of OSU 7.2), which mpirage reports")}


def run(program, ranks):
    """None if the program works, else what is wrong; and how many validations passed."""
    name = program.name
    validate = [] if PLAIN.match(name) else ["-c"]
    command = [MPIRAGE, "run", "-q", "--compute", "none", "-n", ranks, program, *ARGUMENTS.get(name, [*SHORT, *SIZES]), *validate]
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s", 0
    verdicts = re.findall(r"\b(Pass|Fail)\b", done.stdout)
    sign, known = KNOWN.get(name, (None, None))
    if known and sign in done.stderr and "Fail" not in verdicts:
        return known, len(verdicts)
    if done.returncode:
        return f"exit code {done.returncode}: {' '.join((done.stderr or done.stdout).split())[:300]}", 0
    if "Fail" in verdicts:
        return f"{verdicts.count('Fail')} of {len(verdicts)} validations fail", verdicts.count("Pass")
    if validate and not verdicts:
        return "it validates nothing", 0
    return (None if re.search(r"\d", done.stdout) else "it prints nothing"), len(verdicts)


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=pathlib.Path, help="where the benchmarks are installed")
    p.add_argument("program", nargs="*", help="only these")
    p.add_argument("-n", type=int, default=4, help="ranks of programs that are not for two (default 4)")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    return p.parse_args()


def main():
    options = parse_options()
    programs = sorted(path for path in options.folder.resolve().rglob("osu_*") if path.is_file() and path.stat().st_mode & 0o100)
    programs = [path for path in programs if not options.program or path.name in options.program]
    if not programs or not MPIRAGE.exists():
        sys.exit(f"no programs in {options.folder}" if not programs else f"{MPIRAGE} is not there; run `make build` first")
    rows, failed = [], 0
    for program in programs:
        ranks = 2 if PAIRS.match(program.name) else options.n
        why, validated = run(program, ranks)
        failed += why is not None and why != KNOWN.get(program.name, (None, None))[1]
        rows.append((program.parent.name, program.name, ranks, why, validated))
        print(f"{program.name} on {ranks} ranks: {why or 'works'}, {validated} validations", flush=True)
    if options.write:
        PAGE.write_text(page(rows))
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def page(rows):
    table = [f"| {group} | {name} | {ranks} | {'works' if why is None else why} | {validated or 'has none'} |" for group, name, ranks, why, validated in rows]
    return "\n".join([
        "# The OSU micro-benchmarks", "",
        "OSU micro-benchmarks 7.2, built with mpirage's `mpicc`, under `mpirage run`. Programs that can validate what arrives do so (`-c`).",
        "Written by `tests/conformance/osu.py FOLDER --write`; no package registry has the sources, so `make conformance` runs it only with `OSU=FOLDER`,",
        "where they are installed.", "",
        f"{sum(why is None for *_, why, _ in rows)} of {len(rows)} work.", "",
        "| group | program | ranks | result | validations that passed |", "|---|---|---|---|---|", *table, ""])


if __name__ == "__main__":
    main()
