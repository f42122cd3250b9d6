//! Routes that were used lately, in a table.
//!
//! Routes are computed when needed; programs use the same few again and again. The table grows with the routes in
//! use up to a limit that does not depend on the square of the hosts; beyond it, new routes drive out old ones.

use mpirage_fair::Footprint;
use mpirage_platform::LinkId;

const FIRST_SETS: usize = 1 << 7;
const MOST_SETS: usize = 1 << 16;
/// A route is in one of so many places, whose keys share a cache line.
const PLACES: usize = 8;
const EMPTY: u64 = u64::MAX;

/// A route as the flow model needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Seconds, before any factor.
    pub latency: f64,
    /// Its links, where the model asks for them one by one.
    pub route: Vec<LinkId>,
    /// Seconds that a byte takes on all links but the slowest.
    pub forwarding: f64,
    /// A message's demands on the links.
    pub footprint: Footprint,
}

/// A table of paths by pair of interfaces.
pub(crate) struct RouteCache {
    /// The pair of interfaces of each path.
    sets: Vec<Keys>,
    paths: Vec<Path>,
    held: usize,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Keys([u64; PLACES]);

impl RouteCache {
    pub(crate) fn new() -> RouteCache {
        RouteCache { sets: Vec::new(), paths: Vec::new(), held: 0 }
    }

    /// The place of the path between two interfaces, if the table has it.
    pub(crate) fn find(&self, ends: [u32; 2]) -> Option<usize> {
        let key = key_of(ends);
        let set = self.set_of(key);
        let way = self.sets.get(set)?.0.iter().position(|&known| known == key)?;
        Some(set * PLACES + way)
    }

    /// The path at a place.
    pub(crate) fn path(&self, place: usize) -> &Path {
        &self.paths[place]
    }

    /// Puts the path between two interfaces into the table and returns its place.
    pub(crate) fn enter(&mut self, ends: [u32; 2], path: Path) -> usize {
        if 2 * self.held >= self.paths.len() && self.sets.len() < MOST_SETS {
            self.grow();
        }
        self.put(key_of(ends), path)
    }

    fn put(&mut self, key: u64, path: Path) -> usize {
        let set = self.set_of(key);
        let keys = &mut self.sets[set].0;
        let free = keys.iter().position(|&known| known == EMPTY);
        self.held += usize::from(free.is_some());
        let way = free.unwrap_or(mixed(key) as usize % PLACES);
        keys[way] = key;
        let place = set * PLACES + way;
        self.paths[place] = path;
        place
    }

    fn grow(&mut self) {
        let sets = (4 * self.sets.len()).clamp(FIRST_SETS, MOST_SETS);
        let old_sets = std::mem::replace(&mut self.sets, vec![Keys([EMPTY; PLACES]); sets]);
        let mut paths = Vec::new();
        // Not by cloning, which takes longer.
        paths.resize_with(sets * PLACES, Path::default);
        let old_paths = std::mem::replace(&mut self.paths, paths);
        self.held = 0;
        let keys = old_sets.iter().flat_map(|set| set.0);
        for (key, path) in keys.zip(old_paths).filter(|(key, _)| *key != EMPTY) {
            self.put(key, path);
        }
    }

    fn set_of(&self, key: u64) -> usize {
        (mixed(key) >> 32) as usize & self.sets.len().wrapping_sub(1)
    }
}

fn key_of(ends: [u32; 2]) -> u64 {
    u64::from(ends[0]) << 32 | u64::from(ends[1])
}

/// Neighbouring hosts have neighbouring numbers, so all bits are mixed.
fn mixed(key: u64) -> u64 {
    let mixed = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency_of(cache: &mut RouteCache, from: u32, to: u32) -> f64 {
        let latency = f64::from(from) * 1e6 + f64::from(to);
        let place = cache.find([from, to]);
        let place = place.unwrap_or_else(|| cache.enter([from, to], Path { latency, ..Path::default() }));
        cache.path(place).latency
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
            cache.held > 9_900 && cache.paths.len() == 1 << 16,
            "{} of {}",
            cache.held,
            cache.paths.len()
        );
    }

    #[test]
    fn a_route_that_is_held_is_not_computed_again() {
        let mut cache = RouteCache::new();
        assert_eq!(cache.find([1, 2]), None);
        latency_of(&mut cache, 1, 2);
        assert!(cache.find([1, 2]).is_some() && cache.find([2, 1]).is_none());
    }
}
