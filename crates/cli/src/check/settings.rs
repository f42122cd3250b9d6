//! The environment and the options of the processes that are runs of a check.

use anyhow::Context;
use mpirage_simulation::check::CheckRun;

use crate::arguments::RunArguments;
use crate::exit::Failure;

/// The environment variables that make mpirage one of the runs: the file for its findings, and its settings.
pub const FILE_VARIABLE: &str = "MPIRAGE_CHECK_INTO";
pub const SETTINGS_VARIABLE: &str = "MPIRAGE_CHECK_SETTINGS";

/// The run that this process is, if the environment says so.
pub fn of_environment() -> Result<Option<CheckRun>, Failure> {
    let (Some(file), Ok(settings)) = (std::env::var_os(FILE_VARIABLE), std::env::var(SETTINGS_VARIABLE))
    else {
        return Ok(None);
    };
    let settings = serde_json::from_str(&settings).context("the settings of a check make no sense")?;
    Ok(Some(CheckRun { file: file.into(), settings }))
}

/// Options that are the same in all runs: computation takes no time, so that runs are deterministic.
pub fn prepare(arguments: &mut RunArguments) {
    arguments.compute = "none".to_owned();
    arguments.results.quiet = true;
}
