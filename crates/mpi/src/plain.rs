//! The short way for the commonest calls: sends and receives with a request, where nothing stands before them.
//!
//! It does what [`perform`](crate::perform) does, without looking at what such calls cannot be. Whatever is unusual, a mistake
//! included, is left to the long way, before anything is changed.

use mpirage_call::wire::{NonblockingCall, NonblockingOperation, decode_nonblocking};
use mpirage_units::Duration;

use crate::compute::Bursts;
use crate::diagnosis::Origin;
use crate::engine::Engine;
use crate::matching::ANY_TAG;
use crate::memory::Memory;
use crate::message::{Outgoing, Owner, Receive};
use crate::rank::Then;
use crate::request::{Operation, key_of};

/// How far the short way has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    /// Nowhere: the call is not for it.
    No,
    /// The call is carried out, and the next may follow.
    Done,
    /// The call is carried out, and is being paid for.
    Paying,
}

impl<M: Memory> Engine<M> {
    /// Carries out the next call of the inbox, if it is for the short way.
    #[inline]
    pub(crate) fn plain_call(&mut self, rank: u32) -> Short {
        let state = &self.ranks[rank as usize];
        let call = state.inbox.get(state.cursor..).and_then(decode_nonblocking);
        match call {
            Some(call) if self.nothing_before(rank, &call) => self.perform_plain(rank, &call),
            _ => Short::No,
        }
    }

    /// Is it time for the call?
    #[inline]
    fn nothing_before(&self, rank: u32, call: &NonblockingCall) -> bool {
        let no_burst = match self.bursts {
            Bursts::None => true,
            Bursts::Measured => call.stamp.burst.is_none(),
            _ => false,
        };
        no_burst
            && call.stamp.delay.is_zero()
            && self.protocol.startup.is_none()
            && self.protocol.processor.is_none()
            && !self.samples.is_open(rank)
    }

    #[inline]
    fn perform_plain(&mut self, rank: u32, call: &NonblockingCall) -> Short {
        let &NonblockingCall { context, bytes, request, .. } = call;
        if self.distrusts && !self.may_open(rank, request) {
            return Short::No;
        }
        let cost = match call.operation {
            NonblockingOperation::Send { mode, to, tag, payload } => {
                let Some((me, world)) = self.comms.address(context, rank, to) else { return Short::No };
                if self.distrusts && !self.may_send(tag, bytes) {
                    return Short::No;
                }
                self.begin_plain(rank, call);
                self.open_request(rank, request, Operation::Send { context, to, tag });
                let key = key_of(context, Some(me), Some(tag));
                let (owner, origin) = (Owner::Request { rank, id: request }, Origin::of(&call.stamp));
                self.send(Outgoing { from: rank, to: world, key, bytes, payload, mode, owner, origin });
                self.protocol.isend_overhead.of(bytes)
            }
            NonblockingOperation::Recv { from, tag, address } => {
                if self.distrusts && (tag == Some(ANY_TAG) || !self.knows_peer(rank, context, from)) {
                    return Short::No;
                }
                self.begin_plain(rank, call);
                let key = key_of(context, from, tag);
                let operation = Operation::Recv { context, from: key.source, tag: key.tag };
                self.open_request(rank, request, operation);
                let owner = Owner::Request { rank, id: request };
                let receive = self.receive(Receive { key, rank, room: bytes, address, owner });
                let slot = &mut self.ranks[rank as usize].requests[request.index()];
                if slot.done.is_none() {
                    slot.behind = receive;
                }
                Duration::ZERO
            }
        };
        self.settle_plain(rank, call, cost)
    }

    /// Turns to the call.
    #[inline]
    fn begin_plain(&mut self, rank: u32, call: &NonblockingCall) {
        let now = self.kernel.now();
        let state = &mut self.ranks[rank as usize];
        state.stamp = call.stamp;
        (state.entered, state.in_function) = (now, true);
        state.current = state.cursor;
        state.cursor += call.words;
        self.poll_over(rank);
    }

    #[inline]
    fn settle_plain(&mut self, rank: u32, call: &NonblockingCall, cost: Duration) -> Short {
        if !cost.is_zero() {
            self.pay(rank, cost, Then::NextCall);
            return Short::Paying;
        }
        // It took no time, and what is told of it is in registers: nothing needs to be read again.
        let now = self.kernel.now();
        if self.detailed {
            self.recorder.post(rank, now, call, &self.ranks[rank as usize].reply);
        } else {
            self.recorder.call(rank, &call.stamp, now, now, None);
        }
        Short::Done
    }
}
