//! One rank of a DUMPI trace: its recorded calls become calls.
//!
//! A trace has the results of calls: which request a `Waitany` returned, what a `Test` found. The replay waits for the same
//! requests, and omits tests that found nothing.

use std::collections::HashMap;
use std::sync::Arc;

use mpirage_call::{Burst, Call, ContextId, Reply, RequestId, Stamp};
use mpirage_data::Group;

use super::comm::{Comm, Making};
use super::layout::Action;
use super::stream::Arguments;
use super::transfer::Held;
use crate::Calls;

/// The data that all ranks share.
#[derive(Debug)]
pub(super) struct Common {
    pub world: Arc<Group>,
    /// Groups of communicators that have been made.
    pub groups: HashMap<ContextId, Arc<Group>>,
    /// Requests of a wait.
    pub requests: Vec<RequestId>,
    /// Blocks of a collective, as offsets and lengths.
    pub blocks: [Vec<u64>; 2],
    pub members: Vec<u32>,
}

/// One rank.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) rank: u32,
    /// Sizes of datatypes by number, from the trace's table.
    pub(super) table: Arc<Vec<u64>>,
    pub(super) types: HashMap<i64, u64>,
    pub(super) requests: HashMap<i64, Held>,
    pub(super) free: Vec<RequestId>,
    pub(super) used: u32,
    pub(super) comms: HashMap<i64, Comm>,
    pub(super) groups: HashMap<i64, Arc<Group>>,
    /// Operators of the program: do their operands commute?
    pub(super) operators: HashMap<i64, bool>,
    pub(super) making: Option<Making>,
    /// The call that is being replayed, with the computation before it until that is used.
    stamp: Stamp,
}

/// The result of replaying a recorded call.
pub(super) type Outcome = Result<Answer, String>;

/// Does the rank wait?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Needed,
    NotNeeded,
}

use Answer::{Needed, NotNeeded};

impl Player {
    pub fn new(rank: u32, table: Arc<Vec<u64>>) -> Player {
        Player {
            rank,
            table,
            types: HashMap::new(),
            requests: HashMap::new(),
            free: Vec::new(),
            used: 0,
            comms: HashMap::new(),
            groups: HashMap::new(),
            operators: HashMap::new(),
            making: None,
            stamp: Stamp::default(),
        }
    }

    /// The last call that needed an answer has one.
    pub fn answered(&mut self, reply: &Reply, common: &mut Common) {
        let Some(Making { number, parent, dims }) = self.making.take() else { return };
        let Some(context) = reply.context else { return };
        let group = if reply.members.is_empty() {
            parent
        } else {
            let members = || Group::of(reply.members.iter().copied()).unwrap_or_else(|_| Group::empty());
            Arc::clone(common.groups.entry(context).or_insert_with(|| Arc::new(members())))
        };
        self.comms.insert(number, Comm { context, group, dims });
    }

    /// Replays a recorded call. Calls without computation before them give back the burst of `stamp`.
    pub fn act(
        &mut self,
        action: Action,
        stamp: Stamp,
        arguments: &Arguments,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Outcome {
        self.stamp = stamp;
        match action {
            Action::Init => self.say(&Call::Init, Needed, calls),
            Action::Finalize => self.say(&Call::Finalize, Needed, calls),
            Action::Abort => {
                let code = number(arguments, 1)? as i32;
                self.say(&Call::Abort { code }, Needed, calls)
            }
            Action::Collective(kind) => self.collective(kind, arguments, common, calls),
            Action::Group(action) => self.group_action(action, arguments, common),
            Action::Type(action) => self.type_action(action, arguments),
            Action::OpCreate => {
                self.operators.insert(number(arguments, 1)?, number(arguments, 0)? != 0);
                Ok(NotNeeded)
            }
            Action::CommDup
            | Action::CommSplit
            | Action::CommCreate
            | Action::CommFree
            | Action::CartCreate
            | Action::CartSub
            | Action::GraphCreate => self.comm_action(action, arguments, common, calls),
            Action::Local | Action::Poll => Ok(NotNeeded),
            Action::Beyond => {
                Err("this cannot be replayed: processes that come and go, inter-communicators, \
                                   one-sided communication and generalized requests are beyond traces"
                    .to_owned())
            }
            _ => self.point_to_point(action, arguments, common, calls),
        }
    }

    /// The computation before the call, unless a call has used it.
    pub fn unused_burst(&self) -> u64 {
        self.stamp.burst.nanos()
    }

    pub(super) fn say(&mut self, call: &Call<'_>, answer: Answer, calls: &mut Calls<'_>) -> Outcome {
        calls.push(&self.stamp, call);
        self.stamp.burst = Burst::NONE;
        Ok(answer)
    }
}

pub(super) fn number(arguments: &Arguments, at: usize) -> Result<i64, String> {
    arguments.numbers.get(at).copied().ok_or_else(|| "an argument is missing".to_owned())
}
