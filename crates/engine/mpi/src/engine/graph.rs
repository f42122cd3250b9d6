//! Events of ranks that are graphs, and what follows from them.

use mpirage_call::{Completion, LineId};
use mpirage_units::{Duration, Time};

use super::bursts::BackgroundWork;
use super::compute::Processing;
use crate::due::Due;
use crate::ids::{MessageId, ReceiveId, WorkId};
use crate::memory::Memory;
use crate::occupancy::{GraphEvent, GraphItem, Served};
use crate::ranks::line::Phase;
use crate::transport::message::{Message, Owner, Receive, Taker};

impl<M: Memory> Processing<'_, M> {
    /// Lets the next event happen, if its date is now: all that the one before has freed has been handed over. True if there
    /// was something to do.
    pub(super) fn serve_graphs(&mut self) -> bool {
        let now = self.core.now();
        let Some(graphs) = self.core.occupancy.graphs() else { return false };
        match graphs.serve(&mut self.core.wire) {
            Served::Nothing => return false,
            Served::PutOff => {}
            Served::Start { event, waited } => {
                match event.item {
                    GraphItem::Send(id) => self.graph_sends(&event, id, now),
                    GraphItem::Post(id) => self.graph_posts(&event, id, now),
                    GraphItem::Work(id) => self.graph_works(&event, id, now),
                    GraphItem::Arrival(id) => self.graph_takes(&event, id, now),
                    GraphItem::First => unreachable!("it stands for others"),
                }
                if waited && let Some(graphs) = self.core.occupancy.graphs() {
                    graphs.next_stands_first(event.rank, event.cpu, now);
                }
            }
        }
        true
    }

    /// A graph has nothing left to do. True if its processors have, and it ends with them.
    pub(super) fn graph_is_busy(&mut self, line: LineId) -> bool {
        let rank = self.core.ranks.rank_of(line);
        let now = self.core.now();
        let busy = self.core.occupancy.graphs().map_or(Duration::ZERO, |graphs| graphs.busy(rank, now));
        if !busy.is_zero() {
            self.core.ranks.line_mut(line).phase = Phase::Ending;
            self.core.wire.start_timer(busy, Due::Line(line));
        }
        !busy.is_zero()
    }

    fn graph_sends(&mut self, event: &GraphEvent, id: MessageId, now: Time) {
        let &Message { bytes, owner, sender_waits, .. } = self.core.transport.message(id);
        let Some(graphs) = self.core.occupancy.graphs() else { return };
        let end = graphs.occupy_for_send(event, bytes, now);
        if event.tell || !sender_waits {
            graphs.ends_at(event.rank, end);
        }
        self.tell_start(event, owner);
        let (transport, mut env) = self.core.transport();
        transport.set_out_late(&mut env, id);
        self.core.take_events();
    }

    fn graph_posts(&mut self, event: &GraphEvent, id: ReceiveId, now: Time) {
        let &Receive { rank, key, owner, .. } = self.core.transport.receive(id);
        if event.tell
            && let Some(graphs) = self.core.occupancy.graphs()
        {
            let end = graphs.free_at(event, now);
            graphs.ends_at(rank, end);
        }
        self.tell_start(event, owner);
        let (transport, mut env) = self.core.transport();
        transport.post(&mut env, rank, key, Taker::Receive(id));
        self.core.take_events();
    }

    fn graph_works(&mut self, event: &GraphEvent, id: WorkId, now: Time) {
        let BackgroundWork { rank, request, work, .. } = self.work.background[id];
        let stretch = self.core.protocol().noise.stretch(rank, now);
        let span = Duration::from_secs_f64(stretch * self.work.charged_seconds(rank, work));
        self.core.ranks.pass_request_ideal(rank, request, span);
        if let Some(graphs) = self.core.occupancy.graphs() {
            let end = graphs.occupy(event, span, now);
            graphs.ends_at(rank, end);
        }
        if span.is_zero() {
            self.work.background.remove(id);
        } else {
            self.work.background[id].start = now;
            self.core.wire.start_timer(span, Due::Work(id));
        }
        let owner = Owner::Request { rank, id: request };
        self.tell_start(event, owner);
        self.core.complete(owner, Completion::empty(0), Time::ZERO);
    }

    /// A processor takes a message: it is visible from here on.
    fn graph_takes(&mut self, event: &GraphEvent, id: MessageId, now: Time) {
        let bytes = self.core.transport.message(id).bytes;
        let Some(graphs) = self.core.occupancy.graphs() else { return };
        let span = graphs.occupy_for_arrival(event, bytes, now);
        let (transport, mut env) = self.core.transport();
        transport.start_receiving(&mut env, id, span);
        self.core.take_events();
    }

    /// Tells a rank that wants to know that something has started.
    fn tell_start(&mut self, event: &GraphEvent, owner: Owner) {
        if event.tell {
            let wakeup = self.core.ranks.note_started(owner);
            self.core.wake(wakeup);
        }
    }
}
