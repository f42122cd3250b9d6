//! The MPI engine, driven by running ranks; and the memory of ranks, as the engine reaches it.

use mpirage_call::wire::push_call;
use mpirage_call::{Call, LineId, RankId, Reply, Stamp};
use mpirage_mpi::{Ending, Engine, JobId, Memory, RankAddress, Segment, Spawned, Turn, UserReduction};
use mpirage_units::Time;

use crate::ranks::Ranks;
use crate::service::Reduction;

/// The engine of a run.
pub(crate) struct Simulation<'a>(pub &'a mut Engine<Ranks>);

impl Simulation<'_> {
    pub(crate) fn advance(&mut self) -> Turn {
        self.0.advance()
    }

    /// The driver's next action at this instant, if there is one.
    pub(crate) fn next_turn(&mut self) -> Option<Turn> {
        self.0.next_turn()
    }

    /// The next instant at which something happens.
    pub(crate) fn next_instant(&mut self) -> Option<Time> {
        self.0.next_instant()
    }

    pub(crate) fn pass_to_next_instant(&mut self) {
        self.0.pass_to_next_instant();
    }

    /// Calls of a line, which has run since `start`, arrive at this instant.
    pub(crate) fn arrive(&mut self, line: LineId, start: Time, instant: Time) {
        self.0.move_to(instant.max(self.0.now()));
        self.0.note_start(line, start);
    }

    pub(crate) fn end_in_deadlock(&mut self) {
        self.0.end_in_deadlock();
    }

    pub(crate) fn ranks(&mut self) -> &mut Ranks {
        self.0.memory()
    }

    /// Checks whether a rank that has not called `MPI_Init` has loaded another MPI.
    pub(crate) fn look_for_other_mpi(&mut self, rank: RankId) {
        if !self.0.lifecycle(rank).0 {
            self.0.memory().look_for_other_mpi(rank);
        }
    }

    /// Gives a line its reply.
    pub(crate) fn give_reply(&mut self, line: LineId) -> Result<(), String> {
        self.0.give_reply(line, |ranks, reply| ranks.answer(line, reply))
    }

    /// The reply that the line gets or has got last.
    pub(crate) fn reply(&self, line: LineId) -> &Reply {
        self.0.reply(line)
    }

    /// Takes the calls that a line has made.
    pub(crate) fn take_calls(&mut self, line: LineId, ended: bool) {
        self.0.take_calls(line, |ranks, calls| {
            ranks.calls(line, calls);
            let rank = ranks.rank_of(line);
            let wrote = ranks.collect_output(rank);
            // The last output of a rank is shown when the run ends, in the order of ranks: their buffers are emptied when they exit.
            Segment { wrote: wrote && !ended, ended }
        });
    }

    /// The address in the program from which the line has made its last call.
    pub(crate) fn site(&self, line: LineId) -> u64 {
        self.0.last_call(line).site
    }

    /// The processes that were started together with a rank, if a rank has started it.
    pub(crate) fn spawned(&self, rank: RankId) -> Option<&Spawned> {
        self.0.spawned(rank)
    }

    /// Has the rank initialized MPI, and has it finalized?
    pub(crate) fn lifecycle(&self, rank: RankId) -> (bool, bool) {
        self.0.lifecycle(rank)
    }

    /// Adds a line to a rank, whose thread runs already.
    pub(crate) fn open_running_line(&mut self, rank: RankId) -> LineId {
        self.0.open_running_line(rank)
    }

    /// A line computes as this stamp says, and is resumed when that is over.
    pub(crate) fn count_burst(&mut self, line: LineId, stamp: &Stamp) {
        self.0.answer(line, |_, calls| {
            push_call(stamp, &Call::Now, calls);
            Segment { wrote: false, ended: false }
        });
    }

    /// Lets a replayed rank make its next calls. `next` gets the reply of the last one, and says whether the rank ends.
    pub(crate) fn replay(&mut self, line: LineId, next: impl FnOnce(&Reply, &mut Vec<u64>) -> bool) {
        self.0.answer(line, |reply, calls| Segment { wrote: false, ended: next(reply, calls) });
    }

    /// The job of a rank ends.
    pub(crate) fn end_job(&mut self, rank: RankId, ending: Ending) {
        self.0.end_job(rank, ending);
    }

    /// How a job has ended.
    pub(crate) fn ending(&self, job: JobId) -> Ending {
        self.0.ending(job)
    }

    pub(crate) fn release_early(&mut self, early: bool) {
        self.0.release_early(early);
    }

    /// How much of the run is done, if an earlier run tells.
    pub(crate) fn share_done(&self) -> Option<f64> {
        self.0.bursts().share_done()
    }

    pub(crate) fn now(&self) -> Time {
        self.0.now()
    }

    pub(crate) fn take_ending(&mut self) -> Ending {
        self.0.take_ending()
    }
}

impl Memory for Ranks {
    fn read(&mut self, from: RankAddress, into: &mut [u8]) {
        self.read_memory(from, into);
    }

    fn write(&mut self, to: RankAddress, bytes: &[u8]) {
        self.write_memory(to, bytes);
    }

    fn write_at_once(&mut self, to: RankAddress, bytes: &[u8]) {
        match self {
            Ranks::Processes(processes) => processes.write_at_once(to, bytes),
            Ranks::Folded(_) | Ranks::Workers(_) => self.write_memory(to, bytes),
        }
    }

    fn is_one(&self) -> bool {
        matches!(self, Ranks::Folded(_))
    }

    #[inline]
    fn expect(&self, line: LineId, ahead: usize) {
        if let Ranks::Folded(folded) = self {
            folded.expect(folded.rank_of(line), ahead);
        }
    }

    fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: usize, buffer: &mut Vec<u8>) {
        self.copy_memory(from, to, bytes, buffer);
    }

    fn reduce(&mut self, rank: RankId, reduction: UserReduction, incoming: &[u8], inout: &mut [u8]) {
        let UserReduction { op, datatype, elements } = reduction;
        let reduction = Reduction { op, datatype, elements };
        match self {
            Ranks::Processes(processes) => reduction.run(&mut **processes, rank, incoming, inout),
            Ranks::Folded(folded) => reduction.run(&mut **folded, rank, incoming, inout),
            Ranks::Workers(workers) => reduction.run(&mut **workers, rank, incoming, inout),
        }
    }
}
