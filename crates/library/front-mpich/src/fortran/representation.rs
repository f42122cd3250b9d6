//! How MPICH's Fortran integers differ from those of other MPI libraries.

use core::ffi::c_int;

pub(crate) use super::converted::*;
use super::modules;
use crate::conversions;
use crate::symbols::{MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};

/// `MPI_IN_PLACE` in MPICH's C.
pub(crate) const IN_PLACE: usize = usize::MAX;
/// MPICH 4.0 has no such buffer; `blocks` knows no variable that would stand for it.
pub(crate) const BUFFER_AUTOMATIC: usize = 0;
pub(crate) const BSEND_OVERHEAD: usize = conversions::BSEND_OVERHEAD;

/// `MPI_UNWEIGHTED` of C.
pub(crate) fn unweighted() -> usize {
    MPI_UNWEIGHTED.0.addr()
}

/// `MPI_WEIGHTS_EMPTY` of C.
pub(crate) fn weights_empty() -> usize {
    MPI_WEIGHTS_EMPTY.0.addr()
}

/// Is it `MPI_CONVERSION_FN_NULL` of `mpi_f08`?
pub(crate) fn is_null_procedure(address: usize) -> bool {
    modules::NO_CONVERSIONS.iter().any(|procedure| *procedure as *const () as usize == address)
}

/// The key of an attribute in C. Predefined keys of communicators and windows are larger by one in Fortran.
pub(crate) fn key(key: c_int) -> c_int {
    const PREDEFINED: [c_int; 2] = [0x6440_0000, 0x6600_0000];
    let is_predefined = PREDEFINED.iter().any(|first| (*first..*first + 32).contains(&key));
    if is_predefined && key % 2 == 0 { key - 1 } else { key }
}
