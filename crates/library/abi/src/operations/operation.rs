//! Operations: sends, receives and collectives with checked arguments, once or persistent.
//!
//! [`crate::operations::perform`] carries them out.

use mpirage_call::{Completion, RequestId};
use smallvec::{SmallVec, smallvec};

use crate::checked::watch::NoteBuffers;
use crate::connection::Connection;
use crate::files::access::FileAccess;
use crate::operations::access::Access;
use crate::operations::collection::Collection;
use crate::operations::message::{Incoming, Outgoing};
use crate::operations::transfer::{Transfer, TransferBuffers, Transfers};
use crate::types::MPI_Comm;

/// Most operations have one step, which needs no memory of its own.
pub(crate) type Steps = SmallVec<[Step; 1]>;

/// An operation with all its arguments checked.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The communicator whose error handler counts when it completes.
    pub comm: MPI_Comm,
    /// Its steps. The last starts first: libraries post the receive of an exchange before they send.
    pub steps: Steps,
    /// Is the status empty, whatever the steps receive?
    pub collective: bool,
}

/// One call to the simulator, or none if the peer is `MPI_PROC_NULL`.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Nothing(Completion),
    Send(Outgoing),
    Receive(Incoming),
    Collective(Box<Collection>),
    Access(Box<Access>),
    File(Box<FileAccess>),
}

impl Operation {
    pub(crate) fn one(comm: MPI_Comm, step: Step) -> Operation {
        let collective = matches!(step, Step::Collective(_));
        Operation { comm, steps: smallvec![step], collective }
    }

    /// Numbers the persistent collectives among its steps, by `next_plan`.
    pub(crate) fn number_plans(&mut self, mut next_plan: impl FnMut() -> u32) {
        for step in &mut self.steps {
            if let Step::Collective(collection) = step {
                collection.plan = next_plan();
            }
        }
    }

    /// Starts all steps; `take_id` gives each that needs one a number.
    pub(crate) fn launch(&self, connection: &Connection, take_id: impl Fn() -> RequestId) -> Transfers {
        let mut transfers: Transfers =
            self.steps.iter().rev().map(|step| step.launch(connection, &take_id)).collect();
        transfers.reverse();
        transfers
    }
}

impl Step {
    fn launch(&self, connection: &Connection, take_id: impl Fn() -> RequestId) -> Transfer {
        if let Step::Nothing(completion) = self {
            return Transfer { id: None, buffers: TransferBuffers::default(), done: Some(*completion) };
        }
        let id = take_id();
        let buffers = match self {
            Step::Nothing(_) => unreachable!("dealt with above"),
            Step::Send(message) => message.post(connection, id),
            Step::Receive(message) => message.post(connection, id),
            Step::Collective(collection) => collection.post(connection, id),
            Step::Access(access) => access.post(connection, Some(id)),
            Step::File(access) => {
                connection.post(&access.call(id));
                TransferBuffers { file: Some(access.clone()), ..TransferBuffers::default() }
            }
        };
        Transfer { id: Some(id), buffers, done: None }
    }

    /// Makes the call and waits for its end. In a checked run, `note` inspects its buffers first.
    pub(crate) fn run(&self, connection: &Connection, note: NoteBuffers) -> (TransferBuffers, Completion) {
        match self {
            Step::Nothing(completion) => (TransferBuffers::default(), *completion),
            Step::Send(message) => {
                message.run(connection, note);
                (TransferBuffers::default(), Completion::empty(0))
            }
            Step::Receive(message) => message.run(connection, note),
            Step::Collective(collection) => collection.run(connection, note),
            Step::Access(_) | Step::File(_) => {
                unreachable!("accesses are begun, and completed by synchronisation or requests")
            }
        }
    }
}
