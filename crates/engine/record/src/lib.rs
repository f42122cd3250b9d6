//! The stream of records that the simulator writes.
//!
//! Everything that shows or stores a run is a [`Recorder`] and reads this stream: the summary here, traces, timelines, tables and the
//! report. Nothing else observes a run, and a recorder cannot change it.
//!
//! Records are ordered by the time at which what they describe ends, so calls and bursts of a rank are in program order. Records borrow
//! from the simulator; a recorder copies what it needs later.

mod recorder;
mod summary;

pub use recorder::{Recorder, Writer};
pub use summary::Summary;

use mpirage_call::{Call, Collective, CollectiveCall, ContextId, Method, Reply, Work};
use mpirage_units::Time;

/// Something that happened in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record<'a> {
    /// An MPI call has returned.
    Call {
        /// The rank, in `MPI_COMM_WORLD`.
        rank: u32,
        /// The index of the MPI function ([`mpirage_call::function_names`]).
        function: u16,
        /// The time of the call.
        entered: Time,
        /// The time of the return.
        left: Time,
        /// The return address, or the place in a trace.
        site: u64,
        /// Arguments and reply, if a recorder wants them ([`Recorder::wants_arguments`]). For a collective that made its rank wait, only if
        /// a recorder wants them again ([`Recorder::wants_collectives_again`]).
        details: Option<Details<'a>>,
    },
    /// A rank has computed.
    Burst {
        /// The rank, in `MPI_COMM_WORLD`.
        rank: u32,
        /// The time at which it started.
        start: Time,
        /// The time at which it ended.
        end: Time,
        /// The amount of computation, independent of the speed of the simulated host.
        work: Work,
        /// Whether the rank did something else meanwhile: the computation of a graph that runs in the background.
        beside: bool,
    },
    /// Simulated time has passed in a rank that neither computed nor was in an MPI call: it slept, or read the clock.
    Pause {
        /// The rank, in `MPI_COMM_WORLD`.
        rank: u32,
        /// The time at which it started.
        start: Time,
        /// The time at which it ended.
        end: Time,
    },
    /// A message was delivered.
    Message(MessageRecord),
    /// A communicator was created. There is no record for `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
    Comm {
        /// The number of the communicator.
        context: ContextId,
        /// Its ranks, in order, each as a rank of `MPI_COMM_WORLD`.
        members: &'a [u32],
    },
    /// A rank has entered a collective.
    Schedule {
        /// The rank, in `MPI_COMM_WORLD`.
        rank: u32,
        /// The number of the collective in the run; its messages have the same number.
        number: u64,
        /// Its communicator.
        context: ContextId,
        /// The kind of collective.
        kind: Collective,
        /// Its algorithm; none if the model has a formula for its duration.
        method: Option<Method>,
        /// The time at which the rank entered.
        entered: Time,
        /// The arguments of this rank.
        call: &'a CollectiveCall<'a>,
    },
    /// A rank has ended, or the run has ended before it.
    End {
        /// The rank, in `MPI_COMM_WORLD`.
        rank: u32,
        /// The time at which the rank, or the run, ended.
        at: Time,
        /// A call that never returned: the time of the call, the index of its function, its return address.
        blocked: Option<(Time, u16, u64)>,
        /// The time at which the rank would have ended on an ideal network, if a recorder wants it ([`Recorder::wants_ideal`]).
        ideal: Option<Time>,
    },
}

/// The arguments and the reply of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Details<'a> {
    /// The call with its arguments.
    pub call: &'a Call<'a>,
    /// The reply. A call without a reply has that of an earlier call.
    pub reply: &'a Reply,
}

/// A message from its send to its delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageRecord {
    /// The sender, in `MPI_COMM_WORLD`.
    pub from: u32,
    /// The receiver, in `MPI_COMM_WORLD`.
    pub to: u32,
    /// Its size.
    pub bytes: u64,
    /// Its tag.
    pub tag: i32,
    /// The communicator or the collective that it belongs to.
    pub scope: Scope,
    /// The time of the send.
    pub sent: Time,
    /// The time at which its bytes started to move.
    pub departed: Time,
    /// The time at which its last byte had arrived.
    pub arrived: Time,
    /// The time at which it had arrived and was matched with a receive.
    pub delivered: Time,
    /// Whether its sender waits for the delivery.
    pub awaited: bool,
    /// Whether its bytes could start to move only when the receive had been posted.
    pub held: bool,
    /// Whether it, or the request for it, reached its receiver before the receive was posted.
    pub unexpected: bool,
}

/// The communicator or collective that a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The program sent it in this communicator.
    Comm(ContextId),
    /// It is part of the collective with this number in the run.
    Collective(u64),
}
