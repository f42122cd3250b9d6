//! `mpirage run`, and the course that `emulate` and the runs of a check share with it.

use std::ffi::OsString;
use std::mem::ManuallyDrop;

use clap::{CommandFactory, FromArgMatches};
use mpirage_simulation::{Ended, Interrupt, Purpose, Run, RunRequest};

use crate::arguments::{CheckArguments, EmulateArguments, JsonArgument, RunArguments};
use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::live::Server;
use crate::output::say;
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::results::{self, Results};
use crate::session_watch::SessionWatch;
use crate::{help, launcher, repeat};

/// A run that is planned, and the options of what it shows.
pub struct Planned {
    /// The run.
    pub run: Run,
    /// The options of its first program, which are those of the whole run.
    pub arguments: RunArguments,
}

/// Parses the arguments of `run` and runs the program.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let mut jobs = Vec::new();
    for words in launcher::translate(typed, &RunArguments::command()) {
        match parse(&words) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return help::answer(&error, RunArguments::command(), typed),
        }
    }
    Planned::new(jobs, typed, Purpose::Simulated)?.carry_out()
}

/// Parses the arguments of one program.
pub fn parse(words: &[OsString]) -> Result<RunArguments, clap::Error> {
    // `mpirun --version` names the product, as other launchers do.
    // The definition is never taken apart: that takes longer than parsing.
    let mut definition = ManuallyDrop::new(help::with_all(RunArguments::command()).display_name("mpirage"));
    RunArguments::from_arg_matches(&definition.try_get_matches_from_mut(words)?)
}

impl Planned {
    /// Resolves the options of the programs of one run. Options that concern the whole run are taken from the first program.
    pub fn new(jobs: Vec<RunArguments>, typed: &[OsString], purpose: Purpose) -> Result<Planned, Failure> {
        jobs.first().map_or(Ok(()), |first| first.results.check_live(first.repeat))?;
        let mut request = request(&jobs, purpose)?;
        let mut arguments = jobs.into_iter().next().ok_or_else(|| usage("no program given"))?;
        if repeat::apply_environment(&mut request) {
            (arguments.results.quiet, arguments.results.json) = (true, JsonArgument::default());
            (arguments.results.live, request.outputs.live) = (None, None);
        }
        let mut measure = |runs, ranks, speed| repeat::measure("run", typed, runs, ranks, speed);
        let ignored = arguments.mca.chunks(2).map(|mca| format!("--mca {} is ignored", mca.join(" ")));
        let run = Run::new(request, purpose, &mut measure)?.doubted(ignored);
        Ok(Planned { run, arguments })
    }

    /// Runs the program and shows the result; gives the exit code.
    pub fn carry_out(self) -> Result<u8, Failure> {
        self.files().check()?;
        let Planned { run, arguments } = self;
        arguments.machine.show_bindings(run.machine());
        let interrupt = Interrupt::watch()?;
        let results = Results::open(&arguments.results)?;
        let server = Server::of(&arguments.results, &run.request().outputs)?;
        let mut watch = SessionWatch {
            progress: Progress::new(run.ranks(), arguments.results.quiet),
            output: ProgramOutput::new(arguments.tag_output).elsewhere(arguments.results.json.is_alone()),
        };
        let ended = run.run(&mut watch, interrupt);
        let passed_on = watch.finish();
        let Ended { figures, code, failures, remarks, .. } = ended?;
        figures.explanation.iter().chain(&remarks).for_each(|line| say!("mpirage: {line}"));
        let failures = failures.after(passed_on.written);
        results::report(&failures);
        let shown = results.show(&figures, passed_on.ends_within_line);
        server.into_iter().for_each(|server| server.finish(interrupt));
        Ok(results::conclude(failures, shown, code))
    }

    /// The files that the run reads and writes.
    fn files(&self) -> Conflicts {
        let mut files = Conflicts::default();
        files.run(&self.run);
        self.arguments.results.json.add_to(&mut files);
        files
    }
}

/// The run that the options of all its programs ask for.
pub fn request(jobs: &[RunArguments], purpose: Purpose) -> Result<RunRequest, Failure> {
    let first = jobs.first().ok_or_else(|| usage("no program given"))?;
    for program in jobs.iter().map(|job| job.program.first()) {
        let path = program.ok_or_else(|| usage("no program given"))?;
        if path.to_str().is_some_and(|word| word.starts_with('-')) {
            return Err(usage(launcher::unknown_option(path, &definition(purpose))));
        }
    }
    let programs = jobs.iter().map(RunArguments::part).collect::<Result<_, _>>()?;
    Ok(RunRequest { programs, ..first.request()? })
}

/// The definition of the command line.
fn definition(purpose: Purpose) -> clap::Command {
    match purpose {
        Purpose::Simulated => RunArguments::command(),
        Purpose::Emulated => EmulateArguments::command(),
        Purpose::Checked => CheckArguments::command(),
    }
}
