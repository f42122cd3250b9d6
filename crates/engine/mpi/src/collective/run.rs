//! A schedule under way: one rank's part of one collective.

use mpirage_call::RankId;
use mpirage_collectives::SETS;
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use crate::ids::{InstanceId, PlanId, RunId};
use crate::protocol::Overhead;
use crate::ranks::receiving::Receiving;
use crate::transport::matching::Key;
use crate::transport::message::Awaited;

/// The operation that a run waits for before its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    None,
    /// A blocking send.
    Send,
    /// A blocking receive.
    Recv,
    /// A wait for everything.
    WaitAll,
    /// A wait until at most `left` of a request set are under way.
    Wait {
        set: u8,
        left: u32,
    },
}

/// One rank's part of a collective.
#[derive(Debug)]
pub(crate) struct Run {
    /// The collective.
    pub instance: InstanceId,
    /// The rank in the collective's group.
    pub member: u32,
    pub rank: RankId,
    pub plan: PlanId,
    /// The context in which its messages are matched.
    context: u64,
    /// The next step of the plan.
    next: u32,
    /// The last stop, until it is passed.
    stop: Stop,
    under_way: u32,
    in_sets: [u32; SETS],
    blocking_under_way: bool,
    /// Does it wait for what it has stopped for? Otherwise it goes on by itself.
    waiting: bool,
    /// Do receives cost something that is not paid yet?
    pub owes: bool,
    /// Is the beginning of the next step paid for?
    begun: bool,
}

impl Run {
    pub(crate) fn new(instance: InstanceId, member: u32, rank: RankId, plan: PlanId, context: u64) -> Run {
        Run {
            instance,
            member,
            rank,
            plan,
            context,
            next: 0,
            stop: Stop::None,
            under_way: 0,
            in_sets: [0; SETS],
            blocking_under_way: false,
            waiting: false,
            owes: false,
            begun: false,
        }
    }

    /// The key of what it sends.
    pub(crate) fn sends(&self, slot: u16) -> Key {
        self.receives(self.member, slot)
    }

    /// The key of what it receives from a member.
    pub(crate) fn receives(&self, from: u32, slot: u16) -> Key {
        Key { context: self.context, source: from, tag: i32::from(slot) }
    }

    /// The number of the next step.
    #[inline]
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// How many of its sends and receives are not complete.
    #[inline]
    pub(crate) fn under_way(&self) -> u32 {
        self.under_way
    }

    /// The operation it has stopped for.
    #[inline]
    pub(crate) fn stop(&self) -> Stop {
        self.stop
    }

    /// It goes on by itself.
    #[inline]
    pub(crate) fn go_on(&mut self) {
        self.waiting = false;
    }

    /// The beginning of the next step is paid for. True if it was not before.
    pub(crate) fn begin_step(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// Has the next step not begun?
    pub(crate) fn has_not_begun(&self) -> bool {
        !self.begun
    }

    /// It takes its next step.
    pub(crate) fn take_step(&mut self) {
        self.next += 1;
        self.begun = false;
    }

    /// A send or receive begins, for which it stops or which belongs to a request set.
    pub(crate) fn begin(&mut self, stop: Stop, awaited: Awaited) {
        self.under_way += 1;
        match awaited {
            Awaited::Blocking => self.blocking_under_way = true,
            Awaited::InSet(set) => self.in_sets[usize::from(set)] += 1,
        }
        self.stop = stop;
    }

    /// It stops at a wait.
    pub(crate) fn wait(&mut self, stop: Stop) {
        self.stop = stop;
    }

    /// Is what it stopped for still under way?
    pub(crate) fn must_wait(&mut self) -> bool {
        self.waiting = !self.is_past(self.stop);
        self.waiting
    }

    /// After the last step: true if everything is complete; else it waits for that.
    pub(crate) fn is_complete(&mut self) -> bool {
        if self.under_way > 0 {
            (self.stop, self.waiting) = (Stop::WaitAll, true);
        }
        self.under_way == 0
    }

    /// Goes on after the stop, which this gives.
    pub(crate) fn pass_stop(&mut self) -> Stop {
        std::mem::replace(&mut self.stop, Stop::None)
    }

    /// A send or receive is complete. True if the run goes on.
    #[inline]
    pub(crate) fn step_done(&mut self, awaited: Awaited) -> bool {
        self.under_way -= 1;
        match awaited {
            Awaited::Blocking => self.blocking_under_way = false,
            Awaited::InSet(set) => self.in_sets[usize::from(set)] -= 1,
        }
        let goes_on = self.waiting && self.is_past(self.stop);
        self.waiting &= !goes_on;
        goes_on
    }

    /// Does it wait for a send or receive of this kind?
    pub(crate) fn waits_for(&self, awaited: Awaited) -> bool {
        self.waiting
            && match (self.stop, awaited) {
                (Stop::WaitAll, _) | (Stop::Recv, Awaited::Blocking) => true,
                (Stop::Wait { set, .. }, Awaited::InSet(own)) => set == own,
                _ => false,
            }
    }

    /// Is what this stop is for complete?
    #[inline]
    fn is_past(&self, stop: Stop) -> bool {
        match stop {
            Stop::WaitAll => self.under_way == 0,
            Stop::Wait { set, left } => self.in_sets[usize::from(set)] <= left,
            Stop::None | Stop::Send | Stop::Recv => !self.blocking_under_way,
        }
    }
}

/// The costs of the receives of runs. Kept apart from the runs, since most models have no such cost.
#[derive(Debug)]
pub(crate) struct OwedCosts {
    overhead: Overhead,
    runs: FxHashMap<RunId, Owed>,
}

/// The costs of the receives of one run.
#[derive(Debug, Default)]
struct Owed {
    /// Costs of messages that arrived while the run did not wait for them: of each set, and of the blocking receive.
    unpaid: [Duration; SETS + 1],
    /// Costs of messages that arrive while the run waits for them.
    receiving: Receiving,
}

impl Owed {
    /// Takes the costs of messages that arrived before the run stopped.
    fn take_unpaid(&mut self, stop: Stop) -> Duration {
        match stop {
            Stop::WaitAll => {
                std::mem::take(&mut self.unpaid).into_iter().fold(Duration::ZERO, |sum, cost| sum + cost)
            }
            Stop::Wait { set, .. } => std::mem::take(&mut self.unpaid[index(Awaited::InSet(set))]),
            Stop::Recv => std::mem::take(&mut self.unpaid[index(Awaited::Blocking)]),
            Stop::None | Stop::Send => Duration::ZERO,
        }
    }
}

impl OwedCosts {
    pub(crate) fn new(overhead: Overhead) -> OwedCosts {
        OwedCosts { overhead, runs: FxHashMap::default() }
    }

    /// Do receives cost anything?
    #[inline]
    pub(crate) fn has_costs(&self) -> bool {
        !self.overhead.is_none()
    }

    /// A message arrives; the run waits for it if it is given when.
    pub(crate) fn receive(&mut self, run: RunId, awaited: Awaited, at: Option<Time>, bytes: u64) {
        let cost = self.overhead.of(bytes);
        let owed = self.runs.entry(run).or_default();
        match at {
            Some(now) => owed.receiving.arrive(now, cost),
            None => owed.unpaid[index(awaited)] += cost,
        }
    }

    /// A run begins to wait.
    pub(crate) fn begin(&mut self, run: RunId, stop: Stop, now: Time) {
        let owed = self.runs.entry(run).or_default();
        owed.receiving = Receiving::begin(now, owed.take_unpaid(stop));
    }

    /// A run is over.
    pub(crate) fn forget(&mut self, run: RunId) {
        self.runs.remove(&run);
    }

    /// A run has passed a stop: gives what it still pays. True if it owes more.
    pub(crate) fn pay(&mut self, run: RunId, stop: Stop, now: Time) -> (Duration, bool) {
        let Some(owed) = self.runs.get_mut(&run) else { return (Duration::ZERO, false) };
        let paid = std::mem::take(&mut owed.receiving).left(now) + owed.take_unpaid(stop);
        let owes = owed.unpaid.iter().any(|cost| !cost.is_zero());
        if !owes {
            self.runs.remove(&run);
        }
        (paid, owes)
    }
}

fn index(awaited: Awaited) -> usize {
    match awaited {
        Awaited::InSet(set) => usize::from(set),
        Awaited::Blocking => SETS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million ranks in a collective have a million runs.
    #[test]
    fn a_run_is_a_cache_line() {
        assert!(size_of::<Run>() <= 64, "{}", size_of::<Run>());
    }
}
