//! `mpirage balance`: the same trace with several load balancers.

mod cases;
mod show;

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use mpirage_outfile::OutputFile;

use crate::arguments::{BalanceArguments, STANDARD_OUTPUT};
use crate::conflicts::Conflicts;
use crate::exit::{Failure, bad_trace};
use crate::interrupt::Interrupt;
use crate::limits::{self, RankKind};
use crate::output::{self, say};
use crate::{results, trace};
use cases::Study;
use show::Table;

/// Compares balancers.
pub fn command(arguments: &BalanceArguments) -> Result<u8, Failure> {
    let started = Instant::now();
    let interrupt = Interrupt::watch()?;
    let workload = mpirage_trace::open(&arguments.trace).map_err(bad_trace)?;
    limits::check_ranks(&arguments.trace, workload.ranks().into(), RankKind::Replayed)?;
    let mut files = Conflicts::default();
    files.input("the trace", Path::new(&arguments.trace));
    trace::add_files(&mut files, workload.as_ref());
    arguments.machine.add_inputs(&mut files);
    let file = arguments.json.as_deref().filter(|file| *file != Path::new(STANDARD_OUTPUT));
    file.into_iter().for_each(|file| files.output("--json", file));
    files.check()?;
    let file = file.map(results::open).transpose()?;
    let study = Study::new(arguments, workload.as_ref())?;
    let outcomes = study.run(&interrupt)?;
    study.warnings(&outcomes).iter().for_each(|warning| say!("mpirage: warning: {warning}"));
    let table = Table { study: &study, outcomes: &outcomes, seconds: started.elapsed().as_secs_f64() };
    if !arguments.quiet && arguments.json.as_deref() != Some(Path::new(STANDARD_OUTPUT)) {
        table.lines().iter().for_each(output::line);
    }
    match (file, &arguments.json) {
        (Some(file), _) => write(file, &table)?,
        (None, Some(_)) => output::try_line(table.json())?,
        (None, None) => {}
    }
    Ok(0)
}

fn write(mut file: OutputFile, table: &Table<'_>) -> Result<(), Failure> {
    let name = file.path().display().to_string();
    let written = writeln!(file, "{}", table.json()).and_then(|()| file.finish());
    Ok(written.with_context(|| format!("cannot write {name}"))?)
}
