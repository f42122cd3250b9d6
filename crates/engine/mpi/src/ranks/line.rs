//! One line of control.

use mpirage_call::{Completing, RankId, Reply, RequestId, Stamp, Work};
use mpirage_units::Time;

use super::inbox::Inbox;
use super::receiving::Receiving;
use super::request::Slot;
use crate::ids::InstanceId;
use crate::transport::matching::Probe;

/// The state of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    /// Its job starts later.
    Unstarted,
    /// Its program runs: the engine waits for calls.
    Running,
    /// The burst before its next call passes.
    Computing,
    /// It computes as much as its call says.
    Executing,
    /// It waits for the decision whether to execute a sampled block.
    Sampling,
    /// Simulated time passes before its next call.
    Delayed,
    /// It pays for a call.
    Paying(Then),
    /// It waits for its processor.
    Claiming(Claim),
    /// It waits for requests.
    Waiting,
    /// It waits for the first of its requests that is complete.
    TakingCompleted,
    /// It waits for a message that it probes for.
    Probing(Probe),
    /// It is in a blocking collective.
    InCollective(InstanceId),
    /// It waits until all ranks have reached a migration point and those that move have arrived.
    Migrating,
    /// The event that it waited for has come.
    Woken,
    /// Its reply is ready.
    Ready,
    /// The graph has finished; its processors are still busy.
    Ending,
    /// It has ended.
    Gone,
}

impl Phase {
    /// Is the line inside a call, or past its last one?
    pub(crate) fn is_in_call(&self) -> bool {
        match self {
            Phase::Unstarted
            | Phase::Running
            | Phase::Computing
            | Phase::Executing
            | Phase::Sampling
            | Phase::Delayed => false,
            Phase::Claiming(claim) => *claim == Claim::Call,
            _ => true,
        }
    }

    /// Is it the same phase, whatever its details?
    #[inline]
    pub(crate) fn is(&self, other: &Phase) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The purpose for which a line needs its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// For the burst before its next call.
    Burst,
    /// To compute as much as its call says.
    Execute,
    /// To carry out its next call.
    Call,
}

/// The next action once a call is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next call.
    NextCall,
    /// The line gets its reply.
    Reply,
    /// The call takes effect: this was its beginning.
    Perform,
    /// The call waits for its receive.
    Await,
    /// The poll looks.
    Look,
    /// The poll has failed: the next call, if the line has made it already, else its reply.
    AfterPoll,
}

/// The requests that a line waits for.
#[derive(Debug)]
pub(crate) struct Wait {
    pub how: Completing,
    pub requests: Vec<RequestId>,
    /// How many of them are not complete.
    pub missing: usize,
    /// How many of them may still complete in different ways.
    pub uncertain: usize,
    /// If it waits for all of them: how it takes those that arrive.
    pub receiving: Receiving,
}

impl Default for Wait {
    fn default() -> Self {
        Wait {
            how: Completing::All,
            requests: Vec::new(),
            missing: 0,
            uncertain: 0,
            receiving: Receiving::default(),
        }
    }
}

/// Consecutive polls that failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Polling {
    pub failures: u32,
    /// As many as there were before the last call, if that was none of them.
    pub counted: u32,
    pub since: Time,
}

/// The state of one line.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Line {
    /// The rank it belongs to.
    pub rank: RankId,
    pub phase: Phase,
    pub inbox: Inbox,
    /// The call it is in, and since when.
    pub stamp: Stamp,
    /// The last call of the program, once one has followed that is not the program's.
    named: Option<Box<Stamp>>,
    pub entered: Time,
    /// The computation under way.
    pub work: Work,
    /// Is that call an MPI function's, rather than the library's own?
    pub in_function: bool,
    pub reply: Reply,
    /// Has the driver been told that the reply is final?
    pub released: bool,
    pub wait: Wait,
    /// The request behind its blocking call.
    pub blocking: Slot,
    pub polling: Polling,
    /// It has ended; only calls it had left behind are still carried out.
    pub leaving: bool,
    /// Its ideal time ([`crate::ideal`]).
    pub ideal: Time,
}

impl Line {
    pub(crate) fn new(rank: RankId) -> Line {
        Line {
            rank,
            phase: Phase::Running,
            inbox: Inbox::default(),
            stamp: Stamp::default(),
            named: None,
            entered: Time::ZERO,
            work: Work::Nanos(0),
            in_function: false,
            reply: Reply::default(),
            released: false,
            wait: Wait::default(),
            blocking: Slot::UNUSED,
            polling: Polling::default(),
            leaving: false,
            ideal: Time::ZERO,
        }
    }

    /// The line turns to a call. One without a site counts work, or asks for the time, for the library.
    #[inline(always)]
    pub(crate) fn turn_to(&mut self, stamp: Stamp) {
        let before = std::mem::replace(&mut self.stamp, stamp);
        if stamp.site == 0 && before.site != 0 {
            self.remember(before);
        }
    }

    #[cold]
    fn remember(&mut self, named: Stamp) {
        **self.named.get_or_insert_default() = named;
    }

    /// The call of the program that it is in, or was in last.
    pub(crate) fn named_call(&self) -> Stamp {
        match &self.named {
            Some(named) if self.stamp.site == 0 => **named,
            _ => self.stamp,
        }
    }
}
