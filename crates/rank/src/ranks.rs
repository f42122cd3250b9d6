//! The ranks of a run, however they live.

use std::io;
use std::time::Duration;

use mpirage_call::Reply;
use mpirage_channel::Disturbed;
use mpirage_mpi::Memory;

use crate::Folded;
use crate::crash::Death;
use crate::processes::Processes;
use crate::program::{Identity, Program};
use crate::symbols::{Site, Symbols};

/// What a resumed rank did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It waits for an answer.
    Waits,
    /// It has ended.
    Ended(Death),
    /// Somebody wants the run to stop.
    Cancelled,
}

/// All ranks of a run.
pub enum Ranks {
    /// Each is a process.
    Processes(Processes),
    /// Each is a coroutine in this process.
    Folded(Box<Folded>),
}

/// Does the same with whichever it is.
macro_rules! either {
    ($ranks:expr, $inner:ident => $action:expr) => {
        match $ranks {
            Ranks::Processes($inner) => $action,
            Ranks::Folded($inner) => $action,
        }
    };
}

impl Ranks {
    /// How many ranks have been started.
    pub(crate) fn started(&self) -> usize {
        either!(self, ranks => ranks.started())
    }

    /// Bursts that took far longer than usual at their place.
    pub fn disturbances(&self) -> Disturbed {
        either!(self, ranks => ranks.disturbances())
    }

    /// Signals that end the run reach ranks that do not come back.
    pub(crate) fn listen(&self) -> io::Result<()> {
        match self {
            // The simulator waits for processes, and is woken.
            Ranks::Processes(_) => Ok(()),
            Ranks::Folded(folded) => folded.listen(),
        }
    }

    /// Where a rank was when it died, if that is known; `symbols` explain addresses of all ranks.
    pub fn place_of_death(&self, rank: u32, symbols: &mut Symbols) -> Option<Site> {
        match self {
            Ranks::Processes(processes) => processes.place_of_death(rank),
            Ranks::Folded(folded) => symbols.place_in_program(&[folded.place_of_death(rank)?]),
        }
    }

    /// Looks whether a rank that has never called us has loaded another MPI.
    pub(crate) fn look_for_other_mpi(&mut self, rank: u32) {
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

    /// Gives a rank its reply and lets it run.
    pub(crate) fn answer(&mut self, rank: u32, reply: &Reply) -> Result<(), String> {
        either!(self, ranks => ranks.answer(rank, reply))
    }

    /// Waits for a while until a rank stops, or one of the others that run. None if this one still runs.
    pub(crate) fn wait(&mut self, rank: u32, others: &[u32], patience: Duration) -> Option<Stop> {
        match self {
            Ranks::Processes(processes) => processes.wait(rank, others, patience),
            Ranks::Folded(folded) => Some(folded.wait(rank)),
        }
    }

    /// The calls a stopped rank has made.
    pub(crate) fn calls(&mut self, rank: u32, into: &mut Vec<u64>) {
        either!(self, ranks => ranks.calls(rank, into))
    }

    /// Collects what a stopped rank has written. True if there is something to show.
    pub(crate) fn collect_output(&mut self, rank: u32) -> bool {
        either!(self, ranks => ranks.collect_output(rank))
    }

    /// Shows what a rank has written.
    pub(crate) fn show_output(&mut self, rank: u32, to: &mut dyn io::Write) -> io::Result<()> {
        either!(self, ranks => ranks.show_output(rank, to))
    }

    /// Is there a rank whose memory could not be reached?
    #[inline]
    pub(crate) fn has_fault(&self) -> bool {
        either!(self, ranks => ranks.has_fault())
    }

    /// Which, and why.
    pub(crate) fn fault(&mut self) -> Option<(u32, String)> {
        either!(self, ranks => ranks.fault())
    }

    /// How the rank ended, if it has.
    pub(crate) fn death(&mut self, rank: u32) -> Option<Death> {
        either!(self, ranks => ranks.death(rank))
    }

    /// Notes where the rank's code is, unless that has been done. True if it had not.
    pub(crate) fn note_addresses(&mut self, rank: u32) -> bool {
        either!(self, ranks => ranks.note_addresses(rank))
    }

    /// Did it turn out that the kernel does not let us copy between processes?
    pub fn fell_back_to_mailboxes(&self) -> bool {
        matches!(self, Ranks::Processes(processes) if processes.fell_back_to_mailboxes())
    }

    /// Bytes that exist once for all ranks.
    pub fn shared_resident_bytes(&self) -> u64 {
        either!(self, ranks => ranks.shared_resident_bytes())
    }

    /// Tells where code is, for addresses to be explained.
    pub fn explain_addresses(&mut self, symbols: &mut Symbols) {
        either!(self, ranks => ranks.explain_addresses(symbols))
    }
}

/// What only processes can do: run while the simulator does something else.
impl Ranks {
    pub(crate) fn are_processes(&self) -> bool {
        self.processes().is_some()
    }

    /// The number of the rank's process.
    pub(crate) fn process(&self, rank: u32) -> Option<u32> {
        self.processes().map(|processes| processes.pid(rank).as_raw() as u32)
    }

    /// Waits for a while until one of these ranks stops.
    pub(crate) fn wait_any(&self, ranks: &[u32], patience: Duration) {
        if let Some(processes) = self.processes() {
            processes.wait_any(ranks, patience);
        }
    }

    /// Processor time that the rank's process has used.
    pub(crate) fn processor_time(&self, rank: u32) -> Duration {
        self.processes().map(|processes| processes.processor_time(rank)).unwrap_or_default()
    }

    /// May bytes be copied from the rank without its help?
    pub(crate) fn copies_directly(&self, rank: u32) -> bool {
        self.processes().is_none_or(|processes| processes.copies_directly(rank))
    }

    /// Has the rank stopped, or ended?
    pub(crate) fn has_stopped(&mut self, rank: u32) -> bool {
        self.processes_mut().is_none_or(|processes| processes.has_stopped(rank))
    }

    /// Does a stopped rank only want to know when its last call returned?
    pub(crate) fn asks_when(&mut self, rank: u32) -> bool {
        self.processes_mut().is_some_and(|processes| processes.asks_when(rank))
    }

    /// The rank may run from here on, before simulated time is there.
    pub(crate) fn goes_ahead(&mut self, rank: u32) {
        if let Some(processes) = self.processes_mut() {
            processes.goes_ahead(rank);
        }
    }

    /// Simulated time is there and the rank has stopped.
    pub(crate) fn caught_up(&mut self, rank: u32) {
        if let Some(processes) = self.processes_mut() {
            processes.caught_up(rank);
        }
    }

    fn processes(&self) -> Option<&Processes> {
        match self {
            Ranks::Processes(processes) => Some(processes),
            Ranks::Folded(_) => None,
        }
    }

    fn processes_mut(&mut self) -> Option<&mut Processes> {
        match self {
            Ranks::Processes(processes) => Some(processes),
            Ranks::Folded(_) => None,
        }
    }
}

impl Memory for Ranks {
    fn read(&mut self, rank: u32, address: u64, into: &mut [u8]) {
        either!(self, ranks => ranks.read(rank, address, into))
    }

    fn write(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        either!(self, ranks => ranks.write(rank, address, bytes))
    }

    fn is_one(&self) -> bool {
        !self.are_processes()
    }

    #[inline]
    fn expect(&self, rank: u32, ahead: usize) {
        if let Ranks::Folded(folded) = self {
            folded.expect(rank, ahead);
        }
    }

    fn copy(&mut self, from: (u32, u64), to: (u32, u64), bytes: usize, by_way_of: &mut Vec<u8>) {
        either!(self, ranks => ranks.copy(from, to, bytes, by_way_of))
    }

    fn reduce(
        &mut self,
        rank: u32,
        op: u64,
        datatype: u64,
        elements: u64,
        incoming: &[u8],
        inout: &mut [u8],
    ) {
        either!(self, ranks => ranks.reduce(rank, op, datatype, elements, incoming, inout))
    }
}
