//! The life of a message, from its send to its delivery.
//!
//! ```text
//!            Push, Buffered          Pull           Rendezvous                               Held
//! send     bytes leave              –              – (or a request leaves)                  bytes leave
//! visible  at send or on arrival    at send        at send (or when the request arrives)    at send or on arrival
//! matched  –                        bytes leave    bytes leave (or a grant, then they)      the sender is free
//! sender   free at once, when       free at once   free when they leave, have been copied   free when matched
//!          copied, or (Buffered)    or when copied out of its memory, or have arrived
//!          when the network has them
//! ```
//!
//! A message is delivered when its bytes have arrived and a receive has matched it. Some libraries send more than a request
//! and a grant ([`Handshake`]):
//!
//! ```text
//! Grant    Requested → Waiting → Granted → Moving → Arrived            the sender is free when the network has the bytes
//! Confirm  Requested → Waiting → Granted → Moving → Answered → Confirmed → Arrived      ... when the answer is there
//! Read     Requested → Waiting → Granted → Moving → Arrived, Told → Over                ... when it is told
//! ```

use mpirage_call::{Completion, LineId, RankId};
use mpirage_kernel::{Departure, Milestone};
use mpirage_record as record;
use mpirage_units::{Duration, Time};

use super::matching::{Key, Probe};
use super::message::{Message, Outgoing, Owner, Receive, Taker, TransferState};
use super::order::SequenceNumber;
use super::state::{Env, Event, Reception, Transport};
use crate::due::Due;
use crate::ids::{DelayedId, MessageId, ReceiveId};
use crate::memory::Memory;
use crate::observe::Observers;
use crate::protocol::{Envelope, Handshake, Rendezvous, TransferMode};
use crate::wire::{End, Wire};

impl Transport {
    /// Makes a message of a send. Inlined: the parts of the message are still in registers, while a copy of them in memory
    /// would stall on store forwarding.
    #[inline(always)]
    pub(crate) fn add<M: Memory>(&mut self, env: &mut Env<'_, M>, outgoing: Outgoing<'_>) -> MessageId {
        let Outgoing { from, to, key, bytes, payload, mode, working_set, owner, origin, ideal } = outgoing;
        let mode = self.protocol.transfer_mode(mode, bytes);
        let (place, held, sent) =
            (self.next_place(env, from, to), self.hold(env, payload, mode, to, key), env.wire.now());
        self.messages.insert(Message {
            key,
            bytes,
            from,
            to,
            owner,
            taker: None,
            mode,
            working_set,
            state: TransferState::Waiting,
            cancelled: false,
            sender_waits: mode.sender_waits(),
            lent: false,
            waited_for: false,
            unexpected: false,
            place,
            sent,
            ideal,
            departed: sent,
            arrived: sent,
            held,
            origin,
        })
    }

    /// A message that has just been made sets out. True if its send is complete at once; the caller takes care of that.
    #[inline(never)]
    pub(crate) fn set_out<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) -> bool {
        let mode = self.messages[id].mode;
        let complete = !mode.sender_waits() && self.copy_or_lend(env, id);
        match mode {
            TransferMode::Push | TransferMode::Held | TransferMode::Buffered => self.start_moving(env, id),
            TransferMode::Rendezvous if self.protocol.handshake != Handshake::None => {
                self.start_control(env, id, TransferState::Requested);
                return complete;
            }
            TransferMode::Pull | TransferMode::Rendezvous => {}
        }
        if !mode.leaves_at_once() || self.protocol.envelope == Envelope::AtSend {
            self.make_visible(env, id);
        }
        complete
    }

    /// The sender's processor has time for a message that waited for it.
    pub(crate) fn set_out_late<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let (from, to) = (self.messages[id].from, self.messages[id].to);
        self.messages[id].place = self.next_place(env, from, to);
        self.start_moving(env, id);
        if !self.messages[id].sender_waits {
            self.free_sender(env, id);
        }
    }

    /// Makes a receive, which is not posted yet.
    #[inline(always)]
    pub(crate) fn add_receive(&mut self, receive: Receive) -> ReceiveId {
        self.receives.insert(receive)
    }

    /// Posts a receive: it takes a waiting message or waits for one.
    #[inline(always)]
    pub(crate) fn post<M: Memory>(&mut self, env: &mut Env<'_, M>, rank: RankId, key: Key, taker: Taker) {
        let queues = &mut self.queues[rank.index()];
        match queues.unexpected.take_accepted(key) {
            Some(message) => self.join(env, message, taker, true),
            None => queues.posted.push(key, taker),
        }
    }

    /// Posts a receive for a message that a matched probe has taken.
    pub(crate) fn post_matched<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        message: MessageId,
        receive: ReceiveId,
    ) {
        self.join(env, message, Taker::Receive(receive), true);
    }

    /// Looks for a message that no receive has taken; takes it out of the queue if `probe.take`.
    pub(crate) fn probe(&mut self, rank: RankId, probe: &Probe) -> Option<MessageId> {
        let queue = &mut self.queues[rank.index()].unexpected;
        if probe.take { queue.take_accepted(probe.key) } else { queue.find_accepted(&probe.key) }
    }

    /// A line waits in a probe: [`Event::Probed`] reports a message that may be the one.
    pub(crate) fn await_message(&mut self, line: LineId, rank: RankId, probe: Probe) {
        self.probes.push((line, rank, probe));
    }

    /// A transfer or copy of a message has reached a milestone.
    pub(crate) fn transfer_event<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        id: MessageId,
        milestone: Milestone,
    ) -> Reception {
        let now = env.wire.now();
        let message = &mut self.messages[id];
        match (milestone, message.state) {
            (Milestone::Departed, TransferState::Queued) => {
                message.state = TransferState::Moving;
                message.departed = now;
                self.departed(env, id);
            }
            (Milestone::BufferFree, TransferState::Moving) => self.buffer_free(env, id),
            (Milestone::Failed, state) => {
                let (from, to) = state.direction(message);
                self.events.push(Event::Failed { from, to });
            }
            (Milestone::Ended, TransferState::Requested) => {
                message.state = TransferState::Waiting;
                self.make_visible(env, id);
            }
            (Milestone::Ended, TransferState::Granted) => self.start_moving(env, id),
            (Milestone::Ended, TransferState::Answered | TransferState::Told) => self.sender_knows(env, id),
            (Milestone::Ended, TransferState::Copying) => self.deliver(env, id),
            (Milestone::Ended, TransferState::Moving) if self.protocol.processor.is_some() => {
                message.state = TransferState::AtInterface;
                return Reception::AtInterface;
            }
            (Milestone::Ended, TransferState::Receiving) => {
                message.state = TransferState::Arrived;
                message.arrived = now;
                return Reception::Taken;
            }
            (Milestone::Ended, TransferState::Moving) if self.protocol.is_confirmed(message.mode) => {
                self.start_control(env, id, TransferState::Answered);
            }
            (Milestone::Ended, TransferState::Moving | TransferState::Confirmed) => {
                message.state = TransferState::Arrived;
                message.arrived = now;
                self.arrived(env, id);
            }
            (milestone, state) => unreachable!("{milestone:?} of a message that is {state:?}"),
        }
        Reception::None
    }

    /// The receiver's processor takes a message for `span`: it is visible from here on.
    pub(crate) fn start_receiving<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId, span: Duration) {
        self.messages[id].state = TransferState::Receiving;
        env.wire.start_timer(span, Due::Transfer(id));
        self.make_visible(env, id);
    }

    /// The bytes of a send have been copied out of the sender's memory.
    pub(crate) fn delayed_complete(&mut self, id: DelayedId) {
        let (owner, ideal) = self.delayed.remove(id);
        self.complete(owner, Completion::empty(0), ideal);
    }

    /// Delivers a message that has arrived and matched.
    pub(crate) fn deliver<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &self.messages[id];
        // Before the bytes are copied: right after a large copy, reads of what was just stored are slow.
        env.observers.message(record::MessageRecord {
            from: message.from.get(),
            to: message.to.get(),
            bytes: message.bytes,
            tag: message.key.tag,
            scope: message.scope(),
            sent: message.sent,
            departed: message.departed,
            arrived: message.arrived,
            delivered: env.wire.now(),
            awaited: message.sender_waits,
            held: message.waited_for && message.departed > message.sent,
            unexpected: message.unexpected,
        });
        let (receiver, truncated) = match message.taker {
            Some(Taker::Receive(receive)) => self.end_receive(env, id, receive),
            Some(Taker::Step { run, awaited }) => (Owner::Step { run, awaited }, false),
            None => (Owner::None, false),
        };
        let message = &self.messages[id];
        let (completion, ideal, sender_ideal) = (message.completion(), message.ideal, message.sender_ideal());
        let (owner, sender_waits, message_mode) = (message.owner, message.sender_waits, message.mode);
        let receives = Completion { truncated, ..completion };
        if self.protocol.handshake == Handshake::Read && message_mode == TransferMode::Rendezvous {
            // The receive has the bytes and is over: nothing moves them again while the notice goes to the sender.
            env.data.release(&mut self.messages[id].held);
            self.start_control(env, id, TransferState::Told);
            return self.complete(receiver, receives, ideal);
        }
        self.end_message(env, id);
        if sender_waits {
            self.complete(owner, Completion::empty(0), sender_ideal);
        }
        self.complete(receiver, receives, ideal);
    }

    /// Takes back the message of a send that no receive has matched. False if it is too late for that.
    pub(crate) fn cancel_send<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        owner: Owner,
        id: MessageId,
    ) -> bool {
        // The entry may hold another message by now, but never another one of the same request.
        let &Message { key, to, state, owner: current, .. } = &self.messages[id];
        if state == TransferState::Over || current != owner {
            return false;
        }
        // A message that is being copied out completes by itself, and soon.
        if self.protocol.copy_out_seconds_per_byte > 0.0 {
            return false;
        }
        let visible = self.queues[to.index()].unexpected.take_value(&key, id);
        let moves =
            matches!(state, TransferState::Moving | TransferState::Queued | TransferState::AtInterface);
        let arrives_first = moves && self.protocol.envelope != Envelope::AtSend;
        if !visible && state != TransferState::Requested && !arrives_first {
            return false;
        }
        self.messages[id].cancelled = true;
        if matches!(state, TransferState::Waiting | TransferState::Arrived) {
            self.end_message(env, id);
        }
        true
    }

    /// Takes back a receive that has not matched. False if it has.
    pub(crate) fn cancel_receive(&mut self, id: ReceiveId) -> bool {
        let &Receive { key, rank, .. } = &self.receives[id];
        let posted = self.queues[rank.index()].posted.take_value(&key, Taker::Receive(id));
        if posted {
            self.receives.release(id);
        }
        posted
    }

    /// The request of a send was freed: its number may be used again, so the message must not know it any more.
    pub(crate) fn disown_send(&mut self, id: Option<MessageId>, owner: Owner) {
        let message = id.map(|id| &mut self.messages[id].owner);
        let delayed = self.delayed.iter_mut().map(|(owner, _)| owner);
        delayed.chain(message).filter(|known| **known == owner).for_each(|known| *known = Owner::None);
    }

    /// The same for a receive.
    pub(crate) fn disown_receive(&mut self, id: ReceiveId) {
        self.receives[id].owner = Owner::None;
    }

    /// Takes what completes with the receive of a message, which is reported before the message is delivered.
    pub(crate) fn take_receiver(&mut self, taker: Taker) -> Owner {
        match taker {
            Taker::Receive(id) => std::mem::replace(&mut self.receives[id].owner, Owner::None),
            Taker::Step { run, awaited } => Owner::Step { run, awaited },
        }
    }

    #[inline(always)]
    fn start_moving<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &mut self.messages[id];
        message.state = TransferState::Moving;
        message.departed = env.wire.now();
        match start_transfer(env.wire, message, id, Some(message.bytes)) {
            Departure::Now => self.departed(env, id),
            Departure::Later => message.state = TransferState::Queued,
        }
    }

    /// The bytes of a message move. The sender may have waited for just that.
    #[inline(always)]
    fn departed<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let &Message { mode, sender_waits, .. } = &self.messages[id];
        if mode == TransferMode::Rendezvous
            && sender_waits
            && self.protocol.rendezvous != Rendezvous::Delivered
        {
            self.messages[id].sender_waits = false;
            match self.protocol.rendezvous {
                Rendezvous::Copied => self.free_copied(env, id),
                _ => self.free_sender(env, id),
            }
        }
    }

    /// The network holds all bytes of a message: a sender that waited for their delivery need not wait any longer.
    fn buffer_free<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let waits_for_more = matches!(self.protocol.handshake, Handshake::Confirm | Handshake::Read);
        let message = &mut self.messages[id];
        let frees = match message.mode {
            TransferMode::Rendezvous => !waits_for_more,
            mode => mode == TransferMode::Buffered,
        };
        if frees && std::mem::take(&mut message.sender_waits) {
            self.free_sender(env, id);
        }
    }

    /// The sender knows that the receiver has the bytes: it is free. If the receiver waits for a confirmation, it confirms.
    fn sender_knows<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &mut self.messages[id];
        let (delivered, owner) = (message.state == TransferState::Told, message.owner);
        let (waits, ideal) = (std::mem::take(&mut message.sender_waits), message.sender_ideal());
        if delivered {
            self.end_message(env, id);
        } else {
            if waits {
                self.lend(env, id);
            }
            self.start_control(env, id, TransferState::Confirmed);
        }
        if waits {
            self.complete(owner, Completion::empty(0), ideal);
        }
    }

    fn start_control<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId, state: TransferState) {
        self.messages[id].state = state;
        let departure = start_transfer(env.wire, &self.messages[id], id, None);
        debug_assert_eq!(departure, Departure::Now, "requests and grants do not queue");
    }

    fn arrived<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &self.messages[id];
        if message.taker.is_some() {
            self.deliver(env, id);
        } else if message.mode.leaves_at_once() && self.protocol.envelope == Envelope::OnArrival {
            self.make_visible(env, id);
        } else if message.cancelled {
            self.end_message(env, id);
        }
    }

    /// The receiver can match the message, once it can match all earlier ones of the same sender.
    #[inline(always)]
    fn make_visible<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        if self.protocol.envelope != Envelope::OnArrival {
            return self.announce(env, id);
        }
        self.announce_in_order(env, id);
    }

    #[inline(never)]
    fn announce_in_order<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let place = self.messages[id].place;
        if self.orders.is_next(place, id) {
            self.announce(env, id);
            while let Some(next) = self.orders.next_early(place) {
                self.announce(env, next);
            }
        }
    }

    #[inline(always)]
    fn next_place<M>(&mut self, env: &mut Env<'_, M>, from: RankId, to: RankId) -> SequenceNumber {
        match self.protocol.envelope {
            Envelope::AtSend => SequenceNumber::default(),
            Envelope::OnArrival => self.orders.next_place(from, to),
            Envelope::InOrder => SequenceNumber::of_run(env.occupancy.next_turn()),
        }
    }

    #[inline(always)]
    fn announce<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &self.messages[id];
        let (key, to) = (message.key, message.to);
        if message.cancelled {
            return self.end_cancelled(env, id);
        }
        let queues = &mut self.queues[to.index()];
        match queues.posted.take_accepting(&key) {
            Some(taker) => self.join(env, id, taker, false),
            None => {
                queues.unexpected.push(key, id);
                if !self.probes.is_empty() {
                    self.wake_prober(to, &key);
                }
            }
        }
    }

    #[cold]
    fn end_cancelled<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        self.end_message(env, id);
    }

    #[cold]
    fn wake_prober(&mut self, rank: RankId, key: &Key) {
        let waits = |(_, of, probe): &(LineId, RankId, Probe)| *of == rank && probe.key.accepts(key);
        if let Some(at) = self.probes.iter().position(waits) {
            let (line, _, probe) = self.probes.remove(at);
            self.events.push(Event::Probed { line, probe });
        }
    }

    /// A message and a receive have matched; `late` if the message was visible before the receive was posted.
    #[inline(never)]
    fn join<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId, taker: Taker, late: bool) {
        let message = &mut self.messages[id];
        message.taker = Some(taker);
        message.unexpected = late && !message.state.is_on_its_way();
        if env.observers.has_ideal() {
            self.meet(env.observers, id, taker);
        }
        let message = &self.messages[id];
        match message.state {
            TransferState::Arrived => {
                let copy = self.protocol.late_copy(message.bytes);
                if !late || copy.is_zero() {
                    self.matched(env, id);
                    return self.deliver(env, id);
                }
                self.copy_late(env, id, copy);
            }
            TransferState::Moving
            | TransferState::Queued
            | TransferState::AtInterface
            | TransferState::Receiving => self.matched(env, id),
            _ => {
                let granted =
                    message.mode == TransferMode::Rendezvous && self.protocol.handshake != Handshake::None;
                self.messages[id].waited_for = late;
                match granted {
                    true => self.start_control(env, id, TransferState::Granted),
                    false => self.start_moving(env, id),
                }
            }
        }
        if self.reports_matches {
            self.events.push(Event::Matched { message: id, taker });
        }
    }

    /// By ideal clocks, a message whose sender waits is sent when both sender and receiver have come.
    #[inline(never)]
    fn meet(&mut self, observers: &mut Observers, id: MessageId, taker: Taker) {
        let message = &mut self.messages[id];
        let Some(clocks) = observers.ideal().filter(|_| message.mode.waits_for_receiver()) else { return };
        let posted = match taker {
            Taker::Receive(receive) => self.receives[receive].posted,
            Taker::Step { run, .. } => clocks.take_posted(run, message.key.source, message.key.tag as u16),
        };
        message.ideal = message.ideal.max(posted);
    }

    /// A receive has matched a message whose bytes have left. The sender may have waited for just that.
    fn matched<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        if self.protocol.processor.is_none() && self.messages[id].mode != TransferMode::Held {
            return;
        }
        let &Message { mode, sender_waits, from, to, .. } = &self.messages[id];
        if env.occupancy.has_graphs() {
            return self.matched_in_graph(env, id);
        }
        if let Some(turn) = env.occupancy.count_from_match(to) {
            self.messages[id].place = SequenceNumber::of_run(turn);
        }
        if mode == TransferMode::Held && sender_waits {
            self.messages[id].sender_waits = false;
            env.occupancy.count_from_match(from);
            env.occupancy.free_rank(from, env.wire.now());
            self.free_sender(env, id);
        }
    }

    /// For ranks that are graphs, send and receive are complete as soon as they match: their ends are known. Lower ranks are
    /// told first.
    fn matched_in_graph<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &mut self.messages[id];
        let (from, to, owner) = (message.from, message.to, message.owner);
        let waited = std::mem::replace(&mut message.sender_waits, false);
        let (completion, ideal, sender_ideal) = (message.completion(), message.ideal, message.sender_ideal());
        let Some(taker) = message.taker else { return };
        let receiver = self.take_receiver(taker);
        env.occupancy.graph_matched(id, (from, to), waited, env.wire.now());
        if waited && from <= to {
            self.complete(owner, Completion::empty(0), sender_ideal);
        }
        self.complete(receiver, completion, ideal);
        if waited && from > to {
            self.complete(owner, Completion::empty(0), sender_ideal);
        }
    }

    /// The message came before its receive: it is copied from where the library kept it.
    fn copy_late<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId, copy: Duration) {
        self.messages[id].state = TransferState::Copying;
        self.matched(env, id);
        env.wire.start_timer(copy, Due::Transfer(id));
    }

    /// Gives a receive its bytes; gives what completes with it, and whether they did not fit.
    fn end_receive<M: Memory>(
        &mut self,
        env: &mut Env<'_, M>,
        id: MessageId,
        receive: ReceiveId,
    ) -> (Owner, bool) {
        let &Receive { room, owner, .. } = &self.receives[receive];
        let truncated = self.messages[id].bytes > room;
        if !truncated {
            self.copy_payload(env.data, id, receive);
        }
        self.receives.release(receive);
        (owner, truncated)
    }

    /// Frees what a message holds, and its entry.
    #[inline(always)]
    fn end_message<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        let message = &mut self.messages[id];
        message.state = TransferState::Over;
        env.data.release(&mut message.held);
        let owner = message.owner;
        self.end_loan(id);
        if self.protocol.copy_out_seconds_per_byte > 0.0 {
            self.events.push(Event::Over { owner, message: id });
        }
        self.messages.release(id);
    }

    /// The sender is free once the bytes have been copied out of its memory.
    fn free_copied<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        if self.copy_or_lend(env, id) {
            let message = &self.messages[id];
            self.complete(message.owner, Completion::empty(0), message.sender_ideal());
        }
    }

    /// The bytes of a message are copied out of the sender's memory, or stay there. True if that takes no time.
    #[inline(always)]
    fn copy_or_lend<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) -> bool {
        self.lend(env, id);
        self.protocol.copy_out_seconds_per_byte == 0.0 || self.copy_out(env, id)
    }

    /// Starts to copy the bytes of a message out of the sender's memory. True if that takes no time.
    #[inline(never)]
    fn copy_out<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) -> bool {
        let &Message { owner, bytes, .. } = &self.messages[id];
        let span = self.protocol.copy_out(bytes);
        if span.is_zero() || owner == Owner::None {
            return true;
        }
        let delayed = self.delayed.insert((owner, self.messages[id].sender_ideal()));
        env.wire.start_timer(span, Due::SendComplete(delayed));
        false
    }

    /// The sender need not wait. A blocking send's bytes are copied now, a request's when it is waited for.
    fn free_sender<M: Memory>(&mut self, env: &mut Env<'_, M>, id: MessageId) {
        self.lend(env, id);
        let message = &self.messages[id];
        self.complete(message.owner, Completion::empty(0), message.sender_ideal());
    }

    #[inline(always)]
    pub(super) fn complete(&mut self, owner: Owner, completion: Completion, ideal: Time) {
        if owner != Owner::None {
            self.events.push(Event::Complete { owner, completion, ideal });
        }
    }
}

/// Starts a transfer of a message, or of a request or grant for it.
#[inline(always)]
fn start_transfer(wire: &mut Wire, message: &Message, id: MessageId, bytes: Option<u64>) -> Departure {
    let (from, to) = message.state.direction(message);
    wire.start_transfer((End::Rank(from), End::Rank(to)), message.stream(), bytes, Due::Transfer(id))
}
