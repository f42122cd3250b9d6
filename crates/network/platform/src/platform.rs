//! The validated platform: hosts, links, and the route between any two interfaces of hosts.
//!
//! Everything in it has been checked when it was made; asking it never fails.

use std::collections::HashMap;

use crate::accelerators::Accelerators;
use crate::builder::NetPoint;
use crate::coordinates::distance;
use crate::core_speed::CoreSpeed;
use crate::fabric::{Fabric, Path};
use crate::host::HostId;
use crate::interface::{HostInterfaces, Interface};
use crate::link::{LinkId, Sharing};
use crate::links::LinkTable;
use crate::node::NodeSpec;
use crate::power::PowerTable;
use crate::preset::NetworkSource;
use crate::profile::Profiles;
use crate::settings::ModelSettings;
use crate::storage::Storages;
use crate::topology::Topology;
use crate::zone::{Node, Zone, ZoneId, ZoneKind, resolve};

/// A simulated machine room.
#[derive(Debug)]
pub struct Platform {
    name: String,
    zones: Vec<Zone>,
    /// The zones that hold hosts themselves, in order of their hosts.
    leaves: Vec<ZoneId>,
    hosts: u32,
    interfaces: HostInterfaces,
    links: LinkTable,
    names: HashMap<String, NetPoint>,
    settings: ModelSettings,
    node: Option<NodeSpec>,
    storages: Storages,
    profiles: Profiles,
    power: PowerTable,
    network: NetworkSource,
    processor: Option<String>,
    doubts: Vec<String>,
}

/// A host, seen in its platform.
#[derive(Clone, Copy, Debug)]
pub struct Host<'p> {
    platform: &'p Platform,
    /// Its number.
    pub id: HostId,
    /// How fast one core computes.
    pub speed: CoreSpeed,
    /// How many cores, at least one.
    pub cores: u32,
}

impl Host<'_> {
    /// Its name, made when asked for.
    pub fn name(&self) -> String {
        self.platform.host_name(self.id)
    }
}

/// A link, seen in its platform.
#[derive(Clone, Copy, Debug)]
pub struct Link<'p> {
    platform: &'p Platform,
    /// Its number.
    pub id: LinkId,
    /// Bytes per second, positive.
    pub bandwidth: f64,
    /// Seconds, not negative.
    pub latency: f64,
    /// How flows share it.
    pub sharing: Sharing,
}

impl Link<'_> {
    /// Its name, made when asked for.
    pub fn name(&self) -> String {
        self.platform.links.name(&self.platform.zones, self.id)
    }
}

/// A host's own links to a switch. The route from one host to another of the same switch is the link up of the first and the
/// link down of the second; all links in one direction are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchPort {
    /// The number of the switch.
    pub switch: u32,
    /// From the host to the switch.
    pub up: LinkId,
    /// From the switch to the host.
    pub down: LinkId,
}

impl Platform {
    pub(crate) fn new(
        name: String,
        zones: Vec<Zone>,
        links: LinkTable,
        names: HashMap<String, NetPoint>,
        settings: ModelSettings,
        profiles: Profiles,
    ) -> Self {
        let holds_hosts = |id: &ZoneId| {
            let zone = &zones[id.index()];
            zone.host_count > 0 && !zone.is_inner()
        };
        let leaves: Vec<_> = (0..zones.len() as u32).map(ZoneId).filter(holds_hosts).collect();
        let hosts = leaves.iter().map(|id| zones[id.index()].host_count).sum();
        let single_fabric = match zones.as_slice() {
            [Zone { kind: ZoneKind::Fabric(fabric), .. }] => Some(fabric),
            _ => None,
        };
        let interfaces = single_fabric.map_or(HostInterfaces::SINGLE, |fabric| fabric.interfaces);
        Self {
            name,
            zones,
            leaves,
            hosts,
            interfaces,
            links,
            names,
            settings,
            node: None,
            storages: Storages::default(),
            profiles,
            power: PowerTable::default(),
            network: NetworkSource::Given,
            processor: None,
            doubts: Vec::new(),
        }
    }

    pub(crate) fn with_doubts(mut self, doubts: Vec<String>) -> Self {
        self.doubts = doubts;
        self
    }

    /// The same with hosts whose inside is described, and with storages; what is not given stays.
    pub(crate) fn with_insides(mut self, node: Option<NodeSpec>, storages: Option<Storages>) -> Self {
        self.node = node.or(self.node);
        self.storages = storages.unwrap_or(self.storages);
        self
    }

    pub(crate) fn with_power(mut self, power: PowerTable) -> Self {
        self.power = power;
        self
    }

    pub(crate) fn with_processor(mut self, name: Option<String>) -> Self {
        self.processor = name;
        self
    }

    pub(crate) fn with_network(mut self, network: NetworkSource) -> Self {
        self.network = network;
        self
    }

    /// The same with cables that the user has not named.
    pub(crate) fn with_assumed_network(mut self) -> Self {
        self.network = self.network.assumed();
        self
    }

    /// Where the rates of its cables are from.
    pub fn network_source(&self) -> &NetworkSource {
        &self.network
    }

    /// The processor of its hosts, if the file names it.
    pub fn processor(&self) -> Option<&str> {
        self.processor.as_deref()
    }

    /// The inside of its hosts, if it is described.
    pub fn node_spec(&self) -> Option<&NodeSpec> {
        self.node.as_ref()
    }

    /// Where files are.
    pub fn storages(&self) -> &Storages {
        &self.storages
    }

    /// Properties that change over time.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// The power of hosts and links.
    pub fn power(&self) -> &PowerTable {
        &self.power
    }

    /// Hosts that stand for all: one of each group of equal ones.
    pub(crate) fn host_kinds(&self) -> impl Iterator<Item = Host<'_>> {
        self.leaves.iter().flat_map(|id| {
            let zone = &self.zones[id.index()];
            let kinds = if zone.members().is_some() { zone.host_count } else { 1 };
            (zone.first_host..zone.first_host + kinds).map(|id| self.host(HostId(id)))
        })
    }

    /// Warnings about probably unintended input: quantities without a unit, or of an unlikely size.
    pub fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many hosts there are; their numbers are all those below.
    pub fn host_count(&self) -> u32 {
        self.hosts
    }

    /// The network interfaces of each host.
    pub fn interfaces(&self) -> HostInterfaces {
        self.interfaces
    }

    /// A host.
    ///
    /// # Panics
    /// When `id` is not below [`host_count`](Self::host_count).
    pub fn host(&self, id: HostId) -> Host<'_> {
        let (zone, position) = self.leaf(id);
        let (speed, cores) = match (&zone.kind, zone.members()) {
            (_, Some(members)) => {
                let host = &members.hosts[position as usize];
                (host.speed, host.cores)
            }
            (ZoneKind::Fabric(fabric), None) => (fabric.hosts.speed, fabric.hosts.cores),
            _ => unreachable!("a zone without members is a fabric"),
        };
        Host { platform: self, id, speed, cores }
    }

    /// All hosts, in order.
    pub fn hosts(&self) -> impl Iterator<Item = Host<'_>> {
        (0..self.hosts).map(|id| self.host(HostId(id)))
    }

    /// The host of that name.
    pub fn find_host(&self, name: &str) -> Option<HostId> {
        if let Some(NetPoint::Host(node)) = self.names.get(name) {
            let zone = &self.zones[node.zone.index()];
            let host = zone.members()?.hosts.binary_search_by_key(&node.vertex, |host| host.vertex).ok()?;
            return Some(HostId(zone.first_host + host as u32));
        }
        self.zones.iter().find_map(|zone| match &zone.kind {
            ZoneKind::Fabric(fabric) => Some(HostId(zone.first_host + fabric.hosts.names.position(name)?)),
            _ => None,
        })
    }

    /// How many links there are; their numbers are all those below.
    pub fn link_count(&self) -> u32 {
        self.links.count()
    }

    /// A link.
    ///
    /// # Panics
    /// When `id` is not below [`link_count`](Self::link_count).
    pub fn link(&self, id: LinkId) -> Link<'_> {
        let spec = self.links.spec(&self.zones, id);
        let (bandwidth, latency, sharing) = (spec.bandwidth, spec.latency, spec.sharing);
        Link { platform: self, id, bandwidth, latency, sharing }
    }

    /// All links, in order.
    pub fn links(&self) -> impl Iterator<Item = Link<'_>> {
        (0..self.link_count()).map(|id| self.link(LinkId(id)))
    }

    /// Replaces `links` by those a message crosses from `src` to `dst`, in order, and gives the sum
    /// of their latencies and of the [`distance`]. A host stands for its first interface. From a host to itself: its loopback if it has one, otherwise nothing;
    /// in SimGrid files without loopback, what SimGrid takes (to the switch and back).
    ///
    /// # Panics
    /// When a host is not below [`host_count`](Self::host_count).
    pub fn route(
        &self,
        src: impl Into<Interface>,
        dst: impl Into<Interface>,
        links: &mut Vec<LinkId>,
    ) -> f64 {
        let (src, dst) = (src.into(), dst.into());
        self.links_between(src, dst, links);
        let apart = distance(self, src.host, dst.host);
        links.iter().fold(apart, |sum, link| sum + self.links.spec(&self.zones, *link).latency)
    }

    /// The same without asking for latencies.
    ///
    /// # Panics
    /// When a host is not below [`host_count`](Self::host_count).
    pub fn links_between(
        &self,
        src: impl Into<Interface>,
        dst: impl Into<Interface>,
        links: &mut Vec<LinkId>,
    ) {
        links.clear();
        let [src, dst] = within_host(src.into(), dst.into());
        let found = resolve(&self.zones, self.node(src), self.node(dst), links);
        debug_assert!(found.is_some(), "a platform without this route is refused when it is loaded");
    }

    /// The router of that name.
    pub(crate) fn find_router(&self, name: &str) -> Option<Node> {
        match self.names.get(name) {
            Some(NetPoint::Router(node)) => Some(*node),
            _ => None,
        }
    }

    /// The names of all routers, sorted.
    pub(crate) fn router_names(&self) -> Vec<String> {
        let routers = self.names.iter().filter(|(_, point)| matches!(point, NetPoint::Router(_)));
        let mut names: Vec<String> = routers.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// The links from a router to a host. `None` if there is no way.
    pub(crate) fn links_from(&self, router: Node, host: HostId, links: &mut Vec<LinkId>) -> Option<()> {
        links.clear();
        resolve(&self.zones, router, self.node(host.into()), links)
    }

    /// The links from a host to a router. `None` if there is no way.
    pub(crate) fn links_to(&self, host: HostId, router: Node, links: &mut Vec<LinkId>) -> Option<()> {
        links.clear();
        resolve(&self.zones, self.node(host.into()), router, links)
    }

    /// The number of routes between two hosts that [`links_by_choice`](Self::links_by_choice) tells apart: the ways up a fat
    /// tree, the groups that a dragonfly's route may pass, the spines and cables between groups of a Dragonfly+. It is 1 for other
    /// topologies.
    ///
    /// # Panics
    /// When a host is not below [`host_count`](Self::host_count).
    pub fn route_choices(&self, src: impl Into<Interface>, dst: impl Into<Interface>) -> u32 {
        self.common_fabric(src.into(), dst.into())
            .map_or(1, |(fabric, _, [src, dst])| fabric.choices(src, dst))
    }

    /// Like [`links_between`](Self::links_between), for one of the routes between two hosts. Choice 0 is the route that
    /// `links_between` gives; a choice beyond [`route_choices`](Self::route_choices) starts again from 0.
    ///
    /// # Panics
    /// When a host is not below [`host_count`](Self::host_count).
    pub fn links_by_choice(
        &self,
        src: impl Into<Interface>,
        dst: impl Into<Interface>,
        choice: u32,
        links: &mut Vec<LinkId>,
    ) {
        let (src, dst) = (src.into(), dst.into());
        let choice = choice % self.route_choices(src, dst);
        match self.common_fabric(src, dst).filter(|_| choice > 0) {
            None => self.links_between(src, dst, links),
            Some((fabric, first_link, [src, dst])) => {
                links.clear();
                fabric.route_by(src, dst, choice, &mut Path { first_link, links });
            }
        }
    }

    /// The links of an interface to its switch, if it is connected to one directly.
    ///
    /// # Panics
    /// When `id` is not below [`host_count`](Self::host_count).
    pub fn switch_port(&self, interface: impl Into<Interface>) -> Option<SwitchPort> {
        let Interface { host, nth } = interface.into();
        let switch = self.leaf_id(host);
        let zone = &self.zones[switch.index()];
        let ZoneKind::Fabric(fabric) = &zone.kind else { return None };
        let (up, down) = fabric.switch_port(zone.vertex_of_interface(host.0 - zone.first_host, nth))?;
        let link = |link| LinkId(zone.first_link + link);
        Some(SwitchPort { switch: switch.0, up: link(up), down: link(down) })
    }

    /// The model settings of the file.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Its hosts as accelerators of nodes, if all of them are.
    pub fn accelerators(&self) -> Option<Accelerators> {
        match self.zones.as_slice() {
            [Zone { kind: ZoneKind::Fabric(fabric), .. }] => fabric.accelerators(),
            _ => None,
        }
    }

    /// Its shape.
    pub fn topology(&self) -> Topology {
        match self.zones.first() {
            Some(root) => root.topology(&self.zones),
            None => Topology::Explicit { hosts: 0, routing: "None" },
        }
    }

    pub(crate) fn zones(&self) -> &[Zone] {
        &self.zones
    }

    pub(crate) fn link_table(&self) -> &LinkTable {
        &self.links
    }

    pub(crate) fn host_name(&self, id: HostId) -> String {
        let (zone, position) = self.leaf(id);
        match (&zone.kind, zone.members()) {
            (_, Some(members)) => members.hosts[position as usize].name.clone(),
            (ZoneKind::Fabric(fabric), None) => fabric.hosts.names.name(position),
            _ => unreachable!("a zone without members is a fabric"),
        }
    }

    fn node(&self, Interface { host, nth }: Interface) -> Node {
        let id = self.leaf_id(host);
        let zone = &self.zones[id.index()];
        Node { zone: id, vertex: zone.vertex_of_interface(host.0 - zone.first_host, nth) }
    }

    fn leaf(&self, host: HostId) -> (&Zone, u32) {
        let zone = &self.zones[self.leaf_id(host).index()];
        (zone, host.0 - zone.first_host)
    }

    /// The fabric of interfaces of two different hosts, its first link, and their positions in it.
    fn common_fabric(&self, src: Interface, dst: Interface) -> Option<(&Fabric, u32, [u32; 2])> {
        let zone = &self.zones[self.leaf_id(src.host).index()];
        let ZoneKind::Fabric(fabric) = &zone.kind else { return None };
        let common = src.host != dst.host && self.leaf_id(src.host) == self.leaf_id(dst.host);
        common.then(|| (fabric, zone.first_link, [src, dst].map(|interface| self.node(interface).vertex)))
    }

    fn leaf_id(&self, host: HostId) -> ZoneId {
        assert!(host.0 < self.hosts, "host {} of a platform of {}", host.0, self.hosts);
        let after = self.leaves.partition_point(|id| self.zones[id.index()].first_host <= host.0);
        self.leaves[after - 1]
    }
}

/// A message to a host's own interfaces uses none of them: all stand for the first.
fn within_host(src: Interface, dst: Interface) -> [Interface; 2] {
    if src.host == dst.host { [src.host, dst.host].map(Interface::from) } else { [src, dst] }
}
