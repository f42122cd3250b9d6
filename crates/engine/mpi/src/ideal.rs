//! Ideal clocks: when everything would happen on a network that takes no time.
//!
//! Beside the simulated clock each line has another, on which messages arrive as they are sent and calls cost nothing. It
//! moves while the line computes or sleeps, and jumps where the line waits for something that happens later by such clocks:
//!
//! ```text
//! rank 0  ███ compute ███ send                   ideal: the message is sent at 7
//! rank 1  █ compute █ recv ╌╌╌╌╌╌╌╌╌╌╌╌╌╌        ideal: the receive is posted at 4 and ends at max(4, 7)
//! ```
//!
//! The dependencies come from the run itself: which message a receive has taken, which requests a wait completed, what a
//! schedule of a collective stops for. So this is the time that a second run of the same calls on an ideal network takes, for
//! the price of a few comparisons per message. Where they differ:
//!
//! - receives from any source keep the messages they got; a second run might match others,
//! - failed polls take no time: the rank waits in the poll that succeeds,
//! - bursts take as long as they did, also where ranks share cores, which they might do otherwise,
//! - a collective by a formula ends when all have entered it; a second run knows algorithms only,
//! - a rank that is a graph never goes back: what it starts waits for all that it has taken as complete so far.
//!
//! The clocks of lines, requests, messages and receives lie in those themselves, where the engine has them at hand; they
//! always run, since that costs less than to ask each time whether a recorder wants them. This module keeps the clocks of
//! schedules, for recorders that do.

use std::collections::HashMap;

use mpirage_collectives::SETS;
use mpirage_units::{Duration, Time};
use smallvec::SmallVec;

use crate::ids::{Id, InstanceId, RunId};
use crate::transport::message::Awaited;

/// The clocks of schedules and of collectives by formula.
#[derive(Debug, Default)]
pub(crate) struct IdealClocks {
    runs: Vec<RunClock>,
    /// When receives of schedules were posted, by run, source and slot; of those whose senders may wait for that.
    posted: HashMap<(RunId, u32, u16), SmallVec<[Time; 2]>>,
    /// When the last member so far entered each collective that a formula is for.
    entries: Vec<Time>,
}

/// One rank's part of a collective.
#[derive(Clone, Copy, Debug, Default)]
struct RunClock {
    now: Time,
    /// When its blocking step is complete, or anything earlier than now.
    blocking: Time,
    /// When all its steps so far are.
    all: Time,
    /// When those of each request set are.
    sets: [Time; SETS],
}

impl IdealClocks {
    /// A receive of a schedule is posted, for a message whose sender may wait for that.
    pub(crate) fn post_step(&mut self, run: RunId, source: u32, slot: u16) {
        let now = self.now(run);
        self.posted.entry((run, source, slot)).or_default().push(now);
    }

    /// When the receive of a schedule was posted that takes a message. Where no sender was expected to wait, the schedule may
    /// be farther by now.
    pub(crate) fn take_posted(&mut self, run: RunId, source: u32, slot: u16) -> Time {
        let step = (run, source, slot);
        let Some(posted) = self.posted.get_mut(&step) else { return self.now(run) };
        let first = posted.remove(0);
        if posted.is_empty() {
            self.posted.remove(&step);
        }
        first
    }

    /// A rank's schedule begins.
    pub(crate) fn start_run(&mut self, run: RunId, now: Time) {
        put(&mut self.runs, run.index(), RunClock { now, blocking: now, all: now, sets: [now; SETS] });
    }

    /// The ideal time of a schedule.
    #[inline]
    pub(crate) fn now(&self, run: RunId) -> Time {
        self.runs[run.index()].now
    }

    /// A schedule works by itself.
    pub(crate) fn work(&mut self, run: RunId, span: Duration) {
        self.runs[run.index()].now += span;
    }

    /// A schedule sends and stops for that: as far as is known so far, for no time.
    pub(crate) fn send_step(&mut self, run: RunId) {
        let clock = &mut self.runs[run.index()];
        clock.blocking = clock.now;
    }

    /// A step of a schedule is complete.
    #[inline]
    pub(crate) fn end_step(&mut self, run: RunId, awaited: Awaited, at: Time) {
        let clock = &mut self.runs[run.index()];
        clock.all = clock.all.max(at);
        let latest = match awaited {
            Awaited::Blocking => &mut clock.blocking,
            Awaited::InSet(set) => &mut clock.sets[usize::from(set)],
        };
        *latest = at.max(*latest);
    }

    /// A schedule has waited for its blocking step.
    #[inline]
    pub(crate) fn pass_blocking(&mut self, run: RunId) {
        let clock = &mut self.runs[run.index()];
        clock.now = clock.now.max(clock.blocking);
    }

    /// A schedule has waited for steps of a request set. Of those that remain nothing is known yet.
    pub(crate) fn pass_set(&mut self, run: RunId, set: u8) {
        let clock = &mut self.runs[run.index()];
        clock.now = clock.now.max(clock.sets[usize::from(set)]);
    }

    /// A schedule has waited for all its steps.
    #[inline]
    pub(crate) fn pass_all(&mut self, run: RunId) {
        let clock = &mut self.runs[run.index()];
        clock.now = clock.now.max(clock.all);
    }

    /// A schedule is over; gives the ideal time of its end.
    pub(crate) fn end_run(&mut self, run: RunId) -> Time {
        self.pass_all(run);
        self.now(run)
    }

    /// A rank enters a collective that a formula is for; `first` if no other has before.
    pub(crate) fn enter(&mut self, instance: InstanceId, now: Time, first: bool) {
        let latest = if first { now } else { now.max(self.entries[instance.index()]) };
        put(&mut self.entries, instance.index(), latest);
    }

    /// When the last so far entered it.
    pub(crate) fn last_entry(&self, instance: InstanceId) -> Time {
        self.entries[instance.index()]
    }
}

/// Sets the value with this index. Indices are small and used again.
#[inline]
fn put<T: Copy + Default>(all: &mut Vec<T>, index: usize, value: T) {
    if all.len() <= index {
        all.resize(index + 1, T::default());
    }
    all[index] = value;
}
