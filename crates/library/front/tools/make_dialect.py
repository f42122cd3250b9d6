"""Writes dialect.txt of a front: what the constants of MPI are in another library's binary interface.

    tools/make_dialect.py mpicc.mpich > ../front-mpich/dialect.txt
    tools/make_dialect.py mpicc.openmpi > ../front-openmpi/dialect.txt

The values are those that the library's compiler wrapper sees. The table, not this script, is the source of truth: fronts
serve all versions that have the library's name, so constants of newer versions are kept in it by hand.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).parents[2] / "abi/constants.txt"

HEAD = """\
# Constants of {title}. Made by tools/make_dialect.py of the crate front.
# A line "[int]" opens integers: NAME value. A line "[handles]" opens handles, of which names are in the MPI 5 ABI or "-":
{handles}
"""

MPICH_HANDLES = "# NAME value."
OPENMPI_HANDLES = "# NAME, the data symbol whose address the handle is, its size in bytes, and the handle in Fortran."


def main():
    compiler = sys.argv[1]
    integers, handles = names()
    values = evaluate(compiler, integers, "%d", lambda name: name)
    is_openmpi = "openmpi" in compiler
    print(HEAD.format(title=version(compiler), handles=OPENMPI_HANDLES if is_openmpi else MPICH_HANDLES))
    print("[int]")
    for name, value in values.items():
        print(name, value)
    print("\n[handles]")
    for line in openmpi_handles(compiler, handles) if is_openmpi else mpich_handles(compiler, handles):
        print(line)


def names():
    """The names of integer constants and of handles in the table of the MPI 5 ABI."""
    integers, handles, group = [], {}, None
    for line in TABLE.read_text().splitlines():
        opening = re.match(r"\[(.*?)\]", line)
        if opening:
            group = opening[1]
        elif line.startswith("MPI_") and group == "int":
            integers.append(line.split()[0])
        elif line.startswith("MPI_") and re.fullmatch(r"MPI_(?!T_|F08)\w+", group):
            if group not in ("MPI_Offset",):
                handles[line.split()[0]] = group
    return integers, handles


def mpich_handles(compiler, handles):
    values = evaluate(compiler, list(handles), "%#x", lambda name: f"(int)(long){name}")
    return [f"{name} {value}" for name, value in values.items()]


def openmpi_handles(compiler, handles):
    """Symbols from the header, sizes from the library, Fortran's numbers from a run."""
    include = Path(run(compiler, "--showme:incdirs").split()[0])
    defined = re.findall(r"#\s*define (MPI_\w+)\s+OMPI_PREDEFINED_GLOBAL\(\s*\w+,\s*(\w+)\)", (include / "mpi.h").read_text())
    sizes = symbol_sizes(Path(run(compiler, "--showme:libdirs").split()[0]) / "libmpi.so")
    known = {name: symbol for name, symbol in defined if name in handles}
    convert = {"MPI_Datatype": "MPI_Type_c2f"}
    numbers = evaluate(
        compiler, list(known), "%d", lambda name: f"{convert.get(handles[name], handles[name] + '_c2f')}({name})"
    )
    lines = [f"{name} {symbol} {sizes[symbol]} {numbers.get(name, -1)}" for name, symbol in known.items()]
    others = {symbol for name, symbol in defined if name not in handles and symbol in sizes} - set(known.values())
    return lines + [f"- {symbol} {sizes[symbol]} -1" for symbol in sorted(others)]


def symbol_sizes(library):
    rows = (line.split() for line in run("nm", "-DS", "--defined-only", str(library)).splitlines())
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4}


def evaluate(compiler, names, form, expression):
    """What a program prints for each name that the library knows."""
    names = list(names)
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "names.c", Path(folder) / "names"
        while True:
            prints = "".join(f'printf("{name} {form}\\n", {expression(name)});\n' for name in names)
            source.write_text(f"#include <mpi.h>\n#include <stdio.h>\nint main(void) {{ MPI_Init(0, 0);\n{prints}return MPI_Finalize(); }}\n")
            outcome = subprocess.run([compiler, "-w", "-o", program, source], capture_output=True, text=True)
            if outcome.returncode == 0:
                break
            unknown = set(re.findall(r"[‘'](\w+)[’'] undeclared", outcome.stderr))
            if not unknown:
                sys.exit(outcome.stderr)
            names = [name for name in names if name not in unknown]
        return dict(line.split() for line in run(str(program)).splitlines())


def version(compiler):
    text = run(compiler, "--showme:version") if "openmpi" in compiler else run(compiler, "-v")
    found = re.search(r"(Open MPI|for MPICH version) ([\d.]+)", text)
    return f"{'Open MPI' if 'openmpi' in compiler else 'MPICH'} {found[2]}"


def run(*command):
    outcome = subprocess.run(command, capture_output=True, text=True)
    return outcome.stdout + (outcome.stderr if outcome.returncode else "")


main()
