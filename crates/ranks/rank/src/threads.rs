//! Ranks whose threads call MPI at the same time (`MPI_THREAD_MULTIPLE`).
//!
//! Each thread that calls MPI has a line. The engine resumes one line, whose thread may wake others of its rank: it unlocks a mutex, or joins a
//! barrier. So the simulator lets a rank run until all its threads sleep, in a call or elsewhere. Then it takes the calls that
//! were made, in the order of lines. What the threads of a rank did in the meantime, in whatever order, took no simulated time but their bursts.
//!
//! ```text
//!   resume line ─► its thread runs, wakes others ─► all threads of the rank sleep ─► open lines that threads ask for
//!                                                             │                             │ (they run again)
//!                                                             ▼                             ▼
//!                      take the calls of lines that stopped; count the work of threads that sleep outside MPI
//! ```
//!
//! A thread that sleeps outside MPI has worked before. The engine gets this work as a burst before a call that only reads the clock, so
//! that it passes while the thread sleeps.
//!
//! A thread may also work for long, or spin on a variable until another thread has returned from its call. So the simulator asks threads
//! that have run for a while beside threads in calls to pass their turn (`yielding.rs`).

use std::time::{Duration, Instant};

use mpirage_call::{Burst, LineId, RankId, Stamp};

use crate::crash::Death;
use crate::processes::Processes;
use crate::running::Running;
use crate::session::{Outcome, SessionError};
use crate::spinning::SLOW;

/// The first and the longest time between two looks at the threads of a rank.
const SHORTEST_LOOK: Duration = Duration::from_micros(50);
const LONGEST_LOOK: Duration = Duration::from_millis(1);
/// Threads that run for this long may use all cores.
const SPREAD: Duration = Duration::from_millis(2);

/// Why the threads of a rank no longer run.
enum Quiet {
    /// All sleep.
    Asleep,
    /// Their process has ended.
    Ended(Death),
    /// They run for too long.
    Hangs(f64),
}

impl Running<'_> {
    /// Have the threads of the line's rank lines of their own?
    pub(crate) fn is_threaded(&mut self, line: LineId) -> bool {
        let ranks = self.simulation.ranks();
        ranks.is_threaded(ranks.rank_of(line))
    }

    fn processes(&mut self) -> &mut Processes {
        self.simulation.ranks().processes_mut().expect("only processes have threads")
    }

    /// Simulated time has come for a line: its thread runs, until all threads of its rank sleep.
    pub(crate) fn resume_thread(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        let rank = self.simulation.ranks().rank_of(line);
        if self.processes().ends_counted_burst(line) {
            return Ok(self.take_calls_of_threads(rank));
        }
        if let Some(outcome) = self.give_turn(line)? {
            return Ok(Some(outcome));
        }
        self.let_thread_run(line)
    }

    /// The first line of a rank runs or has stopped, and threads of the rank have lines from now on.
    pub(crate) fn threads_begin(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        self.no_longer_ahead(line);
        let rank = self.simulation.ranks().rank_of(line);
        self.note_addresses(rank);
        self.let_thread_run(line)
    }

    /// The thread of a line goes on, until all threads of its rank sleep.
    fn let_thread_run(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        let rank = self.simulation.ranks().rank_of(line);
        self.processes().line_runs(line);
        self.let_rank_run(rank)
    }

    /// The threads of a rank go on, until all sleep.
    fn let_rank_run(&mut self, rank: RankId) -> Result<Option<Outcome>, SessionError> {
        Ok(match self.let_threads_run(rank)? {
            Quiet::Asleep => self.take_calls_of_threads(rank),
            Quiet::Ended(death) => self.threads_ended(rank, death),
            Quiet::Hangs(seconds) => Some(Outcome::RankHangs { rank: rank.get(), seconds }),
        })
    }

    /// Waits until all threads of a rank sleep, and gives lines to those that want one.
    fn let_threads_run(&mut self, rank: RankId) -> Result<Quiet, SessionError> {
        // The simulator notices at once when a thread calls MPI; only one that sleeps elsewhere has to be looked for.
        let mut look = if self.processes().threads_of(rank).had_one() { LONGEST_LOOK } else { SHORTEST_LOOK };
        let (began, mut first, mut spread, mut reported) = (Instant::now(), true, false, false);
        let slice = self.slice_of_threads(rank);
        loop {
            self.processes().wait_for_threads(rank, look, std::mem::take(&mut first));
            self.signals.check()?;
            if self.processes().threads_sleep(rank) {
                if !self.open_lines(rank)? {
                    return Ok(Quiet::Asleep);
                }
                (look, first) = (SHORTEST_LOOK, true);
            } else if let Some(death) = self.simulation.ranks().death(rank) {
                return Ok(Quiet::Ended(death));
            }
            look = (2 * look).min(LONGEST_LOOK);
            let waited = began.elapsed();
            if waited > SPREAD && !std::mem::replace(&mut spread, true) {
                self.spread_threads(rank);
            }
            self.show_progress();
            if waited > SLOW && !std::mem::replace(&mut reported, true) {
                let lines = self.simulation.ranks().lines_of(rank);
                let place =
                    lines.into_iter().find_map(|line| self.processes().mailboxes().take_interruption(line));
                self.report_slow(rank, waited, place);
            }
            if self.session.rank_timeout.is_some_and(|limit| waited > limit) {
                return Ok(Quiet::Hangs(waited.as_secs_f64()));
            }
            match slice.checked_sub(waited) {
                Some(left) => look = look.min(left.max(SHORTEST_LOOK)),
                None if self.open_lines(rank)? => {}
                None => self.processes().ask_workers_to_yield(rank),
            }
        }
    }

    /// How long the threads of a rank run before they are asked to pass their turns.
    fn slice_of_threads(&mut self, rank: RankId) -> Duration {
        let measured = self.simulation.ranks().measures_computation();
        let lines = self.simulation.ranks().lines_of(rank);
        let slices = lines.into_iter().map(|line| self.spinning.slice_of_thread(line, measured));
        slices.min().unwrap_or_default()
    }

    /// Opens lines for threads that ask for one. True if there were any.
    fn open_lines(&mut self, rank: RankId) -> Result<bool, SessionError> {
        let requests = self.processes().line_requests(rank);
        for &request in &requests {
            let line = self.simulation.open_running_line(rank);
            self.processes().open_line(rank, request, line)?;
        }
        Ok(!requests.is_empty())
    }

    /// All threads of a rank sleep: takes what they have called, and counts what the others have done.
    fn take_calls_of_threads(&mut self, rank: RankId) -> Option<Outcome> {
        let (mut outcome, mut called) = (None, false);
        for line in self.simulation.ranks().lines_of(rank) {
            if self.processes().takes_calls(line) {
                let ended = self.processes().mailboxes().has_ended(line);
                self.simulation.take_calls(line, ended);
                if ended {
                    self.processes().close_line(line);
                    self.spinning.ended(line);
                    continue;
                }
                match self.processes().mailboxes().take_interruption(line) {
                    Some(place) => outcome = outcome.or(self.interrupted(line, place)),
                    None => {
                        self.spinning.called(line);
                        called = true;
                    }
                }
            } else if let Some(nanos) = self.processes().count_work(line) {
                self.simulation.count_burst(line, &Stamp { burst: Burst::serial(nanos), ..Stamp::default() });
            }
        }
        if called && self.spinning.any() {
            let lines = self.simulation.ranks().lines_of(rank);
            lines.into_iter().for_each(|line| self.spinning.rank_called(line));
        }
        outcome
    }

    /// The process of a rank with threads has ended.
    fn threads_ended(&mut self, rank: RankId, death: Death) -> Option<Outcome> {
        let lines = self.simulation.ranks().lines_of(rank);
        let others: Vec<LineId> = lines.into_iter().filter(|&line| line != LineId::first_of(rank)).collect();
        for line in others {
            if self.processes().takes_calls(line) {
                self.simulation.take_calls(line, true);
            }
        }
        self.rank_ended(LineId::first_of(rank), death)
    }

    /// The threads of a rank compute: they may use all cores.
    fn spread_threads(&mut self, rank: RankId) {
        if let Some(process) = self.simulation.ranks().process(LineId::first_of(rank)) {
            self.ahead.cores.leave_home();
            self.ahead.cores.place(process, 0, false);
        }
    }
}
