//! `mpirage report`: writes a page about saved runs.

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::arguments::{ReplayArguments, ReportArguments, ResultArguments};
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::output;
use crate::output::say;
use crate::{replay, reporting, results};

/// Bytes of the largest page that is read.
const LONGEST_PAGE: u64 = 4 << 30;

/// Writes a page about one run or two.
pub fn command(arguments: &ReportArguments) -> Result<u8, Failure> {
    let mut files = Conflicts::default();
    arguments.runs.iter().for_each(|run| files.input("the run", Path::new(run)));
    arguments.machine.add_inputs(&mut files);
    files.output("-o", &arguments.output);
    files.check()?;
    let file = results::open_report("-o", &arguments.output)?;
    let runs = arguments.runs.iter().map(|run| data(arguments, run)).collect::<Result<Vec<_>, _>>()?;
    reporting::write(file, &runs)?;
    output::line(format_args!("{}", arguments.output.display()));
    Ok(0)
}

/// The data of a run, encoded for a page.
fn data(arguments: &ReportArguments, run: &str) -> Result<String, Failure> {
    if is_page(run) {
        let page = mpirage_input::read_text(Path::new(run), LONGEST_PAGE).map_err(usage)?;
        let data =
            mpirage_report::data_of(&page).ok_or_else(|| anyhow!("{run} is not a report of mpirage"))?;
        return Ok(data.to_owned());
    }
    let replayed = replay::replay(&ReplayArguments {
        repeat: None,
        machine: arguments.machine.clone(),
        results: ResultArguments {
            pcap: Vec::new(),
            pcap_snap: None,
            json: None,
            quiet: true,
            trace: Vec::new(),
            trace_collectives: "no".to_owned(),
            report: Some(PathBuf::new()),
            report_ideal: arguments.report_ideal.clone(),
        },
        compute: arguments.compute.clone(),
        host_speed: arguments.host_speed.clone(),
        workload: run.to_owned(),
    })?;
    for warning in &replayed.figures.warnings {
        say!("mpirage: warning: {warning}");
    }
    let report = replayed.report.ok_or_else(|| anyhow!("{run} gave no report"))?;
    reporting::embedded(&report)
}

fn is_page(run: &str) -> bool {
    Path::new(run).extension().is_some_and(|ending| ending == "html" || ending == "htm")
}
