//! Fabrics: regular networks whose links and routes are computed, never stored.
//!
//! A [`Shape`] is the formula of one topology: which links a message crosses between two hosts.
//! A [`Layout`] numbers its links class by class, so that a link's properties follow from its
//! number. A [`Fabric`] is the two together with the hosts they connect.
//!
//! SimGrid's files must give SimGrid's routes, to the quirk; our own need not. The two differ in
//! few places, all of which ask for the [`Dialect`].

mod cabinets;
mod cluster;
mod devices;
mod dragonfly;
mod dragonfly_plus;
mod fat_tree;
mod layout;
mod mesh;
mod rails;
mod torus;

pub(crate) use cabinets::Cabinets;
pub(crate) use cluster::Cluster;
pub(crate) use devices::{Devices, NodeDevices};
pub(crate) use dragonfly::{Cables as DragonflyCables, Dragonfly, Size as DragonflySize};
pub(crate) use dragonfly_plus::{Cables as DragonflyPlusCables, DragonflyPlus, Size as DragonflyPlusSize};
pub(crate) use fat_tree::{Arities, Before, Cables as FatTreeCables, FatTree};
pub(crate) use layout::{Layout, Role, Wires};
pub(crate) use mesh::Mesh;
pub(crate) use rails::{Cables as RailsCables, Rails, Size as RailsSize};
pub(crate) use torus::Torus;

use crate::accelerators::Accelerators;
use crate::host::HostGroup;
use crate::interface::{HostInterfaces, InterfaceSwitches, Positions};
use crate::link::{Cable, Duplex, LinkEnd, LinkId, LinkSpec};
use crate::topology::Topology;

/// The formula of a topology. The interfaces of hosts are positions from 0, those of a host one after the other; links are numbers of its
/// [`Layout`].
pub(crate) trait Shape: std::fmt::Debug + Send + Sync {
    /// The number of interfaces that it connects; hosts have one each, as a rule.
    fn hosts(&self) -> u32;

    /// Pushes the links from one host to another. Loopbacks are not its business; `src == dst`
    /// is asked only when a message to oneself goes through the switch.
    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>);

    /// The number of routes between two different hosts that [`Shape::route_by`] tells apart.
    fn choices(&self, _src: u32, _dst: u32) -> u32 {
        1
    }

    /// Pushes the links of one of several routes. Choice 0 is the route of [`Shape::route`].
    fn route_by(&self, src: u32, dst: u32, _choice: u32, path: &mut Path<'_>) {
        self.route(src, dst, path);
    }

    /// Pushes the links from a host to the router that leads out of the fabric.
    fn leave(&self, _src: u32, _path: &mut Path<'_>) {}

    /// Pushes the links from the router to a host.
    fn enter(&self, _dst: u32, _path: &mut Path<'_>) {}

    /// How many positions each switch next to hosts has, and how many such switches follow each other in one group; none if it is not the
    /// same for all.
    fn switch_ports(&self) -> Option<(u32, u32)> {
        None
    }

    /// The links up and down of a host, if every route to another host is its own link up and the other's link down.
    fn switch_port(&self, _host: u32) -> Option<(u32, u32)> {
        None
    }

    /// The name of one cable, without the `_UP` or `_DOWN` of its directions.
    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String;

    /// The two ends of a cable, its first direction leading from the first to the second; none if it is a limit or a loopback.
    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]>;

    /// How many hosts are accelerators of one node, if hosts are; they follow each other.
    fn accelerators_per_node(&self) -> Option<u32> {
        None
    }

    /// How many of them share the link to the network.
    fn devices_per_interface(&self) -> u32 {
        1
    }

    /// Two hosts between which no route is longer.
    fn farthest(&self) -> (u32, u32) {
        (0, self.hosts() - 1)
    }

    /// Bytes per second from one half of the hosts to the other, given those of one cable of each role.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64>;

    /// Its parameters, for reports.
    fn topology(&self) -> Topology;
}

/// The conventions that routes follow where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Ours: a message to oneself without loopback crosses no link; dragonfly routes are minimal.
    Mpirage,
    /// SimGrid 3.32: a message to oneself without loopback goes to the switch and back; dragonfly
    /// routes forget the chassis they are in after a hop inside it.
    SimGrid,
}

/// Optional parts of every fabric besides its own links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras {
    /// A private link of each host for messages to itself.
    pub loopback: Option<Cable>,
    /// The interfaces of each host.
    pub interfaces: u32,
    /// A bound on the sum of what a node sends and receives, in bytes per second.
    pub limiter: Option<f64>,
    pub dialect: Dialect,
}

impl Extras {
    /// Numbers the loopbacks of hosts with so many `positions` and the limiters of `nodes` (positions first, then switches).
    fn layout(&self, positions: u32, nodes: u64) -> Result<(Layout, Option<Wires>), String> {
        let mut layout = Layout::default();
        if let Some(cable) = self.loopback {
            layout.add(Role::Loopback, (positions / self.interfaces).into(), cable)?;
        }
        let limiters = match self.limiter {
            Some(bandwidth) => {
                Some(layout.add(Role::Limiter, nodes, Cable::shared(bandwidth, 0.0, Duplex::Single))?)
            }
            None => None,
        };
        Ok((layout, limiters))
    }
}

/// Hosts and the regular network between them.
#[derive(Debug)]
pub(crate) struct Fabric {
    pub id: String,
    pub hosts: HostGroup,
    pub interfaces: HostInterfaces,
    positions: Positions,
    dialect: Dialect,
    layout: Layout,
    shape: Box<dyn Shape>,
}

impl Fabric {
    pub fn new<S: Shape + 'static>(
        id: String,
        hosts: HostGroup,
        dialect: Dialect,
        (shape, layout): (S, Layout),
    ) -> Self {
        debug_assert_eq!(hosts.names.numbers.count(), shape.hosts());
        let (interfaces, positions) = (HostInterfaces::SINGLE, Positions::SINGLE);
        Self { id, hosts, interfaces, positions, dialect, layout, shape: Box::new(shape) }
    }

    /// The same with several interfaces per host. Fails if they cannot be on different switches, as they should.
    pub fn with_interfaces<S: Shape + 'static>(
        id: String,
        hosts: HostGroup,
        interfaces: HostInterfaces,
        (shape, layout): (S, Layout),
    ) -> Result<Self, String> {
        debug_assert_eq!(
            u64::from(hosts.names.numbers.count()) * u64::from(interfaces.per_host),
            u64::from(shape.hosts())
        );
        let per_switch = match interfaces.switches {
            InterfaceSwitches::Same => None,
            InterfaceSwitches::Different => Some(ports_of_rails(&shape, interfaces.per_host.into())?),
        };
        let positions = Positions::new(interfaces.per_host, per_switch);
        let dialect = Dialect::Mpirage;
        Ok(Self { id, hosts, interfaces, positions, dialect, layout, shape: Box::new(shape) })
    }

    pub fn host_count(&self) -> u32 {
        self.position_count() / u32::from(self.interfaces.per_host)
    }

    /// How many positions its shape has: one per interface.
    pub fn position_count(&self) -> u32 {
        self.shape.hosts()
    }

    /// The position of an interface of a host, which is given by its number in the fabric.
    pub fn position(&self, host: u32, nth: u8) -> u32 {
        self.positions.of(host, nth)
    }

    /// The number in the name of the host at a position, with that of the interface if the host has several.
    pub fn number_at(&self, position: u32) -> String {
        let (host, nth) = self.positions.at(position);
        let number = self.hosts.names.numbers.get(host);
        if self.interfaces.per_host == 1 { number.to_string() } else { format!("{number}.{nth}") }
    }

    pub fn link_count(&self) -> u32 {
        self.layout.links()
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its hosts as accelerators, if they are.
    pub fn accelerators(&self) -> Option<Accelerators> {
        let per_node = self.shape.accelerators_per_node()?;
        let rate = |roles: &[Role]| {
            let class = self.layout.classes().iter().find(|class| roles.contains(&class.role));
            class.map_or(0, |class| class.cable.spec.bandwidth as u64)
        };
        let port = rate(&[Role::Host, Role::Level(0)]) / u64::from(self.shape.devices_per_interface());
        Some(Accelerators { per_node, inside: rate(&[Role::Inside]), port })
    }

    /// Its shape as its file describes it: in hosts, not in interfaces.
    pub fn topology(&self) -> Topology {
        self.shape.topology().with_hosts_of(self.interfaces.per_host.into())
    }

    /// Two hosts between which no route is longer, in our own files; SimGrid's routes may be longer than they need to be.
    pub fn farthest(&self) -> Option<(u32, u32)> {
        let hosts = |(src, dst)| (self.positions.at(src).0, self.positions.at(dst).0);
        (self.dialect == Dialect::Mpirage).then(|| hosts(self.shape.farthest()))
    }

    /// Bytes per second from one half of the hosts to the other, given those of one cable of each role. Limiters are not
    /// in the formulas.
    pub fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let limited = self.layout.wires(Role::Limiter).is_some();
        if limited { None } else { self.shape.bisection(rate) }
    }

    pub fn link(&self, link: u32) -> LinkSpec {
        self.layout.class_of(link).cable.spec
    }

    pub fn link_name(&self, link: u32) -> String {
        let class = self.layout.class_of(link);
        let (cable, direction) = class.wires.locate(link);
        let name = match class.role {
            Role::Loopback => format!("{}_link_{}_loopback", self.id, self.hosts.names.numbers.get(cable)),
            role => self.shape.cable_name(role, cable, self),
        };
        name + direction
    }

    /// Both ends of a link.
    pub fn link_ends(&self, link: u32) -> Option<[LinkEnd; 2]> {
        let class = self.layout.class_of(link);
        let (cable, _) = class.wires.locate(link);
        let ends = self.shape.cable_ends(class.role, cable)?;
        let of_host = |end: LinkEnd| match end.level {
            0 => LinkEnd::host(self.positions.at(end.position).0),
            _ => end,
        };
        let [lower, upper] = ends.map(of_host);
        Some(if class.wires.up(cable) == link { [lower, upper] } else { [upper, lower] })
    }

    /// Pushes the links from one host to another.
    pub(crate) fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        if src != dst {
            self.shape.route(src, dst, path);
        } else if let Some(loopbacks) = self.layout.wires(Role::Loopback) {
            path.push(loopbacks.up(self.positions.at(src).0));
        } else if self.dialect == Dialect::SimGrid {
            self.shape.route(src, dst, path);
        }
    }

    /// The number of routes between two different hosts.
    pub(crate) fn choices(&self, src: u32, dst: u32) -> u32 {
        self.shape.choices(src, dst)
    }

    /// Pushes the links of one of the routes between two different hosts.
    pub(crate) fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        self.shape.route_by(src, dst, choice, path);
    }

    /// The links up and down of a host, if every route to another host is its own link up and the other's link down.
    pub fn switch_port(&self, host: u32) -> Option<(u32, u32)> {
        self.shape.switch_port(host)
    }

    /// Pushes the links from a host to the fabric's router.
    pub fn leave(&self, src: u32, path: &mut Path<'_>) {
        self.shape.leave(src, path);
    }

    /// Pushes the links from the fabric's router to a host.
    pub fn enter(&self, dst: u32, path: &mut Path<'_>) {
        self.shape.enter(dst, path);
    }
}

/// The positions of each switch, if hosts with so many interfaces can have each on another switch of the same group.
fn ports_of_rails(shape: &dyn Shape, interfaces: u32) -> Result<u32, String> {
    let Some((ports, switches)) = shape.switch_ports() else {
        return Err("interfaces of a host cannot be on different switches of this topology".to_owned());
    };
    if switches.is_multiple_of(interfaces) {
        return Ok(ports);
    }
    Err(format!(
        "the {interfaces} interfaces of a host cannot be on different switches: there are {switches} switches in a row, which is no multiple of \
         {interfaces}"
    ))
}

/// Where a shape writes its route: its own link numbers come out as links of the platform.
pub(crate) struct Path<'a> {
    pub first_link: u32,
    pub links: &'a mut Vec<LinkId>,
}

impl Path<'_> {
    pub fn push(&mut self, link: u32) {
        self.links.push(LinkId(self.first_link + link));
    }

    /// Pushes the limiter of a node, where nodes have one.
    fn push_limiter(&mut self, limiters: Option<Wires>, node: u32) {
        if let Some(limiters) = limiters {
            self.push(limiters.up(node));
        }
    }
}

/// Cables between two halves of `n` things of which every two are joined by one.
fn across(n: u32) -> f64 {
    f64::from(n / 2) * f64::from(n - n / 2)
}

/// How many unordered pairs `n` things have.
fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// The number of the pair `a < b` of `n` things: (0,1), (0,2), … (1,2), …
fn pair_index(a: u32, b: u32, n: u32) -> u32 {
    let (a, b, n) = (u64::from(a), u64::from(b), u64::from(n));
    // Fits: a layout that has this pair has numbered it in 32 bits.
    (a * (2 * n - a - 1) / 2 + (b - a - 1)) as u32
}

/// The pair of that number.
fn pair_at(index: u32, n: u32) -> (u32, u32) {
    let mut rest = index;
    let mut a = 0;
    while rest >= n - 1 - a {
        rest -= n - 1 - a;
        a += 1;
    }
    (a, a + 1 + rest)
}

/// A product that must fit the 32 bits hosts and links are numbered with.
fn product(factors: &[u32]) -> Result<u32, String> {
    factors
        .iter()
        .try_fold(1u32, |product, factor| product.checked_mul(*factor))
        .ok_or_else(|| "this is more hosts than can be numbered (4,294,967,295)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_without_gaps() {
        let n = 7;
        let mut next = 0;
        for a in 0..n {
            for b in a + 1..n {
                assert_eq!(pair_index(a, b, n), next);
                assert_eq!(pair_at(next, n), (a, b));
                next += 1;
            }
        }
        assert_eq!(u64::from(next), pairs(n.into()));
    }
}
