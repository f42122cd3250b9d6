//! Zones: the parts of a platform, and how routes are found inside one and through many.
//!
//! A leaf zone holds hosts: a [`Fabric`] by formula, or hosts, links and routes given one by one.
//! An inner zone holds zones, and routes between them that end at gateways. To go from one leaf
//! to another, take the route between the two branches below the common ancestor, then find the
//! way to its gateways, again and again ([`resolve()`]).

mod bypass;
mod graph;
mod reach;
mod resolve;
mod routed;
mod star;

pub(crate) use bypass::{Bypasses, ZoneBypass};
pub(crate) use reach::first_unreachable;
pub(crate) use resolve::resolve;
pub(crate) use routed::{AddRoute, Gateways, Route, RoutedZone, Routing};
pub(crate) use star::StarZone;

use crate::core_speed::CoreSpeed;
use crate::fabric::Fabric;
use crate::topology::Topology;

/// A zone of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ZoneId(pub u32);

impl ZoneId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something a route can start or end at: a vertex of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node {
    pub zone: ZoneId,
    pub vertex: u32,
}

/// A part of the platform.
#[derive(Debug)]
pub(crate) struct Zone {
    pub name: String,
    /// The zone around this one, and this zone's vertex there.
    pub parent: Option<Node>,
    pub kind: ZoneKind,
    /// Routes that are taken instead of those that `kind` gives.
    pub bypasses: Bypasses,
    /// The hosts inside, also those of the zones inside: a range of host numbers.
    pub first_host: u32,
    pub host_count: u32,
    /// The number of the first link, for fabrics.
    pub first_link: u32,
}

/// The description of a zone.
#[derive(Debug)]
pub(crate) enum ZoneKind {
    Fabric(Fabric),
    Routed(RoutedZone),
    Star(StarZone),
}

/// The kind of a vertex in an explicit zone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Vertex {
    /// A host, by its position among the hosts of the zone.
    Host(u32),
    Router,
    Zone(ZoneId),
}

/// A host given by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedHost {
    pub name: String,
    pub speed: CoreSpeed,
    pub cores: u32,
    pub vertex: u32,
}

/// The vertices of an explicit zone, in file order, and those of them that are hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    pub vertices: Vec<Vertex>,
    pub hosts: Vec<NamedHost>,
}

impl Members {
    pub fn add_host(&mut self, name: String, speed: CoreSpeed, cores: u32) -> u32 {
        let vertex = self.add(Vertex::Host(self.hosts.len() as u32));
        self.hosts.push(NamedHost { name, speed, cores, vertex });
        vertex
    }

    pub fn add(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }
}

impl Zone {
    /// The vertex of a host, given by its position in the zone: that of its first interface.
    pub fn vertex_of_host(&self, position: u32) -> u32 {
        self.vertex_of_interface(position, 0)
    }

    /// The vertex of an interface of a host. Hosts given one by one have one.
    pub fn vertex_of_interface(&self, position: u32, nth: u8) -> u32 {
        match &self.kind {
            ZoneKind::Fabric(fabric) => fabric.position(position, nth),
            ZoneKind::Routed(RoutedZone { members, .. }) | ZoneKind::Star(StarZone { members, .. }) => {
                members.hosts[position as usize].vertex
            }
        }
    }

    pub fn members(&self) -> Option<&Members> {
        match &self.kind {
            ZoneKind::Fabric(_) => None,
            ZoneKind::Routed(zone) => Some(&zone.members),
            ZoneKind::Star(zone) => Some(&zone.members),
        }
    }

    pub fn members_mut(&mut self) -> Option<&mut Members> {
        match &mut self.kind {
            ZoneKind::Fabric(_) => None,
            ZoneKind::Routed(zone) => Some(&mut zone.members),
            ZoneKind::Star(zone) => Some(&mut zone.members),
        }
    }

    /// The zones directly inside.
    pub fn children(&self) -> impl Iterator<Item = ZoneId> {
        let vertices = self.members().map_or(&[][..], |members| &members.vertices);
        vertices.iter().filter_map(|vertex| match vertex {
            Vertex::Zone(zone) => Some(*zone),
            _ => None,
        })
    }

    /// Whether it holds zones; it then holds nothing else.
    pub fn is_inner(&self) -> bool {
        let first = self.members().and_then(|members| members.vertices.first());
        matches!(first, Some(Vertex::Zone(_)))
    }

    /// Its shape, and that of the zones inside.
    pub fn topology(&self, zones: &[Zone]) -> Topology {
        let routing = match &self.kind {
            ZoneKind::Fabric(fabric) => return fabric.topology(),
            ZoneKind::Routed(zone) => zone.routing.name(),
            ZoneKind::Star(star) if !star.coordinates.is_empty() => "Vivaldi",
            ZoneKind::Star(_) => "Cluster",
        };
        if !self.is_inner() {
            return Topology::Explicit { hosts: self.host_count, routing };
        }
        let inside = self.children().map(|child| &zones[child.index()]);
        let shapes = inside.map(|child| (child.name.clone(), child.topology(zones))).collect();
        Topology::Zones { routing, zones: shapes }
    }
}
