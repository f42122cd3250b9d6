//! Processes that ranks start during the run (`MPI_Comm_spawn`).
//!
//! The run has room for them from the beginning: hosts, lines and queues. They are a job with a world of its own, and start now.

use mpirage_call::{LineId, RankId};

use super::core::Core;

/// Processes that one call has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawned {
    /// The first of them.
    pub first: RankId,
    /// How many there are.
    pub size: u32,
    /// The rank that started them.
    pub parent: RankId,
    /// The number of the parent's port at which they meet.
    pub port: u32,
    /// The command they execute, as the driver of ranks reads it.
    pub order: Box<str>,
}

impl Spawned {
    /// Is a rank one of them?
    fn contains(&self, rank: RankId) -> bool {
        (self.first.get()..self.first.get() + self.size).contains(&rank.get())
    }
}

/// All processes that ranks have started.
#[derive(Debug, Default)]
pub(super) struct Spawning {
    calls: Vec<Spawned>,
}

impl Spawning {
    /// Starts processes if there is room. The reply says which rank is the first.
    pub(super) fn start<M>(&mut self, core: &mut Core<M>, line: LineId, ranks: u32, port: u32, order: &str) {
        let room = core.ranks.count() as u32 - core.jobs.ranks();
        if ranks == 0 || ranks > room {
            return;
        }
        let first = core.jobs.add(ranks);
        core.collectives.add_world(first.get(), ranks);
        let all = first.get()..first.get() + ranks;
        all.for_each(|rank| core.turns.resume(LineId::first_of(RankId::new(rank))));
        let parent = core.ranks.rank_of(line);
        core.ranks.line_mut(line).reply.number = Some(first.get().into());
        self.calls.push(Spawned { first, size: ranks, parent, port, order: order.into() });
    }

    /// The processes that were started together with a rank.
    pub(super) fn of(&self, rank: RankId) -> Option<&Spawned> {
        self.calls.iter().find(|spawned| spawned.contains(rank))
    }
}
