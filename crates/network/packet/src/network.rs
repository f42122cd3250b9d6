//! The kernel's network model: messages become segments, segments frames.
//!
//! Everything that happens is an [`Event`] at an instant. A message enters the stream of its connection; the socket writes
//! it into the send buffer as there is room, and the endpoint makes segments of what is there. A socket has a few frames in
//! the host's queue at a time; when the interface has taken one, the socket may add another, so that sockets of a host take
//! turns. Frames cross one link per event. At the other side the endpoint says how many bytes are there in order, and
//! the messages that are complete are handed to their receivers.

use std::io;
use std::sync::Arc;

use mpirage_kernel::{
    Cargo, ConnectionCounts, ConnectionHistory, ConnectionSample, Departure, Event as Report, InterfaceDelay,
    LinkStatistics, Milestone, Model, NetworkHistory, NetworkModel, NetworkStatistics, QueueHistory,
    QueueSample, Token, Transfer,
};
use mpirage_platform::{HostId, Interface, LinkId, Platform};
use mpirage_units::{Consumer, Duration, Random, Time, scramble};
use rustc_hash::FxHashMap;

use crate::capture::{Ecn, FrameView, Station};
use crate::end::End;
use crate::endpoint::{Endpoint, Lane, Role, Segment};
use crate::event::Event;
use crate::event_queue::EventQueue;
use crate::faults::{self, Fault};
use crate::frame::{Frame, Frames};
use crate::history::{Samples, connection_sample};
use crate::ids::{EndId, FrameId, LaneId, PathId, PortId};
use crate::layer::{Crossing, LinkLayer, Traffic, Upcoming};
use crate::parameters::{PacketParameters, QueueLimit};
use crate::port::PortCounts;
use crate::taps::{CaptureRequest, PathPort, Step, Taps};
use crate::wires::Wires;

/// The consumer number of the generator that decides who is late.
const LATE: Consumer = Consumer(2);

/// The number of routers that a packet may cross, as Linux sets it.
const FIRST_TTL: u8 = 64;

/// Two end points of the caller, the lower one first, a lane, and the interfaces of both.
type ConnectionKey = (u32, u32, LaneId, [u8; 2]);

/// A network of frames whose connections speak the protocol `E`, over the links `L`.
pub struct PacketNetwork<E: Endpoint, L: LinkLayer = Wires> {
    platform: Arc<Platform>,
    settings: E::Settings,
    parameters: PacketParameters,
    interface_delay: InterfaceDelay,
    layer: L,
    frames: Frames<E::Header>,
    ends: Vec<End<E>>,
    /// The first end of each connection.
    connections: FxHashMap<ConnectionKey, EndId>,
    events: EventQueue,
    late: Random,
    taps: Taps,
    faults: Arc<[Fault]>,
    /// Connections over time, if the user asks for them.
    history: Option<Box<Samples<ConnectionSample>>>,
    upcoming: Upcoming,
    /// Frames that captures have not seen.
    seen: Vec<(Crossing, Frame<E::Header>)>,
}

impl<E: Endpoint> PacketNetwork<E> {
    /// A quiet network without connections, whose switches drop what does not fit.
    pub fn new(
        platform: Arc<Platform>,
        parameters: PacketParameters,
        settings: E::Settings,
    ) -> PacketNetwork<E> {
        let wires = Wires::new(Arc::clone(&platform), &parameters);
        PacketNetwork::over(wires, platform, parameters, settings)
    }
}

impl<E: Endpoint, L: LinkLayer> PacketNetwork<E, L> {
    /// A quiet network without connections over some links. The parameters of [`LinkParameters`](crate::LinkParameters) do
    /// not matter: the links have their own.
    pub fn over(
        layer: L,
        platform: Arc<Platform>,
        parameters: PacketParameters,
        settings: E::Settings,
    ) -> PacketNetwork<E, L> {
        PacketNetwork {
            layer,
            platform,
            late: Random::new(parameters.seed, LATE),
            settings,
            parameters,
            interface_delay: InterfaceDelay::default(),
            frames: Frames::new(),
            ends: Vec::new(),
            connections: FxHashMap::default(),
            events: EventQueue::default(),
            taps: Taps::default(),
            faults: Arc::default(),
            history: None,
            upcoming: Upcoming::default(),
            seen: Vec::new(),
        }
    }

    /// Sets how long interfaces keep messages. Called before the first transfer.
    pub fn set_interface_delay(&mut self, delay: InterfaceDelay) {
        self.interface_delay = delay;
    }

    /// Sets the schedule of faults. Called before the first transfer.
    pub fn set_faults(&mut self, faults: Arc<[Fault]>) {
        self.layer.set_faults(Arc::clone(&faults));
        self.faults = faults;
    }

    /// Sets the limits of the queues in front of some links; others have that of the parameters. Called before the first transfer.
    pub fn set_queue_limits(&mut self, limits: &[(LinkId, QueueLimit)]) {
        self.layer.set_queue_limits(limits);
    }

    /// Begins a capture. All captures begin before the first transfer.
    pub fn capture(&mut self, request: CaptureRequest) -> io::Result<()> {
        self.taps.add(request)
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
        let [from, to] = transfer.interfaces;
        let (lower, higher) = if source <= target { (from, to) } else { (to, from) };
        let key = (source.min(target), source.max(target), lane, [lower, higher]);
        let first = match self.connections.get(&key) {
            Some(&first) => first,
            None => {
                let first = self.connect(transfer, lane, source > target);
                self.connections.insert(key, first);
                first
            }
        };
        if source <= target { first } else { first.other() }
    }

    /// Opens a connection; its first end is that of the lower end point, which is the target if `swapped`.
    fn connect(&mut self, transfer: &Transfer, lane: LaneId, swapped: bool) -> EndId {
        let first = EndId::new(self.ends.len());
        let (source, target) = (transfer.connection.source, transfer.connection.target);
        let [sends, receives] = transfer.interfaces;
        let out = Station { host: transfer.from, port: port_of(source, target, sends) };
        let back = Station { host: transfer.to, port: port_of(target, source, receives) };
        let (from, to) = (transfer.sends(), transfer.receives());
        let out = self.end(Role::Active, out, (from, to), lane);
        let back = self.end(Role::Passive, back, (to, from), lane);
        self.ends.extend(if swapped { [back, out] } else { [out, back] });
        first
    }

    fn end(
        &mut self,
        role: Role,
        station: Station,
        (from, to): (Interface, Interface),
        lane: LaneId,
    ) -> End<E> {
        // Both ends of a connection, which come one after the other, take corresponding paths.
        let salt = (self.ends.len() / 2) as u64 ^ self.parameters.seed << 32;
        let path = self.layer.path(from, to, salt);
        if !self.taps.is_empty() {
            self.tap_paths(path, from.host, to.host);
        }
        End::new(E::new(&self.settings, role), station, (path, lane))
    }

    /// Captures see the ports of a path, and of those that its frames may take instead.
    fn tap_paths(&mut self, path: PathId, from: HostId, to: HostId) {
        for path in self.layer.paths().all_like(path) {
            let ports = self.layer.paths().ports_of(path).to_vec();
            let last = ports.len().saturating_sub(1);
            for (at, &port) in ports.iter().enumerate() {
                let link = self.layer.link(port);
                let name = self.platform.link(link).name();
                let (sends, receives) = ((at == 0).then_some(from), (at == last).then_some(to));
                if self.taps.add_port(PathPort { port, link, sends, receives, name: &name }) {
                    self.layer.watch(port);
                }
            }
        }
    }

    /// Captures see the frames that have just been put on links.
    fn show(&mut self) {
        for (crossing, frame) in self.seen.drain(..) {
            let step = Step::of(&frame, &self.layer);
            let [sender, receiver] = [frame.sender, frame.sender.other()].map(|end| &self.ends[end.index()]);
            let ecn = match (frame.segment.markable, frame.marked) {
                (false, _) => Ecn::NotCapable,
                (true, false) => Ecn::Capable,
                (true, true) => Ecn::Marked,
            };
            let view = FrameView {
                source: sender.station,
                target: receiver.station,
                header: E::on_wire(&self.settings, &frame.segment),
                payload: frame.segment.payload,
                ecn,
                hops_left: FIRST_TTL.saturating_sub(frame.hop as u8),
                identification: frame.number,
            };
            self.taps.report(crossing, step, &view);
        }
    }

    /// The history of each direction of each connection.
    fn directions(&self, mut samples: Vec<Vec<ConnectionSample>>) -> Vec<ConnectionHistory> {
        samples.resize_with(self.ends.len(), Vec::new);
        let mut pairs: Vec<(EndId, [u32; 2])> =
            self.connections.iter().map(|(&(lower, higher, ..), &first)| (first, [lower, higher])).collect();
        pairs.sort_unstable_by_key(|(first, _)| first.index());
        let directions = pairs
            .into_iter()
            .flat_map(|(first, [lower, higher])| [(first, lower, higher), (first.other(), higher, lower)]);
        let history = |(end, source, target): (EndId, u32, u32)| ConnectionHistory {
            number: end.index() as u32 / 2,
            source,
            target,
            totals: self.ends[end.index()].endpoint.counts(),
            samples: std::mem::take(&mut samples[end.index()]),
        };
        directions.map(history).collect()
    }

    /// The link layer and the traffic data that it needs.
    fn traffic(&mut self, now: Time) -> (&mut L, Traffic<'_, E::Header>) {
        let PacketNetwork { layer, frames, events, upcoming, seen, .. } = self;
        (layer, Traffic { now, frames, events, upcoming, seen })
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
        self.give_up(now, id);
        if let Some(history) = &mut self.history {
            let endpoint = &self.ends[id.index()].endpoint;
            history.note(id.index(), connection_sample(now, &endpoint.state(), &endpoint.counts()));
        }
    }

    /// Reports that the messages of a socket will not arrive, once, if its connection has failed.
    fn give_up(&mut self, now: Time, id: EndId) {
        let end = &mut self.ends[id.index()];
        if end.endpoint.failure().is_none() || std::mem::replace(&mut end.failed, true) {
            return;
        }
        for side in [id, id.other()] {
            for stream in self.ends[side.index()].lanes() {
                if let Some(token) = stream.first() {
                    self.events.push(now, Event::GivenUp(token));
                }
            }
        }
    }

    /// Reports that a message will not arrive if one of its frames, or of its acknowledgements, waits in a circle of full buffers.
    fn find_deadlock(&mut self, now: Time) {
        let Some(frame) = self.layer.find_stuck() else { return };
        let sender = self.frames.get(frame).sender;
        let first = |end: EndId| self.ends[end.index()].first_message();
        if let Some(token) = first(sender).or_else(|| first(sender.other())) {
            self.events.push(now, Event::GivenUp(token));
        }
    }

    /// Writes messages into the send buffer, and reports those whose last byte is in it.
    fn fill(&mut self, now: Time, id: EndId) {
        let end = &mut self.ends[id.index()];
        end.fill(now);
        for stream in end.lanes() {
            while let Some(token) = stream.next_buffered() {
                self.events.push(now, Event::Buffered(token));
            }
        }
    }

    fn send(&mut self, now: Time, id: EndId, segment: Segment<E::Header>) {
        let end = &mut self.ends[id.index()];
        end.sent = end.sent.wrapping_add(1);
        let (path, number) = (end.path, end.sent);
        let lane = if E::is_urgent(&segment.header) { LaneId::URGENT } else { end.lane };
        let (hop, marked, lost) = (0, false, false);
        let frame = Frame { segment, sender: id, path, lane, number, hop, marked, lost, tail: now };
        let (layer, traffic) = self.traffic(now);
        let waits = layer.send(traffic, frame);
        self.ends[id.index()].queued += u32::from(waits);
        self.show();
    }

    fn set_timer(&mut self, id: EndId) {
        let end = &mut self.ends[id.index()];
        if let Some(at) = end.endpoint.timeout().filter(|at| *at < end.timer) {
            end.timer = at;
            self.events.push_timer(at, id);
        }
    }

    fn arrive(&mut self, now: Time, id: FrameId) {
        let (layer, traffic) = self.traffic(now);
        let has_come = layer.arrive(traffic, id);
        self.prefetch();
        if has_come {
            let frame = self.frames.remove(id);
            self.receive(now, &frame);
        } else {
            self.show();
        }
    }

    fn taken(&mut self, now: Time, port: PortId) {
        let (layer, traffic) = self.traffic(now);
        layer.taken(traffic, port);
        self.prefetch();
    }

    /// Loads sockets that will be needed soon into the cache.
    fn prefetch(&mut self) {
        let Upcoming { next, second } = std::mem::take(&mut self.upcoming);
        if let Some(next) = next {
            self.ends[next.index()].endpoint.prefetch();
        }
        if let Some(second) = second {
            mpirage_prefetch::fetch(&self.ends[second.index()]);
            // A frame that arrives may complete a message of the other end.
            self.ends[second.other().index()].prefetch_lanes();
        }
    }

    fn resume(&mut self, now: Time, port: PortId) {
        let (layer, traffic) = self.traffic(now);
        layer.resume(traffic, port);
        self.show();
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
        while let Some((token, delay)) = self.ends[sender.index()].stream(lane).next_complete(bytes) {
            let ready = now + self.software(sender.other(), now) + delay + self.lateness();
            let at = self.ends[sender.index()].stream(lane).hand_over(ready);
            self.events.push(at, Event::HandOver(token));
        }
    }

    /// Software time of a message at the host of an end.
    fn software(&self, receiver: EndId, now: Time) -> Duration {
        let (span, host) = (self.parameters.hosts.software, self.ends[receiver.index()].station.host);
        faults::software(&self.faults, host, now, span)
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
        // Times that were measured within hosts contain requests and answers.
        if transfer.cargo == Cargo::Control {
            return self.events.push(now, Event::HandOver(token));
        }
        let within = &self.parameters.within;
        let seconds = within.latency + transfer.bytes as f64 / within.bandwidth;
        self.events.push(now, Event::Buffered(token));
        self.events.push(now + Duration::from_secs_f64(seconds), Event::HandOver(token));
    }
}

/// The history of each link's queue.
fn queues<L: LinkLayer>(layer: &L, samples: Vec<Vec<QueueSample>>) -> Vec<QueueHistory> {
    let mut samples = samples.into_iter();
    let history = |link: (LinkId, &PortCounts)| QueueHistory {
        totals: link_statistics(link),
        samples: samples.next().unwrap_or_default(),
    };
    layer.counts().map(history).collect()
}

fn link_statistics((link, counts): (LinkId, &PortCounts)) -> LinkStatistics {
    let &PortCounts { frames, bytes, dropped, marked, lost, most_waiting, .. } = counts;
    LinkStatistics { link, frames, bytes, dropped, marked, lost, most_waiting }
}

/// A port number for the connection of an end point to another: one of those that Linux gives to clients. All interfaces of a host have
/// its address, so connections of the same two end points on other interfaces have other ports.
fn port_of(source: u32, target: u32, interface: u8) -> u16 {
    const FIRST: u64 = 32_768;
    const COUNT: u64 = 28_232;
    let place = scramble(u64::from(source) << 32 | u64::from(target)) % COUNT + u64::from(interface);
    (FIRST + place % COUNT) as u16
}

impl<E: Endpoint, L: LinkLayer> NetworkModel for PacketNetwork<E, L> {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        if transfer.from == transfer.to {
            self.start_within(now, &transfer, token);
            return Departure::Now;
        }
        let messages = self.parameters.messages;
        let bytes = match transfer.cargo {
            Cargo::Data => messages.on_wire(transfer.bytes),
            Cargo::Control => u64::from(messages.control),
        };
        let id = self.end_of(&transfer);
        let lane = Lane((transfer.connection.stream % u32::from(E::lanes(&self.settings))) as u16);
        let delay = Duration::from_secs_f64(self.interface_delay.of(transfer.bytes));
        self.ends[id.index()].stream(lane).push(token, transfer.cargo, bytes, delay);
        self.pump(now, id);
        Departure::Now
    }

    fn statistics(&self) -> Option<NetworkStatistics> {
        let mut all = ConnectionCounts::default();
        self.ends.iter().for_each(|end| all.add(&end.endpoint.counts()));
        let links: Vec<LinkStatistics> = self.layer.counts().map(link_statistics).collect();
        let sum = |count: fn(&LinkStatistics) -> u64| links.iter().map(count).sum();
        let mut totals = vec![
            ("connections", self.ends.len() as u64 / 2),
            ("segments", all.segments),
            ("retransmissions", all.retransmissions),
            ("fast_retransmits", all.fast_retransmits),
            ("timeouts", all.timeouts),
            ("duplicate_acks", all.duplicate_acks),
            ("zero_windows", all.zero_windows),
            ("frames", sum(|link| link.frames)),
            ("frame_bytes", sum(|link| link.bytes)),
            ("dropped", sum(|link| link.dropped)),
            ("lost", sum(|link| link.lost)),
            ("marked", sum(|link| link.marked)),
        ];
        totals.extend(self.layer.totals());
        Some(NetworkStatistics { totals, links })
    }

    fn circle(&self) -> Option<Vec<String>> {
        let links = self.layer.circle()?;
        Some(links.into_iter().map(|link| self.platform.link(link).name().to_string()).collect())
    }

    fn record_history(&mut self) {
        self.history = Some(Box::new(Samples::new()));
        self.layer.record_queues();
    }

    fn take_history(&mut self) -> Option<NetworkHistory> {
        let (mut queue_samples, mut history) = (self.layer.take_queues()?, self.history.take()?);
        Some(NetworkHistory {
            queue_resolution: queue_samples.width(),
            connection_resolution: history.width(),
            queues: queues(&self.layer, queue_samples.take()),
            connections: self.directions(history.take()),
        })
    }

    fn finish(&mut self) -> io::Result<()> {
        self.taps.finish()
    }
}

impl<E: Endpoint, L: LinkLayer> Model for PacketNetwork<E, L> {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.events.next()
    }

    fn collect(&mut self, now: Time, reports: &mut Vec<Report>) {
        if !self.taps.is_empty() {
            self.taps.flush(now);
        }
        while let Some(event) = self.events.pop_at(now) {
            match event {
                Event::Arrival(frame) => self.arrive(now, frame),
                Event::Taken(end, port) => {
                    if let Some(port) = port {
                        self.taken(now, port);
                    }
                    self.ends[end.index()].queued -= 1;
                    self.pump(now, end);
                }
                Event::Port(port) => self.resume(now, port),
                Event::DeadlockCheck => self.find_deadlock(now),
                Event::Timer(end) => self.timer(now, end),
                Event::Buffered(token) => reports.push(Report { token, milestone: Milestone::BufferFree }),
                Event::HandOver(token) => reports.push(Report::ended(token)),
                Event::GivenUp(token) => reports.push(Report { token, milestone: Milestone::Failed }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
