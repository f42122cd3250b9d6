#!/usr/bin/python3
"""Writes OTF2 archives with Debian's package `otf2` (libotf2), as Score-P would: a writer that mpirage knows nothing of. Run by
tests/traces/test_otf2.py.

usage: tests/traces/otf2/write.py FOLDER CASE"""

import sys

import _otf2
import otf2
from otf2.enums import CollectiveOp, GroupFlag, GroupType, MappingType, Paradigm, RegionRole

NO_ROOT = 0xFFFFFFFF
MS = 1_000_000  # ticks: nanoseconds
ROLES = {
    "MPI_Init": RegionRole.FUNCTION,
    "MPI_Comm_rank": RegionRole.FUNCTION,
    "MPI_Finalize": RegionRole.FUNCTION,
    "MPI_Send": RegionRole.POINT2POINT,
    "MPI_Recv": RegionRole.POINT2POINT,
    "MPI_Isend": RegionRole.POINT2POINT,
    "MPI_Irecv": RegionRole.POINT2POINT,
    "MPI_Waitall": RegionRole.POINT2POINT,
    "MPI_Sendrecv": RegionRole.POINT2POINT,
    "MPI_Bcast": RegionRole.COLL_ONE2ALL,
    "MPI_Reduce": RegionRole.COLL_ALL2ONE,
    "MPI_Allreduce": RegionRole.COLL_ALL2ALL,
    "MPI_Iallreduce": RegionRole.COLL_ALL2ALL,
    "MPI_Barrier": RegionRole.BARRIER,
    "MPI_Put": RegionRole.RMA,
}


class Archive:
    """Two ranks, and what Score-P defines for them."""

    def __init__(self, folder, resolution=1_000_000_000):
        self.trace = otf2.writer.Writer(folder, timer_resolution=resolution)
        define = self.define = self.trace.definitions
        root = define.system_tree_node("machine", class_name="machine")
        node = define.system_tree_node("node0", class_name="node", parent=root)
        groups = [define.location_group(f"MPI Rank {rank}", system_tree_parent=node) for rank in (0, 1)]
        # Numbers of locations are not ranks.
        self.locations = [define.location("Master thread", group=group) for group in reversed(groups)][::-1]
        self.ranks = [Rank(self, self.trace.event_writer_from_location(location)) for location in self.locations]
        self.regions = {name: define.region(name, source_file="", region_role=role, paradigm=Paradigm.MPI) for name, role in ROLES.items()}
        self.main = define.region("main", source_file="a.c", region_role=RegionRole.FUNCTION, paradigm=Paradigm.COMPILER)
        self.group("locations", GroupType.COMM_LOCATIONS, self.locations)
        self.world = define.comm("MPI_COMM_WORLD", group=self.group("world", GroupType.COMM_GROUP, self.locations))
        self.reversed = define.comm("reversed", group=self.group("reversed", GroupType.COMM_GROUP, self.locations[::-1]))

    def group(self, name, kind, members):
        return self.define.group(name, group_type=kind, paradigm=Paradigm.MPI, group_flags=GroupFlag.NONE, members=members)

    def close(self):
        self.trace.close()


class Rank:
    """Writes the events of a rank; `now` is its clock."""

    def __init__(self, archive, writer):
        self.archive, self.writer, self.now = archive, writer, 5 * MS

    def compute(self, ticks):
        self.now += ticks

    def call(self, name, took=1000, **events):
        """A function that takes some time, with events at its beginning and its end."""
        region = self.archive.regions[name]
        self.writer.enter(self.now, region)
        for event, arguments in events.items():
            if not event.endswith("_"):
                getattr(self.writer, event)(self.now, *arguments)
        self.now += took
        for event, arguments in events.items():
            if event.endswith("_"):
                for each in arguments:
                    getattr(self.writer, event[:-1])(self.now, *each)
        self.writer.leave(self.now, region)


def exchange(folder):
    """Everything that a replay reads."""
    archive = Archive(folder)
    world, reverse = archive.world, archive.reversed
    for me, rank in enumerate(archive.ranks):
        other = 1 - me
        rank.writer.enter(rank.now, archive.main)
        rank.compute(MS // 2)
        rank.call("MPI_Init", took=300 * MS)
        rank.compute((1 + me) * MS)
        rank.call("MPI_Comm_rank", took=MS // 2)
        if me == 0:
            rank.call("MPI_Send", mpi_send=(1, world, 7, 1000))
        else:
            rank.call("MPI_Recv", mpi_recv_=[(0, world, 7, 1000)])
        rank.compute(2 * MS)
        rank.call("MPI_Irecv", mpi_irecv_request=(41,))
        rank.call("MPI_Isend", mpi_isend=(other, world, 3, 500_000, 42))
        rank.compute(MS)
        rank.call("MPI_Waitall", mpi_irecv_=[(other, world, 3, 500_000, 41)], mpi_isend_complete_=[(42,)])
        # Both are too large to be eager: the send must not wait for the receive.
        rank.call("MPI_Sendrecv", mpi_send=(me, reverse, 9, 2_000_000), mpi_recv_=[(me, reverse, 9, 2_000_000)])
        rank.call("MPI_Bcast", mpi_collective_begin=(), mpi_collective_end_=[(CollectiveOp.BCAST, world, 1, 2 * 4096 if me == 1 else 0, 4096)])
        rank.call("MPI_Iallreduce", non_blocking_collective_request=(77,))
        rank.compute(MS)
        rank.call("MPI_Waitall", non_blocking_collective_complete_=[(CollectiveOp.ALLREDUCE, world, NO_ROOT, 2 * 800, 2 * 800, 77)])
        rank.call("MPI_Barrier", mpi_collective_begin=(), mpi_collective_end_=[(CollectiveOp.BARRIER, world, NO_ROOT, 0, 0)])
        rank.compute(MS)
        rank.call("MPI_Finalize", took=70 * MS)
        rank.writer.leave(rank.now, archive.main)
    archive.close()


def long(folder):
    """Many chunks of events."""
    archive = Archive(folder, resolution=2_000_000_000)
    for me, rank in enumerate(archive.ranks):
        rank.call("MPI_Init")
        for tag in range(40_000):
            rank.compute(2_000)
            if me == tag % 2:
                rank.call("MPI_Send", mpi_send=(1 - me, archive.world, tag, 100 + tag))
            else:
                rank.call("MPI_Recv", mpi_recv_=[(1 - me, archive.world, tag, 100 + tag)])
        rank.call("MPI_Finalize")
    archive.close()


def bare(folder):
    """No regions at all: only messages."""
    archive = Archive(folder)
    first, second = archive.ranks
    first.writer.mpi_send(first.now, 1, archive.world, 0, 64)
    second.writer.mpi_recv(second.now + 3 * MS, 0, archive.world, 0, 64)
    first.writer.mpi_recv(first.now + 4 * MS, 1, archive.world, 0, 64)
    second.writer.mpi_send(second.now + 4 * MS, 0, archive.world, 0, 64)
    archive.close()


def mapped(folder):
    """Numbers in the events of rank 0 are its own: its file of definitions maps them, as Score-P does."""
    archive = Archive(folder)
    rank, world, swapped = archive.ranks[0], archive.world, archive.reversed
    # In the file of rank 0, the numbers of both communicators are exchanged.
    rank.call("MPI_Send", mpi_send=(1, swapped, 5, 2_048))
    archive.ranks[1].compute(MS)
    archive.ranks[1].call("MPI_Recv", mpi_recv_=[(0, world, 5, 2_048)])
    writer = _otf2.Archive_GetDefWriter(archive.trace.handle, archive.locations[0]._ref)
    numbers = _otf2.IdMap_CreateFromUint64Array([1, 0], False)
    _otf2.DefWriter_WriteMappingTable(writer, MappingType.COMM, numbers)
    archive.close()


def one_sided(folder):
    """A window, which no replay knows."""
    archive = Archive(folder)
    window = archive.define.rma_win("window", comm=archive.world)
    for rank in archive.ranks:
        rank.call("MPI_Init")
        rank.call("MPI_Put", rma_put=(window, 0, 8, 1))
        rank.call("MPI_Finalize")
    archive.close()


def aborted(folder):
    """Ranks that never call MPI_Finalize."""
    archive = Archive(folder)
    for rank in archive.ranks:
        rank.call("MPI_Init")
        rank.call("MPI_Barrier", mpi_collective_begin=(), mpi_collective_end_=[(CollectiveOp.BARRIER, archive.world, NO_ROOT, 0, 0)])
    archive.close()


if __name__ == "__main__":
    {case.__name__: case for case in (exchange, long, bare, mapped, one_sided, aborted)}[sys.argv[2]](sys.argv[1])
