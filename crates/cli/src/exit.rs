//! Exit codes of commands.

pub use mpirage_simulation::failure::{BEHIND, BROKEN_PIPE, Failure, USAGE, bad_platform, bad_trace, usage};

/// Simulated times are further from measured ones than the user allows.
pub const TOO_FAR: u8 = 86;

/// Cases of a study failed.
pub const CASES_FAILED: u8 = 87;

/// `mpirage check` found mistakes.
pub const FINDINGS: u8 = 88;

/// Measurements that cannot be used.
pub fn bad_measurements(error: impl std::fmt::Display) -> Failure {
    bad_trace(error)
}
