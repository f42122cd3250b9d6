//! Numbers, handles and attributes, from and to Fortran.

use core::ffi::{c_int, c_void};

use super::constants::*;
use super::representation::{FortranHandle, key_to_abi};

/// A handle by reference.
///
/// # Safety
/// The place holds an integer.
pub(crate) unsafe fn handle<H: FortranHandle>(place: *const c_int) -> H {
    // SAFETY: the caller vouches for it.
    H::from_fortran(unsafe { *place })
}

/// # Safety
/// The place has room for an integer.
pub(crate) unsafe fn store<H: FortranHandle>(place: *mut c_int, handle: H) {
    // SAFETY: the caller vouches for it.
    unsafe { place.write(handle.to_fortran()) }
}

/// The handles of an array.
///
/// # Safety
/// The array has so many integers.
pub(crate) unsafe fn handles<H: FortranHandle>(array: *const c_int, length: usize) -> Vec<H> {
    // SAFETY: the caller vouches for it.
    (0..length).map(|nth| unsafe { handle(array.add(nth)) }).collect()
}

/// # Safety
/// The array has room for so many integers.
pub(crate) unsafe fn store_all<H: FortranHandle>(array: *mut c_int, handles: &[H]) {
    for (nth, &handle) in handles.iter().enumerate() {
        // SAFETY: the caller vouches for it.
        unsafe { store(array.add(nth), handle) };
    }
}

/// Displacements of MPI-1, which are default integers.
///
/// # Safety
/// The array has so many integers.
pub(crate) unsafe fn addresses(array: *const c_int, length: usize) -> Vec<i64> {
    // SAFETY: the caller vouches for it.
    (0..length).map(|nth| unsafe { i64::from(*array.add(nth)) }).collect()
}

/// A word of Fortran as a pointer of C.
pub(crate) fn pointer(word: usize) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(word)
}

/// Stores the error code, unless the program leaves it out, as it may with `mpi_f08`.
///
/// # Safety
/// Null, or room for an integer.
pub(crate) unsafe fn finish(ierror: *mut c_int, code: c_int) {
    // SAFETY: the caller vouches for it.
    if let Some(place) = unsafe { ierror.as_mut() } {
        *place = code;
    }
}

/// Fortran counts requests from 1. `MPI_UNDEFINED` is negative and stays.
///
/// # Safety
/// So many positions are there.
pub(crate) unsafe fn from_one(positions: *mut c_int, number: c_int) {
    for nth in 0..usize::try_from(number).unwrap_or(0) {
        // SAFETY: the caller vouches for it.
        let position = unsafe { &mut *positions.add(nth) };
        if *position >= 0 {
            *position += 1;
        }
    }
}

/// The value of an attribute as Fortran sees it: of predefined ones the number instead of its address.
///
/// # Safety
/// The library gave the value for that key.
unsafe fn attribute(key: c_int, value: usize) -> i64 {
    match key_to_abi(key) {
        // SAFETY: the library stores such numbers there.
        MPI_TAG_UB..=MPI_UNIVERSE_SIZE | MPI_WIN_DISP_UNIT | MPI_WIN_CREATE_FLAVOR | MPI_WIN_MODEL => unsafe {
            i64::from(*pointer(value).cast::<c_int>())
        },
        // SAFETY: as above.
        MPI_WIN_SIZE => unsafe { *pointer(value).cast::<i64>() },
        _ => value as i64,
    }
}

/// Stores the value of an attribute, if there is one.
///
/// # Safety
/// The place has room for it, and the library gave the value for that key.
pub(crate) unsafe fn store_attribute(place: *mut i64, key: c_int, value: usize, is_set: bool) {
    if is_set {
        // SAFETY: the caller vouches for it.
        unsafe { place.write(attribute(key, value)) };
    }
}

/// The same for a default integer.
///
/// # Safety
/// As for [`store_attribute`].
pub(crate) unsafe fn store_small_attribute(place: *mut c_int, key: c_int, value: usize, is_set: bool) {
    if is_set {
        // SAFETY: the caller vouches for it.
        unsafe { place.write(attribute(key, value) as c_int) };
    }
}
