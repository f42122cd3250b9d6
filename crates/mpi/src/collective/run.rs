//! A schedule under way: one rank's part of one collective.

use mpirage_call::RankId;
use mpirage_units::Duration;

use crate::ids::{InstanceId, PlanId};
use crate::transport::matching::Key;

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Nothing: it goes on by itself.
    Now,
    /// Its blocking step.
    Blocking,
    /// All its steps under way.
    All,
}

/// What stands between a run and its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    None,
    /// A blocking send.
    Send,
    /// A blocking receive; it is paid for when it is complete.
    Recv,
    /// A wait for everything; receives are paid for then.
    WaitAll,
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
    blocking_under_way: bool,
    until: Until,
    /// Is the beginning of the next step paid for?
    begun: bool,
    /// What its receives cost, to be paid when they are complete.
    owed: Duration,
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
            blocking_under_way: false,
            until: Until::Now,
            begun: false,
            owed: Duration::ZERO,
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

    /// What it has stopped for.
    #[inline]
    pub(crate) fn stop(&self) -> Stop {
        self.stop
    }

    /// It goes on by itself.
    #[inline]
    pub(crate) fn go_on(&mut self) {
        self.until = Until::Now;
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

    /// A send or receive begins, for which it stops or not.
    pub(crate) fn begin(&mut self, stop: Stop) {
        self.under_way += 1;
        self.blocking_under_way = stop != Stop::None;
        self.stop = stop;
    }

    /// It stops until everything is complete.
    pub(crate) fn wait_all(&mut self) {
        self.stop = Stop::WaitAll;
    }

    /// A receive costs so much when it is complete.
    pub(crate) fn owe(&mut self, cost: Duration) {
        self.owed += cost;
    }

    /// Is what it stopped for still under way?
    pub(crate) fn must_wait(&mut self) -> bool {
        let (until, waits) = match self.stop {
            Stop::WaitAll => (Until::All, self.under_way > 0),
            _ => (Until::Blocking, self.blocking_under_way),
        };
        if waits {
            self.until = until;
        }
        waits
    }

    /// After the last step: true if everything is complete; else it waits for that.
    pub(crate) fn is_complete(&mut self) -> bool {
        if self.under_way > 0 {
            self.until = Until::All;
        }
        self.under_way == 0
    }

    /// Goes on after the stop; receives that are complete are to be paid for.
    pub(crate) fn pass_stop(&mut self) -> Duration {
        match std::mem::replace(&mut self.stop, Stop::None) {
            Stop::WaitAll | Stop::Recv => std::mem::take(&mut self.owed),
            Stop::None | Stop::Send => Duration::ZERO,
        }
    }

    /// A send or receive is complete. True if the run goes on.
    #[inline]
    pub(crate) fn step_done(&mut self, blocking: bool) -> bool {
        self.under_way -= 1;
        self.blocking_under_way &= !blocking;
        let goes_on = match self.until {
            Until::Now => false,
            Until::Blocking => blocking,
            Until::All => self.under_way == 0,
        };
        if goes_on {
            self.until = Until::Now;
        }
        goes_on
    }
}
