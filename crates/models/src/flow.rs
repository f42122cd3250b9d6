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
//! where x is its share. A delay in interfaces, which the size gives, passes before too. Besides weighing 1 on each link of its route, it weighs ε on each link of the way
//! back, for the acknowledgements. Alone it takes λL + n / (β · min(B, γ/2L)).
//!
//! Source: Clauss et al., *Single node on-line simulation of MPI applications with SMPI* (IPDPS 2011), sections 4 and 6; the numbers behind `simgrid` are in the book's chapter on models.

use std::sync::Arc;

use mpirage_fair::{FlowId, Kind, ResourceId, Sharing};
use mpirage_kernel::{Agenda, Departure, Event, Model, NetworkModel, Token, Transfer};
use mpirage_platform::{HostId, LinkId, Platform, Sharing as LinkSharing, SwitchPort};
use mpirage_units::{Duration, Time};

use crate::interface_delay::InterfaceDelay;
use crate::route_cache::{Path, RouteCache};
use crate::star_routes::StarRoutes;
use crate::stream::{Physics, StreamNetwork};

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

/// Which share of a full link a flow gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// The longer its round trip takes, the less.
    RoundTrip,
    /// The same as any other.
    Equal,
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
    /// How flows share a full link.
    pub fairness: Fairness,
    /// ε: weight of a flow on the links of its way back.
    pub cross_traffic: f64,
    /// Do flows share links at all?
    pub contention: bool,
    /// Messages within a host.
    pub loopback: Loopback,
    /// Frames, streams and interfaces instead of factors by size.
    pub physics: Option<Physics>,
    /// What messages between hosts spend in interfaces, besides the latency of links.
    pub interface_delay: InterfaceDelay,
}

impl FlowParameters {
    fn segment(&self, wire_bytes: u64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.above < wire_bytes);
        &self.segments[after.saturating_sub(1)]
    }

    /// The work of a message on its links, and the factor on the latency of its route.
    fn work(&self, bytes: u64) -> (f64, f64) {
        let wire_bytes = bytes + self.header;
        let segment = self.segment(wire_bytes);
        (wire_bytes as f64 / segment.bandwidth_factor, segment.latency_factor)
    }

    /// A quiet network with these parameters.
    pub fn network_on(&self, platform: &Arc<Platform>) -> Box<dyn NetworkModel> {
        let platform = Arc::clone(platform);
        match self.physics {
            Some(physics) => Box::new(StreamNetwork::new(platform, self.clone(), physics)),
            None => Box::new(FlowNetwork::new(platform, self.clone())),
        }
    }

    /// Seconds that a message takes alone on a route.
    pub fn uncontended(&self, bytes: u64, latency: f64, bandwidth: f64) -> f64 {
        let wire_bytes = bytes + self.header;
        let segment = self.segment(wire_bytes);
        let rate = segment.bandwidth_factor * self.bound(latency, bandwidth);
        self.interface_delay.of(bytes) + segment.latency_factor * latency + wire_bytes as f64 / rate
    }

    fn bound(&self, latency: f64, bandwidth: f64) -> f64 {
        if latency > 0.0 { bandwidth.min(self.window / (2.0 * latency)) } else { bandwidth }
    }
}

/// A network of shared links.
pub struct FlowNetwork {
    paths: Paths,
    sharing: Sharing,
    /// Flows in their latency, dated when it ends.
    travelling: Agenda<FlowId>,
    /// The only message, if there is just one.
    uncontended: Option<UncontendedMessage>,
    /// When the next flow that uses links ends, as last asked.
    completion: Option<Time>,
}

/// A message that started when there was no other: both its dates are known at once, and hold unless another message starts.
struct UncontendedMessage {
    transfer: Transfer,
    token: Token,
    /// When it starts to use links.
    departs: Time,
    /// When it has arrived, if it stays alone.
    arrives: Time,
}

/// Makes the path of each transfer from the platform's routes.
pub(crate) struct Paths {
    platform: Arc<Platform>,
    parameters: FlowParameters,
    links: LinkResources,
    star_routes: StarRoutes,
    /// Other routes that were used lately.
    routes: RouteCache,
    /// The size of the last message, with its work and latency factor: consecutive messages often have the same size.
    sized: (u64, (f64, f64)),
    /// Reused lists: the links of a route, and the weights on them.
    route: Vec<LinkId>,
    uses: Vec<(ResourceId, f64)>,
}

impl FlowNetwork {
    /// A quiet network.
    pub fn new(platform: Arc<Platform>, parameters: FlowParameters) -> FlowNetwork {
        FlowNetwork {
            paths: Paths::new(platform, parameters),
            sharing: Sharing::new(),
            travelling: Agenda::new(),
            uncontended: None,
            completion: None,
        }
    }
}

impl FlowNetwork {
    fn is_idle(&self) -> bool {
        self.uncontended.is_none() && self.sharing.is_idle() && self.travelling.next().is_none()
    }

    /// A message starts on an idle network.
    fn start_alone(&mut self, now: Time, transfer: Transfer, token: Token) {
        let FlowNetwork { paths, sharing, uncontended, .. } = self;
        let (work, latency_factor) = paths.work(transfer.bytes);
        let delay = paths.delay(&transfer);
        let path = paths.of(&transfer, sharing);
        let departs = now + Duration::from_secs_f64(latency_factor * path.latency + delay);
        let arrives = departs + Duration::from_secs_f64(path.footprint.span_alone(work));
        *uncontended = Some(UncontendedMessage { transfer, token, departs, arrives });
    }

    /// A message starts among others.
    fn start_among(&mut self, now: Time, transfer: Transfer, token: Token) {
        let FlowNetwork { paths, sharing, travelling, .. } = self;
        let (work, latency_factor) = paths.work(transfer.bytes);
        let delay = paths.delay(&transfer);
        let path = paths.of(&transfer, sharing);
        let latency = Duration::from_secs_f64(latency_factor * path.latency + delay);
        let flow = sharing.prepare(&path.footprint, work, token.0);
        travelling.push(now + latency, flow);
    }

    /// Another message starts: the only message so far shares links from here on.
    fn end_uncontended(&mut self, now: Time) {
        let FlowNetwork { paths, sharing, travelling, uncontended, .. } = self;
        let Some(UncontendedMessage { transfer, token, departs, .. }) = uncontended.take() else { return };
        let (work, _) = paths.work(transfer.bytes);
        let path = paths.of(&transfer, sharing);
        let flow = sharing.prepare(&path.footprint, work, token.0);
        if departs > now {
            travelling.push(departs, flow);
        } else {
            sharing.launch(departs, flow);
        }
    }
}

impl NetworkModel for FlowNetwork {
    fn start(&mut self, now: Time, transfer: Transfer, token: Token) -> Departure {
        if self.is_idle() {
            self.start_alone(now, transfer, token);
        } else {
            self.end_uncontended(now);
            self.start_among(now, transfer, token);
        }
        Departure::Now
    }
}

impl Model for FlowNetwork {
    fn next(&mut self, now: Time) -> Option<Time> {
        if let Some(message) = &self.uncontended {
            return Some(message.arrives);
        }
        self.completion = self.sharing.next_completion(now);
        match (self.travelling.next(), self.completion) {
            (Some(departure), Some(completion)) => Some(departure.min(completion)),
            (departure, completion) => departure.or(completion),
        }
    }

    fn collect(&mut self, now: Time, events: &mut Vec<Event>) {
        if let Some(message) = self.uncontended.take_if(|message| message.arrives <= now) {
            return events.push(Event::ended(message.token));
        }
        if self.completion.is_some_and(|completion| completion <= now) {
            self.sharing.collect_each(now, |token| events.push(Event::ended(Token(token))));
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

impl Paths {
    pub(crate) fn new(platform: Arc<Platform>, parameters: FlowParameters) -> Paths {
        Paths {
            sized: (0, parameters.work(0)),
            links: LinkResources::new(&platform),
            star_routes: StarRoutes::new(&platform),
            routes: RouteCache::new(),
            route: Vec::new(),
            uses: Vec::new(),
            platform,
            parameters,
        }
    }

    /// The work of a message on its links, and the factor on the latency of its route.
    #[inline]
    fn work(&mut self, bytes: u64) -> (f64, f64) {
        if self.sized.0 != bytes {
            self.sized = (bytes, self.parameters.work(bytes));
        }
        self.sized.1
    }

    /// Seconds in the interfaces of two hosts. Messages within a host cross none.
    #[inline]
    pub(crate) fn delay(&self, transfer: &Transfer) -> f64 {
        if transfer.from == transfer.to { 0.0 } else { self.parameters.interface_delay.of(transfer.bytes) }
    }

    /// The path of a transfer, remembered or computed.
    #[inline]
    pub(crate) fn of(&mut self, transfer: &Transfer, sharing: &mut Sharing) -> &Path {
        match self.star_routes.of(transfer, &self.platform) {
            Some(ends) => self.star_path(ends, transfer, sharing),
            None => self.remembered(transfer.from, transfer.to, sharing),
        }
    }

    /// The path between two hosts of a switch: that of other hosts, pointed at the links of these.
    fn star_path(
        &mut self,
        ends: (SwitchPort, SwitchPort),
        transfer: &Transfer,
        sharing: &mut Sharing,
    ) -> &Path {
        let (from, to) = ends;
        if self.star_routes.path(from.switch).is_none() {
            let path = self.path(transfer.from, transfer.to, sharing);
            *self.star_routes.path(from.switch) = Some(path);
        }
        let Paths { platform, links, star_routes, .. } = self;
        let path = star_routes.path(from.switch).get_or_insert_default();
        // In the order in which `use_links` takes them.
        let ends = [from.up, to.down, to.up, from.down];
        path.footprint.point_at(ends.into_iter().map(|link| links.of(link, platform, sharing)));
        path.route.iter_mut().zip(ends).for_each(|(link, end)| *link = end);
        path
    }

    fn remembered(&mut self, from: HostId, to: HostId, sharing: &mut Sharing) -> &Path {
        let place = self.routes.find(from, to);
        let place = place.unwrap_or_else(|| {
            let path = self.path(from, to, sharing);
            self.routes.enter(from, to, path)
        });
        self.routes.path(place)
    }

    fn path(&mut self, from: HostId, to: HostId, sharing: &mut Sharing) -> Path {
        let Paths { platform, parameters, route, .. } = self;
        platform.links_between(from, to, route);
        let (mut latency, mut bandwidth, mut penalty, mut forwarding) = (0.0, f64::INFINITY, 0.0, 0.0);
        for &link in &*route {
            let link = platform.link(link);
            latency += link.latency;
            bandwidth = bandwidth.min(link.bandwidth);
            penalty += link.latency + parameters.penalty_scale / link.bandwidth;
            forwarding += link.bandwidth.recip();
        }
        let links = if parameters.physics.is_some() { route.clone() } else { Vec::new() };
        forwarding -= bandwidth.recip();
        if route.is_empty() {
            let Loopback { bandwidth: own, latency: within } = parameters.loopback;
            (latency, bandwidth, penalty) = (within, own, within + parameters.penalty_scale / own);
        }
        let penalty = if latency > 0.0 && parameters.fairness == Fairness::RoundTrip { penalty } else { 1.0 };
        let bound = parameters.bound(latency, bandwidth);
        self.uses.clear();
        if self.parameters.contention {
            self.use_links(from, to, sharing);
        }
        let footprint = sharing.footprint_of_distinct(penalty, bound, &self.uses);
        Path { latency, route: links, forwarding, footprint }
    }

    /// Weighs 1 on each link there, which `route` holds, and ε on each link back.
    fn use_links(&mut self, from: HostId, to: HostId, sharing: &mut Sharing) {
        let Paths { platform, parameters, links, route, uses, .. } = self;
        // A fat pipe of one host limits each message alone, which its bound does already.
        let limits = |link: &&LinkId| from != to || platform.link(**link).sharing == LinkSharing::Shared;
        uses.extend(route.iter().filter(limits).map(|&link| (links.of(link, platform, sharing), 1.0)));
        if parameters.cross_traffic > 0.0 {
            platform.links_between(to, from, route);
            for &link in route.iter().filter(limits) {
                let resource = links.of(link, platform, sharing);
                match uses.iter_mut().find(|(used, _)| *used == resource) {
                    // A fat pipe carries both directions at once; a shared link carries their sum.
                    Some(_) if platform.link(link).sharing == LinkSharing::FatPipe => {}
                    Some((_, weight)) => *weight += parameters.cross_traffic,
                    None => uses.push((resource, parameters.cross_traffic)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn network() -> FlowNetwork {
        let segment =
            |above, latency_factor, bandwidth_factor| Segment { above, latency_factor, bandwidth_factor };
        let parameters = FlowParameters {
            segments: vec![segment(0, 1.5, 0.8), segment(1000, 2.5, 0.6)],
            header: 16,
            window: 4_194_304.0,
            penalty_scale: 8775.0,
            fairness: Fairness::RoundTrip,
            cross_traffic: 0.05,
            contention: true,
            loopback: Loopback { bandwidth: 498e6, latency: 15e-6 },
            physics: None,
            interface_delay: InterfaceDelay::default(),
        };
        FlowNetwork::new(Arc::new(Platform::load("cluster:4", 4).unwrap()), parameters)
    }

    /// Paths that are pointed at links are those that are made from them, on resources in the same order.
    #[test]
    fn star_routes_are_those_of_the_platform() {
        for platform in ["cluster:5", "fat-tree:2x2", "griffon"] {
            let platform = Arc::new(Platform::load(platform, 4).unwrap());
            let mut pointed = FlowNetwork::new(Arc::clone(&platform), network().paths.parameters);
            let mut made = FlowNetwork::new(platform, network().paths.parameters);
            for (from, to) in [(0, 1), (2, 1), (0, 3), (3, 2), (1, 1), (0, 1)] {
                let transfer = Transfer::data(HostId(from), HostId(to), 1);
                let one = pointed.paths.of(&transfer, &mut pointed.sharing);
                let other = made.paths.path(transfer.from, transfer.to, &mut made.sharing);
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
            }
        }
    }

    /// When each transfer ends, by its number; `alone` if a message may have the network to itself.
    fn dates(transfers: &[(u64, u32, u32, u64)], alone: bool) -> Vec<(Time, u64)> {
        let (mut network, mut dates, mut ended) = (network(), Vec::new(), Vec::new());
        let mut now = Time::ZERO;
        let mut advance_to = |network: &mut FlowNetwork, now: &mut Time, until: Time| {
            while let Some(next) = network.next(*now).filter(|next| *next <= until && *next < Time::MAX) {
                *now = next;
                network.collect(next, &mut ended);
                dates.extend(ended.drain(..).map(|event| (next, event.token.0)));
            }
        };
        for (nth, &(pause, from, to, bytes)) in transfers.iter().enumerate() {
            let start = now + Duration::from_picos(pause);
            advance_to(&mut network, &mut now, start);
            now = start;
            network.start(now, Transfer::data(HostId(from), HostId(to), bytes), Token(nth as u64));
            if !alone {
                network.end_uncontended(now);
            }
        }
        advance_to(&mut network, &mut now, Time::MAX);
        dates
    }

    proptest! {
        /// A message that starts alone ends as any other would, whichever messages join it and when.
        #[test]
        fn an_uncontended_message_ends_as_any_other(transfers in proptest::collection::vec(
            (prop_oneof![Just(0), 0u64..400_000_000, 0u64..40_000_000], 0u32..4, 0u32..4, 0u64..20_000), 1..40
        )) {
            prop_assert_eq!(dates(&transfers, true), dates(&transfers, false));
        }
    }
}
