//! Receives.

use core::ffi::{c_int, c_void};

use crate::arguments::{Number, put};
use crate::error::Result;
use crate::frame;
use crate::functions::forms::{argument, counted};
use crate::message::{Incoming, Peer, expected_tag};
use crate::operation::{Operation, Step};
use crate::perform;
use crate::rank;
use crate::region::Region;
use crate::status;
use crate::types::*;

counted! {
    recv(buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm,
         status: StatusPlace):
        MPI_Recv MPI_Recv_c;
    irecv(buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm,
          request: RequestPlace):
        MPI_Irecv MPI_Irecv_c;
    recv_init(buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm,
              request: RequestPlace):
        MPI_Recv_init MPI_Recv_init_c;
}

/// # Safety
/// `status` is null or a place for one.
unsafe fn recv(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(comm, || {
        let received =
            with_message(buf, count, datatype, source, tag, comm, |message| perform::receive(&message))?;
        let completion = received.unwrap_or_else(|| Ok(status::from_nobody()))?;
        // SAFETY: the caller vouches for it.
        unsafe { status::store(status, &completion) };
        Ok(())
    })
}

/// # Safety
/// `request` is null or a place for one.
unsafe fn irecv(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome(comm, || {
        let begun = with_message(buf, count, datatype, source, tag, comm, |message| {
            perform::begin_receive(message, comm)
        })?;
        let begun = begun
            .unwrap_or_else(|| perform::begin(Operation::one(comm, Step::Nothing(status::from_nobody()))));
        // SAFETY: the caller vouches for it.
        unsafe { put("request", request, begun) }
    })
}

/// # Safety
/// `request` is null or a place for one.
unsafe fn recv_init(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome(comm, || {
        let kept = perform::keep(receive(buf, count, datatype, source, tag, comm)?);
        // SAFETY: the caller vouches for it.
        unsafe { put("request", request, kept) }
    })
}

/// A receive with its arguments checked.
pub(super) fn receive(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<Operation> {
    let message = with_message(buf, count, datatype, source, tag, comm, |message| message)?;
    Ok(Operation::one(comm, message.map_or(Step::Nothing(status::from_nobody()), Step::Receive)))
}

/// Goes on with the message of a receive, its arguments checked, unless it comes from nobody. Handed on rather than
/// given back: where it could be an error instead, it would go through memory, in pieces that are slow to read.
#[inline(always)]
fn with_message<T>(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    go_on: impl FnOnce(Incoming) -> T,
) -> Result<Option<T>> {
    let objects = rank::this().objects();
    let object = objects.comms.get(comm)?;
    let from = match Peer::source(object, source)? {
        // Nothing is looked at that comes from nobody.
        Peer::Nobody => return Ok(None),
        Peer::Anybody => None,
        Peer::Rank(from) => Some(from),
    };
    let region = Region::of_arguments(&objects.datatypes, "buf", buf, count, datatype)?;
    let (context, bridge, tag) = (object.context, object.bridge.clone(), expected_tag("tag", tag)?);
    drop(objects);
    Ok(Some(go_on(Incoming { context, from, tag, region, matched: None, bridge })))
}
