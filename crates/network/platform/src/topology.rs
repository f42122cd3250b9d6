//! The shape of a platform, for code that describes or draws it.

/// The shape of a platform, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One switch.
    Cluster {
        /// The number of hosts.
        hosts: u32,
        /// Whether all messages also cross one common link.
        backbone: bool,
    },
    /// Two levels of switches.
    Cabinets {
        /// Hosts per cabinet.
        sizes: Vec<u32>,
    },
    /// A fat tree; all lists go from the hosts up.
    FatTree {
        /// Children of a switch, per level.
        down: Vec<u32>,
        /// Parents of a node, per level.
        up: Vec<u32>,
        /// Cables between a node and each parent, per level.
        parallel: Vec<u32>,
    },
    /// A torus.
    Torus {
        /// Size of each axis.
        dimensions: Vec<u32>,
    },
    /// A dragonfly.
    Dragonfly {
        /// Groups.
        groups: u32,
        /// Chassis per group.
        chassis: u32,
        /// Routers per chassis.
        routers: u32,
        /// Nodes per router.
        nodes: u32,
    },
    /// A Dragonfly+.
    DragonflyPlus {
        /// Groups.
        groups: u32,
        /// Leaf switches per group.
        leaves: u32,
        /// Spine switches per group.
        spines: u32,
        /// Nodes per leaf switch.
        nodes: u32,
        /// Cables between two groups.
        group_links: u32,
    },
    /// Nodes of accelerators, with a rail for each device of a node.
    Rails {
        /// Groups of nodes that share leaf switches.
        units: u32,
        /// Nodes per unit.
        nodes: u32,
        /// Devices per node, and rails.
        devices: u32,
        /// Spine switches.
        spines: u32,
    },
    /// Nodes of accelerators on another network, whose sizes count nodes.
    Devices {
        /// Devices per node.
        per_node: u32,
        /// The network between nodes.
        network: Box<Topology>,
    },
    /// One cable per pair of hosts.
    Full {
        /// The number of hosts.
        hosts: u32,
    },
    /// Hosts, links and routes given one by one.
    Explicit {
        /// The number of hosts.
        hosts: u32,
        /// How routes are found: `Full`, `Floyd`, `Dijkstra`, `Cluster` or `None`.
        routing: &'static str,
    },
    /// Zones inside a zone.
    Zones {
        /// How routes between the zones are found.
        routing: &'static str,
        /// Each zone's name and shape.
        zones: Vec<(String, Topology)>,
    },
}

impl Topology {
    /// The same in hosts, if sizes count interfaces, of which each host has so many.
    pub(crate) fn with_hosts_of(mut self, interfaces: u32) -> Topology {
        match &mut self {
            Topology::Cluster { hosts, .. } | Topology::Full { hosts } => *hosts /= interfaces,
            Topology::Cabinets { sizes } => sizes.iter_mut().for_each(|size| *size /= interfaces),
            Topology::FatTree { down, .. } => down.iter_mut().take(1).for_each(|hosts| *hosts /= interfaces),
            Topology::Dragonfly { nodes, .. } | Topology::DragonflyPlus { nodes, .. } => *nodes /= interfaces,
            Topology::Torus { .. }
            | Topology::Rails { .. }
            | Topology::Devices { .. }
            | Topology::Explicit { .. }
            | Topology::Zones { .. } => {}
        }
        self
    }
}

impl std::fmt::Display for Topology {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cluster { hosts, backbone: false } => {
                write!(out, "cluster of {} on one switch", some(*hosts, "host"))
            }
            Self::Cluster { hosts, backbone: true } => {
                write!(out, "cluster of {} with a backbone", some(*hosts, "host"))
            }
            Self::Cabinets { sizes } => {
                write!(
                    out,
                    "{} of {} hosts under one switch",
                    some(sizes.len() as u32, "cabinet"),
                    runs(sizes)
                )
            }
            Self::FatTree { down, up, parallel } => {
                let (down, up, parallel) = (join(down, ","), join(up, ","), join(parallel, ","));
                write!(out, "fat tree, down {down}, up {up}, parallel {parallel}")
            }
            Self::Torus { dimensions } => write!(out, "torus {}", join(dimensions, "x")),
            Self::Dragonfly { groups, chassis, routers, nodes } => write!(
                out,
                "dragonfly of {groups} groups, {chassis} chassis each, {routers} routers each, {nodes} nodes each"
            ),
            Self::DragonflyPlus { groups, leaves, spines, nodes, group_links } => write!(
                out,
                "dragonfly+ of {groups} groups, {leaves} leaf and {spines} spine switches each, {nodes} nodes per leaf, {} between two groups",
                some(*group_links, "cable")
            ),
            Self::Rails { units: 1, nodes, devices, .. } => {
                write!(out, "{} of {}, a switch per rail", some(*nodes, "node"), some(*devices, "device"))
            }
            Self::Rails { units, nodes, devices, spines } => write!(
                out,
                "{units} units of {} of {}, a leaf switch per rail and unit, {}",
                some(*nodes, "node"),
                some(*devices, "device"),
                some(*spines, "spine")
            ),
            Self::Devices { per_node, network } => {
                write!(out, "{network}; each is a node of {}", some(*per_node, "device"))
            }
            Self::Full { hosts } => write!(out, "full mesh of {}", some(*hosts, "host")),
            Self::Explicit { hosts, routing } => {
                write!(out, "{} with {routing} routing", some(*hosts, "host"))
            }
            Self::Zones { routing, zones } => {
                write!(out, "{} with {routing} routing", some(zones.len() as u32, "zone"))
            }
        }
    }
}

fn join(numbers: &[u32], by: &str) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(by)
}

fn some(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// `6 × 18 + 12 × 17` for six times 18 and twelve times 17.
fn runs(sizes: &[u32]) -> String {
    let runs = sizes.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].to_string(),
        times => format!("{times} × {}", run[0]),
    });
    runs.collect::<Vec<_>>().join(" + ")
}
