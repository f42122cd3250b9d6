//! `mpirage check`: runs a program with all checks, under several settings, and reports mistakes.
//!
//! Each run is another mpirage process with the same arguments; the environment says what is different in it
//! ([`settings::Settings`]). The runs:
//!
//! | run | finds |
//! |---|---|
//! | the default settings | types, collectives, buffers, leaks, windows, invalid arguments |
//! | no eager sends | sends that rely on buffers of the MPI library |
//! | all sends eager | mistakes behind a send that would wait |
//! | disturbed messages | mistakes that depend on the order of messages |
//! | other messages for wildcard receives | mistakes that depend on which message came first |

mod explore;
mod settings;
mod single;

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches};
use mpirage_check::{Report, sarif, text};
use mpirage_simulation::Purpose;

use crate::arguments::{CheckArguments, CheckFormat};
use crate::exit::{self, Failure, usage};
use crate::help;
use crate::launcher;
use crate::output;
use crate::results;
use crate::run::Planned;

use explore::Exploration;

/// Parses the arguments of `check`, runs the program and reports.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let definition = help::with_all(CheckArguments::command());
    let mut jobs = Vec::new();
    for words in launcher::translate(typed, &definition) {
        let parsed = definition.clone().display_name("mpirage").try_get_matches_from(words);
        match parsed.and_then(|matches| CheckArguments::from_arg_matches(&matches)) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return help::answer(&error, definition, typed),
        }
    }
    let Some(first) = jobs.first().cloned() else { return Err(usage("no program given")) };
    let mut runs: Vec<_> = jobs.into_iter().map(|job| job.run).collect();
    if let Some(run) = settings::of_environment()? {
        runs.iter_mut().for_each(settings::prepare);
        let Planned { run: checked, arguments } = Planned::new(runs, typed, Purpose::Checked)?;
        return Planned { run: checked.checked(run), arguments }.carry_out();
    }
    refuse(&first)?;
    let file = first.output.as_deref().map(results::open).transpose()?;
    let report = Exploration::new(typed, &first)?.run()?;
    let shown = match first.format {
        CheckFormat::Text => text(&report),
        CheckFormat::Json => json(&serde_json::to_value(&report).context("cannot write JSON")?)?,
        CheckFormat::Sarif => json(&sarif(&report, env!("CARGO_PKG_VERSION")))?,
    };
    match file {
        None => output::try_line(shown.trim_end())?,
        Some(mut file) => {
            let name = file.path().display().to_string();
            let written = file.write_all(shown.as_bytes()).and_then(|()| file.finish());
            written.with_context(|| format!("cannot write {name}"))?;
        }
    }
    Ok(exit_code(&report))
}

fn json(value: &serde_json::Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).context("cannot write JSON")?;
    Ok(format!("{text}\n"))
}

fn exit_code(report: &Report) -> u8 {
    if report.has_mistakes() { exit::FINDINGS } else { 0 }
}

/// Refuses options of `run` that have no effect here.
fn refuse(arguments: &CheckArguments) -> Result<(), Failure> {
    let results = &arguments.run.results;
    let given = [
        ("--json", results.json.is_wanted()),
        ("--trace", !results.trace.is_empty()),
        ("--report", results.report.is_some()),
        ("--live", results.live.is_some()),
        ("--pcap", !results.pcap.is_empty()),
        ("--repeat", arguments.run.repeat.is_some()),
        ("--share-malloc", arguments.run.share_malloc.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(usage(format!(
            "{option}: `mpirage check` reports mistakes only; use `mpirage run`, or --format and --output"
        ))),
        None => Ok(()),
    }
}
