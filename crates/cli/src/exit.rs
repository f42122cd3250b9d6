//! Exit codes, and errors that carry one.

use anyhow::Error;

use crate::output;

/// The program is in a deadlock.
pub const DEADLOCK: u8 = 80;
/// MPI was used wrongly.
pub const MISUSE: u8 = 81;
/// A platform or model file is bad.
pub const BAD_PLATFORM: u8 = 82;
/// A trace, or a file of measurements, is bad.
pub const BAD_TRACE: u8 = 83;
/// The command line is wrong, this machine lacks something, or an output could not be written.
pub const USAGE: u8 = 84;

/// The network could not reach a host.
pub const UNREACHABLE: u8 = 85;

/// Simulated times are further from measured ones than the user allows.
pub const TOO_FAR: u8 = 86;

/// Cases of a study failed.
pub const CASES_FAILED: u8 = 87;

/// `mpirage check` found mistakes.
pub const FINDINGS: u8 = 88;

/// The reader of standard output is gone: the exit code of a shell for a program that SIGPIPE ended.
pub const BROKEN_PIPE: u8 = 141;

/// Why a command failed, and with what code it exits.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// The message.
    pub error: Error,
}

/// An error in the command line.
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

/// Measurements that cannot be used.
pub fn bad_measurements(error: impl std::fmt::Display) -> Failure {
    bad_trace(error)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { code: USAGE, error }
    }
}

/// Prints what clap has to say. Help and version succeed; everything else is an error in the command line.
pub fn from_clap(error: &clap::Error) -> Result<u8, Failure> {
    let printed = error.print();
    if error.use_stderr() {
        // The exit code says enough if standard error is gone.
        return Ok(USAGE);
    }
    output::written(printed).map(|()| 0)
}
