//! Functions of MPI-1 that MPI-3 removed, for the programs that still call them.

use super::construct::{MPI_Type_create_hindexed, MPI_Type_create_hvector, MPI_Type_create_struct};
use super::query::{MPI_Get_address, tell};
use crate::types::{MPI_Aint, MPI_Datatype};
use core::ffi::{c_int, c_void};

pub(crate) unsafe extern "C-unwind" fn MPI_Type_struct(
    count: c_int,
    array_of_blocklengths: *mut c_int,
    array_of_displacements: *mut MPI_Aint,
    array_of_types: *mut MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe {
        MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype)
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_hindexed(
    count: c_int,
    array_of_blocklengths: *mut c_int,
    array_of_displacements: *mut MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe {
        MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype)
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_extent(
    datatype: MPI_Datatype,
    extent: *mut MPI_Aint,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    unsafe { tell(datatype, ("extent", extent), |of| of.extent()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_lb(
    datatype: MPI_Datatype,
    displacement: *mut MPI_Aint,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    unsafe { tell(datatype, ("displacement", displacement), |of| of.lb()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_ub(
    datatype: MPI_Datatype,
    displacement: *mut MPI_Aint,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    unsafe { tell(datatype, ("displacement", displacement), |of| of.ub()) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Address(location: *mut c_void, address: *mut MPI_Aint) -> c_int {
    // SAFETY: the same function by its new name.
    unsafe { MPI_Get_address(location, address) }
}
