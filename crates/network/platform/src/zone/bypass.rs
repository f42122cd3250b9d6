//! Routes that replace those of a zone (SimGrid's `<bypassRoute>` and `<bypassZoneRoute>`).
//!
//! A bypass holds in one direction. It stands in a zone and concerns what that zone connects: two of its own hosts or
//! routers, or two zones anywhere below it that lie in different branches.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{AddRoute, Gateways, Node, Zone, ZoneId};
use crate::link::LinkId;

/// The bypasses that stand in a zone.
#[derive(Debug, Default)]
pub(crate) struct Bypasses {
    between_vertices: HashMap<(u32, u32), Box<[LinkId]>>,
    between_zones: HashMap<(ZoneId, ZoneId), ZoneBypass>,
}

/// The links of a bypass between two zones, and where they start and end.
#[derive(Debug)]
pub(crate) struct ZoneBypass {
    pub links: Box<[LinkId]>,
    pub gateways: Gateways,
}

impl Bypasses {
    pub fn is_empty(&self) -> bool {
        self.between_vertices.is_empty() && self.between_zones.is_empty()
    }

    pub fn add(&mut self, ends: (u32, u32), links: Box<[LinkId]>) -> AddRoute {
        enter(&mut self.between_vertices, ends, links)
    }

    pub fn add_between_zones(&mut self, zones: (ZoneId, ZoneId), bypass: ZoneBypass) -> AddRoute {
        enter(&mut self.between_zones, zones, bypass)
    }

    /// The bypass between two vertices of the zone.
    pub(crate) fn between(&self, src: u32, dst: u32) -> Option<&[LinkId]> {
        if self.between_vertices.is_empty() {
            return None;
        }
        self.between_vertices.get(&(src, dst)).map(|links| &**links)
    }

    /// The bypass that a message takes from one node to another, when `common` is the zone around both. SimGrid prefers
    /// bypasses between inner zones to those between outer ones.
    pub fn through(&self, zones: &[Zone], common: ZoneId, src: Node, dst: Node) -> Option<&ZoneBypass> {
        if self.between_zones.is_empty() {
            return None;
        }
        let (src, dst) = (zones_below(zones, common, src), zones_below(zones, common, dst));
        let lookup = |from: usize, to: usize| self.between_zones.get(&(*src.get(from)?, *dst.get(to)?));
        (0..src.len().max(dst.len())).find_map(|outer| {
            let mixed = (0..outer).find_map(|inner| lookup(inner, outer).or_else(|| lookup(outer, inner)));
            mixed.or_else(|| lookup(outer, outer))
        })
    }

    /// All bypasses between zones, with the zones that they connect, in a fixed order.
    pub fn of_zones(&self) -> Vec<((ZoneId, ZoneId), &ZoneBypass)> {
        let mut all: Vec<_> = self.between_zones.iter().map(|(zones, bypass)| (*zones, bypass)).collect();
        all.sort_unstable_by_key(|(zones, _)| *zones);
        all
    }
}

fn enter<K: std::hash::Hash + Eq, V>(table: &mut HashMap<K, V>, key: K, value: V) -> AddRoute {
    match table.entry(key) {
        Entry::Vacant(place) => {
            place.insert(value);
            AddRoute::Added
        }
        Entry::Occupied(_) => AddRoute::Exists,
    }
}

/// The zones around a node, from the inside to just below `common`.
fn zones_below(zones: &[Zone], common: ZoneId, node: Node) -> Vec<ZoneId> {
    let up = |zone: &ZoneId| zones[zone.index()].parent.map(|parent| parent.zone);
    std::iter::successors(Some(node.zone), up).take_while(|zone| *zone != common).collect()
}
