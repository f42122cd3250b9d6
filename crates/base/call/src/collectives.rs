//! Words about collectives that all crates share: their names, their algorithms and parameters, and who takes part.

use std::fmt;

mod algorithm;
mod member;
mod method;
mod parameters;
mod peers;

pub use algorithm::Algorithm;
pub use member::Member;
pub use method::{Method, MethodError};
pub use parameters::{Parameters, SendStyle, Settings, WireProtocol};
pub use peers::{BESIDE_ROOT, OTHER_SIDE, Peers, Sides};

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

    /// Whether vectors are combined.
    pub fn reduces(self) -> bool {
        matches!(self.within(), Reduce | Allreduce | ReduceScatter | ReduceScatterBlock | Scan | Exscan)
    }

    /// Whether one rank has a part of its own.
    pub fn is_rooted(self) -> bool {
        matches!(self.within(), Bcast | Gather | Gatherv | Scatter | Scatterv | Reduce)
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
