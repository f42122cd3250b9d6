//! Puts a platform together, piece by piece, in file order.
//!
//! Readers of files call it and add the line to what it refuses.

use std::collections::HashMap;

use crate::core_speed::CoreSpeed;
use crate::fabric::Fabric;
use crate::host::HostId;
use crate::link::{Cable, LinkId};
use crate::links::{LinkTable, NamedCable};
use crate::platform::Platform;
use crate::power::PowerTable;
use crate::profile::Profiles;
use crate::settings::ModelSettings;
use crate::zone::{
    AddRoute, Bypasses, Gateways, Node, Route, Vertex, Zone, ZoneBypass, ZoneId, ZoneKind, first_unreachable,
};

const EITHER_OR: &str = "a zone holds either zones or hosts and routers, not both";

/// A platform under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    zones: Vec<Zone>,
    open: Vec<ZoneId>,
    hosts: u32,
    pub links: LinkTable,
    names: HashMap<String, NetPoint>,
    pub settings: ModelSettings,
    pub profiles: Profiles,
    pub power: PowerTable,
    /// Cores of hosts without a number of their own, if the file sets a default.
    pub cores: Option<u32>,
}

/// The element that a name in a route stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetPoint {
    Host(Node),
    Router(Node),
    Zone(ZoneId),
}

impl NetPoint {
    /// The node, unless it is a zone.
    pub fn node(self) -> Option<Node> {
        match self {
            Self::Host(node) | Self::Router(node) => Some(node),
            Self::Zone(_) => None,
        }
    }
}

/// The direction in which a route crosses a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
    None,
}

/// One link of a route in both directions: the one taken, and the one for the way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RouteLink {
    pub there: LinkId,
    pub back: LinkId,
}

impl Builder {
    /// Cores of a host without a number of its own.
    pub fn usual_cores(&self) -> u32 {
        self.cores.unwrap_or(1)
    }

    /// Starts a zone inside the one that is open.
    pub fn open_zone(&mut self, name: &str, kind: ZoneKind) -> Result<ZoneId, String> {
        let id = ZoneId(self.zones.len() as u32);
        self.claim(name, NetPoint::Zone(id))?;
        let parent = self.open.last().copied().map(|parent| self.add_branch(parent, id)).transpose()?;
        let first_host = self.hosts;
        self.zones.push(Zone {
            name: name.to_owned(),
            parent,
            kind,
            bypasses: Bypasses::default(),
            first_host,
            host_count: 0,
            first_link: 0,
        });
        self.open.push(id);
        Ok(id)
    }

    /// Ends the zone opened last.
    pub fn close_zone(&mut self) {
        if let Some(id) = self.open.pop() {
            let zone = &mut self.zones[id.index()];
            zone.host_count = self.hosts - zone.first_host;
            if let ZoneKind::Routed(routed) = &mut zone.kind {
                routed.seal();
            }
        }
    }

    /// A whole zone by formula, and the name of its router if it has one.
    pub fn add_fabric(&mut self, fabric: Fabric, router: Option<&str>) -> Result<ZoneId, String> {
        self.check_host_names(&fabric)?;
        let (name, hosts, links) = (fabric.id.clone(), fabric.host_count(), fabric.link_count());
        let vertex = fabric.position_count();
        let id = self.open_zone(&name, ZoneKind::Fabric(fabric))?;
        self.zones[id.index()].first_link = self.links.add_fabric(id, links)?;
        if let Some(router) = router {
            self.claim(router, NetPoint::Router(Node { zone: id, vertex }))?;
        }
        self.count_hosts(hosts)?;
        self.close_zone();
        Ok(id)
    }

    pub fn add_host(&mut self, name: &str, speed: CoreSpeed, cores: u32) -> Result<Node, String> {
        self.count_hosts(1)?;
        let (zone, members) = self.open_members()?;
        let vertex = members.add_host(name.to_owned(), speed, cores);
        let node = Node { zone, vertex };
        self.claim(name, NetPoint::Host(node))?;
        Ok(node)
    }

    pub fn add_router(&mut self, name: &str) -> Result<(), String> {
        let (zone, members) = self.open_members()?;
        let vertex = members.add(Vertex::Router);
        self.claim(name, NetPoint::Router(Node { zone, vertex }))
    }

    pub fn add_link(&mut self, name: &str, cable: Cable) -> Result<(), String> {
        self.links.add(name, cable)
    }

    /// Finds the element called `name`.
    pub fn find(&self, name: &str) -> Option<NetPoint> {
        self.names.get(name).copied().or_else(|| {
            self.fabrics().find_map(|(zone, fabric)| {
                let vertex = fabric.position(fabric.hosts.names.position(name)?, 0);
                Some(NetPoint::Host(Node { zone, vertex }))
            })
        })
    }

    /// The hosts so far.
    pub fn host_count(&self) -> u32 {
        self.hosts
    }

    /// The number of the host called `name`.
    pub fn find_host(&self, name: &str) -> Option<HostId> {
        let NetPoint::Host(node) = self.find(name)? else { return None };
        let zone = self.zone(node.zone);
        let position = match (&zone.kind, zone.members()) {
            (_, Some(members)) => {
                members.hosts.binary_search_by_key(&node.vertex, |host| host.vertex).ok()? as u32
            }
            (ZoneKind::Fabric(fabric), None) => fabric.hosts.names.position(name)?,
            _ => return None,
        };
        Some(HostId(zone.first_host + position))
    }

    /// All names given in the file, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The link called `name`, in the direction it is crossed.
    pub fn find_link(&self, name: &str, direction: Direction) -> Result<RouteLink, LinkProblem> {
        let found = self.links.named(name).or_else(|| self.find_fabric_link(name));
        match (found.ok_or(LinkProblem::Unknown)?, direction) {
            (NamedCable::Single(link), Direction::None) => Ok(RouteLink { there: link, back: link }),
            (NamedCable::Split { up, down }, Direction::Up) => Ok(RouteLink { there: up, back: down }),
            (NamedCable::Split { up, down }, Direction::Down) => Ok(RouteLink { there: down, back: up }),
            (NamedCable::Single(_), _) => Err(LinkProblem::HasNoDirections),
            (NamedCable::Split { .. }, Direction::None) => Err(LinkProblem::NeedsDirection),
        }
    }

    /// Links of fabrics are seldom named in routes, so their names are searched, not indexed.
    fn find_fabric_link(&self, name: &str) -> Option<NamedCable> {
        self.fabrics().find_map(|(zone, fabric)| {
            let first = self.zones[zone.index()].first_link;
            let at = |wanted: &str| (0..fabric.link_count()).find(|link| fabric.link_name(*link) == wanted);
            // Only the names of such zones start with the zone's own; the others are not for routes.
            name.strip_prefix(fabric.id.as_str())?;
            match at(name) {
                Some(link) => Some(NamedCable::Single(LinkId(first + link))),
                None => Some(NamedCable::Split {
                    up: LinkId(first + at(&format!("{name}_UP"))?),
                    down: LinkId(first + at(&format!("{name}_DOWN"))?),
                }),
            }
        })
    }

    /// Adds a route between two vertices of the open zone, and the way back when it is symmetrical.
    pub fn add_route(
        &mut self,
        (src, dst): (u32, u32),
        gateways: Option<Gateways>,
        links: &[RouteLink],
        symmetrical: bool,
    ) -> Result<(), RouteProblem> {
        let zone = self.open.last().copied().ok_or(RouteProblem::WrongZone)?;
        let ZoneKind::Routed(zone) = &mut self.zones[zone.index()].kind else {
            return Err(RouteProblem::WrongZone);
        };
        let there = Route { links: links.iter().map(|link| link.there).collect(), gateways };
        if zone.add_route(src, dst, there) == AddRoute::Exists {
            return Err(RouteProblem::Exists);
        }
        if symmetrical && src != dst {
            let links = links.iter().rev().map(|link| link.back).collect();
            let back = Route { links, gateways: gateways.map(Gateways::reversed) };
            if zone.add_route(dst, src, back) == AddRoute::Exists {
                return Err(RouteProblem::WayBackExists);
            }
        }
        Ok(())
    }

    /// Adds a route that two vertices of the open zone take instead of any other.
    pub fn add_bypass(&mut self, ends: (u32, u32), links: &[RouteLink]) -> Result<(), RouteProblem> {
        let links = links.iter().map(|link| link.there).collect();
        added(self.open_bypasses()?.add(ends, links))
    }

    /// Adds a route that two zones below the open one take instead of any other.
    pub fn add_zone_bypass(
        &mut self,
        zones: (ZoneId, ZoneId),
        gateways: Gateways,
        links: &[RouteLink],
    ) -> Result<(), RouteProblem> {
        let links = links.iter().map(|link| link.there).collect();
        added(self.open_bypasses()?.add_between_zones(zones, ZoneBypass { links, gateways }))
    }

    fn open_bypasses(&mut self) -> Result<&mut Bypasses, RouteProblem> {
        let zone = self.open.last().copied().ok_or(RouteProblem::WrongZone)?;
        Ok(&mut self.zones[zone.index()].bypasses)
    }

    /// The zone directly inside the open one that holds `zone` or is it.
    pub fn branch_of(&self, zone: ZoneId) -> Option<ZoneId> {
        let here = self.open_zone_id()?;
        let up = |zone: &ZoneId| self.zone(*zone).parent.map(|parent| parent.zone);
        let around = || std::iter::successors(Some(zone), up);
        around().any(|zone| zone == here).then(|| around().take_while(|zone| *zone != here).last())?
    }

    /// The zone that is open.
    pub fn open_zone_id(&self) -> Option<ZoneId> {
        self.open.last().copied()
    }

    pub fn zone(&self, id: ZoneId) -> &Zone {
        &self.zones[id.index()]
    }

    pub fn zone_mut(&mut self, id: ZoneId) -> &mut Zone {
        &mut self.zones[id.index()]
    }

    /// Whether a node is in a zone, or in a zone inside it.
    pub fn is_inside(&self, node: Node, zone: ZoneId) -> bool {
        let mut at = Some(node);
        while let Some(here) = at {
            if here.zone == zone {
                return true;
            }
            at = self.zones[here.zone.index()].parent;
        }
        false
    }

    /// Checks what can only be checked at the end.
    pub fn finish(self, name: String) -> Result<Platform, Unfinished> {
        if self.hosts == 0 {
            return Err(Unfinished::NoHosts);
        }
        let unreachable = first_unreachable(&self.zones);
        let platform = Platform::new(name, self.zones, self.links, self.names, self.settings, self.profiles);
        match unreachable {
            None => Ok(platform.with_power(self.power)),
            Some(gap) => {
                let (src, dst) = (platform.host_name(gap.src), platform.host_name(gap.dst));
                Err(Unfinished::NoRoute { zone: gap.zone, src, dst })
            }
        }
    }

    fn fabrics(&self) -> impl Iterator<Item = (ZoneId, &Fabric)> {
        (0..).map(ZoneId).zip(&self.zones).filter_map(|(id, zone)| match &zone.kind {
            ZoneKind::Fabric(fabric) => Some((id, fabric)),
            _ => None,
        })
    }

    fn open_members(&mut self) -> Result<(ZoneId, &mut crate::zone::Members), String> {
        let id = self.open.last().copied().ok_or("this stands outside of any zone")?;
        let zone = &mut self.zones[id.index()];
        let members = zone.members_mut().ok_or("this zone is given by formula")?;
        if matches!(members.vertices.first(), Some(Vertex::Zone(_))) {
            return Err(EITHER_OR.to_owned());
        }
        Ok((id, members))
    }

    fn add_branch(&mut self, parent: ZoneId, branch: ZoneId) -> Result<Node, String> {
        let members = self.zones[parent.index()].members_mut();
        let members = members.ok_or("a zone given by formula holds no other zones")?;
        if matches!(members.vertices.first(), Some(Vertex::Host(_) | Vertex::Router)) {
            return Err(EITHER_OR.to_owned());
        }
        Ok(Node { zone: parent, vertex: members.add(Vertex::Zone(branch)) })
    }

    fn count_hosts(&mut self, more: u32) -> Result<(), String> {
        let hosts = self.hosts.checked_add(more);
        self.hosts = hosts.ok_or("the platform has more hosts than can be numbered (4,294,967,295)")?;
        Ok(())
    }

    fn claim(&mut self, name: &str, point: NetPoint) -> Result<(), String> {
        if self.find(name).is_some() {
            return Err(format!(
                "there are two things called `{name}`; hosts, routers and zones need names of their own"
            ));
        }
        self.names.insert(name.to_owned(), point);
        Ok(())
    }

    fn check_host_names(&self, fabric: &Fabric) -> Result<(), String> {
        let names = &fabric.hosts.names;
        if let Some((_, other)) =
            self.fabrics().find(|(_, other)| other.hosts.names.too_many_to_compare(names))
        {
            return Err(format!(
                "the names of hosts of `{}` and `{}` differ only in digits before or behind their numbers, and are too many to compare; \
                 choose prefixes that do not end with a digit, and suffixes that do not begin with one",
                other.id, fabric.id
            ));
        }
        let taken = self.names.keys().filter(|name| names.position(name).is_some()).min().cloned();
        let taken = taken.or_else(|| {
            self.fabrics()
                .filter(|(_, other)| other.hosts.names.may_overlap(names))
                .find_map(|(_, other)| names.common(&other.hosts.names))
        });
        match taken {
            Some(name) => Err(format!("there are two things called `{name}`")),
            None => Ok(()),
        }
    }
}

fn added(outcome: AddRoute) -> Result<(), RouteProblem> {
    match outcome {
        AddRoute::Added => Ok(()),
        AddRoute::Exists => Err(RouteProblem::Exists),
    }
}

/// A part that is missing after the whole platform has been read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfinished {
    #[error("the platform has no hosts")]
    NoHosts,
    #[error("there is no route from host `{src}` to host `{dst}`")]
    NoRoute { zone: ZoneId, src: String, dst: String },
}

/// Why a link cannot be part of a route as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkProblem {
    Unknown,
    NeedsDirection,
    HasNoDirections,
}

/// Why a route cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteProblem {
    WrongZone,
    Exists,
    WayBackExists,
}
