//! Messages and receives on their way to each other.
//!
//! ```text
//!            Push                    Pull                   Rendezvous
//! send     bytes leave              –                      – (or a request leaves)
//! visible  at send or on arrival    at send                at send (or when the request arrives)
//! matched  –                        bytes leave            bytes leave (or a grant leaves, then they do)
//! sender   free at once             free at once           free when the bytes have arrived
//! ```
//!
//! A message is delivered when its bytes have arrived and a receive has matched it.

use mpirage_call::{Completion, Payload, SendMode};
use mpirage_kernel::Transfer;
use mpirage_record::Record;
use mpirage_units::Time;

use crate::diagnosis::Origin;
use crate::engine::Engine;
use crate::matching::Key;
use crate::memory::Memory;
use crate::protocol::{Envelope, Way};
use crate::token;

/// Who is told that a send or a receive is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A request of a rank.
    Request { rank: u32, id: u32 },
    /// A step of a schedule; `blocking` if the schedule stops for this very one.
    Step { run: u32, blocking: bool },
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
    /// They are on their way.
    Moving,
    /// They have arrived.
    Arrived,
}

#[derive(Debug)]
pub(crate) struct Message {
    pub key: Key,
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub held: Held,
    /// What sent it.
    owner: Owner,
    /// Taken back while something of it was on its way: gone when that arrives.
    cancelled: bool,
    /// To be told on delivery; none if the sender is free already.
    pub sender: Option<Owner>,
    /// A completed request of the sender in whose memory the bytes still are.
    pub lender: Option<(u32, u32)>,
    pub receive: Option<u32>,
    pub way: Way,
    pub journey: Journey,
    /// Number of the message among those of this pair of ranks.
    pub order: u32,
    pub sent: Time,
    /// The call that sent it.
    pub origin: Origin,
}

/// A receive that waits for its message.
#[derive(Debug)]
pub(crate) struct Receive {
    pub key: Key,
    pub rank: u32,
    pub room: u64,
    pub address: u64,
    pub owner: Owner,
    pub message: Option<u32>,
}

/// Keeps the messages of a pair of ranks in order.
#[derive(Debug, Default)]
pub(crate) struct PairOrder {
    sent: u32,
    seen: u32,
    early: Vec<(u32, u32)>,
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
}

/// Contexts from here on belong to collectives.
pub(crate) const COLLECTIVE_CONTEXTS: u64 = 1 << 32;

impl Message {
    /// How its receive completes, if it fits.
    pub(crate) fn completion(&self) -> Completion {
        let source = self.key.source.map_or(-1, |source| source as i32);
        Completion { source, tag: self.key.tag.unwrap_or(-1), bytes: self.bytes, ..Completion::empty(0) }
    }
}

impl<M: Memory> Engine<M> {
    /// A send starts.
    pub(crate) fn send(&mut self, outgoing: Outgoing<'_>) {
        let Outgoing { from, to, key, bytes, payload, mode, owner } = outgoing;
        let way = self.protocol.way(mode, bytes);
        let waits = way == Way::Rendezvous;
        let held = self.hold(payload);
        let order = self.next_order(from, to);
        let id = self.messages.insert(Message {
            key,
            from,
            to,
            bytes,
            held,
            owner,
            cancelled: false,
            sender: waits.then_some(owner),
            lender: None,
            receive: None,
            way,
            journey: Journey::Waiting,
            order,
            sent: self.kernel.now(),
            origin: Origin::of(&self.ranks[from as usize].stamp),
        }) as u32;
        if let Owner::Request { rank, id: request } = owner {
            self.ranks[rank as usize].requests[request as usize].sent = Some(id);
        }
        if !waits {
            self.free_sender(id, owner);
        }
        match way {
            Way::Push => self.start_moving(id),
            Way::Rendezvous if self.protocol.handshake => self.start_control(id, Journey::Requested),
            Way::Pull | Way::Rendezvous => {}
        }
        let arrives_first = way == Way::Push && self.protocol.envelope == Envelope::OnArrival;
        if !arrives_first && self.messages[id as usize].journey != Journey::Requested {
            self.make_visible(id);
        }
    }

    /// A receive starts: takes a waiting message or waits for one.
    pub(crate) fn receive(&mut self, receive: Receive) -> u32 {
        let (rank, key) = (receive.rank as usize, receive.key);
        let id = self.receives.insert(receive) as u32;
        match self.ranks[rank].unexpected.take_accepted(&key) {
            Some(message) => self.join(message, id),
            None => self.ranks[rank].posted.push(key, id),
        }
        id
    }

    /// A receive starts for a message that a probe has taken.
    pub(crate) fn receive_taken(&mut self, receive: Receive, message: u32) -> u32 {
        let id = self.receives.insert(receive) as u32;
        self.join(message, id);
        id
    }

    /// Something of a message has crossed the network.
    pub(crate) fn transfer_ended(&mut self, id: u32) {
        let message = &mut self.messages[id as usize];
        match message.journey {
            Journey::Requested => {
                message.journey = Journey::Waiting;
                self.make_visible(id);
            }
            Journey::Granted => self.start_moving(id),
            Journey::Moving => {
                message.journey = Journey::Arrived;
                self.arrived(id);
            }
            Journey::Waiting | Journey::Arrived => unreachable!("nothing of this message was on its way"),
        }
    }

    /// Takes back the message of a request that nobody has matched. False if it is too late for that.
    pub(crate) fn cancel_send(&mut self, rank: u32, request: u32) -> bool {
        let Some(id) = self.ranks[rank as usize].requests[request as usize].sent else { return false };
        // A number may be another message's by now, but never another one's of the same request.
        let same = |message: &&Message| message.owner == Owner::Request { rank, id: request };
        let Some(message) = self.messages.get(id as usize).filter(same) else { return false };
        let (key, to, journey) = (message.key, message.to, message.journey);
        let visible = self.ranks[to as usize].unexpected.take_value(&key, id);
        let arrives_first = journey == Journey::Moving && self.protocol.envelope == Envelope::OnArrival;
        let on_its_way = journey == Journey::Requested || arrives_first;
        if !visible && !on_its_way {
            return false;
        }
        self.messages[id as usize].cancelled = true;
        if matches!(journey, Journey::Waiting | Journey::Arrived) {
            self.discard(id);
        }
        true
    }

    /// Forgets a message that was taken back.
    fn discard(&mut self, id: u32) {
        let message = self.messages.remove(id as usize);
        if let Some((rank, request)) = message.lender {
            self.ranks[rank as usize].requests[request as usize].lent = None;
        }
        if let Held::Buffer(buffer) = message.held {
            self.buffers.push(buffer);
        }
    }

    /// Copies bytes that a completed request still lends, because its rank may now write over them.
    pub(crate) fn reclaim(&mut self, rank: u32, id: u32) {
        let slot = &mut self.ranks[rank as usize].requests[id as usize];
        if let Some(message) = slot.lent.take() {
            self.take_over(message);
        }
    }

    /// Moves the bytes of a message from the sender's memory to ours.
    pub(crate) fn take_over(&mut self, id: u32) {
        let message = &mut self.messages[id as usize];
        message.lender = None;
        if let Held::Memory(address) = message.held {
            let mut buffer = self.buffers.pop().unwrap_or_default();
            buffer.resize(message.bytes as usize, 0);
            self.memory.read(message.from, address, &mut buffer);
            message.held = Held::Buffer(buffer);
        }
    }

    fn hold(&mut self, payload: Payload<'_>) -> Held {
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

    /// The sender need not wait. A blocking send's bytes are copied now, a request's when it is waited for.
    fn free_sender(&mut self, id: u32, owner: Owner) {
        if let (Owner::Request { rank, id: request }, Held::Memory(_)) =
            (owner, &self.messages[id as usize].held)
        {
            if request == mpirage_call::BLOCKING {
                self.take_over(id);
            } else {
                self.ranks[rank as usize].requests[request as usize].lent = Some(id);
                self.messages[id as usize].lender = Some((rank, request));
            }
        }
        self.complete(owner, Completion::empty(0));
    }

    fn start_moving(&mut self, id: u32) {
        let message = &mut self.messages[id as usize];
        message.journey = Journey::Moving;
        let (from, to, bytes) = (message.from, message.to, message.bytes);
        self.start_transfer(from, to, bytes, id);
    }

    fn start_control(&mut self, id: u32, journey: Journey) {
        let message = &mut self.messages[id as usize];
        message.journey = journey;
        let (from, to) = match journey {
            Journey::Granted => (message.to, message.from),
            _ => (message.from, message.to),
        };
        self.start_transfer(from, to, 0, id);
    }

    fn start_transfer(&mut self, from: u32, to: u32, bytes: u64, message: u32) {
        let (from, to) = (self.ranks[from as usize].host, self.ranks[to as usize].host);
        self.kernel.start_transfer(Transfer { from, to, bytes }, token::transfer(message));
    }

    fn arrived(&mut self, id: u32) {
        let message = &self.messages[id as usize];
        if message.receive.is_some() {
            self.deliver(id);
        } else if message.way == Way::Push && self.protocol.envelope == Envelope::OnArrival {
            self.make_visible(id);
        } else if message.cancelled {
            self.discard(id);
        }
    }

    /// The receiver can match the message, once it can match all earlier ones of the same sender.
    fn make_visible(&mut self, id: u32) {
        if self.protocol.envelope == Envelope::AtSend {
            return self.announce(id);
        }
        let message = &self.messages[id as usize];
        let pair = (message.from, message.to);
        let order = self.orders.entry(pair).or_default();
        order.early.push((message.order, id));
        while let Some(next) = self.next_in_order(pair) {
            self.announce(next);
        }
    }

    fn next_in_order(&mut self, pair: (u32, u32)) -> Option<u32> {
        let order = self.orders.get_mut(&pair)?;
        let at = order.early.iter().position(|&(number, _)| number == order.seen)?;
        order.seen += 1;
        Some(order.early.swap_remove(at).1)
    }

    fn next_order(&mut self, from: u32, to: u32) -> u32 {
        if self.protocol.envelope == Envelope::AtSend {
            return 0;
        }
        let order = self.orders.entry((from, to)).or_default();
        order.sent += 1;
        order.sent - 1
    }

    fn announce(&mut self, id: u32) {
        let message = &self.messages[id as usize];
        let (key, to) = (message.key, message.to as usize);
        if message.cancelled {
            return self.discard(id);
        }
        match self.ranks[to].posted.take_accepting(&key) {
            Some(receive) => self.join(id, receive),
            None => {
                self.ranks[to].unexpected.push(key, id);
                self.wake_prober(to as u32, &key);
            }
        }
    }

    /// A message and a receive have found each other.
    fn join(&mut self, id: u32, receive: u32) {
        self.receives[receive as usize].message = Some(id);
        let message = &mut self.messages[id as usize];
        message.receive = Some(receive);
        match message.journey {
            Journey::Arrived => return self.deliver(id),
            Journey::Moving => {}
            _ if message.way == Way::Rendezvous && self.protocol.handshake => {
                self.start_control(id, Journey::Granted)
            }
            _ => self.start_moving(id),
        }
        if self.early {
            self.found_each_other(id, receive);
        }
    }

    fn deliver(&mut self, id: u32) {
        let message = self.messages.remove(id as usize);
        let receive =
            self.receives.remove(message.receive.expect("only matched messages are delivered") as usize);
        if let Some((rank, request)) = message.lender {
            self.ranks[rank as usize].requests[request as usize].lent = None;
        }
        let truncated = message.bytes > receive.room;
        let completion = Completion { truncated, ..message.completion() };
        if !truncated {
            self.copy_payload(&message, &receive);
        }
        if let Held::Buffer(buffer) = message.held {
            self.buffers.push(buffer);
        }
        self.recorder.record(&Record::Message {
            from: message.from,
            to: message.to,
            bytes: message.bytes,
            tag: message.key.tag.unwrap_or(0),
            sent: message.sent,
            delivered: self.kernel.now(),
            collective: message.key.context >= COLLECTIVE_CONTEXTS,
        });
        if let Some(sender) = message.sender {
            self.complete(sender, Completion::empty(0));
        }
        self.complete(receive.owner, completion);
    }

    fn copy_payload(&mut self, message: &Message, receive: &Receive) {
        if receive.address == 0 || message.bytes == 0 {
            return;
        }
        match &message.held {
            Held::Nothing => {}
            Held::Buffer(buffer) => self.memory.write(receive.rank, receive.address, buffer),
            Held::Memory(address) => {
                self.copy_between((message.from, *address), (receive.rank, receive.address), message.bytes);
            }
        }
    }

    /// Copies bytes from one rank's memory to another's.
    pub(crate) fn copy_between(&mut self, from: (u32, u64), to: (u32, u64), bytes: u64) {
        self.scratch.resize(bytes as usize, 0);
        self.memory.read(from.0, from.1, &mut self.scratch);
        self.memory.write(to.0, to.1, &self.scratch);
    }

    /// A send or receive is complete: tells its owner.
    fn complete(&mut self, owner: Owner, completion: Completion) {
        match owner {
            Owner::Request { rank, id } => self.request_done(rank, id, completion),
            Owner::Step { run, blocking } => self.step_done(run, blocking),
        }
    }
}
