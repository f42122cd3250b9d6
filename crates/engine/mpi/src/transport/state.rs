//! The transport's state, and what others may ask of it.

use std::sync::Arc;

use mpirage_call::{Completion, LineId, RankId, RequestId};
use mpirage_prefetch::fetch;
use mpirage_units::Time;

use super::matching::{Key, Matching, Probe, QueueLengths};
use super::message::{Message, Owner, Receive, Taker, TransferState};
use super::order::Orders;
use super::unnoticed::Unnoticed;
use crate::data_plane::DataPlane;
use crate::ids::{Arena, DelayedId, Id, MessageId, ReceiveId, Table};
use crate::observe::Observers;
use crate::occupancy::Occupancy;
use crate::protocol::Protocol;
use crate::wire::Wire;

/// An event in the transport that concerns other parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A send or a receive is complete; by ideal clocks not before `ideal`.
    Complete { owner: Owner, completion: Completion, ideal: Time },
    /// A request is complete, or will soon be, while its message's bytes are still in its rank's memory.
    Lends { rank: RankId, id: RequestId },
    /// The message of a send no longer needs the sender's memory.
    LoanOver { rank: RankId, id: RequestId, message: MessageId },
    /// A message is over, though its send may not be complete.
    Over { owner: Owner, message: MessageId },
    /// The network has given a message up.
    Failed { from: RankId, to: RankId },
    /// A message has come that a line probes for.
    Probed { line: LineId, probe: Probe },
    /// A message and a receive have matched. Reported only if ranks are released early.
    Matched { message: MessageId, taker: Taker },
}

/// The other parts that the transport works with.
pub(crate) struct Env<'a, M> {
    pub wire: &'a mut Wire,
    pub data: &'a mut DataPlane<M>,
    pub observers: &'a mut Observers,
    pub occupancy: &'a mut Occupancy,
}

/// The work of the receiver's processor for a transfer that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// None: there are no processors, or the bytes have yet to come.
    None,
    /// The bytes have come to the receiver's interface; its processor has to take them.
    AtInterface,
    /// The processor has taken them.
    Taken,
}

/// All messages and receives of a run.
#[derive(Debug)]
pub(crate) struct Transport {
    pub(super) protocol: Arc<Protocol>,
    /// The queues of each rank.
    pub(super) queues: Vec<Matching>,
    pub(super) messages: Arena<MessageId, Message>,
    pub(super) receives: Arena<ReceiveId, Receive>,
    pub(super) orders: Orders,
    /// Sends that are complete once their bytes have been copied out.
    pub(super) delayed: Table<DelayedId, (Owner, Time)>,
    pub(crate) unnoticed: Unnoticed,
    /// Lines that wait in a probe.
    pub(super) probes: Vec<(LineId, RankId, Probe)>,
    /// Are matches reported?
    pub(super) reports_matches: bool,
    /// The message that each receive has taken last; kept only if matches are reported.
    taken: Vec<Option<MessageId>>,
    /// Events in order, until the engine has taken them.
    pub(super) events: Vec<Event>,
}

/// How many receives and messages wait at a rank.
pub(crate) fn queue_lengths(transport: &Transport, rank: RankId) -> QueueLengths {
    transport.queues[rank.index()].lengths()
}

impl Transport {
    pub(crate) fn new(protocol: Arc<Protocol>, ranks: usize) -> Transport {
        Transport {
            protocol,
            queues: (0..ranks).map(|_| Matching::default()).collect(),
            messages: Arena::new(),
            receives: Arena::new(),
            orders: Orders::default(),
            delayed: Table::new(),
            unnoticed: Unnoticed::default(),
            probes: Vec::new(),
            reports_matches: false,
            taken: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The n-th thing that happened since events were cleared.
    #[inline(always)]
    pub(crate) fn event(&self, nth: usize) -> Option<&Event> {
        self.events.get(nth)
    }

    /// All events have been taken.
    #[inline(always)]
    pub(crate) fn clear_events(&mut self) {
        self.events.clear();
    }

    /// Are matches reported from now on?
    pub(crate) fn report_matches(&mut self, wanted: bool) {
        self.reports_matches = wanted;
    }

    #[inline]
    pub(crate) fn message(&self, id: MessageId) -> &Message {
        &self.messages[id]
    }

    #[inline]
    pub(crate) fn message_mut(&mut self, id: MessageId) -> &mut Message {
        &mut self.messages[id]
    }

    #[inline]
    pub(crate) fn receive(&self, id: ReceiveId) -> &Receive {
        &self.receives[id]
    }

    /// Messages that no receive has taken, by receiver and age.
    pub(crate) fn unreceived(&self) -> Vec<&Message> {
        let mut messages: Vec<_> =
            self.messages.iter().filter(|(_, message)| message.is_unreceived()).collect();
        messages.sort_by_key(|(id, message)| (message.to, message.sent, message.from, *id));
        messages.into_iter().map(|(_, message)| message).collect()
    }

    /// The message that a receive has taken and has room for, while its bytes travel.
    pub(crate) fn taken_by(&self, receive: ReceiveId) -> Option<MessageId> {
        // The entry may be of an earlier receive with this number.
        let still = |id: &MessageId| {
            let message = &self.messages[*id];
            message.taker == Some(Taker::Receive(receive))
                && !matches!(message.state, TransferState::Over | TransferState::Told)
        };
        self.taken.get(receive.index()).copied().flatten().filter(still)
    }

    /// Remembers which message a receive has taken, if it has room for it. Gives what completes with the receive.
    pub(crate) fn note_taken(&mut self, id: MessageId, receive: ReceiveId) -> Option<Owner> {
        let &Receive { room, owner, .. } = &self.receives[receive];
        if self.messages[id].bytes > room {
            return None;
        }
        if self.taken.len() <= receive.index() {
            self.taken.resize(receive.index() + 1, None);
        }
        self.taken[receive.index()] = Some(id);
        Some(owner)
    }

    /// Prefetches the message.
    #[inline]
    pub(crate) fn fetch_message(&self, id: MessageId) {
        fetch(&self.messages[id]);
    }

    /// Prefetches the receive of a message; gives the receiver and what completes with the send.
    #[inline]
    pub(crate) fn fetch_receive(&self, id: MessageId) -> (Option<RankId>, Owner) {
        let message = &self.messages[id];
        let receiver = match message.taker {
            Some(Taker::Receive(receive)) => {
                fetch(&self.receives[receive]);
                Some(message.to)
            }
            _ => None,
        };
        (receiver, message.owner)
    }

    /// The operation that completes with the receive of a message.
    #[inline]
    pub(crate) fn receiver(&self, id: MessageId) -> Owner {
        match self.messages[id].taker {
            Some(Taker::Receive(receive)) => self.receives[receive].owner,
            _ => Owner::None,
        }
    }

    /// Prefetches the queues of the rank of a line, if that is its first.
    #[inline]
    pub(crate) fn fetch_queues(&self, line: LineId) {
        if let Some(queues) = self.queues.get(line.index()) {
            fetch(queues);
        }
    }

    /// Prefetches where a message with this key will be looked for.
    #[inline]
    pub(crate) fn fetch_send(&self, to: RankId, key: &Key, deep: bool) {
        self.queues[to.index()].fetch(key, deep);
    }

    /// Prefetches the message that waits for a receive with this key.
    #[inline]
    pub(crate) fn fetch_unexpected(&self, rank: RankId, key: &Key) {
        if let Some(message) = self.queues[rank.index()].unexpected.find_accepted(key) {
            fetch(&self.messages[message]);
        }
    }
}
