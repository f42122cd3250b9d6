//! The receiver sees messages of a pair of ranks in the order in which they were sent.

use std::collections::BTreeMap;

use mpirage_call::RankId;
use rustc_hash::FxHashMap;

use crate::ids::MessageId;

/// The order of every pair that has sent something.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    numbers: FxHashMap<(RankId, RankId), u32>,
    pairs: Vec<Pair>,
}

#[derive(Debug, Default)]
struct Pair {
    sent: u32,
    seen: u32,
    /// Messages that came before earlier ones, by their places.
    early: BTreeMap<u32, MessageId>,
}

/// A message's place in the order: its pair, and how many messages of the pair come before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SequenceNumber {
    pair: u32,
    nth: u32,
}

impl SequenceNumber {
    /// The place of a message among all messages of the run, for matching that does not order each pair separately.
    pub(crate) fn of_run(turn: u64) -> SequenceNumber {
        SequenceNumber { pair: (turn >> 32) as u32, nth: turn as u32 }
    }

    /// The how-manyth of the run it is.
    pub(crate) fn turn(self) -> u64 {
        u64::from(self.pair) << 32 | u64::from(self.nth)
    }
}

impl Orders {
    /// The place of the next message between two ranks.
    pub(crate) fn next_place(&mut self, from: RankId, to: RankId) -> SequenceNumber {
        let Orders { numbers, pairs } = self;
        let pair = *numbers.entry((from, to)).or_insert_with(|| {
            pairs.push(Pair::default());
            pairs.len() as u32 - 1
        });
        let state = &mut pairs[pair as usize];
        state.sent += 1;
        SequenceNumber { pair, nth: state.sent - 1 }
    }

    /// A message has come. True if it is its turn; then [`Orders::next_early`] gives those whose turn is next.
    pub(crate) fn is_next(&mut self, place: SequenceNumber, message: MessageId) -> bool {
        let pair = &mut self.pairs[place.pair as usize];
        if place.nth == pair.seen {
            pair.seen += 1;
            return true;
        }
        pair.early.insert(place.nth, message);
        false
    }

    /// A message that came early and whose turn it is.
    pub(crate) fn next_early(&mut self, place: SequenceNumber) -> Option<MessageId> {
        let pair = &mut self.pairs[place.pair as usize];
        let next = pair.early.remove(&pair.seen)?;
        pair.seen += 1;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn early_messages_wait_for_their_turn() {
        let mut orders = Orders::default();
        let places = [0, 1, 2].map(|_| orders.next_place(RankId::new(3), RankId::new(4)));
        let other = orders.next_place(RankId::new(4), RankId::new(3));
        assert!(!orders.is_next(places[2], MessageId::new(12)));
        assert!(!orders.is_next(places[1], MessageId::new(11)));
        assert!(orders.is_next(other, MessageId::new(20)) && orders.next_early(other).is_none());
        assert!(orders.is_next(places[0], MessageId::new(10)));
        assert_eq!(
            [1, 2, 3].map(|_| orders.next_early(places[0])),
            [Some(MessageId::new(11)), Some(MessageId::new(12)), None]
        );
    }
}
