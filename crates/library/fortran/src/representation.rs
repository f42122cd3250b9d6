//! How Fortran's integers stand for handles, keys and error codes: here they are the numbers of the MPI 5 ABI.
//!
//! A front for another MPI has a module of the same name with that MPI's numbers; `arguments`, `procedures` and `sentinels` are the same. MPICH's front has `blocks` of its own too.

use core::ffi::c_int;

use mpirage_front::{MPI_Status, Owner};

use super::constants::MPI_BSEND_OVERHEAD;

/// Addresses with a meaning, in C (`constants.txt`).
pub(crate) const IN_PLACE: usize = 1;
pub(crate) const BUFFER_AUTOMATIC: usize = 2;
/// The number in the modules.
pub(crate) const BSEND_OVERHEAD: usize = MPI_BSEND_OVERHEAD as usize;

/// `MPI_UNWEIGHTED` of C.
pub(crate) fn unweighted() -> usize {
    10
}

/// `MPI_WEIGHTS_EMPTY` of C.
pub(crate) fn weights_empty() -> usize {
    11
}

/// A handle of C as an integer of Fortran.
pub(crate) trait FortranHandle: Copy {
    fn from_fortran(integer: c_int) -> Self;
    fn to_fortran(self) -> c_int;
}

impl FortranHandle for usize {
    fn from_fortran(integer: c_int) -> usize {
        integer as usize
    }

    fn to_fortran(self) -> c_int {
        self as c_int
    }
}

/// A status, the same eight integers.
pub(crate) type FortranStatus = MPI_Status;

pub(crate) fn status_in_fortran(status: &MPI_Status) -> FortranStatus {
    *status
}

pub(crate) fn status_from_fortran(status: &FortranStatus) -> MPI_Status {
    *status
}

pub(crate) fn datatype_in_fortran(handle: usize) -> c_int {
    handle as c_int
}

pub(crate) fn object_in_fortran(_owner: Owner, handle: usize) -> c_int {
    handle as c_int
}

/// Is it a predefined function under another name, which does nothing? There is none.
pub(crate) fn is_null_procedure(_address: usize) -> bool {
    false
}

/// The key of an attribute in C.
pub(crate) fn key(key: c_int) -> c_int {
    key
}

pub(crate) fn key_to_abi(key: c_int) -> c_int {
    key
}

pub(crate) fn key_from_abi(key: c_int) -> c_int {
    key
}

pub(crate) fn error_to_abi(code: c_int) -> c_int {
    code
}

pub(crate) fn error_from_abi(code: c_int) -> c_int {
    code
}
