//! The drawing of the machine: hosts and switches, the cables between them, and the bytes that crossed these over time.
//!
//! A regular network may have millions of links. Hosts of one switch, switches of one level and blocks of a torus are drawn
//! as one node where there would be too many. All cables between two nodes are one edge.

mod graph;
mod spring;

use graph::Graph;
use mpirage_platform::{HostId, LinkEnd, LinkId, Platform, Topology};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::container::Container;
use crate::network::Network;

/// Nodes of one level, at most; fewer if there are too many edges.
const MOST: [u32; 5] = [512, 256, 128, 64, 32];
/// Edges at most.
const MOST_EDGES: usize = 2_500;
/// Links of the machine, at most. A larger machine is not drawn.
const MOST_LINKS: u32 = 4_000_000;
/// Hosts and links of an irregular machine, at most: its routes are followed one by one.
const MOST_HOSTS_OF_GRAPH: u32 = 20_000;
const MOST_LINKS_OF_GRAPH: u32 = 200_000;
/// Nodes of an irregular machine, at most: each pushes each other away.
const MOST_NODES_OF_GRAPH: usize = 400;

/// The part of the machine that a node of the drawing stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct MachinePart {
    level: u8,
    group: u32,
    position: u32,
}

/// An edge: cables that are drawn as one.
struct Edge {
    ends: (MachinePart, MachinePart),
    links: u32,
    bandwidth: f64,
}

/// The edges of the drawing.
struct Drawn {
    /// Sorted by their ends.
    edges: Vec<Edge>,
    /// Pairs of an edge, by its position, and a used link that belongs to it; sorted.
    crossed: Vec<(u32, u32)>,
}

/// Adds the drawing, unless the machine is too large.
pub(crate) fn write(platform: &Platform, network: &Network<'_>, out: &mut Container) {
    let topology = platform.topology();
    let Some(kind) = kind(&topology) else { return write_graph(platform, network, out) };
    if platform.link_count() > MOST_LINKS {
        return;
    }
    let ends = Ends::new(platform, &topology);
    let draw = |most| {
        let scale = Scale::new(&ends, &topology, most);
        Drawn::new(platform, network, &scale).map(|drawn| (scale, drawn))
    };
    let Some((scale, Drawn { edges, crossed })) = MOST.into_iter().find_map(draw) else { return };
    let places = places(&edges);
    let position = |place| places.binary_search(&place).expect("it was put there");
    let column = |of: &dyn Fn(&MachinePart) -> Value| places.iter().map(of).collect::<Vec<_>>();
    let mut drawing = json!({
        "kind": kind,
        "nodes": {
            "name": column(&|place| scale.name(platform, *place).into()),
            "level": column(&|place| place.level.into()),
            "group": column(&|place| place.group.into()),
        },
        "edges": {
            "from": edges.iter().map(|edge| position(edge.ends.0)).collect::<Vec<_>>(),
            "to": edges.iter().map(|edge| position(edge.ends.1)).collect::<Vec<_>>(),
            "links": edges.iter().map(|edge| edge.links).collect::<Vec<_>>(),
            "bandwidth": edges.iter().map(|edge| edge.bandwidth).collect::<Vec<_>>(),
        },
        "text": topology.to_string(),
    });
    if let Some(blocks) = &scale.blocks {
        drawing["dimensions"] = blocks.counts().into_iter().rev().collect::<Vec<_>>().into();
    }
    out.put("topology", drawing);
    let mut crossed = crossed.into_iter().peekable();
    network.write_bins("edges_bytes", 0..edges.len() as u32, out, |edge, bins| {
        while let Some((_, used)) = crossed.next_if(|&(of, _)| of == edge) {
            network.add(&network.used[used as usize], bins);
        }
    });
}

/// Adds the drawing of an irregular machine.
fn write_graph(platform: &Platform, network: &Network<'_>, out: &mut Container) {
    if platform.host_count() > MOST_HOSTS_OF_GRAPH || platform.link_count() > MOST_LINKS_OF_GRAPH {
        return;
    }
    let Graph { vertices, edges, misfits } = Graph::new(platform);
    if vertices.len() > MOST_NODES_OF_GRAPH || edges.len() > MOST_EDGES || edges.is_empty() {
        return;
    }
    let ends: Vec<(usize, usize)> = edges.iter().map(|edge| edge.ends).collect();
    let places = spring::positions(vertices.len(), &ends);
    let shape = platform.topology();
    let text = match misfits {
        0 => format!("{shape}; junctions follow from the routes"),
        _ => format!(
            "{shape}; an approximation: routes of {misfits} pairs of hosts do not fit into any drawing"
        ),
    };
    out.put(
        "topology",
        json!({
            "kind": "explicit",
            "nodes": {
                "name": vertices.iter().map(|vertex| vertex.name.as_str()).collect::<Vec<_>>(),
                "level": vertices.iter().map(|vertex| u8::from(!vertex.is_host)).collect::<Vec<_>>(),
                "group": vec![0; vertices.len()],
                "x": places.iter().map(|place| place.0).collect::<Vec<_>>(),
                "y": places.iter().map(|place| place.1).collect::<Vec<_>>(),
            },
            "edges": {
                "from": ends.iter().map(|ends| ends.0).collect::<Vec<_>>(),
                "to": ends.iter().map(|ends| ends.1).collect::<Vec<_>>(),
                "name": edges.iter().map(graph::Cables::label).collect::<Vec<_>>(),
                "links": edges.iter().map(|edge| edge.links.len()).collect::<Vec<_>>(),
                "bandwidth": edges.iter().map(|edge| edge.bandwidth).collect::<Vec<_>>(),
            },
            "text": text,
        }),
    );
    network.write_bins("edges_bytes", edges.iter(), out, |edge, bins| {
        for link in &edge.links {
            if let Ok(at) = network.used.binary_search_by_key(link, |used| used.link) {
                network.add(&network.used[at], bins);
            }
        }
    });
}

/// The nodes at the ends of edges, sorted.
fn places(edges: &[Edge]) -> Vec<MachinePart> {
    let mut places: Vec<MachinePart> = edges.iter().flat_map(|edge| [edge.ends.0, edge.ends.1]).collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn kind(topology: &Topology) -> Option<&'static str> {
    match topology {
        Topology::Cluster { .. } => Some("cluster"),
        Topology::Cabinets { .. } => Some("cabinets"),
        Topology::FatTree { .. } => Some("fat_tree"),
        Topology::Torus { .. } => Some("torus"),
        Topology::Dragonfly { .. } => Some("dragonfly"),
        Topology::DragonflyPlus { .. } => Some("dragonfly_plus"),
        Topology::Rails { .. } | Topology::Devices { .. } => Some("rails"),
        Topology::Full { .. } => Some("full"),
        Topology::Explicit { .. } | Topology::Zones { .. } => None,
    }
}

impl Drawn {
    /// None if there are too many edges.
    fn new(platform: &Platform, network: &Network<'_>, scale: &Scale<'_>) -> Option<Drawn> {
        let mut drawn = Drawn { edges: Vec::new(), crossed: Vec::new() };
        let mut numbers: FxHashMap<(MachinePart, MachinePart), u32> = FxHashMap::default();
        let mut used = (0..).zip(&network.used).peekable();
        for link in (0..platform.link_count()).map(LinkId) {
            let use_of_it = used.next_if(|(_, used)| used.link == link);
            let Some(ends) = platform.link_ends(link) else { continue };
            let [a, b] = ends.map(|end| scale.place(end));
            if a == b {
                continue;
            }
            let ends = (a.min(b), a.max(b));
            let number = *numbers.entry(ends).or_insert_with(|| drawn.add(ends));
            if drawn.edges.len() > MOST_EDGES {
                return None;
            }
            let edge = &mut drawn.edges[number as usize];
            edge.links += 1;
            edge.bandwidth += platform.link(link).bandwidth;
            drawn.crossed.extend(use_of_it.map(|(at, _)| (number, at)));
        }
        Some(drawn.in_order())
    }

    /// Adds an edge without cables.
    fn add(&mut self, ends: (MachinePart, MachinePart)) -> u32 {
        self.edges.push(Edge { ends, links: 0, bandwidth: 0.0 });
        self.edges.len() as u32 - 1
    }

    /// Sorts edges by their ends, and the links of each edge by number.
    fn in_order(mut self) -> Drawn {
        let mut order: Vec<u32> = (0..self.edges.len() as u32).collect();
        order.sort_unstable_by_key(|&at| self.edges[at as usize].ends);
        let mut position = vec![0; order.len()];
        for (at, &number) in (0..).zip(&order) {
            position[number as usize] = at;
        }
        for (number, _) in &mut self.crossed {
            *number = position[*number as usize];
        }
        self.crossed.sort_unstable();
        self.edges.sort_unstable_by_key(|edge| edge.ends);
        self
    }
}

/// The vertices at the ends of links.
struct Ends {
    /// The number of vertices of each level.
    counts: Vec<u32>,
    /// The switch of each host, if there are switches.
    switch_of_host: Vec<u32>,
}

impl Ends {
    fn new(platform: &Platform, topology: &Topology) -> Ends {
        if let Topology::Torus { .. } | Topology::Full { .. } = topology {
            // A network of hosts only has the most links, and needs no look at each of them.
            return Ends { counts: vec![platform.host_count()], switch_of_host: Vec::new() };
        }
        let mut counts: Vec<u32> = Vec::new();
        let mut switch_of_host = vec![0; platform.host_count() as usize];
        for link in 0..platform.link_count() {
            let Some([a, b]) = platform.link_ends(LinkId(link)) else { continue };
            for end in [a, b] {
                let level = usize::from(end.level);
                counts.resize(counts.len().max(level + 1), 0);
                counts[level] = counts[level].max(end.position + 1);
            }
            if a.level == 0 && b.level == 1 {
                switch_of_host[a.position as usize] = b.position;
            }
        }
        Ends { counts, switch_of_host }
    }
}

/// How many vertices of each level are drawn as one node.
struct Scale<'a> {
    /// By level.
    per_place: Vec<u32>,
    switch_of_host: &'a [u32],
    /// Whether all hosts of a switch are one node.
    by_switch: bool,
    blocks: Option<Blocks>,
    group_of_switch: Grouping,
}

/// The group that a switch belongs to.
enum Grouping {
    /// Each switch that has hosts is a group.
    Own,
    /// Groups of so many switches each, at level 1 and at level 2.
    Each([u32; 2]),
}

impl<'a> Scale<'a> {
    fn new(ends: &'a Ends, topology: &Topology, most: u32) -> Scale<'a> {
        let Ends { counts, switch_of_host } = ends;
        let hosts = counts.first().copied().unwrap_or(0);
        let per_place = counts.iter().map(|count| count.div_ceil(most).max(1)).collect();
        let group_of_switch = match topology {
            Topology::Dragonfly { chassis, routers, .. } => Grouping::Each([chassis * routers; 2]),
            Topology::DragonflyPlus { leaves, spines, .. } => Grouping::Each([*leaves, *spines]),
            _ => Grouping::Own,
        };
        let blocks = match topology {
            Topology::Torus { dimensions } => Some(Blocks::new(dimensions, most)),
            _ => None,
        };
        let by_switch = hosts > most && counts.get(1).is_some_and(|&switches| switches > 1);
        Scale { per_place, switch_of_host, by_switch, blocks, group_of_switch }
    }

    fn place(&self, end: LinkEnd) -> MachinePart {
        let LinkEnd { level, position } = end;
        if level == 0 {
            return self.place_of_host(position);
        }
        let drawn = position / self.per_place[usize::from(level)];
        let group = match self.group_of_switch {
            Grouping::Each([leaves, _]) if level == 1 => position / leaves,
            Grouping::Each([_, spines]) => position / spines,
            Grouping::Own if level == 1 => drawn,
            Grouping::Own => 0,
        };
        MachinePart { level, group, position: drawn }
    }

    fn place_of_host(&self, host: u32) -> MachinePart {
        if let Some(blocks) = &self.blocks {
            let block = blocks.of_host[host as usize];
            return MachinePart { level: 0, group: block, position: block };
        }
        let switch = self.switch_of_host.get(host as usize).copied().unwrap_or(0);
        let group = match self.group_of_switch {
            Grouping::Each([leaves, _]) => switch / leaves,
            Grouping::Own => switch / self.per_place.get(1).copied().unwrap_or(1),
        };
        let position = match self.by_switch {
            true => switch / self.per_place[1],
            false => host / self.per_place[0],
        };
        MachinePart { level: 0, group, position }
    }

    fn name(&self, platform: &Platform, place: MachinePart) -> String {
        let MachinePart { level, position, .. } = place;
        match (level, &self.blocks) {
            (0, Some(blocks)) if blocks.is_fine() => platform.host(HostId(position)).name(),
            (0, Some(_)) => format!("block {position}"),
            (0, None) if self.by_switch => format!("hosts of switch {position}"),
            (0, None) if self.per_place[0] == 1 => platform.host(HostId(position)).name(),
            (0, None) => {
                let first = position * self.per_place[0];
                let last = (first + self.per_place[0]).min(platform.host_count()) - 1;
                format!("{} to {}", platform.host(HostId(first)).name(), platform.host(HostId(last)).name())
            }
            _ => format!("switch {level}.{position}"),
        }
    }
}

/// Blocks of hosts of a torus that are drawn as one.
struct Blocks {
    /// The size of each axis, and of a block along it. The first axis varies fastest.
    axes: Vec<(u32, u32)>,
    /// The block of each host, which is needed for each of its links.
    of_host: Vec<u32>,
}

impl Blocks {
    fn new(dimensions: &[u32], most: u32) -> Blocks {
        let axes = dimensions.iter().map(|&size| (size, 1)).collect();
        let mut blocks = Blocks { axes, of_host: Vec::new() };
        while blocks.counts().iter().map(|&count| u64::from(count)).product::<u64>() > u64::from(most) {
            let longest = blocks.axes.iter_mut().max_by_key(|(size, block)| size.div_ceil(*block));
            if let Some((_, block)) = longest {
                *block += 1;
            }
        }
        blocks.of_host = (0..dimensions.iter().product()).map(|host| blocks.of(host)).collect();
        blocks
    }

    /// Blocks along each axis.
    fn counts(&self) -> Vec<u32> {
        self.axes.iter().map(|(size, block)| size.div_ceil(*block)).collect()
    }

    /// Whether every block is a single host.
    fn is_fine(&self) -> bool {
        self.axes.iter().all(|&(_, block)| block == 1)
    }

    fn of(&self, mut host: u32) -> u32 {
        let (mut number, mut stride) = (0, 1);
        for &(size, block) in &self.axes {
            number += host % size / block * stride;
            stride *= size.div_ceil(block);
            host /= size;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use mpirage_interpret::LinkUse;
    use mpirage_record::{Record, Recorder};

    use super::*;
    use crate::testing::{message, run_on};

    fn draw(platform: &str, ranks: u32) -> Value {
        let run = run_on(platform, ranks);
        let mut links = LinkUse::new(&run);
        links.record(&Record::Message(message((0, ranks - 1), 1000, (0, 10))));
        let network = Network::new(&run.platform, &links);
        let mut out = Container::default();
        write(&run.platform, &network, &mut out);
        out.get("topology").cloned().unwrap_or_default()
    }

    fn counts(drawing: &Value) -> (usize, usize) {
        let length = |value: &Value| value.as_array().map_or(0, Vec::len);
        (length(&drawing["nodes"]["name"]), length(&drawing["edges"]["from"]))
    }

    #[test]
    fn small_machines_are_drawn_whole() {
        assert_eq!(counts(&draw("cluster:16", 16)), (17, 16));
        assert_eq!(counts(&draw("torus:4x4x2", 32)), (32, 80));
        assert_eq!(draw("torus:4x4x2", 32)["dimensions"], json!([2, 4, 4]));
        assert_eq!(counts(&draw("full:5", 5)), (5, 10));
        let dragonfly = draw("dragonfly:4x3x4x2", 96);
        assert_eq!(counts(&dragonfly).0, 96 + 48);
        assert_eq!(dragonfly["nodes"]["group"].as_array().unwrap().last(), Some(&json!(3)));
        let plus = draw("dragonfly-plus:3x2x4x5", 30);
        // Cables of 30 hosts, of 6 leaf switches to 4 spines each, and of 3 pairs of groups with 4 each.
        assert_eq!(counts(&plus), (30 + 6 + 12, 30 + 24 + 12));
        let column = |name: &str| plus["nodes"][name].as_array().unwrap().clone();
        let of = |level: u8, group: u32| {
            column("level")
                .iter()
                .zip(column("group"))
                .filter(|pair| *pair == (&json!(level), json!(group)))
                .count()
        };
        for group in 0..3 {
            assert_eq!([of(0, group), of(1, group), of(2, group)], [10, 2, 4]);
        }
    }

    #[test]
    fn large_machines_are_drawn_coarsely() {
        for platform in [
            "cluster:100000",
            "torus:64x32x32",
            "fat-tree:32x32x16",
            "dragonfly:32x8x32x4",
            "leonardo",
            "jupiter",
        ] {
            let (nodes, edges) = counts(&draw(platform, 64));
            assert!(nodes > 10 && nodes <= 2_500, "{platform}: {nodes} nodes");
            assert!(edges > 10 && edges <= MOST_EDGES, "{platform}: {edges} edges");
        }
    }
}
