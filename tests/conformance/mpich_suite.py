#!/usr/bin/env python3
"""MPICH's own tests of MPI under mpirage: tests/conformance/mpich_suite.py FOLDER [-j 2] [--seconds 120] [--keep BUILT] [--write] [coll rma/putfence1 …]

FOLDER is test/mpi of MPICH's sources, which need not be configured. Each line of the lists of tests is a case: a program, a number of ranks, arguments. Lines that
differ only in settings of MPICH itself (MPIR_CVAR_…) are one case, and lines for more than 16 ranks are left out. A case passes if the program ends with 0
and prints "No Errors".

Cases that fail are run again with Debian's MPICH if it is installed: some need a newer MPI or a feature of one library. --write writes
docs/reference/conformance-mpich-suite.md."""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
PAGE = ROOT / "docs" / "reference" / "conformance-mpich-suite.md"
FOLDERS = ["attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "io", "mpi_t", "part", "pt2pt", "rma", "session", "spawn", "topo",
           *(f"threads/{part}" for part in ("coll", "comm", "init", "mpi_t", "part", "pt2pt", "rma", "spawn")),
           *(f"errors/{part}" for part in ("attr", "basic", "coll", "comm", "datatype", "group", "io", "pt2pt", "rma", "session", "spawn", "topo"))]
MOST_RANKS = 16
HEADERS = ["STDIO", "STDLIB", "STRING", "STRINGS", "STDARG", "STDINT", "UNISTD", "SYS_TIME", "SYS_RESOURCE", "INTTYPES", "SYS_STAT", "SYS_TYPES"]
FEATURES = ["HAVE_LONG_LONG", "HAVE_LONG_LONG_INT", "HAVE_LONG_DOUBLE", "HAVE_LONG_DOUBLE__COMPLEX", "HAVE_DOUBLE__COMPLEX", "HAVE_FLOAT__COMPLEX", "HAVE__BOOL", "HAVE_INT8_T",
            "HAVE_INT16_T", "HAVE_INT32_T", "HAVE_INT64_T", "HAVE_UINT8_T", "HAVE_UINT16_T", "HAVE_UINT32_T", "HAVE_UINT64_T", "HAVE_GETRUSAGE", "HAVE_USLEEP", "HAVE_MPI_IO",
            "HAVE_MPI_WIN_CREATE", "HAVE_MPI_SPAWN", "HAVE_MPI_TYPE_CREATE_STRUCT", "HAVE_MPI2_COMBINERS", "HAVE_PTHREAD_BARRIER_INIT", "USE_THREADS"]


@dataclasses.dataclass(frozen=True)
class Case:
    folder: str
    program: str
    ranks: int
    arguments: tuple

    def __str__(self):
        return " ".join([f"{self.folder}/{self.program}", f"-n {self.ranks}", *self.arguments])


@dataclasses.dataclass
class Library:
    """An MPI library: how its programs are compiled and run, and where they are."""

    name: str
    compiler: list
    runner: list
    built: pathlib.Path


def cases(suite, wanted):
    """Every case of the lists, once."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((suite / folder).glob("testlist*")):
            if path.suffix not in ("", ".in"):
                continue
            for line in path.read_text(errors="replace").splitlines():
                words = re.sub(r"@\w+@|#.*", "", line).split()
                if len(words) < 2 or not words[1].isdigit() or "/" in words[0]:
                    continue
                arguments = tuple(word.removeprefix("arg=") for word in words[2:] if word.startswith("arg="))
                case = Case(folder, words[0], int(words[1]), arguments)
                if case.ranks <= MOST_RANKS and (not wanted or any(name in (folder, f"{folder}/{words[0]}") for name in wanted)):
                    found[case] = True
    return list(found)


def made_of(suite, folder):
    """Sources and definitions of programs that are not made of one file of their name."""
    sources, flags = {}, {}
    path = suite / folder / "Makefile.am"
    text = path.read_text(errors="replace").replace("\\\n", " ") if path.exists() else ""
    for name, kind, value in re.findall(r"^(\w+)_(SOURCES|CPPFLAGS|CFLAGS) *\+?= *(.*)$", text, re.M):
        if kind == "SOURCES":
            sources[name] = [suite / folder / word for word in value.split() if word.endswith(".c")]
        else:
            flags[name] = re.findall(r"-D\S+", value)
    return sources, flags


def configure(folder):
    """The headers that MPICH's configure and autogen.sh would write on Linux."""
    lines = [*(f"#define HAVE_{header}_H 1" for header in HEADERS), *(f"#define {feature} 1" for feature in FEATURES), "#define STDC_HEADERS 1",
             "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX", "#define MTEST_MPI_VERSION MPI_VERSION", "#define MTEST_MPI_SUBVERSION MPI_SUBVERSION", "#define F77_NAME_LOWER_USCORE 1",
             '#define MPI_AINT_FMT_DEC_SPEC "%ld"', '#define MPI_AINT_FMT_HEX_SPEC "%lx"']
    # The sources ask for ../dtpoolsconf.h: a folder beside it must be searched.
    (folder / "include").mkdir(exist_ok=True)
    for name in ("mpitestconf.h", "dtpoolsconf.h"):
        (folder / name).write_text("\n".join(lines) + "\n")
    # Extensions of MPICH that it makes functions of its tests for: none, as its autogen.sh does outside of MPICH.
    (folder / "mtest_mpix.h").write_text("")


def compile_all(library, suite, chosen, jobs):
    """Compiles the helpers and every program. Gives what could not be compiled, with the first error."""
    library.built.mkdir(parents=True, exist_ok=True)
    configure(library.built)
    include = [f"-I{library.built}", f"-I{library.built / 'include'}", *(f"-I{suite / path}" for path in ("include", "util", "dtpools/include", "dtpools/src"))]
    compiler = [*library.compiler, "-O1", "-w", "-pthread", "-DHAVE_MPITESTCONF_H", *include]
    helpers = [*(suite / "util" / name for name in ("mtest.c", "mtest_common.c", "dtypes.c", "mtest_thread.c", "run_mpitests.c")), *sorted((suite / "dtpools/src").glob("*.c"))]
    for source in helpers:
        subprocess.run([*compiler, "-c", source, "-o", library.built / f"{source.stem}.o"], check=True)
    # An archive, because run_mpitests.c has a main for programs that have none.
    archive = library.built / "libmtest.a"
    subprocess.run(["ar", "rcs", archive, *(library.built / f"{source.stem}.o" for source in helpers)], check=True)
    made = {folder: made_of(suite, folder) for folder in {case.folder for case in chosen}}

    def build(folder, program):
        sources, flags = made[folder]
        files = sources.get(program) or [suite / folder / f"{program}.c"]
        target = library.built / folder / program
        target.parent.mkdir(parents=True, exist_ok=True)
        if not files[0].exists():
            return "there is no source"
        if target.exists():
            return None
        done = subprocess.run([*compiler, *flags.get(program, []), f"-I{suite / folder}", *files, archive, "-lm", "-o", target], capture_output=True, text=True)
        return None if done.returncode == 0 else next((line for line in done.stderr.splitlines() if "error" in line or "undefined" in line), "the compiler failed")

    programs = list(dict.fromkeys((case.folder, case.program) for case in chosen))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reasons = dict(zip(programs, pool.map(lambda program: build(*program), programs)))
    return {program: reason for program, reason in reasons.items() if reason}


def run(library, suite, case, seconds):
    """None if a case passes, else why it does not."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*library.runner, "-n", str(case.ranks), library.built / case.folder / case.program, *case.arguments]
        source = suite / case.folder
        for data in [*source.glob("*.dat"), *source.glob("*.txt"), *source.glob("*.json")]:
            shutil.copy(data, folder)
        environment = {**os.environ, "PATH": f"{library.built / case.folder}:{os.environ['PATH']}"}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return f"did not end within {seconds} s"
    if process.returncode == 0 and re.search(r"^\s*No [Ee]rrors", out, re.M):
        return None
    lines = [line.strip() for line in out.splitlines() if line.strip() and "No Errors" not in line]
    told = next((line for line in lines if "error" in line.lower() or "mpirage" in line), lines[0] if lines else "nothing printed")
    return f"exit code {process.returncode}: {told[:160]}"


def run_all(library, suite, chosen, jobs, seconds):
    broken = compile_all(library, suite, chosen, jobs)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        judge = lambda case: broken.get((case.folder, case.program)) and f"not compiled: {broken[case.folder, case.program][:160]}" or run(library, suite, case, seconds)
        return dict(zip(chosen, pool.map(judge, chosen)))


def page(results, references, suite):
    total, failed = len(results), [case for case, reason in results.items() if reason]
    lines = ["# MPICH's tests of MPI", "",
             "The C tests of MPICH's own suite (`test/mpi` of its sources, which are not part of this repository), compiled with `mpirage cc`. Written by", "`tests/conformance/mpich_suite.py FOLDER --write`;",
             f"lists of tests with up to {MOST_RANKS} ranks, each program with each of its arguments once. {total - len(failed)} of {total} cases pass.", "",
             "| folder | cases | pass | fail | of these under Debian's MPICH too |", "|---|---|---|---|---|"]
    for folder in dict.fromkeys(case.folder for case in results):
        mine = [case for case in results if case.folder == folder]
        bad = [case for case in mine if results[case]]
        lines.append(f"| {folder} | {len(mine)} | {len(mine) - len(bad)} | {len(bad)} | {sum(bool(references.get(case)) for case in bad) if references else '–'} |")
    lines += ["", "## What fails", "", "| case | mpirage | Debian's MPICH |", "|---|---|---|"]
    escape = lambda text: text.replace(f"{suite}/", "").replace("|", "\\|")
    for case in failed:
        reference = references.get(case, "–") if references else "–"
        lines.append(f"| `{case}` | {escape(results[case])} | {'passes' if reference is None else escape(reference)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("wanted", nargs="*", help="folders, or single programs as FOLDER/PROGRAM")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--keep", type=pathlib.Path, help="keep what was compiled here")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_intermixed_args()
    suite = options.suite.resolve()
    if not (suite / "util" / "mtest.c").exists():
        sys.exit(f"mpich_suite: {suite} is not test/mpi of MPICH's sources: it has no util/mtest.c")
    chosen = cases(suite, options.wanted)
    if not chosen:
        sys.exit("mpich_suite: the lists of tests have no such case")
    with tempfile.TemporaryDirectory() as folder:
        built = (options.keep or pathlib.Path(folder)).resolve()
        ours = Library("mpirage", [MPIRAGE, "cc"], [MPIRAGE, "run", "-q"], built / "mpirage")
        results = run_all(ours, suite, chosen, options.jobs, options.seconds)
        failed, references = [case for case, reason in results.items() if reason], {}
        if failed and shutil.which("mpicc.mpich"):
            theirs = Library("MPICH", ["mpicc.mpich"], ["mpirun.mpich"], built / "mpich")
            references = run_all(theirs, suite, failed, options.jobs, options.seconds)
    for case in failed:
        print(f"{case}: {results[case]}" + (f" (MPICH: {references[case] or 'passes'})" if references else ""))
    ours_only = [case for case in failed if references.get(case, True) is None]
    print(f"{len(results)} cases, {len(results) - len(failed)} pass, {len(failed)} fail, of these {len(ours_only)} that pass under Debian's MPICH")
    if options.write:
        PAGE.write_text(page(results, references, suite))


if __name__ == "__main__":
    main()
