//! Nodes of accelerators: the devices of a node on a switch of their own inside, and each device on the rail of its number outside.
//!
//! ```text
//! same node:             device ─ inside ─ inside ─ device
//! same rail:             device ─ leaf of the rail ─ (spine ─ leaf ─) device
//! another node and rail: device ─ inside ─ inside ─ the device of its node on that rail ─ leaf ─ … ─ device
//! ```
//!
//! A unit has a leaf switch for each rail; if there are several, all leaf switches are connected to all spines. A message to another rail changes it inside
//! the sender's node (NCCL calls this PXN), and enters the network through the interface of the device there. The destination chooses
//! among the cables to spines as on a fat tree (d-mod-k).

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires, product};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Rails {
    size: Size,
    devices: u32,
    limiters: Option<Wires>,
    interfaces: Wires,
    insides: Wires,
    uplinks: Wires,
}

/// The number of units, nodes, devices and switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub units: u32,
    /// Nodes per unit.
    pub nodes: u32,
    /// Devices per node, and rails.
    pub devices: u32,
    /// Spine switches, which connect the leaf switches of all units and rails.
    pub spines: u32,
}

/// The cables of nodes of accelerators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cables {
    /// From a device to the switch inside its node.
    pub inside: Cable,
    /// From a device to the leaf switch of its rail.
    pub interfaces: Cable,
    /// From leaf switches to spines.
    pub spines: Cable,
}

/// The place of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    node: u32,
    rail: u32,
}

impl Rails {
    pub fn new(size: Size, cables: Cables, extras: &Extras) -> Result<(Self, Layout), String> {
        let Size { units, nodes, devices, spines } = size;
        if [units, nodes, devices, spines].contains(&0) {
            return Err("rails with 0 of something connect nothing".to_owned());
        }
        let count = product(&[units, nodes, devices])?;
        // The only leaf switch of a rail needs no spine.
        let up = product(&[if units > 1 { units } else { 0 }, devices, spines])
            .map_err(|_| "these rails have more links than can be numbered".to_owned())?;
        let (mut layout, limiters) = extras.layout(count, count.into())?;
        let interfaces = layout.add(Role::Host, count.into(), cables.interfaces)?;
        let insides = layout.add(Role::Inside, count.into(), cables.inside)?;
        let uplinks = layout.add(Role::Spine, up.into(), cables.spines)?;
        Ok((Self { size, devices: count, limiters, interfaces, insides, uplinks }, layout))
    }

    fn place(&self, device: u32) -> Place {
        Place { node: device / self.size.devices, rail: device % self.size.devices }
    }

    fn device(&self, Place { node, rail }: Place) -> u32 {
        node * self.size.devices + rail
    }

    /// The leaf switch of a rail, counted through all units.
    fn leaf(&self, Place { node, rail }: Place) -> u32 {
        node / self.size.nodes * self.size.devices + rail
    }

    fn inside(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        path.push(self.insides.up(src));
        path.push(self.insides.down(dst));
    }

    /// From a device to one of the same rail.
    fn along_rail(&self, src: u32, dst: u32, number: u32, path: &mut Path<'_>) {
        let (from, to) = (self.leaf(self.place(src)), self.leaf(self.place(dst)));
        path.push(self.interfaces.up(src));
        if from != to {
            let spines = self.size.spines;
            let spine = number % spines;
            path.push(self.uplinks.up(from * spines + spine));
            path.push(self.uplinks.down(to * spines + spine));
        }
        path.push(self.interfaces.down(dst));
    }
}

impl Shape for Rails {
    fn hosts(&self) -> u32 {
        self.devices
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.route_by(src, dst, 0, path);
    }

    fn choices(&self, src: u32, dst: u32) -> u32 {
        let unit = |device| self.place(device).node / self.size.nodes;
        if unit(src) == unit(dst) { 1 } else { self.size.spines }
    }

    fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        let (from, to) = (self.place(src), self.place(dst));
        path.push_limiter(self.limiters, src);
        if from.node == to.node {
            self.inside(src, dst, path);
        } else {
            let leaves = self.device(Place { node: from.node, rail: to.rail });
            if leaves != src {
                self.inside(src, leaves, path);
            }
            self.along_rail(leaves, dst, to.node + choice, path);
        }
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let id = &fabric.id;
        match role {
            Role::Spine => {
                let (leaf, spine) = (cable / self.size.spines, cable % self.size.spines);
                let (unit, rail) = (leaf / self.size.devices, leaf % self.size.devices);
                format!("{id}_unit_{unit}_rail_{rail}_spine_{spine}")
            }
            Role::Inside => format!("{id}_link_{}_inside", fabric.number_at(cable)),
            Role::Limiter => format!("{id}_link_{}_limiter", fabric.number_at(cable)),
            _ => format!("{id}_link_{}", fabric.number_at(cable)),
        }
    }

    /// The switches: those of nodes are on level 1 after the leaf switches, spines on level 2.
    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        let leaves = self.size.units * self.size.devices;
        match role {
            Role::Inside => Some([LinkEnd::host(cable), LinkEnd::switch(1, leaves + self.place(cable).node)]),
            Role::Host => Some([LinkEnd::host(cable), LinkEnd::switch(1, self.leaf(self.place(cable)))]),
            Role::Spine => {
                let spines = self.size.spines;
                Some([LinkEnd::switch(1, cable / spines), LinkEnd::switch(2, cable % spines)])
            }
            _ => None,
        }
    }

    /// A cut between units, or in a single unit between nodes, or in a single node between devices.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let Size { units, nodes, devices, spines } = self.size;
        let half = |parts: u32| f64::from(parts / 2) * f64::from(self.devices / parts);
        let up = f64::from(units / 2) * f64::from(devices) * f64::from(spines) * rate(Role::Spine);
        Some(match (units, nodes) {
            (1, 1) => half(devices) * rate(Role::Inside),
            (1, _) => half(nodes) * rate(Role::Host),
            _ => up.min(half(units) * rate(Role::Host)),
        })
    }

    fn accelerators_per_node(&self) -> Option<u32> {
        Some(self.size.devices)
    }

    fn topology(&self) -> Topology {
        let Size { units, nodes, devices, spines } = self.size;
        Topology::Rails { units, nodes, devices, spines }
    }
}
