"""Unmodified programs of other MPIs under mpirage: built with Debian's mpicc.mpich and mpicc.openmpi, run with `mpirage run`.
Compilers that are not installed are left out."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import same_as_mpich
from harness import MPIRAGE, TESTS

COMPILERS = {"mpich": same_as_mpich.MPICH, "openmpi": same_as_mpich.OPENMPI}
HERE = {name: mpi for name, mpi in COMPILERS.items() if shutil.which(mpi.compilers["c"][0])}
OWN = same_as_mpich.Mpirage(str(MPIRAGE), [])
OWNERS = {"mpich": "MPICH", "openmpi": "Open MPI"}
RANKS = 3
# The program asks that MPI_Get_version, which tells our version, agree with MPI_VERSION of the mpi.h that it was compiled with.
LEFT_OUT = ["environment"]
# All programs run on this many ranks too, if a number is given.
MORE = [int(number) for number in os.environ.get("MPIRAGE_FOREIGN_RANKS", "").split(",") if number]


PROGRAMS = [program for program in same_as_mpich.load_programs() if not program.missing and program.name not in LEFT_OUT]


@pytest.fixture(scope="module", autouse=True)
def compilers(suite):
    for name in sorted(set(COMPILERS) - set(HERE)):
        suite.skip(f"programs of {OWNERS[name]}", f"there is no mpicc.{name}")


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_program(suite, program):
    """The output is MPICH's, and the simulated time that of the program built with our compiler wrapper, to the picosecond."""
    for what, holds, detail in compare(suite, program):
        suite.check(f"{program.name} {what}", holds, detail)


def compare(suite, program):
    """Results (what, does it hold, why not) of one program."""
    results, binaries = [], {}
    for name, mpi in {"own": OWN, **HERE}.items():
        try:
            binaries[name] = mpi.compile(program, suite.folder)
        except same_as_mpich.CompileError as error:
            # Debian's libraries are older than some programs: what they do not declare cannot be compiled for them.
            if name == "own" or not re.search(r"implicit declaration|undeclared|was not declared", str(error)):
                results.append((f"compiles with {name}", False, error))
    for ranks in [n for n in {RANKS, *MORE} if n in program.ranks] or program.ranks[:1]:
        results += compare_runs(suite, program, binaries, ranks)
    return results


def compare_runs(suite, program, binaries, ranks):
    expected = same_as_mpich.recorded(program, ranks).read_bytes()
    results, times = [], {}
    for name, binary in binaries.items():
        figures = suite.folder / f"{binary.name}.{ranks}.json"
        command = [MPIRAGE, "run", "-q", f"--json={figures}", "--compute", "none", "-n", ranks, *program.options, binary, *program.args]
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        got = same_as_mpich.Outcome(done.stdout, done.stderr, done.returncode)
        why = same_as_mpich.explain(expected, program.exit, got)
        results.append((f"of {name} on {ranks} ranks prints the same", why is None, why))
        times[name] = json.loads(figures.read_text()).get("simulated_seconds") if figures.exists() else None
    for name in binaries:
        results.append((f"of {name} on {ranks} ranks takes as long", times[name] == times["own"] is not None, times))
    return results


def build(suite, name, source, flags=()):
    """A program built with another MPI's C compiler wrapper; None if it does not compile."""
    program = suite.folder / f"{pathlib.Path(source).stem}.{name}{'.'.join(flags)}"
    made = suite.run([*HERE[name].compilers["c"], "-g", "-w", *flags, source, "-o", program, "-lm"], timeout=60)
    return program if suite.check(f"{pathlib.Path(source).name} compiles with {name}", made.code == 0, made.err) else None


def write(suite, name, text):
    path = suite.folder / name
    path.write_text(text)
    return path


def test_interface(suite):
    """Every constant, handle, status and callback that differs between the interfaces."""
    for name in HERE:
        for flags in ((), ("-no-pie", "-fno-pie")):
            program = build(suite, name, TESTS / "library" / "other_mpis" / "interface.c", flags)
            for ranks in (1, 4):
                result = suite.simulate("-q", "-n", ranks, "--compute", "none", program)
                suite.check(f"{program.name} on {ranks} ranks", result.code == 0 and " 0 failures" in result.out, result)


FAULTS = {
    "wait.c": ("#include <mpi.h>\nint main(int c, char **v) {\n    int x;\n    MPI_Init(&c, &v);\n"
               "    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    return MPI_Finalize();\n}\n",
               80, r"MPI_Recv at .*wait\.c:5"),
    "wrong.c": ("#include <mpi.h>\nint main(int c, char **v) {\n    int x = 0;\n    MPI_Init(&c, &v);\n"
                "    MPI_Send(&x, -4, MPI_INT, 0, 0, MPI_COMM_WORLD);\n    return MPI_Finalize();\n}\n",
                81, r"MPI_Send at .*wrong\.c:5 in main: count is -4"),
    "spawns.c": ("#include <mpi.h>\nint main(int c, char **v) {\n    MPI_Comm other;\n    MPI_Init(&c, &v);\n"
                 "    MPI_Comm_spawn(\"x\", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);\n"
                 "    return MPI_Finalize();\n}\n",
                 81, r"MPI_Comm_spawn at .*spawns\.c:5 in main: there is no program `x` that can be executed"),
    "abort.c": ("#include <mpi.h>\nint main(int c, char **v) {\n    MPI_Init(&c, &v);\n    MPI_Abort(MPI_COMM_WORLD, 17);\n    return 0;\n}\n",
                17, r"MPI_Abort"),
}


def test_diagnosis(suite):
    """What is wrong is told with the place in the program, as for programs of our own compiler wrapper."""
    for source, (text, code, wanted) in FAULTS.items():
        path = write(suite, source, text)
        for name in HERE:
            program = build(suite, name, path)
            result = suite.simulate("-n", 2, "--compute", "none", program)
            suite.check(f"{source} of {name}: {wanted}", result.code == code and re.search(wanted, result.err), result)


HELLO = """#include <mpi.h>
#include <stdio.h>
#include <time.h>
int main(int c, char **v) {
    int rank, size;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double began = MPI_Wtime();
    nanosleep(&(struct timespec){5, 0}, NULL);
    if (rank == 0) printf("%d ranks slept %.0f s\\n", size, MPI_Wtime() - began);
    return MPI_Finalize();
}
"""
SLEPT = "3 ranks slept 5 s\n"


def test_starting(suite):
    """How programs are started: directly, by a script, with a library forced on them, and which ranks they become."""
    path = write(suite, "hello.c", HELLO)
    for name in HERE:
        program = build(suite, name, path)
        result = suite.simulate("-n", 3, program)
        suite.check(f"{name}: sleep is simulated", result.code == 0 and result.out == SLEPT and result.seconds < 4, result)
        result = suite.simulate("-n", 20, "--compute", "none", program)
        reason = "run as processes" in result.err
        suite.check(f"{name}: 20 ranks are processes, and why", result.code == 0 and "20 ranks" in result.out and reason, result)
        result = suite.simulate("-n", 20, "--ranks-as", "folded", program)
        suite.check(f"{name}: folding is refused", result.code == 84 and "run as processes" in result.err, result)
        script = write(suite, f"start.{name}.sh", f"#!/bin/sh\nexec {program}\n")
        script.chmod(0o755)
        result = suite.simulate("-n", 3, script)
        suite.check(f"{name}: started by a script", result.code == 0 and "3 ranks" in result.out, result)
        result = suite.simulate("-n", 3, "--mpi-abi", name, program)
        suite.check(f"{name}: its interface by name", result.code == 0 and result.out == SLEPT, result)
        wrong = next(other for other in COMPILERS if other != name)
        result = suite.simulate("-n", 2, "--mpi-abi", wrong, program)
        built = f"is built for {OWNERS[name]}, not for {OWNERS[wrong]}; leave --mpi-abi out"
        suite.check(f"{name}: the interface of {wrong} is refused", result.code == 84 and built in result.err and not result.out, result)
        result = suite.simulate("-n", 2, "--mpi-abi", "mpi5", program)
        suite.check(f"{name}: the MPI 5 ABI is refused", result.code == 84 and f"is built for {OWNERS[name]}, not for the MPI 5 ABI" in result.err, result)
        own = suite.compile(HELLO, "hello_own")
        result = suite.simulate("-n", 2, "--mpi-abi", name, own)
        suite.check(f"the interface of {name} for a program of ours", result.code == 84 and f"is built for the MPI 5 ABI, not for {OWNERS[name]}" in result.err, result)
    result = suite.simulate("--mpi-abi", "lam", "true")
    suite.check("an unknown interface", result.code == 84 and "expected auto, mpi5, mpich or openmpi" in result.err, result)


CHILD = """import ctypes, os
WORLD = 0x44000000
child = os.fork() if {forks} else 1
if child == 0:
    os._exit(0)
mpi = ctypes.CDLL(None)
mpi.MPI_Init(None, None)
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
mpi.MPI_Comm_size(WORLD, ctypes.byref(size))
print(rank.value, "of", size.value, flush=True)
mpi.MPI_Finalize()
"""


def test_interpreters(suite):
    """Interpreters that fork, that are scripts which execute the real one, that start helpers, or that do not exist."""
    script = write(suite, "forks.py", CHILD.replace("{forks}", "True"))
    plain = write(suite, "plain.py", CHILD.replace("{forks}", "False"))
    shim = write(suite, "python-shim", f"#!/bin/bash\necho $EPOCHSECONDS > /dev/null\nname=$(uname; date)\nexec {sys.executable} \"$@\"\n")
    shim.chmod(0o755)
    for what, words in (("forks", [sys.executable, script]), ("is a script", [shim, plain]), ("is a script, and forks", [shim, script])):
        result = suite.simulate("-q", "-n", 3, "--mpi-abi", "mpich", *words, timeout=60)
        right = result.code == 0 and sorted(result.out.splitlines()) == ["0 of 3", "1 of 3", "2 of 3"]
        suite.check(f"an interpreter that {what}", right and not result.left, result)
    uses = CHILD.replace("{forks}", "True").replace("os._exit(0)", "ctypes.CDLL(None).MPI_Init(None, None)\n    os._exit(0)")
    result = suite.simulate("-q", "-n", 2, sys.executable, write(suite, "inside.py", uses), timeout=60)
    told = result.err.count("MPI_Init: called by a child process of the rank") == 2
    suite.check("a child that uses MPI", result.code == 0 and told and sorted(result.out.splitlines()) == ["0 of 2", "1 of 2"], result)
    lost = write(suite, "lost.sh", "#!/no/such/interpreter\n")
    lost.chmod(0o755)
    result = suite.simulate("-n", 2, lost)
    suite.check("an interpreter that does not exist", result.code == 84 and "is a script for /no/such/interpreter, which does not exist" in result.err, result)


LIBRARY = "int answer(void) { return 42; }\n"
USES = "#include <mpi.h>\nint answer(void);\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return answer() - 42; }\n"
STATIC = "int MPI_Init(int *c, char ***v) { return !c + !v; }\nchar *name = \"MPI_Init\";\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n"


def test_bad_files(suite):
    """Libraries that are missing, and MPI libraries that are a part of the program: refused before the run, with exit code 84."""
    folder = suite.folder / "libraries"
    folder.mkdir()
    source, uses, static = (write(suite, name, text) for name, text in (("answer.c", LIBRARY), ("uses.c", USES), ("static.c", STATIC)))
    made = suite.run(["cc", "-shared", "-fPIC", source, "-o", folder / "libanswer.so"])
    suite.check("a library is made", made.code == 0, made)
    for name in [*HERE, "own"]:
        compiler = HERE[name].compilers["c"] if name in HERE else [MPIRAGE, "cc"]
        program = suite.folder / f"uses.{name}"
        made = suite.run([*compiler, uses, "-o", program, f"-L{folder}", "-lanswer"], timeout=60)
        suite.check(f"{name}: a program with a library compiles", made.code == 0, made)
        result = suite.simulate("-n", 2, program)
        suite.check(f"{name}: a missing library", result.code == 84 and "needs libanswer.so, which is not found" in result.err, result)
        result = suite.simulate("-q", "-n", 2, program, env={"LD_LIBRARY_PATH": str(folder)})
        suite.check(f"{name}: the library is found", result.code == 0, result)
    for flag in ("-static", "-static-pie"):
        program = suite.folder / f"static{flag}"
        made = suite.run(["cc", flag, static, "-s", "-o", program])
        suite.check(f"{flag} compiles", made.code == 0, made)
        for ranks in (2, 20):
            result = suite.simulate("-n", ranks, program)
            suite.check(f"{flag} on {ranks} ranks", result.code == 84 and "is statically linked" in result.err and "without -static" in result.err, result)


def exported(library):
    """The symbols that a library defines, with the sizes of data."""
    listed = subprocess.run(["nm", "-DS", "--defined-only", library], capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {row[-1].split("@")[0]: int(row[1], 16) if row[2] in "BDRV" else None for row in rows if len(row) == 4}


def test_symbols(suite):
    """A front defines every MPI function of the library that it replaces, and every predefined object at its size."""
    suite.simulate("-n", 1, "true")  # makes the links to the fronts
    names = {"mpich": ("libmpich.so.12", r"P?MPIX?_[A-Z]\w*[a-z]\w*$|MPIR_Dup_fn|MPI_UNWEIGHTED|MPI_WEIGHTS_EMPTY"),
             "openmpi": ("libmpi.so.40", r"P?MPI_[A-Z]\w*[a-z]\w*$|OMPI_C_\w+|ompi_mpi_\w+$|ompi_(request_null|message_null|message_no_proc)$")}
    libraries = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    for name in HERE:
        library, wanted = names[name]
        installed = re.search(rf"{re.escape(library)} .*=> (\S+)", libraries)
        if not suite.check(f"{library} is found", installed, libraries[:500]):
            continue
        theirs = {symbol: size for symbol, size in exported(installed[1]).items() if re.match(wanted, symbol)}
        # The objects of Open MPI that handles point to are large; its own variables and functions of that name are not meant.
        theirs = {symbol: size for symbol, size in theirs.items() if not symbol.startswith("ompi_") or (size or 0) >= 256}
        ours = exported(MPIRAGE.parent / "lib" / name / library)
        missing = sorted(symbol for symbol in theirs if symbol not in ours)
        suite.check(f"{name}: {len(theirs)} symbols are there", len(theirs) > 500 and not missing, missing)
        other = {symbol: (size, ours[symbol]) for symbol, size in theirs.items() if size and symbol in ours and ours[symbol] != size}
        suite.check(f"{name}: data have the same sizes", not other, other)
        suite.check(f"{name}: no MPI_Abi_get_version", "MPI_Abi_get_version" not in ours)


CPP = """#include <mpi.h>
#include <iostream>
int main(int c, char **v) {
    int rank, sum;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::cout << "sum " << sum << std::endl;
    MPI_Finalize();
}
"""
FORTRAN = """program sums
  use mpi
  integer :: ierr, rank, ranks, status(MPI_STATUS_SIZE), x, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 3, x, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                    MPI_COMM_WORLD, status, ierr)
  if (rank == 0) print '(a,i0)', 'sum ', total
  if (status(MPI_SOURCE) /= mod(rank + ranks - 1, ranks) .or. status(MPI_TAG) /= 3) stop 1
  call MPI_Finalize(ierr)
end program
"""


FORTRAN_PROGRAMS = [TESTS / "library" / "fortran" / name for name in ("fixed.f", "module.f90", "f08.f90")]


def test_languages(suite):
    """C++ with the libraries that its wrapper links; Fortran through MPICH's own library for it, and through ours for Open MPI."""
    for name, mpi in HERE.items():
        source, program = write(suite, "sums.cpp", CPP), suite.folder / f"sums.cpp.{name}"
        made = suite.run([*mpi.compilers["c++"], "-w", source, "-o", program], timeout=60)
        if suite.check(f"{name}: C++ compiles", made.code == 0, made.err):
            result = suite.simulate("-q", "-n", 4, program)
            suite.check(f"{name}: C++", result.code == 0 and result.out == "sum 6\n", result)
    for name in HERE:
        fortran(suite, name)


def fortran(suite, name):
    """The three interfaces of Fortran, built with another MPI's compiler wrapper: output as MPICH's."""
    compiler = f"mpif90.{name}"
    if not suite.has(compiler, f"{name}: Fortran"):
        return
    source, program = write(suite, "sums.f90", FORTRAN), suite.folder / f"sums.f90.{name}"
    made = suite.run([compiler, source, "-o", program], timeout=60)
    if suite.check(f"{name}: Fortran compiles", made.code == 0, made.err):
        result = suite.simulate("-q", "-n", 4, program)
        suite.check(f"{name}: Fortran", result.code == 0 and result.out == "sum 6\n", result)
    # Debian's MPICH 4.0 lacks some of what these programs call.
    for source in FORTRAN_PROGRAMS if name == "openmpi" else ():
        program = suite.folder / f"{source.stem}.{name}"
        made = suite.run([compiler, "-w", "-fallow-argument-mismatch", source, "-o", program], timeout=60, cwd=suite.folder)
        suite.check(f"{name}: {source.name} compiles", made.code == 0, made.err)
        for ranks in (1, 3, 8):
            result = suite.simulate("-q", "-n", ranks, program)
            expected = source.with_suffix(f".{ranks}.out").read_text()
            suite.check(f"{name}: {source.name} on {ranks} ranks", result.code == 0 and result.out == expected, result)


# MPI_LB and MPI_UB, which MPI-3 removed: Fortran programs for Open MPI have them, and C programs for MPICH.
BOUNDS = {
    "mpich": ("bounds.c", """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int lengths[3] = {1, 2, 1};
    MPI_Aint places[3] = {-4, 8, 40}, lb, extent;
    MPI_Datatype types[3] = {MPI_LB, MPI_INT, MPI_UB}, made;
    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_get_extent(made, &lb, &extent);
    printf("%ld %ld", (long)lb, (long)extent);
    MPI_Type_create_struct(2, lengths + 1, places + 1, types + 1, &made);
    MPI_Type_get_extent(made, &lb, &extent);
    printf(" %ld %ld\\n", (long)lb, (long)extent);
    MPI_Finalize();
    return 0;
}
"""),
    "openmpi": ("bounds.f90", """program bounds
  implicit none
  include 'mpif.h'
  integer :: ierror, types(3), lengths(3), made
  integer(kind=mpi_address_kind) :: places(3), lb, extent, lb2, extent2
  call mpi_init(ierror)
  types = (/ mpi_lb, mpi_integer, mpi_ub /)
  lengths = (/ 1, 2, 1 /)
  places = (/ -4, 8, 40 /)
  call mpi_type_create_struct(3, lengths, places, types, made, ierror)
  call mpi_type_get_extent(made, lb, extent, ierror)
  call mpi_type_create_struct(2, lengths(2:3), places(2:3), types(2:3), made, ierror)
  call mpi_type_get_extent(made, lb2, extent2, ierror)
  print '(i0,1x,i0,1x,i0,1x,i0)', lb, extent, lb2, extent2
  call mpi_finalize(ierror)
end program
"""),
}


def test_unused(suite):
    """A program that links Open MPI's library for C++ and ends before MPI_Init: its build is not blamed."""
    if not suite.has("mpicxx.openmpi", "a program that ends before MPI_Init"):
        return
    source, program = write(suite, "usage.cpp", "#include <cstdio>\nint main() { std::puts(\"usage\"); return 0; }\n"), suite.folder / "usage"
    made = suite.run(["mpicxx.openmpi", "-Wl,--no-as-needed", source, "-lmpi_cxx", "-o", program], timeout=60)
    suite.check("usage.cpp compiles", made.code == 0, made.err)
    result = suite.simulate("-n", 2, program)
    suite.check("usage: MPI was not used", result.code == 0 and "no rank of usage called MPI_Init" in result.err and "built for Open MPI" in result.err, result)
    suite.check("usage: its build is not blamed", "another MPI" not in result.err and "is not an MPI program" not in result.err, result)


def test_bounds(suite):
    """Members of structures that only set bounds, as MPICH and Open MPI set them."""
    for name, (file, text) in BOUNDS.items():
        compiler = f"mpicc.{name}" if file.endswith(".c") else f"mpif90.{name}"
        if not suite.has(compiler, f"{name}: bounds of structures"):
            continue
        program = suite.folder / f"bounds.{name}"
        made = suite.run([compiler, "-w", write(suite, file, text), "-o", program], timeout=60)
        if suite.check(f"{name}: {file} compiles", made.code == 0, made.err):
            result = suite.simulate("-q", "-n", 1, program)
            suite.check(f"{name}: bounds of structures", result.code == 0 and result.out == "-4 44 8 32\n", result)


# MPICH's constants; ctypes instead of mpi4py, which would have to be installed.
SCRIPT = """import ctypes, sys, time
WORLD, INT, SUM = 0x44000000, 0x4c000405, 0x58000003
mpi = ctypes.CDLL(None)
mpi.MPI_Wtime.restype = ctypes.c_double
mpi.MPI_Init(None, None)
rank, total = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
mpi.MPI_Allreduce(ctypes.byref(rank), ctypes.byref(total), 1, INT, SUM, WORLD)
began = mpi.MPI_Wtime()
time.sleep(20)
if rank.value == 0:
    print("sum", total.value, "slept", round(mpi.MPI_Wtime() - began), sys.prefix)
mpi.MPI_Finalize()
"""


def test_python(suite):
    """An interpreter that loads MPI later: MPICH's interface from the beginning, the name that it was started with, simulated sleep."""
    script = write(suite, "script.py", SCRIPT)
    script.write_text("#!/usr/bin/env python3\n" + SCRIPT)
    script.chmod(0o755)
    environment = suite.folder / "environment"
    made = suite.run([sys.executable, "-m", "venv", "--without-pip", environment], timeout=60)
    suite.check("a virtual environment is made", made.code == 0, made)
    for words, prefix in (([sys.executable, script], sys.prefix), ([environment / "bin" / "python", script], str(environment)), ([script], "")):
        result = suite.simulate("-q", "-n", 4, *words)
        right = result.code == 0 and re.search(rf"^sum 6 slept 20 {re.escape(prefix)}", result.out) and result.seconds < 15
        suite.check(f"{words[0]}", right, result)


# Stands for the module of mpi4py that was built with one MPI.
MODULE = """#include <mpi.h>
int world(void)
{
    int size = -1;
    MPI_Init(0, 0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    return size;
}
"""
USER = """import ctypes, pathlib, mpi4py
module, = pathlib.Path(mpi4py.__file__).parent.glob("MPI.*.so")
print(ctypes.CDLL(str(module)).world())
"""


def test_mpi4py(suite):
    """Python gets the interface of the MPI that its mpi4py was built for, without an option."""
    source, script = write(suite, "module.c", MODULE), write(suite, "user.py", USER)
    for name, compiler in [(name, mpi.compilers["c"][0]) for name, mpi in HERE.items()] + [("own", None)]:
        package = suite.folder / f"packages.{name}" / "mpi4py"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        command = [compiler] if compiler else [MPIRAGE, "cc"]
        made = suite.run([*command, "-shared", "-fPIC", source, "-o", package / "MPI.cpython-311.so"], timeout=60)
        suite.check(f"{name}: a module compiles", made.code == 0, made)
        result = suite.run([MPIRAGE, "run", "-q", "-n", 3, sys.executable, script], env={"PYTHONPATH": str(package.parent)})
        suite.check(f"{name}: mpi4py is of a world of 3", result.code == 0 and result.out == "3\n" * 3, result)
