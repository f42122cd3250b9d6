"""Every program of programs/list.toml prints under mpirage, byte by byte, what MPICH printed (programs/expected), folded and as processes.
same-as-mpich.sh compares with an MPI that is installed here, and records."""

import pytest
import same_as_mpich
from harness import MPIRAGE

MODES = ("folded", "processes")
# Ranks that start threads cannot be folded.
CASES = [(program, mode) for program in same_as_mpich.load_programs() for mode in MODES if not program.missing and not (program.threads and mode == "folded")]


@pytest.mark.parametrize("program, mode", CASES, ids=[f"{program.name}-{mode}" for program, mode in CASES])
def test_program(suite, program, mode):
    subject = same_as_mpich.Mpirage(str(MPIRAGE), [f"--ranks-as={mode}"])
    for ranks, why in same_as_mpich.examine(program, suite.folder, subject):
        suite.check(f"{program.name} on {ranks} ranks, {mode}", why is None, why)
