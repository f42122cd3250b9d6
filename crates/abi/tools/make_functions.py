"""Writes functions.txt, the table of C prototypes, from the MPI standard's machine-readable list.

    python3 -m venv /tmp/mpi-standard && /tmp/mpi-standard/bin/pip install pympistandard==0.2.0
    /tmp/mpi-standard/bin/python tools/make_functions.py > functions.txt

The table, not this script, is the source of truth: run it again only for a new edition of the standard.
"""

import pympistandard

HEAD = """\
# Every function the library exports, one C prototype per line; each also exists with the prefix PMPI_.
# Made by tools/make_functions.py from PyPI's pympistandard (MPI 5.0); names and argument types are the standard's.
"""

# Removed in MPI-3.0; old programs still call them.
REMOVED = """\
int MPI_Address(void *location, MPI_Aint *address)
int MPI_Errhandler_create(MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler)
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype *newtype)
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
"""

# Where the list departs from the standard. The partitioned pair got its int and large-count forms by an erratum,
# mpi-forum/mpi-issues#765.
CORRECTIONS = """\
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
int MPI_Pcontrol(const int level, ...)
int MPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
int MPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
int MPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
int MPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
"""


def main():
    pympistandard.use_api_version(1, force_bundled=True)
    table = {}
    for procedure in pympistandard.all_iso_c_procedures():
        forms = [procedure.express.iso_c]
        if procedure.express.embiggen is not None:
            forms.append(procedure.express.embiggen.iso_c)
        table.update((form.name, prototype(form)) for form in forms if form is not None)
    table.update((name(line), line) for line in CORRECTIONS.splitlines())
    conversions = {function for function in table if is_conversion(function)}
    large = {function for function in table if function.endswith("_c")}
    sections = [
        section("The standard's functions", (table[f] for f in table.keys() - large - conversions)),
        section("Large counts", (table[f] for f in large)),
        section("Conversions between C and Fortran", (table[f] for f in conversions)),
        section("Removed in MPI-3.0", REMOVED.splitlines()),
    ]
    print("\n".join([HEAD, *sections]), end="")


def is_conversion(function):
    return any(function.endswith(end) for end in ("_c2f", "_f2c", "2f08", "f082c", "f082f"))


def prototype(form):
    """One C prototype; a star belongs to the argument's name."""
    arguments = ", ".join(str(argument) for argument in form.parameters) or "void"
    text = f"{form.return_type} {form.name}({arguments})"
    for stars in ("***", "**", "*"):
        text = text.replace(stars + " ", " " + stars)
    return text


def name(line):
    return line.split("(")[0].split()[-1]


def section(title, lines):
    return "\n".join([f"# {title}", *sorted(lines, key=lambda line: name(line).lower()), ""])


main()
