//! The network of a model: its parameters.

use mpirage_models::FlowParameters;
use mpirage_mpi::Protocol;

use crate::bus::Bus;
use crate::loggops::LogGops;
use crate::packet::Packet;
use crate::smp::Smp;

/// The kinds of networks, each with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// Flows that share links.
    Flow(FlowParameters),
    /// Nodes on buses.
    Bus(Bus),
    /// Memory and network without contention.
    Smp(Smp),
    /// Processors that every message keeps busy.
    LogGops(LogGops),
    /// Frames, queues and connections.
    Packet(Box<Packet>),
    /// Messages take no time.
    Ideal,
}

impl Network {
    /// Do both have the same factors by size?
    pub(crate) fn has_segments_of(&self, other: &Network) -> bool {
        matches!((self, other), (Network::Flow(one), Network::Flow(two)) if one.segments == two.segments)
    }

    /// Applies the network parameters that concern the MPI layer to `protocol`.
    pub(crate) fn shape(&self, protocol: &mut Protocol) {
        match self {
            Network::Flow(_) | Network::Packet(_) | Network::Ideal => {}
            Network::Bus(bus) => bus.shape(protocol),
            Network::Smp(smp) => smp.shape(protocol),
            Network::LogGops(loggops) => loggops.shape(protocol),
        }
    }
}
