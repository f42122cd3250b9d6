//! Nodes of devices on any network of switches: the hosts are devices, and the devices of a node are on a switch of their own inside.
//!
//! ```text
//! same node:    device ─ inside ─ inside ─ device
//! another node: device ─ the interface that it shares ─ network ─ interface ─ device
//! ```

use super::{Fabric, Layout, Path, Role, Shape, Wires, ports_of_rails};
use crate::interface::{HostInterfaces, InterfaceSwitches, Positions};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

/// Devices of a node, and their cables to the switch inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeDevices {
    pub per_node: u32,
    pub inside: Cable,
}

/// A network of which each position is an interface of a node.
#[derive(Debug)]
pub(crate) struct Devices<S> {
    network: S,
    interfaces: Positions,
    interfaces_per_node: u32,
    per_node: u32,
    per_interface: u32,
    insides: Wires,
    /// The number of the first node's switch on level 1, after those of the network.
    first_inside: u32,
}

impl<S: Shape> Devices<S> {
    /// Nodes with so many devices and interfaces each.
    pub fn new(
        (network, mut layout): (S, Layout),
        devices: NodeDevices,
        interfaces: HostInterfaces,
    ) -> Result<(Self, Layout), String> {
        let NodeDevices { per_node, inside } = devices;
        let interfaces_per_node = u32::from(interfaces.per_host);
        if !per_node.is_multiple_of(interfaces_per_node) {
            return Err(format!(
                "a node has {per_node} devices, which is no multiple of its {interfaces_per_node} interfaces"
            ));
        }
        let per_switch = match interfaces.switches {
            InterfaceSwitches::Same => None,
            InterfaceSwitches::Different => Some(ports_of_rails(&network, interfaces_per_node)?),
        };
        let per_interface = per_node / interfaces_per_node;
        let count = u64::from(network.hosts()) * u64::from(per_interface);
        u32::try_from(count).map_err(|_| "these are more devices than can be numbered (4,294,967,295)")?;
        let insides = layout.add(Role::Inside, count, inside)?;
        let interfaces = Positions::new(interfaces.per_host, per_switch);
        let first_inside = switches_next_to_hosts(&network);
        Ok((
            Self { network, interfaces, interfaces_per_node, per_node, per_interface, insides, first_inside },
            layout,
        ))
    }

    fn node(&self, device: u32) -> u32 {
        device / self.per_node
    }

    /// The position of a device's interface in the network.
    fn position(&self, device: u32) -> u32 {
        let nth = device % self.per_node / self.per_interface;
        self.interfaces.of(self.node(device), nth as u8)
    }

    /// The first of the devices that share an interface.
    fn device_at(&self, position: u32) -> u32 {
        let (node, nth) = self.interfaces.at(position);
        node * self.per_node + u32::from(nth) * self.per_interface
    }
}

/// How many switches a network has on level 1.
fn switches_next_to_hosts(network: &impl Shape) -> u32 {
    let ends = |cable| {
        let role = |role| network.cable_ends(role, cable);
        role(Role::Host).or_else(|| role(Role::Level(0)))
    };
    let switches = (0..network.hosts()).filter_map(ends).map(|[_, switch]| switch.position + 1);
    switches.max().unwrap_or(0)
}

impl<S: Shape> Shape for Devices<S> {
    fn hosts(&self) -> u32 {
        self.network.hosts() * self.per_interface
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.route_by(src, dst, 0, path);
    }

    fn choices(&self, src: u32, dst: u32) -> u32 {
        match self.node(src) == self.node(dst) {
            true => 1,
            false => self.network.choices(self.position(src), self.position(dst)),
        }
    }

    fn route_by(&self, src: u32, dst: u32, choice: u32, path: &mut Path<'_>) {
        if self.node(src) == self.node(dst) {
            path.push(self.insides.up(src));
            path.push(self.insides.down(dst));
        } else {
            self.network.route_by(self.position(src), self.position(dst), choice, path);
        }
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let number = |device| fabric.hosts.names.numbers.get(device);
        match role {
            Role::Inside => format!("{}_link_{}_inside", fabric.id, number(cable)),
            Role::Host => format!("{}_link_{}", fabric.id, number(self.device_at(cable))),
            _ => self.network.cable_name(role, cable, fabric),
        }
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        if role == Role::Inside {
            let switch = LinkEnd::switch(1, self.first_inside + self.node(cable));
            return Some([LinkEnd::host(cable), switch]);
        }
        let of_device = |end: LinkEnd| match end.level {
            0 => LinkEnd::host(self.device_at(end.position)),
            _ => end,
        };
        self.network.cable_ends(role, cable).map(|ends| ends.map(of_device))
    }

    fn accelerators_per_node(&self) -> Option<u32> {
        Some(self.per_node)
    }

    fn devices_per_interface(&self) -> u32 {
        self.per_interface
    }

    fn farthest(&self) -> (u32, u32) {
        let (src, dst) = self.network.farthest();
        (self.device_at(src), self.device_at(dst))
    }

    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        self.network.bisection(rate)
    }

    fn topology(&self) -> Topology {
        let of_nodes = self.network.topology().with_hosts_of(self.interfaces_per_node);
        Topology::Devices { per_node: self.per_node, network: Box::new(of_nodes) }
    }
}
