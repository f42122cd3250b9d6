//! No balancing: every rank stays where it is.

use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Moves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBalancer;

impl Balancer for NoBalancer {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        Ok(snapshot.current())
    }

    fn moves_ranks(&self) -> bool {
        false
    }
}
