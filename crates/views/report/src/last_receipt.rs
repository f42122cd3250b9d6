//! The last message of a rank: what a call that has returned waited for.

use mpirage_record::{MessageRecord, Scope};

use crate::waits::State;

/// The last message of a rank. Times are in picoseconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastReceipt {
    pub delivered: u64,
    /// Until when its other rank was late.
    pub late_until: u64,
    pub departed: u64,
    pub arrived: u64,
    pub bytes: u64,
    pub other: u32,
    pub is_send: bool,
    in_collective: bool,
}

impl LastReceipt {
    #[inline]
    pub fn new(message: &MessageRecord, is_send: bool) -> LastReceipt {
        let &MessageRecord { from, to, sent, departed, arrived, delivered, held, .. } = message;
        let late_until = match (is_send, held) {
            (false, _) => sent.as_picos(),
            (true, true) => departed.as_picos(),
            (true, false) => 0,
        };
        LastReceipt {
            delivered: delivered.as_picos(),
            late_until,
            departed: departed.as_picos(),
            arrived: arrived.as_picos(),
            bytes: message.bytes,
            other: if is_send { to } else { from },
            is_send,
            in_collective: matches!(message.scope, Scope::Collective(_)),
        }
    }

    /// The state of a call that waits for it.
    pub fn state(&self) -> State {
        match (self.in_collective, self.is_send) {
            (true, _) => State::Collective,
            (false, true) => State::LateReceiver,
            (false, false) => State::LateSender,
        }
    }
}
