//! The loop of a replay: ranks that only yield calls, without memory and without a stack.

mod threads;

use mpirage_call::LineId;
use mpirage_mpi::{Ending, Engine, NoMemory, Segment, Turn};
use mpirage_rank::SoFar;
use mpirage_trace::{Calls, Step, TraceError, Workload};

use threads::Threads;

/// How many times ranks are resumed between two looks at the outside world.
const LOOK_EVERY: u64 = 4096;

/// An observer of a run, who learns its progress and may stop it.
pub trait Watch {
    /// Called now and then. True to stop.
    fn progress(&mut self, so_far: SoFar) -> bool;
}

/// A watch that shows no progress and never stops the run.
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&mut self, _: SoFar) -> bool {
        false
    }
}

/// A function that says whether to stop.
pub struct StopIf<F>(pub F);

impl<F: FnMut() -> bool> Watch for StopIf<F> {
    fn progress(&mut self, _: SoFar) -> bool {
        (self.0)()
    }
}

/// Why a workload did not come to an end of its own.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace is bad.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The user or the caller stopped it.
    #[error("interrupted")]
    Stopped,
}

/// Lets all ranks make their calls, to the end.
pub fn run(
    engine: &mut Engine<NoMemory>,
    workload: &mut dyn Workload,
    watch: &mut dyn Watch,
) -> Result<Ending, ReplayError> {
    workload.eager_limit(engine.eager_limit());
    if workload.names_processors() && engine.run_graphs() {
        workload.leave_order_to_processors();
    }
    engine.distrust();
    for (number, members) in workload.communicators().iter().enumerate() {
        let problem =
            || format!("communicator {number} of the trace names a rank twice, or one that does not exist");
        engine.define_comm(members).ok_or_else(|| TraceError::Spec(problem()))?;
    }
    let mut threads = (!workload.threads().is_empty()).then(Threads::default);
    let (mut ended, mut resumed) = (0, 0u64);
    loop {
        match engine.advance() {
            Turn::Resume(line) => {
                ended += match &mut threads {
                    None => usize::from(resume(engine, workload, line)?),
                    Some(threads) => threads.resume(engine, workload, line)?,
                };
                resumed += 1;
                if resumed.is_multiple_of(LOOK_EVERY) {
                    let (simulated, share) = (engine.now().as_secs_f64(), workload.share_done());
                    if watch.progress(SoFar { simulated, ended, share }) {
                        return Err(ReplayError::Stopped);
                    }
                }
            }
            Turn::End => return ending(engine, threads.is_some()),
            // A replayed rank prints nothing, and gains nothing from an early answer.
            Turn::Output(_) | Turn::Release(_) => {}
        }
    }
}

/// How the run has ended. Threads that wait for each other outside MPI are an error of the trace.
fn ending(engine: &mut Engine<NoMemory>, threads: bool) -> Result<Ending, ReplayError> {
    let ending = engine.take_ending();
    if threads && ending == Ending::Deadlock && engine.diagnosis().blocked().is_empty() {
        let problem = "threads of a rank wait until another wakes them, and none does: the trace is damaged";
        return Err(TraceError::Spec(problem.to_owned()).into());
    }
    Ok(ending)
}

/// Takes the next calls of a rank; true if it has ended.
fn resume(
    engine: &mut Engine<NoMemory>,
    workload: &mut dyn Workload,
    line: LineId,
) -> Result<bool, TraceError> {
    let mut step = Ok(Step::Ended);
    engine.answer(line, |reply, words| {
        step = workload.next(line.get(), reply, &mut Calls::new(words));
        Segment { wrote: false, ended: !matches!(step, Ok(Step::Waits)) }
    });
    Ok(step? == Step::Ended)
}
