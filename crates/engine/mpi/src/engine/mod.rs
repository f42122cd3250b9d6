//! The engine: carries out calls in simulated time.
//!
//! [`Engine`] is what drivers see. It says whose turn it is; [`calls::Calls`] carries out calls on the parts in
//! [`core::Core`].

mod activity;
mod advance;
mod bursts;
mod calls;
mod checks;
mod compute;
mod core;
mod diagnosis;
mod ends;
mod fast_path;
mod figures;
mod files;
mod graph;
mod latencies;
mod match_choices;
mod messages;
mod migrate;
mod names;
mod paced;
mod perform;
mod point_to_point;
mod polls;
mod prefetching;
mod processor;
mod progress;
mod quiet;
mod real_time;
mod release;
mod sampling;
mod schedules;
mod spawning;
mod starting;
mod startup;
mod task;
mod windows;
mod wiring;

pub use bursts::{Bursts, Costs};
pub use diagnosis::{BlockedRank, CommunicatorPurpose, Diagnosis, Leftover, OwnWork, Want, waiting_cycle};
pub use match_choices::MatchChoice;
pub use migrate::BalancingRefused;
pub use spawning::Spawned;
pub use wiring::{Counts, Engine, Setup};
