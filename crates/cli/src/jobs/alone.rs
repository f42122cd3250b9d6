//! Runs each job alone first, on the hosts that it has beside the others: another mpirage process, which prints nothing.
//!
//! A program is measured in this run; beside the others its computation costs the same, so that only the machine makes the difference.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use mpirage_simulation::jobs::{Alone, Job, JobsPlan};
use mpirage_simulation::{Interrupt, costs};
use serde::Deserialize;

use crate::arguments::{JobsArguments, JsonArgument};
use crate::child;
use crate::exit::Failure;

/// This command.
const COMMAND: &str = "jobs";
/// The environment variable with the name of the job that runs alone.
const JOB: &str = "MPIRAGE_JOB_ALONE";
/// The environment variable with the folder for its result.
const FOLDER: &str = "MPIRAGE_JOB_FOLDER";
/// The environment variable with the speed of this machine, which is the same for all runs of programs.
const SPEED: &str = "MPIRAGE_JOB_SPEED";

/// The part of the result that is read again.
#[derive(Deserialize)]
struct Answer {
    jobs: Vec<Took>,
}

#[derive(Deserialize)]
struct Took {
    outcome: String,
    seconds: f64,
}

/// A run of one job alone, if the environment asks for one: the file for its costs.
pub fn apply_environment(arguments: &mut JobsArguments) -> Option<PathBuf> {
    let (name, folder) = (std::env::var(JOB).ok()?, PathBuf::from(std::env::var_os(FOLDER)?));
    arguments.host_speed = std::env::var(SPEED).ok().or(arguments.host_speed.take());
    arguments.json = JsonArgument::into_file(result_file(&folder, &name));
    arguments.only = Some(name.clone());
    // Its calls are those of the run that follows, which uses its costs.
    arguments.call_paths.call_paths = Some(arguments.call_paths.callers(arguments.report.is_some()));
    (arguments.report, arguments.quiet, arguments.no_alone) = (None, true, true);
    Some(costs_file(&folder, &name))
}

/// Runs all jobs of a plan alone, one after the other.
pub fn run(plan: &JobsPlan, speed: Option<f64>, interrupt: Interrupt) -> Result<Vec<Alone>, Failure> {
    let folder =
        tempfile::Builder::new().prefix("mpirage-").tempdir().context("cannot make a temporary folder")?;
    plan.jobs.iter().map(|job| run_one(job, folder.path(), speed, interrupt)).collect()
}

fn run_one(job: &Job, folder: &Path, speed: Option<f64>, interrupt: Interrupt) -> Result<Alone, Failure> {
    let typed: Vec<OsString> = std::env::args_os().skip_while(|word| word != COMMAND).skip(1).collect();
    let mut variables: Vec<(&str, OsString)> = vec![(JOB, (&job.name).into()), (FOLDER, folder.into())];
    // A trace knows how fast its machine was, or takes the same default as beside the others.
    let speed = speed.filter(|_| job.program.is_some());
    variables.extend(speed.map(|speed| (SPEED, speed.to_string().into())));
    let ended = child::run(COMMAND, &typed, &variables, interrupt)?;
    let failed = || anyhow!("job `{}`, which ran alone first, failed:\n{}", job.name, ended.said.trim_end());
    let text = std::fs::read_to_string(result_file(folder, &job.name))
        .map_err(|_| Failure { code: ended.code(), error: failed() })?;
    let answer: Answer = serde_json::from_str(&text).with_context(failed)?;
    let took = answer.jobs.first().with_context(failed)?;
    let seconds = (took.outcome == "finished").then_some(took.seconds);
    let costs = costs_file(folder, &job.name);
    let costs = costs.exists().then(|| costs::read(&costs, job.size() as usize)).transpose()?;
    Ok(Alone { seconds, costs })
}

fn result_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

fn costs_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.costs"))
}
