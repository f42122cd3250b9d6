//! `mpirage emulate`: a program in real time on a simulated network.

mod factor;
mod search;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use mpirage_rank::{Pacer, TimeFactor};

use crate::arguments::{EmulateArguments, RunArguments};
use crate::exit::{Failure, usage};
use crate::help;
use crate::launcher;
use crate::run::Planned;

use factor::{Share, Wanted};
use mpirage_simulation::{Emulation, Purpose};
use search::Search;

/// Parses the arguments of `emulate` and runs the program.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let definition = help::with_all(EmulateArguments::command());
    let mut jobs = Vec::new();
    for words in launcher::translate(typed, &definition) {
        let parsed = definition.clone().display_name("mpirage").try_get_matches_from(words);
        match parsed.and_then(|matches| EmulateArguments::from_arg_matches(&matches)) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return help::answer(&error, definition, typed),
        }
    }
    let Some(first) = jobs.first_mut() else { return Err(usage("no program given")) };
    search::apply_environment(first);
    let (wanted, limit) =
        (factor::parse(&first.time_factor)?, factor::parse_limit(first.max_behind.as_deref())?);
    let quiet = first.run.results.quiet;
    refuse(&first.run)?;
    let runs = jobs.into_iter().map(|job| job.run).collect();
    let Planned { run, arguments } = Planned::new(runs, typed, Purpose::Emulated)?;
    let share = Share { ranks: run.ranks(), cores: cores(&arguments) };
    let mut tries = Vec::new();
    let how = match wanted {
        Wanted::Fixed(factor) => TimeFactor::Fixed(factor),
        Wanted::Dynamic => factor::dynamic(limit, share),
        Wanted::Auto => {
            let found = Search { typed, limit, quiet, share }.run()?;
            tries = found.tries;
            TimeFactor::Fixed(found.factor)
        }
    };
    let slowdown = run.machine().slowdowns(run.host_speed()).into_iter().fold(f64::INFINITY, f64::min);
    let pace = Emulation { pacer: Pacer::new(how), limit, cores: share.cores, slowdown, tries };
    Planned { run: run.at_pace(pace), arguments }.carry_out()
}

/// Refuses options of `run` that make no sense in real time.
fn refuse(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.compute != "measured" {
        return Err(usage(format!(
            "--compute {}: in an emulation a computation takes the time that it takes; leave it out, or use `mpirage run`",
            arguments.compute
        )));
    }
    if arguments.repeat.is_some() {
        return Err(usage("--repeat: an emulation happens in real time; use `mpirage run`"));
    }
    if arguments.results.live.is_some() {
        return Err(usage(
            "--live: gathering the page would disturb the pace of an emulation; write the report at its end with --report FILE.html",
        ));
    }
    if arguments.clock != "simulated" {
        return Err(usage(format!(
            "--clock {}: in an emulation all clocks show scaled real time; leave it out",
            arguments.clock
        )));
    }
    Ok(())
}

/// The cores that ranks and simulator may use.
fn cores(arguments: &RunArguments) -> usize {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.cores.map_or(all, |wanted| usize::from(wanted).min(all))
}
