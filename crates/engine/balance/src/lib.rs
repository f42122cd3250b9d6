//! Load balancers: which core computes for which rank.
//!
//! A [`Balancer`] sees a [`Snapshot`]: the load of every rank since the last decision, the core it is on, the size of its state, and
//! who has sent how much to whom. It answers with a core for every rank. It knows neither the simulated clock nor the network: the
//! engine decides when to ask, and what a decision and a migration cost.
//!
//! ```text
//! by_name ─► greedy, refine, … one file each;  executable: a program of the user, JSON in and JSON out
//!    │
//! Snapshot (validated) ─► Loads: the load of each core under a mapping
//! ```
//!
//! Most balancers are those of Charm++ (Kalé and Krishnan, 1993), as its manual and the papers about them describe them. Ties are broken by the lower number of the rank or
//! core, so that equal snapshots give equal mappings.

mod balancer;
mod by_name;
mod comm_aware;
mod distributed;
mod error;
mod executable;
mod greedy;
mod greedy_refine;
mod hierarchical;
mod hwtopo;
mod loads;
mod none;
mod nuco;
mod on_demand;
mod options;
mod random;
mod refine;
mod rotate;
mod snapshot;

pub use balancer::Balancer;
pub use by_name::{BALANCERS, Description, by_name};
pub use comm_aware::CommAware;
pub use distributed::Distributed;
pub use error::BalanceError;
pub use executable::Executable;
pub use greedy::Greedy;
pub use greedy_refine::GreedyRefine;
pub use hierarchical::Hierarchical;
pub use hwtopo::HwTopo;
pub use loads::Loads;
pub use none::NoBalancer;
pub use nuco::Nuco;
pub use on_demand::OnDemand;
pub use options::{ABOVE, BalancerOption};
pub use random::RandomCores;
pub use refine::Refine;
pub use rotate::Rotate;
pub use snapshot::{Core, CoreId, RankLoad, Snapshot, Traffic};
