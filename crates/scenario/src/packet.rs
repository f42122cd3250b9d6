//! `packet`: a network of frames. Its parameters stand in the `[packet]` table of a platform file.

mod keys;
mod queues;
mod readers;
mod table;
mod transport;

pub use keys::{PACKET_KEYS, PacketKey};
pub use transport::Transport;

use std::io;
use std::sync::Arc;

use mpirage_kernel::{InterfaceDelay, NetworkModel};
use mpirage_models::{Detail, FlowParameters, Hybrid};
use mpirage_packet::{
    CaptureRequest, Endpoint, LinkLayer, LinkParameters, LosslessParameters, LosslessWires, PacketNetwork,
    PacketParameters, QueueLimit, RdmaEndpoint, RdmaSettings, Routing, Sctp, SctpSettings, Tcp, TcpSettings,
};
use mpirage_platform::{HostId, LinkId, NetworkPlace, Platform};
use mpirage_units::Duration;

use crate::faults::{FaultSpec, links_of, place_named};
use crate::measured_flow::measured_flow;
use crate::physics;
use crate::profile::Profile;
use queues::QueueSpec;

/// A network of frames and the transport protocol on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// The library that sends messages.
    pub profile: &'static Profile,
    /// The transport protocol of connections.
    pub transport: Transport,
    /// Links, switches, hosts, messages.
    pub parameters: PacketParameters,
    /// Connections of TCP.
    pub tcp: TcpSettings,
    /// Associations of SCTP.
    pub sctp: SctpSettings,
    /// Links that lose nothing, for InfiniBand and RoCE.
    pub lossless: LosslessParameters,
    /// The payload of a packet of InfiniBand or RoCE, in bytes.
    pub rdma_mtu: u32,
    /// Timeouts without progress after which a queue pair is given up.
    pub rdma_retries: u32,
    faults: Vec<FaultSpec>,
    /// Queues of other sizes.
    queues: Vec<QueueSpec>,
    /// How long interfaces keep messages.
    interface_delay: InterfaceDelay,
    /// Places in detail, if the rest is not.
    pub(crate) only: Vec<String>,
    /// The rest, as flows.
    rest: FlowParameters,
}

impl Packet {
    /// The network that a library sees, with nothing else said.
    pub(crate) fn of(profile: &'static Profile, seed: u64) -> Packet {
        let mut parameters = PacketParameters { seed, ..PacketParameters::default() };
        profile.shape(&mut parameters);
        let transport = profile.transport;
        Packet {
            profile,
            transport,
            parameters,
            tcp: TcpSettings::default(),
            sctp: SctpSettings::default(),
            lossless: transport.lossless(),
            rdma_mtu: RdmaSettings::infiniband().mtu,
            rdma_retries: RdmaSettings::infiniband().retries,
            faults: Vec::new(),
            queues: Vec::new(),
            interface_delay: InterfaceDelay::default(),
            only: Vec::new(),
            rest: profile.flow(measured_flow(), seed),
        }
    }

    /// Sets how long interfaces keep messages, in frames and in flows.
    pub(crate) fn set_interface_delay(&mut self, delay: InterfaceDelay) {
        self.rest.interface_delay = delay.clone();
        self.interface_delay = delay;
    }

    /// Sets the time of software for each message, in frames and in flows.
    pub(crate) fn set_software(&mut self, software: Duration) {
        physics::of(&mut self.rest).software = software;
        self.parameters.hosts.software = software;
    }

    /// The links that the transport has.
    fn links(&self) -> &LinkParameters {
        if self.transport.is_lossless() { &self.lossless.links } else { &self.parameters.links }
    }

    /// Sets a parameter of links, whichever transport is chosen.
    fn set_links(&mut self, set: impl Fn(&mut LinkParameters)) -> Result<(), String> {
        set(&mut self.lossless.links);
        set(&mut self.parameters.links);
        Ok(())
    }

    /// Are all places that it names on this platform? The error says which is not.
    pub(crate) fn check(&self, platform: &Platform) -> Result<(), String> {
        let faults: Result<Vec<_>, String> =
            self.faults.iter().map(|fault| fault.resolve(platform)).collect();
        faults.map_err(|problem| format!("`faults`: {problem}"))?;
        self.queue_limits(platform).map_err(|problem| format!("`queues`: {problem}"))?;
        self.places(platform).map(drop).map_err(|problem| format!("`only`: {problem}"))
    }

    /// The limits of queues that have one of their own; of several for one link the last.
    fn queue_limits(&self, platform: &Platform) -> Result<Vec<(LinkId, QueueLimit)>, String> {
        let limits: Result<Vec<_>, String> =
            self.queues.iter().map(|queue| queue.resolve(platform)).collect();
        Ok(limits?.concat())
    }

    /// The places whose messages are frames.
    fn places(&self, platform: &Platform) -> Result<Vec<NetworkPlace>, String> {
        self.only.iter().flat_map(|name| expand(name)).map(|name| place_named(&name, platform)).collect()
    }

    /// The network, quiet.
    pub(crate) fn network_on(
        &self,
        platform: &Arc<Platform>,
        captures: Vec<CaptureRequest>,
    ) -> io::Result<Box<dyn NetworkModel>> {
        let frames = self.frames_on(platform, captures)?;
        if self.only.is_empty() {
            return Ok(frames);
        }
        let mut detail = Detail::new(Arc::clone(platform));
        // Places were checked when the model was resolved.
        for place in self.places(platform).unwrap_or_default() {
            match place {
                NetworkPlace::Host(host) => detail.add_host(host),
                place => links_of(&place, platform).into_iter().for_each(|link| detail.add_link(link)),
            }
        }
        Ok(Box::new(Hybrid::new(detail, frames, self.rest.network_on(platform))))
    }

    fn frames_on(
        &self,
        platform: &Arc<Platform>,
        captures: Vec<CaptureRequest>,
    ) -> io::Result<Box<dyn NetworkModel>> {
        match self.transport {
            Transport::Tcp => self.network_of::<Tcp>(platform, captures, Arc::new(self.tcp)),
            Transport::Sctp => self.network_of::<Sctp>(platform, captures, self.sctp.clone()),
            Transport::Infiniband | Transport::Roce => self.rdma_network(platform, captures),
        }
    }

    fn network_of<E: Endpoint + 'static>(
        &self,
        platform: &Arc<Platform>,
        captures: Vec<CaptureRequest>,
        settings: E::Settings,
    ) -> io::Result<Box<dyn NetworkModel>> {
        let network = PacketNetwork::<E>::new(Arc::clone(platform), self.parameters, settings);
        self.prepared(network, platform, captures)
    }

    fn rdma_network(
        &self,
        platform: &Arc<Platform>,
        captures: Vec<CaptureRequest>,
    ) -> io::Result<Box<dyn NetworkModel>> {
        let settings = match self.transport {
            Transport::Roce => RdmaSettings::roce(line_rate(platform)),
            _ => RdmaSettings::infiniband(),
        };
        let settings = RdmaSettings { mtu: self.rdma_mtu, retries: self.rdma_retries, ..settings };
        let in_order = !matches!(self.lossless.links.routing, Routing::Adaptive(_));
        let settings = if self.loses() { settings.on_lossy_links(in_order) } else { settings };
        let settings = Arc::new(settings);
        let wires = LosslessWires::new(Arc::clone(platform), self.lossless, self.parameters.seed);
        let network: PacketNetwork<RdmaEndpoint, LosslessWires> =
            PacketNetwork::over(wires, Arc::clone(platform), self.parameters, settings);
        self.prepared(network, platform, captures)
    }

    /// Does the time of a message that is alone depend on nothing but its hosts and its bytes? Connections of TCP and SCTP remember what
    /// they have sent; those of InfiniBand and RoCE change only under congestion or losses.
    pub(crate) fn is_memoryless(&self) -> bool {
        self.transport.is_lossless() && !self.loses()
    }

    /// Can links lose frames?
    fn loses(&self) -> bool {
        self.lossless.links.frame_loss > 0.0
            || self.lossless.links.bit_errors > 0.0
            || !self.faults.is_empty()
    }

    /// The network with its faults and captures.
    fn prepared<E: Endpoint + 'static, L: LinkLayer + 'static>(
        &self,
        mut network: PacketNetwork<E, L>,
        platform: &Platform,
        captures: Vec<CaptureRequest>,
    ) -> io::Result<Box<dyn NetworkModel>> {
        // Faults and queues were checked when the model was resolved.
        network.set_interface_delay(self.interface_delay.clone());
        network.set_faults(self.faults.iter().filter_map(|fault| fault.resolve(platform).ok()).collect());
        network.set_queue_limits(&self.queue_limits(platform).unwrap_or_default());
        for capture in captures {
            network.capture(capture)?;
        }
        Ok(Box::new(network))
    }
}

/// `host-[0-15]` are sixteen names.
fn expand(name: &str) -> Vec<String> {
    let range = || {
        let (before, rest) = name.split_once('[')?;
        let (range, after) = rest.split_once(']')?;
        let (first, last) = range.split_once('-')?;
        let (from, to): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let width = first.len();
        Some((from..=to).map(|number| format!("{before}{number:0width$}{after}")).collect())
    };
    range().unwrap_or_else(|| vec![name.to_owned()])
}

/// Bytes per second of the link of the first host.
fn line_rate(platform: &Platform) -> f64 {
    let mut links = Vec::new();
    platform.links_between(HostId(0), HostId(platform.host_count().saturating_sub(1)), &mut links);
    links.first().map_or(12.5e9, |link| platform.link(*link).bandwidth)
}
