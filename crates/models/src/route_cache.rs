//! Routes that were used lately, in a table.
//!
//! Routes are computed when needed; programs use the same few again and again. A direct-mapped table
//! keeps them without growing with the square of the hosts and without allocating once warm. It doubles when as
//! many routes were driven out as it has room for, up to a limit.

use mpirage_fair::Footprint;
use mpirage_platform::HostId;

const FIRST_SLOTS: usize = 1 << 10;
const MOST_SLOTS: usize = 1 << 19;
const NOBODY: u64 = u64::MAX;

/// A route as the flow model needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Seconds, before any factor.
    pub latency: f64,
    /// What a message asks of the links.
    pub footprint: Footprint,
}

/// The table.
pub(crate) struct RouteCache {
    slots: Vec<(u64, Path)>,
    /// Routes driven out since the table has its size.
    evictions: usize,
}

impl RouteCache {
    pub(crate) fn new() -> RouteCache {
        RouteCache { slots: Vec::new(), evictions: 0 }
    }

    /// The path between two hosts, computed by `find` if it is not at hand.
    pub(crate) fn get_or(&mut self, from: HostId, to: HostId, find: impl FnOnce() -> Path) -> &Path {
        let key = u64::from(from.0) << 32 | u64::from(to.0);
        if self.slots.get(self.slot_of(key)).is_none_or(|(held, _)| *held != key) {
            self.enter(key, find());
        }
        &self.slots[self.slot_of(key)].1
    }

    fn enter(&mut self, key: u64, path: Path) {
        if self.slots.is_empty() || self.evictions > self.slots.len() && self.slots.len() < MOST_SLOTS {
            self.grow();
        }
        let slot = self.slot_of(key);
        self.evictions += usize::from(self.slots[slot].0 != NOBODY);
        self.slots[slot] = (key, path);
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![(NOBODY, Path::default()); slots]);
        self.evictions = 0;
        for (key, path) in old.into_iter().filter(|(key, _)| *key != NOBODY) {
            let slot = self.slot_of(key);
            self.slots[slot] = (key, path);
        }
    }

    /// Neighbouring hosts have neighbouring numbers, so all bits are mixed.
    fn slot_of(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as usize & self.slots.len().wrapping_sub(1)
    }
}
