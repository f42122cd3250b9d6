//! How MPICH's Fortran integers stand for handles, keys and error codes.

use core::ffi::c_int;

use mpirage_front::{Handle, MPI_Status, Owner, Status as _};

use super::modules;
use crate::conversions;
use crate::dialect::*;
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

/// A handle of C as an integer of Fortran.
pub(crate) trait FortranHandle: Copy {
    fn from_fortran(integer: c_int) -> Self;
    fn to_fortran(self) -> c_int;
}

macro_rules! handles {
    ($($name:ident)*) => {$(
        impl FortranHandle for $name {
            fn from_fortran(integer: c_int) -> $name {
                $name::from_fortran(integer)
            }

            fn to_fortran(self) -> c_int {
                $name::to_fortran(self)
            }
        }
    )*};
}

handles! { Comm Datatype Errhandler File Group Info Message Op Request Session Win }

/// A status, in the layout of C's.
pub(crate) type FortranStatus = Status;

pub(crate) fn status_in_fortran(status: &MPI_Status) -> FortranStatus {
    Status::from_abi(status)
}

pub(crate) fn status_from_fortran(status: &FortranStatus) -> MPI_Status {
    status.to_abi()
}

pub(crate) fn datatype_in_fortran(number: usize) -> c_int {
    Datatype::from_abi(number).to_fortran()
}

pub(crate) fn object_in_fortran(owner: Owner, number: usize) -> c_int {
    match owner {
        Owner::Comm => Comm::from_abi(number).to_fortran(),
        Owner::Datatype => datatype_in_fortran(number),
        Owner::Win => Win::from_abi(number).to_fortran(),
        Owner::File => File::from_abi(number).to_fortran(),
        Owner::Session => Session::from_abi(number).to_fortran(),
    }
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

pub(crate) fn key_to_abi(key: c_int) -> c_int {
    conversions::keyval_to_abi(key)
}

pub(crate) fn key_from_abi(key: c_int) -> c_int {
    conversions::keyval_from_abi(key)
}

pub(crate) fn error_to_abi(code: c_int) -> c_int {
    conversions::error_to_abi(code)
}

pub(crate) fn error_from_abi(code: c_int) -> c_int {
    conversions::error_from_abi(code)
}
