//! Finds the calls that sent and received a message.
//!
//! Records do not say which calls and messages belong together. A message belongs to the first send of its sender to its receiver, in its
//! communicator, with its tag and size, that has no message yet. It also belongs to the first call of its receiver, after the delivery, that
//! completes a message from that rank with that tag and size. If several match, they are taken in order.

use mpirage_call::{Completion, ContextId};
use mpirage_record::MessageRecord;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Deliveries that are remembered, twice over, until a call completes them. Receives of freed requests are never completed by a call.
const MOST_DELIVERED: usize = 1 << 20;

/// Messages between the calls that send and receive them. Each has a number from 1 on.
pub(crate) struct Flows {
    last: u64,
    /// Sends whose message has not been recorded yet.
    called: Waiting<Sending>,
    /// Messages whose send has not been recorded yet.
    moved: Waiting<Sending>,
    delivered: Waiting<Arrival>,
    delivered_before: Waiting<Arrival>,
    most_delivered: usize,
}

type Waiting<Key> = FxHashMap<Key, SmallVec<[u64; 1]>>;

/// The key by which a message and its send find each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Sending {
    pub from: u32,
    pub to: u32,
    pub tag: i32,
    pub context: ContextId,
    pub bytes: u64,
}

/// The key by which a message and the answer to its receive find each other; the source is a rank of the communicator.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Arrival {
    to: u32,
    source: u32,
    tag: i32,
    bytes: u64,
}

impl Flows {
    pub fn new() -> Flows {
        Flows {
            last: 0,
            called: Waiting::default(),
            moved: Waiting::default(),
            delivered: Waiting::default(),
            delivered_before: Waiting::default(),
            most_delivered: MOST_DELIVERED,
        }
    }

    /// A number for a message of which the caller knows both ends.
    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The number of the message that a call sends.
    pub fn send(&mut self, send: Sending) -> u64 {
        take(&mut self.moved, &send).unwrap_or_else(|| {
            self.last += 1;
            self.called.entry(send).or_default().push(self.last);
            self.last
        })
    }

    /// A message was delivered; `source` is its sender's rank in the communicator.
    pub fn deliver(&mut self, message: &MessageRecord, context: ContextId, source: u32) {
        let &MessageRecord { from, to, tag, bytes, .. } = message;
        let send = Sending { from, to, tag, context, bytes };
        let number = take(&mut self.called, &send).unwrap_or_else(|| {
            self.last += 1;
            self.moved.entry(send).or_default().push(self.last);
            self.last
        });
        if self.delivered.len() >= self.most_delivered {
            self.delivered_before = std::mem::take(&mut self.delivered);
        }
        self.delivered.entry(Arrival { to, source, tag, bytes }).or_default().push(number);
    }

    /// The number of the message that a call of rank `to` completes, if it is known.
    pub fn receive(&mut self, to: u32, completion: &Completion) -> Option<u64> {
        let source = u32::try_from(completion.source).ok()?;
        let arrival = Arrival { to, source, tag: completion.tag, bytes: completion.bytes };
        take(&mut self.delivered_before, &arrival).or_else(|| take(&mut self.delivered, &arrival))
    }
}

fn take<Key: Eq + std::hash::Hash>(waiting: &mut Waiting<Key>, key: &Key) -> Option<u64> {
    let numbers = waiting.get_mut(key)?;
    let first = numbers.remove(0);
    if numbers.is_empty() {
        waiting.remove(key);
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    fn send(bytes: u64) -> Sending {
        Sending { from: 0, to: 1, tag: 7, context: ContextId::new(0), bytes }
    }

    fn came(bytes: u64) -> Completion {
        Completion { source: 0, tag: 7, bytes, ..Completion::empty(0) }
    }

    #[test]
    fn calls_and_messages_are_matched_in_either_order() {
        let mut flows = Flows::new();
        let eager = flows.send(send(8));
        flows.deliver(&message((0, 1), 8, (10, 20)), ContextId::new(0), 0);
        assert_eq!(flows.receive(1, &came(8)), Some(eager));
        // A rendezvous: the message is delivered before the send returns.
        flows.deliver(&message((0, 1), 8, (30, 40)), ContextId::new(0), 0);
        let rendezvous = flows.send(send(8));
        assert_eq!(flows.receive(1, &came(8)), Some(rendezvous));
        assert_ne!(eager, rendezvous);
        assert_eq!(flows.receive(1, &came(8)), None);
        assert!(flows.called.is_empty() && flows.moved.is_empty() && flows.delivered.is_empty());
    }

    #[test]
    fn equal_messages_are_taken_in_order() {
        let mut flows = Flows::new();
        // Overheads part a send from the time at which its message leaves.
        let numbers = [flows.send(send(10)), flows.send(send(10)), flows.send(send(11))];
        for (bytes, sent) in [(11, 17), (10, 12), (10, 14)] {
            flows.deliver(&message((0, 1), bytes, (sent, 20)), ContextId::new(0), 0);
        }
        assert_eq!([10, 10, 11].map(|bytes| flows.receive(1, &came(bytes)).unwrap()), numbers);
    }

    #[test]
    fn deliveries_without_a_call_do_not_pile_up() {
        let mut flows = Flows { most_delivered: 10, ..Flows::new() };
        for bytes in 0..1_000 {
            flows.send(send(bytes));
            flows.deliver(&message((0, 1), bytes, (bytes, bytes)), ContextId::new(0), 0);
        }
        assert!(flows.delivered.len() + flows.delivered_before.len() <= 20);
        assert_eq!(flows.receive(1, &came(3)), None);
        assert_eq!(flows.receive(1, &came(995)), Some(996));
    }
}
