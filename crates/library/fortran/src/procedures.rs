//! Procedures of the program that MPI calls: operators, error handlers, functions of attributes, of generalised requests and of data
//! representations.
//!
//! The library keeps the address of a procedure and calls it through [`Callbacks`]. Addresses of Fortran procedures carry a mark in bits
//! that no address uses, so that C and Fortran can be mixed: what has no mark goes to the front that was there before, or is called as C.

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use mpirage_front::library::bodies;
use mpirage_front::{Callbacks, CopiedAttribute, MPI_Status, Owner};

use super::arguments::pointer;
use super::predefined;
use super::representation::{
    BSEND_OVERHEAD, FortranStatus, datatype_in_fortran, error_from_abi, error_to_abi, key_from_abi,
    object_in_fortran, status_from_fortran, status_in_fortran,
};

/// On procedures of Fortran.
const FORTRAN: usize = 1 << 63;
/// On procedures of MPI-1, whose attributes are default integers.
const SMALL: usize = 1 << 62;

/// The callbacks that call procedures of C, if the library itself does not call them.
static NEXT: AtomicPtr<Callbacks> = AtomicPtr::new(null_mut());

static CALLBACKS: Callbacks = Callbacks {
    user_function,
    user_function_c,
    copy_attribute,
    delete_attribute,
    handle_error,
    query_request,
    free_request,
    cancel_request,
    convert,
    datarep_extent,
    bsend_overhead: BSEND_OVERHEAD,
};

/// A procedure for the library to keep. Predefined ones become the constants of C.
pub(crate) fn procedure(procedure: *mut c_void) -> *mut c_void {
    marked(procedure, FORTRAN)
}

/// The same for a procedure of MPI-1.
pub(crate) fn small_procedure(procedure: *mut c_void) -> *mut c_void {
    marked(procedure, FORTRAN | SMALL)
}

fn marked(procedure: *mut c_void, mark: usize) -> *mut c_void {
    if let Some(constant) = predefined::constant(procedure.addr()) {
        return pointer(constant);
    }
    install();
    pointer(procedure.expose_provenance() | mark)
}

/// From now on the library calls procedures through us.
fn install() {
    let ours = (&raw const CALLBACKS).cast_mut();
    let before = bodies().callbacks.swap(ours, Ordering::Relaxed);
    if before != ours {
        NEXT.store(before, Ordering::Relaxed);
    }
}

/// The address without marks, if it is that of a Fortran procedure.
fn fortran(function: usize) -> Option<usize> {
    (function & FORTRAN != 0).then_some(function & !(FORTRAN | SMALL))
}

fn next() -> Option<&'static Callbacks> {
    // SAFETY: null, or what a front has stored: a table that lives as long as the process.
    unsafe { NEXT.load(Ordering::Relaxed).as_ref() }
}

/// Calls the procedure at an address.
macro_rules! call {
    ($address:expr, ($($of:ty),*) $(-> $returns:ty)?, ($($value:expr),*)) => {
        transmute::<*mut c_void, unsafe extern "C-unwind" fn($($of),*) $(-> $returns)?>(pointer($address))($($value),*)
    };
}

unsafe extern "C-unwind" fn user_function(
    function: usize,
    input: *mut c_void,
    inout: *mut c_void,
    count: *mut c_int,
    datatype: usize,
) {
    let (mut integer, mut handle) = (datatype_in_fortran(datatype), datatype);
    // SAFETY: the program registered the function as an operator, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => call!(
                address,
                (*mut c_void, *mut c_void, *mut c_int, *mut c_int),
                (input, inout, count, &mut integer)
            ),
            (None, Some(next)) => (next.user_function)(function, input, inout, count, datatype),
            (None, None) => call!(
                function,
                (*mut c_void, *mut c_void, *mut c_int, *mut usize),
                (input, inout, count, &mut handle)
            ),
        }
    }
}

unsafe extern "C-unwind" fn user_function_c(
    function: usize,
    input: *mut c_void,
    inout: *mut c_void,
    count: *mut i64,
    datatype: usize,
) {
    let (mut integer, mut handle) = (datatype_in_fortran(datatype), datatype);
    // SAFETY: as for `user_function`.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => call!(
                address,
                (*mut c_void, *mut c_void, *mut i64, *mut c_int),
                (input, inout, count, &mut integer)
            ),
            (None, Some(next)) => (next.user_function_c)(function, input, inout, count, datatype),
            (None, None) => call!(
                function,
                (*mut c_void, *mut c_void, *mut i64, *mut usize),
                (input, inout, count, &mut handle)
            ),
        }
    }
}

/// The five words of an attribute as Fortran passes them; those of MPI-1 are half as long.
struct Words {
    extra_state: i64,
    value: i64,
    copied: i64,
}

unsafe extern "C-unwind" fn copy_attribute(function: usize, of: &CopiedAttribute, flag: *mut c_int) -> c_int {
    let Some(address) = fortran(function) else {
        // SAFETY: the program registered it in C.
        return unsafe { copy_in_c(function, of, flag) };
    };
    let mut words =
        Words { extra_state: of.extra_state.addr() as i64, value: of.value.addr() as i64, copied: 0 };
    let (mut object, mut key, mut error) = (object_in_fortran(of.owner, of.object), key_from_abi(of.key), 0);
    // SAFETY: the program registered it in Fortran. A default integer is the lower half of a word.
    unsafe {
        type Word = *mut i64;
        type Integer = *mut c_int;
        call!(
            address,
            (Integer, Integer, Word, Word, Word, Integer, Integer),
            (
                &mut object,
                &mut key,
                &mut words.extra_state,
                &mut words.value,
                &mut words.copied,
                flag,
                &mut error
            )
        );
        of.copied.cast::<usize>().write(word(function, words.copied));
    }
    error_to_abi(error)
}

/// Of MPI-1's procedures only the lower half of a word is set.
fn word(function: usize, word: i64) -> usize {
    if function & SMALL != 0 { word as c_int as usize } else { word as usize }
}

unsafe fn copy_in_c(function: usize, of: &CopiedAttribute, flag: *mut c_int) -> c_int {
    type Pointer = *mut c_void;
    // SAFETY: the caller vouches for it.
    unsafe {
        match next() {
            Some(next) => (next.copy_attribute)(function, of, flag),
            None => call!(function, (usize, c_int, Pointer, Pointer, Pointer, *mut c_int) -> c_int,
                (of.object, of.key, of.extra_state, of.value, of.copied, flag)),
        }
    }
}

unsafe extern "C-unwind" fn delete_attribute(
    function: usize,
    owner: Owner,
    object: usize,
    key: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    type Pointer = *mut c_void;
    type Word = *mut i64;
    type Integer = *mut c_int;
    let (mut integer, mut number, mut error) = (object_in_fortran(owner, object), key_from_abi(key), 0);
    let (mut held, mut state) = (value.addr() as i64, extra_state.addr() as i64);
    // SAFETY: the program registered the function, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(
                    address,
                    (Integer, Integer, Word, Word, Integer),
                    (&mut integer, &mut number, &mut held, &mut state, &mut error)
                );
                error_to_abi(error)
            }
            (None, Some(next)) => (next.delete_attribute)(function, owner, object, key, value, extra_state),
            (None, None) => {
                call!(function, (usize, c_int, Pointer, Pointer) -> c_int, (object, key, value, extra_state))
            }
        }
    }
}

unsafe extern "C-unwind" fn handle_error(function: usize, owner: Owner, object: usize, code: c_int) -> c_int {
    let (mut integer, mut handle, mut error) = (object_in_fortran(owner, object), object, code);
    let mut theirs = error_from_abi(code);
    // SAFETY: the program registered the function, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(address, (*mut c_int, *mut c_int), (&mut integer, &mut theirs));
                error_to_abi(theirs)
            }
            (None, Some(next)) => (next.handle_error)(function, owner, object, code),
            (None, None) => {
                call!(function, (*mut usize, *mut c_int), (&mut handle, &mut error));
                error
            }
        }
    }
}

unsafe extern "C-unwind" fn query_request(
    function: usize,
    extra_state: *mut c_void,
    status: &mut MPI_Status,
) -> c_int {
    let (mut state, mut error) = (extra_state.addr() as i64, 0);
    // SAFETY: the program registered the function, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                let mut theirs = status_in_fortran(status);
                call!(
                    address,
                    (*mut i64, *mut FortranStatus, *mut c_int),
                    (&mut state, &mut theirs, &mut error)
                );
                *status = status_from_fortran(&theirs);
                error_to_abi(error)
            }
            (None, Some(next)) => (next.query_request)(function, extra_state, status),
            (None, None) => call!(function, (*mut c_void, *mut MPI_Status) -> c_int, (extra_state, status)),
        }
    }
}

unsafe extern "C-unwind" fn free_request(function: usize, extra_state: *mut c_void) -> c_int {
    let (mut state, mut error) = (extra_state.addr() as i64, 0);
    // SAFETY: as above.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(address, (*mut i64, *mut c_int), (&mut state, &mut error));
                error_to_abi(error)
            }
            (None, Some(next)) => (next.free_request)(function, extra_state),
            (None, None) => call!(function, (*mut c_void) -> c_int, (extra_state)),
        }
    }
}

unsafe extern "C-unwind" fn cancel_request(
    function: usize,
    extra_state: *mut c_void,
    complete: c_int,
) -> c_int {
    let (mut state, mut logical, mut error) = (extra_state.addr() as i64, complete, 0);
    // SAFETY: as above.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(address, (*mut i64, *mut c_int, *mut c_int), (&mut state, &mut logical, &mut error));
                error_to_abi(error)
            }
            (None, Some(next)) => (next.cancel_request)(function, extra_state, complete),
            (None, None) => call!(function, (*mut c_void, c_int) -> c_int, (extra_state, complete)),
        }
    }
}

/// A count in Fortran is a default integer, or of the kind `MPI_COUNT_KIND`; an address of both is that of the number's lower half.
unsafe extern "C-unwind" fn convert(
    function: usize,
    large: bool,
    memory: *mut c_void,
    datatype: usize,
    count: i64,
    file: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    type Pointer = *mut c_void;
    type Word = *mut i64;
    type Integer = *mut c_int;
    let (mut handle, mut number, mut position, mut error) = (datatype as c_int, count, 0, 0);
    let mut state = extra_state.addr() as i64;
    // SAFETY: the program registered the function, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(
                    address,
                    (Pointer, Integer, Word, Pointer, Word, Word, Integer),
                    (memory, &mut handle, &mut number, file, &mut position, &mut state, &mut error)
                );
                error
            }
            (None, Some(next)) => (next.convert)(function, large, memory, datatype, count, file, extra_state),
            (None, None) if large => {
                call!(function, (Pointer, usize, i64, Pointer, i64, Pointer) -> c_int,
                (memory, datatype, count, file, 0, extra_state))
            }
            (None, None) => {
                call!(function, (Pointer, usize, c_int, Pointer, i64, Pointer) -> c_int,
                (memory, datatype, count as c_int, file, 0, extra_state))
            }
        }
    }
}

unsafe extern "C-unwind" fn datarep_extent(
    function: usize,
    datatype: usize,
    extent: *mut isize,
    extra_state: *mut c_void,
) -> c_int {
    let (mut handle, mut state, mut error) = (datatype as c_int, extra_state.addr() as i64, 0);
    // SAFETY: the program registered the function, in Fortran if it is marked.
    unsafe {
        match (fortran(function), next()) {
            (Some(address), _) => {
                call!(
                    address,
                    (*mut c_int, *mut isize, *mut i64, *mut c_int),
                    (&mut handle, extent, &mut state, &mut error)
                );
                error
            }
            (None, Some(next)) => (next.datarep_extent)(function, datatype, extent, extra_state),
            (None, None) => {
                call!(function, (usize, *mut isize, *mut c_void) -> c_int, (datatype, extent, extra_state))
            }
        }
    }
}
