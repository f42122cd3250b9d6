#!/usr/bin/env python3
"""Fortran programs in the three interfaces, on 1, 3 and 8 ranks, against recorded outputs of Open MPI: tests/fortran.py [--record | --live]

--record runs them under Debian's Open MPI and writes tests/fortran/*.out. --live compares with Debian's MPICH too."""

import itertools
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
    """The output of Open MPI, byte for byte, with ranks as processes and folded."""
    for name in PROGRAMS:
        program = compiled(suite, name)
        for ranks, mode in itertools.product(RANKS, ("processes", "folded")):
            done = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "-p", "cluster:8", "--ranks-as", mode, program], timeout=60)
            expected = recording(name, ranks).read_text()
            suite.check(f"{name} on {ranks} ranks ({mode})", done.code == 0 and done.out == expected,
                        f"{done.code}\n{done.err}\n{done.out}\ninstead of\n{expected}")


def folding(suite):
    """COMMON, SAVE, module variables, units and random numbers of each folded rank are its own."""
    program = compiled(suite, "own_state.f90")
    for mode in ("processes", "folded"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 40, "--ranks-as", mode, program], cwd=suite.folder, timeout=60)
        suite.check(f"state of ranks ({mode})", done.code == 0 and done.out == "40 ranks, 0 mistakes\n", done)
        suite.check(f"files are closed ({mode})", not list(suite.folder.glob("unit.*")), list(suite.folder.glob("unit.*")))
    done = suite.run([MPIRAGE, "run", "-n", 40, program], cwd=suite.folder)
    suite.check("many ranks are folded by themselves", done.code == 0 and "folded: the program is safe to fold" in done.err, done)
    for name, statement, wanted in (("away", "call chdir('/')", "_gfortran_chdir_i4_sub, and the current directory would be common to all ranks"),
                                    ("shell", "call execute_command_line('true')", "_gfortran_execute_command_line_i4, and the process")):
        source = suite.folder / f"{name}.f90"
        source.write_text(f"program {name}\n  use mpi\n  integer :: ierr\n  call MPI_Init(ierr)\n  {statement}\n  call MPI_Finalize(ierr)\nend program\n")
        made = suite.run([MPIRAGE, "fc", source, "-o", suite.folder / name], timeout=60)
        done = suite.run([MPIRAGE, "run", "-n", 20, suite.folder / name])
        suite.check(f"{statement} runs as processes, and why", made.code == 0 and done.code == 0 and wanted in done.err and "processes: " in done.err, done)
    ordinary = suite.run([MPIRAGE, "fc", FOLDER / "own_state.f90", "-J", suite.folder, "-o", suite.folder / "ordinary"], env={"MPIRAGE_FOLDABLE": "no"}, timeout=60)
    done = suite.run([MPIRAGE, "run", "-n", 20, suite.folder / "ordinary"], cwd=suite.folder)
    suite.check("an ordinary executable runs as processes, and why", ordinary.code == 0 and done.code == 0 and "was not linked by mpirage's mpifort" in done.err, done)


def sizeof(suite):
    """MPI_Sizeof, by the sizes that the kinds have."""
    program = compiled(suite, "sizeof.f90")
    for mode in ("processes", "folded"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--ranks-as", mode, program], timeout=60)
        suite.check(f"MPI_Sizeof ({mode})", done.code == 0 and done.out == "1 2 4 8 4 8 8 16 errors 0\n8\n", done)


def wrappers(suite):
    """Questions of build systems, modules in a cache, source lines in diagnoses."""
    shown = suite.run([MPIRAGE, "fc", "-show"])
    suite.check("-show names the library", "-lmpi_fortran" in shown.out and "gfortran" in shown.out, shown.out + shown.err)
    source = suite.folder / "wrong.f90"
    source.write_text(WRONG)
    program = suite.folder / "wrong"
    cache = suite.folder / "cache"
    made = suite.run([MPIRAGE, "fc", source, "-o", program], env={"XDG_CACHE_HOME": str(cache)}, timeout=120)
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
    folding(suite)
    sizeof(suite)
    wrappers(suite)
    if "--live" in sys.argv:
        live(suite)
    return suite.end()


if __name__ == "__main__":
    main()
