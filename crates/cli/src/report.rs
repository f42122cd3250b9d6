//! `mpirage report`: writes a page about saved runs.

use std::path::Path;

use anyhow::{Context, anyhow};
use mpirage_simulation::reporting;

use crate::arguments::{JsonArgument, ReplayArguments, ReportArguments, ResultArguments};
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::output;
use crate::results::JsonOutput;
use crate::{replay, results};

/// Bytes of the largest page that is read.
const LONGEST_PAGE: u64 = 4 << 30;

/// The page if the user names none.
const DEFAULT_PAGE: &str = "report.html";

/// Writes a page about runs, or prints their figures.
pub fn command(arguments: &ReportArguments) -> Result<u8, Failure> {
    let page = match (&arguments.output, arguments.json.is_wanted()) {
        (None, true) => None,
        (output, _) => Some(output.as_deref().unwrap_or(Path::new(DEFAULT_PAGE))),
    };
    check_files(arguments, page)?;
    if arguments.name.len() > arguments.runs.len() {
        return Err(usage(anyhow!(
            "--name is given {} times, for {} runs",
            arguments.name.len(),
            arguments.runs.len()
        )));
    }
    let json = JsonOutput::open(&arguments.json)?;
    let file = page.map(|page| results::open_report("-o", page)).transpose()?;
    let runs = arguments.runs.iter().map(|run| data(arguments, run)).collect::<Result<Vec<_>, _>>()?;
    if let Some((file, page)) = file.zip(page) {
        reporting::write_several(file, &runs, &arguments.name)?;
        output::line(format_args!("{}", page.display()));
    }
    if arguments.json.is_wanted() {
        let figures = runs.iter().map(|run| mpirage_report::figures_of(run)).collect::<Result<Vec<_>, _>>();
        json.write(&figures.context("cannot read a report")?)?;
    }
    Ok(0)
}

/// Refuses outputs that would replace an input.
fn check_files(arguments: &ReportArguments, page: Option<&Path>) -> Result<(), Failure> {
    let mut files = Conflicts::default();
    arguments.runs.iter().for_each(|run| files.input("the run", Path::new(run)));
    arguments.machine.add_inputs(&mut files);
    page.into_iter().for_each(|page| files.output("-o", page));
    arguments.json.add_to(&mut files);
    files.check()
}

/// The data of a run, encoded for a page.
fn data(arguments: &ReportArguments, run: &str) -> Result<String, Failure> {
    if is_page(run) {
        let page = mpirage_files::read_text(Path::new(run), LONGEST_PAGE).map_err(usage)?;
        let data =
            mpirage_report::data_of(&page).ok_or_else(|| anyhow!("{run} is not a report of mpirage"))?;
        return Ok(data.to_owned());
    }
    let asked = ReplayArguments {
        repeat: None,
        machine: arguments.machine.clone(),
        results: ResultArguments {
            pcap: Vec::new(),
            pcap_snap: None,
            json: JsonArgument::default(),
            quiet: true,
            trace: Vec::new(),
            trace_collectives: arguments.trace_collectives.clone(),
            report: None,
            live: None,
            report_ideal: arguments.report_ideal.clone(),
        },
        compute: arguments.compute.clone(),
        host_speed: arguments.host_speed.clone(),
        workload: run.to_owned(),
    };
    let mut request = replay::request(&asked)?;
    request.outputs.report_data = true;
    let replayed = replay::replay(&asked, request)?;
    if replayed.figures.outcome == "interrupted" {
        return Err(Failure {
            code: replayed.code,
            error: anyhow!("the report would be of a part of {run} only"),
        });
    }
    results::report(&replayed.failures);
    for warning in &replayed.figures.warnings {
        output::warn(warning);
    }
    let report = replayed.report.ok_or_else(|| anyhow!("{run} gave no report"))?;
    reporting::embedded(&report)
}

fn is_page(run: &str) -> bool {
    Path::new(run).extension().is_some_and(|ending| ending == "html" || ending == "htm")
}
