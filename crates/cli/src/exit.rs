//! Exit codes of commands.

pub use mpirage_simulation::failure::{BROKEN_PIPE, Failure, USAGE, bad_platform, bad_trace, usage};

use clap::CommandFactory;

use crate::arguments::Line;
use crate::output;

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

/// Prints the help of a command that clap does not parse.
pub fn help_of(command: &str, long: bool) -> Result<u8, Failure> {
    let mut all = Line::command().bin_name("mpirage");
    all.build();
    let command = all.find_subcommand_mut(command).expect("it is a command of mpirage");
    output::written(if long { command.print_long_help() } else { command.print_help() }).map(|()| 0)
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
