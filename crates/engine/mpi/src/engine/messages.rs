//! One way to post a send, and one to post a receive.

use mpirage_call::{Completion, ContextId, LineId, RequestId};

use super::core::Core;
use crate::ids::{Id, MessageId};
use crate::memory::Memory;
use crate::occupancy::GraphItem;
use crate::ranks::request::Operation;
use crate::transport::message::{Outgoing, Receive, Taker};

/// A receive, before it is posted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub key: crate::transport::matching::Key,
    /// The bytes that there is room for.
    pub room: u64,
    pub address: u64,
    /// The message that a matched probe has taken.
    pub matched: Option<u32>,
}

impl<M: Memory> Core<M> {
    /// Posts a send; it sets out at once, or when its processor has time for it. Gives its message, and whether it is complete already: the
    /// caller takes care of that.
    #[inline(always)]
    pub(crate) fn post_send(&mut self, outgoing: Outgoing<'_>) -> (MessageId, bool) {
        let from = outgoing.from;
        if let Some(migrations) = &mut self.migrations {
            migrations.sends(from, outgoing.to, outgoing.bytes);
        }
        let (transport, mut env) = self.transport();
        let id = transport.add(&mut env, outgoing);
        if !env.occupancy.has_graphs() {
            let complete = transport.set_out(&mut env, id);
            return (id, complete);
        }
        let told = self.ranks.line(LineId::first_of(from)).reply.now;
        if let Some(graphs) = self.occupancy.graphs() {
            self.transport.message_mut(id).sent = graphs.hand_over(from, GraphItem::Send(id), told);
        }
        (id, false)
    }

    /// Posts the send behind a request of a line; `to` is a rank of the communicator.
    #[inline(always)]
    pub(crate) fn post_request_send(
        &mut self,
        line: LineId,
        id: RequestId,
        (context, to): (ContextId, u32),
        outgoing: Outgoing<'_>,
    ) {
        let tag = outgoing.key.tag;
        let (message, complete) = self.post_send(outgoing);
        let operation = Operation::Send { context, to, tag, message: Some(message) };
        let wakeup = self.ranks.open(line, id, operation, complete.then(|| Completion::empty(0)));
        self.wake(wakeup);
        self.take_events();
    }

    /// Posts the receive behind a request of a line.
    #[inline(always)]
    pub(crate) fn post_request_receive(
        &mut self,
        line: LineId,
        id: RequestId,
        context: ContextId,
        incoming: Incoming,
    ) {
        let Incoming { key, room, address, matched } = incoming;
        let state = self.ranks.line(line);
        let (rank, posted) = (state.rank, state.ideal);
        let owner = self.ranks.owner(line, id);
        let receive = Receive { key, rank, room, address, owner, posted };
        let receive = self.transport.add_receive(receive);
        let operation = Operation::Recv { context, from: key.source, tag: key.tag, receive: Some(receive) };
        self.ranks.open_request(line, id, operation);
        let (transport, mut env) = self.transport();
        if env.occupancy.has_graphs() {
            let told = self.ranks.line(line).reply.now;
            if let Some(graphs) = self.occupancy.graphs() {
                graphs.hand_over(rank, GraphItem::Post(receive), told);
            }
        } else if let Some(message) = matched {
            transport.post_matched(&mut env, MessageId::new(message as usize), receive);
        } else {
            transport.post(&mut env, rank, key, Taker::Receive(receive));
        }
        self.take_events();
    }
}
