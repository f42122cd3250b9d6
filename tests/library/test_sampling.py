"""Sampled blocks (smpi/smpi.h): which blocks are executed, how long skipped ones take, errors, and recorded
runs. The figures of the SMPI paper are in smpi_paper_scale.py, which measures."""

import json
import shutil
import statistics

import pytest
from harness import ROOT, TESTS

pytestmark = pytest.mark.alone
SOURCES = TESTS / "library" / "sampling"
HEADER = ROOT / "crates" / "library" / "abi" / "include" / "smpi"
RANKS, ROUNDS = 4, 12
LIVES = ("processes", "folded")


@pytest.fixture(params=LIVES)
def life(request):
    """How ranks live."""
    return request.param


def figures(result):
    """The JSON object that `--json` prints last."""
    try:
        return json.loads(result.out.splitlines()[-1])
    except (IndexError, ValueError):
        return {}


def marks(result):
    """`form rank marks` lines by form, one string per rank; a form that comes twice is numbered."""
    forms = {}
    for line in result.out.splitlines():
        words = line.split()
        if len(words) == 3 and set(words[2]) <= set(".xX"):
            forms.setdefault(words[0], []).append(words[2])
    return forms


def each(count):
    """Every rank executes its first `count` rounds."""
    return ["x" * count + "." * (ROUNDS - count)] * RANKS


def count(strings):
    return sum(mark != "." for text in strings for mark in text)


def test_forms(suite, life):
    program = suite.compile(SOURCES / "blocks.c", flags=["-Wall", "-Wextra", "-Werror"])
    command = ["--ranks-as", life, "-n", RANKS, "--compute", "none", "--json", program]
    result = suite.simulate(*command)
    suite.check("blocks run", result.code == 0, result)
    seen = marks(result)
    expected = {
        "local": each(3),
        "none": each(0),
        "loop-local": each(4),
        "loop-first": each(12),
        "loop-second": each(3),
        "tag-local": each(2) + each(3),
        "loop-left": ["x.xx" + "." * 8] * RANKS,
        "left": ["XxxxX" + "." * 7] * RANKS,
        # Without computation every value is the same: the least number of executions is enough.
        "threshold": each(2),
        "precision": each(5),
        "precise": each(5),
        "delay": each(0),
        "flops": each(12),
    }
    for form, wanted in expected.items():
        suite.check(f"{form}: the right executions", seen.get(form) == wanted, seen.get(form))
    for form, wanted in {"global": 5, "loop-global": 6, "tag-global": 3, "precision-global": 5}.items():
        suite.check(f"{form}: {wanted} executions in all", count(seen.get(form, [])) == wanted, seen.get(form))
    suite.check("loop variables end where the loop does", f"after {12 + 12 + 4} early 1" in result.out, result.out[-300:])
    json_figures = figures(result)
    executed = sum(count(texts) for form, texts in seen.items() if form != "flops")
    # `continue` before the work, and `break`, are executions too.
    suite.check("executions are counted", json_figures.get("samples_executed") == executed + 2 * RANKS, json_figures)
    suite.check("the summary counts them", f"{executed + 2 * RANKS} executed" in result.err, result.err)
    again = suite.simulate(*command)
    suite.check("the same in the next run", marks(again) == seen and figures(again)["simulated_seconds"] == json_figures["simulated_seconds"])
    other = suite.simulate("--ranks-as", LIVES[life == "processes"], *command[2:])
    same = marks(other) == seen and figures(other).get("simulated_seconds") == json_figures["simulated_seconds"]
    suite.check("the same in the other way to live", same, other)
    alone = suite.run([program])
    suite.check("alone everything is executed", marks(alone).get("global") == ["x" * ROUNDS], alone)


def test_recorded(suite, life):
    program = suite.compile(SOURCES / "blocks.c")
    costs = suite.folder / f"costs-{life}"
    runs = [suite.simulate("--ranks-as", life, "-n", RANKS, "--host-speed", "5Gf", "--compute", f"recorded:{costs}", "--json", program) for _ in range(3)]
    suite.check("recorded runs end", all(run.code == 0 for run in runs), runs)
    suite.check("a recorded run skips what the first skipped", all(marks(run) == marks(runs[0]) for run in runs), [run.out for run in runs])
    times = [(figures(run)["simulated_seconds"], figures(run)["samples_skipped"]) for run in runs]
    suite.check("a recorded run takes the same time", len(set(times)) == 1 and times[0][0] > 0, times)
    suite.check("a precision is not reached by chance", 5 <= len(marks(runs[0])["precise"][0].strip(".")), marks(runs[0]))


def test_charged(suite, life):
    """The first run writes down every burst: the one after the last skip is made of means."""
    program = suite.compile(SOURCES / "charged.c")
    costs = suite.folder / f"charged-costs-{life}"
    result = suite.simulate("--ranks-as", life, "-n", 1, "--host-speed", "1Gf", "-p", platform(suite), "--compute", f"recorded:{costs}", program)
    suite.check("charged runs", result.code == 0, result)
    bursts = [int(word) for word in costs.read_text().splitlines()[2].split()]
    # init, (begin, end) twice with a reading of the clock after each pair, the asking begin, reading, output, tally, finalize.
    executed = sorted(bursts)[-3:]
    largest, samples = executed[2], executed[:2]
    mean = statistics.mean(samples)
    # The asking begin and what else is computed cost a little besides; each skip is rounded to a picosecond.
    suite.check("eight means are charged", 8 * mean - 1 <= largest <= 8 * mean + 3e6, bursts)
    shown = float(result.out.split()[1])
    suite.check("the clock shows them", shown * 1e9 >= 8 * mean - 10, (shown, mean))
    suite.check("blocks were worth measuring", min(samples) > 1e5, samples)


def platform(suite):
    """One host of 1 Gf/s."""
    path = suite.folder / "slow.toml"
    if not path.exists():
        path.write_text('name = "slow"\n\n[cluster]\nhosts = 4\nspeed = "1Gf"\nbandwidth = "1Gbps"\nlatency = "10us"\n')
    return path


def test_work(suite, life):
    program = suite.compile(SOURCES / "work.c")
    expected = ["delay 2.000000 executed 0", "flops 3.000000 executed 1", "execute_flops 1.000000"]
    none = suite.simulate("--ranks-as", life, "-n", 1, "-p", platform(suite), "--compute", "none", program)
    lines = none.out.splitlines()
    suite.check("declared work takes its time", lines[:3] == expected, none)
    suite.check("seconds of this machine are none without computation", lines[3:] == ["execute 0.000000"], none)
    # This machine is said to be twice as fast as the simulated one.
    costs = suite.folder / f"work-costs-{life}"
    measured = suite.simulate("--ranks-as", life, "-n", 1, "-p", platform(suite), "--host-speed", "2Gf", "--compute", f"recorded:{costs}", program)
    values = dict(zip(["delay", "flops", "execute_flops", "execute"], (float(line.split()[1]) for line in measured.out.splitlines())))
    wanted = {"delay": 2, "flops": 3, "execute_flops": 1, "execute": 1}
    close = all(0 <= values.get(name, -1) - value < 0.05 for name, value in wanted.items())
    suite.check("seconds of this machine are scaled", close, measured)


def test_misuse(suite, life):
    program = suite.compile(SOURCES / "misuse.c")
    for case, text in enumerate(["MPI is called inside a sampled block", "another sampled block, ", "the program sleeps inside",
                                 "work is declared inside", "smpi_execute: -1 is no amount of work", "is no amount of work"]):
        result = suite.simulate("--ranks-as", life, "-n", 1, "--compute", "none", program, case)
        suite.check(f"misuse {case} is refused", result.code == 81 and text in result.err, result)


def test_other_mpis(suite):
    """The header alone, beside an mpi.h that is not ours."""
    folder = suite.folder / "other"
    shutil.copytree(HEADER, folder / "smpi")
    (folder / "mpi.h").write_text("/* another MPI */\n")
    source = SOURCES / "plain.cpp"
    for compiler, language, standards in (("cc", "c", ["c99", "c11", "gnu17"]), ("c++", "c++", ["c++11", "c++17", "c++20"])):
        for standard in standards:
            program = folder / f"plain-{standard}"
            made = suite.run([compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{folder}", source, "-o", program])
            suite.check(f"{standard}: compiles without mpirage", made.code == 0, made)
            suite.check(f"{standard}: everything is executed", suite.run([program]).out == "executed 50\n", made)
    for language, standard in (("cc", "c99"), ("cc", "gnu17"), ("cxx", "c++11"), ("cxx", "c++20")):
        kind = "c" if language == "cc" else "c++"
        program = suite.compile(source, f"plain-{standard}-here", language, ["-Wall", "-Wextra", "-Werror", "-x", kind, f"-std={standard}"])
        suite.check(f"{standard}: the same alone", suite.run([program]).out == "executed 50\n", program)


def test_exceptions(suite, life):
    program = suite.compile(SOURCES / "thrown.cpp", language="cxx")
    result = suite.simulate("--ranks-as", life, "-n", 2, "--compute", "none", program)
    suite.check("an exception ends a block", result.out == "executed 3 caught 1\n" * 2, result)


def test_ratios(suite, life):
    """The kernel of figure 18, counted."""
    program = suite.compile(ROOT / "examples" / "smpi_paper" / "ep.c", flags=["-O2"])
    whole = None
    for percent in (100, 50, 25, 10):
        result = suite.simulate("--ranks-as", life, "-n", 4, "--compute", "none", "--json", program, 20, percent)
        seen = figures(result)
        blocks = 4 * (4 * percent // 100)
        suite.check(f"EP at {percent} %: executed blocks", (seen.get("samples_executed"), seen.get("samples_skipped")) == (blocks, 16 - blocks), result)
        whole = whole or seen
        suite.check(f"EP at {percent} %: communication takes the same time", seen.get("simulated_seconds") == whole.get("simulated_seconds"), result)
