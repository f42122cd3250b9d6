//! Dragonfly+ (Shpiner et al. 2017), also called Megafly: groups of leaf and spine switches, in which every leaf is connected to every
//! spine, and cables between the spines of every two groups.
//!
//! ```text
//! host ─ leaf ─ spine ─ (another group: spine ─) leaf ─ host
//! ```
//!
//! Hosts are on leaf switches, cables to other groups on spines. A group numbers its cables to other groups one group after the
//! other and deals them out to its spines in turn. Routes are minimal, and the destination chooses among the cables as on a fat
//! tree (d-mod-k), so all messages to one host come the same way.

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires, across, pair_at, pair_index, product};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct DragonflyPlus {
    size: Size,
    hosts: u32,
    limiters: Option<Wires>,
    locals: Wires,
    uplinks: Wires,
    globals: Wires,
}

/// The number of groups, switches, hosts and cables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub groups: u32,
    /// Leaf switches per group.
    pub leaves: u32,
    /// Spine switches per group.
    pub spines: u32,
    /// Hosts per leaf switch.
    pub nodes: u32,
    /// Cables between two groups.
    pub group_links: u32,
    /// Parallel cables from a leaf switch to each spine of its group.
    pub spine_links: u32,
}

/// The cables of a Dragonfly+.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cables {
    /// From hosts to leaf switches.
    pub hosts: Cable,
    /// From leaf switches to spines.
    pub spines: Cable,
    /// Between two groups.
    pub groups: Cable,
}

/// A way up from leaf switches: one of the parallel cables to one spine.
#[derive(Clone, Copy)]
struct Way {
    spine: u32,
    parallel: u32,
}

impl DragonflyPlus {
    pub fn new(size: Size, cables: Cables, extras: &Extras) -> Result<(Self, Layout), String> {
        let Size { groups, leaves, spines, nodes, group_links, spine_links } = size;
        if [groups, leaves, spines, nodes, group_links, spine_links].contains(&0) {
            return Err("a Dragonfly+ with 0 of something connects nothing".to_owned());
        }
        let hosts = product(&[groups, leaves, nodes])?;
        let too_many = "this Dragonfly+ has more links than can be numbered";
        let count = |factors: &[u32]| product(factors).map(u64::from).map_err(|_| too_many.to_owned());
        let outward = count(&[groups - 1, group_links])?;
        let (mut layout, limiters) = extras.layout(hosts, hosts.into())?;
        let locals = layout.add(Role::Host, hosts.into(), cables.hosts)?;
        let up = count(&[groups, leaves, spines, spine_links])?;
        let uplinks = layout.add(Role::Spine, up, cables.spines)?;
        let globals = layout.add(Role::Global, outward * u64::from(groups) / 2, cables.groups)?;
        Ok((Self { size, hosts, limiters, locals, uplinks, globals }, layout))
    }

    /// The leaf switch of a host, counted through all groups.
    fn leaf_of(&self, host: u32) -> u32 {
        host / self.size.nodes
    }

    fn group_of(&self, leaf: u32) -> u32 {
        leaf / self.size.leaves
    }

    /// The spine of a group, counted in it, that has a cable to another group.
    fn spine_of(&self, group: u32, other: u32, cable: u32) -> u32 {
        let before = other - u32::from(other > group);
        (before * self.size.group_links + cable) % self.size.spines
    }

    /// How many ways lead up from a leaf switch to hosts of the same group.
    fn ways(&self) -> u32 {
        self.size.spines * self.size.spine_links
    }

    fn way(&self, number: u32) -> Way {
        let Size { spines, spine_links, .. } = self.size;
        Way { spine: number % spines, parallel: number / spines % spine_links }
    }

    /// The number of the cable from a leaf switch to a spine of its group.
    fn uplink(&self, leaf: u32, Way { spine, parallel }: Way) -> u32 {
        (leaf * self.size.spines + spine) * self.size.spine_links + parallel
    }

    /// The link from one group to another over one of the cables between them.
    fn global(&self, from: u32, to: u32, cable: u32) -> u32 {
        let Size { groups, group_links, .. } = self.size;
        let number = |low, high| pair_index(low, high, groups) * group_links + cable;
        if from < to { self.globals.up(number(from, to)) } else { self.globals.down(number(to, from)) }
    }

    /// From a leaf switch to another of the same group.
    fn within_group(&self, from: u32, to: u32, number: u32, path: &mut Path<'_>) {
        let way = self.way(number);
        path.push(self.uplinks.up(self.uplink(from, way)));
        path.push(self.uplinks.down(self.uplink(to, way)));
    }

    /// From a leaf switch to one of another group.
    fn between_groups(&self, from: u32, to: u32, number: u32, path: &mut Path<'_>) {
        let Size { spines, group_links, .. } = self.size;
        let cable = number % group_links;
        // Hosts that share a spine on their way are spread over its parallel cables.
        let parallel = number / group_links.min(spines) % self.size.spine_links;
        let (here, there) = (self.group_of(from), self.group_of(to));
        let way = |group, other| Way { spine: self.spine_of(group, other, cable), parallel };
        path.push(self.uplinks.up(self.uplink(from, way(here, there))));
        path.push(self.global(here, there, cable));
        path.push(self.uplinks.down(self.uplink(to, way(there, here))));
    }

    fn leaf(number: u32) -> LinkEnd {
        LinkEnd::switch(1, number)
    }

    fn spine(&self, group: u32, spine: u32) -> LinkEnd {
        LinkEnd::switch(2, group * self.size.spines + spine)
    }

    /// The leaf switch and the way of an uplink's number.
    fn uplink_at(&self, cable: u32) -> (u32, Way) {
        let Size { spines, spine_links, .. } = self.size;
        let (place, parallel) = (cable / spine_links, cable % spine_links);
        (place / spines, Way { spine: place % spines, parallel })
    }

    /// The two groups of a global cable, and its number among the cables between them.
    fn global_at(&self, cable: u32) -> ((u32, u32), u32) {
        let Size { groups, group_links, .. } = self.size;
        (pair_at(cable / group_links, groups), cable % group_links)
    }
}

impl Shape for DragonflyPlus {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn switch_ports(&self) -> Option<(u32, u32)> {
        Some((self.size.nodes, self.size.leaves))
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.route_by(src, dst, 0, path);
    }

    /// Within a group, the ways up; between groups, the cables between them. All of them are minimal.
    fn choices(&self, src: u32, dst: u32) -> u32 {
        let (from, to) = (self.leaf_of(src), self.leaf_of(dst));
        match (from == to, self.group_of(from) == self.group_of(to)) {
            (true, _) => 1,
            (false, true) => self.ways(),
            (false, false) => self.size.group_links,
        }
    }

    fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        let (from, to) = (self.leaf_of(src), self.leaf_of(dst));
        let number = dst + choice;
        path.push_limiter(self.limiters, src);
        path.push(self.locals.up(src));
        if self.group_of(from) != self.group_of(to) {
            self.between_groups(from, to, number, path);
        } else if from != to {
            self.within_group(from, to, number, path);
        }
        path.push(self.locals.down(dst));
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let id = &fabric.id;
        match role {
            Role::Spine => {
                let (leaf, Way { spine, parallel }) = self.uplink_at(cable);
                let (group, leaf) = (self.group_of(leaf), leaf % self.size.leaves);
                format!("{id}_group_{group}_leaf_{leaf}_spine_{spine}_cable_{parallel}")
            }
            Role::Global => {
                let ((a, b), cable) = self.global_at(cable);
                format!("{id}_groups_{a}_{b}_cable_{cable}")
            }
            Role::Limiter => format!("{id}_link_{}_limiter", fabric.number_at(cable)),
            _ => format!("{id}_link_{}", fabric.number_at(cable)),
        }
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        match role {
            Role::Host => Some([LinkEnd::host(cable), Self::leaf(self.leaf_of(cable))]),
            Role::Spine => {
                let (leaf, way) = self.uplink_at(cable);
                Some([Self::leaf(leaf), self.spine(self.group_of(leaf), way.spine)])
            }
            Role::Global => {
                let ((a, b), cable) = self.global_at(cable);
                Some(
                    [(a, b), (b, a)]
                        .map(|(group, other)| self.spine(group, self.spine_of(group, other, cable))),
                )
            }
            _ => None,
        }
    }

    /// A cut between groups, or in a single group between leaf switches; hosts and the ways up can be narrower.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let Size { groups, leaves, group_links, .. } = self.size;
        let hosts = f64::from(self.hosts / 2) * rate(Role::Host);
        let leaves_of_half = f64::from(groups) * f64::from(leaves) / 2.0;
        let up = leaves_of_half * f64::from(self.ways()) * rate(Role::Spine);
        let between = across(groups) * f64::from(group_links) * rate(Role::Global);
        Some(match (groups, leaves) {
            (1, 1) => hosts,
            (1, _) => hosts.min(up),
            _ => hosts.min(up).min(between),
        })
    }

    fn topology(&self) -> Topology {
        let Size { groups, leaves, spines, nodes, group_links, .. } = self.size;
        Topology::DragonflyPlus { groups, leaves, spines, nodes, group_links }
    }
}
