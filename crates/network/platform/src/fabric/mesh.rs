//! Everyone to everyone: one cable per pair of hosts, nothing shared.

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires, across, pair_at, pair_index, pairs};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    hosts: u32,
    limiters: Option<Wires>,
    cables: Wires,
}

impl Mesh {
    pub fn new(hosts: u32, cable: Cable, extras: &Extras) -> Result<(Self, Layout), String> {
        let (mut layout, limiters) = extras.layout(hosts, hosts.into())?;
        let cables = layout.add(Role::Pair, pairs(hosts.into()), cable)?;
        Ok((Self { hosts, limiters, cables }, layout))
    }
}

impl Shape for Mesh {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        path.push_limiter(self.limiters, src);
        match src.cmp(&dst) {
            std::cmp::Ordering::Less => path.push(self.cables.up(pair_index(src, dst, self.hosts))),
            std::cmp::Ordering::Greater => path.push(self.cables.down(pair_index(dst, src, self.hosts))),
            std::cmp::Ordering::Equal => return,
        }
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let (id, numbers) = (&fabric.id, &fabric.hosts.names.numbers);
        if role == Role::Limiter {
            return format!("{id}_link_{}_limiter", numbers.get(cable));
        }
        let (a, b) = pair_at(cable, self.hosts);
        format!("{id}_link_{}_{}", numbers.get(a), numbers.get(b))
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        (role == Role::Pair).then(|| {
            let (a, b) = pair_at(cable, self.hosts);
            [LinkEnd::host(a), LinkEnd::host(b)]
        })
    }

    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        Some(across(self.hosts()) * rate(Role::Pair))
    }

    fn topology(&self) -> Topology {
        Topology::Full { hosts: self.hosts }
    }
}
