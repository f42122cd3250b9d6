//! The program's buffer for buffered sends.
//!
//! Buffered messages are copied when they are sent, so there is nothing to flush and nothing to wait for.

use core::ffi::{c_int, c_void};

use mpirage_call::Completion;

use crate::arguments::{Number, count, put};
use crate::constants::{MPI_BUFFER_AUTOMATIC, MPI_COMM_SELF, MPI_ERR_BUFFER};
use crate::error::{MpiError, fail};
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::objects::message::Attached;
use crate::operation::{Operation, Step};
use crate::perform;
use crate::rank::with;
use crate::types::*;

both_forms! {
    (buffer: Buffer, size: Count) { attach(buffer, size) }:
        MPI_Buffer_attach MPI_Buffer_attach_c;
    (buffer_addr: Buffer, size: CountPlace) { detach(buffer_addr, size) }:
        MPI_Buffer_detach MPI_Buffer_detach_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_flush() -> c_int {
    frame::outcome(None, || Ok(()))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Buffer_iflush(request: *mut MPI_Request) -> c_int {
    frame::outcome(None, || {
        let flush = Operation::one(MPI_COMM_SELF, Step::Nothing(Completion::empty(0)));
        // SAFETY: the program hands over a place for a request.
        unsafe { put("request", request, perform::begin(flush)) }
    })
}

/// # Safety
/// None: the buffer is not touched.
unsafe fn attach(buffer: *mut c_void, size: impl Number) -> c_int {
    frame::outcome(None, || {
        let size = count("size", size)?;
        let size = (buffer != MPI_BUFFER_AUTOMATIC).then_some(size);
        with(|objects| {
            if objects.attached.is_some() {
                fail!(MPI_ERR_BUFFER, "a buffer is attached already");
            }
            objects.attached = Some(Attached { address: buffer.addr(), size });
            Ok(())
        })
    })
}

/// # Safety
/// There are places for an address and for a number.
unsafe fn detach<T: Number>(buffer_addr: *mut c_void, size: *mut T) -> c_int {
    frame::outcome(None, || {
        let Some(attached) = with(|objects| objects.attached.take()) else {
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
