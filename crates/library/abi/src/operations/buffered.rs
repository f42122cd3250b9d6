//! Buffered sends: what is in the buffers that the program has attached.
//!
//! As in MPICH, a buffered message is a copy that is sent like any other: one below the eager limit has left the buffer when the call returns, a
//! longer one when its send is complete. This library has the copies in memory of its own and counts what they would take up.

use mpirage_call::{Completion, SendMode};

use crate::constants::{MPI_COMM_SELF, MPI_ERR_BUFFER};
use crate::ground::error::{Result, fail};
use crate::objects::message::{BufferOwner, Held, buffered_bytes};
use crate::objects::request::Request;
use crate::operations::completion;
use crate::operations::message::Outgoing;
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::transfer::Transfers;
use crate::rank::{self, try_with, with};
use crate::types::{MPI_Comm, MPI_Request};

/// Puts a message into a buffer, in which there must be room for it, and sends it from there. False if it would leave the buffer at once: then the
/// caller sends it.
pub(crate) fn hold(message: &Outgoing, comm: MPI_Comm) -> Result<bool> {
    let bytes = buffered_bytes(message.region.bytes());
    let owner = make_room(comm, bytes)?;
    if (message.region.bytes() as u64) < rank::this().connection().briefing().buffered_limit {
        return Ok(false);
    }
    let mut sent = Outgoing { mode: SendMode::Standard, ..message.clone() };
    sent.keep_copy();
    let request = perform::begin(Operation::one(comm, Step::Send(sent)));
    with(|objects| objects.held.push(Held { owner, request, bytes, flushed: false }));
    Ok(true)
}

/// The owner of the buffer for a message on a communicator, with room for `bytes` bytes.
fn make_room(comm: MPI_Comm, bytes: usize) -> Result<BufferOwner> {
    let Some((owner, attached)) = try_with(|objects| objects.buffer_for(comm))? else {
        fail!(MPI_ERR_BUFFER, "no buffer is attached for buffered sends");
    };
    // Memory that MPI finds itself is never full, but messages that have left it must be forgotten.
    if attached.size.is_none() || attached.check(bytes, used(owner)).is_err() {
        settle(&requests_of(Some(owner)), true)?;
        forget_sent();
        attached.check(bytes, used(owner))?;
    }
    Ok(owner)
}

/// Waits until a buffer is empty, or all of them.
pub(crate) fn flush(owner: Option<BufferOwner>) -> Result<()> {
    settle(&requests_of(owner), false)?;
    forget_sent();
    Ok(())
}

/// A request that is complete when what is in a buffer now has left it. A flush that is still under way is waited for: a transfer belongs to one
/// request only.
pub(crate) fn begin_flush(owner: BufferOwner) -> Result<MPI_Request> {
    let flushed = with(|objects| objects.held.iter().any(|held| held.owner == owner && held.flushed));
    settle(&requests_of(Some(owner)), !flushed)?;
    forget_sent();
    let (own, bytes) = with(|objects| {
        let joined = |held: &mut Held| held.owner == owner && !held.flushed;
        let own: Vec<Held> = objects.held.extract_if(.., joined).collect();
        let requests = own.iter().filter_map(|held| objects.requests.remove(held.request).ok());
        let transfers: Transfers = requests.flat_map(Request::into_unfinished).collect();
        (transfers, own.iter().map(|held| held.bytes).sum())
    });
    if own.is_empty() {
        return Ok(perform::begin(Operation::one(MPI_COMM_SELF, Step::Nothing(Completion::empty(0)))));
    }
    Ok(with(|objects| {
        let request = objects.requests.insert(Request::once(MPI_COMM_SELF, true, own));
        objects.held.push(Held { owner, request, bytes, flushed: true });
        request
    }))
}

fn used(owner: BufferOwner) -> usize {
    with(|objects| objects.held.iter().filter(|held| held.owner == owner).map(|held| held.bytes).sum())
}

/// The requests of what is in a buffer, or in all of them. The program may have completed those that it has.
fn requests_of(owner: Option<BufferOwner>) -> Vec<MPI_Request> {
    with(|objects| {
        let is_meant = |held: &&Held| owner.is_none_or(|owner| held.owner == owner);
        let requests = objects.held.iter().filter(is_meant).map(|held| held.request);
        requests.filter(|&request| objects.requests.get(request).is_ok()).collect()
    })
}

/// Notes which requests are complete; waits for all of them unless it is a `poll`.
fn settle(requests: &[MPI_Request], poll: bool) -> Result<()> {
    if requests.is_empty() { Ok(()) } else { completion::note_ends(requests, poll) }
}

/// Frees the requests of messages that have left their buffers.
fn forget_sent() {
    with(|objects| {
        let requests = &mut objects.requests;
        objects.held.retain(|held| match requests.get(held.request) {
            Ok(request) if !request.is_complete() => true,
            Ok(_) if !held.flushed => requests.remove(held.request).is_err(),
            _ => false,
        });
    });
}
