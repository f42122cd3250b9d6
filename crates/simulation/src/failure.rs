//! Why a simulation could not start or finish, with the exit code that the documentation gives it.

use std::fmt;

use anyhow::Error;

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
/// The search for the time factor of an emulation found none that is enough.
pub const BEHIND: u8 = 89;
/// The reader of standard output is gone: the exit code of a shell for a program that SIGPIPE ended.
pub const BROKEN_PIPE: u8 = 141;

/// An error with its exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// The message.
    pub error: Error,
}

impl Failure {
    /// The same failure, with words about where it happened in front of its message.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> Failure {
        Failure { code: self.code, error: self.error.context(what.to_string()) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

impl std::error::Error for Failure {}

/// A request that cannot be met.
pub fn usage(error: impl fmt::Display) -> Failure {
    Failure { code: USAGE, error: anyhow::anyhow!("{error}") }
}

/// A platform or model that cannot be used.
pub fn bad_platform(error: impl fmt::Display) -> Failure {
    Failure { code: BAD_PLATFORM, error: anyhow::anyhow!("{error}") }
}

/// A trace that cannot be used.
pub fn bad_trace(error: impl fmt::Display) -> Failure {
    Failure { code: BAD_TRACE, error: anyhow::anyhow!("{error}") }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { code: USAGE, error }
    }
}
