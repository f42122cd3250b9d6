//! Charm++'s RotateLB: every rank moves to the next core. A test of what migration costs, not of balance.

use crate::{BalanceError, Balancer, CoreId, Snapshot};

/// Everything moves on by one core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rotate;

impl Balancer for Rotate {
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError> {
        let cores = snapshot.cores().len() as u32;
        Ok(snapshot.ranks().iter().map(|rank| CoreId((rank.core.0 + 1) % cores)).collect())
    }
}
