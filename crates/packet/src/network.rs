//! The kernel's network model: messages become segments, segments frames.
//!
//! Everything that happens is an [`Event`] at an instant. A message enters the stream of its connection; the socket writes
//! it into the send buffer as there is room, and the endpoint makes segments of what is there. A socket has a few frames in
//! the host's queue at a time; when the interface has taken one, the socket may add another, so that sockets of a host take
//! turns. Frames cross one link per event. At the other side the endpoint says how many bytes are there in order, and
//! the messages that are complete are handed to their receivers.

use std::sync::Arc;

use mpirage_kernel::{
    Agenda, Cargo, Departure, Event as Report, Milestone, Model, NetworkModel, Token, Transfer,
};
use mpirage_platform::{LinkId, Platform};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use crate::end::End;
use crate::endpoint::{Endpoint, Lane, Role, Segment};
use crate::event::Event;
use crate::frame::{Frame, Frames};
use crate::ids::{EndId, FrameId, LaneId};
use crate::layer::{LinkLayer, Traffic};
use crate::parameters::PacketParameters;
use crate::port::PortCounts;
use crate::random::Random;
use crate::wires::Wires;

/// The consumer number of the generator that decides who is late.
const LATE: u64 = 2;

/// A network of frames whose connections speak the protocol `E`, over the links `L`.
pub struct PacketNetwork<E: Endpoint, L: LinkLayer = Wires> {
    settings: E::Settings,
    parameters: PacketParameters,
    layer: L,
    frames: Frames<E::Header>,
    ends: Vec<End<E>>,
    /// The first end of the connection between two end points of the caller, the lower one first, on a lane.
    connections: FxHashMap<(u32, u32, LaneId), EndId>,
    agenda: Agenda<Event>,
    late: Random,
}

impl<E: Endpoint> PacketNetwork<E> {
    /// A quiet network without connections, whose switches drop what does not fit.
    pub fn new(
        platform: Arc<Platform>,
        parameters: PacketParameters,
        settings: E::Settings,
    ) -> PacketNetwork<E> {
        let buffer = parameters.hosts.interface_buffer;
        let wires = Wires::new(platform, parameters.links, buffer, parameters.seed);
        PacketNetwork::over(wires, parameters, settings)
    }
}

impl<E: Endpoint, L: LinkLayer> PacketNetwork<E, L> {
    /// A quiet network without connections over some links. The parameters of [`LinkParameters`](crate::LinkParameters) do
    /// not matter: the links have their own.
    pub fn over(layer: L, parameters: PacketParameters, settings: E::Settings) -> PacketNetwork<E, L> {
        PacketNetwork {
            layer,
            late: Random::new(parameters.seed, LATE),
            settings,
            parameters,
            frames: Frames::new(),
            ends: Vec::new(),
            connections: FxHashMap::default(),
            agenda: Agenda::new(),
        }
    }

    /// Every link that has carried something, and what it has counted.
    pub fn link_counts(&self) -> impl Iterator<Item = (LinkId, &PortCounts)> {
        self.layer.counts()
    }

    /// The links and switches.
    pub fn layer(&self) -> &L {
        &self.layer
    }

    /// The links and switches, when the network is no longer needed.
    pub fn into_layer(self) -> L {
        self.layer
    }

    /// The ends of all connections, in the order in which they were opened.
    pub fn endpoints(&self) -> impl Iterator<Item = &E> {
        self.ends.iter().map(|end| &end.endpoint)
    }

    /// The end of the connection at the source of a transfer.
    fn end_of(&mut self, transfer: &Transfer) -> EndId {
        let (source, target) = (transfer.connection.source, transfer.connection.target);
        let lane = self.layer.lane(&transfer.connection);
        let pair = (source.min(target), source.max(target), lane);
        let first = match self.connections.get(&pair) {
            Some(&first) => first,
            None => {
                let first = self.connect(transfer, lane, source > target);
                self.connections.insert(pair, first);
                first
            }
        };
        if source <= target { first } else { first.other() }
    }

    /// Opens a connection; its first end is that of the lower end point, which is the target if `swapped`.
    fn connect(&mut self, transfer: &Transfer, lane: LaneId, swapped: bool) -> EndId {
        let first = EndId::new(self.ends.len());
        let salt = first.index() as u64 ^ self.parameters.seed << 32;
        let paths = [(transfer.from, transfer.to), (transfer.to, transfer.from)]
            .map(|(from, to)| self.layer.path(from, to, salt));
        let out = End::new(E::new(&self.settings, Role::Active), paths[0], lane);
        let back = End::new(E::new(&self.settings, Role::Passive), paths[1], lane);
        self.ends.extend(if swapped { [back, out] } else { [out, back] });
        first
    }

    /// Sends what a socket can send now.
    fn pump(&mut self, now: Time, id: EndId) {
        self.fill(now, id);
        let most = self.parameters.hosts.socket_frames;
        loop {
            let end = &mut self.ends[id.index()];
            let permission = end.permission(most);
            let Some(segment) = end.endpoint.transmit(now, permission) else { break };
            self.send(now, id, segment);
        }
        self.set_timer(id);
    }

    /// Writes messages into the send buffer, and reports those whose last byte is in it.
    fn fill(&mut self, now: Time, id: EndId) {
        let end = &mut self.ends[id.index()];
        end.fill(now);
        for stream in end.lanes() {
            while let Some(token) = stream.next_buffered() {
                self.agenda.push(now, Event::Buffered(token));
            }
        }
    }

    fn send(&mut self, now: Time, id: EndId, segment: Segment<E::Header>) {
        let end = &mut self.ends[id.index()];
        let path = end.path;
        let lane = if E::is_urgent(&segment.header) { LaneId::URGENT } else { end.lane };
        let frame = Frame { segment, sender: id, path, lane, hop: 0, marked: false, tail: now };
        let waits =
            self.layer.send(Traffic { now, frames: &mut self.frames, agenda: &mut self.agenda }, frame);
        end.queued += u32::from(waits);
    }

    fn set_timer(&mut self, id: EndId) {
        let end = &mut self.ends[id.index()];
        if let Some(at) = end.endpoint.timeout().filter(|at| *at < end.timer) {
            end.timer = at;
            self.agenda.push(at, Event::Timer(id));
        }
    }

    fn arrive(&mut self, now: Time, id: FrameId) {
        if let Some(frame) =
            self.layer.arrive(Traffic { now, frames: &mut self.frames, agenda: &mut self.agenda }, id)
        {
            self.receive(now, &frame);
        }
    }

    fn receive(&mut self, now: Time, frame: &Frame<E::Header>) {
        let receiver = frame.sender.other();
        self.ends[receiver.index()].endpoint.receive(now, &frame.segment, frame.marked);
        while let Some((lane, bytes)) = self.ends[receiver.index()].endpoint.delivered() {
            self.hand_over(now, frame.sender, lane, bytes);
        }
        self.pump(now, receiver);
    }

    /// So many bytes of a lane have arrived: the messages that are complete reach their receivers.
    fn hand_over(&mut self, now: Time, sender: EndId, lane: Lane, bytes: u64) {
        while let Some(token) = self.ends[sender.index()].stream(lane).next_complete(bytes) {
            let ready = now + self.parameters.hosts.software + self.lateness();
            let at = self.ends[sender.index()].stream(lane).hand_over(ready);
            self.agenda.push(at, Event::HandOver(token));
        }
    }

    fn lateness(&mut self) -> Duration {
        let hosts = &self.parameters.hosts;
        if !self.late.chance(hosts.late_share) {
            return Duration::ZERO;
        }
        Duration::from_picos((hosts.late_most.as_picos() as f64 * self.late.unit()) as u64)
    }

    fn timer(&mut self, now: Time, id: EndId) {
        let end = &mut self.ends[id.index()];
        // A timer that was set earlier, and again since.
        if end.timer != now {
            return;
        }
        end.timer = Time::MAX;
        if end.endpoint.timeout().is_some_and(|at| at <= now) {
            end.endpoint.on_timeout(now);
        }
        self.pump(now, id);
    }

    /// A message within a host takes latency and bytes / bandwidth.
    fn start_within(&mut self, now: Time, transfer: &Transfer, token: Token) {
        let within = &self.parameters.within;
        let seconds = within.latency + transfer.bytes as f64 / within.bandwidth;
        if transfer.cargo == Cargo::Data {
            self.agenda.push(now, Event::Buffered(token));
        }
        self.agenda.push(now + Duration::from_secs_f64(seconds), Event::HandOver(token));
    }
}

impl<E: Endpoint, L: LinkLayer> NetworkModel for PacketNetwork<E, L> {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        if transfer.from == transfer.to {
            self.start_within(now, &transfer, token);
            return Departure::Now;
        }
        let messages = self.parameters.messages;
        let bytes = match transfer.cargo {
            Cargo::Data => transfer.bytes + u64::from(messages.header),
            Cargo::Control => u64::from(messages.control),
        };
        let id = self.end_of(&transfer);
        self.ends[id.index()].stream(Lane(0)).push(token, transfer.cargo, bytes);
        self.pump(now, id);
        Departure::Now
    }
}

impl<E: Endpoint, L: LinkLayer> Model for PacketNetwork<E, L> {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.agenda.next()
    }

    fn collect(&mut self, now: Time, reports: &mut Vec<Report>) {
        while let Some(event) = self.agenda.pop_at(now) {
            match event {
                Event::Arrival(frame) => self.arrive(now, frame),
                Event::Taken(end) => {
                    self.ends[end.index()].queued -= 1;
                    self.pump(now, end);
                }
                Event::Port(port) => self
                    .layer
                    .resume(Traffic { now, frames: &mut self.frames, agenda: &mut self.agenda }, port),
                Event::Timer(end) => self.timer(now, end),
                Event::Buffered(token) => reports.push(Report { token, milestone: Milestone::BufferFree }),
                Event::HandOver(token) => reports.push(Report::ended(token)),
            }
        }
    }
}
