//! Sessions that ranks have opened and not finalized yet.

use mpirage_call::RankId;

use crate::origin::Origin;

/// The open sessions of all ranks, in the order in which they were opened. Few programs have any.
#[derive(Debug, Default)]
pub(crate) struct OpenSessions(Vec<OpenSession>);

#[derive(Debug)]
struct OpenSession {
    rank: RankId,
    number: u64,
    origin: Origin,
}

impl OpenSessions {
    /// A rank has opened a session.
    pub(crate) fn open(&mut self, rank: RankId, number: u64, origin: Origin) {
        self.0.push(OpenSession { rank, number, origin });
    }

    /// A rank has finalized a session.
    pub(crate) fn close(&mut self, rank: RankId, number: u64) {
        self.0.retain(|open| (open.rank, open.number) != (rank, number));
    }

    /// Where a rank has opened the sessions that it has not finalized.
    pub(crate) fn of(&self, rank: RankId) -> impl Iterator<Item = Origin> + '_ {
        self.0.iter().filter(move |open| open.rank == rank).map(|open| open.origin)
    }
}
