//! Fat trees (XGFT), routed d-mod-k.
//!
//! A node of level `l` has `up[l]` parents and `parallel[l]` cables to each; a switch of level
//! `l + 1` has `down[l]` children. A node is known by its level and position; its position is a
//! number in a mixed radix whose digit `i` says which child (`i >= level`) or which of the
//! equivalent switches (`i < level`) it is. Parent and child differ in digit `l` only, so neither
//! nodes nor links are stored.

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires, product};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct FatTree {
    arities: Arities,
    hosts: u32,
    /// `up[0] · … · up[l-1]` for each level `l`, the stride of digit `l` among switches.
    up_strides: Vec<u32>,
    /// `down[0] · … · down[l-1]`, the stride of digit `l` among hosts.
    down_strides: Vec<u32>,
    /// Nodes in levels below each level.
    nodes_below: Vec<u32>,
    /// Cables in levels below each level.
    cables_below: Vec<u32>,
    limiters: Option<Wires>,
    levels: Vec<Wires>,
    /// Hosts and cables of the fat trees before this one in the file. SimGrid counts through all
    /// of them, and its d-mod-k choice depends on it.
    before: Before,
}

/// The three lists of a fat tree, all of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arities {
    /// Children of a switch, per level from the hosts up.
    pub down: Vec<u32>,
    /// Parents of a node, per level.
    pub up: Vec<u32>,
    /// Cables between a node and each of its parents, per level.
    pub parallel: Vec<u32>,
}

/// The cables of a fat tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cables {
    /// From hosts to the switches next to them.
    pub hosts: Cable,
    /// Between switches.
    pub uplinks: Cable,
}

impl From<Cable> for Cables {
    fn from(cable: Cable) -> Cables {
        Cables { hosts: cable, uplinks: cable }
    }
}

/// The number of hosts and cables of the fat trees before this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    pub hosts: u32,
    pub cables: u32,
}

#[derive(Clone, Copy)]
struct Node {
    level: usize,
    position: u32,
}

impl FatTree {
    pub fn new(
        arities: Arities,
        cables: Cables,
        before: Before,
        extras: &Extras,
    ) -> Result<(Self, Layout), String> {
        let Arities { down, up, parallel } = &arities;
        let levels = down.len();
        check(&arities)?;
        let hosts = product(down)?;
        let mut nodes_below = vec![0u32];
        for level in 0..=levels {
            let nodes = product(&[&up[..level], &down[level..]].concat())?;
            let sum = nodes_below[level].checked_add(nodes);
            nodes_below.push(sum.ok_or("this fat tree has more switches than can be numbered")?);
        }
        let nodes = nodes_below[levels + 1];
        let (mut layout, limiters) = extras.layout(hosts, nodes.into())?;
        let mut cables_below = vec![0u32];
        let mut wires = Vec::new();
        for level in 0..levels {
            let nodes = nodes_below[level + 1] - nodes_below[level];
            let count = u64::from(nodes)
                .checked_mul(u64::from(up[level]) * u64::from(parallel[level]))
                .ok_or("this fat tree has more links than can be numbered")?;
            let cable = if level == 0 { cables.hosts } else { cables.uplinks };
            wires.push(layout.add(Role::Level(level as u8), count, cable)?);
            // Fits, since the layout has numbered them.
            cables_below.push(cables_below[level].saturating_add(count as u32));
        }
        let stride = |factors: &[u32], level: usize| factors[..level].iter().product();
        let up_strides = (0..=levels).map(|level| stride(up, level)).collect();
        let down_strides = (0..=levels).map(|level| stride(down, level)).collect();
        let tree = Self {
            hosts,
            up_strides,
            down_strides,
            nodes_below,
            cables_below,
            limiters,
            levels: wires,
            before,
            arities,
        };
        Ok((tree, layout))
    }

    /// How many cables it has, for the fat trees after it.
    pub fn cables(&self) -> u32 {
        self.cables_below[self.levels.len()]
    }

    fn above(&self, node: Node, host: u32) -> bool {
        let Node { level, position } = node;
        level > 0 && position / self.up_strides[level] == host / self.down_strides[level]
    }

    /// Splits a position into what is below and above digit `level`, and the digit itself.
    fn digits(&self, position: u32, level: usize, radix: u32) -> (u32, u32, u32) {
        let stride = self.up_strides[level];
        (position % stride, position / stride % radix, position / stride / radix)
    }

    fn parent(&self, node: Node, digit: u32) -> Node {
        let Node { level, position } = node;
        let (low, _, high) = self.digits(position, level, self.arities.down[level]);
        let position = low + self.up_strides[level] * (digit + self.arities.up[level] * high);
        Node { level: level + 1, position }
    }

    fn child(&self, node: Node, digit: u32) -> Node {
        let level = node.level - 1;
        let (low, _, high) = self.digits(node.position, level, self.arities.up[level]);
        let position = low + self.up_strides[level] * (digit + self.arities.down[level] * high);
        Node { level, position }
    }

    /// The number, within its level, of one of the cables from a node to a parent.
    fn cable(&self, child: Node, parent_digit: u32, which: u32) -> u32 {
        let (up, parallel) = (self.arities.up[child.level], self.arities.parallel[child.level]);
        child.position * (up * parallel) + parent_digit * parallel + which
    }

    fn limit(&self, node: Node, path: &mut Path<'_>) {
        path.push_limiter(self.limiters, self.nodes_below[node.level] + node.position);
    }

    /// Climbs to the first switch above both hosts. The port is the destination modulo k, shifted by the choice's digit of
    /// the level: every choice gives another way up.
    fn climb(&self, src: u32, dst: u32, mut choice: u32, path: &mut Path<'_>) -> Node {
        let mut node = Node { level: 0, position: src };
        while !self.above(node, dst) {
            let level = node.level;
            let (up, parallel) = (self.arities.up[level], self.arities.parallel[level]);
            let ports = up * parallel;
            let port = self.before.hosts.wrapping_add(dst) / self.up_strides[level] % ports;
            let port = (port + choice % ports) % ports;
            choice /= ports;
            self.limit(node, path);
            path.push(self.levels[level].up(self.cable(node, port % up, port / up)));
            node = self.parent(node, port % up);
        }
        node
    }

    /// Descends to the destination. Among parallel cables SimGrid starts its search at the one the
    /// source selects, and below the first level goes on from the port where it stopped above.
    fn descend(&self, mut node: Node, src: u32, dst: u32, path: &mut Path<'_>) {
        let mut search_from = None;
        while node.level > 0 {
            let level = node.level - 1;
            let (down, parallel) = (self.arities.down[level], self.arities.parallel[level]);
            let digit = dst / self.down_strides[level] % down;
            let selected = self.before.hosts.wrapping_add(src) % parallel * down;
            let from = search_from.unwrap_or(selected);
            let port = [first_port(from, digit, down), first_port(selected, digit, down)]
                .into_iter()
                .find(|port| *port < down * parallel)
                .unwrap_or(digit);
            let (_, parent_digit, _) = self.digits(node.position, level, self.arities.up[level]);
            let child = self.child(node, digit);
            path.push(self.levels[level].down(self.cable(child, parent_digit, port / down)));
            self.limit(node, path);
            node = child;
            search_from = Some(port + 1);
        }
        self.limit(node, path);
    }

    /// SimGrid counts switch numbers downwards from twice the number of hosts.
    fn node_id(&self, level: usize, position: u32) -> i64 {
        match level {
            0 => position.into(),
            _ => {
                let switch = self.nodes_below[level] + position - self.hosts;
                2 * i64::from(self.hosts) - 1 - i64::from(switch)
            }
        }
    }
}

fn check(arities: &Arities) -> Result<(), String> {
    const MOST_LEVELS: usize = 32;
    let Arities { down, up, parallel } = arities;
    if down.is_empty() || down.len() > MOST_LEVELS {
        return Err(format!("a fat tree has 1 to {MOST_LEVELS} levels, not {}", down.len()));
    }
    if up.len() != down.len() || parallel.len() != down.len() {
        let (down, up, parallel) = (down.len(), up.len(), parallel.len());
        return Err(format!(
            "the three lists of a fat tree have {down}, {up} and {parallel} entries, not as many each"
        ));
    }
    match [down, up, parallel].into_iter().flatten().any(|number| *number == 0) {
        true => Err("a fat tree with 0 of something connects nothing".to_owned()),
        false => Ok(()),
    }
}

/// The first port at or after `from` that leads to child `digit`.
fn first_port(from: u32, digit: u32, down: u32) -> u32 {
    from + (digit + down - from % down) % down
}

impl Shape for FatTree {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn switch_ports(&self) -> Option<(u32, u32)> {
        let (ports, above) = self.arities.down.split_first()?;
        Some((*ports, above.iter().product()))
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.route_by(src, dst, 0, path);
    }

    /// The product of the ports up, over the levels below the first common switch.
    fn choices(&self, src: u32, dst: u32) -> u32 {
        let Arities { up, parallel, .. } = &self.arities;
        let common = |level: &usize| src / self.down_strides[level + 1] == dst / self.down_strides[level + 1];
        let climbed = (0..up.len()).find(common).map_or(up.len(), |level| level + 1);
        (0..climbed).fold(1u32, |all, level| all.saturating_mul(up[level] * parallel[level]))
    }

    fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        let top = self.climb(src, dst, choice, path);
        self.descend(top, src, dst, path);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let Role::Level(level) = role else {
            let level = self.nodes_below.partition_point(|first| *first <= cable) - 1;
            let id = self.node_id(level, cable - self.nodes_below[level]);
            return format!("{}_link_{id}_limiter", fabric.id);
        };
        let level = usize::from(level);
        let (up, parallel) = (self.arities.up[level], self.arities.parallel[level]);
        let child = Node { level, position: cable / (up * parallel) };
        let parent = self.parent(child, cable / parallel % up);
        let unique = self.before.cables.wrapping_add(self.cables_below[level]).wrapping_add(cable);
        let (child, parent) = (self.node_id(level, child.position), self.node_id(level + 1, parent.position));
        format!("link_from_{child}_{parent}_{unique}")
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        let Role::Level(lower) = role else { return None };
        let level = usize::from(lower);
        let (up, parallel) = (self.arities.up[level], self.arities.parallel[level]);
        let child = Node { level, position: cable / (up * parallel) };
        let parent = self.parent(child, cable / parallel % up);
        Some([LinkEnd::switch(lower, child.position), LinkEnd::switch(lower + 1, parent.position)])
    }

    /// Half of the hosts send to the other half through every level; the narrowest one limits them.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let level = |level: usize| {
            let nodes = self.nodes_below[level + 1] - self.nodes_below[level];
            let cables = f64::from(nodes) * f64::from(self.arities.up[level] * self.arities.parallel[level]);
            cables / 2.0 * rate(Role::Level(level as u8))
        };
        (0..self.levels.len()).map(level).reduce(f64::min)
    }

    fn topology(&self) -> Topology {
        let Arities { down, up, parallel } = self.arities.clone();
        Topology::FatTree { down, up, parallel }
    }
}
