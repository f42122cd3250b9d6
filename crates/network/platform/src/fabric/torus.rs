//! A torus: a grid whose every axis is a ring. Routes go axis by axis, the first axis first.
//!
//! Host `x + X·(y + Y·z)` owns one cable per axis, to its neighbour in the positive direction;
//! its `up` link leads there, its `down` link back.

use super::{Extras, Fabric, Layout, Path, Role, Shape, Wires, product};
use crate::link::{Cable, LinkEnd};
use crate::topology::Topology;

#[derive(Clone, Debug)]
pub(crate) struct Torus {
    dimensions: Vec<u32>,
    hosts: u32,
    limiters: Option<Wires>,
    cables: Wires,
}

impl Torus {
    pub fn new(dimensions: Vec<u32>, cable: Cable, extras: &Extras) -> Result<(Self, Layout), String> {
        if dimensions.is_empty() || dimensions.contains(&0) {
            return Err("a torus needs at least one axis, and every axis at least one host".to_owned());
        }
        let hosts = product(&dimensions)?;
        let (mut layout, limiters) = extras.layout(hosts, hosts.into())?;
        let cables = layout.add(Role::Torus, u64::from(hosts) * dimensions.len() as u64, cable)?;
        Ok((Self { dimensions, hosts, limiters, cables }, layout))
    }

    fn cable(&self, owner: u32, axis: usize) -> u32 {
        owner * self.dimensions.len() as u32 + axis as u32
    }

    /// The two hosts of a cable.
    fn neighbours(&self, cable: u32) -> (u32, u32) {
        let axes = self.dimensions.len() as u32;
        let (owner, axis) = (cable / axes, (cable % axes) as usize);
        let stride: u32 = self.dimensions[..axis].iter().product();
        let at = owner / stride % self.dimensions[axis];
        let next = (at + 1) % self.dimensions[axis];
        (owner, owner - at * stride + next * stride)
    }
}

/// Whether a ring of `size` is walked in the positive direction. SimGrid's rule, kept to the tie:
/// half-way round goes forward, except that from the middle position on it depends on wrapping.
fn forward(from: u32, to: u32, size: u32) -> bool {
    let half = size / 2;
    let (from, to, size) = (u64::from(from), u64::from(to), u64::from(size));
    let half = u64::from(half);
    (to > from && to <= from + half) || (from > half && (from + half) % size >= to)
}

impl Shape for Torus {
    fn hosts(&self) -> u32 {
        self.hosts
    }

    fn route(&self, src: u32, dst: u32, path: &mut Path<'_>) {
        let mut current = src;
        let mut stride = 1;
        for (axis, &size) in self.dimensions.iter().enumerate() {
            let (mut at, to) = (current / stride % size, dst / stride % size);
            let forward = forward(at, to, size);
            while at != to {
                let next = if forward { (at + 1) % size } else { (at + size - 1) % size };
                path.push_limiter(self.limiters, current);
                let neighbour = current - at * stride + next * stride;
                path.push(match forward {
                    true => self.cables.up(self.cable(current, axis)),
                    false => self.cables.down(self.cable(neighbour, axis)),
                });
                (at, current) = (next, neighbour);
            }
            stride *= size;
        }
        path.push_limiter(self.limiters, dst);
    }

    fn cable_name(&self, role: Role, cable: u32, fabric: &Fabric) -> String {
        let id = &fabric.id;
        if role == Role::Limiter {
            return format!("{id}_link_{cable}_limiter");
        }
        let (owner, next) = self.neighbours(cable);
        format!("{id}_link_from_{owner}_to_{next}")
    }

    fn cable_ends(&self, role: Role, cable: u32) -> Option<[LinkEnd; 2]> {
        (role == Role::Torus).then(|| {
            let (owner, next) = self.neighbours(cable);
            [LinkEnd::host(owner), LinkEnd::host(next)]
        })
    }

    fn farthest(&self) -> (u32, u32) {
        let mut stride = 1;
        let mut far = 0;
        for &size in &self.dimensions {
            far += size / 2 * stride;
            stride *= size;
        }
        (0, far)
    }

    /// A cut across the longest axis meets every ring of that axis twice; a ring of two hosts is used one way only.
    fn bisection(&self, rate: &dyn Fn(Role) -> f64) -> Option<f64> {
        let longest = *self.dimensions.iter().max()?;
        let cables = if longest > 2 { 2 } else { longest - 1 };
        Some(f64::from(self.hosts / longest) * f64::from(cables) * rate(Role::Torus))
    }

    fn topology(&self) -> Topology {
        Topology::Torus { dimensions: self.dimensions.clone() }
    }
}
