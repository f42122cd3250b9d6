//! Ends of computations and transfers, and what a processor does next after them.

use mpirage_call::{Completion, LineId, RankId};
use mpirage_kernel::Milestone;
use mpirage_record::Record;
use mpirage_units::Time;

use super::bursts::BackgroundWork;
use super::progress::is_unnoticed;
use super::wiring::Engine;
use crate::ids::{MessageId, WorkId};
use crate::memory::Memory;
use crate::occupancy::Start;
use crate::transport::Reception;
use crate::transport::message::Owner;

impl<M: Memory> Engine<M> {
    /// A line has computed.
    pub(super) fn work_done(&mut self, line: LineId) {
        let (end, state) = (self.calls.core.now(), self.calls.core.ranks.line(line));
        let (rank, start, work) = (state.rank, state.entered, state.work);
        self.calls.core.ranks.pass_ideal(line, end.since(start));
        let burst = Record::Burst { rank: rank.get(), start, end, work, beside: false };
        self.calls.core.observers.record_of(line, rank, &burst);
        self.end_of_work(rank);
    }

    /// A computation beside a rank is over.
    pub(super) fn background_done(&mut self, id: WorkId) {
        let BackgroundWork { rank, request, start, work, turn } = self.calls.work.background.remove(id);
        let end = self.calls.core.now();
        self.calls.core.observers.record(&Record::Burst { rank: rank.get(), start, end, work, beside: true });
        if self.calls.core.occupancy.has_graphs() {
            // The graph knew of the end when the computation started.
            return;
        }
        self.calls.core.ranks.pass_request_ideal(rank, request, end.since(start));
        self.end_of_work(rank);
        if let Some(processors) = self.calls.core.occupancy.processors() {
            processors.count_from(rank, turn);
        }
        let owner = Owner::Request { rank, id: request };
        self.calls.core.complete(owner, Completion::empty(0), Time::ZERO);
    }

    /// A transfer of a message has reached a milestone.
    pub(super) fn transfer_event(&mut self, id: MessageId, milestone: Milestone) {
        if milestone == Milestone::Ended && is_unnoticed(&mut self.calls.core, id) {
            return;
        }
        let (transport, mut env) = self.calls.core.transport();
        match transport.transfer_event(&mut env, id, milestone) {
            Reception::None => {}
            Reception::AtInterface => self.calls.processing().at_interface(id),
            Reception::Taken => self.taken(id),
        }
        self.calls.core.take_events();
    }

    /// The processor has taken a message.
    fn taken(&mut self, id: MessageId) {
        let message = self.calls.core.transport.message(id);
        let (rank, turn, matched) = (message.to, message.place.turn(), message.taker.is_some());
        if matched && let Some(processors) = self.calls.core.occupancy.processors() {
            processors.count_from(rank, turn);
            self.calls.core.occupancy.free_rank(rank, self.calls.core.now());
        }
        self.serve_older(rank);
        if matched {
            let (transport, mut env) = self.calls.core.transport();
            transport.deliver(&mut env, id);
        }
    }

    /// A processor has finished a computation.
    fn end_of_work(&mut self, rank: RankId) {
        let now = self.calls.core.now();
        let Some(processors) = self.calls.core.occupancy.processors() else { return };
        processors.free(rank, now);
        self.serve_older(rank);
        if let Some(processors) = self.calls.core.occupancy.processors() {
            processors.look_at(&mut self.calls.core.wire, rank);
        }
    }

    /// A processor may be free: what has waited longer than its rank's next call comes before that.
    #[inline]
    pub(super) fn serve_older(&mut self, rank: RankId) {
        let now = self.calls.core.now();
        if let Some(processors) = self.calls.core.occupancy.processors()
            && let Some(start) = processors.take_older(rank, now)
        {
            self.start(rank, start);
        }
    }

    /// Starts what waits and can, once all ranks have had their chance at this instant. True if there was something to do.
    pub(super) fn serve_processors(&mut self) -> bool {
        if self.calls.core.occupancy.has_graphs() {
            return self.calls.processing().serve_graphs();
        }
        let now = self.calls.core.now();
        let Some(processors) = self.calls.core.occupancy.processors() else { return false };
        let Some(rank) = processors.next_due() else { return false };
        while let Some(start) =
            self.calls.core.occupancy.processors().and_then(|processors| processors.take_next(rank, now))
        {
            self.start(rank, start);
        }
        if let Some(processors) = self.calls.core.occupancy.processors() {
            processors.look_at(&mut self.calls.core.wire, rank);
        }
        true
    }

    /// Something that waited for a processor starts.
    fn start(&mut self, rank: RankId, start: Start) {
        if let Some(line) = self.calls.processing().start(rank, start) {
            self.calls.after_startup(line);
        }
    }
}
