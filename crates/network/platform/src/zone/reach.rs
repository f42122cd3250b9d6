//! Can every host talk to every other? Answered completely, without trying all pairs.
//!
//! A route between two branches of a zone depends on the branches alone, apart from its ends: the
//! way from a host to a gateway and back. So it is enough to try every pair inside each explicit
//! leaf, every pair of branches, and every host against the gateways of its branch. Fabrics
//! connect everything by construction, stars every host that has an arm.

use std::collections::BTreeSet;

use super::{Node, RoutedZone, Routing, Zone, ZoneId, ZoneKind, resolve};
use crate::host::HostId;

/// Two hosts between which there is no way, and the zone that ought to have one.
pub(crate) struct Gap {
    pub zone: ZoneId,
    pub src: HostId,
    pub dst: HostId,
}

/// The first gap there is, if any.
pub(crate) fn first_unreachable(zones: &[Zone]) -> Option<Gap> {
    (0..zones.len() as u32).map(ZoneId).find_map(|id| {
        let zone = &zones[id.index()];
        let gap = match &zone.kind {
            ZoneKind::Fabric(_) => None,
            ZoneKind::Star(star) => {
                star.unconnected().map(|(a, b)| (zone.first_host + a, zone.first_host + b))
            }
            ZoneKind::Routed(_) if zone.is_inner() => between_branches(zones, id),
            ZoneKind::Routed(routed) if routed.routing == Routing::Full => missing_route(zone, routed),
            ZoneKind::Routed(routed) => within_leaf(zone, routed),
        };
        let gap = if zone.bypasses.is_empty() { gap } else { despite_bypasses(zones, id, gap) };
        gap.map(|(src, dst)| Gap { zone: id, src: HostId(src), dst: HostId(dst) })
    })
}

/// The gap in a zone with bypasses, when its other routes leave this one. A bypass connects single pairs, so where the other
/// routes have a gap, all pairs are tried; and a bypass between zones must be reached from all hosts that take it.
fn despite_bypasses(zones: &[Zone], id: ZoneId, gap: Option<(u32, u32)>) -> Option<(u32, u32)> {
    if gap.is_some() {
        let hosts = hosts_below(zones, id);
        return hosts.iter().find_map(|(src, from)| {
            let cut_off = |(dst, to): &&(u32, Node)| src != dst && !connected(zones, *from, *to);
            hosts.iter().find(cut_off).map(|(dst, _)| (*src, *dst))
        });
    }
    zones[id.index()].bypasses.of_zones().into_iter().find_map(|((src, dst), bypass)| {
        let (sources, targets) = (hosts_below(zones, src), hosts_below(zones, dst));
        let leaves = |from: &Node| connected(zones, *from, bypass.gateways.src);
        let arrives = |to: &Node| connected(zones, bypass.gateways.dst, *to);
        let (first, last) = (sources.first()?.0, targets.first()?.0);
        let lost = sources.iter().find(|(_, node)| !leaves(node)).map(|(host, _)| (*host, last));
        lost.or_else(|| targets.iter().find(|(_, node)| !arrives(node)).map(|(host, _)| (first, *host)))
    })
}

/// In a leaf with Full routing, the first pair without a route.
fn missing_route(zone: &Zone, routed: &RoutedZone) -> Option<(u32, u32)> {
    pairs_of(zone)
        .find(|&(a, b)| a != b && !routed.has_route(zone.vertex_of_host(a), zone.vertex_of_host(b)))
        .map(|(a, b)| (zone.first_host + a, zone.first_host + b))
}

/// Where routes join, the first host that the first one cannot reach, or that cannot reach it. If
/// there is none, all reach each other by way of the first.
fn within_leaf(zone: &Zone, routed: &RoutedZone) -> Option<(u32, u32)> {
    let first = routed.members.hosts.first()?;
    let (to, from) = (routed.reached_from(first.vertex), routed.reaching(first.vertex));
    let cut_off = |reached: &[bool]| {
        routed.members.hosts.iter().position(|host| !reached[host.vertex as usize]).map(|host| host as u32)
    };
    let (src, dst) = match (cut_off(&to), cut_off(&from)) {
        (Some(host), _) => (0, host),
        (None, Some(host)) => (host, 0),
        (None, None) => return None,
    };
    Some((zone.first_host + src, zone.first_host + dst))
}

fn pairs_of(zone: &Zone) -> impl Iterator<Item = (u32, u32)> + use<> {
    let hosts = zone.host_count;
    (0..hosts).flat_map(move |a| (0..hosts).map(move |b| (a, b)))
}

fn between_branches(zones: &[Zone], id: ZoneId) -> Option<(u32, u32)> {
    let zone = &zones[id.index()];
    let branches: Vec<_> = zone.children().filter(|child| zones[child.index()].host_count > 0).collect();
    let mut gateways = BTreeSet::new();
    for &from in &branches {
        for &to in branches.iter().filter(|to| **to != from) {
            match gateways_between(zones, id, from, to) {
                None => return Some((zones[from.index()].first_host, zones[to.index()].first_host)),
                Some((start, end)) => gateways.extend([(from, start, to), (to, end, from)]),
            }
        }
    }
    let mut tried = BTreeSet::new();
    gateways.into_iter().find_map(|(branch, gateway, other)| {
        if !tried.insert((branch, gateway)) {
            return None;
        }
        let zone = &zones[branch.index()];
        if !matches!(zone.kind, ZoneKind::Routed(_)) {
            return None;
        }
        let hosts = hosts_below(zones, branch);
        let (cut_off, _) = hosts.into_iter().find(|(_, node)| !both_ways(zones, *node, gateway))?;
        Some((cut_off, zones[other.index()].first_host))
    })
}

/// The gateways of the route between two zones of a zone, when there is one.
fn gateways_between(zones: &[Zone], id: ZoneId, from: ZoneId, to: ZoneId) -> Option<(Node, Node)> {
    let ZoneKind::Routed(routed) = &zones[id.index()].kind else { return None };
    let vertex = |zone: ZoneId| zones[zone.index()].parent.map(|parent| parent.vertex);
    let steps = routed.steps(vertex(from)?, vertex(to)?)?;
    let passable = steps.windows(2).all(|hop| match (hop[0].gateways, hop[1].gateways) {
        (Some(before), Some(after)) => before.dst == after.src || connected(zones, before.dst, after.src),
        _ => false,
    });
    let start = steps.first()?.gateways?.src;
    let end = steps.last()?.gateways?.dst;
    passable.then_some((start, end))
}

fn both_ways(zones: &[Zone], a: Node, b: Node) -> bool {
    a == b || (connected(zones, a, b) && connected(zones, b, a))
}

fn connected(zones: &[Zone], src: Node, dst: Node) -> bool {
    resolve(zones, src, dst, &mut Vec::new()).is_some()
}

/// All hosts in a zone and in the zones inside, by number and node.
fn hosts_below(zones: &[Zone], id: ZoneId) -> Vec<(u32, Node)> {
    let zone = &zones[id.index()];
    if zone.is_inner() {
        return zone.children().flat_map(|child| hosts_below(zones, child)).collect();
    }
    let node = |position| Node { zone: id, vertex: zone.vertex_of_host(position) };
    (0..zone.host_count).map(|position| (zone.first_host + position, node(position))).collect()
}
