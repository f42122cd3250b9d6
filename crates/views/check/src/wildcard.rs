//! Wildcard receives and probes of a run.

use mpirage_interpret::comms::Comms;
use mpirage_units::Time;

use crate::messages::{Channel, Pattern};
use crate::raw::CallSite;

/// A wildcard receive whose source was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The rank that receives.
    pub rank: u32,
    /// The number of the wildcard receive or probe, counted per rank.
    pub wildcard: u32,
}

/// The end of a receive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// The position in the log of the rank.
    pub at: usize,
    /// The rank of `MPI_COMM_WORLD` whose message it got.
    pub from: u32,
}

/// A rank whose message a receive could have got, and the receives that must get theirs first.
pub(crate) struct OtherSource<'w> {
    pub rank: u32,
    pub beside: Vec<&'w Wildcard>,
}

impl OtherSource<'_> {
    /// The receives that must get their messages first, and their sources.
    pub(crate) fn sources(&self, comms: &Comms) -> Option<Vec<(u32, u32)>> {
        let source =
            |one: &&Wildcard| Some((one.number, comms.rank_of(one.pattern.context, one.ended?.from)?));
        self.beside.iter().map(source).collect()
    }
}

/// A wildcard receive or probe.
pub(crate) struct Wildcard {
    pub rank: u32,
    /// The number of the wildcard receive, counted per rank.
    pub number: u32,
    /// Where in the log it was posted.
    pub at: usize,
    pub posted: Time,
    /// None if it has got no message.
    pub ended: Option<Ended>,
    pub pattern: Pattern,
    pub call: CallSite,
}

impl Wildcard {
    pub(crate) fn accepts(&self, channel: &Channel) -> bool {
        // No wildcard takes messages of the library itself, whose tags are negative.
        channel.to == self.rank
            && channel.context == self.pattern.context
            && self.pattern.tag.map_or(channel.tag >= 0, |tag| tag == channel.tag)
    }

    /// The order in which choices are made: a receive that is posted later changes nothing for an earlier one of its rank.
    pub(crate) fn order(&self) -> (Time, u32, u32) {
        (self.posted, self.rank, self.number)
    }

    pub(crate) fn is_among(&self, decided: &[Decided]) -> bool {
        decided.contains(&Decided { rank: self.rank, wildcard: self.number })
    }

    /// Was it posted before another receive of its rank, and had not ended then?
    pub(crate) fn waits_beside(&self, other: &Wildcard) -> bool {
        self.rank == other.rank && self.at < other.at && self.ended.is_none_or(|ended| ended.at > other.at)
    }
}
