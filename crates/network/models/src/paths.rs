//! The path of each transfer: which links it uses, with which weights, and its latency.

use std::sync::Arc;

use mpirage_fair::{ResourceId, Sharing, SharingPolicy};
use mpirage_kernel::Transfer;
use mpirage_platform::{HostId, Interface, LinkId, Platform, Sharing as LinkSharing, SwitchPort, distance};

use crate::flow_parameters::{Fairness, FlowParameters, Loopback};
use crate::resources::Resources;
use crate::route_cache::{Path, RouteCache};
use crate::star_routes::StarRoutes;

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

/// The solver's resource of each link that has been used.
pub(crate) struct LinkResources {
    by_link: Resources,
}

impl LinkResources {
    pub(crate) fn new(platform: &Platform) -> LinkResources {
        LinkResources { by_link: Resources::new(platform.link_count()) }
    }

    /// The resource of a link, made if need be.
    #[inline]
    pub(crate) fn of(&mut self, link: LinkId, platform: &Platform, sharing: &mut Sharing) -> ResourceId {
        self.by_link.get_or_add(link.0, || {
            let link = platform.link(link);
            let kind = match link.sharing {
                LinkSharing::Shared => SharingPolicy::Shared,
                LinkSharing::FatPipe => SharingPolicy::FatPipe,
            };
            sharing.add_resource(link.bandwidth, kind)
        })
    }

    /// Adds what a message weighs: 1 on each link there, which `route` holds, and ε on each link back, which it holds then.
    pub(crate) fn weigh(
        &mut self,
        [from, to]: [Interface; 2],
        platform: &Platform,
        cross_traffic: f64,
        sharing: &mut Sharing,
        route: &mut Vec<LinkId>,
        uses: &mut Vec<(ResourceId, f64)>,
    ) {
        // A fat pipe of one host limits each message alone, which its bound does already.
        let limits =
            |link: &&LinkId| from.host != to.host || platform.link(**link).sharing == LinkSharing::Shared;
        uses.extend(route.iter().filter(limits).map(|&link| (self.of(link, platform, sharing), 1.0)));
        if cross_traffic == 0.0 {
            return;
        }
        platform.links_between(to, from, route);
        for &link in route.iter().filter(limits) {
            let resource = self.of(link, platform, sharing);
            match uses.iter_mut().find(|(used, _)| *used == resource) {
                // A fat pipe carries both directions at once; a shared link carries their sum.
                Some(_) if platform.link(link).sharing == LinkSharing::FatPipe => {}
                Some((_, weight)) => *weight += cross_traffic,
                None => uses.push((resource, cross_traffic)),
            }
        }
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
    pub(crate) fn work(&mut self, bytes: u64) -> (f64, f64) {
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

    /// Seconds that a message between two hosts spends at least before it uses any link. Makes no path.
    pub(crate) fn least_latency(&self, from: HostId, to: HostId) -> f64 {
        let mut route = Vec::new();
        let ends = Transfer::data(from, to, 0);
        self.platform.links_between(ends.sends(), ends.receives(), &mut route);
        let latency = match route.is_empty() {
            true => self.parameters.loopback.latency,
            false => latency_of(&route, &self.platform, distance(&self.platform, from, to)),
        };
        let factors = self.parameters.segments.iter().map(|segment| segment.latency_factor);
        latency * factors.fold(f64::INFINITY, f64::min)
    }

    /// The number of an interface among those of all hosts.
    #[inline]
    pub(crate) fn number(&self, interface: Interface) -> u32 {
        self.platform.interfaces().number(interface)
    }

    /// The path of a transfer, remembered or computed.
    pub(crate) fn of(&mut self, transfer: &Transfer, sharing: &mut Sharing) -> &Path {
        self.find(transfer, sharing)
    }

    /// The same, inlined.
    #[inline(always)]
    pub(crate) fn find(&mut self, transfer: &Transfer, sharing: &mut Sharing) -> &Path {
        match self.star_routes.of(transfer, &self.platform) {
            Some(ends) => self.star_path(ends, transfer, sharing),
            None => self.remembered(transfer.sends(), transfer.receives(), sharing),
        }
    }

    /// A path like that of a transfer: the same but for its links and their resources, which cost the most.
    pub(crate) fn like(&mut self, transfer: &Transfer, sharing: &mut Sharing) -> &Path {
        match self.star_routes.of(transfer, &self.platform) {
            Some((from, _)) if self.star_routes.has_path(from.switch) => self.star_routes.path(from.switch),
            _ => self.of(transfer, sharing),
        }
    }

    /// The nth link of the route of a transfer, and whether it is the last.
    #[inline]
    pub(crate) fn nth_link(
        &mut self,
        transfer: &Transfer,
        nth: usize,
        sharing: &mut Sharing,
    ) -> Option<(LinkId, bool)> {
        match self.star_routes.of(transfer, &self.platform) {
            Some((from, to)) => [(from.up, false), (to.down, true)].get(nth).copied(),
            None => {
                let route = &self.remembered(transfer.sends(), transfer.receives(), sharing).route;
                route.get(nth).map(|&link| (link, nth + 1 == route.len()))
            }
        }
    }

    /// Shows all links of the route of a transfer.
    #[inline]
    pub(crate) fn with_links<T>(
        &mut self,
        transfer: &Transfer,
        sharing: &mut Sharing,
        take: impl FnOnce(&[LinkId]) -> T,
    ) -> T {
        match self.star_routes.of(transfer, &self.platform) {
            Some((from, to)) => take(&[from.up, to.down]),
            None => take(&self.remembered(transfer.sends(), transfer.receives(), sharing).route),
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
        if !self.star_routes.has_path(from.switch) {
            let path = self.path(transfer.sends(), transfer.receives(), sharing);
            self.star_routes.enter(from.switch, path);
        }
        let Paths { platform, links, star_routes, .. } = self;
        let path = star_routes.path(from.switch);
        // In the order in which `weigh` takes them.
        let ends = [from.up, to.down, to.up, from.down];
        path.footprint.point_at(ends.into_iter().map(|link| links.of(link, platform, sharing)));
        if !path.route.is_empty() {
            path.route.iter_mut().zip(ends).for_each(|(link, end)| *link = end);
        }
        path
    }

    #[inline(never)]
    fn remembered(&mut self, from: Interface, to: Interface, sharing: &mut Sharing) -> &Path {
        let ends = [from, to].map(|interface| self.platform.interfaces().number(interface));
        let place = self.routes.find(ends);
        let place = place.unwrap_or_else(|| {
            let path = self.path(from, to, sharing);
            self.routes.enter(ends, path)
        });
        self.routes.path(place)
    }

    fn path(&mut self, from: Interface, to: Interface, sharing: &mut Sharing) -> Path {
        let Paths { platform, parameters, route, .. } = self;
        platform.links_between(from, to, route);
        let apart = distance(platform, from.host, to.host);
        let mut latency = latency_of(route, platform, apart);
        let (mut bandwidth, mut penalty, mut forwarding) = (f64::INFINITY, apart, 0.0);
        for &link in &*route {
            let link = platform.link(link);
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
            let Paths { platform, parameters, links, route, uses, .. } = self;
            links.weigh([from, to], platform, parameters.cross_traffic, sharing, route, uses);
        }
        let footprint = sharing.footprint_of_distinct(penalty, bound, &self.uses);
        Path { latency, route: links, forwarding, footprint }
    }
}

/// The latency of a route between hosts so many seconds apart.
fn latency_of(route: &[LinkId], platform: &Platform, apart: f64) -> f64 {
    route.iter().fold(apart, |latency, &link| latency + platform.link(link).latency)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths that are pointed at links are those that are made from them, on resources in the same order.
    #[test]
    fn star_routes_are_those_of_the_platform() {
        for platform in ["cluster:5", "fat-tree:2x2", "griffon"] {
            let platform = Arc::new(Platform::load(platform, 4).unwrap());
            let mut pointed = Paths::new(Arc::clone(&platform), FlowParameters::example());
            let mut made = Paths::new(platform, FlowParameters::example());
            let mut sharing = [Sharing::new(), Sharing::new()];
            for (from, to) in [(0, 1), (2, 1), (0, 3), (3, 2), (1, 1), (0, 1)] {
                let transfer = Transfer::data(HostId(from), HostId(to), 1);
                let one = pointed.of(&transfer, &mut sharing[0]);
                let other = made.path(transfer.sends(), transfer.receives(), &mut sharing[1]);
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
            }
        }
    }
}
