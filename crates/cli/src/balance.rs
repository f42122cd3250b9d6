//! `mpirage balance`: the same trace with several load balancers.

mod page;
mod show;
mod traced;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use mpirage_simulation::limits::{self, RankKind};
use mpirage_simulation::{CaseOutcome, Interrupt, Study};

use crate::arguments::BalanceArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, bad_trace, usage};
use crate::output;
use crate::results::{self, JsonOutput, write};
use crate::trace;
use show::Table;
use traced::TracedProgram;

/// Compares balancers.
pub fn command(arguments: &BalanceArguments) -> Result<u8, Failure> {
    let started = Instant::now();
    let interrupt = Interrupt::watch()?;
    let mut files = Conflicts::default();
    files.input("the trace", Path::new(&arguments.trace));
    let program = TracedProgram::of(arguments)?;
    if program.is_none() {
        let workload = mpirage_trace::open(&arguments.trace).map_err(bad_trace)?;
        limits::check_ranks(&arguments.trace, workload.ranks().into(), RankKind::Replayed)?;
        files.workload(workload.as_ref());
    }
    arguments.machine.add_inputs(&mut files);
    arguments.json.add_to(&mut files);
    arguments.report.iter().for_each(|file| files.output("--report", file));
    files.check()?;
    let json = JsonOutput::open(&arguments.json)?;
    let report =
        arguments.report.as_deref().map(|file| results::open_report("--report", file)).transpose()?;
    let results = studies(arguments, program.as_ref(), interrupt)?;
    let warnings = results.iter().flat_map(|(study, outcomes)| study.warnings(outcomes));
    // All process grids have the same machine and the same doubts.
    let warnings: BTreeSet<String> = warnings.collect();
    warnings.iter().for_each(output::warn);
    let table = Table { results: &results, seconds: started.elapsed().as_secs_f64() };
    if !arguments.quiet && !arguments.json.is_shown() {
        table.lines().iter().for_each(output::line);
    }
    json.write(&table.json())?;
    if let Some(file) = report {
        write(file, &format!("{}\n", page::page(&table)))?;
    }
    Ok(0)
}

/// The trace as it is, or one study for each process grid.
fn studies(
    arguments: &BalanceArguments,
    program: Option<&TracedProgram<'_>>,
    interrupt: Interrupt,
) -> Result<Vec<(Study, Vec<CaseOutcome>)>, Failure> {
    let traced = program.map(|program| program.fine(interrupt)).transpose()?;
    let trace = traced.map_or_else(|| arguments.trace.clone(), |file| file.to_string_lossy().into_owned());
    // For a program, the user's choice of computation holds for the traced run.
    let compute = arguments.compute.as_deref().filter(|_| program.is_none());
    let one = |trace: &str| {
        let study = Study::new(arguments.study(trace, compute))?;
        let outcomes = study.run(interrupt)?;
        Ok((study, outcomes))
    };
    if arguments.decompose.is_empty() {
        return Ok(vec![one(&trace)?]);
    }
    let Some(fine) = &arguments.grid else {
        return Err(usage("--decompose needs the process grid of the trace: --grid 16x16"));
    };
    let folder = tempfile::tempdir().context("cannot make a folder for aggregated traces")?;
    let aggregated = |coarse: &String| {
        let file = folder.path().join(format!("{coarse}.mpirage"));
        let calls = program.map(|program| program.coarse(coarse, interrupt));
        let calls = calls.transpose()?.map(|file| file.to_string_lossy().into_owned());
        trace::aggregate(&trace, &file, (fine, coarse), calls.as_deref(), interrupt)?;
        one(&file.to_string_lossy())
    };
    let itself = |coarse: &String| program.is_some() && coarse == fine;
    let study = |coarse: &String| if itself(coarse) { one(&trace) } else { aggregated(coarse) };
    arguments.decompose.iter().map(study).collect()
}
