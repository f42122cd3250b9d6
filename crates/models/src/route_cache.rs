//! Routes that were used lately, in a table.
//!
//! Routes are computed when needed; programs use the same few again and again. The table grows with the routes in
//! use up to a limit that does not depend on the square of the hosts; beyond it, new routes drive out old ones.

use mpirage_cache::fetch;
use mpirage_fair::Footprint;
use mpirage_platform::HostId;

const FIRST_SLOTS: usize = 1 << 10;
const MOST_SLOTS: usize = 1 << 19;
/// A route is in one of so many places.
const PROBES: usize = 8;
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
    slots: Vec<Slot>,
    held: usize,
}

/// A path, and the hosts it is between.
#[derive(Clone, Debug)]
#[repr(align(128))]
struct Slot {
    key: u64,
    path: Path,
}

impl Slot {
    fn empty() -> Slot {
        Slot { key: NOBODY, path: Path::default() }
    }
}

fn key_of(from: HostId, to: HostId) -> u64 {
    u64::from(from.0) << 32 | u64::from(to.0)
}

fn empty_slots(count: usize) -> Vec<Slot> {
    let mut slots = Vec::new();
    // Not by cloning, which takes longer.
    slots.resize_with(count, Slot::empty);
    slots
}

impl RouteCache {
    pub(crate) fn new() -> RouteCache {
        RouteCache { slots: empty_slots(FIRST_SLOTS), held: 0 }
    }

    /// The path between two hosts, computed by `find` if it is not at hand.
    pub(crate) fn get_or(&mut self, from: HostId, to: HostId, find: impl FnOnce() -> Path) -> &Path {
        let key = key_of(from, to);
        let slot = match self.places(key).find(|&slot| self.slots[slot].key == key) {
            Some(slot) => slot,
            None => self.enter(key, find()),
        };
        &self.slots[slot].path
    }

    /// Brings the path between two hosts near, if it is at hand.
    #[inline]
    pub(crate) fn fetch(&self, from: HostId, to: HostId) {
        let home = self.home(key_of(from, to));
        fetch(&self.slots[home]);
    }

    fn enter(&mut self, key: u64, path: Path) -> usize {
        if 2 * self.held > self.slots.len() && self.slots.len() < MOST_SLOTS {
            self.grow();
        }
        let free = self.places(key).find(|&slot| self.slots[slot].key == NOBODY);
        self.held += usize::from(free.is_some());
        let slot = free.unwrap_or(self.home(key));
        self.slots[slot] = Slot { key, path };
        slot
    }

    fn grow(&mut self) {
        let larger = empty_slots((4 * self.slots.len()).min(MOST_SLOTS));
        let old = std::mem::replace(&mut self.slots, larger);
        self.held = 0;
        for Slot { key, path } in old.into_iter().filter(|slot| slot.key != NOBODY) {
            self.enter(key, path);
        }
    }

    /// The places where a route may be.
    fn places(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let (home, mask) = (self.home(key), self.slots.len() - 1);
        (0..PROBES).map(move |distance| (home + distance) & mask)
    }

    /// Neighbouring hosts have neighbouring numbers, so all bits are mixed.
    fn home(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency_of(cache: &mut RouteCache, from: u32, to: u32) -> f64 {
        let latency = f64::from(from) * 1e6 + f64::from(to);
        cache.get_or(HostId(from), HostId(to), || Path { latency, ..Path::default() }).latency
    }

    #[test]
    fn routes_are_found_again_while_the_table_grows() {
        let mut cache = RouteCache::new();
        let pairs = || (0..100).flat_map(|from| (0..100).map(move |to| (from, to)));
        for _ in 0..2 {
            for (from, to) in pairs() {
                assert_eq!(latency_of(&mut cache, from, to), f64::from(from) * 1e6 + f64::from(to));
            }
        }
        assert!(
            cache.held > 9_900 && cache.slots.len() == 1 << 16,
            "{} of {}",
            cache.held,
            cache.slots.len()
        );
    }

    #[test]
    fn a_route_that_is_held_is_not_computed_again() {
        let mut cache = RouteCache::new();
        latency_of(&mut cache, 1, 2);
        cache.get_or(HostId(1), HostId(2), || unreachable!("it is held"));
    }
}
