//! Sending and receiving in one call.

use core::ffi::{c_int, c_void};

use mpirage_call::SendMode;

use super::receive::receive;
use super::send::send;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::ground::status;
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::types::*;

both_forms! {
    (sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype, dest: c_int, sendtag: c_int,
     recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype, source: c_int, recvtag: c_int,
     comm: MPI_Comm, status: StatusPlace) {
        let out = Half(sendbuf, sendcount, sendtype, dest, sendtag);
        now(comm, status, || exchange(out, Half(recvbuf, recvcount, recvtype, source, recvtag), comm))
    }:
        MPI_Sendrecv MPI_Sendrecv_c;
    (sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype, dest: c_int, sendtag: c_int,
     recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype, source: c_int, recvtag: c_int,
     comm: MPI_Comm, request: RequestPlace) {
        let out = Half(sendbuf, sendcount, sendtype, dest, sendtag);
        later(comm, request, || exchange(out, Half(recvbuf, recvcount, recvtype, source, recvtag), comm))
    }:
        MPI_Isendrecv MPI_Isendrecv_c;
    (buf: Buffer, count: Count, datatype: MPI_Datatype, dest: c_int, sendtag: c_int,
     source: c_int, recvtag: c_int, comm: MPI_Comm, status: StatusPlace) {
        now(comm, status, || replace((buf, count, datatype), (dest, sendtag), (source, recvtag), comm))
    }:
        MPI_Sendrecv_replace MPI_Sendrecv_replace_c;
    (buf: Buffer, count: Count, datatype: MPI_Datatype, dest: c_int, sendtag: c_int,
     source: c_int, recvtag: c_int, comm: MPI_Comm, request: RequestPlace) {
        later(comm, request, || replace((buf, count, datatype), (dest, sendtag), (source, recvtag), comm))
    }:
        MPI_Isendrecv_replace MPI_Isendrecv_replace_c;
}

/// One half of an exchange: what, with whom, with which tag.
struct Half<Buffer, Count>(Buffer, Count, MPI_Datatype, c_int, c_int);

/// # Safety
/// `status` is null or a place for one.
unsafe fn now(comm: MPI_Comm, status: *mut MPI_Status, what: impl FnOnce() -> Result<Operation>) -> c_int {
    frame::outcome(comm, || {
        let completion = perform::run(what()?)?;
        // SAFETY: the caller vouches for it.
        unsafe { status::store(status, &completion) };
        Ok(())
    })
}

/// # Safety
/// `request` is a place for one.
unsafe fn later(
    comm: MPI_Comm,
    request: *mut MPI_Request,
    what: impl FnOnce() -> Result<Operation>,
) -> c_int {
    // SAFETY: the caller vouches for it.
    frame::outcome(comm, || unsafe { put("request", request, perform::begin(what()?)) })
}

/// A send and a receive at the same time; the status is the receive's.
fn exchange<Count: Number>(
    Half(sendbuf, sendcount, sendtype, dest, sendtag): Half<*const c_void, Count>,
    Half(recvbuf, recvcount, recvtype, source, recvtag): Half<*mut c_void, Count>,
    comm: MPI_Comm,
) -> Result<Operation> {
    let mut both = send(SendMode::Standard, sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
    both.steps.extend(receive(recvbuf, recvcount, recvtype, source, recvtag, comm)?.steps);
    Ok(both)
}

/// The same from and to one buffer: what is sent is copied first.
fn replace(
    (buf, count, datatype): (*mut c_void, impl Number, MPI_Datatype),
    (dest, sendtag): (c_int, c_int),
    (source, recvtag): (c_int, c_int),
    comm: MPI_Comm,
) -> Result<Operation> {
    let out = Half(buf.cast_const(), count, datatype, dest, sendtag);
    let mut both = exchange(out, Half(buf, count, datatype, source, recvtag), comm)?;
    if let Step::Send(message) = &mut both.steps[0] {
        message.keep_copy();
    }
    Ok(both)
}
