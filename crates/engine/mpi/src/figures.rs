//! Counts that the engine keeps for each rank once a rank has asked ([`mpirage_call::Figure`]).

use mpirage_call::RankId;
use mpirage_record::MessageRecord;
use mpirage_units::Duration;

/// The counts of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankFigures {
    pub sent: Traffic,
    pub received: Traffic,
    pub computation: Duration,
}

/// Messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub messages: u64,
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// The counts of all ranks.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    ranks: Vec<RankFigures>,
}

impl Figures {
    /// Counts messages that have been delivered.
    pub(crate) fn messages(&mut self, messages: &[MessageRecord]) {
        for message in messages {
            self.rank_mut(message.from).sent.add(message.bytes);
            self.rank_mut(message.to).received.add(message.bytes);
        }
    }

    /// A rank computes this long.
    pub(crate) fn computes(&mut self, rank: RankId, span: Duration) {
        self.rank_mut(rank.get()).computation += span;
    }

    pub(crate) fn of(&self, rank: RankId) -> RankFigures {
        self.ranks.get(rank.index()).copied().unwrap_or_default()
    }

    fn rank_mut(&mut self, rank: u32) -> &mut RankFigures {
        let at = rank as usize;
        if self.ranks.len() <= at {
            self.ranks.resize(at + 1, RankFigures::default());
        }
        &mut self.ranks[at]
    }
}
