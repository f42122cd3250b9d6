//! A message that was delivered, as it is set aside.
//!
//! Messages are told of right after their bytes have been copied, and then a processor has much to store yet. Reading back in one
//! piece what has just been stored in several waits for all of that. So this is no copy of the record: each field is made from
//! one of its fields.

use mpirage_record::{Message, Scope};

/// A message from its send to its delivery; times in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivered {
    pub sent: u64,
    /// How long after it was sent its bytes started to move, had arrived, and were delivered.
    departed: u64,
    arrived: u64,
    delivered: u64,
    pub bytes: u64,
    to: u64,
    pub from: u32,
    pub tag: i32,
    /// Is it a part of a collective?
    pub inner: bool,
    /// Was its sender free only when it was delivered?
    pub awaited: bool,
}

impl Delivered {
    #[inline]
    pub fn of(message: &Message) -> Delivered {
        let sent = message.sent.as_picos();
        Delivered {
            sent,
            departed: message.departed.as_picos().saturating_sub(sent),
            arrived: message.arrived.as_picos().saturating_sub(sent),
            delivered: message.delivered.as_picos().saturating_sub(sent),
            bytes: message.bytes,
            to: message.to.into(),
            from: message.from,
            tag: message.tag,
            inner: matches!(message.scope, Scope::Collective(_)),
            awaited: message.awaited,
        }
    }

    /// One that was kept: from and to whom, and since it was sent, when its bytes started to move, had arrived, were delivered.
    #[inline]
    pub fn again(
        [from, to]: [u32; 2],
        tag: i32,
        bytes: u64,
        inner: bool,
        sent: u64,
        [departed, arrived, delivered]: [u64; 3],
    ) -> Delivered {
        Delivered {
            sent,
            departed,
            arrived,
            delivered,
            bytes,
            to: to.into(),
            from,
            tag,
            inner,
            awaited: false,
        }
    }

    /// How long after it was sent its bytes started to move, had arrived, and were delivered.
    #[inline]
    pub fn since_sent(&self) -> [u64; 3] {
        [self.departed, self.arrived, self.delivered]
    }

    #[inline]
    pub fn to(&self) -> u32 {
        self.to as u32
    }

    /// When its bytes started to move.
    #[inline]
    pub fn departed(&self) -> u64 {
        self.sent + self.departed
    }

    /// When they had arrived.
    #[inline]
    pub fn arrived(&self) -> u64 {
        self.sent + self.arrived
    }

    /// When it was delivered.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.sent + self.delivered
    }
}
