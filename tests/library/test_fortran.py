"""Fortran programs in the three interfaces, on 1, 3 and 8 ranks, against recorded outputs of Open MPI.

Programs that Debian's mpif90.mpich has built run too: with the same output and the same simulated time.

The option --record runs them under Debian's Open MPI first, and writes fortran/*.out. The option --live of pytest compares with Debian's MPICH too."""

import itertools
import json
import pathlib
import re
import subprocess

import prepare
import pytest
from harness import MPIRAGE, TESTS

FOLDER = TESTS / "library" / "fortran"
PROGRAMS = ["fixed.f", "module.f90", "f08.f90", "sections.f90", "collective_sections.f90"]
# Of collectives, Debian's MPICH 4.0 refuses sections with gaps, or takes no notice of the gaps.
NOT_UNDER_MPICH = ["collective_sections.f90"]
RANKS = [1, 3, 8]
# Lines with array sections of which Debian's MPICH loses some gaps.
DIFFERENT = ("every second", "uneven", "packed")
# Prints which MPI libraries of Debian are loaded.
LOADED = """program loaded
  use mpi
  implicit none
  integer :: ierr, unit, found
  character(len=512) :: line
  call MPI_Init(ierr)
  found = 0
  open(newunit=unit, file='/proc/self/maps', action='read')
  do
    read(unit, '(a)', iostat=ierr) line
    if (ierr /= 0) exit
    if (index(line, '/libmpich') > 0 .and. index(line, 'mpirage') == 0) found = found + 1
  end do
  close(unit)
  print '(a,i0)', 'libraries of Debian: ', found
  call MPI_Finalize(ierr)
end program
"""
DATAREP = """module extents
  use MODULE
  implicit none
contains
  subroutine extent_of(datatype, extent, extra_state, ierror)
    HANDLE :: datatype
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    extent = 4
    ierror = MPI_SUCCESS
  end subroutine
end module

program datarep
  use extents
  implicit none
  FILE :: file
  integer :: numbers(3), ierr
  integer(kind=MPI_ADDRESS_KIND) :: nothing
  integer(kind=MPI_OFFSET_KIND) :: start
  call MPI_Init(ierr)
  nothing = 0
  start = 0
  call MPI_Register_datarep('mine', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, nothing, ierr)
  call MPI_File_open(MPI_COMM_SELF, 'numbers', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
  call MPI_File_set_view(file, start, MPI_INTEGER, MPI_INTEGER, 'mine', MPI_INFO_NULL, ierr)
  numbers = [7, 8, 9]
  call MPI_File_write_at(file, start, numbers, 3, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  numbers = 0
  call MPI_File_read_at(file, start, numbers, 3, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
  print '(i0,1x,i0,1x,i0)', numbers
  call MPI_Finalize(ierr)
end program
"""
# Names of Debian's library that mpirage's does not have: tables of types for polymorphic variables, which MPI's types cannot be in, initialisation by
# the library's own C code, and functions beyond the standard that end with a message or that no program can call.
NOT_THERE = re.compile(r"___(vtab|def_init|copy)_|^mpirinit|^MPIR_F_|^MPI_F_|mpi_c_interface|mpix_|MPIX_|mpixr_|^p?mpi_\w+_fn(_null)?_*$|_FN(_NULL)?$|[Ss][Yy][Nn][Cc]_[Rr][Ee][Gg]")
LATER = """program later
  use mpi_f08
  implicit none
  integer :: a(10), b(10), c(4, 5), rank, i
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = [(i + 10 * rank, i = 1, 10)]
  b = -1
  c = -1
  call MPI_Iallgather(a(1:4:2), 2, MPI_INTEGER, b(1:10:2), 2, MPI_INTEGER, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (rank == 0) print '(99(i0,1x))', b
  call MPI_Iallgather(a(1:8:2), 4, MPI_INTEGER, c(1:4:3, :), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (rank == 0) print '(99(i0,1x))', c
  call MPI_Finalize()
end program
"""
# The elements of the sections, in order, without any between them. MPICH 4.0 forgets the gap between the parts of two ranks.
LATER_OUT = """1 -1 3 -1 11 -1 13 -1 -1 -1
1 -1 -1 3 5 -1 -1 7 11 -1 -1 13 15 -1 -1 17 -1 -1 -1 -1
"""
WRONG = """program wrong
  use mpi
  implicit none
  integer :: ierr, n
  call MPI_Init(ierr)
  call MPI_Recv(n, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program
"""


@pytest.fixture(scope="module", autouse=True)
def compilers():
    prepare.debian({"gfortran": "gfortran", "mpif90.mpich": "libmpich-dev"})


def recording(program, ranks):
    return FOLDER / f"{pathlib.Path(program).stem}.{ranks}.out"


def write_recordings():
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


def test_same_output(suite, record):
    """The output of Open MPI, byte for byte, with ranks as processes and folded."""
    if record:
        write_recordings()
    for name in PROGRAMS:
        program = compiled(suite, name)
        for ranks, mode in itertools.product(RANKS, ("processes", "folded")):
            done = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "-p", "cluster:8", "--ranks-as", mode, program], timeout=60)
            expected = recording(name, ranks).read_text()
            suite.check(f"{name} on {ranks} ranks ({mode})", done.code == 0 and done.out == expected,
                        f"{done.code}\n{done.err}\n{done.out}\ninstead of\n{expected}")


def test_folding(suite):
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


def test_subarrays(suite):
    """Sections with gaps as buffers of mpi_f08, in procedures of all kinds, and the program of a user against MPICH's output."""
    program = compiled(suite, "subarrays.f90")
    found = compiled(suite, "f08_nonblocking_sections.f90")
    expected = (FOLDER / "f08_nonblocking_sections.4.out").read_text()
    for mode in ("processes", "folded"):
        for ranks in (1, 2, 5):
            done = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "--ranks-as", mode, program], cwd=suite.folder, timeout=60)
            suite.check(f"sections on {ranks} ranks ({mode})", (done.code, done.out) == (0, "subarrays T\n0 mistakes\n"), done)
        done = suite.run([MPIRAGE, "run", "-q", "-n", 4, "--ranks-as", mode, found], timeout=60)
        suite.check(f"f08_nonblocking_sections.f90 ({mode})", done.code == 0 and sorted(done.out.splitlines()) == expected.splitlines(), done)


CLOCKS_OUT = "".join(f"{rank} wtime    2.000 system_clock    2.000 cpu below 1 s T date 2000-01-01 seconds 2\n" for rank in range(2))


def test_clocks(suite):
    """MPI_Wtime, system_clock, date_and_time and sleep show one simulated time, however the program is linked."""
    source, ordinary = FOLDER / "clocks.f90", {"MPIRAGE_FOLDABLE": "no"}
    shown = suite.run([MPIRAGE, "fc", "-show"]).out.split()
    flags = [word for word in shown if word.startswith("-I")]
    library = next(word[2:] for word in shown if word.startswith("-L"))
    # As CMake does it: the libraries' files, without options that depend on their order.
    as_needed = ["gfortran", *flags, source, "-Wl,--as-needed", f"{library}/libmpi_fortran.so", f"{library}/libmpi_abi.so", f"-Wl,-rpath,{library}"]
    links = [("foldable", [MPIRAGE, "fc", source], {}, ("processes", "folded")), ("ordinary", [MPIRAGE, "fc", source], ordinary, ("processes",)),
             ("-static-libgfortran", [MPIRAGE, "fc", "-static-libgfortran", source], {}, ("processes",)), ("as needed", as_needed, {}, ("processes",)),
             ("mpif90.mpich", ["mpif90.mpich", source], {}, ("processes",))]
    program = suite.folder / "clocks"
    for name, command, env, modes in links:
        made = suite.run([*command, "-J", suite.temporary, "-o", program], env=env, timeout=120)
        for mode in modes:
            done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--compute", "none", "--ranks-as", mode, program], timeout=60)
            suite.check(f"clocks of a program ({name}, {mode})", made.code == 0 and (done.code, done.out) == (0, CLOCKS_OUT), (made, done))
    made = suite.run([MPIRAGE, "fc", source, "-Wl,--no-as-needed", "-lc", "-J", suite.temporary, "-o", program], timeout=120)
    done = suite.run([MPIRAGE, "run", "-n", 2, "--ranks-as", "processes", program])
    said = done.err.count("the program finds the C library before") == 1 and "--mpi-abi mpi5" in done.err
    suite.check("a program with the C library first is refused", made.code == 0 and done.code == 81 and said and done.out == "", (made, done))
    done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--mpi-abi", "mpi5", "--compute", "none", "--ranks-as", "processes", program])
    suite.check("and runs with the library preloaded", (done.code, done.out) == (0, CLOCKS_OUT), done)


def test_default_kinds(suite):
    """-fdefault-real-8 changes no function of MPI, and mpif.h refuses -fdefault-integer-8, with which its constants would be too long."""
    source = FOLDER / "default_real_8.f"
    for flags in ([], ["-fdefault-real-8"], ["-fdefault-real-8", "-fdefault-double-8"]):
        made = suite.run([MPIRAGE, "fc", *flags, source, "-o", suite.folder / "kinds"], timeout=120)
        for mode in ("processes", "folded"):
            done = suite.run([MPIRAGE, "run", "-q", "-n", 1, "--compute", "none", "--ranks-as", mode, suite.folder / "kinds"])
            suite.check(f"MPI_Wtime with {flags} ({mode})", made.code == 0 and done.out == " 3.000  3.000 T T\n", (made, done))
    made = suite.run([MPIRAGE, "fc", "-fdefault-integer-8", source, "-o", suite.folder / "kinds"], timeout=120)
    suite.check("mpif.h names the cause", made.code != 0 and "mpif-needs-integers-of-4-bytes.h" in made.err, made)
    module = suite.folder / "long.f90"
    module.write_text("program long\n  use mpi\n  implicit none\n  integer(4) :: ierr, ranks\n  call MPI_Init(ierr)\n"
                      "  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)\n  print '(i0,1x,i0)', ranks, kind(1)\n  call MPI_Finalize(ierr)\nend program\n")
    made = suite.run([MPIRAGE, "fc", "-fdefault-integer-8", module, "-o", suite.folder / "long"], timeout=120)
    done = suite.run([MPIRAGE, "run", "-q", "-n", 3, suite.folder / "long"])
    suite.check("the module mpi works with -fdefault-integer-8", made.code == 0 and done.out == "3 8\n" * 3, (made, done))
    module.write_text(module.read_text().replace("integer(4)", "integer"))
    made = suite.run([MPIRAGE, "fc", "-fdefault-integer-8", module, "-o", suite.folder / "long"], timeout=120)
    suite.check("and refuses arguments that are too long", made.code != 0 and "INTEGER(8) to INTEGER(4)" in made.err, made)


STOPS = """program stops
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) print '(a)', 'rank 0 says why'
  WHO STATEMENT
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
"""


def test_stops(suite):
    """A program that stops has the exit code of MPICH's and Open MPI's launchers (81 for 0, for which they differ), and rank 0's line is shown."""
    source = suite.folder / "stops.f90"
    for statement, code in (("stop 3", 3), ("error stop", 1), ("error stop 4", 4), ("call exit(7)", 7), ("stop", 81), ("stop 'text'", 81)):
        for who in ("", "if (rank == 1)"):
            source.write_text(STOPS.replace("WHO", who).replace("STATEMENT", statement))
            made = suite.run([MPIRAGE, "fc", source, "-J", suite.temporary, "-o", suite.folder / "stops"], timeout=120)
            for mode, compute in itertools.product(("processes", "folded"), ("none", "measured")):
                done = suite.run([MPIRAGE, "run", "-q", "-n", 5, "--ranks-as", mode, "--compute", compute, suite.folder / "stops"], timeout=60)
                suite.check(f"{who} {statement} ({mode}, {compute})", made.code == 0 and (done.code, done.out) == (code, "rank 0 says why\n"), done)
                said = re.search(r"its last MPI call was MPI_(Comm_rank|Init|Barrier) at \S*stops.f90:(\d+) in stops", done.err)
                suite.check(f"{statement}: the line of the last call ({mode})", said and said[2] == {"Init": "5", "Comm_rank": "6", "Barrier": "9"}[said[1]], done)


def test_stops_beside_loops(suite):
    """A rank that never calls MPI again does not keep a run from ending when another one has stopped."""
    source = suite.folder / "loops.f90"
    loop = ("if (rank == 0) then\n    call MPI_Recv(n, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)\n    do while (x < 2)\n      call random_number(x)\n    end do\n"
            "  end if\n  call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)\n  stop 3")
    source.write_text(STOPS.replace("WHO", "").replace("STATEMENT", loop).replace("ierr, rank\n", "ierr, rank, n\n  real :: x = 0\n"))
    made = suite.run([MPIRAGE, "fc", source, "-J", suite.temporary, "-o", suite.folder / "loops"], timeout=120)
    for mode in ("processes", "folded"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--compute", "none", "--ranks-as", mode, suite.folder / "loops"], timeout=60)
        suite.check(f"a loop beside a stop ({mode})", made.code == 0 and (done.code, done.out) == (3, "rank 0 says why\n"), (made, done))


LINES = """program lines
  use mpi
  implicit none
  integer :: ierr, rank, ranks, turn
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do turn = ranks - 1, 0, -1
    if (turn == rank) print '(a,i0)', 'turn of ', rank
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
  print '(a,i0)', 'end of ', rank
end program
"""


def test_order_of_lines(suite):
    """Lines appear in simulated order, and what ranks print last in the order of ranks."""
    source = suite.folder / "lines.f90"
    source.write_text(LINES)
    made = suite.run([MPIRAGE, "fc", source, "-J", suite.temporary, "-o", suite.folder / "lines"], timeout=120)
    expected = [f"turn of {rank}" for rank in reversed(range(6))] + [f"end of {rank}" for rank in range(6)]
    for mode in ("processes", "folded"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 6, "--ranks-as", mode, suite.folder / "lines"])
        suite.check(f"lines in order ({mode})", made.code == 0 and done.out.splitlines() == expected, (made, done))


def test_sizeof(suite):
    """MPI_Sizeof, by the sizes that the kinds have."""
    program = compiled(suite, "sizeof.f90")
    for mode in ("processes", "folded"):
        done = suite.run([MPIRAGE, "run", "-q", "-n", 2, "--ranks-as", mode, program], timeout=60)
        suite.check(f"MPI_Sizeof ({mode})", done.code == 0 and done.out == "1 2 4 8 4 8 8 16 errors 0\n8\n", done)


def test_null_conversion(suite):
    """A data representation without conversions leaves the bytes of a file as they are."""
    source = suite.folder / "datarep.f90"
    for module, handle in (("mpi", "integer"), ("mpi_f08", "type(MPI_Datatype)")):
        source.write_text(DATAREP.replace("MODULE", module).replace("HANDLE", handle).replace("FILE", "integer" if module == "mpi" else "type(MPI_File)"))
        for name, compiler in (("wrapper", [MPIRAGE, "fc"]), ("mpif90.mpich", ["mpif90.mpich", "-w", "-fallow-argument-mismatch"])):
            if (module, name) == ("mpi", "mpif90.mpich"):
                continue  # MPICH's module mpi does not declare it
            made = suite.run([*compiler, "-J", suite.temporary, source, "-o", suite.folder / "datarep"], timeout=120)
            done = suite.run([MPIRAGE, "run", "-q", "-n", 1, suite.folder / "datarep"], cwd=suite.folder)
            data = (suite.folder / "numbers").read_bytes() if (suite.folder / "numbers").exists() else b""
            suite.check(f"MPI_CONVERSION_FN_NULL of {module} ({name})", made.code == 0 and done.code == 0 and done.out == "7 8 9\n", (made, done))
            suite.check(f"the file has the numbers ({module}, {name})", data == b"".join(number.to_bytes(4, "little") for number in (7, 8, 9)), data)


def test_wrappers(suite):
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


def test_of_mpich(suite):
    """Programs built by Debian's mpif90.mpich, with mpirage's library in the place of MPICH's: the output of the same programs of the wrapper, and their time."""
    for name in PROGRAMS:
        program = suite.folder / f"{pathlib.Path(name).stem}.mpich"
        made = suite.run(["mpif90.mpich", "-fallow-argument-mismatch", "-J", suite.temporary, FOLDER / name, "-o", program], timeout=120)
        suite.check(f"{name} compiles with mpif90.mpich", made.code == 0, made.err)
        for ranks in RANKS:
            results = [simulated(suite, ranks, path) for path in (program, suite.folder / pathlib.Path(name).stem)]
            (done, time), (_, of_wrapper) = results
            expected = recording(name, ranks).read_text()
            suite.check(f"{name} of MPICH on {ranks} ranks", done.code == 0 and done.out == expected, f"{done.code}\n{done.err}\n{done.out}\ninstead of\n{expected}")
            suite.check(f"{name} of MPICH on {ranks} ranks takes the time of the wrapper's program", time == of_wrapper is not None, (time, of_wrapper))
    source = suite.folder / "loaded.f90"
    source.write_text(LOADED)
    made = suite.run(["mpif90.mpich", source, "-J", suite.temporary, "-o", suite.folder / "loaded"], timeout=60)
    done = suite.run([MPIRAGE, "run", "-q", "-n", 1, suite.folder / "loaded"])
    suite.check("no library of MPICH is loaded", made.code == 0 and done.out == "libraries of Debian: 0\n", (made, done))
    later = suite.folder / "later.f90"
    later.write_text(LATER)
    made = suite.run(["mpif90.mpich", later, "-J", suite.temporary, "-o", suite.folder / "later"], timeout=60)
    done = suite.run([MPIRAGE, "run", "-q", "-n", 2, suite.folder / "later"])
    suite.check("parts of ranks follow each other in a section", made.code == 0 and done.out == LATER_OUT, (made, done))
    gaps = suite.folder / "gaps.f90"
    gaps.write_text("program gaps\n  use mpi_f08\n  integer :: a(10)\n  type(MPI_Request) :: request\n  call MPI_Init()\n  a = 1\n"
                    "  call MPI_Iallreduce(MPI_IN_PLACE, a(1:10:2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)\n  call MPI_Finalize()\nend program\n")
    made = suite.run(["mpif90.mpich", gaps, "-J", suite.temporary, "-o", suite.folder / "gaps"], timeout=60)
    done = suite.run([MPIRAGE, "run", "-n", 2, suite.folder / "gaps"])
    suite.check("a section that a function cannot take", made.code == 0 and done.code != 0 and "MPI_Iallreduce gets an array section with gaps" in done.err, (made, done))


def simulated(suite, ranks, program):
    """A run without computation, and its simulated time."""
    result = suite.folder / "result.json"
    result.unlink(missing_ok=True)
    done = suite.run([MPIRAGE, "run", "-q", "-n", ranks, "-p", "cluster:8", "--ranks-as", "processes", "--compute", "none", f"--json={result}", program], timeout=60)
    return done, json.loads(result.read_text())["simulated_seconds"] if result.exists() else None


def test_names_of_mpich(suite):
    """mpirage's library defines what Debian's library for Fortran does, except what NOT_THERE names."""
    found = re.search(r"libmpichfort\.so\.12 .*=> (\S+)", subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout)
    if not suite.check("libmpichfort.so.12 is installed", found):
        return
    theirs, ours = exported(found[1]), exported(MPIRAGE.parent / "lib" / "mpich" / "libmpichfort.so.12")
    wanted = sorted(name for name in theirs if not NOT_THERE.search(name))
    missing = [name for name in wanted if name not in ours]
    suite.check(f"{len(wanted)} names of MPICH's library for Fortran are there", len(wanted) > 3000 and not missing, missing[:20])


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in listed.splitlines() if line}


@pytest.mark.live
def test_live(suite):
    """Debian's MPICH gives the recorded output too."""
    for program in (program for program in PROGRAMS if program not in NOT_UNDER_MPICH):
        for ranks in RANKS:
            lines = [text.splitlines() for text in (real("mpich", program, ranks), recording(program, ranks).read_text())]
            ours, theirs = [[line for line in text if not line.strip().startswith(DIFFERENT)] for text in lines]
            suite.check(f"{program} on {ranks} ranks under MPICH", ours == theirs, ours)
