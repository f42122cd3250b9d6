"""The calls that conformance tests make: collectives × sizes × numbers of ranks × operators, counts and places.

A case is a line `ID RANKS COLLECTIVE ROOT BYTES ELEMENT OPERATOR COUNTS PLACE`; crates/engine/collectives/examples/messages.rs explains the words."""

from dataclasses import dataclass

REDUCTIONS = ("reduce", "allreduce", "reduce-scatter", "reduce-scatter-block", "scan", "exscan")
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
PER_PAIR = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
COUNTED = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce-scatter")
BLOCKING = ("barrier", "bcast", *[name for name in ROOTED if name not in ("bcast", "reduce")], *PER_PAIR, *REDUCTIONS)
NEIGHBORHOOD = ("neighbor-allgather", "neighbor-allgatherv", "neighbor-alltoall", "neighbor-alltoallv", "neighbor-alltoallw")
COLLECTIVES = [prefix + name for prefix in ("", "i") for name in BLOCKING]
RANKS = (2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64)
LARGEST = 16 << 20
# Bytes that all ranks of a call may send from or receive into together, of a few cases and of all.
MEMORY = {False: 64 << 20, True: 256 << 20}
# Sizes around which non-blocking collectives of the libraries change.
THRESHOLDS = (1 << 12, 1 << 13, 1 << 16, 1 << 17, 1 << 19)


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


def sizes(collective, full):
    """Powers of four. If all thresholds are wanted: those of two and one byte less, since all thresholds of blocking collectives are such;
    fewer of non-blocking and neighbourhood collectives."""
    found = {1 << power for power in range(0, 25, 2)}
    if full and collective in BLOCKING:
        found = {1 << power for power in range(0, 25)}
        found |= {size - 1 for size in found}
    elif full:
        found |= {size for threshold in THRESHOLDS for size in (threshold - 1, threshold)}
    return sorted(size for size in found if 0 < size <= LARGEST)


def memory(collective, ranks, size):
    """Bytes that all ranks send from or receive into, whichever is more."""
    name = blocking(collective)
    return size * ranks * (ranks if name in PER_PAIR or name.startswith("reduce-scatter") else 1)


def element_of(name, size):
    """Reductions combine numbers of four bytes where they can. Other collectives move bytes: ranks may name different types for the same
    data there, so schedules do not depend on the type."""
    return 4 if name in REDUCTIONS and size % 4 == 0 else 1


def variants(collective, ranks, size):
    """The plain call, then calls with another root, operator, place and counts."""
    name = blocking(collective)
    element = element_of(name, size)
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
            lengths = [0] if blocking(collective) == "barrier" else [0, *sizes(collective, full)]
            for size in lengths:
                if memory(collective, count, size) <= MEMORY[full]:
                    yield from dict.fromkeys(variants(collective, count, size))
