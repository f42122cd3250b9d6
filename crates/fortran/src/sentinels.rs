//! Variables whose address has a meaning: `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and others.
//!
//! They are variables in common blocks of the program, which the wrapper's link line exports. The names of the blocks are those of Open MPI,
//! so that programs built for its libraries have them too.

use core::ffi::{CStr, c_void};
use std::sync::OnceLock;

use super::representation::{BUFFER_AUTOMATIC, IN_PLACE, UNWEIGHTED, WEIGHTS_EMPTY};

struct Addresses {
    bottom: usize,
    in_place: usize,
    buffer_automatic: usize,
    status_ignore: usize,
    statuses_ignore: usize,
    unweighted: usize,
    weights_empty: usize,
}

fn addresses() -> &'static Addresses {
    static ADDRESSES: OnceLock<Addresses> = OnceLock::new();
    ADDRESSES.get_or_init(|| Addresses {
        bottom: find(c"mpi_fortran_bottom_"),
        in_place: find(c"mpi_fortran_in_place_"),
        buffer_automatic: find(c"mpi_fortran_buffer_automatic_"),
        status_ignore: find(c"mpi_fortran_status_ignore_"),
        statuses_ignore: find(c"mpi_fortran_statuses_ignore_"),
        unweighted: find(c"mpi_fortran_unweighted_"),
        weights_empty: find(c"mpi_fortran_weights_empty_"),
    })
}

/// The address of a block of the program; 0 if it has none, which is `MPI_BOTTOM` in C.
fn find(name: &CStr) -> usize {
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
        address if address == *bottom => core::ptr::null_mut(),
        address if address == *in_place => constant(IN_PLACE),
        address if address == *buffer_automatic => constant(BUFFER_AUTOMATIC),
        _ => buffer,
    }
}

/// A status.
pub(crate) fn status(status: *mut c_void) -> *mut c_void {
    let Addresses { status_ignore, statuses_ignore, .. } = addresses();
    let ignored = [*status_ignore, *statuses_ignore].contains(&status.addr());
    if ignored { core::ptr::null_mut() } else { status }
}

/// An array of statuses.
pub(crate) fn statuses(array: *mut c_void) -> *mut c_void {
    status(array)
}

/// Weights of edges.
pub(crate) fn weights(weights: *mut c_void) -> *mut c_void {
    let Addresses { unweighted, weights_empty, .. } = addresses();
    match weights.addr() {
        address if address == *unweighted => constant(UNWEIGHTED),
        address if address == *weights_empty => constant(WEIGHTS_EMPTY),
        _ => weights,
    }
}
