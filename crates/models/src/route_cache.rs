//! Routes that were used lately, in a table.
//!
//! Routes are computed when needed; programs use the same few again and again. The table grows with the routes in
//! use up to a limit that does not depend on the square of the hosts; beyond it, new routes drive out old ones.

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
    /// The hosts of each path.
    keys: Vec<u64>,
    paths: Vec<Path>,
    held: usize,
}

impl RouteCache {
    pub(crate) fn new() -> RouteCache {
        RouteCache { keys: vec![NOBODY; FIRST_SLOTS], paths: vec![Path::default(); FIRST_SLOTS], held: 0 }
    }

    /// The path between two hosts, computed by `find` if it is not at hand.
    pub(crate) fn get_or(&mut self, from: HostId, to: HostId, find: impl FnOnce() -> Path) -> &Path {
        let key = u64::from(from.0) << 32 | u64::from(to.0);
        let slot = match self.slots(key).find(|&slot| self.keys[slot] == key) {
            Some(slot) => slot,
            None => self.enter(key, find()),
        };
        &self.paths[slot]
    }

    fn enter(&mut self, key: u64, path: Path) -> usize {
        if 2 * self.held > self.keys.len() && self.keys.len() < MOST_SLOTS {
            self.grow();
        }
        let free = self.slots(key).find(|&slot| self.keys[slot] == NOBODY);
        self.held += usize::from(free.is_some());
        let slot = free.unwrap_or(self.home(key));
        (self.keys[slot], self.paths[slot]) = (key, path);
        slot
    }

    fn grow(&mut self) {
        let slots = 2 * self.keys.len();
        let keys = std::mem::replace(&mut self.keys, vec![NOBODY; slots]);
        let paths = std::mem::replace(&mut self.paths, vec![Path::default(); slots]);
        self.held = 0;
        for (key, path) in keys.into_iter().zip(paths).filter(|(key, _)| *key != NOBODY) {
            self.enter(key, path);
        }
    }

    /// The places where a route may be.
    fn slots(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let (home, mask) = (self.home(key), self.keys.len() - 1);
        (0..PROBES).map(move |distance| (home + distance) & mask)
    }

    /// Neighbouring hosts have neighbouring numbers, so all bits are mixed.
    fn home(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as usize & (self.keys.len() - 1)
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
        assert!(cache.held > 9_900 && cache.keys.len() == 1 << 15, "{} of {}", cache.held, cache.keys.len());
    }

    #[test]
    fn a_route_that_is_held_is_not_computed_again() {
        let mut cache = RouteCache::new();
        latency_of(&mut cache, 1, 2);
        cache.get_or(HostId(1), HostId(2), || unreachable!("it is held"));
    }
}
