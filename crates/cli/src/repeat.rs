//! `--compute repeat:N`: runs the program N times to measure its bursts, and takes medians burst by burst.
//!
//! Each measuring run is another mpirage process with the same arguments. Only the final run, which uses the medians, prints and
//! writes files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use mpirage_simulation::{Interrupt, Measured, RunRequest, costs};

use crate::child;
use crate::exit::Failure;

/// The environment variable that makes mpirage a measuring run: the file for its costs.
const FILE_VARIABLE: &str = "MPIRAGE_MEASURE_INTO";
/// The environment variable with the speed of this machine, which is the same for all runs.
const SPEED_VARIABLE: &str = "MPIRAGE_MEASURE_SPEED";

/// Turns this run into a measuring run, which records into a file, if the environment says so. Then it is to print nothing.
pub fn apply_environment(request: &mut RunRequest) -> bool {
    let (Some(file), Some(speed)) = (std::env::var_os(FILE_VARIABLE), std::env::var(SPEED_VARIABLE).ok())
    else {
        return false;
    };
    request.compute = format!("recorded:{}", PathBuf::from(file).display());
    (request.host_speed, request.repeat) = (Some(speed), None);
    (request.outputs.trace, request.outputs.report) = (Vec::new(), None);
    true
}

/// Starts a command `runs` times with these arguments.
pub fn measure(
    command: &str,
    typed: &[OsString],
    runs: u32,
    ranks: usize,
    speed: f64,
) -> Result<Measured, Failure> {
    let interrupt = Interrupt::watch()?;
    let folder =
        tempfile::Builder::new().prefix("mpirage-").tempdir().context("cannot make a temporary folder")?;
    let mut measured = Vec::new();
    for run in 1..=runs {
        let file = folder.path().join(format!("{run}.costs"));
        measure_once(command, typed, &file, speed, interrupt, (run, runs))?;
        measured.push(
            costs::read(&file, ranks)
                .with_context(|| format!("run {run} of {runs} recorded no costs"))?
                .costs,
        );
    }
    Ok(Measured::of(&measured, speed)?)
}

fn measure_once(
    command: &str,
    typed: &[OsString],
    file: &Path,
    speed: f64,
    interrupt: Interrupt,
    (run, runs): (u32, u32),
) -> Result<(), Failure> {
    let variables = [(FILE_VARIABLE, file.into()), (SPEED_VARIABLE, speed.to_string().into())];
    let ended = child::run(command, typed, &variables, interrupt)?;
    if ended.succeeded() {
        return Ok(());
    }
    Err(Failure {
        code: ended.code(),
        error: anyhow!("run {run} of {runs}, which measures computation, failed:\n{}", ended.said.trim_end()),
    })
}
