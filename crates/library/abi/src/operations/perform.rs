//! Carries out operations of the rank that runs.
//!
//! ```text
//!  MPI_Send ─────────────────────────────┐ run      call, answer, done
//!  MPI_Isend ──► Operation ──────────────┤ begin    a request, whose transfers are under way
//!  MPI_Send_init, MPI_Start ─────────────┘ keep     a request that holds on to the operation
//! ```

use mpirage_call::Completion;

use crate::checked::inspect;
use crate::ground::error::Result;
use crate::objects::request::Request;
use crate::operations::completion;
use crate::operations::message::{Incoming, Outgoing};
use crate::operations::operation::{Operation, Step};
use crate::operations::transfer::Transfers;
use crate::rank;
use crate::types::{MPI_Comm, MPI_Request};

/// Carries out an operation and waits for its end, which is that of its last step.
pub(crate) fn run(operation: Operation) -> Result<Completion> {
    let [step] = &operation.steps[..] else {
        return completion::wait_for(begin(operation));
    };
    let (buffers, completion) = step.run(rank::this().connection(), inspect::note_blocking);
    inspect::ended(&buffers, &completion);
    buffers.finish(&completion)?;
    Ok(completion)
}

/// Starts an operation. The request completes when it has ended.
pub(crate) fn begin(operation: Operation) -> MPI_Request {
    let transfers = launch(&operation);
    let request = Request::once(operation.comm, operation.collective, transfers);
    rank::with(|objects| objects.requests.insert(request))
}

/// A request that starts the operation whenever the program says so.
pub(crate) fn keep(mut operation: Operation) -> MPI_Request {
    rank::with(|objects| {
        if let Ok(comm) = objects.comms.get_mut(operation.comm) {
            operation.number_plans(|| comm.next_plan());
        }
        objects.requests.insert(Request::persistent(operation))
    })
}

/// Starts all steps of an operation.
pub(crate) fn launch(operation: &Operation) -> Transfers {
    let rank = rank::this();
    let transfers = operation.launch(rank.connection(), || rank.objects().requests.take_id());
    if rank.connection().is_checked() {
        transfers.iter().for_each(|transfer| inspect::note_buffers(&transfer.buffers));
    }
    transfers
}

/// Sends a message and returns when the sender may go on.
#[inline(always)]
pub(crate) fn send(message: &Outgoing) {
    message.run(rank::this().connection(), inspect::note_blocking);
}

/// Starts to send a message.
#[inline(always)]
pub(crate) fn begin_send(message: Outgoing, comm: MPI_Comm) -> MPI_Request {
    let rank = rank::this();
    if !message.is_plain() || rank.connection().is_checked() {
        return begin(Operation::one(comm, Step::Send(message)));
    }
    let (id, request) = rank.objects().requests.open_plain(comm, 0);
    message.post_plain(rank.connection(), id);
    request
}

/// Waits for a message, and puts it where it belongs.
pub(crate) fn receive(message: &Incoming) -> Result<Completion> {
    let (buffers, completion) = message.run(rank::this().connection(), inspect::note_blocking);
    inspect::ended(&buffers, &completion);
    buffers.finish(&completion)?;
    Ok(completion)
}

/// Starts to receive a message.
#[inline(always)]
pub(crate) fn begin_receive(message: Incoming, comm: MPI_Comm) -> MPI_Request {
    let rank = rank::this();
    if !message.is_plain() || rank.connection().is_checked() {
        return begin(Operation::one(comm, Step::Receive(message)));
    }
    let (id, request) = rank.objects().requests.open_plain(comm, message.region.bytes() as u64);
    message.post_plain(rank.connection(), id);
    request
}
