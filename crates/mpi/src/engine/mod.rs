//! The engine: carries out calls in simulated time.
//!
//! [`Engine`] is what drivers see. It carries out calls ([`perform`]) on the parts in [`core::Core`], and says whose turn it is.

mod checks;
mod compute;
pub(crate) mod core;
mod diagnosis;
mod fast_path;
mod graph;
mod messages;
mod perform;
mod polls;
mod processor;
mod release;
mod sampling;
mod schedules;
mod startup;
pub(crate) mod task;
mod wiring;

pub use compute::{Bursts, Costs};
pub use diagnosis::{BlockedRank, Leftover, Want};
pub use wiring::{Engine, Setup};
