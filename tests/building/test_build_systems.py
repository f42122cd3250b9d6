"""How build systems and shells find mpirage: questions to the wrappers, `mpirage env`, module files, CMake with Fortran, meson, launchers,
programs of another build. Shells and build systems that are not installed are left out, and named."""

import os
import pathlib
import re
import shutil

import prepare
from harness import BUILD, MPIRAGE

BIN = BUILD / "bin"
C = "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int n; MPI_Init(&c, &v); MPI_Comm_size(MPI_COMM_WORLD, &n);\n" \
    "  int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); if (!r) printf(\"%d ranks\\n\", n); return MPI_Finalize(); }\n"
FORTRAN = """program hello
  use mpi_f08
  implicit none
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) print '(i0,a)', ranks, ' ranks'
  call MPI_Finalize()
end program
"""
PATH = {"PATH": f"{BIN}:{os.environ['PATH']}"}


def test_questions(suite):
    """Open MPI's questions: the parts together make a program; MPICH's give the same folders."""
    source = suite.folder / "hello.c"
    source.write_text(C)
    asked = {part: suite.run([BIN / "mpicc", f"--showme:{part}"]) for part in ("command", "compile", "link", "incdirs", "libdirs", "libs", "version", "help")}
    suite.check("all parts are answered", all(answer.code == 0 and answer.out.strip() for answer in asked.values()), asked)
    text = {part: answer.out.strip() for part, answer in asked.items()}
    program = suite.folder / "by-parts"
    made = suite.run(["sh", "-c", f"{text['command']} {text['compile']} {source} -o {program} {text['link']}"], timeout=60)
    result = suite.simulate("-q", "-n", 3, program)
    suite.check("the parts make a program", (made.code, result.out) == (0, "3 ranks\n"), (made, result))
    suite.check("folders and libraries are named plainly", (f"-I{text['incdirs']}" in text["compile"] and f"-L{text['libdirs']}" in text["link"]
                                                            and f"-l{text['libs']}" in text["link"]), text)
    suite.check("the version is one", re.search(r"mpicc: mpirage \d+\.\d+\.\d+ \(Language: C\)$", text["version"]), text)
    shown = [suite.run([BIN / "mpicc", option, source, "-o", program]).out for option in ("-show", "--showme", "-showme")]
    suite.check("--showme is -show", shown[0] == shown[1] == shown[2] and str(source) in shown[0], shown)
    wrong = suite.run([BIN / "mpicc", "--showme:librarys"])
    suite.check("an unknown part", wrong.code == 84 and "--showme:librarys: expected command, compile, link" in wrong.err, wrong)


SHELLS = {"bash": 'eval "$(mpirage env --shell bash)"; command -v mpicc; echo "$MPICC $MPIFC"',
          "dash": 'eval "$(mpirage env --shell sh)"; command -v mpicc; echo "$MPICC $MPIFC"',
          "zsh": 'eval "$(mpirage env --shell zsh)"; command -v mpicc; echo "$MPICC $MPIFC"',
          "fish": 'mpirage env --shell fish | source; command -v mpicc; echo "$MPICC $MPIFC"',
          "tcsh": 'eval `mpirage env --shell csh`; which mpicc; echo "$MPICC $MPIFC"'}


def test_shells(suite):
    """What `mpirage env` prints makes each shell find mpirage, whatever was set before."""
    start = {"PATH": f"{BUILD}:/usr/bin:/bin"}
    for shell, script in SHELLS.items():
        if not suite.has(shell, f"mpirage env in {shell}"):
            continue
        result = suite.run([shell, "-c", script], env=start)
        suite.check(f"{shell} finds the wrappers", result.code == 0 and result.out == f"{BIN}/mpicc\n{BIN}/mpicc {BIN}/mpifort\n", result)
    for variable, shell, wanted in (("/bin/zsh", None, "export PATH="), ("/usr/bin/fish", None, "set -gx PATH "), ("/bin/tcsh", None, "setenv PATH "),
                                    ("/usr/bin/fish", "bash", "export PATH=")):
        result = suite.run([MPIRAGE, "env", *(["--shell", shell] if shell else [])], env={"SHELL": variable})
        suite.check(f"SHELL={variable}, --shell {shell}", result.code == 0 and result.out.startswith(wanted), result)
    wrong = suite.run([MPIRAGE, "env", "--shell", "cmd"])
    suite.check("an unknown shell", wrong.code == 84 and "bash" in wrong.err and "fish" in wrong.err, wrong)
    both = suite.run([MPIRAGE, "env", "--shell", "bash", "--module"])
    suite.check("a shell and a module file", both.code == 84 and "cannot be used with" in both.err, both)


def test_modules(suite):
    """Module files for Environment Modules and Lmod."""
    tcl, lua = (suite.run([MPIRAGE, "env", "--module", *language]).out for language in ([], ["lua"]))
    suite.check("Tcl", tcl.startswith("#%Module1.0\n") and f'prepend-path PATH "{BIN}"' in tcl and f'setenv MPICC "{BIN}/mpicc"' in tcl, tcl)
    suite.check("Lua", f'prepend_path("PATH", "{BIN}")' in lua and f'setenv("MPICC", "{BIN}/mpicc")' in lua and 'family("MPI")' in lua, lua)
    command = shutil.which("modulecmd") or next((path for path in ("/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/share/modules/libexec/modulecmd.tcl")
                                                 if os.path.exists(path)), None)
    if not command:
        return suite.skip("module files", "there is no modulecmd (Debian: environment-modules)")
    (suite.folder / "modules").mkdir()
    (suite.folder / "modules" / "mpirage").write_text(tcl)
    script = f'eval "$({command} sh load {suite.folder}/modules/mpirage)"; command -v mpicc; echo $MPIFC'
    result = suite.run(["bash", "-c", script], env={"MODULEPATH": str(suite.folder / "modules")})
    suite.check("Environment Modules loads it", result.code == 0 and result.out == f"{BIN}/mpicc\n{BIN}/mpifort\n", result)


CMAKE = """cmake_minimum_required(VERSION 3.13)
project(hello C Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
add_executable(c hello.c)
target_link_libraries(c MPI::MPI_C)
add_executable(fortran hello.f90)
target_link_libraries(fortran MPI::MPI_Fortran)
message(STATUS "f08 module: ${MPI_Fortran_HAVE_F08_MODULE}, mpi module: ${MPI_Fortran_HAVE_F90_MODULE}, header: ${MPI_Fortran_HAVE_F77_HEADER}")
"""


def project(suite, name, files):
    folder = suite.folder / name
    folder.mkdir()
    for file, text in {"hello.c": C, "hello.f90": FORTRAN, **files}.items():
        (folder / file).write_text(text)
    return folder


def test_cmake(suite):
    """`find_package(MPI)` finds C and Fortran, with all three Fortran interfaces."""
    prepare.debian({"cmake": "cmake", "gfortran": "gfortran"})
    folder = project(suite, "cmake", {"CMakeLists.txt": CMAKE})
    made = suite.run(["sh", "-c", "cmake -B build . && cmake --build build"], cwd=folder, env=PATH, timeout=240)
    suite.check("CMake builds", made.code == 0, made)
    suite.check("CMake finds mpirage", str(BUILD / "lib" / "libmpi_abi.so") in made.out, made.out)
    suite.check("CMake finds the three interfaces", re.search("f08 module: TRUE, mpi module: TRUE, header: TRUE", made.out), made.out)
    for name in ("c", "fortran"):
        result = suite.simulate("-q", "-n", 3, folder / "build" / name)
        suite.check(f"CMake's {name}", (result.code, result.out) == (0, "3 ranks\n"), result)


MESON = """project('hello', 'c', 'fortran')
mpi = dependency('mpi', language: 'c')
fmpi = dependency('mpi', language: 'fortran')
executable('c', 'hello.c', dependencies: mpi)
executable('fortran', 'hello.f90', dependencies: fmpi)
"""


def test_meson(suite):
    """`dependency('mpi')` finds the wrappers. Files of pkg-config for Open MPI would come first, so they are hidden."""
    prepare.debian({"meson": "meson", "ninja": "ninja-build", "gfortran": "gfortran"})
    folder = project(suite, "meson", {"meson.build": MESON})
    environment = {**PATH, "PKG_CONFIG_LIBDIR": str(suite.folder), "PKG_CONFIG_PATH": ""}
    made = suite.run(["sh", "-c", "meson setup build && meson compile -C build"], cwd=folder, env=environment, timeout=240)
    suite.check("meson builds", made.code == 0, made)
    for name in ("c", "fortran"):
        result = suite.simulate("-q", "-n", 3, folder / "build" / name)
        suite.check(f"meson's {name}", (result.code, result.out) == (0, "3 ranks\n"), result)


def test_launchers(suite):
    """Options of Open MPI's, MPICH's and Slurm's launchers that scripts pass."""
    program = suite.compile(C, "hello")
    for words in ("-np 3", "-n 3 --oversubscribe", "--allow-run-as-root -np 3", "-np 3 --bind-to none --map-by core", "-n 3 -ppn 1", "--mca btl tcp,self -np 3",
                  "-np 3 -x HOME", "-genv A 1 -n 3"):
        for launcher in ("mpirun", "mpiexec"):
            result = suite.run([BIN / launcher, "-q", *words.split(), program])
            suite.check(f"{launcher} {words}", (result.code, result.out) == (0, "3 ranks\n"), result)


# Stands for the library of another build: a rank that loads it ends at once.
OTHER = "#include <unistd.h>\n__attribute__((constructor)) static void leave(void) { _exit(99); }\n"


def test_other_build(suite):
    """A program that another build of mpirage has made, and whose RUNPATH leads there, runs with the library of this one."""
    folder = project(suite, "other", {"other.c": OTHER})
    ask = {part: suite.run([BIN / "mpicc", f"--showme:{part}"]).out.strip() for part in ("incdirs", "libdirs")}
    commands = ("mkdir lib && gcc -shared -fPIC other.c -Wl,-soname,libmpi_abi.so.1 -o lib/libmpi_abi.so.1",
                f"gcc hello.c -I{ask['incdirs']} -L{ask['libdirs']} -lmpi_abi -Wl,-rpath,{folder}/lib -o hello")
    made = suite.run(["sh", "-c", " && ".join(commands)], cwd=folder, timeout=60)
    alone = suite.run([folder / "hello"])
    suite.check("alone, the program loads the library of the other build", (made.code, alone.code) == (0, 99), (made, alone))
    for how in ("processes", "folded"):
        result = suite.simulate("-q", "-n", 3, "--ranks-as", how, folder / "hello")
        suite.check(f"it runs as {how}", (result.code, result.out) == (0, "3 ranks\n"), result)


def test_other_mailboxes(suite):
    """A rank whose library is of a build with other mailboxes ends with an explanation, where it would read nonsense."""
    folder = project(suite, "mailboxes", {"say.c": "extern const char *mpirage_channel_version(void); int puts(const char *); int main(void) { return !puts(mpirage_channel_version()); }"})
    (folder / "lib").mkdir()
    ask = {part: suite.run([BIN / "mpicc", f"--showme:{part}"]).out.strip() for part in ("incdirs", "libdirs")}
    ours = pathlib.Path(ask["libdirs"]) / "libmpi_abi.so.1"
    suite.run(["gcc", "say.c", "-L" + ask["libdirs"], "-lmpi_abi", "-Wl,-rpath," + ask["libdirs"], "-o", "say"], cwd=folder, timeout=60)
    version = suite.run([folder / "say"]).out.strip()
    other = ours.read_bytes().replace(version.encode(), b"0123456789abcdef")
    suite.check("a library says its version", len(version) == 16 and other != ours.read_bytes(), version)
    (folder / "lib" / "libmpi_abi.so.1").write_bytes(other)
    # RPATH, unlike RUNPATH, comes before LD_LIBRARY_PATH.
    made = suite.run(["gcc", "hello.c", f"-I{ask['incdirs']}", f"-L{ask['libdirs']}", "-lmpi_abi", f"-Wl,--disable-new-dtags,-rpath,{folder}/lib", "-o", "hello"],
                     cwd=folder, timeout=60)
    result = suite.simulate("-q", "-n", 2, "--ranks-as", "processes", folder / "hello", timeout=60)
    explained = "different builds of mpirage" in result.err and f"{folder}/lib/libmpi_abi.so.1" in result.err
    suite.check("ranks end and say why", made.code == 0 and result.code != 0 and explained and not result.out, (made, result))
    folded = suite.simulate("-q", "-n", 2, "--ranks-as", "folded", folder / "hello", timeout=60)
    suite.check("folded ranks use the simulator's library", (folded.code, folded.out) == (0, "2 ranks\n"), folded)
