//! Jobs that are traces, beside programs.

use std::ops::Range;

use mpirage_call::{FIRST_MADE, Reply};
use mpirage_mpi::{Engine, Memory};
use mpirage_rank::ReplayedRanks;
use mpirage_trace::{Calls, Step, Workload};

use crate::failure::{Failure, bad_trace};
use crate::simulation::JobShape;

/// The traces of a run.
#[derive(Default)]
pub struct Traces {
    jobs: Vec<TraceJob>,
}

/// A job that is a trace.
pub struct TraceJob {
    /// Its ranks in the run.
    pub ranks: Range<u32>,
    /// Its calls.
    pub workload: Box<dyn Workload>,
    /// Its part of the simulation.
    pub shape: JobShape,
}

impl Traces {
    /// These traces, whose ranks follow those of programs.
    pub fn new(jobs: Vec<TraceJob>) -> Traces {
        Traces { jobs }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Their parts of the simulation.
    pub fn shapes(&self) -> impl Iterator<Item = JobShape> + '_ {
        self.jobs.iter().map(|job| job.shape)
    }

    /// Tells the engine which communicators exist from the start, and the traces how they are numbered.
    pub fn prepare<M: Memory>(&mut self, engine: &mut Engine<M>) -> Result<(), Failure> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        engine.distrust();
        for TraceJob { ranks, workload: trace, .. } in &mut self.jobs {
            trace.eager_limit(engine.eager_limit());
            let mut first = None;
            for (number, members) in trace.communicators().iter().enumerate() {
                let members: Vec<u32> = members.iter().map(|member| ranks.start + member).collect();
                let inside = members.iter().all(|member| ranks.contains(member));
                let made = if inside { engine.define_comm(&members) } else { None };
                let made = made.ok_or_else(|| {
                    bad_trace(format!(
                        "communicator {number} of the trace names a rank twice, or one that does not exist"
                    ))
                })?;
                first.get_or_insert(made);
            }
            trace.number_communicators_from(first.unwrap_or(FIRST_MADE));
        }
        Ok(())
    }

    /// The trace of a rank of the run, and the rank in it.
    pub fn of(&self, rank: u32) -> Option<(&dyn Workload, u32)> {
        let job = self.jobs.iter().find(|job| job.ranks.contains(&rank))?;
        Some((job.workload.as_ref(), rank - job.ranks.start))
    }
}

impl ReplayedRanks for Traces {
    fn jobs(&self) -> Vec<u32> {
        self.jobs.iter().map(|job| job.shape.size).collect()
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Vec<u64>) -> Result<bool, String> {
        let at = self.jobs.partition_point(|job| job.ranks.end <= rank);
        let TraceJob { ranks, workload: trace, .. } = &mut self.jobs[at];
        let step = trace.next(rank - ranks.start, reply, &mut Calls::new(calls));
        Ok(step.map_err(|error| error.to_string())? == Step::Ended)
    }
}
