//! Links and switches: what happens to a frame between two hosts.

use std::sync::Arc;

use mpirage_kernel::LinkStatistics;
use mpirage_platform::{HostId, LinkId, Platform, Sharing};
use mpirage_units::{Consumer, Random, Time};
use rustc_hash::FxHashMap;

use crate::frame::Frame;
use crate::ids::PathId;
use crate::parameters::{Forwarding, LinkParameters};
use crate::port::{Admission, Arriving, Passage, Port, PortCounts};

/// Bytes that a switch that cuts through has to see of a frame: Ethernet and IP headers.
const CUT_THROUGH_HEADER: u32 = 34;

/// The consumer number of the generator that decides about losses.
const LOSSES: Consumer = Consumer(1);

/// How a frame gets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// It is lost.
    Lost,
    /// It arrives at the next switch or at its host.
    Arrives(Time),
}

/// A port that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PortId(pub u32);

/// A frame on a link that is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub port: PortId,
    /// Its first byte leaves.
    pub starts: Time,
    /// Its last byte arrives; None if it is lost.
    pub arrives: Option<Time>,
}

/// All links and switches that are in use.
#[derive(Debug)]
pub(crate) struct Wires {
    platform: Arc<Platform>,
    parameters: LinkParameters,
    ports: Vec<(LinkId, Port)>,
    by_link: FxHashMap<LinkId, u32>,
    by_hosts: FxHashMap<(HostId, HostId), PathId>,
    /// Where the ports of each path begin in `path_ports`; they end where those of the next begin.
    path_starts: Vec<u32>,
    path_ports: Vec<u32>,
    random: Random,
    /// Which ports are watched.
    watched: Vec<bool>,
    /// The last frame on a watched port, until it is taken.
    crossing: Option<Crossing>,
    /// Reused.
    route: Vec<LinkId>,
}

impl Wires {
    pub(crate) fn new(platform: Arc<Platform>, parameters: LinkParameters, seed: u64) -> Wires {
        Wires {
            platform,
            parameters,
            ports: Vec::new(),
            by_link: FxHashMap::default(),
            by_hosts: FxHashMap::default(),
            path_starts: vec![0],
            path_ports: Vec::new(),
            random: Random::new(seed, LOSSES),
            watched: Vec::new(),
            crossing: None,
            route: Vec::new(),
        }
    }

    /// The path from one host to another.
    pub(crate) fn path(&mut self, from: HostId, to: HostId) -> PathId {
        if let Some(&known) = self.by_hosts.get(&(from, to)) {
            return known;
        }
        let mut route = std::mem::take(&mut self.route);
        self.platform.links_between(from, to, &mut route);
        for &link in &route {
            let port = self.port(link);
            self.path_ports.push(port);
        }
        self.route = route;
        let path = PathId(self.path_starts.len() as u32 - 1);
        self.path_starts.push(self.path_ports.len() as u32);
        self.by_hosts.insert((from, to), path);
        path
    }

    fn port(&mut self, link: LinkId) -> u32 {
        let Wires { platform, ports, by_link, .. } = self;
        *by_link.entry(link).or_insert_with(|| {
            let spec = platform.link(link);
            let shared = spec.sharing == Sharing::Shared;
            ports.push((link, Port::new(spec.bandwidth, spec.latency, shared)));
            ports.len() as u32 - 1
        })
    }

    /// The ports of a path, in order, with their links.
    pub(crate) fn ports_of(&self, path: PathId) -> impl Iterator<Item = (PortId, LinkId)> {
        let (start, end) = (self.path_starts[path.0 as usize], self.path_starts[path.0 as usize + 1]);
        let ports = &self.path_ports[start as usize..end as usize];
        ports.iter().map(|&port| (PortId(port), self.ports[port as usize].0))
    }

    /// Frames on this port are told to [`Wires::take_crossing`].
    pub(crate) fn watch(&mut self, port: PortId) {
        let at = port.0 as usize;
        if self.watched.len() <= at {
            self.watched.resize(at + 1, false);
        }
        self.watched[at] = true;
    }

    /// The frame that `send` or `forward` has just put on a watched port.
    pub(crate) fn take_crossing(&mut self) -> Option<Crossing> {
        self.crossing.take()
    }

    /// A host sends a frame. Gives when the interface takes it out of the host's queue, and how it gets on.
    pub(crate) fn send<H>(&mut self, now: Time, frame: &mut Frame<H>, interface_buffer: u32) -> (Time, Hop) {
        if self.is_empty(frame) {
            return (now, Hop::Arrives(now));
        }
        let (at, last) = self.place(frame);
        let arriving = arriving(now, frame);
        let port = &mut self.ports[at].1;
        let passage = port.take(arriving, &self.parameters);
        let ahead = port.span(interface_buffer).as_picos();
        let taken = Time::from_picos(passage.ends.as_picos().saturating_sub(ahead)).max(now);
        (taken, self.cross(at, last, frame, passage))
    }

    /// A frame has come to a switch. None if it has come to its host.
    pub(crate) fn forward<H>(&mut self, now: Time, frame: &mut Frame<H>) -> Option<Hop> {
        if self.is_empty(frame) || self.place(frame).1 {
            return None;
        }
        frame.hop += 1;
        let (at, last) = self.place(frame);
        let admission = self.ports[at].1.admit(arriving(now, frame), &self.parameters, &mut self.random);
        Some(match admission {
            Admission::Dropped => Hop::Lost,
            Admission::Queued(passage) => self.cross(at, last, frame, passage),
        })
    }

    /// What every link in use has counted.
    pub(crate) fn statistics(&self) -> impl Iterator<Item = LinkStatistics> {
        self.ports.iter().map(|(link, port)| {
            let &PortCounts { frames, bytes, dropped, marked, lost, most_waiting } = port.counts();
            LinkStatistics { link: *link, frames, bytes, dropped, marked, lost, most_waiting }
        })
    }

    /// Are there no links between its hosts?
    fn is_empty<H>(&self, frame: &Frame<H>) -> bool {
        let path = frame.path.0 as usize;
        self.path_starts[path] == self.path_starts[path + 1]
    }

    /// The port that the frame is at, and whether it is the last of its path.
    fn place<H>(&self, frame: &Frame<H>) -> (usize, bool) {
        let path = frame.path.0 as usize;
        let at = self.path_starts[path] + u32::from(frame.hop);
        (self.path_ports[at as usize] as usize, at + 1 == self.path_starts[path + 1])
    }

    /// A frame crosses a link.
    fn cross<H>(&mut self, at: usize, last: bool, frame: &mut Frame<H>, passage: Passage) -> Hop {
        let port = &mut self.ports[at].1;
        let latency = port.latency();
        let lost = self.parameters.loses(frame.bytes(), &mut self.random);
        if self.watched.get(at) == Some(&true) {
            let arrives = (!lost).then_some(passage.ends + latency);
            self.crossing = Some(Crossing { port: PortId(at as u32), starts: passage.starts, arrives });
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

impl LinkParameters {
    /// Does a link lose a frame of so many bytes?
    fn loses(&self, bytes: u32, random: &mut Random) -> bool {
        if self.frame_loss == 0.0 && self.bit_errors == 0.0 {
            return false;
        }
        let intact = (1.0 - self.frame_loss) * (1.0 - self.bit_errors).powf(f64::from(bytes) * 8.0);
        random.chance(1.0 - intact)
    }
}

fn arriving<H>(now: Time, frame: &Frame<H>) -> Arriving {
    Arriving { now, bytes: frame.bytes(), tail: frame.tail, markable: frame.segment.markable }
}
