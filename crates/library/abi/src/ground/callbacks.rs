//! Calls functions of the program: directly, or through the front library whose binary interface the program has.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use mpirage_bodies::{Callbacks, CopiedAttribute, Owner};

use crate::constants::MPI_BSEND_OVERHEAD;
use crate::types::{CopyAttribute, DeleteAttribute, MPI_Comm, MPI_Comm_errhandler_function, MPI_Count};
use crate::types::{MPI_Aint, MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c};
use crate::types::{MPI_Datarep_extent_function, MPI_File, MPI_File_errhandler_function};
use crate::types::{MPI_Datatype, MPI_User_function, MPI_User_function_c};
use crate::types::{MPI_Grequest_cancel_function, MPI_Grequest_free_function, MPI_Grequest_query_function};
use crate::types::{MPI_Session, MPI_Session_errhandler_function, MPI_Status};
use crate::types::{MPI_Win, MPI_Win_errhandler_function};

/// Set by a front when it is loaded.
pub(crate) static CALLBACKS: AtomicPtr<Callbacks> = AtomicPtr::new(core::ptr::null_mut());

/// Has a front for another MPI been loaded? When MPI begins: later, functions of Fortran are called through the same table.
pub(crate) fn has_front() -> bool {
    !CALLBACKS.load(Ordering::Relaxed).is_null()
}

fn front() -> Option<&'static Callbacks> {
    // SAFETY: null, or what a front has stored: a table that lives as long as the process.
    unsafe { CALLBACKS.load(Ordering::Relaxed).as_ref() }
}

/// `MPI_BSEND_OVERHEAD` that the program was compiled with.
pub(crate) fn bsend_overhead() -> usize {
    front().map_or(MPI_BSEND_OVERHEAD as usize, |front| front.bsend_overhead)
}

/// Calls a reduction operator.
///
/// # Safety
/// The program registered the function for that, and the buffers have such elements.
pub(crate) unsafe fn user_function(
    function: MPI_User_function,
    input: *mut c_void,
    inout: *mut c_void,
    mut count: c_int,
    mut datatype: MPI_Datatype,
) {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(input, inout, &mut count, &mut datatype),
            Some(front) => (front.user_function)(function as usize, input, inout, &mut count, datatype.0),
        }
    }
}

/// Calls a reduction operator with a large count.
///
/// # Safety
/// As for [`user_function`].
pub(crate) unsafe fn user_function_c(
    function: MPI_User_function_c,
    input: *mut c_void,
    inout: *mut c_void,
    mut count: MPI_Count,
    mut datatype: MPI_Datatype,
) {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(input, inout, &mut count, &mut datatype),
            Some(front) => (front.user_function_c)(function as usize, input, inout, &mut count, datatype.0),
        }
    }
}

/// Calls a function that copies an attribute.
///
/// # Safety
/// The program registered the function for that; the copy and the flag can be stored.
pub(crate) unsafe fn copy_attribute(
    function: CopyAttribute<usize>,
    of: &CopiedAttribute,
    flag: &mut c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(of.object, of.key, of.extra_state, of.value, of.copied, flag),
            Some(front) => (front.copy_attribute)(function as usize, of, flag),
        }
    }
}

/// Calls a function that deletes an attribute.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn delete_attribute(
    function: DeleteAttribute<usize>,
    (owner, object): (Owner, usize),
    key: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(object, key, value, extra_state),
            Some(front) => {
                (front.delete_attribute)(function as usize, owner, object, key, value, extra_state)
            }
        }
    }
}

/// Calls an error handler of windows. Gives the error code that the handler leaves for the call to return.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn handle_window_error(
    function: MPI_Win_errhandler_function,
    mut win: MPI_Win,
    mut code: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(&mut win, &mut code),
            Some(front) => code = (front.handle_error)(function as usize, Owner::Win, win.0, code),
        }
    }
    code
}

/// Calls an error handler of sessions. Gives the error code that the handler leaves for the call to return.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn handle_session_error(
    function: MPI_Session_errhandler_function,
    mut session: MPI_Session,
    mut code: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(&mut session, &mut code),
            Some(front) => code = (front.handle_error)(function as usize, Owner::Session, session.0, code),
        }
    }
    code
}

/// Calls an error handler of communicators. Gives the error code that the handler leaves for the call to return.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn handle_error(
    function: MPI_Comm_errhandler_function,
    mut comm: MPI_Comm,
    mut code: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(&mut comm, &mut code),
            Some(front) => code = (front.handle_error)(function as usize, Owner::Comm, comm.0, code),
        }
    }
    code
}

/// Calls an error handler of files. Gives the error code that the handler leaves for the call to return.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn handle_file_error(
    function: MPI_File_errhandler_function,
    mut file: MPI_File,
    mut code: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(&mut file, &mut code),
            Some(front) => code = (front.handle_error)(function as usize, Owner::File, file.0, code),
        }
    }
    code
}

/// A function that converts elements between memory and a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    Int(MPI_Datarep_conversion_function),
    Large(MPI_Datarep_conversion_function_c),
}

/// Calls a conversion function for elements at the beginning of a buffer.
///
/// # Safety
/// The program registered the function for that; memory and file have so many elements.
pub(crate) unsafe fn convert(
    how: Conversion,
    memory: *mut c_void,
    datatype: MPI_Datatype,
    count: usize,
    file: &mut [u8],
    extra_state: *mut c_void,
) -> c_int {
    let (address, large) = match how {
        Conversion::Int(function) => (function as usize, false),
        Conversion::Large(function) => (function as usize, true),
    };
    let file = file.as_mut_ptr().cast::<c_void>();
    // SAFETY: the caller vouches for it.
    unsafe {
        match (front(), how) {
            (Some(front), _) => {
                (front.convert)(address, large, memory, datatype.0, count as i64, file, extra_state)
            }
            (None, Conversion::Int(function)) => {
                function(memory, datatype, count as c_int, file, 0, extra_state)
            }
            (None, Conversion::Large(function)) => {
                function(memory, datatype, count as MPI_Count, file, 0, extra_state)
            }
        }
    }
}

/// Asks for the extent of a datatype in a file.
///
/// # Safety
/// The program registered the function for that.
pub(crate) unsafe fn datarep_extent(
    function: MPI_Datarep_extent_function,
    datatype: MPI_Datatype,
    extent: &mut MPI_Aint,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(datatype, extent, extra_state),
            Some(front) => (front.datarep_extent)(function as usize, datatype.0, extent, extra_state),
        }
    }
}

/// Asks the program for the status of a generalised request.
///
/// # Safety
/// The program gave the function and its argument for that.
pub(crate) unsafe fn query_request(
    function: MPI_Grequest_query_function,
    extra_state: *mut c_void,
    status: &mut MPI_Status,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(extra_state, status),
            Some(front) => (front.query_request)(function as usize, extra_state, status),
        }
    }
}

/// Lets the program free a generalised request.
///
/// # Safety
/// As for [`query_request`].
pub(crate) unsafe fn free_request(function: MPI_Grequest_free_function, extra_state: *mut c_void) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(extra_state),
            Some(front) => (front.free_request)(function as usize, extra_state),
        }
    }
}

/// Lets the program cancel a generalised request.
///
/// # Safety
/// As for [`query_request`].
pub(crate) unsafe fn cancel_request(
    function: MPI_Grequest_cancel_function,
    extra_state: *mut c_void,
    complete: c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        match front() {
            None => function(extra_state, complete),
            Some(front) => (front.cancel_request)(function as usize, extra_state, complete),
        }
    }
}
