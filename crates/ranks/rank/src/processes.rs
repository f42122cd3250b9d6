//! Ranks that are processes: their mailboxes, memories and ends.

mod bytes;
mod line;
mod sleepers;
mod threads;

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, LineId, RankId, Reply};
use mpirage_channel::{Briefing, Crash, Disturbed, Mailboxes, Waiting, WorldPlace};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::crash::Death;
use crate::executable::other_mpi_in_map;
use crate::output::Output;
use crate::program::{Identity, Program};
use crate::shared::SharedFile;
use crate::stop::Stop;
use crate::symbols::{Site, Symbols};

use line::{Line, Threads};

/// How long to wait for a line before checking that its process still lives.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// The number of living processes whose memory maps are read after a run; those of one program are the same.
const LOOKED_AT: usize = 32;

/// How bytes get from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlane {
    /// The kernel copies between processes.
    Direct,
    /// Ranks copy to and from their mailboxes, where the kernel does not let the simulator copy.
    Mailbox,
}

/// One rank's process.
struct Process {
    child: Option<Child>,
    id: u32,
    output: Output,
    death: Option<Death>,
    /// Where it was when a signal killed it, if its handler could say so.
    crash: Option<Crash>,
}

/// All processes of a run.
pub struct Processes {
    mailboxes: Mailboxes,
    shared: SharedFile,
    /// By rank.
    processes: Vec<Process>,
    /// By line.
    lines: Vec<Line>,
    /// By rank.
    threads: Vec<Threads>,
    data_plane: DataPlane,
    wanted_data_plane: DataPlane,
    /// A rank whose memory could not be reached, and why.
    fault: Option<(RankId, String)>,
    /// Memory maps by rank, of one rank of each program.
    maps: BTreeMap<RankId, String>,
    /// A library of another MPI that a rank has loaded.
    other_mpi: Option<String>,
    /// The executables, each with the first of its successive ranks.
    programs: Vec<(u32, PathBuf)>,
}

impl Processes {
    /// No process yet, but a mailbox for the line of each.
    pub fn new(ranks: usize, briefing: &Briefing, data_plane: DataPlane) -> io::Result<Processes> {
        let shared = SharedFile::new()?;
        let lines_for_threads = data_plane == DataPlane::Direct && !briefing.real_time;
        let briefing = Briefing { shared_file: shared.descriptor(), lines_for_threads, ..*briefing };
        let mailboxes = Mailboxes::of_ranks(ranks, &briefing)?;
        Ok(Processes {
            mailboxes,
            shared,
            processes: Vec::with_capacity(ranks),
            lines: (0..ranks).map(|_| Line::first()).collect(),
            threads: (0..ranks).map(|_| Threads::default()).collect(),
            data_plane,
            wanted_data_plane: data_plane,
            fault: None,
            maps: BTreeMap::new(),
            other_mpi: None,
            programs: Vec::new(),
        })
    }

    /// Has the kernel refused to copy between processes?
    pub(crate) fn fell_back_to_mailboxes(&self) -> bool {
        self.data_plane != self.wanted_data_plane
    }

    /// Bytes that exist once for all ranks.
    pub fn shared_resident_bytes(&self) -> u64 {
        self.shared.resident_bytes()
    }

    /// Bursts that took far longer than usual at their place.
    pub(crate) fn disturbed(&self) -> Disturbed {
        self.mailboxes.disturbed()
    }

    /// Starts the next rank. Ranks start in order.
    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        let (output, writer) = Output::new()?;
        let child = program.start(who, self.mailboxes.file(), writer)?;
        let id = child.id();
        if self.programs.last().is_none_or(|(_, path)| *path != program.path) {
            self.programs.push((self.processes.len() as u32, program.path.clone()));
        }
        self.processes.push(Process { child: Some(child), id, output, death: None, crash: None });
        Ok(())
    }

    /// Says to a rank, which is not started yet, where its world is.
    pub(crate) fn brief(&mut self, rank: RankId, size: u32, world: WorldPlace) {
        let line = LineId::first_of(rank);
        let known = self.mailboxes.briefing(line);
        self.mailboxes.brief(line, &Briefing { size, world, ..known });
    }

    /// The mailboxes of all lines.
    pub(crate) fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    /// The rank that a line belongs to.
    pub(crate) fn rank_of(&self, line: LineId) -> RankId {
        self.mailboxes.rank_of(line)
    }

    /// How many ranks have been started.
    pub(crate) fn started(&self) -> usize {
        self.processes.len()
    }

    /// The process number of a rank, while it lives.
    fn living(&self, rank: RankId) -> Option<u32> {
        let process = self.processes.get(rank.index())?;
        process.child.as_ref().map(|_| self.mailboxes.owner(LineId::first_of(rank)).unwrap_or(process.id))
    }

    /// Tells `symbols` where code is. The maps of living ranks come first, because they show what the ranks have loaded meanwhile.
    /// Then come the maps of the first rank of each program, as they were when it first waited.
    pub(crate) fn explain_addresses(&self, symbols: &mut Symbols) {
        self.explain_addresses_of(0..self.started() as u32, symbols);
    }

    /// The same of some ranks: another program may be at the same addresses.
    pub(crate) fn explain_addresses_of(&self, ranks: Range<u32>, symbols: &mut Symbols) {
        let started = ranks.start..ranks.end.min(self.started() as u32);
        let living = started.filter_map(|rank| self.living(RankId::new(rank)));
        living.take(LOOKED_AT).for_each(|process| symbols.learn(process));
        let maps = self.maps.iter().filter(|(rank, _)| ranks.contains(&rank.get()));
        maps.for_each(|(_, map)| symbols.learn_map(map.clone()));
        // Each process has its own memory, in which its program is once.
        symbols.learned_all_instances();
    }

    /// The executables of successive ranks, as far as ranks have been started. The last one stands for those to come, too.
    pub(crate) fn programs(&self) -> Vec<(Range<u32>, &Path)> {
        let ends = self.programs.iter().map(|(first, _)| *first).skip(1).chain([u32::MAX]);
        self.programs.iter().zip(ends).map(|((first, path), end)| (*first..end, path.as_path())).collect()
    }

    /// Keeps the memory map of a rank. False if that was done before.
    pub(crate) fn note_addresses(&mut self, rank: RankId) -> bool {
        let first = !self.maps.contains_key(&rank);
        if first {
            let map = std::fs::read_to_string(format!("/proc/{}/maps", self.pid(rank))).unwrap_or_default();
            self.maps.insert(rank, map);
        }
        first
    }

    /// Checks whether a rank has loaded another MPI.
    pub(crate) fn look_for_other_mpi(&mut self, rank: RankId) {
        if self.other_mpi.is_none() {
            let map = std::fs::read_to_string(format!("/proc/{}/maps", self.pid(rank))).unwrap_or_default();
            self.other_mpi = other_mpi_in_map(&map);
        }
    }

    /// The library of another MPI that a rank has loaded.
    pub(crate) fn other_mpi(&self) -> Option<&str> {
        self.other_mpi.as_deref()
    }

    /// Gives a line its reply and lets it run.
    pub(crate) fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), String> {
        self.mailboxes.answer(line, reply).map_err(|error| error.to_string())?;
        self.mailboxes.release(line);
        Ok(())
    }

    /// Waits for a while until a line stops, or one of the others that run. None if this one still runs.
    pub(crate) fn wait(&mut self, line: LineId, others: &[LineId], patience: Duration) -> Option<Stop> {
        let rank = self.rank_of(line);
        if let Some(death) = self.processes[rank.index()].death {
            return Some(Stop::Ended(death));
        }
        let waited = match others {
            [] => self.mailboxes.wait(line, patience),
            _ => self.mailboxes.wait_any(&[&[line], others].concat(), patience),
        };
        match waited {
            Waiting::Over if !self.mailboxes.is_running(line) => Some(Stop::Waits),
            _ => self.reap(rank).map(Stop::Ended),
        }
    }

    /// Processor time that the rank's process has used; zero if it has ended.
    pub(crate) fn processor_time(&self, rank: RankId) -> Duration {
        let time = ClockId::pid_cpu_clock_id(self.pid(rank)).and_then(ClockId::now);
        time.map(Duration::from).unwrap_or_default()
    }

    /// Has the line stopped, or ended?
    pub(crate) fn has_stopped(&mut self, line: LineId) -> bool {
        !self.mailboxes.is_running(line) || self.reap(self.rank_of(line)).is_some()
    }

    /// Does a stopped line only ask when its last call returned?
    pub(crate) fn asks_when(&mut self, line: LineId) -> bool {
        let lives = self.processes[self.rank_of(line).index()].death.is_none();
        lives && matches!(decode_call(self.mailboxes.calls(line)), Ok((_, Call::When, _)))
    }

    /// The line may run from here on, before its simulated time: the simulator does not touch its mailbox.
    pub(crate) fn goes_ahead(&mut self, line: LineId) {
        if let Some(line) = self.lines.get_mut(line.index()) {
            line.ahead = true;
        }
    }

    /// The calls that a stopped line has made.
    pub(crate) fn calls(&mut self, line: LineId, into: &mut Vec<u64>) {
        into.extend_from_slice(self.mailboxes.calls(line));
    }

    /// Collects what a stopped rank has written. True if there is something to show.
    pub(crate) fn collect_output(&mut self, rank: RankId) -> bool {
        self.processes[rank.index()].output.collect().unwrap_or(false)
    }

    /// Shows what a rank has written.
    pub(crate) fn show_output(&mut self, rank: RankId, to: &mut dyn io::Write) -> io::Result<()> {
        self.processes[rank.index()].output.show(to)
    }

    /// Is there a rank whose memory could not be reached?
    pub(crate) fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// The rank whose memory could not be reached, and why.
    pub(crate) fn fault(&mut self) -> Option<(RankId, String)> {
        self.fault.take()
    }

    /// Ends every process that still lives, and waits until they are gone.
    fn end_all(&mut self) {
        for child in self.processes.iter_mut().filter_map(|process| process.child.as_mut()) {
            let _ = child.kill();
        }
        for mut child in self.processes.iter_mut().filter_map(|process| process.child.take()) {
            let _ = child.wait();
        }
        while end_orphans() {}
    }

    /// How the rank's process ended, if it has.
    pub(crate) fn death(&mut self, rank: RankId) -> Option<Death> {
        self.reap(rank).or(self.processes[rank.index()].death)
    }

    /// Notices that the rank's process has ended, and takes back its mailbox. Returns how it ended, once.
    fn reap(&mut self, rank: RankId) -> Option<Death> {
        let process = &mut self.processes[rank.index()];
        let status = process.child.as_mut()?.try_wait().ok()??;
        process.child = None;
        let (mut death, crash) = (Death::of(status), self.take_back(rank));
        let process = &mut self.processes[rank.index()];
        process.crash = crash.filter(|crash| death == Death::Signal(crash.signal));
        if process.crash.as_ref().is_some_and(|crash| crash.stack_overflow) {
            death = Death::StackOverflow;
        }
        process.death = Some(death);
        process.death
    }

    /// The mailboxes of a rank that has ended are the simulator's. Returns where it crashed, if it did.
    fn take_back(&mut self, rank: RankId) -> Option<Crash> {
        self.lines_of(rank).into_iter().for_each(|line| self.mailboxes.take_back(line));
        self.mailboxes.crash(LineId::first_of(rank))
    }

    /// Where a rank was when it died, if that is known.
    pub(crate) fn place_of_death(&self, rank: RankId) -> Option<Site> {
        let crash = self.processes.get(rank.index())?.crash.as_ref()?;
        let mut symbols = Symbols::default();
        symbols.learn_map(crash.map.clone());
        symbols.place_in_program(&crash.frames)
    }

    /// The process whose memory a rank's addresses refer to: the one that attached, which a wrapper may have started.
    pub(crate) fn pid(&self, rank: RankId) -> Pid {
        let id = self.mailboxes.owner(LineId::first_of(rank)).unwrap_or(self.processes[rank.index()].id);
        Pid::from_raw(id as i32)
    }
}

/// No process survives a run, however the run ends.
impl Drop for Processes {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Ends the processes that ranks had started and left behind, one generation of them. True if there were any.
fn end_orphans() -> bool {
    let me = std::process::id();
    let children = std::fs::read_to_string(format!("/proc/{me}/task/{me}/children")).unwrap_or_default();
    let orphans: Vec<Pid> =
        children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect();
    for &orphan in &orphans {
        let _ = kill(orphan, Signal::SIGKILL);
    }
    orphans.iter().filter(|&&orphan| waitpid(orphan, None).is_ok()).count() > 0
}
