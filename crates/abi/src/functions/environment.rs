//! Versions, clocks, and whether MPI runs (chapters 9 and 11 of the standard).

use crate::constants::{MPI_MAX_LIBRARY_VERSION_STRING, MPI_SUBVERSION, MPI_SUCCESS, MPI_VERSION};
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicBool, Ordering};

const LIBRARY_VERSION: &str = concat!("mpirage ", env!("CARGO_PKG_VERSION"), ", an MPI simulator");
const _: () = assert!(LIBRARY_VERSION.len() < MPI_MAX_LIBRARY_VERSION_STRING as usize);

/// Simulated time is counted in picoseconds.
const SECONDS_PER_TICK: f64 = 1e-12;

/// Set by `MPI_Init` and its relatives, for good.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

pub(crate) unsafe extern "C" fn MPI_Get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    // SAFETY: the caller hands over two places for an int.
    unsafe {
        *version = MPI_VERSION;
        *subversion = MPI_SUBVERSION;
    }
    MPI_SUCCESS
}

pub(crate) unsafe extern "C" fn MPI_Get_library_version(
    version: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let text = LIBRARY_VERSION.as_bytes();
    // SAFETY: the caller's string holds MPI_MAX_LIBRARY_VERSION_STRING characters, more than ours and its terminator.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr().cast(), version, text.len());
        *version.add(text.len()) = 0;
        *resultlen = text.len() as c_int;
    }
    MPI_SUCCESS
}

pub(crate) unsafe extern "C" fn MPI_Wtick() -> f64 {
    SECONDS_PER_TICK
}

pub(crate) unsafe extern "C" fn MPI_Initialized(flag: *mut c_int) -> c_int {
    // SAFETY: the caller hands over a place for an int.
    unsafe { *flag = INITIALIZED.load(Ordering::Relaxed).into() };
    MPI_SUCCESS
}
