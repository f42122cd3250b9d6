//! Sends, in four modes.

use core::ffi::{c_int, c_void};

use mpirage_call::{Completion, SendMode};

use crate::frame;
use crate::functions::forms::{argument, send, sends};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::operations::buffered;
use crate::operations::message::{Outgoing, Peer, check_data_of_nobody, sent_tag};
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank;
use crate::types::*;

sends! {
    Standard:
        MPI_Send MPI_Isend MPI_Send_init MPI_Send_c MPI_Isend_c MPI_Send_init_c;
    Buffered:
        MPI_Bsend MPI_Ibsend MPI_Bsend_init MPI_Bsend_c MPI_Ibsend_c MPI_Bsend_init_c;
    Synchronous:
        MPI_Ssend MPI_Issend MPI_Ssend_init MPI_Ssend_c MPI_Issend_c MPI_Ssend_init_c;
    Ready:
        MPI_Rsend MPI_Irsend MPI_Rsend_init MPI_Rsend_c MPI_Irsend_c MPI_Rsend_init_c;
}

/// A send with its arguments checked.
pub(super) fn send(
    mode: SendMode,
    buf: *const c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<Operation> {
    let keep = |message| Ok(Some(message));
    let message = with_message(mode, buf, count, datatype, dest, tag, comm, keep)?;
    Ok(Operation::one(comm, message.map_or(Step::Nothing(Completion::empty(0)), Step::Send)))
}

/// Starts a message, unless the program's buffer holds it.
#[inline(always)]
fn start<T>(message: Outgoing, comm: MPI_Comm, begin: impl FnOnce(Outgoing) -> T) -> Result<Option<T>> {
    if message.mode == SendMode::Buffered && buffered::hold(&message, comm)? {
        return Ok(None);
    }
    Ok(Some(begin(message)))
}

/// Passes the message of a send, with its arguments checked, to `go_on`, unless the destination is `MPI_PROC_NULL`. It is passed
/// on rather than returned, for the same reason as in receives.
#[expect(clippy::too_many_arguments, reason = "those of MPI_Send")]
#[inline(always)]
fn with_message<T>(
    mode: SendMode,
    buf: *const c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    go_on: impl FnOnce(Outgoing) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let objects = rank::this().objects();
    let object = objects.comms.get(comm)?;
    let Peer::Rank(to) = Peer::destination(object, dest)? else {
        check_data_of_nobody(&objects.datatypes, buf, count, datatype)?;
        return sent_tag("tag", tag).map(|_| None);
    };
    let region = Region::of_arguments(&objects.datatypes, "buf", buf, count, datatype)?;
    let tag = sent_tag("tag", tag)?;
    let context = object.context;
    drop(objects);
    go_on(Outgoing { mode, context, to, tag, region, copy: None })
}
