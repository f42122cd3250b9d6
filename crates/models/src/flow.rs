//! Flows: piece-wise linear latency and bandwidth, and fair sharing of links.
//!
//! A message of s bytes is n = s + header bytes on the wire. Its size class gives two factors, λ on the
//! route's latency L and β on the bandwidth. First λ·L seconds pass without using any link; then the flow
//! enters max-min sharing with the penalty
//!
//! ```text
//! p = Σ over links (latency + S / bandwidth)        (1 on a route without latency)
//! ```
//!
//! and the bound min(B, γ / 2L), B the smallest bandwidth on the route. It carries β·x bytes per second
//! where x is its share. Besides weighing 1 on each link of its route, it weighs ε on each link of the way
//! back, for the acknowledgements. Alone it takes λL + n / (β · min(B, γ/2L)).
//!
//! Source: paper 1, sections 4 and 6; the numbers behind `simgrid` are in the book's chapter on models.

use std::sync::Arc;

use mpirage_fair::{FlowId, Kind, ResourceId, Sharing};
use mpirage_kernel::{Agenda, Departure, NetworkModel, Token, Transfer};
use mpirage_platform::{HostId, LinkId, Platform, Sharing as LinkSharing};
use mpirage_units::{Duration, Time};

use crate::route_cache::{Path, RouteCache};

/// Factors for one class of message sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Messages of more bytes than this belong here (on the wire, header included).
    pub above: u64,
    /// λ: multiplies the route's latency.
    pub latency_factor: f64,
    /// β: multiplies the bandwidth.
    pub bandwidth_factor: f64,
}

/// What a host offers to messages it sends to itself, where the platform says nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loopback {
    /// Bytes per second of each message.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
}

/// Everything that distinguishes one flow model from another.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowParameters {
    /// Size classes in increasing order; the first starts at zero.
    pub segments: Vec<Segment>,
    /// Bytes added to each message.
    pub header: u64,
    /// γ: the largest TCP window in bytes; infinite for none.
    pub window: f64,
    /// S: how much a link's bandwidth counts in the penalty.
    pub penalty_scale: f64,
    /// ε: weight of a flow on the links of its way back.
    pub cross_traffic: f64,
    /// Do flows share links at all?
    pub contention: bool,
    /// Messages within a host.
    pub loopback: Loopback,
}

impl FlowParameters {
    fn segment(&self, wire_bytes: u64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.above < wire_bytes);
        &self.segments[after.saturating_sub(1)]
    }

    /// Seconds that a message takes alone on a route.
    pub fn uncontended(&self, bytes: u64, latency: f64, bandwidth: f64) -> f64 {
        let wire_bytes = bytes + self.header;
        let segment = self.segment(wire_bytes);
        let rate = segment.bandwidth_factor * self.bound(latency, bandwidth);
        segment.latency_factor * latency + wire_bytes as f64 / rate
    }

    fn bound(&self, latency: f64, bandwidth: f64) -> f64 {
        if latency > 0.0 { bandwidth.min(self.window / (2.0 * latency)) } else { bandwidth }
    }
}

/// A network of shared links.
pub struct FlowNetwork {
    ways: Ways,
    sharing: Sharing,
    routes: RouteCache,
    /// Flows in their latency, dated when it ends.
    travelling: Agenda<FlowId>,
    /// When the next flow that uses links ends, as last asked.
    completion: Option<Time>,
    arrived: Vec<u64>,
}

/// How ways through the platform become paths.
struct Ways {
    platform: Arc<Platform>,
    parameters: FlowParameters,
    links: LinkResources,
    /// Scratch for the links of a route and for what they are used for.
    route: Vec<LinkId>,
    uses: Vec<(ResourceId, f64)>,
}

impl FlowNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters) -> FlowNetwork {
        let links = LinkResources::new(&platform);
        FlowNetwork {
            ways: Ways { platform, parameters, links, route: Vec::new(), uses: Vec::new() },
            sharing: Sharing::new(),
            routes: RouteCache::new(),
            travelling: Agenda::new(),
            completion: None,
            arrived: Vec::new(),
        }
    }
}

impl NetworkModel for FlowNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        let FlowNetwork { ways, sharing, routes, travelling, .. } = self;
        let wire_bytes = transfer.bytes + ways.parameters.header;
        let Segment { latency_factor, bandwidth_factor, .. } = *ways.parameters.segment(wire_bytes);
        let (from, to) = (transfer.from, transfer.to);
        let path = routes.get_or(from, to, || ways.path(from, to, sharing));
        let latency = Duration::from_secs_f64(latency_factor * path.latency);
        let flow = sharing.prepare(&path.footprint, wire_bytes as f64 / bandwidth_factor, token.0);
        travelling.push(now + latency, flow);
        Departure::Now
    }

    fn next(&mut self, now: Time) -> Option<Time> {
        self.completion = self.sharing.next_completion(now);
        match (self.travelling.next(), self.completion) {
            (Some(departure), Some(completion)) => Some(departure.min(completion)),
            (departure, completion) => departure.or(completion),
        }
    }

    fn collect(&mut self, now: Time, ended: &mut Vec<Token>) {
        if self.completion.is_some_and(|completion| completion <= now) {
            self.sharing.collect(now, &mut self.arrived);
            ended.extend(self.arrived.drain(..).map(Token));
        }
        // The latency of these flows is over: they start to use links.
        while let Some(flow) = self.travelling.pop_at(now) {
            self.sharing.launch(now, flow);
        }
    }
}

/// The solver's resource of each link that has been used.
struct LinkResources {
    by_link: Vec<Option<ResourceId>>,
}

impl LinkResources {
    fn new(platform: &Platform) -> LinkResources {
        LinkResources { by_link: vec![None; platform.link_count() as usize] }
    }

    fn of(&mut self, link: LinkId, platform: &Platform, sharing: &mut Sharing) -> ResourceId {
        *self.by_link[link.0 as usize].get_or_insert_with(|| {
            let link = platform.link(link);
            let kind = match link.sharing {
                LinkSharing::Shared => Kind::Shared,
                LinkSharing::FatPipe => Kind::FatPipe,
            };
            sharing.add_resource(link.bandwidth, kind)
        })
    }
}

impl Ways {
    fn path(&mut self, from: HostId, to: HostId, sharing: &mut Sharing) -> Path {
        let Ways { platform, parameters, route, .. } = self;
        let mut latency = platform.route(from, to, route);
        let mut bandwidth = f64::INFINITY;
        let mut penalty = 0.0;
        for &link in &*route {
            let link = platform.link(link);
            bandwidth = bandwidth.min(link.bandwidth);
            penalty += link.latency + parameters.penalty_scale / link.bandwidth;
        }
        if route.is_empty() {
            let Loopback { bandwidth: own, latency: within } = parameters.loopback;
            (latency, bandwidth, penalty) = (within, own, within + parameters.penalty_scale / own);
        }
        let penalty = if latency > 0.0 { penalty } else { 1.0 };
        let bound = parameters.bound(latency, bandwidth);
        self.uses.clear();
        if self.parameters.contention {
            self.use_links(from, to, sharing);
        }
        Path { latency, footprint: sharing.footprint(penalty, bound, &self.uses) }
    }

    /// Weighs 1 on each link there, which `route` holds, and ε on each link back.
    fn use_links(&mut self, from: HostId, to: HostId, sharing: &mut Sharing) {
        let Ways { platform, parameters, links, route, uses } = self;
        // A fat pipe of one host limits each message alone, which its bound does already.
        let limits = |link: &&LinkId| from != to || platform.link(**link).sharing == LinkSharing::Shared;
        uses.extend(route.iter().filter(limits).map(|&link| (links.of(link, platform, sharing), 1.0)));
        if parameters.cross_traffic > 0.0 {
            platform.route(to, from, route);
            for &link in route.iter().filter(limits) {
                let resource = links.of(link, platform, sharing);
                let kind = platform.link(link).sharing;
                match uses.iter_mut().find(|(used, _)| *used == resource) {
                    // A fat pipe carries both directions at once; a shared link carries their sum.
                    Some(_) if kind == LinkSharing::FatPipe => {}
                    Some((_, weight)) => *weight += parameters.cross_traffic,
                    None => uses.push((resource, parameters.cross_traffic)),
                }
            }
        }
    }
}
