//! Threads of processes: which of them sleep, and their lines.

use std::fs;
use std::io;
use std::time::Duration;

use mpirage_call::{LineId, RankId};
use mpirage_channel::LineRequest;

use super::Processes;
use super::line::{Line, Standing};

/// Nanoseconds of work of a sleeping thread that are worth a burst: falling asleep takes as long.
const LEAST_WORK: u64 = 5_000;

/// A thread, and how often it has got a core.
type Slices = Vec<(u32, u64)>;

impl Processes {
    /// Have the threads of a rank lines of their own?
    pub(crate) fn is_threaded(&self, rank: RankId) -> bool {
        self.mailboxes.is_threaded(LineId::first_of(rank))
    }

    /// The open lines of a rank, in order.
    pub(crate) fn lines_of(&self, rank: RankId) -> Vec<LineId> {
        let further = (self.ranks..self.lines.len()).map(|line| LineId::new(line as u32));
        let own = further.filter(|&line| self.rank_of(line) == rank);
        std::iter::once(LineId::first_of(rank)).chain(own).collect()
    }

    /// The engine resumes a line, and its thread goes on.
    pub(crate) fn line_runs(&mut self, line: LineId) {
        let processor_time = self.mailboxes.owner(line).and_then(processor_time);
        let state = &mut self.lines[line.index()];
        (state.standing, state.counted_to) = (Standing::Runs, processor_time);
    }

    /// Waits for a while until a line of the rank that runs stops.
    pub(crate) fn wait_for_threads(&mut self, rank: RankId, patience: Duration) {
        let runs = |line: &LineId| {
            self.lines[line.index()].standing == Standing::Runs && self.mailboxes.is_running(*line)
        };
        let running: Vec<LineId> = self.lines_of(rank).into_iter().filter(runs).collect();
        match running[..] {
            // Threads without lines may run.
            [] => std::thread::sleep(patience),
            _ => drop(self.mailboxes.wait_any(&running, patience)),
        }
    }

    /// Do all threads of a rank sleep? A thread that is asleep in the first look and has not got a core up to the second look sleeps at
    /// the moment between the looks.
    pub(crate) fn threads_sleep(&self, rank: RankId) -> bool {
        let process = self.pid(rank).as_raw() as u32;
        let first = sleeping(process);
        first.is_some() && first == slices(process)
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

    /// Has the thread of a line ended?
    pub(crate) fn has_thread_ended(&self, line: LineId) -> bool {
        self.mailboxes.has_ended(line)
    }

    /// A thread sleeps outside MPI: the nanoseconds that it has worked since that was last counted.
    pub(crate) fn count_work(&mut self, line: LineId) -> Option<u64> {
        let measured = self.mailboxes.briefing(line).measure;
        let state = &mut self.lines[line.index()];
        if state.standing != Standing::Runs || !measured {
            return None;
        }
        let now = self.mailboxes.owner(line).and_then(processor_time)?;
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

/// The threads of a process if all sleep. Threads that have ended do too, but not a process that has.
fn sleeping(process: u32) -> Option<Slices> {
    let slices = slices(process)?;
    let states = slices.iter().map(|&(thread, _)| state(process, thread)).collect::<Option<Vec<char>>>()?;
    let lives = states.contains(&'S');
    (lives && states.iter().all(|state| matches!(state, 'S' | 'Z' | 'X'))).then_some(slices)
}

/// How often each thread of a process has got a core.
fn slices(process: u32) -> Option<Slices> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let thread = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let slice = |thread: u32| Some((thread, field(&format!("/proc/{process}/task/{thread}/schedstat"), 2)?));
    entries.map(|entry| slice(thread(entry)?)).collect()
}

/// The state of a thread as the kernel abbreviates it. It follows the name, which is in parentheses and may contain any character.
fn state(process: u32, thread: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{process}/task/{thread}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Nanoseconds that a thread has had a core.
fn processor_time(thread: u32) -> Option<u64> {
    field(&format!("/proc/{thread}/schedstat"), 0)
}

fn field(path: &str, position: usize) -> Option<u64> {
    fs::read_to_string(path).ok()?.split_ascii_whitespace().nth(position)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_sleeps_when_all_its_threads_do() {
        // The test's own process has a thread that runs: this one.
        let me = std::process::id();
        assert_eq!(sleeping(me), None);
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(4);
        while sleeping(child.id()).is_none() && std::time::Instant::now() < deadline {}
        assert_eq!(sleeping(child.id()), slices(child.id()));
        assert!(sleeping(child.id()).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(slices(child.id()), None);
    }
}
