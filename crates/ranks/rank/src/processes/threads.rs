//! Threads of processes, and their lines.

use std::io;
use std::time::Duration;

use mpirage_call::{LineId, RankId};
use mpirage_channel::{LineRequest, YIELD_SIGNAL};
use mpirage_system::{Thread, signal_thread};

use super::Processes;
use super::line::{Line, Standing, Threads};
use super::sleepers::{Sleepers, processor_time, runs};

/// Nanoseconds of work of a sleeping thread that are worth a burst: falling asleep takes as long.
const LEAST_WORK: u64 = 5_000;

impl Processes {
    /// Have the threads of a rank lines of their own?
    pub(crate) fn is_threaded(&self, rank: RankId) -> bool {
        self.mailboxes.is_threaded(LineId::first_of(rank))
    }

    /// The open lines of a rank, in order.
    pub(crate) fn lines_of(&self, rank: RankId) -> Vec<LineId> {
        let further = &self.threads[rank.index()].lines;
        std::iter::once(LineId::first_of(rank)).chain(further.iter().copied()).collect()
    }

    /// The engine resumes a line, and its thread goes on.
    pub(crate) fn line_runs(&mut self, line: LineId) {
        let measured = self.mailboxes.briefing(line).measure;
        let processor_time =
            if measured { self.mailboxes.thread(line).and_then(processor_time) } else { None };
        let state = &mut self.lines[line.index()];
        (state.standing, state.counted_to) = (Standing::Runs, processor_time);
    }

    /// Waits for a while until a line of the rank that runs stops. If none runs, threads without lines may: waits only if this is not the first look.
    pub(crate) fn wait_for_threads(&mut self, rank: RankId, patience: Duration, first: bool) {
        let runs = |line: &LineId| {
            self.lines[line.index()].standing != Standing::Calls && self.mailboxes.is_running(*line)
        };
        let running: Vec<LineId> = self.lines_of(rank).into_iter().filter(runs).collect();
        match running[..] {
            [] if first => {}
            [] => std::thread::sleep(patience),
            _ => drop(self.mailboxes.wait_any(&running, patience)),
        }
    }

    /// Do all threads of a rank sleep, in calls or elsewhere?
    pub(crate) fn threads_sleep(&mut self, rank: RankId) -> bool {
        let process = self.pid(rank).as_raw() as u32;
        let waits = |line: &LineId| !self.mailboxes.is_running(*line) && !self.mailboxes.has_ended(*line);
        let in_calls = self.lines_of(rank).into_iter().filter(waits);
        let in_calls: Vec<u32> = in_calls.filter_map(|line| self.mailboxes.thread(line)).collect();
        let needs_simulator = !in_calls.is_empty() || !self.line_requests(rank).is_empty();
        let sleepers = &mut self.threads[rank.index()].sleepers;
        // A rank with no thread in a call, or before its first, waits for nothing that the simulator does. Its only thread goes on by itself, when
        // a child process has ended for example; so may one of several.
        sleepers.all_sleep(process, &in_calls)
            && (needs_simulator || !(sleepers.had_one_thread() || sleepers.go_on_by_themselves(process)))
    }

    /// The threads of a rank that want lines.
    pub(crate) fn line_requests(&self, rank: RankId) -> Vec<LineRequest> {
        self.mailboxes.line_requests(LineId::first_of(rank))
    }

    /// Opens a line, which the engine knows by this number, and gives it to the thread that asks.
    pub(crate) fn open_line(&mut self, rank: RankId, request: LineRequest, line: LineId) -> io::Result<()> {
        let first = LineId::first_of(rank);
        let opened = self.mailboxes.open_line(rank, &self.mailboxes.briefing(first))?;
        assert_eq!(opened, line, "engine and mailboxes number lines alike");
        self.lines.push(Line { ahead: false, standing: Standing::Runs, ..Line::default() });
        self.threads[rank.index()].lines.push(line);
        self.mailboxes.give_line(first, request, line);
        Ok(())
    }

    /// Has a line made calls that the engine can take now? Then it takes them.
    pub(crate) fn takes_calls(&mut self, line: LineId) -> bool {
        let state = &mut self.lines[line.index()];
        let takes = state.standing == Standing::Runs && !self.mailboxes.is_running(line);
        if takes {
            (state.standing, state.ahead) = (Standing::Calls, false);
        }
        takes
    }

    /// The thread of a line has ended, and its last calls are taken: the line is no longer one of its rank's.
    pub(crate) fn close_line(&mut self, line: LineId) {
        let rank = self.rank_of(line);
        self.threads[rank.index()].lines.retain(|&open| open != line);
    }

    /// The threads of a rank.
    pub(crate) fn threads_of(&mut self, rank: RankId) -> &mut Threads {
        &mut self.threads[rank.index()]
    }

    /// Asks threads that work to pass their turn, if others wait in calls or the rank shares memory. Those without a line ask for one then.
    pub(crate) fn ask_workers_to_yield(&self, rank: RankId) {
        let in_call = |line: &LineId| !self.mailboxes.is_running(*line) && !self.mailboxes.has_ended(*line);
        let works = |line: &LineId| {
            self.lines[line.index()].standing != Standing::Calls
                && self.mailboxes.is_running(*line)
                && self.mailboxes.thread(*line).is_some_and(runs)
        };
        let lines = self.lines_of(rank);
        if !self.mailboxes.shares_memory(LineId::first_of(rank)) && !lines.iter().any(in_call) {
            return;
        }
        let process = self.pid(rank).as_raw() as u32;
        let with_lines: Vec<u32> = lines.iter().filter_map(|line| self.mailboxes.thread(*line)).collect();
        for thread in Sleepers::running(process, &with_lines) {
            signal_thread(Thread { process, thread }, YIELD_SIGNAL);
        }
        lines.into_iter().filter(works).for_each(|line| self.ask_to_yield(line));
    }

    /// Asks the thread of a line to pass its turn.
    pub(crate) fn ask_to_yield(&self, line: LineId) {
        let process = self.pid(self.rank_of(line)).as_raw() as u32;
        let thread = self.mailboxes.thread(line).unwrap_or(process);
        signal_thread(Thread { process, thread }, YIELD_SIGNAL);
    }

    /// A thread sleeps outside MPI: the nanoseconds that it has worked since that was last counted.
    pub(crate) fn count_work(&mut self, line: LineId) -> Option<u64> {
        let measured = self.mailboxes.briefing(line).measure;
        let state = &mut self.lines[line.index()];
        if state.standing != Standing::Runs || !measured {
            return None;
        }
        let now = self.mailboxes.thread(line).and_then(processor_time)?;
        let counted_to = state.counted_to.get_or_insert(now);
        let work = now.saturating_sub(*counted_to);
        if work < LEAST_WORK {
            return None;
        }
        (*counted_to, state.standing) = (now, Standing::Works);
        self.mailboxes.note_counted(line, work);
        Some(work)
    }

    /// The engine resumes a line after work that was counted while its thread slept. True if it was that.
    pub(crate) fn ends_counted_burst(&mut self, line: LineId) -> bool {
        let state = &mut self.lines[line.index()];
        let counted = state.standing == Standing::Works;
        if counted {
            state.standing = Standing::Runs;
        }
        counted
    }
}
