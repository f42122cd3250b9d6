//! Machines without a regular shape: hosts, links and routes one by one, and zones inside zones.
//!
//! Such a platform has routes, which are lists of links, but no vertices. The vertices follow from the routes: where one link of a
//! route ends, the next one begins, so both have an end at the same *junction*. A cable of two links, one for each direction, has two ends in
//! all. A link whose both ends are at one junction is the inside of a switch, such as the backbone of a cluster.

use std::collections::BTreeMap;

use mpirage_platform::{HostId, LinkId, Platform};
use rustc_hash::FxHashMap;

/// Hosts whose routes to all others are followed. In larger machines each host has some partners.
const ALL_PAIRS: u32 = 150;
/// More nodes have no readable names: hosts of one junction become one node.
const MOST_SINGLE: usize = 128;

/// A vertex: a host or a junction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vertex {
    pub name: String,
    pub is_host: bool,
}

/// Cables between two vertices; between a vertex and itself if it is the inside of a switch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cables {
    pub ends: (usize, usize),
    /// The names of the cables, without directions.
    pub names: Vec<String>,
    pub links: Vec<LinkId>,
    pub bandwidth: f64,
}

/// The drawing of an irregular machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Graph {
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Cables>,
    /// Pairs of hosts whose route does not fit: it would join two hosts.
    pub misfits: u32,
}

impl Graph {
    /// The graph that follows from the routes.
    pub fn new(platform: &Platform) -> Graph {
        let mut junctions = Junctions::new(platform);
        let (hosts, mut route, mut misfits) = (platform.host_count(), Vec::new(), 0);
        for from in 0..hosts {
            for to in partners(from, hosts).filter(|&to| to != from) {
                platform.links_between(HostId(from), HostId(to), &mut route);
                misfits += u32::from(!junctions.follow(from, to, &route));
            }
        }
        let mut graph = junctions.graph(platform);
        graph.misfits = misfits;
        if graph.vertices.len() > MOST_SINGLE { graph.with_hosts_together() } else { graph }
    }

    /// The same with one vertex for all hosts that have a single edge to the same junction.
    fn with_hosts_together(self) -> Graph {
        let mut degree = vec![0; self.vertices.len()];
        for edge in &self.edges {
            degree[edge.ends.0] += 1;
            degree[edge.ends.1] += 1;
        }
        let is_leaf = |at: usize| self.vertices[at].is_host && degree[at] == 1;
        // The vertex that stands for each vertex: the first leaf of its junction, or itself.
        let mut stands: Vec<usize> = (0..self.vertices.len()).collect();
        let mut leaves: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in &self.edges {
            let (a, b) = edge.ends;
            for (leaf, other) in [(a, b), (b, a)] {
                if is_leaf(leaf) && !is_leaf(other) {
                    leaves.entry(other).or_default().push(leaf);
                }
            }
        }
        let mut vertices = self.vertices.clone();
        for leaves in leaves.values_mut().filter(|leaves| leaves.len() > 1) {
            leaves.sort_unstable();
            let (first, last) = (leaves[0], leaves[leaves.len() - 1]);
            leaves.iter().for_each(|&leaf| stands[leaf] = first);
            vertices[first].name = format!("{} to {}", self.vertices[first].name, self.vertices[last].name);
        }
        renumbered(&vertices, &stands, self.edges, self.misfits)
    }
}

/// A graph in which `stands[v]` takes the place of vertex `v`.
fn renumbered(vertices: &[Vertex], stands: &[usize], edges: Vec<Cables>, misfits: u32) -> Graph {
    let kept: Vec<usize> = (0..vertices.len()).filter(|&at| stands[at] == at).collect();
    let number = |at: usize| kept.binary_search(&stands[at]).expect("what stands for others stays");
    let mut joined: BTreeMap<(usize, usize), Cables> = BTreeMap::new();
    for edge in edges {
        let (a, b) = (number(edge.ends.0), number(edge.ends.1));
        let ends = (a.min(b), a.max(b));
        let empty = Cables { ends, names: Vec::new(), links: Vec::new(), bandwidth: 0.0 };
        joined.entry(ends).or_insert(empty).take(edge);
    }
    let vertices = kept.iter().map(|&at| vertices[at].clone()).collect();
    Graph { vertices, edges: joined.into_values().collect(), misfits }
}

impl Cables {
    fn take(&mut self, other: Cables) {
        self.names.extend(other.names);
        self.links.extend(other.links);
        self.bandwidth += other.bandwidth;
    }

    /// The names, as far as there is room for them.
    pub fn label(&self) -> String {
        match self.names.as_slice() {
            [] => String::new(),
            [name] => name.clone(),
            [one, other] => format!("{one}, {other}"),
            [first, .., last] => format!("{first} to {last} ({} cables)", self.names.len()),
        }
    }
}

/// The hosts to which routes of a host are followed: all of them, or some that are near, far and in between.
fn partners(from: u32, hosts: u32) -> Box<dyn Iterator<Item = u32>> {
    if hosts <= ALL_PAIRS {
        return Box::new(0..hosts);
    }
    let scattered = (u64::from(from) * 7919 % u64::from(hosts)) as u32;
    Box::new([0, hosts / 2, hosts - 1, (from + 1) % hosts, (from + hosts - 1) % hosts, scattered].into_iter())
}

/// A cable: one link for both directions, or one for each.
struct Cable {
    name: String,
    links: Vec<LinkId>,
}

/// How a link lies in its cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forwards,
    Backwards,
    /// Messages cross it both ways.
    Both,
}

/// Ends of cables and hosts, joined where a route passes from one to the other.
struct Junctions {
    hosts: u32,
    cables: Vec<Cable>,
    /// The cable of each link that a route has crossed, and how the link lies in it.
    cable_of_link: FxHashMap<LinkId, (u32, Direction)>,
    /// Numbers that were given out by name.
    by_name: FxHashMap<String, u32>,
    names: Vec<String>,
    /// The parent of each vertex: hosts first, then both ends of each cable. A root is its own parent.
    parents: Vec<u32>,
    /// Whether a route has touched it.
    is_touched: Vec<bool>,
}

impl Junctions {
    fn new(platform: &Platform) -> Junctions {
        let hosts = platform.host_count();
        Junctions {
            hosts,
            cables: Vec::new(),
            cable_of_link: FxHashMap::default(),
            by_name: FxHashMap::default(),
            names: platform.links().map(|link| link.name()).collect(),
            parents: (0..hosts).collect(),
            is_touched: vec![true; hosts as usize],
        }
    }

    /// Joins what a route joins; false if the route does not fit.
    fn follow(&mut self, from: u32, to: u32, route: &[LinkId]) -> bool {
        let (mut at, mut fits) = (from, true);
        for (place, &link) in route.iter().enumerate() {
            let is_last = place + 1 == route.len();
            let (near, far) = self.orient(link, at, is_last.then_some(to));
            fits &= self.join(at, near);
            at = far;
        }
        self.join(at, to) && fits
    }

    /// The ends of a link, the one at which a route enters first. `to` is the host at which the route ends, if the link is its last.
    fn orient(&mut self, link: LinkId, at: u32, to: Option<u32>) -> (u32, u32) {
        let (cable, direction) = self.cable(link);
        let (a, b) = (self.hosts + 2 * cable, self.hosts + 2 * cable + 1);
        let is = |this: &mut Junctions, end: u32, other: u32| this.root(end) == this.root(other);
        match direction {
            Direction::Forwards => (a, b),
            Direction::Backwards => (b, a),
            Direction::Both if is(self, a, at) || to.is_some_and(|to| is(self, b, to)) => (a, b),
            Direction::Both if is(self, b, at) || to.is_some_and(|to| is(self, a, to)) => (b, a),
            Direction::Both if self.is_touched[a as usize] && !self.is_touched[b as usize] => (b, a),
            Direction::Both => (a, b),
        }
    }

    /// The cable of a link. Links whose names differ only in `_UP` and `_DOWN` are one cable.
    fn cable(&mut self, link: LinkId) -> (u32, Direction) {
        if let Some(&known) = self.cable_of_link.get(&link) {
            return known;
        }
        let name = &self.names[link.0 as usize];
        let (name, direction) = match (name.strip_suffix("_UP"), name.strip_suffix("_DOWN")) {
            (Some(name), _) => (name.to_owned(), Direction::Forwards),
            (_, Some(name)) => (name.to_owned(), Direction::Backwards),
            _ => (name.clone(), Direction::Both),
        };
        let key = if direction == Direction::Both { format!("{name} both") } else { name.clone() };
        let next = self.cables.len() as u32;
        let cable = *self.by_name.entry(key).or_insert(next);
        if cable == next {
            self.cables.push(Cable { name, links: Vec::new() });
            let end = self.parents.len() as u32;
            self.parents.extend([end, end + 1]);
            self.is_touched.extend([false; 2]);
        }
        self.cables[cable as usize].links.push(link);
        self.cable_of_link.insert(link, (cable, direction));
        (cable, direction)
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = above;
        }
        at
    }

    /// Makes two vertices one; false if they are two hosts.
    fn join(&mut self, a: u32, b: u32) -> bool {
        self.is_touched[a as usize] = true;
        self.is_touched[b as usize] = true;
        let (a, b) = (self.root(a), self.root(b));
        // Hosts have the smallest numbers, so that a root is the host if there is one.
        let (low, high) = (a.min(b), a.max(b));
        if low != high && high < self.hosts {
            return false;
        }
        self.parents[high as usize] = low;
        true
    }

    fn graph(mut self, platform: &Platform) -> Graph {
        let mut vertices: Vec<Vertex> =
            platform.hosts().map(|host| Vertex { name: host.name(), is_host: true }).collect();
        let mut numbers: BTreeMap<u32, usize> = (0..self.hosts).map(|host| (host, host as usize)).collect();
        let mut joined: BTreeMap<(usize, usize), Cables> = BTreeMap::new();
        for cable in 0..self.cables.len() as u32 {
            let ends = [0, 1].map(|end| self.root(self.hosts + 2 * cable + end));
            let [a, b] = ends.map(|root| {
                *numbers.entry(root).or_insert_with(|| {
                    vertices.push(Vertex { name: String::new(), is_host: false });
                    vertices.len() - 1
                })
            });
            let Cable { name, links } = &self.cables[cable as usize];
            let bandwidth = links.iter().map(|&link| platform.link(link).bandwidth).sum();
            let ends = (a.min(b), a.max(b));
            let empty = Cables { ends, names: Vec::new(), links: Vec::new(), bandwidth: 0.0 };
            let own = Cables { ends, names: vec![name.clone()], links: links.clone(), bandwidth };
            joined.entry(ends).or_insert(empty).take(own);
        }
        let edges: Vec<Cables> = joined.into_values().collect();
        name_junctions(&mut vertices, &edges);
        Graph { vertices, edges, misfits: 0 }
    }
}

/// A junction has the name of the link inside it, or a number.
fn name_junctions(vertices: &mut [Vertex], edges: &[Cables]) {
    let inside: BTreeMap<usize, String> = edges
        .iter()
        .filter(|edge| edge.ends.0 == edge.ends.1)
        .map(|edge| (edge.ends.0, edge.label()))
        .collect();
    let junctions = vertices.iter_mut().enumerate().filter(|(_, vertex)| !vertex.is_host);
    for (number, (at, junction)) in (1..).zip(junctions) {
        junction.name = inside.get(&at).cloned().unwrap_or_else(|| format!("junction {number}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(file: &str) -> Graph {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
        Graph::new(&Platform::load(&format!("{folder}/{file}"), 1).unwrap())
    }

    fn edge<'a>(graph: &'a Graph, name: &str) -> (&'a str, &'a str) {
        let edge = graph.edges.iter().find(|edge| edge.names.iter().any(|own| own == name)).unwrap();
        let name = |at: usize| graph.vertices[at].name.as_str();
        (name(edge.ends.0), name(edge.ends.1))
    }

    #[test]
    fn two_racks_have_two_junctions() {
        let graph = graph("platforms/two-racks.toml");
        assert_eq!((graph.vertices.len(), graph.edges.len(), graph.misfits), (5, 4, 0));
        let left = edge(&graph, "left-1-cable").1;
        assert_eq!(edge(&graph, "left-2-cable"), ("left-2", left));
        let right = edge(&graph, "right-1-cable").1;
        assert_ne!(left, right);
        assert!([(left, right), (right, left)].contains(&edge(&graph, "between")));
    }

    #[test]
    fn a_backbone_is_the_inside_of_a_switch() {
        let graph = graph("platforms/grid.xml");
        let hosts = graph.vertices.iter().filter(|vertex| vertex.is_host).count();
        assert_eq!((hosts, graph.vertices.len(), graph.misfits), (41, 43, 0));
        let inside: Vec<_> = graph.edges.iter().filter(|edge| edge.ends.0 == edge.ends.1).collect();
        assert_eq!(inside.len(), 1);
        let (one, other) = edge(&graph, "wide");
        assert!(one == inside[0].label() || other == inside[0].label(), "{one}, {other}");
        assert_eq!(edge(&graph, "campus").0, "front.south");
    }

    #[test]
    fn all_links_of_routes_are_drawn_once() {
        for file in ["floyd", "dijkstra", "full-routes", "zones-floyd", "star"] {
            let name = format!("crates/network/platform/tests/simgrid/{file}.xml");
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
            let platform = Platform::load(&format!("{folder}/{name}"), 1).unwrap();
            let graph = Graph::new(&platform);
            let mut crossed = std::collections::BTreeSet::new();
            let mut route = Vec::new();
            for from in 0..platform.host_count() {
                for to in (0..platform.host_count()).filter(|&to| to != from) {
                    platform.links_between(HostId(from), HostId(to), &mut route);
                    crossed.extend(route.iter().copied());
                }
            }
            let mut drawn: Vec<LinkId> = graph.edges.iter().flat_map(|edge| edge.links.clone()).collect();
            drawn.sort_unstable();
            assert_eq!(drawn, crossed.into_iter().collect::<Vec<_>>(), "{file}");
        }
    }
}
