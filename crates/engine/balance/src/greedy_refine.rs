//! Charm++'s GreedyRefineLB: as balanced as the greedy mapping, with fewer moves.
//!
//! The largest load of the greedy mapping is the limit. Ranks, the heaviest first, stay where they are if their core
//! remains within the limit; the others go to the least loaded core, and the limit rises if that exceeds it.

use crate::greedy::greedy;
use crate::loads::{Loads, OrderedLoad};
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Greedy, but ranks stay if they can.
#[derive(Clone, Copy, Debug)]
pub struct GreedyRefine {
    tolerance: f64,
}

impl Default for GreedyRefine {
    fn default() -> GreedyRefine {
        GreedyRefine { tolerance: 1.0 }
    }
}

impl GreedyRefine {
    /// The limit is so many times the largest load of the greedy mapping.
    pub fn with_tolerance(tolerance: f64) -> GreedyRefine {
        GreedyRefine { tolerance }
    }
}

impl Balancer for GreedyRefine {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let mut limit = self.tolerance * Loads::of(snapshot, &greedy(snapshot)).max();
        let mut mapping = snapshot.current();
        let mut loads = Loads::background(snapshot);
        for rank in snapshot.heaviest_first() {
            let seconds = snapshot.seconds_on(rank, mapping[rank]);
            if loads.get(mapping[rank]) + seconds > limit {
                mapping[rank] = least_loaded(&loads);
            }
            loads.add(mapping[rank], snapshot.seconds_on(rank, mapping[rank]));
            limit = limit.max(loads.get(mapping[rank]));
        }
        Ok(mapping)
    }
}

fn least_loaded(loads: &Loads) -> CoreId {
    loads.cores().min_by_key(|&core| OrderedLoad(loads.get(core))).expect("a snapshot has a core")
}
