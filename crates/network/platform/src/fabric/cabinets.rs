//! Two levels of switches: hosts on the switch of their cabinet, cabinets on one switch above.
//!
//! ```text
//! same cabinet:  src ─ up ─ down ─ dst
//! otherwise:     src ─ up ─ cabinet up ─ [backbone] ─ cabinet down ─ down ─ dst
//! ```

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Cabinets {
    /// The first host of each cabinet, and at the end the number of hosts.
    first_hosts: Vec<u32>,
    limiters: Option<Wires>,
    cables: Wires,
    uplinks: Wires,
    backbone: Option<Wires>,
}

impl Cabinets {
    pub fn new(
        sizes: &[u32],
        cable: Cable,
        uplink: Cable,
        backbone: Option<Cable>,
        extras: &Extras,
    ) -> Result<(Self, Layout), String> {
        let mut first_hosts = vec![0u32];
        for size in sizes {
            let end = first_hosts[first_hosts.len() - 1].checked_add(*size);
            first_hosts.push(end.ok_or("these cabinets hold more hosts than can be numbered")?);
        }
        let hosts = first_hosts[first_hosts.len() - 1];
        let (mut layout, limiters) = extras.layout(hosts, hosts.into())?;
        let cables = layout.add(Role::Host, hosts.into(), cable)?;
        let uplinks = layout.add(Role::Uplink, sizes.len() as u64, uplink)?;
        let backbone = backbone.map(|cable| layout.add(Role::Backbone, 1, cable)).transpose()?;
        Ok((Self { first_hosts, limiters, cables, uplinks, backbone }, layout))
    }

    fn cabinet_of(&self, host: u32) -> u32 {
        self.first_hosts.partition_point(|first| *first <= host) as u32 - 1
    }
}

impl Shape for Cabinets {
    fn hosts(&self) -> u32 {
        self.first_hosts[self.first_hosts.len() - 1]
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        let (from, to) = (self.cabinet_of(src), self.cabinet_of(dst));
        path.push_limiter(self.limiters, src);
        path.push(self.cables.up(src));
        if from != to {
            path.push(self.uplinks.up(from));
            if let Some(backbone) = self.backbone {
                path.push(backbone.up(0));
            }
            path.push(self.uplinks.down(to));
        }
        path.push(self.cables.down(dst));
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let id = &fabric.id;
        match role {
            Role::Backbone => format!("{id}_backbone"),
            Role::Uplink => format!("{id}_cabinet_{}", cable + 1),
            Role::Limiter => format!("{id}_link_{}_limiter", fabric.number_at(cable)),
            _ => format!("{id}_link_{}", fabric.number_at(cable)),
        }
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        match role {
            Role::Host => Some([LinkEnd::host(cable), LinkEnd::switch(1, self.cabinet_of(cable))]),
            Role::Uplink => Some([LinkEnd::switch(1, cable), LinkEnd::switch(2, 0)]),
            Role::Backbone => Some([LinkEnd::switch(2, 0), LinkEnd::switch(3, 0)]),
            _ => None,
        }
    }

    /// The hosts, the cables of half of the cabinets, or the backbone: what is narrowest.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let hosts = f64::from(self.hosts() / 2) * rate(Role::Host);
        let Topology::Cabinets { sizes } = self.topology() else { return None };
        let uplinks =
            if sizes.len() > 1 { sizes.len() as f64 / 2.0 * rate(Role::Uplink) } else { f64::INFINITY };
        let backbone = if rate(Role::Backbone) > 0.0 { rate(Role::Backbone) } else { f64::INFINITY };
        Some(hosts.min(uplinks).min(backbone))
    }

    fn topology(&self) -> Topology {
        let sizes = self.first_hosts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Topology::Cabinets { sizes }
    }
}
