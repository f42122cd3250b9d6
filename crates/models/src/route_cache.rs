//! Routes that were used lately, in a table of fixed size.
//!
//! Routes are computed when needed; programs use the same few again and again. A direct-mapped table
//! keeps them without growing with the square of the hosts and without allocating once warm.

use mpirage_fair::ResourceId;
use mpirage_platform::{HostId, LinkId};

const SLOTS: usize = 1 << 14;

/// A route as the flow model needs it.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// Seconds, before any factor.
    pub latency: f64,
    /// What the flow weighs against others.
    pub penalty: f64,
    /// The most it can use.
    pub bound: f64,
    /// What it shares, and with which weight.
    pub uses: Vec<(ResourceId, f64)>,
    /// Scratch for the links of the route.
    pub links: Vec<LinkId>,
}

impl Path {
    pub(crate) fn clear(&mut self) {
        self.uses.clear();
        self.links.clear();
    }
}

/// The table.
pub(crate) struct RouteCache {
    slots: Vec<(u64, Path)>,
}

impl RouteCache {
    pub(crate) fn new() -> RouteCache {
        RouteCache { slots: Vec::new() }
    }

    /// The path between two hosts, filled in by `fill` if it is not at hand.
    pub(crate) fn get_or_fill(&mut self, from: HostId, to: HostId, fill: impl FnOnce(&mut Path)) -> &Path {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || (u64::MAX, Path::default()));
        }
        let key = u64::from(from.0) << 32 | u64::from(to.0);
        let (held, path) = &mut self.slots[slot_of(key)];
        if *held != key {
            fill(path);
            *held = key;
        }
        path
    }
}

/// Multiplication by an odd constant near 2^64/φ spreads neighbouring keys over the upper bits.
fn slot_of(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros())) as usize
}
