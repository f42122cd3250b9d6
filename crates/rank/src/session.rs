//! A run from start to end.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mpirage_mpi::{Ending, Engine, Segment, Turn};
use nix::errno::Errno;
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use thiserror::Error;

use crate::crash::Death;
use crate::program::{Identity, Program};
use crate::ranks::{Ranks, Stop};

/// Why a run could not even start, or was stopped from outside.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The program could not be started.
    #[error("cannot start {program}: {error}{}", remedy(error))]
    Start {
        /// What.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// The mailboxes or signal handlers could not be made.
    #[error("cannot prepare the run: {0}")]
    Prepare(#[from] io::Error),
    /// Standard output is closed.
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    /// A signal asked the simulator to stop.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
}

/// What helps where this machine's limits are in the way.
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
    /// Ranks wait for each other.
    Deadlock,
    /// A rank called `MPI_Abort`.
    Aborted {
        /// Which.
        rank: u32,
        /// With what code.
        code: i32,
    },
    /// A rank used MPI wrongly.
    Misuse {
        /// Which.
        rank: u32,
        /// How.
        text: String,
    },
    /// A rank's process ended before `MPI_Finalize`.
    RankDied {
        /// Which.
        rank: u32,
        /// How.
        death: Death,
    },
    /// A rank has not called MPI for longer than allowed.
    RankHangs {
        /// Which.
        rank: u32,
        /// For how long.
        seconds: f64,
    },
}

/// What the outside world wants to know or decide while a run goes on.
pub trait Watch {
    /// Called now and then, with the simulated time in seconds and ranks that have ended.
    fn progress(&mut self, simulated: f64, ended: usize);
    /// A rank has computed for this long without calling MPI.
    fn slow_rank(&mut self, rank: u32, seconds: f64);
}

/// Who runs where, and what.
pub struct Session {
    /// The program of each rank.
    pub programs: Vec<Arc<Program>>,
    /// Name of the simulated host of each rank, and the rank's number among those of its host.
    pub hosts: Vec<(String, u32, u32)>,
    /// The longest a rank may go without calling MPI.
    pub rank_timeout: Option<Duration>,
}

/// Signals that end a run, the last one that came.
struct Signals(Arc<AtomicUsize>);

/// How long a rank may compute before somebody is told.
const SLOW: Duration = Duration::from_secs(30);
/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(100);
/// How many switches between two looks at the clock.
const LOOK_EVERY: u32 = 512;

impl Session {
    /// Runs all ranks to the end. Processes that still live are ended when the engine goes, so that they can be looked at.
    pub fn run(&self, engine: &mut Engine<Ranks>, watch: &mut dyn Watch) -> Result<Outcome, SessionError> {
        let signals = Signals::install()?;
        mpirage_channel::interrupt_waits_when_children_end()?;
        without_address_randomisation();
        allow_many_files();
        adopt_orphans();
        engine.memory().listen()?;
        let mut run = Running {
            session: self,
            engine,
            watch,
            signals,
            code: 0,
            ended: 0,
            switches: 0,
            shown: Instant::now(),
        };
        run.run_to_the_end()
    }
}

struct Running<'a> {
    session: &'a Session,
    engine: &'a mut Engine<Ranks>,
    watch: &'a mut dyn Watch,
    signals: Signals,
    code: i32,
    ended: usize,
    switches: u32,
    shown: Instant,
}

impl Running<'_> {
    fn run_to_the_end(&mut self) -> Result<Outcome, SessionError> {
        loop {
            let turn = self.engine.advance();
            if let Some((rank, text)) = self.engine.memory().fault() {
                return Ok(match self.engine.memory().death(rank) {
                    Some(death) => Outcome::RankDied { rank, death },
                    None => Outcome::Misuse { rank, text },
                });
            }
            match turn {
                Turn::Output(rank) => self.show(rank)?,
                Turn::End(ending) => return Ok(self.outcome(ending)),
                Turn::Resume(rank) => {
                    if let Some(outcome) = self.resume(rank)? {
                        return Ok(outcome);
                    }
                }
            }
            self.look_around()?;
        }
    }

    fn outcome(&self, ending: Ending) -> Outcome {
        match ending {
            Ending::Finished => Outcome::Finished { code: self.code },
            Ending::Deadlock => Outcome::Deadlock,
            Ending::Aborted { rank, code } => Outcome::Aborted { rank, code },
            Ending::Misuse { rank, text } => Outcome::Misuse { rank, text },
        }
    }

    /// Lets a rank run until it waits again or ends.
    fn resume(&mut self, rank: u32) -> Result<Option<Outcome>, SessionError> {
        if self.engine.memory().started() == rank as usize {
            self.start(rank)?;
        } else if let Err(text) = self.engine.give_reply(rank, |ranks, reply| ranks.answer(rank, reply)) {
            return Ok(Some(Outcome::Misuse { rank, text }));
        }
        match self.wait(rank)? {
            Ok(Stop::Ended(death)) => Ok(self.rank_ended(rank, death)),
            Ok(_) => {
                self.note_addresses(rank);
                self.take_calls(rank, false);
                Ok(None)
            }
            Err(outcome) => Ok(Some(outcome)),
        }
    }

    /// Once per program: where its code is, for explanations after its end.
    fn note_addresses(&mut self, rank: u32) {
        let programs = &self.session.programs;
        let first = rank == 0 || !Arc::ptr_eq(&programs[rank as usize], &programs[rank as usize - 1]);
        if first {
            self.engine.memory().note_addresses(rank);
        }
    }

    fn start(&mut self, rank: u32) -> Result<(), SessionError> {
        let program = &self.session.programs[rank as usize];
        let (host, local, locals) = &self.session.hosts[rank as usize];
        let size = self.session.programs.len() as u32;
        let who = Identity { rank, size, local: (*local, *locals), host };
        let started = self.engine.memory().start(program, &who);
        started.map_err(|error| SessionError::Start { program: program.path.display().to_string(), error })
    }

    fn wait(&mut self, rank: u32) -> Result<Result<Stop, Outcome>, SessionError> {
        let began = Instant::now();
        let limit = self.session.rank_timeout;
        let mut told = false;
        let (signals, watch) = (&self.signals, &mut *self.watch);
        let (simulated, ended) = (self.engine.now().as_secs_f64(), self.ended);
        let stop = self.engine.memory().wait(rank, &mut || {
            let waited = began.elapsed();
            watch.progress(simulated, ended);
            if waited > SLOW && !told {
                told = true;
                watch.slow_rank(rank, waited.as_secs_f64());
            }
            signals.none() && limit.is_none_or(|limit| waited <= limit)
        });
        self.signals.check()?;
        if stop == Stop::Cancelled {
            return Ok(Err(Outcome::RankHangs { rank, seconds: began.elapsed().as_secs_f64() }));
        }
        Ok(Ok(stop))
    }

    fn take_calls(&mut self, rank: u32, ended: bool) {
        self.engine.take_calls(rank, |ranks, calls| {
            ranks.calls(rank, calls);
            Segment { wrote: ranks.collect_output(rank), ended }
        });
    }

    /// A process is no more: fine if it never started MPI or finished with it, an end of the run otherwise.
    fn rank_ended(&mut self, rank: u32, death: Death) -> Option<Outcome> {
        self.take_calls(rank, true);
        self.ended += 1;
        let (initialized, finalized) = self.engine.lifecycle(rank);
        let too_early = initialized && !finalized;
        if too_early || !matches!(death, Death::Exit(_)) {
            return Some(Outcome::RankDied { rank, death });
        }
        if self.code == 0 {
            self.code = death.code();
        }
        None
    }

    fn show(&mut self, rank: u32) -> Result<(), SessionError> {
        let shown = self.engine.memory().show_output(rank, &mut io::stdout().lock());
        shown.map_err(SessionError::Output)
    }

    /// Now and then: does somebody want us to stop, is it time to show progress?
    fn look_around(&mut self) -> Result<(), SessionError> {
        self.switches += 1;
        if self.switches.is_multiple_of(LOOK_EVERY) {
            self.signals.check()?;
            if self.shown.elapsed() > PROGRESS {
                self.shown = Instant::now();
                self.watch.progress(self.engine.now().as_secs_f64(), self.ended);
            }
        }
        Ok(())
    }
}

/// Whatever ends the run, nothing that was written is lost.
impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut stdout = io::stdout().lock();
        let ranks = self.engine.memory();
        for rank in 0..ranks.started() as u32 {
            ranks.collect_output(rank);
            let _ = ranks.show_output(rank, &mut stdout);
        }
        let _ = stdout.flush();
    }
}

impl Signals {
    fn install() -> io::Result<Signals> {
        let last = Arc::new(AtomicUsize::new(0));
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            // The first asks; a second one that comes before the first was obeyed ends the simulator, and with it the ranks.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))?;
            signal_hook::flag::register(signal, Arc::clone(&asked))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&last), signal as usize)?;
        }
        Ok(Signals(last))
    }

    fn none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn check(&self) -> Result<(), SessionError> {
        match self.0.load(Ordering::Relaxed) {
            0 => Ok(()),
            signal => Err(SessionError::Interrupted(signal as i32)),
        }
    }
}

/// What a rank's shell has started becomes our child when the shell is gone, so that we can end it.
/// Where it is forbidden, such a process ends by itself as soon as it calls MPI.
fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Programs that hash addresses behave the same in every run, and addresses of dead ranks can be explained.
/// Where it is forbidden, only those two things are lost.
fn without_address_randomisation() {
    if let Ok(persona) = personality::get() {
        let _ = personality::set(persona | Persona::ADDR_NO_RANDOMIZE);
    }
}

/// Each rank needs a file for its output. Where the limit cannot be raised, starting the rank that is too many says so.
fn allow_many_files() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
