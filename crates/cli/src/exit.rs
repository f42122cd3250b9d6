//! Exit codes, and errors that carry one.

use anyhow::Error;

use crate::output;

/// Ranks wait for each other.
pub const DEADLOCK: u8 = 80;
/// MPI was used wrongly.
pub const MISUSE: u8 = 81;
/// A platform or model file is bad.
pub const BAD_PLATFORM: u8 = 82;
/// A trace is bad.
pub const BAD_TRACE: u8 = 83;
/// The command line, or this machine, is not as it must be; or an output could not be written.
pub const USAGE: u8 = 84;

/// Nobody reads standard output any more: what a shell says of a program that SIGPIPE ended.
pub const BROKEN_PIPE: u8 = 141;

/// Why a command failed, and with what code it exits.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What to say.
    pub error: Error,
}

/// A mistake in what was typed.
pub fn usage(error: impl std::fmt::Display) -> Failure {
    Failure { code: USAGE, error: anyhow::anyhow!("{error}") }
}

/// A platform or model that cannot be used.
pub fn bad_platform(error: impl std::fmt::Display) -> Failure {
    Failure { code: BAD_PLATFORM, error: anyhow::anyhow!("{error}") }
}

/// A trace that cannot be used.
pub fn bad_trace(error: impl std::fmt::Display) -> Failure {
    Failure { code: BAD_TRACE, error: anyhow::anyhow!("{error}") }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { code: USAGE, error }
    }
}

/// Help and version are printed and succeed; anything else is a mistake in what was typed.
pub fn from_clap(error: &clap::Error) -> Result<u8, Failure> {
    let printed = error.print();
    if error.use_stderr() {
        // The exit code says enough if standard error is gone.
        return Ok(USAGE);
    }
    output::written(printed).map(|()| 0)
}
