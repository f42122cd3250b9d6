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
//! - an interface sends and receives messages with a gap between them;
//! - a short message waits at each link for those before it, and for what flows have in the queue there (`wires`);
//! - a long message is a flow; flows share links equally (max-min) and weigh ε on the way back. Its first burst waits for the bursts
//!   of its host that were there before, its rest for those that its host had queued by then;
//! - the messages of a connection, control messages too, arrive in their order: what follows a long message waits (`queues`);
//! - a connection whose window is smaller than what fits on its way waits for acknowledgements (`windows`);
//! - the sender is free when all of its message but the send buffer is acknowledged.

mod interfaces;
mod physics;
mod queues;
#[cfg(test)]
mod tests;
mod windows;
mod wires;

use std::sync::Arc;

use mpirage_fair::Sharing;
use mpirage_kernel::{Agenda, Cargo, Departure, Event, Milestone, Model, NetworkModel, Token, Transfer};
use mpirage_platform::Platform;
use mpirage_units::{Duration, Time, draw};

use self::interfaces::{Interfaces, User};
use self::queues::{Front, MessageId, PartEnd, Queues, StreamMessage};
use self::windows::{Passage, Windows};
use self::wires::{Burst, Load, Wires};
use crate::flow_parameters::FlowParameters;
use crate::paths::Paths;
use crate::route_cache::Path;

pub use self::physics::{Framing, Lateness, Physics, Trailer};

/// So small a part of the bytes of a flow does not count: flows that end so close to each other do so together. A solution for many flows at one
/// instant costs as much as one for a single flow.
const NEGLIGIBLE: f64 = 0.005;
/// By so small a part of the time that a flow takes may it begin later, with others.
const SLACK: f64 = 0.01;

/// A network of shared links under byte streams.
pub struct StreamNetwork {
    physics: Physics,
    header: u64,
    paths: Paths,
    sharing: Sharing,
    queues: Queues,
    interfaces: Interfaces,
    wires: Wires,
    windows: Windows,
    agenda: Agenda<Due>,
    /// Messages that have come to their hosts: random numbers differ by it.
    arrivals: u64,
    /// The size of the last protocol message and of the last other one, each with its delay at the hosts: they often have the same size.
    delays: [(u64, Duration); 2],
    /// Reused: flows that have ended at an instant.
    ended: Vec<u64>,
}

/// An event on the agenda.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// A short message reaches a link.
    Hop(MessageId),
    /// A short message has reached its host.
    BurstOver(MessageId),
    /// The rest of a message joins its host's queue after its burst.
    Queue(MessageId),
    /// The last byte of a long message has reached its host.
    MessageOver(MessageId),
    /// A message starts to use links as a flow.
    Launch(MessageId),
    /// The sender of a message is free.
    BufferFree(MessageId),
    /// The receiver has a message.
    Arrival(MessageId),
    /// The sender of a message within a host is free.
    BufferFreeWithin(Token),
    /// The last byte of a protocol message that is in no stream is at an interface, and its receiver has it some time later.
    Received { token: Token, receives: u32, rank: u32, delay: Duration },
    /// The receiver has a message that was in no stream.
    ArrivalOutside(Token),
}

impl StreamNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters, physics: Physics) -> StreamNetwork {
        StreamNetwork {
            header: parameters.header,
            interfaces: Interfaces::new(
                platform.interfaces().count(platform.host_count()),
                physics.gap,
                parameters.crowd.clone(),
            ),
            queues: Queues::new(physics.send_buffer),
            wires: Wires::new(Arc::clone(&platform), parameters.contention),
            windows: Windows::new(physics.initial_window),
            sharing: Sharing::new()
                .with_tolerance(parameters.sharing_tolerance)
                .ending_together(parameters.sharing_tolerance.max(NEGLIGIBLE))
                .keeping_ended(),
            paths: Paths::new(platform, parameters),
            agenda: Agenda::new(),
            arrivals: 0,
            delays: [(u64::MAX, Duration::ZERO); 2],
            ended: Vec::new(),
            physics,
        }
    }

    /// A message to another rank of the same host: neither frames nor interfaces. Times that were measured there contain requests and answers.
    fn start_within(&mut self, now: Time, transfer: &Transfer, token: Token) {
        if transfer.cargo == Cargo::Control {
            return self.agenda.push(now, Due::ArrivalOutside(token));
        }
        let path = self.paths.of(transfer, &mut self.sharing);
        let span = path.latency + path.footprint.span_alone(transfer.bytes as f64);
        if self.physics.send_buffer.is_some() {
            self.agenda.push(now, Due::BufferFreeWithin(token));
        }
        self.agenda.push(now + Duration::from_secs_f64(span), Due::ArrivalOutside(token));
    }

    /// A protocol message crosses idle links as one event, and no stream holds it, if its connection is quiet: nothing can come before it or after it
    /// in between. False if it has to go the long way.
    fn pass_idle(&mut self, now: Time, transfer: &Transfer, token: Token) -> bool {
        if transfer.cargo != Cargo::Control || !self.queues.is_quiet(transfer) {
            return false;
        }
        let StreamNetwork { physics, paths, sharing, wires, interfaces, .. } = self;
        let (sends, receives) = (paths.number(transfer.sends()), paths.number(transfer.receives()));
        let leaves = now.max(interfaces.next_send(sends));
        let burst = Burst::new(&physics.framing, physics.control, leaves);
        let last = paths.with_links(transfer, sharing, |route| wires.cross_idle(leaves, route, &burst));
        let Some(last) = last else { return false };
        let connection = transfer.connection;
        interfaces.send(sends, User { rank: connection.source, bytes: transfer.bytes }, leaves);
        let delay = self.delay(transfer);
        self.agenda.push(last, Due::Received { token, receives, rank: connection.target, delay });
        true
    }

    /// How many bytes of a message may leave its host before the rest waits for others.
    fn burst(&mut self, now: Time, transfer: &Transfer) -> u64 {
        let Physics { burst, turn, .. } = self.physics;
        if burst == turn {
            return burst;
        }
        let Some((link, _)) = self.paths.nth_link(transfer, 0, &mut self.sharing) else { return burst };
        self.physics.burst_behind(self.wires.unsent(now, link))
    }

    /// A message sets out when the interface of its host is free.
    fn depart(&mut self, now: Time, id: MessageId) {
        let transfer = &self.queues.message(id).transfer;
        let user = User { rank: transfer.connection.source, bytes: transfer.bytes };
        let leaves = self.interfaces.send(self.paths.number(transfer.sends()), user, now);
        match self.queues.message(id).is_short() {
            true if leaves > now => self.agenda.push(leaves, Due::Hop(id)),
            true => self.hop(now, id),
            false => self.depart_as_flow(leaves, id),
        }
    }

    /// A long message is a flow from the beginning. Its burst leaves in the order of bursts.
    fn depart_as_flow(&mut self, leaves: Time, id: MessageId) {
        let StreamNetwork { physics, paths, sharing, queues, wires, agenda, .. } = self;
        let (message, rest) = (queues.message(id), queues.rest(id));
        let path = paths.of(&message.transfer, sharing);
        let latency = first_byte(physics, path, rest);
        let slack = slack(physics, path, wires, rest);
        let Some(&link) = path.route.first() else {
            return agenda.push(next_step(leaves + latency, slack), Due::Launch(id));
        };
        let burst = Burst::new(&physics.framing, physics.turn.max(message.burst()).min(rest), leaves);
        let is_free = wires.free(link) <= leaves;
        let crossing = wires.reserve(leaves, link, &burst);
        // The interface takes frames ahead of the wire: the queue has room once the first of a burst has left.
        if message.burst() > 0 {
            agenda.push(if is_free { crossing.frame_sent } else { crossing.begins }, Due::Queue(id));
        }
        agenda.push(next_step(crossing.begins + latency, slack), Due::Launch(id));
    }

    /// A message follows a long one in its stream: it waits. Its first byte could be at the receiver by a date.
    fn wait_in_stream(&mut self, now: Time, id: MessageId) {
        let date = now + self.latency(id);
        self.queues.set_ready(id, date);
    }

    /// Latency of the first frame of a message's rest to the target host over idle links, without its time on the slowest link.
    fn latency(&mut self, id: MessageId) -> Duration {
        let path = self.paths.like(&self.queues.message(id).transfer, &mut self.sharing);
        first_byte(&self.physics, path, self.queues.rest(id))
    }

    /// A short message comes to the next link of its route.
    fn hop(&mut self, now: Time, id: MessageId) {
        let StreamNetwork { physics, paths, sharing, queues, wires, agenda, .. } = self;
        let at = queues.message(id).hop();
        let link = paths.nth_link(&queues.message(id).transfer, at, sharing);
        let burst = match at {
            0 => Burst::new(&physics.framing, queues.next_part(id), now),
            _ => queues.message(id).crossing(),
        };
        let Some((link, is_last)) = link else { return agenda.push(now, Due::BurstOver(id)) };
        let backlog = if at == 0 { physics.backlog_of_host() } else { physics.backlog_of_switch() };
        let crossing = wires.cross(now, link, &burst, backlog);
        queues.set_crossing(id, Burst { last: crossing.last, ..burst });
        match is_last {
            true => agenda.push(crossing.last, Due::BurstOver(id)),
            false => agenda.push(crossing.next, Due::Hop(id)),
        }
    }

    /// The rest of a message joins its host's queue after its burst, behind the bursts of others.
    fn queue_rest(&mut self, id: MessageId) {
        let first = self.paths.nth_link(&self.queues.message(id).transfer, 0, &mut self.sharing);
        if let Some((link, _)) = first {
            self.queues.set_turn(id, self.wires.free(link));
        }
    }

    /// A message uses links as a flow with its next part, at a date or now.
    fn launch_at(&mut self, now: Time, date: Time, id: MessageId) {
        if date <= now {
            return self.launch(now, id);
        }
        let StreamNetwork { physics, paths, sharing, queues, wires, agenda, .. } = self;
        let path = paths.of(&queues.message(id).transfer, sharing);
        let slack = slack(physics, path, wires, queues.rest(id));
        agenda.push(next_step(date, slack), Due::Launch(id));
    }

    fn launch(&mut self, now: Time, id: MessageId) {
        let StreamNetwork { physics, paths, sharing, queues, wires, .. } = self;
        let (rest, goes_on) = (physics.framing.wire_bytes(queues.rest(id)), queues.has_begun(id));
        if !goes_on {
            queues.set_begin(id, now);
        }
        let wire_bytes = physics.framing.wire_bytes(queues.next_part(id));
        let path = paths.of(&queues.message(id).transfer, sharing);
        let left = now.before(Duration::from_secs_f64(path.latency));
        let has_waited = !goes_on && queues.message(id).ready > Time::ZERO;
        wires.add_flow(id.0, &path.route, &Load { left, comes: now, bytes: rest, goes_on, has_waited });
        let flow = sharing.prepare(&path.footprint, wire_bytes as f64, id.0.into());
        queues.set_flow(id, flow);
        sharing.launch(now, flow);
    }

    /// Links carry so many bytes of a message, as a flow.
    fn carry(&mut self, now: Time, id: MessageId, wire_bytes: f64) {
        let StreamNetwork { paths, sharing, queues, .. } = self;
        let path = paths.of(&queues.message(id).transfer, sharing);
        let flow = sharing.prepare(&path.footprint, wire_bytes, id.0.into());
        queues.set_flow(id, flow);
        sharing.launch(now, flow);
    }

    /// The flow of a message goes on: where it is, if it has kept its place.
    fn go_on(&mut self, now: Time, id: MessageId, wire_bytes: f64) {
        let stays = self.queues.message(id).flow().is_some_and(|flow| self.sharing.go_on(flow, wire_bytes));
        if !stays {
            self.carry(now, id, wire_bytes);
        }
    }

    /// A flow has carried its bytes. It goes on for what short messages have taken, and for the next part of its message if nothing is between.
    fn flow_over(&mut self, now: Time, id: MessageId) {
        let StreamNetwork { sharing, queues, wires, .. } = self;
        let negligible = NEGLIGIBLE * queues.message(id).bytes() as f64;
        if let Some(owed) = wires.settle(id.0, negligible) {
            return self.go_on(now, id, owed);
        }
        let end = queues.part_over(id);
        if end == PartEnd::Inside {
            let wire_bytes = self.physics.framing.wire_bytes(queues.next_part(id));
            self.go_on(now, id, wire_bytes as f64);
            return self.free_senders(now, id);
        }
        queues.message(id).flow().inspect(|&flow| sharing.cancel(now, flow));
        wires.remove_flow(id.0);
        self.part_ended(now, id, end);
    }

    /// A burst has crossed all links.
    fn burst_over(&mut self, now: Time, id: MessageId) {
        let end = self.queues.part_over(id);
        self.part_ended(now, id, end);
    }

    fn part_ended(&mut self, now: Time, id: MessageId, end: PartEnd) {
        self.free_senders(now, id);
        match end {
            PartEnd::OfBurst => {
                let date = self.queues.message(id).turn + self.latency(id);
                self.launch_at(now, date, id);
            }
            PartEnd::Inside => self.launch(now, id),
            PartEnd::OfMessage => self.last_byte_left(now, id),
        }
    }

    /// The links have carried a message. It comes later by what its sender waited for acknowledgements.
    fn last_byte_left(&mut self, now: Time, id: MessageId) {
        let waits = if self.queues.message(id).is_short() { Duration::ZERO } else { self.waits(now, id) };
        if waits.is_zero() {
            self.message_over(now, id);
        } else {
            self.agenda.push(now + waits, Due::MessageOver(id));
        }
    }

    /// Time that the sender of a long message waited for acknowledgements.
    fn waits(&mut self, now: Time, id: MessageId) -> Duration {
        let StreamNetwork { physics, paths, sharing, queues, windows, .. } = self;
        let message = queues.message(id);
        let path = paths.like(&message.transfer, sharing);
        let frame = physics.framing.first_frame(message.bytes());
        let seconds = Duration::from_secs_f64;
        let passage = Passage {
            bytes: message.bytes(),
            begins: message.begins,
            ends: now,
            round_trip: seconds(
                2.0 * path.latency
                    + frame as f64 * path.forwarding
                    + path.footprint.span_alone(2.0 * frame as f64),
            ),
            alone: seconds(path.footprint.span_alone(physics.framing.wire_bytes(message.bytes()) as f64)),
        };
        windows.wait(queues.connection(id), &passage)
    }

    /// The last byte of a message is at its host. It waits there for those before it in the stream; what waits behind it follows.
    fn message_over(&mut self, now: Time, id: MessageId) {
        let mut next = self.queues.complete(id);
        while let Some(Front::Complete(id)) = next {
            self.queues.acknowledge(id);
            self.free_senders(now, id);
            self.arrive(now, id);
            next = self.queues.leave(id);
        }
        if let Some(Front::Waits(id)) = next {
            self.follow(now, id);
        }
    }

    /// A message follows the one before it in its stream. A protocol message takes so little of the links that no flow becomes slower by it.
    fn follow(&mut self, now: Time, id: MessageId) {
        let StreamNetwork { physics, paths, sharing, queues, agenda, .. } = self;
        let message = queues.message(id);
        let comes = now.max(message.ready);
        if message.transfer.cargo == Cargo::Data {
            return self.launch_at(now, comes, id);
        }
        let path = paths.like(&message.transfer, sharing);
        queues.set_begin(id, now);
        let wire_bytes = physics.framing.wire_bytes(queues.next_part(id));
        let span = path.footprint.span_alone(wire_bytes as f64);
        agenda.push(comes + Duration::from_secs_f64(span), Due::BurstOver(id));
    }

    /// A message is complete and in its order: its receiver gets it.
    fn arrive(&mut self, now: Time, id: MessageId) {
        let transfer = self.queues.message(id).transfer;
        let delay = self.delay(&transfer);
        let user = User { rank: transfer.connection.target, bytes: transfer.bytes };
        let date = self.interfaces.receive(self.paths.number(transfer.receives()), user, now) + delay;
        self.agenda.push(date, Due::Arrival(id));
    }

    /// The time from the last byte at a host to its receiver.
    fn delay(&mut self, transfer: &Transfer) -> Duration {
        let (of_bytes, delay) = self.delays[usize::from(transfer.cargo == Cargo::Data)];
        let delay = if of_bytes == transfer.bytes { delay } else { self.new_delay(transfer) };
        if self.physics.lateness.share == 0.0 { delay } else { delay + self.lateness() }
    }

    #[inline(never)]
    fn new_delay(&mut self, transfer: &Transfer) -> Duration {
        let delay = Duration::from_secs_f64(self.paths.delay(transfer)) + self.physics.software;
        self.delays[usize::from(transfer.cargo == Cargo::Data)] = (transfer.bytes, delay);
        delay
    }

    /// How late the receiver of a message notices it.
    fn lateness(&mut self) -> Duration {
        let Lateness { share, most, seed } = self.physics.lateness;
        self.arrivals += 1;
        let drawn = draw(seed, [self.arrivals, 0]);
        if drawn >= share {
            return Duration::ZERO;
        }
        Duration::from_picos((most.as_picos() as f64 * drawn / share) as u64)
    }

    /// Senders of a stream are free whose last byte the buffer holds: when the acknowledgements are back that make room for it.
    fn free_senders(&mut self, now: Time, id: MessageId) {
        if !self.queues.has_unheld(id) {
            return;
        }
        let back = self.paths.like(&self.queues.message(id).transfer, &mut self.sharing).latency;
        self.hold(now + Duration::from_secs_f64(back), id);
    }

    /// The senders of a stream whose last byte the buffer holds are free at `date`.
    fn hold(&mut self, date: Time, id: MessageId) {
        while let Some(held) = self.queues.take_held(id) {
            self.agenda.push(date, Due::BufferFree(held));
        }
    }
}

/// The time from the departure of so many bytes to the arrival of their first frame over idle links, without its time on the slowest one.
fn first_byte(physics: &Physics, path: &Path, bytes: u64) -> Duration {
    let frame = physics.framing.first_frame(bytes);
    Duration::from_secs_f64(path.latency + frame as f64 * path.forwarding)
}

/// The time by which a flow of so many bytes may begin later, if it shares links: flows that begin together are cheap.
fn slack(physics: &Physics, path: &Path, wires: &mut Wires, bytes: u64) -> Duration {
    match wires.most_flows(&path.route) {
        0 => Duration::ZERO,
        flows => {
            let alone = path.footprint.span_alone(physics.framing.wire_bytes(bytes) as f64);
            Duration::from_secs_f64(SLACK * alone * f64::from(flows))
        }
    }
}

/// The first date from `date` on that is a multiple of the largest power of two of picoseconds up to `slack`; `date` if time ends before.
fn next_step(date: Time, slack: Duration) -> Time {
    let step = 1 << slack.as_picos().max(1).ilog2();
    let picos = date.as_picos().checked_next_multiple_of(step);
    picos.map_or(date, |picos| Time::ZERO + Duration::from_picos(picos))
}

/// Events reported to the kernel.
impl StreamNetwork {
    fn sender_is_free(&mut self, id: MessageId, events: &mut Vec<Event>) {
        let &StreamMessage { token, transfer, .. } = self.queues.message(id);
        if self.queues.sender_is_free(id) && transfer.cargo == Cargo::Data {
            events.push(buffer_free(token));
        }
    }

    fn has_arrived(&mut self, id: MessageId, events: &mut Vec<Event>) {
        let &StreamMessage { token, transfer, .. } = self.queues.message(id);
        if self.queues.has_arrived(id) && transfer.cargo == Cargo::Data {
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
        if self.pass_idle(now, &transfer, token) {
            return Departure::Now;
        }
        let bytes = self.physics.stream_bytes(&transfer, self.header);
        let burst = self.burst(now, &transfer);
        let id = self.queues.write(transfer, token, bytes, burst);
        if self.physics.turn >= self.physics.burst {
            // All connections take turns from the beginning: a flow says that as it is.
            self.queues.forget_burst(id);
        }
        if self.queues.has_unheld(id) {
            self.hold(now, id);
        }
        if self.queues.message(id).waits() {
            self.wait_in_stream(now, id);
        } else {
            self.depart(now, id);
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
            self.flow_over(now, MessageId(id as u32));
        }
        self.ended = ended;
        while let Some(due) = self.agenda.pop_at(now) {
            match due {
                Due::Hop(id) => self.hop(now, id),
                Due::BurstOver(id) => self.burst_over(now, id),
                Due::Queue(id) => self.queue_rest(id),
                Due::Launch(id) => self.launch(now, id),
                Due::MessageOver(id) => self.message_over(now, id),
                Due::BufferFree(id) => self.sender_is_free(id, events),
                Due::Arrival(id) => self.has_arrived(id, events),
                Due::Received { token, receives, rank, delay } => {
                    let user = User { rank, bytes: self.physics.control };
                    let date = self.interfaces.receive(receives, user, now) + delay;
                    self.agenda.push(date, Due::ArrivalOutside(token));
                }
                Due::BufferFreeWithin(token) => events.push(buffer_free(token)),
                Due::ArrivalOutside(token) => events.push(Event::ended(token)),
            }
        }
    }
}
