//! The fast path for the commonest calls: sends and receives, where nothing but a send's own cost stands before them.
//!
//! It does what [`perform`](super::perform) does, without the checks for what such calls cannot be. Anything unusual,
//! mistakes included, is left to the general path before anything is changed.

use mpirage_call::wire::{PlainCall, PlainOperation};
use mpirage_call::{BLOCKING, LineId, RankId, Stamp};
use mpirage_units::Duration;

use super::bursts::Bursts;
use super::calls::{Calls, FastCalls};
use super::core::Core;
use super::messages::Incoming;
use crate::memory::Memory;
use crate::origin::Origin;
use crate::protocol::AccessProgress;
use crate::ranks::inbox::Borrowed;
use crate::ranks::line::Then;
use crate::transport::matching::{ANY_TAG, Key};
use crate::transport::message::{Outgoing, Owner};
use crate::working_set::WorkingSet;

/// How far the fast path has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastPath {
    /// The call is not for it.
    NotTaken,
    /// The call is carried out, and the next may follow.
    Done,
    /// The call is carried out; it is being paid for, or it is the last one for now.
    Stopped,
}

impl<M: Memory> Calls<M> {
    /// Decides once per run what would have to be asked before each call.
    pub(super) fn decide_fast_calls(&mut self) {
        let protocol = self.core.protocol();
        let simple = self.choices.is_none()
            && protocol.startup.is_none()
            && self.core.occupancy.is_none()
            && protocol.one_sided == AccessProgress::Interface;
        self.sends_cost_first = protocol.has_beginnings();
        self.fast = match self.work.bursts {
            Bursts::None if simple => FastCalls::All,
            Bursts::Measured if simple => FastCalls::WithoutBurst,
            _ => FastCalls::None,
        };
    }

    /// Carries out calls of the inbox as long as they are for the fast path.
    #[inline]
    pub(super) fn try_fast_path(&mut self, line: LineId) -> FastPath {
        if self.fast == FastCalls::None {
            return FastPath::NotTaken;
        }
        let state = self.core.ranks.line_mut(line);
        let (rank, inbox, (next, _)) = (state.rank, state.inbox.borrow(), state.inbox.positions());
        let path = match inbox.plain_at(next).map(|call| call.request) {
            Some(Some(_)) => self.perform_with_requests(line, rank, &inbox),
            Some(None) => self.begin_blocking_call(line, rank, (&inbox, next)),
            None => FastPath::NotTaken,
        };
        self.core.ranks.line_mut(line).inbox.give_back(inbox);
        path
    }

    /// Carries out a send that has been paid for, if it is for the fast path.
    pub(super) fn try_paid_send(&mut self, line: LineId) -> FastPath {
        let state = self.core.ranks.line_mut(line);
        let rank = state.rank;
        if self.fast == FastCalls::None
            || self.core.observers.wants_arguments()
            || !self.core.collectives.none_is_held_up()
            || self.samples.is_open(rank)
        {
            return FastPath::NotTaken;
        }
        let (inbox, (next, _)) = (state.inbox.borrow(), state.inbox.positions());
        let path = match inbox.plain_at(next) {
            Some(call) if call.request.is_some() => {
                self.perform_plain::<true>(line, rank, &call, (&inbox, next))
            }
            Some(call) => self.perform_blocking::<true>(line, rank, &call),
            None => FastPath::NotTaken,
        };
        self.core.ranks.line_mut(line).inbox.give_back(inbox);
        path
    }

    /// Carries out sends and receives with a request, one after the other.
    #[inline(never)]
    fn perform_with_requests(&mut self, line: LineId, rank: RankId, inbox: &Borrowed) -> FastPath {
        loop {
            let (next, _) = self.core.ranks.line(line).inbox.positions();
            let path = match inbox.plain_at(next) {
                Some(call) if self.nothing_before(rank, &call) => match self.pays_first(line, &call) {
                    true => FastPath::Stopped,
                    false => self.perform_plain::<false>(line, rank, &call, (inbox, next)),
                },
                _ => FastPath::NotTaken,
            };
            if path != FastPath::Done {
                return path;
            }
            if self.core.jobs.is_over(rank) {
                return FastPath::Stopped;
            }
        }
    }

    /// Is it time for the call?
    #[inline]
    fn nothing_before(&self, rank: RankId, call: &PlainCall<'_>) -> bool {
        (self.fast == FastCalls::All || call.stamp.burst.is_none())
            && call.stamp.delay.is_zero()
            && self.core.collectives.none_is_held_up()
            && !self.samples.is_open(rank)
    }

    /// A send may cost something before it takes effect. True if it is being paid for.
    #[inline(always)]
    fn pays_first(&mut self, line: LineId, call: &PlainCall<'_>) -> bool {
        let PlainOperation::Send { mode, .. } = call.operation else { return false };
        if !self.sends_cost_first {
            return false;
        }
        let cost = self.core.protocol().overhead_first(mode, call.bytes, call.request.is_none());
        if !cost.is_zero() {
            self.pay_first(line, cost, call.stamp);
        }
        !cost.is_zero()
    }

    #[inline(never)]
    fn pay_first(&mut self, line: LineId, cost: Duration, stamp: Stamp) {
        let now = self.core.now();
        let state = self.core.ranks.line_mut(line);
        (state.stamp, state.entered) = (stamp, now);
        self.core.pay(line, cost, Then::Perform);
    }

    #[inline(always)]
    fn perform_plain<const PAID: bool>(
        &mut self,
        line: LineId,
        rank: RankId,
        call: &PlainCall<'_>,
        place: (&Borrowed, usize),
    ) -> FastPath {
        let &PlainCall { context, bytes, request, .. } = call;
        let Some(request) = request else { return FastPath::NotTaken };
        if self.checked && !self.checks().may_open(rank, request) {
            return FastPath::NotTaken;
        }
        let cost = match call.operation {
            PlainOperation::Send { to, .. } => {
                let owner = Owner::Request { rank, id: request };
                let Some(outgoing) = self.outgoing(line, rank, call, owner) else {
                    return FastPath::NotTaken;
                };
                self.begin_plain::<PAID>(line, call);
                self.core.post_request_send(line, request, (context, to), outgoing);
                self.core.protocol().overhead_meanwhile(bytes, false)
            }
            PlainOperation::Recv { .. } => {
                let Some(incoming) = self.incoming(rank, call) else { return FastPath::NotTaken };
                self.begin_plain::<PAID>(line, call);
                self.core.post_request_receive(line, request, context, incoming);
                Duration::ZERO
            }
        };
        self.settle_plain::<PAID>(line, cost, place)
    }

    /// Carries out a send or receive that blocks, and starts at a place.
    #[inline(never)]
    fn begin_blocking_call(
        &mut self,
        line: LineId,
        rank: RankId,
        (inbox, position): (&Borrowed, usize),
    ) -> FastPath {
        match inbox.plain_at(position) {
            Some(call) if self.nothing_before(rank, &call) => match self.pays_first(line, &call) {
                true => FastPath::Stopped,
                false => self.perform_blocking::<false>(line, rank, &call),
            },
            _ => FastPath::NotTaken,
        }
    }

    #[inline(always)]
    fn perform_blocking<const PAID: bool>(
        &mut self,
        line: LineId,
        rank: RankId,
        call: &PlainCall<'_>,
    ) -> FastPath {
        let progress = match call.operation {
            PlainOperation::Send { mode, answer, .. } => {
                let outgoing = self.outgoing(line, rank, call, Owner::None);
                let waits = self.core.protocol().transfer_mode(mode, call.bytes).sender_waits();
                let Some(outgoing) = outgoing.filter(|_| !waits) else { return FastPath::NotTaken };
                self.begin_blocking::<PAID>(line, call, answer);
                self.core.post_send(outgoing);
                self.core.take_events();
                self.finish_blocking_send(line, call.bytes, answer)
            }
            PlainOperation::Recv { .. } => {
                let Some(incoming) = self.incoming(rank, call) else { return FastPath::NotTaken };
                self.begin_blocking::<PAID>(line, call, true);
                self.core.post_request_receive(line, BLOCKING, call.context, incoming);
                self.wait_for_blocking(line)
            }
        };
        let answer = !matches!(call.operation, PlainOperation::Send { answer: false, .. });
        let goes_on = self.settle(line, progress, answer);
        if self.core.observers.wants_arguments() && self.core.take_unrecorded() {
            self.core.record_details(line, &call.to_call());
        }
        if goes_on { FastPath::Done } else { FastPath::Stopped }
    }

    /// The message of a send; none if there is something wrong with the send.
    #[inline(always)]
    fn outgoing<'c>(
        &self,
        line: LineId,
        rank: RankId,
        call: &PlainCall<'c>,
        owner: Owner,
    ) -> Option<Outgoing<'c>> {
        let PlainOperation::Send { mode, to, tag, payload, .. } = call.operation else { return None };
        let bytes = call.bytes;
        let (me, peer) = self.core.collectives.comms().address(call.context, rank, to)?;
        if self.checked && !self.checks().may_send(tag, bytes) {
            return None;
        }
        let key = Key::new(call.context, Some(me), Some(tag));
        let (origin, ideal) = (Origin::of(&call.stamp), self.core.ranks.line(line).ideal);
        let working_set = WorkingSet::default();
        Some(Outgoing { from: rank, to: peer, key, bytes, payload, mode, working_set, owner, origin, ideal })
    }

    /// The message that a receive expects; none if there is something wrong with the receive.
    #[inline(always)]
    fn incoming(&self, rank: RankId, call: &PlainCall<'_>) -> Option<Incoming> {
        let PlainOperation::Recv { from, tag, address } = call.operation else { return None };
        if self.checked && (tag == Some(ANY_TAG) || !self.checks().knows_peer(rank, call.context, from)) {
            return None;
        }
        let key = Key::new(call.context, from, tag);
        Some(Incoming { key, room: call.bytes, address, matched: None })
    }

    /// Turns to the call, which began when it was to be paid for.
    #[inline(always)]
    fn begin_plain<const PAID: bool>(&mut self, line: LineId, call: &PlainCall<'_>) {
        let now = self.core.now();
        let state = self.core.ranks.line_mut(line);
        state.stamp = call.stamp;
        state.entered = if PAID { state.entered } else { now };
        state.in_function = true;
        state.inbox.enter_next(call.words);
        state.polling.failures = 0;
    }

    /// The same for a call that the line may wait in.
    #[inline(always)]
    fn begin_blocking<const PAID: bool>(&mut self, line: LineId, call: &PlainCall<'_>, answer: bool) {
        self.begin_plain::<PAID>(line, call);
        if answer {
            let state = self.core.ranks.line_mut(line);
            state.reply.clear();
            let rank = state.rank;
            self.core.show_output(rank);
        }
    }

    #[inline(always)]
    fn settle_plain<const PAID: bool>(
        &mut self,
        line: LineId,
        cost: Duration,
        place: (&Borrowed, usize),
    ) -> FastPath {
        if !cost.is_zero() {
            self.core.pay(line, cost, Then::NextCall);
            return FastPath::Stopped;
        }
        if self.core.observers.wants_arguments() {
            self.record_plain(line, place);
        } else {
            let (now, Core { ranks, observers, .. }) = (self.core.now(), &mut self.core);
            let state = ranks.line(line);
            let entered = if PAID { state.entered } else { now };
            observers.call((line, state.rank), &state.stamp, (entered, now), None);
        }
        FastPath::Done
    }

    /// The call that starts at a place took no time, and its arguments are at hand.
    #[inline(never)]
    fn record_plain(&mut self, line: LineId, (inbox, position): (&Borrowed, usize)) {
        let (now, state) = (self.core.now(), self.core.ranks.line(line));
        if let Some(call) = &inbox.plain_at(position) {
            self.core.observers.post((line, state.rank), now, call, &state.reply);
        }
    }
}
