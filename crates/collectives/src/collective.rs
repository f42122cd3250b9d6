//! The collectives: their names, their algorithms, and who waits for whom.

use std::fmt;
use std::ops::Range;

use crate::algorithm::Algorithm;
use crate::algorithms::{
    allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter, scan, scatter,
};
use crate::method::{Entry, Method, Settings, Table};
use crate::shape::Shape;
use crate::step::Schedule;

/// A collective operation of MPI, blocking or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of the standard")]
pub enum Collective {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    Reduce,
    Allreduce,
    ReduceScatter,
    ReduceScatterBlock,
    Scan,
    Exscan,
}

use Collective::*;

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
    if shape.size > 1 {
        collective.append(method.into(), shape, out);
    }
    out.goes_on()
}

impl Collective {
    /// All of them.
    pub const ALL: [Collective; 17] = [
        Barrier,
        Bcast,
        Gather,
        Gatherv,
        Scatter,
        Scatterv,
        Allgather,
        Allgatherv,
        Alltoall,
        Alltoallv,
        Alltoallw,
        Reduce,
        Allreduce,
        ReduceScatter,
        ReduceScatterBlock,
        Scan,
        Exscan,
    ];

    /// As it is written in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Barrier => "barrier",
            Bcast => "bcast",
            Gather => "gather",
            Gatherv => "gatherv",
            Scatter => "scatter",
            Scatterv => "scatterv",
            Allgather => "allgather",
            Allgatherv => "allgatherv",
            Alltoall => "alltoall",
            Alltoallv => "alltoallv",
            Alltoallw => "alltoallw",
            Reduce => "reduce",
            Allreduce => "allreduce",
            ReduceScatter => "reduce-scatter",
            ReduceScatterBlock => "reduce-scatter-block",
            Scan => "scan",
            Exscan => "exscan",
        }
    }

    /// The collective of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collective| collective.name() == name)
    }

    /// The algorithms it can be performed with.
    pub fn algorithms(self) -> impl ExactSizeIterator<Item = Algorithm> {
        self.table().iter().map(|entry| entry.algorithm)
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

    fn entry(self, algorithm: Algorithm) -> Option<&'static Entry> {
        self.table().iter().find(|entry| entry.algorithm == algorithm)
    }

    /// Whether all ranks know how much is moved.
    pub(crate) fn sizes_are_known(self) -> bool {
        !matches!(self, Gatherv | Scatterv | Alltoallv | Alltoallw)
    }

    /// All blocks together; the vector where there are no blocks.
    pub(crate) fn total(self, shape: &Shape) -> u64 {
        match self {
            Barrier | Bcast | Reduce | Allreduce | Scan | Exscan => shape.bytes,
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

    /// Whether rank `shape.rank` can only leave after rank `other` has entered. Holds for every
    /// algorithm; a particular one may make ranks wait for more.
    pub fn waits_for(self, shape: &Shape, other: u32) -> bool {
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

    /// Whether vectors are combined.
    pub fn reduces(self) -> bool {
        matches!(self, Reduce | Allreduce | ReduceScatter | ReduceScatterBlock | Scan | Exscan)
    }

    /// Whether one rank has a part of its own.
    pub fn is_rooted(self) -> bool {
        matches!(self, Bcast | Gather | Gatherv | Scatter | Scatterv | Reduce)
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
        }
    }

    /// The shape without what this collective does not read, so that algorithms shared by a
    /// collective and its v-variant can tell them apart by the counts, and so that nothing depends
    /// on the element unless all ranks must name the same one.
    pub(crate) fn normalized<'a>(self, shape: &Shape<'a>) -> Shape<'a> {
        let (sends, receives) = match self {
            Gatherv if shape.is_root() => (false, true),
            Scatterv if shape.is_root() => (true, false),
            Allgatherv | ReduceScatter => (false, true),
            Alltoallv | Alltoallw => (true, true),
            _ => (false, false),
        };
        let read = |wanted: bool, counts: &'a [u64]| {
            assert!(!wanted || counts.len() == shape.size as usize, "{self} wants one count per rank");
            if wanted { counts } else { &[] }
        };
        Shape {
            root: if self.is_rooted() { shape.root } else { 0 },
            element: if self.reduces() { shape.element } else { 1 },
            send_counts: read(sends, shape.send_counts),
            recv_counts: read(receives, shape.recv_counts),
            ..*shape
        }
    }

    /// Bytes a rank moves from its own input to its own output, before anything else.
    fn own_copy(self, shape: &Shape) -> u64 {
        match self {
            _ if shape.in_place => 0,
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
