//! Versions, clocks, and whether MPI runs (chapters 9 and 11 of the standard).

use core::ffi::{c_char, c_int};

use mpirage_call::Call;

use crate::connection;
use crate::constants::*;
use crate::error::fail;
use crate::library::{self, Stage};

const LIBRARY_VERSION: &str = concat!("mpirage ", env!("CARGO_PKG_VERSION"), ", an MPI simulator");
const _: () = assert!(LIBRARY_VERSION.len() < MPI_MAX_LIBRARY_VERSION_STRING as usize);

/// Simulated time is counted in picoseconds.
const SECONDS_PER_TICK: f64 = 1e-12;

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

pub(crate) unsafe extern "C" fn MPI_Init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    library::outcome_at_any_time(init)
}

pub(crate) unsafe extern "C" fn MPI_Finalize() -> c_int {
    library::outcome(None, || {
        connection::ask(&Call::Finalize);
        library::with(|library| library.stage = Stage::After);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn MPI_Initialized(flag: *mut c_int) -> c_int {
    let initialized = library::with(|library| library.stage) > Stage::Before;
    // SAFETY: the caller hands over a place for an int.
    unsafe { *flag = initialized.into() };
    MPI_SUCCESS
}

pub(crate) unsafe extern "C" fn MPI_Finalized(flag: *mut c_int) -> c_int {
    let finalized = library::with(|library| library.stage) == Stage::After;
    // SAFETY: the caller hands over a place for an int.
    unsafe { *flag = finalized.into() };
    MPI_SUCCESS
}

fn init() -> crate::error::Result<()> {
    if library::with(|library| library.stage) != Stage::Before {
        fail!(MPI_ERR_OTHER, "MPI has been initialized already");
    }
    connection::ask(&Call::Init);
    let line = connection::line();
    library::with(|library| {
        library.comms.open(line.rank, line.briefing.size);
        library.stage = Stage::Running;
    });
    Ok(())
}
