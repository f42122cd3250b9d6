#!/usr/bin/env python3
"""The Intel MPI Benchmarks under mpirage, as Intel ships them: tests/conformance/imb.py [-n 2,4] [--programs FOLDER] [--write] [IMB-RMA …]

PyPI's wheel impi-rt has IMB-MPI1, IMB-NBC, IMB-P2P, IMB-RMA and IMB-MT: executables for Intel's MPI, which mpirage runs with its library of MPICH's binary
interface. IMB-EXT and IMB-IO are not in the wheel: they run if FOLDER has them, as executables, else they are skipped. A build with -DCHECK
prints a column of defects, which must all be zero; IMB-MT checks with `-check`.

A program works if it ends with 0 and each benchmark that it names has a table of numbers. --write writes docs/reference/conformance-imb.md."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
PAGE = ROOT / "docs" / "reference" / "conformance-imb.md"
# The wheels, with the versions that were tried, and what is taken from them.
WHEELS = {"impi-rt==2021.19.0": r"/bin/IMB-(MPI1|NBC|P2P|RMA|MT)$", "intel-openmp==2026.2.0": r"/libiomp5\.so$"}
# Few repetitions and sizes: what counts is that all run.
SHORT = ["-iter", "3", "-msglog", "0:14"]
PROGRAMS = {
    "IMB-MPI1": [*SHORT, "-include", "PingPongSpecificSource,PingPongAnySource,PingPingSpecificSource,PingPingAnySource,Biband,Uniband"],
    "IMB-NBC": SHORT,
    "IMB-P2P": ["-iter", "3", "-msglog", "0:14"],
    "IMB-RMA": SHORT,
    "IMB-EXT": SHORT,
    # With -DCHECK the benchmarks of shared pointers crash under any MPI (IMB_chk_diff.c uses an array that IMB-IO does not allocate).
    "IMB-IO": [*SHORT, "-exclude", "P_Write_Shared,P_Read_Shared,C_Write_Shared,C_Read_Shared,P_IWrite_Shared,P_IRead_Shared,C_IWrite_Shared,C_IRead_Shared"],
    "IMB-MT": ["-thread_level", "multiple", "-check", "yes", "-repeat", "3", "-count", "1,16,1024"],
}
# IMB-MT does not say what it is going to run.
THREADED = ["PingPongMT", "PingPingMT", "SendRecvMT", "ExchangeMT", "UniBandMT", "BiBandMT", "BarrierMT", "BcastMT", "ReduceMT", "AllReduceMT"]
SECONDS = 300
ROW = re.compile(r"^ +\d+( +[\d.]+)+ *$")


def prepare(folder):
    """Unpacks the programs and the library for threads that IMB-MT needs, from the wheels."""
    for wheel, wanted in WHEELS.items():
        place = folder / wheel.split("==")[0]
        if not place.exists():
            with tempfile.TemporaryDirectory() as fetched:
                pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", fetched, wheel]
                subprocess.run(pip, check=True)
                unpack(next(pathlib.Path(fetched).glob("*.whl")), wanted, place)
    return folder / "impi-rt", folder / "intel-openmp"


def unpack(wheel, wanted, place):
    place.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if re.search(wanted, name):
                file = place / name.rsplit("/", 1)[1]
                file.write_bytes(archive.read(name))
                file.chmod(0o755)


def run(program, ranks, libraries):
    """None if the program works, else what is wrong; and how many benchmarks it ran."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "OMP_NUM_THREADS": "2"}
    command = [MPIRAGE, "run", "-q", "--compute", "none", "-n", ranks, program, *PROGRAMS[program.name]]
    with tempfile.TemporaryDirectory() as here:
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, cwd=here, env=environment,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"no end within {SECONDS} s", 0
    tables = benchmarks(done.stdout)
    if done.returncode:
        return f"exit code {done.returncode}: {' '.join(done.stderr.split())[:300]}", len(tables)
    return judge(program.name, done.stdout, tables), len(tables)


def benchmarks(text):
    """The parts of the output, each with the name of a benchmark in front and its table."""
    return re.split(r"^# Benchmarking +", text, flags=re.M)[1:]


def judge(name, text, tables):
    announced = re.findall(r"^# (\w+) *$", text.partition("List of Benchmarks to run")[2].partition("# Benchmarking")[0], re.M)
    listed = THREADED if name == "IMB-MT" else announced
    # Some benchmarks are for more ranks, and say so.
    invalid = re.findall(r"Benchmark (\w+) is invalid for \d+ processes", text)
    absent = sorted(set(listed) - set(invalid) - {table.split()[0] for table in tables})
    if absent or not listed:
        return f"did not run: {', '.join(absent) or 'any'}"
    for table in tables:
        rows = [line for line in table.splitlines() if ROW.match(line)]
        if not rows:
            return f"{table.split()[0]} has no numbers"
        if "defects" in table and any(float(row.split()[-1]) != 0 for row in rows):
            return f"{table.split()[0]} has defects"
    return None if "error" not in text.lower() else "it prints an error"


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="*", help="only these")
    p.add_argument("-n", default="2,4", help="numbers of ranks")
    p.add_argument("--programs", type=pathlib.Path, default=os.environ.get("IMB"), help="a folder with IMB-EXT and IMB-IO, or others that replace the wheel's (default: $IMB)")
    p.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "conformance" / "imb")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    return p.parse_args()


def main():
    options = parse_options()
    if not MPIRAGE.exists():
        sys.exit(f"{MPIRAGE} is not there; run `make build` first")
    shipped, libraries = prepare(options.folder.resolve())
    numbers = [int(number) for number in options.n.split(",")]
    own = pathlib.Path(options.programs).resolve() if options.programs else None
    table, failed, passed, skipped = {}, 0, 0, 0
    for name in options.program or PROGRAMS:
        program = next((folder / name for folder in (own, shipped) if folder and (folder / name).exists()), None)
        if not program:
            print(f"{name}: skipped, it is not in the wheel; --programs FOLDER says where it is")
            skipped += 1
            continue
        for ranks in numbers:
            why, count = table[name, ranks] = run(program, ranks, libraries)
            passed, failed = passed + (why is None), failed + (why is not None)
            print(f"{name} on {ranks} ranks: {why or 'works'}, {count} tables", flush=True)
    if options.write:
        PAGE.write_text(page(table, numbers))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


def page(table, numbers):
    names = list(dict.fromkeys(name for name, _ in table))
    cell = {job: f"{count} tables" if why is None else f"fails: {why}" for job, (why, count) in table.items()}
    rows = [f"| {name} | `{' '.join(PROGRAMS[name])}` | " + " | ".join(cell[name, ranks] for ranks in numbers) + " |" for name in names]
    return "\n".join([
        "# The Intel MPI Benchmarks", "",
        "The programs of PyPI's wheel `impi-rt`, as Intel built them, unmodified, under `mpirage run`. IMB-EXT and IMB-IO are not in the wheel; those",
        "of this page were built with mpirage's `mpicc` and with `-DCHECK`, so that they compare what arrives. Written by",
        "`tests/conformance/imb.py --write`; `make conformance` runs it.", "",
        "A cell says how many tables of numbers the program printed, one per benchmark and number of ranks. `make conformance` skips the two programs",
        "that are not in the wheel, unless `IMB=FOLDER` names a folder that has them.", "",
        "| program | arguments | " + " | ".join(f"{ranks} ranks" for ranks in numbers) + " |",
        "|---|---|" + "---|" * len(numbers), *rows, "",
        "With `-DCHECK`, the benchmarks of IMB-IO with shared file pointers crash under any MPI, MPICH included: the check uses an array that IMB-IO does not",
        "allocate. They are left out.", ""])


if __name__ == "__main__":
    main()
