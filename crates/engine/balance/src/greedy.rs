//! Charm++'s GreedyLB: the heaviest rank goes to the least loaded core, then the next.
//!
//! It does not look at where ranks are, so it moves nearly all of them, and its result is close to the best balance.

use crate::loads::{LeastLoaded, Loads};
use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Heaviest rank to least loaded core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Balancer for Greedy {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        Ok(greedy(snapshot))
    }
}

/// The mapping, for balancers that start from it.
pub(crate) fn greedy(snapshot: &Snapshot) -> Vec<CoreId> {
    let mut mapping = snapshot.current();
    let mut cores = LeastLoaded::new(&Loads::background(snapshot));
    for rank in snapshot.heaviest_first() {
        mapping[rank] = cores.take(|core| snapshot.seconds_on(rank, core));
    }
    mapping
}
