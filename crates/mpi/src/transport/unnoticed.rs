//! What has arrived for ranks that are in no call: their libraries have not noticed it yet.

use mpirage_call::RankId;
use rustc_hash::FxHashMap;

use super::message::{Message, TransferState};
use crate::ids::MessageId;
use crate::protocol::{Handshake, TransferMode};

/// Messages whose transfers have ended, by the rank that must act on it.
#[derive(Debug, Default)]
pub(crate) struct Unnoticed {
    messages: FxHashMap<RankId, Vec<MessageId>>,
}

impl Unnoticed {
    /// The transfer of a message has ended, but the rank that must act does not look.
    pub(crate) fn push(&mut self, rank: RankId, id: MessageId) {
        self.messages.entry(rank).or_default().push(id);
    }

    /// What a rank notices that looks now, in the order of arrival.
    #[inline]
    pub(crate) fn take(&mut self, rank: RankId) -> Vec<MessageId> {
        if self.messages.is_empty() {
            return Vec::new();
        }
        self.messages.remove(&rank).unwrap_or_default()
    }
}

/// The rank whose library must act when the transfer of a message ends; none if nobody's must.
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
