//! For each rank in a collective with a root: the last entry of a rank that its own part depends on.
//!
//! A rank that leaves a broadcast depends on the root and on the ranks between; the root of a reduction depends on all. Which ranks these are, the
//! messages of the algorithm say: whoever receives a message depends on what its sender depended on when it sent.

use mpirage_record::{MessageRecord, Scope};
use mpirage_units::Time;

/// When a rank came, on which another depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LateEntry {
    pub rank: u32,
    /// The time of its entry, in picoseconds.
    pub at: u64,
    /// Whether the bytes of the dependent rank waited for its receive.
    pub held: bool,
}

/// The collective that a rank is in, or was in last.
#[derive(Clone, Copy)]
struct Entry {
    /// Its number plus one; 0 is no collective.
    number: u64,
    entered: u64,
    late: LateEntry,
}

/// The entries of all ranks.
#[derive(Clone)]
pub(crate) struct Entries {
    of_ranks: Vec<Entry>,
}

impl Entries {
    pub fn new(ranks: usize) -> Entries {
        let none = Entry { number: 0, entered: 0, late: LateEntry { rank: 0, at: 0, held: false } };
        Entries { of_ranks: vec![none; ranks] }
    }

    /// A rank enters a collective.
    pub fn enter(&mut self, rank: u32, number: u64, at: Time) {
        let at = at.as_picos();
        let late = LateEntry { rank, at, held: false };
        self.of_ranks[rank as usize] = Entry { number: number + 1, entered: at, late };
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: &MessageRecord) {
        let Scope::Collective(number) = message.scope else { return };
        let &MessageRecord { from, to, held, .. } = message;
        if self.of_ranks[to as usize].number != number + 1 {
            return;
        }
        let receiver = self.seen(to, number, message.departed.as_picos(), true);
        let sender = self.seen(from, number, message.sent.as_picos(), false);
        self.depend(to, sender);
        if held && self.of_ranks[from as usize].number == number + 1 {
            self.depend(from, receiver);
        }
    }

    /// The last entry that a rank in a collective depends on, if another rank made it.
    pub fn late(&self, rank: u32, number: u64) -> Option<LateEntry> {
        let Entry { number: current, late, .. } = self.of_ranks[rank as usize];
        (current == number + 1 && late.rank != rank).then_some(late)
    }

    /// The last entry that a rank depended on at `time`.
    fn seen(&self, rank: u32, number: u64, time: u64, held: bool) -> LateEntry {
        let Entry { number: current, entered, late } = self.of_ranks[rank as usize];
        let (rank, at) = match current == number + 1 {
            true if late.at <= time => (late.rank, late.at),
            true => (rank, entered),
            // It has gone on to another collective.
            false => (rank, time),
        };
        LateEntry { rank, at, held }
    }

    fn depend(&mut self, rank: u32, on: LateEntry) {
        let late = &mut self.of_ranks[rank as usize].late;
        if on.at > late.at {
            *late = on;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inner_message;

    #[test]
    fn a_leaf_of_a_broadcast_depends_on_all_ranks_above_it() {
        let mut entries = Entries::new(4);
        for (rank, at) in [(0, 50), (1, 90), (2, 10), (3, 10)] {
            entries.enter(rank, 0, Time::from_picos(at));
        }
        entries.message(&inner_message((0, 1), (50, 100)));
        entries.message(&inner_message((0, 2), (60, 110)));
        entries.message(&inner_message((1, 3), (100, 150)));
        let late = |rank| entries.late(rank, 0).map(|late| (late.rank, late.at));
        assert_eq!([0, 1, 2, 3].map(late), [None, None, Some((0, 50)), Some((1, 90))]);
        assert_eq!(entries.late(2, 1), None);
    }

    #[test]
    fn bytes_that_wait_for_a_receive_depend_on_the_receiver() {
        let mut entries = Entries::new(2);
        entries.enter(0, 0, Time::from_picos(10));
        entries.enter(1, 0, Time::from_picos(70));
        let message = inner_message((0, 1), (10, 100));
        let departed = Time::from_picos(70);
        entries.message(&MessageRecord { held: true, departed, ..message });
        assert_eq!(entries.late(0, 0), Some(LateEntry { rank: 1, at: 70, held: true }));
        assert_eq!(entries.late(1, 0), None);
    }

    #[test]
    fn what_a_sender_learnt_later_does_not_count() {
        let mut entries = Entries::new(3);
        for (rank, at) in [(0, 10), (1, 20), (2, 80)] {
            entries.enter(rank, 0, Time::from_picos(at));
        }
        entries.message(&inner_message((2, 1), (80, 90)));
        entries.message(&inner_message((1, 0), (30, 95)));
        assert_eq!(entries.late(0, 0).map(|late| (late.rank, late.at)), Some((1, 20)));
    }
}
