//! One run of a check: its settings, and its findings, which it writes for the process that started it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use mpirage_call::RankId;
use mpirage_check::{Checker, CodePlace, Decided, Finding};
use mpirage_mpi::{Ending, MatchChoice, Memory, Noise};
use mpirage_rank::Outcome;
use mpirage_units::Duration;
use serde::{Deserialize, Serialize};

use crate::diagnosis::{Diagnosis, Places};
use crate::failure::Failure;
use crate::machine::Machine;

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

impl Settings {
    /// Changes a machine as the settings say.
    pub(crate) fn apply(&self, machine: &mut Machine) {
        let protocol = &mut machine.model.protocol;
        match self.eager {
            Eager::Default => {}
            Eager::Never => protocol.eager_limit = 0,
            Eager::Always => protocol.eager_limit = u64::MAX,
        }
        if let Some(seed) = self.disturbed {
            protocol.noise = Noise {
                message: DISTURBANCE,
                start: LATE_START,
                seed,
                computation: protocol.noise.computation,
            };
        }
    }
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
    pub(crate) fn choices(&self) -> Vec<MatchChoice> {
        let choice = |&Choice { rank, wildcard, source }: &Choice| MatchChoice { rank, wildcard, source };
        self.settings.choices.iter().map(choice).collect()
    }
}

/// Another message that a wildcard receive could have got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// The choice that gives it that message.
    pub choice: Choice,
    /// Choices for earlier receives that wait beside it, without which one of them would take the message.
    pub beside: Vec<Choice>,
    /// The rank of `MPI_COMM_WORLD` whose message it got.
    pub got: u32,
    /// The rank whose message it could have got.
    pub other: u32,
    /// The MPI function.
    pub call: String,
    /// Where it was called.
    pub place: Option<CodePlace>,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its findings.
    pub findings: Vec<Finding>,
    /// Other messages that wildcard receives could have got.
    pub alternatives: Vec<Alternative>,
    /// True if it ended in a deadlock in which a rank waits for the receive of its own send.
    pub waits_in_send: bool,
    /// A chosen message could not be had, so nothing follows from the run.
    pub impossible: bool,
}

/// Writes the findings of a run.
pub(crate) fn save<M: Memory, P: Places>(
    CheckRun { file, settings: Settings { choices, .. } }: &CheckRun,
    diagnosis: &mut Diagnosis<'_, M, P>,
    outcome: &Outcome,
    checker: &Checker,
) -> Result<(), Failure> {
    let decided: Vec<Decided> =
        choices.iter().map(|choice| Decided { rank: choice.rank, wildcard: choice.wildcard }).collect();
    let complete = |rank, request| diagnosis.engine().diagnosis().is_complete(RankId::new(rank), request);
    if !checker.is_possible(&decided, complete) {
        return write(file, &Told { impossible: true, ..Told::default() });
    }
    let known = matches!(outcome, Outcome::Finished { .. } | Outcome::Ended(Ending::Deadlock));
    let alternatives = if known { checker.alternatives(&decided) } else { Vec::new() };
    let findings = diagnosis.findings(outcome, checker.findings(), &alternatives);
    let waits_in_send = matches!(outcome, Outcome::Ended(Ending::Deadlock)) && diagnosis.waits_in_send();
    let choice = |rank, (wildcard, source)| Choice { rank, wildcard, source };
    let alternatives = alternatives
        .into_iter()
        .map(|one| Alternative {
            choice: choice(one.rank, (one.wildcard, one.source)),
            beside: one.beside.iter().map(|&beside| choice(one.rank, beside)).collect(),
            got: one.got,
            other: one.other,
            call: one.call.name().to_owned(),
            place: diagnosis.place_of(one.rank, one.call),
        })
        .collect();
    write(file, &Told { findings, alternatives, waits_in_send, impossible: false })
}

fn write(file: &Path, told: &Told) -> Result<(), Failure> {
    let told = serde_json::to_string(told).context("cannot write JSON")?;
    std::fs::write(file, told).context("cannot write findings")?;
    Ok(())
}
