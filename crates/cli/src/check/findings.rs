//! The end of one run of a check: writes what it found for the process that started it.

use std::path::Path;

use anyhow::Context;
use mpirage_call::RankId;
use mpirage_check::{Checker, Decided};
use mpirage_mpi::{Ending, Memory};
use mpirage_rank::Outcome;
use mpirage_simulation::{Diagnosis, Places};

use super::settings::{CheckRun, Choice, Settings};
use super::single::{Alternative, Told};
use crate::exit::Failure;

/// Writes the findings of a run.
pub fn save<M: Memory, P: Places>(
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
