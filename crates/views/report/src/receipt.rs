//! Receipts of ranks: messages, and notices that a send they waited for has completed.

use mpirage_call::varint;
use mpirage_record::{MessageRecord, Scope};

use crate::columns::Numbers;
use crate::container::Container;
use crate::log::{Clock, Encode, EncodedLog, Event, EventLog, nanos};
use crate::ranks::RankAmong;

/// A message delivered to a rank, or the notice that a send the rank waited for has completed. Times are in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MessageReceipt {
    /// From the delivery of the previous message to the delivery of this one.
    since_previous: u64,
    /// From its send to its delivery.
    pub duration: u64,
    /// From its send until its bytes started to move.
    pub until_departure: u64,
    /// From the arrival of its bytes to its delivery.
    pub after_arrival: u64,
    pub bytes: u64,
    /// How the other rank follows from this one.
    peer: u32,
    tag: i32,
    /// Whether `peer` is the bits in which the two ranks differ. Otherwise it is their distance, modulo the number of ranks.
    peer_is_mask: bool,
    /// Whether it is a part of a collective.
    pub in_collective: bool,
    /// Whether it is the notice for the sender.
    pub is_send: bool,
    /// Whether its bytes could start to move only when the receiver had posted its receive.
    pub waited_for_receiver: bool,
}

impl MessageReceipt {
    /// A message as its receiver sees it, or its sender if `is_send`. The other rank is still missing.
    #[inline]
    pub fn new(message: &MessageRecord, previous_delivery: u64, is_send: bool) -> MessageReceipt {
        let (sent, delivered) = (message.sent.as_picos(), message.delivered.as_picos());
        MessageReceipt {
            since_previous: delivered.saturating_sub(previous_delivery),
            duration: delivered.wrapping_sub(sent),
            until_departure: message.departed.as_picos().wrapping_sub(sent),
            after_arrival: delivered.wrapping_sub(message.arrived.as_picos()),
            bytes: message.bytes,
            peer: 0,
            tag: message.tag,
            peer_is_mask: false,
            in_collective: matches!(message.scope, Scope::Collective(_)),
            is_send,
            waited_for_receiver: message.held,
        }
    }

    /// The same with `other` as the other rank, by the bits in which the two differ.
    #[inline]
    fn by_mask(self, own: RankAmong, other: u32) -> MessageReceipt {
        MessageReceipt { peer: own.rank ^ other, peer_is_mask: true, ..self }
    }

    /// The same with `other` as the other rank, by its distance.
    #[inline]
    fn by_distance(self, own: RankAmong, other: u32) -> MessageReceipt {
        MessageReceipt { peer: own.distance_to(other), ..self }
    }

    /// The other rank of a message of this rank.
    #[inline]
    pub fn other(&self, own: RankAmong) -> u32 {
        if self.peer_is_mask { own.rank ^ self.peer } else { own.at_distance(self.peer) }
    }
}

impl Event for MessageReceipt {
    #[inline]
    fn span(&self) -> u64 {
        self.since_previous
    }

    #[inline]
    fn duration(&self) -> u64 {
        0
    }
}

/// The messages of all ranks.
pub(crate) type MessageLog = EventLog<MessageReceipt>;

impl MessageLog {
    /// Logs a message for its receiver, or for its sender.
    ///
    /// Neighbours are at the same distance on all ranks, partners of an exchange differ in the same bits: a known form is the same
    /// symbol on all ranks.
    #[inline(always)]
    pub fn deliver(&mut self, message: &MessageRecord, to_sender: bool) {
        let &MessageRecord { from, to, delivered, .. } = message;
        let (rank, other) = if to_sender { (from, to) } else { (to, from) };
        let (own, delivered) = (RankAmong { rank, ranks: self.ranks() as u32 }, delivered.as_picos());
        let receipt = MessageReceipt::new(message, self.end(rank), to_sender);
        if let Some(expected) = self.expected(rank) {
            let receipt = match expected.peer_is_mask {
                true => receipt.by_mask(own, other),
                false => receipt.by_distance(own, other),
            };
            if *expected == receipt {
                return self.on_hit(rank, delivered);
            }
        }
        let forms = [receipt.by_mask(own, other), receipt.by_distance(own, other)];
        self.on_miss(rank, delivered, &forms);
    }

    /// Adds the messages of all ranks to the data of the page.
    pub fn write(&self, out: &mut Container) {
        let encoded = EncodedLog::new(self);
        let picos = |of: fn(&MessageReceipt) -> u64| encoded.column(self, |it| of(it) as f64, |_| 0.0);
        out.section("message_symbols_since_previous", picos(|it| it.since_previous));
        out.section("message_symbols_duration", picos(|it| it.duration));
        out.section("message_symbols_peer", encoded.column(self, |it| it.peer, |shape| shape.peer));
        let bytes = encoded.column(self, |it| it.bytes as f64, |shape| shape.bytes as f64);
        out.section("message_symbols_bytes", bytes);
        let tag = |tag: i32| varint::zigzag(tag.into()) as u32;
        out.section("message_symbols_tag", encoded.column(self, |it| tag(it.tag), |shape| tag(shape.tag)));
        out.section(
            "message_symbols_flags",
            encoded.column(self, MessageReceipt::flags, |shape| shape.flags),
        );
        encoded.write("messages", "message_symbols", out);
    }
}

/// Flags of the page; the times of a literal follow one by one.
const IN_COLLECTIVE: u8 = 1;
const LITERAL: u8 = 2;
const PEER_IS_MASK: u8 = 4;
const IS_SEND: u8 = 8;

/// Everything of a message but its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    bytes: u64,
    peer: u32,
    tag: i32,
    flags: u8,
}

impl MessageReceipt {
    fn flags(&self) -> u8 {
        let flag = |is, flag| if is { flag } else { 0 };
        flag(self.in_collective, IN_COLLECTIVE)
            | flag(self.peer_is_mask, PEER_IS_MASK)
            | flag(self.is_send, IS_SEND)
    }
}

impl Encode for MessageReceipt {
    type Shape = Shape;

    #[inline]
    fn shape(&self) -> Shape {
        Shape { bytes: self.bytes, peer: self.peer, tag: self.tag, flags: self.flags() | LITERAL }
    }

    fn shape_without_size(&self) -> Shape {
        self.shape()
    }

    #[inline]
    fn write_times(&self, _: &Shape, clock: &mut Clock, out: &mut Numbers) {
        clock.end += self.since_previous;
        out.put(clock.advance_to(clock.end).max(0) as u64);
        out.put(nanos(self.duration));
    }
}

#[cfg(test)]
mod tests {
    use mpirage_interpret::testing::message;
    use rustc_hash::FxHashSet;

    use super::*;

    /// Messages that each rank gets from others in turns.
    fn log_of(ranks: u32, others: impl Fn(u32, u32) -> u32) -> MessageLog {
        let mut log = MessageLog::new(ranks as usize);
        for turn in 0..100 {
            for rank in 0..ranks {
                let (sent, other) = (u64::from(turn) * 10, others(rank, turn));
                log.deliver(&message((other, rank), 8, (sent, sent + 4_000)), false);
            }
        }
        log.settle();
        log
    }

    #[test]
    fn all_ranks_share_symbols() {
        let ring = |rank: u32, turn: u32| (rank + 1 + turn % 2) % 64;
        let cube = |rank: u32, turn: u32| rank ^ (1 << (turn % 6));
        for (others, most) in [(&ring as &dyn Fn(u32, u32) -> u32, 4), (&cube, 6)] {
            let log = log_of(64, others);
            let mut different = FxHashSet::default();
            for rank in 0..64 {
                let mut read = Vec::new();
                log.for_each(rank as usize, |receipt| {
                    read.push((receipt.other(RankAmong { rank, ranks: 64 }), *receipt))
                });
                let (read, receipts): (Vec<u32>, Vec<MessageReceipt>) = read.into_iter().unzip();
                assert_eq!(read, (0..100).map(|turn| others(rank, turn)).collect::<Vec<_>>());
                different.extend(receipts.into_iter().skip(8));
            }
            assert!(different.len() <= most, "{}", different.len());
            assert!(log.rows() < 3 * 64, "{}", log.rows());
        }
    }

    #[test]
    fn receipts_are_of_both_ranks() {
        let inner = MessageRecord { scope: Scope::Collective(0), ..message((3, 5), 8, (100, 900)) };
        let notice = MessageReceipt::new(&inner, 893, true);
        assert!(notice.in_collective && notice.is_send && !notice.waited_for_receiver);
        let held =
            MessageReceipt::new(&MessageRecord { held: true, ..message((3, 5), 8, (100, 900)) }, 893, false);
        assert!(!held.in_collective && !held.is_send && held.waited_for_receiver);
        assert_eq!((held.duration, held.until_departure, held.after_arrival, held.span()), (800, 0, 0, 7));
        assert_eq!(MessageLog::ROW_BYTES, size_of::<MessageReceipt>());
    }
}
