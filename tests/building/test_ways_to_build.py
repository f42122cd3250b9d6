"""Programs built in different ways: with many flags, by hand, by CMake, from archives, for another MPI, or not at all; exceptions of
callbacks, places of crashes, leaks. Each runs as processes and folded."""

import json
import os
import re
import sys

import prepare
from harness import BUILD, TESTS

SOURCES = TESTS / "building" / "ways_to_build"
BIN = BUILD / "bin"
HOWS = ("processes", "folded")
C = "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\nextern char **environ;\nstatic int g = 5;\n" \
    "int main(int c, char **v) { int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); g += r; MPI_Barrier(MPI_COMM_WORLD);\n" \
    "  while (getopt(c, v, \"a\") != -1) g += 100; fprintf(stdout, \"%d %d %d\\n\", r, g, environ != 0); MPI_Finalize(); return 0; }\n"
LOCAL = C.replace("static int g", "static __thread int g")


def line_of(source, mark):
    """The number of the line that carries a comment."""
    lines = source.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if re.search(rf"/\* {mark} \*/", text))


def check_program(suite, what, program, expect, folds=True):
    """A program prints the same alone, as processes and folded; many of its ranks are folded if that is expected."""
    alone = suite.run([program])
    suite.check(f"{what}: alone", alone.code == 0 and alone.out == expect(0), alone)
    for how in HOWS if folds else HOWS[:1]:
        result = suite.simulate("-q", "-n", 4, "--ranks-as", how, program)
        lines = sorted(result.out.splitlines(keepends=True))
        suite.check(f"{what}: {how}", result.code == 0 and lines == [expect(rank) for rank in range(4)], result)
    result = suite.simulate("-q", "--json", "-n", 20, program)
    living = json.loads(result.out.splitlines()[-1])["ranks_as"] if result.code == 0 else result
    suite.check(f"{what}: 20 ranks", living == ("folded" if folds else "processes") or "MPIRAGE_RANKS_AS" in os.environ, result)


def c_prints(rank):
    return f"{rank} {5 + rank} 1\n"


def cpp_prints(rank):
    return f"{rank} {5 + rank} 4 {3.14159:.{rank + 2}g} caught\n"


def test_flags(suite):
    """Many compiler flags: programs start, and are folded unless that is impossible."""
    prepare.debian({"g++": "g++"})
    source = SOURCES / "variables.cpp"
    for number, (words, folds) in enumerate((
        ("-O0", True), ("-O3", True), ("-O2 -Wl,--gc-sections -ffunction-sections -fdata-sections", True), ("-flto -O2", True),
        ("-flto -Wl,--gc-sections", True), ("-pie", True), ("-fPIE", True), ("-no-pie", False), ("-static-libgcc", True),
        ("-static-libstdc++", False), ("-fsanitize=address", False),
    )):
        program = suite.folder / f"flags{number}"
        made = suite.run([BIN / "mpicxx", source, "-o", program, *words.split()], timeout=60)
        if suite.check(f"{words}: compiles", made.code == 0, made):
            check_program(suite, words, program, cpp_prints, folds)
            if not folds:
                result = suite.simulate("-n", 2, "--ranks-as", "folded", program)
                suite.check(f"{words}: folding is refused", result.code == 84 and "cannot fold" in result.err, result)


def test_by_hand(suite):
    """What -show prints can be typed, and makes the same program."""
    for name, text in (("plain", C), ("local", LOCAL)):
        source = suite.folder / f"{name}.c"
        source.write_text(text)
        made = suite.run(["sh", "-c", f"eval \"$({BIN}/mpicc -show -O1 '{source}' -o shown-{name})\""], cwd=suite.folder, timeout=60)
        suite.check(f"-show of {name}: what it prints can be typed", made.code == 0, made)
        check_program(suite, f"-show of {name}", suite.folder / f"shown-{name}", c_prints)
    asked = {question: suite.run([BIN / "mpicc", question]).out.strip() for question in ("-show", "-compile_info", "-link_info")}
    suite.check("-compile_info is what is needed to compile", "-I" in asked["-compile_info"] and "-l" not in asked["-compile_info"].split("-I")[1], asked)
    source = suite.folder / "plain.c"
    made = suite.run(["sh", "-c", f"{asked['-compile_info']} -c '{source}' -o by-hand.o && cc by-hand.o -o by-hand $(echo '{asked['-link_info']}' | cut -d' ' -f2-)"],
                     cwd=suite.folder, timeout=60)
    if suite.check("flags of -compile_info and -link_info build a program", made.code == 0, made):
        check_program(suite, "-compile_info and -link_info", suite.folder / "by-hand", c_prints)


def test_archives(suite):
    """`main` may be in a static archive."""
    source = suite.folder / "inside.c"
    source.write_text(LOCAL)
    made = suite.run(["sh", "-c", f"{BIN}/mpicc -c inside.c -o inside.o && ar rcs libinside.a inside.o && {BIN}/mpicc -L. -linside -o archived"],
                     cwd=suite.folder, timeout=60)
    if suite.check("a program is linked from an archive alone", made.code == 0, made):
        check_program(suite, "main in an archive", suite.folder / "archived", c_prints)


def test_cmake(suite):
    """CMake asks the wrapper and then calls the compiler itself."""
    prepare.debian({"cmake": "cmake", "g++": "g++"})
    folder, build = suite.folder / "project", suite.folder / "cmake-build"
    folder.mkdir()
    (folder / "plain.c").write_text(C)
    (folder / "nothing.c").write_text("typedef int nothing;\n")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(built C CXX)\nfind_package(MPI REQUIRED COMPONENTS C CXX)\n"
        "add_executable(plain plain.c)\ntarget_link_libraries(plain MPI::MPI_C)\n"
        f"add_executable(cpp {SOURCES}/variables.cpp)\ntarget_link_libraries(cpp MPI::MPI_CXX)\n"
        "add_library(inside STATIC plain.c)\ntarget_link_libraries(inside MPI::MPI_C)\n"
        "add_executable(archived nothing.c)\ntarget_link_libraries(archived inside)\n")
    path = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    made = suite.run(["sh", "-c", f"cmake -S {folder} -B {build} && cmake --build {build}"], env=path, timeout=120)
    if suite.check("CMake builds", made.code == 0, made):
        for name, prints in (("plain", c_prints), ("cpp", cpp_prints), ("archived", c_prints)):
            check_program(suite, f"CMake's {name}", build / name, prints)


def test_foreign(suite):
    """Programs for another MPI that no front replaces (foreign.py has those that run), or for none."""
    for library, how in (("libmpi.so.20", "Open MPI 2"), ("libmpich.so.10", "MPICH 3.0")):
        name = library.split(".")[0]
        folder = suite.folder / name
        folder.mkdir()
        (folder / "mpi.c").write_text("int MPI_Init(int *c, char ***v) { (void)c, (void)v; return 0; }\n")
        (folder / "main.c").write_text("int MPI_Init(int *, char ***);\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n")
        (folder / "user.c").write_text("int MPI_Init(int *, char ***);\nint use(int c, char **v) { return MPI_Init(&c, &v); }\n")
        (folder / "through.c").write_text("int use(int, char **);\nint main(int c, char **v) { return use(c, v); }\n")
        make = f"cc -shared -fPIC mpi.c -Wl,-soname,{library} -o {library} && cc main.c ./{library} -o direct && " \
               f"cc -shared -fPIC user.c ./{library} -o libuser.so && cc through.c -L. -luser -o through -Wl,-rpath,{folder} && cc main.c mpi.c -o static"
        made = suite.run(["sh", "-c", make], cwd=folder, env={"LD_RUN_PATH": str(folder)})
        if not suite.check(f"{how}: programs are built", made.code == 0, made):
            continue
        for program in ("direct", "through"):
            for ranks in (4, 20):
                result = suite.simulate("-n", ranks, folder / program)
                right = result.code == 84 and f"links {library}" in result.err and "mpirage cc" in result.err and not result.out
                suite.check(f"{how}: {program} on {ranks} ranks is refused", right, result)
        result = suite.simulate("-q", "--json", "-n", 2, folder / "static")
        warned = "static is not an MPI program (no rank called MPI_Init or MPI_Session_init)"
        suite.check(f"{how}: linked statically, a warning names it", result.code == 0 and warned in result.err and any(warned in w for w in json.loads(result.out)["warnings"]), result)
        script = folder / "loads.py"
        script.write_text(f"import ctypes\nctypes.CDLL('{folder}/{library}')\nfor i in range(5000000): pass\n")
        result = suite.simulate("-q", "-n", 2, sys.executable, script)
        suite.check(f"{how}: loaded by a script, a warning names it", result.code == 0 and f"loaded {folder}/{library}" in result.err, result)
    for how in (["-n", 2], ["-q", "-n", 2], ["-n", 20]):
        result = suite.simulate(*how, "true")
        suite.check(f"no MPI program ({how})", result.code == 0 and "true is not an MPI program (no rank called MPI_Init or MPI_Session_init)" in result.err, result)
    program = suite.compile(C, "ours")
    result = suite.simulate("-n", 2, program)
    suite.check("no warning about an MPI program", "is not an MPI program" not in result.err, result)


def test_not_programs(suite):
    """What is named is no program: why, what to do, and exit code 84."""
    folder = suite.folder / "files"
    (folder / "folder").mkdir(parents=True)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    files = {"text": (b"hello\n", 0o755), "empty": (b"", 0o755), "data": (b"x", 0o644), "ring.c": (b"int main;", 0o644),
             "arm": (header + b"\x03\x00\xb7\x00\x01\x00\x00\x00" + bytes(104), 0o755),
             "unlinked": (header + b"\x01\x00\x3e\x00\x01\x00\x00\x00" + bytes(104), 0o755)}
    for name, (contents, mode) in files.items():
        (folder / name).write_bytes(contents)
        (folder / name).chmod(mode)
    arm = "arm is built for aarch64" if os.uname().machine == "x86_64" else "unlinked|arm"
    for words, wanted in (
        (["./folder"], "folder is a folder"), (["folder"], "folder is a folder"), (["./text"], "begins with #!"), (["./empty"], "begins with #!"),
        (["./data"], r"data is not executable; `chmod \+x"), (["./ring.c"], "ring.c is not executable; compile it"), (["./arm"], arm),
        (["./unlinked"], "is not linked yet|is built for x86-64"), (["./missing"], r"there is no program \./missing"),
        (["missing"], "there is no program missing here or on PATH"), (["--wdir", "nowhere", "true"], "--wdir nowhere: there is no such folder"),
        (["--wdir", "text", "true"], "--wdir text: that is a file, not a folder"),
        (["--wdir", "folder", "./text"], r"no program \./text in folder \(--wdir\); a relative name means"),
    ):
        for ranks in (2, 20):
            result = suite.simulate("-n", ranks, *words, cwd=folder)
            suite.check(f"{words} on {ranks} ranks", result.code == 84 and re.search(wanted, result.err), result)
    script = folder / "folder" / "script"
    script.write_text("#!/bin/sh\npwd\n")
    script.chmod(0o755)
    for name in ("./script", "script"):
        result = suite.simulate("-q", "-n", 2, "--wdir", folder / "folder", name)
        suite.check(f"{name} in the folder of --wdir", result.out == f"{folder}/folder\n" * 2, result)


def test_exceptions(suite):
    """An operator that throws does so in the MPI call of the rank that ran it, and MPI goes on."""
    program = suite.compile(SOURCES / "operator_throws.cpp", language="cxx")
    for how in (["--ranks-as", "processes"], ["--ranks-as", "folded"], ["--ranks-as", "processes", "--run-ahead", "always"],
                ["--ranks-as", "processes", "--data-plane", "mailbox"]):
        for ranks in (4, 20):
            for elements in (1, 20000):
                result = suite.simulate("-q", "-n", ranks, *how, program, elements)
                suite.check(f"{how} {ranks} ranks {elements} elements", (result.code, result.out) == (0, "caught\n"), result)
    uncaught = suite.compile("#include <mpi.h>\n#include <stdlib.h>\nstatic void op(void *a, void *b, int *n, MPI_Datatype *t) { (void)a, (void)b, (void)n, (void)t; throw 1; }\n"
                             "int main(int c, char **v) { int x = 1, y; MPI_Op o; MPI_Init(&c, &v); MPI_Op_create(op, 1, &o);\n"
                             "  MPI_Allreduce(&x, &y, 1, MPI_INT, o, MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n", "uncaught", language="cxx", flags=["-x", "c++"])
    for how in HOWS:
        result = suite.simulate("-q", "-n", 2, "--ranks-as", how, uncaught)
        suite.check(f"an uncaught exception ends the rank ({how})", result.code == 134 and "terminate called" in result.err and "SIGABRT" in result.err, result)


def test_crashes(suite):
    """A crash names file and line, whatever ranks are."""
    source = SOURCES / "crashes.c"
    program = suite.compile(source)
    for how in HOWS:
        for name, code, word in (("before", 139, "SIGSEGV"), ("segfault", 139, "SIGSEGV"), ("abort", 134, "SIGABRT"), ("memcpy", 139, "SIGSEGV"),
                                 ("divide", 136, "SIGFPE"), ("trap", 132, "SIGILL"), ("overflow", 139, "overflowed its stack"), ("nowhere", 139, "SIGSEGV")):
            result = suite.simulate("-q", "-n", 4, "--ranks-as", how, program, name)
            # In an overflow the line is one of the function that calls itself.
            line = line_of(source, name)
            lines = range(line - 4, line + 1) if name == "overflow" else [line]
            named = any(f" at {source}:{number} in {'deep' if name == 'overflow' else 'main'}" in result.err.split(" it called ")[0] for number in lines)
            suite.check(f"{name} ({how})", result.code == code and word in result.err and named, result)
    for how in HOWS:
        result = suite.simulate("-q", "-n", 4, "--ranks-as", how, program, "handled")
        suite.check(f"the program's own handler is used ({how})", result.code == 7 and result.out == "handled\n", result)


def test_leaks(suite):
    """The same left behind by many ranks is one line."""
    source = SOURCES / "leaks.c"
    program = suite.compile(source)
    for ranks in (4, 20):
        for how in HOWS:
            result = suite.simulate("-q", "-n", ranks, "--ranks-as", how, program)
            lines = [line for line in result.err.splitlines() if "at the end of the run" in line]
            suite.check(f"{ranks} ranks {how}: a line for each kind", result.code == 0 and len(lines) == 4, result)
            for mark, wanted in (("request", f"leave {ranks} requests"), ("message", f"{ranks} messages were never received"),
                                 ("own", f"{ranks} communicators of up to 1 rank"), ("all", f"a communicator of {ranks} ranks")):
                place = f"{source}:{line_of(source, mark)} in main"
                suite.check(f"{ranks} ranks {how}: {mark}", any(wanted in line and place in line for line in lines), result)
