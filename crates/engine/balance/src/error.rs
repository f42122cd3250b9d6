//! Why a balancer gives no mapping.

use std::time::Duration;

use mpirage_units::counted;
use thiserror::Error;

/// Why there is no mapping.
#[derive(Debug, Error)]
pub enum BalanceError {
    /// There is no balancer of this name.
    #[error("there is no balancer {0}")]
    Unknown(String),
    /// An option of a balancer is wrong.
    #[error("{text}: {problem}")]
    Option {
        /// What the user typed.
        text: String,
        /// The mistake.
        problem: String,
    },
    /// A snapshot contradicts itself.
    #[error("bad snapshot: {0}")]
    BadSnapshot(String),
    /// The mapping is for another number of ranks.
    #[error("the balancer maps {}, but the snapshot has {ranks}", counted(*mapped, "rank"))]
    WrongLength {
        /// Ranks in the mapping.
        mapped: usize,
        /// Ranks in the snapshot.
        ranks: usize,
    },
    /// The mapping names a core that does not exist.
    #[error("the balancer maps rank {rank} to core {core}, but the machine has {}, from 0", counted(*cores, "core"))]
    NoSuchCore {
        /// The rank.
        rank: usize,
        /// The core in the mapping.
        core: u32,
        /// Cores in the snapshot.
        cores: usize,
    },
    /// The executable could not be started, written to or read from.
    #[error("balancer {program}: {source}")]
    System {
        /// Its file.
        program: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The executable takes too long.
    #[error("balancer {program} gave no answer within {limit:?}")]
    TimedOut {
        /// Its file.
        program: String,
        /// How long it may take.
        limit: Duration,
    },
    /// The executable failed.
    #[error("balancer {program} failed ({status}): {message}")]
    Failed {
        /// Its file.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// The last line that it wrote to standard error.
        message: String,
    },
    /// The executable's answer is not the JSON that is expected.
    #[error(
        "balancer {program} answered with something else than {{\"mapping\": [core of rank 0, …]}}: {problem}"
    )]
    BadAnswer {
        /// Its file.
        program: String,
        /// The problem.
        problem: String,
    },
}
