//! `mpirage replay`.

use mpirage_simulation::{Ended, Interrupt, Replay, ReplayRequest, SoFar, Watch};

use crate::arguments::ReplayArguments;
use crate::conflicts::Conflicts;
use crate::exit::Failure;
use crate::live::Server;
use crate::output::say;
use crate::progress::Progress;
use crate::results::{self, Results};

/// Replays a trace or runs a generated workload.
pub fn command(arguments: &ReplayArguments) -> Result<u8, Failure> {
    arguments.results.check_live(arguments.repeat)?;
    let results = Results::open(&arguments.results)?;
    let request = request(arguments)?;
    let server = Server::of(&arguments.results, &request.outputs)?;
    let Ended { figures, code, failures, .. } = replay(arguments, request)?;
    results::report(&failures);
    let shown = results.show(&figures, false);
    server.map_or(Ok(()), |server| Interrupt::watch().map(|interrupt| server.finish(interrupt)))?;
    Ok(results::conclude(failures, shown, code))
}

/// Replays, prints why it failed, and writes all files.
pub fn replay(arguments: &ReplayArguments, request: ReplayRequest) -> Result<Ended, Failure> {
    let interrupt = Interrupt::watch()?;
    let replay = Replay::open(request)?;
    let mut files = Conflicts::default();
    files.replay(&replay);
    arguments.results.json.add_to(&mut files);
    files.check()?;
    let mut machine = replay.machine()?;
    arguments.machine.show_bindings(&machine);
    let progress = Progress::new(machine.ranks(), arguments.results.quiet);
    let mut watch = Interruptible { progress, interrupt };
    let ended = replay.run(&mut machine, &mut watch, interrupt);
    watch.progress.finish();
    let ended = ended?;
    ended.figures.explanation.iter().chain(&ended.remarks).for_each(|line| say!("mpirage: {line}"));
    Ok(ended)
}

/// The replay that the options ask for.
pub fn request(arguments: &ReplayArguments) -> Result<ReplayRequest, Failure> {
    Ok(ReplayRequest {
        workload: arguments.workload.clone(),
        machine: arguments.machine.request(),
        outputs: arguments.results.request()?,
        compute: arguments.compute.clone(),
        host_speed: arguments.host_speed.clone(),
        repeat: arguments.repeat,
        ..ReplayRequest::default()
    })
}

/// Shows progress, and stops when a signal asks for it.
pub struct Interruptible {
    /// The progress display.
    pub progress: Progress,
    /// The signals.
    pub interrupt: Interrupt,
}

impl Watch for Interruptible {
    fn progress(&mut self, so_far: SoFar) -> bool {
        mpirage_rank::Watch::progress(&mut self.progress, so_far);
        self.interrupt.came()
    }
}
