//! Dragonflies: nodes on routers, routers in chassis, chassis in groups.
//!
//! Every two routers of a chassis are connected, every two routers of the same number in the
//! chassis of a group, and every two groups: router `g` of a group leads to group `g`, counted
//! through its chassis and from the first one again where there are more groups than routers. In
//! SimGrid's files that is always a router of the first chassis. Routes are minimal: chassis hop, group hop, global hop, chassis hop, group hop, each
//! where needed. Parallel cables are one link of the summed bandwidth, as in SimGrid.

use super::{
    Dialect, Extras, Fabric, Layout, Path, Role, Shape, Wires, across, pair_at, pair_index, pairs, product,
};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Dragonfly {
    size: Size,
    hosts: u32,
    dialect: Dialect,
    limiters: Option<Wires>,
    locals: Wires,
    chassis: Wires,
    group: Wires,
    global: Wires,
    /// Cables of the dragonflies before this one; SimGrid's link names count through all of them.
    cables_before: u32,
}

/// The number of groups, chassis, routers and nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub groups: u32,
    /// Chassis per group.
    pub chassis: u32,
    /// Routers per chassis.
    pub routers: u32,
    /// Nodes per router.
    pub nodes: u32,
    /// Parallel cables between two groups.
    pub group_links: u32,
    /// Parallel cables between two chassis.
    pub chassis_links: u32,
    /// Parallel cables between two routers.
    pub router_links: u32,
}

/// The cables of a dragonfly; of parallel ones, one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cables {
    /// From hosts to routers.
    pub hosts: Cable,
    /// Between two routers of a chassis.
    pub routers: Cable,
    /// Between two chassis of a group.
    pub chassis: Cable,
    /// Between two groups.
    pub groups: Cable,
}

impl From<Cable> for Cables {
    fn from(cable: Cable) -> Cables {
        Cables { hosts: cable, routers: cable, chassis: cable, groups: cable }
    }
}

/// A router by its coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Router {
    group: u32,
    chassis: u32,
    blade: u32,
}

impl Dragonfly {
    pub fn new(
        size: Size,
        cables: Cables,
        cables_before: u32,
        extras: &Extras,
    ) -> Result<(Self, Layout), String> {
        let Size { groups, chassis, routers, nodes, .. } = size;
        let links = [size.group_links, size.chassis_links, size.router_links];
        if [groups, chassis, routers, nodes].contains(&0) || links.contains(&0) {
            return Err("a dragonfly with 0 of something connects nothing".to_owned());
        }
        if groups > 1 && groups > routers && extras.dialect == Dialect::SimGrid {
            return Err(format!(
                "{groups} groups need at least {groups} routers per chassis, since router number g leads to \
                 group g; there are {routers}"
            ));
        }
        let hosts = product(&[groups, chassis, routers, nodes])?;
        let all_routers = product(&[groups, chassis, routers])?;
        let (mut layout, limiters) = extras.layout(hosts, u64::from(hosts) + u64::from(all_routers))?;
        let bundle = |mut cable: Cable, parallel: u32| {
            cable.spec.bandwidth *= f64::from(parallel);
            cable
        };
        let locals = layout.add(Role::Host, hosts.into(), cables.hosts)?;
        let count = |factors: [u64; 3]| factors.iter().try_fold(1u64, |all, factor| all.checked_mul(*factor));
        let too_many = "this dragonfly has more links than can be numbered";
        let in_chassis = count([groups.into(), chassis.into(), pairs(routers.into())]).ok_or(too_many)?;
        let chassis_wires =
            layout.add(Role::Chassis, in_chassis, bundle(cables.routers, size.router_links))?;
        let in_group = count([groups.into(), pairs(chassis.into()), routers.into()]).ok_or(too_many)?;
        let group_wires = layout.add(Role::Group, in_group, bundle(cables.chassis, size.chassis_links))?;
        let global_wires =
            layout.add(Role::Global, pairs(groups.into()), bundle(cables.groups, size.group_links))?;
        let dragonfly = Self {
            size,
            hosts,
            dialect: extras.dialect,
            limiters,
            locals,
            chassis: chassis_wires,
            group: group_wires,
            global: global_wires,
            cables_before,
        };
        Ok((dragonfly, layout))
    }

    /// How many cables it has, for the dragonflies after it.
    pub fn cables(&self) -> u32 {
        let Size { groups, .. } = self.size;
        self.first_global().wrapping_add(pairs(groups.into()) as u32)
    }

    fn first_group(&self) -> u32 {
        let Size { groups, chassis, routers, .. } = self.size;
        self.hosts.wrapping_add(groups * chassis * pairs(routers.into()) as u32)
    }

    fn first_global(&self) -> u32 {
        let Size { groups, chassis, routers, .. } = self.size;
        self.first_group().wrapping_add(groups * pairs(chassis.into()) as u32 * routers)
    }

    fn router_of(&self, host: u32) -> Router {
        let Size { chassis, routers, nodes, .. } = self.size;
        let router = host / nodes;
        Router {
            group: router / routers / chassis,
            chassis: router / routers % chassis,
            blade: router % routers,
        }
    }

    /// The router of one group that leads to another.
    fn gateway(&self, group: u32, to: u32) -> Router {
        let Size { chassis, routers, .. } = self.size;
        Router { group, chassis: to / routers % chassis, blade: to % routers }
    }

    fn index(&self, router: Router) -> u32 {
        (router.group * self.size.chassis + router.chassis) * self.size.routers + router.blade
    }

    fn limit(&self, router: Router, path: &mut Path<'_>) {
        path.push_limiter(self.limiters, self.hosts + self.index(router));
    }

    fn hop_in_chassis(&self, at: &mut Router, blade: u32, path: &mut Path<'_>) {
        self.limit(*at, path);
        let per_chassis = pairs(self.size.routers.into()) as u32;
        let first = (at.group * self.size.chassis + at.chassis) * per_chassis;
        path.push(directed(self.chassis, first, at.blade, blade, self.size.routers, |pair| pair));
        at.blade = blade;
    }

    fn hop_in_group(&self, at: &mut Router, chassis: u32, path: &mut Path<'_>) {
        self.limit(*at, path);
        let routers = self.size.routers;
        let per_group = pairs(self.size.chassis.into()) as u32 * routers;
        let blade = at.blade;
        let cable = |pair: u32| pair * routers + blade;
        path.push(directed(self.group, at.group * per_group, at.chassis, chassis, self.size.chassis, cable));
        at.chassis = chassis;
    }

    /// To the router that leads to the group, and across.
    fn hop_to_group(&self, at: &mut Router, group: u32, path: &mut Path<'_>) {
        let gateway = self.gateway(at.group, group);
        if at.blade != gateway.blade {
            self.hop_in_chassis(at, gateway.blade, path);
        }
        if at.chassis != gateway.chassis {
            self.hop_in_group(at, gateway.chassis, path);
        }
        path.push(directed(self.global, 0, at.group, group, self.size.groups, |pair| pair));
        self.limit(*at, path);
        *at = self.gateway(group, at.group);
    }
}

/// The group of that number among those that are neither of two.
fn between(a: u32, b: u32, number: u32) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    let group = number + u32::from(number >= low);
    group + u32::from(group >= high)
}

/// The link between two of `n` things, whose cables are numbered by pair from `first` on.
fn directed(wires: Wires, first: u32, from: u32, to: u32, n: u32, cable: impl Fn(u32) -> u32) -> u32 {
    if from < to {
        wires.up(first + cable(pair_index(from, to, n)))
    } else {
        wires.down(first + cable(pair_index(to, from, n)))
    }
}

impl Shape for Dragonfly {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn switch_ports(&self) -> Option<(u32, u32)> {
        Some((self.size.nodes, self.size.routers))
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.route_by(src, dst, 0, path);
    }

    /// Between groups: the minimal route, and one through each other group (Valiant 1982). Within a group: chassis first or
    /// group first, where both hops are needed.
    fn choices(&self, src: u32, dst: u32) -> u32 {
        let (from, to) = (self.router_of(src), self.router_of(dst));
        if from.group != to.group {
            return self.size.groups - 1;
        }
        let both = from.blade != to.blade && from.chassis != to.chassis;
        if both && self.dialect == Dialect::Mpirage { 2 } else { 1 }
    }

    fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        let (mut at, target) = (self.router_of(src), self.router_of(dst));
        path.push_limiter(self.limiters, src);
        path.push(self.locals.up(src));
        if at.group != target.group {
            if choice > 0 {
                let detour = between(at.group, target.group, choice - 1);
                self.hop_to_group(&mut at, detour, path);
            }
            self.hop_to_group(&mut at, target.group, path);
        } else if choice > 0 && at.chassis != target.chassis {
            self.hop_in_group(&mut at, target.chassis, path);
        }
        if at != target {
            if at.blade != target.blade {
                self.hop_in_chassis(&mut at, target.blade, path);
                if self.dialect == Dialect::SimGrid {
                    at.chassis = 0;
                }
            }
            if at.chassis != target.chassis {
                self.hop_in_group(&mut at, target.chassis, path);
            }
        }
        self.limit(target, path);
        path.push(self.locals.down(dst));
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let Size { groups, chassis, routers, nodes, .. } = self.size;
        let unique = |first: u32| self.cables_before.wrapping_add(first).wrapping_add(cable);
        match role {
            Role::Chassis => {
                let per_chassis = pairs(routers.into()) as u32;
                let (a, b) = pair_at(cable % per_chassis, routers);
                let place = cable / per_chassis % chassis;
                format!("green_link_in_chassis_{place}_between_routers_{a}_and_{b}_{}", unique(self.hosts))
            }
            Role::Group => {
                let per_group = pairs(chassis.into()) as u32 * routers;
                let (group, rest) = (cable / per_group, cable % per_group);
                let ((a, b), blade) = (pair_at(rest / routers, chassis), rest % routers);
                let unique = unique(self.first_group());
                format!("black_link_in_group_{group}_between_chassis_{a}_and_{b}_blade_{blade}_{unique}")
            }
            Role::Global => {
                let (a, b) = pair_at(cable, groups);
                let (from, to) = (self.index(self.gateway(a, b)), self.index(self.gateway(b, a)));
                let unique = unique(self.first_global());
                format!("blue_link_between_group_{a}_and_{b}_routers_{from}_and_{to}_{unique}")
            }
            Role::Limiter => {
                let id = match cable.checked_sub(self.hosts) {
                    None => i64::from(cable),
                    Some(router) => 2 * i64::from(self.hosts) - 1 - i64::from(router),
                };
                format!("{}_link_{id}_limiter", fabric.id)
            }
            _ => {
                let (router, node) = (cable / nodes, cable % nodes);
                format!("local_link_from_router_{router}_to_node_{node}_{}", unique(0))
            }
        }
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        let Size { groups, chassis, routers, nodes, .. } = self.size;
        let router = |group, chassis, blade| LinkEnd::switch(1, self.index(Router { group, chassis, blade }));
        match role {
            Role::Host => Some([LinkEnd::host(cable), LinkEnd::switch(1, cable / nodes)]),
            Role::Chassis => {
                let per_chassis = pairs(routers.into()) as u32;
                let ((a, b), place) = (pair_at(cable % per_chassis, routers), cable / per_chassis);
                let (group, chassis) = (place / chassis, place % chassis);
                Some([router(group, chassis, a), router(group, chassis, b)])
            }
            Role::Group => {
                let per_group = pairs(chassis.into()) as u32 * routers;
                let (group, rest) = (cable / per_group, cable % per_group);
                let ((a, b), blade) = (pair_at(rest / routers, chassis), rest % routers);
                Some([router(group, a, blade), router(group, b, blade)])
            }
            Role::Global => {
                let (a, b) = pair_at(cable, groups);
                Some(
                    [self.gateway(a, b), self.gateway(b, a)]
                        .map(|router| LinkEnd::switch(1, self.index(router))),
                )
            }
            _ => None,
        }
    }

    /// From a router that is not the one to the other group, in neither number, to another such router.
    fn farthest(&self) -> (u32, u32) {
        let Size { groups, chassis, routers, nodes, .. } = self.size;
        let (from, to) = (0, groups - 1);
        let away = |gateway: Router| Router {
            group: gateway.group,
            chassis: (gateway.chassis + 1) % chassis,
            blade: (gateway.blade + 1) % routers,
        };
        let (src, dst) = match groups {
            1 => (Router { group: 0, chassis: 0, blade: 0 }, away(Router { group: 0, chassis: 0, blade: 0 })),
            _ => (away(self.gateway(from, to)), away(self.gateway(to, from))),
        };
        let last = if src == dst { nodes - 1 } else { 0 };
        (self.index(src) * nodes, self.index(dst) * nodes + last)
    }

    /// A cut between groups; in a single group, between chassis or between routers.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let Size { groups, chassis, routers, .. } = self.size;
        let cut = match (groups, chassis, routers) {
            (1, 1, 1) => f64::INFINITY,
            (1, 1, routers) => across(routers) * rate(Role::Chassis),
            (1, chassis, routers) => across(chassis) * f64::from(routers) * rate(Role::Group),
            (groups, ..) => across(groups) * rate(Role::Global),
        };
        Some(cut.min(f64::from(self.hosts / 2) * rate(Role::Host)))
    }

    fn topology(&self) -> Topology {
        let Size { groups, chassis, routers, nodes, .. } = self.size;
        Topology::Dragonfly { groups, chassis, routers, nodes }
    }
}
