//! Ranks move to other cores: what that means to the other parts.

use mpirage_call::{CollectiveCall, LineId, RankId, pack_text};

use super::calls::Calls;
use super::core::Core;
use super::task::Progress;
use super::wiring::Engine;
use crate::due::Due;
use crate::memory::Memory;
use crate::migration::{Balancing, MigrationHistory, Migrations};
use crate::ranks::line::Phase;

/// Why ranks cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalancingRefused {
    /// The processors of LogGOPS belong to ranks that stay where they are.
    #[error("ranks cannot move in a model with processors (LogGOPS)")]
    Processors,
    /// There is more than one job.
    #[error("ranks of several jobs cannot move")]
    SeveralJobs,
}

impl<M: Memory> Engine<M> {
    /// Ranks move like this, from the start of the run.
    pub fn balance(&mut self, plan: Balancing) -> Result<(), BalancingRefused> {
        if !self.calls.core.occupancy.is_none() {
            return Err(BalancingRefused::Processors);
        }
        if self.calls.core.jobs.count() > 1 {
            return Err(BalancingRefused::SeveralJobs);
        }
        self.calls.core.migrations = Some(Box::new(Migrations::new(plan)));
        self.calls.take_places();
        Ok(())
    }

    /// The history of ranks that may move.
    pub fn migration_history(&self) -> Option<MigrationHistory> {
        let core = &self.calls.core;
        core.migrations.as_ref().map(|migrations| migrations.history(core.now()))
    }

    /// The time for a decision is over: ranks set out.
    pub(super) fn decide_migrations(&mut self) {
        let core = &mut self.calls.core;
        let Some(migrations) = &mut core.migrations else { return };
        let migrants = match migrations.decide() {
            Ok(migrants) => migrants,
            Err(error) => return core.misuse(RankId::new(0), format!("load balancing: {error}")),
        };
        for migrant in &migrants {
            core.wire.start_migration(migrant.rank, (migrant.from, migrant.to), migrant.bytes);
        }
        if migrants.is_empty() {
            resume_all(core);
        }
    }

    /// The state of a rank has arrived.
    pub(super) fn migration_done(&mut self) {
        if self.calls.core.migrations.as_mut().is_some_and(|migrations| migrations.arrived()) {
            self.calls.take_places();
            resume_all(&mut self.calls.core);
        }
    }
}

impl<M: Memory> Calls<M> {
    /// Ranks compute and communicate from where they are now.
    fn take_places(&mut self) {
        let Some(migrations) = &self.core.migrations else { return };
        for (rank, place) in migrations.places().enumerate() {
            self.work.speeds.set(RankId::new(rank as u32), &place);
        }
        self.core.wire.set_hosts(migrations.places().map(|place| place.host).collect());
        self.core.collectives.forget_nodes();
    }
}

/// `AMPI_Migrate`: costs nothing, unless a decision is due.
pub(super) fn perform_migrate<M: Memory>(core: &mut Core<M>, line: LineId, state_bytes: u64) -> Progress {
    let rank = core.ranks.rank_of(line);
    let now = core.now();
    let Some(migrations) = &mut core.migrations else { return Progress::Done };
    if !migrations.calls(rank, state_bytes, now) {
        return Progress::Done;
    }
    core.enter_collective(line, &CollectiveCall::barrier());
    Progress::Blocked
}

/// A line leaves a blocking collective: it goes on, unless that was the barrier before a decision.
pub(super) fn leave_blocking<M: Memory>(core: &mut Core<M>, line: LineId) {
    let rank = core.ranks.rank_of(line);
    let Some(migrations) = core.migrations.as_mut() else { return core.make_ready(line) };
    if !migrations.leaves_barrier(rank) {
        return core.make_ready(line);
    }
    core.ranks.line_mut(line).phase = Phase::Migrating;
    if migrations.arrives(line) {
        core.wire.start_timer(migrations.decision(), Due::Decision);
    }
}

fn resume_all<M: Memory>(core: &mut Core<M>) {
    let Some(migrations) = core.migrations.as_mut() else { return };
    for line in migrations.release() {
        let state = core.ranks.line_mut(line);
        if let Some(name) = core.migrations.as_ref().and_then(|moved| moved.host_name(state.rank)) {
            (state.reply.number, state.reply.members) = (Some(name.len() as u64), pack_text(name));
        }
        core.make_ready(line);
    }
}
