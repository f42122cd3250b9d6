//! How a model becomes something that runs: its network and its memory on a platform.

use std::io;
use std::sync::Arc;

use mpirage_kernel::{MemoryModel, NetworkModel};
use mpirage_models::{
    BusNetwork, MemoryUse, MeteredNetwork, NodeMemory, NoisyNetwork, StripedNetwork, Uncontended, Wire,
};
use mpirage_mpi::{CollectiveTimes, Noise};
use mpirage_packet::CaptureRequest;
use mpirage_platform::Platform;

use crate::bus::BusCollectives;
use crate::model::Model;
use crate::network::Network;
use crate::placement::Placement;

/// A wire that costs nothing.
const NOTHING: Wire = Wire { latency: 0.0, bandwidth: f64::INFINITY };

impl Model {
    /// The network, quiet, on this platform.
    pub fn network_on(&self, platform: &Arc<Platform>) -> Box<dyn NetworkModel> {
        match self.captured_network_on(platform, Vec::new()) {
            Ok(network) => network,
            Err(error) => unreachable!("{error}, though nothing is written"),
        }
    }

    /// The network without noise, if the time of a message that is alone depends on nothing but its hosts and its bytes. With TCP or SCTP, it
    /// depends on earlier messages too.
    pub fn quiet_network_on(&self, platform: &Arc<Platform>) -> Option<Box<dyn NetworkModel>> {
        let mut quiet = self.clone();
        quiet.protocol.noise.message = 0.0;
        let is_memoryless = match &self.network {
            Network::Packet(packet) => packet.is_memoryless(),
            Network::Flow(_) => !platform.profiles().are_of_network(),
            _ => true,
        };
        is_memoryless.then(|| quiet.network_on(platform))
    }

    /// The same with captures of frames, which only a network of frames has.
    pub fn captured_network_on(
        &self,
        platform: &Arc<Platform>,
        captures: Vec<CaptureRequest>,
    ) -> io::Result<Box<dyn NetworkModel>> {
        debug_assert!(captures.is_empty() || matches!(self.network, Network::Packet(_)));
        let network: Box<dyn NetworkModel> = match &self.network {
            Network::Flow(flow) => flow.network_on(platform),
            Network::Bus(bus) => Box::new(BusNetwork::new(platform.host_count(), bus.network.clone())),
            Network::Smp(smp) => Box::new(Uncontended::new(smp.memory, smp.network)),
            Network::LogGops(loggops) => Box::new(Uncontended::new(loggops.wire(), loggops.wire())),
            Network::Packet(packet) => packet.network_on(platform, captures)?,
            Network::Ideal => Box::new(Uncontended::new(NOTHING, NOTHING)),
        };
        let network = match platform.power().has_links() {
            true => Box::new(MeteredNetwork::new(network, Arc::clone(platform))),
            false => network,
        };
        let striped = self.uses_interfaces() && platform.interfaces().stripe_from.is_some();
        let network = match striped {
            true => Box::new(StripedNetwork::new(network, platform.interfaces())),
            false => network,
        };
        let Noise { message, seed, .. } = self.protocol.noise;
        Ok(if message > 0.0 { Box::new(NoisyNetwork::new(network, message, seed)) } else { network })
    }

    /// The memory of the hosts, if the platform describes it.
    pub fn memory_on(&self, platform: &Platform, placement: &Placement) -> Option<Box<dyn MemoryModel>> {
        let node = platform.node_spec()?;
        let usage = match &self.network {
            Network::Flow(flow) if !flow.contention => MemoryUse::Unshared,
            _ if self.uses_node() => MemoryUse::Shared,
            _ => MemoryUse::Computation,
        };
        Some(Box::new(NodeMemory::new(*node, placement.bindings(platform, node), usage)))
    }

    /// Does the model leave messages within a host to the `[node]` of a platform? The others have parameters of their own for them.
    pub(crate) fn uses_node(&self) -> bool {
        matches!(self.network, Network::Flow(_) | Network::Packet(_))
    }

    /// Does the model follow the profiles of links and hosts? The others keep the network as it is at the beginning.
    pub(crate) fn follows_profiles(&self) -> bool {
        matches!(&self.network, Network::Flow(flow) if flow.physics.is_none())
    }

    /// Does the model have the interfaces of a platform's hosts? The others give a host one.
    pub(crate) fn uses_interfaces(&self) -> bool {
        matches!(self.network, Network::Flow(_) | Network::Packet(_))
    }

    /// Bytes that the tables of hosts and links take if all of them are used. The system provides memory for used parts only.
    pub fn bytes_on(&self, platform: &Platform) -> u64 {
        const LINK: u64 = 8;
        const HOST: u64 = 24;
        let (hosts, links) = (u64::from(platform.host_count()), u64::from(platform.link_count()));
        let network = match &self.network {
            Network::Flow(_) => links * LINK,
            Network::Bus(_) => hosts * HOST,
            Network::Smp(_) | Network::LogGops(_) | Network::Packet(_) | Network::Ideal => 0,
        };
        hosts * HOST + network
    }

    /// The formula for collectives, if the model has one.
    pub fn collective_times(&self, platform: &Platform) -> Option<Box<dyn CollectiveTimes>> {
        match &self.network {
            Network::Bus(bus) => Some(Box::new(BusCollectives::new(bus, platform.host_count()))),
            Network::Flow(_)
            | Network::Smp(_)
            | Network::LogGops(_)
            | Network::Packet(_)
            | Network::Ideal => None,
        }
    }
}
