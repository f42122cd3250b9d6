//! Messages and receives on their way to each other.
//!
//! ```text
//!            Push                    Pull           Rendezvous                               Held
//! send     bytes leave              –              – (or a request leaves)                  bytes leave
//! visible  at send or on arrival    at send        at send (or when the request arrives)    at send or on arrival
//! matched  –                        bytes leave    bytes leave (or a grant, then they)      the sender is free
//! sender   free at once             free at once   free when they leave, have been copied   free when matched
//!          or when copied           or when copied out of its memory, or have arrived
//! ```
//!
//! A message is delivered when its bytes have arrived and a receive has matched it.

use mpirage_call::{Completion, ContextId, Payload, RequestId, SendMode};
use mpirage_kernel::{Departure, Transfer};
use mpirage_record::{self as record, Scope};
use mpirage_units::{Duration, Time};

use crate::diagnosis::Origin;
use crate::engine::Engine;
use crate::matching::Key;
use crate::memory::Memory;
use crate::order::Place;
use crate::protocol::{Envelope, Rendezvous, Way};
use crate::token;

/// Who is told that a send or a receive is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A request of a rank.
    Request { rank: u32, id: RequestId },
    /// A step of a schedule; `blocking` if the schedule stops for this very one.
    Step { run: u32, blocking: bool },
    /// A blocking send that was complete at once.
    Nobody,
}

impl Owner {
    /// As two words, which go in registers: an owner that is handed over through memory is slow to read from there.
    #[inline(always)]
    fn words(self) -> (u64, u64) {
        match self {
            Owner::Request { rank, id } => (0, u64::from(rank) | u64::from(id.get()) << 32),
            Owner::Step { run, blocking } => (1, u64::from(run) | u64::from(blocking) << 32),
            Owner::Nobody => (2, 0),
        }
    }

    #[inline(always)]
    fn of_words((kind, words): (u64, u64)) -> Owner {
        match kind {
            0 => Owner::Request { rank: words as u32, id: RequestId::new((words >> 32) as u32) },
            1 => Owner::Step { run: words as u32, blocking: words >> 32 != 0 },
            _ => Owner::Nobody,
        }
    }
}

/// Where the bytes of a message are meanwhile.
#[derive(Debug, Default)]
pub(crate) enum Held {
    /// Nowhere: only the size counts.
    #[default]
    Nothing,
    /// In the sender's memory.
    Memory(u64),
    /// With us.
    Buffer(Vec<u8>),
}

/// How far the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journey {
    /// They have not left.
    Waiting,
    /// A request to send is on its way.
    Requested,
    /// The grant is on its way back.
    Granted,
    /// They wait for what they need to leave.
    Queued,
    /// They are on their way.
    Moving,
    /// They have arrived, and wait for the receiver's processor.
    AtDoor,
    /// The receiver's processor takes them.
    Receiving,
    /// They have arrived.
    Arrived,
    /// They had arrived when a receive came, and are copied to where it wants them.
    Copying,
    /// The message was delivered or discarded: its place is free.
    Over,
}

/// No receive has matched.
pub(crate) const UNMATCHED: u32 = u32::MAX;
/// Receives from here on are steps of schedules: then comes whether the schedule stops for it, then the number of its run.
const STEP: u32 = 1 << 31;
const STEP_BLOCKS: u32 = 30;

/// The step that a receive is, if it is one.
pub(crate) fn step_of(receive: u32) -> Option<Owner> {
    let (run, blocking) = (receive & !(STEP | 1 << STEP_BLOCKS), receive >> STEP_BLOCKS & 1 != 0);
    (receive >= STEP).then_some(Owner::Step { run, blocking })
}

/// A message on its way: two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Message {
    pub key: Key,
    pub bytes: u64,
    pub from: u32,
    pub to: u32,
    /// What sent it.
    pub owner: Owner,
    /// The receive that takes it, or `UNMATCHED`.
    pub receive: u32,
    pub way: Way,
    pub journey: Journey,
    /// Taken back while something of it was on its way: gone when that arrives.
    pub cancelled: bool,
    /// Is the sender to be told on delivery? Not if it is free already.
    pub sender_waits: bool,
    /// Are the bytes still in the sender's memory although its request is complete?
    pub lent: bool,
    /// Could its bytes not move because the receiver was not there?
    waited_for: bool,
    /// Its place among those of this pair of ranks.
    place: Place,
    pub sent: Time,
    /// When it was sent by ideal clocks ([`crate::ideal`]); of one whose sender waits, from when they meet on, when they do.
    pub ideal: Time,
    /// When its bytes started to move, and when they had arrived.
    pub departed: Time,
    pub arrived: Time,
    pub held: Held,
    /// The call that sent it.
    pub origin: Origin,
}

impl Message {
    /// Nobody has taken it.
    pub(crate) fn is_unreceived(&self) -> bool {
        self.receive == UNMATCHED && self.journey != Journey::Over
    }

    /// The how-manyth of the run it is, where that is counted.
    pub(crate) fn turn(&self) -> u64 {
        self.place.turn()
    }

    /// How its receive completes, if it fits.
    pub(crate) fn completion(&self) -> Completion {
        let (source, tag, bytes) = (self.key.source as i32, self.key.tag, self.bytes);
        Completion { source, tag, bytes, ..Completion::empty(0) }
    }
}

/// A receive that waits for its message.
#[derive(Debug)]
pub(crate) struct Receive {
    pub key: Key,
    pub rank: u32,
    pub room: u64,
    pub address: u64,
    pub owner: Owner,
}

/// What a send is made of.
pub(crate) struct Outgoing<'a> {
    pub from: u32,
    pub to: u32,
    pub key: Key,
    pub bytes: u64,
    pub payload: Payload<'a>,
    pub mode: SendMode,
    pub owner: Owner,
    pub origin: Origin,
}

/// Contexts from here on belong to collectives.
pub(crate) const COLLECTIVE_CONTEXTS: u64 = 1 << 32;

/// What a message is a part of, by the context it is matched in.
fn scope_of(key: &Key) -> Scope {
    match key.context.checked_sub(COLLECTIVE_CONTEXTS) {
        Some(number) => Scope::Collective(number),
        None => Scope::Comm(ContextId::new(key.context as u32)),
    }
}

impl<M: Memory> Engine<M> {
    /// A send starts. Inlined up to where the message is in its place: what it is made of is still in registers then, while it
    /// would be slow to read again from where it had just been stored in pieces.
    #[inline(always)]
    pub(crate) fn send(&mut self, outgoing: Outgoing<'_>) {
        let Outgoing { from, to, key, bytes, payload, mode, owner, origin } = outgoing;
        let way = self.protocol.way(mode, bytes);
        let sender_waits = way.sender_waits();
        let (place, held, sent) =
            (self.next_place(from, to), self.hold_message(payload, way, to, key), self.kernel.now());
        let ideal = self.ideal_now(owner, from);
        let id = self.messages.insert(Message {
            key,
            bytes,
            from,
            to,
            owner,
            receive: UNMATCHED,
            way,
            journey: Journey::Waiting,
            cancelled: false,
            sender_waits,
            lent: false,
            waited_for: false,
            place,
            sent,
            ideal,
            departed: sent,
            arrived: sent,
            held,
            origin,
        });
        self.set_out(id, way, owner.words(), bytes);
    }

    /// A message that has just been sent sets out.
    #[inline(never)]
    fn set_out(&mut self, id: u32, way: Way, owner: (u64, u64), bytes: u64) {
        let owner = Owner::of_words(owner);
        if let Owner::Request { rank, id: request } = owner {
            self.ranks[rank as usize].requests[request.index()].behind = id;
        }
        if self.graphs.is_some() {
            return self.hand_over_send(id);
        }
        if !way.sender_waits() {
            self.free_copied(id, owner, bytes);
        }
        match way {
            Way::Push | Way::Held => self.start_moving(id),
            Way::Rendezvous if self.protocol.handshake => return self.start_control(id, Journey::Requested),
            Way::Pull | Way::Rendezvous => {}
        }
        if !way.leaves_at_once() || self.protocol.envelope == Envelope::AtSend {
            self.make_visible(id);
        }
    }

    /// A receive starts: takes a waiting message or waits for one.
    #[inline(always)]
    pub(crate) fn receive(&mut self, receive: Receive) -> u32 {
        let Receive { rank, key, .. } = receive;
        let id = self.enter_receive(receive);
        self.post(rank, key, id);
        id
    }

    /// The same, of a receive that has a number already.
    #[inline(always)]
    pub(crate) fn post(&mut self, rank: u32, key: Key, id: u32) {
        let waiting = &mut self.matching[rank as usize];
        match waiting.unexpected.take_accepted(key) {
            Some(message) => self.join(message, id, true),
            None => waiting.posted.push(key, id),
        }
    }

    /// A receive of a schedule starts: its run is all there is to know of it, so it needs no place of its own.
    pub(crate) fn receive_step(&mut self, rank: u32, key: &Key, run: u32, blocking: bool) {
        let taker = STEP | u32::from(blocking) << STEP_BLOCKS | run;
        let waiting = &mut self.matching[rank as usize];
        match waiting.unexpected.take_accepted(*key) {
            Some(message) => self.join(message, taker, true),
            None => waiting.posted.push(*key, taker),
        }
    }

    /// A receive starts for a message that a probe has taken.
    pub(crate) fn receive_taken(&mut self, receive: Receive, message: u32) -> u32 {
        let id = self.enter_receive(receive);
        self.join(message, id, true);
        id
    }

    /// Gives a receive a number.
    #[inline(always)]
    pub(crate) fn enter_receive(&mut self, receive: Receive) -> u32 {
        self.receives.insert(receive)
    }

    /// Something of a message has crossed the network.
    pub(crate) fn transfer_ended(&mut self, id: u32) {
        let message = &mut self.messages[id];
        match message.journey {
            Journey::Requested => {
                message.journey = Journey::Waiting;
                self.make_visible(id);
            }
            Journey::Granted => self.start_moving(id),
            Journey::Queued => {
                message.journey = Journey::Moving;
                message.departed = self.kernel.now();
                self.departed(id);
            }
            Journey::Copying => self.deliver(id),
            Journey::Moving if self.protocol.processor.is_some() => self.take_arrival(id),
            Journey::Receiving => {
                message.journey = Journey::Arrived;
                message.arrived = self.kernel.now();
                let (to, matched) = (message.to, message.receive != UNMATCHED);
                if matched {
                    let turn = message.turn();
                    self.count_from(to, turn);
                    self.free_rank(to);
                }
                self.serve_older(to);
                if matched {
                    self.deliver(id);
                }
            }
            Journey::Moving => {
                message.journey = Journey::Arrived;
                message.arrived = self.kernel.now();
                self.arrived(id);
            }
            Journey::Waiting | Journey::AtDoor | Journey::Arrived | Journey::Over => {
                unreachable!("nothing of this message was on its way")
            }
        }
    }

    fn start_moving(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.journey = Journey::Moving;
        message.departed = self.kernel.now();
        let (from, to, bytes) = (message.from, message.to, message.bytes);
        match self.start_transfer(from, to, bytes, id) {
            Departure::Now => self.departed(id),
            Departure::Later => self.messages[id].journey = Journey::Queued,
        }
    }

    /// The processor has time for a message that waited for it.
    pub(crate) fn begin_send(&mut self, id: u32) {
        let (from, to) = (self.messages[id].from, self.messages[id].to);
        let place = self.next_place(from, to);
        let message = &mut self.messages[id];
        message.place = place;
        let (owner, sender_waits) = (message.owner, message.sender_waits);
        self.start_moving(id);
        if !sender_waits {
            self.free_sender(id, owner);
        }
    }

    /// The bytes of a message move. Perhaps its sender waited for just that.
    fn departed(&mut self, id: u32) {
        let &Message { way, sender_waits, owner, bytes, .. } = &self.messages[id];
        if way == Way::Rendezvous && sender_waits && self.protocol.rendezvous != Rendezvous::Delivered {
            self.messages[id].sender_waits = false;
            match self.protocol.rendezvous {
                Rendezvous::Copied => self.free_copied(id, owner, bytes),
                _ => self.free_sender(id, owner),
            }
        }
    }

    /// The sender is free once the bytes have been copied out of its memory.
    fn free_copied(&mut self, id: u32, owner: Owner, bytes: u64) {
        let span = self.protocol.copy_out(bytes);
        if span.is_zero() || owner == Owner::Nobody {
            return self.free_sender(id, owner);
        }
        self.lend(id, owner);
        let later = self.later.insert(owner) as u32;
        self.kernel.start_timer(span, token::complete(later));
    }

    /// Somebody who was to be told later that a send is complete.
    pub(crate) fn complete_later(&mut self, id: u32) {
        let owner = self.later.remove(id as usize);
        self.complete(owner, Completion::empty(0), Time::ZERO);
    }

    fn start_control(&mut self, id: u32, journey: Journey) {
        let message = &mut self.messages[id];
        message.journey = journey;
        let (from, to) = match journey {
            Journey::Granted => (message.to, message.from),
            _ => (message.from, message.to),
        };
        let departure = self.start_transfer(from, to, 0, id);
        debug_assert_eq!(departure, Departure::Now, "requests and grants do not queue");
    }

    fn start_transfer(&mut self, from: u32, to: u32, bytes: u64, message: u32) -> Departure {
        let (from, to) = (self.hosts[from as usize], self.hosts[to as usize]);
        self.kernel.start_transfer(Transfer { from, to, bytes }, token::transfer(message))
    }

    fn arrived(&mut self, id: u32) {
        let message = &self.messages[id];
        if message.receive != UNMATCHED {
            self.deliver(id);
        } else if message.way.leaves_at_once() && self.protocol.envelope == Envelope::OnArrival {
            self.make_visible(id);
        } else if message.cancelled {
            self.discard(id);
        }
    }

    /// The receiver can match the message, once it can match all earlier ones of the same sender.
    pub(crate) fn make_visible(&mut self, id: u32) {
        if self.protocol.envelope != Envelope::OnArrival {
            return self.announce(id);
        }
        let place = self.messages[id].place;
        if self.orders.is_next(place, id) {
            self.announce(id);
            while let Some(next) = self.orders.next_early(place) {
                self.announce(next);
            }
        }
    }

    fn next_place(&mut self, from: u32, to: u32) -> Place {
        match self.protocol.envelope {
            Envelope::AtSend => Place::default(),
            Envelope::OnArrival => self.orders.next_place(from, to),
            Envelope::InOrder => Place::of_run(self.processors.next_turn()),
        }
    }

    fn announce(&mut self, id: u32) {
        let message = &self.messages[id];
        let (key, to) = (message.key, message.to);
        if message.cancelled {
            return self.discard(id);
        }
        let waiting = &mut self.matching[to as usize];
        match waiting.posted.take_accepting(&key) {
            Some(receive) => self.join(id, receive, false),
            None => {
                waiting.unexpected.push(key, id);
                self.wake_prober(to, &key);
            }
        }
    }

    /// A message and a receive have found each other; `late` if the message could be seen before the receive was there.
    fn join(&mut self, id: u32, receive: u32, late: bool) {
        let message = &mut self.messages[id];
        message.receive = receive;
        if message.way.sender_waits() && self.ideal.is_some() {
            self.meet_ideal(id, receive);
        }
        let message = &self.messages[id];
        match message.journey {
            Journey::Arrived => {
                let copy = self.protocol.late_copy(message.bytes);
                if !late || copy.is_zero() {
                    self.matched(id);
                    return self.deliver(id);
                }
                self.copy_late(id, copy);
            }
            Journey::Moving | Journey::Queued | Journey::AtDoor | Journey::Receiving => self.matched(id),
            _ => {
                let granted = message.way == Way::Rendezvous && self.protocol.handshake;
                self.messages[id].waited_for = late;
                match granted {
                    true => self.start_control(id, Journey::Granted),
                    false => self.start_moving(id),
                }
            }
        }
        if self.early {
            self.found_each_other(id, receive);
        }
    }

    /// A receive has matched a message whose bytes have left. Perhaps its sender waited for just that.
    fn matched(&mut self, id: u32) {
        if self.graphs.is_some() {
            return self.graph_matched(id);
        }
        let &Message { way, sender_waits, owner, from, to, .. } = &self.messages[id];
        let turn = self.count_from_match(to);
        if turn != 0 {
            self.messages[id].place = Place::of_run(turn);
        }
        if way == Way::Held && sender_waits {
            self.messages[id].sender_waits = false;
            self.count_from_match(from);
            self.free_rank(from);
            self.free_sender(id, owner);
        }
    }

    /// The message came before its receive: it is copied from where it was kept.
    fn copy_late(&mut self, id: u32, copy: Duration) {
        self.messages[id].journey = Journey::Copying;
        self.matched(id);
        self.kernel.start_timer(copy, token::transfer(id));
    }

    fn deliver(&mut self, id: u32) {
        let message = &self.messages[id];
        let &Message {
            bytes,
            from,
            to,
            sent,
            departed,
            arrived,
            owner,
            sender_waits,
            waited_for,
            receive,
            ..
        } = message;
        let (tag, scope) = (message.key.tag, scope_of(&message.key));
        let (completion, ideal) = (message.completion(), message.ideal);
        // Before its bytes are copied: while a processor has much to store, it is slow to read what it has just stored.
        let delivered = self.kernel.now();
        self.recorder.message(record::Message {
            from,
            to,
            bytes,
            tag,
            scope,
            sent,
            departed,
            arrived,
            delivered,
            awaited: sender_waits,
            held: waited_for && departed > sent,
        });
        let (receiver, truncated) = match step_of(receive) {
            Some(step) => (step, false),
            None => self.end_receive(id, receive),
        };
        self.end_message(id);
        if sender_waits {
            self.complete(owner, Completion::empty(0), Time::ZERO);
        }
        self.complete(receiver, Completion { truncated, ..completion }, ideal);
    }

    /// Gives a receive its bytes; gives who is to be told, and whether they did not fit.
    fn end_receive(&mut self, id: u32, receive: u32) -> (Owner, bool) {
        let &Receive { room, owner, .. } = &self.receives[receive];
        let truncated = self.messages[id].bytes > room;
        if !truncated {
            self.copy_payload(id, receive);
        }
        self.receives.release(receive);
        (owner, truncated)
    }

    /// A send or receive is complete: tells its owner. By ideal clocks it is not before `ideal`.
    #[inline(always)]
    pub(crate) fn complete(&mut self, owner: Owner, completion: Completion, ideal: Time) {
        match owner {
            Owner::Request { rank, id } => self.request_done(rank, id, completion, ideal),
            Owner::Step { run, blocking } => {
                if ideal > Time::ZERO
                    && let Some(clocks) = &mut self.ideal
                {
                    clocks.end_step(run, blocking, ideal);
                }
                self.step_done(run, blocking);
            }
            Owner::Nobody => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_two_cache_lines() {
        assert_eq!(size_of::<Message>(), 128);
    }
}
