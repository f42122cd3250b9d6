//! Algorithms that only SimGrid has, and its names for those that others have too.
//!
//! SimGrid 3.32 lets its users choose between some 120 algorithms by name (`--cfg=smpi/bcast:NTSL`). `--coll bcast=simgrid/NTSL`
//! takes the same one: the tables say which algorithm of ours that is. `tests/simgrid/collectives.py` compares the times.
//!
//! Where SimGrid's own code calls another collective (a barrier between rounds, a broadcast of the remainder), these schedules
//! contain the algorithm of SimGrid's default selection. `parts=simgrid-ompi` takes that of a table for the remainders of NTSL, NTSB and lr.

pub(crate) mod allgather;
pub(crate) mod allreduce;
pub(crate) mod bcast;
pub(crate) mod doubling;
pub(crate) mod exchange;
pub(crate) mod halving;
pub(crate) mod mesh;
pub(crate) mod nodes;
pub(crate) mod openmpi;
mod parts;
pub(crate) mod reduce;
pub(crate) mod reduce_scatter;
pub(crate) mod relay;
pub(crate) mod rooted;
pub(crate) mod scan;
mod tables;

use crate::shape::Shape;
use parts::Member;
pub(crate) use tables::{spelled, table};

/// Ranks in groups of equal size, as SimGrid's algorithms for several ranks per node see them: ranks that follow each other.
pub(crate) struct Groups {
    /// Ranks in each.
    pub size: u32,
    /// How many there are.
    pub count: u32,
    /// This rank's group.
    pub index: u32,
    /// This rank's place in it.
    pub position: u32,
}

impl Groups {
    /// One group per node if all nodes have the same number of ranks, otherwise one per rank.
    pub fn of(shape: &Shape) -> Groups {
        Self::uniform(shape).unwrap_or_else(|| Self::sized(shape, 1))
    }

    /// One group per node, if all nodes have the same number of ranks.
    pub fn uniform(shape: &Shape) -> Option<Groups> {
        let size = shape.nodes.map_or(1, |nodes| nodes.most_ranks());
        let nodes = shape.nodes.map_or(shape.size, |nodes| nodes.count());
        (size * nodes == shape.size).then(|| Self::sized(shape, size))
    }

    fn sized(shape: &Shape, size: u32) -> Groups {
        Groups { size, count: shape.size / size, index: shape.rank / size, position: shape.rank % size }
    }

    /// The first rank of this rank's group.
    pub fn first(&self) -> u32 {
        self.index * self.size
    }

    /// The first rank of each group.
    pub fn leaders(&self) -> Vec<u32> {
        (0..self.count).map(|group| group * self.size).collect()
    }

    /// The ranks of this rank's group.
    pub fn members(&self) -> Vec<u32> {
        (self.first()..self.first() + self.size).collect()
    }

    /// This rank among the ranks of its group.
    fn inside(&self) -> Member {
        Member { me: self.position, size: self.size }
    }

    /// The first rank of this rank's group among the first ranks of all groups.
    fn between(&self) -> Member {
        Member { me: self.index, size: self.count }
    }
}
