//! The program's buffers for buffered sends: of the process, of communicators and of sessions.
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
    (buffer: Buffer, size: Count) { attach(Owner::Process, buffer, size) }:
        MPI_Buffer_attach MPI_Buffer_attach_c;
    (buffer_addr: Buffer, size: CountPlace) { detach(Owner::Process, buffer_addr, size) }:
        MPI_Buffer_detach MPI_Buffer_detach_c;
    (comm: MPI_Comm, buffer: Buffer, size: Count) { attach(Owner::Comm(comm), buffer, size) }:
        MPI_Comm_attach_buffer MPI_Comm_attach_buffer_c;
    (comm: MPI_Comm, buffer_addr: Buffer, size: CountPlace) { detach(Owner::Comm(comm), buffer_addr, size) }:
        MPI_Comm_detach_buffer MPI_Comm_detach_buffer_c;
    (session: MPI_Session, buffer: Buffer, size: Count) { attach(Owner::Session(session), buffer, size) }:
        MPI_Session_attach_buffer MPI_Session_attach_buffer_c;
    (session: MPI_Session, buffer_addr: Buffer, size: CountPlace) { detach(Owner::Session(session), buffer_addr, size) }:
        MPI_Session_detach_buffer MPI_Session_detach_buffer_c;
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

pub(crate) unsafe extern "C-unwind" fn MPI_Session_flush_buffer(session: MPI_Session) -> c_int {
    frame::outcome_in(session, || try_with(|objects| objects.sessions.get(session).map(drop)))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_iflush_buffer(
    session: MPI_Session,
    request: *mut MPI_Request,
) -> c_int {
    frame::outcome_in(session, || {
        try_with(|objects| objects.sessions.get(session).map(drop))?;
        // SAFETY: the program hands over a place for a request.
        unsafe { flush_later(MPI_COMM_SELF, request) }
    })
}

/// What a buffer belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Process,
    Comm(MPI_Comm),
    Session(MPI_Session),
}

impl Owner {
    fn buffer(self, objects: &mut Objects) -> Result<&mut Option<Attached>> {
        match self {
            Owner::Process => Ok(&mut objects.attached),
            Owner::Comm(comm) => Ok(&mut objects.comms.get_mut(comm)?.buffer),
            Owner::Session(session) => Ok(&mut objects.sessions.get_mut(session)?.buffer),
        }
    }

    fn outcome(self, body: impl FnOnce() -> Result<()>) -> c_int {
        match self {
            Owner::Process => frame::outcome(None, body),
            Owner::Comm(comm) => frame::outcome(comm, body),
            Owner::Session(session) => frame::outcome_in(session, body),
        }
    }
}

/// # Safety
/// None: the buffer is not touched.
unsafe fn attach(owner: Owner, buffer: *mut c_void, size: impl Number) -> c_int {
    owner.outcome(|| {
        let size = count("size", size)?;
        let size = (buffer != MPI_BUFFER_AUTOMATIC).then_some(size);
        try_with(|objects| {
            let attached = owner.buffer(objects)?;
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
unsafe fn detach<T: Number>(owner: Owner, buffer_addr: *mut c_void, size: *mut T) -> c_int {
    owner.outcome(|| {
        let Some(attached) = try_with(|objects| Ok(owner.buffer(objects)?.take()))? else {
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
