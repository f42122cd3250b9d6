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
    Agenda, Cargo, Departure, Event as Report, LinkStatistics, Milestone, Model, NetworkModel,
    NetworkStatistics, Token, Transfer,
};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Consumer, Duration, Random, Time, scramble};
use rustc_hash::FxHashMap;

use crate::capture::{Ecn, FrameView, Station};
use crate::end::End;
use crate::endpoint::{EndCounts, Endpoint, Lane, Role, Segment};
use crate::frame::{Frame, Frames};
use crate::ids::{EndId, FrameId, PathId};
use crate::parameters::PacketParameters;
use crate::taps::{CaptureRequest, PathPort, Taps};
use crate::wires::{Hop, Wires};

/// The consumer number of the generator that decides who is late.
const LATE: Consumer = Consumer(2);

/// The number of routers that a packet may cross, as Linux sets it.
const FIRST_TTL: u8 = 64;

/// Something that happens inside the network.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A frame arrives at a switch or at its host.
    Arrival(FrameId),
    /// The interface has taken a frame of a socket out of the host's queue.
    Taken(EndId),
    /// The timer of a socket goes off.
    Timer(EndId),
    /// The network holds all bytes of a message.
    Buffered(Token),
    /// A message reaches its receiver.
    HandOver(Token),
    /// A message will never reach its receiver.
    GivenUp(Token),
}

/// A network of frames whose connections speak the protocol `E`.
pub struct PacketNetwork<E: Endpoint> {
    platform: Arc<Platform>,
    settings: E::Settings,
    parameters: PacketParameters,
    wires: Wires,
    frames: Frames<E::Header>,
    ends: Vec<End<E>>,
    /// The first end of the connection between two end points of the caller, the lower one first.
    connections: FxHashMap<(u32, u32), EndId>,
    agenda: Agenda<Event>,
    late: Random,
    taps: Taps,
}

impl<E: Endpoint> PacketNetwork<E> {
    /// A quiet network without connections.
    pub fn new(
        platform: Arc<Platform>,
        parameters: PacketParameters,
        settings: E::Settings,
    ) -> PacketNetwork<E> {
        PacketNetwork {
            wires: Wires::new(Arc::clone(&platform), parameters.links, parameters.seed),
            platform,
            late: Random::new(parameters.seed, LATE),
            settings,
            parameters,
            frames: Frames::new(),
            ends: Vec::new(),
            connections: FxHashMap::default(),
            agenda: Agenda::new(),
            taps: Taps::default(),
        }
    }

    /// Begins a capture. All captures begin before the first transfer.
    pub fn capture(&mut self, request: CaptureRequest) -> io::Result<()> {
        self.taps.add(request)
    }

    /// The end of the connection at the source of a transfer.
    fn end_of(&mut self, transfer: &Transfer) -> EndId {
        let (source, target) = (transfer.connection.source, transfer.connection.target);
        let pair = (source.min(target), source.max(target));
        let first = match self.connections.get(&pair) {
            Some(&first) => first,
            None => {
                let first = self.connect(transfer, source > target);
                self.connections.insert(pair, first);
                first
            }
        };
        if source <= target { first } else { first.other() }
    }

    /// Opens a connection; its first end is that of the lower end point, which is the target if `swapped`.
    fn connect(&mut self, transfer: &Transfer, swapped: bool) -> EndId {
        let first = EndId::new(self.ends.len());
        let (source, target) = (transfer.connection.source, transfer.connection.target);
        let out = Station { host: transfer.from, port: port_of(source, target) };
        let back = Station { host: transfer.to, port: port_of(target, source) };
        let out = self.end(Role::Active, out, transfer.to);
        let back = self.end(Role::Passive, back, transfer.from);
        self.ends.extend(if swapped { [back, out] } else { [out, back] });
        first
    }

    fn end(&mut self, role: Role, station: Station, to: HostId) -> End<E> {
        let path = self.wires.path(station.host, to);
        if !self.taps.is_empty() {
            self.tap_path(path, station.host, to);
        }
        End::new(E::new(&self.settings, role), station, path)
    }

    /// Captures see the ports of a path.
    fn tap_path(&mut self, path: PathId, from: HostId, to: HostId) {
        let ports: Vec<_> = self.wires.ports_of(path).collect();
        let last = ports.len().saturating_sub(1);
        for (at, &(port, link)) in ports.iter().enumerate() {
            let name = self.platform.link(link).name();
            let (sends, receives) = ((at == 0).then_some(from), (at == last).then_some(to));
            if self.taps.add_port(PathPort { port, link, sends, receives, name: &name }) {
                self.wires.watch(port);
            }
        }
    }

    /// Captures see a frame that has just been put on a link.
    fn show(&mut self, frame: &Frame<E::Header>) {
        let Some(crossing) = self.wires.take_crossing() else { return };
        let (sender, receiver) = (&self.ends[frame.sender.index()], &self.ends[frame.sender.other().index()]);
        let ecn = match (frame.segment.markable, frame.marked) {
            (false, _) => Ecn::NotCapable,
            (true, false) => Ecn::Capable,
            (true, true) => Ecn::Marked,
        };
        let view = FrameView {
            source: sender.station,
            target: receiver.station,
            header: E::on_wire(&self.settings, &frame.segment.header),
            payload: frame.segment.payload,
            ecn,
            hops_left: FIRST_TTL.saturating_sub(frame.hop as u8),
            identification: frame.number,
        };
        self.taps.report(crossing, &view);
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
                    self.agenda.push(now, Event::GivenUp(token));
                }
            }
        }
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
        end.sent = end.sent.wrapping_add(1);
        let (path, number) = (end.path, end.sent);
        let mut frame = Frame { segment, sender: id, path, number, hop: 0, marked: false, tail: now };
        let (taken, hop) = self.wires.send(now, &mut frame, self.parameters.hosts.interface_buffer);
        if segment.payload > 0 && taken > now {
            end.queued += 1;
            self.agenda.push(taken, Event::Taken(id));
        }
        self.show(&frame);
        if let Hop::Arrives(at) = hop {
            self.agenda.push(at, Event::Arrival(self.frames.insert(frame)));
        }
    }

    fn set_timer(&mut self, id: EndId) {
        let end = &mut self.ends[id.index()];
        if let Some(at) = end.endpoint.timeout().filter(|at| *at < end.timer) {
            end.timer = at;
            self.agenda.push(at, Event::Timer(id));
        }
    }

    fn arrive(&mut self, now: Time, id: FrameId) {
        let hop = self.wires.forward(now, self.frames.get_mut(id));
        if !self.taps.is_empty() {
            let frame = *self.frames.get_mut(id);
            self.show(&frame);
        }
        match hop {
            Some(Hop::Arrives(at)) => self.agenda.push(at, Event::Arrival(id)),
            Some(Hop::Lost) => {
                self.frames.remove(id);
            }
            None => {
                let frame = self.frames.remove(id);
                self.receive(now, &frame);
            }
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

/// A port number for the connection of an end point to another: one of those that Linux gives to clients.
fn port_of(source: u32, target: u32) -> u16 {
    const FIRST: u64 = 32_768;
    const COUNT: u64 = 28_232;
    (FIRST + scramble(u64::from(source) << 32 | u64::from(target)) % COUNT) as u16
}

impl<E: Endpoint> NetworkModel for PacketNetwork<E> {
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
        self.ends[id.index()].stream(lane).push(token, transfer.cargo, bytes);
        self.pump(now, id);
        Departure::Now
    }

    fn statistics(&self) -> Option<NetworkStatistics> {
        let mut all = EndCounts::default();
        self.ends.iter().for_each(|end| all.add(&end.endpoint.counts()));
        let links: Vec<LinkStatistics> = self.wires.statistics().collect();
        let sum = |count: fn(&LinkStatistics) -> u64| links.iter().map(count).sum();
        let totals = vec![
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
        Some(NetworkStatistics { totals, links })
    }

    fn finish(&mut self) -> io::Result<()> {
        self.taps.finish()
    }
}

impl<E: Endpoint> Model for PacketNetwork<E> {
    fn next(&mut self, _: Time) -> Option<Time> {
        self.agenda.next()
    }

    fn collect(&mut self, now: Time, reports: &mut Vec<Report>) {
        if !self.taps.is_empty() {
            self.taps.flush(now);
        }
        while let Some(event) = self.agenda.pop_at(now) {
            match event {
                Event::Arrival(frame) => self.arrive(now, frame),
                Event::Taken(end) => {
                    self.ends[end.index()].queued -= 1;
                    self.pump(now, end);
                }
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
