//! Zones whose routes are given one by one: all of them (Full), or those between neighbours, from
//! which shortest paths are made (Floyd, Dijkstra).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::graph::Graph;
use super::{Members, Node};
use crate::link::LinkId;

/// A zone with explicit routes.
#[derive(Debug)]
pub(crate) struct RoutedZone {
    pub members: Members,
    pub routing: Routing,
    routes: Vec<Route>,
    by_ends: HashMap<(u32, u32), u32>,
    graph: Option<Graph>,
    /// The link of messages to oneself, where no route says otherwise.
    pub loopback: Option<LinkId>,
}

/// How routes that were not given are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routing {
    /// They are not: every route is given.
    Full,
    /// Shortest path, as Floyd and Warshall find it.
    Floyd,
    /// Shortest path, as Dijkstra finds it.
    Dijkstra,
    /// There are no routes.
    None,
}

impl Routing {
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "Full",
            Self::Floyd => "Floyd",
            Self::Dijkstra => "Dijkstra",
            Self::None => "None",
        }
    }
}

/// The links from one vertex to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Route {
    pub links: Box<[LinkId]>,
    /// Between zones: where the route starts and ends.
    pub gateways: Option<Gateways>,
}

/// The ends of a route between zones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gateways {
    pub src: Node,
    pub dst: Node,
}

impl Gateways {
    pub fn reversed(self) -> Self {
        Self { src: self.dst, dst: self.src }
    }
}

/// Why a route could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddRoute {
    Added,
    /// The zone has one between these ends.
    Exists,
}

impl RoutedZone {
    pub fn new(routing: Routing) -> Self {
        Self {
            members: Members::default(),
            routing,
            routes: Vec::new(),
            by_ends: HashMap::new(),
            graph: None,
            loopback: None,
        }
    }

    pub(crate) fn add_route(&mut self, src: u32, dst: u32, route: Route) -> AddRoute {
        let Entry::Vacant(place) = self.by_ends.entry((src, dst)) else {
            return AddRoute::Exists;
        };
        place.insert(self.routes.len() as u32);
        self.routes.push(route);
        AddRoute::Added
    }

    pub(crate) fn has_route(&self, src: u32, dst: u32) -> bool {
        self.by_ends.contains_key(&(src, dst))
    }

    /// Prepares shortest paths, once all routes are there.
    pub fn seal(&mut self) {
        if matches!(self.routing, Routing::Full | Routing::None) {
            return;
        }
        let mut edges: Vec<_> = self.by_ends.iter().map(|(&(src, dst), &route)| (route, src, dst)).collect();
        // In file order: ties between equally long paths are broken by it.
        edges.sort_unstable();
        let cost = |route: u32| self.routes[route as usize].links.len() as u32;
        let edges = edges.into_iter().map(|(route, src, dst)| (src, dst, cost(route)));
        self.graph = Some(Graph::new(self.routing, self.members.vertices.len(), edges));
    }

    /// The given routes that, one after the other, lead from one vertex to another.
    pub(crate) fn steps(&self, src: u32, dst: u32) -> Option<Vec<&Route>> {
        let direct = |src, dst| self.by_ends.get(&(src, dst)).map(|route| &self.routes[*route as usize]);
        match &self.graph {
            Some(graph) if src != dst => {
                let stops = graph.path(src, dst)?;
                stops.windows(2).map(|hop| direct(hop[0], hop[1])).collect()
            }
            _ => direct(src, dst).map(|route| vec![route]),
        }
    }

    /// For each vertex, whether joined routes lead to it from `vertex`.
    pub fn reached_from(&self, vertex: u32) -> Vec<bool> {
        self.flood(vertex, self.by_ends.keys().copied())
    }

    /// For each vertex, whether joined routes lead from it to `vertex`.
    pub fn reaching(&self, vertex: u32) -> Vec<bool> {
        self.flood(vertex, self.by_ends.keys().map(|&(src, dst)| (dst, src)))
    }

    /// The order of the edges does not matter: what is reached is reached.
    fn flood(&self, start: u32, edges: impl Iterator<Item = (u32, u32)>) -> Vec<bool> {
        let mut neighbours = vec![Vec::new(); self.members.vertices.len()];
        edges.for_each(|(src, dst)| neighbours[src as usize].push(dst));
        let mut reached = vec![false; neighbours.len()];
        reached[start as usize] = true;
        let mut todo = vec![start];
        while let Some(vertex) = todo.pop() {
            for &next in &neighbours[vertex as usize] {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    todo.push(next);
                }
            }
        }
        reached
    }
}
