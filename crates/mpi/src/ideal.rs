//! Ideal clocks: when everything would happen if the network were not there.
//!
//! Beside the simulated clock each rank has another, on which messages arrive as they are sent and calls cost nothing. It
//! moves while the rank computes or sleeps, and jumps where the rank waits for something that happens later by such clocks:
//!
//! ```text
//! rank 0  ███ compute ███ send                   ideal: the message is sent at 7
//! rank 1  █ compute █ recv ╌╌╌╌╌╌╌╌╌╌╌╌╌╌        ideal: the receive is posted at 4 and ends at max(4, 7)
//! ```
//!
//! Who waits for whom is taken from the run itself, as it goes: which message a receive has taken, which requests a wait was
//! told of, what a schedule of a collective stops for. So this is the time that a second run of the same calls on an ideal
//! network takes, for the price of a few comparisons per message. Where they differ:
//!
//! - receives from anybody keep the messages they got; a second run might match others,
//! - failed polls take no time: the rank waits in the poll that succeeds,
//! - bursts take as long as they did, also where ranks share cores, which they might do otherwise,
//! - a collective by a formula ends when all have entered it; a second run knows algorithms only,
//! - a rank that is a graph never goes back: what it starts waits for all that it has harvested so far.
//!
//! These clocks always run, since what they say lies where the engine has it in hand anyway: the time of a rank in its
//! [`RankState`](crate::rank::RankState), of a request in its [`Slot`](crate::request::Slot), of a message in the
//! [`Message`]. A receive is posted when its request is opened, and complete at the later of that and the date of the message
//! it is given. That costs less than asking each time whether anybody wants to know; only schedules, and the few things that
//! have no such place, are looked after for those who do.

use std::collections::HashMap;

use mpirage_call::{BLOCKING, RequestId};
use mpirage_units::{Duration, Time};
use smallvec::SmallVec;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::message::{Message, Owner, step_of};

/// The clocks of what has no place for its own.
#[derive(Debug, Default)]
pub(crate) struct IdealClocks {
    /// Schedules, by number.
    runs: Vec<RunClock>,
    /// When receives of schedules were posted, by run, source and slot; of those that senders wait for.
    posted: HashMap<(u32, u32, u16), SmallVec<[Time; 2]>>,
    /// When receives were posted whose requests were freed, by number.
    orphans: HashMap<u32, Time>,
    /// When the last so far entered each collective that a formula is for, by number.
    gatherings: Vec<Time>,
}

/// One rank's part of a collective.
#[derive(Clone, Copy, Debug, Default)]
struct RunClock {
    now: Time,
    /// When its blocking step is complete, or anything earlier than now.
    blocking: Time,
    /// When all its steps so far are.
    all: Time,
}

impl<M: Memory> Engine<M> {
    /// Time passes in a rank; no more once it has finalized, for that is its end.
    pub(crate) fn pass_ideal(&mut self, rank: u32, span: Duration) {
        let state = &mut self.ranks[rank as usize];
        if !state.finalized {
            state.ideal += span;
        }
    }

    /// What the time is for whoever sends.
    #[inline(always)]
    pub(crate) fn ideal_now(&self, owner: Owner, rank: u32) -> Time {
        match owner {
            Owner::Step { run, .. } => self.ideal.as_ref().map_or(Time::ZERO, |ideal| ideal.now(run)),
            Owner::Request { .. } | Owner::Nobody => self.ranks[rank as usize].ideal,
        }
    }

    /// A message whose sender waits and a receive have found each other: so both know when. Senders may go on long before the
    /// message is delivered; its receiver may not, and is told with it.
    #[inline(never)]
    pub(crate) fn meet_ideal(&mut self, id: u32, receive: u32) {
        let Some(ideal) = &mut self.ideal else { return };
        let message = &mut self.messages[id];
        let posted = match step_of(receive).unwrap_or_else(|| self.receives[receive].owner) {
            Owner::Request { rank, id } => self.ranks[rank as usize].requests[id.index()].ideal,
            // Of one that nobody expected to be waited for, the schedule may be farther by now.
            Owner::Step { run, .. } => ideal.take_posted(run, message).unwrap_or(ideal.now(run)),
            Owner::Nobody => ideal.orphans.remove(&receive).unwrap_or(Time::ZERO),
        };
        let at = message.ideal.max(posted);
        message.ideal = at;
        match message.owner {
            Owner::Request { rank, id } => self.ranks[rank as usize].requests[id.index()].ideal = at,
            Owner::Step { run, blocking } => ideal.end_step(run, blocking, at),
            Owner::Nobody => {}
        }
    }

    /// A collective is over for a rank: it was the rank's call, or its request is complete.
    pub(crate) fn leave_ideal(&mut self, rank: u32, request: RequestId, at: Time) {
        let state = &mut self.ranks[rank as usize];
        let clock =
            if request == BLOCKING { &mut state.ideal } else { &mut state.requests[request.index()].ideal };
        *clock = (*clock).max(at);
    }
}

impl IdealClocks {
    /// Nobody will wait for a receive that is still posted.
    pub(crate) fn orphan(&mut self, receive: u32, posted: Time) {
        self.orphans.insert(receive, posted);
    }

    /// A receive of a schedule is posted, for a message whose sender may wait for that.
    pub(crate) fn post_step(&mut self, run: u32, source: u32, slot: u16) {
        let now = self.now(run);
        self.posted.entry((run, source, slot)).or_default().push(now);
    }

    fn take_posted(&mut self, run: u32, message: &Message) -> Option<Time> {
        let step = (run, message.key.source, message.key.tag as u16);
        let posted = self.posted.get_mut(&step)?;
        let first = posted.remove(0);
        if posted.is_empty() {
            self.posted.remove(&step);
        }
        Some(first)
    }

    /// A rank's schedule begins.
    pub(crate) fn start_run(&mut self, run: u32, now: Time) {
        put(&mut self.runs, run, RunClock { now, blocking: now, all: now });
    }

    /// What the time is for a schedule.
    #[inline]
    fn now(&self, run: u32) -> Time {
        self.runs[run as usize].now
    }

    /// A schedule works by itself.
    pub(crate) fn work(&mut self, run: u32, span: Duration) {
        let clock = &mut self.runs[run as usize];
        clock.now += span;
    }

    /// A schedule sends and stops for that: as far as it knows so far, for no time.
    pub(crate) fn send_step(&mut self, run: u32) {
        let clock = &mut self.runs[run as usize];
        clock.blocking = clock.now;
    }

    /// A step of a schedule is complete.
    #[inline]
    pub(crate) fn end_step(&mut self, run: u32, blocking: bool, at: Time) {
        let clock = &mut self.runs[run as usize];
        clock.all = clock.all.max(at);
        if blocking {
            clock.blocking = clock.blocking.max(at);
        }
    }

    /// A schedule has waited for its blocking step.
    #[inline]
    pub(crate) fn pass_blocking(&mut self, run: u32) {
        let clock = &mut self.runs[run as usize];
        clock.now = clock.now.max(clock.blocking);
    }

    /// A schedule has waited for all its steps.
    #[inline]
    pub(crate) fn pass_all(&mut self, run: u32) {
        let clock = &mut self.runs[run as usize];
        clock.now = clock.now.max(clock.all);
    }

    /// A schedule is over; says when.
    pub(crate) fn end_run(&mut self, run: u32) -> Time {
        self.pass_all(run);
        self.now(run)
    }

    /// A rank enters a collective that a formula is for; `first` if nobody has before.
    pub(crate) fn gather(&mut self, instance: u32, now: Time, first: bool) {
        let latest = if first { now } else { now.max(self.gatherings[instance as usize]) };
        put(&mut self.gatherings, instance, latest);
    }

    /// When the last so far entered it.
    pub(crate) fn gathered(&self, instance: u32) -> Time {
        self.gatherings[instance as usize]
    }
}

/// Sets what has this number. Numbers are small and used again.
#[inline]
fn put<T: Copy + Default>(all: &mut Vec<T>, id: u32, value: T) {
    if all.len() <= id as usize {
        all.resize(id as usize + 1, T::default());
    }
    all[id as usize] = value;
}
