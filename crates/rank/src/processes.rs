//! The processes of a run: their mailboxes, memories and ends.

mod bytes;

use std::collections::BTreeMap;
use std::io;
use std::process::Child;
use std::time::Duration;

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, Reply};
use mpirage_channel::{Briefing, Crash, Disturbed, Fleet, Waiting};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::crash::Death;
use crate::executable::other_mpi_in_map;
use crate::output::Output;
use crate::program::{Identity, Program};
use crate::ranks::Stop;
use crate::shared::SharedFile;
use crate::symbols::{Site, Symbols};

/// How long to wait for a rank before looking whether it still lives.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// Living processes whose memory maps are read after a run; those of one program are the same.
const LOOKED_AT: usize = 32;

/// How bytes get from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlane {
    /// The kernel copies between processes.
    Direct,
    /// Where the kernel does not let us: ranks copy to and from their mailboxes.
    Mailbox,
}

/// One rank's process.
struct Process {
    child: Option<Child>,
    id: u32,
    output: Output,
    death: Option<Death>,
    /// Where it was when a signal killed it, if it could still tell.
    crash: Option<Crash>,
    /// It may be running although simulated time is not there: its mailbox is not ours.
    ahead: bool,
    /// What is to be stored in its memory when it has stopped: address, length, bytes, filled up to words.
    late_stores: Vec<u64>,
}

/// All processes of a run.
pub struct Processes {
    fleet: Fleet,
    shared: SharedFile,
    processes: Vec<Process>,
    data_plane: DataPlane,
    wanted_data_plane: DataPlane,
    /// A rank whose memory could not be reached, and why.
    fault: Option<(u32, String)>,
    /// Memory maps by rank, of one rank of each program.
    maps: BTreeMap<u32, String>,
    /// A library of another MPI that a rank has loaded.
    other_mpi: Option<String>,
}

impl Processes {
    /// No process yet, but a mailbox for each.
    pub fn new(ranks: usize, briefing: &Briefing, data_plane: DataPlane) -> io::Result<Processes> {
        let shared = SharedFile::new()?;
        let briefing = Briefing { shared_file: shared.descriptor(), ..*briefing };
        let fleet = Fleet::new(ranks, &briefing)?;
        Ok(Processes {
            fleet,
            shared,
            processes: Vec::with_capacity(ranks),
            data_plane,
            wanted_data_plane: data_plane,
            fault: None,
            maps: BTreeMap::new(),
            other_mpi: None,
        })
    }

    /// Did it turn out that the kernel does not let us copy between processes?
    pub(crate) fn fell_back_to_mailboxes(&self) -> bool {
        self.data_plane != self.wanted_data_plane
    }

    /// Bytes that exist once for all ranks.
    pub fn shared_resident_bytes(&self) -> u64 {
        self.shared.resident_bytes()
    }

    /// Bursts that took far longer than usual at their place.
    pub(crate) fn disturbances(&self) -> Disturbed {
        self.fleet.disturbances()
    }

    /// Starts the next rank. Ranks start in order.
    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        let (output, writer) = Output::new()?;
        let child = program.start(who, self.fleet.file(), writer)?;
        let id = child.id();
        self.processes.push(Process {
            child: Some(child),
            id,
            output,
            death: None,
            crash: None,
            ahead: true,
            late_stores: Vec::new(),
        });
        Ok(())
    }

    /// How many ranks have been started.
    pub(crate) fn started(&self) -> usize {
        self.processes.len()
    }

    /// The process number of a rank, while it lives.
    fn living(&self, rank: u32) -> Option<u32> {
        let process = self.processes.get(rank as usize)?;
        process.child.as_ref().map(|_| self.fleet.owner(rank as usize).unwrap_or(process.id))
    }

    /// Tells where code is. What a living rank has loaded meanwhile comes first; of those that are no more, there is the map
    /// of the first rank of each program, as it was when that first waited.
    pub(crate) fn explain_addresses(&self, symbols: &mut Symbols) {
        let ranks = 0..self.started() as u32;
        ranks.filter_map(|rank| self.living(rank)).take(LOOKED_AT).for_each(|process| symbols.learn(process));
        self.maps.values().for_each(|map| symbols.learn_map(map));
        // Each process has its own memory, in which its program is once.
        symbols.learned_all_instances();
    }

    /// Keeps the memory map of a rank, unless that has been done. True if it had not.
    pub(crate) fn note_addresses(&mut self, rank: u32) -> bool {
        let first = !self.maps.contains_key(&rank);
        if first {
            let map = std::fs::read_to_string(format!("/proc/{}/maps", self.pid(rank))).unwrap_or_default();
            self.maps.insert(rank, map);
        }
        first
    }

    /// Looks whether a rank that has never called us has loaded another MPI.
    pub(crate) fn look_for_other_mpi(&mut self, rank: u32) {
        if self.other_mpi.is_none() && self.fleet.owner(rank as usize).is_none() {
            let map = std::fs::read_to_string(format!("/proc/{}/maps", self.pid(rank))).unwrap_or_default();
            self.other_mpi = other_mpi_in_map(&map);
        }
    }

    /// The library of another MPI that a rank was seen with.
    pub(crate) fn other_mpi(&self) -> Option<&str> {
        self.other_mpi.as_deref()
    }

    /// Gives a rank its reply and lets it run.
    pub(crate) fn answer(&mut self, rank: u32, reply: &Reply) -> Result<(), String> {
        self.fleet.answer(rank as usize, reply).map_err(|error| error.to_string())?;
        self.fleet.release(rank as usize);
        Ok(())
    }

    /// Waits for a while until a rank stops, or one of the others that run. None if this one still runs.
    pub(crate) fn wait(&mut self, rank: u32, others: &[u32], patience: Duration) -> Option<Stop> {
        if let Some(death) = self.processes[rank as usize].death {
            return Some(Stop::Ended(death));
        }
        let waited = match others {
            [] => self.fleet.wait(rank as usize, patience),
            _ => self.fleet.wait_any(&[&[rank], others].concat(), patience),
        };
        match waited {
            Waiting::Over if !self.fleet.is_running(rank as usize) => Some(Stop::Waits),
            _ => self.reap(rank).map(Stop::Ended),
        }
    }

    /// Waits for a while until one of these ranks stops.
    pub(crate) fn wait_any(&self, ranks: &[u32], patience: Duration) {
        self.fleet.wait_any(ranks, patience);
    }

    /// Processor time that the rank's process has used; none if it is no more.
    pub(crate) fn processor_time(&self, rank: u32) -> Duration {
        let time = ClockId::pid_cpu_clock_id(self.pid(rank)).and_then(ClockId::now);
        time.map(Duration::from).unwrap_or_default()
    }

    /// Has the rank stopped, or ended?
    pub(crate) fn has_stopped(&mut self, rank: u32) -> bool {
        !self.fleet.is_running(rank as usize) || self.reap(rank).is_some()
    }

    /// Does a stopped rank only want to know when its last call returned?
    pub(crate) fn asks_when(&mut self, rank: u32) -> bool {
        let lives = self.processes[rank as usize].death.is_none();
        lives && matches!(decode_call(self.fleet.calls(rank as usize)), Ok((_, Call::When, _)))
    }

    /// The rank may run from here on, before simulated time is there: nobody touches its mailbox.
    pub(crate) fn goes_ahead(&mut self, rank: u32) {
        if let Some(process) = self.processes.get_mut(rank as usize) {
            process.ahead = true;
        }
    }

    /// The calls a stopped rank has made.
    pub(crate) fn calls(&mut self, rank: u32, into: &mut Vec<u64>) {
        into.extend_from_slice(self.fleet.calls(rank as usize));
    }

    /// Collects what a stopped rank has written. True if there is something to show.
    pub(crate) fn collect_output(&mut self, rank: u32) -> bool {
        self.processes[rank as usize].output.collect().unwrap_or(false)
    }

    /// Shows what a rank has written.
    pub(crate) fn show_output(&mut self, rank: u32, to: &mut dyn io::Write) -> io::Result<()> {
        self.processes[rank as usize].output.show(to)
    }

    /// Is there a rank whose memory could not be reached?
    pub(crate) fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Which, and why.
    pub(crate) fn fault(&mut self) -> Option<(u32, String)> {
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
    pub(crate) fn death(&mut self, rank: u32) -> Option<Death> {
        self.reap(rank).or(self.processes[rank as usize].death)
    }

    /// Has the rank's process ended just now? Then its mailbox is ours.
    fn reap(&mut self, rank: u32) -> Option<Death> {
        let process = &mut self.processes[rank as usize];
        let status = process.child.as_mut()?.try_wait().ok()??;
        process.child = None;
        self.fleet.take_back(rank as usize);
        let (mut death, crash) = (Death::of(status), self.fleet.crash(rank as usize));
        process.crash = crash.filter(|crash| death == Death::Signal(crash.signal));
        if process.crash.as_ref().is_some_and(|crash| crash.stack_overflow) {
            death = Death::StackOverflow;
        }
        process.death = Some(death);
        process.death
    }

    /// Where a rank was when it died, if that is known.
    pub(crate) fn place_of_death(&self, rank: u32) -> Option<Site> {
        let crash = self.processes.get(rank as usize)?.crash.as_ref()?;
        let mut symbols = Symbols::default();
        symbols.learn_map(&crash.map);
        symbols.place_in_program(&crash.frames)
    }

    /// The process whose memory a rank's addresses mean: the one that attached, which a wrapper may have started.
    pub(crate) fn pid(&self, rank: u32) -> Pid {
        let id = self.fleet.owner(rank as usize).unwrap_or(self.processes[rank as usize].id);
        Pid::from_raw(id as i32)
    }
}

/// However a run ends, no process is left.
impl Drop for Processes {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Ends what ranks had started and left behind, one generation of it. True if there was any.
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
