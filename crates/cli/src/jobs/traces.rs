//! Jobs that are traces, beside programs.

use std::ops::Range;

use mpirage_call::{FIRST_MADE, Reply};
use mpirage_mpi::{Engine, Memory};
use mpirage_rank::ReplayedRanks;
use mpirage_trace::{Calls, Step, Workload};

use super::plan::Job;
use crate::exit::{Failure, bad_trace};

/// The traces of a run.
pub struct Traces {
    jobs: Vec<(Range<u32>, Box<dyn Workload>)>,
}

impl Traces {
    /// Takes the traces of the jobs.
    pub fn take(jobs: &mut [Job]) -> Traces {
        let taken = jobs.iter_mut().filter_map(|job| Some((job.ranks.clone(), job.trace.take()?)));
        Traces { jobs: taken.collect() }
    }

    /// Tells the engine which communicators exist from the start, and the traces how they are numbered.
    pub fn prepare<M: Memory>(&mut self, engine: &mut Engine<M>) -> Result<(), Failure> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        engine.distrust();
        for (ranks, trace) in &mut self.jobs {
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
        let (ranks, trace) = self.jobs.iter().find(|(ranks, _)| ranks.contains(&rank))?;
        Some((trace.as_ref(), rank - ranks.start))
    }
}

impl ReplayedRanks for Traces {
    fn jobs(&self) -> Vec<u32> {
        self.jobs.iter().map(|(ranks, _)| ranks.end - ranks.start).collect()
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Vec<u64>) -> Result<bool, String> {
        let at = self.jobs.partition_point(|(ranks, _)| ranks.end <= rank);
        let (ranks, trace) = &mut self.jobs[at];
        let step = trace.next(rank - ranks.start, reply, &mut Calls::new(calls));
        Ok(step.map_err(|error| error.to_string())? == Step::Ended)
    }
}
