//! Lossless links and switches that are in use.
//!
//! A frame costs one event per link while it need not wait: its arrival. A port has at most one event of its own in the
//! queue of events, at the instant at which it is free again or has room again for a frame that waits.

use std::sync::Arc;

use mpirage_kernel::{Connection, QueueSample};
use mpirage_platform::{Interface, LinkId, Platform};
use mpirage_units::{Consumer, Duration, Random, Time};
use rustc_hash::FxHashMap;

use super::deadlock::{self, CreditDeadlock};
use super::parameters::LosslessParameters;
use super::port::Port;
use super::queues::{QueueId, Queues, Way};
use crate::event::Event;
use crate::faults::{Fault, LinkFaults};
use crate::frame::Frame;
use crate::history::{Samples, queue_sample};
use crate::ids::{FrameId, LaneId, PathId, PortId};
use crate::layer::{Crossing, Layer, LinkLayer, LossChances, Traffic, Watched};
use crate::parameters::Forwarding;
use crate::paths::Paths;
use crate::port::PortCounts;

/// The consumer numbers of the generators that decide about losses and marks.
const LOSSES: Consumer = Consumer(1);
const MARKS: Consumer = Consumer(3);

/// Links of a path whose queues adaptive routing looks at: the host's own, and that of the first switch.
const SIGHT: usize = 2;

/// How long after a port began to wait for another one the links are searched for a deadlock. Each search looks at every queue.
const CHECK_AFTER: Duration = Duration::from_picos(100_000_000);

/// All links and switches that are in use.
#[derive(Debug)]
pub struct LosslessWires {
    parameters: LosslessParameters,
    ports: Vec<Port>,
    by_link: FxHashMap<LinkId, PortId>,
    paths: Paths,
    /// The way at each place of a path.
    way_at: Vec<u32>,
    by_ports: FxHashMap<Way, u32>,
    ways: Vec<Way>,
    /// One queue per way and lane.
    queues: Queues,
    /// Is a search for a deadlock due, or has one been found?
    checking: bool,
    /// The frame that a host is sending, until it leaves.
    injecting: Option<FrameId>,
    chances: LossChances,
    faults: Arc<[Fault]>,
    losses: Random,
    marks: Random,
    watched: Watched,
    /// Queues over time, if the user asks for them.
    samples: Option<Box<Samples<QueueSample>>>,
}

/// The link that a frame crosses or waits for.
#[derive(Clone, Copy, Debug)]
struct Output {
    port: PortId,
    lane: usize,
    /// Does it lead to the frame's host?
    last: bool,
}

impl LosslessWires {
    /// Quiet links.
    pub fn new(platform: Arc<Platform>, parameters: LosslessParameters, seed: u64) -> LosslessWires {
        LosslessWires {
            parameters,
            ports: Vec::new(),
            by_link: FxHashMap::default(),
            paths: Paths::new(platform, parameters.links.routing),
            way_at: Vec::new(),
            by_ports: FxHashMap::default(),
            ways: Vec::new(),
            queues: Queues::default(),
            checking: false,
            injecting: None,
            faults: Arc::default(),
            chances: LossChances { frame: parameters.links.frame_loss, bit: parameters.links.bit_errors },
            losses: Random::new(seed, LOSSES),
            marks: Random::new(seed, MARKS),
            watched: Watched::default(),
            samples: None,
        }
    }

    /// Links whose frames wait for each other in a circle, if there are such links. It looks at every queue.
    pub fn deadlock(&self) -> Option<CreditDeadlock> {
        deadlock::find(&self.ports, &self.ways, &self.queues, &self.parameters)
    }

    /// Does nothing wait, and are all credits back at `now`?
    pub fn is_idle(&mut self, now: Time) -> bool {
        self.ports.iter_mut().all(|port| {
            let idle = port.lanes.iter_mut().all(|lane| lane.ring.is_empty() && lane.gate.is_idle(now));
            idle && port.waiting == 0 && port.flying == 0
        })
    }

    fn data_lanes(&self) -> usize {
        usize::from(self.parameters.lanes.max(1))
    }

    /// The lane of a frame on a link of its path.
    fn lane_at(&self, lane: LaneId, hop: u16) -> usize {
        let data = self.data_lanes();
        if lane == LaneId::URGENT {
            return if self.parameters.urgent_lane { data } else { 0 };
        }
        let lane = usize::from(lane.0);
        if self.parameters.lane_per_hop { (lane + usize::from(hop)).min(data - 1) } else { lane }
    }

    /// The place of a frame's link in the list of all links of all paths, and the link.
    fn output<H>(&self, frame: &Frame<H>) -> (usize, Output) {
        let places = self.paths.places(frame.path);
        let at = places.start + usize::from(frame.hop);
        let lane = self.lane_at(frame.lane, frame.hop);
        (at, Output { port: self.paths.port(at), lane, last: at + 1 == places.end })
    }

    /// A frame joins the queue for its next link.
    fn enqueue<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, id: FrameId) {
        let frame = traffic.frames.get(id);
        let (bytes, (at, output)) = (u64::from(frame.bytes()), self.output(frame));
        let queue = self.way_at[at] as usize * self.parameters.all_lanes() + output.lane;
        let port = &mut self.ports[output.port.index()];
        let lane = &mut port.lanes[output.lane];
        self.queues.push(&mut lane.ring, QueueId(queue as u32), id);
        lane.waiting += bytes;
        port.waiting += bytes;
        port.counts.most_waiting = port.counts.most_waiting.max(port.waiting);
        self.note(traffic.now, output.port);
        self.run(traffic, output.port);
    }

    /// Sends what a port can send now, and sets its event for what waits.
    fn run<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, id: PortId) {
        let data_lanes = self.data_lanes();
        loop {
            let port = &mut self.ports[id.index()];
            if port.waiting == 0 {
                return;
            }
            if port.free_at > traffic.now {
                let at = port.free_at;
                return self.wake(traffic, id, at);
            }
            let Some(lane) = port.pick(traffic.now, data_lanes, &self.queues, traffic.frames) else { break };
            self.transmit(traffic, id, lane);
        }
        let port = &mut self.ports[id.index()];
        port.blocked_since.get_or_insert(traffic.now);
        match port.opens() {
            Some(at) => self.wake(traffic, id, at),
            None => self.expect_check(traffic),
        }
    }

    /// A port waits for another one. A deadlock forms only with the last of such waits, so one later search is enough for all waits
    /// that begin before it.
    fn expect_check<H>(&mut self, traffic: &mut Traffic<'_, H>) {
        if !std::mem::replace(&mut self.checking, true) {
            traffic.events.push(traffic.now + CHECK_AFTER, Event::DeadlockCheck);
        }
    }

    fn wake<H>(&mut self, traffic: &mut Traffic<'_, H>, id: PortId, at: Time) {
        let port = &mut self.ports[id.index()];
        if at < port.wake_at {
            port.wake_at = at;
            traffic.events.push(at, Event::Port(id));
        }
    }

    /// The next frame of a lane leaves.
    fn transmit<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, id: PortId, lane: usize) {
        let now = traffic.now;
        let (delay, overhead) = (self.parameters.links.switch_delay, self.parameters.links.frame_overhead);
        let port = &mut self.ports[id.index()];
        let Some(number) = self.queues.pop(&mut port.lanes[lane].ring) else { return };
        let frame = traffic.frames.get_mut(number);
        let bytes = frame.bytes();
        if let Some(marking) = self.parameters.marking.filter(|_| frame.segment.markable && frame.hop > 0) {
            let marked = self.marks.chance(marking.chance(port.lanes[lane].waiting));
            frame.marked |= marked;
            port.counts.marked += u64::from(marked);
        }
        let tail = if frame.hop == 0 { now } else { frame.tail + delay };
        let ends = port.occupy(now, lane, bytes, overhead, tail);
        frame.tail = ends + port.latency;
        let failed = |faults: &LinkFaults, random| faults.lose((now, frame.tail), random);
        frame.lost = self.chances.lose(bytes, &mut self.losses)
            || port.faults.as_deref().is_some_and(|faults| failed(faults, &mut self.losses));
        let frame = *frame;
        self.note(now, id);
        if self.watched.contains(id) {
            let arrives = (!frame.lost).then_some(frame.tail);
            traffic.seen.push((Crossing { port: id, starts: now, arrives }, frame));
        }
        let places = self.paths.places(frame.path);
        let at = places.start + usize::from(frame.hop);
        let arrival = self.arrival(now, &frame, Output { port: id, lane, last: at + 1 == places.end });
        traffic.events.push(arrival, Event::Arrival(number));
        if frame.hop > 0 {
            self.vacate(traffic, &frame, self.paths.port(at - 1), ends);
        } else if self.injecting.take_if(|sent| *sent == number).is_none() && frame.segment.payload > 0 {
            traffic.events.push(now, Event::Taken(frame.sender, None));
        }
    }

    /// The queue of a port is recorded, if queues are.
    fn note(&mut self, now: Time, id: PortId) {
        let Some(samples) = &mut self.samples else { return };
        let port = &self.ports[id.index()];
        samples.note(id.index(), queue_sample(now, port.waiting, &port.counts));
    }

    /// When a frame that leaves now is at the other end of its link: a host needs all of it.
    fn arrival<H>(&mut self, now: Time, frame: &Frame<H>, output: Output) -> Time {
        let port = &mut self.ports[output.port.index()];
        if output.last {
            port.lanes[output.lane].gate.give_back(frame.tail + port.latency, frame.bytes());
            return frame.tail;
        }
        let seen = match self.parameters.links.forwarding {
            Forwarding::StoreAndForward => frame.tail,
            Forwarding::CutThrough => {
                let header = port.span(self.parameters.cut_through_header);
                (now + header + port.latency).min(frame.tail)
            }
        };
        seen + self.parameters.links.switch_delay
    }

    /// A frame leaves the input buffer of the link that it came by.
    fn vacate<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, frame: &Frame<H>, id: PortId, ends: Time) {
        let lane = self.lane_at(frame.lane, frame.hop - 1);
        let port = &mut self.ports[id.index()];
        let opens = port.lanes[lane].gate.release(traffic.now, ends, port.latency, frame.bytes());
        if let (Some(at), Some(_)) = (opens, port.blocked_since) {
            self.wake(traffic, id, at);
        }
    }

    /// A frame comes into an input buffer. False if there is no room for it.
    fn hold(&mut self, now: Time, output: Output, bytes: u32) -> bool {
        let port = &mut self.ports[output.port.index()];
        let (held, pauses) = port.lanes[output.lane].gate.hold(now, port.latency, bytes);
        port.counts.pauses += u64::from(pauses);
        port.counts.dropped += u64::from(!held);
        if !held {
            self.note(now, output.port);
        }
        held
    }

    /// A frame is lost on its link. The receiver knows what it has not stored, and gives the credits back.
    fn lose<H: Copy>(&mut self, traffic: &mut Traffic<'_, H>, id: FrameId, output: Output) {
        let bytes = traffic.frames.remove(id).bytes();
        let port = &mut self.ports[output.port.index()];
        port.counts.lost += 1;
        if output.last {
            return;
        }
        let back = traffic.now + port.latency;
        port.lanes[output.lane].gate.give_back(back, bytes);
        if port.blocked_since.is_some() {
            self.wake(traffic, output.port, back);
        }
    }

    /// The path with the shortest first queues, where frames may take any.
    fn adapt<H>(&self, now: Time, frame: &Frame<H>) -> PathId {
        let Some(set) = self.paths.alternatives(frame.path) else { return frame.path };
        let cost = |path: &PathId| {
            let places = self.paths.places(*path);
            let length = places.len() as u64;
            let ahead = places.take(SIGHT).map(|at| self.ports[self.paths.port(at).index()].backlog(now));
            (ahead.sum::<u64>() + u64::from(frame.bytes())) * length
        };
        set.starting_from(frame.path).min_by_key(cost).unwrap_or(frame.path)
    }
}

impl Layer for LosslessWires {
    fn path(&mut self, from: Interface, to: Interface, salt: u64) -> PathId {
        let LosslessWires { parameters, ports, by_link, by_ports, ways, queues, faults, .. } = self;
        self.paths.between((from, to), salt, |platform, link, before| {
            let port = *by_link.entry(link).or_insert_with(|| {
                let faults = LinkFaults::of(link, faults);
                ports.push(Port::new(&platform.link(link), parameters, faults));
                PortId(ports.len() as u32 - 1)
            });
            let way = Way { from: before, to: port };
            let number = *by_ports.entry(way).or_insert_with(|| {
                ways.push(way);
                queues.add(parameters.all_lanes());
                ways.len() as u32 - 1
            });
            self.way_at.push(number);
            port
        })
    }

    fn lane(&self, connection: &Connection) -> LaneId {
        LaneId((connection.class % self.data_lanes() as u32) as u8)
    }

    fn send<H: Copy>(&mut self, mut traffic: Traffic<'_, H>, mut frame: Frame<H>) -> bool {
        if self.paths.places(frame.path).is_empty() {
            traffic.events.push(traffic.now, Event::Arrival(traffic.frames.insert(frame)));
            return false;
        }
        frame.path = self.adapt(traffic.now, &frame);
        let id = traffic.frames.insert(frame);
        self.injecting = Some(id);
        self.enqueue(&mut traffic, id);
        self.injecting.take().is_some() && frame.segment.payload > 0
    }

    fn arrive<H: Copy>(&mut self, mut traffic: Traffic<'_, H>, id: FrameId) -> bool {
        let frame = traffic.frames.get_mut(id);
        if self.paths.places(frame.path).is_empty() {
            return true;
        }
        let (bytes, (_, output)) = (frame.bytes(), self.output(frame));
        self.ports[output.port.index()].flying -= 1;
        if frame.lost {
            self.lose(&mut traffic, id, output);
        } else if output.last {
            return true;
        } else if self.hold(traffic.now, output, bytes) {
            frame.hop += 1;
            self.enqueue(&mut traffic, id);
        } else {
            traffic.frames.remove(id);
        }
        false
    }

    fn resume<H: Copy>(&mut self, mut traffic: Traffic<'_, H>, id: PortId) {
        let port = &mut self.ports[id.index()];
        // An event that was set earlier, and again since.
        if port.wake_at == traffic.now {
            port.wake_at = Time::MAX;
            self.run(&mut traffic, id);
        }
    }

    fn find_stuck(&mut self) -> Option<FrameId> {
        let stuck = deadlock::stuck_frame(&self.ports, &self.ways, &self.queues, &self.parameters);
        // A deadlock is found once.
        self.checking = stuck.is_some();
        stuck
    }

    fn paths(&self) -> &Paths {
        &self.paths
    }

    fn link(&self, port: PortId) -> LinkId {
        self.ports[port.index()].link
    }

    fn set_faults(&mut self, faults: Arc<[Fault]>) {
        self.faults = faults;
    }

    fn watch(&mut self, port: PortId) {
        self.watched.add(port);
    }

    fn circle(&self) -> Option<Vec<LinkId>> {
        self.deadlock().map(|deadlock| deadlock.links)
    }

    fn record_queues(&mut self) {
        self.samples = Some(Box::new(Samples::new()));
    }

    fn take_queues(&mut self) -> Option<Box<Samples<QueueSample>>> {
        self.samples.take()
    }

    fn totals(&self) -> Vec<(&'static str, u64)> {
        let pauses = self.ports.iter().map(|port| port.counts.pauses).sum();
        let blocked: u64 = self.ports.iter().map(|port| port.counts.blocked.as_picos() / 1000).sum();
        vec![("pauses", pauses), ("blocked_nanoseconds", blocked)]
    }

    fn counts(&self) -> impl Iterator<Item = (LinkId, &PortCounts)> {
        self.ports.iter().map(|port| (port.link, &port.counts))
    }
}

impl LinkLayer for LosslessWires {}
