//! The end of one run of a check: writes what it found for the process that started it.

use anyhow::Context;
use mpirage_check::{Checker, Decided};
use mpirage_mpi::Memory;
use mpirage_rank::Outcome;

use super::settings::{CheckRun, Choice, Settings};
use super::single::{Alternative, Told};
use crate::diagnosis::{Diagnosis, Places};
use crate::exit::Failure;

/// Writes the findings of a run.
pub fn save<M: Memory, P: Places>(
    CheckRun { file, settings: Settings { choices, .. } }: &CheckRun,
    diagnosis: &mut Diagnosis<'_, M, P>,
    outcome: &Outcome,
    checker: &Checker,
) -> Result<(), Failure> {
    let findings = diagnosis.findings(outcome, checker.findings());
    let finished = matches!(outcome, Outcome::Finished { .. });
    let decided: Vec<Decided> =
        choices.iter().map(|choice| Decided { rank: choice.rank, wildcard: choice.wildcard }).collect();
    let alternatives = if finished { checker.alternatives(&decided) } else { Vec::new() };
    let alternatives = alternatives
        .into_iter()
        .map(|one| Alternative {
            choice: Choice { rank: one.rank, wildcard: one.wildcard, source: one.source },
            got: one.got,
            other: one.other,
            call: one.call.name().to_owned(),
            place: diagnosis.place_of(one.rank, one.call),
        })
        .collect();
    let told = serde_json::to_string(&Told { findings, alternatives }).context("cannot write JSON")?;
    std::fs::write(file, told).context("cannot write findings")?;
    Ok(())
}
