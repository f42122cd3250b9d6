//! The program's buffers for buffered sends: of the process, of communicators and of sessions.
//!
//! [`crate::operations::buffered`] knows what is in them.

use core::ffi::{c_int, c_void};

use crate::constants::{MPI_BUFFER_AUTOMATIC, MPI_ERR_BUFFER};
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, count, put};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::Objects;
use crate::objects::message::{Attached, BufferOwner};
use crate::operations::buffered;
use crate::rank::try_with;
use crate::types::*;

both_forms! {
    (buffer: Buffer, size: Count) { attach(BufferOwner::Process, buffer, size) }:
        MPI_Buffer_attach MPI_Buffer_attach_c;
    (buffer_addr: Buffer, size: CountPlace) { detach(BufferOwner::Process, buffer_addr, size) }:
        MPI_Buffer_detach MPI_Buffer_detach_c;
    (comm: MPI_Comm, buffer: Buffer, size: Count) { attach(BufferOwner::Comm(comm), buffer, size) }:
        MPI_Comm_attach_buffer MPI_Comm_attach_buffer_c;
    (comm: MPI_Comm, buffer_addr: Buffer, size: CountPlace) { detach(BufferOwner::Comm(comm), buffer_addr, size) }:
        MPI_Comm_detach_buffer MPI_Comm_detach_buffer_c;
    (session: MPI_Session, buffer: Buffer, size: Count) { attach(BufferOwner::Session(session), buffer, size) }:
        MPI_Session_attach_buffer MPI_Session_attach_buffer_c;
    (session: MPI_Session, buffer_addr: Buffer, size: CountPlace) { detach(BufferOwner::Session(session), buffer_addr, size) }:
        MPI_Session_detach_buffer MPI_Session_detach_buffer_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_flush() -> c_int {
    flush(BufferOwner::Process)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_flush_buffer(comm: MPI_Comm) -> c_int {
    flush(BufferOwner::Comm(comm))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_iflush(request: *mut MPI_Request) -> c_int {
    // SAFETY: the program hands over a place for a request.
    unsafe { flush_later(BufferOwner::Process, request) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_iflush_buffer(
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over a place for a request.
    unsafe { flush_later(BufferOwner::Comm(comm), request) }
}

/// A request that is complete when what is in the buffer now has left it.
///
/// # Safety
/// There is a place for a request.
unsafe fn flush_later(owner: BufferOwner, request: *mut MPI_Request) -> c_int {
    outcome(owner, || {
        try_with(|objects| buffer_of(owner, objects).map(drop))?;
        // SAFETY: the caller vouches for the place.
        unsafe { put("request", request, buffered::begin_flush(owner)?) }
    })
}

fn flush(owner: BufferOwner) -> c_int {
    outcome(owner, || {
        try_with(|objects| buffer_of(owner, objects).map(drop))?;
        buffered::flush(Some(owner))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_flush_buffer(session: MPI_Session) -> c_int {
    flush(BufferOwner::Session(session))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_iflush_buffer(
    session: MPI_Session,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the program hands over a place for a request.
    unsafe { flush_later(BufferOwner::Session(session), request) }
}

fn buffer_of(owner: BufferOwner, objects: &mut Objects) -> Result<&mut Option<Attached>> {
    match owner {
        BufferOwner::Process => Ok(&mut objects.attached),
        BufferOwner::Comm(comm) => Ok(&mut objects.comms.get_mut(comm)?.buffer),
        BufferOwner::Session(session) => Ok(&mut objects.sessions.get_mut(session)?.buffer),
    }
}

fn outcome(owner: BufferOwner, body: impl FnOnce() -> Result<()>) -> c_int {
    match owner {
        BufferOwner::Process => frame::outcome(None, body),
        BufferOwner::Comm(comm) => frame::outcome(comm, body),
        BufferOwner::Session(session) => frame::outcome_in(session, body),
    }
}

/// # Safety
/// None: the buffer is not touched.
unsafe fn attach(owner: BufferOwner, buffer: *mut c_void, size: impl Number) -> c_int {
    outcome(owner, || {
        let size = count("size", size)?;
        let size = (buffer != MPI_BUFFER_AUTOMATIC).then_some(size);
        try_with(|objects| {
            let attached = buffer_of(owner, objects)?;
            if attached.is_some() {
                fail!(MPI_ERR_BUFFER, "a buffer is attached already");
            }
            *attached = Some(Attached { address: buffer.addr(), size });
            Ok(())
        })
    })
}

/// Gives the buffer back when it is empty.
///
/// # Safety
/// There are places for an address and for a number.
unsafe fn detach<T: Number>(owner: BufferOwner, buffer_addr: *mut c_void, size: *mut T) -> c_int {
    outcome(owner, || {
        let Some(attached) = try_with(|objects| Ok(*buffer_of(owner, objects)?))? else {
            fail!(MPI_ERR_BUFFER, "no buffer is attached");
        };
        buffered::flush(Some(owner))?;
        try_with(|objects| buffer_of(owner, objects).map(Option::take))?;
        let bytes = T::narrow(attached.size.unwrap_or(0) as i64)
            .ok_or_else(|| MpiError::new(MPI_ERR_BUFFER, "the size of the buffer does not fit into size"))?;
        // SAFETY: the caller vouches for the places.
        unsafe {
            put("buffer_addr", buffer_addr.cast::<usize>(), attached.address)?;
            put("size", size, bytes)
        }
    })
}
