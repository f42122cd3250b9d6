//! The report of a run: collected during the run, written after it.
//!
//! The report compares the run with an ideal network, on which messages take no time. The engine keeps an ideal clock for each
//! rank; or, with `--report-ideal run`, a temporary file keeps all calls, which are then replayed on the ideal network.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Context;
use mpirage_files::OutputFile;
use mpirage_interpret::RunInfo;
use mpirage_mpi::Ending as RunEnding;
use mpirage_record::{Record, Recorder, Writer};
use mpirage_report::{Budget, Container, Ending, Report};
use mpirage_scenario::Model;
use mpirage_trace::{BinaryTrace, BinaryWriter, Computation, TraceRecorder};
use serde::Deserialize;
use tempfile::{Builder, NamedTempFile};

use crate::failure::{Failure, usage};
use crate::figures::Figures;
use crate::machine::Machine;
use crate::replay::Unwatched;
use crate::simulation::{Charged, Simulation};

/// With more calls than this there is no second run: it would take too long.
const MOST_CALLS: u64 = 20_000_000;

/// The report of the current run.
pub struct Reporting {
    report: Rc<RefCell<Report>>,
    ideal: Ideal,
}

/// How the time on an ideal network is found.
enum Ideal {
    /// Not at all.
    Unknown,
    /// By ideal clocks, which the engine keeps.
    Clocks,
    /// By replaying these calls.
    Run(Rc<RefCell<Calls>>),
}

/// Contents of the report besides the recorded events.
pub struct Closing<'a> {
    /// The figures.
    pub figures: &'a Figures,
    /// How the run ended, in words; `None` if it finished.
    pub outcome: Option<&'a str>,
    /// The blocked ranks, each with a description of what it waits for.
    pub waits: Vec<(u32, String)>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// Speed of the machine on which computation was measured.
    pub speed: f64,
    /// The computation that takes time.
    pub charged: Charged,
}

/// How a report finds the time on an ideal network, on which messages take no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdealTime {
    /// By ideal clocks during the run.
    #[default]
    Clocks,
    /// By a second run of the same calls.
    Run,
    /// Not at all.
    #[serde(rename = "no")]
    Unknown,
}

impl Reporting {
    /// An empty report.
    pub fn new(
        ideal: IdealTime,
        run: &RunInfo,
        machine: &Machine,
        computation: Computation,
    ) -> Result<Reporting, Failure> {
        let mut report = Report::new(run, Budget::default());
        if let Some(quiet) = machine.model.quiet_network_on(&machine.platform) {
            report = report.with_quiet_network(quiet);
        }
        let ideal = match ideal {
            IdealTime::Clocks => {
                report = report.with_ideal_clocks();
                Ideal::Clocks
            }
            IdealTime::Run => Ideal::Run(Rc::new(RefCell::new(Calls::new(run.ranks(), computation)?))),
            IdealTime::Unknown => Ideal::Unknown,
        };
        Ok(Reporting { report: Rc::new(RefCell::new(report)), ideal })
    }

    /// The recorder of the report.
    pub fn recorder(&self) -> Rc<RefCell<Report>> {
        Rc::clone(&self.report)
    }

    /// The recorder of calls, if they are replayed on an ideal network.
    pub fn calls(&self) -> Option<Rc<RefCell<dyn Recorder>>> {
        match &self.ideal {
            Ideal::Run(calls) => Some(Rc::clone(calls) as Rc<RefCell<dyn Recorder>>),
            Ideal::Unknown | Ideal::Clocks => None,
        }
    }

    /// Ends the report; gives the data of its page.
    pub fn finish(&self, machine: &Machine, closing: &Closing<'_>) -> Result<Container, Failure> {
        let figures = closing.figures;
        let mut warnings: Vec<(String, &'static str)> =
            figures.warnings.iter().map(|text| (text.clone(), "warning")).collect();
        warnings.extend(closing.notes.iter().map(|text| (text.clone(), "note")));
        let ideal_seconds = match self.ideal_seconds(machine, closing) {
            Ok(seconds) => Some(seconds),
            Err(why) => {
                let text = format!("the time on an ideal network is unknown: {why}");
                warnings.push((text, "note"));
                None
            }
        };
        let mut shown = serde_json::to_value(figures).context("cannot write JSON")?;
        if let Some(energy) = &figures.energy {
            shown["energy"]["power"]["by_host"] = energy.power.shown_by_host().into();
        }
        let ending = Ending {
            figures: shown,
            outcome: closing.outcome.unwrap_or("The run finished.").to_owned(),
            warnings,
            waits: closing.waits.clone(),
            ideal_seconds,
        };
        Ok(self.report.borrow_mut().finish(&ending))
    }

    /// Seconds on an ideal network, or why they are unknown.
    fn ideal_seconds(&self, machine: &Machine, closing: &Closing<'_>) -> Result<f64, String> {
        if closing.figures.outcome != "finished" {
            return Err("the run failed".to_owned());
        }
        match &self.ideal {
            Ideal::Unknown => Err("--report-ideal no".to_owned()),
            Ideal::Clocks => {
                self.report.borrow().ideal_seconds().ok_or_else(|| "no rank has ended".to_owned())
            }
            Ideal::Run(calls) => second_run(machine, closing, calls.borrow_mut().finish()?),
        }
    }
}

/// Replays the calls on an ideal network: its seconds, or why they are unknown.
fn second_run(machine: &Machine, closing: &Closing<'_>, file: NamedTempFile) -> Result<f64, String> {
    let mut trace = BinaryTrace::open(file.path()).map_err(|error| error.to_string())?;
    let ideal = machine.ideal();
    let simulation = Simulation::new(&ideal).computation(closing.charged, closing.speed);
    let replayed = simulation.replay(&mut trace, &mut Unwatched).map_err(|failure| failure.to_string())?;
    match replayed.ending {
        RunEnding::Finished => Ok(replayed.seconds()),
        _ => Err("messages matched differently there, and the run did not finish".to_owned()),
    }
}

/// Remarks about the machine for every report.
pub fn notes(machine: &Machine) -> Vec<String> {
    let Model { name, profile, profile_is_assumed, .. } = &machine.model;
    if name.contains('/') || name.contains('.') {
        return Vec::new();
    }
    match profile {
        None => vec![format!(
            "the model {name} has its default parameters, which are not calibrated for the simulated machine"
        )],
        Some(_) if *profile_is_assumed => {
            vec![
                "the MPI library is assumed from the cables and the program; another one sends messages in another way"
                    .to_owned(),
            ]
        }
        Some(_) => Vec::new(),
    }
}

/// Writes the page of one run.
pub fn write(file: OutputFile, run: &str) -> Result<(), Failure> {
    write_several(file, &[run.to_owned()], &[])
}

/// Writes the page of runs, the first of which have these names.
pub fn write_several(mut file: OutputFile, runs: &[String], names: &[String]) -> Result<(), Failure> {
    let name = file.path().display().to_string();
    let written = mpirage_report::write_page(runs, names, &mut file).and_then(|()| file.finish());
    Ok(written.with_context(|| format!("cannot write {name}"))?)
}

/// The data of a run, encoded for a page.
pub fn embedded(run: &Container) -> Result<String, Failure> {
    Ok(run.embedded().context("cannot compress the report")?)
}

/// The calls of a run, in a temporary file.
struct Calls {
    writer: Option<TraceRecorder<BinaryWriter>>,
    file: Option<NamedTempFile>,
    count: u64,
}

impl Calls {
    fn new(ranks: u32, computation: Computation) -> Result<Calls, Failure> {
        let file = Builder::new().prefix(".mpirage-").suffix(".partial").tempfile();
        let file = file.context("cannot make a temporary file for the second run")?;
        let path: PathBuf = file.path().to_owned();
        let writer = BinaryWriter::create(&path, ranks, computation).map_err(usage)?;
        Ok(Calls { writer: Some(TraceRecorder::new(writer)), file: Some(file), count: 0 })
    }

    fn finish(&mut self) -> Result<NamedTempFile, String> {
        let (Some(mut writer), Some(file)) = (self.writer.take(), self.file.take()) else {
            return Err(format!("the run has more than {MOST_CALLS} calls"));
        };
        writer.finish().map_err(|error| error.to_string())?;
        Ok(file)
    }
}

impl Recorder for Calls {
    fn record(&mut self, record: &Record<'_>) {
        self.count += u64::from(matches!(record, Record::Call { .. }));
        if self.count > MOST_CALLS {
            (self.writer, self.file) = (None, None);
        }
        if let Some(writer) = &mut self.writer {
            writer.record(record);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        if let Some(writer) = &mut self.writer {
            writer.thread(rank, thread);
        }
    }

    fn handed_over(&mut self, rank: u32) {
        if let Some(writer) = &mut self.writer {
            writer.handed_over(rank);
        }
    }

    fn woken(&mut self, rank: u32, thread: u32, by: u32) {
        if let Some(writer) = &mut self.writer {
            writer.woken(rank, thread, by);
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}
