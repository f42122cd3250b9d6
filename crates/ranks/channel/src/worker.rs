//! Worker processes: forks of the simulator, each of which holds a part of the folded ranks.
//!
//! A fork has all ranks in its memory at the addresses that they had, so nothing has to be moved. The simulator sends commands through
//! one [`Ring`], a worker reports through another. A worker wakes the simulator only if it waits for that very line.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use mpirage_call::wire::{Full, encode_reply, encode_service};
use mpirage_call::{LineId, Reply, Service};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};

use crate::layout::{Disturbed, INBOX, LongerBursts};
use crate::ring::Ring;

/// No line.
const NONE: u32 = u32::MAX;
/// How long one sleep lasts at most.
const PATIENCE: Duration = Duration::from_millis(50);
/// How soon the simulator looks again whether a ring has room.
const SOON: Duration = Duration::from_millis(1);
/// Words before the payload of a command, and of a report.
const COMMAND_HEAD: usize = 4;
const REPORT_HEAD: usize = 6;
const STATUS_BYTES: usize = 4096;

/// The task of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The line gets the reply in the payload, and runs until it stops.
    Run,
    /// The line carries out the service in the payload; the report has that many bytes.
    Serve {
        /// Bytes of the result.
        back: u64,
    },
    /// A rank that runs for longer than so many nanoseconds is interrupted.
    Limit {
        /// The nanoseconds.
        nanos: u64,
    },
}

/// Why a line stopped, in numbers that the caller gives a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The line.
    pub line: LineId,
    /// Why it stopped.
    pub kind: u32,
    /// An exit code or a signal.
    pub code: i32,
    /// Where it was.
    pub place: u64,
    /// The calls that it has made.
    pub calls: Vec<u64>,
    /// Its standard output since the last report, or the result of a service.
    pub bytes: Vec<u8>,
}

/// What a worker says at any time.
#[repr(C)]
struct Status {
    /// The line that runs.
    running: AtomicU32,
    /// The line that the simulator waits for.
    wanted: AtomicU32,
    /// The first rank that could not open a file.
    out_of_files: AtomicU32,
    disturbed: [AtomicU64; 4],
}

/// A page that a worker and the simulator share.
struct StatusPage(*mut Status);

// SAFETY: all in it is atomic.
unsafe impl Send for StatusPage {}

impl StatusPage {
    fn new() -> io::Result<StatusPage> {
        const { assert!(size_of::<Status>() <= STATUS_BYTES) };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh mapping wherever the kernel likes touches nothing that exists.
        let base = unsafe { mmap_anonymous(std::ptr::null_mut(), STATUS_BYTES, access, MapFlags::SHARED)? };
        let page = StatusPage(base.cast());
        let status = page.get();
        [&status.running, &status.wanted, &status.out_of_files]
            .iter()
            .for_each(|word| word.store(NONE, Ordering::Relaxed));
        Ok(page)
    }

    fn get(&self) -> &Status {
        // SAFETY: mapped as long as `self` lives; all in it is atomic.
        unsafe { &*self.0 }
    }
}

impl Drop for StatusPage {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new`, and no reference to it outlives `self`.
        let unmapped = unsafe { munmap(self.0.cast(), STATUS_BYTES) };
        debug_assert!(unmapped.is_ok());
    }
}

/// The memory between the simulator and a worker.
struct Link {
    commands: Ring,
    reports: Ring,
    status: StatusPage,
}

/// The simulator's end.
pub struct Worker {
    link: Link,
    process: u32,
    /// Words of reports that are not complete.
    words: Vec<u64>,
    reports: Vec<Report>,
    /// Room for a reply or a service.
    buffer: Vec<u64>,
    /// Words of commands for which the ring had no room, and how many of them it has taken since.
    backlog: Vec<u64>,
    taken: usize,
}

/// A worker's end.
pub struct WorkerEnd<'a> {
    link: &'a mut Link,
    words: Vec<u64>,
    taken: usize,
    buffer: Vec<u64>,
}

impl Worker {
    /// Forks. The new process does `work`, and ends when that ends, or with the simulator.
    pub fn start(work: impl FnOnce(&mut WorkerEnd<'_>)) -> io::Result<Worker> {
        let mut link = Link { commands: Ring::new()?, reports: Ring::new()?, status: StatusPage::new()? };
        let simulator = getpid();
        // SAFETY: the new process has one thread, which goes on here. It uses nothing that other threads may have locked but the C
        // library's allocator, which the C library unlocks in the new process.
        match unsafe { libc::fork() } {
            0 => {
                be_worker(simulator, || {
                    work(&mut WorkerEnd { link: &mut link, words: Vec::new(), taken: 0, buffer: Vec::new() });
                });
            }
            -1 => Err(io::Error::last_os_error()),
            process => Ok(Worker {
                link,
                process: process as u32,
                words: Vec::new(),
                reports: Vec::new(),
                buffer: vec![0; INBOX / 8],
                backlog: Vec::new(),
                taken: 0,
            }),
        }
    }

    /// The process.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Gives a line its reply: it runs when those before it have stopped.
    pub fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), Full> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let encoded =
            encode_reply(reply, &mut buffer).map(|count| self.command(line, Task::Run, &buffer[..count]));
        self.buffer = buffer;
        encoded
    }

    /// Asks a waiting line for a service with a result of so many bytes.
    pub fn serve(&mut self, line: LineId, service: &Service<'_>, back: u64) -> Result<(), Full> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let encoded = encode_service(service, &mut buffer)
            .map(|count| self.command(line, Task::Serve { back }, &buffer[..count]));
        self.buffer = buffer;
        encoded
    }

    /// A rank that runs for longer than that from now on is interrupted.
    pub fn set_limit(&mut self, limit: Duration) {
        let nanos = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        self.command(LineId::new(0), Task::Limit { nanos }, &[]);
    }

    /// Sends a command. It waits here as long as the ring has no room for it: the simulator never waits for that.
    fn command(&mut self, line: LineId, task: Task, payload: &[u64]) {
        let (kind, argument) = match task {
            Task::Run => (0, 0),
            Task::Serve { back } => (1, back),
            Task::Limit { nanos } => (2, nanos),
        };
        self.send(&[payload.len() as u64, kind, line.get().into(), argument]);
        self.send(payload);
        self.link.commands.wake_reader();
    }

    fn send(&mut self, words: &[u64]) {
        self.send_backlog();
        let sent = if self.backlog.is_empty() { self.link.commands.put(words) } else { 0 };
        self.backlog.extend_from_slice(&words[sent..]);
    }

    fn send_backlog(&mut self) {
        if self.backlog.is_empty() {
            return;
        }
        self.taken += self.link.commands.put(&self.backlog[self.taken..]);
        if self.taken == self.backlog.len() {
            self.backlog.clear();
            self.taken = 0;
        }
        self.link.commands.wake_reader();
    }

    /// Takes the reports that have come.
    pub fn reports(&mut self) -> std::vec::Drain<'_, Report> {
        self.look();
        self.reports.drain(..)
    }

    fn look(&mut self) {
        self.send_backlog();
        self.link.reports.take(&mut self.words);
        let mut done = 0;
        while let Some((report, length)) = read_report(&self.words[done..]) {
            self.reports.push(report);
            done += length;
        }
        self.words.drain(..done);
    }

    /// Sleeps until a line has stopped, or the worker has much to report. May end early.
    pub fn wait(&self, line: LineId, patience: Duration) {
        let wanted = &self.link.status.get().wanted;
        wanted.store(line.get(), Ordering::SeqCst);
        // Nothing wakes the simulator when the ring has room again.
        let patience = if self.backlog.is_empty() { patience } else { patience.min(SOON) };
        self.link.reports.wait_for_words(patience);
        wanted.store(NONE, Ordering::Relaxed);
    }

    /// The line that runs.
    pub fn running(&self) -> Option<LineId> {
        known(&self.link.status.get().running).map(LineId::new)
    }

    /// The first rank that could not open a file.
    pub fn out_of_files(&self) -> Option<u32> {
        known(&self.link.status.get().out_of_files)
    }

    /// Bursts that took longer than usual.
    pub fn disturbed(&self) -> Disturbed {
        let [bursts, nanos, more_bursts, more_nanos] =
            [0, 1, 2, 3].map(|index| self.link.status.get().disturbed[index].load(Ordering::Relaxed));
        Disturbed {
            interrupted: LongerBursts { bursts, nanos },
            unusual: LongerBursts { bursts: more_bursts, nanos: more_nanos },
        }
    }
}

impl WorkerEnd<'_> {
    /// Waits for the next command, whose payload is stored in `payload`.
    pub fn command(&mut self, payload: &mut Vec<u64>) -> (LineId, Task) {
        let [length, kind, line, argument] =
            self.take(COMMAND_HEAD, |head| [head[0], head[1], head[2], head[3]]);
        payload.clear();
        self.take(length as usize, |words| payload.extend_from_slice(words));
        let task = match kind {
            0 => Task::Run,
            1 => Task::Serve { back: argument },
            _ => Task::Limit { nanos: argument },
        };
        (LineId::new(line as u32), task)
    }

    fn take<T>(&mut self, count: usize, read: impl FnOnce(&[u64]) -> T) -> T {
        while self.words.len() - self.taken < count {
            self.words.drain(..std::mem::take(&mut self.taken));
            let before = self.words.len();
            self.link.commands.take(&mut self.words);
            if self.words.len() == before {
                self.link.commands.wait_for_words(PATIENCE);
            }
        }
        self.taken += count;
        read(&self.words[self.taken - count..self.taken])
    }

    /// A line runs from here on.
    pub fn runs(&self, line: LineId) {
        self.link.status.get().running.store(line.get(), Ordering::Relaxed);
    }

    /// Says what the simulator may ask at any time.
    pub fn note(&self, disturbed: Disturbed, out_of_files: Option<u32>) {
        let Disturbed { interrupted, unusual } = disturbed;
        let numbers = [interrupted.bursts, interrupted.nanos, unusual.bursts, unusual.nanos];
        let status = self.link.status.get();
        status.disturbed.iter().zip(numbers).for_each(|(word, number)| word.store(number, Ordering::Relaxed));
        status.out_of_files.store(out_of_files.unwrap_or(NONE), Ordering::Relaxed);
        status.running.store(NONE, Ordering::Relaxed);
    }

    /// Reports to the simulator, and wakes it if it waits for this line.
    pub fn report(&mut self, report: &Report) {
        let Report { line, kind, code, place, calls, bytes } = report;
        self.buffer.clear();
        self.buffer.extend([calls.len() as u64, bytes.len() as u64, line.get().into()]);
        self.buffer.extend([u64::from(*kind), *code as u64, *place]);
        self.buffer.extend_from_slice(calls);
        self.buffer.extend(bytes.chunks(8).map(word_of));
        let mut rest = self.buffer.as_slice();
        loop {
            rest = &rest[self.link.reports.put(rest)..];
            if rest.is_empty() {
                break;
            }
            self.link.reports.wait_for_room(PATIENCE);
        }
        if self.link.status.get().wanted.load(Ordering::SeqCst) == line.get() {
            self.link.reports.wake_reader();
        }
    }
}

fn known(word: &AtomicU32) -> Option<u32> {
    Some(word.load(Ordering::Relaxed)).filter(|&number| number != NONE)
}

/// The first report of these words and its length, if it is complete.
fn read_report(words: &[u64]) -> Option<(Report, usize)> {
    let [calls, bytes, line, kind, code, place, rest @ ..] = words else { return None };
    let (calls, bytes) = (*calls as usize, *bytes as usize);
    let length = calls + bytes.div_ceil(8);
    let payload = rest.get(..length)?;
    let mut text: Vec<u8> = payload[calls..].iter().flat_map(|word| word.to_ne_bytes()).collect();
    text.truncate(bytes);
    let report = Report {
        line: LineId::new(*line as u32),
        kind: *kind as u32,
        code: *code as i32,
        place: *place,
        calls: payload[..calls].to_vec(),
        bytes: text,
    };
    Some((report, REPORT_HEAD + length))
}

fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(word)
}

/// The new process. It never returns to the code of the simulator, whose files and locks it has copies of.
fn be_worker(simulator: Pid, work: impl FnOnce()) -> ! {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // The simulator may have died before that.
    let code = match getppid() == Some(simulator) {
        true => i32::from(catch_unwind(AssertUnwindSafe(work)).is_err()) * PANICKED,
        false => 0,
    };
    // SAFETY: ends this process; nothing of the simulator's is flushed or removed.
    unsafe { libc::_exit(code) }
}

/// The exit code of a program that panics.
const PANICKED: i32 = 101;

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for the next report.
    fn next(worker: &mut Worker, line: LineId) -> Report {
        loop {
            if let Some(report) = worker.reports().next() {
                return report;
            }
            worker.wait(line, PATIENCE);
        }
    }

    #[test]
    fn a_worker_gets_commands_and_reports() {
        let mut worker = Worker::start(|end| {
            let mut payload = Vec::new();
            for _ in 0..4 {
                let (line, task) = end.command(&mut payload);
                end.runs(line);
                let bytes = payload.iter().map(|&word| word as u8).collect();
                let kind = u32::from(task == Task::Serve { back: 3 });
                end.report(&Report { line, kind, code: -1, place: 9, calls: payload.clone(), bytes });
            }
        })
        .unwrap();
        let line = LineId::new(5);
        for (payload, task) in [
            (vec![], Task::Run),
            (vec![1, 2, 3], Task::Serve { back: 3 }),
            // More than a ring has room for, so that both sides wait for each other.
            ((0..400_000).collect(), Task::Run),
            (vec![8], Task::Limit { nanos: 4 }),
        ] {
            worker.command(line, task, &payload);
            let report = next(&mut worker, line);
            assert_eq!((report.line, report.code, report.place), (line, -1, 9));
            assert_eq!(report.kind == 1, task == Task::Serve { back: 3 });
            assert!(report.bytes.iter().copied().eq(payload.iter().map(|&word| word as u8)));
            assert!(report.calls == payload);
        }
        assert_eq!(worker.running(), Some(line));
        let process = Pid::from_raw(worker.process() as i32);
        let ended = rustix::process::waitpid(process, rustix::process::WaitOptions::empty()).unwrap();
        assert!(ended.is_some_and(|(_, status)| status.exit_status() == Some(0)));
    }
}
