//! Where the bytes of a message are while it travels, and how they come to their receiver.

use mpirage_call::{BLOCKING, Completion, Payload, RequestId};
use mpirage_units::Time;

use crate::engine::Engine;
use crate::matching::Key;
use crate::memory::Memory;
use crate::message::{Held, Journey, Message, Owner, Receive};
use crate::protocol::{Envelope, Way};
use crate::request::{NOTHING, Operation};

impl<M: Memory> Engine<M> {
    /// Takes back the message of a request that nobody has matched. False if it is too late for that.
    pub(crate) fn cancel_send(&mut self, rank: u32, request: RequestId, id: u32) -> bool {
        // A number may be another message's by now, but never another one's of the same request.
        let &Message { key, to, journey, owner, .. } = &self.messages[id];
        if journey == Journey::Over || owner != (Owner::Request { rank, id: request }) {
            return false;
        }
        let visible = self.matching[to as usize].unexpected.take_value(&key, id);
        // A message that is being copied out completes by itself, and soon.
        if self.protocol.copy_out_seconds_per_byte > 0.0 {
            return false;
        }
        let arrives_first = matches!(journey, Journey::Moving | Journey::Queued | Journey::AtDoor)
            && self.protocol.envelope != Envelope::AtSend;
        let on_its_way = journey == Journey::Requested || arrives_first;
        if !visible && !on_its_way {
            return false;
        }
        self.messages[id].cancelled = true;
        if matches!(journey, Journey::Waiting | Journey::Arrived) {
            self.discard(id);
        }
        true
    }

    /// Forgets a message that was taken back.
    pub(crate) fn discard(&mut self, id: u32) {
        self.end_message(id);
    }

    /// Gives back what a message holds, and its place.
    pub(crate) fn end_message(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.journey = Journey::Over;
        if let Held::Buffer(buffer) = std::mem::take(&mut message.held) {
            self.buffers.push(buffer);
        }
        if let (true, Owner::Request { rank, id: request }) = (message.lent, message.owner) {
            let slot = &mut self.ranks[rank as usize].requests[request.index()];
            // The request may be another one's by now.
            slot.lent &= slot.behind != id;
        }
        if self.protocol.copy_out_seconds_per_byte > 0.0 {
            self.leave_request(id);
        }
        self.messages.release(id);
    }

    /// A message that is delivered before it was copied out leaves a request behind that is not complete.
    fn leave_request(&mut self, id: u32) {
        if let Owner::Request { rank, id: request } = self.messages[id].owner {
            let slot = &mut self.ranks[rank as usize].requests[request.index()];
            if matches!(slot.operation, Operation::Send { .. }) && slot.behind == id && slot.done.is_none() {
                slot.behind = NOTHING;
            }
        }
    }

    /// Copies bytes that a completed request still lends, because its rank may now write over them.
    pub(crate) fn reclaim(&mut self, rank: u32, id: RequestId) {
        let slot = &mut self.ranks[rank as usize].requests[id.index()];
        if std::mem::take(&mut slot.lent) {
            let message = slot.behind;
            self.take_over(message);
        }
    }

    /// Moves the bytes of a message from the sender's memory to ours.
    pub(crate) fn take_over(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.lent = false;
        if let Held::Memory(address) = message.held {
            let mut buffer = self.buffers.pop().unwrap_or_default();
            buffer.resize(message.bytes as usize, 0);
            self.memory.read(message.from, address, &mut buffer);
            message.held = Held::Buffer(buffer);
        }
    }

    /// Takes the bytes of a message to `to` that is just being sent.
    #[inline(always)]
    pub(crate) fn hold_message(&mut self, payload: Payload<'_>, way: Way, to: u32, key: Key) -> Held {
        match payload {
            Payload::Absent => Held::Nothing,
            Payload::At(address) => Held::Memory(address),
            Payload::Inline(bytes) if self.lands_at_once(bytes, way, to, key.words()) => Held::Nothing,
            Payload::Inline(_) => self.hold(payload),
        }
    }

    pub(crate) fn hold(&mut self, payload: Payload<'_>) -> Held {
        match payload {
            Payload::Absent => Held::Nothing,
            Payload::At(address) => Held::Memory(address),
            Payload::Inline(bytes) => {
                let mut buffer = self.buffers.pop().unwrap_or_default();
                buffer.clear();
                buffer.extend_from_slice(bytes);
                Held::Buffer(buffer)
            }
        }
    }

    /// Puts bytes where a receive that waits for them wants them, long before they arrive: until then nobody looks. Only where
    /// that costs no more than keeping them would.
    #[inline(never)]
    fn lands_at_once(&mut self, bytes: &[u8], way: Way, to: u32, key: (u64, u64)) -> bool {
        let key = Key::of_words(key);
        let matches_now = !way.sender_waits() && self.protocol.envelope == Envelope::AtSend;
        if !matches_now || !self.memory.is_one() {
            return false;
        }
        let Some(receive) = self.matching[to as usize].posted.find_accepting(&key) else { return false };
        let &Receive { rank, address, room, .. } = &self.receives[receive];
        let fits = bytes.len() as u64 <= room;
        if fits && address != 0 {
            self.memory.write(rank, address, bytes);
        }
        fits
    }

    /// The sender need not wait. A blocking send's bytes are copied now, a request's when it is waited for.
    pub(crate) fn free_sender(&mut self, id: u32, owner: Owner) {
        self.lend(id, owner);
        self.complete(owner, Completion::empty(0), Time::ZERO);
    }

    /// The bytes of a message may stay in the sender's memory until that is the sender's own again.
    pub(crate) fn lend(&mut self, id: u32, owner: Owner) {
        let message = &mut self.messages[id];
        if matches!(message.held, Held::Memory(_)) {
            match owner {
                Owner::Request { rank, id: request } if request != BLOCKING => {
                    message.lent = true;
                    self.ranks[rank as usize].requests[request.index()].lent = true;
                }
                _ => self.take_over(id),
            }
        }
    }

    /// Brings the bytes of a message to where its receive wants them.
    pub(crate) fn copy_payload(&mut self, message: u32, receive: u32) {
        let (message, receive) = (&self.messages[message], &self.receives[receive]);
        if receive.address == 0 || message.bytes == 0 {
            return;
        }
        match &message.held {
            Held::Nothing => {}
            Held::Buffer(buffer) => self.memory.write(receive.rank, receive.address, buffer),
            Held::Memory(address) => {
                let (from, to) = ((message.from, *address), (receive.rank, receive.address));
                self.memory.copy(from, to, message.bytes as usize, &mut self.scratch);
            }
        }
    }
}
