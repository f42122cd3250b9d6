"""The calls that conformance tests make: collectives × sizes × numbers of ranks × operators, counts and places.

A case is a line `ID RANKS COLLECTIVE ROOT BYTES ELEMENT OPERATOR COUNTS PLACE`; crates/collectives/examples/messages.rs explains the words."""

from dataclasses import dataclass

REDUCTIONS = ("reduce", "allreduce", "reduce-scatter", "reduce-scatter-block", "scan", "exscan")
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
PER_PAIR = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
COUNTED = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce-scatter")
BLOCKING = ("barrier", "bcast", *[name for name in ROOTED if name not in ("bcast", "reduce")], *PER_PAIR, *REDUCTIONS)
NEIGHBORHOOD = ("neighbor-allgather", "neighbor-allgatherv", "neighbor-alltoall", "neighbor-alltoallv", "neighbor-alltoallw")
COLLECTIVES = [prefix + name for prefix in ("", "i") for name in (*BLOCKING, *NEIGHBORHOOD)]
RANKS = (2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64)
LARGEST = 16 << 20
# Bytes that all ranks of a call may send from or receive into together.
MEMORY = 1 << 30


@dataclass(frozen=True)
class Case:
    """One call."""

    ranks: int
    collective: str
    root: int
    bytes: int
    element: int
    operator: str = "sum"
    counts: str = "equal"
    place: str = "apart"

    @property
    def blocking_name(self):
        return blocking(self.collective)

    def line(self, number):
        words = (self.ranks, self.collective, self.root, self.bytes, self.element, self.operator, self.counts, self.place)
        return " ".join(map(str, (number, *words)))

    def __str__(self):
        special = [word for word in (self.operator, self.counts, self.place) if word not in ("sum", "equal", "apart")]
        return " ".join([f"{self.collective} of {self.bytes} bytes, {self.ranks} ranks, root {self.root}", *special])


def blocking(name):
    """The name without the letter of non-blocking forms."""
    return name[1:] if name.startswith("i") else name


def sizes(full):
    """Powers of four; all powers of two and one byte less, if all thresholds are wanted."""
    powers = range(0, 25) if full else range(0, 25, 2)
    found = {1 << power for power in powers} | ({(1 << power) - 1 for power in powers} if full else set())
    return sorted(size for size in found if 0 < size <= LARGEST)


def memory(collective, ranks, size):
    """Bytes that all ranks send from or receive into, whichever is more."""
    name = blocking(collective)
    return size * ranks * (ranks if name in PER_PAIR or name.startswith("reduce-scatter") else 1)


def element_of(size):
    return 4 if size % 4 == 0 else 1


def variants(collective, ranks, size):
    """The plain call, then calls with another root, operator, place and counts."""
    name, element = blocking(collective), element_of(size)
    plain = Case(ranks, collective, 0, size, element)
    yield plain
    special = size.bit_count() == 1 and (size.bit_length() - 1) % 4 == 0  # a power of 16
    if name in REDUCTIONS and special:
        yield Case(ranks, collective, 0, size, element, operator="user")
    if name in REDUCTIONS:
        yield Case(ranks, collective, 0, size, element, operator="ordered")
    if name in ROOTED and special:
        yield Case(ranks, collective, ranks - 1, size, element)
        yield Case(ranks, collective, ranks // 2, size, element, operator="ordered" if name == "reduce" else "sum")
    if name in COUNTED:
        yield Case(ranks, collective, 0, size, element, counts="ragged")
    if name not in ("barrier", "bcast") and not name.startswith("neighbor") and special:
        yield Case(ranks, collective, 0, size, element, place="in-place")


def cases(collectives, ranks, full):
    """All calls, without those that need too much memory."""
    for count in ranks:
        for collective in collectives:
            lengths = [0] if blocking(collective) == "barrier" else [0, *sizes(full)]
            for size in lengths:
                if memory(collective, count, size) <= MEMORY:
                    yield from dict.fromkeys(variants(collective, count, size))
