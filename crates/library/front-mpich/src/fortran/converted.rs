//! Handles, statuses, keys and error codes of a front in Fortran: the integers and layouts that its C has for Fortran.
//!
//! The fronts for MPICH and Open MPI share this file. Each has its own `dialect` and `conversions`.

use core::ffi::c_int;

use mpirage_front::{Handle, MPI_Status, Owner, Status as _};

use crate::conversions;
use crate::dialect::*;

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
