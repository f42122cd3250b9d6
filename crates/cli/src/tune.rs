//! `mpirage tune`: the fastest methods of collectives on a simulated machine.

mod bench;
mod files;
mod page;
mod program;
mod show;
mod subject;

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bench::{SearchProgress, machine_of};
use files::{Files, Library};
use mpirage_call::{Algorithm, Collective, SendStyle};
use mpirage_simulation::{Interrupt, Machine, words};
use mpirage_tune::{Candidates, Point, Row, Search, TuneError, parse_sizes, rules};
use program::Program;
use show::{NEAR, Results};
use subject::Subject;

use crate::arguments::TuneArguments;
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::output;

/// The sizes of collectives for which the user names none.
const SIZES: &str = "8B..4MiB";

/// Finds the fastest methods.
pub fn command(arguments: &TuneArguments) -> Result<u8, Failure> {
    let started = Instant::now();
    let interrupt = Interrupt::watch()?;
    let library = Library::of(arguments)?;
    let arguments = &with_table_of(library, arguments);
    let subject = Subject::of(&arguments.what)?;
    conflicts(arguments, &subject).check()?;
    let candidates = candidates(arguments, library)?;
    let files = Files::open(arguments, library)?;
    let task = Task::new(arguments, &subject, interrupt)?;
    let rows = task.search(arguments, candidates, interrupt)?;
    let rules = rules(&rows);
    let Task { machine, program, .. } = &task;
    let tuned_seconds = program.as_ref().map(|program| program.seconds_with(&rules, machine)).transpose()?;
    machine.warnings.iter().for_each(output::warn);
    let results = Results {
        base: base_name(arguments),
        machine,
        rows: &rows,
        rules,
        program: program.as_ref(),
        tuned_seconds,
        calls: arguments.calls,
        seconds: started.elapsed().as_secs_f64(),
        quiet: arguments.quiet,
    };
    if !arguments.quiet && !arguments.json.is_shown() {
        results.print();
    }
    files.write(&results)
}

/// The calls to find methods for, and the machine on which they are made.
struct Task {
    machine: Machine,
    /// The program that makes the calls, if there is one.
    program: Option<Program>,
    points: Vec<Point>,
}

impl Task {
    fn new(arguments: &TuneArguments, subject: &Subject, interrupt: Interrupt) -> Result<Task, Failure> {
        if let Subject::Collectives(collectives) = subject {
            let machine = machine_of(arguments, arguments.n)?;
            let points = points(collectives, &machine, arguments.sizes.as_deref())?;
            return Ok(Task { machine, program: None, points });
        }
        let (machine, program) = Program::load(arguments, subject, interrupt)?;
        let points = program.groups.iter().map(|group| group.point.clone()).collect();
        Ok(Task { machine, program: Some(program), points })
    }

    /// Simulates all methods; one row for each point.
    fn search(
        &self,
        arguments: &TuneArguments,
        candidates: Candidates,
        interrupt: Interrupt,
    ) -> Result<Vec<Row>, Failure> {
        let search = Search {
            points: self.points.clone(),
            candidates,
            base: self.machine.collectives.clone(),
            repeat: arguments.calls,
            near: if arguments.exhaustive { f64::INFINITY } else { NEAR },
            cores: arguments.cores.unwrap_or_else(all_cores),
        };
        let progress = SearchProgress::new(interrupt, arguments.quiet);
        let found = search.run(&self.machine, &progress);
        progress.finish();
        interrupt.check()?;
        let mut rows = found.map_err(failed)?;
        // The calls of a program stand for sizes of one power of two.
        let groups = self.program.iter().flat_map(|program| &program.groups);
        rows.iter_mut().zip(groups).for_each(|(row, group)| row.from = group.from);
        Ok(rows)
    }
}

/// The arguments, with the table of the library for which rules are written if the user names no other base.
fn with_table_of(library: Option<Library>, arguments: &TuneArguments) -> TuneArguments {
    let mut arguments = arguments.clone();
    if let Some(library) = library.filter(|_| arguments.machine.coll.is_empty()) {
        library.table().clone_into(&mut arguments.machine.coll);
    }
    arguments
}

/// The name of the base choice in tables.
fn base_name(arguments: &TuneArguments) -> String {
    let named = arguments.machine.coll.split(',').next().unwrap_or_default();
    match named {
        "" => "default".to_owned(),
        name if name.contains('=') || arguments.machine.coll.contains(',') => "--coll".to_owned(),
        name => name.to_owned(),
    }
}

/// Inputs and outputs, none of which may be another one.
fn conflicts(arguments: &TuneArguments, subject: &Subject) -> Conflicts {
    let mut files = Conflicts::default();
    match subject {
        Subject::Trace(trace) => files.input("the trace", Path::new(trace)),
        Subject::Program(words) => {
            words.first().into_iter().for_each(|file| files.input("the program", Path::new(file)))
        }
        Subject::Collectives(_) => {}
    }
    arguments.machine.add_inputs(&mut files);
    arguments.json.add_to(&mut files);
    let TuneArguments { output, plot, report, .. } = arguments;
    for (option, file) in [("-o", output), ("--plot", plot), ("--report", report)] {
        file.iter().for_each(|file| files.output(option, file));
    }
    files
}

fn points(collectives: &[Collective], machine: &Machine, sizes: Option<&str>) -> Result<Vec<Point>, Failure> {
    let sizes = parse_sizes(sizes.unwrap_or(SIZES)).map_err(|error| usage(format!("--sizes: {error}")))?;
    let members: Arc<[u32]> = (0..machine.ranks() as u32).collect();
    let mut points = Vec::new();
    for &collective in collectives {
        // A barrier has no bytes.
        let sizes = if collective == Collective::Barrier { &[0][..] } else { &sizes };
        let point = |&bytes: &u64| Point { collective, members: Arc::clone(&members), bytes, root: 0 };
        points.extend(sizes.iter().map(point));
    }
    Ok(points)
}

fn candidates(arguments: &TuneArguments, library: Option<Library>) -> Result<Candidates, Failure> {
    let mut algorithms = Vec::new();
    for name in &arguments.algorithms {
        let all = || Algorithm::ALL.iter().map(|algorithm| algorithm.name());
        let unknown = || {
            usage(format!(
                "--algorithms: there is no algorithm {name}{}; `mpirage info collectives` lists them",
                words::did_you_mean(name, all())
            ))
        };
        algorithms.push(Algorithm::from_name(name).ok_or_else(unknown)?);
    }
    let segments = parse_sizes(&arguments.segments).map_err(|error| usage(format!("--segments: {error}")))?;
    if let Some(radix) = arguments.radices.iter().find(|&&radix| radix < 1) {
        return Err(usage(format!("--radices: {radix} is no radix; the smallest is 1")));
    }
    let radices = arguments.radices.clone();
    let allowed = library.and_then(Library::allowed);
    // Libraries do not all have our defaults.
    let (requests, sends) = match allowed {
        Some(_) => (vec![0, 1], vec![SendStyle::InOrder, SendStyle::AtOnce]),
        None => (Vec::new(), Vec::new()),
    };
    Ok(Candidates { algorithms, segments, radices, requests, sends, allowed })
}

fn all_cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

fn failed(error: TuneError) -> Failure {
    match error {
        TuneError::Formula => usage(format!("--model: {error}")),
        TuneError::DoesNotEnd { .. } | TuneError::Stopped => usage(error),
    }
}
