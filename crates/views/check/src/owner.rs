//! Loads and stores of the program that nothing has ordered before later accesses of other ranks.
//!
//! A rank tells its loads and stores before its next call. If that call may tell another rank that they have happened (a message, an
//! unlock), they count no longer: whatever is recorded from then on may come after them. If it is a barrier or a fence, they count until
//! all ranks have entered it, because no rank leaves it before. So order is never doubted, and some conflicts are not found.

use mpirage_call::ContextId;
use rustc_hash::FxHashMap;

use crate::access::Access;

/// Loads and stores of one rank that are kept.
const MOST: usize = 4096;

/// The loads and stores, and the barriers that not all ranks have entered.
#[derive(Debug, Default)]
pub(crate) struct Unordered {
    by_owner: FxHashMap<u32, Vec<(ContextId, Access)>>,
    /// By number: the ranks that have entered.
    barriers: FxHashMap<u64, Vec<u32>>,
}

impl Unordered {
    /// A rank has loaded or stored something in its window.
    pub(crate) fn add(&mut self, window: ContextId, access: Access) {
        let kept = self.by_owner.entry(access.origin).or_default();
        if kept.len() < MOST {
            kept.push((window, access));
        }
    }

    /// Loads and stores of a rank in a window.
    pub(crate) fn of(&self, owner: u32, window: ContextId) -> impl Iterator<Item = &Access> {
        let kept = self.by_owner.get(&owner).into_iter().flatten();
        kept.filter(move |(of, _)| *of == window).map(|(_, access)| access)
    }

    /// Other ranks may know now that a rank has done what it has done so far.
    pub(crate) fn release(&mut self, owner: u32) {
        self.by_owner.remove(&owner);
    }

    /// A rank enters a barrier of so many ranks.
    pub(crate) fn enter_barrier(&mut self, number: u64, rank: u32, size: u32) {
        let entered = self.barriers.entry(number).or_default();
        entered.push(rank);
        if entered.len() >= size as usize {
            for rank in self.barriers.remove(&number).unwrap_or_default() {
                self.release(rank);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Means;
    use crate::raw::CallSite;
    use mpirage_call::{AccessKind, WORLD};

    #[test]
    fn a_barrier_releases_when_all_have_entered() {
        let mut unordered = Unordered::default();
        let (origin, kind, call) = (1, AccessKind::Put, CallSite::default());
        let (stretches, means) = (vec![(0, 4)], Means::Program);
        let store = Access { origin, kind, call, request: None, epoch: 1, stretches, means };
        unordered.add(WORLD, store);
        unordered.enter_barrier(7, 1, 3);
        unordered.enter_barrier(7, 0, 3);
        assert_eq!(unordered.of(1, WORLD).count(), 1);
        unordered.enter_barrier(7, 2, 3);
        assert_eq!(unordered.of(1, WORLD).count(), 0);
        assert!(unordered.barriers.is_empty());
    }
}
