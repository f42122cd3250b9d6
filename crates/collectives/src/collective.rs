//! The collectives: their names, their algorithms, and who waits for whom.

use std::fmt;
use std::ops::Range;

use crate::algorithm::Algorithm;
use crate::algorithms::{
    allgather, allreduce, alltoall, barrier, bcast, gather, inter, neighbor, reduce, reduce_scatter, scan,
    scatter, simgrid,
};
use crate::method::{Entry, Method, Settings, Table};
use crate::peers::{Peers, Sides};
use crate::select::Choice;
use crate::shape::Shape;
use crate::step::Schedule;

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

/// Writes into `out`, which is emptied first, what rank `shape.rank` does.
///
/// # Panics
///
/// If the algorithm is not one of `collective.algorithms()`.
pub fn schedule(collective: Collective, method: impl Into<Method>, shape: &Shape, out: &mut Schedule) {
    schedule_part(collective, method, shape, 0..usize::MAX, out);
}

/// As [`schedule`], but keeps only the steps with a number in `part`, and says whether more follow.
///
/// A ring of P ranks takes 3 P steps on each: too many to hold at once when P is in the tens of
/// thousands. The algorithm runs again for each part, so parts should not be small.
pub fn schedule_part(
    collective: Collective,
    method: impl Into<Method>,
    shape: &Shape,
    part: Range<usize>,
    out: &mut Schedule,
) -> bool {
    out.clear_for(part);
    out.copy(collective.own_copy(&collective.normalized(shape)));
    if shape.size > 1 || collective.is_neighborhood() {
        collective.append(method.into(), shape, out);
    }
    out.goes_on()
}

impl Collective {
    /// The collective of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collective| collective.name() == name)
    }

    /// The algorithms it can be performed with.
    pub fn algorithms(self) -> impl Iterator<Item = Algorithm> {
        self.entries().map(|entry| entry.algorithm)
    }

    /// Whether `algorithm` can perform it.
    pub fn knows(self, algorithm: Algorithm) -> bool {
        self.entry(algorithm).is_some()
    }

    /// The parameters that `algorithm` reads when it performs this collective, with their defaults; none if it cannot.
    pub fn defaults(self, algorithm: Algorithm) -> Option<Settings> {
        self.entry(algorithm).map(|entry| entry.defaults)
    }

    /// Whether `algorithm` can perform a call of this shape: some want operations that commute, or certain numbers of ranks.
    pub fn fits(self, algorithm: Algorithm, shape: &Shape) -> bool {
        self.entry(algorithm).is_some_and(|entry| (entry.fits)(&self.normalized(shape)))
    }

    /// Appends what a rank does, but for the copy of its own contribution.
    pub(crate) fn append(self, method: Method, shape: &Shape, out: &mut Schedule) {
        let Method { algorithm, settings } = method;
        let entry = self.entry(algorithm).unwrap_or_else(|| panic!("{self} has no algorithm {algorithm}"));
        let parameters = settings.or(entry.defaults).parameters();
        (entry.build)(&self.normalized(shape).parameters(parameters), out);
    }

    /// Appends what a rank does in a collective that is a phase of another, by the default table.
    pub(crate) fn append_by_default(self, shape: &Shape, out: &mut Schedule) {
        out.copy(self.own_copy(&self.normalized(shape)));
        if shape.size > 1 {
            self.append(Choice::default().method(self, shape), shape, out);
        }
    }

    fn entry(self, algorithm: Algorithm) -> Option<&'static Entry> {
        self.entries().find(|entry| entry.algorithm == algorithm)
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
            // Where there is nothing to move, nobody has to wait.
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

    /// All algorithms, those of SimGrid's own last.
    fn entries(self) -> impl Iterator<Item = &'static Entry> {
        self.table().iter().chain(simgrid::table(self))
    }

    fn table(self) -> Table {
        match self {
            Barrier => barrier::ALGORITHMS,
            Bcast => bcast::ALGORITHMS,
            Gather => gather::ALGORITHMS,
            Gatherv => gather::VARYING,
            Scatter => scatter::ALGORITHMS,
            Scatterv => scatter::VARYING,
            Allgather | Allgatherv => allgather::ALGORITHMS,
            Alltoall => alltoall::ALGORITHMS,
            Alltoallv | Alltoallw => alltoall::VARYING,
            Reduce => reduce::ALGORITHMS,
            Allreduce => allreduce::ALGORITHMS,
            ReduceScatter | ReduceScatterBlock => reduce_scatter::ALGORITHMS,
            Scan => scan::INCLUSIVE,
            Exscan => scan::EXCLUSIVE,
            NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv
            | NeighborAlltoallw => neighbor::ALGORITHMS,
            InterBarrier => inter::BARRIER,
            InterBcast => inter::BCAST,
            InterGather => inter::GATHER,
            InterGatherv => inter::GATHERV,
            InterScatter => inter::SCATTER,
            InterScatterv => inter::SCATTERV,
            InterAllgather => inter::ALLGATHER,
            InterAllgatherv => inter::ALLGATHERV,
            InterAlltoall | InterAlltoallv | InterAlltoallw => inter::ALLTOALL,
            InterReduce => inter::REDUCE,
            InterAllreduce => inter::ALLREDUCE,
            InterReduceScatter | InterReduceScatterBlock => inter::REDUCE_SCATTER,
        }
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
        let senders = if shares { sharers() } else { shape.peers.senders(shape.rank, shape.size) };
        let receivers = shape.peers.receivers(shape.rank, shape.size);
        Shape {
            root: if self.is_rooted() { shape.root } else { 0 },
            element: if self.reduces() { shape.element } else { 1 },
            send_counts: read(sends, shape.send_counts, receivers),
            recv_counts: read(receives, shape.recv_counts, senders),
            ..*shape
        }
    }

    /// Bytes a rank moves from its own input to its own output, before anything else.
    fn own_copy(self, shape: &Shape) -> u64 {
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
