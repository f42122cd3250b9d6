//! Links and switches that drop what does not fit.

use std::sync::Arc;

use mpirage_kernel::QueueSample;
use mpirage_platform::{Interface, LinkId, Platform};
use mpirage_units::{Consumer, Random, Time};
use rustc_hash::FxHashMap;

use crate::event::Event;
use crate::event_queue::EventQueue;
use crate::faults::{Fault, LinkFaults};
use crate::frame::Frame;
use crate::history::{Samples, queue_sample};
use crate::ids::{FrameId, PathId, PortId};
use crate::layer::{Crossing, Layer, LinkLayer, LossChances, Traffic, Upcoming, Watched};
use crate::parameters::{Forwarding, LinkParameters, PacketParameters, QueueLimit, QueueParameters};
use crate::paths::Paths;
use crate::port::{Admission, Arriving, Passage, Port, PortCounts, Taking, Turn};

/// Header bytes of a frame that a cut-through switch reads before forwarding: Ethernet and IP.
const CUT_THROUGH_HEADER: u32 = 34;

/// The consumer number of the generator that decides about losses.
const LOSSES: Consumer = Consumer(1);

/// How a frame gets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    /// It is lost.
    Lost,
    /// It arrives at the next switch or at its host.
    Arrives(Time),
}

/// All links and switches that are in use.
#[derive(Debug)]
pub struct Wires {
    parameters: LinkParameters,
    queue: QueueParameters,
    /// The limits of queues in front of links that have one of their own.
    limits: FxHashMap<LinkId, QueueLimit>,
    /// Bytes that a host's interface takes out of its queue ahead of the wire.
    interface_buffer: u32,
    ports: Vec<(LinkId, Port)>,
    by_link: FxHashMap<LinkId, PortId>,
    paths: Paths,
    random: Random,
    watched: Watched,
    /// The last frame on a watched port, until it is taken.
    crossing: Option<Crossing>,
    faults: Arc<[Fault]>,
    /// Queues over time, if the user asks for them.
    queues: Option<Box<Samples<QueueSample>>>,
}

impl Wires {
    pub(crate) fn new(platform: Arc<Platform>, parameters: &PacketParameters) -> Wires {
        Wires {
            parameters: parameters.links,
            queue: parameters.switch_queue,
            limits: FxHashMap::default(),
            interface_buffer: parameters.hosts.interface_buffer,
            ports: Vec::new(),
            by_link: FxHashMap::default(),
            paths: Paths::new(platform, parameters.links.routing),
            random: Random::new(parameters.seed, LOSSES),
            watched: Watched::default(),
            crossing: None,
            faults: Arc::default(),
            queues: None,
        }
    }

    /// A host sends a frame. Gives when the interface takes it out of the host's queue, and how it gets on.
    fn inject<H>(&mut self, now: Time, frame: &mut Frame<H>) -> (Time, Hop) {
        if self.is_empty(frame) {
            return (now, Hop::Arrives(now));
        }
        let (at, last) = self.place(frame);
        let arriving = arriving(now, frame);
        self.note_empty(at, now);
        let port = &mut self.ports[at].1;
        let passage = port.take(arriving, &self.parameters);
        let ahead = port.span(self.interface_buffer).as_picos();
        let taken = Time::from_picos(passage.ends.as_picos().saturating_sub(ahead)).max(now);
        let hop = self.cross(at, last, frame, passage);
        self.note(at, now);
        (taken, hop)
    }

    /// A frame has come to a switch. None if it has come to its host.
    fn forward<H>(&mut self, now: Time, frame: &mut Frame<H>) -> Option<Hop> {
        if self.is_empty(frame) || self.place(frame).1 {
            return None;
        }
        frame.hop += 1;
        let (at, last) = self.place(frame);
        self.note_empty(at, now);
        let Wires { parameters, queue, random, .. } = self;
        let admission = self.ports[at].1.admit(arriving(now, frame), parameters, queue, random);
        let hop = match admission {
            Admission::Dropped => Hop::Lost,
            Admission::Queued(passage) => self.cross(at, last, frame, passage),
        };
        self.note(at, now);
        Some(hop)
    }

    /// Something has come to a port: its queue is recorded, if queues are.
    fn note(&mut self, at: usize, now: Time) {
        let Some(queues) = &mut self.queues else { return };
        let port = &self.ports[at].1;
        queues.note(at, queue_sample(now, port.waiting(now), port.counts()));
    }

    /// A queue that became empty before `now` did so without an event: it is recorded now.
    fn note_empty(&mut self, at: usize, now: Time) {
        let Some(queues) = &mut self.queues else { return };
        let (port, before) = (&self.ports[at].1, queues.last(at));
        if port.free_at() <= now && before.is_some_and(|sample| sample.left > 0) {
            queues.note(at, queue_sample(port.free_at(), 0, port.counts()));
        }
    }

    /// A frame arrives at the end of its link at `at`.
    fn expect<H>(&mut self, events: &mut EventQueue, frame: &Frame<H>, at: Time, id: FrameId) {
        if self.is_empty(frame) || {
            let port = self.place(frame).0;
            self.ports[port].1.will_arrive(at, id)
        } {
            events.push(at, Event::Arrival(id));
        }
    }

    /// A frame has arrived at the end of its link: the arrival of the next frame on that link is an event from now on.
    fn expect_next<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, id: FrameId) {
        let frame = traffic.frames.get(id);
        if self.is_empty(frame) {
            return;
        }
        let (port, last) = self.place(frame);
        let port = &mut self.ports[port].1;
        let Some((at, next)) = port.has_arrived(id) else { return };
        traffic.events.push(at, Event::Arrival(next));
        let [second, third] = port.arriving_later();
        if let Some(third) = third {
            traffic.frames.prefetch(third);
        }
        if last {
            let receiver = |id| traffic.frames.get(id).sender.other();
            *traffic.upcoming = Upcoming { next: Some(receiver(next)), second: second.map(receiver) };
        }
    }

    /// The interface takes a frame out of the host's queue at `at`.
    fn expect_taken<H>(&mut self, events: &mut EventQueue, frame: &Frame<H>, at: Time) {
        let (taking, place) =
            (Taking { at, number: events.number(), sender: frame.sender }, self.place(frame).0);
        let port = Some(PortId(place as u32));
        match self.ports[place].1.will_be_taken(taking) {
            Turn::First => events.push_numbered(at, taking.number, Event::Taken(frame.sender, port)),
            Turn::Overtakes => events.push_numbered(at, taking.number, Event::Taken(frame.sender, None)),
            Turn::Waits => {}
        }
    }

    /// Are there no links between its hosts?
    fn is_empty<H>(&self, frame: &Frame<H>) -> bool {
        self.paths.places(frame.path).is_empty()
    }

    /// The port that the frame is at, and whether it is the last of its path.
    fn place<H>(&self, frame: &Frame<H>) -> (usize, bool) {
        let places = self.paths.places(frame.path);
        let at = places.start + usize::from(frame.hop);
        (self.paths.port(at).index(), at + 1 == places.end)
    }

    /// A frame crosses a link.
    fn cross<H>(&mut self, at: usize, last: bool, frame: &mut Frame<H>, passage: Passage) -> Hop {
        let port = &mut self.ports[at].1;
        let latency = port.latency();
        let LinkParameters { frame_loss, bit_errors, .. } = self.parameters;
        let chances = LossChances { frame: frame_loss, bit: bit_errors };
        let lost = chances.lose(frame.bytes(), &mut self.random) || port.fails(&passage, &mut self.random);
        let id = PortId(at as u32);
        if self.watched.contains(id) {
            let arrives = (!lost).then_some(passage.ends + latency);
            self.crossing = Some(Crossing { port: id, starts: passage.starts, arrives });
        }
        if lost {
            port.count_lost();
            return Hop::Lost;
        }
        frame.marked |= passage.marked;
        frame.tail = passage.ends + latency;
        if last {
            return Hop::Arrives(frame.tail);
        }
        let seen = match self.parameters.forwarding {
            Forwarding::StoreAndForward => frame.tail,
            Forwarding::CutThrough => {
                (passage.starts + port.span(CUT_THROUGH_HEADER) + latency).min(frame.tail)
            }
        };
        Hop::Arrives(seen + self.parameters.switch_delay)
    }
}

impl Layer for Wires {
    fn path(&mut self, from: Interface, to: Interface, salt: u64) -> PathId {
        let Wires { ports, by_link, faults, limits, queue, .. } = self;
        self.paths.between((from, to), salt, |platform, link, _| {
            *by_link.entry(link).or_insert_with(|| {
                let spec = platform.link(link);
                let faults = LinkFaults::of(link, faults);
                let limit = limits.get(&link).copied().unwrap_or(queue.limit);
                let wire = (spec.bandwidth, spec.latency);
                ports.push((link, Port::new(wire, spec.sharing, limit, faults)));
                PortId(ports.len() as u32 - 1)
            })
        })
    }

    fn send<H: Copy>(&mut self, traffic: Traffic<'_, H>, mut frame: Frame<H>) -> bool {
        let (taken, hop) = self.inject(traffic.now, &mut frame);
        traffic.seen.extend(self.crossing.take().map(|crossing| (crossing, frame)));
        let waits = frame.segment.payload > 0 && taken > traffic.now;
        if waits {
            self.expect_taken(traffic.events, &frame, taken);
        }
        if let Hop::Arrives(at) = hop {
            let id = traffic.frames.insert(frame);
            self.expect(traffic.events, &frame, at, id);
        }
        waits
    }

    fn arrive<H: Copy>(&mut self, mut traffic: Traffic<'_, H>, id: FrameId) -> bool {
        self.expect_next(&mut traffic, id);
        let frame = traffic.frames.get_mut(id);
        let Some(hop) = self.forward(traffic.now, frame) else { return true };
        traffic.seen.extend(self.crossing.take().map(|crossing| (crossing, *frame)));
        match hop {
            Hop::Arrives(at) => {
                let frame = *frame;
                self.expect(traffic.events, &frame, at, id);
            }
            Hop::Lost => {
                traffic.frames.remove(id);
            }
        }
        false
    }

    fn taken<H: Copy>(&mut self, traffic: Traffic<'_, H>, port: PortId) {
        let [next, second] = self.ports[port.index()].1.was_taken();
        if let Some(Taking { at, number, sender }) = next {
            traffic.events.push_numbered(at, number, Event::Taken(sender, Some(port)));
        }
        let [next, second] = [next, second].map(|taking| taking.map(|taking| taking.sender));
        *traffic.upcoming = Upcoming { next, second };
    }

    fn paths(&self) -> &Paths {
        &self.paths
    }

    fn link(&self, port: PortId) -> LinkId {
        self.ports[port.index()].0
    }

    fn set_queue_limits(&mut self, limits: &[(LinkId, QueueLimit)]) {
        self.limits = limits.iter().copied().collect();
    }

    fn set_faults(&mut self, faults: Arc<[Fault]>) {
        self.faults = faults;
    }

    fn watch(&mut self, port: PortId) {
        self.watched.add(port);
    }

    fn record_queues(&mut self) {
        self.queues = Some(Box::new(Samples::new()));
    }

    fn take_queues(&mut self) -> Option<Box<Samples<QueueSample>>> {
        (0..self.ports.len()).for_each(|at| self.note_empty(at, Time::MAX));
        self.queues.take()
    }

    fn counts(&self) -> impl Iterator<Item = (LinkId, &PortCounts)> {
        self.ports.iter().map(|(link, port)| (*link, port.counts()))
    }
}

impl LinkLayer for Wires {}

fn arriving<H>(now: Time, frame: &Frame<H>) -> Arriving {
    Arriving { now, bytes: frame.bytes(), tail: frame.tail, markable: frame.segment.markable }
}
