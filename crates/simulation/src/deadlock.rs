//! A deadlock as data: the calls in which ranks are blocked, and the cycle they wait in.

use mpirage_call::{ContextId, function_name};
use mpirage_mpi::{BlockedRank, Memory, Origin, OwnWork, Want, waiting_cycle};
use serde::Serialize;

use crate::diagnosis::{Diagnosis, Places, blocked_ranks};

/// Blocked ranks that are listed; of the others, only their number.
const LISTED: usize = 4096;
/// Listed operations that one rank waits for.
const WAITS_LISTED: usize = 64;

/// A deadlock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deadlock {
    /// How many ranks are blocked.
    pub blocked_ranks: usize,
    /// Their calls, by rank; one for each blocked thread of a rank.
    pub blocked: Vec<BlockedCall>,
    /// Ranks that wait in a cycle, each for the next and the last for the first; null if there is none.
    pub cycle: Option<Vec<u32>>,
}

/// A call that cannot return.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockedCall {
    /// The rank.
    pub rank: u32,
    /// The MPI function.
    pub call: String,
    /// Where it was called.
    pub source: Option<Source>,
    /// The operations that it waits for.
    pub waits_for: Vec<Awaited>,
    /// The number of operations that it waits for.
    pub waits: usize,
}

/// A place in the program, or in the trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// The function around the call.
    pub function: Option<String>,
}

/// An operation that a call waits for. Ranks are those of `MPI_COMM_WORLD`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Awaited {
    /// A receive that matches the rank's send.
    Receive {
        /// The receiver.
        peer: u32,
        /// The tag of the message.
        tag: i32,
        /// The communicator.
        communicator: Communicator,
    },
    /// A message.
    Message {
        /// The sender; null for `MPI_ANY_SOURCE`.
        peer: Option<u32>,
        /// The tag; null for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// The communicator.
        communicator: Communicator,
    },
    /// Other ranks in a collective.
    Collective {
        /// The collective that the other ranks have called.
        function: String,
        /// Ranks that have not entered it, or some of them.
        missing: Vec<u32>,
        /// How many ranks have not entered it.
        missing_ranks: usize,
        /// The communicator.
        communicator: Communicator,
    },
    /// A lock of a window.
    Lock {
        /// The rank whose memory is locked; none for all ranks of the window.
        peer: Option<u32>,
        /// The ranks that hold it.
        holders: Vec<u32>,
        /// The window's communicator.
        communicator: Communicator,
    },
    /// Accesses to a window.
    Accesses {
        /// The ranks whose memory is accessed.
        peers: Vec<u32>,
        /// Those of them that carry accesses out in their next MPI call.
        outside: Vec<u32>,
        /// The window's communicator.
        communicator: Communicator,
    },
    /// Work of the rank itself.
    Own {
        /// `computation`, `file` or `migration`.
        work: &'static str,
    },
}

/// A communicator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Communicator {
    /// Its name in messages.
    pub name: String,
    /// The number of its ranks.
    pub size: u32,
}

impl<M: Memory, P: Places> Diagnosis<'_, M, P> {
    /// The deadlock as data.
    pub fn deadlock_data(&mut self) -> Deadlock {
        let blocked = self.engine.diagnosis().blocked();
        let calls = blocked.iter().take(LISTED).map(|blocked| self.blocked_call(blocked)).collect();
        Deadlock { blocked_ranks: blocked_ranks(&blocked), blocked: calls, cycle: waiting_cycle(&blocked) }
    }

    fn blocked_call(&mut self, blocked: &BlockedRank) -> BlockedCall {
        let origin = Origin::of(&blocked.stamp);
        let place = if origin.site() == 0 { None } else { self.places.call(blocked.rank, origin.site()) };
        BlockedCall {
            rank: blocked.rank,
            call: function_name(origin.function()).to_owned(),
            source: place.map(|place| Source {
                file: place.file,
                line: place.line,
                function: place.function,
            }),
            waits_for: blocked.wants.iter().take(WAITS_LISTED).map(|want| self.awaited(want)).collect(),
            waits: blocked.wants.len(),
        }
    }

    fn awaited(&self, want: &Want) -> Awaited {
        match want {
            Want::Receiver { to, tag, context } => {
                Awaited::Receive { peer: *to, tag: *tag, communicator: self.communicator_data(*context) }
            }
            Want::Message { from, tag, context } => {
                Awaited::Message { peer: *from, tag: *tag, communicator: self.communicator_data(*context) }
            }
            Want::Lock { target, holders, context } => Awaited::Lock {
                peer: *target,
                holders: holders.iter().take(WAITS_LISTED).copied().collect(),
                communicator: self.communicator_data(*context),
            },
            Want::Accesses { targets, away, context } => Awaited::Accesses {
                peers: targets.iter().take(WAITS_LISTED).copied().collect(),
                outside: away.iter().take(WAITS_LISTED).copied().collect(),
                communicator: self.communicator_data(*context),
            },
            Want::Own(work) => Awaited::Own {
                work: match work {
                    OwnWork::Computation => "computation",
                    OwnWork::FileAccess => "file",
                    OwnWork::Migration => "migration",
                },
            },
            Want::Members { what, missing, context } => Awaited::Collective {
                function: (*what).to_owned(),
                missing: missing.iter().take(WAITS_LISTED).copied().collect(),
                missing_ranks: missing.len(),
                communicator: self.communicator_data(*context),
            },
        }
    }

    fn communicator_data(&self, context: ContextId) -> Communicator {
        Communicator {
            name: self.communicator(context),
            size: self.engine.diagnosis().communicator_size(context),
        }
    }
}
