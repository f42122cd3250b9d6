//! MPI: communicators, matching, protocols, collectives as schedules.
//!
//! [`Engine`] is a state machine without threads, files or a clock of its own. Whoever drives the ranks
//! hands it the [`mpirage_call::Call`]s a rank has made ([`Engine::take_calls`]) and asks what comes next
//! ([`Engine::advance`]): a rank to resume with its reply, or the end of the run.
//!
//! Two planes:
//! * **timing**: sizes move through the kernel's models. A collective is, for each rank, a schedule of
//!   sends, receives and reductions that runs over the same point-to-point layer ([`run`]).
//! * **data**: bytes move from memory to memory through [`Memory`]: a message when it is delivered, a
//!   collective in one exchange when its ranks leave ([`exchange`]).
//!
//! Nothing here recurses: whatever can go on is put into a queue of tasks and goes on from there, in order.

mod arena;
mod collective;
mod comm;
mod compute;
mod diagnosis;
mod engine;
mod exchange;
mod formula;
mod graph;
mod ideal;
mod long_queue;
mod matching;
mod memory;
mod message;
mod nearby;
mod objection;
mod order;
mod payload;
mod perform;
mod plain;
mod plans;
mod poll;
mod probe;
mod processor;
mod protocol;
mod rank;
mod records;
mod release;
mod request;
mod run;
mod sampling;
mod startup;
mod statistics;
mod token;

pub use compute::{Bursts, Costs};
pub use diagnosis::{BlockedRank, Leftover, Origin, Want};
pub use engine::{Ending, Engine, Segment, Setup, Turn};
pub use formula::{CollectiveTimes, Gathering};
pub use memory::{FARTHEST, Memory, NoMemory};
pub use protocol::{
    Envelope, Overhead, PollCost, ProcessorCosts, Protocol, ReceiveStartup, Rendezvous, Startup, StartupCost,
    Way,
};
