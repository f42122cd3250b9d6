//! The interface of all balancers.

use crate::error::BalanceError;
use crate::loads::Loads;
use crate::snapshot::{CoreId, Snapshot};

/// Decides which core computes for which rank.
pub trait Balancer: Send {
    /// The core of each rank from now on.
    fn map(&mut self, snapshot: &Snapshot) -> Result<Vec<CoreId>, BalanceError>;

    /// Do these loads of cores call for a decision? If not, none is made, and it costs nothing.
    fn is_needed(&self, loads: &Loads) -> bool {
        let _ = loads;
        true
    }

    /// Does it ever move a rank? If not, ranks need not stop for its decisions.
    fn moves_ranks(&self) -> bool {
        true
    }

    /// Does it look at who communicates with whom? If not, snapshots need no traffic.
    fn wants_traffic(&self) -> bool {
        false
    }
}
