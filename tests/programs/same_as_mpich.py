"""Runs every program of programs/list.toml under mpirage and compares its standard output, byte by byte, and its exit
code with those of a real MPI: the recorded ones (programs/expected/NAME.RANKS.out, made by MPICH) or, with --live,
those of the MPI installed here. Prints one line per failure with a diff, and at the end `N passed, N failed`."""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import prepare  # noqa: E402

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
EXPECTED = TESTS / "programs" / "expected"
LIST = TESTS / "programs" / "list.toml"
# The exit code of a run that was ended because it took too long.
NO_END = -1

# The headers of MPICH and Open MPI make GCC warn about MPI_STATUSES_IGNORE and MPI_UNWEIGHTED, the latter's C++ part
# about its casts.
CFLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-DOMPI_SKIP_MPICXX"]


@dataclass
class Program:
    name: str
    source: pathlib.Path
    ranks: list
    args: list = field(default_factory=list)
    options: list = field(default_factory=list)      # of mpirage run
    exit: int = 0
    beyond: str = ""
    threads: bool = False                            # starts threads, so its ranks cannot be folded
    missing: str = ""                                # what mpirage does not have yet: the program is left out there

    @property
    def language(self):
        return "c" if self.source.suffix == ".c" else "c++"


@dataclass
class Outcome:
    stdout: bytes
    stderr: bytes
    code: int


class Mpi:
    """How one implementation compiles and runs a program."""

    def __init__(self, name, compilers, launcher):
        self.name, self.compilers, self.launcher = name, compilers, launcher

    def compile(self, program, folder):
        if program.language == "c++":
            prepare.debian({"c++": "g++"})
        binary = folder / f"{program.name}.{self.name}"
        command = [*self.compilers[program.language], *CFLAGS, str(program.source), "-o", str(binary), "-lm"]
        done = subprocess.run(command, capture_output=True)
        if done.returncode != 0:
            raise CompileError(done.stderr.decode(errors="replace"))
        return binary

    def run(self, binary, program, ranks, timeout):
        command = [*self.launcher, "-n", str(ranks), *self.options(program), str(binary), *program.args]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired as late:
            return Outcome(late.stdout or b"", f"no end within {timeout} s\n".encode(), NO_END)
        return Outcome(done.stdout, done.stderr, done.returncode)

    def options(self, program):
        return []


class Mpirage(Mpi):
    def __init__(self, binary, extra):
        super().__init__("mpirage", {"c": [binary, "cc"], "c++": [binary, "cxx"]}, [binary, "run"])
        self.extra = extra

    def options(self, program):
        return ["--compute", "none", *program.options, *self.extra]


MPICH = Mpi("mpich", {"c": ["mpicc.mpich"], "c++": ["mpicxx.mpich"]}, ["mpiexec.mpich"])
OPENMPI = Mpi("openmpi", {"c": ["mpicc.openmpi"], "c++": ["mpicxx.openmpi"]},
              ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--quiet"])


class CompileError(Exception):
    pass


def load_programs():
    table = tomllib.loads(LIST.read_text())
    default = table.pop("ranks")
    programs = []
    for folder, entries in table.items():
        for name, entry in entries.items():
            sources = [ROOT / folder / f"{name}{suffix}" for suffix in (".c", ".cpp")]
            source = next((s for s in sources if s.exists()), None)
            if source is None:
                sys.exit(f"{LIST}: {folder} has no {name}.c or {name}.cpp")
            programs.append(Program(name, source, entry.pop("ranks", default), **entry))
    return programs


def recorded(program, ranks):
    return EXPECTED / f"{program.name}.{ranks}.out"


def difference(expected, got):
    lines = difflib.unified_diff(expected.decode(errors="replace").splitlines(), got.decode(errors="replace").splitlines(),
                                 "expected", "got", lineterm="", n=1)
    return "\n".join(f"    {line}" for line in list(lines)[:20])


def explain(expected, code, got):
    """None if `got` is right, else why not."""
    if got.code != code:
        tail = "\n".join(f"    {line}" for line in got.stderr.decode(errors="replace").splitlines()[-8:])
        return f"exit code {got.code}, expected {code}\n{tail}"
    if got.stdout != expected:
        return f"different output\n{difference(expected, got.stdout)}"
    return None


def examine(program, folder, subject, reference=None, ranks=None, timeout=60):
    """One result (rank count, None or why it failed) for each rank count."""
    try:
        binary = subject.compile(program, folder)
        other = reference.compile(program, folder) if reference else None
    except CompileError as error:
        return [(n, f"does not compile\n{error}") for n in program.ranks]
    results = []
    for n in program.ranks:
        if ranks and n not in ranks:
            continue
        code = program.exit
        if reference:
            real = reference.run(other, program, n, timeout)
            expected, code = real.stdout, real.code
            if code == NO_END and recorded(program, n).exists():
                # MPICH 4.0 sometimes never ends programs with threads. An earlier run of it did.
                print(f"{program.name} on {n} ranks: the real MPI does not end within {timeout:g} s; compared with its recorded output")
                expected, code = recorded(program, n).read_bytes(), program.exit
        elif not recorded(program, n).exists():
            results.append((n, "no recorded output; make it with --record"))
            continue
        else:
            expected = recorded(program, n).read_bytes()
        results.append((n, explain(expected, code, subject.run(binary, program, n, timeout))))
    return results


def record(program, options, folder):
    """Writes the expected outputs, after two runs of MPICH that agree."""
    try:
        binary = MPICH.compile(program, folder)
    except CompileError as error:
        return [(n, f"does not compile\n{error}") for n in program.ranks]
    results = []
    for n in program.ranks:
        if options.missing and recorded(program, n).exists():
            continue
        first, second = (MPICH.run(binary, program, n, options.timeout) for _ in range(2))
        why = explain(first.stdout, program.exit, first) or explain(first.stdout, program.exit, second)
        if why is None:
            recorded(program, n).write_bytes(first.stdout)
        results.append((n, why))
    return results


def parse_options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--live", action="store_true", help="run MPICH too, instead of reading its recorded outputs")
    p.add_argument("--record", action="store_true", help="run MPICH twice and write the expected outputs")
    p.add_argument("--missing", action="store_true", help="with --record: only missing recordings")
    p.add_argument("--subject", choices=["mpirage", "mpich", "openmpi"], default="mpirage", help="what is tested")
    p.add_argument("--required", action="store_true", help="leave out programs marked `beyond`")
    p.add_argument("--folder", help="only programs of this folder, e.g. examples")
    p.add_argument("--filter", default="", help="only programs whose name contains this")
    p.add_argument("--ranks", type=lambda s: [int(n) for n in s.split(",")], help="only these counts, e.g. 2,17")
    p.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    p.add_argument("-j", type=int, default=os.cpu_count(), help="programs at a time")
    p.add_argument("--run-option", action="append", default=[], metavar="OPTION",
                   help="passed on to mpirage run, e.g. --run-option=--ranks-as=folded")
    p.add_argument("-v", action="store_true", help="a line for every program, not only for failures")
    return p.parse_args()


def chosen(programs, options):
    folder = (ROOT / options.folder).resolve() if options.folder else None
    folded = any("folded" in option for option in options.run_option)
    return [p for p in programs
            if options.filter in p.name and not (folded and p.threads) and (not folder or p.source.parent == folder) and not (options.required and p.beyond)]


def main():
    options = parse_options()
    mpirage = os.environ.get("MPIRAGE", str(ROOT / "target" / "release" / "mpirage"))
    subject = {"mpirage": Mpirage(mpirage, options.run_option), "mpich": MPICH, "openmpi": OPENMPI}[options.subject]
    needed = MPICH.launcher[0] if options.record else subject.launcher[0]
    if shutil.which(needed) is None:
        sys.exit(f"{needed} is not there" + ("; build it, or set MPIRAGE" if needed == mpirage else ""))
    EXPECTED.mkdir(exist_ok=True)
    programs = chosen(load_programs(), options)
    left_out = [p for p in programs if p.missing and options.subject == "mpirage" and not options.record]
    for program in left_out:
        print(f"left out: {program.name}, because mpirage has no {program.missing} yet")
    if not shutil.which("c++"):
        left_out += (cxx := [p for p in programs if p.language == "c++" and p not in left_out])
        for program in cxx:
            print(f"skipped: {program.name}: there is no c++")
    programs = [p for p in programs if p not in left_out]
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="same-as-mpich.") as folder, \
            concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        def job(program):
            if options.record:
                return record(program, options, pathlib.Path(folder))
            return examine(program, pathlib.Path(folder), subject, MPICH if options.live else None, options.ranks, options.timeout)
        for program, results in zip(programs, pool.map(job, programs)):
            bad = [(n, why) for n, why in results if why is not None]
            passed, failed = passed + len(results) - len(bad), failed + len(bad)
            for n, why in bad:
                print(f"FAIL {program.name} on {n} ranks: {why}", flush=True)
            if options.v and not bad:
                print(f"ok   {program.name}", flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {len(left_out)} skipped" if left_out else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
