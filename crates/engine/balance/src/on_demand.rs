//! A balancer that is asked only if the load asks for it.

use crate::{BalanceError, Balancer, CoreId, Loads, Snapshot};

/// A balancer that holds a balancer.
pub struct OnDemand {
    inner: Box<dyn Balancer>,
    above: f64,
}

impl OnDemand {
    /// The inner balancer decides if the busiest core has more than `above` times the average load.
    pub fn new(inner: Box<dyn Balancer>, above: f64) -> OnDemand {
        OnDemand { inner, above }
    }
}

impl Balancer for OnDemand {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        self.inner.map(snapshot)
    }

    fn is_needed(&self, loads: &Loads) -> bool {
        loads.max() > self.above * loads.average() && self.inner.is_needed(loads)
    }

    fn moves_ranks(&self) -> bool {
        self.inner.moves_ranks()
    }

    fn wants_traffic(&self) -> bool {
        self.inner.wants_traffic()
    }
}
