//! The bytes of a message: where they are while it travels, and how its receive gets them.

use mpirage_call::{Payload, RankId};

use super::matching::Key;
use super::message::{Owner, Receive, Taker};
use super::state::{Env, Event, Transport};
use crate::data_plane::{DataPlane, Held};
use crate::ids::{MessageId, ReceiveId};
use crate::memory::{self, Memory};
use crate::protocol::{Envelope, TransferMode};

impl Transport {
    /// Copies the bytes of a message out of the sender's memory, which the sender may now change.
    pub(crate) fn take_over<M: Memory>(&mut self, data: &mut DataPlane<M>, id: MessageId) {
        let message = &mut self.messages[id];
        message.lent = false;
        data.take_over(&mut message.held, message.from, message.bytes);
    }

    /// Moves the bytes of a message, before it is delivered, to its receive; to a buffer if none has matched.
    pub(crate) fn move_bytes_early<M: Memory>(&mut self, data: &mut DataPlane<M>, id: MessageId) {
        self.end_loan(id);
        let message = &self.messages[id];
        match message.taker {
            Some(Taker::Receive(receive)) if message.bytes <= self.receives[receive].room => {
                self.copy_payload(data, id, receive);
                data.release(&mut self.messages[id].held);
            }
            _ => self.take_over(data, id),
        }
    }

    /// The message no longer needs the memory of its sender, whose request may be complete already.
    #[inline(always)]
    pub(super) fn end_loan(&mut self, id: MessageId) {
        let message = &mut self.messages[id];
        if let (true, Owner::Request { rank, id: request }) = (message.lent, message.owner) {
            message.lent = false;
            self.events.push(Event::LoanOver { rank, id: request, message: id });
        }
    }

    /// Takes the bytes of a message that is just being sent.
    #[inline(always)]
    pub(super) fn hold<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        payload: Payload<'_>,
        mode: TransferMode,
        to: RankId,
        key: Key,
    ) -> Held {
        match payload {
            Payload::Absent => Held::Nothing,
            Payload::At(address) => Held::Memory(address),
            Payload::Inline(bytes) if self.lands_at_once(env.data, bytes, mode, to, key.words()) => {
                Held::Nothing
            }
            Payload::Inline(_) => env.data.hold(payload),
        }
    }

    /// Stores bytes in the buffer of a receive that waits for them, before they arrive: until then the program does not look.
    /// Only where that costs no more than keeping them would.
    #[inline(never)]
    fn lands_at_once<M: Memory>(
        &mut self,
        data: &mut DataPlane<M>,
        bytes: &[u8],
        mode: TransferMode,
        to: RankId,
        key: (u64, u64),
    ) -> bool {
        let key = Key::of_words(key);
        let matches_now = !mode.sender_waits() && self.protocol.envelope == Envelope::AtSend;
        if !matches_now || !data.memory().is_one() {
            return false;
        }
        let Some(Taker::Receive(receive)) = self.queues[to.index()].posted.find_accepting(&key) else {
            return false;
        };
        let &Receive { rank, address, room, .. } = &self.receives[receive];
        let fits = bytes.len() as u64 <= room;
        if fits && address != 0 {
            data.write(memory::RankAddress { rank, address }, bytes);
        }
        fits
    }

    /// The bytes of a message may stay in the sender's memory until the sender may change it.
    #[inline(always)]
    pub(super) fn lend<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &mut self.messages[id];
        if matches!(message.held, Held::Memory(_)) {
            match message.owner {
                Owner::Request { rank, id: request } => {
                    message.lent = true;
                    self.events.push(Event::Lends { rank, id: request });
                }
                _ => self.take_over(env.data, id),
            }
        }
    }

    /// Copies the bytes of a message to the buffer of its receive.
    #[inline(always)]
    pub(super) fn copy_payload<M: Memory>(
        &mut self,
        data: &mut DataPlane<M>,
        message: MessageId,
        receive: ReceiveId,
    ) {
        let (message, receive) = (&self.messages[message], &self.receives[receive]);
        let to = memory::RankAddress { rank: receive.rank, address: receive.address };
        data.deliver(message.held, message.from, to, message.bytes);
    }
}
