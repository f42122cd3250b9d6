//! The program's buffers for buffered sends: of the process, and of communicators.
//!
//! Buffered messages are copied when they are sent, so there is nothing to flush and nothing to wait for.

use core::ffi::{c_int, c_void};

use mpirage_call::Completion;

use crate::arguments::{Number, count, put};
use crate::constants::{MPI_BUFFER_AUTOMATIC, MPI_COMM_SELF, MPI_ERR_BUFFER};
use crate::error::{MpiError, Result, fail};
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::objects::Objects;
use crate::objects::message::Attached;
use crate::operation::{Operation, Step};
use crate::perform;
use crate::rank::try_with;
use crate::types::*;

both_forms! {
    (buffer: Buffer, size: Count) { attach(None, buffer, size) }:
        MPI_Buffer_attach MPI_Buffer_attach_c;
    (buffer_addr: Buffer, size: CountPlace) { detach(None, buffer_addr, size) }:
        MPI_Buffer_detach MPI_Buffer_detach_c;
    (comm: MPI_Comm, buffer: Buffer, size: Count) { attach(Some(comm), buffer, size) }:
        MPI_Comm_attach_buffer MPI_Comm_attach_buffer_c;
    (comm: MPI_Comm, buffer_addr: Buffer, size: CountPlace) { detach(Some(comm), buffer_addr, size) }:
        MPI_Comm_detach_buffer MPI_Comm_detach_buffer_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_flush() -> c_int {
    frame::outcome(None, || Ok(()))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_flush_buffer(comm: MPI_Comm) -> c_int {
    frame::outcome(comm, || try_with(|objects| objects.comms.get(comm).map(drop)))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_iflush(request: *mut MPI_Request) -> c_int {
    // SAFETY: the program hands over a place for a request.
    frame::outcome(None, || unsafe { flush_later(MPI_COMM_SELF, request) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_iflush_buffer(
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome(comm, || {
        try_with(|objects| objects.comms.get(comm).map(drop))?;
        // SAFETY: the program hands over a place for a request.
        unsafe { flush_later(comm, request) }
    })
}

/// A request that is complete.
///
/// # Safety
/// There is a place for a request.
unsafe fn flush_later(comm: MPI_Comm, request: *mut MPI_Request) -> Result<()> {
    let flush = Operation::one(comm, Step::Nothing(Completion::empty(0)));
    // SAFETY: the caller vouches for the place.
    unsafe { put("request", request, perform::begin(flush)) }
}

/// The buffer of a communicator, or of the process.
fn buffer_of(objects: &mut Objects, comm: Option<MPI_Comm>) -> Result<&mut Option<Attached>> {
    match comm {
        Some(comm) => Ok(&mut objects.comms.get_mut(comm)?.buffer),
        None => Ok(&mut objects.attached),
    }
}

/// # Safety
/// None: the buffer is not touched.
unsafe fn attach(comm: Option<MPI_Comm>, buffer: *mut c_void, size: impl Number) -> c_int {
    frame::outcome(comm, || {
        let size = count("size", size)?;
        let size = (buffer != MPI_BUFFER_AUTOMATIC).then_some(size);
        try_with(|objects| {
            let attached = buffer_of(objects, comm)?;
            if attached.is_some() {
                fail!(MPI_ERR_BUFFER, "a buffer is attached already");
            }
            *attached = Some(Attached { address: buffer.addr(), size });
            Ok(())
        })
    })
}

/// # Safety
/// There are places for an address and for a number.
unsafe fn detach<T: Number>(comm: Option<MPI_Comm>, buffer_addr: *mut c_void, size: *mut T) -> c_int {
    frame::outcome(comm, || {
        let Some(attached) = try_with(|objects| Ok(buffer_of(objects, comm)?.take()))? else {
            fail!(MPI_ERR_BUFFER, "no buffer is attached");
        };
        let bytes = T::narrow(attached.size.unwrap_or(0) as i64)
            .ok_or_else(|| MpiError::new(MPI_ERR_BUFFER, "the size of the buffer does not fit into size"))?;
        // SAFETY: the caller vouches for the places.
        unsafe {
            put("buffer_addr", buffer_addr.cast::<usize>(), attached.address)?;
            put("size", size, bytes)
        }
    })
}
