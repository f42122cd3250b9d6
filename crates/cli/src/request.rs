//! `mpirage request REQUEST.json ANSWER.json`: a run or replay for a program in another language, without a command line.
//!
//! The answer has the figures; the program's output goes where ours goes.

use std::ffi::OsString;
use std::path::Path;

use mpirage_simulation::door::Request;
use mpirage_simulation::{Ended, Interrupt, Purpose, Replay, Run, RunRequest};

use crate::conflicts::Conflicts;
use crate::exit::{Failure, usage};
use crate::output::{self, say};
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::repeat;
use crate::replay::Interruptible;
use crate::results::{self, JsonOutput};
use crate::session_watch::SessionWatch;

/// Bytes of the largest request that is read.
const LONGEST: u64 = 64 << 20;

/// Does what a file asks for, and writes the answer.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let [request, answer] = typed else {
        return Err(usage("expected mpirage request REQUEST.json ANSWER.json"));
    };
    let mut files = Conflicts::default();
    files.input("the request", Path::new(request));
    files.output("the answer", Path::new(answer));
    let text = mpirage_files::read_text(Path::new(request), LONGEST).map_err(usage)?;
    let (ended, passed_on) = match Request::read(&text)? {
        Request::Run(run) => run_programs(*run, typed, files)?,
        Request::Replay(replay) => {
            let interrupt = Interrupt::watch()?;
            let replay = Replay::open(*replay)?;
            files.replay(&replay);
            files.check()?;
            let mut machine = replay.machine()?;
            let mut watch = Interruptible { progress: Progress::new(machine.ranks(), true), interrupt };
            (replay.run(&mut machine, &mut watch, interrupt)?, Ok(()))
        }
    };
    let Ended { figures, code, failures, remarks, .. } = ended;
    figures.explanation.iter().chain(&remarks).for_each(|line| say!("mpirage: {line}"));
    figures.warnings.iter().for_each(output::warn);
    let failures = failures.after(passed_on);
    results::report(&failures);
    let shown = JsonOutput::File(results::open(Path::new(answer))?).write(&figures);
    Ok(results::conclude(failures, shown, code))
}

/// Runs programs. Could all of their output be written?
fn run_programs(
    mut request: RunRequest,
    typed: &[OsString],
    mut files: Conflicts,
) -> Result<(Ended, Result<(), Failure>), Failure> {
    repeat::apply_environment(&mut request);
    let mut measure = |runs, ranks, speed| repeat::measure("request", typed, runs, ranks, speed);
    let run = Run::new(request, Purpose::Simulated, &mut measure)?;
    files.run(&run);
    files.check()?;
    let interrupt = Interrupt::watch()?;
    let mut watch =
        SessionWatch { progress: Progress::new(run.ranks(), true), output: ProgramOutput::new(false) };
    let ended = run.run(&mut watch, interrupt);
    let passed_on = watch.finish();
    Ok((ended?, passed_on.written))
}
