//! Consumers of the records of a run: the summary, trace files and the report.

use std::cell::{Ref, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use mpirage_files::OutputFile;
use mpirage_interpret::{RunInfo, Sites};
use mpirage_record::{Record, Recorder, Summary, Writer};
use mpirage_report::Container;
use mpirage_trace::{Computation, TraceRecorder, TraceWriter};
use rustc_hash::FxHashMap;

use crate::energy::CallTimes;
use crate::failure::{Failure, usage};
use crate::figures::Figures;
use crate::live::{Live, Onlooker};
use crate::machine::Machine;
use crate::outputs::{Failures, OutputRequest, open_report, scribe};
use crate::reporting::{self, Closing, Reporting};

/// Where the calls of a run come from.
pub struct Source<'a> {
    /// The program or trace, as the user named it.
    pub name: &'a str,
    /// Speed of the machine on which its computation was measured, in flops.
    pub speed: f64,
    /// True if neither bursts nor the work inside MPI take time.
    pub free: bool,
    /// How computation is charged, in words.
    pub compute: &'a str,
    /// Its source lines, if they are known.
    pub lines: Option<Rc<dyn Sites>>,
}

impl Source<'_> {
    /// How its computation was charged, for traces.
    pub fn computation(&self) -> Computation {
        Computation { measured_on: (!self.free).then_some(self.speed), free: self.free }
    }

    /// The same for traces whose computation is work: measured computation becomes the work that takes as long on the host of rank 0.
    fn computation_as_work(&self, machine: &Machine) -> Computation {
        let speed = machine.first_slowdown(self.speed) * machine.first_flops();
        Computation { measured_on: (!self.free).then_some(speed), free: self.free }
    }
}

/// All consumers of the records of a run.
pub struct Recordings {
    summary: Rc<RefCell<Summary>>,
    writers: Vec<Rc<RefCell<dyn Writer>>>,
    report: Option<Reporting>,
    page: Option<OutputFile>,
    live: Option<Arc<Live>>,
    /// Time in calls, if hosts have power.
    call_times: Option<Rc<RefCell<CallTimes>>>,
}

impl Recordings {
    /// Opens a writer for each file, whose format follows from its ending, and the report if the user asks for one.
    pub fn create(
        wanted: &OutputRequest,
        source: &Source<'_>,
        machine: &Machine,
    ) -> Result<Recordings, Failure> {
        let run = RunInfo { collective_messages: wanted.trace_collectives, ..run_info(source, machine) };
        let writers =
            wanted.trace.iter().map(|file| writer(file, source, machine, &run)).collect::<Result<_, _>>()?;
        let page = wanted.report.as_deref().map(|page| open_report("--report", page)).transpose()?;
        let report = match wanted.has_report() {
            true => Some(Reporting::new(wanted.report_ideal, &run, machine, source.computation())?),
            false => None,
        };
        let live = wanted.live.clone();
        let call_times = machine.platform.power().has_hosts().then(Rc::default);
        Ok(Recordings { summary: Rc::default(), writers, report, page, live, call_times })
    }

    /// The recorder for the engine. The common cases, a summary with or without a report, need no dynamic dispatch.
    pub fn recorder(&self) -> Box<dyn Recorder> {
        let summary = Rc::clone(&self.summary);
        let mut others: Vec<Box<dyn Recorder>> =
            self.writers.iter().map(|writer| Box::new(Rc::clone(writer)) as Box<dyn Recorder>).collect();
        if let Some(calls) = self.report.as_ref().and_then(Reporting::calls) {
            others.push(Box::new(calls));
        }
        others.extend(self.call_times.iter().map(|times| Box::new(Rc::clone(times)) as Box<dyn Recorder>));
        match (self.report.as_ref().map(Reporting::recorder), others.is_empty()) {
            (None, true) => Box::new(summary),
            (None, false) => Box::new((summary, others)),
            (Some(report), true) => Box::new((summary, report)),
            (Some(report), false) => Box::new((summary, (report, others))),
        }
    }

    /// The figures so far.
    pub fn summary(&self) -> Ref<'_, Summary> {
        self.summary.borrow()
    }

    /// The one who shows the run while it goes on, if anybody wants that; `known` is what is known from the start.
    pub(crate) fn onlooker(&self, started: Instant, known: impl FnOnce() -> Figures) -> Option<Onlooker> {
        let (live, report) = self.live.as_ref().zip(self.report.as_ref())?;
        Some(Onlooker {
            live: Arc::clone(live),
            report: report.recorder(),
            summary: Rc::clone(&self.summary),
            known: known(),
            started,
            next: started,
        })
    }

    /// Adds what only the recorders know to the figures.
    pub fn complete(&self, figures: &mut Figures, machine: &Machine) {
        if let (Some(energy), Some(times)) = (&mut figures.energy, &self.call_times) {
            energy.add_waiting(&times.borrow(), machine);
        }
    }

    /// Writes the report, if there is one. Gives its data if no page is wanted.
    pub fn report(&mut self, machine: &Machine, closing: &Closing<'_>) -> Result<Option<Container>, Failure> {
        let Some(report) = &self.report else { return Ok(None) };
        let data = report.finish(machine, closing)?;
        if let Some(live) = &self.live {
            live.show(data.clone(), None);
        }
        let Some(page) = self.page.take() else { return Ok(Some(data)) };
        reporting::write(page, &reporting::embedded(&data)?)?;
        Ok(None)
    }

    /// Completes all files, even if one fails. Gives what the reader of a trace should know.
    pub fn finish(&mut self, failures: &mut Failures) -> Vec<String> {
        let mut remarks = Vec::new();
        for writer in &self.writers {
            let mut writer = writer.borrow_mut();
            let finished = writer.finish().map_err(|error| usage(format!("cannot write {error}")));
            if failures.note(finished).is_some() {
                remarks.extend(writer.warnings().iter().map(|warning| format!("in the trace, {warning}")));
            }
        }
        remarks
    }
}

fn writer(
    file: &Path,
    source: &Source<'_>,
    machine: &Machine,
    run: &RunInfo,
) -> Result<Rc<RefCell<dyn Writer>>, Failure> {
    let protocol = &machine.model.protocol;
    let local_work =
        [protocol.reduce_seconds_per_byte, protocol.copy_seconds_per_byte, protocol.copy_seconds_per_block];
    let computation = match file.extension().is_some_and(|ending| ending == "mpirage") {
        true => source.computation(),
        false => source.computation_as_work(machine),
    };
    if let Some(scribe) = scribe(file, machine.ranks() as u32, computation, local_work) {
        let calls = TraceRecorder::new(scribe.map_err(usage)?);
        let saved = Saved { calls, lines: source.lines.clone() };
        return Ok(Rc::new(RefCell::new(saved)));
    }
    let writer = mpirage_timeline::create(file, run).map_err(usage)?;
    Ok(Rc::new(RefCell::new(writer)))
}

/// The facts about a run that recorders get at its start.
pub fn run_info(source: &Source<'_>, machine: &Machine) -> RunInfo {
    RunInfo {
        program: source.name.to_owned(),
        platform: Arc::clone(&machine.platform),
        placement: machine.placement.hosts.as_slice().into(),
        measured_on: source.speed,
        facts: vec![
            ("model".to_owned(), machine.model.name.clone()),
            ("computation".to_owned(), source.compute.to_owned()),
        ],
        sites: source.lines.clone(),
        collective_messages: false,
    }
}

/// A trace without times, with the source lines of its calls.
struct Saved {
    calls: TraceRecorder<Box<dyn TraceWriter>>,
    lines: Option<Rc<dyn Sites>>,
}

impl Recorder for Saved {
    fn record(&mut self, record: &Record<'_>) {
        self.calls.record(record);
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        self.calls.thread(rank, thread);
    }

    fn handed_over(&mut self, rank: u32) {
        self.calls.handed_over(rank);
    }

    fn woken(&mut self, rank: u32, thread: u32, by: u32) {
        self.calls.woken(rank, thread, by);
    }

    fn wants_arguments(&self) -> bool {
        self.calls.wants_arguments()
    }
}

impl Writer for Saved {
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(lines) = &self.lines {
            let mut known: FxHashMap<u64, Option<String>> = FxHashMap::default();
            // Traces store `halo.c:12`, without ` in main`.
            let line =
                |key| lines.name(key).map(|name| name.split(" in ").next().unwrap_or_default().to_owned());
            self.calls.writer().name_sites(&mut |site| {
                let key = lines.key(0, site);
                known.entry(key).or_insert_with(|| line(key)).clone()
            });
        }
        self.calls.finish()
    }

    fn warnings(&self) -> Vec<String> {
        self.calls.warnings()
    }
}
