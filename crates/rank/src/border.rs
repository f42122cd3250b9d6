//! The border to the MPI engine, which counts ranks and lines of control by plain numbers: here numbers become ids and back.

use mpirage_call::{LineId, RankId, Reply};
use mpirage_mpi::{Ending, Engine, Memory, Segment};
use mpirage_units::Time;

use crate::ranks::{Place, Ranks};
use crate::service::Reduction;

/// What the engine wants next.
pub(crate) enum Turn {
    /// The rank's output up to here is to be shown.
    Output(RankId),
    /// The line may go on before simulated time has come.
    Release(LineId),
    /// Simulated time has come: the line is to run until it waits again.
    Resume(LineId),
    /// The run is over.
    End,
}

/// The engine of a run.
pub(crate) struct Simulation<'a>(pub &'a mut Engine<Ranks>);

impl Simulation<'_> {
    pub(crate) fn advance(&mut self) -> Turn {
        match self.0.advance() {
            mpirage_mpi::Turn::Output(rank) => Turn::Output(RankId::new(rank)),
            mpirage_mpi::Turn::Release(line) => Turn::Release(LineId::new(line)),
            mpirage_mpi::Turn::Resume(line) => Turn::Resume(LineId::new(line)),
            mpirage_mpi::Turn::End => Turn::End,
        }
    }

    pub(crate) fn ranks(&mut self) -> &mut Ranks {
        self.0.memory()
    }

    /// Gives a line its reply.
    pub(crate) fn give_reply(&mut self, line: LineId) -> Result<(), String> {
        self.0.give_reply(line.get(), |ranks, reply| ranks.answer(line, reply))
    }

    /// The reply that the line gets or has got last.
    pub(crate) fn reply(&self, line: LineId) -> &Reply {
        self.0.reply(line.get())
    }

    /// Takes the calls that a line has made.
    pub(crate) fn take_calls(&mut self, line: LineId, ended: bool) {
        self.0.take_calls(line.get(), |ranks, calls| {
            ranks.calls(line, calls);
            let rank = ranks.rank_of(line);
            Segment { wrote: ranks.collect_output(rank), ended }
        });
    }

    /// The address in the program from which the line has made its last call.
    pub(crate) fn site(&self, line: LineId) -> u64 {
        self.0.last_call(line.get()).site
    }

    /// Has the rank initialized MPI, and has it finalized?
    pub(crate) fn lifecycle(&self, rank: RankId) -> (bool, bool) {
        self.0.lifecycle(rank.get())
    }

    pub(crate) fn release_early(&mut self, early: bool) {
        self.0.release_early(early);
    }

    pub(crate) fn now(&self) -> Time {
        self.0.now()
    }

    pub(crate) fn take_ending(&mut self) -> Ending {
        self.0.take_ending()
    }
}

fn place(rank: u32, address: u64) -> Place {
    Place { rank: RankId::new(rank), address }
}

impl Memory for Ranks {
    fn read(&mut self, rank: u32, address: u64, into: &mut [u8]) {
        self.read_memory(place(rank, address), into);
    }

    fn write(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        self.write_memory(place(rank, address), bytes);
    }

    fn is_one(&self) -> bool {
        !self.are_processes()
    }

    #[inline]
    fn expect(&self, rank: u32, ahead: usize) {
        if let Ranks::Folded(folded) = self {
            folded.expect(RankId::new(rank), ahead);
        }
    }

    fn copy(&mut self, from: (u32, u64), to: (u32, u64), bytes: usize, buffer: &mut Vec<u8>) {
        self.copy_memory(place(from.0, from.1), place(to.0, to.1), bytes, buffer);
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
        let reduction = Reduction { op, datatype, elements };
        match self {
            Ranks::Processes(processes) => reduction.run(processes, RankId::new(rank), incoming, inout),
            Ranks::Folded(folded) => reduction.run(&mut **folded, RankId::new(rank), incoming, inout),
        }
    }
}
