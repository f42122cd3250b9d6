//! One switch: every host has its own cable to it.
//!
//! ```text
//! src ─ limiter ─ up ─ [backbone] ─ down ─ limiter ─ dst
//! ```

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires};
use crate::link::{Cable, Duplex, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    hosts: u32,
    limiters: Option<Wires>,
    cables: Wires,
    backbone: Option<Wires>,
    one_link_per_host: bool,
}

impl Cluster {
    pub fn new(
        hosts: u32,
        cable: Cable,
        backbone: Option<Cable>,
        extras: &Extras,
    ) -> Result<(Self, Layout), String> {
        let (mut layout, limiters) = extras.layout(hosts, hosts.into())?;
        let cables = layout.add(Role::Host, hosts.into(), cable)?;
        let backbone = backbone.map(|cable| layout.add(Role::Backbone, 1, cable)).transpose()?;
        let one_link_per_host = cable.duplex == Duplex::Single;
        Ok((Self { hosts, limiters, cables, backbone, one_link_per_host }, layout))
    }
}

impl Shape for Cluster {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        self.leave(src, path);
        // A message to oneself does not cross the same link twice.
        if src != dst {
            path.push(self.cables.down(dst));
            path.push_limiter(self.limiters, dst);
        } else if !self.one_link_per_host {
            path.push(self.cables.down(dst));
        }
    }

    fn leave(&self, src: u32, path: &mut Path<'_>) {
        path.push_limiter(self.limiters, src);
        path.push(self.cables.up(src));
        if let Some(backbone) = self.backbone {
            path.push(backbone.up(0));
        }
    }

    fn enter(&self, dst: u32, path: &mut Path<'_>) {
        if let Some(backbone) = self.backbone {
            path.push(backbone.up(0));
        }
        path.push(self.cables.down(dst));
        path.push_limiter(self.limiters, dst);
    }

    fn switch_port(&self, host: u32) -> Option<(u32, u32)> {
        let plain = self.limiters.is_none() && self.backbone.is_none() && !self.one_link_per_host;
        plain.then(|| (self.cables.up(host), self.cables.down(host)))
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let id = &fabric.id;
        match role {
            Role::Backbone => format!("{id}_backbone"),
            Role::Limiter => format!("{id}_link_{}_limiter", fabric.number_at(cable)),
            _ => format!("{id}_link_{}", fabric.number_at(cable)),
        }
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        match role {
            Role::Host => Some([LinkEnd::host(cable), LinkEnd::switch(1, 0)]),
            Role::Backbone => Some([LinkEnd::switch(1, 0), LinkEnd::switch(2, 0)]),
            _ => None,
        }
    }

    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let hosts = f64::from(self.hosts / 2) * rate(Role::Host);
        Some(if self.backbone.is_some() { hosts.min(rate(Role::Backbone)) } else { hosts })
    }

    fn topology(&self) -> Topology {
        Topology::Cluster { hosts: self.hosts, backbone: self.backbone.is_some() }
    }
}
