//! The interface between the network and its links and switches.
//!
//! Two layers exist. [`Wires`](crate::Wires) drops what does not fit; the instant at which a frame leaves a queue is known
//! when it enters, so a frame costs one event per link. [`LosslessWires`](crate::LosslessWires) holds frames back until the
//! next switch has room; its queues are lists of frames.

use std::sync::Arc;

use mpirage_kernel::{Connection, QueueSample};
use mpirage_platform::{Interface, LinkId};
use mpirage_units::{Random, Time};

use crate::event_queue::EventQueue;
use crate::faults::Fault;
use crate::frame::{Frame, Frames};
use crate::history::Samples;
use crate::ids::{EndId, FrameId, LaneId, PathId, PortId};
use crate::parameters::QueueLimit;
use crate::paths::Paths;
use crate::port::PortCounts;

/// The frames that are on their way, and what is to happen to them.
#[derive(Debug)]
pub struct Traffic<'a, H> {
    pub now: Time,
    pub frames: &'a mut Frames<H>,
    pub events: &'a mut EventQueue,
    /// Sockets whose memory will be needed soon.
    pub upcoming: &'a mut Upcoming,
    /// Frames that have begun to cross a link that is watched.
    pub seen: &'a mut Vec<(Crossing, Frame<H>)>,
}

/// The sockets of the next two frames that reach hosts over a link, or that an interface takes out of its host's queue.
///
/// With thousands of connections the cache holds nothing of a socket when its turn comes. Other places have their
/// events before it, and its memory arrives meanwhile: first the socket itself, and one turn later what the socket points to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Upcoming {
    pub next: Option<EndId>,
    pub second: Option<EndId>,
}

/// A frame on a link that is watched.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    pub port: PortId,
    /// Its first byte leaves.
    pub starts: Time,
    /// Its last byte arrives; None if it is lost.
    pub arrives: Option<Time>,
}

/// Links and switches: they carry frames from host to host.
pub trait Layer {
    /// The path for the frames of a connection from one interface to another. `salt` tells connections apart where they may take
    /// different paths.
    fn path(&mut self, from: Interface, to: Interface, salt: u64) -> PathId;

    /// The virtual lane for a connection. Connections on different lanes are different connections.
    fn lane(&self, _connection: &Connection) -> LaneId {
        LaneId(0)
    }

    /// A host sends a frame. True if it waits in the host's queue: [`Event::Taken`](crate::event::Event::Taken) follows.
    fn send<H: Copy>(&mut self, traffic: Traffic<'_, H>, frame: Frame<H>) -> bool;

    /// A frame arrives at the end of a link. True if it has come to its host, which then takes it from the table.
    fn arrive<H: Copy>(&mut self, traffic: Traffic<'_, H>, frame: FrameId) -> bool;

    /// [`Event::Taken`](crate::event::Event::Taken) with this port has come: the next one enters the queue.
    fn taken<H: Copy>(&mut self, _traffic: Traffic<'_, H>, _port: PortId) {}

    /// [`Event::Port`](crate::event::Event::Port) has come.
    fn resume<H: Copy>(&mut self, _traffic: Traffic<'_, H>, _port: PortId) {}

    /// [`Event::DeadlockCheck`](crate::event::Event::DeadlockCheck) has come. Gives a frame that will never move on, if there is one.
    fn find_stuck(&mut self) -> Option<FrameId> {
        None
    }

    /// All paths.
    fn paths(&self) -> &Paths;

    /// The link of a port.
    fn link(&self, port: PortId) -> LinkId;

    /// Sets the schedule of faults. Called before the first frame, and only for layers that support faults.
    fn set_faults(&mut self, faults: Arc<[Fault]>);

    /// Sets the limits of the queues in front of some links. Called before the first frame, and only for layers whose switches drop what
    /// does not fit.
    fn set_queue_limits(&mut self, _limits: &[(LinkId, QueueLimit)]) {}

    /// Frames that cross this port are reported in [`Traffic::seen`] from now on.
    fn watch(&mut self, port: PortId);

    /// Queues are recorded over time from now on. Called before the first frame.
    fn record_queues(&mut self);

    /// The samples of each port's queue, if they were recorded.
    fn take_queues(&mut self) -> Option<Box<Samples<QueueSample>>>;

    /// Every link in use, and what it has counted, in the order of ports.
    fn counts(&self) -> impl Iterator<Item = (LinkId, &PortCounts)>;

    /// Links whose frames wait for each other in a circle, if there are such links.
    fn circle(&self) -> Option<Vec<LinkId>> {
        None
    }

    /// Further counters, by name.
    fn totals(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A link layer of this crate: [`Wires`](crate::Wires) or [`LosslessWires`](crate::LosslessWires).
pub trait LinkLayer: Layer {}

/// How likely links lose frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossChances {
    /// Of a frame.
    pub frame: f64,
    /// Of a bit, and its frame with it.
    pub bit: f64,
}

impl LossChances {
    /// Does a link lose a frame of so many bytes?
    pub(crate) fn lose(self, bytes: u32, random: &mut Random) -> bool {
        if self.frame == 0.0 && self.bit == 0.0 {
            return false;
        }
        let intact = (1.0 - self.frame) * (1.0 - self.bit).powf(f64::from(bytes) * 8.0);
        random.chance(1.0 - intact)
    }
}

/// Ports that are watched.
#[derive(Debug, Default)]
pub(crate) struct Watched(Vec<bool>);

impl Watched {
    pub(crate) fn add(&mut self, port: PortId) {
        let at = port.index();
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        self.0[at] = true;
    }

    pub(crate) fn contains(&self, port: PortId) -> bool {
        self.0.get(port.index()) == Some(&true)
    }
}
