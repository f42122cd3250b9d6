"""Programs with libraries that keep state: folded ranks print what processes print, and libraries that cannot be copied are named.

Debian's FFTW, GSL and OpenBLAS are used where they are installed (libfftw3-dev, libgsl-dev, libopenblas-serial-dev). Arguments name parts."""

import json
import subprocess

from harness import MEASURED, MPIRAGE, TESTS

HERE = TESTS / "ranks" / "folded_libraries"
RANKS = (1, 3, 8, 20)
DIFFERENT = (*MEASURED, "ranks_as", "ranks_as_because", "workers")


def same(suite, program):
    """Folded and as processes: the same lines and the same simulated time."""
    for ranks in RANKS:
        seen = {}
        for mode in ("processes", "folded"):
            result = suite.simulate("-q", "--json", "--compute", "none", "-n", ranks, "-p", f"cluster:{ranks}", "--ranks-as", mode, program, timeout=120)
            suite.check(f"{program.name}, {ranks} ranks, {mode}: runs", result.code == 0 and "warning" not in result.err, result.err)
            *lines, last = result.out.splitlines() or [""]
            values = json.loads(last) if last.startswith("{") else {}
            seen[mode] = (sorted(lines), {key: value for key, value in values.items() if key not in DIFFERENT})
        suite.check(f"{program.name}, {ranks} ranks: folded as processes", seen["processes"] == seen["folded"] and len(seen["folded"][0]) >= ranks, seen)


def folds(suite, program):
    """The automatic choice folds the program."""
    result = suite.simulate("-n", 40, "--compute", "none", program, timeout=120)
    suite.check(f"{program.name}: auto folds it", "folded: the program is safe to fold" in result.err, result.err)


def shared(suite, name):
    """A shared library from a file of this test, made by mpirage's compiler wrapper."""
    library = suite.folder / f"lib{name}.so"
    made = suite.run([MPIRAGE, "cc", "-O1", "-fPIC", "-shared", HERE / f"{name}.c", "-o", library], timeout=60)
    suite.check(f"{library.name} compiles", made.code == 0, made.err)
    return [f"-I{HERE}", f"-L{suite.folder}", "-Wl,--no-as-needed", f"-l{name}", f"-Wl,-rpath,{suite.folder}"]


def test_own_library(suite):
    """A library of the program, which calls MPI too."""
    flags = shared(suite, "state")
    program = suite.compile(HERE / "uses_state.c", flags=flags)
    same(suite, program)
    folds(suite, program)


def test_debian(suite):
    """Libraries as Debian has them."""
    for name, header, needed in (("uses_fftw", "fftw3.h", "-lfftw3"), ("uses_gsl", "gsl/gsl_rng.h", "-lgsl"), ("uses_blas", "cblas.h", "-lopenblas")):
        found = subprocess.run(["gcc", "-E", "-include", header, "-x", "c", "/dev/null"], capture_output=True, check=False).returncode == 0
        if not found:
            print(f"{header} is not here: {name} is not tested")
            continue
        program = suite.compile(HERE / f"{name}.c", flags=["-Wl,--no-as-needed", needed])
        same(suite, program)
        if not threaded(program):
            folds(suite, program)


def threaded(program):
    """Is its OpenBLAS one with threads? Then ranks are processes."""
    return "libopenblas" in needed_files(program) and "pthread_create" in needed_files(program)


def needed_files(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    files = [line.split()[2] for line in listed.splitlines() if "libopenblas" in line and len(line.split()) > 2]
    symbols = [subprocess.run(["nm", "-D", "--undefined-only", file], capture_output=True, text=True, check=False).stdout for file in files]
    return listed + "".join(symbols)


def test_reasons(suite):
    """What cannot be copied is named, and the program runs as processes."""
    threads = "#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint work(void) { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }\n"
    library = suite.folder / "libworkers.so"
    source = suite.folder / "workers.c"
    source.write_text(threads)
    made = suite.run(["gcc", "-fPIC", "-shared", source, "-o", library], timeout=60)
    suite.check("libworkers.so compiles", made.code == 0, made.err)
    flags = [f"-L{suite.folder}", "-Wl,--no-as-needed", "-lworkers", f"-Wl,-rpath,{suite.folder}"]
    text = "#include <mpi.h>\nint work(void);\nint main(int c, char **v) { MPI_Init(&c, &v); int r = work(); MPI_Finalize(); return r; }\n"
    program = suite.compile(text, "with_workers", flags=flags)
    result = suite.simulate("-n", 20, program)
    said = "its library libworkers.so would be shared by all ranks (it uses pthread_create" in result.err
    suite.check("a library with threads: processes, and why", result.code == 0 and said, result.err)


def test_faults(suite):
    """A crash in a library is found there, and a rank that never leaves it is stopped."""
    source = suite.folder / "faulty.c"
    source.write_text("int deep(int *p) { return *p + 1; }\nint spin(void) { for (volatile int i = 0;; i++) {} }\n")
    library = suite.folder / "libfaulty.so"
    suite.run(["gcc", "-g", "-fPIC", "-shared", source, "-o", library], timeout=60)
    flags = ["-g", f"-L{suite.folder}", "-Wl,--no-as-needed", "-lfaulty", f"-Wl,-rpath,{suite.folder}"]
    text = ("#include <mpi.h>\nint deep(int *), spin(void);\n"
            "int main(int c, char **v) { MPI_Init(&c, &v); int r = c > 1 ? spin() : deep((int *)8); MPI_Finalize(); return r; }\n")
    program = suite.compile(text, "with_faults", flags=flags)
    for mode in ("processes", "folded"):
        result = suite.simulate("-n", 1, "--ranks-as", mode, program)
        suite.check(f"{mode}: a crash in a library has its line", "SIGSEGV" in result.err and "faulty.c:1 in deep" in result.err, result.err)
        result = suite.simulate("-n", 1, "--ranks-as", mode, "--rank-timeout", 1, program, "spin", timeout=60)
        suite.check(f"{mode}: a loop in a library ends at the limit", "has not called MPI for 1 s" in result.err, result.err)
