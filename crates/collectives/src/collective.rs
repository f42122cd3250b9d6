//! The collectives: their names, their algorithms, and who waits for whom.

use std::fmt;

use crate::member::Member;
use crate::peers::{Peers, Sides};
use crate::shape::Shape;

/// Generates the type, its names and the list of all from one table.
macro_rules! collectives {
    ($($variant:ident $name:literal)*) => {
        /// A collective operation of MPI, blocking or not. Traces store their numbers: new ones come last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names are those of the standard")]
        pub enum Collective {
            $($variant,)*
        }

        impl Collective {
            /// All of them.
            pub const ALL: [Collective; [$(Collective::$variant),*].len()] = [$(Collective::$variant),*];

            /// As it is written in options and reports.
            pub fn name(self) -> &'static str {
                match self { $(Collective::$variant => $name,)* }
            }
        }
    };
}

collectives! {
    Barrier "barrier"
    Bcast "bcast"
    Gather "gather"
    Gatherv "gatherv"
    Scatter "scatter"
    Scatterv "scatterv"
    Allgather "allgather"
    Allgatherv "allgatherv"
    Alltoall "alltoall"
    Alltoallv "alltoallv"
    Alltoallw "alltoallw"
    Reduce "reduce"
    Allreduce "allreduce"
    ReduceScatter "reduce-scatter"
    ReduceScatterBlock "reduce-scatter-block"
    Scan "scan"
    Exscan "exscan"
    NeighborAllgather "neighbor-allgather"
    NeighborAllgatherv "neighbor-allgatherv"
    NeighborAlltoall "neighbor-alltoall"
    NeighborAlltoallv "neighbor-alltoallv"
    NeighborAlltoallw "neighbor-alltoallw"
    InterBarrier "inter-barrier"
    InterBcast "inter-bcast"
    InterGather "inter-gather"
    InterGatherv "inter-gatherv"
    InterScatter "inter-scatter"
    InterScatterv "inter-scatterv"
    InterAllgather "inter-allgather"
    InterAllgatherv "inter-allgatherv"
    InterAlltoall "inter-alltoall"
    InterAlltoallv "inter-alltoallv"
    InterAlltoallw "inter-alltoallw"
    InterReduce "inter-reduce"
    InterAllreduce "inter-allreduce"
    InterReduceScatter "inter-reduce-scatter"
    InterReduceScatterBlock "inter-reduce-scatter-block"
}

use Collective::*;

/// Collectives within one group, and the same between the sides of an inter-communicator.
const ACROSS: [(Collective, Collective); 15] = [
    (Barrier, InterBarrier),
    (Bcast, InterBcast),
    (Gather, InterGather),
    (Gatherv, InterGatherv),
    (Scatter, InterScatter),
    (Scatterv, InterScatterv),
    (Allgather, InterAllgather),
    (Allgatherv, InterAllgatherv),
    (Alltoall, InterAlltoall),
    (Alltoallv, InterAlltoallv),
    (Alltoallw, InterAlltoallw),
    (Reduce, InterReduce),
    (Allreduce, InterAllreduce),
    (ReduceScatter, InterReduceScatter),
    (ReduceScatterBlock, InterReduceScatterBlock),
];

impl Collective {
    /// The collective of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collective| collective.name() == name)
    }

    /// Whether all ranks know how much is moved.
    pub(crate) fn sizes_are_known(self) -> bool {
        let differ =
            matches!(self, InterAllgather | InterAllgatherv | InterAlltoall) || self.is_neighborhood();
        !differ && !matches!(self.within(), Gatherv | Scatterv | Alltoallv | Alltoallw)
    }

    /// All blocks together; the vector where there are no blocks.
    pub(crate) fn total(self, shape: &Shape) -> u64 {
        match self {
            Barrier | Bcast | Reduce | Allreduce | Scan | Exscan => shape.bytes,
            InterBarrier | InterBcast | InterReduce | InterAllreduce => shape.bytes,
            // All blocks are those of the side that the root is not on.
            InterGather | InterScatter => shape.sides().map_or(0, |sides| {
                let side = if sides.other.contains(&shape.root) { sides.own } else { sides.other };
                side.len() as u64 * shape.bytes
            }),
            InterReduceScatter | InterReduceScatterBlock => shape.recv_counts.iter().sum(),
            _ => shape.blocks().all().bytes,
        }
    }

    /// Whether no rank can leave before the last one has entered, whatever the shape and the algorithm.
    pub fn synchronizes(self) -> bool {
        matches!(
            self,
            Barrier | Allgather | Allgatherv | Alltoall | Allreduce | ReduceScatter | ReduceScatterBlock
        )
    }

    /// Those of all ranks of a communicator.
    pub const OF_ALL_RANKS: [Collective; 17] = {
        let mut first = [Barrier; 17];
        let mut at = 0;
        while at < first.len() {
            first[at] = Self::ALL[at];
            at += 1;
        }
        first
    };

    /// Whether it is among the neighbours of a topology.
    pub fn is_neighborhood(self) -> bool {
        matches!(
            self,
            NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw
        )
    }

    /// The same within one group, of one between the sides of an inter-communicator.
    pub fn within(self) -> Collective {
        let pair = ACROSS.iter().find(|&&(_, across)| across == self);
        pair.map_or(self, |&(within, _)| within)
    }

    /// The same between the sides of an inter-communicator; scans have none.
    pub fn across(self) -> Option<Collective> {
        ACROSS.iter().find(|&&(within, _)| within == self).map(|&(_, across)| across)
    }

    /// Whether it is between the sides of an inter-communicator.
    pub fn is_across(self) -> bool {
        self.within() != self
    }

    /// Whether rank `shape.rank` can only leave after rank `other` has entered. Holds for every
    /// algorithm; a particular one may make ranks wait for more.
    pub fn waits_for(self, shape: &Shape, other: u32) -> bool {
        if let Peers::Neighbors { sources, .. } = shape.peers {
            return other == shape.rank || sources.contains(&other);
        }
        if let Some(sides) = shape.sides() {
            return other == shape.rank || sides.other.contains(&other) && self.hears(shape, &sides, other);
        }
        match self {
            _ if other == shape.rank => true,
            // In a call that moves no bytes, no rank waits for another.
            Barrier => true,
            _ if self.sizes_are_known() && self.total(&self.normalized(shape)) == 0 => false,
            _ if self.synchronizes() => true,
            Bcast | Scatter => other == shape.root,
            Scatterv => other == shape.root && shape.bytes > 0,
            Gather | Reduce => shape.is_root(),
            Gatherv => shape.is_root() && shape.received_from(other) > 0,
            Scan | Exscan => other < shape.rank,
            Alltoallv | Alltoallw => shape.received_from(other) > 0,
            _ => unreachable!("{self} synchronizes"),
        }
    }

    /// Whether a rank gets something of rank `other`, which is on the other side.
    fn hears(self, shape: &Shape, sides: &Sides, other: u32) -> bool {
        match self.within() {
            Bcast | Scatter | Scatterv => other == shape.root,
            Gather | Gatherv | Reduce => shape.is_root(),
            Alltoallv | Alltoallw => shape.received_from(other - sides.other.start) > 0,
            _ => true,
        }
    }

    /// Whether vectors are combined.
    pub fn reduces(self) -> bool {
        matches!(self.within(), Reduce | Allreduce | ReduceScatter | ReduceScatterBlock | Scan | Exscan)
    }

    /// Whether one rank has a part of its own.
    pub fn is_rooted(self) -> bool {
        matches!(self.within(), Bcast | Gather | Gatherv | Scatter | Scatterv | Reduce)
    }

    /// The shape without what this collective does not read, so that algorithms shared by a
    /// collective and its v-variant can tell them apart by the counts, and so that nothing depends
    /// on the element unless all ranks must name the same one.
    pub(crate) fn normalized<'a>(self, shape: &Shape<'a>) -> Shape<'a> {
        let (sends, receives) = match self {
            _ if self.is_neighborhood() => (true, true),
            InterGatherv if shape.is_root() => (false, true),
            InterScatterv if shape.is_root() => (true, false),
            InterAllgather | InterAllgatherv | InterReduceScatter | InterReduceScatterBlock => (false, true),
            InterAlltoall | InterAlltoallv | InterAlltoallw => (true, true),
            Gatherv if shape.is_root() => (false, true),
            Scatterv if shape.is_root() => (true, false),
            Allgatherv | ReduceScatter => (false, true),
            Alltoallv | Alltoallw => (true, true),
            _ => (false, false),
        };
        let read = |wanted: bool, counts: &'a [u64], peers: usize| {
            assert!(!wanted || counts.len() == peers, "{self} wants one count per peer");
            if wanted { counts } else { &[] }
        };
        // A share of a vector is that of a rank of the own side.
        let shares = matches!(self, InterReduceScatter | InterReduceScatterBlock);
        let sharers = || shape.sides().map_or(0, |sides| sides.own.len());
        let senders = if shares {
            sharers()
        } else {
            shape.peers.senders(Member { rank: shape.rank, size: shape.size })
        };
        let receivers = shape.peers.receivers(Member { rank: shape.rank, size: shape.size });
        Shape {
            root: if self.is_rooted() { shape.root } else { 0 },
            element: if self.reduces() { shape.element } else { 1 },
            send_counts: read(sends, shape.send_counts, receivers),
            recv_counts: read(receives, shape.recv_counts, senders),
            ..*shape
        }
    }

    /// Bytes a rank moves from its own input to its own output, before anything else.
    pub(crate) fn own_copy(self, shape: &Shape) -> u64 {
        match self {
            _ if shape.in_place || shape.peers != Peers::All => 0,
            Barrier | Bcast | Exscan => 0,
            Gather | Gatherv | Scatter | Scatterv | Reduce if !shape.is_root() => 0,
            Scatterv => shape.sent_to(shape.rank),
            _ => shape.received_from(shape.rank),
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
