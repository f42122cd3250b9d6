//! The settings that differ between the runs of a check.

use std::path::PathBuf;

use anyhow::Context;
use mpirage_mpi::{MatchChoice, Noise};
use mpirage_units::Duration;
use serde::{Deserialize, Serialize};

use crate::arguments::RunArguments;
use crate::exit::Failure;
use crate::plan::Plan;

/// The environment variables that make mpirage one of the runs: the file for its findings, and its settings.
pub const FILE_VARIABLE: &str = "MPIRAGE_CHECK_INTO";
pub const SETTINGS_VARIABLE: &str = "MPIRAGE_CHECK_SETTINGS";

/// The mean of what a message takes longer in a run with disturbed messages, in seconds: many times a latency.
const DISTURBANCE: f64 = 200e-6;
/// How late ranks start in such a run at the most.
const LATE_START: Duration = Duration::from_nanos(200_000);

/// When standard sends are eager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Eager {
    /// As the model says.
    #[default]
    Default,
    /// Never: each waits for its receive.
    Never,
    /// Always: none waits.
    Always,
}

/// Another source for a wildcard receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Choice {
    /// The rank that receives.
    pub rank: u32,
    /// The number of the wildcard receive, counted per rank.
    pub wildcard: u32,
    /// The source, as a rank of the communicator.
    pub source: u32,
}

/// The settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// When standard sends are eager.
    pub eager: Eager,
    /// The seed with which messages are disturbed.
    pub disturbed: Option<u64>,
    /// Sources of wildcard receives.
    pub choices: Vec<Choice>,
}

/// This process is one of the runs.
#[derive(Clone, Debug)]
pub struct CheckRun {
    /// The file for its findings.
    pub file: PathBuf,
    /// The settings that distinguish this run.
    pub settings: Settings,
}

impl CheckRun {
    /// Sources of wildcard receives, as the engine wants them.
    pub fn choices(&self) -> Vec<MatchChoice> {
        let choice = |&Choice { rank, wildcard, source }: &Choice| MatchChoice { rank, wildcard, source };
        self.settings.choices.iter().map(choice).collect()
    }
}

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

/// Changes the machine of a plan as the settings say.
pub fn apply(run: &CheckRun, plan: &mut Plan) {
    let protocol = &mut plan.machine.model.protocol;
    match run.settings.eager {
        Eager::Default => {}
        Eager::Never => protocol.eager_limit = 0,
        Eager::Always => protocol.eager_limit = u64::MAX,
    }
    if let Some(seed) = run.settings.disturbed {
        protocol.noise =
            Noise { message: DISTURBANCE, start: LATE_START, seed, computation: protocol.noise.computation };
    }
}
