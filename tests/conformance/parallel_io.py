#!/usr/bin/env python3
"""The parallel tests of HDF5 and of NetCDF themselves under mpirage: what they print against what they print under Debian's mpirun.

tests/conformance/parallel_io.py [--write] [--folder FOLDER] [--only NAME,…] [--seconds LIMIT]

The sources are Debian's (`apt-get source`, from a list of sources of its own); the tests are compiled for Debian's Open MPI against Debian's parallel libraries, which are
installed by apt, and run unmodified under both. A test must end with the same exit code and print the same lines, apart from times and addresses. --write writes the
table docs/reference/conformance-parallel-io.md. Fails if a test differs."""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
PAGE = ROOT / "docs" / "reference" / "conformance-parallel-io.md"
PACKAGES = ["libhdf5-openmpi-dev", "libnetcdf-mpi-dev", "libopenmpi-dev", "openmpi-bin", "dpkg-dev"]
SOURCES = {"hdf5": "hdf5", "netcdf": "netcdf"}
SUITE = "bookworm"
# What differs between two runs of one library, too: times, rates, addresses, numbers of processes.
CHANGING = re.compile(r"\d+\.\d+(e[-+]?\d+)?|0x[0-9a-f]+|\bseed\b.*|HDF5: infinite loop.*|took \d+ seconds.*", re.I)


@dataclass
class Test:
    """A program, and how it is run."""

    name: str
    sources: list
    ranks: int
    library: str = "hdf5"
    before: str = ""      # a test that runs before in the same folder: it leaves a file, and may end as if it crashed

    @property
    def title(self):
        return f"{f'{self.before}, ' if self.before else ''}{self.name} ({self.ranks})"


PHDF5 = ["testphdf5", "t_dset", "t_file", "t_file_image", "t_mdset", "t_ph5basic", "t_coll_chunk", "t_span_tree", "t_chunk_alloc", "t_filter_read", "t_prop", "t_coll_md_read"]
HDF5 = [Test("testphdf5", PHDF5, ranks) for ranks in (4, 6)] + [
    Test(name, [name], 4) for name in ("t_mpi", "t_cache", "t_cache_image", "t_pread", "t_init_term", "t_shapesame", "t_filters_parallel", "t_bigio")
] + [Test("t_prestart", ["t_prestart"], 4, before="t_pshutdown"), Test("t_pflush2", ["t_pflush2"], 4, before="t_pflush1")]
# As run_par_test.sh runs them.
RANKS = {"tst_mpi_parallel": (1, 4), "tst_parallel": (4,), "tst_parallel3": (16,), "tst_parallel4": (1, 2, 4, 8), "tst_parallel5": (4,), "tst_nc4perf": (4,), "tst_mode": (1,),
         "tst_simplerw_coll_r": (1, 2, 4), "tst_parallel_zlib": (4,), "tst_parallel_compress": (1, 4), "tst_quantize_par": (4,), "tst_parallel6": (4,)}
NETCDF = [Test(name, [name], number, library="netcdf") for name, numbers in RANKS.items() for number in numbers]


def install():
    there = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"], capture_output=True, text=True, check=False).stdout
    missing = [package for package in PACKAGES if f"{package} installed" not in there]
    if missing:
        command = ["apt-get", "-o", "DPkg::Lock::Timeout=600", "install", "-y", "-qq", "--no-install-recommends", *missing]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def fetch(folder):
    """Folders of the sources by library."""
    lists = folder / "lists"
    lists.mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb-src http://deb.debian.org/debian {SUITE} main\n")
    options = ["-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={lists}", "-qq"]
    found = {}
    for library, package in SOURCES.items():
        place = folder / library
        if not list(place.glob("*/")):
            place.mkdir(exist_ok=True)
            subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["apt-get", *options, "source", "--download-only", package], check=True, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["tar", "xf", next(place.glob("*.orig.tar.*"))], check=True, cwd=place)
        found[library] = next(place.glob("*/"))
    return found


def build(test, sources, folder):
    """The program, or the compiler's last words."""
    program = folder / "bin" / test.name
    if program.exists():
        return program, ""
    program.parent.mkdir(exist_ok=True)
    compiler = ["mpicc.openmpi", "-O1", "-w"]
    if test.library == "hdf5":
        top = sources["hdf5"]
        # The package's own H5pubconf.h says how the library was configured.
        here = folder / "include"
        here.mkdir(exist_ok=True)
        for header in pathlib.Path("/usr/include/hdf5/openmpi").glob("H5pubconf*.h"):
            shutil.copy(header, here)
        (here / "H5srcdir_str.h").write_text(f'static const char *config_srcdir = "{top}/testpar";\n')
        files = [top / "testpar" / f"{name}.c" for name in test.sources]
        flags = [f"-I{here}", f"-I{top}/src", f"-I{top}/test", f"-I{top}/testpar"]
        libraries = [helpers(top, folder, [*compiler, *flags]), "-L/usr/lib/x86_64-linux-gnu/hdf5/openmpi", "-lhdf5", "-lz", "-ldl", "-lm"]
    else:
        top = sources["netcdf"]
        here = folder / "netcdf-include"
        here.mkdir(exist_ok=True)
        (here / "config.h").write_text(CONFIG)
        files = [top / "nc_test4" / f"{name}.c" for name in test.sources]
        include = "/usr/lib/x86_64-linux-gnu/netcdf/mpi/include"
        flags = ["-DHAVE_CONFIG_H", f"-I{here}", f"-I{include}", f"-I{top}/include", f"-I{top}/nc_test", "-I/usr/include/hdf5/openmpi", f'-DTOPSRCDIR="{top}"']
        libraries = ["-L/usr/lib/x86_64-linux-gnu/netcdf/mpi", "-lnetcdf_mpi", "-L/usr/lib/x86_64-linux-gnu/hdf5/openmpi", "-lhdf5", "-lm"]
    made = subprocess.run([*compiler, *flags, *files, "-o", program, *libraries], capture_output=True, text=True, check=False)
    return (program if made.returncode == 0 else None), made.stderr[-600:]


def helpers(top, folder, compiler):
    """An archive of what HDF5's tests have in common."""
    archive = folder / "libh5test.a"
    if not archive.exists():
        names = ("h5test", "testframe", "cache_common", "genall5")
        for name in names:
            subprocess.run([*compiler, "-c", top / "test" / f"{name}.c", "-o", folder / f"{name}.o"], check=True)
        subprocess.run(["ar", "rc", archive, *(folder / f"{name}.o" for name in names)], check=True)
    return archive


# What the tests ask of the configuration.
CONFIG = """#include <stdint.h>
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_STRDUP 1
#define HAVE_SYS_TIME_H 1
#define HAVE_GETTIMEOFDAY 1
#define USE_NETCDF4 1
#define USE_HDF5 1
#define USE_PARALLEL 1
#define USE_PARALLEL4 1
#define HDF5_PARALLEL 1
#define HDF5_SUPPORTS_PAR_FILTERS 1
#define HDF5_HAS_PAR_FILTERS 1
#define HAVE_H5Z_SZIP 1
#define TEMP_LARGE "."
#define CHUNK_CACHE_SIZE 16777216
#define CHUNK_CACHE_NELEMS 4133
#define CHUNK_CACHE_PREEMPTION 0.75
"""


def run(test, program, launcher, folder, seconds):
    """The exit code, None if it did not end, and the text of a run."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if test.before:
        start(program.with_name(test.before), launcher, folder, seconds)
    return start(program, launcher, folder, seconds)


def start(program, launcher, folder, seconds):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "LC_ALL": "C", "HDF5_PARAPREFIX": str(folder)}
    with open(folder / "out", "wb") as out:
        process = subprocess.Popen([*map(str, launcher), str(program)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    return code, (folder / "out").read_text(errors="replace")


def lines(text):
    """What is compared: ranks print in any order. What mpirage says itself is not compared."""
    own = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("mpirage: ")]
    return sorted(CHANGING.sub("#", line) for line in own)


def judge(test, program, folder, seconds):
    """None if the test does what it does under Open MPI, else how it differs; and the number of lines compared."""
    mpirun = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", test.ranks]
    theirs = run(test, program, mpirun, folder / "run", seconds)
    mpirage = [MPIRAGE, "run", "-q", "--compute", "none", "-n", test.ranks, "-p", f"cluster:{test.ranks}"]
    ours = run(test, program, mpirage, folder / "run", seconds)
    one, other = lines(theirs[1]), lines(ours[1])
    if theirs[0] is None:
        return f"no reference: no end under Open MPI within {seconds} s; exit code {ours[0]} under mpirage", 0
    if theirs[0] != ours[0]:
        how = "does not end" if ours[0] is None else f"exit code {ours[0]}"
        return f"{how}, {theirs[0]} under Open MPI: {ours[1].strip()[-300:]}", len(one)
    if one != other:
        extra = [line for line in other if line not in one][:3] or [line for line in one if line not in other][:3]
        return f"prints otherwise ({len(one)} and {len(other)} lines): {extra}", len(one)
    return None, len(one)


def page(results):
    rows = [f"| {title} | {entry['library']} | {'works' if entry['difference'] is None else entry['difference'].splitlines()[0][:160].replace('|', '/')} | {entry['lines']} |"
            for title, entry in sorted(results.items(), key=lambda item: (item[1]["library"], item[0]))]
    works = sum(entry["difference"] is None for entry in results.values())
    return "\n".join([
        "# Parallel tests of HDF5 and NetCDF", "",
        "HDF5's `testpar` and NetCDF's parallel tests of `nc_test4` in Debian 12's versions, compiled for Debian's Open MPI against Debian's parallel libraries and run unmodified under",
        "Debian's `mpirun` and under `mpirage run`. A test works if both end with the same exit code and print the same lines, apart from times and addresses and the order of ranks. Written by",
        "`tests/conformance/parallel_io.py --write`; `make conformance PARALLEL_IO=1` runs it.", "",
        f"{works} of {len(results)} work.", "",
        "| test (ranks) | of | result | lines compared |", "|---|---|---|---|", *rows, ""])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "conformance" / "parallel_io")
    p.add_argument("--only", default="", help="tests, separated by commas")
    p.add_argument("--seconds", type=int, default=600, help="time limit of a run (default 600)")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    options = p.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    install()
    sources = fetch(options.folder)
    kept = options.folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    failed = 0
    for test in [*HDF5, *NETCDF]:
        if options.only and test.name not in options.only.split(","):
            continue
        program, words = build(test, sources, options.folder)
        if test.before:
            build(Test(test.before, [test.before], test.ranks), sources, options.folder)
        with tempfile.TemporaryDirectory(prefix="parallel-io.") as temporary:
            difference, number = judge(test, program, pathlib.Path(temporary), options.seconds) if program else (f"does not compile: {words}", 0)
        results[test.title] = {"library": "HDF5" if test.library == "hdf5" else "NetCDF", "difference": difference, "lines": number}
        kept.write_text(json.dumps(results, indent=1))
        failed += difference is not None
        print(f"{test.title}: {'works' if difference is None else difference} ({number} lines)", flush=True)
    if options.write:
        PAGE.write_text(page(results))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
