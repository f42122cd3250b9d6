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

use std::collections::HashMap;

use mpirage_call::BLOCKING;
use mpirage_units::{Duration, Time};
use smallvec::SmallVec;

use crate::message::{Message, Owner, Receive};

/// The clocks of everything that waits or is waited for.
#[derive(Debug)]
pub(crate) struct IdealClocks {
    /// What the time is for each rank.
    now: Vec<Time>,
    ranks: Vec<Waits>,
    /// When each message was sent, by number.
    messages: Vec<Time>,
    /// When each receive was posted, by number.
    receives: Vec<Time>,
    /// Schedules, by number.
    runs: Vec<RunClock>,
    /// When receives of schedules were posted, by run, source and slot; of those that senders wait for.
    posted: HashMap<(u32, u32, u16), SmallVec<[Time; 2]>>,
    /// When the last so far entered each collective that a formula is for, by number.
    gatherings: Vec<Time>,
}

/// What a rank may wait for: two cache lines.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Waits {
    /// When it finalized.
    finalized: Option<Time>,
    /// When its requests are complete, by number; or anything earlier if that is no later than now.
    requests: SmallVec<[Time; 12]>,
}

/// One rank's part of a collective.
#[derive(Clone, Copy, Debug, Default)]
struct RunClock {
    now: Time,
    /// When its blocking step is complete.
    blocking: Time,
    /// When all its steps so far are.
    all: Time,
}

impl IdealClocks {
    pub(crate) fn new(ranks: usize) -> IdealClocks {
        IdealClocks {
            now: vec![Time::ZERO; ranks],
            ranks: vec![Waits::default(); ranks],
            messages: Vec::new(),
            receives: Vec::new(),
            runs: Vec::new(),
            posted: HashMap::new(),
            gatherings: Vec::new(),
        }
    }

    /// Time passes in a rank.
    pub(crate) fn pass(&mut self, rank: u32, span: Duration) {
        self.now[rank as usize] += span;
    }

    /// A rank finalizes: this is when it ends.
    pub(crate) fn finalize(&mut self, rank: u32) {
        self.ranks[rank as usize].finalized = Some(self.now[rank as usize]);
    }

    /// When a rank has ended, or where it is.
    pub(crate) fn end(&self, rank: u32) -> Time {
        self.ranks[rank as usize].finalized.unwrap_or(self.now[rank as usize])
    }

    /// A message is sent.
    #[inline]
    pub(crate) fn send(&mut self, id: u32, message: &Message) {
        let at = self.now_of(message.owner, message.from);
        put(&mut self.messages, id, at);
        if let Owner::Step { run, blocking: true } = message.owner {
            self.runs[run as usize].blocking = at;
        }
    }

    /// A receive is posted.
    #[inline]
    pub(crate) fn post(&mut self, id: u32, receive: &Receive) {
        let at = self.now_of(receive.owner, receive.rank);
        put(&mut self.receives, id, at);
    }

    /// A message and a receive have found each other.
    #[inline]
    pub(crate) fn meet(&mut self, id: u32, message: &Message, receive: u32, receiver: Owner) {
        let at = self.messages[id as usize].max(self.receives[receive as usize]);
        self.complete(receiver, at);
        if message.way.sender_waits() {
            self.complete(message.owner, at);
        }
    }

    /// A receive of a schedule is posted, for a message whose sender may wait for that.
    pub(crate) fn post_step(&mut self, run: u32, source: u32, slot: u16) {
        let now = self.runs[run as usize].now;
        self.posted.entry((run, source, slot)).or_default().push(now);
    }

    /// A message and a receive of a schedule have found each other.
    #[inline]
    pub(crate) fn meet_step(&mut self, id: u32, message: &Message, run: u32, blocking: bool) {
        let mut at = self.messages[id as usize];
        if message.way.sender_waits() {
            // Of one that nobody expected to be waited for, the schedule may be farther by now.
            at = at.max(self.take_posted(run, message).unwrap_or(self.runs[run as usize].now));
            self.complete(message.owner, at);
        }
        self.complete(Owner::Step { run, blocking }, at);
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

    /// A rank has seen a message in a probe.
    pub(crate) fn probe(&mut self, rank: u32, message: u32) {
        let now = &mut self.now[rank as usize];
        *now = (*now).max(self.messages[message as usize]);
    }

    /// A rank has waited for a request.
    #[inline]
    pub(crate) fn wait(&mut self, rank: u32, request: u32) {
        let now = &mut self.now[rank as usize];
        *now = (*now).max(self.ranks[rank as usize].request(request));
    }

    /// Nobody will wait for a request.
    pub(crate) fn free(&mut self, rank: u32, request: u32) {
        self.ranks[rank as usize].set(request, Time::ZERO);
    }

    /// Something begins beside a rank, which a request completes with.
    pub(crate) fn open(&mut self, rank: u32, request: u32) {
        self.ranks[rank as usize].set(request, self.now[rank as usize]);
    }

    /// It takes so long.
    pub(crate) fn prolong(&mut self, rank: u32, request: u32, span: Duration) {
        let waits = &mut self.ranks[rank as usize];
        waits.set(request, waits.request(request) + span);
    }

    /// A rank's schedule begins.
    pub(crate) fn start_run(&mut self, run: u32, rank: u32) {
        let now = self.now[rank as usize];
        put(&mut self.runs, run, RunClock { now, blocking: now, all: now });
    }

    /// A schedule works by itself.
    pub(crate) fn work(&mut self, run: u32, span: Duration) {
        let clock = &mut self.runs[run as usize];
        clock.now += span;
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

    /// A schedule is over; it is the rank's call, or belongs to a request.
    pub(crate) fn end_run(&mut self, run: u32, rank: u32, request: u32) {
        self.pass_all(run);
        self.leave(rank, request, self.runs[run as usize].now);
    }

    /// A rank enters a collective that a formula is for; `first` if nobody has before.
    pub(crate) fn gather(&mut self, instance: u32, rank: u32, first: bool) {
        let now = self.now[rank as usize];
        let latest = if first { now } else { now.max(self.gatherings[instance as usize]) };
        put(&mut self.gatherings, instance, latest);
    }

    /// And leaves it, or its request completes.
    pub(crate) fn disperse(&mut self, instance: u32, rank: u32, request: u32) {
        self.leave(rank, request, self.gatherings[instance as usize]);
    }

    fn leave(&mut self, rank: u32, request: u32, at: Time) {
        if request == BLOCKING {
            let now = &mut self.now[rank as usize];
            *now = (*now).max(at);
        } else {
            self.ranks[rank as usize].set(request, at);
        }
    }

    /// What the time is for whoever sends or receives.
    #[inline]
    fn now_of(&self, owner: Owner, rank: u32) -> Time {
        match owner {
            Owner::Step { run, .. } => self.runs[run as usize].now,
            Owner::Request { .. } | Owner::Nobody => self.now[rank as usize],
        }
    }

    #[inline]
    fn complete(&mut self, owner: Owner, at: Time) {
        match owner {
            Owner::Request { rank, id } => self.ranks[rank as usize].set(id, at),
            Owner::Step { run, blocking } => {
                let clock = &mut self.runs[run as usize];
                clock.all = clock.all.max(at);
                if blocking {
                    clock.blocking = at;
                }
            }
            Owner::Nobody => {}
        }
    }
}

impl Waits {
    #[inline]
    fn request(&self, id: u32) -> Time {
        self.requests.get(id as usize).copied().unwrap_or(Time::ZERO)
    }

    #[inline]
    fn set(&mut self, id: u32, at: Time) {
        if self.requests.len() <= id as usize {
            self.requests.resize(id as usize + 1, Time::ZERO);
        }
        self.requests[id as usize] = at;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_two_cache_lines() {
        assert_eq!(size_of::<Waits>(), 128);
    }
}
