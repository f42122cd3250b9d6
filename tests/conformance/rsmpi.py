#!/usr/bin/env python3
"""The examples of the Rust crate `mpi` (rsmpi), built with mpirage's mpicc and run by it: tests/conformance/rsmpi.py [-n 2,3,4] [--example NAME]

Cargo fetches the crate; its build asks `mpicc -show` where MPI is, and makes its bindings from mpi.h by libclang, which apt installs if clang is
missing. The examples check themselves: an assertion that fails is a panic, and the run ends with an error.
Ranks are processes: rustc makes ordinary executables with thread-local variables, which cannot be folded.

With --write the results become docs/reference/conformance-rsmpi.md. Fails if an example fails that is not in KNOWN."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import prepare  # noqa: E402

BIN = ROOT / "target" / "release" / "bin"
PAGE = ROOT / "docs" / "reference" / "conformance-rsmpi.md"
VERSION = "0.8.2"
# What the crate's build needs besides Cargo: libclang and the headers that belong to it.
DEBIAN = {"clang": "clang libclang-dev"}
FEATURES = "derive,complex"
# Examples that fail, with the reason.
KNOWN = {}
# Room for the processes that examples start.
SPAWNED = 8
SECONDS = 120
MANIFEST = f"""[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
mpi = "={VERSION}"

[workspace]
"""


def fetched(folder):
    """The sources of the crate, where Cargo keeps what it fetched."""
    project = folder / "fetch"
    project.mkdir(parents=True, exist_ok=True)
    (project / "Cargo.toml").write_text(MANIFEST)
    (project / "lib.rs").touch()
    listed = subprocess.run(["cargo", "metadata", "--format-version", "1"], cwd=project, stdout=subprocess.PIPE, check=True).stdout
    return next(pathlib.Path(package["manifest_path"]).parent for package in json.loads(listed)["packages"] if package["name"] == "mpi")


def build(folder):
    """The programs, by the names of the examples."""
    sources = folder / f"mpi-{VERSION}"
    if not sources.exists():
        shutil.copytree(fetched(folder), sources)
        # A workspace of its own: the folder lies in that of mpirage.
        with open(sources / "Cargo.toml", "a") as manifest:
            manifest.write("\n[workspace]\n")
    environment = {**os.environ, "MPICC": str(BIN / "mpicc"), "CARGO_TARGET_DIR": str(folder / "build")}
    subprocess.run(["cargo", "build", "--quiet", "--examples", "--features", FEATURES], cwd=sources, env=environment, check=True)
    names = sorted(path.stem for path in (sources / "examples").glob("*.rs"))
    return {name: folder / "build" / "debug" / "examples" / name for name in names}


def run(program, ranks):
    """None if the example works, else what went wrong."""
    command = [BIN / "mpirage", "run", "-q", "--compute", "none", "-n", ranks, "--universe-size", ranks + SPAWNED, program]
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if done.returncode == 0:
        return None
    return f"exit code {done.returncode}: {' '.join(done.stderr.split())[:300]}"


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-n", default="2,3,4", help="numbers of ranks")
    p.add_argument("--example", action="append", default=[], help="only this one")
    p.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "conformance" / "rsmpi")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    return p.parse_args()


def main():
    options = parse_options()
    if not (BIN / "mpirage").exists():
        sys.exit(f"{BIN / 'mpirage'} is not there; run `make build` first")
    prepare.debian(DEBIAN)
    programs = build(options.folder.resolve())
    numbers = [int(number) for number in options.n.split(",")]
    table, passed, failed = {}, 0, 0
    for name in options.example or programs:
        for ranks in numbers:
            why = table[name, ranks] = run(programs[name], ranks)
            passed, failed = passed + (why is None), failed + (why is not None and name not in KNOWN)
            if why:
                print(f"{name} on {ranks} ranks: {why}", flush=True)
    if options.write:
        PAGE.write_text(page(table, options.example or list(programs), numbers))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def page(table, names, numbers):
    """The table of the documentation."""
    works = sum(all(table[name, ranks] is None for ranks in numbers) for name in names)
    rows = [f"| {name} | " + " | ".join("works" if table[name, ranks] is None else "fails" for ranks in numbers) + " |" for name in names]
    known = [f"- `{name}`: {reason}" for name, reason in sorted(KNOWN.items()) if name in names]
    return "\n".join([
        "# The Rust crate `mpi`", "",
        f"The {len(names)} examples of the crate `mpi` (rsmpi) {VERSION}, unmodified, built by Cargo with `MPICC` set to mpirage's `mpicc` and run by",
        "`mpirage run -n RANKS`. The examples check their results with assertions. Written by `tests/conformance/rsmpi.py --write`;",
        "`make conformance` runs it. Ranks are processes: rustc makes ordinary executables with thread-local variables, which cannot be folded.", "",
        "`MPICC=mpicc cargo build` builds your own program, with mpirage's `mpicc` on `PATH`. The crate makes its bindings with bindgen, which needs",
        "libclang and the headers that belong to it (Debian: `clang libclang-dev`); without them its build ends with `Unable to find libclang`.", "",
        f"{works} of {len(names)} work.", "",
        "| example | " + " | ".join(f"{ranks} ranks" for ranks in numbers) + " |",
        "|---|" + "---|" * len(numbers), *rows, "",
        *(["## Examples that fail", "", *known, ""] if known else []),
    ])


if __name__ == "__main__":
    main()
