"""Writes functions.txt, the table of C prototypes and of what their parameters mean, from the MPI standard's machine-readable list.

    python3 -m venv /tmp/mpi-standard && /tmp/mpi-standard/bin/pip install pympistandard==0.2.0
    /tmp/mpi-standard/bin/python tools/make_functions.py > functions.txt

The table, not this script, is the source of truth: run it again only for a new edition of the standard.
"""

import pympistandard

HEAD = """\
# Every function the library exports, one C prototype per line; each also exists with the prefix PMPI_.
# Made by tools/make_functions.py from PyPI's pympistandard (MPI 5.0); names and argument types are the standard's.
#
# The indented line below a prototype says what each parameter means, in their order: its direction (in, out, inout) and the
# standard's kind. An array has its length in brackets: a parameter, a constant, a number of elements per row ("n,3"),
# "peers" (ranks that a collective talks to), "sources" and "targets" (neighbours in a topology), or "*" (the standard says
# it in prose).
"""

# Removed in MPI-3.0; old programs still call them. Below each, the parameters of the function that replaced it.
REMOVED = """\
int MPI_Address(void *location, MPI_Aint *address)
    in buffer, out displacement
int MPI_Errhandler_create(MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler)
    in function, out errhandler
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
    in communicator, out errhandler
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
    in communicator, in errhandler
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
    in datatype, out displacement
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
    in polydtype_num_elem_nni, in polydtype_num_elem_nni[count], in displacement[count], in datatype, out datatype
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
    in polydtype_num_elem_nni, in polydtype_num_elem_nni, in displacement, in datatype, out datatype
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
    in datatype, out displacement
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype *newtype)
    in polydtype_num_elem_nni, in polydtype_num_elem_nni[count], in displacement[count], in datatype[count], out datatype
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
    in datatype, out displacement
"""

# Where the list departs from the standard. The partitioned pair got its int and large-count forms by an erratum,
# mpi-forum/mpi-issues#765.
CORRECTIONS = """\
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
    in argument_count, in argument_list, out info
int MPI_Pcontrol(const int level, ...)
    in profile_level
int MPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
    in buffer, in partition, in xfer_num_elem_nni, in datatype, in rank, in tag, in communicator, in info, out request
int MPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
    out buffer, in partition, in xfer_num_elem_nni, in datatype, in rank, in tag, in communicator, in info, out request
int MPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
    in buffer, in partition, in xfer_num_elem_nni, in datatype, in rank, in tag, in communicator, in info, out request
int MPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
    out buffer, in partition, in xfer_num_elem_nni, in datatype, in rank, in tag, in communicator, in info, out request
"""


# Lengths that the list leaves to prose.
LENGTHS = {
    ("MPI_Info_get_nthkey", "key"): "MPI_MAX_INFO_KEY",
    ("MPI_Comm_spawn", "array_of_errcodes"): "maxprocs",
}


def main():
    pympistandard.use_api_version(1, force_bundled=True)
    table = {}
    for procedure in pympistandard.all_iso_c_procedures():
        forms = [procedure.express.iso_c]
        if procedure.express.embiggen is not None:
            forms.append(procedure.express.embiggen.iso_c)
        table.update((form.name, entry(form)) for form in forms if form is not None)
    table.update(by_hand(CORRECTIONS))
    conversions = {function for function in table if is_conversion(function)}
    large = {function for function in table if function.endswith("_c")}
    sections = [
        section("The standard's functions", (table[f] for f in table.keys() - large - conversions)),
        section("Large counts", (table[f] for f in large)),
        section("Conversions between C and Fortran", (table[f] for f in conversions)),
        section("Removed in MPI-3.0", by_hand(REMOVED).values()),
    ]
    print("\n".join([HEAD, *sections]), end="")


def is_conversion(function):
    return any(function.endswith(end) for end in ("_c2f", "_f2c", "2f08", "f082c", "f082f"))


def by_hand(text):
    """The entries of a text of prototypes and lines of meanings, by name."""
    lines = text.splitlines()
    return {name(prototype): f"{prototype}\n{meaning}" for prototype, meaning in zip(lines[::2], lines[1::2])}


def entry(form):
    """One function: its prototype, and what its parameters mean."""
    meanings = [meaning(form, parameter) for parameter in form.parameters]
    return "\n    ".join([prototype(form), ", ".join(meanings)] if meanings else [prototype(form)])


def meaning(form, parameter):
    text = f"{parameter.direction.value.lower()} {parameter.kind.name.lower()}"
    # The list has lengths, but no way to ask for them.
    length = LENGTHS.get((form.name, parameter.name), parameter._parseset["length"])
    if length in (None, "") or is_scalar(parameter):
        return text
    return f"{text}[{known_length(form, parameter, length)}]"


def is_scalar(parameter):
    """Has it a length only because the standard counts what it points to otherwise?"""
    return parameter.kind.name in ("BUFFER", "C_BUFFER", "C_BUFFER2") or not any(sign in str(parameter) for sign in "*[")


def known_length(form, parameter, length):
    if isinstance(length, list):
        return ",".join(length)
    if length != "*":
        return length
    if parameter.kind.name == "STATUS":
        return "incount" if "some" in form.name else "count"
    if parameter.kind.name == "DATATYPE" and "lltoallw" in form.name:
        if "eighbor" not in form.name:
            return "peers"
        return "targets" if parameter.name.startswith("send") else "sources"
    return "*"


def prototype(form):
    """One C prototype; a star belongs to the argument's name."""
    arguments = ", ".join(str(argument) for argument in form.parameters) or "void"
    text = f"{form.return_type} {form.name}({arguments})"
    for stars in ("***", "**", "*"):
        text = text.replace(stars + " ", " " + stars)
    return text


def name(line):
    return line.split("(")[0].split()[-1]


def section(title, entries):
    return "\n".join([f"# {title}", *sorted(entries, key=lambda text: name(text).lower()), ""])


main()
