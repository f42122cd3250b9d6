//! Folded ranks in several worker processes, so that they compute on several cores.
//!
//! The ranks are folded into the simulator's process at first. When all have been started, the simulator forks workers: each has all
//! ranks in its memory and goes on with a part of them ([`Held`]). From then on the simulator knows where ranks are, but does not run
//! them. A line that the engine has released goes to the queue of its worker at once; it runs there when those before it have stopped,
//! and its report waits until the engine wants its calls. Bytes are copied by the kernel, as between processes.
//!
//! ```text
//!             reply ──► commands ──► a worker runs it ──► reports ──► calls, output, how it ended
//!  engine ── released or resumed ── ahead ───────────────────────── its simulated time has come
//! ```

mod held;
mod loop_of_worker;
mod trial;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, LineId, RankId, Reply, Service};
use mpirage_channel::{Disturbed, LongerBursts, Mailboxes, Report, Worker};
use mpirage_mpi::RankAddress;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::Folded;
use crate::crash::{Death, LostWorker};
use crate::program::{Identity, Program};
use crate::remote_memory;
use crate::service::Serve;
use crate::stop::Stop;
use crate::symbols::Symbols;
use crate::watchdog;
use crate::worker_count::WorkerCount;

use held::Held;
use trial::Trial;

/// How long to wait for a report before looking whether the worker lives.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long ranks that are to stop may take.
const STOPPING: Duration = Duration::from_secs(1);

/// All ranks of a run.
pub struct Workers {
    folded: Folded,
    wanted: WorkerCount,
    crew: Option<Crew>,
    trial: Trial,
    /// Why workers are impossible here.
    impossible: Option<String>,
    /// Lines that the engine has released while there were no workers, and has not resumed.
    released: BTreeSet<LineId>,
}

/// The workers.
struct Crew {
    held: Held,
    workers: Vec<Worker>,
    /// How workers have died.
    deaths: Vec<Option<Death>>,
    /// The worker that the run cannot go on without.
    lost: Option<usize>,
    lines: Vec<Line>,
    /// Lines that run ahead and ask for the date of their last reply.
    asking: Vec<LineId>,
    served: Option<Report>,
}

/// A line as the simulator knows it.
#[derive(Default)]
struct Line {
    /// It has got a reply before its simulated time came.
    ahead: bool,
    /// It has got a reply or a service and has not stopped.
    runs: bool,
    /// Its last report, until the engine wants it.
    report: Option<Report>,
    /// What it wrote before it asked for a date.
    wrote: Vec<u8>,
}

impl Workers {
    /// Ranks that are to be held by so many workers once all have been started.
    pub fn new(folded: Folded, wanted: WorkerCount) -> Workers {
        Workers {
            folded,
            wanted,
            crew: None,
            trial: Trial::default(),
            impossible: None,
            released: BTreeSet::new(),
        }
    }

    /// How many processes run ranks.
    pub fn count(&self) -> usize {
        self.crew.as_ref().map_or(1, |crew| crew.workers.len())
    }

    /// Why there are no workers although they were asked for.
    pub fn alone_because(&self) -> Option<String> {
        let doubted = matches!(self.wanted, WorkerCount::IfItPays(_)) && self.crew.is_none();
        self.impossible.clone().or_else(|| doubted.then(|| self.trial.reason()))
    }

    /// Starts the workers if all ranks have been started. True if there are workers.
    pub(crate) fn are_at_work(&mut self) -> bool {
        if self.crew.is_some() {
            return true;
        }
        if self.impossible.is_some() || !self.folded.are_all_started() {
            return false;
        }
        let count = match self.wanted {
            WorkerCount::Exactly(count) => count,
            WorkerCount::IfItPays(count) if self.trial.pays() => count,
            WorkerCount::IfItPays(_) => return false,
        };
        match Crew::start(&mut self.folded, count) {
            Ok(crew) => {
                self.folded.leave_to_workers();
                self.crew = Some(crew);
            }
            Err(reason) => self.impossible = Some(reason),
        }
        self.crew.is_some()
    }

    /// The engine has released a line. True if there are no workers yet: they get it when they start.
    pub(crate) fn note_release(&mut self, line: LineId) -> bool {
        let early = self.crew.is_none();
        if early && line.index() < self.folded.started() {
            self.released.insert(line);
        }
        early
    }

    /// The line runs before there are workers.
    pub(crate) fn forget_release(&mut self, line: LineId) {
        self.released.remove(&line);
    }

    /// The lines that were released before there were workers.
    pub(crate) fn take_releases(&mut self) -> BTreeSet<LineId> {
        std::mem::take(&mut self.released)
    }

    /// Has the line got a reply before its simulated time came?
    pub(crate) fn is_ahead(&self, line: LineId) -> bool {
        self.crew.as_ref().is_some_and(|crew| crew.lines[line.index()].ahead)
    }

    /// The line runs ahead, or its simulated time has come.
    pub(crate) fn set_ahead(&mut self, line: LineId, ahead: bool) {
        if let Some(crew) = &mut self.crew {
            crew.lines[line.index()].ahead = ahead;
        }
    }

    /// Does a stopped line only ask when its last call returned?
    pub(crate) fn asks_when(&self, line: LineId) -> bool {
        let report = self.crew.as_ref().and_then(|crew| crew.lines[line.index()].report.as_ref());
        report.is_some_and(asks_when)
    }

    /// The lines that have stopped ahead to ask when their last call returned.
    pub(crate) fn take_asking(&mut self) -> Vec<LineId> {
        self.crew.as_mut().map(|crew| std::mem::take(&mut crew.asking)).unwrap_or_default()
    }

    /// Waits for a while until a line stops.
    pub(crate) fn wait(&mut self, line: LineId) -> Option<Stop> {
        let Some(crew) = &mut self.crew else { return Some(self.run_here(line)) };
        let report = crew.wait(line)?;
        let (stop, place) = (loop_of_worker::stop_of(report), report.place);
        if let Stop::Ended(death) = stop {
            self.folded.note_end(RankId::new(line.get()), death, place);
        }
        Some(stop)
    }

    /// Runs a line while there are no workers.
    fn run_here(&mut self, line: LineId) -> Stop {
        let rank = self.folded.rank_of(line);
        match (self.wanted, self.folded.are_all_started()) {
            (WorkerCount::IfItPays(_), true) => self.trial.time(|| self.folded.wait(rank)),
            _ => self.folded.wait(rank),
        }
    }

    /// Ranks that run are interrupted, so that this line stops.
    pub(crate) fn interrupt(&mut self, line: LineId) {
        let (Some(crew), end) = (&mut self.crew, Instant::now() + STOPPING) else { return };
        while Instant::now() < end && crew.lost.is_none() && crew.lines[line.index()].runs {
            for worker in &crew.workers {
                let _ = kill(pid_of(worker), watchdog::BITE);
            }
            crew.wait(line);
        }
    }

    /// The worker that the run cannot go on without.
    pub(crate) fn lost(&self) -> Option<LostWorker> {
        let crew = self.crew.as_ref()?;
        let worker = crew.lost?;
        Some(LostWorker {
            worker,
            held: crew.held.by(worker),
            running: crew.workers[worker].running().map(LineId::get),
            death: crew.deaths[worker]?,
        })
    }

    pub(crate) fn set_limit(&mut self, limit: Duration) {
        match &mut self.crew {
            Some(crew) => crew.workers.iter_mut().for_each(|worker| worker.set_limit(limit)),
            None => self.folded.set_limit(limit),
        }
    }

    pub(crate) fn listen(&self) -> io::Result<()> {
        self.folded.listen()
    }

    pub(crate) fn set_slice(&self, slice: Duration) {
        self.folded.set_slice(slice);
    }

    pub(crate) fn out_of_files(&self) -> Option<RankId> {
        let mut workers = self.crew.iter().flat_map(|crew| &crew.workers);
        workers.find_map(Worker::out_of_files).map(RankId::new).or_else(|| self.folded.out_of_files())
    }

    pub(crate) fn place_of_death(&self, rank: RankId) -> Option<u64> {
        self.folded.place_of_death(rank)
    }
}

/// The same as of other ranks.
impl Workers {
    pub(crate) fn shared_resident_bytes(&self) -> u64 {
        self.folded.shared_resident_bytes()
    }

    pub(crate) fn disturbed(&self) -> Disturbed {
        let workers = self.crew.iter().flat_map(|crew| &crew.workers).map(Worker::disturbed);
        // Workers begin with what was counted before.
        let before = self.folded.disturbed();
        workers.fold(before, |sum, one| Disturbed {
            interrupted: grown(sum.interrupted, one.interrupted, before.interrupted),
            unusual: grown(sum.unusual, one.unusual, before.unusual),
        })
    }

    pub(crate) fn mailboxes(&self) -> &Mailboxes {
        self.folded.mailboxes()
    }

    pub(crate) fn rank_of(&self, line: LineId) -> RankId {
        self.folded.rank_of(line)
    }

    pub(crate) fn started(&self) -> usize {
        self.folded.started()
    }

    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        self.folded.start(program, who)
    }

    pub(crate) fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), String> {
        match &mut self.crew {
            Some(crew) => crew.answer(line, reply),
            None => self.folded.answer(line, reply),
        }
    }

    pub(crate) fn calls(&mut self, line: LineId, into: &mut Vec<u64>) {
        match &mut self.crew {
            Some(crew) => {
                if let Some(report) = &mut crew.lines[line.index()].report {
                    into.append(&mut report.calls);
                }
            }
            None => self.folded.calls(line, into),
        }
    }

    pub(crate) fn collect_output(&mut self, rank: RankId) -> bool {
        if let Some(crew) = &mut self.crew {
            let line = &mut crew.lines[LineId::first_of(rank).index()];
            self.folded.add_output(rank, &std::mem::take(&mut line.wrote));
            let last = line.report.as_mut().map(|report| std::mem::take(&mut report.bytes));
            self.folded.add_output(rank, &last.unwrap_or_default());
        }
        self.folded.collect_output(rank)
    }

    pub(crate) fn show_output(&mut self, rank: RankId, to: &mut dyn Write) -> io::Result<()> {
        self.folded.show_output(rank, to)
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.folded.has_fault() || self.crew.as_ref().is_some_and(|crew| crew.lost.is_some())
    }

    pub(crate) fn fault(&mut self) -> Option<(RankId, String)> {
        self.folded.fault()
    }

    pub(crate) fn death(&mut self, rank: RankId) -> Option<Death> {
        self.folded.death(rank)
    }

    pub(crate) fn note_addresses(&mut self, rank: RankId) -> bool {
        self.folded.note_addresses(rank)
    }

    pub(crate) fn explain_addresses(&self, symbols: &mut Symbols) {
        self.folded.explain_addresses(symbols);
    }
}

/// Memory of ranks.
impl Workers {
    pub(crate) fn read(&mut self, from: RankAddress, into: &mut [u8]) {
        let Some(crew) = &mut self.crew else { return self.folded.read(from, into) };
        match remote_memory::read(crew.process_of(from.rank), from.address, into) {
            Ok(()) => {}
            Err(Errno::ESRCH) => crew.lose(from.rank),
            Err(_) => self.folded.inaccessible(from, into.len()),
        }
    }

    pub(crate) fn write(&mut self, to: RankAddress, bytes: &[u8]) {
        let Some(crew) = &mut self.crew else { return self.folded.write(to, bytes) };
        match remote_memory::write(crew.process_of(to.rank), to.address, bytes) {
            Ok(()) => {}
            Err(Errno::ESRCH) => crew.lose(to.rank),
            Err(_) => self.folded.inaccessible(to, bytes.len()),
        }
    }

    pub(crate) fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: usize, buffer: &mut Vec<u8>) {
        if self.crew.is_none() {
            return self.folded.copy(from, to, bytes, buffer);
        }
        buffer.resize(bytes, 0);
        self.read(from, buffer);
        self.write(to, buffer);
    }
}

impl Serve for Workers {
    fn serve(&mut self, rank: RankId, service: &Service<'_>, back: &mut [u8]) {
        let Some(crew) = &mut self.crew else { return self.folded.serve(rank, service, back) };
        if self.folded.death(rank).is_some() || !crew.wait_until_stopped(rank) {
            return;
        }
        match crew.serve(rank, service, back) {
            Ok(true) => {}
            Ok(false) => self.folded.note_fault(rank, "it ended while it was asked for data".to_owned()),
            Err(text) => self.folded.note_fault(rank, text),
        }
    }
}

impl Crew {
    /// Forks the workers. An error says why that is impossible.
    fn start(folded: &mut Folded, wanted: usize) -> Result<Crew, String> {
        let held = Held::new(folded.started(), wanted);
        let mut crew = Crew {
            held,
            workers: Vec::new(),
            deaths: vec![None; held.workers()],
            lost: None,
            lines: (0..folded.started()).map(|_| Line::default()).collect(),
            asking: Vec::new(),
            served: None,
        };
        for number in 0..held.workers() {
            let holds = move |rank| held.worker_of(rank) == number;
            let worker = Worker::start(|end| loop_of_worker::work(folded, end, &holds));
            crew.workers.push(worker.map_err(|error| format!("cannot start a worker: {error}"))?);
        }
        match crew.workers.iter().all(|worker| remote_memory::is_reachable(pid_of(worker))) {
            true => Ok(crew),
            false => Err("the kernel forbids copies between processes".to_owned()),
        }
    }

    fn process_of(&self, rank: RankId) -> Pid {
        pid_of(&self.workers[self.held.worker_of(rank.index())])
    }

    fn worker_of(&mut self, line: LineId) -> &mut Worker {
        &mut self.workers[self.held.worker_of(line.index())]
    }

    fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), String> {
        self.worker_of(line).answer(line, reply).map_err(|error| error.to_string())?;
        let state = &mut self.lines[line.index()];
        if let Some(report) = state.report.take() {
            state.wrote.extend(report.bytes);
        }
        state.runs = true;
        Ok(())
    }

    /// Takes all reports that have come.
    fn collect(&mut self) {
        for report in self.workers.iter_mut().flat_map(Worker::reports) {
            let line = &mut self.lines[report.line.index()];
            line.runs = false;
            if loop_of_worker::is_served(&report) {
                self.served = Some(report);
                continue;
            }
            if line.ahead && asks_when(&report) {
                self.asking.push(report.line);
            }
            line.report = Some(report);
        }
    }

    /// Waits for a while until a line has stopped. Notices that its worker has died.
    fn wait(&mut self, line: LineId) -> Option<&Report> {
        self.collect();
        if self.lines[line.index()].runs {
            let number = self.held.worker_of(line.index());
            self.workers[number].wait(line, PATIENCE);
            self.collect();
            if self.lines[line.index()].runs && self.has_died(number) {
                // Its last report may have come meanwhile.
                self.collect();
                self.lost = Some(number).filter(|_| self.lines[line.index()].runs);
            }
        }
        let state = &self.lines[line.index()];
        state.report.as_ref().filter(|_| !state.runs)
    }

    /// The simulator could not reach the memory of a rank, because its worker has died.
    fn lose(&mut self, rank: RankId) {
        let number = self.held.worker_of(rank.index());
        if self.has_died(number) {
            self.lost = Some(number);
        }
    }

    fn has_died(&mut self, number: usize) -> bool {
        if self.deaths[number].is_none() {
            self.deaths[number] = match waitpid(pid_of(&self.workers[number]), Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(_, code)) => Some(Death::Exit(code)),
                Ok(WaitStatus::Signaled(_, signal, _)) => Some(Death::Signal(signal as i32)),
                Ok(_) => None,
                Err(_) => Some(Death::Signal(Signal::SIGKILL as i32)),
            };
        }
        self.deaths[number].is_some()
    }

    /// Waits until the line of a rank stops. False if it ended instead, or its worker did.
    fn wait_until_stopped(&mut self, rank: RankId) -> bool {
        let line = LineId::first_of(rank);
        while self.lines[line.index()].runs && self.lost.is_none() {
            self.wait(line);
        }
        let report = self.lines[line.index()].report.as_ref();
        let ended = |report| matches!(loop_of_worker::stop_of(report), Stop::Ended(_) | Stop::Cancelled);
        let ended = report.is_some_and(ended);
        self.lost.is_none() && !ended
    }

    /// Lets a waiting rank carry out a service. False if it ended instead.
    fn serve(&mut self, rank: RankId, service: &Service<'_>, back: &mut [u8]) -> Result<bool, String> {
        let line = LineId::first_of(rank);
        let sent = self.worker_of(line).serve(line, service, back.len() as u64);
        sent.map_err(|_| "a request of the simulator does not fit its mailbox".to_owned())?;
        // Its report, which may be waiting for the engine, stays.
        self.lines[line.index()].runs = true;
        while self.lines[line.index()].runs && self.lost.is_none() {
            self.wait(line);
        }
        let served = self.served.take().filter(|report| report.bytes.len() == back.len());
        if let Some(report) = &served {
            back.copy_from_slice(&report.bytes);
        }
        Ok(served.is_some())
    }
}

/// No worker survives a run.
impl Drop for Crew {
    fn drop(&mut self) {
        let living = |number: usize| self.deaths.get(number).is_some_and(Option::is_none);
        let living: Vec<Pid> = (0..self.workers.len())
            .filter(|&number| living(number))
            .map(|number| pid_of(&self.workers[number]))
            .collect();
        for &process in &living {
            let _ = kill(process, Signal::SIGKILL);
        }
        for process in living {
            // The end of another child interrupts the wait.
            while waitpid(process, None) == Err(Errno::EINTR) {}
        }
    }
}

fn pid_of(worker: &Worker) -> Pid {
    Pid::from_raw(worker.process() as i32)
}

fn asks_when(report: &Report) -> bool {
    matches!(decode_call(&report.calls), Ok((_, Call::When, _)))
}

/// The sum so far and what a worker has added to what it began with.
fn grown(sum: LongerBursts, worker: LongerBursts, before: LongerBursts) -> LongerBursts {
    LongerBursts {
        bursts: sum.bursts + worker.bursts.saturating_sub(before.bursts),
        nanos: sum.nanos + worker.nanos.saturating_sub(before.nanos),
    }
}
