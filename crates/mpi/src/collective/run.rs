//! A schedule under way: one rank's part of one collective.

use mpirage_call::RankId;
use mpirage_collectives::SETS;
use mpirage_units::Duration;

use crate::ids::{InstanceId, PlanId};
use crate::transport::matching::Key;
use crate::transport::message::Awaited;

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Nothing: it goes on by itself.
    Now,
    /// Its blocking step.
    Blocking,
    /// All its steps under way.
    All,
    /// All but `left` of a request set.
    Set { set: u8, left: u32 },
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
    /// A wait until at most `left` of a request set are under way. Its receives are paid for then, also those that remain.
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
    until: Until,
    /// Is the beginning of the next step paid for?
    begun: bool,
    /// What its receives cost, to be paid when they are complete: those of each set, and the blocking one.
    owed: [Duration; SETS + 1],
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
            until: Until::Now,
            begun: false,
            owed: [Duration::ZERO; SETS + 1],
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

    /// A receive costs so much when it is complete.
    pub(crate) fn owe(&mut self, awaited: Awaited, cost: Duration) {
        self.owed[owed_index(awaited)] += cost;
    }

    /// Is what it stopped for still under way?
    pub(crate) fn must_wait(&mut self) -> bool {
        let (until, waits) = match self.stop {
            Stop::WaitAll => (Until::All, self.under_way > 0),
            Stop::Wait { set, left } => (Until::Set { set, left }, self.in_sets[usize::from(set)] > left),
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
        let mut pay = |awaited| std::mem::take(&mut self.owed[owed_index(awaited)]);
        match std::mem::replace(&mut self.stop, Stop::None) {
            Stop::WaitAll => {
                let all = std::mem::take(&mut self.owed);
                all.into_iter().fold(Duration::ZERO, |sum, cost| sum + cost)
            }
            Stop::Wait { set, .. } => pay(Awaited::InSet(set)),
            Stop::Recv => pay(Awaited::Blocking),
            Stop::None | Stop::Send => Duration::ZERO,
        }
    }

    /// A send or receive is complete. True if the run goes on.
    #[inline]
    pub(crate) fn step_done(&mut self, awaited: Awaited) -> bool {
        self.under_way -= 1;
        match awaited {
            Awaited::Blocking => self.blocking_under_way = false,
            Awaited::InSet(set) => self.in_sets[usize::from(set)] -= 1,
        }
        let goes_on = match self.until {
            Until::Now => false,
            Until::Blocking => awaited == Awaited::Blocking,
            Until::All => self.under_way == 0,
            Until::Set { set, left } => self.in_sets[usize::from(set)] <= left,
        };
        if goes_on {
            self.until = Until::Now;
        }
        goes_on
    }
}

fn owed_index(awaited: Awaited) -> usize {
    match awaited {
        Awaited::InSet(set) => usize::from(set),
        Awaited::Blocking => SETS,
    }
}
