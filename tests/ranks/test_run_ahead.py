"""Results do not depend on whether ranks run ahead of simulated time, nor on whether they answer polls themselves, which those that run ahead do not.
Runs every program of programs/list.toml, and random programs, with `--run-ahead never` and with `--run-ahead always` on all cores, and compares output,
simulated time and exit code."""

import json

import pytest
import same_as_mpich
from harness import MEASURED, MPIRAGE, TESTS

PROGRAMS = [program for program in same_as_mpich.load_programs() if not program.missing]
SEEDS = range(30)


def observed(suite, how, program, ranks, arguments):
    """All of a run that must not depend on who runs when."""
    command = ["-q", "--json", "--ranks-as", "processes", "--compute", "none", "--run-ahead", how, "-n", ranks, program, *arguments]
    result = suite.simulate(*command, timeout=120)
    # The program's own output may lack its last newline.
    out, object, figures = result.out.rpartition('{"outcome"')
    figures = json.loads(object + figures) if object else {}
    return result.code, {name: value for name, value in figures.items() if name not in MEASURED}, out


def compare(suite, what, program, ranks, arguments, code=0):
    never, always = (observed(suite, how, program, ranks, arguments) for how in ("never", "always"))
    suite.check(f"{what} on {ranks} ranks", never == always and never[0] == code, (never, always))


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_program(suite, program):
    binary = same_as_mpich.Mpirage(str(MPIRAGE), []).compile(program, suite.folder)
    for ranks in program.ranks:
        compare(suite, program.name, binary, ranks, program.args, program.exit)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("what, steps", [("traffic", 40), ("polls", 6)])
def test_random(suite, what, steps, seed):
    program = suite.compile(TESTS / "ranks" / "folded" / f"random_{what}.c")
    compare(suite, f"random {what} {seed}", program, 2 + seed % 9, [seed, steps])
