//! One run of a check: another mpirage process, its findings and its output.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use mpirage_check::{CodePlace, Finding};
use mpirage_simulation::Interrupt;
use serde::{Deserialize, Serialize};

use super::settings::{Choice, FILE_VARIABLE, SETTINGS_VARIABLE, Settings};
use crate::child::{self, Limits};
use crate::exit::{self, Failure};

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

/// A run that has ended.
pub struct Ran {
    /// Its results; none if it was stopped because it took too long.
    pub told: Option<Told>,
    /// A hash of the program's output.
    pub output: u64,
}

/// Runs the program once.
pub fn run(
    typed: &[OsString],
    settings: &Settings,
    folder: &Path,
    limit: Duration,
    interrupt: Interrupt,
) -> Result<Ran, Failure> {
    let (findings, output) = (folder.join("findings.json"), folder.join("output"));
    let _ = std::fs::remove_file(&findings);
    let settings = serde_json::to_string(settings).context("cannot write settings")?;
    let variables =
        [(FILE_VARIABLE, findings.clone().into_os_string()), (SETTINGS_VARIABLE, settings.into())];
    let stdout = File::create(&output).context("cannot make a temporary file")?;
    let limits = Limits { seconds: limit, output: stdout.into() };
    let Some(ended) = child::run_limited("check", typed, &variables, interrupt, limits)? else {
        return Ok(Ran { told: None, output: 0 });
    };
    let Ok(text) = std::fs::read_to_string(&findings) else {
        // The run did not begin: the message says why.
        let said = ended.said.trim_end();
        let said = said.strip_prefix("mpirage: ").unwrap_or(said).to_owned();
        let code = if ended.code() == 0 { exit::USAGE } else { ended.code() };
        return Err(Failure { code, error: anyhow!(said) });
    };
    let told = serde_json::from_str(&text).context("a run wrote findings that make no sense")?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(&output).unwrap_or_default());
    Ok(Ran { told: Some(told), output: hasher.finish() })
}
