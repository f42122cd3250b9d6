//! The ranks of a run: processes or folded ranks.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use mpirage_call::{LineId, RankId, Reply};
use mpirage_channel::{Disturbed, Waiting, WorldPlace};
use mpirage_mpi::RankAddress;

use crate::crash::Death;
use crate::processes::Processes;
use crate::program::{Identity, Program};
use crate::stop::Stop;
use crate::symbols::{Site, Symbols};
use crate::{Folded, Workers};

/// All ranks of a run.
pub enum Ranks {
    /// Each is a process.
    Processes(Box<Processes>),
    /// Each is a coroutine in this process.
    Folded(Box<Folded>),
    /// Each is a coroutine in one of several worker processes.
    Workers(Box<Workers>),
}

/// Does the same with processes and with folded ranks.
macro_rules! either {
    ($ranks:expr, $inner:ident => $action:expr) => {
        match $ranks {
            Ranks::Processes($inner) => $action,
            Ranks::Folded($inner) => $action,
            Ranks::Workers($inner) => $action,
        }
    };
}

impl Ranks {
    /// How many processes run folded ranks; none if ranks are processes.
    pub fn workers(&self) -> Option<usize> {
        match self {
            Ranks::Processes(_) => None,
            Ranks::Folded(_) => Some(1),
            Ranks::Workers(workers) => Some(workers.count()),
        }
    }

    /// Why folded ranks are in one process although workers were asked for.
    pub fn alone_because(&self) -> Option<String> {
        match self {
            Ranks::Workers(workers) => workers.alone_because(),
            Ranks::Processes(_) | Ranks::Folded(_) => None,
        }
    }

    /// Has a worker run a line before its simulated time came?
    pub(crate) fn ran_ahead_in_worker(&self, line: LineId) -> bool {
        matches!(self, Ranks::Workers(workers) if workers.is_ahead(line))
    }

    /// The rank that a line belongs to.
    pub(crate) fn rank_of(&self, line: LineId) -> RankId {
        either!(self, ranks => ranks.rank_of(line))
    }

    /// Fills `into` from the memory of a rank.
    pub(crate) fn read_memory(&mut self, from: RankAddress, into: &mut [u8]) {
        either!(self, ranks => ranks.read(from, into))
    }

    /// Stores bytes in the memory of a rank.
    pub(crate) fn write_memory(&mut self, to: RankAddress, bytes: &[u8]) {
        either!(self, ranks => ranks.write(to, bytes))
    }

    /// Copies bytes between the memories of ranks.
    pub(crate) fn copy_memory(
        &mut self,
        from: RankAddress,
        to: RankAddress,
        bytes: usize,
        buffer: &mut Vec<u8>,
    ) {
        either!(self, ranks => ranks.copy(from, to, bytes, buffer))
    }

    /// How many ranks have been started.
    pub(crate) fn started(&self) -> usize {
        either!(self, ranks => ranks.started())
    }

    /// Bursts that took far longer than usual at their place.
    pub fn disturbed(&self) -> Disturbed {
        either!(self, ranks => ranks.disturbed())
    }

    /// The first folded rank that could not open a file because all ranks together had too many. Processes have a limit each.
    pub fn out_of_files(&self) -> Option<RankId> {
        match self {
            Ranks::Folded(ranks) => ranks.out_of_files(),
            Ranks::Workers(ranks) => ranks.out_of_files(),
            Ranks::Processes(_) => None,
        }
    }

    /// Does the computation of ranks take the time that this machine takes for it?
    pub(crate) fn measures_computation(&self) -> bool {
        either!(self, ranks => ranks.mailboxes().briefing(LineId::new(0)).measure)
    }

    /// Makes signals that end the run interrupt a rank that does not stop.
    pub(crate) fn listen(&self) -> io::Result<()> {
        match self {
            // The simulator waits for processes, and signals wake it.
            Ranks::Processes(_) => Ok(()),
            Ranks::Folded(folded) => folded.listen(),
            Ranks::Workers(workers) => workers.listen(),
        }
    }

    /// Where a rank was when it died, if that is known; `symbols` explain addresses of all ranks.
    pub fn place_of_death(&self, rank: RankId, symbols: &mut Symbols) -> Option<Site> {
        match self {
            Ranks::Processes(processes) => processes.place_of_death(rank),
            Ranks::Folded(folded) => symbols.place_in_program(&[folded.place_of_death(rank)?]),
            Ranks::Workers(workers) => symbols.place_in_program(&[workers.place_of_death(rank)?]),
        }
    }

    /// Checks whether a rank has loaded another MPI.
    pub(crate) fn look_for_other_mpi(&mut self, rank: RankId) {
        if let Ranks::Processes(processes) = self {
            processes.look_for_other_mpi(rank);
        }
    }

    /// The library of another MPI that a rank was seen with, which it may have loaded while it ran.
    pub fn other_mpi(&self) -> Option<&str> {
        self.processes()?.other_mpi()
    }

    /// Starts the next rank. Ranks start in order.
    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        either!(self, ranks => ranks.start(program, who))
    }

    /// Gives a line its reply and lets it run.
    pub(crate) fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), String> {
        either!(self, ranks => ranks.answer(line, reply))
    }

    /// Waits for a while until a line stops, or one of the others that run. None if this one still runs.
    pub(crate) fn wait(&mut self, line: LineId, others: &[LineId], patience: Duration) -> Option<Stop> {
        match self {
            Ranks::Processes(processes) => processes.wait(line, others, patience),
            Ranks::Folded(folded) => Some(folded.wait(folded.rank_of(line))),
            Ranks::Workers(workers) => workers.wait(line),
        }
    }

    /// The calls that a stopped line has made.
    pub(crate) fn calls(&mut self, line: LineId, into: &mut Vec<u64>) {
        either!(self, ranks => ranks.calls(line, into))
    }

    /// Collects what a stopped rank has written. True if there is something to show.
    pub(crate) fn collect_output(&mut self, rank: RankId) -> bool {
        either!(self, ranks => ranks.collect_output(rank))
    }

    /// Shows what a rank has written.
    pub(crate) fn show_output(&mut self, rank: RankId, to: &mut dyn io::Write) -> io::Result<()> {
        either!(self, ranks => ranks.show_output(rank, to))
    }

    /// Is there a rank whose memory could not be reached?
    #[inline]
    pub(crate) fn has_fault(&self) -> bool {
        either!(self, ranks => ranks.has_fault())
    }

    /// The rank whose memory could not be reached, and why.
    pub(crate) fn fault(&mut self) -> Option<(RankId, String)> {
        either!(self, ranks => ranks.fault())
    }

    /// How the rank ended, if it has.
    pub(crate) fn death(&mut self, rank: RankId) -> Option<Death> {
        either!(self, ranks => ranks.death(rank))
    }

    /// Keeps the memory map of the rank. False if that was done before.
    pub(crate) fn note_addresses(&mut self, rank: RankId) -> bool {
        either!(self, ranks => ranks.note_addresses(rank))
    }

    /// Has the kernel refused to copy between processes?
    pub fn fell_back_to_mailboxes(&self) -> bool {
        matches!(self, Ranks::Processes(processes) if processes.fell_back_to_mailboxes())
    }

    /// Bytes that exist once for all ranks.
    pub fn shared_resident_bytes(&self) -> u64 {
        either!(self, ranks => ranks.shared_resident_bytes())
    }

    /// Tells `symbols` where the code of these ranks is in memory, if each is a process.
    pub fn explain_addresses_of(&self, ranks: Range<u32>, symbols: &mut Symbols) {
        if let Some(processes) = self.processes() {
            processes.explain_addresses_of(ranks, symbols);
        }
    }

    /// The executables of successive ranks if each rank is a process: then programs lie at the same addresses.
    pub fn programs(&self) -> Vec<(Range<u32>, &Path)> {
        self.processes().map_or_else(Vec::new, Processes::programs)
    }

    /// Tells `symbols` where code is in memory.
    pub fn explain_addresses(&mut self, symbols: &mut Symbols) {
        either!(self, ranks => ranks.explain_addresses(symbols))
    }
}

/// Features of processes only: they have threads, and other ranks can start them.
impl Ranks {
    /// Says to a rank, which is not started yet, where its world is.
    pub(crate) fn brief(&mut self, rank: RankId, size: u32, world: WorldPlace) {
        self.processes_mut().expect("only processes are started by others").brief(rank, size, world);
    }

    /// Have the threads of a rank lines of their own?
    pub(crate) fn is_threaded(&self, rank: RankId) -> bool {
        self.processes().is_some_and(|processes| processes.is_threaded(rank))
    }

    /// Does the rank of a line share memory with others?
    pub(crate) fn shares_memory(&self, line: LineId) -> bool {
        match self {
            Ranks::Processes(processes) => {
                processes.mailboxes().shares_memory(LineId::first_of(processes.rank_of(line)))
            }
            Ranks::Folded(folded) => folded.share_memory(),
            // Programs whose ranks may do that are refused.
            Ranks::Workers(_) => false,
        }
    }

    /// A folded rank that runs for longer than that from now on is interrupted.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        match self {
            Ranks::Folded(folded) => folded.set_limit(limit),
            Ranks::Workers(workers) => workers.set_limit(limit),
            Ranks::Processes(_) => {}
        }
    }

    /// Folded ranks that run from now on are asked to pass their turn after this time.
    pub(crate) fn set_slice(&self, slice: Duration) {
        match self {
            Ranks::Folded(folded) => folded.set_slice(slice),
            Ranks::Workers(workers) => workers.set_slice(slice),
            Ranks::Processes(_) => {}
        }
    }

    /// Asks a line to pass its turn.
    pub(crate) fn ask_to_yield(&self, line: LineId) {
        if let Some(processes) = self.processes() {
            processes.ask_to_yield(line);
        }
    }

    /// Takes the note where a line was when it was asked to pass its turn.
    pub(crate) fn take_interruption(&self, line: LineId) -> Option<u64> {
        self.processes()?.mailboxes().take_interruption(line)
    }

    /// The lines of a rank.
    pub(crate) fn lines_of(&self, rank: RankId) -> Vec<LineId> {
        self.processes().map(|processes| processes.lines_of(rank)).unwrap_or_default()
    }
}

/// Features of processes only: they run while the simulator works.
impl Ranks {
    pub(crate) fn are_processes(&self) -> bool {
        self.processes().is_some()
    }

    /// The process of a line.
    pub(crate) fn process(&self, line: LineId) -> Option<u32> {
        self.processes().map(|processes| processes.pid(processes.rank_of(line)).as_raw() as u32)
    }

    /// Waits for a while until one of these lines stops.
    pub(crate) fn wait_any(&self, lines: &[LineId], patience: Duration) -> Waiting {
        self.processes().map_or(Waiting::Over, |processes| processes.mailboxes().wait_any(lines, patience))
    }

    /// Processor time that the process of a line has used.
    pub(crate) fn processor_time(&self, line: LineId) -> Duration {
        self.processes()
            .map(|processes| processes.processor_time(processes.rank_of(line)))
            .unwrap_or_default()
    }

    /// May bytes be copied from the rank without its help?
    pub(crate) fn copies_directly(&self, rank: RankId) -> bool {
        self.processes().is_none_or(|processes| processes.copies_directly(rank))
    }

    /// Has the line stopped, or ended?
    pub(crate) fn has_stopped(&mut self, line: LineId) -> bool {
        self.processes_mut().is_none_or(|processes| processes.has_stopped(line))
    }

    /// Does the line have the turn? Also if its process has ended unnoticed.
    pub(crate) fn is_running(&self, line: LineId) -> bool {
        self.processes().is_some_and(|processes| processes.mailboxes().is_running(line))
    }

    /// Does a stopped line only ask when its last call returned?
    pub(crate) fn asks_when(&mut self, line: LineId) -> bool {
        self.processes_mut().is_some_and(|processes| processes.asks_when(line))
    }

    /// The line may run from here on, before its simulated time.
    pub(crate) fn goes_ahead(&mut self, line: LineId) {
        if let Some(processes) = self.processes_mut() {
            processes.goes_ahead(line);
        }
    }

    /// The line has stopped at its simulated time.
    pub(crate) fn caught_up(&mut self, line: LineId) {
        if let Some(processes) = self.processes_mut() {
            processes.caught_up(line);
        }
    }

    fn processes(&self) -> Option<&Processes> {
        match self {
            Ranks::Processes(processes) => Some(processes),
            Ranks::Folded(_) | Ranks::Workers(_) => None,
        }
    }

    pub(crate) fn processes_mut(&mut self) -> Option<&mut Processes> {
        match self {
            Ranks::Processes(processes) => Some(processes),
            Ranks::Folded(_) | Ranks::Workers(_) => None,
        }
    }
}
