//! Tracks the chunks that have arrived, and decides when to send a SACK (RFC 9260, sections 6.2 and 6.7).

use std::collections::VecDeque;

use mpirage_units::{Duration, Time};

use super::header::{DataChunk, Gap, MOST_GAPS, Sack};
use super::lanes::Lanes;
use super::settings::SctpSettings;
use crate::endpoint::Lane;

/// The receiving side of an association.
#[derive(Debug)]
pub(super) struct Receiver {
    /// The lowest number of a chunk that has not arrived.
    expected: u64,
    /// The same in the last SACK.
    reported: u64,
    /// Runs of chunks above it: the first, and the one after the last.
    above: VecDeque<(u64, u64)>,
    lanes: Lanes,
    buffer: u64,
    acknowledgement: Acknowledgement,
    delay: Duration,
    every: u32,
}

/// The acknowledgement owed to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acknowledgement {
    None,
    /// So many packets have arrived; a SACK follows at this instant at the latest.
    Delayed(u32, Time),
    Due,
}

impl Receiver {
    pub fn new(settings: &SctpSettings) -> Receiver {
        Receiver {
            expected: 0,
            reported: 0,
            above: VecDeque::new(),
            lanes: Lanes::new(settings.lanes, settings.partial_delivery),
            buffer: settings.receive_buffer,
            acknowledgement: Acknowledgement::None,
            delay: settings.sack_delay,
            every: settings.sack_every,
        }
    }

    /// A packet with data has arrived.
    pub fn receive(&mut self, now: Time, chunks: &[DataChunk]) {
        let had_gap = !self.above.is_empty();
        let mut all_new = true;
        for chunk in chunks {
            all_new &= self.accept(chunk);
        }
        if had_gap || !self.above.is_empty() || !all_new {
            self.acknowledgement = Acknowledgement::Due;
        } else {
            self.count(now);
        }
    }

    /// Bytes that there is room for.
    pub fn window(&self) -> u32 {
        u32::try_from(self.buffer.saturating_sub(self.lanes.held())).unwrap_or(u32::MAX)
    }

    /// A stream with new bytes, and how many there are since the beginning.
    pub fn delivered(&mut self) -> Option<(Lane, u64)> {
        self.lanes.delivered()
    }

    /// Must a SACK be sent now?
    pub fn is_due(&self) -> bool {
        self.acknowledgement == Acknowledgement::Due
    }

    /// Is a SACK owed, now or later?
    pub fn is_owed(&self) -> bool {
        self.acknowledgement != Acknowledgement::None
    }

    /// When a SACK that is delayed must be sent.
    pub fn deadline(&self) -> Option<Time> {
        match self.acknowledgement {
            Acknowledgement::Delayed(_, deadline) => Some(deadline),
            _ => None,
        }
    }

    /// The time of a SACK that was delayed may have come.
    pub fn on_timeout(&mut self, now: Time) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.acknowledgement = Acknowledgement::Due;
        }
    }

    /// The content of a SACK sent now.
    pub fn sack(&self) -> Sack {
        let mut gaps = [Gap::default(); MOST_GAPS];
        for (gap, &(first, end)) in gaps.iter_mut().zip(&self.above) {
            // The format cannot report what is farther above.
            let (Ok(offset), count) = (u16::try_from(first - self.expected), end - first) else { break };
            *gap = Gap { offset, count: count.min(u64::from(u16::MAX - offset)) as u16 };
        }
        Sack { expected: self.expected, window: self.window(), gaps }
    }

    /// A SACK is sent. Returns the chunk that the one before expected.
    pub fn acknowledge(&mut self) -> u64 {
        self.acknowledgement = Acknowledgement::None;
        std::mem::replace(&mut self.reported, self.expected)
    }

    /// One more packet without a gap.
    fn count(&mut self, now: Time) {
        let (packets, deadline) = match self.acknowledgement {
            Acknowledgement::None => (1, now + self.delay),
            Acknowledgement::Delayed(packets, deadline) => (packets + 1, deadline),
            Acknowledgement::Due => return,
        };
        self.acknowledgement = if packets >= self.every {
            Acknowledgement::Due
        } else {
            Acknowledgement::Delayed(packets, deadline)
        };
    }

    /// Takes a chunk. Says whether it is new and there was room for it.
    fn accept(&mut self, chunk: &DataChunk) -> bool {
        // A chunk that fills a gap is taken in any case: it frees more than it needs.
        let is_highest = self.above.back().map_or(chunk.tsn >= self.expected, |&(_, end)| chunk.tsn >= end);
        if is_highest && !self.above.is_empty() && self.window() < u32::from(chunk.bytes) {
            return false;
        }
        let is_new = self.note(chunk.tsn);
        if is_new {
            self.lanes.arrive(chunk);
        }
        is_new
    }

    /// Notes the number of a chunk. Says whether it is new.
    fn note(&mut self, tsn: u64) -> bool {
        if tsn == self.expected {
            self.expected += 1;
            if let Some(&(first, end)) = self.above.front()
                && first == self.expected
            {
                self.expected = end;
                self.above.pop_front();
            }
            return true;
        }
        tsn > self.expected && self.note_above(tsn)
    }

    fn note_above(&mut self, tsn: u64) -> bool {
        let after = self.above.partition_point(|&(first, _)| first <= tsn);
        let before = after.checked_sub(1);
        if before.is_some_and(|index| tsn < self.above[index].1) {
            return false;
        }
        let joins_before = before.filter(|&index| self.above[index].1 == tsn);
        let joins_after = self.above.get(after).is_some_and(|&(first, _)| first == tsn + 1);
        match (joins_before, joins_after) {
            (Some(index), true) => {
                self.above[index].1 = self.above[after].1;
                self.above.remove(after);
            }
            (Some(index), false) => self.above[index].1 += 1,
            (None, true) => self.above[after].0 = tsn,
            (None, false) => self.above.insert(after, (tsn, tsn + 1)),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn receiver() -> Receiver {
        Receiver::new(&SctpSettings::default())
    }

    fn chunk(tsn: u64) -> DataChunk {
        DataChunk { tsn, message: tsn as u32, lane: Lane(0), bytes: 1, first: true, last: true }
    }

    #[test]
    fn a_gap_or_a_duplicate_is_reported_at_once() {
        let mut receiver = receiver();
        receiver.receive(Time::ZERO, &[chunk(0)]);
        assert!(receiver.is_owed() && !receiver.is_due());
        receiver.receive(Time::ZERO, &[chunk(2)]);
        assert!(receiver.is_due());
        let sack = receiver.sack();
        assert_eq!((sack.expected, sack.gaps[0]), (1, Gap { offset: 1, count: 1 }));
        receiver.acknowledge();
        receiver.receive(Time::ZERO, &[chunk(1)]);
        assert!(receiver.is_due(), "the gap is closed");
        receiver.acknowledge();
        receiver.receive(Time::ZERO, &[chunk(1)]);
        assert!(receiver.is_due(), "a duplicate");
        assert_eq!(receiver.sack().expected, 3);
    }

    proptest! {
        /// Reports say what a plain set of numbers says.
        #[test]
        fn reports_are_those_of_a_set(numbers in prop::collection::vec(0_u64..40, 1..120)) {
            let (mut receiver, mut set) = (receiver(), BTreeSet::new());
            for tsn in numbers {
                prop_assert_eq!(receiver.note(tsn), set.insert(tsn));
                let expected = (0..).find(|tsn| !set.contains(tsn)).unwrap();
                let sack = receiver.sack();
                prop_assert_eq!(sack.expected, expected);
                let reported: BTreeSet<u64> = sack
                    .gaps()
                    .flat_map(|gap| (0..u64::from(gap.count)).map(move |at| expected + u64::from(gap.offset) + at))
                    .collect();
                let above: BTreeSet<u64> = set.range(expected..).copied().collect();
                if sack.gaps().count() < MOST_GAPS {
                    prop_assert_eq!(reported, above);
                } else {
                    prop_assert!(reported.is_subset(&above));
                }
            }
        }
    }
}
