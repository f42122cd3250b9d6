//! Messages of each stream, in order, without waiting for other streams (RFC 9260, sections 6.5 and 6.9).
//!
//! The fragments of a message have consecutive numbers, and messages of a stream are numbered. So a stream knows its next
//! chunk: the one after the last, or the first one of the next message.

use std::collections::VecDeque;

use super::header::DataChunk;
use crate::endpoint::Lane;

/// The receiving side of all streams.
#[derive(Debug)]
pub(super) struct Lanes {
    lanes: Vec<Incoming>,
    /// Streams that have something new for the application.
    ready: VecDeque<Lane>,
    /// Bytes that have arrived and wait for others.
    held: u64,
    /// From this many bytes on, messages are delivered in parts.
    partial_delivery: u64,
}

/// The receiving side of one stream.
#[derive(Debug, Default)]
struct Incoming {
    /// The message that is next or under way.
    message: u32,
    /// The number of its next chunk, if it is under way.
    next: Option<u64>,
    /// Bytes that have arrived in order; those of them that belong to complete messages; those that the application has.
    in_order: u64,
    complete: u64,
    delivered: u64,
    /// Is it in `ready`?
    is_ready: bool,
    /// Chunks beyond the next one, in the order of their numbers.
    waiting: VecDeque<DataChunk>,
}

impl Lanes {
    pub fn new(lanes: u16, partial_delivery: u64) -> Lanes {
        let lanes = (0..lanes).map(|_| Incoming::default()).collect();
        Lanes { lanes, ready: VecDeque::new(), held: 0, partial_delivery }
    }

    /// Bytes that have arrived and that the application does not have.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// A chunk has arrived, for the first time.
    pub fn arrive(&mut self, chunk: &DataChunk) {
        self.held += u64::from(chunk.bytes);
        let lane = &mut self.lanes[usize::from(chunk.lane.0)];
        lane.arrive(chunk);
        let in_parts = self.held > self.partial_delivery || lane.is_in_parts();
        let until = if in_parts { lane.in_order } else { lane.complete };
        self.deliver(chunk.lane, until);
    }

    /// A stream with new bytes, and how many there are since the beginning.
    pub fn delivered(&mut self) -> Option<(Lane, u64)> {
        let lane = self.ready.pop_front()?;
        let incoming = &mut self.lanes[usize::from(lane.0)];
        incoming.is_ready = false;
        Some((lane, incoming.delivered))
    }

    fn deliver(&mut self, id: Lane, until: u64) {
        let lane = &mut self.lanes[usize::from(id.0)];
        if until <= lane.delivered {
            return;
        }
        self.held -= until - lane.delivered;
        lane.delivered = until;
        if !lane.is_ready {
            lane.is_ready = true;
            self.ready.push_back(id);
        }
    }
}

impl Incoming {
    fn arrive(&mut self, chunk: &DataChunk) {
        if !self.is_next(chunk) {
            let place = self.waiting.partition_point(|other| other.tsn < chunk.tsn);
            self.waiting.insert(place, *chunk);
            return;
        }
        self.take(chunk);
        while let Some(&chunk) = self.waiting.front()
            && self.is_next(&chunk)
        {
            self.waiting.pop_front();
            self.take(&chunk);
        }
    }

    /// Does the application have a part of a message that is not complete?
    fn is_in_parts(&self) -> bool {
        self.delivered > self.complete
    }

    fn is_next(&self, chunk: &DataChunk) -> bool {
        match self.next {
            Some(tsn) => chunk.tsn == tsn,
            None => chunk.first && chunk.message == self.message,
        }
    }

    fn take(&mut self, chunk: &DataChunk) {
        self.in_order += u64::from(chunk.bytes);
        self.next = (!chunk.last).then_some(chunk.tsn + 1);
        if chunk.last {
            self.complete = self.in_order;
            self.message += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(tsn: u64, lane: u16, message: u32, ends: (bool, bool)) -> DataChunk {
        DataChunk { tsn, message, lane: Lane(lane), bytes: 100, first: ends.0, last: ends.1 }
    }

    const WHOLE: (bool, bool) = (true, true);

    #[test]
    fn a_stream_waits_for_its_own_messages_only() {
        let mut lanes = Lanes::new(2, 10_000);
        lanes.arrive(&chunk(1, 0, 1, WHOLE));
        assert_eq!(lanes.delivered(), None);
        lanes.arrive(&chunk(2, 1, 0, WHOLE));
        assert_eq!(lanes.delivered(), Some((Lane(1), 100)));
        lanes.arrive(&chunk(0, 0, 0, WHOLE));
        assert_eq!(lanes.delivered(), Some((Lane(0), 200)));
        assert_eq!((lanes.delivered(), lanes.held()), (None, 0));
    }

    #[test]
    fn a_message_is_delivered_when_it_is_complete() {
        let mut lanes = Lanes::new(1, 10_000);
        lanes.arrive(&chunk(2, 0, 0, (false, true)));
        lanes.arrive(&chunk(0, 0, 0, (true, false)));
        assert_eq!((lanes.delivered(), lanes.held()), (None, 200));
        lanes.arrive(&chunk(1, 0, 0, (false, false)));
        assert_eq!(lanes.delivered(), Some((Lane(0), 300)));
    }

    #[test]
    fn a_message_that_fills_the_buffer_is_delivered_in_parts() {
        let mut lanes = Lanes::new(1, 150);
        lanes.arrive(&chunk(0, 0, 0, (true, false)));
        assert_eq!(lanes.delivered(), None);
        lanes.arrive(&chunk(1, 0, 0, (false, false)));
        assert_eq!((lanes.delivered(), lanes.held()), (Some((Lane(0), 200)), 0));
        lanes.arrive(&chunk(2, 0, 0, (false, true)));
        assert_eq!(lanes.delivered(), Some((Lane(0), 300)), "the rest follows without a pause");
        lanes.arrive(&chunk(3, 0, 1, (true, false)));
        assert_eq!(lanes.delivered(), None, "the next message is a new one");
    }

    /// The chunks of messages, each of which is a lane and a number of chunks.
    fn chunks_of(messages: &[(u16, u8)]) -> Vec<DataChunk> {
        let (mut chunks, mut numbers) = (Vec::new(), [0; 3]);
        for &(lane, count) in messages {
            let number = &mut numbers[usize::from(lane)];
            for part in 0..count {
                let ends = (part == 0, part + 1 == count);
                chunks.push(chunk(chunks.len() as u64, lane, *number, ends));
            }
            *number += 1;
        }
        chunks
    }

    /// Bytes a lane must have delivered: its messages up to the first incomplete one.
    fn deliverable(lane: u16, chunks: &[DataChunk], arrived: &[bool]) -> u64 {
        let own = chunks.iter().zip(arrived).filter(|(chunk, _)| chunk.lane == Lane(lane));
        let (mut complete, mut bytes) = (0, 0);
        for (chunk, _) in own.take_while(|(_, arrived)| **arrived) {
            bytes += u64::from(chunk.bytes);
            complete = if chunk.last { bytes } else { complete };
        }
        complete
    }

    proptest! {
        /// After every chunk, in any order, each lane has delivered what it can, whatever other lanes wait for.
        #[test]
        fn lanes_do_not_wait_for_each_other(
            messages in prop::collection::vec((0_u16..3, 1_u8..5), 1..15),
            seed in any::<u64>(),
        ) {
            let chunks = chunks_of(&messages);
            let mut order: Vec<usize> = (0..chunks.len()).collect();
            order.sort_by_key(|index| (*index as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
            let (mut lanes, mut arrived) = (Lanes::new(3, u64::MAX), vec![false; chunks.len()]);
            let mut delivered = [0; 3];
            for index in order {
                arrived[index] = true;
                lanes.arrive(&chunks[index]);
                while let Some((lane, bytes)) = lanes.delivered() {
                    delivered[usize::from(lane.0)] = bytes;
                }
                let expected = [0, 1, 2].map(|lane| deliverable(lane, &chunks, &arrived));
                prop_assert_eq!(delivered, expected);
                let all: u64 = chunks.iter().zip(&arrived).map(|(chunk, arrived)| u64::from(chunk.bytes) * u64::from(*arrived)).sum();
                prop_assert_eq!(lanes.held(), all - delivered.iter().sum::<u64>());
            }
        }
    }
}
