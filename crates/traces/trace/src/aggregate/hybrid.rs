//! Computation from a fine trace, communication from a run of the program on the coarse grid: the hybrid of Keller Tesser et al. (2016).
//!
//! Both traces are cut into iterations by migration points. What a coarse rank computes in an iteration becomes what its box of fine ranks
//! computes in it: the bursts of the coarse trace keep their places and their proportions. Calls are left as they are, so any program
//! that can be traced can be aggregated like this.

use mpirage_call::{Call, Collective, ContextId, Method, Reply, Stamp, Work};
use mpirage_units::{Duration, counted};

use super::collect::Load;
use crate::{TraceError, TraceWriter, Workload};

/// The computation of each rank in each iteration.
pub(super) struct Profile {
    iterations: Vec<Vec<Load>>,
}

impl Profile {
    /// The profile of ranks that have done nothing yet.
    pub(super) fn new(ranks: u32) -> Profile {
        Profile { iterations: vec![vec![Load::default()]; ranks as usize] }
    }

    /// The profile of `ranks` boxes; `owner` says in which box a rank is.
    pub(super) fn of_boxes(&self, owner: &[u32], ranks: u32) -> Result<Profile, TraceError> {
        let mut boxes = vec![Vec::new(); ranks as usize];
        for (rank, loads) in self.iterations.iter().enumerate() {
            let sums: &mut Vec<Load> = &mut boxes[owner[rank] as usize];
            if sums.is_empty() {
                sums.resize(loads.len(), Load::default());
            }
            if sums.len() != loads.len() {
                return Err(TraceError::Spec(format!(
                    "rank {rank} reaches {} migration points, but its neighbours {}: all must reach equally many",
                    loads.len() - 1,
                    sums.len() - 1
                )));
            }
            sums.iter_mut().zip(loads).for_each(|(sum, load)| sum.add(*load));
        }
        Ok(Profile { iterations: boxes })
    }

    /// Refuses profiles that are not of the same iterations.
    fn check(&self, coarse: &Profile) -> Result<(), TraceError> {
        for (rank, (wanted, own)) in self.iterations.iter().zip(&coarse.iterations).enumerate() {
            if wanted.len() != own.len() {
                return Err(TraceError::Spec(format!(
                    "rank {rank} of the coarse grid reaches {} migration points, but the fine trace has {}: run the program with the same number of \
                     iterations on both grids",
                    own.len() - 1,
                    wanted.len() - 1
                )));
            }
        }
        Ok(())
    }
}

impl TraceWriter for Profile {
    fn computed(&mut self, rank: u32, work: Work) {
        if let Some(load) = self.iterations[rank as usize].last_mut() {
            load.add(Load::of(work));
        }
    }

    fn paused(&mut self, _: u32, _: Duration) {}

    fn called(&mut self, rank: u32, _: &Stamp, call: &Call<'_>, _: &Reply, _: Duration) {
        if matches!(call, Call::Migrate { .. }) {
            self.iterations[rank as usize].push(Load::default());
        }
    }

    fn stores_accesses(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Writes a trace with the computation of another.
pub(super) struct Grafted<'a> {
    writer: &'a mut dyn TraceWriter,
    wanted: Profile,
    own: Profile,
    /// The iteration in which each rank is.
    at: Vec<usize>,
}

impl<'a> Grafted<'a> {
    /// Ranks that compute `own` shall compute `wanted`.
    pub(super) fn new(
        writer: &'a mut dyn TraceWriter,
        wanted: Profile,
        own: Profile,
    ) -> Result<Grafted<'a>, TraceError> {
        wanted.check(&own)?;
        let at = vec![0; wanted.iterations.len()];
        Ok(Grafted { writer, wanted, own, at })
    }

    /// The load that a rank is to have in its current iteration, and its load in the trace.
    fn loads(&self, rank: u32) -> (Load, Load) {
        let (rank, at) = (rank as usize, self.at[rank as usize]);
        (self.wanted.iterations[rank][at], self.own.iterations[rank][at])
    }

    /// At the end of an iteration: writes the wanted kinds of work that the trace does not contain.
    fn end_iteration(&mut self, rank: u32) {
        let (wanted, own) = self.loads(rank);
        wanted.without_kinds_of(own).works().for_each(|work| self.writer.computed(rank, work));
    }
}

impl TraceWriter for Grafted<'_> {
    fn computed(&mut self, rank: u32, work: Work) {
        let (wanted, own) = self.loads(rank);
        let part = Load::of(work).scaled(wanted, own);
        part.works().for_each(|work| self.writer.computed(rank, work));
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        self.writer.paused(rank, span);
    }

    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        if matches!(call, Call::Migrate { .. } | Call::Finalize) {
            self.end_iteration(rank);
        }
        self.writer.called(rank, stamp, call, reply, span);
        self.at[rank as usize] += usize::from(matches!(call, Call::Migrate { .. }));
    }

    fn given_communicator(&mut self, context: ContextId, members: &[u32]) {
        self.writer.given_communicator(context, members);
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.writer.communicator(context, members);
    }

    fn scheduled(&mut self, rank: u32, context: ContextId, kind: Collective, method: Method) {
        self.writer.scheduled(rank, context, kind, method);
    }

    fn stores_accesses(&self) -> bool {
        self.writer.stores_accesses()
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.writer.finish()
    }
}

/// The number of ranks of a workload must be that of its grid.
pub(super) fn check_ranks(
    workload: &dyn Workload,
    ranks: u32,
    grid: &dyn std::fmt::Display,
) -> Result<(), TraceError> {
    if workload.ranks() == ranks {
        return Ok(());
    }
    Err(TraceError::Spec(format!(
        "the trace has {}, but a grid of {grid} has {ranks}",
        counted(workload.ranks(), "rank")
    )))
}
