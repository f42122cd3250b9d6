//! Schedules: which algorithms perform a collective, and what each rank does then.

use std::ops::Range;

use mpirage_call::{
    Algorithm,
    Collective::{self, *},
    Method, Settings,
};

use crate::algorithms::{
    allgather, allreduce, alltoall, barrier, bcast, gather, inter, nccl, neighbor, reduce, reduce_scatter,
    scan, scatter, simgrid,
};
use crate::entry::{Entry, Table};
use crate::operation::Operation;
use crate::performed::{Appended, Performed};
use crate::select::{Choice, Selector};
use crate::shape::Shape;
use crate::shaped::Shaped;
use crate::step::Schedule;

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
    let method = method.into();
    // A kernel of NCCL stores its own contribution where it reads it to send it on.
    if shape.size == 1 || !method.algorithm.is_nccls() {
        out.copy(collective.own_copy(&collective.normalized(shape)));
    }
    if shape.size > 1 || collective.is_neighborhood() {
        collective.append(method, shape, out);
    }
    out.goes_on()
}

impl Performed for Collective {
    fn algorithms(self) -> impl Iterator<Item = Algorithm> {
        self.entries().map(|entry| entry.algorithm)
    }

    fn knows(self, algorithm: Algorithm) -> bool {
        self.entry(algorithm).is_some()
    }

    fn defaults(self, algorithm: Algorithm) -> Option<Settings> {
        self.entry(algorithm).map(|entry| entry.defaults)
    }

    fn fits(self, algorithm: Algorithm, shape: &Shape) -> bool {
        self.entry(algorithm).is_some_and(|entry| (entry.fits)(&self.normalized(shape)))
    }
}

impl Appended for Collective {
    fn append(self, method: Method, shape: &Shape, out: &mut Schedule) {
        let Method { algorithm, settings } = method;
        let entry = self.entry(algorithm).unwrap_or_else(|| panic!("{self} has no algorithm {algorithm}"));
        let parameters = settings.or(entry.defaults).parameters();
        (entry.build)(&self.normalized(shape).parameters(parameters), out);
    }

    fn append_by_default(self, shape: &Shape, out: &mut Schedule) {
        out.copy(self.own_copy(&self.normalized(shape)));
        if shape.size > 1 {
            self.append(Choice::default().method(self, shape), shape, out);
        }
    }

    fn entry(self, algorithm: Algorithm) -> Option<&'static Entry> {
        self.entries().find(|entry| entry.algorithm == algorithm)
    }

    fn append_part(self, shape: &Shape, out: &mut Schedule) {
        Operation::from(self).append_part(shape, out);
    }

    fn entries(self) -> impl Iterator<Item = &'static Entry> {
        self.table().iter().chain(nccl::table(self)).chain(simgrid::table(self))
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
}

impl Operation {
    /// As [`Collective::append_part`], also for the method of a non-blocking call.
    pub(crate) fn append_part(self, shape: &Shape, out: &mut Schedule) {
        let table = |name| Selector::named(name).expect("methods name tables that exist");
        let chosen = table(shape.parameters.parts).method(self, shape);
        let method = chosen.or_else(|| table("default").method(self, shape));
        self.collective.append(method.expect("the default table has a rule for every call"), shape, out);
    }
}
