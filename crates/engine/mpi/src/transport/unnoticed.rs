//! Messages that have arrived for ranks that are in no call: their libraries have not noticed them yet.

use mpirage_call::RankId;
use rustc_hash::FxHashMap;

use super::message::{Message, TransferState};
use crate::ids::MessageId;
use crate::protocol::{Handshake, TransferMode};

/// Messages whose transfers have ended, by the rank that must act on it.
#[derive(Debug, Default)]
pub(crate) struct Unnoticed {
    /// Lists stay when they are empty, so that a message needs no new memory.
    messages: FxHashMap<RankId, Vec<MessageId>>,
    count: usize,
}

impl Unnoticed {
    /// The transfer of a message has ended, but the rank that must act does not look.
    pub(crate) fn push(&mut self, rank: RankId, id: MessageId) {
        self.messages.entry(rank).or_default().push(id);
        self.count += 1;
    }

    /// Is there no such message?
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes the messages that a rank notices if it looks now, in the order of arrival. The list comes back by [`Unnoticed::give_back`].
    pub(crate) fn take(&mut self, rank: RankId) -> Vec<MessageId> {
        let taken = self.messages.get_mut(&rank).map(std::mem::take).unwrap_or_default();
        self.count -= taken.len();
        taken
    }

    /// A rank has noticed the messages of the list.
    pub(crate) fn give_back(&mut self, rank: RankId, mut list: Vec<MessageId>) {
        list.clear();
        self.messages.insert(rank, list);
    }
}

/// The rank whose library must act when the transfer of a message ends; none if the transfer needs no answer, or if an interface gives it.
pub(crate) fn acting_rank(message: &Message, handshake: Handshake) -> Option<RankId> {
    let acts = match message.state {
        TransferState::Requested | TransferState::Answered => true,
        // The interface of the sender serves a remote read.
        TransferState::Granted => handshake != Handshake::Read,
        // The receiver answers.
        TransferState::Moving => {
            message.mode == TransferMode::Rendezvous
                && matches!(handshake, Handshake::Read | Handshake::Confirm)
        }
        _ => false,
    };
    acts.then(|| message.state.direction(message).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn a_rank_notices_its_own_messages_once_and_in_order() {
        let (mut unnoticed, one, other) = (Unnoticed::default(), RankId::new(1), RankId::new(2));
        let ids = [MessageId::new(5), MessageId::new(3)];
        ids.into_iter().for_each(|id| unnoticed.push(one, id));
        assert!(unnoticed.take(other).is_empty());
        let taken = unnoticed.take(one);
        assert_eq!(taken, ids);
        unnoticed.give_back(one, taken);
        assert!(unnoticed.take(one).is_empty());
    }
}
