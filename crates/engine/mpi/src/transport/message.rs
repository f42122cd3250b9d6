//! Messages, receives, and what they belong to.

use mpirage_call::{Completion, ContextId, LineId, Payload, RankId, RequestId, SendMode};
use mpirage_record::Scope;
use mpirage_units::Time;

use super::matching::Key;
use super::order::SequenceNumber;
use crate::data_plane::Held;
use crate::ids::{ReceiveId, RunId};
use crate::origin::Origin;
use crate::protocol::TransferMode;
use crate::wire::{Class, Stream};
use crate::working_set::WorkingSet;

/// How a schedule waits for its send or receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// It stops for this very one.
    Blocking,
    /// It is in this request set.
    InSet(u8),
}

/// The operation that completes together with a send or a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A request of a rank.
    Request { rank: RankId, id: RequestId },
    /// The blocking call of a line.
    Blocking(LineId),
    /// A step of a schedule.
    Step { run: RunId, awaited: Awaited },
    /// Nothing: a blocking send that was complete at once, or a request that was freed.
    None,
}

/// The receive that takes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taker {
    /// A receive of a rank.
    Receive(ReceiveId),
    /// A step of a schedule. Nothing else needs to be known of such a receive.
    Step { run: RunId, awaited: Awaited },
}

/// How far the bytes of a message have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferState {
    /// They have not left.
    Waiting,
    /// A request to send is on its way.
    Requested,
    /// The grant is on its way back.
    Granted,
    /// The receiver answers that they have come.
    Answered,
    /// The sender confirms that it knows that they have come.
    Confirmed,
    /// They have been delivered, and the receiver tells the sender.
    Told,
    /// The network has to free something before they can leave.
    Queued,
    /// They are on their way.
    Moving,
    /// They have arrived, and wait for the receiver's processor.
    AtInterface,
    /// The receiver's processor takes them.
    Receiving,
    /// They have arrived.
    Arrived,
    /// They had arrived before the receive, and are copied to the receive's buffer.
    Copying,
    /// The message was delivered or discarded: its entry is free.
    Over,
}

impl TransferState {
    /// The ranks between which what belongs to a message travels in this state: from one to the other.
    pub(crate) fn direction(self, message: &Message) -> (RankId, RankId) {
        match self {
            TransferState::Granted | TransferState::Answered | TransferState::Told => {
                (message.to, message.from)
            }
            _ => (message.from, message.to),
        }
    }

    /// Are the bytes on their way to the receiver, which does not have them?
    pub(crate) fn is_on_its_way(self) -> bool {
        matches!(self, TransferState::Moving | TransferState::Queued | TransferState::AtInterface)
    }
}

/// A message on its way: two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Message {
    pub key: Key,
    pub bytes: u64,
    pub from: RankId,
    pub to: RankId,
    /// The operation that completes with the send.
    pub owner: Owner,
    /// The receive that takes it, once it has matched.
    pub taker: Option<Taker>,
    pub mode: TransferMode,
    pub working_set: WorkingSet,
    pub state: TransferState,
    /// Cancelled while something of it was on its way: it is discarded when that arrives.
    pub cancelled: bool,
    /// Does the send complete on delivery? Not if it is complete already.
    pub sender_waits: bool,
    /// Are the bytes still in the sender's memory although its request is complete?
    pub lent: bool,
    /// Did its bytes wait for the receiver?
    pub waited_for: bool,
    /// Did it, or the request for it, reach the receiver before the receive was posted?
    pub unexpected: bool,
    /// Its place in the order of messages.
    pub place: SequenceNumber,
    pub sent: Time,
    /// When it was sent by ideal clocks ([`crate::ideal`]); if its sender waits, from the match on, when both had come.
    pub ideal: Time,
    /// When its bytes started to move.
    pub departed: Time,
    pub arrived: Time,
    pub held: Held,
    /// The call that sent it.
    pub origin: Origin,
}

impl Message {
    /// No receive has taken it.
    pub(crate) fn is_unreceived(&self) -> bool {
        self.taker.is_none() && self.state != TransferState::Over
    }

    /// How its receive completes, if it fits.
    pub(crate) fn completion(&self) -> Completion {
        let (source, tag, bytes) = (self.key.source as i32, self.key.tag, self.bytes);
        Completion { source, tag, bytes, ..Completion::empty(0) }
    }

    /// When its send is complete by ideal clocks, as far as the message decides that.
    pub(crate) fn sender_ideal(&self) -> Time {
        if self.mode.waits_for_receiver() { self.ideal } else { Time::ZERO }
    }

    /// Messages with another context or tag need not wait for it.
    pub(crate) fn stream(&self) -> Stream {
        let Key { context, tag, .. } = self.key;
        let class = if context < COLLECTIVE_CONTEXTS { Class::PointToPoint } else { Class::Collective };
        let number = (context as u32).wrapping_mul(31).wrapping_add(tag as u32);
        Stream { class, number, working_set: self.working_set }
    }

    /// The communicator or collective it is part of, by the context it is matched in.
    pub(crate) fn scope(&self) -> Scope {
        match self.key.context.checked_sub(COLLECTIVE_CONTEXTS) {
            Some(number) => Scope::Collective(number),
            None => Scope::Comm(ContextId::new(self.key.context as u32)),
        }
    }
}

/// A receive that waits for its message: one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Receive {
    pub key: Key,
    pub rank: RankId,
    /// The bytes that there is room for.
    pub room: u64,
    pub address: u64,
    pub owner: Owner,
    /// When it was posted by ideal clocks.
    pub posted: Time,
}

/// A send, before it becomes a message.
pub(crate) struct Outgoing<'a> {
    pub from: RankId,
    pub to: RankId,
    pub key: Key,
    pub bytes: u64,
    pub payload: Payload<'a>,
    pub mode: SendMode,
    /// The memory that the collective walks through which sends it.
    pub working_set: WorkingSet,
    pub owner: Owner,
    pub origin: Origin,
    /// When it is sent by ideal clocks.
    pub ideal: Time,
}

/// Contexts from here on belong to collectives.
pub(crate) const COLLECTIVE_CONTEXTS: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_receives_fill_cache_lines() {
        assert_eq!(size_of::<Message>(), 128);
        assert_eq!(size_of::<Receive>(), 64);
    }
}
