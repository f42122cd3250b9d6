#!/usr/bin/env python3
"""Debian's own MPI programs, unmodified, under mpirage: their output against that of the same command under Debian's mpirun.

tests/conformance/debian.py [-n] [--write] [--folder FOLDER] [CASE…]

debian.toml lists the programs, the smallest input that makes them communicate, and what of their output must agree. Packages that are missing
are installed by apt, as long as FREE bytes of disk stay free. -n lists the cases. The last result of each case is kept in FOLDER/results.json, and
--write writes docs/reference/conformance-debian.md from these. Fails if a program that is to work does not, or if one works that is said to wait for
something."""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
LIST = pathlib.Path(__file__).with_suffix(".toml")
PAGE = ROOT / "docs" / "reference" / "conformance-debian.md"
FREE = 15e9
SECONDS = 300
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")


@dataclass
class Case:
    """A program with its input, and what is compared."""

    name: str
    packages: str
    command: str
    compare: str                                  # what is compared, in words
    ranks: int = 4
    files: dict = field(default_factory=dict)     # input files: name -> text
    setup: str = ""                               # shell commands before a run
    output: list = field(default_factory=list)    # files that are compared besides standard output
    keep: str = ""                                # only lines with this are compared
    drop: str = ""                                # lines with this are not
    erase: str = ""                               # this is removed from lines
    tolerance: float = 0.0                        # relative difference that numbers may have
    any_order: bool = False                       # lines may come in any order
    code: int = 0                                 # the exit code
    needs: str = ""                               # the functions that mpirage lacks for it, if it does not work
    options: str = ""                             # of mpirage run
    environment: dict = field(default_factory=dict)


@dataclass
class Outcome:
    """What a run left."""

    code: int | None
    text: str
    err: str
    seconds: float


def load():
    return [Case(**entry) for entry in tomllib.loads(LIST.read_text())["case"]]


def install(cases):
    """Installs the packages of these cases that are missing."""
    wanted = sorted({package for case in cases for package in case.packages.split()} | {"openmpi-bin"})
    listed = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"], capture_output=True, text=True).stdout
    there = {line.split()[0] for line in listed.splitlines() if line.endswith(" installed")}
    missing = [package for package in wanted if package not in there]
    if not missing:
        return
    if shutil.disk_usage("/").free < FREE:
        sys.exit(f"less than {FREE / 1e9:.0f} GB are free: {' '.join(missing)} are not installed")
    command = ["apt-get", "-o", "DPkg::Lock::Timeout=600", "install", "-y", "-qq", "--no-install-recommends", *missing]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def run(case, folder, launcher):
    """Runs a case in a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in case.files.items():
        (folder / name).write_text(text)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C", **case.environment}
    if case.setup:
        subprocess.run(case.setup, shell=True, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = time.time()
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        process = subprocess.Popen([*launcher, *shlex.split(case.command)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        try:
            code = process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    texts = [folder / "stdout", *(path for pattern in case.output for path in sorted(folder.glob(pattern)))]
    text = "\n".join(path.read_text(errors="replace") for path in texts)
    return Outcome(code, text, (folder / "stderr").read_text(errors="replace"), time.time() - began)


def lines(case, text):
    """The lines that are compared."""
    wanted = [line.rstrip() for line in text.splitlines()]
    wanted = [line for line in wanted if line and (not case.keep or re.search(case.keep, line)) and not (case.drop and re.search(case.drop, line))]
    if case.erase:
        wanted = [re.sub(case.erase, "", line) for line in wanted]
    return sorted(wanted) if case.any_order else wanted


def difference(case, theirs, ours):
    """The first difference of two lists of lines, if there is one."""
    for nth in range(max(len(theirs), len(ours))):
        one, other = (texts[nth] if nth < len(texts) else None for texts in (theirs, ours))
        if one is None or other is None or not is_same(case, one, other):
            return f"line {nth + 1} of {len(theirs)}: {one!r} under Open MPI, {other!r} under mpirage"
    return None


def is_same(case, one, other):
    if one == other:
        return True
    numbers = [[float(text.replace("D", "e").replace("d", "e")) for text in NUMBER.findall(line)] for line in (one, other)]
    words = [NUMBER.sub("#", line).split() for line in (one, other)]
    if not case.tolerance or words[0] != words[1] or len(numbers[0]) != len(numbers[1]):
        return False
    return all(abs(a - b) <= case.tolerance * max(abs(a), abs(b)) for a, b in zip(*numbers))


def judge(case, folder):
    """None if the program works, else why not."""
    mpirun = ["nice", "-n", "10", "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", str(case.ranks)]
    theirs = run(case, folder / "openmpi" / case.name, mpirun)
    expected = lines(case, theirs.text)
    if theirs.code != case.code or not expected:
        return f"no reference: Open MPI's run ended with {theirs.code} and {len(expected)} lines to compare", theirs, None
    simulator = ["nice", "-n", "5", str(MPIRAGE), "run", "-q", "-n", str(case.ranks), *shlex.split(case.options)]
    ours = run(case, folder / "mpirage" / case.name, simulator)
    gone = re.search(r"(\w*MPIX?_\w+) is not there yet", ours.err)
    if gone:
        return gone[1], theirs, ours
    if ours.code != case.code:
        why = f"no end within {SECONDS} s" if ours.code is None else f"exit code {ours.code}"
        return f"{why}: {' '.join(ours.err.split())[:300]}", theirs, ours
    return difference(case, expected, lines(case, ours.text)), theirs, ours


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("case", nargs="*", help="only these")
    p.add_argument("-n", "--list", action="store_true", help="list the cases")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    p.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "conformance" / "debian")
    return p.parse_args()


def main():
    options = parse_options()
    cases = load()
    unknown = set(options.case) - {case.name for case in cases}
    if unknown:
        sys.exit(f"no case {', '.join(sorted(unknown))}; --list shows them")
    cases = [case for case in cases if not options.case or case.name in options.case]
    if options.list:
        print("\n".join(f"{case.name}: {case.command}" for case in cases))
        return
    if not MPIRAGE.exists():
        sys.exit(f"{MPIRAGE} is not there; run `make build` first")
    install(cases)
    failed, kept = 0, options.folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for case in cases:
        why, theirs, ours = judge(case, options.folder.resolve())
        expected = why is None if not case.needs else why is not None and ours is not None
        failed += not expected
        verdict = "works" if why is None else why
        print(f"{'' if expected else 'FAILED '}{case.name} on {case.ranks} ranks: {verdict} "
              f"({theirs.seconds:.1f} s, simulated in {ours.seconds if ours else 0:.1f} s)", flush=True)
        results[case.name] = why
        kept.write_text(json.dumps(results, indent=1))
    if options.write:
        PAGE.write_text(page([(case, results[case.name]) for case in load() if case.name in results]))
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def page(rows):
    """The table of the documentation."""
    works = sum(why is None for _, why in rows)
    table = [f"| {case.packages.split()[0]} | `{shlex.split(case.command)[0].rsplit('/', 1)[-1]}` | {case.ranks} | {case.compare} | "
             f"{'works' if why is None else case.needs or 'does not work: ' + why} |" for case, why in rows]
    return "\n".join([
        "# Debian's MPI programs", "",
        "Programs as Debian 12 ships them, linked with its Open MPI 4.1.4, unmodified, under `mpirage run`. Their output is compared with that of the",
        "same command under Debian's `mpirun`. Written by `tests/conformance/debian.py --write`; `make conformance` runs it, and",
        "`tests/conformance/debian.toml` has the commands and inputs.", "",
        f"{works} of {len(rows)} work.", "",
        "| package | program | ranks | compared | result |", "|---|---|---|---|---|", *table, ""])


if __name__ == "__main__":
    main()
