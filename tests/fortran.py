#!/usr/bin/env python3
"""Fortran programs in the three interfaces, on 1, 3 and 8 ranks, against recorded outputs of Open MPI: tests/fortran.py [--record | --live]

--record runs them under Debian's Open MPI and writes tests/fortran/*.out. --live compares with Debian's MPICH too."""

import pathlib
import subprocess
import sys

import prepare
from harness import MPIRAGE, TESTS, Suite

FOLDER = TESTS / "fortran"
PROGRAMS = ["fixed.f", "module.f90", "f08.f90"]
RANKS = [1, 3, 8]
# MPICH's Fortran library does not recognise MPI_BOTTOM in a program that is built as Debian does.
DIFFERENT = "bottom"
WRONG = """program wrong
  use mpi
  implicit none
  integer :: ierr, n
  call MPI_Init(ierr)
  call MPI_Recv(n, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program
"""


def recording(program, ranks):
    return FOLDER / f"{pathlib.Path(program).stem}.{ranks}.out"


def record():
    """Writes what Open MPI prints."""
    prepare.debian({"mpif90.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin", "gfortran": "gfortran"})
    for program in PROGRAMS:
        for ranks in RANKS:
            recording(program, ranks).write_text(real("openmpi", program, ranks))


def real(library, program, ranks):
    """What a program prints under an MPI of Debian."""
    made = pathlib.Path("/tmp") / f"mpirage-{library}-{pathlib.Path(program).stem}"
    subprocess.run([f"mpif90.{library}", "-fallow-argument-mismatch", "-J", "/tmp", FOLDER / program, "-o", made], check=True)
    launch = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}[library]
    done = subprocess.run([*launch, "-n", str(ranks), made], check=True, capture_output=True, text=True)
    made.unlink()
    return done.stdout


def compiled(suite, name):
    """The program, made by the wrapper."""
    program = suite.folder / pathlib.Path(name).stem
    made = suite.run([MPIRAGE, "fc", "-J", suite.folder, FOLDER / name, "-o", program], timeout=120)
    suite.check(f"{name} compiles", made.code == 0, made.err)
    return program


def same_output(suite):
    """The output of Open MPI, byte for byte."""
    for name in PROGRAMS:
        program = compiled(suite, name)
        for ranks in RANKS:
            done = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "-p", "cluster:8", program], timeout=60)
            expected = recording(name, ranks).read_text()
            suite.check(f"{name} on {ranks} ranks", done.code == 0 and done.out == expected, f"{done.code}\n{done.err}\n{done.out}\ninstead of\n{expected}")


def wrappers(suite):
    """Questions of build systems, modules in a cache, source lines in diagnoses."""
    shown = suite.run([MPIRAGE, "fc", "-show"])
    suite.check("-show names the library", "-lmpi_fortran" in shown.out and "gfortran" in shown.out, shown.out + shown.err)
    source = suite.folder / "wrong.f90"
    source.write_text(WRONG)
    program = suite.folder / "wrong"
    cache = suite.folder / "cache"
    made = suite.run([MPIRAGE, "fc", source, "-o", program], env={"XDG_CACHE_HOME": str(cache)})
    suite.check("modules are kept", made.code == 0 and len(list(cache.glob("mpirage/fortran/*/mpi_f08.mod"))) == 1, made.err)
    done = suite.run([MPIRAGE, "run", "-n", 2, program])
    suite.check("a deadlock names the source line", done.code == 80 and "MPI_Recv" in done.err and "wrong.f90:6" in done.err, f"{done.code}\n{done.err}")
    lost = suite.run([MPIRAGE, "fc", source, "-o", program], env={"MPIRAGE_FC": "no-such-compiler"})
    suite.check("a compiler that is missing is named", lost.code != 0 and "no-such-compiler" in lost.err, lost.err)


def live(suite):
    """Debian's MPICH gives the recorded output too."""
    for program in PROGRAMS:
        for ranks in RANKS:
            lines = [text.splitlines() for text in (real("mpich", program, ranks), recording(program, ranks).read_text())]
            ours, theirs = [[line for line in text if not line.startswith(DIFFERENT)] for text in lines]
            suite.check(f"{program} on {ranks} ranks under MPICH", ours == theirs, ours)


def main():
    if "--record" in sys.argv:
        return record()
    prepare.debian({"gfortran": "gfortran"})
    suite = Suite("fortran")
    same_output(suite)
    wrappers(suite)
    if "--live" in sys.argv:
        live(suite)
    return suite.end()


if __name__ == "__main__":
    main()
