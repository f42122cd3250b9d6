//! The fast path for the commonest calls: sends and receives with a request, where nothing stands before them.
//!
//! It does what [`perform`](super::perform) does, without the checks for what such calls cannot be. Anything unusual,
//! mistakes included, is left to the general path before anything is changed.

use mpirage_call::LineId;
use mpirage_call::wire::{NonblockingCall, NonblockingOperation};
use mpirage_units::Duration;

use super::bursts::Bursts;
use super::calls::Calls;
use super::messages::Incoming;
use crate::memory::Memory;
use crate::origin::Origin;
use crate::protocol::{AccessProgress, LibraryProgress};
use crate::ranks::line::Then;
use crate::transport::matching::{ANY_TAG, Key};
use crate::transport::message::{Outgoing, Owner};

/// How far the fast path has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastPath {
    /// The call is not for it.
    NotTaken,
    /// The call is carried out, and the next may follow.
    Done,
    /// The call is carried out, and is being paid for.
    Paying,
}

impl<M: Memory> Calls<M> {
    /// Carries out the next call of the inbox, if it is for the fast path.
    #[inline]
    pub(super) fn try_fast_path(&mut self, line: LineId) -> FastPath {
        match self.core.ranks.line(line).inbox.next_plain() {
            Some(call) if self.nothing_before(line, &call) => self.perform_plain(line, &call),
            _ => FastPath::NotTaken,
        }
    }

    /// Is it time for the call?
    #[inline]
    fn nothing_before(&self, line: LineId, call: &NonblockingCall) -> bool {
        let no_burst = match self.work.bursts {
            Bursts::None => true,
            Bursts::Measured => call.stamp.burst.is_none(),
            _ => false,
        };
        no_burst
            && self.choices.is_none()
            && call.stamp.delay.is_zero()
            && !self.core.protocol().has_beginnings()
            && self.core.occupancy.is_none()
            && (self.core.protocol().progress == LibraryProgress::Background
                || self.core.collectives.none_is_held_up())
            && self.core.protocol().one_sided == AccessProgress::Interface
            && !self.samples.is_open(self.core.ranks.rank_of(line))
    }

    #[inline]
    fn perform_plain(&mut self, line: LineId, call: &NonblockingCall) -> FastPath {
        let &NonblockingCall { context, bytes, request, .. } = call;
        let rank = self.core.ranks.rank_of(line);
        if self.checked && !self.checks().may_open(rank, request) {
            return FastPath::NotTaken;
        }
        let cost = match call.operation {
            NonblockingOperation::Send { mode, to, tag, payload } => {
                let Some((me, peer)) = self.core.collectives.comms().address(context, rank, to) else {
                    return FastPath::NotTaken;
                };
                if self.checked && !self.checks().may_send(tag, bytes) {
                    return FastPath::NotTaken;
                }
                self.begin_plain(line, call);
                let key = Key::new(context, Some(me), Some(tag));
                let (owner, origin) = (Owner::Request { rank, id: request }, Origin::of(&call.stamp));
                let ideal = self.core.ranks.line(line).ideal;
                self.core.post_request_send(
                    line,
                    request,
                    (context, to),
                    Outgoing { from: rank, to: peer, key, bytes, payload, mode, owner, origin, ideal },
                );
                self.core.protocol().overhead_meanwhile(bytes, false)
            }
            NonblockingOperation::Recv { from, tag, address } => {
                if self.checked && (tag == Some(ANY_TAG) || !self.checks().knows_peer(rank, context, from)) {
                    return FastPath::NotTaken;
                }
                self.begin_plain(line, call);
                let key = Key::new(context, from, tag);
                let incoming = Incoming { key, room: bytes, address, matched: None };
                self.core.post_request_receive(line, request, context, incoming);
                Duration::ZERO
            }
        };
        self.settle_plain(line, call, cost)
    }

    /// Turns to the call.
    #[inline]
    fn begin_plain(&mut self, line: LineId, call: &NonblockingCall) {
        let now = self.core.now();
        let state = self.core.ranks.line_mut(line);
        state.stamp = call.stamp;
        (state.entered, state.in_function) = (now, true);
        state.inbox.enter_next(call.words);
        state.polling.failures = 0;
    }

    #[inline]
    fn settle_plain(&mut self, line: LineId, call: &NonblockingCall, cost: Duration) -> FastPath {
        if !cost.is_zero() {
            self.core.pay(line, cost, Then::NextCall);
            return FastPath::Paying;
        }
        // It took no time, and its arguments are at hand: nothing needs to be read again.
        let now = self.core.now();
        let state = self.core.ranks.line(line);
        if self.core.observers.wants_arguments() {
            self.core.observers.post((line, state.rank), now, call, &state.reply);
        } else {
            self.core.observers.call((line, state.rank), &call.stamp, (now, now), None);
        }
        FastPath::Done
    }
}
