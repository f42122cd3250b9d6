//! Error handlers (section 9.3 of the standard). Creating and freeing them is allowed at any time.

use crate::constants::*;
use crate::frame::{outcome, outcome_at_any_time};
use crate::ground::arguments::{not_null, put};
use crate::ground::error::{MpiError, Result};
use crate::objects::errhandler::{self, Errhandler};
use crate::rank;
use crate::types::*;
use core::ffi::c_int;

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_create_errhandler(
    comm_errhandler_fn: Option<MPI_Comm_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(comm_errhandler_fn.map(Errhandler::Comm), errhandler) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_create_errhandler(
    win_errhandler_fn: Option<MPI_Win_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(win_errhandler_fn.map(Errhandler::Win), errhandler) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_File_create_errhandler(
    file_errhandler_fn: Option<MPI_File_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(file_errhandler_fn.map(Errhandler::File), errhandler) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Session_create_errhandler(
    session_errhandler_fn: Option<MPI_Session_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { create(session_errhandler_fn.map(Errhandler::Session), errhandler) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_create(
    handler_fn: Option<MPI_Handler_function>,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_create_errhandler(handler_fn, errhandler) }
}

/// The handler stays, for the objects that use it.
pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_free(errhandler: *mut MPI_Errhandler) -> c_int {
    outcome_at_any_time(|| {
        not_null("errhandler", errhandler)?;
        // SAFETY: not null, and the program points to a handle.
        let handle = unsafe { *errhandler };
        find(handle)?;
        rank::with(|objects| objects.errhandlers.disown(handle.0));
        // SAFETY: as above.
        unsafe { put("errhandler", errhandler, MPI_ERRHANDLER_NULL) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_set_errhandler(
    comm: MPI_Comm,
    errhandler: MPI_Errhandler,
) -> c_int {
    outcome(comm, || {
        find(errhandler)?.check_for_comm()?;
        rank::try_with(|objects| {
            objects.comms.get_mut(comm)?.errhandler = errhandler;
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_get_errhandler(
    comm: MPI_Comm,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    outcome(comm, || {
        let handle = rank::try_with(|objects| Ok(objects.comms.get(comm)?.errhandler))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("errhandler", errhandler, handle) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_set(
    comm: MPI_Comm,
    errhandler: MPI_Errhandler,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_set_errhandler(comm, errhandler) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Errhandler_get(
    comm: MPI_Comm,
    errhandler: *mut MPI_Errhandler,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Comm_get_errhandler(comm, errhandler) }
}

/// Succeeds if the handler returns, whatever the error is.
pub(crate) unsafe extern "C-unwind" fn MPI_Comm_call_errhandler(comm: MPI_Comm, errorcode: c_int) -> c_int {
    if let Err(unusable) = usable(comm, errorcode) {
        return outcome(comm, || Err(unusable));
    }
    let text = rank::with(|objects| objects.error_codes.text_of(errorcode).map(str::to_owned));
    let text = text.unwrap_or_else(|_| format!("error {errorcode}"));
    outcome(comm, || Err(MpiError::new(errorcode, text)));
    MPI_SUCCESS
}

fn usable(comm: MPI_Comm, errorcode: c_int) -> Result<()> {
    rank::try_with(|objects| {
        objects.comms.get(comm)?;
        objects.error_codes.class_of(errorcode).map(drop)
    })
}

/// # Safety
/// Unless it is null, the place can be written.
unsafe fn create(handler: Option<Errhandler>, place: *mut MPI_Errhandler) -> c_int {
    outcome_at_any_time(|| {
        let null = || MpiError::new(MPI_ERR_ARG, "the error handling function is a null pointer");
        let handler = handler.ok_or_else(null)?;
        let handle = rank::with(|objects| objects.errhandlers.insert(handler));
        // SAFETY: the caller vouches for it.
        unsafe { put("errhandler", place, MPI_Errhandler(handle)) }
    })
}

fn find(handle: MPI_Errhandler) -> Result<Errhandler> {
    rank::with(|objects| errhandler::find(&objects.errhandlers, handle))
}
