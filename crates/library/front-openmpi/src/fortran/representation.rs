//! How Open MPI's Fortran integers differ from those of other MPI libraries.

use core::ffi::c_int;

pub(crate) use super::converted::*;
use crate::conversions;

/// Addresses with a meaning in Open MPI's C.
pub(crate) const IN_PLACE: usize = 1;
/// Open MPI 4 has no such buffer; the common block that would stand for it does not exist either.
pub(crate) const BUFFER_AUTOMATIC: usize = 0;
pub(crate) const BSEND_OVERHEAD: usize = conversions::BSEND_OVERHEAD;

/// `MPI_UNWEIGHTED` of C.
pub(crate) fn unweighted() -> usize {
    2
}

/// `MPI_WEIGHTS_EMPTY` of C.
pub(crate) fn weights_empty() -> usize {
    3
}

/// Is it a predefined function under another name, which does nothing? There is none.
pub(crate) fn is_null_procedure(_address: usize) -> bool {
    false
}

/// The key of an attribute in C.
pub(crate) fn key(key: c_int) -> c_int {
    key
}
