//! A run from start to end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mpirage_call::RankId;
use mpirage_mpi::{Ending, Engine};
use nix::errno::Errno;
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use thiserror::Error;

use crate::ahead::{Ahead, RunAhead};
use crate::border::Simulation;
use crate::cores::Cores;
use crate::crash::{Death, LostWorker};
use crate::program::Program;
use crate::ranks::Ranks;
use crate::replayed::ReplayedRanks;
use crate::running::Running;
use crate::signals::Signals;

/// Why a run could not even start, or was stopped from outside.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The program could not be started.
    #[error("cannot start {program}: {error}{}", remedy(error))]
    Start {
        /// The path of the program.
        program: String,
        /// The system's error.
        error: io::Error,
    },
    /// The mailboxes or signal handlers could not be made.
    #[error("cannot prepare the run: {0}")]
    Prepare(#[from] io::Error),
    /// Standard output is closed.
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    /// A replayed rank has no right next call.
    #[error("{0}")]
    Replayed(String),
    /// A signal asked the simulator to stop.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
}

/// Advice if a limit of this machine is the reason.
fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EMFILE | Errno::ENFILE) => {
            "; each rank needs an open file, and `ulimit -n` says how many there may be"
        }
        Some(Errno::EAGAIN) => "; each rank is a process, and `ulimit -u` says how many there may be",
        _ => "",
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Every rank ended; the first exit code that is not zero, if any.
    Finished {
        /// The program's own exit code.
        code: i32,
    },
    /// The simulation ended before: never with [`Ending::Finished`].
    Ended(Ending),
    /// A rank's process ended before `MPI_Finalize`.
    RankDied {
        /// The rank whose process ended.
        rank: u32,
        /// How it ended.
        death: Death,
    },
    /// A signal stopped the simulator.
    Interrupted {
        /// The signal.
        signal: i32,
    },
    /// A worker that held folded ranks has died.
    WorkerDied(LostWorker),
    /// A rank has not called MPI for longer than allowed.
    RankHangs {
        /// The rank that does not call MPI.
        rank: u32,
        /// The seconds since its last call.
        seconds: f64,
    },
}

impl Outcome {
    /// Of a run whose ranks end with `code`.
    pub fn of(ending: Ending, code: i32) -> Outcome {
        match ending {
            Ending::Finished => Outcome::Finished { code },
            ending => Outcome::Ended(ending),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoFar {
    /// The simulated time in seconds.
    pub simulated: f64,
    /// Ranks that have ended.
    pub ended: usize,
    /// How much of the run is done, as a fraction, if that is known.
    pub share: Option<f64>,
}

/// Callbacks of a run: progress, output and warnings.
pub trait Watch {
    /// Called now and then.
    fn progress(&mut self, so_far: SoFar);
    /// A program was loaded, or more of its ranks were: now its addresses can be resolved.
    fn loaded(&mut self, ranks: &mut Ranks) {
        let _ = ranks;
    }
    /// Where the standard output of a rank goes.
    fn output(&mut self, rank: u32) -> Box<dyn io::Write + '_> {
        let _ = rank;
        Box::new(io::stdout().lock())
    }
    /// A rank has computed for this long without calling MPI; its place in the program is given if it is known.
    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>);
}

/// The programs and hosts of all ranks, and how to run them.
pub struct Session {
    /// The program of each rank that starts with the run.
    pub programs: Vec<Arc<Program>>,
    /// The numbers of ranks of jobs that are programs, in order; empty for one job of all.
    pub jobs: Vec<u32>,
    /// Name of the simulated host of each rank, and the rank's number among those of its host; also of ranks that others may start.
    pub hosts: Vec<(String, u32, u32)>,
    /// The longest a rank may go without calling MPI.
    pub rank_timeout: Option<Duration>,
    /// How many cores of this machine to use at most.
    pub cores: Option<usize>,
    /// When ranks run ahead of simulated time.
    pub run_ahead: RunAhead,
}

impl Session {
    /// Runs all ranks to the end. Processes that still live are ended when the engine is dropped, so that they can be examined before.
    pub fn run(&self, engine: &mut Engine<Ranks>, watch: &mut dyn Watch) -> Result<Outcome, SessionError> {
        match self.begin(engine, watch)?.run_to_the_end() {
            Err(SessionError::Interrupted(signal)) => Ok(Outcome::Interrupted { signal }),
            ended => ended,
        }
    }

    /// Runs several jobs to their ends: those of programs, and after them replayed ones. One that fails does not stop the others. Gives
    /// the outcome of each job.
    pub fn run_jobs(
        &self,
        engine: &mut Engine<Ranks>,
        watch: &mut dyn Watch,
        replayed: &mut dyn ReplayedRanks,
    ) -> Result<Vec<Outcome>, SessionError> {
        self.begin(engine, watch)?.run_jobs(replayed)
    }

    fn begin<'a>(
        &'a self,
        engine: &'a mut Engine<Ranks>,
        watch: &'a mut dyn Watch,
    ) -> Result<Running<'a>, SessionError> {
        let signals = prepare(engine)?;
        // Folded ranks of one process run on one thread. Those of workers run whenever they may.
        let how = if engine.memory().are_processes() { self.run_ahead } else { RunAhead::Never };
        let has_workers = matches!(engine.memory(), Ranks::Workers(_));
        engine.release_early(how != RunAhead::Never || has_workers);
        let mut cores = Cores::new(self.cores);
        if has_workers {
            // Workers may use the cores that the simulator may use when it forks them.
            cores.leave_home();
        }
        let ahead = Ahead::new(how, cores, self.hosts.len());
        Ok(Running::new(self, Simulation(engine), watch, signals, ahead))
    }

    /// The first rank and the size of the world of a rank; none if another rank starts it.
    pub(crate) fn world_of(&self, rank: RankId) -> Option<(RankId, u32)> {
        let whole = [self.programs.len() as u32];
        let sizes = if self.jobs.is_empty() { &whole } else { &*self.jobs };
        let mut first = 0;
        for &size in sizes {
            if rank.get() < first + size {
                return Some((RankId::new(first), size));
            }
            first += size;
        }
        None
    }
}

/// Prepares this process for a run.
pub(crate) fn prepare(engine: &mut Engine<Ranks>) -> Result<Signals, SessionError> {
    let signals = Signals::install()?;
    mpirage_channel::interrupt_waits_when_children_end()?;
    without_address_randomisation();
    allow_many_files();
    adopt_orphans();
    engine.memory().listen()?;
    Ok(signals)
}

/// Makes processes that a rank's shell has started children of the simulator when the shell ends, so that the simulator can end
/// them. Where that is forbidden, such a process ends by itself when it calls MPI.
fn adopt_orphans() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Turns address randomisation off: programs that hash addresses behave the same in every run, and addresses of ranks that have
/// ended can be resolved. Where that is forbidden, only these two properties are lost.
fn without_address_randomisation() {
    if let Ok(persona) = personality::get() {
        let _ = personality::set(persona | Persona::ADDR_NO_RANDOMIZE);
    }
}

/// Raises the limit of open files: each rank needs one for its output. If the limit stays, starting a rank fails with a message.
fn allow_many_files() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
