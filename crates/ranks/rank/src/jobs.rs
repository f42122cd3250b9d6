//! Several jobs in one run: programs beside each other, and traces that are replayed beside them.

use std::collections::BTreeMap;
use std::sync::Arc;

use mpirage_call::{LineId, RankId};
use mpirage_channel::WorldPlace;
use mpirage_mpi::{Ending, JobId, Turn};

use crate::program::Program;
use crate::replayed::ReplayedRanks;
use crate::running::Running;
use crate::session::{Outcome, SessionError};

impl Running<'_> {
    /// A rank is about to start with the run, in a world of `size` ranks from `first` on. Returns its program.
    pub(crate) fn prepare_first(&mut self, rank: RankId, first: RankId, size: u32) -> Arc<Program> {
        if self.session.jobs.len() > 1 {
            let world = WorldPlace { first: first.get(), ..WorldPlace::only(size) };
            self.simulation.ranks().brief(rank, size, world);
        }
        Arc::clone(&self.session.programs[rank.index()])
    }

    pub(crate) fn run_jobs(
        &mut self,
        replayed: &mut dyn ReplayedRanks,
    ) -> Result<Vec<Outcome>, SessionError> {
        let sizes = [self.session.jobs.clone(), replayed.jobs()].concat();
        let (mut failed, mut codes) = (BTreeMap::new(), BTreeMap::new());
        loop {
            let turn = self.simulation.advance();
            let fault = if self.simulation.ranks().has_fault() { self.fault() } else { None };
            let outcome = match turn {
                _ if fault.is_some() => fault,
                Turn::End => return Ok(self.outcomes(&sizes, failed, &codes)),
                Turn::Output(rank) => {
                    self.show(rank)?;
                    None
                }
                Turn::Release(line) => {
                    if !self.is_replayed(line) {
                        self.release(line);
                    }
                    None
                }
                Turn::Resume(line) if self.is_replayed(line) => {
                    self.replay(line, replayed)?;
                    None
                }
                Turn::Resume(line) => {
                    let outcome = self.resume(line)?;
                    let code = std::mem::take(&mut self.code);
                    if code != 0 {
                        let rank = self.simulation.ranks().rank_of(line);
                        codes.entry(job_of(&sizes, rank)).or_insert(code);
                    }
                    outcome
                }
            };
            if let Some(outcome) = outcome {
                let rank = failed_rank(&outcome);
                // `failed` keeps the rank's failure; the engine only has to end its job.
                self.simulation.end_job(rank, Ending::Aborted { rank: rank.get(), code: 1 });
                failed.entry(job_of(&sizes, rank)).or_insert(outcome);
            }
            self.look_around()?;
        }
    }

    fn is_replayed(&self, line: LineId) -> bool {
        line.index() >= self.session.programs.len() && line.index() < self.session.hosts.len()
    }

    fn replay(&mut self, line: LineId, replayed: &mut dyn ReplayedRanks) -> Result<(), SessionError> {
        let mut next = Ok(true);
        self.simulation.replay(line, |reply, calls| {
            next = replayed.next(line.get(), reply, calls);
            !matches!(next, Ok(false))
        });
        self.ended += usize::from(next.map_err(SessionError::Replayed)?);
        Ok(())
    }

    /// How each job has ended.
    fn outcomes(
        &self,
        sizes: &[u32],
        mut failed: BTreeMap<usize, Outcome>,
        codes: &BTreeMap<usize, i32>,
    ) -> Vec<Outcome> {
        let outcome = |job: usize| match failed.remove(&job) {
            Some(outcome) => outcome,
            None => {
                let code = codes.get(&job).copied().unwrap_or(0);
                Outcome::of(self.simulation.ending(JobId::new(job as u32)), code)
            }
        };
        (0..sizes.len()).map(outcome).collect()
    }
}

/// The job of a rank, if jobs have these sizes.
fn job_of(sizes: &[u32], rank: RankId) -> usize {
    let ends = sizes.iter().scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    ends.take_while(|&end| end <= rank.get()).count()
}

/// The rank for which a session cannot go on.
fn failed_rank(outcome: &Outcome) -> RankId {
    match *outcome {
        Outcome::Ended(Ending::Misuse { rank, .. })
        | Outcome::RankDied { rank, .. }
        | Outcome::RankHangs { rank, .. }
        | Outcome::Ended(Ending::Aborted { rank, .. }) => RankId::new(rank),
        _ => unreachable!("{outcome:?} is no failure of a rank"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_belong_to_jobs_in_order() {
        let jobs = [0, 1, 2, 3, 5].map(|rank| job_of(&[2, 1, 3], RankId::new(rank)));
        assert_eq!(jobs, [0, 0, 1, 2, 2]);
    }
}
