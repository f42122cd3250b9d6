//! Flows with the physics of a transport: frames, byte streams, interfaces, buffers.
//!
//! [`FlowNetwork`](crate::FlowNetwork) multiplies latency and bandwidth by factors that were measured; here the causes have
//! parameters of their own, in bytes and seconds. A message of s bytes is b = s + header bytes of its connection's stream, and
//!
//! ```text
//! wire = b + frame header · ⌈b / payload⌉          f = min(b, payload) + frame header
//! T = Σ latency + Σ over links but the slowest f / bandwidth + wire / B + software
//! ```
//!
//! alone on its route (the second term only with store and forward), plus the delay of interfaces that its size gives. Among others:
//!
//! - a message leaves when the interface of its host is free: the gap after the last one, or when that one's first burst is on the wire;
//!   after its own first burst, a message waits for the first bursts of others;
//! - the messages of a connection, control messages too, use links one after another;
//! - the fronts of all streams share links equally (max-min), and weigh ε on the way back;
//! - the sender is free when all of its message but the send buffer is acknowledged;
//! - an interface gives messages to receivers with the gap between them.

mod interfaces;
mod physics;
mod queues;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use mpirage_fair::Sharing;
use mpirage_kernel::{Agenda, Cargo, Departure, Event, Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_platform::Platform;
use mpirage_units::{Duration, Time, draw};

use self::interfaces::Interfaces;
use self::queues::{Message, MessageId, PartEnd, Queues, Start};
use crate::flow::{FlowParameters, Paths};

pub use self::physics::{Framing, Lateness, Physics, Trailer};

/// A network of shared links under byte streams.
pub struct StreamNetwork {
    physics: Physics,
    header: u64,
    paths: Paths,
    sharing: Sharing,
    queues: Queues,
    interfaces: Interfaces,
    agenda: Agenda<Due>,
    /// Messages so far: random numbers differ by it.
    started: u64,
    /// Reused: what has ended at an instant.
    ended: Vec<u64>,
}

/// What happens at a date.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// The front of a stream starts to use links.
    Launch(MessageId),
    /// What follows the first burst of a message joins the queue of its host.
    Queue(MessageId),
    /// The sender of a message is free.
    BufferFree(MessageId),
    /// The receiver has a message.
    Arrival(MessageId),
    /// The same of a message that has used no stream.
    ArrivalWithin(Token),
    /// The same of its sender.
    BufferFreeWithin(Token),
}

impl StreamNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters, physics: Physics) -> StreamNetwork {
        StreamNetwork {
            header: parameters.header,
            interfaces: Interfaces::new(platform.host_count(), physics.gap),
            queues: Queues::new(physics.send_buffer),
            paths: Paths::new(platform, parameters),
            sharing: Sharing::new(),
            agenda: Agenda::new(),
            started: 0,
            ended: Vec::new(),
            physics,
        }
    }

    /// A message to another rank of the same host: neither frames nor interfaces.
    fn start_within(&mut self, now: Time, transfer: &Transfer, token: Token) {
        let path = self.paths.of(transfer, &mut self.sharing);
        let span = path.latency + path.footprint.span_alone(transfer.bytes as f64);
        if self.physics.send_buffer.is_some() && transfer.cargo == Cargo::Data {
            self.agenda.push(now, Due::BufferFreeWithin(token));
        }
        self.agenda.push(now + Duration::from_secs_f64(span), Due::ArrivalWithin(token));
    }

    /// A message leaves its host: how much of it at once, and when that can be at the receiver.
    fn depart(&mut self, now: Time, transfer: &Transfer, bytes: u64) -> Start {
        let Physics { framing, burst, turn, .. } = self.physics;
        let delay = self.paths.delay(transfer);
        let path = self.paths.of(transfer, &mut self.sharing);
        let on_wire =
            |bytes: u64| Duration::from_secs_f64(framing.wire_bytes(bytes) as f64 * path.first_link);
        let is_free = self.interfaces.is_free(transfer.from, now);
        let burst = if is_free { burst } else { turn };
        let leaves = self.interfaces.send(transfer.from, now, on_wire(bytes.min(burst)));
        // The interface takes frames ahead of the wire: there is room in the queue once the first of a burst has left.
        let makes_room = if is_free { leaves + on_wire(bytes.min(framing.payload)) } else { leaves };
        let latency = delay + path.latency + framing.first_frame(bytes) as f64 * path.forwarding;
        Start { ready: leaves + Duration::from_secs_f64(latency), burst, makes_room }
    }

    /// The front of a stream starts to use links with its next part, at a date or now.
    fn launch_at(&mut self, now: Time, date: Time, id: MessageId) {
        if date > now {
            self.agenda.push(date, Due::Launch(id));
        } else {
            self.launch(now, id);
        }
    }

    fn launch(&mut self, now: Time, id: MessageId) {
        let StreamNetwork { physics, paths, sharing, queues, .. } = self;
        let wire_bytes = physics.framing.wire_bytes(queues.next_part(id));
        let path = paths.of(&queues.message(id).transfer, sharing);
        let flow = sharing.prepare(&path.footprint, wire_bytes as f64, id.0.into());
        sharing.launch(now, flow);
    }

    /// The part of a message that used links has arrived.
    fn part_over(&mut self, now: Time, id: MessageId) {
        let end = self.queues.part_over(id);
        self.free_senders(now, id);
        match end {
            PartEnd::OfBurst => return self.await_turn(now, id),
            PartEnd::Inside => return self.launch(now, id),
            PartEnd::OfMessage => self.arrive(now, id),
        }
        if let Some(next) = self.queues.leave(id) {
            self.launch_at(now, self.queues.message(next).ready, next);
        }
    }

    /// What follows the first burst of a message joins the queue of its host, behind the bursts of others.
    fn queue_rest(&mut self, id: MessageId) {
        let from = self.queues.message(id).transfer.from;
        self.queues.set_turn(id, self.interfaces.sending_from(from));
    }

    /// The first burst of a message has arrived; the rest follows when its turn has come.
    fn await_turn(&mut self, now: Time, id: MessageId) {
        let &Message { transfer, turn, .. } = self.queues.message(id);
        let path = self.paths.of(&transfer, &mut self.sharing);
        let frame = self.physics.framing.first_frame(self.queues.rest(id));
        let latency = path.latency + frame as f64 * path.forwarding;
        self.launch_at(now, turn + Duration::from_secs_f64(latency), id);
    }

    /// The last byte of a message is at its host.
    fn arrive(&mut self, now: Time, id: MessageId) {
        let to = self.queues.message(id).transfer.to;
        let date = self.interfaces.receive(to, now) + self.physics.software + self.lateness();
        self.agenda.push(date, Due::Arrival(id));
    }

    /// How late the receiver of a message notices it.
    fn lateness(&mut self) -> Duration {
        let Lateness { share, most, seed } = self.physics.lateness;
        if share == 0.0 {
            return Duration::ZERO;
        }
        self.started += 1;
        let drawn = draw(seed, [self.started, 0]);
        if drawn >= share {
            return Duration::ZERO;
        }
        Duration::from_picos((most.as_picos() as f64 * drawn / share) as u64)
    }

    /// Senders of a stream are free whose last byte the buffer holds: when the acknowledgements are back that make room for it.
    fn free_senders(&mut self, now: Time, id: MessageId) {
        if self.physics.send_buffer.is_none() {
            return;
        }
        let transfer = self.queues.message(id).transfer;
        let back = self.paths.of(&transfer, &mut self.sharing).latency;
        self.hold(now + Duration::from_secs_f64(back), id);
    }

    /// The senders of a stream whose last byte the buffer holds are free at `date`.
    fn hold(&mut self, date: Time, id: MessageId) {
        while let Some(held) = self.queues.take_held(id) {
            self.agenda.push(date, Due::BufferFree(held));
        }
    }
}

/// What is reported.
impl StreamNetwork {
    fn sender_is_free(&mut self, id: MessageId, events: &mut Vec<Event>) {
        let (token, cargo) = (self.queues.message(id).token, self.queues.message(id).transfer.cargo);
        if self.queues.sender_is_free(id) && cargo == Cargo::Data {
            events.push(buffer_free(token));
        }
    }

    fn has_arrived(&mut self, id: MessageId, events: &mut Vec<Event>) {
        let (token, cargo) = (self.queues.message(id).token, self.queues.message(id).transfer.cargo);
        if self.queues.has_arrived(id) && cargo == Cargo::Data {
            events.push(buffer_free(token));
        }
        events.push(Event::ended(token));
    }
}

fn buffer_free(token: Token) -> Event {
    Event { token, milestone: Milestone::BufferFree }
}

impl NetworkModel for StreamNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        if transfer.from == transfer.to {
            self.start_within(now, &transfer, token);
            return Departure::Now;
        }
        let bytes = self.physics.stream_bytes(&transfer, self.header);
        let start = self.depart(now, &transfer, bytes);
        let id = self.queues.write(transfer, token, bytes, start);
        if self.physics.send_buffer.is_some() {
            self.hold(now, id);
        }
        if self.queues.is_front(id) {
            self.agenda.push(start.ready, Due::Launch(id));
        }
        if bytes > start.burst {
            self.agenda.push(start.makes_room, Due::Queue(id));
        }
        Departure::Now
    }
}

impl Model for StreamNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        let (due, completion) = (self.agenda.next(), self.sharing.next_completion(now));
        due.into_iter().chain(completion).min()
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        let mut ended = std::mem::take(&mut self.ended);
        self.sharing.collect(now, &mut ended);
        for id in ended.drain(..) {
            self.part_over(now, MessageId(id as u32));
        }
        self.ended = ended;
        while let Some(due) = self.agenda.pop_at(now) {
            match due {
                Due::Launch(id) => self.launch(now, id),
                Due::Queue(id) => self.queue_rest(id),
                Due::BufferFree(id) => self.sender_is_free(id, events),
                Due::Arrival(id) => self.has_arrived(id, events),
                Due::BufferFreeWithin(token) => events.push(buffer_free(token)),
                Due::ArrivalWithin(token) => events.push(Event::ended(token)),
            }
        }
    }
}
