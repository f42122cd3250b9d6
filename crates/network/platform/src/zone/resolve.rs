//! From any node to any other, through as many zones as it takes.

use super::{Node, Route, RoutedZone, Zone, ZoneKind};
use crate::fabric::Path;
use crate::link::LinkId;

/// Pushes the links from one node to another. `None` when there is no way.
///
/// Every recursive step stays inside one branch of the common ancestor, so it ends.
pub(crate) fn resolve(zones: &[Zone], src: Node, dst: Node, links: &mut Vec<LinkId>) -> Option<()> {
    if src.zone == dst.zone {
        return local(zones, src, dst, links);
    }
    let (src_branch, dst_branch) = branches(zones, src, dst)?;
    let common = &zones[src_branch.zone.index()];
    if let Some(bypass) = common.bypasses.through(zones, src_branch.zone, src, dst) {
        // As in SimGrid, the way to a gateway is taken even from the gateway itself: that is its loopback.
        resolve(zones, src, bypass.gateways.src, links)?;
        links.extend(&bypass.links);
        return resolve(zones, bypass.gateways.dst, dst, links);
    }
    let mut middle = Vec::new();
    let (start, end) = within(zones, src_branch, dst_branch, &mut middle)??;
    if src != start {
        resolve(zones, src, start, links)?;
    }
    links.append(&mut middle);
    if end != dst {
        resolve(zones, end, dst, links)?;
    }
    Some(())
}

/// Pushes the links between two vertices of one zone: those of a bypass if there is one.
fn local(zones: &[Zone], src: Node, dst: Node, links: &mut Vec<LinkId>) -> Option<()> {
    match zones[src.zone.index()].bypasses.between(src.vertex, dst.vertex) {
        Some(bypass) => links.extend(bypass),
        None => drop(within(zones, src, dst, links)?),
    }
    Some(())
}

/// The vertices of the closest common ancestor in whose branches the two nodes are.
fn branches(zones: &[Zone], src: Node, dst: Node) -> Option<(Node, Node)> {
    let ancestors = |node: Node| std::iter::successors(Some(node), |at| zones[at.zone.index()].parent);
    ancestors(src).find_map(|src| Some((src, ancestors(dst).find(|dst| dst.zone == src.zone)?)))
}

/// Pushes the links between two vertices of one zone; between zones also tells the gateways.
fn within(zones: &[Zone], src: Node, dst: Node, links: &mut Vec<LinkId>) -> Option<Option<(Node, Node)>> {
    let zone = &zones[src.zone.index()];
    match &zone.kind {
        ZoneKind::Fabric(fabric) => {
            let mut path = Path { first_link: zone.first_link, links };
            let router = fabric.position_count();
            match (src.vertex == router, dst.vertex == router) {
                (false, false) => fabric.route(src.vertex, dst.vertex, &mut path),
                (false, true) => fabric.leave(src.vertex, &mut path),
                (true, false) => fabric.enter(dst.vertex, &mut path),
                (true, true) => {}
            }
            Some(None)
        }
        ZoneKind::Star(star) => {
            star.route(src.vertex, dst.vertex, links);
            Some(None)
        }
        ZoneKind::Routed(routed) => {
            let steps = routed.steps(src.vertex, dst.vertex);
            match steps {
                Some(steps) => follow(zones, &steps, links),
                None => to_oneself(routed, src, dst, links),
            }
        }
    }
}

fn to_oneself(
    zone: &RoutedZone,
    src: Node,
    dst: Node,
    links: &mut Vec<LinkId>,
) -> Option<Option<(Node, Node)>> {
    if src != dst {
        return None;
    }
    links.extend(zone.loopback);
    Some(None)
}

/// Joins given routes. Where one ends at another gateway of a zone than the next starts at, the
/// way goes through that zone.
fn follow(zones: &[Zone], steps: &[&Route], links: &mut Vec<LinkId>) -> Option<Option<(Node, Node)>> {
    let mut ends = None;
    for step in steps {
        if let Some(gateways) = step.gateways {
            if let Some((_, reached)) = ends
                && reached != gateways.src
            {
                resolve(zones, reached, gateways.src, links)?;
            }
            let start = ends.map_or(gateways.src, |(start, _)| start);
            ends = Some((start, gateways.dst));
        }
        links.extend(&step.links);
    }
    Some(ends)
}
