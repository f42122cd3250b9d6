//! What the network asks of its links and switches.
//!
//! Two layers exist. [`Wires`](crate::Wires) drops what does not fit; the instant at which a frame leaves a queue is known
//! when it enters, so a frame costs one event per link. [`LosslessWires`](crate::LosslessWires) holds frames back until the
//! next switch has room; its queues are lists of frames.

use mpirage_kernel::{Agenda, Connection};
use mpirage_platform::{HostId, LinkId};
use mpirage_units::Time;

use crate::event::Event;
use crate::frame::{Frame, Frames};
use crate::ids::{FrameId, LaneId, PathId, PortId};
use crate::port::PortCounts;

/// The frames that are on their way, and what is to happen to them.
#[derive(Debug)]
pub struct Traffic<'a, H> {
    pub now: Time,
    pub frames: &'a mut Frames<H>,
    pub agenda: &'a mut Agenda<Event>,
}

/// Links and switches: they carry frames from host to host.
pub trait Layer {
    /// The path for the frames of a connection from one host to another. `salt` tells connections apart where frames of
    /// several have several paths to choose from.
    fn path(&mut self, from: HostId, to: HostId, salt: u64) -> PathId;

    /// The virtual lane for a connection. Connections on different lanes are different connections.
    fn lane(&self, _connection: &Connection) -> LaneId {
        LaneId(0)
    }

    /// A host sends a frame. True if it waits in the host's queue: [`Event::Taken`] follows.
    fn send<H: Copy>(&mut self, traffic: Traffic<'_, H>, frame: Frame<H>) -> bool;

    /// A frame arrives at the end of a link. Gives the frame if it has come to its host.
    fn arrive<H: Copy>(&mut self, traffic: Traffic<'_, H>, frame: FrameId) -> Option<Frame<H>>;

    /// [`Event::Port`] has come.
    fn resume<H: Copy>(&mut self, _traffic: Traffic<'_, H>, _port: PortId) {}

    /// Every link in use, and what it has counted.
    fn counts(&self) -> impl Iterator<Item = (LinkId, &PortCounts)>;
}

/// A link layer of this crate: [`Wires`](crate::Wires) or [`LosslessWires`](crate::LosslessWires).
pub trait LinkLayer: Layer {}
