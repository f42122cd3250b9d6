//! Starts waiting work when a processor is free, and handles messages that have come to one.

use mpirage_call::{Call, LineId, RankId};

use super::compute::{Processing, computing};
use super::task::Task;
use crate::due::Due;
use crate::ids::{MessageId, WorkId};
use crate::memory::Memory;
use crate::occupancy::{Job, Occupancy, Start};
use crate::ranks::line::{Claim, Phase};

impl<M: Memory> Processing<'_, M> {
    /// A message has come: the processor takes it, now or when it can.
    pub(super) fn at_interface(&mut self, id: MessageId) {
        let message = self.core.transport.message(id);
        let (rank, turn, now) = (message.to, message.place.turn(), self.core.now());
        match &mut self.core.occupancy {
            Occupancy::Processors(processors) => {
                if processors.claim_arrival(&mut self.core.wire, rank, turn, id) {
                    self.start_receiving(id);
                }
            }
            Occupancy::Graphs(graphs) => graphs.arrival(id, rank, turn, now),
            Occupancy::None => {}
        }
    }

    /// A send needs the processor before it is carried out. True if it must wait for it.
    pub(super) fn call_waits(&mut self, line: LineId) -> bool {
        let state = self.core.ranks.line(line);
        let &Ok((_, Call::Send { bytes, .. }, _)) = &state.inbox.decode_next() else { return false };
        let rank = state.rank;
        let Some(processors) = self.core.occupancy.processors() else { return false };
        let starts = processors.claim_send(&mut self.core.wire, rank, Job::Line(line), bytes);
        if !starts {
            self.core.ranks.line_mut(line).phase = Phase::Claiming(Claim::Call);
        }
        !starts
    }

    /// A line wants to compute. True if it starts now; else it waits for its processor.
    pub(super) fn claim_work(&mut self, line: LineId, rank: RankId, claim: Claim) -> bool {
        let Some(processors) = self.core.occupancy.processors() else { return true };
        if processors.claim_work(&mut self.core.wire, rank, Job::Line(line)) {
            processors.occupy_for_work(rank);
            return true;
        }
        self.core.ranks.line_mut(line).phase = Phase::Claiming(claim);
        false
    }

    /// Something is to be computed beside a rank. True if it starts now; else it waits for the processor.
    pub(super) fn claim_background(&mut self, rank: RankId, id: WorkId) -> bool {
        let Some(processors) = self.core.occupancy.processors() else { return true };
        let starts = processors.claim_work(&mut self.core.wire, rank, Job::Work(id));
        if starts {
            processors.occupy_for_work(rank);
            self.work.background[id].turn = processors.since(rank);
        }
        starts
    }

    /// The timer of a processor has expired.
    pub(super) fn processor_due(&mut self, rank: RankId) {
        let now = self.core.now();
        match &mut self.core.occupancy {
            Occupancy::Processors(processors) => processors.timer_expired(rank, now),
            Occupancy::Graphs(graphs) => graphs.timer_expired(now),
            Occupancy::None => {}
        }
    }

    /// Something that waited for a processor starts; gives the line whose call is to be carried out now, if it is one.
    pub(super) fn start(&mut self, rank: RankId, start: Start) -> Option<LineId> {
        let now = self.core.now();
        let processors = self.core.occupancy.processors()?;
        match start {
            Start::Arrival(message) => self.start_receiving(message),
            Start::Send(job, bytes) => {
                processors.occupy_for_send(rank, bytes, now);
                match job {
                    Job::Line(line) => return Some(line),
                    Job::Run(run) => self.core.push_task(Task::Run(run)),
                    Job::Work(_) => unreachable!("computations do not send"),
                }
            }
            Start::Work(Job::Work(id)) => {
                processors.occupy_for_work(rank);
                let work = &mut self.work.background[id];
                (work.start, work.turn) = (now, processors.since(rank));
                let work = work.work;
                self.start_computation(rank, work, Due::Work(id));
            }
            Start::Work(Job::Line(line)) => {
                processors.occupy_for_work(rank);
                let state = self.core.ranks.line_mut(line);
                if let Phase::Claiming(claim) = state.phase {
                    state.phase = computing(claim);
                }
                state.entered = now;
                let work = state.work;
                self.start_computation(rank, work, Due::Line(line));
            }
            Start::Work(Job::Run(_)) => unreachable!("schedules do not compute"),
        }
        None
    }

    /// The processor takes a message: it is visible from here on, and there when that is done.
    fn start_receiving(&mut self, id: MessageId) {
        let message = self.core.transport.message(id);
        let (rank, bytes, now) = (message.to, message.bytes, self.core.now());
        let Some(processors) = self.core.occupancy.processors() else { return };
        let span = processors.occupy_for_arrival(rank, bytes, now);
        let (transport, mut env) = self.core.transport();
        transport.start_receiving(&mut env, id, span);
        self.core.take_events();
    }
}
