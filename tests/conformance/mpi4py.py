#!/usr/bin/env python3
"""mpi4py's own test suite under mpirage, with the wheel as `pip install mpi4py` gives it: numbers per module.

tests/conformance/mpi4py.py [-n 1,2,4] [--module NAME] [--interface mpich|openmpi] [--write] [--folder FOLDER] [--seconds LIMIT]

Installs what it needs into a virtual environment in FOLDER, by default target/conformance/mpi4py. A test that ends the run because mpirage
lacks a function is left out and the module run again; it counts as missing. The last result of each module and number of ranks is kept in
FOLDER/results.json, and --write writes docs/reference/conformance-mpi4py.md from these. Tests in KNOWN are left out, since some of them end the
run, and count as failed; --known runs them too. Fails if another test fails."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from dataclasses import asdict, dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRAGE = ROOT / "target" / "release" / "mpirage"
PAGE = ROOT / "docs" / "reference" / "conformance-mpi4py.md"
VERSION = "4.1.2"
# Tests that fail, by module, with the reason.
KNOWN = {
    "test_mpiabi": {"test_mpiabi.TestMPIABI.testGetFortranInfo": "mpirage has MPI_LOGICAL1 and its kin, for which MPICH's binary interface has no constants"},
    "test_ulfm": {f"test_ulfm.{group}.testIAgree": "mpi4py stands in for MPIX_Comm_iagree with MPI_Iallreduce, and ranks then call collectives in "
                  "different orders, which MPI forbids; mpirage names the mismatch and stops the run" for group in ("TestULFMWorld",)},
}
# Modules whose tests start processes, and how many these are together, roughly.
SPAWNED = {"test_spawn": 800, "test_util_pool": 100, "test_futures": 800}
# Pools of unspecified size have one worker, as under an MPI that does not know how many processes may be started; else each would take all the room.
WORKERS = {"MPI4PY_FUTURES_MAX_WORKERS": "1"}
# Modules outside the suite's folder. On one rank its pool starts processes; on several, all ranks but the first are the pool, and only the first has results.
FUTURES = "test_futures"
# After so many tests that need a missing function the rest of a module is left.
PATIENCE = 20

# Runs in each rank: its part of the suite, with the results of the rank in a file of its own.
DRIVER = """
import os, runpy, sys
sys.stderr = open(os.path.join(sys.argv[1], os.environ["PMI_RANK"]), "w", buffering=1)
sys.argv = sys.argv[2:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# The same for mpi4py.futures on several ranks.
FUTURES_DRIVER = """
import os, runpy, sys
sys.stderr = open(os.path.join(sys.argv[1], os.environ["PMI_RANK"]), "w", buffering=1)
sys.argv = ["mpi4py.futures", *sys.argv[2:]]
runpy.run_module("mpi4py.futures", run_name="__main__", alter_sys=True)
"""

# Finds the source archive where pip finds packages.
DOWNLOAD = """
import sys
from pip._internal.commands import create_command
command = create_command("index")
options, _ = command.parse_args(["versions", "mpi4py"])
with command.main_context():
    session = command.get_default_session(options)
    candidates = command._build_package_finder(options, session).find_all_candidates("mpi4py")
    link = next(c.link for c in candidates if str(c.version) == sys.argv[1] and c.link.filename.endswith(".tar.gz"))
    open(sys.argv[2], "wb").write(session.get(link.url_without_fragment).content)
"""


@dataclass
class Result:
    """How the tests of one module ended on some number of ranks."""

    passed: int = 0
    skipped: int = 0
    failed: list = field(default_factory=list)
    missing: dict = field(default_factory=dict)  # function -> tests
    end: str = ""                                # why the module did not come to its end


def prepare(folder):
    """The interpreter of a virtual environment with mpi4py, and the folder of its tests."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", f"mpi4py=={VERSION}", "numpy"], check=True)
    archive, sources = folder / f"mpi4py-{VERSION}.tar.gz", folder / f"mpi4py-{VERSION}"
    if not sources.exists():
        subprocess.run([python, "-c", DOWNLOAD, VERSION, archive], check=True)
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return python, sources / "test"


def room(module, ranks):
    """The option that makes room for processes that tests start."""
    return ["--universe-size", ranks + SPAWNED[module]] if module in SPAWNED else []


def run_module(options, python, tests, module, ranks):
    """Runs a module until no missing function ends it."""
    result, left_out = Result(), []
    while len(left_out) <= PATIENCE:
        outputs = pathlib.Path(tempfile.mkdtemp(prefix="outputs.", dir=options.folder))
        excluded = [word for test in [*left_out, *known(options, module)] for word in ("-x", test)]
        command = [MPIRAGE, "run", "-q", "--compute", "none", "--mpi-abi", options.interface, "-n", ranks, *room(module, ranks), python,
                   *driver(tests, module, ranks, outputs, excluded)]
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=options.seconds, cwd=options.folder,
                                  stdin=subprocess.DEVNULL, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(WORKERS if ranks == 1 else {})})
        except subprocess.TimeoutExpired:
            result.end = f"no end within {options.seconds} s"
            return result
        texts = [path.read_text(errors="replace") for path in sorted(outputs.iterdir())]
        shutil.rmtree(outputs)
        gone = re.search(r"(MPIX?_\w+) is not there yet", done.stderr)
        test = next((found for found in map(unfinished, texts) if found), None)
        if gone and not test:
            # The module calls the function when it is loaded: none of its tests runs.
            result.missing[gone[1]] = ["all"]
            return result
        if not gone:
            result.passed, result.skipped, failed = count(texts)
            result.failed = sorted({*failed, *known(options, module)})
            whole = texts[:1] if module == FUTURES else texts
            complete = len(texts) >= ranks and all(re.search(r"^Ran \d+ test", text, re.M) for text in whole)
            if not complete or done.returncode not in (0, 1):
                result.end = (done.stderr.strip().splitlines() or ["ended early"])[0][:200]
            return result
        result.missing.setdefault(gone[1], []).append(test)
        left_out.append(test)
    result.end = f"more than {PATIENCE} tests need missing functions"
    return result


def driver(tests, module, ranks, outputs, excluded):
    """What the interpreter of a rank gets."""
    if module != FUTURES:
        return ["-c", DRIVER, outputs, tests / "main.py", "-v", "-i", rf"\b{module}\.py$", *excluded]
    file = tests.parent / "demo" / "futures" / f"{FUTURES}.py"
    return ["-c", DRIVER if ranks == 1 else FUTURES_DRIVER, outputs, file, "-v"]


def known(options, module):
    """The tests of a module that are left out."""
    return [] if options.known else list(KNOWN.get(module, {}))


def unfinished(text):
    """The test in which a rank was when the run ended."""
    begun = re.findall(r"^\w+ \(([\w.]+)\)(?:\n[^\n]*)? \.\.\. (.*)$", text, re.M)
    return begun[-1][0] if begun and not begun[-1][1] else None


def count(texts):
    """Tests that passed, tests that were skipped, and the names of those that failed in any rank."""
    passed = len(re.findall(r"\.\.\. ok$", texts[0], re.M)) if texts else 0
    skipped = len(re.findall(r"\.\.\. skipped", texts[0], re.M)) if texts else 0
    failed = {name for text in texts for name in re.findall(r"^(?:FAIL|ERROR): \w+ \(([\w.]+)\)", text, re.M)}
    return passed, skipped, sorted(failed)


def parse_options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("-n", default="1,2,4", help="numbers of ranks")
    p.add_argument("--module", action="append", default=[], help="only this module")
    p.add_argument("--interface", choices=["mpich", "openmpi"], default="mpich", help="which of the wheel's two modules")
    p.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "conformance" / "mpi4py")
    p.add_argument("--seconds", type=int, default=1200, help="time limit of a module (default 1200)")
    p.add_argument("-j", type=int, default=2, help="runs at a time")
    p.add_argument("--known", action="store_true", help="run the tests that are known to fail, too")
    p.add_argument("--write", action="store_true", help="write the page of the documentation")
    return p.parse_args()


def main():
    options = parse_options()
    if not MPIRAGE.exists():
        sys.exit(f"{MPIRAGE} is not there; run `make build` first")
    options.folder.mkdir(parents=True, exist_ok=True)
    python, tests = prepare(options.folder)
    numbers = [int(number) for number in options.n.split(",")]
    modules = options.module or [*sorted(path.stem for path in tests.glob("test_*.py")), FUTURES]
    kept = options.folder / "results.json"
    table = load(kept)
    jobs = [(module, ranks) for module in modules for ranks in numbers]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        results = pool.map(lambda job: run_module(options, python, tests, *job), jobs)
        for (module, ranks), result in zip(jobs, results):
            table[module, ranks] = result
            kept.write_text(json.dumps({f"{module} {ranks}": asdict(result) for (module, ranks), result in table.items()}, indent=1))
            print(f"{module} on {ranks}: {line(result)}", flush=True)
    if options.write:
        PAGE.write_text(page(table))
    table = {job: table[job] for job in jobs}
    unexpected = [(module, test) for (module, _), result in table.items() for test in result.failed if test not in KNOWN.get(module, {})]
    early = [(module, result.end) for (module, _), result in table.items() if result.end]
    total = sum(result.passed for result in table.values())
    print(f"{total} passed, {len(unexpected) + len(early)} failed")
    sys.exit(1 if unexpected or early else 0)


def load(kept):
    """The results of earlier runs."""
    texts = json.loads(kept.read_text()) if kept.exists() else {}
    return {(key.split()[0], int(key.split()[1])): Result(**entry) for key, entry in texts.items()}


def line(result):
    missing = sum(len(tests) for tests in result.missing.values())
    words = f"{result.passed} passed, {result.skipped} skipped, {len(result.failed)} failed, {missing} missing"
    return words + "".join(f"\n    failed: {name}" for name in result.failed) + (f"\n    {result.end}" if result.end else "")


def page(table):
    modules, numbers = sorted({module for module, _ in table}), sorted({ranks for _, ranks in table})
    cells = [[cell(table[module, ranks]) if (module, ranks) in table else "not run" for ranks in numbers] for module in modules]
    rows = [f"| {module} | {' | '.join(row)} | {missing(table, module, numbers)} |" for module, row in zip(modules, cells)]
    reasons = [f"- `{test}`: {reason}" for tests in KNOWN.values() for test, reason in tests.items()]
    totals = " | ".join(str(sum(result.passed for (_, on), result in table.items() if on == ranks)) for ranks in numbers)
    return "\n".join([
        "# mpi4py's test suite", "",
        f"The wheel of mpi4py {VERSION} from PyPI, unmodified, with its own test suite under `mpirage run -n RANKS python3`. Written by",
        "`tests/conformance/mpi4py.py --write`; `make conformance` runs it.", "",
        "Each cell says how many tests passed, and in brackets how many mpi4py skipped itself. A test that needs a function which mpirage does not",
        "have yet ends the run with a message; the last column names such functions and how many tests of the module need them.", "",
        "| module | " + " | ".join(f"{ranks} rank{'s' if ranks > 1 else ''}" for ranks in numbers) + " | missing functions |",
        "|---|" + "---|" * (len(numbers) + 1), *rows, f"| all | {totals} | |", "",
        *(["## Tests that fail", "", *reasons, ""] if reasons else []),
    ])


def cell(result):
    failed = f", {len(result.failed)} fail" if result.failed else ""
    return f"{result.passed} ({result.skipped}){failed}" + (f"; {result.end}" if result.end else "")


def missing(table, module, numbers):
    functions = {}
    for ranks in numbers:
        for function, tests in table.get((module, ranks), Result()).missing.items():
            number = "all" if tests == ["all"] else str(len(tests))
            functions[function] = max(functions.get(function, ""), number, key=lambda text: (text == "all", len(text), text))
    return ", ".join(f"`{function}` ({number})" for function, number in sorted(functions.items()))


if __name__ == "__main__":
    main()
