//! What happened, as one stream of records.
//!
//! The simulator writes [`Record`]s; everything that shows or stores a run reads them: the summary
//! here, traces, timelines, tables and the report. Nothing else observes a run, and nobody who reads can change it.
//!
//! Records come in the order in which what they tell of ends; those of one rank's calls and bursts therefore in the
//! order of the program. They borrow from the simulator: whoever needs something later copies it.

mod summary;
mod together;

pub use summary::Summary;

use mpirage_call::wire::NonblockingCall;
use mpirage_call::{Call, CollectiveCall, ContextId, Reply, Stamp, Work};
use mpirage_collectives::{Algorithm, Collective};
use mpirage_units::Time;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record<'a> {
    /// A rank was in an MPI function.
    Call {
        /// Which rank of the world.
        rank: u32,
        /// Index of the function in the table.
        function: u16,
        /// When it was called.
        entered: Time,
        /// When it returned.
        left: Time,
        /// The instruction it returned to.
        site: u64,
        /// What it asked and was told; only if a recorder wants it ([`Recorder::wants_arguments`]), and of collectives
        /// that made their rank wait only if it is wanted a second time ([`Recorder::wants_collectives_again`]).
        details: Option<Details<'a>>,
    },
    /// A rank computed.
    Burst {
        /// Which rank of the world.
        rank: u32,
        /// From when.
        start: Time,
        /// Until when.
        end: Time,
        /// How much, whatever the speed of the simulated host.
        work: Work,
        /// Was it computed beside the rank, which went on meanwhile?
        beside: bool,
    },
    /// Simulated time passed in a rank that neither computed nor called MPI: it slept, or read the clock.
    Pause {
        /// Which rank of the world.
        rank: u32,
        /// From when.
        start: Time,
        /// Until when.
        end: Time,
    },
    /// A message was delivered.
    Message(Message),
    /// A communicator was made. `MPI_COMM_WORLD` and `MPI_COMM_SELF` are not announced.
    Comm {
        /// Its number.
        context: ContextId,
        /// Ranks of the world, in order.
        members: &'a [u32],
    },
    /// A rank has entered a collective of data, and this is how it will be done.
    Schedule {
        /// Which rank of the world.
        rank: u32,
        /// Which collective of the run; messages of it carry the same number.
        number: u64,
        /// In which communicator.
        context: ContextId,
        /// What it is.
        kind: Collective,
        /// How it is done; none if a formula says how long it takes.
        algorithm: Option<Algorithm>,
        /// When.
        entered: Time,
        /// What the rank asked.
        call: &'a CollectiveCall<'a>,
    },
    /// A rank is no more, or the run has ended without it.
    End {
        /// Which rank of the world.
        rank: u32,
        /// When it ended, or the run did.
        at: Time,
        /// Since when it has been in a call that never returned, and which, if it has.
        blocked: Option<(Time, u16, u64)>,
        /// When it would have ended, or where it would be, on an ideal network; only if a recorder wants it
        /// ([`Recorder::wants_ideal`]).
        ideal: Option<Time>,
    },
}

/// What a call asked, and what it was told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Details<'a> {
    /// The call.
    pub call: &'a Call<'a>,
    /// The answer; of calls that need none, an old one.
    pub reply: &'a Reply,
}

/// A message from its send to its delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// From which rank of the world.
    pub from: u32,
    /// To which rank of the world.
    pub to: u32,
    /// How many bytes.
    pub bytes: u64,
    /// Its tag.
    pub tag: i32,
    /// What it is a part of.
    pub scope: Scope,
    /// When it was sent.
    pub sent: Time,
    /// When its bytes started to move.
    pub departed: Time,
    /// When its bytes had arrived.
    pub arrived: Time,
    /// When it had arrived and was matched.
    pub delivered: Time,
    /// Is its sender free only now?
    pub awaited: bool,
    /// Could its bytes start to move only when the receiver was there?
    pub held: bool,
}

/// What a message is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It was sent by the program, in this communicator.
    Comm(ContextId),
    /// It is a part of a collective, by its number in the run.
    Collective(u64),
}

/// Somebody who wants to know.
pub trait Recorder {
    /// Takes note of a record.
    fn record(&mut self, record: &Record<'_>);

    /// Takes note that an MPI function is over: the same as [`Record::Call`], told as it is at hand.
    #[inline]
    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        let &Stamp { function, site, .. } = stamp;
        self.record(&Record::Call { rank, function, entered, left, site, details });
    }

    /// Takes note of a send or a receive with a request that took no time: the commonest calls, told as they are at hand.
    #[inline]
    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        self.call(rank, &call.stamp, at, at, Some(Details { call: &call.to_call(), reply }));
    }

    /// Takes note of messages, one after the other.
    fn messages(&mut self, messages: &[Message]) {
        for message in messages {
            self.record(&Record::Message(*message));
        }
    }

    /// Are the arguments of calls wanted? They cost time.
    fn wants_arguments(&self) -> bool {
        false
    }

    /// Are the arguments of a collective wanted again when it is over? They are told when it is entered
    /// ([`Record::Schedule`]), and reading them a second time costs time too.
    fn wants_collectives_again(&self) -> bool {
        self.wants_arguments()
    }

    /// Is wanted how long the run would take if messages took no time? It costs a little.
    fn wants_ideal(&self) -> bool {
        false
    }
}

/// A recorder that stores what it is told.
pub trait Writer: Recorder {
    /// Writes what is still to be written. What went wrong before is told here too; then the file is not there.
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// What the file says less exactly than the run was, one sentence each.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<R: Recorder + ?Sized> Recorder for Box<R> {
    fn record(&mut self, record: &Record<'_>) {
        (**self).record(record);
    }

    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        (**self).call(rank, stamp, entered, left, details);
    }

    fn post(&mut self, rank: u32, at: Time, call: &NonblockingCall, reply: &Reply) {
        (**self).post(rank, at, call, reply);
    }

    fn messages(&mut self, messages: &[Message]) {
        (**self).messages(messages);
    }

    fn wants_arguments(&self) -> bool {
        (**self).wants_arguments()
    }

    fn wants_collectives_again(&self) -> bool {
        (**self).wants_collectives_again()
    }

    fn wants_ideal(&self) -> bool {
        (**self).wants_ideal()
    }
}

impl<W: Writer + ?Sized> Writer for Box<W> {
    fn finish(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        (**self).finish()
    }
}
