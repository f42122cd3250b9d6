//! Variables whose address has a meaning: `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and others.
//!
//! They are variables in common blocks of the program, which the wrapper's link line exports. `blocks` knows their names.

use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use super::blocks;
use super::representation::{BUFFER_AUTOMATIC, IN_PLACE, unweighted, weights_empty};

/// The addresses of the variables. An MPI may have two of each: one for `mpif.h` and `mpi`, and one for `mpi_f08`.
pub(crate) struct Addresses {
    pub(crate) bottom: [usize; 2],
    pub(crate) in_place: [usize; 2],
    pub(crate) buffer_automatic: [usize; 2],
    pub(crate) status_ignore: [usize; 2],
    pub(crate) statuses_ignore: [usize; 2],
    pub(crate) unweighted: [usize; 2],
    pub(crate) weights_empty: [usize; 2],
    pub(crate) argv_null: [usize; 2],
    pub(crate) argvs_null: [usize; 2],
    pub(crate) errcodes_ignore: [usize; 2],
}

fn addresses() -> &'static Addresses {
    static ADDRESSES: OnceLock<Addresses> = OnceLock::new();
    ADDRESSES.get_or_init(blocks::addresses)
}

/// The address of a block of the program; 0 if it has none, which is `MPI_BOTTOM` in C.
pub(crate) fn find(name: &CStr) -> usize {
    // SAFETY: a string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).addr() }
}

fn constant(value: usize) -> *mut c_void {
    core::ptr::without_provenance_mut(value)
}

/// A buffer.
pub(crate) fn address(buffer: *mut c_void) -> *mut c_void {
    let Addresses { bottom, in_place, buffer_automatic, .. } = addresses();
    match buffer.addr() {
        address if bottom.contains(&address) => core::ptr::null_mut(),
        address if in_place.contains(&address) => constant(IN_PLACE),
        address if buffer_automatic.contains(&address) => constant(BUFFER_AUTOMATIC),
        _ => buffer,
    }
}

/// A status.
pub(crate) fn status(status: *mut c_void) -> *mut c_void {
    let Addresses { status_ignore, statuses_ignore, .. } = addresses();
    let ignored = status_ignore.contains(&status.addr()) || statuses_ignore.contains(&status.addr());
    if ignored { core::ptr::null_mut() } else { status }
}

/// An array of statuses.
pub(crate) fn statuses(array: *mut c_void) -> *mut c_void {
    status(array)
}

/// Weights of edges.
pub(crate) fn weights(weights: *mut c_void) -> *mut c_void {
    let known = addresses();
    match weights.addr() {
        address if known.unweighted.contains(&address) => constant(unweighted()),
        address if known.weights_empty.contains(&address) => constant(weights_empty()),
        _ => weights,
    }
}

/// Error codes of processes that a rank starts.
pub(crate) fn error_codes(codes: *mut c_void) -> *mut c_void {
    if addresses().errcodes_ignore.contains(&codes.addr()) { core::ptr::null_mut() } else { codes }
}

/// Is it `MPI_ARGV_NULL`?
pub(crate) fn is_argv_null(arguments: *const c_char) -> bool {
    addresses().argv_null.contains(&arguments.addr())
}

/// Is it `MPI_ARGVS_NULL`?
pub(crate) fn is_argvs_null(arguments: *const c_char) -> bool {
    addresses().argvs_null.contains(&arguments.addr())
}
